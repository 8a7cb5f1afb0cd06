//! The second opinion: the same counts from stateright, and nothing claimed that it did not check.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use plumb_checker::{Progress, Report, SearchOptions, StopReason, Verdict};
use proptest::prelude::*;

use crate::graph::{Fault, Graph, threads};
use crate::random;
use crate::reference::explore;
use crate::summary::{nodes, summary};
use crate::wide::{start, wide};

fn check(graph: &Graph, cfg: &str, options: &SearchOptions) -> Report {
    let progress = Arc::new(Progress::default());
    graph
        .configure(cfg)
        .check_with_stateright(options, &progress)
}

#[test]
fn counts_are_those_of_the_explorer() {
    for graph in [
        Graph::new([0, 0, 1], [(0, 1), (0, 1), (1, 1), (1, 2)]),
        Graph::path(200),
        wide(4, 21),
    ] {
        let own = graph.check("INVARIANT A");
        for workers in [1, 2, 8] {
            let report = check(&graph, "INVARIANT A", &threads(workers));
            assert_eq!(report.verdict, Verdict::Exhausted);
            assert_eq!(report.distinct, own.distinct);
            assert_eq!(report.generated, own.generated);
        }
    }
}

#[test]
fn a_model_without_properties_is_explored_whole() {
    let report = check(&Graph::path(10), "", &threads(1));
    assert_eq!(report.verdict, Verdict::Exhausted);
    assert_eq!((report.distinct, report.generated), (11, 11));
}

#[test]
fn a_search_that_left_something_unchecked_is_inconclusive_and_says_what() {
    let boundary = "boundary unchecked (states outside the constraint)";
    for (cfg, deadlock, unchecked) in [
        ("INVARIANT A CONSTRAINT Near", false, boundary.to_owned()),
        (
            "INVARIANT A PROPERTY P",
            false,
            "step properties".to_owned(),
        ),
        ("CHECK_DEADLOCK TRUE", false, "deadlocks".to_owned()),
        ("", true, "deadlocks".to_owned()),
        (
            "PROPERTY P CONSTRAINT Near CHECK_DEADLOCK TRUE",
            false,
            format!("step properties, {boundary}, deadlocks"),
        ),
    ] {
        let options = SearchOptions {
            deadlock,
            ..threads(1)
        };
        // There is something to find in each of the ways, and none of them finds it.
        let graph = Graph::path(3)
            .outside([3])
            .violates("B", [3])
            .forbids("P", [(0, 1)]);
        let report = check(&graph, cfg, &options);
        let reason = StopReason::Unchecked(unchecked);
        assert_eq!(report.verdict, Verdict::Inconclusive(reason), "{cfg}");
        assert_eq!(report.queue, 0);
    }
}

#[test]
fn states_outside_the_constraint_are_counted_as_generated() {
    let graph = Graph::new([0, 9], [(0, 1), (0, 9), (1, 9), (1, 0)]).outside([9]);
    let own = graph.check("CONSTRAINT Near");
    let report = check(&graph, "CONSTRAINT Near", &threads(1));
    assert_eq!((own.generated, own.outside), (6, 3));
    assert_eq!((report.generated, report.outside), (6, 3));
    assert_eq!(report.distinct, own.distinct);
}

#[test]
fn a_violation_is_found_with_its_conjunct_and_shortest_trace() {
    let graph = Graph::new(
        [0],
        [(0, 1), (1, 2), (0, 3), (3, 4), (2, 5), (4, 5), (5, 6)],
    );
    let graph = graph.violates("B", [5, 6]);
    let report = check(&graph, "INVARIANT C Safety", &threads(1));
    assert_eq!(report.verdict.property(), Some("Safety"));
    assert_eq!(report.verdict.conjunct(), Some("B"));
    assert_eq!(
        nodes(&report),
        [0, 1, 2, 5],
        "the first that is found is kept"
    );
    assert_eq!(
        report.trace[3].action.as_ref().unwrap().to_string(),
        "Red(0)"
    );
    assert_eq!(report.trace[0].action, None);
}

#[test]
fn a_violation_in_a_wide_model_is_found_under_any_number_of_threads() {
    let graph = wide(4, 23).violates("A", start(4)..start(5));
    for workers in [1, 2, 8] {
        let report = check(&graph, "INVARIANT A", &threads(workers));
        assert_eq!(report.verdict.property(), Some("A"));
        let last = *nodes(&report).last().unwrap();
        assert!(last >= start(4));
    }
}

#[test]
fn assumptions_are_decided_before_the_search() {
    let graph = Graph::path(3).falsifies("L");
    let report = check(&graph, "INVARIANT Constants", &threads(1));
    assert_eq!(report.verdict.word(), "assumption");
    assert_eq!(report.generated, 0);
}

#[test]
fn a_model_without_states_to_explore_ends() {
    for workers in [1, 2, 8] {
        let none = check(&Graph::new([], []), "INVARIANT A", &threads(workers));
        assert_eq!(none.verdict, Verdict::Exhausted);
        let outside = Graph::new([0, 1], []).outside([0, 1]);
        let report = check(&outside, "CONSTRAINT Near", &threads(workers));
        assert_eq!((report.distinct, report.generated), (0, 2));
    }
}

