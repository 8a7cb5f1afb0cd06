//! Every kind of difference, on graphs of a few states that are written down as tables.

mod table;

use plumb_checker::ConfiguredModel as _;

use super::build::{Terms, explore, read};
use super::pair::{GraphPair, Step};
use super::*;
use table::{Row, Table};

fn terms(limit: u64) -> Terms<'static> {
    Terms {
        limit,
        observe: &|_| {},
        stop: &|| false,
    }
}

/// TLC's graph out of its dump against the model's own.
fn pair(tlc: &Table, model: &Table) -> GraphPair {
    let mut pair = GraphPair::new(model.actions());
    explore(&mut pair, model, &terms(100)).unwrap();
    read(&mut pair, model, tlc.dump().as_bytes(), &terms(100)).unwrap();
    let reached = |n: &u8| tlc.initial.contains(n) || tlc.steps.iter().any(|step| step.2 == *n);
    let expanded = |n: &u8| reached(n) && !tlc.outside.contains(n);
    let generated = tlc.steps.iter().filter(|step| expanded(&step.0)).count();
    pair.tlc.outside = (generated - pair.tlc.steps.len()) as u64;
    pair.finish();
    pair
}

fn compared(tlc: &Table, model: &Table) -> GraphComparison {
    compare_pair(model, &pair(tlc, model))
}

fn kinds(found: &GraphComparison) -> Vec<&DifferenceKind> {
    found.differences.iter().map(|found| &found.kind).collect()
}

/// The path and the step of a difference, as actions and states.
fn way(found: &Difference) -> Vec<String> {
    let steps = found
        .path
        .iter()
        .chain(found.step.as_ref().map(|step| &step.step));
    steps
        .map(|step| {
            let state = step.state.rust.clone();
            let state = state.unwrap_or_else(|| step.state.tla.replace('\n', " "));
            match (&step.action, &step.label) {
                (Some(action), None) => format!("{action} {state}"),
                (_, Some(label)) => format!("{label} {state}"),
                (None, None) => state,
            }
        })
        .collect()
}

/// A diamond with a tail, a self-loop and a repeated step.
const STEPS: [Row; 8] = [
    (0, "Go", 1),
    (0, "Go", 2),
    (1, "Jump", 3),
    (2, "Jump", 3),
    (2, "Go", 3),
    (3, "Rest", 3),
    (3, "Go", 4),
    (3, "Go", 4),
];

fn both() -> Table {
    Table::new(&[0], &STEPS)
}

#[test]
fn equal_graphs_are_equal() {
    let found = compared(&both(), &both());
    assert!(found.is_equal());
    let count = |both| Count {
        both,
        ..Count::default()
    };
    assert_eq!(found.states, count(5));
    assert_eq!(found.initial, count(1));
    assert_eq!(found.steps, count(7), "the repeated step is one");
    let named = |action: &str, times| ActionCount {
        action: action.to_owned(),
        tlc: times,
        plumb: times,
    };
    assert_eq!(
        found.actions,
        [named("Go", 5), named("Jump", 2), named("Rest", 1)],
        "repeats and the self-loop are counted"
    );
}

#[test]
fn the_order_in_which_tlc_dumps_does_not_matter() {
    let mut other = both();
    other.steps.reverse();
    assert!(compared(&other, &both()).is_equal());
}

#[test]
fn a_state_that_only_tlc_has() {
    let mut tlc = both();
    tlc.steps.push((4, "Jump", 25));
    tlc.steps.push((25, "Go", 26));
    let found = compared(&tlc, &both());
    let side = Side::Tlc;
    assert_eq!(
        kinds(&found),
        [
            &DifferenceKind::Step { side },
            &DifferenceKind::State { side }
        ]
    );
    assert_eq!((found.states.tlc_only, found.steps.tlc_only), (2, 2));
    assert_eq!(
        way(&found.differences[1]),
        [
            "State(0)",
            "Go(1) State(1)",
            "Jump(3) State(3)",
            "Go(4) State(4)",
            "Jump State(25)"
        ],
        "the step that the model lacks has no parameters"
    );
    assert_eq!(
        found.differences[1].path[4].state.tla,
        "/\\ tens = 2\n/\\ ones = 5"
    );
    assert_eq!(way(&found.differences[0]), way(&found.differences[1]));
    let step = found.differences[0].step.as_ref().unwrap();
    assert_eq!(step.nearest, None, "Plumb takes no step there");
}

#[test]
fn a_state_that_only_plumb_has() {
    let mut plumb = both();
    plumb.steps.push((1, "Go", 9));
    let found = compared(&both(), &plumb);
    let side = Side::Plumb;
    assert_eq!(
        kinds(&found),
        [
            &DifferenceKind::Step { side },
            &DifferenceKind::State { side }
        ]
    );
    assert_eq!(
        way(&found.differences[1]),
        ["State(0)", "Go(1) State(1)", "Go(9) State(9)"]
    );
}

