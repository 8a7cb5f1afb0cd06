//! Recurring weighted service and its liveness: the module `QueueService`.
//!
//! Three keys compete for grants, with the weights 5, 3 and 2. Each has a clock; a grant goes to
//! the eligible key whose clock is least, and advances it by its stride, which is the smaller the
//! heavier the key. Clocks are kept relative to the winner's, so that they stay small for ever: the
//! finite quotient of an endless service. A key that becomes eligible starts one stride behind, so
//! that it can claim nothing for the time in which it did not compete.
//!
//! What must hold is that, while the keys stay the same, each gets its exact share in every cycle
//! of ten grants; and, whatever the others do, that a key which stays eligible is served again and
//! again. The second says something about the long run, and rests on what grants are owed:
//!
//! | specification | a grant that stays possible |
//! |---|---|
//! | `Spec` | is made some time |
//! | `UnfairSpec` | may be put off for ever |
//!
//! This is an independent reading of the shared design, models/service.md; the TLA+ module is
//! another one, and the two are compared. The constants are `Mode` ([`Mode`]), `Dynamic` (whether
//! the eligible keys change), `Packable` (whether what is granted fits), and `Weights`, which
//! always is `ReferenceWeights`.
//!
//! # Where things are
//!
//! * `constants`: keys and weights, modes, specifications;
//! * `state`: the variables;
//! * `arithmetic`: clocks and winners;
//! * `action`: candidates in enumeration order, guards, updates;
//! * `property`: the invariants and the temporal property;
//! * `encoding`, `tla`: a state as bytes, and as TLA+ values.

mod action;
mod arithmetic;
mod constants;
mod encoding;
mod property;
mod state;
mod tla;

use std::sync::Arc;

use plumb_checker::{
    CheckedModel, ConfigurationError, DroppedConjunct, Fairness, Invariant, NotAState, Predicate,
    Reader, TemporalProperty,
};
use plumb_tla::{State as TlaState, Value};
use stateright::{Model, Property};

use constants::Constants;

pub use action::Action;
pub use arithmetic::{passes_after, prepared, winner};
pub use constants::{Key, Mode, TOTAL_WEIGHT};
pub use state::{Bit, State};

/// The model `QueueService` with its constants.
#[derive(Clone, Debug)]
pub struct QueueService {
    constants: Constants,
    /// Every action instance of the specification, in enumeration order.
    candidates: Arc<[Action]>,
    dropped: Option<DroppedConjunct>,
}

impl QueueService {
    /// The same model with one conjunct of one guard taken as true: a defect that a test wants to
    /// see noticed.
    #[must_use]
    pub fn without_conjunct(self, dropped: DroppedConjunct) -> Self {
        Self {
            dropped: Some(dropped),
            ..self
        }
    }

    /// Every action instance of the specification, enabled or not, in enumeration order.
    #[must_use]
    pub fn candidates(&self) -> &[Action] {
        &self.candidates
    }

    fn enabled(&self, state: &State, action: Action) -> bool {
        let guard = self.guard(state, action);
        match self.dropped {
            Some(dropped) if dropped.action == action.index() => guard.without(dropped.conjunct),
            _ => guard,
        }
        .holds()
    }
}

impl Model for QueueService {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State::initial()]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        let candidates = self.candidates.iter().copied();
        actions.extend(candidates.filter(|action| self.enabled(state, *action)));
    }

    fn next_state(&self, state: &State, action: Action) -> Option<State> {
        let possible = self.candidates.contains(&action) && self.enabled(state, action);
        possible.then(|| self.apply(state, action))
    }

    /// The invariants; what holds in the long run, stateright cannot decide.
    fn properties(&self) -> Vec<Property<Self>> {
        let guarantees = property::guarantees().into_iter();
        guarantees
            .filter_map(|invariant| match invariant.predicate {
                Predicate::State(holds) => Some(Property::always(invariant.name, holds)),
                Predicate::Component(_) | Predicate::Constant(_) | Predicate::All(_) => None,
            })
            .collect()
    }
}

impl CheckedModel for QueueService {
    const NAME: &'static str = "service";
    const MODULE: &'static str = "QueueService";
    const VARIABLES: &'static [&'static str] = tla::VARIABLES;
    const ACTIONS: &'static [&'static str] = action::NAMES;

    fn configure(cfg: &mut Reader<'_>) -> Result<Self, ConfigurationError> {
        Ok(Self {
            constants: Constants::read(cfg)?,
            candidates: action::candidates().into(),
            dropped: None,
        })
    }

    fn action_index(&self, action: &Action) -> usize {
        action.index()
    }

    fn action_parameters(&self, _: &Action) -> Vec<Value> {
        Vec::new()
    }

    fn invariants() -> Vec<Invariant<Self>> {
        property::guarantees()
    }

    fn temporal_properties() -> Vec<TemporalProperty<Self>> {
        property::long_run()
    }

    fn fairness(&self) -> Vec<Fairness> {
        let fair = self.constants.fair;
        fair.then(|| Fairness::weak(["Grant"]))
            .into_iter()
            .collect()
    }

    fn successors(&self, state: &State, mut sink: impl FnMut(Action, State)) {
        for action in self.candidates.iter().copied() {
            if self.enabled(state, action) {
                sink(action, self.apply(state, action));
            }
        }
    }

    fn encode(&self, state: &State, bytes: &mut Vec<u8>) {
        encoding::encode(state, bytes);
    }

    fn decode(&self, bytes: &[u8]) -> Option<State> {
        encoding::decode(bytes)
    }

    fn to_tla(&self, state: &State) -> TlaState {
        tla::to_tla(state)
    }

    fn parse_tla(&self, state: &TlaState) -> Result<State, NotAState> {
        tla::parse_tla(state)
    }
}
