//! What differs between two state graphs, ready to be shown.

use serde::Serialize;

/// One of the two engines.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// TLC, exploring the TLA+ module.
    Tlc,
    /// Plumb, exploring the Rust model.
    Plumb,
}

impl Side {
    /// The other one.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Tlc => Self::Plumb,
            Self::Plumb => Self::Tlc,
        }
    }
}

impl std::fmt::Display for Side {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Tlc => "TLC",
            Self::Plumb => "Plumb",
        })
    }
}

/// Two whole state graphs held against each other.
///
/// As JSON it is an object with the fields below, in this order; states are TLA+ text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GraphComparison {
    /// States inside the constraint.
    pub states: Count,
    /// Initial states among them, each once.
    pub initial: Count,
    /// Different steps (state, action name, state) inside the constraint.
    pub steps: Count,
    /// Steps that both sides have, but not equally often.
    pub multiplicities: u64,
    /// For each action, in the model's order, the generated successors inside the constraint,
    /// repeats and self-loops included.
    pub actions: Vec<ActionCount>,
    /// Generated successors that the constraint cut off.
    pub outside: Sides<u64>,
    /// Examples of what differs, at most one of a kind, each as near to an initial state as there
    /// is one, and the nearest first. Empty exactly if the graphs are equal.
    pub differences: Vec<Difference>,
}

impl GraphComparison {
    /// Whether the graphs are equal in all that is compared.
    #[must_use]
    pub fn is_equal(&self) -> bool {
        self.differences.is_empty()
    }
}

/// How often each side generates an action.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ActionCount {
    /// The action's name.
    pub action: String,
    /// How often TLC generates it.
    pub tlc: u64,
    /// How often Plumb generates it.
    pub plumb: u64,
}

/// How many there are on both sides and on one of them only.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Count {
    /// On both sides.
    pub both: u64,
    /// In TLC's graph only.
    pub tlc_only: u64,
    /// In Plumb's graph only.
    pub plumb_only: u64,
}

/// What each side says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Sides<T> {
    /// TLC.
    pub tlc: T,
    /// Plumb.
    pub plumb: T,
}

/// One difference between two graphs, and the shortest way there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Difference {
    /// What differs.
    pub kind: DifferenceKind,
    /// A shortest path from an initial state: to the differing state itself, or to the state in
    /// which a differing step starts. Empty where nothing single can be pointed at.
    pub path: Vec<PathStep>,
    /// The differing step out of the last state of the path, where it is a step.
    pub step: Option<StepDifference>,
}

/// The kinds of differences.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(tag = "is", rename_all = "snake_case")]
pub enum DifferenceKind {
    /// TLC has a state that is no state of the Rust model.
    Unreadable {
        /// What about it.
        reason: String,
    },
    /// An initial state is one on this side only.
    InitialState {
        /// The side that has it.
        side: Side,
    },
    /// A state is reachable on this side only.
    State {
        /// The side that has it.
        side: Side,
    },
    /// A step exists on this side only.
    Step {
        /// The side that has it.
        side: Side,
    },
    /// A step exists on both sides, but not equally often.
    Multiplicity {
        /// How often each side generates it.
        times: Sides<u64>,
    },
    /// The constraint cuts off unequally many successors.
    Outside {
        /// How many each side generates.
        successors: Sides<u64>,
    },
}

/// One state of a path and the step that led there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PathStep {
    /// The action's name; none for the initial state.
    pub action: Option<String>,
    /// The action with its parameters as the Rust model has it, if it has the step.
    pub label: Option<String>,
    /// The state.
    pub state: ShownState,
}

/// A state in both vocabularies.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ShownState {
    /// The variables as TLA+ values, one line each.
    pub tla: String,
    /// As the Rust model prints it; none if it is no state of the model.
    pub rust: Option<String>,
}

/// A step that one side has, or has oftener, and what the other side has in its place.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct StepDifference {
    /// The step.
    pub step: PathStep,
    /// The step of the other side, out of the same state, that comes nearest; none for a
    /// difference of multiplicity, or if the other side has nothing like it there.
    pub nearest: Option<NearestStep>,
}

/// A step of the other side that resembles a differing one.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct NearestStep {
    /// The step.
    pub step: PathStep,
    /// What differs in the states that the two lead to, from the differing step's to this one's;
    /// empty if only the names of the actions differ.
    pub variables: Vec<String>,
}
