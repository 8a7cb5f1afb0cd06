//! What each action changes.
//!
//! Shared design, models/fair-work-queue.md, sections 7, 10 and 12.

use std::sync::Arc;

use super::FairWorkQueue;
use super::action::Action;
use super::ledger::Ledger;
use super::log::{Operation, Record};
use super::projection::Projection;
use super::schedule;
use super::state::{Apart, Effect, State};
use super::vocabulary::{
    CheckpointPhase, Claim, Delivery, Group, Intent, Outcome, PendingPhase, RawStatus, Resource,
    Work, WorkStatus, Worker,
};
use crate::numbered::{NumberSet, Numbered};

impl FairWorkQueue {
    /// The state after an action whose guard holds.
    ///
    /// Where a guard with a dropped conjunct lets an action through that has nothing to act on, the
    /// state stays as it is. Numbers stay at the end of their type, which no search reaches.
    #[must_use]
    pub fn apply(&self, state: &State, action: Action) -> State {
        if self.keeps_together(state, action) {
            let mut next = state.clone();
            self.update(&mut next, state, action);
            return next;
        }
        self.apply_to_all(state, action)
    }

    /// Whether all variables that are functions of others in this state are so after the action,
    /// too. That is the rule; it takes a defect, a dropped conjunct, or a state out of reach of
    /// every behaviour to break it.
    fn keeps_together(&self, state: &State, action: Action) -> bool {
        if state.apart.is_some() || action.sets_apart() || self.dropped.is_some() {
            return false;
        }
        // A source is the log as it was: no base is beyond the log of now.
        let length = state.log().len() as i64;
        let mut bases = state.groups.iter().map(|group| group.pending.base);
        if state.checkpoint_pending.base > length || bases.any(|base| base > length) {
            return false;
        }
        // A Claim that was completed is not made again.
        let Action::Push(group) = action else {
            return true;
        };
        let plan = state.operations(&self.constants, group);
        plan.iter().all(|operation| match operation {
            Operation::Claim(_, claim) => !state.is_completed(*claim),
            _ => true,
        })
    }

    /// The same, variable by variable, whatever they are functions of.
    #[must_use]
    pub fn apply_to_all(&self, state: &State, action: Action) -> State {
        let mut next = state.clone();
        next.apart = Some(Box::new(state.all_apart(&self.constants)));
        self.update(&mut next, state, action);
        if action != Action::BrokenProjection {
            self.refresh_cache(&mut next);
        }
        next.settle(&self.constants);
        next
    }

    /// The cache becomes the checkpoint, followed by the log from there on.
    fn refresh_cache(&self, next: &mut State) {
        let ledger = Arc::clone(&next.ledger);
        if let Some(apart) = &mut next.apart {
            let checkpoint = &apart.checkpoint;
            let known = checkpoint.state.clone();
            let from = checkpoint.prefix.len();
            apart.projection = known.followed_by(&self.constants, ledger.log(), from);
        }
    }

    fn update(&self, next: &mut State, state: &State, action: Action) {
        match action {
            Action::Prepare(group) => {
                let plan = self.plan(state, group);
                self.prepare(next, group, plan);
            }
            Action::Push(group) => {
                let operations = state.operations(&self.constants, group);
                self.append_record(next, Some(group), &operations);
                next.groups[group.index()].pending.phase = PendingPhase::Done;
            }
            Action::Retry(group) => self.retry(next, state, group),
            Action::Launch(group) => self.append(next, Operation::Started(group)),
            Action::Bind(group) => {
                self.append(next, Operation::Bound(group));
                next.groups[group.index()].worker = Worker::Agent;
            }
            Action::FinishIntent(_, claim, outcome) => {
                next.intents.set(claim, Intent::from(outcome));
            }
            Action::BeginFinalize(group) => next.groups[group.index()].worker = Worker::Finalizing,
            Action::Finalize(group, claim) => match state.intent(claim) {
                Intent::Completed => self.complete(next, group, claim),
                Intent::Cancelled | Intent::None => self.cancel(next, group, claim),
            },
            Action::Effect(group, claim) | Action::BrokenEffect(group, claim) => {
                next.effects.push(Effect {
                    group,
                    claim,
                    delivery: Delivery::Pending,
                });
            }
            Action::VerifyDelivery(group, claim) => {
                let of_claim =
                    |effect: &&mut Effect| (effect.group, effect.claim) == (group, claim);
                for effect in next.effects.iter_mut().filter(of_claim) {
                    effect.delivery = Delivery::Verified;
                }
            }
            Action::PublishResult(group, claim)
            | Action::RepairResult(group, claim)
            | Action::BrokenResult(group, claim) => {
                self.append(next, Operation::Result(group, claim));
            }
            Action::Terminate(group) | Action::Crash(group) => {
                self.append(next, Operation::Terminated(group));
                next.groups[group.index()].worker = Worker::Terminal;
            }
            Action::Recover(group, claim) => self.cancel(next, group, claim),
            Action::Release(group) | Action::BrokenRelease(group) => {
                self.append(next, Operation::Release(group));
            }
            Action::Observe(resource, raw) => self.observe(next, resource, raw, false),
            Action::BrokenPrObservation => {
                self.observe(next, Resource::PullRequest, RawStatus::ClosedUnmerged, true);
            }
            Action::BrokenHandle(group, claim) => self.complete(next, group, claim),
            Action::BrokenPush(group) => self.push_late(next, state, group),
            Action::BrokenSelect(group) => {
                let eligible = schedule::eligible(&self.constants, state.projection());
                if let Some(last) = eligible.last() {
                    self.prepare_one(next, group, last);
                }
            }
            Action::BrokenDependency(group, work) | Action::BrokenExternal(group, work) => {
                self.prepare_one(next, group, work);
            }
            Action::BrokenProjection => {
                if let Some(apart) = &mut next.apart {
                    apart.projection.works[0].status = WorkStatus::Completed;
                }
            }
            Action::PrepareCheckpoint => prepare_checkpoint(next),
            Action::RetryCheckpoint => {
                prepare_checkpoint(next);
                next.checkpoint_conflicts = state.checkpoint_conflicts.saturating_add(1);
            }
            Action::PublishCheckpoint => {
                self.append(next, Operation::Checkpoint);
                next.checkpoint_pending.phase = CheckpointPhase::Done;
                let log = next.ledger.log().clone();
                if let Some(apart) = &mut next.apart {
                    apart.checkpoint.state = Projection::of(&self.constants, &log);
                    apart.checkpoint.prefix = log;
                }
            }
        }
    }

