//! Who may create, bind, summarise and close a backing issue: the module `IssueProjection`.
//!
//! A projector shows the progress of work in an issue on a code host. The issue is there before it,
//! and granted to it, or it creates one; a creation is announced in a journal, tried once, and its
//! receipt may be lost, after which nobody may try again. Once bound, the issue gets a summary, and
//! it is closed if the Result is verified and the policy at the time of admission said so. At any
//! time the projector may lose its authority, or the context may turn out to be foreign; then
//! nothing is written any more.
//!
//! What must hold is that every write has an authority of its own: not an issue that nobody
//! granted, not a later policy, not what a payload asks for.
//!
//! This is an independent reading of the shared design, models/projection.md; the TLA+ module is
//! another one, and the two are compared. The constants are `TargetMode`, `TargetGrant`,
//! `InitialClosePolicy`, `IsPullRequest`, and `Broken`, which chooses one of three defects
//! ([`Defect`]) or `"none"`. Two of the defects write again and again, so that their state spaces
//! are infinite: only a violation, or a budget, ends a search of them.
//!
//! # Where things are
//!
//! * `constants`: the constants and the defects;
//! * `state`: the variables and what is derived from them;
//! * `action`: candidates in enumeration order, guards, updates;
//! * `property`: the invariants;
//! * `encoding`, `tla`: a state as bytes, and as TLA+ values.

mod action;
mod constants;
mod encoding;
mod property;
mod state;
mod tla;

use std::sync::Arc;

use plumb_checker::{
    CheckedModel, ConfigurationError, DroppedConjunct, Invariant, NotAState, Predicate, Reader,
};
use plumb_tla::{State as TlaState, Value};
use stateright::{Model, Property};

use constants::Constants;

pub use action::{Action, Foreign};
pub use constants::{Defect, TargetMode};
pub use state::{Coordination, HUMAN_TEXT, Journal, State};

/// The model `IssueProjection` with its constants.
#[derive(Clone, Debug)]
pub struct IssueProjection {
    constants: Constants,
    /// Every action instance of the specification, in enumeration order.
    candidates: Arc<[Action]>,
    dropped: Option<DroppedConjunct>,
}

impl IssueProjection {
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

impl Model for IssueProjection {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State::initial(&self.constants)]
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

impl CheckedModel for IssueProjection {
    const NAME: &'static str = "projection";
    const MODULE: &'static str = "IssueProjection";
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

    fn action_parameters(&self, _: &Action) -> Vec<Value> {
        Vec::new()
    }

    fn invariants() -> Vec<Invariant<Self>> {
        property::guarantees()
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
