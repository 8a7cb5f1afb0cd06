//! Requests and policies.

use super::*;

/// Sections 2.2, 2.3, 4 and 5: requests.
pub fn requests() -> Vec<Row> {
    let chain = Chain::new();
    let submit = chain.submit(vec![work("g", "a")], 2000);
    let row = |rule, code, commit| (rule, code, chain.clone(), commit);
    let mut tampered = submit.clone();
    tampered["request"]["fingerprint"] = "0".repeat(64).into();
    let mut reuse = submit.clone();
    reuse["request"]["id"] = "r0".into();
    let mut other = submit.clone();
    other["operations"] = json!([work("g", "b")]);
    let mut orphan = submit.clone();
    orphan["previous"] = "q9".into();
    let mut twin = submit.clone();
    twin["id"] = "q0".into();
    let mut epoch = submit.clone();
    epoch["policy_epoch"] = "epoch9".into();
    let few = at(policy(), "/limits", json!({"operations": 7}));
    let many = (0..8)
        .map(|index| work("g", &format!("n{index}")))
        .collect();
    let few = Chain::with_policy(few);
    vec![
        row(
            "4 the fingerprint is that of the request",
            "request_fingerprint",
            tampered,
        ),
        row("4 a request id is used once", "request_reuse", reuse),
        row("2.3 nodes are the Works", "request_invalid", other),
        row("5.1 a commit follows the tip", "ledger_invalid", orphan),
        row("5.1 a commit id is used once", "ledger_invalid", twin),
        row("5.3 the installed epoch", "policy_epoch_invalid", epoch),
        (
            "5.3 the limit of operations",
            "operation_limit",
            few.clone(),
            few.submit(many, 2000),
        ),
        row(
            "2.2 a producer grants nothing",
            "actor_unauthorized",
            chain.commit(
                actor("producer"),
                "dispatch_next",
                budget(),
                vec![claim("r1", 1, "w")],
                2000,
            ),
        ),
        row(
            "2.2 a projector submits nothing",
            "actor_unauthorized",
            chain.operations(actor("projector"), "submit", vec![work("g", "a")], 2000),
        ),
        row(
            "2.2 a control carries no Work",
            "unauthorized_operation",
            chain.operations(admin(), "control", vec![work("g", "a")], 2000),
        ),
        row(
            "2.2 a producer says no Policy later",
            "policy_invalid",
            chain.submit(
                vec![
                    json!({"kind": "Policy", "epoch": "e2", "policy": policy()}),
                    work("g", "a"),
                ],
                2000,
            ),
        )
        .fix_nodes(),
        row(
            "5.3 Claims come after Observations",
            "request_invalid",
            chain.commit(
                actor("dispatcher"),
                "dispatch_next",
                budget(),
                vec![claim("r1", 1, "w"), observation("o1", 1, 1)],
                2000,
            ),
        ),
        row(
            "5.3 a grant grants something",
            "request_invalid",
            chain.commit(
                actor("dispatcher"),
                "dispatch_next",
                budget(),
                vec![observation("o1", 1, 1)],
                2000,
            ),
        ),
        row(
            "2.3 max_claims is at most 256",
            "request_invalid",
            chain.commit(
                actor("dispatcher"),
                "dispatch_next",
                with(budget(), json!({"max_claims": 257})),
                vec![claim("r1", 1, "w")],
                2000,
            ),
        ),
        row(
            "2.3 max_bytes is at least 1",
            "request_invalid",
            chain.commit(
                actor("dispatcher"),
                "dispatch_next",
                with(budget(), json!({"max_bytes": 0})),
                vec![claim("r1", 1, "w")],
                2000,
            ),
        ),
        row(
            "2.3 a budget is closed",
            "request_invalid",
            chain.commit(
                actor("dispatcher"),
                "dispatch_next",
                with(budget(), json!({"more": 0})),
                vec![claim("r1", 1, "w")],
                2000,
            ),
        ),
    ]
}

