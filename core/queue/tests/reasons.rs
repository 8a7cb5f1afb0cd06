//! Section 6: every reason of the planner, and the order in which they are given.

#![allow(
    clippy::needless_pass_by_value,
    clippy::unwrap_used,
    clippy::redundant_closure_for_method_calls
)]

mod common;

use std::collections::BTreeSet;

use common::*;
use plumb_queue::Reason;
use plumb_queue::explain::explain;
use plumb_queue::schedule::eligibility::{Caller, why_not};
use plumb_queue::schedule::plan::{PlanRequest, next, plan};
use plumb_queue::state::State;
use plumb_queue::wire::Wire;
use plumb_queue::wire::commit::Budget;
use plumb_queue::wire::scalar::{CommitId, PoolName, ProfileName, RequestId, Timestamp, WorkId};
use serde_json::{Value, json};

fn control(setting: &str, value: Value) -> Value {
    json!({"kind": "Control", "control": setting, "value": value, "reason": "r"})
}

/// A policy, and Works of graph g that are submitted under it.
fn queue(policy: Value, works: Vec<Value>) -> Chain {
    let role = if policy["authorization"] == "aw" {
        "dispatcher"
    } else {
        "producer"
    };
    let mut chain = Chain::with_policy(policy);
    chain.push(chain.operations(actor(role), "submit", works, 2000));
    chain
}

/// Grants Works by the planner's own choice.
fn grant(chain: &mut Chain, changes: Value, at: u64) {
    let request = chain.next_request();
    let parameters = with(budget(), changes);
    let planned = planned(&chain.state, &parameters, &request, 0, at);
    let claims = planned.grants.iter().map(|grant| {
        let claim = plumb_queue::wire::Operation::Claim(grant.claim.clone());
        serde_json::from_str(&claim.write().to_canonical()).unwrap()
    });
    let commit = chain.commit(
        actor("dispatcher"),
        "dispatch_next",
        parameters,
        claims.collect(),
        at,
    );
    chain.push(commit);
}

fn planned(
    state: &State,
    parameters: &Value,
    request: &str,
    leading: usize,
    at: u64,
) -> plumb_queue::schedule::Plan {
    let value = plumb_canonical::parse(&canonical(parameters))
        .unwrap()
        .into_owned();
    plan(
        state,
        PlanRequest {
            budget: &Budget::read(&value, plumb_queue::Code::RequestInvalid).unwrap(),
            request: &RequestId::new(request).unwrap(),
            commit: &CommitId::new("next").unwrap(),
            leading,
            at: Timestamp::new(at).unwrap(),
        },
    )
}

/// Why node `a` would not be granted; `selected` if it would be.
fn reason(chain: &Chain, at: u64) -> Reason {
    let work = chain
        .state
        .work(&WorkId::new(&work_id("g", "a")).unwrap())
        .unwrap();
    let caller = Caller {
        worker_profiles: None,
        at: Timestamp::new(at).unwrap(),
    };
    let reason = why_not(&chain.state, work, caller).unwrap_or(Reason::Selected);
    // What is said to people says something of its own.
    let id = &work.work.work_id;
    let said = explain(&chain.state, id, caller.at).unwrap();
    assert!(!said.because.is_empty() && !said.remedy.is_empty());
    reason
}

fn in_pool(changes: Value) -> Value {
    at(policy(), "/pools/default", changes)
}

fn single(policy: Value) -> Value {
    at(
        policy,
        "/pools/default/profiles/default",
        json!({"max_claims": 1}),
    )
}

fn a(changes: Value) -> Value {
    with(work("g", "a"), changes)
}

fn deploy(chain: &mut Chain, changes: Value, profile_changes: Value) {
    let profile = with(profile(), json!({"logical_contract": "c".repeat(64)}));
    let operation = json!({
        "kind": "Deployment", "pool": "default", "worker_profile": "default", "expected_ref": REF,
        "expected_contract": "c".repeat(64), "profile": with(profile, profile_changes),
        "available": true, "reason": "r",
    });
    let operation = with(operation, changes);
    chain.push(chain.operations(actor("dispatcher"), "deployment", vec![operation], 2500));
}

