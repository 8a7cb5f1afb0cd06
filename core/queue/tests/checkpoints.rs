//! Section 10: a checkpoint at any point restores the same state, and the same future.

#![allow(
    clippy::unwrap_used,
    clippy::redundant_closure_for_method_calls,
    clippy::type_complexity
)]

mod common;

use std::io::Write as _;

use base64::Engine as _;
use common::*;
use plumb_canonical::Digest;
use plumb_queue::checkpoint::checkpoint;
use plumb_queue::checkpoint::snapshot::Snapshot;
use plumb_queue::demo::demo;
use plumb_queue::log::Log;
use plumb_queue::state::State;
use plumb_queue::wire::scalar::{Revision, Timestamp};
use plumb_queue::wire::{Actor, QueueCommit, Wire};
use serde_json::{Value, json};

fn make(state: &State, log: &str) -> QueueCommit {
    let actor = plumb_canonical::parse(
        r#"{"role":"administrator","principal":"100","repository":"acme/queue"}"#,
    )
    .unwrap();
    let actor = Actor::read(&actor, plumb_queue::Code::RequestInvalid).unwrap();
    let git = Revision::new(REF).unwrap();
    checkpoint(
        state,
        log.as_bytes(),
        git,
        actor,
        Timestamp::new(0).unwrap(),
    )
    .unwrap()
}

/// What two states have in common that differ in a checkpoint only.
fn content(state: &State, requests: usize) -> Snapshot {
    let mut snapshot = Snapshot::of(state).unwrap();
    snapshot.requests.truncate(requests);
    snapshot.ledger_bytes = 0;
    snapshot.transactions = 0;
    snapshot
}

fn holds_at_every_point(log: &str) {
    let lines: Vec<&str> = log.lines().collect();
    let mut states = Vec::new();
    Log::read(log.as_bytes())
        .unwrap()
        .replay(|_, state| states.push(state.clone()))
        .unwrap();
    for (index, state) in states.iter().enumerate() {
        let prefix = lines[..=index].join("\n") + "\n";
        let root = make(state, &prefix);
        let mut log = root.to_line();
        let restored = replay(&log).unwrap();
        assert_eq!(restored.ordinal(), state.ordinal() + 1);
        assert_eq!(restored.totals().reserve, state.totals().reserve);
        assert_eq!(restored.totals().pending, state.totals().pending);
        assert_eq!(restored.totals().unreleased, state.totals().unreleased);
        assert_eq!(restored.totals().ledger as usize, log.len());
        assert_eq!(content(&restored, index + 1), content(state, index + 1));
        // The same future: what came after comes after the checkpoint, too.
        if let Some(next) = lines.get(index + 1) {
            let mut next: Value = serde_json::from_str(next).unwrap();
            next["previous"] = root.id.as_str().into();
            log += &(canonical(&next) + "\n");
            for line in &lines[index + 2..] {
                log += &format!("{line}\n");
            }
            let last = replay(&log).unwrap();
            let expected = states.last().unwrap();
            assert_eq!(last.tip(), expected.tip());
            assert_eq!(last.totals().reserve, expected.totals().reserve);
            let (last, expected) = (
                Snapshot::of(&last).unwrap(),
                Snapshot::of(expected).unwrap(),
            );
            assert_eq!(last.clocks, expected.clocks);
            assert_eq!(last.claims, expected.claims);
            assert_eq!(last.dispatches, expected.dispatches);
        }
        // A checkpoint of a checkpointed log.
        let again = make(&restored, &root.to_line());
        assert_eq!(
            replay(&again.to_line()).unwrap().ordinal(),
            state.ordinal() + 2
        );
    }
}

#[test]
fn a_checkpoint_at_any_point_of_the_scenario_restores_it() {
    holds_at_every_point(&scenario().text());
}

#[test]
fn a_checkpoint_at_any_point_of_a_life_restores_it() {
    holds_at_every_point(&demo(&mut |_| {}).unwrap());
}

