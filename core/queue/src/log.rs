//! Logs: lines of commits that form one chain (sections 3 and 5.1).
//!
//! A log is read twice. First every line is read as JSON, so that a fault anywhere is found before
//! anything is believed, and the commits are put in the order of their chain, whatever the order of
//! their lines; identical lines count once. Then they are replayed, one at a time.

use std::borrow::Cow;
use std::collections::HashMap;

use plumb_canonical::{Fault, MAX_LINE_BYTES, MAX_LOG_BYTES, Reader, Value};

use crate::code::Code;
use crate::reject::{Rejection, shown};
use crate::state::State;
use crate::wire::QueueCommit;

/// Why a log is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}{code}: {message}", line.map(|line| format!("line {line}: ")).unwrap_or_default())]
pub struct LogError {
    /// The protocol's code.
    pub code: Code,
    /// The code of what is wrong inside a line, where the protocol hides it behind `ledger_invalid`.
    pub inner: Option<Code>,
    /// The line, counted from 1; none if it is the log as a whole.
    pub line: Option<usize>,
    /// A sentence for people.
    pub message: Cow<'static, str>,
}

impl LogError {
    fn new(line: Option<usize>, message: impl Into<Cow<'static, str>>) -> Self {
        Self {
            code: Code::LedgerInvalid,
            inner: None,
            line,
            message: message.into(),
        }
    }

    fn fault(line: usize, fault: &Fault) -> Self {
        let inner = Code::from(fault.code());
        let message = format!("{inner} in column {}: {}", fault.column(), fault.kind());
        Self {
            inner: Some(inner),
            ..Self::new(Some(line), message)
        }
    }

    fn rejection(line: usize, rejection: Rejection) -> Self {
        Self {
            code: rejection.code,
            inner: None,
            line: Some(line),
            message: rejection.message,
        }
    }
}

/// A line of a log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line<'a> {
    /// Its number, counted from 1.
    pub number: usize,
    /// Its text, without the newline.
    pub text: &'a str,
}

impl<'a> Line<'a> {
    /// The line as JSON.
    ///
    /// # Errors
    ///
    /// `ledger_invalid`, with the fault's own code as the inner one.
    pub fn value(self) -> Result<Value<'a>, LogError> {
        let value = Reader::with_max_bytes(MAX_LINE_BYTES).read_str(self.text);
        value.map_err(|fault| LogError::fault(self.number, &fault))
    }
}

/// A log that was read, in the order of its chain.
#[derive(Clone, Debug)]
pub struct Log<'a> {
    lines: Vec<Line<'a>>,
}

/// What is needed of a commit to put it in order.
struct Entry<'a> {
    line: Line<'a>,
    id: Cow<'a, str>,
    previous: Option<Cow<'a, str>>,
}

impl<'a> Log<'a> {
    /// Reads a log and puts its commits in order.
    ///
    /// # Errors
    ///
    /// `unsupported_protocol` if a line is of another version; otherwise `ledger_invalid`: the log is
    /// empty, does not end with a newline, has a line that is not a commit, or its commits are not
    /// one chain.
    pub fn read(bytes: &'a [u8]) -> Result<Self, LogError> {
        if bytes.len() > MAX_LOG_BYTES {
            let message = format!(
                "resource_limit: the log has {} bytes, and {MAX_LOG_BYTES} are allowed",
                bytes.len()
            );
            return Err(LogError {
                inner: Some(Code::ResourceLimit),
                ..LogError::new(None, message)
            });
        }
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let before = &bytes[..error.valid_up_to()];
            let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
            let message = "invalid_utf8: a byte does not belong in UTF-8 text";
            LogError {
                inner: Some(Code::InvalidUtf8),
                ..LogError::new(Some(line), message)
            }
        })?;
        let Some(body) = text.strip_suffix('\n') else {
            let message = match text.is_empty() {
                true => "the log is empty",
                false => "the last line does not end with a newline",
            };
            return Err(LogError::new(None, message));
        };
        let lines = body.split('\n').enumerate();
        let lines = lines.map(|(index, text)| Line {
            number: index + 1,
            text,
        });
        let entries = lines.map(entry).collect::<Result<Vec<_>, _>>()?;
        Ok(Self {
            lines: chain(&entries)?,
        })
    }

    /// Its lines, in the order of the chain, each commit once.
    #[must_use]
    pub fn lines(&self) -> &[Line<'a>] {
        &self.lines
    }

    /// Replays it, handing out each commit and the state after it.
    ///
    /// # Errors
    ///
    /// The first commit that is refused, with its line.
    pub fn replay(&self, mut each: impl FnMut(&QueueCommit, &State)) -> Result<State, LogError> {
        let mut state = State::default();
        for line in &self.lines {
            let value = line.value()?;
            let commit = state
                .advance(&value)
                .map_err(|rejection| LogError::rejection(line.number, rejection))?;
            each(&commit, &state);
        }
        Ok(state)
    }

    /// The log in canonical form: in the order of the chain, without repetitions (section 10).
    /// Nothing that was said is lost.
    ///
    /// # Errors
    ///
    /// As [`Line::value`]; the lines were read before.
    pub fn compact(&self) -> Result<String, LogError> {
        let mut text = String::new();
        for line in &self.lines {
            line.value()?.write_canonical(&mut text);
            text.push('\n');
        }
        Ok(text)
    }
}

