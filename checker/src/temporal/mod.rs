//! Temporal properties under fairness, decided on the complete state graph.
//!
//! A conjunct of a property is violated by a behaviour that, from some point on, stays among
//! certain states and visits others again and again ([`formula`]). A behaviour of a finite graph
//! ends up going round in one strongly connected part of it, or stuttering in one state, which is
//! such a part too. So the search looks at the components of the subgraph of the states it may
//! stay among: one that has all that must be visited, and that a fair behaviour can stay in, is a
//! counterexample, and its round trip becomes a lasso.
//!
//! A behaviour that goes round a whole component is fair to an action that is disabled in one of
//! its states or taken by one of its steps, if the action is owed weakly. One that is owed
//! strongly must be taken if it is enabled anywhere; where it is not, its states are removed and
//! the rest is decomposed again (Emerson and Lei 1987).
//!
//! Nothing here recurses: a graph may be one path of a million states.

mod bits;
mod components;
mod fairness;
mod formula;
mod graph;
mod lasso;
mod observed;

use rayon::ThreadPool;
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::model::CheckedModel;
use bits::StateSet;
use components::Components;
pub use fairness::{Fairness, Strength};
pub use formula::{Formula, TemporalProperty};
pub(crate) use formula::{Literal, Undecidable, Violating, violating};
pub(crate) use graph::{GraphError, StateGraph};
pub(crate) use lasso::Behaviour;
pub use observed::{LassoStep, LassoSummary};
pub(crate) use observed::{ObservedLasso, judge, judge_summary, step};

/// The sets of states that one conjunct's violation is made of.
struct Sets {
    /// The states to stay among.
    stay: StateSet,
    /// Each of these must be visited again and again.
    visit: Vec<StateSet>,
    /// Where the behaviour must have been before it stays, if anywhere.
    trigger: Option<StateSet>,
}

/// The behaviour that violates the conjunct, if there is a fair one.
pub(crate) fn violation<M: CheckedModel>(
    model: &M,
    graph: &StateGraph,
    conjunct: &Violating<M>,
    pool: Option<&ThreadPool>,
) -> Option<Behaviour> {
    let mut sets = evaluate(model, graph, conjunct, pool);
    let members: Vec<u32> = match &sets.trigger {
        None => sets.stay.iter().collect(),
        Some(trigger) => {
            // A behaviour that was triggered and still waits: what is reachable without leaving.
            let start = trigger
                .iter()
                .filter(|state| sets.stay.contains(*state))
                .collect();
            let reached = reachable(graph, start, &sets.stay);
            sets.stay = StateSet::from_members(graph.len(), &reached);
            reached
        }
    };
    let component = least_fair_component(graph, &sets, members)?;
    Some(lasso::build(graph, &sets, &component))
}

/// Evaluates the predicates of a conjunct in every state.
fn evaluate<M: CheckedModel>(
    model: &M,
    graph: &StateGraph,
    conjunct: &Violating<M>,
    pool: Option<&ThreadPool>,
) -> Sets {
    // One word of 64 states at a time, for as many predicates as there are.
    let words = graph.len().div_ceil(64);
    let predicates = 2 + conjunct.visit.len();
    let word = |number: usize| {
        let mut word = vec![0_u64; predicates];
        for rank in number * 64..graph.len().min((number + 1) * 64) {
            let Some(state) = model.decode(graph.bytes(rank as u32)) else {
                continue;
            };
            let holds = |literal: &Literal<M>| literal.holds(model, &state);
            let bit = |truth: bool| u64::from(truth) << (rank % 64);
            word[0] |= bit(conjunct.stay.iter().all(holds));
            word[1] |= bit(conjunct.trigger.as_ref().is_some_and(holds));
            for (visited, literal) in word[2..].iter_mut().zip(&conjunct.visit) {
                *visited |= bit(holds(literal));
            }
        }
        word
    };
    let words: Vec<Vec<u64>> = match pool {
        Some(pool) => pool.install(|| (0..words).into_par_iter().map(word).collect()),
        None => (0..words).map(word).collect(),
    };
    let set =
        |predicate: usize| StateSet::from_words(words.iter().map(|word| word[predicate]).collect());
    Sets {
        stay: set(0),
        trigger: conjunct.trigger.as_ref().map(|_| set(1)),
        visit: (2..predicates).map(set).collect(),
    }
}

/// The states that can be reached from `start` without leaving `inside`, in ascending order.
fn reachable(graph: &StateGraph, start: Vec<u32>, inside: &StateSet) -> Vec<u32> {
    let mut seen = StateSet::from_members(graph.len(), &start);
    let mut reached = start;
    let mut next = 0;
    while let Some(state) = reached.get(next).copied() {
        next += 1;
        for step in graph.steps(state) {
            let target = graph.target(step);
            if inside.contains(target) && seen.insert(target) {
                reached.push(target);
            }
        }
    }
    reached.sort_unstable();
    reached
}

/// Of all parts in which a fair behaviour can go round as wanted, the one with the least state.
fn least_fair_component(graph: &StateGraph, sets: &Sets, members: Vec<u32>) -> Option<Vec<u32>> {
    let mut components = Components::new(graph.len());
    // The part of the graph that a state is in, so that parts can be told apart; 0 is outside.
    let mut part = vec![0_u32; graph.len()];
    let mut least: Option<Vec<u32>> = None;
    let mut open = vec![members];
    let mut number = 0;
    while let Some(members) = open.pop() {
        number += 1;
        for member in &members {
            part[*member as usize] = number;
        }
        let mut found = Vec::new();
        let inside = |state: u32| part[state as usize] == number;
        components.decompose(graph, &members, inside, |component| {
            let better = least.as_ref().is_none_or(|known| component[0] < known[0]);
            if better
                && sets
                    .visit
                    .iter()
                    .all(|set| component.iter().any(|s| set.contains(*s)))
            {
                found.push(component);
            }
        });
        for component in found {
            number += 1;
            for member in &component {
                part[*member as usize] = number;
            }
            let owed = Owed::by(graph, &component, |state| part[state as usize] == number);
            if owed.weakly(graph) != 0 {
                continue; // No part of it can pay that debt.
            }
            let strongly = owed.strongly(graph);
            if strongly == 0 {
                if least.as_ref().is_none_or(|known| component[0] < known[0]) {
                    least = Some(component);
                }
                continue;
            }
            let rest: Vec<u32> = component
                .into_iter()
                .filter(|state| graph.enabled(*state) & strongly == 0)
                .collect();
            if !rest.is_empty() {
                open.push(rest);
            }
        }
    }
    least
}

/// What going round a component says about each fairness condition.
struct Owed {
    enabled_everywhere: u64,
    enabled_somewhere: u64,
    taken: u64,
}

impl Owed {
    fn by(graph: &StateGraph, component: &[u32], inside: impl Fn(u32) -> bool) -> Self {
        let mut owed = Self {
            enabled_everywhere: u64::MAX,
            enabled_somewhere: 0,
            taken: 0,
        };
        for state in component {
            let enabled = graph.enabled(*state);
            owed.enabled_everywhere &= enabled;
            owed.enabled_somewhere |= enabled;
            for step in graph.steps(*state) {
                if inside(graph.target(step)) {
                    owed.taken |= graph.taken(step);
                }
            }
        }
        owed
    }

    /// The weak conditions that it violates.
    fn weakly(&self, graph: &StateGraph) -> u64 {
        self.enabled_everywhere & graph.weak & !self.taken
    }

    /// The strong conditions that it violates.
    fn strongly(&self, graph: &StateGraph) -> u64 {
        self.enabled_somewhere & graph.strong & !self.taken
    }
}
