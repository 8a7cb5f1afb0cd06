//! Random walks: what ends them, what they check, and that a seed is all that they depend on.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;

use plumb_checker::simulation::{Simulation, Walk, WalkEnd, WalkOptions, walk};
use plumb_checker::{ConfiguredModel, PropertyKind, ViolatedProperty};

use crate::graph::{Fault, Graph, Node};

const OPTIONS: WalkOptions = WalkOptions {
    depth: 50,
    deadlock: false,
};

fn take(model: &dyn ConfiguredModel, seed: u64, options: WalkOptions) -> Walk {
    walk(model, seed, options, &AtomicBool::new(false))
}

fn of(graph: &Graph, cfg: &str) -> Walk {
    take(graph.configure(cfg).as_ref(), 1, OPTIONS)
}

fn nodes(graph: &Graph, walk: &Walk) -> Vec<Node> {
    let node = |state: &Vec<u8>| (0..100).find(|node| graph.encoding(*node) == *state);
    let states = walk.states.iter();
    states.map(|(_, state)| node(state).unwrap()).collect()
}

fn violated(property: &'static str, kind: PropertyKind, conjunct: Option<&'static str>) -> WalkEnd {
    WalkEnd::Violated(ViolatedProperty {
        property,
        kind,
        conjunct,
    })
}

/// Three states in a ring, each with a step to itself.
fn ring() -> Graph {
    Graph::new([0, 1], [(0, 1), (1, 2), (2, 0)]).steps("Green", [(0, 0), (1, 1), (2, 2)])
}

#[test]
fn a_walk_takes_steps_of_the_model_from_an_initial_state_on() {
    let graph = ring();
    let model = graph.configure("");
    let mut initial = BTreeSet::new();
    for seed in 0..20 {
        let walk = take(model.as_ref(), seed, OPTIONS);
        assert_eq!(walk.states.len(), 51);
        assert_eq!(walk.end, WalkEnd::Depth);
        assert!(model.initial_states().contains(&walk.states[0].1));
        initial.insert(walk.states[0].1.clone());
        for pair in walk.states.windows(2) {
            let ways = model.successors(&pair[0].1).unwrap();
            let action = pair[1].0.as_ref().unwrap();
            assert!(
                ways.iter()
                    .any(|way| way.action == *action && way.state == pair[1].1)
            );
        }
    }
    assert_eq!(initial.len(), 2, "each initial state is begun in by some");
}

#[test]
fn the_same_seed_gives_the_same_walk_and_another_one_another() {
    let graph = ring();
    let model = graph.configure("");
    let walk = |seed| take(model.as_ref(), seed, OPTIONS);
    assert_eq!(walk(5), walk(5));
    let all: BTreeSet<Vec<Node>> = (0..50).map(|seed| nodes(&graph, &walk(seed))).collect();
    assert_eq!(all.len(), 50);
    // Whoever changes what a seed means, changes what all recorded seeds repeat.
    assert_eq!(nodes(&graph, &walk(1))[..12], RECORDED);
}

/// The first states of the walk of seed 1.
const RECORDED: [Node; 12] = [1, 1, 2, 2, 0, 0, 0, 0, 1, 2, 2, 0];

#[test]
fn every_way_is_as_likely_as_any_other() {
    // From 0 one way leads to 1 and three lead to 2.
    let graph = Graph::new([0], [(0, 1), (0, 2), (0, 2)]).steps("Green", [(0, 2)]);
    let model = graph.configure("");
    let one = WalkOptions {
        depth: 1,
        ..OPTIONS
    };
    let walks = (0..4_000).map(|seed| nodes(&graph, &take(model.as_ref(), seed, one)));
    let to_1 = walks.filter(|nodes| nodes[1] == 1).count();
    assert!(
        (850..1_150).contains(&to_1),
        "{to_1} of 4000, expected 1000"
    );
}

