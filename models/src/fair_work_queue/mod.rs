//! The fair scheduling and batching protocol: the module `FairWorkQueue`.
//!
//! Works wait in a queue; groups (a dispatcher, its worker and its native run) claim them in
//! batches. The only authority is a log of records. A group plans Claims on the log as it is, and
//! its plan goes on record only if nothing else did in the meantime; otherwise it plans anew. A
//! launched and bound run works on its batch, and its host then closes each Claim, carries out the
//! effects of completed ones, verifies their delivery and publishes their Results, which other
//! works may wait for. Works may also wait for an Issue and a Pull Request, which are observed. A
//! batch costs one native slot until its end is on record and the slot is given back; each Claim
//! costs a place among the open ones and a charge to the clocks of its class and key, which decide
//! whose turn it is.
//!
//! What must hold is [`Safety`](FairWorkQueue#method.invariants), the conjunction of twenty-two
//! invariants: every Claim was whose turn it was, every closing, release, Result and effect had its
//! authority, limits are kept, and the cache is what the log amounts to.
//!
//! This is an independent reading of the shared design, models/fair-work-queue.md; the TLA+ module
//! is another one, and the two are compared. Besides `Spec` there are ten broken specifications,
//! each of which adds one action that must not be there, and two more:
//!
//! | specification | added | what it gets wrong |
//! |---|---|---|
//! | `BrokenSelectionSpec` | `BrokenSelect` | the last eligible work is claimed instead of the next |
//! | `BrokenEffectsSpec` | `BrokenEffect` | one Claim's completion authorizes the effect of another |
//! | `BrokenHandleSpec` | `BrokenHandle` | a group completes a Claim of another |
//! | `BrokenCASSpec` | `BrokenPush` | a late plan goes on record and undoes what came before it |
//! | `BrokenReleaseSpec` | `BrokenRelease` | the slot is given back at the first completed Claim |
//! | `BrokenDependencySpec` | `BrokenDependency` | a work is claimed before the Results it needs |
//! | `BrokenResultSpec` | `BrokenResult` | a Result is published without a verified effect |
//! | `BrokenExternalSpec` | `BrokenExternal` | a work is claimed before its resources are ready |
//! | `BrokenPRSpec` | `BrokenPRObservation` | a closed Pull Request is taken for merged |
//! | `BrokenProjectionSpec` | `BrokenProjection` | the cache says what the log does not |
//! | `JoinWitnessSpec` | | nothing: only what leads to the join of a diamond |
//! | `CheckpointSpec` | three | nothing: plans race with a writer of checkpoints |
//!
//! # Where things are
//!
//! * `vocabulary`: numbered things, and what can become of them;
//! * `constants`: constants, dependencies, specifications;
//! * `log`, `projection`: records, and what they amount to;
//! * `schedule`: who is eligible, whose turn it is, charges, plans;
//! * `history`, `ledger`: what is to be said of a log, carried along with it;
//! * `state`: the variables;
//! * `action`, `guard`, `update`: candidates in enumeration order, when they are enabled, what they
//!   change;
//! * `property`: invariants, witnesses, constraints, progress;
//! * `bytes`, `encoding`: a state as bytes; `tla`, `parse`: as TLA+ values.

mod action;
mod bytes;
mod changes;
mod constants;
mod encoding;
mod guard;
mod history;
mod ledger;
mod log;
mod parse;
mod projection;
mod property;
mod schedule;
mod shown;
mod state;
mod tla;
mod update;
mod vocabulary;

use std::sync::Arc;

use plumb_checker::{
    CheckedModel, ConfigurationError, Constraint, DroppedConjunct, Fairness, Invariant, NotAState,
    Predicate, Reader, TemporalProperty,
};
use plumb_tla::{State as TlaState, Value};
use stateright::{Model, Property};

use constants::Specification;

