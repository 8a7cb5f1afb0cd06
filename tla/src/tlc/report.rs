//! The report of one run of TLC.

use std::io::BufRead;

use super::TlcOutputError;
use super::counts::{Progress, leading_number, read_progress, read_totals};
use super::label::StepLabel;
use super::lines::Lines;
use super::verdict::{Findings, TlcVerdict, decide};
use crate::state::{State, StateReader};

/// What a run of TLC printed, as far as it can be compared with another run.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TlcReport {
    /// What follows `TLC2 Version`.
    pub version: Option<String>,
    /// How many initial states were generated, repeats included.
    pub initial_generated: Option<u64>,
    /// How many different initial states there are.
    pub initial_distinct: Option<u64>,
    /// How many states were generated, as the closing line says.
    pub generated: Option<u64>,
    /// How many different states were found, as the closing line says.
    pub distinct: Option<u64>,
    /// How many states were left to be expanded, as the closing line says.
    pub queue: Option<u64>,
    /// How many breadth-first levels there are. TLC 2.15 does not say so after a temporal property
    /// was violated.
    pub depth: Option<u64>,
    /// The last progress line: all there is to know of a run that was stopped.
    pub progress: Option<Progress>,
    /// Whether TLC said that it found no error. It also says so after violations that it was told
    /// to continue from, so see [`verdict`](TlcReport::verdict).
    pub completed: bool,
    /// What TLC found.
    pub verdict: TlcVerdict,
    /// The trace of the first violation or error, if one was printed.
    pub trace: Vec<TlcStep>,
    /// All error messages in their order, without those that only introduce a trace.
    pub errors: Vec<String>,
    /// All warnings in their order.
    pub warnings: Vec<String>,
    /// TLC's exit status, as it was given to [`read_report`].
    pub exit: Option<i32>,
}

/// One step of a trace.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TlcStep {
    /// The number of the state, counted from 1. The step that closes a lasso has the next number.
    pub number: u64,
    /// How the step came about.
    pub label: StepLabel,
    /// The state reached; none where the behaviour stutters or goes back.
    pub state: Option<State>,
}

/// Reads all that one run of TLC printed, as text or with `-tool`; `exit` is its exit status, or
/// none if it was killed.
///
/// ```
/// use plumb_tla::tlc::{TlcVerdict, ViolationKind, read_report};
///
/// let output = "Error: Invariant Small is violated.
/// Error: The behavior up to this point is:
/// State 1: <Initial predicate>
/// x = 1
///
/// State 2: <Grow line 7, col 9 to line 7, col 18 of module M>
/// x = 2
///
/// 3 states generated, 2 distinct states found, 1 states left on queue.
/// ";
/// let report = read_report(output.as_bytes(), Some(12))?;
/// let small = Some("Small".to_owned());
/// assert_eq!(report.verdict, TlcVerdict::Violated { kind: ViolationKind::Invariant, name: small });
/// assert_eq!(report.trace[1].label.action(), Some("Grow"));
/// assert_eq!(report.queue, Some(1));
/// # Ok::<(), plumb_tla::tlc::TlcOutputError>(())
/// ```
///
/// # Errors
///
/// When the input cannot be read, or a state of the trace is not what TLC prints: the output is cut
/// within it, for example, or was printed with `-difftrace`. Lines that mean nothing here are
/// skipped.
pub fn read_report(output: impl BufRead, exit: Option<i32>) -> Result<TlcReport, TlcOutputError> {
    let mut lines = Lines::new(output);
    let mut reader = Reader::new();
    loop {
        let number = lines.number() + 1;
        let Some(line) = lines.next_lossy()? else {
            break;
        };
        reader.line(number, &line)?;
    }
    reader.finish(lines.number() + 1, exit)
}

/// Messages that only introduce what follows them.
const INTRODUCTIONS: [&str; 4] = [
    "The behavior up to this point is:",
    "The following behavior constitutes a counter-example:",
    "The error state is:",
    "The error occurred when TLC was evaluating the nested",
];

/// After this many errors, which a run with `-continue` may print, further ones are left out.
const MAX_MESSAGES: usize = 1000;

/// What the current lines belong to.
enum Part {
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
        number: Option<u64>,
        text: String,
    },
    State {
        first: u64,
        label: StepLabel,
        text: String,
    },
}

struct Reader {
    report: TlcReport,
    part: Part,
    states: StateReader,
    parser: String,
    /// The classes of the messages of `-tool` that are open: one may hold another.
    open: Vec<Class>,
    /// Whether the next line goes on where the one before it was cut by an inner message.
    goes_on: bool,
    /// Whether the trace is over, so that further states belong to further violations.
    trace_over: bool,
}

