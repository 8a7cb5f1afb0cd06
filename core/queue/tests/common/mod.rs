//! Logs made by hand: JSON as the protocol describes it, without the types of the crate under test.
//! Ids and fingerprints are computed here from the protocol's formulas.

#![allow(
    dead_code,
    unreachable_pub,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::needless_pass_by_value
)]

use plumb_canonical::Digest;
use plumb_queue::log::{Log, LogError};
use plumb_queue::state::State;
use serde_json::{Map, Value, json};

pub const REPOSITORY: &str = "acme/queue";
pub const WORKFLOW: &str = ".github/workflows/worker.lock.yml";
pub const REF: &str = "0123456789012345678901234567890123456789";
pub const WORKER: &str = "700";

/// SHA-256 in hexadecimal.
pub fn sha(text: &str) -> String {
    Digest::of(text.as_bytes()).to_string()
}

/// serde_json sorts members by the bytes of their keys; what tests write needs no escapes that differ.
pub fn canonical(value: &Value) -> String {
    value.to_string()
}

pub fn work_id(graph: &str, node: &str) -> String {
    sha(&canonical(&json!({"graph_id": graph, "node_key": node})))
}

pub fn claim_id(request: &str, position: usize) -> String {
    format!("c_{}_{position}", sha(request))
}

pub fn dispatch_id(request: &str, number: usize) -> String {
    format!("d_{}_{number}", sha(request))
}

/// `base` with these members set; a null takes one out, `"\0null"` sets null.
pub fn with(mut base: Value, changes: Value) -> Value {
    let Value::Object(changes) = changes else {
        panic!("members are an object")
    };
    let members = base.as_object_mut().unwrap();
    for (name, value) in changes {
        match value {
            Value::Null => {
                members.remove(&name);
            }
            value => {
                members.insert(name, value);
            }
        }
    }
    base
}

/// As [`with`], at a JSON pointer.
pub fn at(mut base: Value, pointer: &str, changes: Value) -> Value {
    let inner = base
        .pointer_mut(pointer)
        .unwrap_or_else(|| panic!("no {pointer}"));
    *inner = with(inner.take(), changes);
    base
}

pub fn actor(role: &str) -> Value {
    json!({"role": role, "principal": "100", "repository": REPOSITORY})
}

pub fn publisher(role: &str) -> Value {
    with(
        actor(role),
        json!({"workflow": WORKFLOW, "run_id": "55", "run_attempt": 1}),
    )
}

/// The worker of a Dispatch, in its run.
pub fn worker(dispatch: &str, run: &str) -> Value {
    json!({
        "role": "worker", "principal": WORKER, "repository": REPOSITORY, "workflow": WORKFLOW,
        "run_id": run, "run_attempt": 1, "dispatch_id": dispatch,
    })
}

pub fn profile() -> Value {
    json!({
        "workflow": WORKFLOW, "ref": REF, "principal": WORKER, "trust_domain": "default",
        "credential_scope": "repository", "effect_scope": REPOSITORY, "max_claims": 3,
        "share_keys": true,
    })
}

pub fn pool() -> Value {
    json!({
        "default_profile": "default", "profiles": {"default": profile()},
        "logical_limit": 16, "native_limit": 16, "allowed_repositories": ["acme/app"],
        "max_observation_age_ms": 60_000,
        "retry": {"max_attempts": 3, "backoff_ms": 30_000},
        "reconciliation": {"max_attempts": 5, "deadline_ms": 300_000},
    })
}

pub fn limits() -> Value {
    json!({
        "ledger_bytes": 64 << 20, "recovery_bytes": 16 << 20, "payload_bytes": 16 << 10,
        "graph_nodes": 4096, "predecessors": 64, "pending_nodes": 4096, "operations": 256,
        "assignment_bytes": 48 << 10, "result_bytes": 4096, "evidence_bytes": 1024,
        "observation_writes": 4096,
    })
}

