//! Section 9, and what writers of this crate make of it: whatever they were asked for, a Work that they
//! admitted can be granted once nothing else is under way.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::redundant_closure_for_method_calls
)]

mod common;

use common::*;
use plumb_canonical::Object;
use plumb_queue::state::State;
use plumb_queue::wire::commit::{Budget, RequestKind};
use plumb_queue::wire::operation::{Operation, Work};
use plumb_queue::wire::scalar::{RequestId, Timestamp};
use plumb_queue::wire::{Actor, QueueCommit, Wire};
use plumb_queue::writer::{Asker, Intent, Prepared, headroom, prepare};
use plumb_queue::{Code, Rejection};
use proptest::prelude::*;
use serde_json::{Value, json};

fn read<T: Wire>(value: &Value) -> T {
    let text = canonical(value);
    T::read(
        &plumb_canonical::parse(&text).unwrap(),
        Code::RequestInvalid,
    )
    .unwrap()
}

fn operations(kind: RequestKind, operations: &[Value]) -> Intent {
    Intent::Operations {
        kind,
        operations: operations.iter().map(read::<Operation>).collect(),
    }
}

/// A queue that is only written to by our writer.
#[derive(Default)]
struct Written {
    state: State,
    requests: u64,
}

impl Written {
    fn ask(&mut self, role: &str, intent: Intent) -> Result<Prepared, Rejection> {
        self.requests += 1;
        let asker = Asker {
            request: RequestId::new(&format!("r{}", self.requests)).unwrap(),
            actor: read::<Actor>(&actor(role)),
            at: Timestamp::new(1000 + 100_000 * self.requests).unwrap(),
        };
        let prepared = prepare(&mut self.state, &asker, intent)?;
        if let Prepared::Candidate(commit) = &prepared {
            self.append(commit);
        }
        Ok(prepared)
    }

    /// What our writer makes can be read as a line of a log.
    fn append(&mut self, commit: &QueueCommit) {
        let line = commit.to_line();
        let value = plumb_canonical::parse(line.trim_end()).unwrap();
        self.state.advance(&value).unwrap();
    }

    fn has_room(&self, pool: &str) -> u64 {
        let asker = Asker {
            request: RequestId::new("room").unwrap(),
            actor: read::<Actor>(&actor("dispatcher")),
            at: Timestamp::MAX,
        };
        let budget =
            json!({"pool": pool, "max_claims": 16, "max_dispatches": 16, "max_bytes": 49_152});
        let room = headroom(&mut self.state.clone(), &asker, &read::<Budget>(&budget)).unwrap();
        if room.due == 0 { 1 } else { room.max_claims }
    }

    /// Grants what fits, and brings everything that was granted to an end.
    fn run(&mut self, pool: &str, at_most: u64) {
        let fitting = self.has_room(pool).min(at_most);
        if fitting == 0 {
            return;
        }
        let budget =
            json!({"pool": pool, "max_claims": fitting, "max_dispatches": 16, "max_bytes": 49_152});
        let intent = Intent::DispatchNext {
            observations: Vec::new(),
            budget: read(&budget),
        };
        let granted = self.ask("dispatcher", intent);
        assert!(
            granted
                .as_ref()
                .err()
                .is_none_or(|error| error.code != Code::LedgerLimit),
            "a grant of {fitting} has room, and is refused: {granted:?}"
        );
    }

    fn release_all(&mut self) {
        let held = self.state.dispatches();
        let held: Vec<_> = held
            .filter(|(_, dispatch)| dispatch.release.is_none())
            .map(|(id, dispatch)| (id.clone(), dispatch.clone()))
            .collect();
        for (id, dispatch) in held {
            let mut ends = Vec::new();
            for claim in &dispatch.claims {
                let work = &self.state.claim(claim).unwrap().claim.work_id;
                let record = self.state.work(work).unwrap();
                if record.state.name() != "claimed" {
                    continue;
                }
                ends.push(json!({
                    "kind": "ClaimCancellation", "work_id": work.as_str(), "claim_id": claim.as_str(),
                    "reason": "again", "retry_not_before": 9_000_000_000_u64,
                }));
                if record.attempts == 3 {
                    ends.push(json!({
                        "kind": "WorkCancellation", "work_id": work.as_str(), "reason": "attempts_exhausted",
                    }));
                }
            }
            let evidence = evidence("prelaunch", "trusted_publisher", 1);
            ends.push(json!({"kind": "Release", "dispatch_id": id.as_str(), "evidence": evidence}));
            self.ask("reconciler", operations(RequestKind::Release, &ends))
                .unwrap();
        }
    }
}

