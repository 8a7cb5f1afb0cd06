//! What a cfg chose from a model's tables, resolved to predicates in the cfg's order.

use plumb_tla::{Cfg, Position, Spanned};

use crate::configuration::ConfigurationError;
use crate::model::CheckedModel;
use crate::property::{
    Constraint, ConstraintPredicate, Invariant, Predicate, StepPredicate, StepProperty,
};
use crate::report::{PropertyKind, Verdict};
use crate::temporal::{Undecidable, Violating, violating};

/// A predicate at the bottom of an invariant: itself, or one conjunct of a conjunction.
pub(crate) struct Leaf<M: CheckedModel> {
    pub(crate) name: &'static str,
    holds: LeafPredicate<M>,
}

enum LeafPredicate<M: CheckedModel> {
    State(fn(&M, &M::State) -> bool),
    Component(fn(&M, &M::State, usize) -> bool),
    Constant(OverConstants<M>),
}

impl<M: CheckedModel> Leaf<M> {
    pub(crate) fn holds(&self, model: &M, state: &M::State, components: usize) -> bool {
        match self.holds {
            LeafPredicate::State(holds) => holds(model, state),
            LeafPredicate::Component(holds) => {
                (0..components).all(|component| holds(model, state, component))
            }
            LeafPredicate::Constant(holds) => holds(model),
        }
    }
}

/// An invariant of the cfg that depends on the state.
pub(crate) struct ChosenInvariant<M: CheckedModel> {
    pub(crate) name: &'static str,
    /// Place among the properties of the cfg, which decides between violations of one level.
    pub(crate) order: usize,
    pub(crate) leaves: Vec<Leaf<M>>,
    pub(crate) is_conjunction: bool,
}

impl<M: CheckedModel> ChosenInvariant<M> {
    /// The verdict for a state in which `leaf` is the first false conjunct.
    pub(crate) fn violated(&self, leaf: usize) -> Verdict {
        Verdict::Violated {
            property: self.name.to_owned(),
            kind: PropertyKind::Invariant,
            conjunct: self
                .is_conjunction
                .then(|| self.leaves[leaf].name.to_owned()),
        }
    }
}

/// A predicate over the constants that a model carries.
type OverConstants<M> = fn(&M) -> bool;

/// A condition on constants: decided before the search.
pub(crate) struct ChosenAssumption<M: CheckedModel> {
    pub(crate) name: &'static str,
    pub(crate) conjuncts: Vec<(&'static str, OverConstants<M>)>,
}

/// A temporal property of the cfg.
pub(crate) struct ChosenTemporal<M: CheckedModel> {
    pub(crate) name: &'static str,
    /// Where the cfg names it.
    position: Position,
    /// The behaviours that violate each of its conjuncts.
    pub(crate) conjuncts: Vec<Violating<M>>,
}

/// A property that a cfg chose, as `plumb show` tells it.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct PropertyDescription {
    /// The operator's name in the module.
    pub name: &'static str,
    /// How it is checked.
    pub kind: PropertyKind,
    /// What it says, in words.
    pub meaning: &'static str,
    /// Names and meanings of its conjuncts, if it is a conjunction.
    pub conjuncts: Vec<(&'static str, &'static str)>,
}

/// Everything that a cfg chose, in its order.
pub(crate) struct Selection<M: CheckedModel> {
    pub(crate) assumptions: Vec<ChosenAssumption<M>>,
    pub(crate) invariants: Vec<ChosenInvariant<M>>,
    pub(crate) steps: Vec<(usize, StepProperty<M>)>,
    pub(crate) temporal: Vec<ChosenTemporal<M>>,
    pub(crate) constraints: Vec<Constraint<M>>,
    pub(crate) deadlock: bool,
    /// How many components a state has; 1 if the model names none.
    pub(crate) components: usize,
    pub(crate) descriptions: Vec<PropertyDescription>,
}