pub fn policy() -> Value {
    let rule = json!({"pools": ["default"], "priorities": [1, 2, 3, 4, 5], "fairness_keys": ["", "a", "b"]});
    json!({
        "mode": "weighted-priority", "class_weights": [8, 4, 2, 1, 1],
        "accounting_weights": {"": 1, "a": 2, "b": 1},
        "producers": {"100": rule},
        "projectors": [{
            "principal": "100", "workflow": WORKFLOW, "ref": REF, "pools": ["default"],
            "repositories": ["acme/app"],
        }],
        "pools": {"default": pool()}, "limits": limits(),
    })
}

/// A policy under authorization `aw`, its profile contract-marked.
pub fn aw_policy() -> Value {
    let contract = json!({"logical_contract": "c".repeat(64)});
    let policy = with(policy(), json!({"authorization": "aw", "producers": {}}));
    at(policy, "/pools/default/profiles/default", contract)
}

pub fn work(graph: &str, node: &str) -> Value {
    json!({
        "kind": "Work", "work_id": work_id(graph, node), "graph_id": graph, "node_key": node,
        "pool": "default", "priority": 3, "fairness_key": "", "worker_profile": "default",
        "batch_trust_domain": "default", "payload": {"task": node}, "depends_on": [], "enqueued": 1,
    })
}

pub fn after(graph: &str, node: &str) -> Value {
    json!({"kind": "work", "work_id": work_id(graph, node)})
}

pub fn issue(number: u32) -> Value {
    json!({
        "kind": "issue", "host": "github.com", "repository": "acme/app", "repository_id": "9",
        "resource_id": number.to_string(), "number": number.to_string(),
    })
}

pub fn gate(number: u32) -> Value {
    json!({"kind": "issue", "resource": issue(number), "condition": "completed"})
}

pub fn observation(id: &str, number: u32, observed_at: u64) -> Value {
    json!({
        "kind": "Observation", "observation_id": id, "resource": issue(number),
        "condition": "completed", "state": "ready", "observed_at": observed_at,
        "credential_generation": "initial", "read_status": "ok", "state_reason": "completed",
        "resource_state": "closed",
    })
}

pub fn evidence(kind: &str, source: &str, checked_at: u64) -> Value {
    json!({
        "kind": kind, "source": source, "repository": REPOSITORY, "workflow": WORKFLOW, "ref": REF,
        "principal": WORKER, "checked_at": checked_at,
    })
}

pub fn run(id: &str) -> Value {
    json!({
        "run_id": id, "run_attempt": 1, "repository": REPOSITORY, "workflow": WORKFLOW, "ref": REF,
        "principal": WORKER, "event": "workflow_dispatch",
    })
}

/// A claim of the request at this position, of the Work, in the first Dispatch.
pub fn claim(request: &str, position: usize, work: &str) -> Value {
    json!({
        "kind": "Claim", "work_id": work, "claim_id": claim_id(request, position),
        "dispatch_id": dispatch_id(request, 1), "handle": format!("h{position}"),
        "observations": [],
    })
}

pub fn budget() -> Value {
    json!({"pool": "default", "max_claims": 16, "max_dispatches": 16, "max_bytes": 49_152})
}

/// The fingerprint of a commit's request.
pub fn fingerprint(commit: &Value) -> String {
    let request = &commit["request"];
    let parts = json!({
        "actor": commit["actor"], "kind": request["kind"], "parameters": request["parameters"],
    });
    sha(&canonical(&parts))
}

/// The same commit with the fingerprint that belongs to it.
pub fn signed(mut commit: Value) -> Value {
    let fingerprint = fingerprint(&commit);
    commit["request"]["fingerprint"] = fingerprint.into();
    commit
}

/// A log under construction. Commits are q0, q1, ..., their requests r0, r1, ...
#[derive(Clone, Default)]
pub struct Chain {
    pub commits: Vec<Value>,
    pub epoch: String,
    pub state: State,
}

impl Chain {
    /// A log that begins with the usual policy.
    pub fn new() -> Self {
        Self::with_policy(policy())
    }

    pub fn with_policy(policy: Value) -> Self {
        let mut chain = Self {
            epoch: "epoch1".to_owned(),
            ..Self::default()
        };
        let operation = json!({"kind": "Policy", "epoch": "epoch1", "policy": policy});
        let commit = chain.operations(actor("administrator"), "policy", vec![operation], 1000);
        chain.push(commit);
        chain
    }

