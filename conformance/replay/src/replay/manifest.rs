//! What recordings were made of: a list of digests beside them.
//!
//! Each line is a SHA-256, two blanks and a path, as `sha256sum` writes and checks them; lines that
//! begin with `#` say more. Paths begin with `traces/` for the recordings themselves, wherever their
//! folder lies, and with `specs/` for modules and cfgs; anything else is a tool that was used.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use sha2::{Digest, Sha256};

/// The name of the file in the folder of the recordings.
pub const MANIFEST: &str = "manifest";

/// The digests of recordings and of what they were made of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Manifest {
    entries: BTreeMap<String, String>,
}

/// A manifest that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct ManifestError {
    /// The line at fault.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

impl Manifest {
    /// Reads a manifest.
    ///
    /// ```
    /// use plumb_replay::replay::{Manifest, digest};
    ///
    /// let text = format!("# by hand\n{}  traces/lifecycle/LifecyclePacked/log\n", digest(b"log"));
    /// let manifest = Manifest::parse(&text)?;
    /// let log = manifest.recording("lifecycle/LifecyclePacked/log");
    /// assert_eq!(log, Some(&*digest(b"log")));
    /// # Ok::<(), plumb_replay::replay::ManifestError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// A line that is none of the kind, or a path that comes twice.
    pub fn parse(text: &str) -> Result<Self, ManifestError> {
        let mut entries = BTreeMap::new();
        for (index, line) in text.lines().enumerate() {
            let error = |message: String| ManifestError {
                line: index + 1,
                message,
            };
            let line = line.trim_end();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let entry = line.split_once("  ").filter(|(digest, path)| {
                digest.len() == 64
                    && digest
                        .bytes()
                        .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
                    && !path.is_empty()
            });
            let Some((digest, path)) = entry else {
                let expected = "expected a SHA-256, two blanks and a path".to_owned();
                return Err(error(expected));
            };
            if entries.insert(path.to_owned(), digest.to_owned()).is_some() {
                return Err(error(format!("{path} is listed twice")));
            }
        }
        Ok(Self { entries })
    }

    /// The digest of the recording at this path within the folder.
    #[must_use]
    pub fn recording(&self, path: &str) -> Option<&str> {
        self.get("traces", path)
    }

    /// The digest of a module or cfg at this path within `specs/`.
    #[must_use]
    pub fn source(&self, path: &str) -> Option<&str> {
        self.get("specs", path)
    }

    /// The paths of all recordings within the folder.
    pub fn recordings(&self) -> impl Iterator<Item = &str> {
        let paths = self.entries.keys();
        paths.filter_map(|path| path.strip_prefix("traces/"))
    }

    fn get(&self, folder: &str, path: &str) -> Option<&str> {
        let digest = self.entries.get(&format!("{folder}/{path}"));
        digest.map(String::as_str)
    }
}

/// The SHA-256 of `bytes`, in lower-case hexadecimal.
#[must_use]
pub fn digest(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(64);
    for byte in Sha256::digest(bytes) {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_is_sha_256() {
        let empty = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
        assert_eq!(digest(b""), empty);
    }

    #[test]
    fn lines_that_are_none_are_errors_that_name_them() {
        let right = digest(b"");
        let wrong = [
            ("nonsense".to_owned(), 1),
            (format!("{right} one-blank"), 1),
            (format!("{}  short", &right[1..]), 1),
            (format!("{}  shouting", right.to_uppercase()), 1),
            (format!("# said\n\n{right}  a\n{right}  a"), 4),
        ];
        for (text, line) in wrong {
            assert_eq!(Manifest::parse(&text).unwrap_err().line, line, "{text}");
        }
    }

    #[test]
    fn recordings_and_sources_are_told_apart() {
        let one = digest(b"1");
        let text = format!("{one}  traces/a/b/c\n{one}  specs/a/b.cfg\n{one}  tla2tools.jar\n");
        let manifest = Manifest::parse(&text).unwrap();
        assert_eq!(manifest.recordings().collect::<Vec<_>>(), ["a/b/c"]);
        assert_eq!(manifest.source("a/b.cfg"), Some(&*one));
        assert_eq!(manifest.source("a/b/c"), None);
        assert_eq!(manifest.recording("a/b.cfg"), None);
    }
}
