//! Observations, deployments, issues, the envelope and checkpoints.

use super::*;

/// Section 8.11: observations.
pub fn observations() -> Vec<Row> {
    let observe = |chain: &Chain, operation: Value| {
        chain.operations(reconciler(), "observe", vec![operation], 6000)
    };
    let o = |changes: Value| with(observation("o1", 1, 5000), changes);
    let row = |rule, code, operation| (rule, code, Chain::new(), observe(&Chain::new(), operation));
    let mut seen = Chain::new();
    seen.push(observe(&seen, o(json!({}))));
    let mut once = Chain::with_policy(at(policy(), "/limits", json!({"observation_writes": 1})));
    once.push(observe(&once, o(json!({}))));
    vec![
        row(
            "8.11 a pool allows it",
            "resource_unauthorized",
            at(o(json!({})), "/resource", json!({"repository": "acme/x"})),
        ),
        row(
            "8.11 of the past",
            "observation_invalid",
            o(json!({"observed_at": 6001})),
        ),
        row(
            "8.11 of this generation",
            "observation_invalid",
            o(json!({"credential_generation": "old"})),
        ),
        row(
            "8.11 ready when closed",
            "observation_invalid",
            o(json!({"resource_state": "open"})),
        ),
        row(
            "8.11 ready when completed",
            "observation_invalid",
            o(json!({"state_reason": "not_planned"})),
        ),
        row(
            "8.11 ready when read",
            "observation_invalid",
            o(json!({"read_status": "http_500"})),
        ),
        row(
            "8.11 a condition fits",
            "condition_invalid",
            o(json!({"condition": "merged", "merged": true})),
        ),
        row(
            "8.11 1 KiB",
            "evidence_limit",
            at(
                o(json!({"observation_id": "o".repeat(256)})),
                "/resource",
                json!({"number": "9".repeat(256), "resource_id": "8".repeat(256), "repository_id": "7".repeat(256)}),
            ),
        ),
        (
            "8.11 an id once",
            "observation_conflict",
            seen.clone(),
            observe(&seen, o(json!({"observed_at": 5001}))),
        ),
        (
            "8.11 times do not fall",
            "observation_invalid",
            seen.clone(),
            observe(
                &seen,
                o(json!({"observation_id": "o2", "observed_at": 4999})),
            ),
        ),
        (
            "8.11 so many writes",
            "observation_limit",
            once.clone(),
            observe(&once, o(json!({"observation_id": "o2"}))),
        ),
    ]
}

/// Sections 5.6, 8.13, 8.14, 9 and 10.
pub fn others() -> Vec<Row> {
    let chain = Chain::new();
    let aw = Chain::with_policy(aw_policy());
    let deploy = |chain: &Chain, operation: Value| {
        chain.operations(actor("dispatcher"), "deployment", vec![operation], 2000)
    };
    let row = |rule, code, operation| (rule, code, aw.clone(), deploy(&aw, operation));
    let mut deployed = aw.clone();
    deployed.push(deploy(&deployed, deployment(json!({}))));
    let show = |chain: &Chain, operation: Value| {
        chain.operations(publisher("projector"), "issue_link", vec![operation], 3000)
    };
    let mut shown = submitted();
    shown.push(show(&shown, link(json!({}))));
    let comment = json!({"kind": "IssueComment", "work_id": work_id("g", "a"), "comment_id": "7", "projector_ref": REF});
    let mut commented = shown.clone();
    commented.push(show(&commented, comment.clone()));
    let other_contract = at(
        deployment(json!({"expected_ref": "9".repeat(40)})),
        "/profile",
        json!({"logical_contract": "d".repeat(64)}),
    );
    let small = Chain::with_policy(at(policy(), "/limits", json!({"recovery_bytes": 50_000})));
    let generation = |value: &str| {
        chain.operations(
            admin(),
            "control",
            vec![control("credential_generation", json!(value))],
            2000,
        )
    };
    let root = |at: u64| {
        let operation = json!({"kind": "Checkpoint", "prior_git_sha": REF, "prior_tip": "q0", "history_sha256": "0".repeat(64), "state_sha256": "0".repeat(64), "state": {}});
        let parameters = with(operation.clone(), json!({"kind": null, "state": null}));
        Chain {
            epoch: "epoch1".to_owned(),
            ..Chain::default()
        }
        .commit(admin(), "checkpoint", parameters, vec![operation], at)
    };
    vec![
        (
            "5.6 a generation is new",
            "credential_generation_reused",
            chain.clone(),
            generation("initial"),
        ),
        row(
            "8.13 the current revision",
            "deployment_conflict",
            deployment(json!({"expected_ref": "main"})),
        ),
        row(
            "8.13 the current contract",
            "deployment_conflict",
            deployment(json!({"expected_contract": "d".repeat(64)})),
        ),
        row(
            "8.13 only ref and contract change",
            "deployment_invalid",
            at(deployment(json!({})), "/profile", json!({"max_claims": 2})),
        ),
        row(
            "8.13 a switch for what is known",
            "deployment_invalid",
            deployment(json!({"activate": false})),
        ),
        (
            "8.13 a revision is fixed",
            "deployment_conflict",
            deployed.clone(),
            deploy(&deployed, other_contract),
        ),
        (
            "8.13 aw only",
            "deployment_invalid",
            chain.clone(),
            deploy(&chain, deployment(json!({}))),
        ),
        (
            "8.14 a Work that exists",
            "issue_binding_invalid",
            submitted(),
            show(&submitted(), link(json!({"work_id": "w"}))),
        ),
        (
            "8.14 a rule allows it",
            "projection_unauthorized",
            submitted(),
            show(&submitted(), link(json!({"projector_ref": "main"}))),
        ),
        (
            "8.14 one link",
            "issue_binding_conflict",
            shown.clone(),
            show(&shown, link(json!({"resource": issue(6)}))),
        ),
        (
            "8.14 a comment needs a link",
            "issue_binding_invalid",
            submitted(),
            show(&submitted(), comment.clone()),
        ),
        (
            "8.14 a comment once",
            "issue_binding_conflict",
            commented.clone(),
            show(&commented, comment),
        ),
        (
            "8.14 a Claim of the Work",
            "claim_missing",
            submitted(),
            show(&submitted(), link(json!({"claim_id": "c"}))),
        ),
        (
            "9 the reserve",
            "ledger_limit",
            small.clone(),
            small.submit(vec![work("g", "a")], 2000),
        ),
        (
            "10 a checkpoint is a root",
            "checkpoint_invalid",
            chain.clone(),
            {
                let mut commit = root(2000);
                commit["request"]["id"] = "r1".into();
                signed(commit)
            },
        ),
        (
            "10 the digest of the state",
            "checkpoint_invalid",
            Chain::default(),
            root(2000),
        ),
    ]
}
