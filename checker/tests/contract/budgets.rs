//! Searches that are ended early: never a pass, and with what was found so far.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use plumb_checker::{Progress, Report, SearchOptions, StopReason, Verdict};

use crate::graph::{Graph, Node, threads};
use crate::summary::{nodes, summary};
use crate::wide::{WIDTH, start, wide};

fn max_states(limit: u64) -> SearchOptions {
    SearchOptions {
        max_states: Some(limit),
        ..threads(1)
    }
}

#[test]
fn the_budget_of_states_ends_the_search_at_the_first_level_boundary_that_has_them() {
    // Levels of 1, 3, 3, and 1 states.
    let edges = [(0, 1), (0, 2), (0, 3), (1, 4), (2, 5), (3, 6), (6, 7)];
    let graph = Graph::new([0], edges);
    for (limit, levels, queue) in [
        (0, vec![1], 1),
        (1, vec![1], 1),
        (2, vec![1, 3], 3),
        (4, vec![1, 3], 3),
        (5, vec![1, 3, 3], 3),
        (7, vec![1, 3, 3], 3),
        (8, vec![1, 3, 3, 1], 1),
    ] {
        let report = graph.check_with("INVARIANT A", &max_states(limit));
        let reason = StopReason::States(limit);
        assert_eq!(report.verdict, Verdict::Inconclusive(reason), "{limit}");
        assert_eq!(report.levels, levels, "{limit}");
        assert_eq!(report.queue, queue, "{limit}");
        assert_eq!(report.distinct, levels.iter().sum::<u64>());
        assert!(report.trace.is_empty());
    }
    let report = graph.check_with("INVARIANT A", &max_states(9));
    assert_eq!(report.verdict, Verdict::Exhausted);
}

#[test]
fn the_budget_of_states_ends_a_search_the_same_way_under_any_number_of_threads() {
    let graph = wide(4, 9);
    let cfg = "INVARIANT A";
    let expected = summary(&graph.check_with(cfg, &max_states(3500)));
    assert_eq!(expected.levels.len(), 3);
    for workers in [2, 8] {
        let options = SearchOptions {
            max_states: Some(3500),
            ..threads(workers)
        };
        assert_eq!(summary(&graph.check_with(cfg, &options)), expected);
    }
}

#[test]
fn a_violation_wins_over_a_budget_that_ends_at_the_same_boundary() {
    let graph = Graph::path(5).violates("A", [2]);
    let report = graph.check_with("INVARIANT A", &max_states(3));
    assert_eq!(report.verdict.property(), Some("A"));
    let report = graph.check_with("INVARIANT A", &max_states(2));
    assert_eq!(report.verdict, Verdict::Inconclusive(StopReason::States(2)));

    let initial = Graph::path(5).violates("A", [0]);
    let options = SearchOptions {
        max_states: Some(0),
        max_time: Some(Duration::ZERO),
        max_memory: Some(0),
        ..threads(1)
    };
    let report = initial.check_with("INVARIANT A", &options);
    assert_eq!(report.verdict.property(), Some("A"));
}

#[test]
fn a_search_that_is_over_is_exhausted_whatever_the_budget() {
    let options = SearchOptions {
        max_states: Some(1),
        ..threads(1)
    };
    let report = Graph::new([], []).check_with("", &options);
    assert_eq!(report.verdict, Verdict::Exhausted);
}

#[test]
fn an_assumption_is_decided_whatever_the_budget() {
    let options = SearchOptions {
        max_time: Some(Duration::ZERO),
        ..threads(1)
    };
    let report = Graph::path(1)
        .falsifies("K")
        .check_with("INVARIANT K", &options);
    assert_eq!(report.verdict.word(), "assumption");
}

#[test]
fn the_budget_of_time_gives_inconclusive() {
    for limit in [Duration::ZERO, Duration::from_millis(30)] {
        let mut graph = Graph::path(1000);
        graph.on_expand = Some(Arc::new(|_| std::thread::sleep(Duration::from_millis(5))));
        let options = SearchOptions {
            max_time: Some(limit),
            ..threads(1)
        };
        let report = graph.check_with("INVARIANT A", &options);
        assert_eq!(
            report.verdict,
            Verdict::Inconclusive(StopReason::Time(limit))
        );
        assert_eq!(report.queue, 1);
        assert!(report.depth() < 500);
    }
}

