//! What each action changes.
//!
//! Shared design, models/work-queue.md, sections 4.3, 4.4 and 4.6.

use super::WorkQueue;
use super::action::Action;
use super::fact::Fact;
use super::sequence::Sequence;
use super::state::{
    Activation, DispatcherState, MaintenanceState, Proposal, Shared, State, WorkerState,
};
use super::vocabulary::{
    Claim, DispatcherPhase, Maintenance, MaintenancePhase, Worker, WorkerPhase,
};
use crate::numbered::{NumberSet, Numbered};

impl WorkQueue {
    /// The state after an action whose guard holds.
    #[must_use]
    pub fn apply(&self, state: &State, action: Action) -> State {
        let mut next = state.clone();
        let State {
            shared,
            dispatchers,
            workers,
            ..
        } = &mut next;
        match action {
            Action::Stage(dispatcher, intent) | Action::StageIntent(dispatcher, intent) => {
                dispatchers[dispatcher.index()].local.push(intent);
            }
            Action::PrepareDispatch(dispatcher) => {
                let dispatcher = &mut dispatchers[dispatcher.index()];
                dispatcher.phase = DispatcherPhase::Prepared;
                self.propose_batch(shared, dispatcher);
            }
            Action::PushDispatch(dispatcher) => {
                let dispatcher = &mut dispatchers[dispatcher.index()];
                dispatcher.phase = DispatcherPhase::Done;
                self.write(shared, &dispatcher.proposal.candidate);
            }
            Action::RetryDispatch(dispatcher) => {
                let dispatcher = &mut dispatchers[dispatcher.index()];
                if self.may_retry(&mut dispatcher.proposal) {
                    self.propose_batch(shared, dispatcher);
                } else {
                    dispatcher.phase = DispatcherPhase::Failed;
                }
            }
            Action::Activate(worker) => {
                let worker = &mut workers[worker.index()];
                worker.phase = WorkerPhase::Running;
                worker.activation = Activation {
                    ready: true,
                    head: shared.head,
                    admitted: true,
                };
            }
            Action::EndAgent(worker, finish) => {
                let worker = &mut workers[worker.index()];
                worker.phase = WorkerPhase::Ready;
                worker.finish = finish;
            }
            Action::PrepareWorker(id) => {
                let worker = &mut workers[id.index()];
                worker.phase = WorkerPhase::Prepared;
                self.propose_outcome(shared, id, worker);
            }
            Action::PushWorker(id) => {
                let worker = &mut workers[id.index()];
                let completion = self.constants.completion(id);
                let completes = worker.proposal.candidate.contains(completion)
                    && !shared.log.contains(completion);
                worker.phase = if completes {
                    WorkerPhase::Committed
                } else {
                    WorkerPhase::Stopped
                };
                self.write(shared, &worker.proposal.candidate);
            }
            Action::RetryWorker(id) => {
                let worker = &mut workers[id.index()];
                if self.may_retry(&mut worker.proposal) {
                    self.propose_outcome(shared, id, worker);
                } else {
                    worker.phase = WorkerPhase::Failed;
                }
            }
            Action::VerifyCompletion(worker) => {
                workers[worker.index()].phase = WorkerPhase::Authorized;
                shared
                    .authorizations
                    .push(self.constants.completion(worker));
            }
            Action::ExternalEffect(worker) => {
                workers[worker.index()].phase = WorkerPhase::Done;
                shared.effects.push(self.constants.completion(worker));
            }
            Action::RunTerminates(claim) => {
                shared.dead_runs.insert(claim);
                self.end_workers(workers, claim);
            }
            Action::PrepareMaintenance(kind) => {
                let maintenance = next.maintenance_mut(kind);
                maintenance.phase = MaintenancePhase::Prepared;
                maintenance.proposal.retries = 0;
                self.propose_maintained(&state.shared, kind, maintenance);
            }
            Action::PushMaintenance(kind) => {
                next.maintenance_mut(kind).phase = MaintenancePhase::Done;
                let candidate = &state.maintenance(kind).proposal.candidate;
                self.write(&mut next.shared, candidate);
            }
            Action::RetryMaintenance(kind) => {
                let maintenance = next.maintenance_mut(kind);
                if self.may_retry(&mut maintenance.proposal) {
                    self.propose_maintained(&state.shared, kind, maintenance);
                } else {
                    maintenance.phase = MaintenancePhase::Failed;
                }
            }
            Action::DuplicateRecord(fact) => self.commit_also(shared, fact),
            Action::UnsafeStalePush(dispatcher) => {
                let dispatcher = &mut dispatchers[dispatcher.index()];
                dispatcher.phase = DispatcherPhase::Done;
                self.commit(shared, dispatcher.proposal.candidate.clone());
            }
            Action::UnsafeLateClaim(claim) => {
                self.commit_also(shared, self.constants.claim(claim));
            }
        }
        next
    }

