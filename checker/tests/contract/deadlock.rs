//! A state without any successor, where that is asked for.

use plumb_checker::{PropertyKind, SearchOptions, Verdict};

use crate::graph::{Graph, threads};
use crate::summary::nodes;

#[test]
fn it_is_reported_only_when_the_cfg_or_the_options_ask() {
    let asking = SearchOptions {
        deadlock: true,
        ..threads(1)
    };
    for (cfg, options, found) in [
        ("", threads(1), false),
        ("CHECK_DEADLOCK FALSE", threads(1), false),
        ("CHECK_DEADLOCK TRUE", threads(1), true),
        ("", asking.clone(), true),
        ("CHECK_DEADLOCK FALSE", asking.clone(), true),
        ("CHECK_DEADLOCK TRUE", asking, true),
    ] {
        let report = Graph::path(2).check_with(cfg, &options);
        let expected = if found {
            Verdict::Violated {
                property: "Deadlock".to_owned(),
                kind: PropertyKind::Deadlock,
                conjunct: None,
            }
        } else {
            Verdict::Exhausted
        };
        assert_eq!(report.verdict, expected, "{cfg}");
        assert_eq!(nodes(&report), if found { vec![0, 1, 2] } else { vec![] });
    }
}

#[test]
fn a_self_loop_or_a_step_to_a_known_state_is_a_successor() {
    let graph = Graph::new([0], [(0, 1), (1, 1), (0, 2), (2, 0)]);
    assert_eq!(
        graph.check("CHECK_DEADLOCK TRUE").verdict,
        Verdict::Exhausted
    );
}

#[test]
fn a_successor_that_the_constraint_cuts_prevents_it() {
    let graph = Graph::path(2).outside([2]);
    let report = graph.check("CHECK_DEADLOCK TRUE CONSTRAINT Near");
    assert_eq!(report.verdict, Verdict::Exhausted);
}

#[test]
fn a_state_outside_the_constraint_is_not_expanded_and_so_in_none() {
    let graph = Graph::new([0], [(0, 1), (1, 0)]).outside([1]);
    let report = graph.check("CHECK_DEADLOCK TRUE CONSTRAINT Near");
    assert_eq!(report.verdict, Verdict::Exhausted);
}

#[test]
fn of_two_the_shorter_wins_and_of_equals_the_least() {
    let graph = Graph::new([0], [(0, 5), (0, 4), (0, 1), (1, 2)]);
    assert_eq!(nodes(&graph.check("CHECK_DEADLOCK TRUE")), [0, 4]);
}

#[test]
fn an_initial_state_can_be_in_one() {
    assert_eq!(
        nodes(&Graph::new([3, 2], [(2, 3)]).check("CHECK_DEADLOCK TRUE")),
        [3]
    );
}

#[test]
fn it_is_shorter_than_a_violation_that_the_same_level_leads_to() {
    let graph = Graph::new([0], [(0, 1), (0, 2), (1, 3)]).violates("A", [3]);
    let report = graph.check("INVARIANT A CHECK_DEADLOCK TRUE");
    assert_eq!(report.verdict.property(), Some("Deadlock"));
    assert_eq!(nodes(&report), [0, 2]);
    assert_eq!(
        report.distinct, 4,
        "the expansion of the level is completed"
    );

    let graph = graph.forbids("P", [(1, 3)]);
    assert_eq!(
        graph
            .check("PROPERTY P CHECK_DEADLOCK TRUE")
            .verdict
            .property(),
        Some("Deadlock")
    );
}

#[test]
fn it_comes_after_an_invariant_that_the_same_state_violates() {
    // The invariant is checked when the state is found, the deadlock when it is expanded.
    let graph = Graph::path(1).violates("A", [1]);
    let report = graph.check("CHECK_DEADLOCK TRUE INVARIANT A");
    assert_eq!(report.verdict.property(), Some("A"));
}
