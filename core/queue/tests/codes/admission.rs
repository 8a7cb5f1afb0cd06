//! Admission and grants.

use super::*;

/// Section 7: admission.
pub fn admissions() -> Vec<Row> {
    let chain = Chain::new();
    let node = |changes: Value| with(work("g", "a"), changes);
    let row = |rule, code, works| (rule, code, chain.clone(), chain.submit(works, 2000));
    let after_submit =
        |rule, code, works| (rule, code, submitted(), submitted().submit(works, 3000));
    let limited = |changes: Value| Chain::with_policy(at(policy(), "/limits", changes));
    let of =
        |rule, code, chain: Chain, works| (rule, code, chain.clone(), chain.submit(works, 2000));
    let mut paused = Chain::new();
    paused.push(paused.operations(
        admin(),
        "control",
        vec![control("admission_paused", json!(true))],
        1500,
    ));
    let two = Chain::with_policy(with(
        at(
            policy(),
            "/producers/100",
            json!({"pools": ["default", "second"]}),
        ),
        json!({"pools": {"default": pool(), "second": pool()}}),
    ));
    let replacing = |id: &str, changes: Value| {
        let evidence = evidence("reconciliation", "github_api", 1);
        let by = json!({"work_id": id, "disposition": "idempotent", "evidence": evidence});
        with(
            with(work("g", "new"), json!({"replacement_of": by})),
            changes,
        )
    };
    let mut failed = completed();
    failed.push(failed.operations(reconciler(), "delivery_failure", vec![failure()], 6000));
    let child = |changes: Value| {
        let worker = with(worker(&d(), "900"), json!({"claim_handle": "h1"}));
        completed().operations(
            worker,
            "submit",
            vec![with(work("child", "x"), changes)],
            6000,
        )
    };
    let early = with(worker(&d(), "900"), json!({"claim_handle": "h2"}));
    let vague = completed().operations(
        worker(&d(), "900"),
        "submit",
        vec![work("child", "x")],
        6000,
    );
    let stray = with(worker(&d(), "900"), json!({"claim_handle": "h4"}));
    vec![
        of("7 paused", "admission_paused", paused, vec![work("g", "a")]),
        row(
            "7 an account has a weight",
            "admission_unauthorized",
            vec![node(json!({"fairness_key": "z"}))],
        ),
        of(
            "7 a rule lists the priority",
            "admission_unauthorized",
            Chain::with_policy(at(policy(), "/producers/100", json!({"priorities": [1]}))),
            vec![work("g", "a")],
        ),
        row(
            "7 a pool exists",
            "pool_invalid",
            vec![node(json!({"pool": "other"}))],
        ),
        row(
            "7 a profile exists",
            "work_invalid",
            vec![node(json!({"worker_profile": "other"}))],
        ),
        row(
            "7 the trust domain is the profile's",
            "work_invalid",
            vec![node(json!({"batch_trust_domain": "other"}))],
        ),
        row(
            "7 no contract without a mark",
            "work_invalid",
            vec![node(json!({"logical_contract": "c".repeat(64)}))],
        ),
        row(
            "4 the id is derived",
            "identity_invalid",
            vec![node(json!({"work_id": "w"}))],
        ),
        row(
            "7 a node once in a submission",
            "node_conflict",
            vec![work("g", "a"), work("g", "a")],
        ),
        after_submit(
            "7 one content",
            "work_conflict",
            vec![node(json!({"payload": {"task": "other"}}))],
        ),
        of(
            "7 one graph in one pool",
            "graph_pool_conflict",
            two,
            vec![
                work("g", "a"),
                with(work("g", "b"), json!({"pool": "second"})),
            ],
        ),
        row(
            "7 a payload has 16 KiB",
            "payload_limit",
            vec![node(json!({"payload": {"p": "x".repeat(16 << 10)}}))],
        ),
        of(
            "7 an Assignment fits at worst",
            "assignment_limit",
            limited(json!({"assignment_bytes": 1400})),
            vec![node(json!({"payload": {"p": "x".repeat(200)}}))],
        ),
        row(
            "7 at most 64 predecessors",
            "graph_limit",
            vec![node(
                json!({"depends_on": (1..=65).map(gate).collect::<Vec<_>>()}),
            )],
        ),
        of(
            "7 gates are nodes",
            "graph_limit",
            limited(json!({"graph_nodes": 2})),
            vec![node(json!({"depends_on": [gate(1), gate(2)]}))],
        ),
        row(
            "7 an edge once",
            "dependency_duplicate",
            vec![node(json!({"depends_on": [gate(1), gate(1)]}))],
        ),
        after_submit(
            "7 a parent once",
            "dependency_duplicate",
            vec![with(
                work("g", "z"),
                json!({"depends_on": [after("g", "a"), after("g", "a")]}),
            )],
        ),
        row(
            "7 no edge to itself",
            "dependency_cycle",
            vec![node(json!({"depends_on": [after("g", "a")]}))],
        ),
        row(
            "7 no circle",
            "dependency_cycle",
            vec![
                node(json!({"depends_on": [after("g", "b")]})),
                with(work("g", "b"), json!({"depends_on": [after("g", "c")]})),
                with(work("g", "c"), json!({"depends_on": [after("g", "a")]})),
            ],
        ),
        row(
            "7 parents exist",
            "dependency_missing",
            vec![node(json!({"depends_on": [after("g", "none")]}))],
        ),
        of(
            "7 pending Works",
            "pending_limit",
            limited(json!({"pending_nodes": 1})),
            vec![work("g", "a"), work("g", "b")],
        ),
        after_submit(
            "7 only what failed is replaced",
            "replacement_invalid",
            vec![replacing(&work_id("g", "a"), json!({}))],
        ),
        (
            "7 a replacement keeps its priority",
            "replacement_invalid",
            failed.clone(),
            failed.submit(
                vec![replacing(&work_id("g", "a"), json!({"priority": 1}))],
                7000,
            ),
        ),
        (
            "7 a child inherits",
            "child_entitlement",
            completed(),
            child(json!({"priority": 1})),
        ),
        (
            "7 a child comes after completion",
            "child_entitlement",
            completed(),
            completed().operations(early, "submit", vec![work("child", "x")], 6000),
        ),
        (
            "8.9 a worker says for which Claim",
            "claim_scope_required",
            completed(),
            vague,
        ),
        (
            "8.9 a worker has the Claim",
            "claim_scope_invalid",
            completed(),
            completed().operations(stray, "submit", vec![work("child", "x")], 6000),
        ),
        (
            "7 a child is of the bound run",
            "child_entitlement",
            completed(),
            completed().operations(
                with(worker(&d(), "901"), json!({"claim_handle": "h1"})),
                "submit",
                vec![work("child", "x")],
                6000,
            ),
        ),
    ]
}

