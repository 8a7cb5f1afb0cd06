//! Strongly connected components of a part of a state graph: Tarjan's algorithm (1972), with its
//! recursion unrolled, since a component may be as deep as the graph is large.

use super::graph::StateGraph;

const UNSEEN: u32 = u32::MAX;

/// The working memory of one decomposition after another, 8 bytes a state.
pub(crate) struct Components {
    /// Order of discovery; `UNSEEN` before.
    order: Vec<u32>,
    /// The least order reachable; once a component is complete, `DONE`.
    low: Vec<u32>,
}

/// Marks a state whose component is complete.
const DONE: u32 = u32::MAX;

impl Components {
    pub(crate) fn new(states: usize) -> Self {
        Self {
            order: vec![UNSEEN; states],
            low: vec![0; states],
        }
    }

    /// Hands each component of the subgraph over `members` (in which `inside` holds exactly for
    /// them) to `found`, its states in ascending order of rank.
    ///
    /// A state with no step back to itself is a component too: it can stutter.
    pub(crate) fn decompose(
        &mut self,
        graph: &StateGraph,
        members: &[u32],
        inside: impl Fn(u32) -> bool,
        mut found: impl FnMut(Vec<u32>),
    ) {
        for member in members {
            self.order[*member as usize] = UNSEEN;
        }
        let mut next = 0;
        // States of unfinished components, and the path of the depth-first search.
        let mut open: Vec<u32> = Vec::new();
        let mut path: Vec<(u32, u64)> = Vec::new();
        for root in members {
            if self.order[*root as usize] != UNSEEN {
                continue;
            }
            self.enter(*root, &mut next, &mut open);
            path.push((*root, graph.steps(*root).start));
            while let Some((state, step)) = path.last_mut() {
                let state = *state;
                if *step < graph.steps(state).end {
                    let target = graph.target(*step);
                    *step += 1;
                    if !inside(target) {
                        continue;
                    }
                    if self.order[target as usize] == UNSEEN {
                        self.enter(target, &mut next, &mut open);
                        path.push((target, graph.steps(target).start));
                    } else if self.low[target as usize] != DONE {
                        let seen = self.order[target as usize];
                        let low = &mut self.low[state as usize];
                        *low = seen.min(*low);
                    }
                    continue;
                }
                path.pop();
                let low = self.low[state as usize];
                if let Some((parent, _)) = path.last() {
                    let parent = &mut self.low[*parent as usize];
                    *parent = low.min(*parent);
                }
                if low == self.order[state as usize] {
                    let start = open.iter().rposition(|other| *other == state).unwrap_or(0);
                    let mut component = open.split_off(start);
                    for member in &component {
                        self.low[*member as usize] = DONE;
                    }
                    component.sort_unstable();
                    found(component);
                }
            }
        }
    }

    fn enter(&mut self, state: u32, next: &mut u32, open: &mut Vec<u32>) {
        self.order[state as usize] = *next;
        self.low[state as usize] = *next;
        *next += 1;
        open.push(state);
    }
}