fn node(pool: &str, number: u64, payload: usize, gates: u32) -> Value {
    let graph = format!("graph-{pool}");
    let gates: Vec<_> = (1..=gates).map(gate).collect();
    with(
        work(&graph, &format!("n{number}")),
        json!({"pool": pool, "payload": {"text": "x".repeat(payload)}, "depends_on": gates}),
    )
}

fn small_policy(ledger: u64, recovery: u64, max_claims: u64, attempts: u64) -> Value {
    let profile = with(profile(), json!({"max_claims": max_claims}));
    let pool = |reconciliation: u64| {
        with(
            pool(),
            json!({
                "profiles": {"default": profile},
                "reconciliation": {"max_attempts": reconciliation, "deadline_ms": 1000},
            }),
        )
    };
    let rule = json!({"pools": ["default", "wide"], "priorities": [3], "fairness_keys": [""]});
    let limits = json!({"ledger_bytes": ledger, "recovery_bytes": recovery});
    with(
        at(policy(), "/limits", limits),
        json!({
            "pools": {"default": pool(5), "wide": pool(attempts)}, "producers": {"100": rule},
            "projectors": null,
        }),
    )
}

#[derive(Clone, Debug)]
enum Step {
    Submit {
        wide: bool,
        count: u64,
        payload: usize,
        gates: u32,
    },
    Grant {
        wide: bool,
        at_most: u64,
    },
    Release,
    Cancel {
        number: u64,
    },
    Pause {
        paused: bool,
    },
    NewPolicy {
        ledger: u64,
        recovery: u64,
    },
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        5 => (any::<bool>(), 1..5_u64, prop_oneof![3 => 0..200_usize, 1 => 10_000..16_000_usize], 0..3_u32)
            .prop_map(|(wide, count, payload, gates)| Step::Submit { wide, count, payload, gates }),
        2 => (any::<bool>(), 1..16_u64).prop_map(|(wide, at_most)| Step::Grant { wide, at_most }),
        2 => Just(Step::Release),
        1 => (0..40_u64).prop_map(|number| Step::Cancel { number }),
        1 => any::<bool>().prop_map(|paused| Step::Pause { paused }),
        1 => (20_000..200_000_u64, 200_000..2_000_000_u64)
            .prop_map(|(ledger, recovery)| Step::NewPolicy { ledger, recovery }),
    ]
}

/// True if nothing was granted that has not ended.
fn is_idle(state: &State) -> bool {
    state.totals().unreleased == 0
}

