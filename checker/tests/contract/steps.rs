//! Step properties are checked on every transition that changes the state.

use plumb_checker::{PropertyKind, Verdict};

use crate::graph::Graph;
use crate::summary::nodes;

fn violated(property: &str) -> Verdict {
    Verdict::Violated {
        property: property.to_owned(),
        kind: PropertyKind::Step,
        conjunct: None,
    }
}

#[test]
fn a_step_into_a_new_state_is_checked() {
    let report = Graph::path(3).forbids("P", [(1, 2)]).check("PROPERTY P");
    assert_eq!(report.verdict, violated("P"));
    assert_eq!(
        nodes(&report),
        [0, 1, 2],
        "the trace ends with the forbidden step"
    );
    assert_eq!(
        report.trace[2].action.as_ref().unwrap().to_string(),
        "Red(0)"
    );
}

#[test]
fn a_step_into_a_known_state_is_checked() {
    let graph = Graph::path(3)
        .steps("Green", [(3, 0)])
        .forbids("P", [(3, 0)]);
    let report = graph.check("PROPERTY P");
    assert_eq!(nodes(&report), [0, 1, 2, 3, 0]);
    assert_eq!(report.trace[4].action.as_ref().unwrap().name, "Green");
    assert_eq!((report.distinct, report.queue), (4, 0));
}

#[test]
fn a_step_within_a_level_is_checked() {
    let graph = Graph::new([0], [(0, 1), (0, 2), (2, 1)]).forbids("P", [(2, 1)]);
    assert_eq!(nodes(&graph.check("PROPERTY P")), [0, 2, 1]);
}

#[test]
fn a_step_between_initial_states_is_checked() {
    let graph = Graph::new([0, 1], [(1, 0)]).forbids("P", [(1, 0)]);
    assert_eq!(nodes(&graph.check("PROPERTY P")), [1, 0]);
}

#[test]
fn a_step_out_of_the_constraint_is_checked_each_time() {
    let graph = Graph::path(3).outside([2]).forbids("P", [(1, 2)]);
    let report = graph.check("PROPERTY P CONSTRAINT Near");
    assert_eq!(nodes(&report), [0, 1, 2]);
    assert_eq!(report.distinct, 2);

    // The state outside was met before, by an allowed step.
    let graph = Graph::new([0], [(0, 9), (0, 1), (1, 9)]).outside([9]);
    let report = graph
        .forbids("P", [(1, 9)])
        .check("PROPERTY P CONSTRAINT Near");
    assert_eq!(nodes(&report), [0, 1, 9]);
}

#[test]
fn a_step_from_outside_the_constraint_is_never_taken() {
    let graph = Graph::path(3).outside([1]).forbids("P", [(1, 2)]);
    let report = graph.check("PROPERTY P CONSTRAINT Near");
    assert_eq!(report.verdict, Verdict::Exhausted);
}

#[test]
fn a_step_that_changes_nothing_is_exempt() {
    let graph = Graph::new([0], [(0, 0), (0, 1), (1, 1)]).forbids("P", [(0, 0), (1, 1)]);
    let report = graph.check("PROPERTY P");
    assert_eq!(report.verdict, Verdict::Exhausted);
    assert_eq!(report.generated, 4);
}

#[test]
fn a_trace_to_a_step_is_as_short_as_can_be_to_the_state_it_leaves() {
    let graph = Graph::new([0], [(0, 1), (1, 2), (2, 3), (0, 3), (3, 1)]);
    let report = graph.forbids("P", [(3, 1)]).check("PROPERTY P");
    assert_eq!(nodes(&report), [0, 3, 1]);
}

#[test]
fn of_forbidden_steps_into_one_state_the_one_from_the_least_state_is_told() {
    let graph = Graph::new([0], [(0, 3), (0, 2), (0, 1), (3, 9), (2, 9), (1, 9)]);
    let report = graph.forbids("P", [(3, 9), (2, 9)]).check("PROPERTY P");
    assert_eq!(nodes(&report), [0, 2, 9], "the step from 1 to 9 is allowed");
}

#[test]
fn of_forbidden_steps_the_one_into_the_least_state_is_told() {
    let graph = Graph::new([0], [(0, 1), (0, 2), (1, 9), (2, 8)]);
    let report = graph.forbids("P", [(1, 9), (2, 8)]).check("PROPERTY P");
    assert_eq!(nodes(&report), [0, 2, 8]);
}

#[test]
fn each_step_property_of_the_cfg_is_checked_and_no_other() {
    let graph = Graph::path(4).forbids("P", [(2, 3)]).forbids("Q", [(1, 2)]);
    for (cfg, property, length) in [
        ("PROPERTY P", "P", 4),
        ("PROPERTY Q", "Q", 3),
        ("PROPERTY P Q", "Q", 3),
        ("PROPERTIES Q P", "Q", 3),
    ] {
        let report = graph.check(cfg);
        assert_eq!(report.verdict, violated(property), "{cfg}");
        assert_eq!(report.trace.len(), length, "{cfg}");
    }
    assert_eq!(graph.check("INVARIANT A").verdict, Verdict::Exhausted);
}

#[test]
fn one_step_that_violates_two_properties_is_told_for_the_first_of_the_cfg() {
    let graph = Graph::path(2).forbids("P", [(0, 1)]).forbids("Q", [(0, 1)]);
    assert_eq!(graph.check("PROPERTY Q P").verdict, violated("Q"));
    assert_eq!(graph.check("PROPERTY P Q").verdict, violated("P"));
}
