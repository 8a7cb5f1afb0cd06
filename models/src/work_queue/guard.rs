//! When each action is enabled.
//!
//! Shared design, models/work-queue.md, sections 4.4 and 4.6. A guard has one entry for each
//! conjunct there, in that order; alternatives are one entry.

use plumb_checker::Guard;

use super::WorkQueue;
use super::action::Action;
use super::fact::{FactSet, Intent};
use super::state::{Proposal, Shared, State};
use super::vocabulary::{
    ClaimStatus, Dispatcher, DispatcherPhase, Maintenance, MaintenancePhase, Work, WorkStatus,
    Worker, WorkerPhase,
};

/// What a dispatcher sees when it stages an intent: the log with its batch.
#[derive(Clone, Copy, Debug)]
pub(super) struct View {
    dispatcher: Dispatcher,
    facts: FactSet,
    oldest: Option<Work>,
}

impl WorkQueue {
    /// The guard of an action, one entry for each conjunct of its definition.
    #[must_use]
    pub fn guard(&self, state: &State, action: Action) -> Guard {
        self.guard_in_view(state, action, &mut None)
    }

    /// The guard of an action; the view of a dispatcher is kept for its next action.
    pub(super) fn guard_in_view(
        &self,
        state: &State,
        action: Action,
        view: &mut Option<View>,
    ) -> Guard {
        let shared = &state.shared;
        match action {
            Action::Stage(dispatcher, intent) => {
                let view = self.view(state, dispatcher, view);
                let [in_phase, new, owned, fits] = self.staging(state, view, intent);
                let claimed = self.constants.claimed(intent);
                let work = claimed.map(|claim| self.constants.work_of(claim));
                let in_turn = work.is_none() || work == view.oldest;
                Guard::of([in_phase, new, owned, fits, in_turn])
            }
            Action::StageIntent(dispatcher, intent) => {
                let view = self.view(state, dispatcher, view);
                Guard::of(self.staging(state, view, intent))
            }
            Action::PrepareDispatch(dispatcher) => {
                Guard::of([state.dispatcher(dispatcher).phase == DispatcherPhase::Agent])
            }
            Action::PushDispatch(dispatcher) => {
                let dispatcher = state.dispatcher(dispatcher);
                let [head, log] = is_current(shared, &dispatcher.proposal);
                Guard::of([dispatcher.phase == DispatcherPhase::Prepared, head, log])
            }
            Action::RetryDispatch(dispatcher) | Action::UnsafeStalePush(dispatcher) => {
                let dispatcher = state.dispatcher(dispatcher);
                Guard::of([
                    dispatcher.phase == DispatcherPhase::Prepared,
                    dispatcher.proposal.base != shared.head,
                ])
            }
            Action::Activate(worker) => self.activation(state, worker),
            Action::EndAgent(worker, _) => {
                Guard::of([in_phase(state, worker, WorkerPhase::Running)])
            }
            Action::PrepareWorker(worker) => {
                Guard::of([in_phase(state, worker, WorkerPhase::Ready)])
            }
            Action::PushWorker(worker) => {
                let [head, log] = is_current(shared, &state.worker(worker).proposal);
                Guard::of([in_phase(state, worker, WorkerPhase::Prepared), head, log])
            }
            Action::RetryWorker(worker) => Guard::of([
                in_phase(state, worker, WorkerPhase::Prepared),
                state.worker(worker).proposal.base != shared.head,
            ]),
            Action::VerifyCompletion(worker) => {
                let work = self.constants.work_of(self.constants.inbound(worker));
                let completion = self.constants.completion(worker);
                let completed = self.constants.completed(shared.log.facts(), work);
                Guard::of([
                    in_phase(state, worker, WorkerPhase::Committed),
                    shared.log.contains(completion),
                    completed == FactSet::from_iter([completion]),
                ])
            }
            Action::ExternalEffect(worker) => {
                Guard::of([in_phase(state, worker, WorkerPhase::Authorized)])
            }
            Action::RunTerminates(claim) => Guard::of([
                shared.log.contains(self.constants.claim(claim)),
                !shared.dead_runs.contains(claim),
            ]),
            Action::PrepareMaintenance(kind) => {
                let phase = state.maintenance(kind).phase;
                Guard::of([
                    matches!(phase, MaintenancePhase::Idle | MaintenancePhase::Done),
                    self.would_change(shared, kind),
                ])
            }
            Action::PushMaintenance(kind) => {
                let maintenance = state.maintenance(kind);
                let [head, log] = is_current(shared, &maintenance.proposal);
                Guard::of([maintenance.phase == MaintenancePhase::Prepared, head, log])
            }
            Action::RetryMaintenance(kind) => {
                let maintenance = state.maintenance(kind);
                Guard::of([
                    maintenance.phase == MaintenancePhase::Prepared,
                    maintenance.proposal.base != shared.head,
                ])
            }
            Action::DuplicateRecord(fact) => Guard::of([shared.log.contains(fact)]),
            Action::UnsafeLateClaim(claim) => {
                let work = self.constants.work_of(claim);
                let completed = self.constants.completed(shared.log.facts(), work);
                Guard::of([
                    !completed.is_empty(),
                    !shared.log.contains(self.constants.claim(claim)),
                ])
            }
        }
    }

