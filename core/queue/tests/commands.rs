//! Random sequences of commands, of which illegal ones are tried at least as often as legal ones.
//!
//! After each the running sums are held against sums made anew from the records, and at the end the log
//! is replayed from its text, line by line, and restored from a checkpoint.

#![allow(clippy::unwrap_used, clippy::redundant_closure_for_method_calls)]

mod common;

use std::collections::BTreeMap;

use common::*;
use plumb_queue::checkpoint::snapshot::Snapshot;
use plumb_queue::state::State;
use plumb_queue::state::records::{Barrier, WorkState};
use plumb_queue::wire::scalar::PoolName;
use proptest::prelude::*;
use serde_json::{Value, json};

/// A command, and numbers that say about what.
type Command = (u8, usize, usize);

/// Node n3 of graph g, with parents among those before it.
fn node(number: usize, choice: usize) -> Value {
    let parents: Vec<Value> = match choice % 4 {
        0 if number > 0 => vec![after("g", &format!("n{}", number - 1))],
        1 => vec![gate(u32::try_from(choice % 2 + 1).unwrap())],
        _ => Vec::new(),
    };
    let account = ["", "a", "b"][choice % 3];
    with(
        work("g", &format!("n{number}")),
        json!({"depends_on": parents, "priority": choice % 5 + 1, "fairness_key": account}),
    )
}

/// The commit that a command stands for, whether it is legal or not.
fn commit(chain: &Chain, (kind, x, y): Command, now: u64) -> Value {
    let state = &chain.state;
    let mut dispatches: Vec<_> = state.dispatches().map(|(id, _)| id.to_string()).collect();
    dispatches.sort();
    let dispatch = dispatches
        .get(x % dispatches.len().max(1))
        .cloned()
        .unwrap_or("none".to_owned());
    let record = state
        .dispatches()
        .find(|(id, _)| id.as_str() == dispatch)
        .map(|(_, record)| record.clone());
    let claims: Vec<_> = record.iter().flat_map(|record| &record.claims).collect();
    let claim = claims
        .get(y % claims.len().max(1))
        .and_then(|id| state.claim(id))
        .cloned();
    let (work_of, claim_of, handle) = match &claim {
        Some(claim) => (
            claim.claim.work_id.to_string(),
            claim.claim.claim_id.to_string(),
            claim.claim.handle.to_string(),
        ),
        None => (
            work_id("g", &format!("n{y}")),
            "none".to_owned(),
            "h1".to_owned(),
        ),
    };
    let run_id = format!(
        "9{}",
        dispatches
            .iter()
            .position(|id| *id == dispatch)
            .unwrap_or(0)
    );
    let me = worker(&dispatch, &run_id);
    let completed_by = state
        .works()
        .find(|(id, _)| id.as_str() == work_of)
        .and_then(|(_, work)| match &work.state {
            WorkState::Completed { completion, .. } => Some(completion.to_string()),
            _ => None,
        });
    let completed_by = completed_by.unwrap_or("none".to_owned());
    let dispatch_op = |step: &str, more: Value| {
        let operation = with(
            json!({"kind": "Dispatch", "dispatch_id": dispatch, "state": step}),
            more,
        );
        chain.operations(publisher("dispatcher"), "dispatch", vec![operation], now)
    };
    match kind % 16 {
        0 | 1 => chain.submit(vec![node(x % 12, y)], now),
        2 | 3 => grant(chain, x % 4 + 1, now),
        4 => dispatch_op("started", json!({"sender": publisher("dispatcher")})),
        5 => dispatch_op("uncertain", json!({"reason": "lost"})),
        6 => chain.operations(
            publisher("reconciler"),
            "dispatch",
            vec![bound(&dispatch, &run_id, now)],
            now,
        ),
        7 | 8 => {
            let operation = json!({
                "kind": "Completion", "work_id": work_of, "claim_id": claim_of, "dispatch_id": dispatch,
                "claim_handle": handle, "run_id": run_id, "run_attempt": 1,
            });
            chain.finish(me, &handle, "completed", vec![operation], now)
        }
        9 => {
            let operation = json!({
                "kind": "Result", "work_id": work_of, "claim_id": claim_of, "completion_id": completed_by,
                "descriptor": {}, "evidence": delivered(&run_id, now),
            });
            chain.operations(actor("reconciler"), "result", vec![operation], now)
        }
        10 => {
            let operation = json!({
                "kind": "DeliveryFailure", "work_id": work_of, "claim_id": claim_of,
                "completion_id": completed_by, "reason": "lost", "disposition": "unknown",
                "evidence": with(terminal(&run_id, now), json!({"attempts": y % 4 + 3})),
            });
            chain.operations(
                actor("reconciler"),
                "delivery_failure",
                vec![operation],
                now,
            )
        }
        11 => {
            let operation = json!({
                "kind": "ClaimCancellation", "work_id": work_of, "claim_id": claim_of, "reason": "lost",
                "retry_not_before": now + 29_990 + y as u64 % 20,
            });
            chain.operations(actor("reconciler"), "cancel_claim", vec![operation], now)
        }
        12 => {
            let operation = json!({"kind": "WorkCancellation", "work_id": work_of, "reason": "no"});
            chain.operations(actor("administrator"), "cancel_work", vec![operation], now)
        }
        13 => {
            let evidence = match y % 3 {
                0 => evidence("prelaunch", "trusted_publisher", now),
                _ => terminal(&run_id, now),
            };
            let operation =
                json!({"kind": "Release", "dispatch_id": dispatch, "evidence": evidence});
            chain.operations(actor("reconciler"), "release", vec![operation], now)
        }
        14 => {
            let id = format!("o{}", chain.commits.len());
            let operation = observation(&id, u32::try_from(x % 2 + 1).unwrap(), now - y as u64 % 3);
            chain.operations(actor("reconciler"), "observe", vec![operation], now)
        }
        _ => {
            let setting = ["grants_paused", "admission_paused"][x % 2];
            let operation =
                json!({"kind": "Control", "control": setting, "value": y % 4 == 0, "reason": "r"});
            chain.operations(actor("administrator"), "control", vec![operation], now)
        }
    }
}

