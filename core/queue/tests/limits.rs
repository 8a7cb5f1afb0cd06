//! Section 6.8 against a planner that is slow and obvious, over many commits: limits of pools and
//! accounts, slots that are given back, priorities that change, and Assignments that are weighed as
//! text.

#![allow(clippy::unwrap_used, clippy::redundant_closure_for_method_calls)]

mod common;
#[path = "common/reference.rs"]
mod reference;

use std::collections::BTreeMap;

use common::*;
use plumb_queue::Code;
use plumb_queue::identity::commit_id;
use plumb_queue::schedule::plan::{PlanRequest, plan};
use plumb_queue::state::State;
use plumb_queue::wire::commit::{Budget, RequestKind};
use plumb_queue::wire::operation::{Operation, Work};
use plumb_queue::wire::scalar::{RequestId, Timestamp};
use plumb_queue::wire::{Actor, Wire};
use plumb_queue::writer::{Asker, Intent, Nothing, Prepared, prepare};
use proptest::prelude::*;
use reference::Planner;
use serde_json::{Value, json};

fn read<T: Wire>(value: &Value) -> T {
    let text = canonical(value);
    T::read(
        &plumb_canonical::parse(&text).unwrap(),
        Code::RequestInvalid,
    )
    .unwrap()
}

/// A Work as the slow planner sees it.
#[derive(Clone, Debug)]
struct Node {
    class: u64,
    key: String,
    profile: String,
    payload: Value,
    id: String,
    attempts: u64,
    /// The number of its Dispatch, while it is claimed.
    owner: Option<usize>,
}

#[derive(Clone, Debug)]
struct Limits {
    logical: usize,
    native: usize,
    account: usize,
    profile_max: usize,
    share: bool,
}

/// A Dispatch of a plan: its profile, its account, and the Claims of its Assignment as JSON.
struct Group {
    profile: String,
    key: String,
    claims: Vec<Value>,
}

#[derive(Default)]
struct Slow {
    planner: Planner,
    nodes: Vec<Node>,
    /// Whether each Dispatch is unreleased.
    held: Vec<bool>,
}

struct Asked<'a> {
    request: &'a str,
    commit: &'a str,
    max_claims: usize,
    max_dispatches: usize,
    max_bytes: usize,
}

impl Slow {
    /// Which nodes are granted, in which Dispatch of the plan each, and why there are no more. The
    /// clocks advance with each grant.
    fn plan(&mut self, limits: &Limits, asked: &Asked<'_>) -> (Vec<(usize, usize)>, &'static str) {
        let mut grants: Vec<(usize, usize)> = Vec::new();
        let mut groups: Vec<Group> = Vec::new();
        let open = |key: Option<&str>, nodes: &[Node]| {
            let open = nodes.iter().filter(|node| node.owner.is_some());
            open.filter(|node| key.is_none_or(|key| node.key == key))
                .count()
        };
        let text = |number: usize, profile: &str, claims: &[Value]| {
            let assignment = json!({
                "version": 3, "dispatch_id": dispatch_id(asked.request, number + 1),
                "request_id": asked.request, "commit_id": asked.commit, "policy_epoch": "e0",
                "pool": "default", "worker_profile": profile, "claims": claims,
            });
            canonical(&assignment).len()
        };
        let reason = loop {
            if grants.len() == asked.max_claims {
                break "claim_budget_reached";
            }
            if open(None, &self.nodes) + grants.len() >= limits.logical {
                break "capacity_blocked";
            }
            let waiting = |index: &usize| {
                let node = &self.nodes[*index];
                let is_granted = grants.iter().any(|(granted, _)| granted == index);
                node.owner.is_none() && !is_granted
            };
            let left: Vec<usize> = (0..self.nodes.len()).filter(waiting).collect();
            let has_room = |index: &usize| {
                let key = &self.nodes[*index].key;
                let granted = grants
                    .iter()
                    .filter(|(granted, _)| self.nodes[*granted].key == *key);
                limits.account == 0
                    || open(Some(key), &self.nodes) + granted.count() < limits.account
            };
            let eligible: Vec<usize> = left.iter().copied().filter(has_room).collect();
            let works: Vec<(u64, String)> = eligible
                .iter()
                .map(|index| (self.nodes[*index].class, self.nodes[*index].key.clone()))
                .collect();
            let mut planner = self.planner.clone();
            let Some(winner) = planner.next(&works) else {
                break match (left.is_empty(), grants.is_empty()) {
                    (false, _) => "no_eligible_work",
                    (true, true) => "no_work",
                    (true, false) => "prefix_complete",
                };
            };
            let index = eligible[winner];
            let node = &self.nodes[index];
            let claim = |place: usize| {
                json!({
                    "handle": format!("h{}", place + 1),
                    "claim_id": claim_id(asked.request, grants.len() + 1), "work_id": node.id,
                    "work": node.payload, "result_refs": [],
                })
            };
            let fits = |(number, group): (usize, &Group)| {
                let mut claims = group.claims.clone();
                claims.push(claim(claims.len()));
                group.profile == node.profile
                    && group.claims.len() < limits.profile_max
                    && (limits.share || group.key == node.key)
                    && text(number, &group.profile, &claims) <= asked.max_bytes
            };
            let number = match groups.iter().enumerate().position(fits) {
                Some(number) => number,
                None if groups.len() >= asked.max_dispatches => break "dispatch_budget_blocked",
                None if self.held.iter().filter(|it| **it).count() + groups.len()
                    >= limits.native =>
                {
                    break "native_capacity_blocked";
                }
                None if text(groups.len(), &node.profile, &[claim(0)]) > asked.max_bytes => {
                    break "assignment_bytes_blocked";
                }
                None => {
                    groups.push(Group {
                        profile: node.profile.clone(),
                        key: node.key.clone(),
                        claims: Vec::new(),
                    });
                    groups.len() - 1
                }
            };
            let claim = claim(groups[number].claims.len());
            groups[number].claims.push(claim);
            grants.push((index, number));
            self.planner = planner;
        };
        (grants, reason)
    }
}

