//! The invariants, their conjunction, and the witnesses.
//!
//! Shared design, models/claim-scope.md, sections 4 and 6.

use plumb_checker::Invariant;

use super::ClaimScopedWorker;
use super::log::Kind;
use super::state::{Intent, Phase, State};
use super::vocabulary::{Claim, RawHandle, Work, scope};
use crate::finite::{Finite, Subset};

/// What the model guarantees.
pub(super) fn guarantees() -> Vec<Invariant<ClaimScopedWorker>> {
    vec![
        Invariant::state("TypeOK", "every variable has a value of its type", type_ok),
        Invariant::constant(
            "ScopeResolution",
            "a raw handle names a Claim of the set or none, and an omitted one names the only \
             Claim of a set of one",
            scope_resolution,
        ),
        Invariant::state(
            "OutputScope",
            "the handle of every staged output names the Claim that the output is staged for",
            output_scope,
        ),
        Invariant::state(
            "EffectAuthorization",
            "each effect belongs to a completed Claim that its handle names, one for each Claim",
            effect_authorization,
        ),
        Invariant::state(
            "ClosureIntegrity",
            "no Claim is both completed and cancelled, and none is closed twice",
            closure_integrity,
        ),
        Invariant::state(
            "ResultAuthority",
            "a Claim is verified only when completed and with an effect, and has a Result only \
             when completed and verified, and only one",
            result_authority,
        ),
        Invariant::state(
            "DAGAuthorization",
            "a work is admitted only when all its predecessors have Results",
            dag_authorization,
        ),
    ]
}

/// The conjunction of all guarantees.
pub(super) fn safety() -> Invariant<ClaimScopedWorker> {
    Invariant::all(
        "Safety",
        "all seven invariants hold",
        &[
            "TypeOK",
            "ScopeResolution",
            "OutputScope",
            "EffectAuthorization",
            "ClosureIntegrity",
            "ResultAuthority",
            "DAGAuthorization",
        ],
    )
}

/// Claims of unreachability that must be violated.
pub(super) fn witnesses() -> Vec<Invariant<ClaimScopedWorker>> {
    vec![
        Invariant::state(
            "NoAutomaticScope",
            "denied, to be reached: an output staged under an omitted handle has an effect",
            no_automatic_scope,
        ),
        Invariant::state(
            "NoMixedDAGProgress",
            "denied, to be reached: Claims 1 and 3 have Results, Claim 2 is cancelled with its \
             output staged, and only the work that waits for 1 and 3 is admitted",
            no_mixed_dag_progress,
        ),
    ]
}

/// What the state's own type leaves open: the numbers of three Claims in a model of one.
fn type_ok(model: &ClaimScopedWorker, state: &State) -> bool {
    let domains = &model.domains;
    let claims = |set: Subset<Claim>| set.is_subset(domains.claims);
    let is_handle = |raw: RawHandle| domains.handles.contains(raw);
    let staged = state.outputs.iter().filter_map(|(_, raw)| raw);
    let logged = Subset::of(state.log.iter().map(|entry| entry.claim));
    let mut effects = state.effects.iter().map(|(_, handles)| handles);
    staged.into_iter().all(is_handle)
        && claims(logged)
        && claims(state.effect_claims())
        && effects.all(|handles| handles.is_subset(domains.handles))
        && claims(state.verified)
        && state.admitted.is_subset(domains.works)
        && state.rejected.is_subset(domains.handles)
}

/// Over all subsets of three Claims and all handles, whatever the configured count.
pub(super) fn scope_resolution(_: &ClaimScopedWorker) -> bool {
    (0..8).filter_map(Subset::<Claim>::from_bits).all(|set| {
        RawHandle::ALL.iter().all(|raw| {
            let answer = scope(set, *raw);
            let named = Claim::numbered(raw.number()).filter(|claim| set.contains(*claim));
            answer.is_none_or(|claim| set.contains(claim))
                && if *raw == RawHandle::OMITTED {
                    answer.is_some() == (set.len() == 1)
                } else {
                    answer == named
                }
        })
    })
}

fn output_scope(model: &ClaimScopedWorker, state: &State) -> bool {
    let resolves = |(claim, output): (Claim, Option<RawHandle>)| {
        output.is_none_or(|raw| model.domains.scope(raw) == Some(claim))
    };
    state.outputs.iter().all(resolves)
}

fn effect_authorization(model: &ClaimScopedWorker, state: &State) -> bool {
    let claims = state.effect_claims();
    let pairs: usize = state.effects.iter().map(|(_, handles)| handles.len()).sum();
    let resolves = |(claim, handles): (Claim, Subset<RawHandle>)| {
        let mut handles = handles.iter();
        handles.all(|raw| model.domains.scope(raw) == Some(claim))
    };
    claims.is_subset(state.completed())
        && state.effects.iter().all(resolves)
        && pairs == claims.len()
}

fn closure_integrity(_: &ClaimScopedWorker, state: &State) -> bool {
    state.completed().is_disjoint(state.cancelled())
        && state.log.at_most_one_each(|kind| kind != Kind::Result)
}

fn result_authority(_: &ClaimScopedWorker, state: &State) -> bool {
    let completed = state.completed();
    state.verified.is_subset(completed)
        && state.verified.is_subset(state.effect_claims())
        && state.results().is_subset(completed)
        && state.results().is_subset(state.verified)
        && state.log.at_most_one_each(|kind| kind == Kind::Result)
}

fn dag_authorization(model: &ClaimScopedWorker, state: &State) -> bool {
    state.admitted.is_subset(model.ready(state))
}

fn no_automatic_scope(_: &ClaimScopedWorker, state: &State) -> bool {
    let omitted = |handles: Subset<RawHandle>| handles.contains(RawHandle::OMITTED);
    !state.effects.iter().any(|(_, handles)| omitted(handles))
}

fn no_mixed_dag_progress(_: &ClaimScopedWorker, state: &State) -> bool {
    let (Some(second), Some(work)) = (Claim::numbered(2), Work::numbered(4)) else {
        return true;
    };
    let others = Subset::of([1, 3].into_iter().filter_map(Claim::numbered));
    let reached = state.phase == Phase::Terminal
        && state.completed() == others
        && state.cancelled() == Subset::of([second])
        && state.intents[second] == Some(Intent::Cancelled)
        && state.results() == others
        && state.effect_claims() == others
        && state.outputs[second] == RawHandle::numbered(2)
        && state.admitted == Subset::of([work]);
    !reached
}
