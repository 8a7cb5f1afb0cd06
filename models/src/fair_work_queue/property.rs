//! The twenty-two invariants, their conjunction, the denials that a witness violates, the
//! constraints, and the progress of checkpoints.
//!
//! Shared design, models/fair-work-queue.md, sections 8, 9, 11 and 12.

use plumb_checker::{Constraint, Formula, Invariant, TemporalProperty};

use super::FairWorkQueue;
use super::guard::MOST_READS;
use super::history::Rule;
use super::projection::Projection;
use super::state::{Effect, State};
use super::vocabulary::{CheckpointPhase, Claim, ClaimStatus, Delivery, Key, WorkStatus};
use crate::finite::Finite;
use crate::numbered::NumberSet;

/// The names of the twenty-two, which `Safety` is the conjunction of.
const SAFETY: &[&str] = &[
    "ProjectionSoundness",
    "TypeOK",
    "DAGValidity",
    "CausalChain",
    "DecisionValidity",
    "Capacity",
    "ClaimChargeCount",
    "RequestOnce",
    "AssignmentIntegrity",
    "NoDuplicateEffects",
    "ClaimClosureAuthority",
    "RunReleaseAuthority",
    "DependencyAuthorization",
    "ResultAuthority",
    "ResultEffectSoundness",
    "ExternalAuthorization",
    "ExternalTruth",
    "EffectAuthorization",
    "TerminalPersistence",
    "Ownership",
    "DefaultFIFO",
    "StrictPriority",
];

/// What the model guarantees.
pub(super) fn guarantees() -> Vec<Invariant<FairWorkQueue>> {
    vec![
        Invariant::state(
            "ProjectionSoundness",
            "the cache and the checkpoint are what the log and its prefix amount to",
            projection_soundness,
        ),
        Invariant::state(
            "TypeOK",
            "numbers are in their ranges, and only completed Claims are authorized",
            type_ok,
        ),
        Invariant::constant(
            "DAGValidity",
            "works need only works, and none, in the end, itself",
            dag_validity,
        ),
        Invariant::state(
            "CausalChain",
            "the head is the last record, and each record names the one before it",
            causal_chain,
        ),
        Invariant::state(
            "DecisionValidity",
            "every Claim took the work whose turn it was, for its own group, and once",
            |_, state| obeys(state, Rule::DecisionValidity),
        ),
        Invariant::state(
            "Capacity",
            "open Claims, native slots and open Claims of a key are within their limits",
            capacity,
        ),
        Invariant::state(
            "ClaimChargeCount",
            "as many Claims were charged as were made",
            claim_charge_count,
        ),
        Invariant::state(
            "RequestOnce",
            "no group has two requests on record",
            |_, state| obeys(state, Rule::RequestOnce),
        ),
        Invariant::state(
            "AssignmentIntegrity",
            "a group's Claims are its own, different, made, and no more than a batch",
            assignment_integrity,
        ),
        Invariant::state(
            "NoDuplicateEffects",
            "no Claim has two effects",
            no_duplicate_effects,
        ),
        Invariant::state(
            "ClaimClosureAuthority",
            "every Claim was closed by its group while open, owned, and within the run",
            |_, state| obeys(state, Rule::ClaimClosureAuthority),
        ),
        Invariant::state(
            "RunReleaseAuthority",
            "every slot was given back after the end of its run, with no Claim open",
            |_, state| obeys(state, Rule::RunReleaseAuthority),
        ),
        Invariant::state(
            "DependencyAuthorization",
            "every work was claimed after the Results of all its predecessors",
            |_, state| obeys(state, Rule::DependencyAuthorization),
        ),
        Invariant::state(
            "ResultAuthority",
            "every Result was published once, by the group that completed its Claim",
            |_, state| obeys(state, Rule::ResultAuthority),
        ),
        Invariant::state(
            "ResultEffectSoundness",
            "a work with a Result is completed, and its owner's effect is verified",
            result_effect_soundness,
        ),
        Invariant::state(
            "ExternalAuthorization",
            "every work was claimed while all its resources were ready",
            |_, state| obeys(state, Rule::ExternalAuthorization),
        ),
        Invariant::state(
            "ExternalTruth",
            "a resource is taken for what its host said last",
            external_truth,
        ),
        Invariant::state(
            "EffectAuthorization",
            "every effect is of an authorized and completed Claim, by its group",
            effect_authorization,
        ),
        Invariant::state(
            "TerminalPersistence",
            "what was completed stays completed",
            terminal_persistence,
        ),
        Invariant::state(
            "Ownership",
            "a work has at most one open Claim, which owns it",
            ownership,
        ),
        Invariant::state(
            "DefaultFIFO",
            "in default mode every Claim took the eligible work that waited longest",
            |_, state| obeys(state, Rule::DefaultFifo),
        ),
        Invariant::state(
            "StrictPriority",
            "in strict mode no Claim passed over a class before its own",
            |_, state| obeys(state, Rule::StrictPriority),
        ),
    ]
}

