//! An obvious decision of temporal properties: try every way in which a behaviour can go on.
//!
//! What a behaviour of a finite graph does infinitely often is a set of steps that leads from each
//! of its states to each other one, or it is to stutter in one state. Both a property of the
//! fragment and fairness depend on that set, and on the way there, alone. With few enough steps all
//! sets can be tried, straight from the definitions.

use std::collections::BTreeSet;

use plumb_checker::{Fairness, Strength};

use crate::digraph::{ACTIONS, Case, Shape};

#[expect(
    clippy::panic,
    reason = "a test that asks for what it cannot decide is wrong itself"
)]
fn outside_the_fragment(shape: &Shape) -> ! {
    panic!("not in the fragment: {shape:?}")
}

/// The states and steps of a behaviour that occur again and again.
struct Recurring {
    states: BTreeSet<u8>,
    edges: Vec<(u8, usize, u8)>,
}

/// Whether some fair behaviour of the case violates its formula.
pub(crate) fn is_violated(case: &Case) -> bool {
    conjuncts(&case.formula).into_iter().any(|conjunct| {
        recurring(case).into_iter().any(|recurring| {
            case.fairness
                .iter()
                .all(|owed| is_fair(case, owed, &recurring))
                && violates(case, conjunct, &recurring)
        })
    })
}

fn conjuncts(shape: &Shape) -> Vec<&Shape> {
    match shape {
        Shape::All(parts) => parts.iter().flat_map(conjuncts).collect(),
        other => vec![other],
    }
}

fn reachable(case: &Case, start: &BTreeSet<u8>, inside: impl Fn(u8) -> bool) -> BTreeSet<u8> {
    let mut reached = start.clone();
    loop {
        let next: BTreeSet<u8> = case
            .edges
            .iter()
            .filter(|(source, _, target)| reached.contains(source) && inside(*target))
            .map(|(_, _, target)| *target)
            .collect();
        if next.is_subset(&reached) {
            return reached;
        }
        reached.extend(next);
    }
}

/// Every set of steps that a behaviour can repeat for ever.
fn recurring(case: &Case) -> Vec<Recurring> {
    let initial = case.initial.iter().copied().collect();
    let reached = reachable(case, &initial, |_| true);
    let mut found = Vec::new();
    for state in &reached {
        found.push(Recurring {
            states: BTreeSet::from([*state]),
            edges: Vec::new(),
        });
    }
    let edges: Vec<_> = case
        .edges
        .iter()
        .filter(|(source, _, target)| reached.contains(source) && source != target)
        .collect();
    for chosen in 1_u32..1 << edges.len() {
        let edges: Vec<_> = edges
            .iter()
            .enumerate()
            .filter(|(index, _)| chosen >> index & 1 == 1)
            .map(|(_, edge)| **edge)
            .collect();
        let states: BTreeSet<u8> = edges
            .iter()
            .flat_map(|(source, _, target)| [*source, *target])
            .collect();
        let inside = Case {
            edges: edges.clone(),
            ..case.clone()
        };
        let connected = states
            .iter()
            .all(|state| reachable(&inside, &BTreeSet::from([*state]), |_| true) == states);
        if connected {
            found.push(Recurring { states, edges });
        }
    }
    found
}

/// Each fairness condition that is owed: the parameter that it is about, if it is about one.
fn instances(owed: &Fairness) -> Vec<Option<u8>> {
    if owed.each {
        vec![Some(0), Some(1)]
    } else {
        vec![None]
    }
}

fn counts_for(owed: &Fairness, instance: Option<u8>, edge: &(u8, usize, u8)) -> bool {
    let (source, action, target) = edge;
    source != target
        && owed.actions.contains(&ACTIONS[*action])
        && instance.is_none_or(|parameter| target % 2 == parameter)
}

fn is_fair(case: &Case, owed: &Fairness, recurring: &Recurring) -> bool {
    instances(owed).into_iter().all(|instance| {
        let counts = |edge: &&(u8, usize, u8)| counts_for(owed, instance, edge);
        let enabled = |state: &u8| {
            case.edges
                .iter()
                .filter(counts)
                .any(|(source, ..)| source == state)
        };
        // A step counts for the action if the action can make it, whatever else can.
        let taken = recurring.edges.iter().any(|(source, _, target)| {
            case.edges
                .iter()
                .filter(counts)
                .any(|(s, _, t)| s == source && t == target)
        });
        match owed.strength {
            Strength::Weak => taken || !recurring.states.iter().all(enabled),
            Strength::Strong => taken || !recurring.states.iter().any(enabled),
        }
    })
}

fn violates(case: &Case, conjunct: &Shape, recurring: &Recurring) -> bool {
    if let Shape::LeadsTo(premise, goal) = conjunct {
        let waits = |state: u8| !holds(case, goal, state);
        let initial = case.initial.iter().copied().collect();
        let triggers: BTreeSet<u8> = reachable(case, &initial, |_| true)
            .into_iter()
            .filter(|state| holds(case, premise, *state) && waits(*state))
            .collect();
        let waiting = reachable(case, &triggers, waits);
        return recurring.states.iter().all(|state| waiting.contains(state));
    }
    !in_the_long_run(case, conjunct, &recurring.states)
}

/// The truth of a formula that depends on nothing but the states that recur.
fn in_the_long_run(case: &Case, shape: &Shape, states: &BTreeSet<u8>) -> bool {
    match shape {
        Shape::Implies(premise, conclusion) => {
            !in_the_long_run(case, premise, states) || in_the_long_run(case, conclusion, states)
        }
        Shape::Not(inner) => !in_the_long_run(case, inner, states),
        Shape::Always(inner) => match &**inner {
            Shape::Eventually(p) => states.iter().any(|state| holds(case, p, *state)),
            other => outside_the_fragment(other),
        },
        Shape::Eventually(inner) => match &**inner {
            Shape::Always(p) => states.iter().all(|state| holds(case, p, *state)),
            other => outside_the_fragment(other),
        },
        other => outside_the_fragment(other),
    }
}

fn holds(case: &Case, shape: &Shape, state: u8) -> bool {
    match shape {
        Shape::Predicate(number) => case.predicates[*number].contains(&state),
        Shape::Not(inner) => !holds(case, inner, state),
        other => outside_the_fragment(other),
    }
}