#[derive(Clone, Debug)]
enum Step {
    Submit(Vec<(u64, usize, usize, usize)>),
    Grant(usize, usize, usize),
    Release(usize),
    Prioritise(usize, u64),
}

fn step() -> impl Strategy<Value = Step> {
    let node = (
        1..6_u64,
        0..3_usize,
        0..2_usize,
        prop_oneof![Just(0_usize), 0..400_usize],
    );
    let bytes = prop_oneof![3 => Just(49_152_usize), 2 => 500..2500_usize];
    prop_oneof![
        3 => prop::collection::vec(node, 1..8).prop_map(Step::Submit),
        4 => (1..14_usize, 1..5_usize, bytes).prop_map(|(claims, dispatches, bytes)| Step::Grant(claims, dispatches, bytes)),
        3 => (0..64_usize).prop_map(Step::Release),
        1 => (0..64_usize, 1..6_u64).prop_map(|(node, class)| Step::Prioritise(node, class)),
    ]
}

/// The engine's side of the same queue.
struct Engine {
    state: State,
    requests: u64,
}

impl Engine {
    fn asker(&mut self, role: &str) -> Asker {
        self.requests += 1;
        Asker {
            request: RequestId::new(&format!("r{}", self.requests)).unwrap(),
            actor: read::<Actor>(&actor(role)),
            at: Timestamp::new(1000 * self.requests).unwrap(),
        }
    }

    fn ask(&mut self, role: &str, intent: Intent) -> Prepared {
        let asker = self.asker(role);
        self.publish(&asker, intent)
    }

    fn publish(&mut self, asker: &Asker, intent: Intent) -> Prepared {
        let prepared = prepare(&mut self.state, asker, intent).unwrap();
        if let Prepared::Candidate(commit) = &prepared {
            self.state.advance(&commit.write()).unwrap();
        }
        prepared
    }

    fn operations(&mut self, role: &str, kind: RequestKind, operations: &[Value]) {
        let operations = operations.iter().map(read::<Operation>).collect();
        self.ask(role, Intent::Operations { kind, operations });
    }
}

const KEYS: [&str; 3] = ["", "a", "b"];
const ATTEMPTS: u64 = 16;