    /// A group's plan as things are.
    fn plan(&self, state: &State, group: Group) -> Vec<Operation> {
        let constants = &self.constants;
        schedule::plan(constants, state.projection(), group, constants.max_batch)
    }

    /// A plan is prepared on the log as it is.
    fn prepare(&self, next: &mut State, group: Group, plan: Vec<Operation>) {
        let head = next.head();
        let pending = &mut next.groups[group.index()].pending;
        pending.phase = PendingPhase::Prepared;
        pending.base = head;
        let ledger = Arc::clone(&next.ledger);
        if let Some(apart) = &mut next.apart {
            apart.sources[group.index()] = ledger.log().clone();
            apart.operations[group.index()] = plan;
        }
    }

    /// A plan of one Claim, whoever's turn it is.
    fn prepare_one(&self, next: &mut State, group: Group, work: Work) {
        let claim = self.constants.claim_of(group, work);
        self.prepare(next, group, vec![Operation::Claim(group, claim)]);
    }

    fn retry(&self, next: &mut State, state: &State, group: Group) {
        let retries = state.pending(group).retries;
        if retries == self.constants.retry_limit {
            next.groups[group.index()].pending.phase = PendingPhase::Failed;
            return;
        }
        let plan = self.plan(state, group);
        let nothing_left = plan.is_empty();
        self.prepare(next, group, plan);
        let pending = &mut next.groups[group.index()].pending;
        pending.retries = retries.saturating_add(1);
        if nothing_left {
            pending.phase = PendingPhase::Done;
        }
    }

    /// Adds a record that is nobody's request.
    fn append(&self, next: &mut State, operation: Operation) {
        self.append_record(next, None, &[operation]);
    }

    fn append_record(&self, next: &mut State, request: Option<Group>, operations: &[Operation]) {
        let id = next.head().saturating_add(1);
        let record = Record {
            id,
            previous: next.ledger.history().last_id().unwrap_or(0),
            request,
            operations,
        };
        next.ledger = Arc::new(next.ledger.followed_by(&self.constants, record));
        if let Some(apart) = &mut next.apart {
            apart.head = id;
        }
    }

    /// The record of a late plan goes onto the log that the plan was made on: what came after that
    /// is lost.
    fn push_late(&self, next: &mut State, state: &State, group: Group) {
        let source = state.source(group);
        let operations = state.operations(&self.constants, group);
        let ledger = Ledger::of(&self.constants, &source);
        let id = state.head().saturating_add(1);
        let record = Record {
            id,
            previous: ledger.history().last_id().unwrap_or(0),
            request: Some(group),
            operations: &operations,
        };
        next.ledger = Arc::new(ledger.followed_by(&self.constants, record));
        next.groups[group.index()].pending.phase = PendingPhase::Done;
        if let Some(apart) = &mut next.apart {
            apart.head = id;
        }
    }

    fn complete(&self, next: &mut State, group: Group, claim: Claim) {
        self.append(next, Operation::Close(group, claim, Outcome::Completed));
        join(next, claim, |apart| &mut apart.completed);
        join(next, claim, |apart| &mut apart.authorized);
        join(next, claim, |apart| &mut apart.handled);
    }

    fn cancel(&self, next: &mut State, group: Group, claim: Claim) {
        self.append(next, Operation::Close(group, claim, Outcome::Cancelled));
        join(next, claim, |apart| &mut apart.handled);
    }

    fn observe(&self, next: &mut State, resource: Resource, raw: RawStatus, taken_for_ready: bool) {
        let observation = Operation::Observe {
            resource,
            raw,
            taken_for_ready,
        };
        self.append(next, observation);
    }
}

/// A Claim joins a set of Claims, if the state has that apart.
fn join(next: &mut State, claim: Claim, set: fn(&mut Apart) -> &mut NumberSet<Claim>) {
    if let Some(apart) = &mut next.apart {
        set(apart).insert(claim);
    }
}

fn prepare_checkpoint(next: &mut State) {
    next.checkpoint_pending.phase = CheckpointPhase::Prepared;
    next.checkpoint_pending.base = next.head();
    let ledger = Arc::clone(&next.ledger);
    if let Some(apart) = &mut next.apart {
        apart.checkpoint_source = ledger.log().clone();
    }
}
