//! Traces that could not be read or written.

use std::io;

use plumb_tla::TlcOutputError;

use super::Format;

/// Why a trace could not be read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TraceError {
    /// The input could not be opened or read.
    #[error("{file}: {}cannot be read: {source}", show_line(*.line))]
    Io {
        /// The file, as it was named.
        file: String,
        /// The line that was being read, counted from 1; 0 where that is not known.
        line: u64,
        /// What went wrong.
        source: io::Error,
    },
    /// The input is not what its format demands.
    #[error("{file}: {}expected {expected}, found {found}", show_place(*.line, *.column))]
    Format {
        /// The file, as it was named.
        file: String,
        /// The line, counted from 1; 0 where none can be named.
        line: u64,
        /// The character within the line, counted from 1, where the line as a whole is not meant.
        column: Option<u64>,
        /// What could have stood there.
        expected: String,
        /// What stands there.
        found: String,
    },
    /// A version of Plumb's format that this program does not know.
    #[error(
        "{file}: line {line}: expected version {} of the format {}, found version {found}",
        super::plumb::VERSION,
        super::plumb::NAME
    )]
    Version {
        /// The file, as it was named.
        file: String,
        /// The line, counted from 1.
        line: u64,
        /// The version that the file says it has.
        found: u64,
    },
    /// A dumped set of states or a state graph, which holds no behaviour.
    #[error("{file}: expected a recorded behaviour, found {format}")]
    NotABehaviour {
        /// The file, as it was named.
        file: String,
        /// What it is.
        format: Format,
    },
    /// The output could not be written.
    #[error("the trace cannot be written: {source}")]
    Write {
        /// What went wrong.
        #[from]
        source: io::Error,
    },
    /// What was to be written is no trace, or the format cannot tell it.
    #[error("the trace cannot be written: expected {expected}, found {found}")]
    Unwritable {
        /// What could have been written.
        expected: String,
        /// What was to be written.
        found: String,
    },
}

impl TraceError {
    /// The line, counted from 1; none where none can be named.
    #[must_use]
    pub fn line(&self) -> Option<u64> {
        match self {
            TraceError::Io { line, .. }
            | TraceError::Format { line, .. }
            | TraceError::Version { line, .. } => Some(*line).filter(|line| *line > 0),
            TraceError::NotABehaviour { .. }
            | TraceError::Write { .. }
            | TraceError::Unwritable { .. } => None,
        }
    }

    /// The character within the line, counted from 1, where one can be named.
    #[must_use]
    pub fn column(&self) -> Option<u64> {
        match self {
            TraceError::Format { column, .. } => *column,
            _ => None,
        }
    }
}

fn show_line(line: u64) -> String {
    show_place(line, None)
}

fn show_place(line: u64, column: Option<u64>) -> String {
    match (line, column) {
        (0, _) => String::new(),
        (line, None) => format!("line {line}: "),
        (line, Some(column)) => format!("line {line}, column {column}: "),
    }
}

/// An error of a reader that does not know its file's name.
#[derive(Debug)]
pub(super) enum Fault {
    Io {
        line: u64,
        source: io::Error,
    },
    Format {
        line: u64,
        column: Option<u64>,
        expected: String,
        found: String,
    },
    Version {
        line: u64,
        found: u64,
    },
}

impl Fault {
    /// An error about a line as a whole.
    pub(super) fn line(
        line: u64,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> Box<Fault> {
        let (expected, found) = (expected.into(), found.into());
        Box::new(Fault::Format {
            line,
            column: None,
            expected,
            found,
        })
    }

    pub(super) fn named(self, file: &str) -> TraceError {
        let file = file.to_owned();
        match self {
            Fault::Io { line, source } => TraceError::Io { file, line, source },
            Fault::Format {
                line,
                column,
                expected,
                found,
            } => TraceError::Format {
                file,
                line,
                column,
                expected,
                found,
            },
            Fault::Version { line, found } => TraceError::Version { file, line, found },
        }
    }
}

impl From<TlcOutputError> for Box<Fault> {
    fn from(error: TlcOutputError) -> Box<Fault> {
        let line = error.line();
        Box::new(match error {
            TlcOutputError::Io { source, .. } => Fault::Io { line, source },
            TlcOutputError::Format {
                column,
                expected,
                found,
                ..
            } => Fault::Format {
                line,
                column: column.map(u64::from),
                expected,
                found,
            },
            other => Fault::Format {
                line,
                column: None,
                expected: "output of TLC".to_owned(),
                found: other.to_string(),
            },
        })
    }
}
