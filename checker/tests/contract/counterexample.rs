//! Which violation is told, and by which trace.

use plumb_checker::Verdict;

use crate::graph::{Graph, threads};
use crate::summary::{nodes, summary};

#[test]
fn an_initial_state_can_violate() {
    let report = Graph::path(3).violates("A", [0]).check("INVARIANT A");
    assert_eq!(nodes(&report), [0]);
    assert_eq!(report.trace[0].action, None);
    assert_eq!((report.generated, report.distinct, report.queue), (1, 1, 1));
}

#[test]
fn it_is_shortest() {
    let graph = Graph::new([0], [(0, 1), (1, 2), (2, 3), (3, 9), (0, 5), (5, 9)]);
    assert_eq!(
        nodes(&graph.violates("A", [9]).check("INVARIANT A")),
        [0, 5, 9]
    );
}

#[test]
fn it_may_begin_in_any_initial_state() {
    let graph = Graph::new([4, 3, 2], [(4, 5), (2, 6), (6, 7), (3, 5), (5, 7)]);
    assert_eq!(
        nodes(&graph.clone().violates("A", [7]).check("INVARIANT A")),
        [3, 5, 7]
    );
    assert_eq!(
        nodes(&graph.violates("A", [5]).check("INVARIANT A")),
        [3, 5]
    );
}

#[test]
fn a_conjunction_names_the_first_conjunct_that_is_false() {
    for (cfg, false_ones, conjunct) in [
        ("INVARIANT Safety", vec!["A"], "A"),
        ("INVARIANT Safety", vec!["B"], "B"),
        ("INVARIANT Safety", vec!["B", "A"], "A"),
        ("INVARIANT Nested", vec!["A", "B"], "A"),
        ("INVARIANT Nested", vec!["A", "B", "C"], "C"),
        ("INVARIANT Nested", vec!["B"], "B"),
        ("INVARIANT Mixed", vec!["A"], "A"),
    ] {
        let mut graph = Graph::path(2);
        for name in &false_ones {
            graph = graph.violates(name, [1]);
        }
        let report = graph.check(cfg);
        assert_eq!(
            report.verdict.conjunct(),
            Some(conjunct),
            "{cfg}, {false_ones:?}"
        );
        assert_eq!(report.verdict.property(), cfg.strip_prefix("INVARIANT "));
    }
    let alone = Graph::path(2).violates("A", [1]).check("INVARIANT A");
    assert_eq!(alone.verdict.conjunct(), None);
}

#[test]
fn within_a_level_the_order_of_the_cfg_decides_between_properties() {
    // The second level violates everything: A in 1, B in 2, and P on the step to 3.
    let graph = Graph::new([0], [(0, 1), (0, 2), (0, 3)])
        .violates("A", [1])
        .violates("B", [2])
        .forbids("P", [(0, 3)]);
    for (cfg, property, last) in [
        ("INVARIANT A B PROPERTY P", "A", 1),
        ("INVARIANT B A PROPERTY P", "B", 2),
        ("PROPERTY P INVARIANT A B", "P", 3),
        ("INVARIANT B PROPERTY P INVARIANT A", "B", 2),
        ("PROPERTY Q INVARIANT C PROPERTY P INVARIANT A", "P", 3),
        ("INVARIANT C PROPERTY P", "P", 3),
    ] {
        let report = graph.check(cfg);
        assert_eq!(report.verdict.property(), Some(property), "{cfg}");
        assert_eq!(nodes(&report), [0, last], "{cfg}");
    }
}

#[test]
fn one_state_that_violates_two_invariants_is_told_for_the_first_of_the_cfg() {
    let graph = Graph::path(1).violates("A", [1]).violates("B", [1]);
    assert_eq!(graph.check("INVARIANT B A").verdict.property(), Some("B"));
    assert_eq!(graph.check("INVARIANT A B").verdict.property(), Some("A"));
}

