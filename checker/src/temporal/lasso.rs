//! From a fair component to a behaviour that a person can follow: a path there, and a round trip.

use std::collections::{BTreeMap, VecDeque};

use super::Sets;
use super::bits::StateSet;
use super::graph::{Conditions, StateGraph};

/// An infinite behaviour, by ranks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Behaviour {
    /// From an initial state to where the round trip begins, that state included.
    pub(crate) stem: Vec<u32>,
    /// The states after it up to the last one before it comes back there; empty if the behaviour
    /// stutters in the last state of the stem.
    pub(crate) round: Vec<u32>,
}

/// Something that the round trip has to meet.
#[derive(Clone, Copy)]
enum Goal {
    /// A state of the set at this place of [`Sets::visit`].
    Visit(usize),
    /// A state in which the action is disabled, or a step that takes it.
    Weak(Conditions),
    /// A step that takes the action.
    Strong(Conditions),
}

/// The behaviour that enters the component in its least state and goes round as it must.
pub(crate) fn build(graph: &StateGraph, sets: &Sets, component: &[u32]) -> Behaviour {
    let entry = component[0];
    let stem = match &sets.trigger {
        None => graph.least_path(entry),
        Some(_) => triggered_path(graph, sets, entry),
    };
    let mut walk = Walk {
        graph,
        sets,
        component,
        current: entry,
        round: Vec::new(),
    };
    let mut goals = goals(graph, sets, component);
    // What the first state meets needs no step.
    goals.retain(|goal| !walk.met_in(entry, *goal));
    while let Some(goal) = goals.first().copied() {
        let start = walk.round.len();
        if !walk.go(goal) {
            break; // A component that was found fair meets every goal.
        }
        goals.remove(0);
        let steps = walk.steps_since(start, entry);
        goals.retain(|goal| {
            !steps
                .iter()
                .any(|(from, to)| walk.met_in(*to, *goal) || walk.met_by_step(*from, *to, *goal))
        });
    }
    walk.go_back(entry);
    let mut round = walk.round;
    if round.last() == Some(&entry) {
        round.pop();
    }
    Behaviour { stem, round }
}

/// The least path through a trigger to the entry, staying inside from the trigger on.
fn triggered_path(graph: &StateGraph, sets: &Sets, entry: u32) -> Vec<u32> {
    let triggers = sets.trigger.iter().flat_map(StateSet::iter);
    let start: Vec<u32> = triggers
        .filter(|state| sets.stay.contains(*state))
        .collect();
    let inside = |state: u32| sets.stay.contains(state);
    let waiting = shortest(graph, &start, inside, |state| state == entry, |_| false);
    match waiting {
        Some(waiting) => {
            let mut path = graph.least_path(waiting[0]);
            path.extend(&waiting[1..]);
            path
        }
        // The entry was found by going there from a trigger.
        None => graph.least_path(entry),
    }
}

fn goals(graph: &StateGraph, sets: &Sets, component: &[u32]) -> Vec<Goal> {
    let mut goals: Vec<Goal> = (0..sets.visit.len()).map(Goal::Visit).collect();
    let enabled = component
        .iter()
        .fold(0, |all, state| all | graph.enabled(*state));
    for condition in graph
        .conditions
        .iter()
        .filter(|condition| **condition & enabled != 0)
    {
        if condition & graph.weak != 0 {
            goals.push(Goal::Weak(*condition));
        } else {
            goals.push(Goal::Strong(*condition));
        }
    }
    goals
}

struct Walk<'a> {
    graph: &'a StateGraph,
    sets: &'a Sets,
    /// In ascending order.
    component: &'a [u32],
    current: u32,
    round: Vec<u32>,
}

impl Walk<'_> {
    fn met_in(&self, state: u32, goal: Goal) -> bool {
        match goal {
            Goal::Visit(index) => self.sets.visit[index].contains(state),
            Goal::Weak(condition) => self.graph.enabled(state) & condition == 0,
            Goal::Strong(_) => false,
        }
    }

    fn met_by_step(&self, from: u32, to: u32, goal: Goal) -> bool {
        let (Goal::Weak(condition) | Goal::Strong(condition)) = goal else {
            return false;
        };
        let mut steps = self.graph.steps(from);
        steps.any(|step| self.graph.target(step) == to && self.graph.taken(step) & condition != 0)
    }

    /// Goes on to the nearest place that meets the goal; whether there is one.
    fn go(&mut self, goal: Goal) -> bool {
        let path = shortest(
            self.graph,
            &[self.current],
            |state| self.component.binary_search(&state).is_ok(),
            |state| self.met_in(state, goal),
            |step| match goal {
                Goal::Visit(_) => false,
                Goal::Weak(condition) | Goal::Strong(condition) => {
                    self.graph.taken(step) & condition != 0
                }
            },
        );
        self.follow(path)
    }

    /// Goes back to the entry; nothing to do for a walk that never left it.
    fn go_back(&mut self, entry: u32) {
        if !self.round.is_empty() && self.current != entry {
            let path = shortest(
                self.graph,
                &[self.current],
                |state| self.component.binary_search(&state).is_ok(),
                |state| state == entry,
                |_| false,
            );
            self.follow(path);
        }
    }

    fn follow(&mut self, path: Option<Vec<u32>>) -> bool {
        let Some(path) = path else { return false };
        self.round.extend(&path[1..]);
        self.current = path[path.len() - 1];
        true
    }

    /// The steps walked from the given length of the round on.
    fn steps_since(&self, start: usize, entry: u32) -> Vec<(u32, u32)> {
        let from = if start == 0 {
            entry
        } else {
            self.round[start - 1]
        };
        let froms = std::iter::once(from).chain(self.round[start..].iter().copied());
        froms.zip(self.round[start..].iter().copied()).collect()
    }
}

/// A shortest path inside a part of the graph, from one of `start` to a state that is wanted, or
/// over a step that is wanted. Ties go to the least ranks, in the order of the search.
fn shortest(
    graph: &StateGraph,
    start: &[u32],
    inside: impl Fn(u32) -> bool,
    wanted: impl Fn(u32) -> bool,
    wanted_step: impl Fn(u64) -> bool,
) -> Option<Vec<u32>> {
    let mut came_from: BTreeMap<u32, u32> = BTreeMap::new();
    let mut queue: VecDeque<u32> = VecDeque::new();
    let trace = |came_from: &BTreeMap<u32, u32>, last: u32| {
        let mut path = vec![last];
        let mut state = last;
        while let Some(previous) = came_from.get(&state).filter(|previous| **previous != state) {
            state = *previous;
            path.push(state);
        }
        path.reverse();
        path
    };
    for state in start {
        if came_from.insert(*state, *state).is_none() {
            if wanted(*state) {
                return Some(vec![*state]);
            }
            queue.push_back(*state);
        }
    }
    while let Some(state) = queue.pop_front() {
        for step in graph.steps(state) {
            let target = graph.target(step);
            if !inside(target) {
                continue;
            }
            if wanted_step(step) {
                let mut path = trace(&came_from, state);
                path.push(target);
                return Some(path);
            }
            if came_from.contains_key(&target) {
                continue;
            }
            came_from.insert(target, state);
            if wanted(target) {
                return Some(trace(&came_from, target));
            }
            queue.push_back(target);
        }
    }
    None
}
