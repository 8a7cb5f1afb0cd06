//! The list of what a checkpoint holds, and what it is of.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::MANIFEST;
use super::digest::{digest, hex};
use super::error::CheckpointError;
use super::part::Marks;

/// Changes whenever a part or the manifest is written differently, or a search means something else
/// by what it writes.
pub(super) const FORMAT: &str = "plumb checkpoint 2";

/// What a checkpoint is of: two searches with the same identity find the same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SearchIdentity {
    /// The model's name.
    pub model: String,
    /// The configuration: its specification, constants, properties and constraints, a line each.
    pub configuration: String,
    /// The SHA-256 digest of the program: of its models and of the explorer, whatever they are
    /// made from.
    pub program: String,
}

/// One file of a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct PartEntry {
    pub(super) file: String,
    pub(super) bytes: u64,
    pub(super) sha256: String,
    /// How many levels it holds.
    pub(super) levels: usize,
}

/// What the search has counted at the end of its last level.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Counts {
    pub(crate) generated: u64,
    pub(crate) outside: u64,
    /// Generated successors by action.
    pub(crate) actions: Vec<u64>,
    /// States of each level.
    pub(crate) levels: Vec<u64>,
}

/// What the search has counted at the end of a level, and how much of the store was there then: all
/// that a checkpoint of that level needs, even when the next one has been begun.
pub(crate) struct Boundary {
    pub(crate) reached: Marks,
    pub(crate) generated: u64,
    pub(crate) outside: u64,
    pub(crate) actions: Vec<u64>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Manifest {
    pub(super) format: String,
    pub(super) identity: SearchIdentity,
    /// Components of a state, as the parts have them.
    pub(super) components: usize,
    pub(super) counts: Counts,
    pub(super) parts: Vec<PartEntry>,
    /// Of all the rest: [`Manifest::digest`].
    pub(super) sha256: String,
}

impl Manifest {
    /// Bytes of all parts.
    pub(super) fn bytes(&self) -> u64 {
        let bytes = self.parts.iter().map(|part| part.bytes);
        bytes.fold(0, u64::saturating_add)
    }

    /// The digest of everything in it but the digest, as JSON without spaces.
    pub(super) fn digest(&self) -> serde_json::Result<String> {
        let unsealed = Self {
            sha256: String::new(),
            ..self.clone()
        };
        Ok(hex(&Sha256::digest(serde_json::to_vec(&unsealed)?)))
    }
}

impl SearchIdentity {
    /// The identity of a search that this program makes.
    ///
    /// # Errors
    ///
    /// The program's own file cannot be read.
    pub(crate) fn of(model: &str, configuration: String) -> Result<Self, CheckpointError> {
        let (_, digest) = digest(&program()?, &|_| ())?;
        Ok(Self {
            model: model.to_owned(),
            configuration,
            program: digest,
        })
    }
}

/// The file that this process runs.
fn program() -> Result<PathBuf, CheckpointError> {
    // This leads to the file itself, even if another one has taken its place since, or none.
    if cfg!(target_os = "linux") {
        return Ok(PathBuf::from("/proc/self/exe"));
    }
    let failed = CheckpointError::io("find", Path::new("the program's own file"));
    std::env::current_exe().map_err(failed)
}

/// Reads a manifest, of whatever search it is.
pub(super) fn read_manifest(path: &Path, text: &[u8]) -> Result<Manifest, CheckpointError> {
    #[derive(Deserialize)]
    struct Format {
        format: String,
    }
    let damaged = |error: serde_json::Error| CheckpointError::damaged(path, error.to_string());
    // First of all, since another format may have other fields.
    let format: Format = serde_json::from_slice(text).map_err(damaged)?;
    if format.format != FORMAT {
        return Err(CheckpointError::Other {
            path: path.to_owned(),
            what: "the format",
            found: format.format,
            expected: FORMAT.to_owned(),
        });
    }
    serde_json::from_slice(text).map_err(damaged)
}

/// The first line in which two configurations differ.
pub(super) fn configuration_differs(path: &Path, was: &str, is: &str) -> Option<CheckpointError> {
    if was == is {
        return None;
    }
    let (mut was, mut is) = (was.lines(), is.lines());
    loop {
        let (old, new) = (was.next(), is.next());
        if old != new {
            let line = |line: Option<&str>| line.unwrap_or("nothing more").to_owned();
            return Some(CheckpointError::Other {
                path: path.to_owned(),
                what: "a line of the configuration",
                found: line(old),
                expected: line(new),
            });
        }
        (old.or(new))?;
    }
}

/// Holds a part against what the manifest says of it.
pub(super) fn verify(
    folder: &Path,
    entry: &PartEntry,
    passed: &dyn Fn(u64),
) -> Result<(), CheckpointError> {
    let name = Path::new(&entry.file);
    let manifest = folder.join(MANIFEST);
    if name.file_name() != Some(name.as_os_str()) {
        let fault = format!("it lists {}, which is no file beside it", entry.file);
        return Err(CheckpointError::damaged(&manifest, fault));
    }
    let path = folder.join(name);
    let length = fs::metadata(&path)
        .map_err(CheckpointError::io("read", &path))?
        .len();
    if length != entry.bytes {
        let fault = format!("it has {length} bytes, where {} were written", entry.bytes);
        return Err(CheckpointError::damaged(&path, fault));
    }
    let (_, found) = digest(&path, passed)?;
    if found != entry.sha256 {
        let fault = format!(
            "its SHA-256 digest is {found}, where it was {}",
            entry.sha256
        );
        return Err(CheckpointError::damaged(&path, fault));
    }
    Ok(())
}