/// Sections 5.2, 5.6 and 5.7: policies.
pub fn policies() -> Vec<Row> {
    let empty = || Chain {
        epoch: "epoch1".to_owned(),
        ..Chain::default()
    };
    let install = |policy: Value| {
        let operation = json!({"kind": "Policy", "epoch": "epoch1", "policy": policy});
        empty().operations(admin(), "policy", vec![operation], 1000)
    };
    let first = |rule, policy| (rule, "policy_invalid", empty(), install(policy));
    let in_profile = |changes| at(policy(), "/pools/default/profiles/default", changes);
    let in_aw = |changes| at(aw_policy(), "/pools/default/profiles/default", changes);
    let again = |chain: &Chain, epoch: &str| {
        let operation = json!({"kind": "Policy", "epoch": epoch, "policy": policy()});
        chain.operations(admin(), "policy", vec![operation], 9000)
    };
    let many = |count: usize, name: &str, value: Value| {
        let members = (0..count).map(|index| (format!("{name}{index}"), value.clone()));
        Value::Object(members.collect())
    };
    vec![
        (
            "5.2 a log begins with a Policy",
            "policy_missing",
            empty(),
            empty().submit(vec![work("g", "a")], 1),
        ),
        (
            "5.2 not by a dispatcher alone",
            "actor_unauthorized",
            empty(),
            {
                let operation = json!({"kind": "Policy", "epoch": "epoch1", "policy": policy()});
                empty().operations(actor("dispatcher"), "policy", vec![operation], 1)
            },
        ),
        (
            "5.2 a new Policy needs quiescence",
            "policy_not_quiescent",
            submitted(),
            again(&submitted(), "epoch2"),
        ),
        (
            "5.6 an epoch is new",
            "policy_epoch_invalid",
            Chain::new(),
            again(&Chain::new(), "epoch1"),
        ),
        first(
            "5.7 five class weights",
            with(policy(), json!({"class_weights": [1, 1, 1, 1]})),
        ),
        first(
            "5.7 weights up to 1000",
            with(policy(), json!({"class_weights": [1001, 1, 1, 1, 1]})),
        ),
        first(
            "5.7 the default account has weight 1",
            with(policy(), json!({"accounting_weights": {"": 2}})),
        ),
        first(
            "5.7 the default account is there",
            with(policy(), json!({"accounting_weights": {"a": 1}})),
        ),
        first(
            "5.7 at most 1024 accounts",
            with(
                policy(),
                json!({"accounting_weights": with(many(1024, "k", json!(1)), json!({"": 1}))}),
            ),
        ),
        first(
            "5.7 at least one pool",
            with(policy(), json!({"pools": {}})),
        ),
        first(
            "5.7 at most 64 pools",
            with(policy(), json!({"pools": many(65, "p", pool())})),
        ),
        first(
            "5.7 the default profile exists",
            at(
                policy(),
                "/pools/default",
                json!({"default_profile": "other"}),
            ),
        ),
        first(
            "5.7 a workflow is a lock file",
            in_profile(json!({"workflow": ".github/workflows/worker.yml"})),
        ),
        first(
            "5.7 a workflow stays in its folder",
            in_profile(json!({"workflow": ".github/workflows/../w.lock.yml"})),
        ),
        first(
            "5.7 at most 16 Claims",
            in_profile(json!({"max_claims": 17})),
        ),
        first(
            "5.7 operations end all Claims",
            at(policy(), "/limits", json!({"operations": 6})),
        ),
        first(
            "5.7 logical_limit is at least 1",
            at(policy(), "/pools/default", json!({"logical_limit": 0})),
        ),
        first(
            "5.7 per_account_limit is at most 4096",
            at(
                policy(),
                "/pools/default",
                json!({"per_account_limit": 4097}),
            ),
        ),
        first(
            "5.7 at most 16 attempts",
            at(
                policy(),
                "/pools/default/retry",
                json!({"max_attempts": 17}),
            ),
        ),
        first(
            "5.7 backoff is at most an hour",
            at(
                policy(),
                "/pools/default/retry",
                json!({"backoff_ms": 3_600_001}),
            ),
        ),
        first(
            "5.7 ledger_bytes is at most 64 MiB",
            at(policy(), "/limits", json!({"ledger_bytes": (64 << 20) + 1})),
        ),
        first(
            "5.7 recovery_bytes is at most 16 MiB",
            at(
                policy(),
                "/limits",
                json!({"recovery_bytes": (16 << 20) + 1}),
            ),
        ),
        first(
            "2.5 a principal unless aw",
            in_profile(json!({"principal": null})),
        ),
        first(
            "5.7 aw has no producers",
            with(aw_policy(), json!({"producers": policy()["producers"]})),
        ),
        first(
            "5.7 aw has one trust domain",
            in_aw(json!({"trust_domain": "other"})),
        ),
        first(
            "5.7 aw has one credential scope",
            in_aw(json!({"credential_scope": "all"})),
        ),
        first(
            "5.6 aw has effects in the queue repository",
            in_aw(json!({"effect_scope": "acme/app"})),
        ),
        first(
            "2.5 a projector has pools",
            with(
                policy(),
                json!({"projectors": [{"principal": "1", "workflow": "w", "ref": "r", "pools": [], "repositories": ["a/b"]}]}),
            ),
        ),
    ]
}