#[test]
fn it_ends_at_rest_and_that_is_a_deadlock_only_where_it_is_asked_for() {
    let graph = Graph::path(3);
    assert_eq!(of(&graph, "").end, WalkEnd::Rest);
    let deadlock = violated("Deadlock", PropertyKind::Deadlock, None);
    assert_eq!(of(&graph, "CHECK_DEADLOCK TRUE").end, deadlock);
    let asked = WalkOptions {
        deadlock: true,
        ..OPTIONS
    };
    let model = graph.configure("");
    assert_eq!(take(model.as_ref(), 1, asked).end, deadlock);
    // Also one that the last step leads into.
    let asked = WalkOptions { depth: 3, ..asked };
    assert_eq!(take(model.as_ref(), 1, asked).end, deadlock);
}

#[test]
fn it_ends_in_the_first_state_outside_the_constraint_which_is_checked_too() {
    let graph = Graph::path(5).outside([2]);
    let walk = of(&graph, "CONSTRAINT Near");
    assert_eq!(
        (nodes(&graph, &walk), walk.end),
        (vec![0, 1, 2], WalkEnd::Outside)
    );
    let graph = graph.violates("A", [2]);
    let walk = of(&graph, "INVARIANT A CONSTRAINT Near");
    assert_eq!(walk.end, violated("A", PropertyKind::Invariant, None));
    let outside = Graph::path(5).outside([0]);
    assert_eq!(of(&outside, "CONSTRAINT Near").states.len(), 1);
}

#[test]
fn it_ends_with_the_first_violation_in_the_order_of_the_cfg() {
    let graph = Graph::path(5).violates("A", [3]).violates("B", [2, 3]);
    let walk = of(&graph, "INVARIANT Safety");
    assert_eq!(nodes(&graph, &walk), [0, 1, 2]);
    assert_eq!(
        walk.end,
        violated("Safety", PropertyKind::Invariant, Some("B"))
    );
    let initial = Graph::path(5).violates("A", [0]);
    assert_eq!(of(&initial, "INVARIANT A").states.len(), 1);
    let graph = Graph::path(5).forbids("P", [(1, 2)]).violates("A", [2]);
    let walk = of(&graph, "PROPERTY P INVARIANT A");
    assert_eq!(nodes(&graph, &walk), [0, 1, 2]);
    assert_eq!(walk.end, violated("P", PropertyKind::Step, None));
}

#[test]
fn a_panic_ends_the_walk_with_what_was_walked_before() {
    let graph = Graph::path(5).faulty(Fault::Actions(2));
    let walk = of(&graph, "");
    assert_eq!(nodes(&graph, &walk), [0, 1, 2]);
    let WalkEnd::Failed(message) = walk.end else {
        panic!("{:?}", walk.end);
    };
    assert!(message.contains("defect Actions(2)"), "{message}");
}

#[test]
fn it_stops_when_it_is_asked_to() {
    let model = ring().configure("");
    let walk = walk(model.as_ref(), 1, OPTIONS, &AtomicBool::new(true));
    assert_eq!((walk.states.len(), walk.end), (1, WalkEnd::Stopped));
}

#[test]
fn a_simulation_counts_what_was_taken_and_names_what_was_not() {
    let graph = Graph::path(3).steps("Green", [(3, 3)]);
    let model = graph.configure("");
    let mut simulation = Simulation::of(model.as_ref());
    let two = WalkOptions {
        depth: 2,
        ..OPTIONS
    };
    simulation.add(&take(model.as_ref(), 1, two));
    assert!(simulation.never_taken().contains(&"Green"));
    assert!(!simulation.never_taken().contains(&"Red"));
    simulation.add(&take(model.as_ref(), 2, OPTIONS));
    assert!(!simulation.never_taken().contains(&"Green"));
    assert_eq!(
        (simulation.walks, simulation.steps, simulation.longest),
        (2, 52, 50)
    );
    assert_eq!(simulation.at_depth, 2);
    let taken: u64 = simulation.actions.iter().map(|(_, times)| times).sum();
    assert_eq!(taken, 52);
}