pub use crate::numbered::{MOST_NUMBERS, NumberSet, Numbered};
pub use action::Action;
pub use constants::{Constants, Mode};
pub use ledger::Ledger;
pub use log::{Kind, Log, Operation, Record};
pub use projection::{
    ClaimTable, Clocks, Members, Projection, ResourceEntry, WorkEntry, first_position,
};
pub use schedule::{charge, eligible, next_claim, next_work, normalize, plan};
pub use state::{
    Apart, Checkpoint, CheckpointPending, Effect, GroupState, Intents, Pending, State,
};
pub use vocabulary::{
    CheckpointPhase, Claim, ClaimStatus, Class, Delivery, Group, Intent, Key, Outcome,
    PendingPhase, RawStatus, Readiness, Resource, Run, Work, WorkStatus, Worker,
};

/// The model `FairWorkQueue` with its constants and its specification.
#[derive(Clone, Debug)]
pub struct FairWorkQueue {
    constants: Arc<Constants>,
    specification: Specification,
    /// Every action instance of the specification, in enumeration order.
    candidates: Arc<[Action]>,
    dropped: Option<DroppedConjunct>,
}

impl FairWorkQueue {
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

    /// The constants.
    #[must_use]
    pub fn constants(&self) -> &Constants {
        &self.constants
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

impl Model for FairWorkQueue {
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

    /// The invariants; what holds in the long run, stateright cannot decide.
    fn properties(&self) -> Vec<Property<Self>> {
        let of_states = property::guarantees()
            .into_iter()
            .filter_map(|invariant| match invariant.predicate {
                Predicate::State(holds) => Some(Property::always(invariant.name, holds)),
                Predicate::Component(_) | Predicate::Constant(_) | Predicate::All(_) => None,
            });
        // The one invariant over constants; stateright knows only such as take a state.
        let of_constants =
            Property::always("DAGValidity", |model, _| property::dag_validity(model));
        of_states.chain([of_constants]).collect()
    }
}

impl CheckedModel for FairWorkQueue {
    const NAME: &'static str = "fair-work-queue";
    const MODULE: &'static str = "FairWorkQueue";
    const VARIABLES: &'static [&'static str] = tla::VARIABLES;
    const ACTIONS: &'static [&'static str] = action::NAMES;

    fn configure(cfg: &mut Reader<'_>) -> Result<Self, ConfigurationError> {
        let specification = constants::specification(cfg)?;
        let constants = Constants::read(cfg)?;
        Ok(Self {
            candidates: action::candidates(&constants, specification).into(),
            constants: Arc::new(constants),
            specification,
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

    /// The twenty-two guarantees, their conjunction `Safety`, and what witnesses deny.
    fn invariants() -> Vec<Invariant<Self>> {
        let mut invariants = property::guarantees();
        invariants.push(property::safety());
        invariants.extend(property::witnesses());
        invariants
    }

    fn temporal_properties() -> Vec<TemporalProperty<Self>> {
        property::long_run()
    }

    fn fairness(&self) -> Vec<Fairness> {
        if self.specification != Specification::Checkpoint {
            return Vec::new();
        }
        let owed = ["PrepareCheckpoint", "RetryCheckpoint", "PublishCheckpoint"];
        owed.map(|action| Fairness::weak([action])).to_vec()
    }

    fn constraints() -> Vec<Constraint<Self>> {
        property::constraints()
    }

    fn successors(&self, state: &State, mut sink: impl FnMut(Action, State)) {
        for action in self.candidates.iter().copied() {
            if self.enabled(state, action) {
                sink(action, self.apply(state, action));
            }
        }
    }

    fn encode(&self, state: &State, bytes: &mut Vec<u8>) {
        encoding::encode(&self.constants, state, bytes);
    }

    fn decode(&self, bytes: &[u8]) -> Option<State> {
        encoding::decode(&self.constants, bytes)
    }

    fn to_tla(&self, state: &State) -> TlaState {
        tla::to_tla(&self.constants, state)
    }

    fn changed_variables(&self, before: &State, after: &State) -> Option<u64> {
        Some(changes::changed(before, after))
    }

    fn variable_to_tla(&self, state: &State, index: usize) -> Value {
        tla::variable(&self.constants, state, index)
    }

    fn variable_is(&self, state: &State, index: usize, value: &Value) -> bool {
        shown::variable_is(&self.constants, state, index, value)
    }

    fn parse_tla(&self, state: &TlaState) -> Result<State, NotAState> {
        parse::parse_tla(&self.constants, state)
    }
}
