//! What a check found: verdict, counts and counterexample.

use std::fmt;
use std::time::Duration;

use plumb_tla::{State as TlaState, Value};
use serde::{Deserialize, Serialize};

/// How a property is checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum PropertyKind {
    /// In every generated state.
    Invariant,
    /// On every transition that changes the state.
    Step,
    /// On infinite behaviours under fairness.
    Temporal,
    /// Once, over the constants, before the search.
    Assumption,
    /// Every expanded state has a successor.
    Deadlock,
}

impl fmt::Display for PropertyKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Invariant => "invariant",
            Self::Step => "step property",
            Self::Temporal => "temporal property",
            Self::Assumption => "assumption",
            Self::Deadlock => "absence of deadlock",
        })
    }
}

/// How a check ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The queue is empty and everything held.
    Exhausted,
    /// A property is violated; the report's trace shows how.
    Violated {
        /// The property as the cfg names it; `Deadlock` where none is named.
        property: String,
        /// How it is checked.
        kind: PropertyKind,
        /// The first false conjunct, if the property is a conjunction.
        conjunct: Option<String>,
    },
    /// The constants violate an assumption: no state was explored.
    Assumption {
        /// The assumption's name.
        name: String,
        /// The first false conjunct, if it is a conjunction.
        conjunct: Option<String>,
    },
    /// Stopped before the end: never a pass.
    Inconclusive(StopReason),
    /// The model's own code failed.
    Error {
        /// The panic's message.
        message: String,
        /// The state whose expansion or check failed, and how far the search was.
        state: Option<TlaState>,
    },
}

impl Verdict {
    /// The verdict's word in JSON and tables.
    #[must_use]
    pub fn word(&self) -> &'static str {
        match self {
            Self::Exhausted => "exhausted",
            Self::Violated { .. } => "violated",
            Self::Assumption { .. } => "assumption",
            Self::Inconclusive(_) => "inconclusive",
            Self::Error { .. } => "error",
        }
    }

    /// The violated property or assumption.
    #[must_use]
    pub fn property(&self) -> Option<&str> {
        match self {
            Self::Violated { property, .. } => Some(property),
            Self::Assumption { name, .. } => Some(name),
            Self::Exhausted | Self::Inconclusive(_) | Self::Error { .. } => None,
        }
    }

    /// The conjunct of the violated property that is false.
    #[must_use]
    pub fn conjunct(&self) -> Option<&str> {
        match self {
            Self::Violated { conjunct, .. } | Self::Assumption { conjunct, .. } => {
                conjunct.as_deref()
            }
            Self::Exhausted | Self::Inconclusive(_) | Self::Error { .. } => None,
        }
    }

    /// The kind of what is violated.
    #[must_use]
    pub fn kind(&self) -> Option<PropertyKind> {
        match self {
            Self::Violated { kind, .. } => Some(*kind),
            Self::Assumption { .. } => Some(PropertyKind::Assumption),
            Self::Exhausted | Self::Inconclusive(_) | Self::Error { .. } => None,
        }
    }
}

/// Why a search stopped before its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// The budget of states was used up; the last level is complete.
    States(u64),
    /// The time was up.
    Time(Duration),
    /// The store outgrew its budget, in bytes.
    Memory(u64),
    /// The user or the system asked for the end.
    Interrupted,
    /// The engine cannot check all that the cfg asks for; what it left out.
    Unchecked(String),
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::States(limit) => write!(f, "stopped by the budget of {limit} states"),
            Self::Time(limit) => write!(f, "stopped by the budget of {} s", limit.as_secs_f64()),
            Self::Memory(limit) => {
                write!(f, "stopped by the memory budget of {} MiB", limit >> 20)
            }
            Self::Interrupted => f.write_str("interrupted"),
            Self::Unchecked(what) => write!(f, "not everything was checked: {what}"),
        }
    }
}

/// An action's name with its parameters.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ActionLabel {
    /// The name of the action's definition in the module.
    pub name: &'static str,
    /// The arguments of the definition, in its order.
    pub parameters: Vec<Value>,
}

impl fmt::Display for ActionLabel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)?;
        for (index, value) in self.parameters.iter().enumerate() {
            write!(f, "{}{value}", if index == 0 { "(" } else { ", " })?;
        }
        if self.parameters.is_empty() {
            Ok(())
        } else {
            f.write_str(")")
        }
    }
}

/// One state of a counterexample and the step that led to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceStep {
    /// The action, or `None` for the initial state.
    pub action: Option<ActionLabel>,
    /// The state after it.
    pub state: TlaState,
}

/// How the counterexample to a temporal property goes on for ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lasso {
    /// After its last state the trace goes back to the one of this number, counted from 1.
    BackTo(usize),
    /// It stays in its last state.
    Stuttering,
}

/// The result of one check.
///
/// All of it but [`elapsed`](Self::elapsed) and [`memory`](Self::memory) is the same for every
/// repetition and every number of threads, unless the search was ended by time, memory or the
/// user. (Memory depends a little on the order in which encodings of different lengths arrive.)
#[derive(Clone, Debug)]
pub struct Report {
    /// How the check ended.
    pub verdict: Verdict,
    /// States inside the constraint, each counted once.
    pub distinct: u64,
    /// Initial states, and one for each way to a successor of an expanded state.
    pub generated: u64,
    /// Generated states that lay outside the constraint; they were checked and dropped.
    pub outside: u64,
    /// States that were found and not expanded.
    pub queue: u64,
    /// New states of each breadth-first level, the initial states first.
    pub levels: Vec<u64>,
    /// Generated successors for each action of the specification, in enumeration order.
    pub actions: Vec<(&'static str, u64)>,
    /// The counterexample; empty if there is none.
    pub trace: Vec<TraceStep>,
    /// How the trace goes on, if it is an infinite behaviour; with the action that closes it.
    pub lasso: Option<(Lasso, Option<ActionLabel>)>,
    /// Bytes of the visited set and the frontier at their largest.
    pub memory: u64,
    /// Time spent.
    pub elapsed: Duration,
}

impl Report {
    /// The number of breadth-first levels, the initial states being level 1.
    #[must_use]
    pub fn depth(&self) -> usize {
        self.levels.len()
    }
}
