//! The meaning of the lines that one run of TLC prints, one after the other.

use std::collections::VecDeque;

use super::TlcOutputError;
use super::fact::fact;
use super::label::StepLabel;
use super::lines::MAX_ITEM;
use super::output::OutputItem;
use super::report::{LocatedStep, TlcStep};
use crate::state::{State, StateReader};

/// Messages that only introduce what follows them.
const INTRODUCTIONS: [&str; 4] = [
    "The behavior up to this point is:",
    "The following behavior constitutes a counter-example:",
    "The error state is:",
    "The error occurred when TLC was evaluating the nested",
];

/// So deeply do messages of `-tool` hold one another at most.
const MAX_OPEN: usize = 100;

/// What the current lines belong to.
#[derive(Default)]
enum Part {
    #[default]
    Nothing,
    Error {
        first: u64,
        text: String,
    },
    Warning(String),
    /// What the parser of TLA+ has to say.
    Parser,
    /// The rest of a label, which may go on over several lines.
    Label {
        first: u64,
        back: Option<u64>,
        text: String,
    },
    State {
        /// The line that says how the state was reached.
        header: u64,
        /// The line in which its text begins.
        first: u64,
        label: StepLabel,
        text: String,
    },
}

/// Reads line after line.
#[derive(Default)]
pub(super) struct LineReader {
    /// What has been read and not yet been taken.
    pub(super) items: VecDeque<OutputItem>,
    part: Part,
    states: StateReader,
    /// The memory that the text of the state before took.
    spare: String,
    /// The classes of the messages of `-tool` that are open: one may hold another.
    open: Vec<Class>,
    /// Whether the next line goes on where the one before it was cut by an inner message.
    goes_on: bool,
    /// Whether the current line is not UTF-8 and what is wrong in it was replaced.
    pub(super) damaged: bool,
    /// The last such line of the current error message.
    damaged_message: Option<u64>,
    /// The first state of the current behaviour.
    first: Option<State>,
    /// The number of the last step of the current behaviour; 0 before the first one.
    number: u64,
    /// Whether something was said since the last state, so that another behaviour may begin.
    between: bool,
    /// Whether it is said how the current behaviour goes on after its last state.
    ended: bool,
}

/// The class of a message of `-tool`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Error,
    Warning,
    State,
    Other,
}

impl LineReader {
    pub(super) fn line(&mut self, number: u64, line: &str) -> Result<(), TlcOutputError> {
        // Most lines are of states and have no such character.
        let may_be_mark = line.contains('@');
        if may_be_mark && let Some((before, mark)) = line.split_once("@!@!@STARTMSG ") {
            return self.start_message(number, before, mark);
        }
        if may_be_mark && line.starts_with("@!@!@ENDMSG ") {
            self.open.pop();
            return if self.open.is_empty() {
                self.end_part(number)
            } else {
                Ok(())
            };
        }
        if self.damaged {
            self.damaged_message = Some(number);
        }
        match &mut self.part {
            Part::State { text, .. } if !line.is_empty() => {
                require_utf8(self.damaged, number, line)?;
                return push_line(text, number, line);
            }
            Part::State { .. } => return self.end_part(number),
            Part::Label { first, back, text } if !line.is_empty() => {
                require_utf8(self.damaged, number, line)?;
                push_line(text, number, line)?;
                let (first, back, text) = (*first, *back, std::mem::take(text));
                return self.label(first, number, back, text);
            }
            Part::Error { text, .. } | Part::Warning(text) if !self.open.is_empty() => {
                if std::mem::take(&mut self.goes_on) && text.len() < MAX_ITEM {
                    text.push_str(line);
                    return Ok(());
                }
                return push_line(text, number, line);
            }
            _ => {}
        }
        if self.open.first() == Some(&Class::State) {
            return if line.is_empty() {
                Ok(())
            } else {
                self.header(number, line)
            };
        }
        if let Some(fact) = fact(line) {
            self.end_part(number)?;
            self.items.extend(fact);
            return Ok(());
        }
        // With `-tool` all that is left means nothing, except what the parser prints unmarked.
        self.text_line(number, line)
    }

