//! The form of a checkpoint, written down from the text of section 10.

use serde_json::{Value, json};

use super::common::*;
use super::{checkpointed, content, logical_state, make};

#[test]
fn a_snapshot_and_its_receipts_have_the_members_that_the_protocol_names() {
    let mut chain = Chain::new();
    chain.push(chain.submit(
        vec![with(work("g", "a"), json!({"depends_on": [gate(1)]}))],
        2000,
    ));
    let seen = observation("o1", 1, 2500);
    let granted = with(
        claim("r2", 1, &work_id("g", "a")),
        json!({"observations": ["o1"]}),
    );
    let operations = vec![seen.clone(), granted.clone()];
    chain.push(chain.commit(
        actor("dispatcher"),
        "dispatch_next",
        budget(),
        operations,
        3000,
    ));
    let a = work_id("g", "a");
    let d = dispatch_id("r2", 1);
    let gate_key = canonical(&json!({
        "condition": "completed", "host": "github.com", "kind": "issue", "repository_id": "9",
        "resource_id": "1",
    }));
    let parameters = |number: usize| &chain.commits[number]["request"]["parameters"];
    let receipt = |number: usize, kind: &str, role: &str, at: u64, events: u64| {
        json!({
            "id": format!("q{number}"), "previous": number.checked_sub(1).map(|it| format!("q{it}")),
            "request_id": format!("r{number}"), "kind": kind,
            "fingerprint": fingerprint(&chain.commits[number]),
            "parameters_digest": sha(&canonical(parameters(number))),
            "actor": actor(role), "epoch": "epoch1", "at": at, "events": events,
            "claim_explanations": [],
        })
    };
    // The class's stride is 8/2 and the account's, of weight 1 among 1, 2 and 1, is 2/1.
    let explanation = json!({
        "work_id": a, "reason": "selected", "observations": ["o1"], "class_pass": "4",
        "key_pass": "2",
    });
    let grant = with(
        receipt(2, "dispatch_next", "dispatcher", 3000, 2),
        json!({"dispatch_parameters": budget(), "claim_explanations": [explanation]}),
    );
    let submitted = with(work("g", "a"), json!({"depends_on": [gate(1)]}));
    let logical = json!({
        "policy": policy(), "epoch": "epoch1", "seen_epochs": {"epoch1": true},
        "seen_generations": {"initial": true}, "credential_generation": "initial",
        "admission_paused": false, "grants_paused": false,
        "works": {&a: {
            "work": submitted, "position": [1, 0], "priority": 3, "attempts": 1,
            "state": "claimed", "claim_id": claim_id("r2", 1), "retry_not_before": 0,
        }},
        "claims": {claim_id("r2", 1): {"claim": granted, "state": "open"}},
        "dispatches": {&d: {
            "pool": "default", "worker_profile": "default", "profile": profile(), "commit": "q2",
            "request": "r2", "epoch": "epoch1", "claims": [claim_id("r2", 1)], "state": "reserved",
            "principal": WORKER, "writes": 0,
        }},
        "deployments": {},
        "observations": {&gate_key: seen}, "observation_writes": {&gate_key: 1},
        "observation_ids": {"o1": sha(&canonical(&seen))},
        "clocks": {"default": {
            "classes": {"v": "4", "pass": {"3": "8"}, "active": {"3": true}},
            "keys": {"3": {"v": "2", "pass": {"": "4"}, "active": {"": true}}},
        }},
        "terminal_barriers": {}, "cancellations": {}, "completion_times": {},
        "work_creators": {&a: actor("producer")},
        "issue_links": {}, "issue_comments": {},
        "requests": [
            receipt(0, "policy", "administrator", 1000, 1),
            receipt(1, "submit", "producer", 2000, 1),
            grant,
        ],
        "ledger_bytes": chain.text().len(), "stats": {"transactions": 3, "events": 4},
        "last_at": 3000,
    });
    let ours: Value = serde_json::from_str(&make(&chain.state, &chain.text()).to_line()).unwrap();
    assert_eq!(logical_state(&ours), logical);
    // What another engine writes by the same text is restored.
    let history = sha(&chain.text());
    let digest = sha(&canonical(&logical));
    let names = json!({
        "prior_git_sha": REF, "prior_tip": "q2", "history_sha256": history, "state_sha256": digest,
    });
    let operation = with(names.clone(), json!({"kind": "Checkpoint", "state": {}}));
    let root = chain.commit(
        actor("administrator"),
        "checkpoint",
        names,
        vec![operation],
        3000,
    );
    let root = checkpointed(at(root, "", json!({"id": "root"})), logical);
    let root = with(root, json!({"previous": "\0null"}));
    let text = canonical(&root).replace("\"\\u0000null\"", "null") + "\n";
    let restored = replay(&text).unwrap();
    assert_eq!(content(&restored, 3), content(&chain.state, 3));
    // A checkpoint of that names what came before it.
    let again = make(&restored, &text);
    let again: Value = serde_json::from_str(&again.to_line()).unwrap();
    let last = &logical_state(&again)["requests"][3];
    assert_eq!(
        (&last["previous"], &last["prior_tip"], &last["kind"]),
        (&Value::Null, &"q2".into(), &"checkpoint".into())
    );
}
