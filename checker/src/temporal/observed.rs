//! A lasso that somebody else found: is it a fair behaviour that violates the property?

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

/// What is wrong with an observed lasso as a counterexample to any of `conjuncts`; nothing if it
/// is one. It names the conjunct that is violated.
///
/// That the states are steps of the model is the caller's to check.
pub(crate) fn judge<M: CheckedModel>(
    model: &M,
    fairness: &[Fairness],
    conjuncts: &[Violating<M>],
    lasso: &ObservedLasso<M::State>,
) -> Result<String, String> {
    if let Some(unfair) = unpaid(model, fairness, lasso) {
        return Err(format!("it is not fair: {unfair}"));
    }
    let violated = conjuncts
        .iter()
        .find(|conjunct| violates(model, conjunct, lasso));
    violated
        .map(|conjunct| conjunct.conjunct.clone())
        .ok_or_else(|| "it satisfies the property".to_owned())
}

fn violates<M: CheckedModel>(
    model: &M,
    conjunct: &Violating<M>,
    lasso: &ObservedLasso<M::State>,
) -> bool {
    let round = &lasso.states[lasso.back_to..];
    let stays = |state: &M::State| {
        conjunct
            .stay
            .iter()
            .all(|literal| literal.holds(model, state))
    };
    let visits = |literal: &Literal<M>| round.iter().any(|state| literal.holds(model, state));
    if !round.iter().all(stays) || !conjunct.visit.iter().all(visits) {
        return false;
    }
    let Some(trigger) = &conjunct.trigger else {
        return true;
    };
    // The trigger, and from there on the way into the round, which it may be a part of.
    let waiting = lasso
        .states
        .iter()
        .rposition(|state| !stays(state))
        .map_or(0, |last| last + 1);
    lasso.states[waiting..]
        .iter()
        .any(|state| trigger.holds(model, state))
}

/// The first fairness condition that the round owes and does not pay.
fn unpaid<M: CheckedModel>(
    model: &M,
    fairness: &[Fairness],
    lasso: &ObservedLasso<M::State>,
) -> Option<String> {
    let round = &lasso.states[lasso.back_to..];
    for owed in fairness {
        let mut everywhere: Option<BTreeSet<Vec<Value>>> = None;
        let mut somewhere = BTreeSet::new();
        let mut taken = BTreeSet::new();
        for (index, state) in round.iter().enumerate() {
            let next = &round[(index + 1) % round.len()];
            let mut enabled = BTreeSet::new();
            model.successors(state, |action, target| {
                let name = M::ACTIONS[model.action_index(&action)];
                if owed.actions.contains(&name) && target != *state {
                    let parameters = if owed.each {
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
            somewhere.extend(enabled.iter().cloned());
            everywhere = Some(match everywhere {
                None => enabled,
                Some(before) => before.intersection(&enabled).cloned().collect(),
            });
        }
        let due = match owed.strength {
            Strength::Weak => everywhere.unwrap_or_default(),
            Strength::Strong => somewhere,
        };
        if let Some(parameters) = due.difference(&taken).next() {
            let parameters: Vec<String> = parameters.iter().map(Value::to_string).collect();
            let of = if parameters.is_empty() { "" } else { " for " };
            return Some(format!(
                "{owed}{of}{} is enabled and not taken",
                parameters.join(", ")
            ));
        }
    }
    None
}
