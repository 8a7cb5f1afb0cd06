//! The twelve invariants and the three witnesses.
//!
//! Shared design, models/lifecycle.md, sections 6 and 9.

use plumb_checker::Invariant;

use super::QueueLifecycle;
use super::state::State;
use super::vocabulary::{
    Assignment, Claim, Count, Group, Phase, Root, Status, Successor, Violation,
};
use crate::finite::Finite;

/// What the model guarantees.
pub(super) fn guarantees() -> Vec<Invariant<QueueLifecycle>> {
    vec![
        Invariant::state(
            "TypeOK",
            "the epoch is within its bound, and results, failures and replacements are roots",
            type_ok,
        ),
        Invariant::state(
            "FairPrefixPacking",
            "what is assigned is nothing, or the fair prefix of the queue",
            fair_prefix_packing,
        ),
        Invariant::state(
            "OneSender",
            "each group is sent at most once, and only after its marker",
            one_sender,
        ),
        Invariant::state(
            "BindingAuthority",
            "each group is bound to at most its first activation, and that one was checked",
            binding_authority,
        ),
        Invariant::state(
            "AttemptOneEffects",
            "no effect is entered by a second attempt",
            attempt_one_effects,
        ),
        Invariant::state(
            "ReservationAuthority",
            "a released group is proved to have ended or never to have been launched, and is not \
             in conflict",
            reservation_authority,
        ),
        Invariant::state(
            "ControlNotPreemption",
            "no pause cancels work under way",
            control_not_preemption,
        ),
        Invariant::state(
            "DeliveryExclusivity",
            "no root has both a Result and a failure",
            delivery_exclusivity,
        ),
        Invariant::state(
            "DeliveryFailureBudget",
            "a failure is recorded only after both attempts at verification and the end of the \
             group",
            delivery_failure_budget,
        ),
        Invariant::state(
            "ResultSoundness",
            "a root with a Result is completed and has had its effect",
            result_soundness,
        ),
        Invariant::state(
            "ReplacementSafety",
            "only failed roots are replaced, and none of unknown effect",
            replacement_safety,
        ),
        Invariant::state(
            "DAGBarrier",
            "a successor is ready only when all its predecessors have Results",
            dag_barrier,
        ),
    ]
}

/// Claims of unreachability that must be violated.
pub(super) fn witnesses() -> Vec<Invariant<QueueLifecycle>> {
    vec![
        Invariant::state(
            "NoActivationRecoveryWitness",
            "denied, to be reached: a group sent once and in doubt is bound by its activation",
            no_activation_recovery,
        ),
        Invariant::state(
            "NoConflictReservationWitness",
            "denied, to be reached: a group in conflict keeps its binding and its slot",
            no_conflict_reservation,
        ),
        Invariant::state(
            "NoMixedLifecycleWitness",
            "denied, to be reached: with both pauses on, a and c are completed and b is \
             cancelled, join is ready and blocked waits",
            no_mixed_lifecycle,
        ),
    ]
}

/// Weak on purpose. Results, failures and replacements are sets of roots by their Rust type.
fn type_ok(model: &QueueLifecycle, state: &State) -> bool {
    1 <= state.epoch && state.epoch <= model.constants.epoch_bound
}

fn fair_prefix_packing(model: &QueueLifecycle, state: &State) -> bool {
    state.assignment == Assignment::Empty || state.assignment == model.constants.packing()
}

fn one_sender(_: &QueueLifecycle, state: &State) -> bool {
    state.sends.iter().all(|(group, sends)| {
        sends <= Count::One && (sends == Count::Zero || state.markers.contains(group))
    })
}

fn binding_authority(_: &QueueLifecycle, state: &State) -> bool {
    state
        .binding
        .iter()
        .all(|(_, binding)| binding <= Count::One)
        && state.violation != Violation::Unauthenticated
}

fn attempt_one_effects(_: &QueueLifecycle, state: &State) -> bool {
    state.violation != Violation::Rerun
}

fn reservation_authority(_: &QueueLifecycle, state: &State) -> bool {
    state.released.iter().all(|group| {
        let never_launched = !state.markers.contains(group) && state.sends[group] == Count::Zero;
        (state.terminal.contains(group) || never_launched) && state.phase[group] != Phase::Conflict
    })
}

fn control_not_preemption(_: &QueueLifecycle, state: &State) -> bool {
    state.violation != Violation::Preempted
}

fn delivery_exclusivity(_: &QueueLifecycle, state: &State) -> bool {
    state.results.is_disjoint(state.failures)
}

fn delivery_failure_budget(_: &QueueLifecycle, state: &State) -> bool {
    state.failures.iter().all(|root| {
        state.verification_attempts[root] == Count::Two && state.terminal.contains(root.group())
    })
}

fn result_soundness(_: &QueueLifecycle, state: &State) -> bool {
    let sound =
        |root: Root| state.status_of(root) == Status::Completed && state.effects.contains(root);
    state.results.iter().all(sound)
}

fn replacement_safety(_: &QueueLifecycle, state: &State) -> bool {
    state.replacements.is_subset(state.failures) && state.violation != Violation::UnsafeReplacement
}

fn dag_barrier(_: &QueueLifecycle, state: &State) -> bool {
    Successor::ALL.iter().all(|successor| {
        state.status[successor.claim()] != Status::Ready || state.has_results_for(*successor)
    })
}

fn no_activation_recovery(_: &QueueLifecycle, state: &State) -> bool {
    !Group::ALL.iter().any(|group| {
        state.phase[*group] == Phase::Bound
            && state.sends[*group] == Count::One
            && state.binding[*group] == Count::One
    })
}

fn no_conflict_reservation(_: &QueueLifecycle, state: &State) -> bool {
    !Group::ALL.iter().any(|group| {
        state.phase[*group] == Phase::Conflict
            && state.binding[*group] == Count::One
            && !state.released.contains(*group)
    })
}

fn no_mixed_lifecycle(_: &QueueLifecycle, state: &State) -> bool {
    let reached = state.status[Claim::A] == Status::Completed
        && state.status[Claim::B] == Status::Cancelled
        && state.status[Claim::C] == Status::Completed
        && state.status[Claim::Join] == Status::Ready
        && state.status[Claim::Blocked] == Status::Waiting
        && state.admission_paused
        && state.grants_paused;
    !reached
}
