//! Every code of the protocol is raised by an input, and every rule of sections 2 to 10 that refuses
//! something has a row here, under the number of its section.

#![allow(
    unreachable_pub,
    clippy::needless_pass_by_value,
    clippy::unwrap_used,
    clippy::panic
)]

#[path = "../common/mod.rs"]
mod common;

mod admission;
mod delivery;
mod form;
mod launching;
mod others;
mod requests;

use std::collections::BTreeSet;

use common::*;
use plumb_queue::Code;
use serde_json::{Value, json};

/// Codes that only a Git store or a forge can raise: nothing that this crate reads or is asked.
const OF_HOSTS: [(&str, &str); 6] = [
    ("unsupported_backend", "the host cannot hold a branch"),
    ("queue_missing", "there is no branch where one is demanded"),
    (
        "branch_invalid",
        "the branch's tree is not as section 11.1 wants it",
    ),
    (
        "remediation_verifier_required",
        "section 12.7: the host has no such verifier",
    ),
    (
        "delivery_verifier_required",
        "section 12.7: the host has no such verifier",
    ),
    (
        "nonlaunch_verifier_required",
        "section 12.7: the host has no such verifier",
    ),
];

/// Codes that commits cannot raise; they are raised where this says.
const ELSEWHERE: [(&str, &str); 9] = [
    ("duplicate_key", "the canonical reader; see below"),
    ("invalid_unicode", "the canonical reader; see below"),
    ("invalid_utf8", "the canonical reader; see below"),
    ("noncanonical_number", "the canonical reader; see below"),
    ("invalid_json", "the canonical reader; see below"),
    ("resource_limit", "the canonical reader; see below"),
    ("unsupported_protocol", "the reader of logs; see below"),
    (
        "ledger_nonextending",
        "a queue that is read again; see tests/publishing.rs",
    ),
    ("assignment_invalid", "the reader of Assignments; see below"),
];

fn admin() -> Value {
    actor("administrator")
}

fn reconciler() -> Value {
    actor("reconciler")
}

/// Three Works a, b, c of graph g.
fn submitted() -> Chain {
    let mut chain = Chain::new();
    chain.push(chain.submit(vec![work("g", "a"), work("g", "b"), work("g", "c")], 2000));
    chain
}

/// They are granted in one Dispatch by r2.
fn granted() -> Chain {
    let mut chain = submitted();
    let claims = ["a", "b", "c"].iter().enumerate();
    let claims = claims.map(|(index, node)| claim("r2", index + 1, &work_id("g", node)));
    chain.push(chain.commit(
        actor("dispatcher"),
        "dispatch_next",
        budget(),
        claims.collect(),
        3000,
    ));
    chain
}

fn d() -> String {
    dispatch_id("r2", 1)
}

fn dispatch(state: &str, changes: Value) -> Value {
    with(
        json!({"kind": "Dispatch", "dispatch_id": d(), "state": state}),
        changes,
    )
}

fn started() -> Chain {
    let mut chain = granted();
    let start = dispatch("started", json!({"sender": publisher("dispatcher")}));
    chain.push(chain.operations(publisher("dispatcher"), "dispatch", vec![start], 4000));
    chain
}

fn running() -> Chain {
    let mut chain = started();
    chain.push(chain.operations(
        publisher("dispatcher"),
        "dispatch",
        vec![bound(&d(), "900", 4100)],
        4100,
    ));
    chain
}

/// Its worker has completed a, in q5.
fn completed() -> Chain {
    let mut chain = running();
    chain.push(chain.finish(
        worker(&d(), "900"),
        "h1",
        "completed",
        vec![completion("r2", 1, "a")],
        5000,
    ));
    chain
}

fn result() -> Value {
    json!({
        "kind": "Result", "work_id": work_id("g", "a"), "claim_id": claim_id("r2", 1),
        "completion_id": "q5", "descriptor": {}, "evidence": delivered("900", 5000),
    })
}

fn failure() -> Value {
    json!({
        "kind": "DeliveryFailure", "work_id": work_id("g", "a"), "claim_id": claim_id("r2", 1),
        "completion_id": "q5", "reason": "lost", "disposition": "unknown",
        "evidence": with(terminal("900", 5000), json!({"attempts": 5})),
    })
}

