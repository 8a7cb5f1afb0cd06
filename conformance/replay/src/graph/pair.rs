//! Two state graphs over one table of states.

use super::comparison::Side;
use super::states::{StateId, StateTable};

/// The position of an action's name in [`GraphPair::actions`].
pub(crate) type ActionId = u32;

/// One generated successor. Steps are ordered by the state they leave.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Step {
    pub(crate) source: StateId,
    pub(crate) action: ActionId,
    pub(crate) target: StateId,
}

/// The part of a state graph that lies inside the constraint.
#[derive(Default)]
pub(crate) struct Graph {
    /// Whether the graph has the state of this number.
    has: Vec<bool>,
    states: u64,
    /// The initial states; each once and ascending after [`GraphPair::finish`].
    pub(crate) initial: Vec<StateId>,
    /// The steps, as often as they are generated; ascending after [`GraphPair::finish`].
    pub(crate) steps: Vec<Step>,
    /// Generated successors outside the constraint.
    pub(crate) outside: u64,
}

impl Graph {
    /// Adds a state; whether it is new.
    pub(crate) fn add(&mut self, id: StateId) -> bool {
        let index = id as usize;
        if index >= self.has.len() {
            self.has.resize(index + 1, false);
        }
        let new = !std::mem::replace(&mut self.has[index], true);
        self.states += u64::from(new);
        new
    }

    pub(crate) fn has(&self, id: StateId) -> bool {
        self.has.get(id as usize).copied().unwrap_or(false)
    }

    /// How many states there are.
    pub(crate) fn states(&self) -> u64 {
        self.states
    }

    pub(crate) fn is_initial(&self, id: StateId) -> bool {
        self.initial.binary_search(&id).is_ok()
    }

    /// The steps that leave a state.
    pub(crate) fn steps_from(&self, source: StateId) -> &[Step] {
        let start = self.steps.partition_point(|step| step.source < source);
        let rest = &self.steps[start..];
        let length = rest.partition_point(|step| step.source == source);
        &rest[..length]
    }

    /// Whether the graph has the step, however often.
    pub(crate) fn has_step(&self, step: Step) -> bool {
        self.steps.binary_search(&step).is_ok()
    }

    fn finish(&mut self) {
        self.initial.sort_unstable();
        self.initial.dedup();
        self.steps.sort_unstable();
    }
}

/// TLC's graph and Plumb's, with their states numbered alike.
pub(crate) struct GraphPair {
    pub(crate) states: StateTable,
    /// The names of actions: the model's in its order, then others that TLC uses.
    pub(crate) actions: Vec<String>,
    pub(crate) tlc: Graph,
    pub(crate) plumb: Graph,
}

impl GraphPair {
    /// Two empty graphs over these actions.
    pub(crate) fn new<'a>(actions: impl IntoIterator<Item = &'a str>) -> Self {
        Self {
            states: StateTable::new(),
            actions: actions.into_iter().map(str::to_owned).collect(),
            tlc: Graph::default(),
            plumb: Graph::default(),
        }
    }

    /// The number of an action's name, a new one if it was not known.
    pub(crate) fn action(&mut self, name: &str) -> ActionId {
        let known = self.actions.iter().position(|known| known == name);
        let index = known.unwrap_or_else(|| {
            self.actions.push(name.to_owned());
            self.actions.len() - 1
        });
        index as ActionId
    }

    pub(crate) fn graph(&self, side: Side) -> &Graph {
        match side {
            Side::Tlc => &self.tlc,
            Side::Plumb => &self.plumb,
        }
    }

    /// Puts both graphs into the order in which they are compared.
    pub(crate) fn finish(&mut self) {
        self.tlc.finish();
        self.plumb.finish();
    }
}
