//! Scheduling against a reference that is slow and obvious, and the orders that the protocol states.

#![allow(
    clippy::needless_pass_by_value,
    clippy::unwrap_used,
    clippy::redundant_closure_for_method_calls
)]

#[path = "common/reference.rs"]
mod reference;

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigUint;
use plumb_queue::probe;
use plumb_queue::schedule::contest::{Clocks, Contest, Rules};
use plumb_queue::wire::policy::Mode;
use plumb_queue::wire::scalar::{Bounded, FairnessKey, Priority};
use proptest::prelude::*;
use reference::Planner;
use serde_json::{Value, json};

fn weights() -> impl Strategy<Value = (Vec<u128>, BTreeMap<String, u128>)> {
    let classes = prop::collection::vec(1_u128..12, 5);
    let keys = prop::collection::btree_map("[a-d]", 1_u128..12, 0..4);
    (classes, keys).prop_map(|(classes, mut keys)| {
        keys.insert(String::new(), 1);
        (classes, keys)
    })
}

/// Rounds of plans: which Works are eligible in each, and how many are granted.
type Round = (Vec<(u64, usize)>, usize);

fn rounds() -> impl Strategy<Value = Vec<Round>> {
    let works = prop::collection::vec((1_u64..6, 0_usize..5), 0..14);
    prop::collection::vec((works, 0_usize..16), 1..8)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn the_contest_chooses_as_the_reference_does((classes, keys) in weights(), rounds in rounds(), strict: bool) {
        let mode = if strict { Mode::StrictPriority } else { Mode::WeightedPriority };
        let key = |name: &str| FairnessKey::new(name).unwrap();
        let small = |number: &u128| u64::try_from(*number).unwrap();
        let rules = Rules::of(mode, classes.iter().map(small), keys.iter().map(|(name, weight)| (key(name), small(weight))));
        let mut planner = Planner { strict, class_weights: classes.clone(), key_weights: keys.clone(), ..Planner::default() };
        let names: Vec<&String> = keys.keys().collect();
        let mut clocks = Clocks::default();
        for (works, grants) in rounds {
            let mut works: Vec<(u64, String)> = works.into_iter().map(|(class, index)| (class, names[index % names.len()].clone())).collect();
            let numbered = works.iter().enumerate().map(|(index, (class, name))| (Bounded::new(*class).unwrap(), key(name), index));
            let mut contest = Contest::new(&rules, clocks, numbered.collect::<Vec<_>>());
            let mut numbers: Vec<usize> = (0..works.len()).collect();
            for _ in 0..grants {
                // Asking without taking changes nothing.
                let turn = contest.peek();
                prop_assert_eq!(&turn, &contest.peek());
                let expected = planner.next(&works).map(|index| { works.remove(index); numbers.remove(index) });
                prop_assert_eq!(turn.as_ref().map(|turn| turn.work), expected);
                let Some(turn) = turn else { break };
                contest.take(&turn);
            }
            clocks = contest.into_clocks();
            prop_assert_eq!(&clocks.classes.v, &BigUint::from(planner.classes.v));
            prop_assert_eq!(clocks.classes.active.len(), planner.classes.active.len());
            for (class, level) in &planner.keys {
                let ours = &clocks.keys[&Priority::new(*class).unwrap()];
                prop_assert_eq!(&ours.v, &BigUint::from(level.v));
                let active: BTreeSet<String> = ours.active.iter().map(|key| key.to_string()).collect();
                prop_assert_eq!(&active, &level.active);
                for (key, pass) in &level.pass {
                    prop_assert_eq!(&ours.pass[key.as_str()], &BigUint::from(*pass));
                }
            }
        }
    }

    #[test]
    fn packing_is_the_longest_fair_prefix(
        (classes, keys) in weights(),
        works in prop::collection::vec((1_u64..6, 0_usize..5, 0_usize..3), 0..20),
        max_claims in 1_usize..20, max_dispatches in 1_usize..6, profile_max in 1_usize..5, share: bool,
    ) {
        let names: Vec<&String> = keys.keys().collect();
        let mut waiting: Vec<(u64, String)> = Vec::new();
        let mut nodes = Vec::new();
        for (index, (class, key, profile)) in works.iter().enumerate() {
            let name = names[key % names.len()];
            waiting.push((*class, name.clone()));
            nodes.push(json!({"key": format!("n{index}"), "priority": class, "account": name, "profile": format!("p{profile}"), "enqueued": index}));
        }
        let question = json!({
            "action": "plan", "mode": "weighted-priority", "class_weights": classes.iter().map(|weight| *weight as u64).collect::<Vec<_>>(),
            "accounting_weights": keys.iter().map(|(key, weight)| (key.clone(), json!(*weight as u64))).collect::<serde_json::Map<_, _>>(),
            "nodes": nodes, "max_claims": max_claims, "max_dispatches": max_dispatches, "profile_max": profile_max, "share_keys": share,
        });
        // The reference: grant in order, into the earliest group that takes it, until one does not fit.
        let mut planner = Planner { class_weights: classes, key_weights: keys.clone(), ..Planner::default() };
        let mut groups: Vec<(usize, String, usize)> = Vec::new();
        let mut numbers: Vec<usize> = (0..works.len()).collect();
        let mut order = Vec::new();
        let reason = loop {
            if order.len() == max_claims {
                break "claim_budget_reached";
            }
            let Some(index) = planner.next(&waiting) else {
                break if order.is_empty() { "no_work" } else { "prefix_complete" };
            };
            let number = numbers[index];
            let (profile, key) = (works[number].2, waiting[index].1.clone());
            let fits = |group: &(usize, String, usize)| group.0 == profile && group.2 < profile_max && (share || group.1 == key);
            match groups.iter().position(fits) {
                Some(index) => groups[index].2 += 1,
                None if groups.len() < max_dispatches => groups.push((profile, key, 1)),
                None => break "dispatch_budget_blocked",
            }
            order.push(format!("n{number}"));
            waiting.remove(index);
            numbers.remove(index);
        };
        let answer: Value = serde_json::from_str(&probe::answer(question.to_string())).unwrap();
        prop_assert_eq!(&answer["order"], &json!(order), "{}", answer);
        prop_assert_eq!(&answer["reason"], reason);
    }
}