/// The conjunction of all that is guaranteed.
pub(super) fn safety() -> Invariant<FairWorkQueue> {
    Invariant::all("Safety", "all twenty-two invariants", SAFETY)
}

/// Claims of unreachability that must be violated.
pub(super) fn witnesses() -> Vec<Invariant<FairWorkQueue>> {
    vec![
        Invariant::state(
            "NoBatchedAssignment",
            "denied, to be reached: a group has several Claims",
            no_batched_assignment,
        ),
        Invariant::state(
            "NoPartialCompletion",
            "denied, to be reached: a group has a completed and an open Claim",
            no_partial_completion,
        ),
        Invariant::state(
            "NoJoinClaim",
            "denied, to be reached: the last work is claimed",
            no_join_claim,
        ),
        Invariant::state(
            "CheckpointRace",
            "denied, to be reached: a checkpoint comes too late",
            checkpoint_race,
        ),
    ]
}

/// What bounds a search.
pub(super) fn constraints() -> Vec<Constraint<FairWorkQueue>> {
    vec![
        Constraint::state(
            "Bound",
            "the log has at most MaxLog records",
            |model, state: &State| state.log().len() as i64 <= model.constants.max_log,
        ),
        Constraint::state(
            "OneObservationPerResource",
            "no resource that a work waits for is observed twice",
            |model, state: &State| {
                let mut resources = model.constants.resources().iter();
                resources.all(|resource| state.projection().resources[resource].reads <= 1)
            },
        ),
    ]
}

/// What happens in the end.
pub(super) fn long_run() -> Vec<TemporalProperty<FairWorkQueue>> {
    vec![TemporalProperty {
        name: "CheckpointProgress",
        meaning: "a checkpoint that is prepared is published in the end",
        formula: |_| {
            let prepared = in_checkpoint_phase(CheckpointPhase::Prepared);
            prepared.leads_to(in_checkpoint_phase(CheckpointPhase::Done))
        },
    }]
}

fn in_checkpoint_phase(phase: CheckpointPhase) -> Formula<FairWorkQueue> {
    let text = format!("checkpointPending.phase = {}", phase.to_value());
    Formula::state(text, move |_: &FairWorkQueue, state: &State| {
        state.checkpoint_pending.phase == phase
    })
}

fn obeys(state: &State, rule: Rule) -> bool {
    state.ledger.history().obeys(rule)
}

/// Where nothing stands apart, the cache and the checkpoint are these functions of the log.
fn projection_soundness(model: &FairWorkQueue, state: &State) -> bool {
    let Some(apart) = &state.apart else {
        return true;
    };
    let constants = &model.constants;
    let checkpoint = &apart.checkpoint;
    let from = checkpoint.prefix.len();
    let known = checkpoint.state.clone();
    state.log().begins_with(&checkpoint.prefix)
        && checkpoint.state == Projection::of(constants, &checkpoint.prefix)
        && apart.projection == known.followed_by(constants, state.log(), from)
        && apart.projection == *state.ledger.projection()
}

/// All but the ranges of numbers is so by the Rust types.
fn type_ok(model: &FairWorkQueue, state: &State) -> bool {
    let natural = |number: i64| number >= 0;
    let authorized = |claim: Claim| !state.is_authorized(claim) || state.is_completed(claim);
    let checkpoint = state
        .apart
        .as_ref()
        .is_none_or(|apart| in_range(&apart.checkpoint.state));
    state.head() >= 1
        && !state.log().is_empty()
        && state
            .log()
            .records()
            .all(|record| natural(record.id) && natural(record.previous))
        && state
            .groups
            .iter()
            .all(|group| natural(group.pending.base) && natural(group.pending.retries))
        && model.constants.all_claims().all(authorized)
        && in_range(state.projection())
        && checkpoint
        && natural(state.checkpoint_pending.base)
        && natural(state.checkpoint_conflicts)
}

/// Whether the numbers of a projection are natural, and no resource was observed too often.
fn in_range(projection: &Projection) -> bool {
    let natural = |number: i64| number >= 0;
    let clocks = &projection.clocks;
    projection.works.iter().all(|work| natural(work.position))
        && clocks.class_passes.iter().all(|(_, pass)| natural(pass))
        && clocks
            .key_passes
            .iter()
            .all(|(_, passes)| passes.iter().all(|(_, pass)| natural(pass)))
        && natural(clocks.class_time)
        && clocks.key_times.iter().all(|(_, time)| natural(time))
        && projection
            .charges
            .iter()
            .all(|(_, charges)| natural(charges))
        && projection
            .resources
            .iter()
            .all(|(_, entry)| (0..=MOST_READS).contains(&entry.reads))
}