/// The class of a message of `-tool`.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    Error,
    Warning,
    State,
    Other,
}

impl Reader {
    fn new() -> Reader {
        Reader {
            report: TlcReport {
                version: None,
                initial_generated: None,
                initial_distinct: None,
                generated: None,
                distinct: None,
                queue: None,
                depth: None,
                progress: None,
                completed: false,
                verdict: TlcVerdict::Unfinished,
                trace: Vec::new(),
                errors: Vec::new(),
                warnings: Vec::new(),
                exit: None,
            },
            part: Part::Nothing,
            states: StateReader::default(),
            parser: String::new(),
            open: Vec::new(),
            goes_on: false,
            trace_over: false,
        }
    }

    fn line(&mut self, number: u64, line: &str) -> Result<(), TlcOutputError> {
        if let Some((before, mark)) = line.split_once("@!@!@STARTMSG ") {
            return self.start_message(number, before, mark);
        }
        if line.starts_with("@!@!@ENDMSG ") {
            self.open.pop();
            return if self.open.is_empty() {
                self.end_part(number)
            } else {
                Ok(())
            };
        }
        match &mut self.part {
            Part::State { text, .. } if !line.is_empty() => {
                push_line(text, line);
                return Ok(());
            }
            Part::State { .. } => return self.end_part(number),
            Part::Label {
                first,
                number: state,
                text,
            } if !line.is_empty() => {
                push_line(text, line);
                let (first, state, text) = (*first, *state, std::mem::take(text));
                return self.label(first, number, state, text);
            }
            Part::Error { text, .. } | Part::Warning(text) if !self.open.is_empty() => {
                if std::mem::take(&mut self.goes_on) {
                    text.push_str(line);
                } else {
                    push_line(text, line);
                }
                return Ok(());
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
        if self.fact(line) {
            return self.end_part(number);
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
                    push_line(text, line);
                }
                Part::Parser => self.parser_line(line),
                _ if line.is_empty() => self.end_part(number)?,
                _ => {}
            }
        }
        Ok(())
    }

    fn parser_line(&mut self, line: &str) {
        const ENOUGH: usize = 4096;
        let skip = line.is_empty() || line.starts_with("tla2sany.");
        if !skip && self.parser.len() + line.len() < ENOUGH {
            push_line(&mut self.parser, line);
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
            push_line(text, before);
            self.goes_on = true;
        }
        self.open.push(class);
        Ok(())
    }

    /// The line before a state: `State 2: <…>`, `Back to state 1: <…>`, and the same for `-tool`.
    fn header(&mut self, number: u64, line: &str) -> Result<(), TlcOutputError> {
        let expected = "the number of a state and how it was reached";
        let wrong = || TlcOutputError::at(number, line, 0, expected);
        let back = line.strip_prefix("Back to state ");
        let rest = back.unwrap_or_else(|| line.strip_prefix("State ").unwrap_or(line));
        let (state, label) = rest.split_once(':').unwrap_or((rest, ""));
        let state: u64 = state.trim().parse().map_err(|_| wrong())?;
        let label = label.trim();
        if let Some(label) = label.strip_prefix("Back to state") {
            let label = label.trim_start_matches(':').trim_start().to_owned();
            return self.label(number, number, Some(state), label);
        }
        if back.is_some() {
            return self.label(number, number, Some(state), label.to_owned());
        }
        let next = self.next_number();
        self.trace_over |= state == 1 && next > 1;
        if !self.trace_over && state != next {
            let found = format!("state {state}");
            return Err(TlcOutputError::line_of(
                number,
                format!("state {next}"),
                found,
            ));
        }
        if label == "Stuttering" {
            self.step(StepLabel::Stuttering, None);
            return Ok(());
        }
        self.label(number, number, None, label.to_owned())
    }

    /// A label that begins in the line `first`, as far as it has been read; `back` is the state
    /// that it goes back to.
    fn label(
        &mut self,
        first: u64,
        number: u64,
        back: Option<u64>,
        text: String,
    ) -> Result<(), TlcOutputError> {
        if text.starts_with('<') && !text.ends_with('>') {
            self.part = Part::Label {
                first,
                number: back,
                text,
            };
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
            Some(state) => self.step(StepLabel::BackTo(state, Box::new(label)), None),
            None => {
                self.part = Part::State {
                    first: number + 1,
                    label,
                    text: String::new(),
                }
            }
        }
        Ok(())
    }

    fn next_number(&self) -> u64 {
        self.report.trace.last().map_or(1, |step| step.number + 1)
    }

