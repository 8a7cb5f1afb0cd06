//! Builds the repository's `specs/` folder into the crate, so that an installed `plumb` has it, and
//! the digests of the sources that its verdicts depend on.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

fn main() -> io::Result<()> {
    let root = PathBuf::from(variable("CARGO_MANIFEST_DIR")?).join("../specs");
    let mut files = Vec::new();
    collect(&root, &mut files)?;
    files.sort();
    let mut table = String::from(
        "/// Every file of `specs/`: its path in that folder, and its text.\n\
         const SPECS: &[(&str, &str)] = &[\n",
    );
    for file in files {
        let relative = file.strip_prefix(&root).map_err(io::Error::other)?;
        let relative = relative.to_string_lossy().replace('\\', "/");
        // Absolute, since the table is compiled from the build's output folder.
        let _ = writeln!(
            table,
            "    ({relative:?}, include_str!({:?})),",
            file.canonicalize()?
        );
    }
    table.push_str("];\n");
    println!("cargo:rerun-if-changed={}", root.display());
    let out = PathBuf::from(variable("OUT_DIR")?);
    fs::write(out.join("embedded_specs.rs"), table)?;

    let registry = fs::read_to_string(root.join("registry.toml"))?;
    let registry: Registry = toml::from_str(&registry)
        .map_err(|error| io::Error::other(format!("registry.toml: {}", error.message())))?;
    plumb_sources::embed(
        &root.join(".."),
        &registry.sources,
        &out.join("embedded_sources.rs"),
    )
}

/// The part of the registry that says which sources count.
#[derive(serde::Deserialize)]
struct Registry {
    sources: plumb_sources::SourceTable,
}

fn variable(name: &str) -> io::Result<std::ffi::OsString> {
    env::var_os(name).ok_or_else(|| io::Error::other(format!("cargo did not set {name}")))
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path
            .extension()
            .is_some_and(|kind| kind == "tla" || kind == "cfg" || kind == "toml")
        {
            files.push(path);
        }
    }
    Ok(())
}
