//! Launches and releases.

use super::*;

/// Sections 8.1 and 8.2: launches.
pub fn launches() -> Vec<Row> {
    let sender = || json!({"sender": publisher("dispatcher")});
    let say = |chain: &Chain, operation: Value| {
        chain.operations(publisher("dispatcher"), "dispatch", vec![operation], 4500)
    };
    let row = |rule, code, chain: Chain, operation| {
        let commit = say(&chain, operation);
        (rule, code, chain, commit)
    };
    let bind = |changes: Value| at(bound(&d(), "900", 4100), "/run", changes);
    let release = |chain: Chain, evidence: Value| {
        let operation = json!({"kind": "Release", "dispatch_id": d(), "evidence": evidence});
        chain.operations(reconciler(), "release", vec![operation], 4500)
    };
    let released =
        |rule, code, chain: Chain, evidence| (rule, code, chain.clone(), release(chain, evidence));
    let mut paused = granted();
    paused.push(paused.operations(
        admin(),
        "control",
        vec![control("grants_paused", json!(true))],
        3500,
    ));
    let mut uncertain = started();
    let unknown = || dispatch("uncertain", json!({"reason": "lost"}));
    uncertain.push(say(&uncertain, unknown()));
    let mut spent = uncertain.clone();
    for _ in 0..7 {
        spent.push(say(&spent, unknown()));
    }
    let unresolved = |attempts: u32| {
        let evidence = with(
            evidence("reconciliation", "github_api", 4100),
            json!({"attempts": attempts}),
        );
        dispatch(
            "unresolved",
            json!({"reason": "lost", "evidence": evidence}),
        )
    };
    let rejected = |kind: &str| {
        dispatch(
            "rejected",
            json!({"evidence": evidence(kind, "github_api", 4100)}),
        )
    };
    let mut refused = started();
    refused.push(say(&refused, rejected("nonlaunch")));
    let foreign = granted().operations(
        publisher("reconciler"),
        "dispatch",
        vec![dispatch(
            "started",
            json!({"sender": publisher("reconciler")}),
        )],
        4500,
    );
    let own = |actor: Value, operation: Value| {
        started().operations(actor, "dispatch", vec![operation], 4500)
    };
    // A second Dispatch, started.
    let mut second = running();
    second.push(second.submit(vec![work("h", "x")], 4200));
    second.push(second.commit(
        actor("dispatcher"),
        "dispatch_next",
        budget(),
        vec![claim("r6", 1, &work_id("h", "x"))],
        4300,
    ));
    let other = dispatch_id("r6", 1);
    second.push(second.operations(
        publisher("dispatcher"),
        "dispatch",
        vec![with(
            dispatch("started", sender()),
            json!({"dispatch_id": other}),
        )],
        4400,
    ));
    vec![
        row(
            "8.1 a Dispatch exists",
            "dispatch_missing",
            granted(),
            with(dispatch("started", sender()), json!({"dispatch_id": "d"})),
        ),
        row(
            "8.1 started once",
            "launch_started",
            started(),
            dispatch("started", sender()),
        ),
        row(
            "8.1 a launch names its sender",
            "dispatch_invalid",
            granted(),
            dispatch("started", json!({})),
        ),
        row(
            "8.1 the sender is the actor",
            "dispatch_invalid",
            granted(),
            dispatch("started", json!({"sender": publisher("reconciler")})),
        ),
        row(
            "8.1 a launch has no run",
            "dispatch_invalid",
            granted(),
            dispatch("started", with(sender(), json!({"run": run("900")}))),
        ),
        row(
            "8.1 as the profile's principal",
            "run_principal_mismatch",
            granted(),
            dispatch(
                "started",
                with(sender(), json!({"credential_principal": "1"})),
            ),
        ),
        row(
            "8.10 paused launches",
            "dispatch_invalid",
            paused,
            dispatch("started", sender()),
        ),
        (
            "8.1 a dispatcher launches",
            "unauthorized_operation",
            granted(),
            foreign,
        ),
        row(
            "8.1 bound after a launch",
            "dispatch_invalid",
            granted(),
            bound(&d(), "900", 4100),
        ),
        row(
            "8.1 bound to a run",
            "dispatch_invalid",
            started(),
            with(bound(&d(), "900", 4100), json!({"run": null})),
        ),
        row(
            "8.1 bound by evidence",
            "evidence_invalid",
            started(),
            with(bound(&d(), "900", 4100), json!({"evidence": null})),
        ),
        row(
            "8.1 bound by the host's word",
            "evidence_invalid",
            started(),
            at(
                bound(&d(), "900", 4100),
                "/evidence",
                json!({"source": "trusted_publisher"}),
            ),
        ),
        row(
            "8.1 evidence about the run",
            "evidence_invalid",
            started(),
            at(
                bound(&d(), "900", 4100),
                "/evidence",
                json!({"run_id": "901"}),
            ),
        ),
        row(
            "8.1 evidence of the past",
            "evidence_invalid",
            started(),
            at(
                bound(&d(), "900", 4100),
                "/evidence",
                json!({"checked_at": 4501}),
            ),
        ),
        row(
            "8.1 evidence about the profile",
            "evidence_invalid",
            started(),
            at(
                bound(&d(), "900", 4100),
                "/evidence",
                json!({"workflow": ".github/workflows/o.lock.yml"}),
            ),
        ),
        row(
            "8.1 evidence about the principal",
            "evidence_invalid",
            started(),
            at(
                bound(&d(), "900", 4100),
                "/evidence",
                json!({"principal": "1"}),
            ),
        ),
        row(
            "8.1 evidence in 1 KiB",
            "evidence_limit",
            started(),
            at(
                at(
                    bound(&d(), "900", 4100),
                    "/evidence",
                    json!({"receipt": "r".repeat(256), "conclusion": "c".repeat(256)}),
                ),
                "/evidence",
                json!({"workflow": "w".repeat(256), "ref": "f".repeat(256)}),
            ),
        ),
        row(
            "8.1 the profile's ref",
            "run_ref_mismatch",
            started(),
            bind(json!({"ref": "main"})),
        ),
        row(
            "8.1 the queue repository",
            "run_ref_mismatch",
            started(),
            bind(json!({"repository": "acme/app"})),
        ),
        row(
            "8.1 the profile's principal",
            "run_principal_mismatch",
            started(),
            bind(json!({"principal": "1"})),
        ),
        row(
            "8.1 one run of a Dispatch",
            "run_binding_conflict",
            running(),
            bound(&d(), "901", 4100),
        ),
        (
            "8.1 one Dispatch of a run",
            "run_binding_conflict",
            second.clone(),
            say(&second, bound(&other, "900", 4100)),
        ),
        row(
            "8.1 the sender is fixed",
            "assignment_immutable",
            started(),
            with(
                bound(&d(), "900", 4100),
                json!({"sender": publisher("reconciler")}),
            ),
        ),
        (
            "8.1 a worker only binds",
            "unauthorized_operation",
            started(),
            own(worker(&d(), "900"), unknown()),
        ),
        (
            "8.1 a worker binds itself",
            "ownership_unauthorized",
            started(),
            own(worker(&d(), "901"), bound(&d(), "900", 4100)),
        ),
        (
            "8.1 a worker binds itself, whoever it says the run's principal is",
            "ownership_unauthorized",
            started(),
            own(
                with(worker(&d(), "900"), json!({"principal": "701"})),
                bound(&d(), "900", 4100),
            ),
        ),
        (
            "8.1 a worker binds itself, and not a run of another workflow",
            "ownership_unauthorized",
            started(),
            own(
                with(
                    worker(&d(), "900"),
                    json!({"workflow": ".github/workflows/other.lock.yml"}),
                ),
                bound(&d(), "900", 4100),
            ),
        ),
        row(
            "8.1 uncertain for a reason",
            "dispatch_invalid",
            started(),
            dispatch("uncertain", json!({})),
        ),
        row(
            "8.1 uncertain after a launch",
            "dispatch_invalid",
            granted(),
            unknown(),
        ),
        row(
            "8.1 uncertain while unbound",
            "dispatch_invalid",
            running(),
            unknown(),
        ),
        row(
            "8.1 unresolved after uncertain",
            "dispatch_invalid",
            started(),
            unresolved(5),
        ),
        row(
            "8.1 unresolved after enough attempts",
            "reconciliation_invalid",
            uncertain.clone(),
            unresolved(4),
        ),
        row(
            "8.1 the budget of writes",
            "reconciliation_limit",
            spent,
            unresolved(5),
        ),
        row(
            "8.1 rejected by nonlaunch evidence",
            "nonlaunch_evidence_required",
            started(),
            rejected("reconciliation"),
        ),
        row(
            "8.1 rejected after a launch",
            "dispatch_invalid",
            granted(),
            rejected("nonlaunch"),
        ),
        released(
            "8.2 reserved: prelaunch",
            "nonlaunch_evidence_required",
            granted(),
            evidence("nonlaunch", "github_api", 4100),
        ),
        released(
            "8.2 rejected: nonlaunch",
            "nonlaunch_evidence_required",
            refused,
            evidence("reconciliation", "github_api", 4100),
        ),
        released(
            "8.2 otherwise: terminal",
            "terminal_evidence_required",
            running(),
            evidence("nonlaunch", "github_api", 4100),
        ),
        released(
            "8.2 terminal about the run",
            "terminal_evidence_required",
            running(),
            terminal("901", 4100),
        ),
        released(
            "8.2 terminal with a conclusion",
            "terminal_evidence_required",
            running(),
            with(terminal("900", 4100), json!({"conclusion": null})),
        ),
        released(
            "8.2 terminal with a conclusion that says something",
            "terminal_evidence_required",
            running(),
            with(terminal("900", 4100), json!({"conclusion": ""})),
        ),
        released(
            "8.2 an unknown run frees nothing",
            "terminal_evidence_required",
            uncertain,
            terminal("900", 4100),
        ),
        released(
            "8.2 no open Claims",
            "release_open_claims",
            running(),
            terminal("900", 4100),
        ),
    ]
}
