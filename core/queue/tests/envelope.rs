//! Section 9: the byte envelope, with the figures that the protocol states.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::redundant_closure_for_method_calls
)]

mod common;

use common::*;
use plumb_queue::Code;
use plumb_queue::wire::commit::Budget;
use plumb_queue::wire::operation::Work;
use plumb_queue::wire::scalar::{Bounded, RequestId, Timestamp};
use plumb_queue::wire::{Actor, Wire};
use plumb_queue::writer::{Asker, Intent, Prepared, headroom, prepare, room_for_grant};
use serde_json::{Value, json};

/// The default policy: singletons, with this many attempts.
fn default_policy(attempts: u32) -> Value {
    let policy = at(
        policy(),
        "/pools/default/retry",
        json!({"max_attempts": attempts}),
    );
    at(
        policy,
        "/pools/default/profiles/default",
        json!({"max_claims": 1, "share_keys": false}),
    )
}

/// Submits Works n0, n1, ... in batches as large as they may be.
fn with_works(attempts: u32, count: usize) -> Chain {
    let mut chain = Chain::with_policy(default_policy(attempts));
    for first in (0..count).step_by(100) {
        let works = (first..count.min(first + 100)).map(|node| work("g", &format!("n{node}")));
        chain.push(chain.submit(works.collect(), 2000));
    }
    chain
}

fn one_more(chain: &Chain, node: usize) -> Result<(), Code> {
    let commit = chain.submit(vec![work("g", &format!("n{node}"))], 3000);
    chain.check(&commit).map(|_| ()).map_err(|error| error.code)
}

#[test]
fn as_many_works_are_admitted_as_the_protocol_counts() {
    for (attempts, count) in [(1, 546), (2, 390), (3, 303), (4, 248), (8, 143), (16, 78)] {
        let chain = with_works(attempts, count);
        assert_eq!(
            one_more(&chain, count),
            Err(Code::LedgerLimit),
            "{attempts} attempts"
        );
        if attempts == 3 {
            assert_eq!(chain.state.totals().reserve, 303 * 55_296);
        }
    }
}

#[test]
fn batches_of_128_saturate_after_256() {
    let mut chain = Chain::with_policy(default_policy(3));
    let batch = |first: usize| {
        (first..first + 128)
            .map(|node| work("g", &format!("n{node}")))
            .collect::<Vec<_>>()
    };
    chain.push(chain.submit(batch(0), 2000));
    chain.push(chain.submit(batch(128), 2000));
    let third = chain.submit(batch(256), 2000);
    assert_eq!(chain.check(&third).unwrap_err().code, Code::LedgerLimit);
}

fn asker(request: &str, role: &str) -> Asker {
    let actor = plumb_canonical::parse(&canonical(&actor(role)))
        .unwrap()
        .into_owned();
    Asker {
        request: RequestId::new(request).unwrap(),
        actor: Actor::read(&actor, Code::RequestInvalid).unwrap(),
        at: Timestamp::new(3000).unwrap(),
    }
}

fn full_budget() -> Budget {
    let value = plumb_canonical::parse(&canonical(&budget()))
        .unwrap()
        .into_owned();
    Budget::read(&value, Code::RequestInvalid).unwrap()
}

#[test]
fn as_many_grants_fit_as_the_protocol_counts() {
    for (works, fitting) in [(264, 16), (265, 15), (299, 1), (300, 1), (301, 0), (303, 0)] {
        let chain = with_works(3, works);
        let room = headroom(
            &mut chain.state.clone(),
            &asker("next", "dispatcher"),
            &full_budget(),
        )
        .unwrap();
        assert_eq!((room.due, room.max_claims), (16, fitting), "{works} Works");
        assert_eq!(room.grant, 135_168);
        assert_eq!(room.reserve, works as u64 * 55_296);
        // The protocol: a grant whose full prefix does not fit fails as a whole.
        let intent = Intent::DispatchNext {
            observations: Vec::new(),
            budget: full_budget(),
        };
        let whole = prepare(
            &mut chain.state.clone(),
            &asker("next", "dispatcher"),
            intent,
        );
        assert_eq!(whole.is_ok(), fitting == 16, "{works} Works");
        if let Some(smaller) = Bounded::new(fitting) {
            let budget = Budget {
                max_claims: smaller,
                ..full_budget()
            };
            let intent = Intent::DispatchNext {
                observations: Vec::new(),
                budget,
            };
            let granted = prepare(
                &mut chain.state.clone(),
                &asker("next", "dispatcher"),
                intent,
            )
            .unwrap();
            let Prepared::Candidate(commit) = granted else {
                panic!("nothing is granted")
            };
            let state = chain.state.apply(&commit.write()).unwrap();
            assert_eq!(state.totals().claims, fitting);
            assert_eq!(
                state.totals().reserve,
                works as u64 * 55_296 + fitting * 135_168
            );
        }
    }
}