#[test]
fn a_missing_step_with_the_nearest_one_there_is() {
    let mut plumb = both();
    plumb.steps[5] = (3, "Rest", 1); // to another known state
    plumb.steps.push((3, "Rest", 2));
    let found = compared(&both(), &plumb);
    assert_eq!(
        kinds(&found),
        [
            &DifferenceKind::Step { side: Side::Tlc },
            &DifferenceKind::Step { side: Side::Plumb }
        ]
    );
    let missing = &found.differences[0];
    assert_eq!(
        way(missing),
        [
            "State(0)",
            "Go(1) State(1)",
            "Jump(3) State(3)",
            "Rest State(3)"
        ]
    );
    let nearest = missing.step.as_ref().unwrap().nearest.as_ref().unwrap();
    assert_eq!(
        nearest.step.label.as_deref(),
        Some("Rest(1)"),
        "the least of equals"
    );
    assert_eq!(nearest.variables, ["ones: 3 → 1"]);
    let extra = found.differences[1].step.as_ref().unwrap();
    assert_eq!(extra.nearest.as_ref().unwrap().variables, ["ones: 1 → 3"]);
}

#[test]
fn a_step_whose_likes_both_sides_have_shows_one_of_them() {
    let mut tlc = both();
    tlc.steps.push((0, "Go", 3));
    let found = compared(&tlc, &both());
    assert_eq!(kinds(&found), [&DifferenceKind::Step { side: Side::Tlc }]);
    let nearest = found.differences[0]
        .step
        .as_ref()
        .unwrap()
        .nearest
        .as_ref()
        .unwrap();
    assert_eq!(nearest.step.label.as_deref(), Some("Go(1)"));
}

#[test]
fn the_same_step_under_another_name() {
    let mut tlc = both();
    tlc.steps[4].1 = "Next";
    let found = compared(&tlc, &both());
    assert_eq!(
        found.steps,
        Count {
            both: 6,
            tlc_only: 1,
            plumb_only: 1
        }
    );
    let last = found.actions.last().unwrap();
    assert_eq!(
        (last.action.as_str(), last.tlc, last.plumb),
        ("Next", 1, 0),
        "names of TLC's own follow the model's"
    );
    let missing = &found.differences[0];
    assert_eq!(missing.kind, DifferenceKind::Step { side: Side::Tlc });
    assert_eq!(
        way(missing),
        ["State(0)", "Go(2) State(2)", "Next State(3)"]
    );
    let nearest = missing.step.as_ref().unwrap().nearest.as_ref().unwrap();
    assert_eq!(nearest.step.action.as_deref(), Some("Go"));
    assert!(nearest.variables.is_empty());
}

#[test]
fn the_same_step_more_often() {
    let mut plumb = both();
    plumb.steps.push((3, "Go", 4));
    plumb.steps.push((3, "Rest", 3));
    let found = compared(&both(), &plumb);
    assert_eq!(
        kinds(&found),
        [&DifferenceKind::Multiplicity {
            times: Sides { tlc: 2, plumb: 3 }
        }]
    );
    assert_eq!(found.multiplicities, 2);
    assert_eq!((found.actions[0].tlc, found.actions[0].plumb), (5, 6));
    assert_eq!(
        way(&found.differences[0]),
        [
            "State(0)",
            "Go(1) State(1)",
            "Jump(3) State(3)",
            "Go(4) State(4)"
        ]
    );
}

#[test]
fn a_state_that_the_model_cannot_read() {
    let mut model = both();
    model.unreadable = vec![4];
    model.steps.truncate(6);
    let found = compared(&both(), &model);
    let reason = "ones: expected a lucky number, found 4".to_owned();
    assert_eq!(
        kinds(&found),
        [
            &DifferenceKind::Unreadable { reason },
            &DifferenceKind::Step { side: Side::Tlc }
        ]
    );
    assert_eq!(
        way(&found.differences[0]),
        [
            "State(0)",
            "Go(1) State(1)",
            "Jump(3) State(3)",
            "Go /\\ tens = 0 /\\ ones = 4"
        ]
    );
}

#[test]
fn a_state_that_the_model_takes_for_another() {
    let mut model = both();
    model.misread = Some((1, 2));
    let found = compared(&both(), &model);
    let reason = "the model takes it for another state: ones: 1 → 2".to_owned();
    assert!(kinds(&found).contains(&&DifferenceKind::Unreadable { reason }));
    assert_eq!(found.states.tlc_only, 1);
}

#[test]
fn initial_states_of_one_side_only() {
    let mut tlc = both();
    tlc.initial = vec![0, 7, 0];
    let mut plumb = both();
    plumb.initial = vec![2, 0];
    let found = compared(&tlc, &plumb);
    assert_eq!(
        kinds(&found)[..3],
        [
            &DifferenceKind::InitialState { side: Side::Tlc },
            &DifferenceKind::InitialState { side: Side::Plumb },
            &DifferenceKind::State { side: Side::Tlc }
        ]
    );
    assert_eq!(way(&found.differences[0]), ["State(7)"]);
    assert_eq!(way(&found.differences[1]), ["State(2)"]);
    assert_eq!(
        found.initial,
        Count {
            both: 1,
            tlc_only: 1,
            plumb_only: 1
        }
    );
}