fn limited(limits: &Limits, weights: &[u128], strict: bool) -> Value {
    let profile = with(
        profile(),
        json!({"max_claims": limits.profile_max, "share_keys": limits.share}),
    );
    let pool = json!({
        "profiles": {"default": profile, "other": profile}, "logical_limit": limits.logical,
        "native_limit": limits.native, "per_account_limit": limits.account,
        "retry": {"max_attempts": ATTEMPTS, "backoff_ms": 1},
    });
    let weights: Vec<u64> = weights
        .iter()
        .map(|it| u64::try_from(*it).unwrap())
        .collect();
    let mode = if strict {
        "strict-priority"
    } else {
        "weighted-priority"
    };
    with(
        at(policy(), "/pools/default", pool),
        json!({"class_weights": weights, "mode": mode}),
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn every_plan_is_that_of_the_slow_planner(
        steps in prop::collection::vec(step(), 1..24),
        weights in prop::collection::vec(1_u128..9, 5),
        (logical, native, account) in (1..14_usize, 1..6_usize, 0..5_usize),
        (profile_max, share) in (1..5_usize, any::<bool>()), strict: bool,
    ) {
        let limits = Limits { logical, native, account, profile_max, share };
        let key_weights = BTreeMap::from([(String::new(), 1), ("a".to_owned(), 2), ("b".to_owned(), 1)]);
        let planner = Planner { strict, class_weights: weights.clone(), key_weights, ..Planner::default() };
        let mut slow = Slow { planner, ..Slow::default() };
        let mut engine = Engine { state: State::default(), requests: 0 };
        let first = json!({"kind": "Policy", "epoch": "e0", "policy": limited(&limits, &weights, strict)});
        engine.operations("administrator", RequestKind::Policy, &[first]);
        // Dispatches by number, and the ids that the engine gave them.
        let mut ids: Vec<String> = Vec::new();
        let mut submitted = 0;
        for step in steps {
            match step {
                Step::Submit(nodes) => {
                    let mut works = Vec::new();
                    for (class, key, profile, payload) in nodes {
                        submitted += 1;
                        let name = format!("n{submitted}");
                        let profile = ["default", "other"][profile];
                        let node = with(work("g", &name), json!({
                            "priority": class, "fairness_key": KEYS[key], "worker_profile": profile,
                            "payload": {"text": "\\".repeat(payload)},
                        }));
                        slow.nodes.push(Node {
                            class, key: KEYS[key].to_owned(), profile: profile.to_owned(),
                            payload: node["payload"].clone(), id: work_id("g", &name), attempts: 0, owner: None,
                        });
                        works.push(read::<Work>(&node));
                    }
                    engine.ask("producer", Intent::Submit { works, bootstrap: None });
                }
                Step::Grant(max_claims, max_dispatches, max_bytes) => {
                    let budget: Budget = read(&json!({
                        "pool": "default", "max_claims": max_claims, "max_dispatches": max_dispatches,
                        "max_bytes": max_bytes,
                    }));
                    let asker = engine.asker("dispatcher");
                    let commit = commit_id(engine.state.tip(), &asker.request);
                    let request = PlanRequest {
                        budget: &budget, request: &asker.request, commit: &commit, leading: 0, at: asker.at,
                    };
                    let planned = plan(&engine.state, request);
                    let asked = Asked {
                        request: asker.request.as_str(), commit: commit.as_str(), max_claims, max_dispatches, max_bytes,
                    };
                    let (grants, reason) = slow.plan(&limits, &asked);
                    prop_assert_eq!(planned.reason.as_str(), reason);
                    let ours: Vec<_> = planned.grants.iter().map(|it| (it.claim.work_id.to_string(), it.claim.dispatch_id.to_string())).collect();
                    let theirs: Vec<_> = grants.iter().map(|(node, number)| (slow.nodes[*node].id.clone(), dispatch_id(asked.request, number + 1))).collect();
                    prop_assert_eq!(ours, theirs);
                    let prepared = engine.publish(&asker, Intent::DispatchNext { observations: Vec::new(), budget });
                    match prepared {
                        Prepared::Candidate(_) => prop_assert!(!grants.is_empty()),
                        Prepared::Nothing(Nothing::NothingDue(why)) => prop_assert_eq!((why.as_str(), grants.len()), (reason, 0)),
                        other => prop_assert!(false, "{:?}", other),
                    }
                    let base = ids.len();
                    for (node, number) in grants {
                        slow.nodes[node].owner = Some(base + number);
                        slow.nodes[node].attempts += 1;
                        if ids.len() <= base + number {
                            ids.push(dispatch_id(asked.request, number + 1));
                            slow.held.push(true);
                        }
                    }
                }
                Step::Release(which) => {
                    let held: Vec<usize> = (0..ids.len()).filter(|number| slow.held[*number]).collect();
                    let Some(number) = held.get(which % held.len().max(1)).copied() else { continue };
                    let mut ends = Vec::new();
                    for node in slow.nodes.iter_mut().filter(|node| node.owner == Some(number)) {
                        let claim = engine.state.works().find(|(id, _)| id.as_str() == node.id).unwrap().1;
                        let plumb_queue::state::records::WorkState::Claimed { claim } = &claim.state else {
                            return Err(TestCaseError::fail("it is claimed"));
                        };
                        ends.push(json!({
                            "kind": "ClaimCancellation", "work_id": node.id, "claim_id": claim.as_str(),
                            "reason": "again", "retry_not_before": 2,
                        }));
                        node.owner = None;
                        if node.attempts == ATTEMPTS {
                            ends.push(json!({"kind": "WorkCancellation", "work_id": node.id, "reason": "attempts_exhausted"}));
                        }
                    }
                    let evidence = evidence("prelaunch", "trusted_publisher", 1);
                    ends.push(json!({"kind": "Release", "dispatch_id": ids[number], "evidence": evidence}));
                    engine.operations("reconciler", RequestKind::Release, &ends);
                    slow.held[number] = false;
                    slow.nodes.retain(|node| node.attempts < ATTEMPTS || node.owner.is_some());
                }
                Step::Prioritise(which, class) => {
                    let waiting: Vec<usize> = (0..slow.nodes.len()).filter(|index| slow.nodes[*index].owner.is_none()).collect();
                    let Some(index) = waiting.get(which % waiting.len().max(1)).copied() else { continue };
                    let node = &mut slow.nodes[index];
                    let change = json!({
                        "kind": "WorkPriority", "work_id": node.id, "priority": class,
                        "expected_priority": node.class, "reason": "r",
                    });
                    node.class = class;
                    engine.operations("administrator", RequestKind::Control, &[change]);
                }
            }
        }
    }
}
