//! What can be wrong with a checkpoint.

use std::io;
use std::path::{Path, PathBuf};

use super::MANIFEST;

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

impl CheckpointError {
    pub(super) fn io(what: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |error| Self::Io {
            what,
            path: path.to_owned(),
            error,
        }
    }

    pub(super) fn damaged(path: &Path, fault: impl Into<String>) -> Self {
        Self::Damaged {
            path: path.to_owned(),
            fault: fault.into(),
        }
    }
}