pub(super) fn dag_validity(model: &FairWorkQueue) -> bool {
    model.constants.is_acyclic()
}

fn causal_chain(_: &FairWorkQueue, state: &State) -> bool {
    state.ledger.history().last_id() == Some(state.head()) && obeys(state, Rule::CausalChain)
}

fn capacity(model: &FairWorkQueue, state: &State) -> bool {
    let constants = &model.constants;
    let s = state.projection();
    s.open_claims() <= constants.claim_limit
        && s.held_slots() <= constants.run_limit
        && Key::ALL
            .iter()
            .all(|key| s.open_with_key(constants, *key) <= constants.key_limit)
}

fn claim_charge_count(_: &FairWorkQueue, state: &State) -> bool {
    let s = state.projection();
    let made = s.claims.made();
    let mut charges = s.charges.iter();
    charges.try_fold(0, |sum: i64, (_, charges)| sum.checked_add(charges))
        == Some(made.len() as i64)
}

fn assignment_integrity(model: &FairWorkQueue, state: &State) -> bool {
    let constants = &model.constants;
    let s = state.projection();
    constants.all_groups().all(|group| {
        let members = s.members(group);
        let count = members.clone().count();
        let different: NumberSet<Claim> = members.clone().collect();
        count as i64 <= constants.max_batch
            && different.len() == count
            && members.clone().all(|claim| {
                constants.group_of(claim) == group && s.claim(claim) != ClaimStatus::Absent
            })
    })
}

fn no_duplicate_effects(_: &FairWorkQueue, state: &State) -> bool {
    let claims: NumberSet<Claim> = state.effects.iter().map(|effect| effect.claim).collect();
    claims.len() == state.effects.len()
}

fn result_effect_soundness(model: &FairWorkQueue, state: &State) -> bool {
    let s = state.projection();
    s.results.iter().all(|work| {
        let entry = s.work(work);
        entry.status == WorkStatus::Completed
            && entry.owner.is_some_and(|owner| {
                s.claim(owner) == ClaimStatus::Completed
                    && state.effects.contains(&Effect {
                        group: model.constants.group_of(owner),
                        claim: owner,
                        delivery: Delivery::Verified,
                    })
            })
    })
}

fn external_truth(model: &FairWorkQueue, state: &State) -> bool {
    let mut resources = model.constants.resources().iter();
    resources.all(|resource| {
        let entry = state.projection().resources[resource];
        entry.readiness == resource.normalized(entry.raw)
    })
}

fn effect_authorization(model: &FairWorkQueue, state: &State) -> bool {
    state.effects.iter().all(|effect| {
        effect.group == model.constants.group_of(effect.claim)
            && state.is_authorized(effect.claim)
            && state.projection().claim(effect.claim) == ClaimStatus::Completed
    })
}

fn terminal_persistence(model: &FairWorkQueue, state: &State) -> bool {
    model.constants.all_claims().all(|claim| {
        !state.is_completed(claim) || state.projection().claim(claim) == ClaimStatus::Completed
    })
}

fn ownership(model: &FairWorkQueue, state: &State) -> bool {
    let s = state.projection();
    let open = s.claims.open();
    let works = open.iter().map(|claim| model.constants.work_of(claim));
    let different: NumberSet<_> = works.collect();
    different.len() == open.len()
        && open.iter().all(|claim| {
            let work = s.work(model.constants.work_of(claim));
            work.status == WorkStatus::Claimed && work.owner == Some(claim)
        })
}

fn no_batched_assignment(model: &FairWorkQueue, state: &State) -> bool {
    let s = state.projection();
    let mut groups = model.constants.all_groups();
    groups.all(|group| s.members(group).count() <= 1)
}

fn no_partial_completion(model: &FairWorkQueue, state: &State) -> bool {
    let s = state.projection();
    let has = |group, status| s.members(group).any(|claim| s.claim(claim) == status);
    let mut groups = model.constants.all_groups();
    !groups.any(|group| has(group, ClaimStatus::Completed) && has(group, ClaimStatus::Open))
}

fn no_join_claim(_: &FairWorkQueue, state: &State) -> bool {
    let last = state.projection().works.last();
    last.is_none_or(|work| work.status != WorkStatus::Claimed)
}

fn checkpoint_race(_: &FairWorkQueue, state: &State) -> bool {
    state.checkpoint_conflicts == 0
}
