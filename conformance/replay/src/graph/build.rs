//! Where the two graphs come from: Plumb's is explored, TLC's is read from its dump.

use std::collections::HashMap;
use std::io::BufRead;

use ahash::RandomState;
use plumb_checker::ConfiguredModel;
use plumb_tla::State as TlaState;
use plumb_tla::tlc::{DotItem, read_dot};

use super::GraphError;
use super::comparison::Side;
use super::pair::{GraphPair, Step};
use super::states::StateId;
use crate::Event;
use crate::reading::read_state;

/// How many states or lines pass between two looks at what goes on outside.
const BEAT: u64 = 1024;

/// What the building of a graph heeds.
pub(crate) struct Terms<'a> {
    /// The most states that a graph may have.
    pub(crate) limit: u64,
    pub(crate) observe: &'a dyn Fn(Event<'_>),
    pub(crate) stop: &'a dyn Fn() -> bool,
}

impl Terms<'_> {
    fn check_size(&self, side: Side, states: u64) -> Result<(), GraphError> {
        // Both graphs together must not run out of numbers either.
        let limit = self.limit.min(u64::from(StateId::MAX / 2) - 1);
        if states > limit {
            return Err(GraphError::TooLarge { side, limit });
        }
        Ok(())
    }

    fn beat(&self, count: u64, event: Event<'_>) -> Result<(), GraphError> {
        if count.is_multiple_of(BEAT) {
            if (self.stop)() {
                return Err(GraphError::Stopped);
            }
            (self.observe)(event);
        }
        Ok(())
    }
}

/// Explores the model into `pair.plumb`, breadth-first.
pub(crate) fn explore(
    pair: &mut GraphPair,
    model: &dyn ConfiguredModel,
    terms: &Terms<'_>,
) -> Result<(), GraphError> {
    let constrained = !model.constraints().is_empty();
    let inside = |state: &[u8]| {
        if constrained {
            model.within_constraint(state).ok_or_else(undecodable)
        } else {
            Ok(true)
        }
    };
    let mut order = Vec::new();
    for state in model.initial_states() {
        if inside(&state)? {
            let id = pair.states.intern(&state);
            pair.plumb.initial.push(id);
            if pair.plumb.add(id) {
                order.push(id);
            }
        }
    }
    let mut expanded = 0;
    while let Some(source) = order.get(expanded).copied() {
        let states = expanded as u64;
        terms.beat(states, Event::Exploring { states })?;
        terms.check_size(Side::Plumb, pair.plumb.states())?;
        expanded += 1;
        let successors = model.successors(pair.states.bytes(source));
        for successor in successors.ok_or_else(undecodable)? {
            let known = pair.states.find(&successor.state);
            let target = match known.filter(|id| pair.plumb.has(*id)) {
                Some(target) => target,
                None if inside(&successor.state)? => {
                    let target = pair.states.intern(&successor.state);
                    pair.plumb.add(target);
                    order.push(target);
                    target
                }
                None => {
                    pair.plumb.outside += 1;
                    continue;
                }
            };
            let action = pair.action(successor.action.name);
            pair.plumb.steps.push(Step {
                source,
                action,
                target,
            });
        }
    }
    Ok(())
}

fn undecodable() -> GraphError {
    GraphError::Model("the model cannot decode a state that it encoded".to_owned())
}

/// Reads TLC's dump into `pair.tlc`, in a single pass and without keeping its text.
pub(crate) fn read(
    pair: &mut GraphPair,
    model: &dyn ConfiguredModel,
    dump: impl BufRead,
    terms: &Terms<'_>,
) -> Result<(), GraphError> {
    let mut nodes = Nodes::default();
    // Most steps come before the state that they lead to, so at first they join nodes.
    let mut steps = Vec::new();
    let mut nodes_read = 0;
    for (count, item) in (0_u64..).zip(read_dot(dump)) {
        terms.beat(count, Event::ReadingGraph { states: nodes_read })?;
        match item.map_err(|error| GraphError::Unreadable(error.to_string()))? {
            DotItem::Node { id, state, initial } => {
                nodes_read += 1;
                terms.check_size(Side::Tlc, nodes_read)?;
                let state = place(pair, model, &state);
                pair.tlc.add(state);
                if initial {
                    pair.tlc.initial.push(state);
                }
                let node = nodes.number(id);
                nodes.states[node as usize] = Some(state);
            }
            DotItem::Edge {
                from, to, label, ..
            } => steps.push(Step {
                source: nodes.number(from),
                action: pair.action(&label),
                target: nodes.number(to),
            }),
        }
    }
    for step in &mut steps {
        step.source = nodes.state(step.source)?;
        step.target = nodes.state(step.target)?;
    }
    pair.tlc.steps = steps;
    Ok(())
}

/// The nodes of a dump, numbered as they are met.
#[derive(Default)]
struct Nodes {
    /// By fingerprint.
    numbers: HashMap<i64, u32, RandomState>,
    /// The state of each node that has been read.
    states: Vec<Option<StateId>>,
}

impl Nodes {
    fn number(&mut self, fingerprint: i64) -> u32 {
        let next = self.states.len() as u32;
        let number = *self.numbers.entry(fingerprint).or_insert(next);
        if number == next {
            self.states.push(None);
        }
        number
    }

    fn state(&self, node: u32) -> Result<StateId, GraphError> {
        self.states[node as usize].ok_or_else(|| {
            GraphError::Unreadable("an edge joins a state that is not in the graph".to_owned())
        })
    }
}

/// The number of one of TLC's states.
fn place(pair: &mut GraphPair, model: &dyn ConfiguredModel, state: &TlaState) -> StateId {
    match read_state(model, state) {
        Ok(bytes) => pair.states.intern(&bytes),
        Err(reason) => pair.states.add_stranger(&state.to_string(), reason),
    }
}
