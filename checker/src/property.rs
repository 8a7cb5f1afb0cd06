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
    /// A predicate over each component (the number is its) that depends on that component and on
    /// component 0 alone; it must hold for all. A model without [`Components`] has one component.
    ///
    /// [`Components`]: crate::Components
    Component(fn(&M, &M::State, usize) -> bool),
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
            Self::Component(_) => f.write_str("Component"),
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

    /// An invariant over each component with component 0: see [`Predicate::Component`].
    pub const fn component(
        name: &'static str,
        meaning: &'static str,
        holds: fn(&M, &M::State, usize) -> bool,
    ) -> Self {
        Self {
            name,
            meaning,
            predicate: Predicate::Component(holds),
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
    /// Which steps are allowed.
    pub predicate: StepPredicate<M>,
}

/// What a step property evaluates.
pub enum StepPredicate<M: Model> {
    /// Whether the step from the first state to the second is allowed.
    Step(fn(&M, &M::State, &M::State) -> bool),
    /// The same for each component (the number is its), depending on that component and on
    /// component 0 alone. It must be true where the component does not change: there it may not be
    /// asked.
    Component(fn(&M, &M::State, &M::State, usize) -> bool),
}

impl<M: Model> StepPredicate<M> {
    /// Whether the step from `before` to `after` is allowed, in a model of `components`
    /// components.
    pub fn holds(&self, model: &M, before: &M::State, after: &M::State, components: usize) -> bool {
        match self {
            Self::Step(holds) => holds(model, before, after),
            Self::Component(holds) => {
                (0..components).all(|component| holds(model, before, after, component))
            }
        }
    }
}

impl<M: Model> std::fmt::Debug for StepPredicate<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Step(_) => "Step",
            Self::Component(_) => "Component",
        })
    }
}

impl<M: Model> StepProperty<M> {
    /// A property of steps as a whole.
    pub const fn step(
        name: &'static str,
        meaning: &'static str,
        holds: fn(&M, &M::State, &M::State) -> bool,
    ) -> Self {
        Self {
            name,
            meaning,
            predicate: StepPredicate::Step(holds),
        }
    }

    /// A property of what each component does: see [`StepPredicate::Component`].
    pub const fn component(
        name: &'static str,
        meaning: &'static str,
        holds: fn(&M, &M::State, &M::State, usize) -> bool,
    ) -> Self {
        Self {
            name,
            meaning,
            predicate: StepPredicate::Component(holds),
        }
    }
}

/// A state constraint: states outside it are generated and checked, then dropped.
#[derive(Debug)]
pub struct Constraint<M: Model> {
    /// The name of the operator in the TLA+ module.
    pub name: &'static str,
    /// What it says, in words.
    pub meaning: &'static str,
    /// Which states are inside.
    pub predicate: ConstraintPredicate<M>,
}

/// What a constraint evaluates.
pub enum ConstraintPredicate<M: Model> {
    /// Whether the state is inside.
    State(fn(&M, &M::State) -> bool),
    /// The same, looking at component 0 alone.
    Shared(fn(&M, &M::State) -> bool),
}

impl<M: Model> ConstraintPredicate<M> {
    /// Whether `state` is inside.
    pub fn holds(&self, model: &M, state: &M::State) -> bool {
        let (Self::State(holds) | Self::Shared(holds)) = self;
        holds(model, state)
    }
}

impl<M: Model> std::fmt::Debug for ConstraintPredicate<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::State(_) => "State",
            Self::Shared(_) => "Shared",
        })
    }
}

impl<M: Model> Constraint<M> {
    /// A constraint on the state as a whole.
    pub const fn state(
        name: &'static str,
        meaning: &'static str,
        holds: fn(&M, &M::State) -> bool,
    ) -> Self {
        Self {
            name,
            meaning,
            predicate: ConstraintPredicate::State(holds),
        }
    }

    /// A constraint on component 0 alone.
    pub const fn shared(
        name: &'static str,
        meaning: &'static str,
        holds: fn(&M, &M::State) -> bool,
    ) -> Self {
        Self {
            name,
            meaning,
            predicate: ConstraintPredicate::Shared(holds),
        }
    }
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
