//! Digests of sources, built into the program that is compiled from them.

use std::fmt::Write as _;
use std::path::Path;
use std::{fs, io};

use crate::tree::{SourceTable, Sources};

/// For a build script: writes the digests of the sources below `root` as Rust to `out`, and tells
/// cargo to do so again when one of them changes.
///
/// The file has three constants, which `plumb_checker::EmbeddedSources` takes:
/// `SOURCE_FILES: &[(&str, &str, &str)]` (path, digest of bytes, digest of tokens),
/// `SOURCE_MODELS: &[(&str, &str)]` and `SOURCE_VERSIONS: &str`.
///
/// # Errors
///
/// A source cannot be read, or `out` cannot be written.
pub fn embed(root: &Path, table: &SourceTable, out: &Path) -> io::Result<()> {
    let sources = Sources::read(root, table).map_err(io::Error::other)?;
    let mut text = String::from("const SOURCE_FILES: &[(&str, &str, &str)] = &[\n");
    for file in sources.files() {
        let (path, bytes, tokens) = (&file.path, &file.bytes, &file.tokens);
        let _ = writeln!(text, "    ({path:?}, {bytes:?}, {tokens:?}),");
    }
    text.push_str("];\nconst SOURCE_MODELS: &[(&str, &str)] = &[\n");
    for (model, path) in &table.models {
        let _ = writeln!(text, "    ({model:?}, {path:?}),");
    }
    let versions = sources.versions();
    let _ = writeln!(text, "];\nconst SOURCE_VERSIONS: &str = {versions:?};");
    for folder in &table.crates {
        for part in ["src", "Cargo.toml"] {
            let path = root.join(folder).join(part);
            println!("cargo:rerun-if-changed={}", path.display());
        }
    }
    println!(
        "cargo:rerun-if-changed={}",
        root.join(&table.lock).display()
    );
    fs::write(out, text)
}
