//! Errors of the command line: a sentence that names the place, the source where it helps, a hint,
//! and an exit status.

use std::io::{self, IsTerminal};
use std::path::Path;
use std::string::FromUtf8Error;

use miette::{
    Diagnostic, GraphicalReportHandler, GraphicalTheme, LabeledSpan, NamedSource, SourceCode,
};
use plumb_checker::ConfigurationError;
use plumb_checker::specs::SpecsError;
use plumb_tla::Position;

use crate::exit::Status;
use crate::output;

/// An error as it is shown.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub(crate) struct CliError {
    message: String,
    hint: Option<String>,
    excerpt: Option<Box<Excerpt>>,
    status: Status,
}

/// The longest line of which an excerpt is shown, in bytes.
const LONGEST_LINE: usize = 500;

/// The longest message, in characters: what was found may be a file's only word.
const LONGEST_MESSAGE: usize = 2_000;

/// The piece of input that an error points at.
#[derive(Debug)]
struct Excerpt {
    source: NamedSource<String>,
    offset: usize,
    length: usize,
}

impl CliError {
    /// An error with this exit status.
    pub(crate) fn new(message: impl Into<String>, status: Status) -> Self {
        Self {
            message: message.into(),
            hint: None,
            excerpt: None,
            status,
        }
    }

    /// Wrong usage or unreadable input.
    pub(crate) fn usage(message: impl Into<String>, hint: Option<String>) -> Self {
        Self {
            message: message.into(),
            hint,
            excerpt: None,
            status: Status::Usage,
        }
    }

    /// The tool or the machine failed.
    pub(crate) fn failed(message: impl Into<String>, hint: Option<String>) -> Self {
        Self {
            message: message.into(),
            hint,
            excerpt: None,
            status: Status::Failed,
        }
    }

    /// The same error with a hint, if there is one to give.
    pub(crate) fn with_hint(mut self, hint: Option<String>) -> Self {
        self.hint = hint.or(self.hint);
        self
    }

    /// Standard output cannot be written.
    pub(crate) fn output(error: &io::Error) -> Self {
        Self::failed(format!("cannot write to standard output: {error}"), None)
    }

    /// A file that was named cannot be read.
    pub(crate) fn unreadable(path: &Path, error: &io::Error) -> Self {
        Self::usage(format!("cannot read {}: {error}", path.display()), None)
    }

    /// A file or folder that was asked for cannot be written.
    pub(crate) fn unwritable(path: &Path, error: &io::Error) -> Self {
        Self::failed(format!("cannot write {}: {error}", path.display()), None)
    }

    /// A file that should be text and is not.
    pub(crate) fn not_text(path: &Path, error: &FromUtf8Error) -> Self {
        let (text, rest) = error.as_bytes().split_at(error.utf8_error().valid_up_to());
        let line = text.iter().filter(|byte| **byte == b'\n').count() + 1;
        let last = text.rsplit(|byte| *byte == b'\n').next();
        let column = String::from_utf8_lossy(last.unwrap_or_default())
            .chars()
            .count()
            + 1;
        let found = rest.first().copied().unwrap_or_default();
        Self::usage(
            format!(
                "{}:{line}:{column}: expected UTF-8 text, found the byte 0x{found:02X}",
                path.display()
            ),
            None,
        )
    }

    /// A cfg that does not configure its model.
    pub(crate) fn configuration(path: &str, text: &str, error: &ConfigurationError) -> Self {
        let message = error.to_string();
        let (message, excerpt) = match error.position() {
            Some(position) => {
                let Position { line, column } = position;
                // The place is said once, with the file.
                let said = format!("line {line}, column {column}: ");
                let message = message.strip_prefix(&said).unwrap_or(&message);
                (
                    format!("{path}:{line}:{column}: {message}"),
                    Excerpt::at(path, text, position).map(Box::new),
                )
            }
            None => (format!("{path}: {message}"), None),
        };
        let message = match message.char_indices().nth(LONGEST_MESSAGE) {
            Some((end, _)) => format!("{}…", &message[..end]),
            None => message,
        };
        Self {
            message,
            hint: error.hint(),
            excerpt,
            status: Status::Usage,
        }
    }

    pub(crate) fn status(&self) -> Status {
        self.status
    }

    /// Shows the error on standard error.
    pub(crate) fn report(&self) {
        let colour = anstream::AutoStream::choice(&io::stderr()) != anstream::ColorChoice::Never;
        let mut theme = if colour && io::stderr().is_terminal() {
            GraphicalTheme::unicode()
        } else {
            GraphicalTheme::unicode_nocolor()
        };
        theme.characters.error = "error:".to_owned();
        let handler = GraphicalReportHandler::new_themed(theme).with_links(false);
        let handler = handler.with_width(100).with_wrap_lines(false);
        let mut text = String::new();
        if handler.render_report(&mut text, self).is_err() {
            text = format!("error: {self}");
        }
        output::note(text.trim());
    }
}

impl Excerpt {
    fn at(path: &str, text: &str, position: Position) -> Option<Self> {
        // The excerpt shows whole lines: one that fills screens shows nothing.
        if text.lines().any(|line| line.len() > LONGEST_LINE) {
            return None;
        }
        let line = usize::try_from(position.line).ok()?.checked_sub(1)?;
        let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
        let rest = text.get(start..)?;
        let column = usize::try_from(position.column).ok()?.checked_sub(1)?;
        let inside: usize = rest.chars().take(column).map(char::len_utf8).sum();
        let word = rest.get(inside..)?;
        let length = word.find(char::is_whitespace).unwrap_or(word.len());
        let source = NamedSource::new(path, text.to_owned());
        Some(Self {
            source,
            offset: start + inside,
            length: length.max(1),
        })
    }
}

impl Diagnostic for CliError {
    fn help<'a>(&'a self) -> Option<Box<dyn std::fmt::Display + 'a>> {
        self.hint
            .as_ref()
            .map(|hint| Box::new(hint) as Box<dyn std::fmt::Display>)
    }

    fn source_code(&self) -> Option<&dyn SourceCode> {
        self.excerpt
            .as_ref()
            .map(|excerpt| &excerpt.source as &dyn SourceCode)
    }

    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        let excerpt = self.excerpt.as_ref()?;
        let span = LabeledSpan::new(Some("here".to_owned()), excerpt.offset, excerpt.length);
        Some(Box::new(std::iter::once(span)))
    }
}

/// A hint that names what a name was perhaps meant to be.
pub(crate) fn suggestion<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> String {
    /// Names that have less in common are not taken for slips of the finger.
    const ALIKE: f64 = 0.6;
    let name = name.to_lowercase();
    let mut alike: Vec<(f64, &str)> = known
        .into_iter()
        .map(|known| {
            let likeness = strsim::normalized_damerau_levenshtein(&known.to_lowercase(), &name);
            (likeness, known)
        })
        .filter(|(likeness, _)| *likeness >= ALIKE)
        .collect();
    alike.sort_by(|one, other| other.0.total_cmp(&one.0));
    let alike: Vec<&str> = alike.into_iter().take(3).map(|(_, known)| known).collect();
    if alike.is_empty() {
        "`plumb list` shows all".to_owned()
    } else {
        format!(
            "did you mean {}? `plumb list` shows all",
            alike.join(" or ")
        )
    }
}

impl From<SpecsError> for CliError {
    fn from(error: SpecsError) -> Self {
        let hint = match &error {
            SpecsError::NoMatch { filter, known } => {
                Some(suggestion(filter, known.iter().map(String::as_str)))
            }
            _ => None,
        };
        Self::usage(error.to_string(), hint)
    }
}
