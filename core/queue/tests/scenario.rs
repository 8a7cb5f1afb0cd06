//! The worked scenario of section 14, commit by commit.

#![allow(clippy::unwrap_used, clippy::redundant_closure_for_method_calls)]

mod common;

use common::{Chain, replay, scenario, work_id};
use plumb_queue::log::Log;
use serde_json::{Value, json};

#[test]
fn the_scenario_of_section_14_commit_by_commit() {
    let chain = scenario();
    // claims, native, next, reason, class V, key V, and the Works a to e as state/barrier.
    let start = "available/none available/none available/none available/none available/none";
    let granted = "claimed/none claimed/none claimed/none available/none available/none";
    #[rustfmt::skip]
    let expected = [
        (0, 0, None, "no_work", "0", "0", ""),
        (0, 0, Some("a"), "selected", "0", "0", start),
        (0, 0, Some("a"), "selected", "0", "0", start),
        (3, 1, None, "no_eligible_work", "12", "3", granted),
        (3, 1, None, "no_eligible_work", "12", "3", granted),
        (3, 1, None, "no_eligible_work", "12", "3", granted),
        (3, 1, None, "no_eligible_work", "12", "3", "completed/pending claimed/none claimed/none available/none available/none"),
        (3, 1, Some("d"), "selected", "12", "3", "completed/verified claimed/none claimed/none available/none available/none"),
        (3, 1, Some("d"), "selected", "12", "3", "completed/verified available/none claimed/none available/none available/none"),
        (3, 1, Some("d"), "selected", "12", "3", "completed/verified available/none completed/pending available/none available/none"),
        (3, 1, Some("d"), "selected", "12", "3", "completed/verified available/none completed/failed available/none available/none"),
        (3, 1, Some("d"), "selected", "12", "3", "completed/verified cancelled/none completed/failed available/none available/none"),
        (3, 0, Some("d"), "selected", "12", "3", "completed/verified cancelled/none completed/failed available/none available/none"),
        (3, 0, None, "grants_paused", "12", "3", "completed/verified cancelled/none completed/failed available/none available/none"),
        (3, 0, None, "grants_paused", "12", "3", "completed/verified cancelled/none completed/failed cancelled/none available/none"),
        (3, 0, None, "grants_paused", "12", "3", "completed/verified cancelled/none completed/failed cancelled/none cancelled/none"),
        (3, 0, None, "grants_paused", "0", "0", "completed/verified cancelled/none completed/failed cancelled/none cancelled/none"),
    ];
    // Asked for as another implementation would.
    let question = json!({"action": "replay", "log": chain.text()});
    let answer = plumb_queue::probe::answer(question.to_string());
    let answer: Value = serde_json::from_str(&answer).unwrap();
    assert_eq!(answer["ok"], true);
    let prefixes = answer["prefixes"].as_array().unwrap();
    assert_eq!(prefixes.len(), expected.len());
    for (index, (found, expected)) in prefixes.iter().zip(expected).enumerate() {
        let (claims, native, next, reason, class, key, works) = expected;
        let nodes = ["a", "b", "c", "d", "e"].into_iter();
        let works = nodes.zip(works.split_whitespace()).map(|(node, work)| {
            let (state, barrier) = work.split_once('/').unwrap();
            let work = json!({"node_key": node, "state": state, "barrier": barrier});
            (work_id("g", node), work)
        });
        let expected = json!({
            "tip": format!("q{index}"), "policy_epoch": if index < 16 { "epoch1" } else { "epoch2" },
            "claims": claims, "native_reservations": native, "next_node": next, "reason": reason,
            "class_v": class, "key_v": key,
            "works": works.collect::<serde_json::Map<_, _>>(),
        });
        assert_eq!(*found, expected, "after q{index}");
    }
    let state = replay(&chain.text()).unwrap();
    assert_eq!(state.tip().map(|tip| tip.as_str()), Some("q16"));
    assert_eq!(
        state.installed().map(|it| it.epoch.as_str()),
        Some("epoch2")
    );
    assert!(state.is_quiescent());
}

#[test]
fn the_order_of_lines_does_not_matter_and_repetitions_count_once() {
    let chain = scenario();
    let whole = replay(&chain.text()).unwrap();
    let mut lines: Vec<String> = chain.text().lines().map(str::to_owned).collect();
    lines.reverse();
    lines.extend_from_within(3..9);
    // Repetitions may be laid out differently.
    lines.push(lines[2].replace("\":", "\" : ") + "\r");
    let permuted = lines.join("\n") + "\n";
    let state = replay(&permuted).unwrap();
    assert_eq!(state.tip(), whole.tip());
    assert_eq!(state.totals(), whole.totals());
    assert_eq!(
        Log::read(permuted.as_bytes()).unwrap().compact().unwrap(),
        chain.text()
    );
    assert_eq!(state.totals().ledger as usize, chain.text().len());
}

#[test]
fn every_prefix_replays_and_every_suffix_is_refused() {
    let chain = scenario();
    for end in 1..=chain.commits.len() {
        let prefix = Chain {
            commits: chain.commits[..end].to_vec(),
            ..Chain::default()
        };
        let state = replay(&prefix.text()).unwrap();
        assert_eq!(state.ordinal(), end as u64);
        if end < chain.commits.len() {
            let suffix = Chain {
                commits: chain.commits[end..].to_vec(),
                ..Chain::default()
            };
            assert_eq!(
                replay(&suffix.text()).unwrap_err().code.as_str(),
                "ledger_invalid"
            );
        }
    }
}
