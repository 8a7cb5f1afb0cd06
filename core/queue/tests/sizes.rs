//! Section 6.8: the planner knows the length of an Assignment to the byte.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use common::*;
use plumb_queue::schedule::plan::{PlanRequest, assignment, assignment_text, plan};
use plumb_queue::wire::Wire;
use plumb_queue::wire::commit::Budget;
use plumb_queue::wire::scalar::{CommitId, RequestId, Timestamp};
use serde_json::{Value, json};

#[test]
fn a_dispatch_takes_claims_up_to_the_last_byte() {
    // Twelve Claims, so that handles of two and of three characters occur.
    let wide = json!({"max_claims": 16});
    let mut chain = Chain::with_policy(at(policy(), "/pools/default/profiles/default", wide));
    let works = (0..12).map(|index| work("g", &format!("n{index}")));
    chain.push(chain.submit(works.collect(), 2000));
    let planned = |max_claims: usize, max_bytes: usize| {
        let limits = json!({"max_claims": max_claims, "max_bytes": max_bytes});
        let text = canonical(&with(budget(), limits));
        let value = plumb_canonical::parse(&text).unwrap();
        let budget = Budget::read(&value, plumb_queue::Code::RequestInvalid).unwrap();
        let request = PlanRequest {
            budget: &budget,
            request: &RequestId::new("r2").unwrap(),
            commit: &CommitId::new("q2").unwrap(),
            leading: 0,
            at: Timestamp::new(3000).unwrap(),
        };
        plan(&chain.state, request)
    };
    for count in 1..=12 {
        let made = planned(count, 49_152);
        let [group] = &made.groups[..] else {
            panic!("{} Dispatches", made.groups.len())
        };
        let mut granted = chain.clone();
        let claims = made.grants.iter();
        let claims = claims.map(|it| serde_json::from_str(&it.claim.write().to_canonical()));
        let claims = claims.collect::<Result<_, _>>().unwrap();
        let budget = with(budget(), json!({"max_claims": count}));
        granted.push(granted.commit(actor("dispatcher"), "dispatch_next", budget, claims, 3000));
        let text = assignment_text(&assignment(&granted.state, &group.dispatch_id).unwrap());
        assert_eq!(group.bytes, text.len(), "{count} Claims");
        // What fits exactly fits; with a byte less the last one does not go in.
        assert_eq!(planned(count, text.len()).groups.len(), 1, "{count} Claims");
        let short = planned(count, text.len() - 1);
        let first = short.groups.first().map_or(0, |group| group.claims);
        assert_eq!(first, count - 1, "{count} Claims");
    }
}

/// Works p0 to p2 of graph g, done and verified: their descriptors are of different lengths.
fn with_parents(policy: Value) -> Chain {
    let mut chain = Chain::with_policy(policy);
    let nodes = ["p0", "p1", "p2"];
    chain.push(chain.submit(nodes.map(|node| work("g", node)).to_vec(), 2000));
    let claims = nodes.iter().enumerate();
    let claims = claims.map(|(index, node)| claim("r2", index + 1, &work_id("g", node)));
    chain.push(chain.commit(
        actor("dispatcher"),
        "dispatch_next",
        budget(),
        claims.collect(),
        3000,
    ));
    let d = dispatch_id("r2", 1);
    let started = json!({"kind": "Dispatch", "dispatch_id": d, "state": "started", "sender": publisher("dispatcher")});
    let binding = [started, bound(&d, "900", 3100)];
    for operation in binding {
        chain.push(chain.operations(publisher("dispatcher"), "dispatch", vec![operation], 3100));
    }
    for (index, node) in nodes.iter().enumerate() {
        let handle = format!("h{}", index + 1);
        let done = vec![completion("r2", index + 1, node)];
        chain.push(chain.finish(worker(&d, "900"), &handle, "completed", done, 3200));
        let result = json!({
            "kind": "Result", "work_id": work_id("g", node), "claim_id": claim_id("r2", index + 1),
            "completion_id": chain.commits.last().unwrap()["id"],
            "descriptor": {"text": "\"".repeat(10 * index)}, "evidence": delivered("900", 3300),
        });
        chain.push(chain.operations(actor("reconciler"), "result", vec![result], 3300));
    }
    chain
}