    pub fn next_request(&self) -> String {
        format!("r{}", self.commits.len())
    }

    /// The next commit.
    pub fn commit(
        &self,
        actor: Value,
        kind: &str,
        parameters: Value,
        operations: Vec<Value>,
        at: u64,
    ) -> Value {
        let number = self.commits.len();
        let previous = match number {
            0 => Value::Null,
            number => self.commits[number - 1]["id"].clone(),
        };
        signed(json!({
            "version": 3, "id": format!("q{number}"), "previous": previous,
            "request": {
                "id": self.next_request(), "kind": kind, "parameters": parameters, "fingerprint": "",
            },
            "actor": actor, "policy_epoch": self.epoch, "at": at, "operations": operations,
        }))
    }

    /// The next commit, whose parameters are its operations.
    pub fn operations(&self, actor: Value, kind: &str, operations: Vec<Value>, at: u64) -> Value {
        let name = if kind == "submit" {
            "nodes"
        } else {
            "operations"
        };
        let parameters = Value::Object(Map::from_iter([(
            name.to_owned(),
            operations.clone().into(),
        )]));
        self.commit(actor, kind, parameters, operations, at)
    }

    pub fn submit(&self, works: Vec<Value>, at: u64) -> Value {
        self.operations(actor("producer"), "submit", works, at)
    }

    pub fn finish(
        &self,
        actor: Value,
        handle: &str,
        outcome: &str,
        operations: Vec<Value>,
        at: u64,
    ) -> Value {
        let dispatch = actor["dispatch_id"].clone();
        let parameters =
            json!({"dispatch_id": dispatch, "claim_handle": handle, "outcome": outcome});
        self.commit(actor, "finish", parameters, operations, at)
    }

    /// What becomes of a commit, which is not kept.
    pub fn check(&self, commit: &Value) -> Result<State, plumb_queue::Rejection> {
        let text = canonical(commit);
        self.state.apply(&plumb_canonical::parse(&text).unwrap())
    }

    /// Appends a commit, which must be accepted.
    pub fn push(&mut self, commit: Value) -> &mut Self {
        self.state = match self.check(&commit) {
            Ok(state) => state,
            Err(error) => panic!("{}: {error}", commit["id"]),
        };
        self.commits.push(commit);
        self
    }

    /// The text of the log.
    pub fn text(&self) -> String {
        self.commits
            .iter()
            .map(|commit| canonical(commit) + "\n")
            .collect()
    }
}

pub fn replay(text: &str) -> Result<State, LogError> {
    Log::read(text.as_bytes())?.replay(|_, _| {})
}