#[test]
fn a_checkpoint_keeps_deployments_issues_and_what_another_epoch_left_behind() {
    let mut chain = Chain::with_policy(with(aw_policy(), json!({"mode": "strict-priority"})));
    chain.push(chain.submit(vec![work("g", "a"), work("g", "b")], 2000));
    let projector = with(actor("projector"), json!({"workflow": WORKFLOW}));
    let link = json!({"kind": "IssueLink", "work_id": work_id("g", "a"), "resource": issue(5), "projector_ref": REF});
    let comment = json!({"kind": "IssueComment", "work_id": work_id("g", "a"), "comment_id": "8", "projector_ref": REF});
    chain.push(chain.operations(projector, "issue_link", vec![link, comment], 2100));
    let newer = json!({
        "kind": "Deployment", "pool": "default", "worker_profile": "default", "expected_ref": REF,
        "expected_contract": "c".repeat(64), "available": true, "reason": "newer",
        "profile": with(profile(), json!({"logical_contract": "c".repeat(64), "ref": "9".repeat(40)})),
    });
    chain.push(chain.operations(actor("administrator"), "deployment", vec![newer], 2200));
    let request = chain.next_request();
    let claims = ["a", "b"].iter().enumerate();
    let claims = claims.map(|(index, node)| claim(&request, index + 1, &work_id("g", node)));
    chain.push(chain.commit(
        actor("dispatcher"),
        "dispatch_next",
        budget(),
        claims.collect(),
        3000,
    ));
    let d = dispatch_id(&request, 1);
    let mut unlaunched = evidence("prelaunch", "trusted_publisher", 3500);
    unlaunched["ref"] = "9".repeat(40).into();
    let ends = ["a", "b"].map(cancel).to_vec();
    chain.push(chain.operations(actor("administrator"), "cancel_work", ends, 3400));
    let release = json!({"kind": "Release", "dispatch_id": d, "evidence": unlaunched});
    chain.push(chain.operations(actor("reconciler"), "release", vec![release], 3500));
    let next = json!({"kind": "Policy", "epoch": "epoch2", "policy": policy()});
    chain.push(chain.operations(actor("administrator"), "policy", vec![next], 4000));
    chain.epoch = "epoch2".to_owned();
    chain.push(chain.submit(vec![work("h", "a")], 5000));
    holds_at_every_point(&chain.text());
}

#[test]
fn a_request_is_answered_as_before_the_checkpoint() {
    let chain = scenario();
    let root = make(&chain.state, &chain.text());
    let restored = replay(&root.to_line()).unwrap();
    let mut again = chain.commits[3].clone();
    again["previous"] = root.id.as_str().into();
    again["id"] = "q99".into();
    let error = restored
        .apply(&plumb_canonical::parse(&canonical(&again)).unwrap())
        .unwrap_err();
    assert_eq!(error.code.as_str(), "request_reuse");
}

/// A checkpoint of the scenario after q8 whose state was changed by `change`, with digests that fit.
fn forged(change: impl FnOnce(&mut Value)) -> Result<State, plumb_queue::log::LogError> {
    let chain = scenario();
    let prefix = Chain {
        commits: chain.commits[..9].to_vec(),
        ..Chain::default()
    };
    let state = replay(&prefix.text()).unwrap();
    let mut commit: Value = serde_json::from_str(&make(&state, &prefix.text()).to_line()).unwrap();
    let mut logical = commit["operations"][0]["state"].take();
    let compressed = logical
        .as_object_mut()
        .unwrap()
        .remove("requests_compressed")
        .unwrap();
    let compressed = base64::engine::general_purpose::STANDARD
        .decode(compressed.as_str().unwrap())
        .unwrap();
    let inflated =
        std::io::read_to_string(flate2::read::DeflateDecoder::new(&*compressed)).unwrap();
    logical["requests"] = serde_json::from_str(&inflated).unwrap();
    change(&mut logical);
    let digest = sha(&canonical(&logical));
    let requests = logical.as_object_mut().unwrap().remove("requests").unwrap();
    // Another encoder than ours: stored, not compressed. It means the same.
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::none());
    encoder.write_all(canonical(&requests).as_bytes()).unwrap();
    let encoded = base64::engine::general_purpose::STANDARD.encode(encoder.finish().unwrap());
    logical["requests_compressed"] = encoded.into();
    commit["operations"][0]["state"] = logical;
    commit["operations"][0]["state_sha256"] = digest.clone().into();
    commit["request"]["parameters"]["state_sha256"] = digest.into();
    replay(&(canonical(&signed(commit)) + "\n"))
}