#[test]
fn the_results_of_parents_are_weighed_too() {
    for parents in 0..=3 {
        let mut chain = with_parents(policy());
        let after = (0..parents).map(|index| after("g", &format!("p{index}")));
        let child = with(
            work("g", "child"),
            json!({"depends_on": after.collect::<Vec<_>>()}),
        );
        chain.push(chain.submit(vec![child], 4000));
        let request = chain.next_request();
        let (request, commit) = (
            RequestId::new(&request).unwrap(),
            CommitId::new("next").unwrap(),
        );
        let planned = |max_bytes: usize| {
            let budget = canonical(&with(budget(), json!({"max_bytes": max_bytes})));
            let budget = plumb_canonical::parse(&budget).unwrap();
            let budget = Budget::read(&budget, plumb_queue::Code::RequestInvalid).unwrap();
            let request = PlanRequest {
                budget: &budget,
                request: &request,
                commit: &commit,
                leading: 0,
                at: Timestamp::new(5000).unwrap(),
            };
            plan(&chain.state, request)
        };
        let made = planned(49_152);
        let refs = (0..parents).map(|index| {
            json!({
                "work_id": work_id("g", &format!("p{index}")),
                "result_commit_id": format!("q{}", 6 + 2 * index),
                "descriptor": {"text": "\"".repeat(10 * index)},
            })
        });
        // Written down from section 2.5.
        let expected = json!({
            "version": 3, "dispatch_id": dispatch_id(request.as_str(), 1), "request_id": request.as_str(),
            "commit_id": "next", "policy_epoch": "epoch1", "pool": "default",
            "worker_profile": "default",
            "claims": [{
                "handle": "h1", "claim_id": claim_id(request.as_str(), 1),
                "work_id": work_id("g", "child"), "work": {"task": "child"},
                "result_refs": refs.collect::<Vec<_>>(),
            }],
        });
        let length = canonical(&expected).len();
        assert_eq!(made.groups[0].bytes, length, "{parents} parents");
        assert_eq!(planned(length).grants.len(), 1);
        assert_eq!(
            planned(length - 1).reason.as_str(),
            "assignment_bytes_blocked"
        );
        // And the Assignment is that text.
        let operations = vec![claim(request.as_str(), 1, &work_id("g", "child"))];
        let commit = chain.commit(
            actor("dispatcher"),
            "dispatch_next",
            budget(),
            operations,
            5000,
        );
        chain.push(with(commit, json!({"id": "next"})));
        let made = assignment(&chain.state, &made.groups[0].dispatch_id).unwrap();
        assert_eq!(assignment_text(&made), canonical(&expected));
    }
}

#[test]
fn the_worst_assignment_of_a_work_is_weighed_to_the_byte_when_it_is_admitted() {
    // One parent that is resolved and two that are not, one of them in the same commit.
    let child = with(
        work("g", "child"),
        json!({"depends_on": [after("g", "p1"), after("g", "n0"), after("g", "n1")]}),
    );
    let fat = "\\".repeat(256);
    let unresolved = |node: &str| {
        json!({
            "work_id": work_id("g", node), "result_commit_id": fat,
            "descriptor": "d".repeat(1000 - 2),
        })
    };
    // Written down from section 7.
    let worst = json!({
        "version": 3, "dispatch_id": "d".repeat(70), "request_id": fat, "commit_id": fat,
        "policy_epoch": "epoch1", "pool": "default", "worker_profile": "default",
        "claims": [{
            "handle": "h16", "claim_id": "c".repeat(70), "work_id": work_id("g", "child"),
            "work": {"task": "child"},
            "result_refs": [
                {
                    "work_id": work_id("g", "p1"), "result_commit_id": "q8",
                    "descriptor": {"text": "\"".repeat(10)},
                },
                unresolved("n0"), unresolved("n1"),
            ],
        }],
    });
    let worst = canonical(&worst).len();
    for (limit, expected) in [(worst, None), (worst - 1, Some("assignment_limit"))] {
        let limits = json!({"assignment_bytes": limit, "result_bytes": 1000});
        let mut chain = with_parents(at(policy(), "/limits", limits));
        chain.push(chain.submit(vec![work("g", "n0")], 4000));
        let commit = chain.submit(vec![work("g", "n1"), child.clone()], 4000);
        let refused = chain.check(&commit).err();
        assert_eq!(
            refused.as_ref().map(|error| error.code.as_str()),
            expected,
            "{refused:?}"
        );
    }
}
