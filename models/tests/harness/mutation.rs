//! Every conjunct of every guard matters, or it is known why not.
//!
//! A guard without one of its conjuncts allows at least what the whole guard allows. So a dropped
//! conjunct makes a difference to a search exactly if in some reachable state it alone is false:
//! then, and only then, the search has one more step there. (A whole search then generates more
//! states, so that its figures differ too.) The conjuncts without such a state in any of the
//! explorations must be exactly those of a table of redundant ones, each of which has a reason.

use std::collections::BTreeSet;

use plumb_checker::{CheckedModel, DroppedConjunct, Guard};

/// A conjunct that other conjuncts, or what always holds, already imply.
pub(crate) struct Redundant {
    /// The action.
    pub(crate) action: &'static str,
    /// The conjunct's position in the action's guard.
    pub(crate) conjunct: usize,
    /// The conjunct in words, for the reader.
    pub(crate) says: &'static str,
    /// Why it is never the only false one.
    pub(crate) reason: &'static str,
}

/// A model whose guards are rows of conjuncts that can be dropped.
pub(crate) trait Guarded: CheckedModel {
    /// Every action instance, enabled or not.
    fn every_candidate(&self) -> &[Self::Action];
    /// The guard of an action.
    fn guard_of(&self, state: &Self::State, action: &Self::Action) -> Guard;
    /// The model with a conjunct dropped.
    fn without(&self, dropped: DroppedConjunct) -> Self;
}

/// Implements [`Guarded`] by the methods that every model of the crate has.
macro_rules! guarded {
    ($model:ty) => {
        impl $crate::harness::mutation::Guarded for $model {
            fn every_candidate(&self) -> &[<Self as stateright::Model>::Action] {
                self.candidates()
            }

            fn guard_of(
                &self,
                state: &<Self as stateright::Model>::State,
                action: &<Self as stateright::Model>::Action,
            ) -> plumb_checker::Guard {
                self.guard(state, *action)
            }

            fn without(&self, dropped: plumb_checker::DroppedConjunct) -> Self {
                self.clone().without_conjunct(dropped)
            }
        }
    };
}
pub(crate) use guarded;

/// The conjuncts of all guards, as (action, position), and those of them that made no difference.
#[derive(Default)]
pub(crate) struct Conjuncts {
    /// The actions that were looked at; some have guards without conjuncts.
    actions: BTreeSet<usize>,
    all: BTreeSet<(usize, usize)>,
    survivors: BTreeSet<(usize, usize)>,
}

impl Conjuncts {
    /// Takes from the survivors what makes a difference in one of these states.
    pub(crate) fn explore<M: Guarded>(&mut self, model: &M, states: &[M::State]) {
        let initial = &model.init_states()[0];
        for action in model.every_candidate() {
            self.actions.insert(model.action_index(action));
            for conjunct in 0..model.guard_of(initial, action).conjuncts() {
                let conjunct = (model.action_index(action), conjunct);
                if self.all.insert(conjunct) {
                    self.survivors.insert(conjunct);
                }
            }
        }
        for state in states {
            if self.survivors.is_empty() {
                return;
            }
            for action in model.every_candidate() {
                let guard = model.guard_of(state, action);
                if guard.holds() {
                    continue;
                }
                let index = model.action_index(action);
                let alone = (0..guard.conjuncts()).find(|at| guard.without(*at).holds());
                if let Some(conjunct) = alone
                    && self.survivors.remove(&(index, conjunct))
                {
                    assert_mutant_differs(model, state, action, conjunct);
                }
            }
        }
    }

    /// The survivors are those of the table.
    pub(crate) fn assert_redundant<M: CheckedModel>(&self, table: &[Redundant]) {
        let survivors: BTreeSet<(&str, usize)> = self
            .survivors
            .iter()
            .map(|(action, conjunct)| (M::ACTIONS[*action], *conjunct))
            .collect();
        let known: BTreeSet<_> = table
            .iter()
            .map(|entry| (entry.action, entry.conjunct))
            .collect();
        assert_eq!(known.len(), table.len(), "a conjunct is listed twice");
        assert_eq!(
            survivors, known,
            "survivors on the left, the table on the right"
        );
        let explained = |entry: &Redundant| !entry.says.is_empty() && !entry.reason.is_empty();
        assert!(table.iter().all(explained));
        assert_eq!(
            self.actions.len(),
            M::ACTIONS.len(),
            "every action was looked at"
        );
    }
}

/// The mutated model takes one step more than the sound one, the one that the conjunct forbade.
fn assert_mutant_differs<M: Guarded>(
    model: &M,
    state: &M::State,
    action: &M::Action,
    conjunct: usize,
) {
    let dropped = DroppedConjunct {
        action: model.action_index(action),
        conjunct,
    };
    let mutant = model.without(dropped);
    let ways = |model: &M| {
        let mut ways = Vec::new();
        model.successors(state, |action, target| ways.push((action, target)));
        ways
    };
    let (before, after) = (ways(model), ways(&mutant));
    assert!(
        before.iter().all(|way| after.contains(way)),
        "a way is lost"
    );
    assert!(
        after.iter().any(|(found, _)| found == action),
        "the step is not taken"
    );
    assert!(after.len() > before.len());
    assert!(mutant.next_state(state, action.clone()).is_some());
}