    /// The log becomes another one; of a work that is terminal now and never was before, the facts
    /// are kept.
    pub fn commit(&self, shared: &mut Shared, log: Sequence<Fact>) {
        let facts = log.facts();
        shared.log = log;
        // No bound lets versions come near the end of their type; a state from elsewhere may.
        shared.head = shared.head.saturating_add(1);
        for work in self.constants.all_works() {
            let history = &mut shared.terminal_history[work.index()];
            if history.is_empty() && self.constants.is_terminal(facts, work) {
                *history = facts.intersection(self.constants.about(work));
            }
        }
    }

    /// The log with one fact more is committed.
    fn commit_also(&self, shared: &mut Shared, fact: Fact) {
        let mut log = shared.log.clone();
        log.push(fact);
        self.commit(shared, log);
    }

    /// A log is committed unless it is the one that there is: then nothing changes, not even the
    /// version.
    pub fn write(&self, shared: &mut Shared, candidate: &Sequence<Fact>) {
        if *candidate != shared.log {
            self.commit(shared, candidate.clone());
        }
    }

    /// Counts one more retry, unless they are used up.
    fn may_retry(&self, proposal: &mut Proposal) -> bool {
        let left = proposal.retries != self.constants.retry_limit;
        if left {
            proposal.retries = proposal.retries.saturating_add(1);
        }
        left
    }

    /// The run of a Claim ends, and with it the workers that have not ended.
    fn end_workers(&self, workers: &mut [WorkerState], claim: Claim) {
        for (id, worker) in self.constants.all_workers().zip(workers) {
            if self.constants.inbound(id) == claim && !worker.phase.is_final() {
                worker.phase = WorkerPhase::Failed;
            }
        }
    }

    fn propose_batch(&self, shared: &Shared, dispatcher: &mut DispatcherState) {
        let candidate = self.constants.append_batch(&shared.log, &dispatcher.local);
        dispatcher.proposal.replace(shared, candidate);
    }

    fn propose_outcome(&self, shared: &Shared, id: Worker, worker: &mut WorkerState) {
        let candidate = self.with_outcome(&shared.log, id, worker.finish);
        worker.proposal.replace(shared, candidate);
    }

    fn propose_maintained(
        &self,
        shared: &Shared,
        kind: Maintenance,
        maintenance: &mut MaintenanceState,
    ) {
        maintenance.observed_runs = shared.observed(kind);
        let candidate = self.maintained(&shared.log, kind, maintenance.observed_runs);
        maintenance.proposal.replace(shared, candidate);
    }

    /// The log with a worker's outcome, if its Claim is the winner of a work that is still open:
    /// its Completion if the work is done, or else the cancellation of its Claim.
    #[must_use]
    pub fn with_outcome(
        &self,
        log: &Sequence<Fact>,
        worker: Worker,
        finish: bool,
    ) -> Sequence<Fact> {
        let constants = &self.constants;
        let (facts, claim) = (log.facts(), constants.inbound(worker));
        let work = constants.work_of(claim);
        if constants.is_terminal(facts, work) || constants.winner(facts, work) != Some(claim) {
            return log.clone();
        }
        let outcome = if finish {
            constants.completion(worker)
        } else {
            constants.claim_cancellation(claim)
        };
        constants.append(log, [outcome])
    }

    /// The log after maintenance: in canonical order without duplicates, or with the Claims of
    /// these ended runs given up.
    #[must_use]
    pub fn maintained(
        &self,
        log: &Sequence<Fact>,
        kind: Maintenance,
        observed: NumberSet<Claim>,
    ) -> Sequence<Fact> {
        let facts = log.facts();
        match kind {
            Maintenance::Compact => self.constants.canonical(facts),
            Maintenance::Recovery => {
                let orphans = self.constants.orphans(facts, observed);
                self.constants.append(log, orphans.iter())
            }
        }
    }
}

impl Shared {
    /// The ended runs that a kind of maintenance looks at.
    #[must_use]
    pub fn observed(&self, kind: Maintenance) -> NumberSet<Claim> {
        match kind {
            Maintenance::Compact => NumberSet::EMPTY,
            Maintenance::Recovery => self.dead_runs,
        }
    }
}

impl Proposal {
    /// Proposes a log instead of the one that there is.
    fn replace(&mut self, shared: &Shared, candidate: Sequence<Fact>) {
        self.base = shared.head;
        self.source = shared.log.clone();
        self.candidate = candidate;
    }
}
