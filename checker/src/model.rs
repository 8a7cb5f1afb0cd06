//! The trait that a model implements: what stateright's [`Model`](stateright::Model) cannot say.

use std::fmt::Debug;
use std::hash::Hash;

use plumb_tla::{State as TlaState, Value};

use crate::composition::Composition;
use crate::configuration::{ConfigurationError, Reader};
use crate::property::{Assumption, Constraint, Invariant, StepProperty};
use crate::temporal::{Fairness, TemporalProperty};

/// A [`stateright::Model`] together with what a check in TLC's meaning needs beyond it.
///
/// The state machine itself is the stateright part: `init_states`, `actions`, `next_state`. Note
/// that `next_state` returning `None` means *disabled*; an enabled step that changes nothing is
/// `Some` of the same state, and it is counted.
///
/// # Laws
///
/// The tests of a model hold it to these, on every reachable state of its small configurations:
///
/// * [`successors`](Self::successors) yields the same multiset of (action, state) as
///   `actions` followed by `next_state`;
/// * [`decode`](Self::decode) undoes [`encode`](Self::encode), and two states have the same bytes
///   only if they are equal;
/// * [`parse_tla`](Self::parse_tla) undoes [`to_tla`](Self::to_tla);
/// * [`variable_to_tla`](Self::variable_to_tla) is part of it, and of a step to a successor
///   [`changed_variables`](Self::changed_variables) names every variable that has another value.
pub trait CheckedModel:
    stateright::Model<
        State: Clone + Debug + Eq + Hash + Send + Sync + 'static,
        Action: Clone + Debug + PartialEq + Send + Sync + 'static,
    > + Clone
    + Send
    + Sync
    + Sized
    + 'static
{
    /// The model's name on the command line: its folder below `specs/`.
    const NAME: &'static str;

    /// The TLA+ module that says the same as this model.
    const MODULE: &'static str;

    /// The module's variables, in the order in which it declares them.
    const VARIABLES: &'static [&'static str];

    /// Every action name that some specification of the module has, in enumeration order.
    const ACTIONS: &'static [&'static str];

    /// Builds the model from a configuration's specification and constants.
    ///
    /// # Errors
    ///
    /// The reader's own errors (a missing constant, a wrong type, an unknown operator), and
    /// [`Reader::refuse`] for values that the module's `ASSUME` excludes.
    fn configure(cfg: &mut Reader<'_>) -> Result<Self, ConfigurationError>;

    /// Whether the configured specification contains the action [`ACTIONS`](Self::ACTIONS)`[index]`
    /// at all. An action of another specification is left out of every listing.
    fn has_action(&self, index: usize) -> bool {
        let _ = index;
        true
    }

    /// Position of an action's name in [`ACTIONS`](Self::ACTIONS).
    fn action_index(&self, action: &Self::Action) -> usize;

    /// The action's parameters, in the order of the TLA+ operator's.
    fn action_parameters(&self, action: &Self::Action) -> Vec<Value>;

    /// Who takes a step: a worker, a dispatcher, an operator. Pictures of a behaviour give each
    /// actor a lane of its own. Nothing is decided by it, and a model need not say.
    ///
    /// It is told from the action's name and parameters, as a recorded behaviour has them; of what
    /// the model does not know it says nothing.
    #[must_use]
    fn actor(action: &str, parameters: &[Value]) -> Option<String> {
        let _ = (action, parameters);
        None
    }

    /// The invariants from which a cfg chooses with `INVARIANT`.
    #[must_use]
    fn invariants() -> Vec<Invariant<Self>> {
        Vec::new()
    }

    /// The step properties (`[][P]_vars`) from which a cfg chooses with `PROPERTY`.
    #[must_use]
    fn step_properties() -> Vec<StepProperty<Self>> {
        Vec::new()
    }

    /// The temporal properties from which a cfg chooses with `PROPERTY`.
    ///
    /// They cannot be combined with a constraint: what the constraint cuts off might be the way
    /// out of a cycle, and a verdict would say nothing.
    #[must_use]
    fn temporal_properties() -> Vec<TemporalProperty<Self>> {
        Vec::new()
    }

    /// The fairness conditions of the configured specification.
    fn fairness(&self) -> Vec<Fairness> {
        Vec::new()
    }

    /// The state constraints from which a cfg chooses with `CONSTRAINT`.
    #[must_use]
    fn constraints() -> Vec<Constraint<Self>> {
        Vec::new()
    }

    /// Named assumptions over the constants, checked before the search.
    ///
    /// Values that make the model meaningless belong into [`configure`](Self::configure), where
    /// the error can point at the line of the cfg.
    #[must_use]
    fn assumptions() -> Vec<Assumption<Self>> {
        Vec::new()
    }

    /// Hands every way of leaving `state` to `sink`: each enabled action instance once (or as
    /// often as TLC counts it), in enumeration order, self-loops included.
    fn successors(&self, state: &Self::State, mut sink: impl FnMut(Self::Action, Self::State)) {
        let mut actions = Vec::new();
        self.actions(state, &mut actions);
        for action in actions {
            if let Some(next) = self.next_state(state, action.clone()) {
                sink(action, next);
            }
        }
    }

    /// How states fall apart into components, if the model says so: with it a search takes less
    /// memory, and less time if steps are local to components. Results are the same without.
    #[must_use]
    fn composition() -> Option<Composition<Self>> {
        None
    }

    /// Appends the canonical encoding of `state` to `bytes`.
    ///
    /// Equal states have equal encodings and different states different ones; this is what the
    /// visited set stores and compares, so nothing rests on a hash.
    fn encode(&self, state: &Self::State, bytes: &mut Vec<u8>);

    /// The state that [`encode`](Self::encode) wrote, or `None` if `bytes` are not an encoding.
    fn decode(&self, bytes: &[u8]) -> Option<Self::State>;

    /// The state as the TLA+ module has it: every variable of [`VARIABLES`](Self::VARIABLES).
    fn to_tla(&self, state: &Self::State) -> TlaState;

    /// The variables that may have another value in `after` than in `before`: bit *i* stands for
    /// [`VARIABLES`](Self::VARIABLES)`[i]`. A bit that is set without need costs time; one that is
    /// missing would hide a difference. Recorded behaviours are followed faster by a model that says
    /// so, together with [`variable_to_tla`](Self::variable_to_tla); it need not.
    fn changed_variables(&self, before: &Self::State, after: &Self::State) -> Option<u64> {
        let _ = (before, after);
        None
    }

    /// One variable of [`to_tla`](Self::to_tla), `VARIABLES[index]`.
    fn variable_to_tla(&self, state: &Self::State, index: usize) -> Value {
        let state = self.to_tla(state);
        let value = Self::VARIABLES.get(index).and_then(|name| state.get(name));
        value.cloned().unwrap_or(Value::Tuple(Vec::new()))
    }

    /// Whether [`variable_to_tla`](Self::variable_to_tla) is `value`. A model may find out without
    /// making the value.
    fn variable_is(&self, state: &Self::State, index: usize, value: &Value) -> bool {
        self.variable_to_tla(state, index) == *value
    }

    /// The state that has these values.
    ///
    /// # Errors
    ///
    /// A variable that is missing, unknown, or has a value that no state of the model has.
    fn parse_tla(&self, state: &TlaState) -> Result<Self::State, NotAState>;
}

/// Why TLA+ values are not a state of a model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{place}: expected {expected}, found {found}")]
pub struct NotAState {
    /// The variable, with the path inside its value where that helps: `pending[1].phase`.
    pub place: String,
    /// What a state of the model has there.
    pub expected: String,
    /// What was found instead.
    pub found: String,
}

impl NotAState {
    /// An error at `place`, where `found` is what stands there, if anything does.
    pub fn new(
        place: impl Into<String>,
        expected: impl Into<String>,
        found: Option<&Value>,
    ) -> Self {
        let found = found.map_or_else(|| "nothing".to_owned(), Value::to_string);
        Self {
            place: place.into(),
            expected: expected.into(),
            found,
        }
    }
}