/// The state that a log means.
///
/// # Errors
///
/// As [`Log::read`] and [`Log::replay`].
pub fn replay(bytes: &[u8]) -> Result<State, LogError> {
    Log::read(bytes)?.replay(|_, _| {})
}

fn entry(line: Line<'_>) -> Result<Entry<'_>, LogError> {
    if line.text.trim_ascii().is_empty() {
        return Err(LogError::new(Some(line.number), "a blank line"));
    }
    let Value::Object(mut commit) = line.value()? else {
        return Err(LogError::new(
            Some(line.number),
            "expected a commit, which is an object",
        ));
    };
    let version = commit.get("version").and_then(Value::as_integer);
    if version.map(plumb_canonical::Integer::get) != Some(3) {
        return Err(LogError {
            code: Code::UnsupportedProtocol,
            ..LogError::new(Some(line.number), "only version 3 of the protocol is known")
        });
    }
    let mut text = |name| match commit.remove(name) {
        Some(Value::String(text)) => Ok(Some(text)),
        Some(Value::Null) if name == "previous" => Ok(None),
        _ => Err(LogError::new(
            Some(line.number),
            format!("expected a commit with {name}"),
        )),
    };
    let id = text("id")?.unwrap_or_default();
    Ok(Entry {
        line,
        id,
        previous: text("previous")?,
    })
}

/// Puts commits in the order of their chain.
fn chain<'a>(entries: &[Entry<'a>]) -> Result<Vec<Line<'a>>, LogError> {
    let mut by_id: HashMap<&str, &Entry<'_>> = HashMap::with_capacity(entries.len());
    let mut after: HashMap<Option<&str>, &Entry<'a>> = HashMap::with_capacity(entries.len());
    for entry in entries {
        if let Some(other) = by_id.get(&*entry.id) {
            if entry.line.value()? != other.line.value()? {
                let message = format!(
                    "commit {} has another content than in line {}",
                    shown(&entry.id),
                    other.line.number
                );
                return Err(LogError::new(Some(entry.line.number), message));
            }
            continue;
        }
        by_id.insert(&entry.id, entry);
        if let Some(other) = after.insert(entry.previous.as_deref(), entry) {
            let message = match &entry.previous {
                Some(previous) => format!(
                    "a fork: it follows commit {}, and so does line {}",
                    shown(previous),
                    other.line.number
                ),
                None => format!("a second first commit; line {} is one", other.line.number),
            };
            return Err(LogError::new(Some(entry.line.number), message));
        }
    }
    let mut lines = Vec::with_capacity(by_id.len());
    let mut next = after.get(&None);
    while let Some(entry) = next {
        lines.push(entry.line);
        next = after.get(&Some(&*entry.id));
    }
    if lines.len() == by_id.len() {
        return Ok(lines);
    }
    let is_lost = |entry: &&Entry<'_>| {
        entry
            .previous
            .as_deref()
            .is_some_and(|previous| !by_id.contains_key(previous))
    };
    Err(match entries.iter().find(is_lost) {
        Some(entry) => {
            let previous = shown(entry.previous.as_deref().unwrap_or_default());
            let message = format!("commit {previous}, which comes before it, is missing");
            LogError::new(Some(entry.line.number), message)
        }
        None => LogError::new(None, "some commits follow each other in a circle"),
    })
}