impl<M: CheckedModel> Selection<M> {
    pub(crate) fn from_cfg(cfg: &Cfg, model: &M) -> Result<Self, ConfigurationError> {
        let mut selection = Self {
            assumptions: Vec::new(),
            invariants: Vec::new(),
            steps: Vec::new(),
            temporal: Vec::new(),
            constraints: Vec::new(),
            deadlock: cfg.check_deadlock.as_ref().is_some_and(|check| check.value),
            components: M::composition().map_or(1, |composition| (composition.count)(model).max(1)),
            descriptions: Vec::new(),
        };
        for assumption in M::assumptions() {
            selection.assumptions.push(ChosenAssumption {
                name: assumption.name,
                conjuncts: vec![(assumption.name, assumption.holds)],
            });
        }
        let mut chosen: Vec<(&Spanned<String>, bool)> = Vec::new();
        chosen.extend(cfg.invariants.iter().map(|name| (name, true)));
        chosen.extend(cfg.properties.iter().map(|name| (name, false)));
        chosen.sort_by_key(|(name, _)| name.position);
        let mut named: Vec<(&String, bool)> = Vec::new();
        for (order, (name, is_invariant)) in chosen.into_iter().enumerate() {
            if named.contains(&(&name.value, is_invariant)) {
                continue; // one check says as much as two
            }
            named.push((&name.value, is_invariant));
            if is_invariant {
                selection.choose_invariant(order, name)?;
            } else {
                selection.choose_property(order, name, model)?;
            }
        }
        for name in &cfg.constraints {
            let chosen = &selection.constraints;
            if chosen.iter().any(|known| known.name == name.value) {
                continue;
            }
            let mut table = M::constraints();
            match table
                .iter()
                .position(|constraint| constraint.name == name.value)
            {
                Some(index) => selection.constraints.push(table.swap_remove(index)),
                None => {
                    let known = table.iter().map(|constraint| constraint.name);
                    return Err(unknown("constraint", name, known, None));
                }
            }
        }
        if let (Some(temporal), Some(constraint)) =
            (selection.temporal.first(), selection.constraints.first())
        {
            return Err(ConfigurationError::TemporalUnderConstraint {
                name: temporal.name.to_owned(),
                position: temporal.position,
                constraint: constraint.name.to_owned(),
            });
        }
        Ok(selection)
    }

    fn choose_invariant(
        &mut self,
        order: usize,
        name: &Spanned<String>,
    ) -> Result<(), ConfigurationError> {
        let table = M::invariants();
        let Some(invariant) = table.iter().find(|invariant| invariant.name == name.value) else {
            let steps = M::step_properties();
            let temporal = M::temporal_properties();
            let properties = steps.iter().map(|step| step.name);
            let hint = properties
                .chain(temporal.iter().map(|property| property.name))
                .any(|property| property == name.value)
                .then(|| format!("{} is no invariant: list it under PROPERTY", name.value));
            let known = table.iter().map(|invariant| invariant.name);
            return Err(unknown("invariant", name, known, hint));
        };
        let mut found = Vec::new();
        collect_leaves(&table, invariant, &mut found);
        let is_conjunction = matches!(invariant.predicate, Predicate::All(_));
        let conjuncts = found.iter().map(|leaf| (leaf.name, leaf.meaning));
        let conjuncts = if is_conjunction {
            conjuncts.collect()
        } else {
            Vec::new()
        };
        let constants: Option<Vec<_>> = found
            .iter()
            .map(|leaf| match leaf.predicate {
                Predicate::Constant(holds) => Some((leaf.name, holds)),
                _ => None,
            })
            .collect();
        let kind = match constants {
            Some(conjuncts) => {
                self.assumptions.push(ChosenAssumption {
                    name: invariant.name,
                    conjuncts,
                });
                PropertyKind::Assumption
            }
            None => {
                let leaves = found
                    .iter()
                    .filter_map(|leaf| {
                        let holds = match leaf.predicate {
                            Predicate::State(holds) => LeafPredicate::State(holds),
                            Predicate::Component(holds) => LeafPredicate::Component(holds),
                            Predicate::Constant(holds) => LeafPredicate::Constant(holds),
                            Predicate::All(_) => return None,
                        };
                        Some(Leaf {
                            name: leaf.name,
                            holds,
                        })
                    })
                    .collect();
                self.invariants.push(ChosenInvariant {
                    name: invariant.name,
                    order,
                    leaves,
                    is_conjunction,
                });
                PropertyKind::Invariant
            }
        };
        self.descriptions.push(PropertyDescription {
            name: invariant.name,
            kind,
            meaning: invariant.meaning,
            conjuncts,
        });
        Ok(())
    }

