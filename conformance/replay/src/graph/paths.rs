//! Shortest paths from the initial states of one graph.

use std::collections::VecDeque;

use super::pair::{ActionId, Graph};
use super::states::StateId;

const NONE: u32 = u32::MAX;

/// A shortest path to every state of a graph.
pub(crate) struct Paths<'g> {
    graph: &'g Graph,
    distance: Vec<u32>,
    /// The step that leads to each state, as a position in the graph's steps.
    via: Vec<usize>,
}

impl<'g> Paths<'g> {
    /// Searches `graph`, whose numbers of states are below `states`, breadth-first.
    pub(crate) fn new(graph: &'g Graph, states: usize) -> Self {
        let mut paths = Self {
            graph,
            distance: vec![NONE; states],
            via: vec![usize::MAX; states],
        };
        let mut queue: VecDeque<StateId> = graph.initial.iter().copied().collect();
        for id in &queue {
            paths.distance[*id as usize] = 0;
        }
        while let Some(source) = queue.pop_front() {
            let next = paths.distance[source as usize] + 1;
            let first = graph.steps.partition_point(|step| step.source < source);
            for (offset, step) in graph.steps_from(source).iter().enumerate() {
                let target = step.target as usize;
                if paths.distance[target] == NONE {
                    paths.distance[target] = next;
                    paths.via[target] = first + offset;
                    queue.push_back(step.target);
                }
            }
        }
        paths
    }

    /// How many steps lead to the state; the largest number if none do.
    pub(crate) fn distance(&self, id: StateId) -> u32 {
        self.distance[id as usize]
    }

    /// The states of a shortest path to `id` with the actions that led there; empty if there is
    /// none.
    pub(crate) fn to(&self, id: StateId) -> Vec<(Option<ActionId>, StateId)> {
        if self.distance(id) == NONE {
            return Vec::new();
        }
        let mut path = Vec::new();
        let mut at = id;
        while let Some(step) = self.graph.steps.get(self.via[at as usize]) {
            path.push((Some(step.action), at));
            at = step.source;
        }
        path.push((None, at));
        path.reverse();
        path
    }
}
