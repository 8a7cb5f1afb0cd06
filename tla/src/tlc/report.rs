//! The report of one run of TLC.

use std::io::BufRead;

use super::TlcOutputError;
use super::counts::Progress;
use super::label::StepLabel;
use super::output::{OutputItem, read_output};
use super::verdict::{Findings, TlcVerdict, decide};
use crate::state::State;

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

/// One step of a behaviour.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TlcStep {
    /// The number of the state, counted from 1. The step that closes a lasso has the next number.
    pub number: u64,
    /// How the step came about.
    pub label: StepLabel,
    /// The state reached; none where the behaviour stutters or goes back.
    pub state: Option<State>,
}

/// A step, and the line with which it begins.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LocatedStep {
    /// The line, counted from 1.
    pub line: u64,
    /// The step.
    pub step: TlcStep,
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
    let mut report = TlcReport::empty(exit);
    let mut parser = String::new();
    // Whether the trace is over, so that further states belong to further violations.
    let mut over = false;
    for item in read_output(output) {
        match item? {
            OutputItem::Version(version) => {
                report.version.get_or_insert(version);
            }
            OutputItem::Completed => report.completed = true,
            OutputItem::Depth(depth) => report.depth = Some(depth),
            OutputItem::InitialStates {
                generated,
                distinct,
            } => {
                report.initial_generated = Some(generated);
                report.initial_distinct = distinct;
            }
            OutputItem::Generated(generated) => report.generated = Some(generated),
            OutputItem::Progress(progress) => report.progress = Some(progress),
            OutputItem::Totals {
                generated,
                distinct,
                queue,
            } => {
                report.generated = Some(generated);
                report.distinct = Some(distinct);
                report.queue = queue;
            }
            OutputItem::Error(message) if report.errors.len() < MAX_MESSAGES => {
                report.errors.push(message);
            }
            OutputItem::Warning(message) if report.warnings.len() < MAX_MESSAGES => {
                report.warnings.push(message);
            }
            OutputItem::Complaint(line) if parser.len() + line.len() < MAX_COMPLAINTS => {
                if !parser.is_empty() {
                    parser.push('\n');
                }
                parser.push_str(&line);
            }
            OutputItem::Step(located) => {
                over |= located.step.number == 1 && !report.trace.is_empty();
                if !over {
                    report.trace.push(located.step);
                }
            }
            OutputItem::Error(_)
            | OutputItem::Warning(_)
            | OutputItem::Complaint(_)
            | OutputItem::Module(_)
            | OutputItem::Seed(_) => {}
        }
    }
    report.verdict = decide(&Findings {
        errors: &report.errors,
        parser: &parser,
        completed: report.completed,
        queue: report.queue,
        exit,
    });
    Ok(report)
}

/// After this many messages, which a run with `-continue` may print, further ones are left out.
const MAX_MESSAGES: usize = 1000;

/// How many bytes of what the parser of TLA+ says are kept.
const MAX_COMPLAINTS: usize = 4096;

impl TlcReport {
    fn empty(exit: Option<i32>) -> TlcReport {
        TlcReport {
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
            exit,
        }
    }
}