#[test]
fn a_wedged_log_is_read_and_our_writer_does_not_make_one() {
    let submit = |node: usize| {
        let value = plumb_canonical::parse(&canonical(&work("g", &format!("n{node}"))))
            .unwrap()
            .into_owned();
        let work = Work::read(&value, Code::WorkInvalid).unwrap();
        Intent::Submit {
            works: vec![work],
            bootstrap: None,
        }
    };
    // With 300 Works one grant fits; the 301st would leave no room for any.
    let chain = with_works(3, 299);
    assert!(room_for_grant(&chain.state));
    assert!(
        prepare(
            &mut chain.state.clone(),
            &asker("new", "producer"),
            submit(299)
        )
        .is_ok()
    );
    let chain = with_works(3, 300);
    assert!(room_for_grant(&chain.state));
    let refused = prepare(
        &mut chain.state.clone(),
        &asker("new", "producer"),
        submit(300),
    )
    .unwrap_err();
    assert_eq!(refused.code, Code::LedgerLimit);
    assert!(
        refused.message.contains("could be granted any more"),
        "{refused}"
    );
    // Other engines admit it, and such a log is read.
    assert_eq!(one_more(&chain, 300), Ok(()));
    let mut wedged = with_works(3, 303);
    assert!(!room_for_grant(&wedged.state));
    assert!(replay(&wedged.text()).is_ok());
    // Cancelling frees 55,296 bytes each; three make room for a grant.
    for count in 1..=3 {
        let operation = json!({"kind": "WorkCancellation", "work_id": work_id("g", &format!("n{count}")), "reason": "wedged"});
        wedged.push(wedged.operations(
            actor("administrator"),
            "cancel_work",
            vec![operation],
            4000,
        ));
        assert_eq!(wedged.state.totals().reserve, (303 - count) * 55_296);
        assert_eq!(room_for_grant(&wedged.state), count == 3);
    }
}

/// A policy whose log may have this many bytes, and this many more to bring things to an end.
fn narrow(ledger: usize, recovery: usize) -> Value {
    let limits = json!({"ledger_bytes": ledger, "recovery_bytes": recovery});
    at(default_policy(1), "/limits", limits)
}

fn pause(chain: &Chain, paused: bool) -> Value {
    let control =
        json!({"kind": "Control", "control": "grants_paused", "value": paused, "reason": "r"});
    chain.operations(actor("administrator"), "control", vec![control], 3000)
}

#[test]
fn every_commit_leaves_room_to_bring_everything_to_an_end() {
    // One Work reserves 12,288 + 18,432 bytes; what remains can be filled to the last byte.
    let reserve = 30_720;
    let start = Chain::with_policy(narrow(20_000, 40_000));
    let start = start.text().len();
    let mut chain = Chain::with_policy(narrow(start + 4000, reserve));
    chain.push(chain.submit(vec![work("g", "a")], 2000));
    assert_eq!(chain.state.totals().reserve, reserve as u64);
    // Controls may go beyond the limit for admissions, until the reserve is all that is left.
    let all = start + 4000 + reserve;
    let mut paused = true;
    let refused = loop {
        let commit = pause(&chain, paused);
        let fits = chain.text().len() + canonical(&commit).len() < all - reserve;
        match chain.check(&commit) {
            Ok(_) => assert!(fits, "{} bytes of {all}", chain.text().len()),
            Err(error) => {
                assert!(!fits, "{error}");
                break error;
            }
        }
        chain.push(commit);
        paused = !paused;
    };
    assert_eq!(refused.code, Code::LedgerLimit);
    // Once nothing is reserved the log may be filled to the end of both.
    chain.push(chain.operations(
        actor("administrator"),
        "cancel_work",
        vec![json!({"kind": "WorkCancellation", "work_id": work_id("g", "a"), "reason": "r"})],
        4000,
    ));
    let mut last = None;
    for number in 0..200 {
        let commit = pause(&chain, number % 2 == 0);
        let fits = chain.text().len() + canonical(&commit).len() < all;
        if !fits {
            last = Some(chain.check(&commit).unwrap_err().code);
            break;
        }
        chain.push(commit);
    }
    assert!(
        chain.text().len() > start + 4000,
        "admissions have ended long ago"
    );
    assert_eq!(last, Some(Code::LedgerLimit));
    // What may not go beyond the limit for admissions is refused here.
    let seen = vec![observation("o1", 1, 3000)];
    let seen = chain.operations(actor("reconciler"), "observe", seen, 3000);
    assert_eq!(chain.check(&seen).unwrap_err().code, Code::LedgerLimit);
}

#[test]
fn a_log_is_filled_to_its_limits_and_not_a_byte_further() {
    // The same commit, with limits around the length that the log has with it.
    let length = |ledger: usize, recovery: usize| {
        let mut chain = Chain::with_policy(narrow(ledger, recovery));
        let commit = chain.submit(vec![work("g", "a")], 2000);
        let checked = chain.check(&commit).map(|_| ()).map_err(|error| error.code);
        chain.commits.push(commit);
        (chain.text().len(), checked)
    };
    let (bytes, _) = length(10_000, 30_720);
    assert_eq!(length(10_000, 30_720), (bytes, Ok(())));
    assert_eq!(length(10_000, 30_719).1, Err(Code::LedgerLimit));
    // The digits of the limits are part of the log, twice.
    assert!((1000..9999).contains(&bytes));
    let exact = bytes - 2;
    assert_eq!(length(exact, 30_720), (exact, Ok(())));
    assert_eq!(length(exact - 1, 30_720).1, Err(Code::LedgerLimit));
}

#[test]
fn room_for_a_grant_includes_what_its_gates_need() {
    // A commit of 8 KiB; for each gate an Observation of 1 KiB, and its id of 256 escaped characters in
    // quotes with a comma.
    for (gates, needed) in [(0, 8192), (1, 8192 + 1539), (2, 8192 + 3078)] {
        let log = |ledger: usize| {
            let depends_on: Vec<_> = (1..=gates).map(gate).collect();
            let gated = with(work("g", "a"), json!({"depends_on": depends_on}));
            let mut chain = Chain::with_policy(narrow(ledger, 16 << 20));
            chain.push(chain.submit(vec![gated], 2000));
            (chain.text().len(), room_for_grant(&chain.state))
        };
        // All of these limits have five digits.
        let (bytes, _) = log(20_000);
        assert_eq!(log(bytes + needed), (bytes, true), "{gates} gates");
        assert_eq!(log(bytes + needed - 1), (bytes, false), "{gates} gates");
    }
}
