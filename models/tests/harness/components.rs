//! The laws of models whose states are made of components, and whose steps are local to them.
//!
//! What may depend on two components alone is remembered by the bytes of these two, and compared
//! wherever they occur again: in reachable states, and in states put together from the components
//! of several, where nothing that always goes together in reachable ones can be relied on.

use std::collections::HashMap;
use std::fmt::Debug;

use plumb_checker::{CheckedModel, ConstraintPredicate, LocalSteps, Predicate, StepPredicate};

type Bytes = Vec<u8>;

/// The bytes of every component.
fn components_of<M: LocalSteps>(model: &M, state: &M::State) -> Vec<Bytes> {
    let encode = |component| {
        let mut bytes = Vec::new();
        model.encode_component(state, component, &mut bytes);
        bytes
    };
    (0..model.component_count()).map(encode).collect()
}

/// The state that has these components.
fn state_of<M: LocalSteps>(model: &M, components: &[Bytes]) -> M::State {
    let slices: Vec<&[u8]> = components.iter().map(Vec::as_slice).collect();
    model
        .decode_components(&slices)
        .expect("the components of states are a state")
}

/// What is known to depend on the components of its keys alone.
struct Known<K, V> {
    what: &'static str,
    known: HashMap<K, V>,
    /// How often it was asked again.
    again: usize,
}

impl<K: Eq + std::hash::Hash + Debug, V: PartialEq + Debug> Known<K, V> {
    fn new(what: &'static str) -> Self {
        let known = HashMap::new();
        Self {
            what,
            known,
            again: 0,
        }
    }

    fn hold(&mut self, key: K, value: V) {
        match self.known.get(&key) {
            None => {
                self.known.insert(key, value);
            }
            Some(known) => {
                assert_eq!(
                    *known, value,
                    "{} of {key:?} depends on something else",
                    self.what
                );
                self.again += 1;
            }
        }
    }
}

/// A step: the action, and the shared part and the component after it.
type LocalStep<M> = (<M as stateright::Model>::Action, Bytes, Bytes);
/// A step of the shared part: the action, and what becomes of it.
type SharedStep<M> = (<M as stateright::Model>::Action, Bytes);

