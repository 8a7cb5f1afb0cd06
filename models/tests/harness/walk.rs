//! Plain walks over a model, independent of the explorer.

use std::collections::HashSet;

use plumb_checker::CheckedModel;

/// The reachable states that the constraints of these names allow, breadth first, up to about
/// `limit` of them.
pub(crate) fn reachable<M: CheckedModel>(
    model: &M,
    constraints: &[&str],
    limit: usize,
) -> Vec<M::State> {
    let table = M::constraints();
    let named = |name: &&str| table.iter().find(|known| known.name == *name).unwrap();
    let chosen: Vec<_> = constraints.iter().map(named).collect();
    let mut states = model.init_states();
    let mut known: HashSet<M::State> = states.iter().cloned().collect();
    let mut next = 0;
    while next < states.len() && states.len() < limit {
        let state = states[next].clone();
        model.successors(&state, |_, target| {
            let inside = chosen
                .iter()
                .all(|within| within.predicate.holds(model, &target));
            if inside && known.insert(target.clone()) {
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
        plumb_checker::Predicate::Component(holds) => {
            let components = M::composition().map_or(1, |composition| composition.count(model));
            (0..components).all(|component| holds(model, state, component))
        }
        plumb_checker::Predicate::Constant(holds) => holds(model),
        plumb_checker::Predicate::All(_) => panic!("{invariant} is a conjunction"),
    }
}

/// The invariants that are false in a state; those that deny, which are to be violated, and
/// conjunctions of others are left out.
pub(crate) fn violated<M: CheckedModel>(model: &M, state: &M::State) -> Vec<&'static str> {
    let invariants = M::invariants().into_iter();
    invariants
        .filter(|invariant| !invariant.meaning.starts_with("denied"))
        .filter(|invariant| !matches!(invariant.predicate, plumb_checker::Predicate::All(_)))
        .map(|invariant| invariant.name)
        .filter(|name| !holds(model, name, state))
        .collect()
}