fn unclaim(node: &str, position: usize, retry: u64) -> Value {
    json!({
        "kind": "ClaimCancellation", "work_id": work_id("g", node),
        "claim_id": claim_id("r2", position), "reason": "lost", "retry_not_before": retry,
    })
}

fn control(setting: &str, value: Value) -> Value {
    json!({"kind": "Control", "control": setting, "value": value, "reason": "because"})
}

fn deployment(changes: Value) -> Value {
    let profile = with(
        profile(),
        json!({"logical_contract": "c".repeat(64), "ref": "9".repeat(40)}),
    );
    with(
        json!({
            "kind": "Deployment", "pool": "default", "worker_profile": "default", "expected_ref": REF,
            "expected_contract": "c".repeat(64), "profile": profile, "available": true,
            "reason": "newer",
        }),
        changes,
    )
}

fn link(changes: Value) -> Value {
    with(
        json!({"kind": "IssueLink", "work_id": work_id("g", "a"), "resource": issue(5), "projector_ref": REF}),
        changes,
    )
}

/// A row: section and rule, the code, and the commit that is refused after this chain.
type Row = (&'static str, &'static str, Chain, Value);

fn rows() -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    rows.extend(form::form());
    rows.extend(requests::requests());
    rows.extend(requests::policies());
    rows.extend(admission::admissions());
    rows.extend(admission::grants());
    rows.extend(launching::launches());
    rows.extend(delivery::deliveries());
    rows.extend(delivery::cancellations());
    rows.extend(others::observations());
    rows.extend(others::others());
    rows
}

/// The nodes of a submit are its Works, not its Policy.
trait FixNodes {
    fn fix_nodes(self) -> Self;
}

impl FixNodes for Row {
    fn fix_nodes(mut self) -> Self {
        let works: Vec<Value> = self.3["operations"].as_array().unwrap()[1..].to_vec();
        self.3["request"]["parameters"] = json!({"nodes": works});
        self.3 = signed(self.3);
        self
    }
}

