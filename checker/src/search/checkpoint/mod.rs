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

mod digest;
mod error;
mod folder;
mod manifest;
mod part;
mod restore;

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use crate::progress::Progress;
use digest::Hashing;
pub use error::CheckpointError;
pub use manifest::SearchIdentity;
pub(crate) use manifest::{Boundary, Counts};
use manifest::{FORMAT, Manifest, PartEntry, configuration_differs, read_manifest, verify};
pub(crate) use part::Marks;
pub(crate) use restore::{Restored, restore};

/// The name of the file that makes a folder a checkpoint.
const MANIFEST: &str = "checkpoint.json";
/// The file that a search holds a lock on while it uses the folder.
const LOCK: &str = "lock";
/// What the name of a file that is not yet whole ends with.
const NEW: &str = ".new";

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
        folder::make(folder).map_err(CheckpointError::io("make the folder", folder))?;
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
        Self::resume_watched(folder, identity, &Progress::default())
    }

    /// The same as [`resume`](Self::resume), which tells `progress` how far it has come: the
    /// verification of a large checkpoint takes a while.
    ///
    /// # Errors
    ///
    /// Those of [`resume`](Self::resume).
    pub fn resume_watched(
        folder: &Path,
        identity: SearchIdentity,
        progress: &Progress,
    ) -> Result<Self, CheckpointError> {
        let path = folder.join(MANIFEST);
        let exists = path.try_exists();
        if !exists.map_err(CheckpointError::io("read", &path))? {
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
        let verified = &progress.verified;
        verified.total.store(manifest.bytes(), Relaxed);
        for entry in &manifest.parts {
            verify(folder, entry, &|bytes| {
                verified.done.fetch_add(bytes, Relaxed);
            })?;
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

    /// Bytes of all parts that the folder holds.
    pub(crate) fn bytes(&self) -> u64 {
        self.manifest.as_ref().map_or(0, Manifest::bytes)
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
        let (bytes, sha256) = self.put(&name, CheckpointStage::PartSynced, |out| {
            part::write(out, store, written, reached)?;
            out.flush()?;
            self.tell(CheckpointStage::PartWritten);
            Ok(())
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

    /// Writes a file beside its place, syncs it, tells so, and renames it: its length and digest.
    fn put(
        &self,
        name: &str,
        synced: CheckpointStage,
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
            out.inner.get_ref().sync_all()?;
            self.tell(synced);
            fs::rename(&beside, &path)?;
            File::open(&self.folder)?.sync_all()?;
            Ok(out.finish())
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
