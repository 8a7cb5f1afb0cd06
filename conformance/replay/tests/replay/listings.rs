//! Dumped states and graphs.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use plumb_checker::ConfiguredModel;
use plumb_replay::replay::{Listed, Outcome, Why, replay_dot, replay_dump};

use crate::behaviours::registered;

/// All states of a small configuration, with their successors, in the order in which TLC finds them.
fn explored(model: &dyn ConfiguredModel) -> Vec<Vec<u8>> {
    let mut order = model.initial_states();
    let mut next = 0;
    while let Some(state) = order.get(next).cloned() {
        next += 1;
        for step in model.successors(&state).unwrap() {
            if !order.contains(&step.state) && model.within_constraint(&step.state).unwrap() {
                order.push(step.state);
            }
        }
    }
    order
}

fn dump(model: &dyn ConfiguredModel) -> String {
    let mut text = String::new();
    for (index, state) in explored(model).iter().enumerate() {
        let state = model.render(state).unwrap();
        let _ = write!(text, "State {}:\n{state}\n\n", index + 1);
    }
    text
}

/// The graph as TLC draws it.
fn dot(model: &dyn ConfiguredModel) -> String {
    let states = explored(model);
    let ids: BTreeMap<&Vec<u8>, usize> = states.iter().zip(1..).collect();
    let initial = model.initial_states();
    let mut text = "strict digraph DiskGraph {\nsubgraph cluster_graph {\n".to_owned();
    for state in &states {
        let tla = model.render(state).unwrap().to_string();
        let tla = tla
            .replace('\\', "\\\\")
            .replace('"', "\\\"")
            .replace('\n', "\\n");
        let style = if initial.contains(state) {
            ",style = filled"
        } else {
            ""
        };
        let end = if style.is_empty() { ";" } else { "" };
        let _ = writeln!(text, "{} [label=\"{tla}\"{style}]{end}", ids[state]);
        for step in model.successors(state).unwrap() {
            if let Some(to) = ids.get(&step.state) {
                let name = step.action.name;
                let edge = format!(
                    "{} -> {to} [label=\"{name}\",color=\"black\",fontcolor=\"black\"];",
                    ids[state]
                );
                let _ = writeln!(text, "{edge}");
            }
        }
    }
    text + "}\n}\n"
}

fn refused(listed: &Listed) -> (Why, u64) {
    match &listed.replayed.outcome {
        Outcome::Refused(refusal) => (refusal.why, refusal.step),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_states_of_a_configuration_are_states_of_its_model() {
    let model = registered("claim-scope/ClaimScopeSingle");
    let text = dump(model.as_ref());
    let listed = replay_dump(model.as_ref(), text.as_bytes());
    assert!(listed.replayed.is_accepted(), "{listed:?}");
    assert_eq!(listed.replayed.steps, 144);
    let strange = text.replacen("\"agent\"", "\"gardener\"", 3);
    let listed = replay_dump(model.as_ref(), strange.as_bytes());
    assert_eq!(refused(&listed), (Why::NoSuchState, 1));
    assert_eq!(
        listed.replayed.steps, 144,
        "the others are read all the same"
    );
    let listed = replay_dump(model.as_ref(), &b""[..]);
    assert!(matches!(
        listed.replayed.outcome,
        Outcome::Unreadable { .. }
    ));
}

#[test]
fn a_listed_state_satisfies_the_invariants() {
    let model = registered("claim-scope/ClaimScopeSingle");
    let witness = registered("claim-scope/SingleClaimScopeWitness");
    let listed = replay_dump(witness.as_ref(), dump(model.as_ref()).as_bytes());
    assert_eq!(refused(&listed).0, Why::OtherViolation);
}

#[test]
fn each_edge_of_a_graph_is_a_step_by_its_action() {
    let model = registered("claim-scope/ClaimScopeSingle");
    let text = dot(model.as_ref());
    let listed = replay_dot(model.as_ref(), text.as_bytes());
    assert!(
        listed.replayed.is_accepted(),
        "{:?}",
        listed.replayed.outcome
    );
    assert_eq!((listed.initial, listed.edges), (Some(1), Some(316)));
    assert_eq!(listed.replayed.actions.values().sum::<u64>(), 316);

    let renamed = text.replacen("\"BeginFinalize\"", "\"Effect\"", 1);
    assert_ne!(renamed, text);
    let listed = replay_dot(model.as_ref(), renamed.as_bytes());
    assert_eq!(refused(&listed).0, Why::NotEnabled);

    let second = text.lines().find(|line| line.starts_with("2 [")).unwrap();
    let initial = text.replace(second, &second.replace("];", ",style = filled]"));
    let listed = replay_dot(model.as_ref(), initial.as_bytes());
    assert_eq!(refused(&listed), (Why::NoSuchInitialState, 2));
}
