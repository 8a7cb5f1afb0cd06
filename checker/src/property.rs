//! Properties as data: named predicates from which a cfg chooses.

use stateright::Model;

/// A named state predicate that must hold in every generated state.
///
/// ```
/// use plumb_checker::Invariant;
/// # struct Counter { step: u32 }
/// # impl stateright::Model for Counter {
/// #     type State = u32;
/// #     type Action = ();
/// #     fn init_states(&self) -> Vec<u32> { vec![0] }
/// #     fn actions(&self, _: &u32, _: &mut Vec<()>) {}
/// #     fn next_state(&self, _: &u32, (): ()) -> Option<u32> { None }
/// # }
///
/// let table: Vec<Invariant<Counter>> = vec![
///     Invariant::state("Small", "the counter stays below four", |_, n| *n < 4),
///     Invariant::constant("PositiveStep", "the step is positive", |m| m.step > 0),
///     Invariant::all("Safety", "all of the above", &["Small", "PositiveStep"]),
/// ];
/// assert_eq!(table[2].name, "Safety");
/// ```
#[derive(Debug)]
pub struct Invariant<M: Model> {
    /// The name of the operator in the TLA+ module.
    pub name: &'static str,
    /// What it says, in words, for `plumb show` and reports.
    pub meaning: &'static str,
    /// The predicate itself.
    pub predicate: Predicate<M>,
}

/// What an invariant evaluates.
pub enum Predicate<M: Model> {
    /// A predicate over a state.
    State(fn(&M, &M::State) -> bool),
    /// A predicate over the constants alone: decided once, before the search, as an assumption.
    Constant(fn(&M) -> bool),
    /// The conjunction of other invariants of the same table, in this order. A violation names
    /// the first conjunct that is false.
    All(&'static [&'static str]),
}

impl<M: Model> std::fmt::Debug for Predicate<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::State(_) => f.write_str("State"),
            Self::Constant(_) => f.write_str("Constant"),
            Self::All(names) => f.debug_tuple("All").field(names).finish(),
        }
    }
}

impl<M: Model> Invariant<M> {
    /// An invariant over states.
    pub const fn state(
        name: &'static str,
        meaning: &'static str,
        holds: fn(&M, &M::State) -> bool,
    ) -> Self {
        Self {
            name,
            meaning,
            predicate: Predicate::State(holds),
        }
    }

    /// An invariant over constants alone.
    pub const fn constant(
        name: &'static str,
        meaning: &'static str,
        holds: fn(&M) -> bool,
    ) -> Self {
        Self {
            name,
            meaning,
            predicate: Predicate::Constant(holds),
        }
    }

    /// The conjunction of the named invariants.
    pub const fn all(
        name: &'static str,
        meaning: &'static str,
        conjuncts: &'static [&'static str],
    ) -> Self {
        Self {
            name,
            meaning,
            predicate: Predicate::All(conjuncts),
        }
    }
}

/// TLC's `[][P]_vars`: a predicate that must hold on every transition that changes the state,
/// also on those into known states and out of the constraint.
#[derive(Debug)]
pub struct StepProperty<M: Model> {
    /// The name of the property in the TLA+ module.
    pub name: &'static str,
    /// What it says, in words.
    pub meaning: &'static str,
    /// Whether the step from the first state to the second is allowed.
    pub holds: fn(&M, &M::State, &M::State) -> bool,
}

/// A state constraint: states outside it are generated and checked, then dropped.
#[derive(Debug)]
pub struct Constraint<M: Model> {
    /// The name of the operator in the TLA+ module.
    pub name: &'static str,
    /// What it says, in words.
    pub meaning: &'static str,
    /// Whether the state is inside.
    pub holds: fn(&M, &M::State) -> bool,
}

/// A condition on the constants that is checked whatever the cfg chooses.
#[derive(Debug)]
pub struct Assumption<M: Model> {
    /// A name for it; an `ASSUME` of the module may have none.
    pub name: &'static str,
    /// What it says, in words.
    pub meaning: &'static str,
    /// Whether the constants satisfy it.
    pub holds: fn(&M) -> bool,
}