/// The scenario of section 14: graph g with nodes a to e, ids q0 to q16.
pub fn scenario() -> Chain {
    // One account, so that its stride is 1.
    let mut chain = Chain::with_policy(with(policy(), json!({"accounting_weights": {"": 1}})));
    let node =
        |name: &str, depends_on: Value| with(work("g", name), json!({"depends_on": depends_on}));
    let nodes = vec![
        node("a", json!([])),
        node("b", json!([gate(1)])),
        node("c", json!([])),
        node("d", json!([after("g", "a")])),
        node("e", json!([after("g", "c")])),
    ];
    chain.push(chain.submit(nodes, 2000));
    let seen = chain.operations(
        actor("reconciler"),
        "observe",
        vec![observation("o1", 1, 2500)],
        2500,
    );
    chain.push(seen);
    let claims = ["a", "b", "c"].iter().enumerate().map(|(index, node)| {
        let claim = claim("r3", index + 1, &work_id("g", node));
        if *node == "b" {
            with(claim, json!({"observations": ["o1"]}))
        } else {
            claim
        }
    });
    let granted = chain.commit(
        actor("dispatcher"),
        "dispatch_next",
        budget(),
        claims.collect(),
        3000,
    );
    chain.push(granted);
    let dispatch = dispatch_id("r3", 1);
    let started = json!({"kind": "Dispatch", "dispatch_id": dispatch, "state": "started", "sender": publisher("dispatcher")});
    chain.push(chain.operations(publisher("dispatcher"), "dispatch", vec![started], 4000));
    chain.push(chain.operations(
        publisher("dispatcher"),
        "dispatch",
        vec![bound(&dispatch, "900", 4100)],
        4100,
    ));
    chain.push(chain.finish(
        worker(&dispatch, "900"),
        "h1",
        "completed",
        vec![completion("r3", 1, "a")],
        4200,
    ));
    let result = json!({
        "kind": "Result", "work_id": work_id("g", "a"), "claim_id": claim_id("r3", 1),
        "completion_id": "q6", "descriptor": {"answer": 42}, "evidence": delivered("900", 4300),
    });
    chain.push(chain.operations(actor("reconciler"), "result", vec![result], 4300));
    let cancelled = json!({
        "kind": "ClaimCancellation", "work_id": work_id("g", "b"), "claim_id": claim_id("r3", 2),
        "reason": "not_now", "retry_not_before": 34_400,
    });
    chain.push(chain.finish(
        worker(&dispatch, "900"),
        "h2",
        "cancelled",
        vec![cancelled],
        4400,
    ));
    chain.push(chain.finish(
        worker(&dispatch, "900"),
        "h3",
        "completed",
        vec![completion("r3", 3, "c")],
        4500,
    ));
    let failure = json!({
        "kind": "DeliveryFailure", "work_id": work_id("g", "c"), "claim_id": claim_id("r3", 3),
        "completion_id": "q9", "reason": "no_receipt", "disposition": "unknown",
        "evidence": with(terminal("900", 4600), json!({"attempts": 5})),
    });
    chain.push(chain.operations(actor("reconciler"), "delivery_failure", vec![failure], 4600));
    chain.push(chain.operations(
        actor("administrator"),
        "cancel_work",
        vec![cancel("b")],
        4700,
    ));
    let release =
        json!({"kind": "Release", "dispatch_id": dispatch, "evidence": terminal("900", 4800)});
    chain.push(chain.operations(actor("reconciler"), "release", vec![release], 4800));
    let pause =
        json!({"kind": "Control", "control": "grants_paused", "value": true, "reason": "stop"});
    chain.push(chain.operations(actor("administrator"), "control", vec![pause], 4900));
    chain.push(chain.operations(
        actor("administrator"),
        "cancel_work",
        vec![cancel("d")],
        5000,
    ));
    chain.push(chain.operations(
        actor("administrator"),
        "cancel_work",
        vec![cancel("e")],
        5100,
    ));
    let second = json!({"kind": "Policy", "epoch": "epoch2", "policy": policy()});
    chain.push(chain.operations(actor("administrator"), "policy", vec![second], 5200));
    chain.epoch = "epoch2".to_owned();
    chain
}

pub fn bound(dispatch: &str, id: &str, at: u64) -> Value {
    let evidence = with(
        evidence("reconciliation", "github_api", at),
        json!({"run_id": id, "run_attempt": 1}),
    );
    json!({
        "kind": "Dispatch", "dispatch_id": dispatch, "state": "bound", "run": run(id),
        "evidence": evidence,
    })
}

pub fn terminal(id: &str, at: u64) -> Value {
    with(
        evidence("terminal_run", "github_api", at),
        json!({"run_id": id, "run_attempt": 1, "status": "completed", "conclusion": "success"}),
    )
}

pub fn delivered(id: &str, at: u64) -> Value {
    with(
        evidence("delivery", "verified_receipts", at),
        json!({"run_id": id, "run_attempt": 1, "receipt": "receipt-1"}),
    )
}

pub fn completion(request: &str, position: usize, node: &str) -> Value {
    json!({
        "kind": "Completion", "work_id": work_id("g", node), "claim_id": claim_id(request, position),
        "dispatch_id": dispatch_id(request, 1), "claim_handle": format!("h{position}"),
        "run_id": "900", "run_attempt": 1,
    })
}

pub fn cancel(node: &str) -> Value {
    json!({"kind": "WorkCancellation", "work_id": work_id("g", node), "reason": "not_needed"})
}