/// Sections 5.4 and 6: grants.
pub fn grants() -> Vec<Row> {
    let grant = |claims: Vec<Value>| {
        submitted().commit(actor("dispatcher"), "dispatch_next", budget(), claims, 3000)
    };
    let right: Vec<Value> = ["a", "b", "c"]
        .iter()
        .enumerate()
        .map(|(index, node)| claim("r2", index + 1, &work_id("g", node)))
        .collect();
    let changed = |index: usize, changes: Value| {
        let mut claims = right.clone();
        claims[index] = with(claims[index].clone(), changes);
        grant(claims)
    };
    let row = |rule, code, commit| (rule, code, submitted(), commit);
    let mut swapped = right.clone();
    swapped[0] = claim("r2", 1, &work_id("g", "b"));
    swapped[1] = claim("r2", 2, &work_id("g", "a"));
    let mut paused = submitted();
    paused.push(paused.operations(
        admin(),
        "control",
        vec![control("grants_paused", json!(true))],
        2500,
    ));
    let late = paused.commit(
        actor("dispatcher"),
        "dispatch_next",
        budget(),
        vec![claim("r3", 1, &work_id("g", "a"))],
        3000,
    );
    let child = with(worker(&d(), "900"), json!({"claim_handle": "h1"}));
    let elsewhere = completed().commit(
        child,
        "dispatch_next",
        with(budget(), json!({"pool": "second"})),
        vec![claim("r6", 1, "w")],
        6000,
    );
    vec![
        row(
            "5.4 no fewer",
            "selection_invalid",
            grant(right[..2].to_vec()),
        ),
        row("5.4 in order", "selection_invalid", grant(swapped)),
        row(
            "5.4 the derived claim_id",
            "selection_invalid",
            changed(1, json!({"claim_id": "c_1"})),
        ),
        row(
            "5.4 the derived dispatch_id",
            "packing_invalid",
            changed(1, json!({"dispatch_id": dispatch_id("r2", 2)})),
        ),
        row(
            "5.4 the handle",
            "packing_invalid",
            changed(1, json!({"handle": "h3"})),
        ),
        row(
            "5.4 the Observations",
            "selection_invalid",
            changed(1, json!({"observations": ["o1"]})),
        ),
        row(
            "5.4 a Work once",
            "claim_conflict",
            changed(1, json!({"work_id": work_id("g", "a")})),
        ),
        row(
            "5.4 a pool that exists",
            "pool_invalid",
            submitted().commit(
                actor("dispatcher"),
                "dispatch_next",
                with(budget(), json!({"pool": "none"})),
                right.clone(),
                3000,
            ),
        ),
        row(
            "2.3 an empty list of profiles allows nothing",
            "selection_invalid",
            submitted().commit(
                actor("dispatcher"),
                "dispatch_next",
                with(budget(), json!({"worker_profiles": []})),
                right.clone(),
                3000,
            ),
        ),
        (
            "8.10 paused grants",
            "selection_invalid",
            paused.clone(),
            late,
        ),
        (
            "8.15 a worker grants in its pool",
            "child_entitlement",
            completed(),
            elsewhere,
        ),
    ]
}
