//! What each action changes.
//!
//! Shared design, models/lifecycle.md, section 5.

use super::QueueLifecycle;
use super::action::{Action, Attempt, Control};
use super::constants::Defect;
use super::state::State;
use super::vocabulary::{Assignment, Claim, Count, Disposition, Group, Phase, Status, Violation};
use crate::finite::{Finite, Map};

impl QueueLifecycle {
    /// The state after an action whose guard holds.
    ///
    /// Counts and the epoch stop at the end of their types, which only guards with a dropped
    /// conjunct reach.
    #[must_use]
    pub fn apply(&self, state: &State, action: Action) -> State {
        let mut next = *state;
        match action {
            Action::Control(Control::Admission) => next.admission_paused = !state.admission_paused,
            Action::Control(Control::Grants) => next.grants_paused = !state.grants_paused,
            Action::Admit => next.admitted = true,
            Action::Grant => self.grant(&mut next),
            Action::Mark(group) => {
                next.markers.insert(group);
                next.phase[group] = Phase::Marked;
            }
            Action::Send(group) => {
                next.sends[group] = state.sends[group].next();
                next.phase[group] = Phase::Uncertain;
            }
            Action::Activate(group) => {
                next.binding[group] = Count::One;
                next.phase[group] = Phase::Bound;
            }
            Action::ConflictingActivation(group) => {
                next.phase[group] = Phase::Conflict;
                if self.constants.has(Defect::ConflictingBinding) {
                    next.binding[group] = Count::Two;
                }
            }
            Action::UnauthenticatedActivation(group) => {
                next.phase[group] = Phase::Bound;
                next.binding[group] = Count::One;
                next.violation = Violation::Unauthenticated;
            }
            Action::Finish(root, outcome) => next.status[root.claim()] = outcome.status(),
            Action::Effect(root, attempt) => {
                next.effects.insert(root);
                if attempt == Attempt::Second {
                    next.violation = Violation::Rerun;
                }
            }
            Action::Result(root) => next.results.insert(root),
            Action::TerminalEvidence(group) => next.terminal.insert(group),
            Action::VerifyDelivery(root) => {
                next.verification_attempts[root] = state.verification_attempts[root].next();
            }
            Action::DeliveryFailure(root) => next.failures.insert(root),
            Action::Release(group) => release(&mut next, group),
            Action::Replace(root, disposition) => {
                // The disposition is not kept: two of them give the same state.
                next.replacements.insert(root);
                if disposition == Disposition::Unknown {
                    next.violation = Violation::UnsafeReplacement;
                }
            }
            Action::Successor(successor) => next.status[successor.claim()] = Status::Ready,
            Action::Preempt => {
                next.status[Claim::A] = Status::Cancelled;
                next.violation = Violation::Preempted;
            }
            Action::Repeat => {
                next = State {
                    epoch: state.epoch.saturating_add(1),
                    admission_paused: state.admission_paused,
                    grants_paused: state.grants_paused,
                    violation: state.violation,
                    ..State::INITIAL
                };
            }
        }
        next
    }

    /// Packs the queue, reserves the groups that carry something, and opens what they carry.
    fn grant(&self, next: &mut State) {
        next.assignment = match self.constants.packing() {
            Assignment::First if self.constants.has(Defect::SkipPrefix) => Assignment::Skipped,
            packing => packing,
        };
        for group in Group::ALL {
            let carries = !next.assignment.members(*group).is_empty();
            next.phase[*group] = if carries {
                Phase::Reserved
            } else {
                Phase::Idle
            };
        }
        next.status = Map::all(Status::Waiting);
        for root in next.assigned().iter() {
            next.status[root.claim()] = Status::Open;
        }
    }
}

/// Gives a group's slot back and cancels what it carries and is still open. All else about the
/// group stays as it is: a group released before its launch remains reserved.
fn release(next: &mut State, group: Group) {
    next.released.insert(group);
    for root in next.assignment.members(group) {
        if next.status_of(*root) == Status::Open {
            next.status[root.claim()] = Status::Cancelled;
        }
    }
    if !next.terminal.contains(group) && next.markers.contains(group) {
        next.violation = Violation::UnprovedRelease;
    }
}