/// With nothing under way and the log below the limit for grants, each pool has room for one.
fn has_no_wedge(queue: &Written) -> Result<(), TestCaseError> {
    for pool in ["default", "wide"] {
        prop_assert!(queue.has_room(pool) > 0, "no grant fits in pool {pool}");
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn our_writer_never_admits_work_that_it_could_not_grant(
        steps in proptest::collection::vec(step(), 1..40),
        ledger in 20_000..150_000_u64,
        recovery in 250_000..1_500_000_u64,
        max_claims in 1..4_u64,
        attempts in 1..40_u64,
    ) {
        let mut queue = Written::default();
        let first = small_policy(ledger, recovery, max_claims, attempts);
        let first = json!({"kind": "Policy", "epoch": "e0", "policy": first});
        queue.ask("administrator", operations(RequestKind::Policy, &[first])).unwrap();
        let mut number = 0;
        for step in steps {
            match step {
                Step::Submit { wide, count, payload, gates } => {
                    let pool = if wide { "wide" } else { "default" };
                    let works = (0..count).map(|index| node(pool, number + index, payload, gates));
                    let works: Vec<Work> = works.map(|work| read(&work)).collect();
                    number += count;
                    match queue.ask("producer", Intent::Submit { works, bootstrap: None }) {
                        // What was admitted can be granted, on top of all that is under way.
                        Ok(_) => has_no_wedge(&queue)?,
                        Err(error) => {
                            let expected = [Code::LedgerLimit, Code::AdmissionPaused, Code::AssignmentLimit];
                            prop_assert!(expected.contains(&error.code), "{error}");
                        }
                    }
                }
                Step::Grant { wide, at_most } => queue.run(if wide { "wide" } else { "default" }, at_most),
                Step::Release => queue.release_all(),
                Step::Cancel { number } => {
                    let id = work_id("graph-default", &format!("n{number}"));
                    let cancel = json!({"kind": "WorkCancellation", "work_id": id, "reason": "enough"});
                    let _ = queue.ask("administrator", operations(RequestKind::CancelWork, &[cancel]));
                }
                Step::Pause { paused } => {
                    let control = json!({
                        "kind": "Control", "control": "admission_paused", "value": paused, "reason": "r",
                    });
                    let _ = queue.ask("administrator", operations(RequestKind::Control, &[control]));
                }
                Step::NewPolicy { ledger, recovery } => {
                    let policy = small_policy(ledger, recovery, max_claims, attempts);
                    let epoch = format!("e{}", queue.requests);
                    let policy = json!({"kind": "Policy", "epoch": epoch, "policy": policy});
                    let _ = queue.ask("administrator", operations(RequestKind::Policy, &[policy]));
                }
            }
            // What was granted gives its room back, whatever happened in between, unless the log itself
            // has grown to where no grant is allowed.
            let limit = queue.state.installed().unwrap().policy.limits.ledger_bytes.get();
            if is_idle(&queue.state) && queue.state.totals().ledger + 8192 <= limit {
                has_no_wedge(&queue)?;
            }
        }
    }
}

#[test]
fn a_pool_with_room_admits_whatever_another_pool_would_need() {
    // One grant of pool wide takes 68 * 14,336 bytes and more: there is never room for that.
    let mut queue = Written::default();
    let policy =
        json!({"kind": "Policy", "epoch": "e0", "policy": small_policy(100_000, 900_000, 1, 64)});
    queue
        .ask("administrator", operations(RequestKind::Policy, &[policy]))
        .unwrap();
    let submit = |pool: &str| Intent::Submit {
        works: vec![read(&node(pool, 1, 10, 0))],
        bootstrap: None,
    };
    let refused = queue.ask("producer", submit("wide")).unwrap_err();
    assert_eq!(refused.code, Code::LedgerLimit);
    assert!(refused.message.contains("pool wide"), "{refused}");
    assert!(queue.ask("producer", submit("default")).is_ok());
}

#[test]
fn admission_ends_where_the_log_would_have_no_room_for_a_grant() {
    let mut queue = Written::default();
    let policy =
        json!({"kind": "Policy", "epoch": "e0", "policy": small_policy(60_000, 16 << 20, 1, 5)});
    queue
        .ask("administrator", operations(RequestKind::Policy, &[policy]))
        .unwrap();
    let mut admitted = 0;
    let refused = loop {
        assert!(admitted < 100, "admission does not end");
        let works = vec![read(&node("default", admitted, 2000, 0))];
        match queue.ask(
            "producer",
            Intent::Submit {
                works,
                bootstrap: None,
            },
        ) {
            Ok(_) => admitted += 1,
            Err(error) => break error,
        }
    };
    assert!(admitted > 3);
    assert_eq!(refused.code, Code::LedgerLimit);
    assert!(refused.message.contains("the log would have"), "{refused}");
    // The protocol would have allowed it: there are more than 8 KiB left.
    assert!(queue.state.totals().ledger < 60_000 - 8192);
    assert!(queue.has_room("default") > 0);
    // The first that is refused is the first of which a line more would be too much.
    assert!(queue.state.totals().ledger > 60_000 - 8192 - 6000);
}

#[test]
fn our_writer_makes_no_line_that_nobody_could_read() {
    let mut queue = Written::default();
    let policy = json!({"kind": "Policy", "epoch": "e0", "policy": common::policy()});
    queue
        .ask("administrator", operations(RequestKind::Policy, &[policy]))
        .unwrap();
    // 256 payloads of nearly 16 KiB stand in it twice, which is more than 8 MiB.
    let works = (0..256).map(|number| read::<Work>(&node("default", number, 16_300, 0)));
    let intent = Intent::Submit {
        works: works.collect(),
        bootstrap: None,
    };
    let refused = queue.ask("producer", intent).unwrap_err();
    assert_eq!(refused.code, Code::ResourceLimit, "{refused}");
    // A payload of which the line is one level too deep, and one that just fits: it is five levels down.
    let deep = |levels: usize| {
        let mut value = plumb_canonical::Value::Array(Vec::new());
        for _ in 1..levels {
            value = plumb_canonical::Value::Array(vec![value]);
        }
        let mut payload = Object::new();
        payload.insert("deep", value);
        let mut work: Work = read(&work("graph", "n"));
        work.payload = plumb_queue::wire::Json::new(payload);
        Intent::Submit {
            works: vec![work],
            bootstrap: None,
        }
    };
    let refused = queue.ask("producer", deep(60)).unwrap_err();
    assert_eq!(refused.code, Code::ResourceLimit, "{refused}");
    assert!(queue.ask("producer", deep(59)).is_ok());
}
