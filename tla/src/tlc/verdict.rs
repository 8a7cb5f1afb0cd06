//! What a run of TLC comes to: by its messages first, then by its exit status.
//!
//! Neither is enough alone: an exit status of 0 also follows violations (with `-continue`), 13
//! stands for steps and temporal formulas alike, and a killed run prints no message at all.

use crate::value::is_identifier;

/// What TLC found.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum TlcVerdict {
    /// Every reachable state was examined and nothing found: TLC says so, no state is left on the
    /// queue, and the exit status is 0.
    Success,
    /// Something that was to be checked does not hold.
    Violated {
        /// What sort of thing.
        kind: ViolationKind,
        /// Its name, if TLC prints one: TLC 2.15 does not for temporal properties.
        name: Option<String>,
    },
    /// An assumption about the constants is false.
    Assumption {
        /// The invariant over constants alone that is false; for an `ASSUME` TLC prints only a
        /// place, and the name is missing.
        name: Option<String>,
    },
    /// TLC could not decide, or failed.
    Error {
        /// What it says.
        message: String,
    },
    /// TLC refused the module, the configuration or its options.
    Usage {
        /// What it says.
        message: String,
    },
    /// The run ended before there was anything to say, or its output was cut.
    Unfinished,
}

/// What sort of thing was violated.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum ViolationKind {
    /// An invariant.
    Invariant,
    /// A property of steps, `[][A]_v`.
    Step,
    /// A temporal property, or a state predicate given as one.
    Temporal,
    /// A state has no successor.
    Deadlock,
    /// An `Assert` within the module.
    Assert,
}

/// All that a verdict rests on.
pub(super) struct Findings<'a> {
    /// The error messages, without those that only introduce a trace.
    pub(super) errors: &'a [String],
    /// What the parser of TLA+ said.
    pub(super) parser: &'a str,
    /// Whether TLC said that it found no error.
    pub(super) completed: bool,
    /// How many states were left in the end, if TLC said so.
    pub(super) queue: Option<u64>,
    /// TLC's exit status; none if it was killed or is not known.
    pub(super) exit: Option<i32>,
}

pub(super) fn decide(findings: &Findings<'_>) -> TlcVerdict {
    if let Some(verdict) = findings
        .errors
        .iter()
        .find_map(|message| TlcVerdict::of_message(message))
    {
        return verdict;
    }
    match findings.errors.first() {
        None => by_exit_alone(findings),
        Some(message) => by_exit(message, findings),
    }
}

impl TlcVerdict {
    /// The verdict that an error message decides alone, whatever else TLC says.
    #[must_use]
    pub fn of_message(message: &str) -> Option<TlcVerdict> {
        use ViolationKind::{Assert, Deadlock, Invariant, Step, Temporal};
        let line = message.lines().next().unwrap_or_default().trim_end();
        let between = |start: &str, end: &str| line.strip_prefix(start)?.strip_suffix(end);
        let violated = |kind, name: &str| TlcVerdict::Violated {
            kind,
            name: only_name(name),
        };

        if let Some(name) = between("Invariant ", " is violated.")
            .or_else(|| between("Invariant ", " is violated by the initial state:"))
        {
            return Some(violated(Invariant, name));
        }
        if let Some(name) = between("Action property ", " is violated.") {
            return Some(violated(Step, name));
        }
        if let Some(name) = between("Property ", " is violated by the initial state:") {
            return Some(violated(Temporal, name));
        }
        if line.starts_with("Temporal propert") && line.contains(" violated") {
            let name = between("Temporal property ", " was violated.").unwrap_or_default();
            return Some(violated(Temporal, name));
        }
        if line == "Deadlock reached." {
            return Some(violated(Deadlock, ""));
        }
        if let Some(name) = between("Assumption ", " is false.") {
            return Some(TlcVerdict::Assumption {
                name: only_name(name),
            });
        }
        if let Some(name) = between("The invariant of ", " is equal to FALSE") {
            return Some(TlcVerdict::Assumption {
                name: only_name(name),
            });
        }
        let assertion = "The first argument of Assert evaluated to FALSE";
        message.contains(assertion).then(|| violated(Assert, ""))
    }
}

/// A name as TLC prints it, unless it is a place in the module.
fn only_name(text: &str) -> Option<String> {
    let is_name = !text.is_empty() && text.split('!').all(is_identifier);
    is_name.then(|| text.to_owned())
}

/// The verdict of a run without a message.
fn by_exit_alone(findings: &Findings<'_>) -> TlcVerdict {
    let Some(status) = findings.exit else {
        return TlcVerdict::Unfinished;
    };
    let silent = || format!("TLC ended with the exit status {status} and without a message");
    match status {
        0 if findings.completed && findings.queue == Some(0) => TlcVerdict::Success,
        // Ended by a signal, as a shell or the system reports it.
        0 | 129..=149 | ..0 => TlcVerdict::Unfinished,
        1 | 150 | 151 => TlcVerdict::Usage { message: silent() },
        _ => violation_by_exit(status).unwrap_or_else(|| TlcVerdict::Error { message: silent() }),
    }
}

/// The verdict of a run with a message that does not decide it.
fn by_exit(message: &str, findings: &Findings<'_>) -> TlcVerdict {
    let unreadable = message.starts_with("Parsing or semantic analysis failed");
    let text = if unreadable && !findings.parser.is_empty() {
        format!("{}\n{}", message.trim_end(), findings.parser.trim_end())
    } else {
        message.trim_end().to_owned()
    };
    let undecided = message.contains("Evaluating ") || message.contains(" failed");
    let about_input = message.contains("configuration file") || message.contains("not defined");
    match findings.exit {
        Some(1) if message.starts_with("Exception in thread") => {
            TlcVerdict::Error { message: text }
        }
        Some(1 | 150 | 151) => TlcVerdict::Usage { message: text },
        None | Some(255) if about_input || unreadable => TlcVerdict::Usage { message: text },
        Some(status) if !undecided => {
            violation_by_exit(status).unwrap_or(TlcVerdict::Error { message: text })
        }
        _ => TlcVerdict::Error { message: text },
    }
}

/// The verdict for an exit status that stands for a violation.
fn violation_by_exit(status: i32) -> Option<TlcVerdict> {
    let kind = match status {
        10 => return Some(TlcVerdict::Assumption { name: None }),
        11 => ViolationKind::Deadlock,
        12 => ViolationKind::Invariant,
        13 => ViolationKind::Temporal,
        14 => ViolationKind::Assert,
        _ => return None,
    };
    Some(TlcVerdict::Violated { kind, name: None })
}
