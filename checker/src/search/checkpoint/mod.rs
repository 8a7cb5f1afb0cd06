//! Checkpoints: what a search has found at the end of a level, so that another process can go on.
//!
//! A checkpoint is a folder. Each time one is due, the search adds a *part*, which holds what came
//! since the one before: component values, nodes of state trees, and the states of the levels. Then
//! it replaces `checkpoint.json`, which lists all parts with their SHA-256 digests, the counts, and
//! what the search was of. Every file is written beside its place, synced, renamed, and its folder
//! synced; until the very last of these steps the checkpoint is the old one, and from then on the
//! new one. A part that nobody lists is left over from a process that was killed, and is replaced.
//!
//! Whoever resumes trusts nothing: the format, the program, the configuration, the digests of the
//! list itself and of every part, and the counts of every level are compared, and whatever differs
//! is told.

mod part;
mod restore;

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

pub(crate) use part::Marks;
pub(crate) use restore::{Restored, restore};

/// The name of the file that makes a folder a checkpoint.
const MANIFEST: &str = "checkpoint.json";
/// The file that a search holds a lock on while it uses the folder.
const LOCK: &str = "lock";
/// What the name of a file that is not yet whole ends with.
const NEW: &str = ".new";
/// Changes whenever a part or the manifest is written differently, or a search means something else
/// by what it writes.
const FORMAT: &str = "plumb checkpoint 2";

/// Why a folder cannot be used as a checkpoint.
#[derive(Debug, thiserror::Error)]
pub enum CheckpointError {
    /// The folder, or a file of it, cannot be read or written.
    #[error("cannot {what} {}: {error}", path.display())]
    Io {
        /// What was tried, as a verb.
        what: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The system's answer.
        error: io::Error,
    },
    /// The folder holds other things than a checkpoint.
    #[error("{} holds {found}, and is no checkpoint: expected an empty folder, or none", path.display())]
    NotOurs {
        /// The folder.
        path: PathBuf,
        /// The name of something in it.
        found: String,
    },
    /// There is a checkpoint in the folder already.
    #[error("{} holds a checkpoint already", path.display())]
    Occupied {
        /// The folder.
        path: PathBuf,
    },
    /// There is nothing to resume.
    #[error("{} holds no checkpoint: there is no {MANIFEST} in it", path.display())]
    Missing {
        /// The folder.
        path: PathBuf,
    },
    /// Another search uses the folder.
    #[error("another search is using {}", path.display())]
    InUse {
        /// The folder.
        path: PathBuf,
    },
    /// What the checkpoint says of itself is not what this search expects.
    #[error("{}: {what} is {found}: expected {expected}", path.display())]
    Other {
        /// The manifest.
        path: PathBuf,
        /// What is compared: "the model", "the program".
        what: &'static str,
        /// As the checkpoint has it.
        found: String,
        /// As this search has it.
        expected: String,
    },
    /// A file of the checkpoint is not what the search wrote.
    #[error("{} is damaged: {fault}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        fault: String,
    },
}

impl SearchIdentity {
    /// The identity of a search that this program makes.
    ///
    /// # Errors
    ///
    /// The program's own file cannot be read.
    pub(crate) fn of(model: &str, configuration: String) -> Result<Self, CheckpointError> {
        let program = std::env::current_exe().map_err(CheckpointError::io(
            "find",
            Path::new("the program's own file"),
        ))?;
        let (_, digest) = digest(&program)?;
        Ok(Self {
            model: model.to_owned(),
            configuration,
            program: digest,
        })
    }
}

/// The length of a file and its SHA-256 digest.
fn digest(path: &Path) -> Result<(u64, String), CheckpointError> {
    let read = || -> io::Result<(u64, String)> {
        let mut hash = Hashing::new(io::sink());
        io::copy(&mut File::open(path)?, &mut hash)?;
        Ok((hash.bytes, hex(&hash.hash.finalize())))
    };
    read().map_err(CheckpointError::io("read", path))
}

