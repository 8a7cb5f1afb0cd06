//! What came of a replay, as a value and as JSON.

use std::collections::BTreeMap;

use plumb_checker::PropertyKind;
use serde::Serialize;

/// One recorded behaviour, held against a model.
#[derive(Clone, Debug)]
pub struct Replayed {
    /// How many states were recorded, the first one included.
    pub steps: u64,
    /// Whether it is a behaviour of the model.
    pub outcome: Outcome,
    /// What its last state, its last step or its lasso violates.
    pub ends_in: Option<EndsIn>,
    /// Whether it goes on for ever, by going back or by staying where it is.
    pub lasso: bool,
    /// Labels that name no action of the model, and how often each was met: there the action was
    /// found out by looking at the states. Steps without a label are not among them.
    pub inferred: BTreeMap<String, u64>,
    /// Steps that change nothing and are no action of the model.
    pub stuttering: u64,
    /// Whether the last state lies outside the constraint, where a search would drop it.
    pub outside_constraint: bool,
    /// The largest number of states that agreed with a recorded one. It is 1 where every variable
    /// was recorded exactly.
    pub candidates: usize,
    /// Properties that are violated before the end, in a behaviour that was not recorded for a
    /// violation; not more than [`MOST_VIOLATIONS`].
    pub violations: Vec<ViolationOnTheWay>,
    /// How often each action was taken, where it is known which one was.
    pub actions: BTreeMap<&'static str, u64>,
}

/// So many violations on the way are kept.
pub const MOST_VIOLATIONS: usize = 20;

/// Whether a recorded behaviour is one of the model.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// It is, and it ends as it says.
    Accepted,
    /// It is not.
    Refused(Box<Refusal>),
    /// It cannot be held against this model: it has other variables, or no states.
    Unreadable {
        /// The line at fault, or 0 where the format has none to speak of.
        line: u64,
        /// What is wrong.
        message: String,
    },
    /// Undecided: too many states of the model agree with what was recorded.
    Undecided {
        /// The number of the state.
        step: u64,
        /// In a sentence.
        reason: String,
    },
    /// The model's own code failed.
    Failed {
        /// The number of the state.
        step: u64,
        /// The panic's message.
        message: String,
    },
}

/// The property that a behaviour ends by violating.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct EndsIn {
    /// The property as the cfg names it; `Deadlock` where none is named.
    pub property: String,
    /// How it is checked.
    pub kind: PropertyKind,
    /// The conjunct that is violated, if the property is a conjunction.
    pub conjunct: Option<String>,
}

/// A property that is violated before the end.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ViolationOnTheWay {
    /// The number of the state, which is also the one of the step to it.
    pub step: u64,
    /// The property as the cfg names it.
    pub property: String,
    /// How it is checked.
    pub kind: PropertyKind,
    /// The first false conjunct, if the property is a conjunction.
    pub conjunct: Option<String>,
}

/// Why a step is none of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Why {
    /// The first state is no initial state.
    NoSuchInitialState,
    /// A listed state is no state of the model.
    NoSuchState,
    /// No action leads to the state.
    NoActionLeadsThere,
    /// The named action is not enabled.
    NotEnabled,
    /// The named action is enabled and leads elsewhere.
    LeadsElsewhere,
    /// The named action leads there, with other parameters.
    OtherParameters,
    /// The state before is outside the constraint, where a behaviour ends; or a listed state is.
    OutsideConstraint,
    /// The violation that it was recorded for does not come, or another one does.
    OtherViolation,
    /// It is said to go on for ever, and does not.
    LassoDoesNotClose,
}

/// A step that the model does not take.
#[derive(Clone, Debug, Serialize)]
pub struct Refusal {
    /// The number of the state that the step leads to.
    pub step: u64,
    /// The line of the file on which it begins, or 0 where the format has none to speak of.
    pub line: u64,
    /// Why, as a word.
    pub why: Why,
    /// Why, in a sentence.
    pub reason: String,
    /// What the model would have allowed that is nearest to what was recorded.
    pub nearest: Option<Nearest>,
    /// The actions that the model would have allowed, with their parameters, each once and in
    /// enumeration order; not more than [`MOST_ENABLED`].
    pub enabled: Vec<String>,
    /// How many more there are.
    pub enabled_left_out: usize,
}

/// So many enabled actions are named.
pub const MOST_ENABLED: usize = 50;

/// A state that the model would have allowed.
#[derive(Clone, Debug, Serialize)]
pub struct Nearest {
    /// The action with its parameters; none for an initial state.
    pub action: Option<String>,
    /// The variables that differ.
    pub variables: Vec<String>,
    /// What differs within them, as small as it can be said.
    pub differences: Vec<AllowedAndRecorded>,
}

/// One part of a state that was recorded otherwise than the model would have it.
#[derive(Clone, Debug, Serialize)]
pub struct AllowedAndRecorded {
    /// A variable, and from there on fields, indices and arguments.
    pub path: String,
    /// What the model has there, if anything.
    pub allowed: Option<String>,
    /// What was recorded there, if anything.
    pub recorded: Option<String>,
    /// Whether these are elements of the set at the path, not the value at the path.
    pub element: bool,
}

impl std::fmt::Display for AllowedAndRecorded {
    /// One line.
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let of_set = if self.element { " element" } else { "" };
        write!(f, "{}:", self.path)?;
        match (&self.allowed, &self.recorded) {
            (Some(allowed), Some(recorded)) => {
                write!(f, " the model has {allowed}, recorded is {recorded}")
            }
            (Some(allowed), None) => write!(f, " the model has{of_set} {allowed}, not recorded"),
            (None, Some(recorded)) => {
                write!(
                    f,
                    " recorded is{of_set} {recorded}, which the model does not have"
                )
            }
            (None, None) => f.write_str(" the same"),
        }
    }
}

impl Replayed {
    /// Whether it is a behaviour of the model and ends as it says.
    #[must_use]
    pub fn is_accepted(&self) -> bool {
        matches!(self.outcome, Outcome::Accepted)
    }

    /// A replay that came to nothing.
    #[must_use]
    pub fn unreadable(line: u64, message: impl Into<String>) -> Self {
        let mut replayed = Self::new();
        replayed.outcome = Outcome::Unreadable {
            line,
            message: message.into(),
        };
        replayed
    }

    /// A replay without any step.
    pub(crate) fn new() -> Self {
        Self {
            steps: 0,
            outcome: Outcome::Accepted,
            ends_in: None,
            lasso: false,
            inferred: BTreeMap::new(),
            stuttering: 0,
            outside_constraint: false,
            candidates: 0,
            violations: Vec::new(),
            actions: BTreeMap::new(),
        }
    }
}