#[test]
fn the_budget_of_memory_gives_inconclusive() {
    let graph = wide(4, 11);
    let all = graph.check("").memory;
    for workers in [1, 2, 8] {
        let options = SearchOptions {
            max_memory: Some(all / 4),
            ..threads(workers)
        };
        let report = graph.check_with("", &options);
        let reason = StopReason::Memory(all / 4);
        assert_eq!(report.verdict, Verdict::Inconclusive(reason));
        assert!(report.queue > 0);
        assert!(report.memory < all);
        consistent(&report);
    }
    let options = SearchOptions {
        max_memory: Some(all * 4),
        ..threads(1)
    };
    assert_eq!(graph.check_with("", &options).verdict, Verdict::Exhausted);
}

#[test]
fn the_reason_is_told_even_if_the_memory_is_less_once_the_level_is_closed() {
    // A large level that leads to few states: once it is closed, its copy is no longer needed.
    let mut graph = Graph::new(0..60_000, []);
    graph = graph.steps("Red", (0..60_000).map(|node| (node, 60_000 + node % 5000)));
    let model = graph.configure("");
    let check = |options: &SearchOptions| model.check(options, &Progress::default());
    let initial = check(&max_states(1)).memory;
    let mut stopped = 0;
    for workers in [1, 2] {
        for limit in (0..40).map(|part| initial + part * 2048) {
            let options = SearchOptions {
                max_memory: Some(limit),
                ..threads(workers)
            };
            let verdict = check(&options).verdict;
            if verdict != Verdict::Exhausted {
                let reason = StopReason::Memory(limit);
                assert_eq!(verdict, Verdict::Inconclusive(reason));
                stopped += 1;
            }
        }
    }
    assert!(stopped > 10);
}

#[test]
fn a_request_to_stop_gives_inconclusive() {
    let progress = Progress::default();
    progress.stop();
    let model = Graph::path(5).configure("INVARIANT A");
    let report = model.check(&threads(1), &progress);
    assert_eq!(
        report.verdict,
        Verdict::Inconclusive(StopReason::Interrupted)
    );
    assert_eq!((report.generated, report.queue), (1, 1));
}

/// A graph that asks its own search to stop when a state is expanded.
fn stopping_at(mut graph: Graph, at: Node, cfg: &str, workers: usize) -> Report {
    let progress = Arc::new(Progress::default());
    let cell: Arc<OnceLock<Arc<Progress>>> = Arc::default();
    let inside = Arc::clone(&cell);
    graph.on_expand = Some(Arc::new(move |node| {
        if node == at {
            inside.get().unwrap().stop();
        }
    }));
    cell.set(Arc::clone(&progress)).unwrap();
    graph.configure(cfg).check(&threads(workers), &progress)
}

/// Every expanded state of a [`wide`] graph has four ways out, but for the first one.
fn consistent(report: &Report) {
    assert_eq!(report.levels.iter().sum::<u64>(), report.distinct);
    let taken: u64 = report.actions.iter().map(|(_, count)| count).sum();
    assert_eq!(taken + 1, report.generated);
    let expanded = report.distinct - report.queue;
    assert_eq!(taken, (expanded - 1) * 4 + u64::from(WIDTH));
}

#[test]
fn a_search_stopped_inside_a_level_counts_what_it_did_and_queues_the_rest() {
    for workers in [1, 2, 8] {
        let report = stopping_at(wide(4, 13), start(3) + 5, "INVARIANT A", workers);
        assert_eq!(
            report.verdict,
            Verdict::Inconclusive(StopReason::Interrupted)
        );
        consistent(&report);
    }
}

#[test]
fn a_violation_that_was_found_before_a_stop_inside_a_level_is_told() {
    for workers in [1, 2, 8] {
        let graph = wide(4, 13).violates("A", start(4)..start(5));
        let report = stopping_at(graph, start(3) + 5, "INVARIANT A", workers);
        // The state that asks for the stop is expanded, and with this seed leads to the last level.
        assert_eq!(report.verdict.property(), Some("A"));
        assert_eq!(nodes(&report).len(), 4);
        consistent(&report);
    }
}

#[test]
fn a_request_to_stop_in_the_last_level_comes_too_late() {
    let report = stopping_at(Graph::path(3), 3, "INVARIANT A", 1);
    assert_eq!(report.verdict, Verdict::Exhausted);
}

#[test]
fn progress_ends_where_the_report_does() {
    use std::sync::atomic::Ordering::Relaxed;
    for workers in [1, 2] {
        let model = wide(3, 15).configure("INVARIANT A");
        let progress = Progress::default();
        let report = model.check(&threads(workers), &progress);
        assert_eq!(progress.distinct.load(Relaxed), report.distinct);
        assert_eq!(progress.generated.load(Relaxed), report.generated);
        assert_eq!(progress.level.load(Relaxed), report.depth() as u64);
        assert_eq!(progress.queue(), 0);
        assert!(report.memory >= progress.memory.load(Relaxed));
    }
}