impl CheckpointError {
    fn io(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |error| Self::Io {
            what,
            path: path.to_owned(),
            error,
        }
    }

    fn damaged(path: &Path, fault: impl Into<String>) -> Self {
        Self::Damaged {
            path: path.to_owned(),
            fault: fault.into(),
        }
    }
}

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
struct PartEntry {
    file: String,
    bytes: u64,
    sha256: String,
    /// How many levels it holds.
    levels: usize,
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
struct Manifest {
    format: String,
    identity: SearchIdentity,
    /// Components of a state, as the parts have them.
    components: usize,
    counts: Counts,
    parts: Vec<PartEntry>,
    /// Of all the rest: [`Manifest::digest`].
    sha256: String,
}

impl Manifest {
    /// The digest of everything in it but the digest, as JSON without spaces.
    fn digest(&self) -> serde_json::Result<String> {
        let unsealed = Self {
            sha256: String::new(),
            ..self.clone()
        };
        Ok(hex(&Sha256::digest(serde_json::to_vec(&unsealed)?)))
    }
}

/// How far the writing of a checkpoint has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CheckpointStage {
    /// The new part has been begun.
    PartBegun,
    /// It is written, and not yet synced.
    PartWritten,
    /// It is synced, and does not yet have its name.
    PartSynced,
    /// It has its name; nothing lists it yet.
    PartNamed,
    /// The new manifest is written and synced, and does not yet have its name.
    ManifestSynced,
    /// The new checkpoint has taken the place of the old one.
    Done,
}

type Observer = Arc<dyn Fn(CheckpointStage) + Send + Sync>;

/// A folder that a search writes its checkpoints to, or goes on from.
///
/// It is locked as long as this exists.
pub struct Checkpoint {
    folder: PathBuf,
    identity: SearchIdentity,
    /// What the folder holds.
    manifest: Option<Manifest>,
    interval: Duration,
    observer: Option<Observer>,
    _lock: File,
}

/// Time between two checkpoints, if nobody says otherwise.
const INTERVAL: Duration = Duration::from_secs(60);

impl std::fmt::Debug for Checkpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Checkpoint")
            .field("folder", &self.folder)
            .field("identity", &self.identity)
            .finish_non_exhaustive()
    }
}

impl Checkpoint {
    /// A folder for the checkpoints of a new search; it is made if there is none.
    ///
    /// # Errors
    ///
    /// The folder holds something already, is in use, or cannot be written to.
    pub fn create(folder: &Path, identity: SearchIdentity) -> Result<Self, CheckpointError> {
        fs::create_dir_all(folder).map_err(CheckpointError::io("make the folder", folder))?;
        if let Some(found) = foreign(folder)? {
            return Err(CheckpointError::NotOurs {
                path: folder.to_owned(),
                found,
            });
        }
        let lock = lock(folder)?;
        if folder.join(MANIFEST).exists() {
            return Err(CheckpointError::Occupied {
                path: folder.to_owned(),
            });
        }
        remove_half_written(folder)?;
        Ok(Self {
            folder: folder.to_owned(),
            identity,
            manifest: None,
            interval: INTERVAL,
            observer: None,
            _lock: lock,
        })
    }

