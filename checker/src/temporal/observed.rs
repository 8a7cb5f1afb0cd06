//! A lasso that somebody else found: is it a fair behaviour that violates the property?
//!
//! What decides it is told step by step ([`LassoStep`]) and added up ([`LassoSummary`]). So whoever
//! knows only parts of the states need not look at every way through those that they may be: ways
//! with the same summary between the same states are as good as one.

use std::collections::BTreeSet;

use plumb_tla::Value;

use super::fairness::{Fairness, Strength};
use super::formula::{Literal, Violating};
use crate::model::CheckedModel;

/// An infinite behaviour, state by state: `states[back_to..]` repeats for ever. A behaviour that
/// stutters in its last state goes back to that one.
pub(crate) struct ObservedLasso<S> {
    pub(crate) states: Vec<S>,
    /// Index of the state to which the last one goes back.
    pub(crate) back_to: usize,
}

/// Choices of parameters.
type Instances = BTreeSet<Vec<Value>>;

/// What one step of a behaviour, and the state that it leads out of, mean for one property.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LassoStep {
    /// Of each fairness condition: what is enabled, and what of it is taken.
    owed: Vec<(Instances, Instances)>,
    conjuncts: Vec<Position>,
}

/// How a state stands to the violation of a conjunct.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Position {
    stays: bool,
    triggers: bool,
    visits: Vec<bool>,
}

/// What the steps of a behaviour so far mean for one property. At first there are none.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct LassoSummary {
    /// Of each fairness condition, once the round has begun.
    owed: Vec<Owed>,
    conjuncts: Vec<SoFar>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Owed {
    everywhere: Instances,
    somewhere: Instances,
    taken: Instances,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
struct SoFar {
    /// Whether a state of the round is outside the states to stay among.
    has_left: bool,
    /// Whether the trigger was met, and only states to stay among since.
    waits: bool,
    /// Which of the states to visit the round visits.
    visited: Vec<bool>,
}

impl LassoSummary {
    /// Adds the next step; `in_round` says whether it is one of those that repeat for ever.
    pub fn add(&mut self, step: &LassoStep, in_round: bool) {
        self.conjuncts
            .resize_with(step.conjuncts.len(), SoFar::default);
        for (so_far, position) in self.conjuncts.iter_mut().zip(&step.conjuncts) {
            so_far.waits = position.stays && (so_far.waits || position.triggers);
            if in_round {
                so_far.has_left |= !position.stays;
                so_far.visited.resize(position.visits.len(), false);
                let visits = so_far.visited.iter_mut().zip(&position.visits);
                visits.for_each(|(visited, visits)| *visited |= visits);
            }
        }
        if !in_round {
            return;
        }
        if self.owed.is_empty() {
            let owed = step.owed.iter().cloned();
            self.owed = owed
                .map(|(enabled, taken)| Owed {
                    everywhere: enabled.clone(),
                    somewhere: enabled,
                    taken,
                })
                .collect();
            return;
        }
        for (owed, (enabled, taken)) in self.owed.iter_mut().zip(&step.owed) {
            owed.everywhere
                .retain(|instance| enabled.contains(instance));
            owed.somewhere.extend(enabled.iter().cloned());
            owed.taken.extend(taken.iter().cloned());
        }
    }
}

/// What the step from `state` to `next` means.
pub(crate) fn step<M: CheckedModel>(
    model: &M,
    fairness: &[Fairness],
    conjuncts: &[Violating<M>],
    state: &M::State,
    next: &M::State,
) -> LassoStep {
    let mut owed = vec![(Instances::new(), Instances::new()); fairness.len()];
    if !fairness.is_empty() {
        model.successors(state, |action, target| {
            let name = M::ACTIONS[model.action_index(&action)];
            for (condition, (enabled, taken)) in fairness.iter().zip(&mut owed) {
                if !condition.actions.contains(&name) || target == *state {
                    continue;
                }
                let parameters = if condition.each {
                    model.action_parameters(&action)
                } else {
                    Vec::new()
                };
                if target == *next {
                    taken.insert(parameters.clone());
                }
                enabled.insert(parameters);
            }
        });
    }
    let holds = |literal: &Literal<M>| literal.holds(model, state);
    let conjuncts = conjuncts.iter().map(|conjunct| Position {
        stays: conjunct.stay.iter().all(holds),
        triggers: conjunct.trigger.as_ref().is_some_and(holds),
        visits: conjunct.visit.iter().map(holds).collect(),
    });
    LassoStep {
        owed,
        conjuncts: conjuncts.collect(),
    }
}

/// What is wrong with a behaviour as a counterexample to any of `conjuncts`; nothing if it is one. It
/// names the conjunct that is violated.
pub(crate) fn judge_summary<M: CheckedModel>(
    fairness: &[Fairness],
    conjuncts: &[Violating<M>],
    summary: &LassoSummary,
) -> Result<String, String> {
    if let Some(unfair) = unpaid(fairness, summary) {
        return Err(format!("it is not fair: {unfair}"));
    }
    let mut judged = conjuncts.iter().zip(&summary.conjuncts);
    let violated = judged.find(|(conjunct, so_far)| {
        !so_far.has_left
            && so_far.visited.iter().all(|visited| *visited)
            && (conjunct.trigger.is_none() || so_far.waits)
    });
    violated
        .map(|(conjunct, _)| conjunct.conjunct.clone())
        .ok_or_else(|| "it satisfies the property".to_owned())
}

/// The same of a lasso. That its states are steps of the model is the caller's to check.
pub(crate) fn judge<M: CheckedModel>(
    model: &M,
    fairness: &[Fairness],
    conjuncts: &[Violating<M>],
    lasso: &ObservedLasso<M::State>,
) -> Result<String, String> {
    let ObservedLasso { states, back_to } = lasso;
    let mut summary = LassoSummary::default();
    for (index, state) in states.iter().enumerate() {
        let next = states.get(index + 1).unwrap_or(&states[*back_to]);
        let step = step(model, fairness, conjuncts, state, next);
        summary.add(&step, index >= *back_to);
    }
    judge_summary(fairness, conjuncts, &summary)
}

/// The first fairness condition that the round owes and does not pay.
fn unpaid(fairness: &[Fairness], summary: &LassoSummary) -> Option<String> {
    for (condition, owed) in fairness.iter().zip(&summary.owed) {
        let due = match condition.strength {
            Strength::Weak => &owed.everywhere,
            Strength::Strong => &owed.somewhere,
        };
        if let Some(parameters) = due.difference(&owed.taken).next() {
            let parameters: Vec<String> = parameters.iter().map(Value::to_string).collect();
            let of = if parameters.is_empty() { "" } else { " for " };
            return Some(format!(
                "{condition}{of}{} is enabled and not taken",
                parameters.join(", ")
            ));
        }
    }
    None
}
