//! Every conjunct of every guard matters, or it is known why not.
//!
//! A guard without one of its conjuncts allows at least what the whole guard allows. So a dropped
//! conjunct makes a difference to a search exactly if in some reachable state it alone is false:
//! then, and only then, the search has one more step there. (A whole search then generates more
//! states, so that its figures differ too.)
//!
//! The test looks for such a state, for each conjunct, in explorations of the sound and the broken
//! specifications without any property; there the mutated model itself must take the step. The
//! conjuncts without one must be exactly those of the table of redundant ones, each of which has a
//! reason.

use std::collections::BTreeSet;

use plumb_checker::{CheckedModel, DroppedConjunct, Guard};
use plumb_models::{ClaimScopedWorker, QueueLifecycle};

use crate::redundant::{CLAIM_SCOPE, LIFECYCLE, Redundant};
use crate::setting::{BROKEN, SPECIFICATIONS, claim_scope, lifecycle};
use crate::walk::reachable;

/// A model whose guards are rows of conjuncts that can be dropped.
trait Guarded: CheckedModel {
    fn every_candidate(&self) -> &[Self::Action];
    fn guard_of(&self, state: &Self::State, action: &Self::Action) -> Guard;
    fn without(&self, dropped: DroppedConjunct) -> Self;
}

impl Guarded for ClaimScopedWorker {
    fn every_candidate(&self) -> &[Self::Action] {
        self.candidates()
    }

    fn guard_of(&self, state: &Self::State, action: &Self::Action) -> Guard {
        self.guard(state, *action)
    }

    fn without(&self, dropped: DroppedConjunct) -> Self {
        self.clone().without_conjunct(dropped)
    }
}

impl Guarded for QueueLifecycle {
    fn every_candidate(&self) -> &[Self::Action] {
        self.candidates()
    }

    fn guard_of(&self, state: &Self::State, action: &Self::Action) -> Guard {
        self.guard(state, *action)
    }

    fn without(&self, dropped: DroppedConjunct) -> Self {
        self.clone().without_conjunct(dropped)
    }
}

/// The conjuncts of all guards, as (action, position), and those of them that made no difference.
#[derive(Default)]
struct Conjuncts {
    all: BTreeSet<(usize, usize)>,
    survivors: BTreeSet<(usize, usize)>,
}

impl Conjuncts {
    /// Takes from the survivors what makes a difference in the states of `model`.
    fn explore<M: Guarded>(&mut self, model: &M, limit: usize) {
        let initial = &model.init_states()[0];
        for action in model.every_candidate() {
            for conjunct in 0..model.guard_of(initial, action).conjuncts() {
                let conjunct = (model.action_index(action), conjunct);
                if self.all.insert(conjunct) {
                    self.survivors.insert(conjunct);
                }
            }
        }
        for state in reachable(model, limit) {
            if self.survivors.is_empty() {
                return;
            }
            for action in model.every_candidate() {
                let guard = model.guard_of(&state, action);
                if guard.holds() {
                    continue;
                }
                let index = model.action_index(action);
                let alone = (0..guard.conjuncts()).find(|at| guard.without(*at).holds());
                if let Some(conjunct) = alone
                    && self.survivors.remove(&(index, conjunct))
                {
                    assert_mutant_differs(model, &state, action, conjunct);
                }
            }
        }
    }

    fn assert_redundant<M: CheckedModel>(&self, table: &[Redundant]) {
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
        assert!(
            table
                .iter()
                .all(|entry| !entry.says.is_empty() && !entry.reason.is_empty())
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

#[test]
fn every_conjunct_of_claim_scope_matters_or_is_known_to_be_redundant() {
    let mut conjuncts = Conjuncts::default();
    for count in [1, 3] {
        for specification in SPECIFICATIONS {
            conjuncts.explore(&claim_scope(specification, count), usize::MAX);
        }
    }
    conjuncts.assert_redundant::<ClaimScopedWorker>(CLAIM_SCOPE);
}

#[test]
fn every_conjunct_of_lifecycle_matters_or_is_known_to_be_redundant() {
    let mut conjuncts = Conjuncts::default();
    for (groups, epochs) in [(1, 1), (1, 2)] {
        for broken in BROKEN {
            conjuncts.explore(&lifecycle(broken, groups, epochs), usize::MAX);
        }
    }
    conjuncts.explore(&lifecycle("none", 2, 1), usize::MAX);
    // Their whole spaces have hundreds of thousands of states each, and more.
    for (groups, epochs) in [(2, 1), (2, 2)] {
        for broken in BROKEN {
            conjuncts.explore(&lifecycle(broken, groups, epochs), 30_000);
        }
    }
    conjuncts.assert_redundant::<QueueLifecycle>(LIFECYCLE);
}