    /// The checkpoint in a folder, verified, to go on from and to add to.
    ///
    /// # Errors
    ///
    /// There is none, it is of another search or program, or a file of it is damaged.
    pub fn resume(folder: &Path, identity: SearchIdentity) -> Result<Self, CheckpointError> {
        let path = folder.join(MANIFEST);
        if !path.exists() {
            return Err(CheckpointError::Missing {
                path: folder.to_owned(),
            });
        }
        let lock = lock(folder)?;
        let text = fs::read(&path).map_err(CheckpointError::io("read", &path))?;
        let manifest = read_manifest(&path, &text)?;
        let differs = |what, found: &str, expected: &str| {
            (found != expected).then(|| CheckpointError::Other {
                path: path.clone(),
                what,
                found: found.to_owned(),
                expected: expected.to_owned(),
            })
        };
        let was = &manifest.identity;
        let difference = differs("the model", &was.model, &identity.model)
            .or_else(|| configuration_differs(&path, &was.configuration, &identity.configuration))
            .or_else(|| differs("the program that wrote it", &was.program, &identity.program));
        if let Some(difference) = difference {
            return Err(difference);
        }
        let digest = manifest.digest();
        let digest = digest.map_err(|error| CheckpointError::damaged(&path, error.to_string()))?;
        if digest != manifest.sha256 {
            let fault = format!(
                "the SHA-256 digest of what it says is {digest}, where it was {}",
                manifest.sha256
            );
            return Err(CheckpointError::damaged(&path, fault));
        }
        let levels: usize = manifest.parts.iter().map(|part| part.levels).sum();
        if levels != manifest.counts.levels.len() {
            let fault = format!(
                "its parts hold {levels} levels, its counts are of {}",
                manifest.counts.levels.len()
            );
            return Err(CheckpointError::damaged(&path, fault));
        }
        for entry in &manifest.parts {
            verify(folder, entry)?;
        }
        remove_half_written(folder)?;
        Ok(Self {
            folder: folder.to_owned(),
            identity,
            manifest: Some(manifest),
            interval: INTERVAL,
            observer: None,
            _lock: lock,
        })
    }

    /// Writes no checkpoint before this time has passed since the last one (a minute if this is not
    /// called); then the end of the next level is waited for.
    #[must_use]
    pub fn every(self, interval: Duration) -> Self {
        Self { interval, ..self }
    }

    pub(crate) fn interval(&self) -> Duration {
        self.interval
    }

    /// Has `observer` told how far each writing has come: to show it, or to test what happens if it
    /// goes no further.
    #[must_use]
    pub fn observed(self, observer: impl Fn(CheckpointStage) + Send + Sync + 'static) -> Self {
        Self {
            observer: Some(Arc::new(observer)),
            ..self
        }
    }

    /// The number of levels and of states that the folder holds, if there is anything to resume.
    #[must_use]
    pub fn found(&self) -> Option<(usize, u64)> {
        let counts = &self.manifest.as_ref()?.counts;
        Some((counts.levels.len(), counts.levels.iter().sum()))
    }

    fn tell(&self, stage: CheckpointStage) {
        if let Some(observer) = &self.observer {
            observer(stage);
        }
    }

    /// Adds what `store` got between two marks, the first of which is that of the last writing;
    /// `counts` are those of the second one.
    pub(crate) fn write(
        &mut self,
        store: &super::store::StateStore,
        written: &Marks,
        reached: &Marks,
        counts: Counts,
    ) -> Result<(), CheckpointError> {
        let mut parts = self
            .manifest
            .as_ref()
            .map_or_else(Vec::new, |manifest| manifest.parts.clone());
        let name = format!("{:06}.part", parts.len() + 1);
        self.tell(CheckpointStage::PartBegun);
        let (bytes, sha256) = self.put(&name, CheckpointStage::PartWritten, |out| {
            part::write(out, store, written, reached)
        })?;
        self.tell(CheckpointStage::PartNamed);
        parts.push(PartEntry {
            file: name,
            bytes,
            sha256,
            levels: reached.levels() - written.levels(),
        });
        let mut manifest = Manifest {
            format: FORMAT.to_owned(),
            identity: self.identity.clone(),
            components: store.values.len(),
            counts,
            parts,
            sha256: String::new(),
        };
        let mut text = || {
            manifest.sha256 = manifest.digest()?;
            serde_json::to_vec_pretty(&manifest)
        };
        let path = self.folder.join(MANIFEST);
        let text = text().map_err(|error| CheckpointError::damaged(&path, error.to_string()))?;
        self.put(MANIFEST, CheckpointStage::ManifestSynced, |out| {
            out.write_all(&text)
        })?;
        self.manifest = Some(manifest);
        self.tell(CheckpointStage::Done);
        Ok(())
    }