/// A grant as the planner would make it; where nothing is due, one that must be refused.
fn grant(chain: &Chain, max_claims: usize, now: u64) -> Value {
    use plumb_queue::schedule::{PlanRequest, plan};
    use plumb_queue::wire::Wire;
    use plumb_queue::wire::commit::Budget;
    use plumb_queue::wire::scalar::{CommitId, RequestId, Timestamp};
    let request = chain.next_request();
    let parameters = with(
        budget(),
        json!({"max_claims": max_claims, "max_dispatches": 2}),
    );
    let read = plumb_canonical::parse(&canonical(&parameters))
        .unwrap()
        .into_owned();
    let planned = plan(
        &chain.state,
        PlanRequest {
            budget: &Budget::read(&read, plumb_queue::Code::RequestInvalid).unwrap(),
            request: &RequestId::new(&request).unwrap(),
            commit: &CommitId::new(&format!("q{}", chain.commits.len())).unwrap(),
            leading: 0,
            at: Timestamp::new(now).unwrap(),
        },
    );
    let claims = planned.grants.iter().map(|grant| {
        let claim = plumb_queue::wire::Operation::Claim(grant.claim.clone());
        serde_json::from_str(&claim.write().to_canonical()).unwrap()
    });
    let mut claims: Vec<Value> = claims.collect();
    if claims.is_empty() {
        claims.push(claim(&request, 1, &work_id("g", "n0")));
    }
    chain.commit(
        actor("dispatcher"),
        "dispatch_next",
        parameters,
        claims,
        now,
    )
}