/// What each eligibility reason comes from.
fn eligibility() -> Vec<(Reason, Chain, u64)> {
    let mut rows = Vec::new();
    let plain = || queue(policy(), vec![a(json!({}))]);
    rows.push((Reason::Selected, plain(), 3000));
    let mut paused = plain();
    paused.push(paused.operations(
        actor("administrator"),
        "control",
        vec![control("grants_paused", json!(true))],
        2500,
    ));
    rows.push((Reason::GrantsPaused, paused, 3000));

    let mut off = queue(aw_policy(), vec![a(json!({}))]);
    deploy(
        &mut off,
        json!({"available": false, "activate": false}),
        json!({}),
    );
    rows.push((Reason::WorkerUnavailable, off, 3000));
    let pinned = || vec![a(json!({"execution_ref": "9".repeat(40)}))];
    rows.push((
        Reason::WorkerUnavailable,
        queue(aw_policy(), pinned()),
        3000,
    ));
    let mut known = queue(aw_policy(), pinned());
    deploy(
        &mut known,
        json!({}),
        json!({"ref": "9".repeat(40), "logical_contract": "d".repeat(64)}),
    );
    rows.push((Reason::Selected, known, 3000));
    let mut newer = queue(aw_policy(), vec![a(json!({}))]);
    deploy(&mut newer, json!({}), json!({"ref": "9".repeat(40)}));
    rows.push((Reason::Selected, newer, 3000));
    let mut other = queue(aw_policy(), vec![a(json!({}))]);
    deploy(
        &mut other,
        json!({}),
        json!({"ref": "9".repeat(40), "logical_contract": "d".repeat(64)}),
    );
    rows.push((Reason::WorkerIncompatible, other, 3000));

    // z is more urgent, and takes the one place.
    let urgent = with(work("g", "z"), json!({"priority": 1}));
    let mut full = queue(
        in_pool(json!({"logical_limit": 1})),
        vec![urgent.clone(), a(json!({"priority": 5}))],
    );
    grant(&mut full, json!({}), 2500);
    rows.push((Reason::CapacityBlocked, full, 3000));
    let mut account = queue(
        in_pool(json!({"per_account_limit": 1})),
        vec![urgent, a(json!({"priority": 5}))],
    );
    grant(&mut account, json!({}), 2500);
    rows.push((Reason::AccountCapacityBlocked, account, 3000));

    let mut delayed = plain();
    grant(&mut delayed, json!({}), 2500);
    let request = format!("r{}", delayed.commits.len() - 1);
    let back = json!({
        "kind": "ClaimCancellation", "work_id": work_id("g", "a"), "claim_id": claim_id(&request, 1),
        "reason": "lost", "retry_not_before": 40_000,
    });
    delayed.push(delayed.operations(actor("reconciler"), "cancel_claim", vec![back], 2600));
    rows.push((Reason::RetryDelayed, delayed.clone(), 39_999));
    rows.push((Reason::Selected, delayed, 40_000));

    let child = || vec![work("g", "p"), a(json!({"depends_on": [after("g", "p")]}))];
    let waiting = queue(policy(), child());
    rows.push((Reason::DependencyResultUnavailable, waiting.clone(), 3000));
    let mut failed = waiting;
    let cancelled =
        json!({"kind": "WorkCancellation", "work_id": work_id("g", "p"), "reason": "r"});
    failed.push(failed.operations(actor("administrator"), "cancel_work", vec![cancelled], 2500));
    rows.push((Reason::DependencyFailed, failed, 3000));
    // In the scenario c fails at 4600, and e depends on it.
    let gated = || queue(policy(), vec![a(json!({"depends_on": [gate(1)]}))]);
    let seen = |changes: Value| {
        let mut chain = gated();
        let operation = with(observation("o1", 1, 2500), changes);
        chain.push(chain.operations(actor("reconciler"), "observe", vec![operation], 2500));
        chain
    };
    rows.push((Reason::ExternalUnavailable, gated(), 3000));
    rows.push((
        Reason::ExternalUnavailable,
        seen(json!({"state": "unknown"})),
        3000,
    ));
    rows.push((
        Reason::DependencyExternalWaiting,
        seen(json!({"state": "waiting"})),
        3000,
    ));
    rows.push((
        Reason::DependencyExternalWaiting,
        seen(json!({"state": "failed"})),
        3000,
    ));
    rows.push((Reason::Selected, seen(json!({})), 62_500));
    rows.push((Reason::ObservationStale, seen(json!({})), 62_501));
    rows.push((Reason::ObservationStale, seen(json!({})), 2499));
    let mut renewed = seen(json!({}));
    renewed.push(renewed.operations(
        actor("administrator"),
        "control",
        vec![control("credential_generation", json!("second"))],
        2600,
    ));
    rows.push((Reason::ObservationStale, renewed, 3000));
    rows
}