/// Asks the probe for an order.
fn order(nodes: Vec<Value>, accounts: Value) -> Vec<String> {
    let question = json!({
        "action": "plan", "mode": "weighted-priority", "class_weights": [8, 4, 2, 1, 1], "accounting_weights": accounts,
        "nodes": nodes, "max_claims": 16, "max_dispatches": 256, "profile_max": 1, "share_keys": false,
    });
    let answer: Value = serde_json::from_str(&probe::answer(question.to_string())).unwrap();
    serde_json::from_value(answer["order"].clone()).unwrap()
}

#[test]
fn the_orders_that_section_6_7_states() {
    let node = |key: &str, priority: u64, account: &str| json!({"key": key, "priority": priority, "account": account});
    let accounts = ["a1", "a2", "a3", "a4"]
        .map(|key| node(key, 3, "a"))
        .into_iter();
    let nodes = accounts
        .chain(["b1", "b2"].map(|key| node(key, 3, "b")))
        .collect();
    assert_eq!(
        order(nodes, json!({"": 1, "a": 2, "b": 1})),
        ["a1", "a2", "b1", "a3", "a4", "b2"]
    );
    let nodes = (1..=5)
        .flat_map(|class| (0..16).map(move |index| node(&format!("{class}-{index}"), class, "")));
    let classes: Vec<String> = order(nodes.collect(), json!({"": 1}))
        .iter()
        .map(|key| key[..1].to_owned())
        .collect();
    assert_eq!(classes.join(" "), "1 1 2 1 1 2 3 1 1 2 1 1 2 3 4 5");
}

#[test]
fn shares_are_exact_over_whole_rounds() {
    // Section 6.6: the ratio experiments.
    for (weights, grants, expected) in [
        (&[5, 3, 2][..], 10_000, &[5000, 3000, 2000][..]),
        (&[8, 4, 2, 1, 1], 16_000, &[8000, 4000, 2000, 1000, 1000]),
    ] {
        let all = weights.iter().copied().chain([1; 5]).take(5);
        let rules = Rules::of(
            Mode::WeightedPriority,
            all,
            [(FairnessKey::default_account(), 1)],
        );
        let works = (0..weights.len()).flat_map(|class| (0..grants).map(move |_| class));
        let works = works.map(|class| {
            (
                Bounded::new(class as u64 + 1).unwrap(),
                FairnessKey::default_account(),
                class,
            )
        });
        let mut contest = Contest::new(&rules, Clocks::default(), works.collect::<Vec<_>>());
        let mut counts = vec![0; weights.len()];
        for _ in 0..grants {
            let turn = contest.peek().unwrap();
            contest.take(&turn);
            counts[turn.work] += 1;
        }
        // Five classes have weights, also those without Work, so Q is the same for both.
        assert_eq!(counts, expected);
    }
}

#[test]
fn the_probe_refuses_what_could_not_be_planned() {
    let ask = |changes: Value| {
        let mut question = json!({
            "action": "plan", "mode": "strict-priority", "class_weights": [1, 1, 1, 1, 1], "accounting_weights": {"": 1},
            "nodes": [{"key": "n", "priority": 1}], "max_claims": 1, "max_dispatches": 1, "profile_max": 1, "share_keys": true,
        });
        for (name, value) in changes.as_object().unwrap() {
            question[name] = value.clone();
        }
        let answer: Value = serde_json::from_str(&probe::answer(question.to_string())).unwrap();
        answer["code"].as_str().unwrap_or("ok").to_owned()
    };
    let twice = json!([{"key": "n", "priority": 1}, {"key": "n", "priority": 1}]);
    assert_eq!(ask(json!({})), "ok");
    assert_eq!(
        ask(json!({"nodes": [{"key": "n", "priority": 1, "account": "x"}]})),
        "admission_unauthorized"
    );
    assert_eq!(ask(json!({"nodes": twice})), "node_conflict");
    assert_eq!(ask(json!({"max_claims": 0})), "request_invalid");
    assert_eq!(ask(json!({"action": "dance"})), "request_invalid");
}