    /// The dispatcher's view: the one that was kept, if it is this dispatcher's.
    fn view(&self, state: &State, dispatcher: Dispatcher, kept: &mut Option<View>) -> View {
        match kept {
            Some(view) if view.dispatcher == dispatcher => *view,
            _ => {
                let batch = &state.dispatcher(dispatcher).local;
                let facts = self.constants.view(&state.shared.log, batch);
                let oldest = self.constants.oldest(facts);
                *kept.insert(View {
                    dispatcher,
                    facts,
                    oldest,
                })
            }
        }
    }

    /// Whether an intent may be staged, its turn aside: the agent is at work, the intent is not in
    /// the batch, a Claim is the dispatcher's own, and in the view it is allowed or resubmits what
    /// is there.
    fn staging(&self, state: &State, view: View, intent: Intent) -> [bool; 4] {
        let constants = &self.constants;
        let dispatcher = state.dispatcher(view.dispatcher);
        let claimed = constants.claimed(intent);
        let is_allowed = constants
            .fact_of(intent)
            .is_some_and(|fact| constants.allowed(view.facts, fact));
        let resubmits = constants
            .resubmitted(intent)
            .is_some_and(|work| view.facts.contains(constants.work(work)));
        [
            dispatcher.phase == DispatcherPhase::Agent,
            !dispatcher.local.contains(intent),
            claimed.is_none_or(|claim| constants.owner(claim) == view.dispatcher),
            is_allowed || resubmits,
        ]
    }

    /// Whether a worker may begin. That its Claim is the winner is part of being effective; the
    /// document says both.
    fn activation(&self, state: &State, worker: Worker) -> Guard {
        let constants = &self.constants;
        let facts = state.shared.log.facts();
        let claim = constants.inbound(worker);
        let work = constants.work_of(claim);
        let status = constants.work_status(facts, work);
        Guard::of([
            in_phase(state, worker, WorkerPhase::Waiting),
            !state.shared.dead_runs.contains(claim),
            constants.claim_status(facts, claim) == ClaimStatus::Effective,
            constants.winner(facts, work) == Some(claim),
            !matches!(status, WorkStatus::Completed | WorkStatus::Cancelled),
        ])
    }

    /// Whether a maintained log would be another than the log.
    fn would_change(&self, shared: &Shared, kind: Maintenance) -> bool {
        self.maintained(&shared.log, kind, shared.observed(kind)) != shared.log
    }
}

fn in_phase(state: &State, worker: Worker, phase: WorkerPhase) -> bool {
    state.worker(worker).phase == phase
}

/// Whether a proposal can be published, conjunct by conjunct: it was made from this version, and
/// from this log.
fn is_current(shared: &Shared, proposal: &Proposal) -> [bool; 2] {
    [proposal.base == shared.head, proposal.source == shared.log]
}
