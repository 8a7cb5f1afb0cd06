//! Files that levels go to when memory does not hold them.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// States can be kept no longer: there is no room, or a file could not be written or read.
#[derive(Clone, Debug, thiserror::Error)]
pub(crate) enum StorageError {
    #[error("cannot write states to {place}: {reason}")]
    Write { place: String, reason: String },
    #[error("cannot read states back from {place}: {reason}")]
    Read { place: String, reason: String },
    #[error("{place} was changed while it was in use")]
    Changed { place: String },
    #[error("there are more states than 32-bit numbers can tell apart")]
    UsedUp,
}

/// A file of blocks, written at its end and read anywhere.
#[derive(Debug)]
pub(crate) struct SpillFile {
    content: Content,
    end: AtomicU64,
    /// What it is called in messages.
    place: String,
}

#[derive(Debug)]
enum Content {
    /// A file without a name, which is open as long as it is needed.
    Open(File),
    /// A file with a name, which is opened for each reading: a search may go on from more of them
    /// than a process may have open, and reads few of them ever again.
    Named(PathBuf),
}

impl SpillFile {
    /// A file without a name in `folder`: it is gone when the process is, however that ends.
    pub(crate) fn temporary(folder: &Path) -> Result<Arc<Self>, StorageError> {
        let place = format!("a temporary file in {}", folder.display());
        match tempfile::tempfile_in(folder) {
            Ok(file) => Ok(Arc::new(Self {
                content: Content::Open(file),
                end: AtomicU64::new(0),
                place,
            })),
            Err(error) => Err(StorageError::Write {
                place,
                reason: error.to_string(),
            }),
        }
    }

    /// A file that is complete, to be read only.
    pub(crate) fn complete(path: &Path) -> Arc<Self> {
        Arc::new(Self {
            content: Content::Named(path.to_owned()),
            end: AtomicU64::new(0),
            place: path.display().to_string(),
        })
    }

    /// Writes `bytes` behind what is there; where they begin.
    pub(crate) fn append(&self, bytes: &[u8]) -> Result<u64, StorageError> {
        let offset = self.end.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        let written = match &self.content {
            Content::Open(file) => file.write_all_at(bytes, offset),
            Content::Named(_) => Err(io::ErrorKind::ReadOnlyFilesystem.into()),
        };
        written.map_err(|error| StorageError::Write {
            place: self.place.clone(),
            reason: error.to_string(),
        })?;
        Ok(offset)
    }

    pub(crate) fn read_at(&self, buffer: &mut [u8], offset: u64) -> Result<(), StorageError> {
        let read = match &self.content {
            Content::Open(file) => file.read_exact_at(buffer, offset),
            Content::Named(path) => {
                File::open(path).and_then(|file| file.read_exact_at(buffer, offset))
            }
        };
        match read {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Err(self.changed()),
            Err(error) => Err(StorageError::Read {
                place: self.place.clone(),
                reason: error.to_string(),
            }),
        }
    }

    /// The error of a file that does not hold what was written to it.
    pub(crate) fn changed(&self) -> StorageError {
        StorageError::Changed {
            place: self.place.clone(),
        }
    }

    /// Bytes written.
    pub(crate) fn len(&self) -> u64 {
        self.end.load(Ordering::Relaxed)
    }
}