/// Of which plan each reason of a plan comes, and how many Works it grants.
fn plans() -> Vec<(Reason, usize, Chain, Value, usize)> {
    let works = |count: usize| {
        (0..count)
            .map(|index| work("g", &format!("n{index}")))
            .collect::<Vec<_>>()
    };
    let of = |policy: Value, count: usize| queue(policy, works(count));
    let mut paused = of(policy(), 1);
    paused.push(paused.operations(
        actor("administrator"),
        "control",
        vec![control("grants_paused", json!(true))],
        2500,
    ));
    let large = (0..3)
        .map(|index| {
            with(
                work("g", &format!("n{index}")),
                json!({"payload": {"p": "x".repeat(900)}}),
            )
        })
        .collect();
    vec![
        (Reason::NoWork, 0, Chain::new(), json!({}), 0),
        (
            Reason::NoEligibleWork,
            0,
            queue(policy(), vec![a(json!({"depends_on": [gate(1)]}))]),
            json!({}),
            0,
        ),
        (
            Reason::NoEligibleWork,
            1,
            queue(
                policy(),
                vec![work("g", "z"), a(json!({"depends_on": [gate(1)]}))],
            ),
            json!({}),
            0,
        ),
        (
            Reason::NoEligibleWork,
            0,
            of(policy(), 2),
            json!({"worker_profiles": []}),
            0,
        ),
        (
            Reason::PrefixComplete,
            2,
            of(policy(), 2),
            json!({"worker_profiles": ["default"]}),
            0,
        ),
        (Reason::PrefixComplete, 5, of(policy(), 5), json!({}), 0),
        (
            Reason::ClaimBudgetReached,
            3,
            of(policy(), 5),
            json!({"max_claims": 3}),
            0,
        ),
        (
            Reason::ClaimBudgetReached,
            5,
            of(policy(), 5),
            json!({"max_claims": 5}),
            0,
        ),
        (
            Reason::OperationBudgetReached,
            2,
            of(policy(), 5),
            json!({}),
            254,
        ),
        (
            Reason::OperationBudgetBlocked,
            0,
            of(policy(), 5),
            json!({}),
            256,
        ),
        (
            Reason::DispatchBudgetBlocked,
            3,
            of(policy(), 5),
            json!({"max_dispatches": 1}),
            0,
        ),
        (
            Reason::DispatchBudgetBlocked,
            2,
            of(single(policy()), 5),
            json!({"max_dispatches": 2}),
            0,
        ),
        (
            Reason::NativeCapacityBlocked,
            2,
            of(single(in_pool(json!({"native_limit": 2}))), 5),
            json!({}),
            0,
        ),
        (
            Reason::CapacityBlocked,
            4,
            of(in_pool(json!({"logical_limit": 4})), 5),
            json!({}),
            0,
        ),
        (
            Reason::NoEligibleWork,
            4,
            of(in_pool(json!({"per_account_limit": 4})), 5),
            json!({}),
            0,
        ),
        (
            Reason::AssignmentBytesBlocked,
            0,
            of(policy(), 2),
            json!({"max_bytes": 200}),
            0,
        ),
        (
            Reason::DispatchBudgetBlocked,
            1,
            queue(policy(), large),
            json!({"max_bytes": 2000, "max_dispatches": 1}),
            0,
        ),
        (Reason::GrantsPaused, 0, paused, json!({}), 0),
    ]
}

#[test]
fn a_work_is_not_eligible_for_the_first_reason_in_order() {
    for (index, (expected, chain, at)) in eligibility().iter().enumerate() {
        assert_eq!(reason(chain, *at), *expected, "row {index}");
    }
}

#[test]
fn a_plan_stops_for_a_reason_and_grants_what_comes_before() {
    for (index, (expected, grants, chain, changes, leading)) in plans().into_iter().enumerate() {
        let planned = planned(
            &chain.state,
            &with(budget(), changes),
            "next",
            leading,
            3000,
        );
        assert_eq!(
            (planned.reason, planned.grants.len()),
            (expected, grants),
            "row {index}"
        );
        // The same question has the same answer, and asking changes nothing.
        if grants == 0 {
            assert_eq!(
                planned.clocks,
                chain.state.clocks(&PoolName::new("default").unwrap())
            );
        }
    }
}