/// The sums that a state keeps, made anew from its records with the formulas of section 9.
fn check_sums(state: &State) {
    let pool = PoolName::new("default").unwrap();
    let (result, evidence) = (4096, 1024);
    let finish = 2 * result + 2 * evidence + 8192;
    let (mut reserve, mut pending, mut open, mut accounts) = (0, 0, 0, BTreeMap::new());
    for (_, work) in state.works() {
        let retries = (3 - work.attempts) * (4 * evidence + 8192);
        match &work.state {
            WorkState::Available => {
                reserve += retries + finish;
                pending += 1;
            }
            WorkState::Claimed { .. } => {
                reserve += retries + finish + 8192;
                pending += 1;
                open += 1;
                *accounts.entry(work.work.fairness_key.clone()).or_insert(0) += 1;
            }
            WorkState::Completed {
                barrier: Barrier::Pending,
                ..
            } => {
                reserve += finish;
                pending += 1;
            }
            _ => {}
        }
    }
    let mut unreleased = 0;
    for (_, dispatch) in state
        .dispatches()
        .filter(|(_, dispatch)| dispatch.release.is_none())
    {
        reserve += (9 - dispatch.writes) * (2 * evidence + 12_288) + 2 * evidence + 8192;
        unreleased += 1;
    }
    let totals = state.totals();
    assert_eq!(
        (totals.reserve, totals.pending, totals.unreleased),
        (reserve, pending, unreleased)
    );
    assert_eq!(
        (state.open_claims(&pool), state.pending(&pool)),
        (open, pending)
    );
    assert_eq!(state.native_reservations(&pool), unreleased);
    for (key, count) in accounts {
        assert_eq!(state.account_open_claims(&pool, &key), count);
    }
    assert_eq!(state.is_quiescent(), pending == 0 && unreleased == 0);
}

#[test]
fn random_commands_reach_every_state_of_works_and_dispatches_and_are_refused_at_least_as_often() {
    use proptest::strategy::ValueTree as _;
    use proptest::test_runner::TestRunner;
    let commands = prop::collection::vec((any::<u8>(), 0_usize..40, 0_usize..40), 60..90);
    let mut runner = TestRunner::deterministic();
    let (mut accepted, mut refused) = (0, 0);
    let mut reached = std::collections::BTreeSet::new();
    for _ in 0..60 {
        let commands = commands.new_tree(&mut runner).unwrap().current();
        let mut chain = Chain::new();
        for (index, command) in (0..).zip(commands) {
            let commit = commit(&chain, command, 2000 + 4000 * index);
            match chain.check(&commit) {
                Ok(next) => {
                    chain.state = next;
                    chain.commits.push(commit);
                    accepted += 1;
                }
                Err(_) => refused += 1,
            }
        }
        for (_, work) in chain.state.works() {
            reached.insert(format!(
                "{} {}",
                work.state.name(),
                work.state.barrier_name()
            ));
        }
        for (_, dispatch) in chain.state.dispatches() {
            reached.insert(dispatch.state.to_string());
            reached.extend(dispatch.release.is_some().then(|| "released".to_owned()));
        }
    }
    assert!(
        refused >= accepted && accepted > 500,
        "{accepted} accepted, {refused} refused"
    );
    let wanted = [
        "available none",
        "claimed none",
        "completed pending",
        "completed verified",
        "completed failed",
        "cancelled none",
        "reserved",
        "started",
        "uncertain",
        "bound",
        "released",
    ];
    let missing: Vec<_> = wanted
        .iter()
        .filter(|state| !reached.contains(**state))
        .collect();
    assert!(missing.is_empty(), "never reached: {missing:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn whatever_is_tried_the_state_is_what_its_records_say(
        commands in prop::collection::vec((any::<u8>(), 0_usize..40, 0_usize..40), 1..90),
    ) {
        let mut chain = Chain::new();
        let mut now = 2000;
        for command in commands {
            now += 4000;
            let commit = commit(&chain, command, now);
            let before = Snapshot::of(&chain.state).unwrap();
            match chain.check(&commit) {
                Ok(next) => {
                    chain.state = next;
                    chain.commits.push(commit);
                }
                Err(_) => prop_assert_eq!(Snapshot::of(&chain.state).unwrap(), before),
            }
            check_sums(&chain.state);
        }
        let replayed = replay(&chain.text()).unwrap();
        prop_assert_eq!(Snapshot::of(&replayed).unwrap(), Snapshot::of(&chain.state).unwrap());
        let snapshot = Snapshot::of(&replayed).unwrap();
        let restored = snapshot.clone().restore(replayed.repository().unwrap()).unwrap();
        prop_assert_eq!(Snapshot::of(&restored).unwrap(), snapshot);
        check_sums(&restored);
        // One Work has one open Claim, and one that is completed keeps its Claim.
        for (id, work) in replayed.works() {
            let (WorkState::Claimed { claim: owner } | WorkState::Completed { claim: owner, .. }) =
                &work.state
            else {
                continue;
            };
            prop_assert_eq!(&replayed.claim(owner).unwrap().claim.work_id, id);
        }
    }
}
