//! What the rules of sections 2 to 8 allow: idempotent repetitions, recovery while paused, children.

#![allow(clippy::unwrap_used, clippy::needless_pass_by_value)]

mod common;

use common::*;
use plumb_queue::wire::scalar::{Timestamp, WorkId};
use serde_json::{Value, json};

fn d() -> String {
    dispatch_id("r2", 1)
}

fn me() -> Value {
    worker(&d(), "900")
}

/// Work a of graph g, granted by r2 in a Dispatch that is bound to run 900, under this policy.
fn running(policy: Value) -> Chain {
    let mut chain = Chain::with_policy(policy);
    chain.push(chain.submit(vec![work("g", "a")], 2000));
    let claims = vec![claim("r2", 1, &work_id("g", "a"))];
    chain.push(chain.commit(actor("dispatcher"), "dispatch_next", budget(), claims, 3000));
    let started = json!({"kind": "Dispatch", "dispatch_id": d(), "state": "started", "sender": publisher("dispatcher")});
    chain.push(chain.operations(publisher("dispatcher"), "dispatch", vec![started], 4000));
    chain.push(chain.operations(
        publisher("dispatcher"),
        "dispatch",
        vec![bound(&d(), "900", 4100)],
        4100,
    ));
    chain
}

/// The same, completed in q5.
fn completed() -> Chain {
    let mut chain = running(policy());
    chain.push(chain.finish(
        me(),
        "h1",
        "completed",
        vec![completion("r2", 1, "a")],
        5000,
    ));
    chain
}

fn state_of(chain: &Chain, graph: &str, node: &str) -> String {
    let work = chain
        .state
        .work(&WorkId::new(&work_id(graph, node)).unwrap())
        .unwrap();
    format!("{} {}", work.state.name(), work.state.barrier_name())
}

fn unclaim(retry: u64) -> Value {
    json!({
        "kind": "ClaimCancellation", "work_id": work_id("g", "a"), "claim_id": claim_id("r2", 1),
        "reason": "lost", "retry_not_before": retry,
    })
}

fn release(at: u64) -> Value {
    json!({"kind": "Release", "dispatch_id": d(), "evidence": terminal("900", at)})
}

#[test]
fn a_worker_ends_its_work_after_the_last_attempt() {
    // Section 8.5, with one attempt.
    let mut chain = running(at(
        policy(),
        "/pools/default/retry",
        json!({"max_attempts": 1}),
    ));
    let end = json!({"kind": "WorkCancellation", "work_id": work_id("g", "a"), "reason": "attempts_exhausted"});
    chain.push(chain.finish(me(), "h1", "cancelled", vec![unclaim(99_000), end], 5000));
    assert_eq!(state_of(&chain, "g", "a"), "cancelled none");
}

#[test]
fn a_work_waits_from_when_it_was_seen_that_nothing_runs() {
    // Section 8.4: the evidence of the release in the same commit is older than the commit.
    let mut chain = running(policy());
    let operations = |retry| vec![unclaim(retry), release(4500)];
    let early = chain.operations(actor("reconciler"), "release", operations(34_499), 9000);
    assert_eq!(
        chain.check(&early).unwrap_err().code.as_str(),
        "retry_invalid"
    );
    chain.push(chain.operations(actor("reconciler"), "release", operations(34_500), 9000));
    let work = chain
        .state
        .work(&WorkId::new(&work_id("g", "a")).unwrap())
        .unwrap();
    assert_eq!(
        (work.retry_not_before, work.attempts),
        (Timestamp::new(34_500).unwrap(), 1)
    );
    // It keeps its place (section 8.4), and its place is that of its admission.
    assert_eq!((work.position.ordinal, work.position.index), (1, 0));
    assert_eq!(state_of(&chain, "g", "a"), "available none");
}

#[test]
fn what_is_said_again_changes_nothing() {
    let mut chain = completed();
    // 8.1 bound to the same run.
    chain.push(chain.operations(
        publisher("reconciler"),
        "dispatch",
        vec![bound(&d(), "900", 5100)],
        5100,
    ));
    // 8.7 an equal Result.
    let result = json!({
        "kind": "Result", "work_id": work_id("g", "a"), "claim_id": claim_id("r2", 1),
        "completion_id": "q5", "descriptor": {}, "evidence": delivered("900", 5000),
    });
    for at in [6000, 6100] {
        chain.push(chain.operations(actor("reconciler"), "result", vec![result.clone()], at));
        assert_eq!(state_of(&chain, "g", "a"), "completed verified");
    }
    // 8.2 a Release, after which there is nothing to release.
    for at in [7000, 7100] {
        chain.push(chain.operations(actor("reconciler"), "release", vec![release(6500)], at));
        assert_eq!(chain.state.totals().unreleased, 0);
    }
    // 8.11 an Observation.
    for at in [8000, 8100] {
        let seen = observation("o1", 1, 7900);
        chain.push(chain.operations(actor("reconciler"), "observe", vec![seen], at));
    }
    // 7 a Work.
    let before = chain.state.totals().pending;
    chain.push(chain.submit(vec![work("g", "a"), work("g", "new")], 9000));
    assert_eq!(chain.state.totals().pending, before + 1);
}

