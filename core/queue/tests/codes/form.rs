//! Form.

use super::*;

/// Sections 1 and 2: form.
pub fn form() -> Vec<Row> {
    let chain = Chain::new();
    let submit = |changes: Value| signed(at(chain.submit(vec![work("g", "a")], 2000), "", changes));
    let node = |changes: Value| chain.submit(vec![with(work("g", "a"), changes)], 2000);
    let gate_of = |changes: Value| {
        let resource = with(issue(1), changes);
        node(
            json!({"depends_on": [{"kind": "issue", "resource": resource, "condition": "completed"}]}),
        )
    };
    let row = |rule, code, commit| (rule, code, chain.clone(), commit);
    vec![
        row("1 Identity is not empty", "identity_invalid", submit(json!({"id": ""}))),
        row("1 Identity has at most 256 bytes", "identity_invalid", submit(json!({"id": "é".repeat(129)}))),
        row("1 Identity has no controls", "identity_invalid", submit(json!({"id": "a\u{7f}"}))),
        row("1 Timestamp is not negative", "timestamp_invalid", submit(json!({"at": -1}))),
        row("1 Timestamp is an integer", "timestamp_invalid", submit(json!({"at": "1"}))),
        row("1 Priority is at most 5", "work_invalid", node(json!({"priority": 6}))),
        row("1 Priority is at least 1", "work_invalid", node(json!({"priority": 0}))),
        row("1 FairnessKey has at most 128 bytes", "work_invalid", node(json!({"fairness_key": "k".repeat(129)}))),
        row("1 Digest is lower case", "work_invalid", node(json!({"logical_contract": "C".repeat(64)}))),
        row("1 Revision has 40 or 64 digits", "work_invalid", node(json!({"execution_ref": "a".repeat(41)}))),
        row("1 records are closed", "work_invalid", node(json!({"extra": 1}))),
        row("1 the envelope is closed", "request_invalid", submit(json!({"extra": 1}))),
        row("1 null is not absent", "resource_invalid", chain.submit(vec![at(with(work("g", "a"), json!({"subject": {}})), "/subject", json!({"kind": "issue"}))], 2000)),
        row("2.1 at least one operation", "request_invalid", submit(json!({"operations": []}))),
        row("2.1 a principal is not a login", "identity_invalid", signed(at(chain.submit(vec![work("g", "a")], 2000), "/actor", json!({"principal": "octocat"})))),
        ("2.1 a repository is owner/name", "request_invalid", Chain::default(), Chain::default().operations(with(admin(), json!({"repository": "acme"})), "policy", vec![json!({"kind": "Policy", "epoch": "", "policy": policy()})], 1)),
        row("2.1 run_id and run_attempt come together", "request_invalid", chain.operations(with(actor("producer"), json!({"run_id": "1"})), "submit", vec![work("g", "a")], 2000)),
        row("2.1 a worker names its dispatch", "request_invalid", chain.operations(publisher("worker"), "submit", vec![work("g", "a")], 2000)),
        row("2.1 a worker is a first attempt", "rerun_not_authorized", chain.operations(with(worker("d", "1"), json!({"run_attempt": 2})), "submit", vec![work("g", "a")], 2000)),
        row("2.1 one queue repository", "ledger_foreign", chain.operations(with(admin(), json!({"repository": "acme/other"})), "control", vec![control("grants_paused", json!(true))], 2000)),
        row("2.4 a control's value fits it", "control_invalid", chain.operations(admin(), "control", vec![control("grants_paused", json!("yes"))], 2000)),
        row("2.4 a control is known", "control_invalid", chain.operations(admin(), "control", vec![control("speed", json!(true))], 2000)),
        row("2.4 a reason is a code", "reason_invalid", chain.operations(admin(), "control", vec![with(control("grants_paused", json!(true)), json!({"reason": "-x"}))], 2000)),
        row("2.5 a host is known", "resource_invalid", gate_of(json!({"host": "example.com"}))),
        row("2.5 a repository is allowed", "resource_unauthorized", gate_of(json!({"repository": "acme/secret"}))),
        row("2.5 an id is decimal", "resource_invalid", gate_of(json!({"resource_id": "01"}))),
        row("2.5 a condition fits", "condition_invalid", node(json!({"depends_on": [{"kind": "issue", "resource": issue(1), "condition": "merged"}]}))),
        row("2.5 evidence is closed", "evidence_invalid", chain.operations(reconciler(), "release", vec![json!({"kind": "Release", "dispatch_id": "d", "evidence": {"kind": "none"}})], 2000)),
        row("2.4 a Checkpoint is a request of its own", "unauthorized_operation", chain.operations(admin(), "control", vec![json!({"kind": "Checkpoint", "prior_git_sha": REF, "prior_tip": "q0", "history_sha256": "0".repeat(64), "state_sha256": "0".repeat(64), "state": {}})], 2000)),
    ]
}
