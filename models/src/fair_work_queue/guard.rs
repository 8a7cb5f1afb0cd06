//! When each action is enabled.
//!
//! Shared design, models/fair-work-queue.md, sections 7, 10, 11 and 12. A guard has one entry for
//! each conjunct of its definition there, in that order; what the way to a join additionally needs
//! comes last. Alternatives are one entry.

use plumb_checker::Guard;

use super::FairWorkQueue;
use super::action::Action;
use super::constants::Specification;
use super::schedule;
use super::state::{Effect, State};
use super::vocabulary::{
    CheckpointPhase, Claim, ClaimStatus, Delivery, Group, Intent, PendingPhase, Readiness,
    Resource, Run, Work, WorkStatus, Worker,
};
use crate::numbered::{NumberSet, Numbered};

/// How often a resource is observed at most.
pub(super) const MOST_READS: i64 = 2;

impl FairWorkQueue {
    /// The guard of an action, one entry for each conjunct of its definition.
    ///
    /// The parameters must be among the groups, works and Claims that the constants allow.
    #[must_use]
    pub fn guard(&self, state: &State, action: Action) -> Guard {
        let constants = &self.constants;
        let s = state.projection();
        let in_phase = |group, phase| state.pending(group).phase == phase;
        let late = |group| state.pending(group).base != state.head();
        let is_worker = |group, worker| state.worker(group) == worker;
        let has_run = |group, run| s.run(group) == run;
        let is_claim = |claim, status| s.claim(claim) == status;
        let has_result = |claim| s.results.contains(constants.work_of(claim));
        let members = |group| s.members(group);
        let checkpoint = state.checkpoint_pending;
        match action {
            Action::Prepare(group) => Guard::of([
                in_phase(group, PendingPhase::Idle),
                // A plan is empty exactly if it has no first Claim; a batch has room for one.
                schedule::next_claim(constants, s, group).is_some(),
                self.may_join(state, group),
            ]),
            Action::Push(group) => Guard::of([
                in_phase(group, PendingPhase::Prepared),
                !late(group),
                state.source_is_log(group),
                // A late plan is not asked: it would have to be made anew, and its source is not
                // the log either.
                late(group) || !state.operations(constants, group).is_empty(),
            ]),
            Action::Retry(group) => {
                Guard::of([in_phase(group, PendingPhase::Prepared), late(group)])
            }
            Action::Launch(group) => Guard::of([has_run(group, Run::Reserved)]),
            Action::Bind(group) => Guard::of([has_run(group, Run::Started)]),
            Action::FinishIntent(group, claim, _) => Guard::of([
                is_worker(group, Worker::Agent),
                s.is_member(group, claim),
                state.intent(claim) == Intent::None,
            ]),
            Action::BeginFinalize(group) => Guard::of([
                is_worker(group, Worker::Agent),
                !self.is_way_to_a_join()
                    || members(group).all(|claim| state.intent(claim) == Intent::Completed),
            ]),
            Action::Finalize(group, claim) => Guard::of([
                is_worker(group, Worker::Finalizing),
                has_run(group, Run::Bound),
                s.is_member(group, claim),
                !state.is_handled(claim),
                is_claim(claim, ClaimStatus::Open),
                s.work(constants.work_of(claim)).owner == Some(claim),
            ]),
            Action::Effect(group, claim) => Guard::of([
                is_worker(group, Worker::Finalizing),
                s.is_member(group, claim),
                state.is_authorized(claim),
                state.effects.iter().all(|effect| effect.claim != claim),
            ]),
            Action::VerifyDelivery(group, claim) => Guard::of([
                is_worker(group, Worker::Finalizing),
                has_run(group, Run::Bound),
                state.is_authorized(claim),
                has_effect(state, group, claim, Delivery::Pending),
            ]),
            Action::PublishResult(group, claim) => Guard::of([
                is_worker(group, Worker::Finalizing),
                has_run(group, Run::Bound),
                s.is_member(group, claim),
                is_claim(claim, ClaimStatus::Completed),
                !has_result(claim),
                has_effect(state, group, claim, Delivery::Verified),
            ]),
            Action::RepairResult(group, claim) => Guard::of([
                is_worker(group, Worker::Terminal),
                has_run(group, Run::Terminal) || has_run(group, Run::Released),
                s.is_member(group, claim),
                is_claim(claim, ClaimStatus::Completed),
                !has_result(claim),
                has_effect(state, group, claim, Delivery::Verified),
            ]),
            Action::Terminate(group) => Guard::of([
                is_worker(group, Worker::Finalizing),
                members(group).all(|claim| state.is_handled(claim)),
                !self.is_way_to_a_join() || members(group).all(has_result),
            ]),
            Action::Crash(group) => {
                Guard::of([is_worker(group, Worker::Agent) || is_worker(group, Worker::Finalizing)])
            }
            Action::Recover(group, claim) => Guard::of([
                has_run(group, Run::Terminal),
                s.is_member(group, claim),
                is_claim(claim, ClaimStatus::Open),
            ]),
            Action::Release(group) => Guard::of([
                has_run(group, Run::Terminal),
                !members(group).any(|claim| is_claim(claim, ClaimStatus::Open)),
            ]),
            Action::Observe(resource, _) => Guard::of([s.resources[resource].reads < MOST_READS]),
            Action::BrokenSelect(group) => Guard::of([
                in_phase(group, PendingPhase::Idle),
                !schedule::eligible(constants, s).is_empty(),
            ]),
            Action::BrokenEffect(group, claim) => Guard::of([
                is_worker(group, Worker::Finalizing),
                s.is_member(group, claim),
                !state.is_authorized(claim),
                members(group).any(|other| other != claim && state.is_authorized(other)),
            ]),
            Action::BrokenHandle(group, claim) => Guard::of([
                is_worker(group, Worker::Finalizing),
                !s.is_member(group, claim),
                is_claim(claim, ClaimStatus::Open),
            ]),
            Action::BrokenPush(group) => {
                Guard::of([in_phase(group, PendingPhase::Prepared), late(group)])
            }
            Action::BrokenRelease(group) => Guard::of([
                has_run(group, Run::Bound),
                members(group).any(|claim| state.is_completed(claim)),
                members(group).any(|claim| is_claim(claim, ClaimStatus::Open)),
            ]),
            Action::BrokenDependency(group, work) => Guard::of([
                in_phase(group, PendingPhase::Idle),
                s.work(work).status == WorkStatus::Available,
                !constants.predecessors(work).is_subset(s.results),
            ]),
            Action::BrokenResult(group, claim) => Guard::of([
                is_worker(group, Worker::Finalizing),
                is_claim(claim, ClaimStatus::Completed),
                s.is_member(group, claim),
                !has_result(claim),
                !has_effect(state, group, claim, Delivery::Verified),
            ]),
            Action::BrokenExternal(group, work) => {
                let mut resources = constants.waits_for(work).iter();
                Guard::of([
                    in_phase(group, PendingPhase::Idle),
                    s.work(work).status == WorkStatus::Available,
                    resources.any(|resource| s.resources[resource].readiness != Readiness::Ready),
                ])
            }
            Action::BrokenPrObservation => Guard::of([
                constants.resources().contains(Resource::PullRequest),
                s.resources[Resource::PullRequest].reads < MOST_READS,
            ]),
            Action::BrokenProjection => Guard::of([]),
            Action::PrepareCheckpoint => Guard::of([checkpoint.phase == CheckpointPhase::Idle]),
            Action::RetryCheckpoint => Guard::of([
                checkpoint.phase == CheckpointPhase::Prepared,
                checkpoint.base != state.head(),
            ]),
            Action::PublishCheckpoint => Guard::of([
                checkpoint.phase == CheckpointPhase::Prepared,
                checkpoint.base == state.head(),
                state.checkpoint_source_is_log(),
            ]),
        }
    }

    fn is_way_to_a_join(&self) -> bool {
        self.specification == Specification::JoinWitness
    }

    /// Whether it is a group's turn. On the way to a join the first group does work 1, the second
    /// what needs its Result, and all others what needs the Results of works 2 and 3.
    fn may_join(&self, state: &State, group: Group) -> bool {
        if !self.is_way_to_a_join() {
            return true;
        }
        let s = state.projection();
        let with_results = |numbers: &[i64]| {
            let works = numbers.iter().copied().filter_map(Work::numbered);
            works.collect::<NumberSet<Work>>().is_subset(s.results)
        };
        match group.number() {
            1 => s.work(Work::at(0)).status == WorkStatus::Available,
            2 => with_results(&[1]),
            _ => with_results(&[2, 3]),
        }
    }
}

fn has_effect(state: &State, group: Group, claim: Claim, delivery: Delivery) -> bool {
    state.effects.contains(&Effect {
        group,
        claim,
        delivery,
    })
}