#[test]
fn a_launch_and_a_binding_may_say_why() {
    // Section 8.1 demands a reason of what is not known, and forbids it to nobody.
    let mut chain = Chain::new();
    chain.push(chain.submit(vec![work("g", "a")], 2000));
    let claims = vec![claim("r2", 1, &work_id("g", "a"))];
    chain.push(chain.commit(actor("dispatcher"), "dispatch_next", budget(), claims, 3000));
    let started = json!({
        "kind": "Dispatch", "dispatch_id": d(), "state": "started",
        "sender": publisher("dispatcher"), "reason": "due",
    });
    chain.push(chain.operations(publisher("dispatcher"), "dispatch", vec![started], 4000));
    let bound = with(bound(&d(), "900", 4100), json!({"reason": "activated"}));
    chain.push(chain.operations(me(), "dispatch", vec![bound], 4100));
}

#[test]
fn pauses_stop_what_begins_and_nothing_that_ends() {
    // Section 8.10.
    let mut chain = running(policy());
    for setting in ["admission_paused", "grants_paused"] {
        let pause = json!({"kind": "Control", "control": setting, "value": true, "reason": "stop"});
        chain.push(chain.operations(actor("administrator"), "control", vec![pause], 4200));
    }
    // What was submitted before may be said again, also while admission is paused.
    assert!(
        chain
            .check(&chain.submit(vec![work("g", "a")], 4300))
            .is_ok()
    );
    chain.push(chain.finish(
        me(),
        "h1",
        "completed",
        vec![completion("r2", 1, "a")],
        5000,
    ));
    let completed_by = format!("q{}", chain.commits.len() - 1);
    let failure = json!({
        "kind": "DeliveryFailure", "work_id": work_id("g", "a"), "claim_id": claim_id("r2", 1),
        "completion_id": completed_by, "reason": "late", "disposition": "unknown",
        "evidence": terminal("900", 5000),
    });
    // 8.8: attempts are not the only way to give up; the deadline is the other.
    let early = chain.operations(
        actor("reconciler"),
        "delivery_failure",
        vec![failure.clone()],
        304_999,
    );
    assert_eq!(
        chain.check(&early).unwrap_err().code.as_str(),
        "reconciliation_pending"
    );
    chain.push(chain.operations(
        actor("reconciler"),
        "delivery_failure",
        vec![failure],
        305_000,
    ));
    chain.push(chain.operations(actor("reconciler"), "release", vec![release(5000)], 305_100));
    assert!(chain.state.is_quiescent());
}

#[test]
fn a_worker_makes_children_and_grants_them_while_its_delivery_is_open() {
    // Sections 7 and 8.15; one Claim, so that the handle may be left out.
    let mut chain = completed();
    chain.push(chain.operations(me(), "submit", vec![work("child", "x")], 6000));
    assert_eq!(state_of(&chain, "child", "x"), "available none");
    let request = chain.next_request();
    let claims = vec![claim(&request, 1, &work_id("child", "x"))];
    chain.push(chain.commit(me(), "dispatch_next", budget(), claims, 6100));
    assert_eq!(state_of(&chain, "child", "x"), "claimed none");
}

#[test]
fn what_failed_is_replaced() {
    // Section 7.
    let mut chain = completed();
    let failure = json!({
        "kind": "DeliveryFailure", "work_id": work_id("g", "a"), "claim_id": claim_id("r2", 1),
        "completion_id": "q5", "reason": "lost", "disposition": "none",
        "evidence": with(terminal("900", 5000), json!({"attempts": 5, "effects": "none", "receipt": "none-1"})),
    });
    chain.push(chain.operations(actor("reconciler"), "delivery_failure", vec![failure], 6000));
    let by = json!({
        "work_id": work_id("g", "a"), "disposition": "inspection",
        "evidence": evidence("reconciliation", "github_api", 6000),
    });
    chain.push(chain.submit(
        vec![with(work("g", "a2"), json!({"replacement_of": by}))],
        7000,
    ));
    assert_eq!(state_of(&chain, "g", "a"), "completed failed");
    assert_eq!(state_of(&chain, "g", "a2"), "available none");
}

#[test]
fn a_priority_is_changed_and_the_place_kept() {
    // Section 8.6.
    let mut chain = Chain::new();
    chain.push(chain.submit(vec![work("g", "a"), work("g", "b")], 2000));
    let hurry = json!({"kind": "WorkPriority", "work_id": work_id("g", "b"), "priority": 1, "expected_priority": 3, "reason": "now"});
    chain.push(chain.operations(actor("administrator"), "control", vec![hurry], 2100));
    let work = chain
        .state
        .work(&WorkId::new(&work_id("g", "b")).unwrap())
        .unwrap();
    assert_eq!(
        (
            work.priority.get(),
            work.work.priority.get(),
            work.position.index
        ),
        (1, 3, 1)
    );
    // b comes first now: weights 8 and 2 of classes 1 and 3.
    let claims = vec![claim("r3", 1, &work_id("g", "b"))];
    let one = with(budget(), json!({"max_claims": 1}));
    chain.push(chain.commit(actor("dispatcher"), "dispatch_next", one, claims, 3000));
}

#[test]
fn a_policy_may_name_an_allowed_repository_twice() {
    let repositories = json!({"allowed_repositories": ["acme/app", "acme/app"]});
    let chain = Chain::with_policy(at(policy(), "/pools/default", repositories));
    assert_eq!(chain.commits.len(), 1);
}