#[test]
fn what_contradicts_itself_is_not_restored() {
    assert!(forged(|_| {}).is_ok());
    let a = work_id("g", "a");
    let first = claim_id("r3", 1);
    let d = dispatch_id("r3", 1);
    let set = |pointer: String, value: Value| {
        move |state: &mut Value| *state.pointer_mut(&pointer).unwrap() = value
    };
    let forgeries: Vec<(&str, Box<dyn FnOnce(&mut Value)>)> = vec![
        (
            "an unknown member",
            Box::new(|state| state["more"] = json!(1)),
        ),
        (
            "a policy that breaks a rule",
            Box::new(set("/policy/accounting_weights/".to_owned(), json!(2))),
        ),
        (
            "an epoch that was never seen",
            Box::new(set("/epoch".to_owned(), json!("e"))),
        ),
        (
            "a Work under another id",
            Box::new(set(format!("/works/{a}/work/node_key"), json!("z"))),
        ),
        (
            "a Work of the future",
            Box::new(set(format!("/works/{a}/position"), json!([99, 0]))),
        ),
        (
            "two Works in one place",
            Box::new(set(format!("/works/{a}/position"), json!([1, 1]))),
        ),
        (
            "a Work whose Claim is open",
            Box::new(set(format!("/claims/{first}/state"), json!("open"))),
        ),
        (
            "a Claim without its Work",
            Box::new({
                let a = a.clone();
                move |state| {
                    state["works"].as_object_mut().unwrap().remove(&a);
                }
            }),
        ),
        (
            "a Claim in another place",
            Box::new(set(format!("/claims/{first}/claim/handle"), json!("h2"))),
        ),
        (
            "a Dispatch without its run",
            Box::new({
                let d = d.clone();
                move |state| {
                    state["dispatches"][&d]
                        .as_object_mut()
                        .unwrap()
                        .remove("run");
                }
            }),
        ),
        (
            "a Dispatch without Claims",
            Box::new(set(format!("/dispatches/{d}/claims"), json!([]))),
        ),
        (
            "a Dispatch of no pool",
            Box::new(set(format!("/dispatches/{d}/pool"), json!("p"))),
        ),
        (
            "a Work of no account",
            Box::new(|state| {
                let b = work_id("g", "b");
                state["works"][&b]["work"]["fairness_key"] = json!("zz");
            }),
        ),
        (
            "a broken chain of receipts",
            Box::new(|state| {
                state["requests"].as_array_mut().unwrap().swap(1, 2);
            }),
        ),
        (
            "a missing receipt",
            Box::new(|state| {
                state["requests"].as_array_mut().unwrap().pop();
            }),
        ),
        (
            "a clock that is no number",
            Box::new(set("/clocks/default/classes/v".to_owned(), json!("012"))),
        ),
        (
            "an active competitor without a pass",
            Box::new(set("/clocks/default/classes/pass".to_owned(), json!({}))),
        ),
        (
            "a gate of another Observation",
            Box::new(|state| {
                let seen = state["observation_ids"].as_object_mut().unwrap();
                seen.clear();
            }),
        ),
        (
            "an attempt more than was granted",
            Box::new(set(format!("/works/{a}/attempts"), json!(2))),
        ),
        (
            "a Work that waits with all attempts used up",
            Box::new(|state| {
                let b = work_id("g", "b");
                state["works"][&b]["attempts"] = json!(1);
                state["policy"]["pools"]["default"]["retry"]["max_attempts"] = json!(1);
            }),
        ),
        (
            "a Work of another trust domain",
            Box::new(|state| {
                let d = work_id("g", "d");
                state["works"][&d]["work"]["batch_trust_domain"] = json!("other");
            }),
        ),
        (
            "a state of a Work with another's member",
            Box::new(|state| {
                let d = work_id("g", "d");
                state["works"][&d]["state"]["at"] = json!(1);
            }),
        ),
        (
            "Works that depend on each other",
            Box::new(|state| {
                let d = work_id("g", "d");
                let e = work_id("g", "e");
                state["works"][&d]["work"]["depends_on"] = json!([after("g", "e")]);
                state["works"][&e]["work"]["depends_on"] = json!([after("g", "d")]);
            }),
        ),
        (
            "a completion by a commit that never was",
            Box::new(set(format!("/works/{a}/state/completion"), json!("q77"))),
        ),
        (
            "a Result of another commit",
            Box::new(set(format!("/works/{a}/state/commit"), json!("q77"))),
        ),
        (
            "a Result of another Work",
            Box::new(set(
                format!("/works/{a}/state/operation/work_id"),
                json!(work_id("g", "b")),
            )),
        ),
        (
            "a Dispatch of another request",
            Box::new(set(format!("/dispatches/{d}/request"), json!("r2"))),
        ),
        (
            "a Dispatch of another commit",
            Box::new(set(format!("/dispatches/{d}/commit"), json!("q2"))),
        ),
        (
            "a Dispatch of another epoch",
            Box::new(set(format!("/dispatches/{d}/epoch"), json!("epoch0"))),
        ),
        (
            "a Dispatch with more writes than there may be",
            Box::new(set(format!("/dispatches/{d}/writes"), json!(10))),
        ),
        (
            "a launch without a write",
            Box::new(set(format!("/dispatches/{d}/writes"), json!(0))),
        ),
        (
            "a launch without a sender",
            Box::new({
                let d = d.clone();
                move |state| {
                    let dispatch = state["dispatches"][&d].as_object_mut().unwrap();
                    dispatch.remove("sender");
                }
            }),
        ),
        (
            "a launch as another principal",
            Box::new(set(format!("/dispatches/{d}/principal"), json!("5"))),
        ),
        (
            "a run of another workflow",
            Box::new(set(format!("/dispatches/{d}/run/workflow"), json!("w"))),
        ),
        (
            "a Claim twice in its Dispatch",
            Box::new(|state| {
                let d = dispatch_id("r3", 1);
                let claims = state["dispatches"][&d]["claims"].as_array_mut().unwrap();
                claims.push(claims[0].clone());
            }),
        ),
        (
            "a Dispatch that is released with an open Claim",
            Box::new(|state| {
                let d = dispatch_id("r3", 1);
                let release = json!({
                    "kind": "Release", "dispatch_id": d, "evidence": terminal("900", 4300),
                });
                state["dispatches"][&d]["release"] = release;
                let c = work_id("g", "c");
                assert_eq!(state["works"][&c]["state"]["state"], "claimed");
            }),
        ),
        (
            "a Dispatch that nobody remembers",
            Box::new(set("/requests/3/receipt/dispatches".to_owned(), json!([]))),
        ),
        (
            "a Dispatch that is remembered and not there",
            Box::new(set(
                "/requests/2/receipt/dispatches".to_owned(),
                json!(["d"]),
            )),
        ),
        (
            "a receipt of an epoch that was never seen",
            Box::new(set("/requests/2/receipt/epoch".to_owned(), json!("e"))),
        ),
        (
            "a receipt of the future",
            Box::new(set("/requests/2/receipt/at".to_owned(), json!(99_999))),
        ),
        (
            "a receipt of another queue",
            Box::new(set(
                "/requests/2/receipt/actor/repository".to_owned(),
                json!("acme/other"),
            )),
        ),
        (
            "a checkpoint in the middle that is none",
            Box::new(|state| {
                let receipt = state["requests"][2]["receipt"].as_object_mut().unwrap();
                let previous = receipt.remove("previous").unwrap();
                receipt.insert("prior_tip".to_owned(), previous);
            }),
        ),
        (
            "a deployment of a profile that is not contract-marked",
            Box::new(|state| {
                let revision = json!({"profile": profile(), "available": true});
                state["deployments"] =
                    json!({"default": {"default": {"current": REF, "revisions": [revision]}}});
            }),
        ),
        (
            "an Observation with another content than was noted",
            Box::new(|state| {
                let gates = state["observations"].as_object_mut().unwrap();
                let gate = gates.values_mut().next().unwrap();
                gate["observation"]["observed_at"] = json!(2400);
            }),
        ),
        (
            "a generation that was never seen",
            Box::new(|state| {
                state["credential_generation"] = json!("second");
                state["seen_generations"] = json!({"second": true});
            }),
        ),
        (
            "a comment on a Work that is not shown",
            Box::new(set(
                "/issue_comments".to_owned(),
                json!({work_id("g", "a"): ["7"]}),
            )),
        ),
        (
            "a clock of a stranger",
            Box::new(|state| {
                state["clocks"]["default"]["keys"]["3"]["pass"]["stranger"] = json!("9");
            }),
        ),
        (
            "a clock ahead of all who compete",
            Box::new(set("/clocks/default/classes/v".to_owned(), json!("99"))),
        ),
        (
            "a clock at which nobody was chosen",
            Box::new(set("/clocks/default/classes/v".to_owned(), json!("11"))),
        ),
        (
            "accounts that competed in a class that did not",
            Box::new(|state| {
                let keys = state["clocks"]["default"]["keys"].as_object_mut().unwrap();
                let level = keys.remove("3").unwrap();
                keys.insert("2".to_owned(), level);
            }),
        ),
        (
            "clocks of classes in strict mode",
            Box::new(set("/policy/mode".to_owned(), json!("strict-priority"))),
        ),
        (
            "another count of commits",
            Box::new(set("/transactions".to_owned(), json!(99))),
        ),
    ];
    for (what, forge) in forgeries {
        let error = forged(forge).map(|_| ()).expect_err(what);
        assert_eq!(error.code.as_str(), "checkpoint_invalid", "{what}: {error}");
    }
}