#[test]
fn a_panic_of_the_model_is_an_error() {
    let graph = Graph::path(4).violates("A", [4]);
    for fault in [
        Fault::InitStates,
        Fault::Constant("Assumed"),
        Fault::Actions(2),
        Fault::NextState(2, 3),
        Fault::Predicate("B", 3),
        Fault::Predicate("Near", 3),
        // These two run only to tell a violation.
        Fault::ToTla(3),
        Fault::ActionParameters(3),
    ] {
        for workers in [1, 2, 8] {
            let graph = graph.clone().faulty(fault);
            let report = check(
                &graph,
                "INVARIANT Safety CONSTRAINT Near",
                &threads(workers),
            );
            let Verdict::Error { message, .. } = &report.verdict else {
                panic!("{fault:?}: {:?}", report.verdict);
            };
            assert!(message.contains(&format!("defect {fault:?}")), "{message}");
            assert!(report.trace.is_empty());
        }
    }
}

#[test]
fn a_panic_ends_the_search_soon() {
    let mut graph = Graph::path(2000).faulty(Fault::Predicate("A", 3));
    let far = Arc::new(AtomicBool::default());
    let seen = Arc::clone(&far);
    graph.on_expand = Some(Arc::new(move |node| {
        if node > 100 {
            seen.store(true, Ordering::Relaxed);
        }
    }));
    let report = check(&graph, "INVARIANT A", &threads(1));
    assert_eq!(report.verdict.word(), "error");
    assert!(!far.load(Ordering::Relaxed));
}

#[test]
fn a_model_that_changes_its_successors_is_an_error_and_no_crash() {
    let graph = Graph::path(4)
        .violates("A", [4])
        .faulty(Fault::Forgetful(1));
    assert_eq!(
        check(&graph, "INVARIANT A", &threads(1)).verdict.word(),
        "error"
    );
}

#[test]
fn a_request_to_stop_ends_it() {
    let progress = Arc::new(Progress::default());
    progress.stop();
    let model = Graph::path(100).configure("INVARIANT A");
    let report = model.check_with_stateright(&threads(1), &progress);
    assert_eq!(
        report.verdict,
        Verdict::Inconclusive(StopReason::Interrupted)
    );
    assert_eq!(report.distinct, 1);
}

#[test]
fn the_budget_of_time_ends_it() {
    let limit = Duration::from_millis(50);
    let mut graph = Graph::path(10_000);
    graph.on_expand = Some(Arc::new(|_| std::thread::sleep(Duration::from_millis(5))));
    let options = SearchOptions {
        max_time: Some(limit),
        ..threads(2)
    };
    let start = Instant::now();
    let report = check(&graph, "INVARIANT A", &options);
    assert_eq!(
        report.verdict,
        Verdict::Inconclusive(StopReason::Time(limit))
    );
    assert!(report.distinct < 5000);
    assert!(start.elapsed() < Duration::from_secs(30));
}

#[test]
fn the_budget_of_states_ends_it_and_is_told_as_it_was_given() {
    // stateright looks at its budget after each block of 1500 states.
    let options = SearchOptions {
        max_states: Some(100),
        ..threads(1)
    };
    let report = check(&Graph::path(10_000), "INVARIANT A", &options);
    assert_eq!(
        report.verdict,
        Verdict::Inconclusive(StopReason::States(100))
    );
    assert!((100..5000).contains(&report.distinct));
}

#[test]
fn a_violation_that_was_found_before_a_stop_is_told() {
    let progress = Arc::new(Progress::default());
    let cell: Arc<OnceLock<Arc<Progress>>> = Arc::default();
    let inside = Arc::clone(&cell);
    let mut graph = Graph::new([0], [(0, 1), (0, 2)]).violates("A", [1]);
    graph.on_expand = Some(Arc::new(move |node| {
        if node == 1 {
            inside.get().unwrap().stop();
        }
    }));
    cell.set(Arc::clone(&progress)).unwrap();
    let report = graph
        .configure("INVARIANT A")
        .check_with_stateright(&threads(1), &progress);
    assert!(progress.is_stopped());
    assert_eq!(report.verdict.property(), Some("A"));
    assert_eq!(nodes(&report), [0, 1]);
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn it_agrees_with_the_reference_on_random_graphs(graph in random::graph(), asked in random::asked()) {
        let report = check(&graph, &asked.cfg(), &threads(1));
        let expected = explore(&graph, &asked);
        match &report.verdict {
            Verdict::Exhausted | Verdict::Inconclusive(StopReason::Unchecked(_)) => {
                if report.verdict == Verdict::Exhausted || expected.verdict == Verdict::Exhausted {
                    prop_assert_eq!(expected.verdict, Verdict::Exhausted);
                    prop_assert_eq!(report.distinct, expected.distinct);
                    prop_assert_eq!(report.generated, expected.generated);
                    prop_assert_eq!(report.outside, expected.outside);
                }
            }
            Verdict::Assumption { .. } => prop_assert_eq!(&report.verdict, &expected.verdict),
            // It may find another violation, for it checks less, but no violation that is none.
            Verdict::Violated { .. } => {
                prop_assert_eq!(expected.verdict.word(), "violated");
                prop_assert!(report.trace.len() >= expected.trace.len());
                prop_assert_eq!(summary(&report).trace.len(), report.trace.len());
            }
            other => prop_assert!(false, "{:?}", other),
        }
    }
}
