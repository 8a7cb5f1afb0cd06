//! A state outside the constraint is generated and checked, then dropped.

use plumb_checker::Verdict;

use crate::graph::{Graph, threads};
use crate::summary::nodes;

#[test]
fn a_successor_outside_is_generated_but_not_counted_stored_or_expanded() {
    let report = Graph::path(4).outside([2]).check("CONSTRAINT Near");
    assert_eq!(report.verdict, Verdict::Exhausted);
    assert_eq!(
        (report.generated, report.distinct, report.outside),
        (3, 2, 1)
    );
    assert_eq!(report.levels, [1, 1]);
    assert_eq!(
        report.actions[0],
        ("Red", 2),
        "the step out of the constraint is a step"
    );
}

#[test]
fn an_initial_state_outside_is_generated_but_not_counted_stored_or_expanded() {
    let graph = Graph::new([0, 5, 5], [(0, 1), (5, 6)]).outside([5]);
    let report = graph.check("CONSTRAINT Near");
    assert_eq!(
        (report.generated, report.distinct, report.outside),
        (4, 2, 2)
    );
    assert_eq!(report.levels, [1, 1]);
}

#[test]
fn when_all_initial_states_are_outside_nothing_is_explored() {
    let graph = Graph::new([0, 1], [(0, 2)]).outside([0, 1]);
    let report = graph.check("CONSTRAINT Near CHECK_DEADLOCK TRUE");
    assert_eq!(report.verdict, Verdict::Exhausted);
    assert_eq!(
        (report.generated, report.distinct, report.outside),
        (2, 0, 2)
    );
    assert_eq!(report.depth(), 0);
}

#[test]
fn a_violation_in_a_successor_outside_is_found() {
    let graph = Graph::path(4).outside([2]).violates("A", [2]);
    let report = graph.check("INVARIANT A CONSTRAINT Near");
    assert_eq!(report.verdict.property(), Some("A"));
    assert_eq!(nodes(&report), [0, 1, 2]);
    assert_eq!((report.distinct, report.outside, report.queue), (2, 1, 0));
}

#[test]
fn a_violation_in_an_initial_state_outside_is_found() {
    let graph = Graph::new([0, 1], []).outside([1]).violates("A", [1]);
    let report = graph.check("INVARIANT A CONSTRAINT Near");
    assert_eq!(nodes(&report), [1]);
    assert_eq!((report.distinct, report.queue), (1, 1));

    let alone = Graph::new([1], []).outside([1]).violates("A", [1]);
    let report = alone.check("INVARIANT A CONSTRAINT Near");
    assert_eq!(nodes(&report), [1]);
    assert_eq!((report.distinct, report.depth()), (0, 0));
}

#[test]
fn a_state_outside_is_counted_each_time_it_is_met() {
    let graph = Graph::new([0, 9], [(0, 9), (0, 9), (0, 1), (1, 9), (9, 0)]).outside([9]);
    let report = graph.check("CONSTRAINT Near INVARIANT A");
    assert_eq!((report.generated, report.outside), (6, 4));
    assert_eq!(report.levels, [1, 1]);
}

#[test]
fn a_state_beyond_one_outside_is_reached_only_around_it() {
    let cut = Graph::new([0], [(0, 1), (1, 2)])
        .outside([1])
        .violates("A", [2]);
    assert_eq!(
        cut.check("INVARIANT A CONSTRAINT Near").verdict,
        Verdict::Exhausted
    );
    let around = cut.steps("Green", [(0, 3), (3, 4), (4, 2)]);
    assert_eq!(
        nodes(&around.check("INVARIANT A CONSTRAINT Near")),
        [0, 3, 4, 2]
    );
}

#[test]
fn without_the_cfg_asking_for_it_there_is_no_constraint() {
    let report = Graph::path(4).outside([2]).check("");
    assert_eq!((report.distinct, report.outside), (5, 0));
}

#[test]
fn a_state_is_inside_if_it_is_inside_every_constraint() {
    let graph = Graph::new([0], [(0, 1), (0, 2), (0, 3), (0, 4)]);
    let graph = graph.violates("Near", [1, 3]).violates("Close", [2, 3]);
    for (cfg, distinct) in [
        ("CONSTRAINT Near", 3),
        ("CONSTRAINT Close", 3),
        ("CONSTRAINT Near Close", 2),
        ("CONSTRAINT Close CONSTRAINT Near", 2),
        ("CONSTRAINT Near Near", 3),
    ] {
        let report = graph.check(cfg);
        assert_eq!(report.distinct, distinct, "{cfg}");
        assert_eq!(report.outside, 5 - distinct, "{cfg}");
    }
}

#[test]
fn a_level_that_lies_outside_altogether_ends_the_search() {
    let graph = Graph::new(
        [0],
        (1..500).flat_map(|node| [(0, node), (node, 1000 + node)]),
    );
    let graph = graph.outside(1001..1500);
    for workers in [1, 2, 8] {
        let report = graph.check_with("CONSTRAINT Near", &threads(workers));
        assert_eq!(report.verdict, Verdict::Exhausted);
        assert_eq!(report.levels, [1, 499]);
        assert_eq!(report.outside, 499);
    }
}
