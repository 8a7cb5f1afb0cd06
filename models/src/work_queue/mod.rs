//! Arbitration by a log of facts: the module `WorkQueue`.
//!
//! Works are submitted, claimed and completed by writing facts into a log, which is the only thing
//! with authority. Everybody decides on the *set* of the facts in it, so that duplicates and order
//! do not matter. Dispatchers stage batches of intents (submit a work, claim one, cancel one);
//! workers attempt the work of their Claim, and end with a Completion or by giving the Claim up.
//! Nobody writes a single fact: each makes a whole new log from the one it has read, and publishes
//! it only if the log is still that one, by version and by content; otherwise it makes its log anew,
//! as often as it may. Of several Claims on a work the active one of the least number is the
//! *winner*, which alone can complete it; about a completed or cancelled work nothing is added any
//! more. A Completion is read back and verified before it has its one effect outside.
//!
//! Three things interfere: any fact may be written once more, the run of a Claim may end at any time
//! and takes its workers along, and two kinds of maintenance publish logs of their own. Compaction
//! rewrites the log in canonical order without duplicates; recovery gives up the Claims of ended
//! runs.
//!
//! What must hold is [`Safety`](WorkQueue#method.invariants), the conjunction of nineteen
//! invariants: the log stays valid, an ended work stays so and gains no facts, every prepared log
//! follows from what it was made from, and each work has at most one effect, of a verified
//! Completion of a worker that has finished. Claims are staged on the oldest work that waits, as far
//! as the dispatcher can see; the log need not show it once they are published.
//!
//! This is an independent reading of the shared design, models/work-queue.md; the TLA+ module is
//! another one, and the two are compared. Besides `Spec` there are three broken specifications, each
//! of which adds one action that must not be there:
//!
//! | specification | added | what it gets wrong |
//! |---|---|---|
//! | `BrokenCASSpec` | `UnsafeStalePush` | a log is published although another one was before |
//! | `BrokenTerminalSpec` | `UnsafeLateClaim` | a completed work is claimed |
//! | `BrokenQueueSelectionSpec` | `StageIntent` | a work is claimed before an older one |
//!
//! # Components
//!
//! Everybody looks only at the log, at what goes with it, and at itself. So a state is a shared part
//! and one component for each dispatcher, worker and kind of maintenance ([`Part`]), and each step
//! is one component's. A run that ends and a fact written once more are steps of the shared part.
//!
//! # Where things are
//!
//! * `vocabulary`, `fact`, `sequence`: numbered things and phases, facts and sets of them, logs;
//! * `constants`: constants, the facts that there can be, specifications;
//! * `arbitration`: what facts amount to, and which may be added;
//! * `state`: the variables, and the components of a state;
//! * `action`, `guard`, `update`: candidates in enumeration order, when they are enabled, what they
//!   change;
//! * `property`: invariants, witnesses, step properties, the bound;
//! * `encoding`, `tla`: a state as bytes, and as TLA+ values.

mod action;
mod arbitration;
mod constants;
mod encoding;
mod fact;
mod guard;
mod property;
mod sequence;
mod state;
mod tla;
mod update;
mod vocabulary;

use std::sync::Arc;

use plumb_checker::{
    CheckedModel, Components, Composition, ConfigurationError, Constraint, DroppedConjunct,
    Invariant, LocalSteps, NotAState, Reader, StepProperty,
};
use plumb_tla::{State as TlaState, Value};
use stateright::{Model, Property};

pub use action::Action;
pub use constants::{Constants, Description};
pub use fact::{Fact, FactSet, Intent, MOST_FACTS};
pub use sequence::Sequence;
pub use state::{
    Activation, DispatcherState, MaintenanceState, Part, Proposal, Shared, State, WorkerState,
};
pub use vocabulary::{
    Claim, ClaimStatus, Dispatcher, DispatcherPhase, Kind, Maintenance, MaintenancePhase, Work,
    WorkStatus, Worker, WorkerPhase,
};

/// The model `WorkQueue` with its constants and its specification.
#[derive(Clone, Debug)]
pub struct WorkQueue {
    constants: Arc<Constants>,
    /// Every action instance of the specification, in enumeration order.
    candidates: Arc<[Action]>,
    /// Those of each component.
    by_component: Arc<[Vec<Action>]>,
    dropped: Option<DroppedConjunct>,
}