#[test]
fn the_constraint_cuts_on_both_sides() {
    let mut model = both();
    model.outside = vec![4];
    let found = compared(&model, &model);
    assert!(found.is_equal());
    assert_eq!(found.states.both, 4);
    assert_eq!(found.outside, Sides { tlc: 2, plumb: 2 });
}

#[test]
fn a_constraint_that_cuts_more_of_the_successors() {
    let mut tlc = both();
    tlc.outside = vec![4, 5];
    let mut plumb = tlc.clone();
    plumb.steps.push((1, "Go", 5));
    let found = compared(&tlc, &plumb);
    let successors = Sides { tlc: 2, plumb: 3 };
    assert_eq!(kinds(&found), [&DifferenceKind::Outside { successors }]);
    assert!(found.differences[0].path.is_empty());
}

#[test]
fn an_initial_state_outside_the_constraint_is_no_successor() {
    let mut model = both();
    model.initial = vec![0, 9];
    model.outside = vec![9];
    let found = compared(&model, &model);
    assert!(found.is_equal());
    assert_eq!((found.outside.plumb, found.initial.both), (0, 1));
}

#[test]
fn the_nearest_difference_comes_first() {
    let mut plumb = both();
    plumb.steps.push((4, "Rest", 4));
    plumb.steps.push((0, "Rest", 2));
    plumb.steps.push((0, "Rest", 1));
    let found = compared(&both(), &plumb);
    assert_eq!(found.differences.len(), 1, "one of a kind");
    assert_eq!(found.steps.plumb_only, 3);
    assert_eq!(way(&found.differences[0]), ["State(0)", "Rest(1) State(1)"]);
}

#[test]
fn graphs_built_by_hand() {
    let mut pair = GraphPair::new(["Go"]);
    let ids: Vec<_> = (0..3_u8).map(|n| pair.states.intern(&[n])).collect();
    let step = |source: usize, target: usize| Step {
        source: ids[source],
        action: 0,
        target: ids[target],
    };
    for graph in [&mut pair.tlc, &mut pair.plumb] {
        graph.initial.push(ids[0]);
        for id in &ids {
            graph.add(*id);
        }
        graph.steps.extend([step(1, 2), step(0, 1)]);
    }
    pair.plumb.steps.push(step(0, 2));
    pair.finish();
    let found = Differences::between(&pair);
    let side = Side::Plumb;
    let extra = differences::Example::Step {
        side,
        step: step(0, 2),
    };
    assert_eq!(found.examples(&pair), [extra]);
}

#[test]
fn graphs_above_the_limit_are_refused() {
    let model = both();
    let mut pair = GraphPair::new(model.actions());
    let explored = explore(&mut pair, &model, &terms(4));
    assert!(matches!(
        explored,
        Err(GraphError::TooLarge {
            side: Side::Plumb,
            limit: 4
        })
    ));
    let mut pair = GraphPair::new(model.actions());
    let read = read(&mut pair, &model, model.dump().as_bytes(), &terms(4));
    assert!(matches!(
        read,
        Err(GraphError::TooLarge {
            side: Side::Tlc,
            limit: 4
        })
    ));
}

#[test]
fn a_request_to_stop_is_heeded() {
    let model = both();
    let mut pair = GraphPair::new(model.actions());
    let stopped = Terms {
        stop: &|| true,
        ..terms(100)
    };
    let end = explore(&mut pair, &model, &stopped);
    assert!(matches!(end, Err(GraphError::Stopped)));
    let end = read(&mut pair, &model, model.dump().as_bytes(), &stopped);
    assert!(matches!(end, Err(GraphError::Stopped)));
}

#[test]
fn a_dump_that_is_cut_or_lacks_a_state_is_unreadable() {
    let model = both();
    let dump = model.dump();
    let end = dump.len() - 3;
    let gone: String = dump
        .lines()
        .filter(|line| !line.starts_with("4 ["))
        .fold(String::new(), |text, line| text + line + "\n");
    for broken in [&dump[..end], &gone, ""] {
        let mut pair = GraphPair::new(model.actions());
        let found = read(&mut pair, &model, broken.as_bytes(), &terms(100));
        assert!(matches!(found, Err(GraphError::Unreadable(_))), "{broken}");
    }
}

#[test]
fn the_json_shape() {
    let mut tlc = both();
    tlc.steps[4].1 = "Next";
    let found = serde_json::to_value(compared(&tlc, &both())).unwrap();
    assert_eq!(found["differences"][0]["kind"]["is"], "step");
    assert_eq!(found["differences"][0]["kind"]["side"], "tlc");
    assert_eq!(found["differences"][0]["path"][1]["label"], "Go(2)");
    assert_eq!(
        found["differences"][0]["path"][0]["action"],
        serde_json::Value::Null
    );
    assert_eq!(found["outside"], serde_json::json!({"tlc": 0, "plumb": 0}));
    assert_eq!(
        found["actions"][0],
        serde_json::json!({"action": "Go", "tlc": 4, "plumb": 5})
    );
}
