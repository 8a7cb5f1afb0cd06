//! The worked scenario of section 14, commit by commit.

#![allow(clippy::unwrap_used, clippy::redundant_closure_for_method_calls)]

mod common;

use common::{Chain, replay, scenario, work_id};
use plumb_queue::log::Log;
use plumb_queue::schedule::{PlanRequest, plan};
use plumb_queue::state::State;
use plumb_queue::wire::commit::Budget;
use plumb_queue::wire::scalar::{Bounded, CommitId, PoolName, RequestId, Timestamp, WorkId};

/// What section 14 calls the projection: claims ever granted, native slots held, the node that would
/// be granted next and why, V of the classes and of the default account of class 3, and the Works.
fn projection(
    state: &State,
    at: u64,
) -> (u64, u64, Option<String>, String, String, String, String) {
    let pool = PoolName::new("default").unwrap();
    let budget = Budget {
        pool: pool.clone(),
        max_claims: Bounded::new(1).unwrap(),
        max_dispatches: Bounded::new(1).unwrap(),
        max_bytes: Bounded::new(49_152).unwrap(),
        worker_profiles: None,
    };
    let (request, commit) = (
        RequestId::new("next").unwrap(),
        CommitId::new("next").unwrap(),
    );
    let next = plan(
        state,
        PlanRequest {
            budget: &budget,
            request: &request,
            commit: &commit,
            leading: 0,
            at: Timestamp::new(at).unwrap(),
        },
    );
    let work = next
        .grants
        .first()
        .and_then(|grant| state.work(&grant.claim.work_id));
    let reason = if work.is_some() {
        "selected".to_owned()
    } else {
        next.reason.to_string()
    };
    let clocks = state.clocks(&pool);
    let level = clocks.keys.get(&Bounded::new(3).unwrap());
    let works = ["a", "b", "c", "d", "e"].iter().filter_map(|node| {
        let work = state.work(&WorkId::new(&work_id("g", node)).unwrap())?;
        Some(format!(
            "{}/{} ",
            work.state.name(),
            work.state.barrier_name()
        ))
    });
    (
        state.totals().claims,
        state.native_reservations(&pool),
        work.map(|work| work.work.node_key.to_string()),
        reason,
        clocks.classes.v.to_string(),
        level.map_or("0".to_owned(), |level| level.v.to_string()),
        works.collect::<String>().trim_end().to_owned(),
    )
}

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
    let text = chain.text();
    let mut found = Vec::new();
    let state = Log::read(text.as_bytes())
        .unwrap()
        .replay(|commit, state| found.push(projection(state, commit.at.get())))
        .unwrap();
    assert_eq!(found.len(), expected.len());
    for (index, (found, expected)) in found.iter().zip(expected).enumerate() {
        let (claims, native, next, reason, class, key, works) = found;
        let found = (
            *claims,
            *native,
            next.as_deref(),
            &**reason,
            &**class,
            &**key,
            &**works,
        );
        assert_eq!(found, expected, "after q{index}");
    }
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
