//! Logs from files and standard input.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use plumb_canonical::MAX_LOG_BYTES;
use plumb_queue::Code;
use plumb_queue::log::{Log, LogError};
use plumb_queue::state::State;

use crate::error::CliError;
use crate::exit::Status;

/// The bytes of a log, and what they are called.
pub(crate) struct Source {
    name: String,
    bytes: Vec<u8>,
}

impl Source {
    /// Reads a file, or standard input for `-`; never more than a log may have.
    pub(crate) fn open(path: &Path) -> Result<Self, CliError> {
        let is_input = path == Path::new("-");
        let mut bytes = Vec::new();
        // One byte more, so that a log that is too large is refused as one.
        let limit = MAX_LOG_BYTES as u64 + 1;
        let read = if is_input {
            io::stdin().lock().take(limit).read_to_end(&mut bytes)
        } else {
            File::open(path).and_then(|file| file.take(limit).read_to_end(&mut bytes))
        };
        read.map_err(|error| CliError::unreadable(path, &error))?;
        let name = if is_input {
            "standard input".to_owned()
        } else {
            path.display().to_string()
        };
        Ok(Self { name, bytes })
    }

    /// The log, in order.
    pub(crate) fn log(&self) -> Result<Log<'_>, CliError> {
        Log::read(&self.bytes).map_err(|error| self.refused(&error))
    }

    /// The state that the log means.
    pub(crate) fn state(&self) -> Result<State, CliError> {
        self.log()?
            .replay(|_, _| {})
            .map_err(|error| self.refused(&error))
    }

    /// How large it is.
    pub(crate) fn len(&self) -> usize {
        self.bytes.len()
    }

    /// The error for a log that is refused. What is not a log is wrong usage; a log in which something
    /// was decided wrongly differs from what is expected.
    pub(crate) fn refused(&self, error: &LogError) -> CliError {
        let status = match error.code {
            Code::LedgerInvalid | Code::UnsupportedProtocol => Status::Usage,
            _ => Status::Different,
        };
        let line = error
            .line
            .map(|line| format!(":{line}"))
            .unwrap_or_default();
        CliError::new(
            format!("{}{line}: {}: {}", self.name, error.code, error.message),
            status,
        )
    }
}