#[test]
fn a_caller_schedules_the_profiles_that_it_may() {
    let chain = queue(policy(), vec![a(json!({}))]);
    let work = chain
        .state
        .work(&WorkId::new(&work_id("g", "a")).unwrap())
        .unwrap();
    let other = [ProfileName::new("other").unwrap()];
    let caller = Caller {
        worker_profiles: Some(&other),
        at: Timestamp::new(3000).unwrap(),
    };
    assert_eq!(
        why_not(&chain.state, work, caller),
        Some(Reason::WorkerNotApproved)
    );
    let caller = Caller {
        worker_profiles: Some(&[]),
        ..caller
    };
    assert_eq!(
        why_not(&chain.state, work, caller),
        Some(Reason::WorkerNotApproved)
    );
}

#[test]
fn a_failed_delivery_of_a_parent_is_a_reason_of_its_own() {
    let chain = scenario();
    let prefix = Chain {
        commits: chain.commits[..11].to_vec(),
        ..Chain::default()
    };
    let state = replay(&prefix.text()).unwrap();
    let e = state
        .work(&WorkId::new(&work_id("g", "e")).unwrap())
        .unwrap();
    let caller = Caller {
        worker_profiles: None,
        at: Timestamp::new(4600).unwrap(),
    };
    assert_eq!(
        why_not(&state, e, caller),
        Some(Reason::DependencyDeliveryFailed)
    );
    let (turn, reason) = next(&state, &PoolName::new("default").unwrap(), caller.at);
    assert_eq!((turn.is_some(), reason), (true, Reason::Selected));
}

#[test]
fn every_reason_is_given_somewhere() {
    let mut given: BTreeSet<Reason> = eligibility().iter().map(|(reason, ..)| *reason).collect();
    given.extend(plans().iter().map(|(reason, ..)| *reason));
    given.extend([Reason::WorkerNotApproved, Reason::DependencyDeliveryFailed]);
    // Section 5.5 sees to it that no Work is left available without an attempt; the test of it is there
    // for a state that was not replayed.
    given.insert(Reason::RetryExhausted);
    let missing: Vec<_> = Reason::ALL
        .iter()
        .filter(|reason| !given.contains(reason))
        .collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[test]
fn the_observations_of_a_commit_use_up_its_operations() {
    // Seven operations: with four Observations three Claims are due, whatever the budget is.
    let mut chain = Chain::with_policy(at(policy(), "/limits", json!({"operations": 7})));
    let works = (0..5).map(|index| work("g", &format!("n{index}")));
    chain.push(chain.submit(works.collect(), 2000));
    let seen = (1..=4).map(|number| observation(&format!("o{number}"), number, 2500));
    let claims = |count: usize| {
        let request = chain.next_request();
        let claims =
            (0..count).map(|index| claim(&request, index + 1, &work_id("g", &format!("n{index}"))));
        let operations = seen.clone().chain(claims).collect();
        let commit = chain.commit(
            actor("dispatcher"),
            "dispatch_next",
            budget(),
            operations,
            3000,
        );
        chain.check(&commit).map(|_| ())
    };
    assert_eq!(claims(3), Ok(()));
    let fewer = claims(2).unwrap_err();
    assert_eq!(fewer.code.as_str(), "selection_invalid");
    assert!(
        fewer.message.contains("operation_budget_reached"),
        "{fewer}"
    );
    assert_eq!(claims(4).unwrap_err().code.as_str(), "operation_limit");
}

#[test]
fn a_claim_that_is_wrong_is_named_by_its_position() {
    let mut chain = Chain::new();
    chain.push(chain.submit(vec![work("g", "a"), work("g", "b")], 2000));
    let refused = |first: &str, second: &str| {
        let claims = [first, second].into_iter().enumerate();
        let claims = claims.map(|(index, node)| claim("r2", index + 1, &work_id("g", node)));
        let commit = chain.commit(
            actor("dispatcher"),
            "dispatch_next",
            budget(),
            claims.collect(),
            3000,
        );
        chain.check(&commit).unwrap_err().message.to_string()
    };
    assert!(refused("b", "a").contains("Claim 1 grants"));
    assert!(refused("a", "c").contains("Claim 2 grants"));
}
