//! Plain walks over a model, independent of the explorer under test.

use std::collections::HashSet;

use plumb_checker::CheckedModel;

/// The reachable states, breadth first, up to about `limit` of them.
pub(crate) fn reachable<M: CheckedModel>(model: &M, limit: usize) -> Vec<M::State> {
    let mut states = model.init_states();
    let mut known: HashSet<M::State> = states.iter().cloned().collect();
    let mut next = 0;
    while next < states.len() && states.len() < limit {
        let state = states[next].clone();
        model.successors(&state, |_, target| {
            if known.insert(target.clone()) {
                states.push(target);
            }
        });
        next += 1;
    }
    states
}

/// The states in which a behaviour with actions of these names can end.
pub(crate) fn ends<M: CheckedModel>(model: &M, names: &[&str]) -> Vec<M::State> {
    let mut states = model.init_states();
    for name in names {
        assert!(M::ACTIONS.contains(name), "there is no action {name}");
        let mut found: HashSet<M::State> = HashSet::new();
        for state in &states {
            model.successors(state, |action, target| {
                if M::ACTIONS[model.action_index(&action)] == *name {
                    found.insert(target);
                }
            });
        }
        states = found.into_iter().collect();
    }
    states
}

/// Whether an invariant over states holds.
pub(crate) fn holds<M: CheckedModel>(model: &M, invariant: &str, state: &M::State) -> bool {
    let table = M::invariants();
    let found = table.iter().find(|known| known.name == invariant);
    match found.expect("the invariant is in the table").predicate {
        plumb_checker::Predicate::State(holds) => holds(model, state),
        _ => panic!("{invariant} is not over states alone"),
    }
}
