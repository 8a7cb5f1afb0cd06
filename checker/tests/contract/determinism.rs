//! Nothing of a report depends on the number of threads, or on what they do at the same time.

use plumb_checker::Progress;

use crate::graph::{Graph, Node, threads};
use crate::reference::{Asked, explore};
use crate::summary::{Summary, summary};
use crate::wide::{Numbers, start, wide};

/// The report for each number of threads, all the same, and each repeated since timing varies.
fn unanimous(graph: &Graph, cfg: &str) -> Summary {
    let model = graph.configure(cfg);
    let check = |workers| summary(&model.check(&threads(workers), &Progress::default()));
    let expected = check(1);
    for workers in [1, 2, 8, 2, 8, 8] {
        let found = check(workers);
        assert_eq!(found, expected, "{workers} threads, {cfg}");
    }
    expected
}

#[test]
fn counts_are_the_same_under_any_number_of_threads() {
    let found = unanimous(
        &wide(4, 1).outside(start(4)..start(4) + 500),
        "CONSTRAINT Near",
    );
    assert!(
        found.levels[1..4].iter().all(|size| *size > 2000),
        "{:?}",
        found.levels
    );
    assert!(found.outside > 500);
}

#[test]
fn of_many_violations_the_same_one_is_told_under_any_number_of_threads() {
    let mut numbers = Numbers(2);
    let mut graph = wide(4, 3);
    let mut some = |count: usize, level: Node| -> Vec<Node> {
        let states = (0..count).map(|_| numbers.node(start(level), 3000));
        states.collect()
    };
    graph = graph.violates("A", some(300, 4));
    graph = graph.violates("B", some(1000, 4));
    graph = graph.outside(some(1500, 4));
    let steps: Vec<_> = graph
        .edges
        .iter()
        .map(|(from, _, to)| (*from, *to))
        .collect();
    let into_last = |(from, to): &(Node, Node)| *from >= start(3) && *to >= start(4);
    let forbidden: Vec<_> = steps.into_iter().filter(into_last).step_by(7).collect();
    graph = graph.forbids("P", forbidden);
    for (cfg, property) in [
        ("INVARIANT A B PROPERTY P", "A"),
        ("INVARIANT B PROPERTY P INVARIANT A", "B"),
        ("PROPERTY P INVARIANT B A", "P"),
        ("INVARIANT Safety CONSTRAINT Near", "Safety"),
        ("PROPERTY P CONSTRAINT Near", "P"),
    ] {
        let found = unanimous(&graph, cfg);
        assert_eq!(found.verdict.property(), Some(property), "{cfg}");
        assert_eq!(found.trace.len(), 4, "{cfg}");
    }
}

#[test]
fn of_many_deadlocks_the_same_one_is_told_under_any_number_of_threads() {
    let mut graph = wide(3, 5);
    graph
        .edges
        .retain(|(from, _, _)| *from < start(3) || from % 3 > 0);
    let found = unanimous(&graph, "CHECK_DEADLOCK TRUE INVARIANT A");
    assert_eq!(found.verdict.property(), Some("Deadlock"));
    assert_eq!(found.trace.len(), 3);
}

#[test]
fn a_wide_search_is_the_references_too() {
    let graph = wide(3, 7)
        .violates("B", [start(3) + 40, start(3) + 1700])
        .outside([1, 2, 3]);
    let asked = Asked {
        properties: vec!["A", "Safety", "P"],
        constraints: vec!["Near"],
        ..Asked::default()
    };
    let expected = explore(&graph, &asked);
    assert_eq!(expected.verdict.property(), Some("Safety"));
    assert_eq!(unanimous(&graph, &asked.cfg()), expected);
}