    fn choose_property(
        &mut self,
        order: usize,
        name: &Spanned<String>,
        model: &M,
    ) -> Result<(), ConfigurationError> {
        let mut steps = M::step_properties();
        let temporal = M::temporal_properties();
        let describe = |name, kind, meaning, conjuncts| PropertyDescription {
            name,
            kind,
            meaning,
            conjuncts,
        };
        if let Some(index) = steps.iter().position(|step| step.name == name.value) {
            let step = steps.swap_remove(index);
            let kind = PropertyKind::Step;
            self.descriptions
                .push(describe(step.name, kind, step.meaning, Vec::new()));
            self.steps.push((order, step));
            return Ok(());
        }
        if let Some(property) = temporal.iter().find(|property| property.name == name.value) {
            let conjuncts =
                violating((property.formula)(model)).map_err(|Undecidable(formula)| {
                    ConfigurationError::UndecidableFormula {
                        name: name.value.clone(),
                        position: name.position,
                        formula,
                    }
                })?;
            let kind = PropertyKind::Temporal;
            self.descriptions
                .push(describe(property.name, kind, property.meaning, Vec::new()));
            let (name, position) = (property.name, name.position);
            self.temporal.push(ChosenTemporal {
                name,
                position,
                conjuncts,
            });
            return Ok(());
        }
        let hint = M::invariants()
            .iter()
            .any(|invariant| invariant.name == name.value)
            .then(|| format!("{} is an invariant: list it under INVARIANT", name.value));
        let steps = steps.iter().map(|step| step.name);
        let known = steps.chain(temporal.iter().map(|property| property.name));
        Err(unknown("property", name, known, hint))
    }

    /// The verdict for constants that violate an assumption.
    pub(crate) fn failed_assumption(&self, model: &M) -> Option<Verdict> {
        self.assumptions.iter().find_map(|assumption| {
            let (conjunct, _) = assumption
                .conjuncts
                .iter()
                .find(|(_, holds)| !holds(model))?;
            Some(Verdict::Assumption {
                name: assumption.name.to_owned(),
                conjunct: (*conjunct != assumption.name).then(|| (*conjunct).to_owned()),
            })
        })
    }

    /// Whether everything that was chosen can be decided by component.
    pub(crate) fn is_by_component(&self) -> bool {
        let mut leaves = self.invariants.iter().flat_map(|chosen| &chosen.leaves);
        self.temporal.is_empty()
            && leaves.all(|leaf| !matches!(leaf.holds, LeafPredicate::State(_)))
            && (self.steps.iter())
                .all(|(_, step)| matches!(step.predicate, StepPredicate::Component(_)))
            && (self.constraints.iter())
                .all(|within| matches!(within.predicate, ConstraintPredicate::Shared(_)))
    }

    /// Whether the invariants over one component hold.
    pub(crate) fn component_holds(&self, model: &M, state: &M::State, component: usize) -> bool {
        let mut leaves = self.invariants.iter().flat_map(|chosen| &chosen.leaves);
        leaves.all(|leaf| match leaf.holds {
            LeafPredicate::Component(holds) => holds(model, state, component),
            LeafPredicate::Constant(holds) => holds(model),
            LeafPredicate::State(_) => false,
        })
    }

    /// Whether a step is one that the step properties over one component allow.
    pub(crate) fn component_step_holds(
        &self,
        model: &M,
        before: &M::State,
        after: &M::State,
        component: usize,
    ) -> bool {
        self.steps.iter().all(|(_, step)| match step.predicate {
            StepPredicate::Component(holds) => holds(model, before, after, component),
            StepPredicate::Step(_) => false,
        })
    }

    /// Whether `state` is inside every chosen constraint.
    pub(crate) fn within_constraint(&self, model: &M, state: &M::State) -> bool {
        self.constraints
            .iter()
            .all(|constraint| constraint.predicate.holds(model, state))
    }