impl WorkQueue {
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

    /// Those of some actions that are enabled.
    fn enabled(&self, state: &State, actions: &[Action]) -> impl Iterator<Item = Action> {
        let mut view = None;
        actions.iter().copied().filter(move |action| {
            let guard = self.guard_in_view(state, *action, &mut view);
            match self.dropped {
                Some(dropped) if dropped.action == action.index() => {
                    guard.without(dropped.conjunct)
                }
                _ => guard,
            }
            .holds()
        })
    }
}

impl Model for WorkQueue {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State::initial(&self.constants)]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        actions.extend(self.enabled(state, &self.candidates));
    }

    fn next_state(&self, state: &State, action: Action) -> Option<State> {
        let possible =
            self.candidates.contains(&action) && self.enabled(state, &[action]).next().is_some();
        possible.then(|| self.apply(state, action))
    }

    /// The invariants; of steps, stateright knows nothing.
    fn properties(&self) -> Vec<Property<Self>> {
        let guarantees = property::guarantees().into_iter();
        guarantees.map(|(_, of_states)| of_states).collect()
    }
}

impl CheckedModel for WorkQueue {
    const NAME: &'static str = "work-queue";
    const MODULE: &'static str = "WorkQueue";
    const VARIABLES: &'static [&'static str] = tla::VARIABLES;
    const ACTIONS: &'static [&'static str] = action::NAMES;

    fn configure(cfg: &mut Reader<'_>) -> Result<Self, ConfigurationError> {
        let specification = constants::specification(cfg)?;
        let constants = Constants::read(cfg)?;
        let candidates = action::candidates(&constants, specification);
        let mut by_component = vec![Vec::new(); constants.parts()];
        for action in &candidates {
            by_component[constants.number_of(action.part())].push(*action);
        }
        Ok(Self {
            constants: Arc::new(constants),
            candidates: candidates.into(),
            by_component: by_component.into(),
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
        action.parameters(&self.constants)
    }

    fn actor(action: &str, parameters: &[Value]) -> Option<String> {
        action::actor(action, parameters)
    }

    /// The nineteen guarantees, their conjunction `Safety`, and what witnesses deny.
    fn invariants() -> Vec<Invariant<Self>> {
        let guarantees = property::guarantees().into_iter();
        let mut invariants: Vec<_> = guarantees.map(|(by_component, _)| by_component).collect();
        invariants.push(property::safety());
        invariants.extend(property::witnesses());
        invariants
    }

    fn step_properties() -> Vec<StepProperty<Self>> {
        property::step_properties()
    }

    fn constraints() -> Vec<Constraint<Self>> {
        property::constraints()
    }

    fn successors(&self, state: &State, mut sink: impl FnMut(Action, State)) {
        for action in self.enabled(state, &self.candidates) {
            sink(action, self.apply(state, action));
        }
    }

    fn composition() -> Option<Composition<Self>> {
        Some(Composition::of_local_steps())
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
        Some(tla::changed(before, after))
    }

    fn variable_to_tla(&self, state: &State, index: usize) -> Value {
        tla::variable(&self.constants, state, index)
    }

    fn parse_tla(&self, state: &TlaState) -> Result<State, NotAState> {
        tla::parse_tla(&self.constants, state)
    }
}

impl Components for WorkQueue {
    fn component_count(&self) -> usize {
        self.constants.parts()
    }

    fn encode_component(&self, state: &State, component: usize, bytes: &mut Vec<u8>) {
        encoding::encode_part(state, self.constants.part(component), bytes);
    }

    fn decode_components(&self, components: &[&[u8]]) -> Option<State> {
        encoding::decode_parts(&self.constants, components)
    }
}

impl LocalSteps for WorkQueue {
    fn component_successors(
        &self,
        state: &State,
        component: usize,
        sink: &mut dyn FnMut(Action, State),
    ) {
        for action in self.enabled(state, &self.by_component[component]) {
            sink(action, self.apply(state, action));
        }
    }
}