#[test]
fn every_rule_refuses_with_its_code() {
    let mut wrong = Vec::new();
    for (rule, code, chain, commit) in rows() {
        match chain.check(&commit) {
            Ok(_) => wrong.push(format!("{rule}: accepted, and should be {code}")),
            Err(error) if error.code.as_str() != code => {
                wrong.push(format!("{rule}: should be {code}, and is {error}"));
            }
            Err(error) => assert!(!error.message.is_empty(), "{rule}"),
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_refused_commit_leaves_the_state_as_it_was() {
    use plumb_queue::checkpoint::snapshot::Snapshot;
    let pool = plumb_queue::wire::scalar::PoolName::new("default").unwrap();
    let look = |state: &plumb_queue::state::State| {
        let sums = (
            state.totals(),
            state.open_claims(&pool),
            state.pending(&pool),
        );
        (
            Snapshot::of(state).ok(),
            sums,
            state.native_reservations(&pool),
        )
    };
    for (rule, _, chain, commit) in rows() {
        let before = look(&chain.state);
        let mut state = chain.state.clone();
        let text = canonical(&commit);
        assert!(
            state
                .advance(&plumb_canonical::parse(&text).unwrap())
                .is_err(),
            "{rule}"
        );
        assert_eq!(look(&state), before, "{rule}");
        // What is accepted afterwards is what is accepted without it.
        let pause = control("admission_paused", json!(false));
        let next = chain.operations(admin(), "control", vec![pause], 9000);
        let next = canonical(&next);
        let next = plumb_canonical::parse(&next).unwrap();
        let expected = chain.state.apply(&next).map(|state| look(&state));
        assert_eq!(
            state.advance(&next).map(|_| look(&state)).is_ok(),
            expected.is_ok(),
            "{rule}"
        );
        if let Ok(expected) = expected {
            assert_eq!(look(&state), expected, "{rule}");
        }
    }
}

#[test]
fn every_code_is_raised_somewhere() {
    let rows = rows();
    let mut raised: BTreeSet<&str> = rows.iter().map(|(_, code, ..)| *code).collect();
    raised.extend(OF_HOSTS.iter().map(|(code, _)| *code));
    raised.extend(ELSEWHERE.iter().map(|(code, _)| *code));
    // Raised by a function of its own; see below.
    raised.insert("claim_effects_unauthorized");
    let all: BTreeSet<&str> = Code::ALL.iter().map(|code| code.as_str()).collect();
    let missing: Vec<_> = all.difference(&raised).collect();
    let unknown: Vec<_> = raised.difference(&all).collect();
    assert!(
        missing.is_empty() && unknown.is_empty(),
        "missing {missing:?}, unknown {unknown:?}"
    );
}

#[test]
fn faults_of_lines_are_ledger_invalid_and_say_what_is_inside() {
    let first = Chain::new().text();
    let deep = format!("{{\"version\":3,\"x\":{}}}", "[".repeat(70));
    let cases: [(&[u8], &str, Option<&str>, usize); 8] = [
        (
            b"{\"a\":1,\"a\":2}\n",
            "ledger_invalid",
            Some("duplicate_key"),
            2,
        ),
        (
            b"{\"a\":\"\\ud800\"}\n",
            "ledger_invalid",
            Some("invalid_unicode"),
            2,
        ),
        (
            b"{\"a\":1.5}\n",
            "ledger_invalid",
            Some("noncanonical_number"),
            2,
        ),
        (b"{} {}\n", "ledger_invalid", Some("invalid_json"), 2),
        (b"\xff\n", "ledger_invalid", Some("invalid_utf8"), 2),
        (deep.as_bytes(), "ledger_invalid", Some("resource_limit"), 2),
        (
            b"{\"version\":2,\"id\":\"x\"}\n",
            "unsupported_protocol",
            None,
            2,
        ),
        (b"\n", "ledger_invalid", None, 2),
    ];
    for (line, code, inner, number) in cases {
        let mut log = first.clone().into_bytes();
        log.extend_from_slice(line);
        if !line.ends_with(b"\n") {
            log.push(b'\n');
        }
        let error = plumb_queue::log::replay(&log).unwrap_err();
        let found = (
            error.code.as_str(),
            error.inner.map(Code::as_str),
            error.line,
        );
        assert_eq!(found, (code, inner, Some(number)), "{error}");
    }
    for log in ["", "{}", &first[..first.len() - 1]] {
        assert_eq!(
            plumb_queue::log::replay(log.as_bytes())
                .unwrap_err()
                .code
                .as_str(),
            "ledger_invalid"
        );
    }
}

#[test]
fn an_assignment_is_read_strictly() {
    use plumb_queue::schedule::plan::{assignment, assignment_text};
    use plumb_queue::wire::Assignment;
    use plumb_queue::wire::scalar::DispatchId;
    let state = granted().state;
    let made = assignment(&state, &DispatchId::new(&d()).unwrap()).unwrap();
    let text = assignment_text(&made);
    assert_eq!(Assignment::parse(&text).unwrap(), made);
    let wrong = [
        text.replace("\"h2\"", "\"h1\""),
        text.replace("\"version\":3", "\"version\":2"),
        text.replace(&work_id("g", "b"), &work_id("g", "a")),
        text.replace("\"result_refs\":[],", ""),
        "{".to_owned(),
    ];
    for wrong in wrong {
        let error = Assignment::parse(&wrong).unwrap_err();
        assert_eq!(error.code.as_str(), "assignment_invalid", "{error}");
    }
}

#[test]
fn effects_are_allowed_between_completion_and_result_only() {
    use plumb_queue::authorize_effects;
    use plumb_queue::wire::{Actor, Wire};
    let actor = |handle: Value| {
        let actor = with(worker(&d(), "900"), json!({"claim_handle": handle}));
        Actor::read(
            &plumb_canonical::parse(&canonical(&actor)).unwrap(),
            Code::RequestInvalid,
        )
        .unwrap()
    };
    let code = |chain: &Chain, handle: Value| match authorize_effects(&chain.state, &actor(handle))
    {
        Ok((claim, _)) => claim.to_string(),
        Err(error) => error.code.to_string(),
    };
    let mut chain = running();
    assert_eq!(code(&chain, json!("h1")), "claim_effects_unauthorized");
    chain = completed();
    assert_eq!(code(&chain, json!("h1")), claim_id("r2", 1));
    assert_eq!(code(&chain, json!("h2")), "claim_effects_unauthorized");
    assert_eq!(code(&chain, json!("h9")), "claim_scope_invalid");
    assert_eq!(code(&chain, Value::Null), "claim_scope_required");
    chain.push(chain.operations(reconciler(), "result", vec![result()], 6000));
    assert_eq!(code(&chain, json!("h1")), "claim_effects_unauthorized");
}
