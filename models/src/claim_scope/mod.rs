//! Outputs, effects and results that are scoped to one Claim: the module `ClaimScopedWorker`.
//!
//! An agent works on an assignment of Claims. It stages outputs and declares Claims completed or
//! cancelled, each time under a *raw handle*: the number of a Claim, or 0 for "the one I have",
//! which is an answer only where one Claim is assigned. The host then closes each Claim, carries
//! out the outputs of completed ones, verifies their delivery and publishes their Results; works
//! that wait for Results are admitted once these are there. Agent and host may crash at any
//! time, after which open Claims are cancelled and only facts on record are followed up.
//!
//! What must hold is that nothing crosses from one Claim to another: no output, effect, Result or
//! admission rests on a Claim that was not named, not completed, or only cancelled.
//!
//! This is an independent reading of the shared design, models/claim-scope.md; the TLA+ module is
//! another one, and the two are compared. The constant `ClaimCount` is 1 or 3. Besides `Spec`
//! there are five broken specifications, each of which adds one action that must not be there:
//!
//! | specification | added | what it gets wrong |
//! |---|---|---|
//! | `BrokenMissingScopeSpec` | `BrokenScope` | an omitted handle goes to Claim 1 |
//! | `BrokenForeignScopeSpec` | `BrokenScope` | a foreign handle goes to Claim 1 |
//! | `BrokenLastOpenScopeSpec` | `BrokenLastOpenScope` | an omitted handle means the last open Claim |
//! | `BrokenCancelledOutputSpec` | `BrokenCancelledEffect` | a cancelled Claim has an effect |
//! | `BrokenMixedDAGSpec` | `BrokenDAGAdmission` | a closed predecessor passes for one with a Result |
//!
//! # Where things are
//!
//! * `vocabulary`: Claims, raw handles, works, and how a handle is resolved;
//! * `log`, `state`: the variables and what is derived from them;
//! * `action`: candidates in enumeration order, guards, updates;
//! * `property`: invariants and witnesses;
//! * `encoding`, `tla`: a state as bytes, and as TLA+ values.

mod action;
mod encoding;
mod log;
mod property;
mod state;
mod tla;
mod vocabulary;

use std::sync::Arc;

use plumb_checker::{
    CheckedModel, ConfigurationError, DroppedConjunct, Invariant, NotAState, Predicate, Reader,
};
use plumb_tla::{State as TlaState, Value};
use stateright::{Model, Property};

use crate::finite::Finite;

pub use action::Action;
pub use log::{Entry, Kind, Log};
pub use state::{Intent, Phase, State};
pub use vocabulary::{Claim, Domains, RawHandle, Work, scope};

/// The specifications of the module: the sound one, and one for each defect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Specification {
    Spec,
    MissingScope,
    ForeignScope,
    LastOpenScope,
    CancelledOutput,
    MixedDag,
}

const SPECIFICATIONS: &[(&str, Specification)] = &[
    ("Spec", Specification::Spec),
    ("BrokenMissingScopeSpec", Specification::MissingScope),
    ("BrokenForeignScopeSpec", Specification::ForeignScope),
    ("BrokenLastOpenScopeSpec", Specification::LastOpenScope),
    ("BrokenCancelledOutputSpec", Specification::CancelledOutput),
    ("BrokenMixedDAGSpec", Specification::MixedDag),
];

/// The model `ClaimScopedWorker` with its constant and its specification.
#[derive(Clone, Debug)]
pub struct ClaimScopedWorker {
    domains: Domains,
    /// Every action instance of the specification, in enumeration order.
    candidates: Arc<[Action]>,
    dropped: Option<DroppedConjunct>,
}

impl ClaimScopedWorker {
    fn new(domains: Domains, specification: Specification) -> Self {
        Self {
            domains,
            candidates: action::candidates(&domains, specification).into(),
            dropped: None,
        }
    }

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

    /// Whether nothing is declared or staged for a Claim that is not assigned; TLA+ has no place
    /// for it.
    fn has_only_assigned(&self, state: &State) -> bool {
        Claim::ALL.iter().all(|claim| {
            self.domains.claims.contains(*claim)
                || state.intents[*claim].is_none() && state.outputs[*claim].is_none()
        })
    }
}

impl Model for ClaimScopedWorker {
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
        let of_states = property::guarantees()
            .into_iter()
            .filter_map(|invariant| match invariant.predicate {
                Predicate::State(holds) => Some(Property::always(invariant.name, holds)),
                Predicate::Component(_) | Predicate::Constant(_) | Predicate::All(_) => None,
            });
        // The one invariant over constants; stateright knows only such as take a state.
        let of_constants = Property::always("ScopeResolution", |model, _| {
            property::scope_resolution(model)
        });
        of_states.chain([of_constants]).collect()
    }
}

impl CheckedModel for ClaimScopedWorker {
    const NAME: &'static str = "claim-scope";
    const MODULE: &'static str = "ClaimScopedWorker";
    const VARIABLES: &'static [&'static str] = tla::VARIABLES;
    const ACTIONS: &'static [&'static str] = action::NAMES;

    fn configure(cfg: &mut Reader<'_>) -> Result<Self, ConfigurationError> {
        let specification = cfg.specification(SPECIFICATIONS)?;
        let domains = match cfg.integer("ClaimCount")? {
            1 => Domains::single(),
            3 => Domains::triple(),
            _ => return Err(cfg.refuse("ClaimCount", "1 or 3")),
        };
        Ok(Self::new(domains, specification))
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

    fn actor(action: &str, _: &[Value]) -> Option<String> {
        action::actor(action)
    }

    fn invariants() -> Vec<Invariant<Self>> {
        let mut invariants = property::guarantees();
        invariants.push(property::safety());
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
        encoding::decode(self, bytes)
    }

    fn to_tla(&self, state: &State) -> TlaState {
        tla::to_tla(self, state)
    }

    fn parse_tla(&self, state: &TlaState) -> Result<State, NotAState> {
        tla::parse_tla(self, state)
    }
}
