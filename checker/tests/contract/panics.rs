//! Defects of a model's own code: the verdict is an error, with the state and the message.

use plumb_checker::{Progress, Report, Verdict};

use crate::graph::{Fault, Graph, Node, threads};
use crate::summary::{node, summary};
use crate::wide::{start, wide};

fn error(report: &Report) -> (&str, Option<Node>) {
    match &report.verdict {
        Verdict::Error { message, state } => {
            // Where the panic was, which is the same line for all of them.
            let place = message.rfind(" (checker").unwrap_or(message.len());
            (&message[..place], state.as_ref().map(node))
        }
        other => panic!("expected an error, found {other:?}"),
    }
}

const EVERYTHING: &str = "INVARIANT A Safety PROPERTY P CONSTRAINT Near CHECK_DEADLOCK TRUE";

#[test]
fn a_panic_is_told_with_the_state_that_was_expanded_or_checked() {
    let graph = Graph::path(4).steps("Green", [(4, 0)]);
    for (fault, state, distinct) in [
        (Fault::InitStates, None, 0),
        (Fault::Constant("Assumed"), None, 0),
        (Fault::Actions(2), Some(2), 3),
        (Fault::NextState(2, 3), Some(2), 3),
        (Fault::ActionIndex(3), Some(2), 3),
        // A state is stored before its invariants are checked, and found by its constraint.
        (Fault::Predicate("A", 3), Some(3), 4),
        (Fault::Predicate("B", 3), Some(3), 4),
        (Fault::Predicate("Near", 3), Some(3), 3),
        (Fault::Predicate("A", 0), Some(0), 1),
        (Fault::Predicate("Near", 0), Some(0), 0),
        // A step property is told with the state that the step leaves.
        (Fault::Step("P", 2, 3), Some(2), 4),
        (Fault::Step("P", 4, 0), Some(4), 5),
        // What cannot be encoded is told with the state that leads to it, if one does.
        (Fault::Encode(3), Some(2), 3),
        (Fault::Encode(0), None, 0),
        // What cannot be decoded cannot be shown.
        (Fault::Decode(3), None, 4),
    ] {
        let report = graph.clone().faulty(fault).check(EVERYTHING);
        let (message, found) = error(&report);
        assert_eq!(message, format!("the model panicked: defect {fault:?}"));
        assert_eq!(found, state, "{fault:?}");
        assert_eq!(report.distinct, distinct, "{fault:?}");
        assert!(report.trace.is_empty());
    }
}

#[test]
fn code_that_a_cfg_does_not_ask_for_is_not_run() {
    for fault in [
        Fault::Predicate("A", 1),
        Fault::Predicate("Near", 1),
        Fault::Step("P", 0, 1),
        Fault::Constant("K"),
        Fault::ToTla(1),
        Fault::ActionParameters(1),
    ] {
        let report = Graph::path(2).faulty(fault).check("INVARIANT C");
        assert_eq!(report.verdict, Verdict::Exhausted, "{fault:?}");
    }
}

#[test]
fn a_step_that_changes_nothing_is_not_handed_to_a_step_property() {
    let graph = Graph::new([0], [(0, 0)]).faulty(Fault::Step("P", 0, 0));
    assert_eq!(graph.check("PROPERTY P").verdict, Verdict::Exhausted);
}

#[test]
fn bytes_that_the_model_does_not_take_back_are_an_error() {
    let graph = Graph::path(4);
    for (fault, message) in [
        (
            Fault::Undecodable(2),
            "the model cannot decode a state that it encoded",
        ),
        (
            Fault::Misread(2, 0),
            "the model decodes a state as another one than it encoded",
        ),
    ] {
        // Decoding matters where the state is expanded, and not before.
        for (cfg, distinct) in [("", 3), ("INVARIANT A", 3)] {
            let report = graph.clone().faulty(fault).check(cfg);
            assert_eq!(error(&report).0, message);
            assert_eq!(report.distinct, distinct);
        }
    }
}

#[test]
fn a_panic_where_actions_are_listed_is_an_error() {
    let report = Graph::path(2).faulty(Fault::HasAction).check("");
    assert_eq!(
        error(&report),
        ("the model panicked: defect HasAction", None)
    );
}