    /// Writes a file beside its place, syncs and renames it: its length and digest.
    fn put(
        &self,
        name: &str,
        written: CheckpointStage,
        write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(u64, String), CheckpointError> {
        let path = self.folder.join(name);
        let beside = self.folder.join(format!("{name}{NEW}"));
        let failed = CheckpointError::io("write", &path);
        let put = || {
            let mut out = Hashing::new(io::BufWriter::with_capacity(
                1 << 20,
                File::create(&beside)?,
            ));
            write(&mut out)?;
            out.inner.flush()?;
            if written == CheckpointStage::PartWritten {
                self.tell(written);
            }
            out.inner.get_ref().sync_all()?;
            self.tell(match written {
                CheckpointStage::PartWritten => CheckpointStage::PartSynced,
                other => other,
            });
            fs::rename(&beside, &path)?;
            File::open(&self.folder)?.sync_all()?;
            Ok((out.bytes, hex(&out.hash.finalize())))
        };
        let put = put();
        if put.is_err() {
            // What is there of it is of no use, and the disk may be full.
            let _ = fs::remove_file(&beside);
        }
        put.map_err(failed)
    }
}

/// The names in a folder, in their order.
fn names(folder: &Path) -> Result<Vec<String>, CheckpointError> {
    let read = || -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(folder)? {
            names.push(entry?.file_name().to_string_lossy().into_owned());
        }
        names.sort();
        Ok(names)
    };
    read().map_err(CheckpointError::io("read", folder))
}

/// The first entry of a folder that no checkpoint has.
fn foreign(folder: &Path) -> Result<Option<String>, CheckpointError> {
    let ours = |name: &String| name == LOCK || is_written(name.strip_suffix(NEW).unwrap_or(name));
    Ok(names(folder)?.into_iter().find(|name| !ours(name)))
}

/// Whether a name is one that a search writes under: the manifest, or a part, which is a number of
/// at least six digits.
fn is_written(name: &str) -> bool {
    let number = name.strip_suffix(".part").unwrap_or_default();
    name == MANIFEST || number.len() >= 6 && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// Removes what a process that was killed had begun to write.
fn remove_half_written(folder: &Path) -> Result<(), CheckpointError> {
    for name in names(folder)? {
        if name.strip_suffix(NEW).is_some_and(is_written) {
            let path = folder.join(name);
            fs::remove_file(&path).map_err(CheckpointError::io("remove", &path))?;
        }
    }
    Ok(())
}

fn lock(folder: &Path) -> Result<File, CheckpointError> {
    let path = folder.join(LOCK);
    // Not truncated: the folder may turn out to be somebody else's.
    let file = (OpenOptions::new().write(true).create(true).truncate(false))
        .open(&path)
        .map_err(CheckpointError::io("write", &path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(CheckpointError::InUse {
            path: folder.to_owned(),
        }),
        Err(TryLockError::Error(error)) => Err(CheckpointError::Io {
            what: "lock",
            path,
            error,
        }),
    }
}

fn read_manifest(path: &Path, text: &[u8]) -> Result<Manifest, CheckpointError> {
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
fn configuration_differs(path: &Path, was: &str, is: &str) -> Option<CheckpointError> {
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
fn verify(folder: &Path, entry: &PartEntry) -> Result<(), CheckpointError> {
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
    let (_, found) = digest(&path)?;
    if found != entry.sha256 {
        let fault = format!(
            "its SHA-256 digest is {found}, where it was {}",
            entry.sha256
        );
        return Err(CheckpointError::damaged(&path, fault));
    }
    Ok(())
}

fn hex(digest: &[u8]) -> String {
    use std::fmt::Write as _;
    digest.iter().fold(String::new(), |mut hex, byte| {
        // Writing to a string does not fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// A writer that hashes and counts what goes through it.
struct Hashing<W> {
    inner: W,
    hash: Sha256,
    bytes: u64,
}

impl<W: Write> Hashing<W> {
    fn new(inner: W) -> Self {
        Self {
            inner,
            hash: Sha256::new(),
            bytes: 0,
        }
    }
}

impl<W: Write> Write for Hashing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.hash.update(&bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