    fn step(&mut self, label: StepLabel, state: Option<State>) {
        if !self.trace_over {
            let number = self.next_number();
            self.report.trace.push(TlcStep {
                number,
                label,
                state,
            });
        }
    }

    /// Ends what the lines before `number` belong to.
    fn end_part(&mut self, number: u64) -> Result<(), TlcOutputError> {
        match std::mem::replace(&mut self.part, Part::Nothing) {
            Part::Nothing | Part::Parser => {}
            Part::Error { first, text } => self.error(first, &text)?,
            Part::Warning(text) => {
                if self.report.warnings.len() < MAX_MESSAGES {
                    self.report.warnings.push(text.trim_end().to_owned());
                }
            }
            Part::Label { first, .. } => {
                let expected = "the `>` that closes how the state was reached";
                return Err(TlcOutputError::line_of(
                    first,
                    expected,
                    format!("none before line {number}"),
                ));
            }
            Part::State { first, label, text } => {
                let state = self.state(first, &text)?;
                self.step(label, Some(state));
            }
        }
        Ok(())
    }

    /// A complete error message, which may end with the initial state that it is about.
    fn error(&mut self, first: u64, text: &str) -> Result<(), TlcOutputError> {
        let text = text.trim_end();
        if INTRODUCTIONS.iter().any(|start| text.starts_with(start)) {
            return Ok(());
        }
        let mut message = text;
        if let Some((head, body)) = text.split_once('\n')
            && head.ends_with(" is violated by the initial state:")
        {
            message = head;
            self.trace_over |= !self.report.trace.is_empty();
            let state = self.state(first + 1, body)?;
            self.step(StepLabel::Initial, Some(state));
        }
        if self.report.errors.len() < MAX_MESSAGES && !message.is_empty() {
            self.report.errors.push(message.to_owned());
        }
        Ok(())
    }

    /// A state of the trace, whose text begins in the line `first`.
    fn state(&mut self, first: u64, text: &str) -> Result<State, TlcOutputError> {
        if let Some(at) = text.find('\u{fffd}') {
            return Err(TlcOutputError::at(first, text, at, "UTF-8 text"));
        }
        let state = self.states.read(text);
        let state = state.map_err(|error| TlcOutputError::within(first, error.locate(text)))?;
        let earlier = self
            .report
            .trace
            .iter()
            .find_map(|step| step.state.as_ref());
        if earlier.is_some_and(|earlier| !earlier.has_variables_of(&state)) {
            let expected = "the variables of the state before, as TLC prints without -difftrace";
            return Err(TlcOutputError::line_of(first, expected, "others"));
        }
        Ok(state)
    }

    /// Takes a line that states a fact about the run, and says whether it is one.
    fn fact(&mut self, line: &str) -> bool {
        let report = &mut self.report;
        if let Some(version) = line.strip_prefix("TLC2 Version ") {
            report
                .version
                .get_or_insert_with(|| version.trim().to_owned());
        } else if line.starts_with("Model checking completed. No error has been found.") {
            report.completed = true;
        } else if let Some(text) =
            line.strip_prefix("The depth of the complete state graph search is ")
        {
            report.depth = leading_number(text);
        } else if let Some(text) = line.strip_prefix("Finished computing initial states: ") {
            report.initial_generated = leading_number(text);
            let distinct = text
                .split_once(" generated, with ")
                .map_or(text, |(_, rest)| rest);
            report.initial_distinct = leading_number(distinct);
        } else if let Some(text) = line.strip_prefix("The number of states generated: ") {
            report.generated = leading_number(text);
        } else if let Some(text) = line.strip_prefix("Progress(") {
            if let Some(progress) = read_progress(text) {
                report.progress = Some(progress);
            }
        } else if let Some(totals) = read_totals(line) {
            report.generated = Some(totals.0);
            report.distinct = Some(totals.1);
            report.queue = totals.2;
        } else {
            return line.starts_with("Finished in ")
                || line.starts_with("Finished checking temporal");
        }
        true
    }

    fn finish(mut self, end: u64, exit: Option<i32>) -> Result<TlcReport, TlcOutputError> {
        self.end_part(end)?;
        self.report.exit = exit;
        self.report.verdict = decide(&Findings {
            errors: &self.report.errors,
            parser: &self.parser,
            completed: self.report.completed,
            queue: self.report.queue,
            exit,
        });
        Ok(self.report)
    }
}

fn push_line(text: &mut String, line: &str) {
    if !text.is_empty() {
        text.push('\n');
    }
    text.push_str(line);
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
