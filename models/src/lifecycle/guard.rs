//! When each action is enabled.
//!
//! Shared design, models/lifecycle.md, section 5. A guard has one entry for each conjunct of its
//! definition there, in that order; a named predicate that is itself a conjunction has one for each
//! of its own. Alternatives are one entry.

use plumb_checker::Guard;

use super::QueueLifecycle;
use super::action::{Action, Attempt};
use super::constants::Defect;
use super::state::State;
use super::vocabulary::{Assignment, Claim, Count, Disposition, Group, Phase, Root, Status};
use crate::finite::Finite;

impl QueueLifecycle {
    /// The guard of an action, one entry for each conjunct of its definition.
    #[must_use]
    pub fn guard(&self, state: &State, action: Action) -> Guard {
        let has = |defect| self.constants.has(defect);
        let in_phase = |group, phase| state.phase[group] == phase;
        match action {
            Action::Control(_) => Guard::of([]),
            Action::Admit => Guard::of([!state.admitted, !state.admission_paused]),
            Action::Grant => Guard::of([
                state.admitted,
                state.assignment == Assignment::Empty,
                !state.grants_paused,
            ]),
            Action::Mark(group) => Guard::of([
                in_phase(group, Phase::Reserved),
                !state.grants_paused,
                !state.released.contains(group),
            ]),
            Action::Send(group) => Guard::of([
                !state.released.contains(group),
                in_phase(group, Phase::Marked)
                    || has(Defect::SecondSender)
                        && in_phase(group, Phase::Uncertain)
                        && state.sends[group] == Count::One,
            ]),
            Action::Activate(group) => {
                let [sent, held] = state.trusted_activation(group);
                Guard::of([sent, held, in_phase(group, Phase::Uncertain)])
            }
            Action::ConflictingActivation(group) => {
                let [sent, held] = state.trusted_activation(group);
                Guard::of([
                    sent,
                    held,
                    state.binding[group] == Count::One,
                    in_phase(group, Phase::Bound),
                ])
            }
            Action::UnauthenticatedActivation(group) => {
                Guard::of([in_phase(group, Phase::Uncertain)])
            }
            Action::Finish(root, _) => {
                let [assigned, single, held, bound] = state.authorized(root);
                let open = state.status_of(root) == Status::Open;
                Guard::of([assigned, single, held, bound, open])
            }
            Action::Effect(root, attempt) => {
                let [assigned, single, held, bound] = state.authorized(root);
                Guard::of([
                    state.is_assigned(root),
                    state.status_of(root) == Status::Completed,
                    assigned,
                    single,
                    held,
                    bound,
                    !state.effects.contains(root),
                    attempt == Attempt::First || has(Defect::RerunEffects),
                ])
            }
            Action::Result(root) => Guard::of([
                state.status_of(root) == Status::Completed,
                state.effects.contains(root),
                !state.results.contains(root),
                !state.failures.contains(root) || has(Defect::ResultAfterFailure),
            ]),
            Action::TerminalEvidence(group) => {
                let [sent, bound_or_uncertain] = state.trusted_terminal(group);
                Guard::of([sent, bound_or_uncertain, !state.terminal.contains(group)])
            }
            Action::VerifyDelivery(root) => {
                let [assigned, completed, ended, no_result, no_failure] = undelivered(state, root);
                Guard::of([
                    assigned,
                    completed,
                    ended,
                    no_result,
                    no_failure,
                    state.verification_attempts[root] < Count::Two,
                ])
            }
            Action::DeliveryFailure(root) => {
                let [assigned, completed, ended, no_result, no_failure] = undelivered(state, root);
                Guard::of([
                    assigned,
                    completed,
                    ended,
                    no_result,
                    no_failure,
                    state.verification_attempts[root] == Count::Two
                        || has(Defect::EarlyDeliveryFailure),
                ])
            }
            Action::Release(group) => Guard::of([
                !state.released.contains(group),
                !state.assignment.members(group).is_empty(),
                self.may_release(state, group),
            ]),
            Action::Replace(root, disposition) => Guard::of([
                state.failures.contains(root),
                !state.replacements.contains(root),
                disposition != Disposition::Unknown || has(Defect::UnsafeReplacement),
            ]),
            Action::Successor(successor) => Guard::of([
                state.status[successor.claim()] == Status::Waiting,
                state.has_results_for(successor),
            ]),
            Action::Preempt => Guard::of([
                state.grants_paused,
                state.is_assigned(Root::A),
                state.status[Claim::A] == Status::Open,
            ]),
            Action::Repeat => Guard::of([
                state.epoch < self.constants.epoch_bound,
                state.assignment != Assignment::Empty,
                Group::ALL.iter().all(|group| {
                    state.assignment.members(*group).is_empty() || state.released.contains(*group)
                }),
                state.assigned().iter().all(|root| {
                    matches!(state.status_of(root), Status::Completed | Status::Cancelled)
                }),
                state.assigned().iter().all(|root| {
                    state.status_of(root) != Status::Completed
                        || state.results.contains(root)
                        || state.failures.contains(root)
                }),
            ]),
        }
    }

    /// What allows a slot to be given back: evidence of the end, without conflict; the launch was
    /// not even announced; or a defect.
    fn may_release(&self, state: &State, group: Group) -> bool {
        let phase = state.phase[group];
        let ended = state.terminal.contains(group);
        ended && phase != Phase::Conflict
            || phase == Phase::Reserved
            || self.constants.has(Defect::AmbiguousRelease) && phase == Phase::Uncertain
            || self.constants.has(Defect::ConflictRelease) && ended && phase == Phase::Conflict
    }
}

/// Whether a root's delivery is due and undecided, conjunct by conjunct: it is assigned and
/// completed, its group's end is proved, and it has neither Result nor failure.
fn undelivered(state: &State, root: Root) -> [bool; 5] {
    [
        state.is_assigned(root),
        state.status_of(root) == Status::Completed,
        state.terminal.contains(root.group()),
        !state.results.contains(root),
        !state.failures.contains(root),
    ]
}
