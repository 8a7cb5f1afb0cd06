//! Section 10: a checkpoint at any point restores the same state, and the same future.

#![allow(
    clippy::unwrap_used,
    clippy::redundant_closure_for_method_calls,
    clippy::type_complexity
)]

#[path = "../common/mod.rs"]
mod common;
mod forged;
mod form;

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

/// The logical state of a checkpoint: its receipts inflated.
fn logical_state(commit: &Value) -> Value {
    let mut logical = commit["operations"][0]["state"].clone();
    let members = logical.as_object_mut().unwrap();
    let compressed = members.remove("requests_compressed").unwrap();
    let compressed = base64::engine::general_purpose::STANDARD
        .decode(compressed.as_str().unwrap())
        .unwrap();
    let inflated =
        std::io::read_to_string(flate2::read::DeflateDecoder::new(&*compressed)).unwrap();
    logical["requests"] = serde_json::from_str(&inflated).unwrap();
    logical
}

/// The checkpoint with this logical state, by another encoder than ours: its receipts are stored, not
/// compressed. It means the same.
fn checkpointed(mut commit: Value, mut logical: Value) -> Value {
    let digest = sha(&canonical(&logical));
    let requests = logical.as_object_mut().unwrap().remove("requests").unwrap();
    let mut encoder = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::none());
    encoder.write_all(canonical(&requests).as_bytes()).unwrap();
    let encoded = base64::engine::general_purpose::STANDARD.encode(encoder.finish().unwrap());
    logical["requests_compressed"] = encoded.into();
    commit["operations"][0]["state"] = logical;
    commit["operations"][0]["state_sha256"] = digest.clone().into();
    commit["request"]["parameters"]["state_sha256"] = digest.into();
    signed(commit)
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