/// What is known of the steps and the properties of a model's components.
pub(crate) struct Locality<'a, M: LocalSteps> {
    model: &'a M,
    /// By component, shared part and component.
    steps: Known<(usize, Bytes, Bytes), Vec<LocalStep<M>>>,
    /// By shared part.
    shared_steps: Known<Bytes, Vec<SharedStep<M>>>,
    /// What becomes of a component by each step of the shared part, by component, shared part and
    /// component.
    side_effects: Known<(usize, Bytes, Bytes), Vec<Bytes>>,
    /// By invariant, component, shared part and component.
    invariants: Known<(&'static str, usize, Bytes, Bytes), bool>,
    /// By step property, component, and shared part and component before and after.
    step_properties: Known<(&'static str, usize, [Bytes; 4]), bool>,
    /// By constraint and shared part.
    constraints: Known<(&'static str, Bytes), bool>,
}

impl<'a, M: LocalSteps> Locality<'a, M> {
    pub(crate) fn of(model: &'a M) -> Self {
        Self {
            model,
            steps: Known::new("the steps"),
            shared_steps: Known::new("the shared part's steps"),
            side_effects: Known::new("the side effects"),
            invariants: Known::new("the invariant"),
            step_properties: Known::new("the step property"),
            constraints: Known::new("the constraint"),
        }
    }

    /// Holds a state to the laws, together with all states before.
    pub(crate) fn hold(&mut self, state: &M::State) {
        let model = self.model;
        let before = components_of(model, state);
        assert_eq!(state_of(model, &before), *state);
        let mut left = Vec::new();
        model.successors(state, |action, target| left.push((action, target)));
        for component in 0..model.component_count() {
            let mut steps = Vec::new();
            model.component_successors(state, component, &mut |action, target| {
                let step = (action, target);
                let found = left.iter().position(|other| *other == step);
                left.swap_remove(found.unwrap_or_else(|| panic!("{step:?} is no successor")));
                steps.push(step);
            });
            if component == 0 {
                self.hold_shared_steps(&before, &steps);
            } else {
                self.hold_steps(component, &before, &steps);
            }
            for (_, target) in &steps {
                self.hold_step_properties(state, &before, target);
            }
        }
        assert!(left.is_empty(), "nobody's steps: {left:?}");
        self.hold_properties(state, &before);
    }

    fn hold_steps(&mut self, component: usize, before: &[Bytes], steps: &[(M::Action, M::State)]) {
        let mut local = Vec::new();
        for (action, target) in steps {
            let after = components_of(self.model, target);
            for other in (1..after.len()).filter(|other| *other != component) {
                assert_eq!(after[other], before[other], "{action:?} changes {other}");
            }
            local.push((action.clone(), after[0].clone(), after[component].clone()));
        }
        let key = (component, before[0].clone(), before[component].clone());
        self.steps.hold(key, local);
    }

    fn hold_shared_steps(&mut self, before: &[Bytes], steps: &[(M::Action, M::State)]) {
        let after: Vec<Vec<Bytes>> = steps
            .iter()
            .map(|(_, target)| components_of(self.model, target))
            .collect();
        let actions = steps.iter().map(|(action, _)| action.clone());
        let shared = actions.zip(after.iter().map(|after| after[0].clone()));
        self.shared_steps.hold(before[0].clone(), shared.collect());
        for component in 1..before.len() {
            let key = (component, before[0].clone(), before[component].clone());
            let becomes = after.iter().map(|after| after[component].clone());
            self.side_effects.hold(key, becomes.collect());
        }
    }

    fn hold_properties(&mut self, state: &M::State, before: &[Bytes]) {
        for invariant in M::invariants() {
            if let Predicate::Component(holds) = invariant.predicate {
                for (component, own) in before.iter().enumerate() {
                    let key = (invariant.name, component, before[0].clone(), own.clone());
                    let value = holds(self.model, state, component);
                    self.invariants.hold(key, value);
                }
            }
        }
        for constraint in M::constraints() {
            if let ConstraintPredicate::Shared(holds) = constraint.predicate {
                let key = (constraint.name, before[0].clone());
                self.constraints.hold(key, holds(self.model, state));
            }
        }
    }

    fn hold_step_properties(&mut self, state: &M::State, before: &[Bytes], target: &M::State) {
        let after = components_of(self.model, target);
        for property in M::step_properties() {
            let StepPredicate::Component(holds) = property.predicate else {
                continue;
            };
            for component in 0..after.len() {
                let value = holds(self.model, state, target, component);
                let unchanged = before[component] == after[component];
                assert!(value || !unchanged, "{} of {component}", property.name);
                let [old, new] = [before, &after];
                let pair = |all: &[Bytes]| [all[0].clone(), all[component].clone()];
                let ([a, b], [c, d]) = (pair(old), pair(new));
                let key = (property.name, component, [a, b, c, d]);
                self.step_properties.hold(key, value);
            }
        }
    }

    /// Holds states to the laws that are put together from components of these: each time one
    /// component with its shared part, and all others from elsewhere.
    pub(crate) fn hold_mixtures(&mut self, states: &[M::State], count: usize) {
        let all: Vec<Vec<Bytes>> = states
            .iter()
            .map(|state| components_of(self.model, state))
            .collect();
        // Any numbers without a pattern will do.
        let mut number = 1_u64;
        let mut any = |below: usize| {
            number = number
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            (number >> 33) as usize % below
        };
        for _ in 0..count {
            let mut mixture = all[any(all.len())].clone();
            let kept = any(mixture.len());
            for component in (1..mixture.len()).filter(|component| *component != kept) {
                mixture[component].clone_from(&all[any(all.len())][component]);
            }
            self.hold(&state_of(self.model, &mixture));
        }
    }

    /// The laws were put to the test: much was asked again.
    pub(crate) fn assert_tested(&self) {
        for (what, again) in [
            (self.steps.what, self.steps.again),
            (self.shared_steps.what, self.shared_steps.again),
            (self.side_effects.what, self.side_effects.again),
            (self.invariants.what, self.invariants.again),
            (self.step_properties.what, self.step_properties.again),
            (self.constraints.what, self.constraints.again),
        ] {
            assert!(again > 300, "{what} were compared {again} times");
        }
    }
}

/// The components for which an invariant is false.
pub(crate) fn where_violated<M: CheckedModel>(
    model: &M,
    invariant: &str,
    state: &M::State,
    components: usize,
) -> Vec<usize> {
    let table = M::invariants();
    let found = table.iter().find(|known| known.name == invariant);
    let Predicate::Component(holds) = found.expect("it is in the table").predicate else {
        panic!("{invariant} is not by component");
    };
    (0..components)
        .filter(|component| !holds(model, state, *component))
        .collect()
}