#[test]
fn a_violation_whose_trace_cannot_be_shown_is_an_error_that_names_the_property() {
    let graph = Graph::path(4).violates("A", [3]);
    for (fault, why, state) in [
        (
            Fault::Undecodable(3),
            "the model cannot decode a state that it encoded",
            None,
        ),
        (
            Fault::Decode(3),
            "the model panicked: defect Decode(3)",
            None,
        ),
        (Fault::ToTla(3), "the model panicked: defect ToTla(3)", None),
        (
            Fault::ToTla(1),
            "the model panicked: defect ToTla(1)",
            Some(3),
        ),
        (
            Fault::ActionParameters(2),
            "the model panicked: defect ActionParameters(2)",
            Some(3),
        ),
        (
            Fault::Forgetful(1),
            "the model gives a state other successors than it gave it before",
            Some(3),
        ),
    ] {
        let report = graph.clone().faulty(fault).check("INVARIANT A");
        let message = format!("A is violated, but it cannot be shown: {why}");
        assert_eq!(error(&report), (message.as_str(), state), "{fault:?}");
        assert!(
            report.trace.is_empty(),
            "no trace that stops short, or begins midway"
        );
    }
}

#[test]
fn an_initial_state_that_cannot_be_decoded_is_not_a_violation_without_a_trace() {
    let graph = Graph::path(2)
        .violates("A", [0])
        .faulty(Fault::Undecodable(0));
    assert_eq!(graph.check("INVARIANT A").verdict.word(), "error");
}

#[test]
fn an_error_wins_over_a_violation_of_the_same_level_and_not_of_an_earlier_one() {
    let graph = Graph::new([0], [(0, 1), (0, 2), (2, 3)]).violates("A", [1]);
    let same = graph.clone().faulty(Fault::Predicate("A", 2));
    assert_eq!(error(&same.check("INVARIANT A")).1, Some(2));
    let later = graph.faulty(Fault::Actions(2));
    assert_eq!(later.check("INVARIANT A").verdict.property(), Some("A"));
}

#[test]
fn an_error_ends_the_search_when_its_level_is_completed() {
    let mut graph = Graph::new([0], [(0, 1), (0, 2), (0, 3), (0, 4), (3, 5)]);
    graph = graph.faulty(Fault::Predicate("A", 2));
    let report = graph.check("INVARIANT A");
    assert_eq!((report.generated, report.distinct, report.queue), (5, 5, 4));
    assert_eq!(report.levels, [1, 4]);
}

#[test]
fn of_many_panics_the_same_one_is_told_under_any_number_of_threads() {
    let nodes = start(4)..start(4) + 2900;
    let mut faults: Vec<Vec<Fault>> = vec![
        nodes
            .clone()
            .map(|node| Fault::Predicate("A", node))
            .collect(),
        nodes
            .clone()
            .map(|node| Fault::Predicate("Near", node))
            .collect(),
        nodes.clone().map(Fault::Encode).collect(),
        nodes.clone().map(Fault::ActionIndex).collect(),
        nodes.clone().map(Fault::Actions).collect(),
        nodes.clone().map(Fault::Undecodable).collect(),
    ];
    let edges = wide(4, 17).edges;
    let between = edges.iter().filter(|(from, _, to)| {
        (start(3)..start(4)).contains(from) && nodes.contains(to) && to % 3 == 0
    });
    let between: Vec<_> = between.map(|(from, _, to)| (*from, *to)).collect();
    faults.push(
        between
            .iter()
            .map(|(from, to)| Fault::Step("P", *from, *to))
            .collect(),
    );
    faults.push(
        between
            .iter()
            .map(|(from, to)| Fault::NextState(*from, *to))
            .collect(),
    );
    faults.push(faults.iter().flatten().copied().step_by(5).collect());
    for faults in faults {
        assert!(faults.len() > 500);
        let mut graph = wide(4, 17);
        graph.faults.clone_from(&faults);
        let cfg = "INVARIANT A PROPERTY P CONSTRAINT Near";
        let model = graph.configure(cfg);
        let check = |workers| summary(&model.check(&threads(workers), &Progress::default()));
        let expected = check(1);
        assert_eq!(expected.verdict.word(), "error");
        for workers in [2, 8, 8, 8] {
            let found = check(workers);
            assert_eq!(found, expected, "{workers} threads, {:?}", faults[0]);
        }
    }
}
