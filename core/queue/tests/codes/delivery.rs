//! Deliveries and cancellations.

use super::*;

/// Sections 8.3, 8.7 and 8.8: completion and delivery.
pub fn deliveries() -> Vec<Row> {
    let complete = |chain: &Chain, actor: Value, changes: Value| {
        chain.finish(
            actor,
            "h1",
            "completed",
            vec![with(completion("r2", 1, "a"), changes)],
            6000,
        )
    };
    let me = || worker(&d(), "900");
    let results = |chain: &Chain, operation: Value| {
        chain.operations(reconciler(), "result", vec![operation], 6000)
    };
    let row =
        |rule, code, operation: Value| (rule, code, completed(), results(&completed(), operation));
    let fail = |rule, code, operation: Value| {
        (
            rule,
            code,
            completed(),
            completed().operations(reconciler(), "delivery_failure", vec![operation], 6000),
        )
    };
    let mut verified = completed();
    verified.push(results(&verified, result()));
    let mut cancelled = running();
    cancelled.push(cancelled.operations(admin(), "cancel_work", vec![cancel("a")], 5000));
    let mut lost = running();
    lost.push(lost.operations(
        reconciler(),
        "cancel_claim",
        vec![unclaim("a", 1, 99_000)],
        5000,
    ));
    vec![
        (
            "8.3 the bound run",
            "ownership_unauthorized",
            running(),
            complete(&running(), worker(&d(), "901"), json!({})),
        ),
        (
            "8.3 a bound Dispatch",
            "ownership_unauthorized",
            started(),
            complete(&started(), me(), json!({})),
        ),
        (
            "8.3 the run that says so",
            "ownership_unauthorized",
            running(),
            complete(&running(), me(), json!({"run_id": "901"})),
        ),
        (
            "8.3 a Claim that exists",
            "claim_missing",
            running(),
            complete(&running(), me(), json!({"claim_id": "c"})),
        ),
        (
            "8.3 the Claim with the handle",
            "claim_scope_invalid",
            running(),
            complete(
                &running(),
                me(),
                json!({"claim_id": claim_id("r2", 2), "work_id": work_id("g", "b")}),
            ),
        ),
        (
            "8.3 the Work of the Claim",
            "claim_scope_invalid",
            running(),
            complete(&running(), me(), json!({"work_id": work_id("g", "b")})),
        ),
        (
            "8.3 a Work completes once",
            "ownership_terminal",
            completed(),
            complete(&completed(), me(), json!({})),
        ),
        (
            "8.3 a cancelled Work stays so",
            "ownership_terminal",
            cancelled.clone(),
            complete(&cancelled, me(), json!({})),
        ),
        (
            "8.3 an open Claim",
            "claim_ineffective",
            lost.clone(),
            complete(&lost, me(), json!({})),
        ),
        (
            "2.3 finish as it says",
            "request_invalid",
            running(),
            running().finish(
                me(),
                "h1",
                "cancelled",
                vec![completion("r2", 1, "a")],
                6000,
            ),
        ),
        row(
            "8.7 exactly that completion",
            "result_invalid",
            with(result(), json!({"completion_id": "q4"})),
        ),
        row(
            "8.7 4 KiB",
            "result_invalid",
            with(result(), json!({"descriptor": {"d": "x".repeat(4096)}})),
        ),
        row(
            "8.7 delivery evidence",
            "delivery_evidence_required",
            with(result(), json!({"evidence": terminal("900", 5000)})),
        ),
        row(
            "8.7 a receipt",
            "delivery_evidence_required",
            at(result(), "/evidence", json!({"receipt": null})),
        ),
        row(
            "8.7 of the bound run",
            "evidence_invalid",
            at(result(), "/evidence", json!({"run_id": "901"})),
        ),
        (
            "8.8 not after a Result",
            "delivery_barrier_conflict",
            verified.clone(),
            verified.operations(reconciler(), "delivery_failure", vec![failure()], 7000),
        ),
        (
            "8.7 no other Result",
            "delivery_barrier_conflict",
            verified.clone(),
            results(
                &verified,
                with(result(), json!({"descriptor": {"other": 1}})),
            ),
        ),
        fail(
            "8.8 the run has ended",
            "terminal_evidence_required",
            with(failure(), json!({"evidence": delivered("900", 5000)})),
        ),
        fail(
            "8.8 tried often enough",
            "reconciliation_pending",
            at(failure(), "/evidence", json!({"attempts": 4})),
        ),
        fail(
            "8.8 the disposition is the evidence's",
            "evidence_invalid",
            with(failure(), json!({"disposition": "partial"})),
        ),
        fail(
            "8.8 none needs a receipt",
            "delivery_evidence_required",
            at(
                with(failure(), json!({"disposition": "none"})),
                "/evidence",
                json!({"effects": "none"}),
            ),
        ),
    ]
}