#[test]
fn an_earlier_level_wins_whatever_the_order_of_the_cfg() {
    let graph = Graph::path(3).violates("A", [2]).violates("B", [1]);
    assert_eq!(graph.check("INVARIANT A B").verdict.property(), Some("B"));
}

#[test]
fn of_violations_of_one_property_the_state_of_the_least_bytes_wins() {
    let graph = Graph::new([0], [(0, 1), (0, 2), (0, 3)])
        .violates("A", [1, 2, 3])
        .encoded(1, b"b")
        .encoded(2, b"ab")
        .encoded(3, b"abc");
    assert_eq!(nodes(&graph.check("INVARIANT A")), [0, 2]);
    assert_eq!(nodes(&graph.encoded(1, b"").check("INVARIANT A")), [0, 1]);
}

#[test]
fn the_trace_takes_the_least_predecessor_at_each_level() {
    let graph = Graph::new(
        [2, 1],
        [
            (1, 12),
            (2, 11),
            (2, 12),
            (11, 22),
            (12, 22),
            (12, 21),
            (21, 30),
            (22, 30),
        ],
    );
    // 21 before 22; only 12 leads to 21; 1 before 2.
    assert_eq!(
        nodes(&graph.violates("A", [30]).check("INVARIANT A")),
        [1, 12, 21, 30]
    );
}

#[test]
fn a_predecessor_in_a_level_further_back_does_not_count() {
    // 0 leads to 3 too, by the longer way around: only the level before is searched.
    let graph = Graph::new([5], [(5, 4), (4, 3), (3, 2), (2, 0), (0, 3)]);
    assert_eq!(
        nodes(&graph.violates("A", [2]).check("INVARIANT A")),
        [5, 4, 3, 2]
    );
}

#[test]
fn a_step_is_labelled_with_the_first_action_that_makes_it() {
    let graph = Graph::new([0], [(0, 2)])
        .steps("Green", [(0, 1)])
        .steps("Red", [(0, 1)]);
    let report = graph.violates("A", [1]).check("INVARIANT A");
    let label = report.trace[1].action.as_ref().unwrap();
    assert_eq!(label.to_string(), "Green(1)");
}

#[test]
fn the_level_of_the_first_violation_is_completed() {
    let mut graph = Graph::new([0], (1..=300).map(|node| (0, node)));
    graph = graph.steps("Red", (1..=300).map(|node| (node, 1000 + node)));
    graph = graph.steps("Green", (1001..=1300).map(|node| (node, 0)));
    graph = graph.violates("A", [1001]);
    for workers in [1, 2, 8] {
        let report = graph.check_with("INVARIANT A", &threads(workers));
        assert_eq!(report.levels, [1, 300, 300], "{workers} threads");
        assert_eq!((report.generated, report.queue), (601, 300));
        assert_eq!(
            report.actions[1],
            ("Green", 0),
            "and the next one is not begun"
        );
        assert_eq!(nodes(&report), [0, 1, 1001]);
    }
}

#[test]
fn states_reported_in_a_trace_are_the_models() {
    let model = Graph::path(2).violates("A", [2]).configure("INVARIANT A");
    let report = model.check(&threads(1), &plumb_checker::Progress::default());
    for pair in report.trace.windows(2) {
        let source = model.parse(&pair[0].state).unwrap();
        let target = model.parse(&pair[1].state).unwrap();
        let ways = model.successors(&source).unwrap();
        let taken = ways.iter().find(|way| way.state == target).unwrap();
        assert_eq!(Some(&taken.action), pair[1].action.as_ref());
    }
}

#[test]
fn the_same_check_gives_the_same_report_again() {
    let graph = Graph::path(5).violates("A", [4]);
    let model = graph.configure("INVARIANT A");
    let progress = plumb_checker::Progress::default();
    let first = model.check(&threads(1), &progress);
    let second = model.check(&threads(1), &progress);
    assert_eq!(summary(&first), summary(&second));
    assert_eq!(first.verdict.word(), "violated");
    assert_ne!(first.verdict, Verdict::Exhausted);
}
