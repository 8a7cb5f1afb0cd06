//! Output of TLC that could not be read.

use std::io;

use crate::error::{ParseError, describe};

/// Why a reader of TLC's output gave up.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TlcOutputError {
    /// The input itself could not be read.
    #[error("line {line}: the output of TLC could not be read: {source}")]
    Io {
        /// The line that was being read, counted from 1.
        line: u64,
        /// What went wrong.
        source: io::Error,
    },
    /// The input is not what TLC prints.
    #[error("line {line}{}: expected {expected}, found {found}", show_column(*.column))]
    Format {
        /// The line, counted from 1.
        line: u64,
        /// The character within the line, counted from 1, where the line as a whole is not meant.
        column: Option<u32>,
        /// What could have stood there.
        expected: String,
        /// What stands there.
        found: String,
    },
}

fn show_column(column: Option<u32>) -> String {
    column
        .map(|column| format!(", column {column}"))
        .unwrap_or_default()
}

impl TlcOutputError {
    /// The line, counted from 1.
    #[must_use]
    pub fn line(&self) -> u64 {
        match self {
            TlcOutputError::Io { line, .. } | TlcOutputError::Format { line, .. } => *line,
        }
    }

    /// An error about a line as a whole.
    pub(super) fn line_of(
        line: u64,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> TlcOutputError {
        let (expected, found) = (expected.into(), found.into());
        TlcOutputError::Format {
            line,
            column: None,
            expected,
            found,
        }
    }

    /// An error about the byte `at` of a line.
    pub(super) fn at(line: u64, text: &str, at: usize, expected: &str) -> TlcOutputError {
        let before = text.get(..at).unwrap_or(text);
        let end = at >= text.len();
        let found = if end {
            "the end of the line".to_owned()
        } else {
            describe(text, at)
        };
        let column = u32::try_from(before.chars().count() + 1).unwrap_or(u32::MAX);
        TlcOutputError::Format {
            line,
            column: Some(column),
            expected: expected.to_owned(),
            found,
        }
    }

    /// An error within a text that begins with the line `first` of the output.
    pub(super) fn within(first: u64, error: ParseError) -> TlcOutputError {
        TlcOutputError::Format {
            line: first.saturating_add(u64::from(error.line) - 1),
            column: Some(error.column),
            expected: error.expected,
            found: error.found,
        }
    }
}