/// Sections 5.5, 8.4 to 8.6: cancellations, retries and priorities.
pub fn cancellations() -> Vec<Row> {
    let cancel_by = |chain: &Chain, role: &str, operation: Value| {
        chain.operations(actor(role), "cancel_work", vec![operation], 6000)
    };
    let me = || worker(&d(), "900");
    let once = Chain::with_policy(at(
        policy(),
        "/pools/default/retry",
        json!({"max_attempts": 1}),
    ));
    let mut spent = once;
    spent.push(spent.submit(vec![work("g", "a"), work("g", "b"), work("g", "c")], 2000));
    spent.push(granted().commits[2].clone());
    let cancelled = |chain: &Chain, operations: Vec<Value>| {
        chain.operations(reconciler(), "cancel_claim", operations, 6000)
    };
    let reprioritise = |changes: Value| {
        let operation = json!({"kind": "WorkPriority", "work_id": work_id("g", "a"), "priority": 1, "expected_priority": 3, "reason": "hurry"});
        with(operation, changes)
    };
    let hurry = |chain: &Chain, operation: Value| {
        chain.operations(admin(), "control", vec![operation], 6000)
    };
    let limited = Chain::with_policy(at(
        policy(),
        "/producers/100",
        json!({"fairness_keys": ["", "a"]}),
    ));
    let mut others = limited;
    others.push(others.submit(
        vec![with(work("g", "a"), json!({"fairness_key": "a"}))],
        2000,
    ));
    let stranger = others.operations(
        with(actor("producer"), json!({"principal": "101"})),
        "cancel_work",
        vec![cancel("a")],
        6000,
    );
    vec![
        (
            "8.4 not before the backoff",
            "retry_invalid",
            running(),
            cancelled(&running(), vec![unclaim("a", 1, 35_999)]),
        ),
        (
            "8.4 an open Claim",
            "ownership_terminal",
            completed(),
            cancelled(&completed(), vec![unclaim("a", 1, 99_000)]),
        ),
        (
            "5.5 no attempt left",
            "retry_exhausted",
            spent.clone(),
            cancelled(&spent, vec![unclaim("a", 1, 99_000)]),
        ),
        (
            "8.4 a worker's own",
            "claim_scope_invalid",
            running(),
            running().finish(me(), "h1", "cancelled", vec![unclaim("b", 2, 99_000)], 6000),
        ),
        (
            "8.5 a worker ends what is exhausted",
            "ownership_unauthorized",
            running(),
            running().finish(
                me(),
                "h1",
                "cancelled",
                vec![
                    unclaim("a", 1, 99_000),
                    with(cancel("a"), json!({"reason": "attempts_exhausted"})),
                ],
                6000,
            ),
        ),
        (
            "8.5 not completed Work",
            "ownership_terminal",
            completed(),
            cancel_by(&completed(), "administrator", cancel("a")),
        ),
        (
            "8.5 the current owner",
            "cancellation_conflict",
            running(),
            cancel_by(
                &running(),
                "reconciler",
                with(cancel("a"), json!({"claim_id": claim_id("r2", 2)})),
            ),
        ),
        (
            "8.5 a Work that exists",
            "work_invalid",
            running(),
            cancel_by(&running(), "administrator", cancel("none")),
        ),
        (
            "8.5 a producer's own",
            "admission_unauthorized",
            others.clone(),
            stranger,
        ),
        (
            "8.6 the expected priority",
            "priority_conflict",
            submitted(),
            hurry(&submitted(), reprioritise(json!({"expected_priority": 2}))),
        ),
        (
            "8.6 available only",
            "priority_conflict",
            granted(),
            hurry(&granted(), reprioritise(json!({}))),
        ),
    ]
}