    /// A line of plain text that is no fact about the run.
    fn text_line(&mut self, number: u64, line: &str) -> Result<(), TlcOutputError> {
        if let Some(mut message) = line.strip_prefix("Error: ") {
            while let Some(rest) = message.strip_prefix("Error: ") {
                message = rest;
            }
            self.end_part(number)?;
            self.part = Part::Error {
                first: number,
                text: message.to_owned(),
            };
        } else if line.starts_with("Exception in thread ") {
            self.end_part(number)?;
            self.part = Part::Error {
                first: number,
                text: line.to_owned(),
            };
        } else if let Some(message) = line.strip_prefix("Warning: ") {
            self.end_part(number)?;
            self.part = Part::Warning(message.to_owned());
        } else if is_header(line) {
            self.end_part(number)?;
            self.header(number, line)?;
        } else if is_parser_complaint(line) {
            self.end_part(number)?;
            self.part = Part::Parser;
            self.parser_line(line);
        } else if line.starts_with("Starting... ") {
            self.end_part(number)?;
        } else {
            match &mut self.part {
                Part::Error { text, .. } | Part::Warning(text) if !line.is_empty() => {
                    push_line(text, number, line)?;
                }
                Part::Parser => self.parser_line(line),
                _ if line.is_empty() => self.end_part(number)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn parser_line(&mut self, line: &str) {
        if !line.is_empty() && !line.starts_with("tla2sany.") {
            self.items.push_back(OutputItem::Complaint(line.to_owned()));
        }
    }

    /// The mark of `-tool` before a message: `code:class @!@!@`.
    fn start_message(
        &mut self,
        number: u64,
        before: &str,
        mark: &str,
    ) -> Result<(), TlcOutputError> {
        let class = mark
            .split_once(':')
            .and_then(|(_, rest)| rest.split(' ').next());
        let class = match class {
            Some("1" | "2") => Class::Error,
            Some("3") => Class::Warning,
            Some("4") => Class::State,
            Some("0") => Class::Other,
            _ => {
                return Err(TlcOutputError::at(
                    number,
                    mark,
                    0,
                    "the code and class of a message",
                ));
            }
        };
        if self.open.is_empty() {
            self.end_part(number)?;
            match class {
                Class::Error => {
                    self.part = Part::Error {
                        first: number + 1,
                        text: String::new(),
                    }
                }
                Class::Warning => self.part = Part::Warning(String::new()),
                Class::State | Class::Other => {}
            }
        } else if let Part::Error { text, .. } = &mut self.part
            && !before.is_empty()
        {
            push_line(text, number, before)?;
            self.goes_on = true;
        }
        if self.open.len() == MAX_OPEN {
            let expected = format!("messages that hold each other at most {MAX_OPEN} deep");
            return Err(TlcOutputError::line_of(number, expected, "a deeper one"));
        }
        self.open.push(class);
        Ok(())
    }

    /// The line before a state: `State 2: <…>`, `Back to state 1: <…>`, and the same for `-tool`.
    fn header(&mut self, number: u64, line: &str) -> Result<(), TlcOutputError> {
        require_utf8(self.damaged, number, line)?;
        let expected = "the number of a state and how it was reached";
        let wrong = || TlcOutputError::at(number, line, 0, expected);
        let back = line.strip_prefix("Back to state ");
        let rest = back.unwrap_or_else(|| line.strip_prefix("State ").unwrap_or(line));
        let (state, label) = rest.split_once(':').unwrap_or((rest, ""));
        let state: u64 = state.trim().parse().map_err(|_| wrong())?;
        let label = label.trim();
        let tool_back = label.strip_prefix("Back to state");
        if (back.is_some() || tool_back.is_some()) && (self.number == 0 || self.ended) {
            let expected = "a state before a way back";
            return Err(TlcOutputError::line_of(number, expected, "none"));
        }
        if let Some(label) = tool_back {
            let label = label.trim_start_matches(':').trim_start().to_owned();
            return self.label(number, number, Some(state), label);
        }
        if back.is_some() {
            return self.label(number, number, Some(state), label.to_owned());
        }
        self.expect_state(number, state)?;
        if label == "Stuttering" {
            self.step(number, StepLabel::Stuttering, None);
            return Ok(());
        }
        self.label(number, number, None, label.to_owned())
    }

    /// Whether a state of this number can stand in this line. The first one begins a behaviour.
    fn expect_state(&mut self, line: u64, state: u64) -> Result<(), TlcOutputError> {
        if state == 1 && (self.between || self.ended) {
            self.begin();
        }
        if self.ended {
            let expected = "another behaviour, which begins with state 1";
            return Err(TlcOutputError::line_of(
                line,
                expected,
                format!("state {state}"),
            ));
        }
        if state == self.number + 1 {
            return Ok(());
        }
        let expected = format!("state {}", self.number + 1);
        Err(TlcOutputError::line_of(
            line,
            expected,
            format!("state {state}"),
        ))
    }

    /// Another behaviour begins.
    fn begin(&mut self) {
        self.number = 0;
        self.ended = false;
        self.first = None;
    }

    /// A label that begins in the line `first` and has been read up to the line `number`; `back` is
    /// the state that it goes back to.
    fn label(
        &mut self,
        first: u64,
        number: u64,
        back: Option<u64>,
        text: String,
    ) -> Result<(), TlcOutputError> {
        if text.starts_with('<') && !text.ends_with('>') {
            self.part = Part::Label { first, back, text };
            return Ok(());
        }
        self.part = Part::Nothing;
        let Some(label) = StepLabel::read(&text) else {
            return Err(TlcOutputError::at(
                first,
                &text,
                0,
                "how the state was reached, in `<` and `>`",
            ));
        };
        match back {
            Some(state) => self.step(first, StepLabel::BackTo(state, Box::new(label)), None),
            None => {
                self.part = Part::State {
                    header: first,
                    first: number + 1,
                    label,
                    text: std::mem::take(&mut self.spare),
                }
            }
        }
        Ok(())
    }

    fn step(&mut self, line: u64, label: StepLabel, state: Option<State>) {
        self.number += 1;
        let step = TlcStep {
            number: self.number,
            label,
            state,
        };
        self.between = false;
        self.ended = step.state.is_none();
        self.items
            .push_back(OutputItem::Step(LocatedStep { line, step }));
    }

    /// The output ends before the line `number`.
    pub(super) fn end(&mut self, number: u64) -> Result<(), TlcOutputError> {
        if let Part::State { .. } = self.part {
            let expected = "the rest of the state and an empty line";
            let found = "the end of the file";
            return Err(TlcOutputError::line_of(number, expected, found));
        }
        self.end_part(number)
    }

    /// Ends what the lines before `number` belong to.
    fn end_part(&mut self, number: u64) -> Result<(), TlcOutputError> {
        match std::mem::replace(&mut self.part, Part::Nothing) {
            Part::Nothing | Part::Parser => {}
            Part::Error { first, text } => self.error(first, &text)?,
            Part::Warning(text) => {
                let message = text.trim_end().to_owned();
                self.items.push_back(OutputItem::Warning(message));
            }
            Part::Label { first, .. } => {
                let expected = "the `>` that closes how the state was reached";
                return Err(TlcOutputError::line_of(
                    first,
                    expected,
                    format!("none before line {number}"),
                ));
            }
            Part::State {
                header,
                first,
                label,
                mut text,
            } => {
                let state = self.state(first, &text)?;
                text.clear();
                self.spare = text;
                self.step(header, label, Some(state));
            }
        }
        Ok(())
    }

    /// A complete error message, which may end with the initial state that it is about.
    fn error(&mut self, first: u64, text: &str) -> Result<(), TlcOutputError> {
        self.between = true;
        let text = text.trim_end();
        if INTRODUCTIONS.iter().any(|start| text.starts_with(start)) {
            return Ok(());
        }
        let (message, body) = match text.split_once('\n') {
            Some((head, body)) if head.ends_with(" is violated by the initial state:") => {
                (head, Some(body))
            }
            _ => (text, None),
        };
        if !message.is_empty() {
            self.items.push_back(OutputItem::Error(message.to_owned()));
        }
        let damaged = self.damaged_message.take().filter(|line| *line > first);
        if let Some(body) = body {
            if let Some(line) = damaged {
                let found = "something else";
                return Err(TlcOutputError::line_of(line, "UTF-8 text", found));
            }
            self.begin();
            let state = self.state(first + 1, body)?;
            self.step(first + 1, StepLabel::Initial, Some(state));
            // The message is all there is of this behaviour.
            self.between = true;
        }
        Ok(())
    }

    /// A state of a behaviour, whose text begins in the line `first`.
    fn state(&mut self, first: u64, text: &str) -> Result<State, TlcOutputError> {
        let state = self.states.read(text);
        let state = state.map_err(|error| TlcOutputError::within(first, error.locate(text)))?;
        let earlier = self.first.as_ref();
        if earlier.is_some_and(|earlier| !earlier.has_variables_of(&state)) {
            let expected = "the variables of the state before, as TLC prints without -difftrace";
            return Err(TlcOutputError::line_of(first, expected, "others"));
        }
        if earlier.is_none() {
            self.first = Some(state.clone());
        }
        Ok(state)
    }
}

/// Refuses a line that belongs to a state and is not UTF-8.
fn require_utf8(damaged: bool, number: u64, line: &str) -> Result<(), TlcOutputError> {
    match line.find('\u{fffd}') {
        Some(at) if damaged => Err(TlcOutputError::at(number, line, at, "UTF-8 text")),
        _ => Ok(()),
    }
}

fn push_line(text: &mut String, number: u64, line: &str) -> Result<(), TlcOutputError> {
    if text.len() + line.len() > MAX_ITEM {
        let expected = format!("messages and states of at most {MAX_ITEM} bytes");
        return Err(TlcOutputError::line_of(number, expected, "a longer one"));
    }
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(line);
    Ok(())
}

fn is_header(line: &str) -> bool {
    let rest = line
        .strip_prefix("State ")
        .or_else(|| line.strip_prefix("Back to state "));
    rest.and_then(|rest| rest.split_once(':'))
        .is_some_and(|(number, label)| {
            let label = label.trim();
            number.parse::<u64>().is_ok()
                && (label.is_empty() || label.starts_with('<') || label == "Stuttering")
        })
}

/// Whether the parser of TLA+ begins to complain here.
fn is_parser_complaint(line: &str) -> bool {
    const BEGINNINGS: [&str; 5] = [
        "***Parse Error***",
        "Semantic errors:",
        "Lexical error",
        "Fatal errors while parsing TLA+ spec",
        "File does not exist: ",
    ];
    BEGINNINGS
        .iter()
        .any(|beginning| line.starts_with(beginning))
}
