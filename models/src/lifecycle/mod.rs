//! Launch, activation, delivery and replacement of queued work: the module `QueueLifecycle`.
//!
//! A queue of three roots (Claims that can be assigned) is admitted and granted to native dispatches,
//! here called groups. A group's launch is announced on record (its *marker*) before it is sent
//! once; the answer may be lost, so a sent group is *uncertain* until a checked activation binds
//! it. Only a bound, unreleased group without conflict authorizes its roots to finish and to have
//! effects. A completed root then has a Result; or, once its group's end is proved and two attempts
//! at verification came to nothing, a failure, after which it may be replaced by a new one. A
//! group's slot is given back on proof of its end, or if it was never announced. When all of it is
//! settled, the next epoch begins.
//!
//! What must hold is that nothing is inferred from silence: a group is not sent twice, a slot is
//! not given back in doubt, a pause cancels nothing, a failure excludes a Result, and
//! successors wait for Results.
//!
//! This is an independent reading of the shared design, models/lifecycle.md; the TLA+ module is
//! another one, and the two are compared. The constants are `GroupBudget` (one dispatch for each
//! grant, or two), `EpochBound`, and `Broken`, which chooses one of eleven defects ([`Defect`]) or
//! `"none"`.
//!
//! # Where things are
//!
//! * `constants`: the constants, the defects, the packing of the queue;
//! * `vocabulary`, `state`: the variables and what is derived from them;
//! * `action`, `guard`, `update`: candidates in enumeration order, when they are enabled, what they
//!   change;
//! * `property`: invariants and witnesses;
//! * `encoding`, `tla`: a state as bytes, and as TLA+ values.

mod action;
mod constants;
mod encoding;
mod guard;
mod property;
mod state;
mod tla;
mod update;
mod vocabulary;

use std::sync::Arc;

use plumb_checker::{
    CheckedModel, ConfigurationError, DroppedConjunct, Invariant, NotAState, Predicate, Reader,
};
use plumb_tla::{State as TlaState, Value};
use stateright::{Model, Property};

use constants::Constants;

pub use action::{Action, Attempt, Control};
pub use constants::Defect;
pub use state::State;
pub use vocabulary::{
    Assignment, Claim, Count, Disposition, FinishOutcome, Group, Phase, Root, Status, Successor,
    Violation,
};

/// The model `QueueLifecycle` with its constants.
#[derive(Clone, Debug)]
pub struct QueueLifecycle {
    constants: Constants,
    /// Every action instance of the specification, in enumeration order.
    candidates: Arc<[Action]>,
    dropped: Option<DroppedConjunct>,
}

impl QueueLifecycle {
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

impl Model for QueueLifecycle {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State::INITIAL]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        let candidates = self.candidates.iter().copied();
        actions.extend(candidates.filter(|action| self.enabled(state, *action)));
    }

    fn next_state(&self, state: &State, action: Action) -> Option<State> {
        let possible = self.candidates.contains(&action) && self.enabled(state, action);
        possible.then(|| self.apply(state, action))
    }

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

impl CheckedModel for QueueLifecycle {
    const NAME: &'static str = "lifecycle";
    const MODULE: &'static str = "QueueLifecycle";
    const VARIABLES: &'static [&'static str] = tla::VARIABLES;
    const ACTIONS: &'static [&'static str] = action::NAMES;

    fn configure(cfg: &mut Reader<'_>) -> Result<Self, ConfigurationError> {
        cfg.specification(&[("Spec", ())])?;
        let constants = Constants::read(cfg)?;
        Ok(Self {
            constants,
            candidates: action::candidates(&constants).into(),
            dropped: None,
        })
    }

    fn has_action(&self, index: usize) -> bool {
        let mut candidates = self.candidates.iter();
        candidates.any(|action| action.index() == index)
    }

    fn action_index(&self, action: &Action) -> usize {
        action.index()
    }

    fn action_parameters(&self, action: &Action) -> Vec<Value> {
        action.parameters()
    }

    fn actor(action: &str, parameters: &[Value]) -> Option<String> {
        action::actor(action, parameters)
    }

    fn invariants() -> Vec<Invariant<Self>> {
        let mut invariants = property::guarantees();
        invariants.extend(property::witnesses());
        invariants
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

    fn changed_variables(&self, before: &State, after: &State) -> Option<u64> {
        Some(tla::changed(before, after))
    }

    fn variable_to_tla(&self, state: &State, index: usize) -> Value {
        tla::variable(state, index)
    }

    fn parse_tla(&self, state: &TlaState) -> Result<State, NotAState> {
        tla::parse_tla(state)
    }
}