#[test]
fn inflating_is_bounded() {
    let chain = scenario();
    let mut commit: Value =
        serde_json::from_str(&make(&chain.state, &chain.text()).to_line()).unwrap();
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::best());
    let zeros = vec![b' '; 1 << 20];
    for _ in 0..65 {
        encoder.write_all(&zeros).unwrap();
    }
    let bomb = base64::engine::general_purpose::STANDARD.encode(encoder.finish().unwrap());
    assert!(bomb.len() < 200_000);
    commit["operations"][0]["state"]["requests_compressed"] = bomb.into();
    let error = replay(&(canonical(&signed(commit)) + "\n")).unwrap_err();
    assert_eq!(error.code.as_str(), "checkpoint_invalid");
    assert!(error.message.contains("inflate to more than"), "{error}");
}

#[test]
fn the_digests_are_those_of_the_texts() {
    let chain = scenario();
    let commit: Value = serde_json::from_str(&make(&chain.state, &chain.text()).to_line()).unwrap();
    let operation = &commit["operations"][0];
    assert_eq!(
        operation["history_sha256"],
        Digest::of(chain.text().as_bytes()).to_string()
    );
    assert_eq!(operation["prior_tip"], "q16");
    let request = format!("checkpoint_{}", sha(&format!("q16\n{REF}")));
    assert_eq!(commit["request"]["id"], request);
}

#[test]
fn a_snapshot_is_read_back_as_it_was_written() {
    let state = scenario().state;
    let snapshot = Snapshot::of(&state).unwrap();
    let text = snapshot.write().to_canonical();
    // A seed for the fuzz target of checkpoints.
    if std::env::var_os("UPDATE_LOGS").is_some() {
        std::fs::write("../fuzz/corpus/checkpoint/scenario", &text).unwrap();
    }
    let value = plumb_canonical::parse(&text).unwrap();
    let read = Snapshot::read(&value, plumb_queue::Code::CheckpointInvalid).unwrap();
    assert_eq!(read, snapshot);
    let restored = read.restore(state.repository().unwrap()).unwrap();
    assert_eq!(Snapshot::of(&restored).unwrap(), snapshot);
}