    /// The first invariant that `state` violates, as (index of the invariant, index of its leaf).
    pub(crate) fn first_violated(&self, model: &M, state: &M::State) -> Option<(usize, usize)> {
        self.invariants
            .iter()
            .enumerate()
            .find_map(|(index, invariant)| {
                let leaf = invariant
                    .leaves
                    .iter()
                    .position(|leaf| !leaf.holds(model, state, self.components))?;
                Some((index, leaf))
            })
    }
}

/// Resolves a conjunction down to its predicates, in order, each once.
///
/// A conjunct that is not in the table, or a conjunction that contains itself, is a defect of the
/// model and not of a cfg; such names are passed over here and found by [`table_fault`], which
/// registering a model calls.
fn collect_leaves<'t, M: CheckedModel>(
    table: &'t [Invariant<M>],
    invariant: &'t Invariant<M>,
    found: &mut Vec<&'t Invariant<M>>,
) {
    let mut open = vec![invariant];
    let mut seen: Vec<&str> = Vec::new();
    while let Some(next) = open.pop() {
        if seen.contains(&next.name) {
            continue;
        }
        seen.push(next.name);
        match next.predicate {
            Predicate::All(names) => {
                let conjuncts = names
                    .iter()
                    .filter_map(|name| table.iter().find(|other| other.name == *name));
                // In reverse, since the last one pushed is the next one taken.
                open.extend(conjuncts.rev());
            }
            Predicate::State(_) | Predicate::Component(_) | Predicate::Constant(_) => {
                found.push(next);
            }
        }
    }
}

/// What is wrong with a model's tables, whatever a cfg chooses from them.
pub(crate) fn table_fault<M: CheckedModel>() -> Option<String> {
    let invariants = M::invariants();
    let (steps, temporal) = (M::step_properties(), M::temporal_properties());
    let constraints = M::constraints();
    let properties = (invariants.iter().map(|invariant| invariant.name))
        .chain(steps.iter().map(|step| step.name))
        .chain(temporal.iter().map(|property| property.name));
    // Of two entries with one name only the first would ever be found.
    if let Some(name) = repeated(properties)
        .or_else(|| repeated(constraints.iter().map(|constraint| constraint.name)))
        .or_else(|| repeated(M::ACTIONS.iter().copied()))
    {
        return Some(format!("{name} is defined twice"));
    }
    let conjunctions = invariants
        .iter()
        .filter_map(|invariant| match invariant.predicate {
            Predicate::All(conjuncts) => Some((invariant.name, conjuncts)),
            Predicate::State(_) | Predicate::Component(_) | Predicate::Constant(_) => None,
        });
    for (name, conjuncts) in conjunctions {
        // It would hold whatever happens.
        if conjuncts.is_empty() {
            return Some(format!("the conjunction {name} has no conjuncts"));
        }
        let undefined = conjuncts
            .iter()
            .find(|conjunct| invariants.iter().all(|other| other.name != **conjunct));
        if let Some(undefined) = undefined {
            return Some(format!("{name} names {undefined}, which is no invariant"));
        }
        if contains(&invariants, conjuncts, name) {
            return Some(format!("the conjunction {name} contains itself"));
        }
    }
    None
}

/// Whether `name` is among the conjuncts, or theirs, and so on.
fn contains<M: CheckedModel>(
    table: &[Invariant<M>],
    conjuncts: &[&'static str],
    name: &str,
) -> bool {
    let mut open = conjuncts.to_vec();
    let mut seen = Vec::new();
    while let Some(next) = open.pop() {
        if next == name {
            return true;
        }
        if seen.contains(&next) {
            continue;
        }
        seen.push(next);
        let entry = table.iter().find(|invariant| invariant.name == next);
        if let Some(Predicate::All(conjuncts)) = entry.map(|invariant| &invariant.predicate) {
            open.extend(*conjuncts);
        }
    }
    false
}

/// The first name that occurs a second time.
fn repeated(names: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    let mut seen = Vec::new();
    for name in names {
        if seen.contains(&name) {
            return Some(name);
        }
        seen.push(name);
    }
    None
}

fn unknown(
    kind: &'static str,
    name: &Spanned<String>,
    known: impl Iterator<Item = &'static str>,
    hint: Option<String>,
) -> ConfigurationError {
    ConfigurationError::UnknownName {
        kind,
        name: name.value.clone(),
        position: name.position,
        known: known.map(str::to_owned).collect(),
        hint,
    }
}
