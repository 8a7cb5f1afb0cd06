//! Whole graphs of the real TLC: equal ones, and one for every way of being different.

use plumb_replay::graph::{Difference, DifferenceKind, GraphComparison, Side, Sides};
use plumb_replay::{CompareOptions, Comparison, compare};

use crate::gauge::{cfg, gauge};
use crate::turn;

fn compared(defect: &str) -> Comparison {
    let (model, sources) = gauge(&cfg(4, defect, ""));
    let options = CompareOptions {
        graph: true,
        ..CompareOptions::default()
    };
    compare(&model, &sources, &options).unwrap()
}

fn graph(defect: &str) -> GraphComparison {
    let found = compared(defect);
    assert!(!found.agrees(), "{found:#?}");
    assert_eq!(found.row("graph").unwrap().agree.word(), "different");
    found.graph.unwrap()
}

/// The path and the step of a difference, as actions and levels.
fn way(found: &Difference) -> String {
    let steps = found
        .path
        .iter()
        .chain(found.step.as_ref().map(|step| &step.step));
    let steps = steps.map(|step| {
        let level = step.state.tla.lines().next().unwrap();
        let level = level.trim_start_matches("/\\ level = ");
        let action = step.label.as_ref().or(step.action.as_ref());
        action.map_or_else(|| level.to_owned(), |action| format!("{action} {level}"))
    });
    steps.collect::<Vec<_>>().join(", ")
}

fn variables(found: &Difference) -> &[String] {
    let step = found.step.as_ref().unwrap();
    &step.nearest.as_ref().unwrap().variables
}

#[test]
fn the_right_model_has_the_graph_of_its_module() {
    let Some(_turn) = turn() else { return };
    let found = compared("none");
    assert!(found.agrees(), "{found:#?}");
    let graph = found.graph.unwrap();
    assert!(graph.is_equal());
    assert_eq!(graph.initial.both, 2);
    assert!(graph.outside.tlc > 0 && graph.outside.tlc == graph.outside.plumb);
    let names: Vec<_> = graph
        .actions
        .iter()
        .map(|action| action.action.as_str())
        .collect();
    assert_eq!(names, ["Rise", "Sink", "Drain", "Hold"]);
    let total: u64 = graph.actions.iter().map(|action| action.tlc).sum();
    assert!(total > graph.steps.both, "some steps are generated twice");
}

#[test]
fn a_missing_step_is_found() {
    let Some(_turn) = turn() else { return };
    let graph = graph("missing-step");
    let first = &graph.differences[0];
    assert_eq!(first.kind, DifferenceKind::Step { side: Side::Tlc });
    assert_eq!(way(first), "1, Sink 0");
    assert_eq!(first.step.as_ref().unwrap().nearest, None);
}

#[test]
fn an_extra_step_is_found() {
    let Some(_turn) = turn() else { return };
    let graph = graph("extra-step");
    let first = &graph.differences[0];
    assert_eq!(first.kind, DifferenceKind::Step { side: Side::Plumb });
    assert_eq!(way(first), "0, Drain 0");
    assert!(
        first.path[0]
            .state
            .rust
            .as_ref()
            .unwrap()
            .starts_with("Level {")
    );
}

#[test]
fn a_step_to_another_state_is_found_with_what_differs() {
    let Some(_turn) = turn() else { return };
    let graph = graph("other-target");
    let first = &graph.differences[0];
    // The mark that is set on the way up is not taken away on the way down.
    assert_eq!(first.kind, DifferenceKind::Step { side: Side::Tlc });
    assert_eq!(way(first), "1, Rise(1) 2, Sink 1, Sink 0");
    assert_eq!(variables(first), ["marks: added element 1"]);
}

#[test]
fn another_name_is_found() {
    let Some(_turn) = turn() else { return };
    let graph = graph("other-name");
    let first = &graph.differences[0];
    assert_eq!(first.kind, DifferenceKind::Step { side: Side::Tlc });
    assert_eq!(way(first), "0, Hold 0");
    assert!(variables(first).is_empty());
    let nearest = first.step.as_ref().unwrap().nearest.as_ref().unwrap();
    assert_eq!(nearest.step.label.as_deref(), Some("Wait"));
}

#[test]
fn another_multiplicity_is_found() {
    let Some(_turn) = turn() else { return };
    let graph = graph("other-multiplicity");
    assert_eq!(graph.differences.len(), 1, "{:#?}", graph.differences);
    let times = Sides { tlc: 2, plumb: 1 };
    assert_eq!(
        graph.differences[0].kind,
        DifferenceKind::Multiplicity { times }
    );
    assert_eq!(
        way(&graph.differences[0]),
        "0, Rise(2) 2, Rise(2) 4, Drain 0"
    );
}

#[test]
fn an_unreadable_state_is_found() {
    let Some(_turn) = turn() else { return };
    let graph = graph("unreadable");
    let DifferenceKind::Unreadable { reason } = &graph.differences[0].kind else {
        panic!("{:#?}", graph.differences);
    };
    assert_eq!(reason, "level: expected an integer that is not 2, found 2");
    assert_eq!(graph.differences[0].path.len(), 2);
    assert_eq!(graph.differences[0].path[1].state.rust, None);
}

#[test]
fn another_constraint_is_found() {
    let Some(_turn) = turn() else { return };
    let graph = graph("other-constraint");
    let first = &graph.differences[0];
    assert_eq!(first.kind, DifferenceKind::Step { side: Side::Plumb });
    assert!(way(first).ends_with(" 5"), "{}", way(first));
    assert_eq!(graph.states.tlc_only, 0);
    assert!(graph.outside.tlc != graph.outside.plumb);
}

#[test]
fn another_initial_state_is_found() {
    let Some(_turn) = turn() else { return };
    let graph = graph("other-initial");
    let first = &graph.differences[0];
    assert_eq!(first.kind, DifferenceKind::InitialState { side: Side::Tlc });
    assert_eq!(way(first), "1");
}

#[test]
fn two_runs_find_the_same() {
    let Some(_turn) = turn() else { return };
    let json = || serde_json::to_string_pretty(&graph("other-target")).unwrap();
    assert_eq!(json(), json());
}
