//! A model that is a table: states are numbers, steps a list, and so is where properties fail.
//!
//! The table is the whole truth about the model, so that an expectation can be read off it, and
//! the reference explorer can be run on it without the model in between.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, LazyLock, Mutex, Once};

use plumb_checker::{
    Assumption, CheckedModel, ConfigurationError, ConfiguredModel, Constraint, Invariant,
    NotAState, Progress, Reader, Registry, Report, SearchOptions, StepProperty, model_panic,
};
use plumb_tla::{State, Value};

/// A state.
pub(crate) type Node = u16;

/// The names of the actions, in enumeration order.
pub(crate) const ACTIONS: [&str; 3] = ["Red", "Green", "Blue"];

/// A defect of the model at one place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Fault {
    /// `init_states` panics.
    InitStates,
    /// `actions` panics.
    Actions(Node),
    /// `next_state` panics on the way between the two.
    NextState(Node, Node),
    /// An invariant or a constraint panics.
    Predicate(&'static str, Node),
    /// A step property panics.
    Step(&'static str, Node, Node),
    /// A predicate over the constants panics.
    Constant(&'static str),
    /// `encode` panics.
    Encode(Node),
    /// `decode` panics.
    Decode(Node),
    /// `decode` says that the bytes are no encoding.
    Undecodable(Node),
    /// `decode` returns the second state for the first one's bytes.
    Misread(Node, Node),
    /// `to_tla` panics.
    ToTla(Node),
    /// `action_index` panics for steps to this state.
    ActionIndex(Node),
    /// `action_parameters` panics for steps to this state.
    ActionParameters(Node),
    /// `has_action` panics.
    HasAction,
    /// The state has its successors only when asked for the first time.
    Forgetful(Node),
}

/// What a test writes down about a model.
#[derive(Clone, Default)]
pub(crate) struct Graph {
    pub(crate) initial: Vec<Node>,
    /// (source, position in [`ACTIONS`], target), each source's in enumeration order.
    pub(crate) edges: Vec<(Node, usize, Node)>,
    /// Where an invariant is false, or what a constraint excludes.
    pub(crate) false_in: Vec<(&'static str, Node)>,
    /// Where a step property is false.
    pub(crate) forbidden: Vec<(&'static str, Node, Node)>,
    /// The false predicates over constants.
    pub(crate) false_constants: Vec<&'static str>,
    /// Encodings, where they are not the number.
    pub(crate) bytes: HashMap<Node, Vec<u8>>,
    pub(crate) faults: Vec<Fault>,
    /// Called with each state that is about to be expanded.
    pub(crate) on_expand: Option<Arc<dyn Fn(Node) + Send + Sync>>,
}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Graph")
            .field("initial", &self.initial)
            .field("edges", &self.edges)
            .field("false_in", &self.false_in)
            .field("forbidden", &self.forbidden)
            .field("false_constants", &self.false_constants)
            .field("bytes", &self.bytes)
            .field("faults", &self.faults)
            .finish_non_exhaustive()
    }
}

impl Graph {
    /// A graph of red steps between these states.
    pub(crate) fn new(
        initial: impl IntoIterator<Item = Node>,
        edges: impl IntoIterator<Item = (Node, Node)>,
    ) -> Self {
        Self {
            initial: initial.into_iter().collect(),
            edges: edges.into_iter().map(|(from, to)| (from, 0, to)).collect(),
            ..Self::default()
        }
    }

    /// The states from 0 to `last`, one after the other.
    pub(crate) fn path(last: Node) -> Self {
        Self::new([0], (0..last).map(|node| (node, node + 1)))
    }

    /// Adds steps of an action.
    pub(crate) fn steps(
        mut self,
        action: &str,
        edges: impl IntoIterator<Item = (Node, Node)>,
    ) -> Self {
        let action = ACTIONS.iter().position(|name| *name == action).unwrap();
        let edges = edges.into_iter().map(|(from, to)| (from, action, to));
        self.edges.extend(edges);
        self
    }

    /// Makes an invariant false in these states.
    pub(crate) fn violates(
        mut self,
        invariant: &'static str,
        nodes: impl IntoIterator<Item = Node>,
    ) -> Self {
        let nodes = nodes.into_iter().map(|node| (invariant, node));
        self.false_in.extend(nodes);
        self
    }

    /// Puts these states outside the constraint `Near`.
    pub(crate) fn outside(self, nodes: impl IntoIterator<Item = Node>) -> Self {
        self.violates("Near", nodes)
    }

    /// Makes a step property false on these steps.
    pub(crate) fn forbids(
        mut self,
        property: &'static str,
        steps: impl IntoIterator<Item = (Node, Node)>,
    ) -> Self {
        let steps = steps.into_iter().map(|(from, to)| (property, from, to));
        self.forbidden.extend(steps);
        self
    }

    /// Makes a predicate over the constants false.
    pub(crate) fn falsifies(mut self, constant: &'static str) -> Self {
        self.false_constants.push(constant);
        self
    }

    /// Gives a state this encoding.
    pub(crate) fn encoded(mut self, node: Node, bytes: &[u8]) -> Self {
        self.bytes.insert(node, bytes.to_vec());
        self
    }

    /// Adds a defect.
    pub(crate) fn faulty(mut self, fault: Fault) -> Self {
        self.faults.push(fault);
        self
    }

    /// The encoding of a state: by default a number's bytes are ordered as the number is.
    pub(crate) fn encoding(&self, node: Node) -> Vec<u8> {
        let own = self.bytes.get(&node);
        own.map_or_else(|| node.to_be_bytes().to_vec(), Clone::clone)
    }

    /// The model with the properties of a cfg.
    pub(crate) fn configure(&self, cfg: &str) -> Box<dyn ConfiguredModel> {
        static NEXT: AtomicI64 = AtomicI64::new(0);
        // Thousands of panics on standard error would take longer than all the tests together.
        static QUIET: Once = Once::new();
        QUIET.call_once(model_panic::install_hook);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let table = Arc::new(Table::new(self.clone()));
        TABLES.lock().unwrap().insert(number, table);
        let specification = if cfg.contains("SPECIFICATION") {
            ""
        } else {
            "SPECIFICATION Spec"
        };
        let text = format!("{specification} CONSTANT Graph = {number} {cfg}");
        let cfg = plumb_tla::parse_cfg(&text).unwrap();
        let registry = Registry::new().with::<GraphModel>();
        registry.find("graph").unwrap().configure(&cfg).unwrap()
    }

    /// Explores the model on one thread without budgets.
    pub(crate) fn check(&self, cfg: &str) -> Report {
        self.check_with(cfg, &threads(1))
    }

    /// Explores the model.
    pub(crate) fn check_with(&self, cfg: &str, options: &SearchOptions) -> Report {
        self.configure(cfg).check(options, &Progress::default())
    }
}

/// Options for that many threads, without budgets.
pub(crate) fn threads(number: usize) -> SearchOptions {
    SearchOptions {
        threads: number.try_into().unwrap(),
        ..SearchOptions::default()
    }
}

/// Graphs on their way from a test to the model that a cfg configures, by number.
static TABLES: LazyLock<Mutex<HashMap<i64, Arc<Table>>>> = LazyLock::new(Mutex::default);

/// A graph, indexed.
struct Table {
    graph: Graph,
    successors: HashMap<Node, Vec<(usize, Node)>>,
    decoded: HashMap<Vec<u8>, Node>,
    false_in: HashSet<(&'static str, Node)>,
    forbidden: HashSet<(&'static str, Node, Node)>,
    faults: HashSet<Fault>,
    forgotten: Mutex<HashSet<Node>>,
}

impl Table {
    fn new(graph: Graph) -> Self {
        let mut successors: HashMap<Node, Vec<(usize, Node)>> = HashMap::new();
        let mut decoded = HashMap::new();
        let ends = graph.edges.iter().flat_map(|(from, _, to)| [from, to]);
        for node in ends.chain(&graph.initial) {
            let other = decoded.insert(graph.encoding(*node), *node);
            assert!(
                other.is_none_or(|other| other == *node),
                "two encodings are equal"
            );
        }
        for (source, action, target) in &graph.edges {
            successors
                .entry(*source)
                .or_default()
                .push((*action, *target));
        }
        Self {
            successors,
            decoded,
            false_in: graph.false_in.iter().copied().collect(),
            forbidden: graph.forbidden.iter().copied().collect(),
            faults: graph.faults.iter().copied().collect(),
            forgotten: Mutex::default(),
            graph,
        }
    }

    fn fail_if(&self, fault: Fault) {
        assert!(!self.faults.contains(&fault), "defect {fault:?}");
    }
}

/// The model of a table.
#[derive(Clone)]
pub(crate) struct GraphModel {
    table: Arc<Table>,
    has_blue: bool,
}

impl GraphModel {
    fn holds(&self, name: &'static str, node: Node) -> bool {
        self.table.fail_if(Fault::Predicate(name, node));
        !self.table.false_in.contains(&(name, node))
    }

    fn holds_between(&self, name: &'static str, from: Node, to: Node) -> bool {
        self.table.fail_if(Fault::Step(name, from, to));
        !self.table.forbidden.contains(&(name, from, to))
    }

    fn constant(&self, name: &'static str) -> bool {
        self.table.fail_if(Fault::Constant(name));
        !self.table.graph.false_constants.contains(&name)
    }
}

/// One way to leave a state.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Way {
    action: usize,
    /// Position among the ways to leave the source; the action's parameter.
    position: usize,
    target: Node,
}

impl stateright::Model for GraphModel {
    type State = Node;
    type Action = Way;

    fn init_states(&self) -> Vec<Node> {
        self.table.fail_if(Fault::InitStates);
        self.table.graph.initial.clone()
    }

    fn actions(&self, node: &Node, ways: &mut Vec<Way>) {
        self.table.fail_if(Fault::Actions(*node));
        if let Some(hook) = &self.table.graph.on_expand {
            hook(*node);
        }
        if self.table.faults.contains(&Fault::Forgetful(*node))
            && !self.table.forgotten.lock().unwrap().insert(*node)
        {
            return;
        }
        let edges = self.table.successors.get(node).into_iter().flatten();
        ways.extend(edges.enumerate().map(|(position, (action, target))| Way {
            action: *action,
            position,
            target: *target,
        }));
        // `next_state` says that this one is disabled, so that it must not count anywhere.
        ways.push(Way {
            action: 0,
            position: usize::MAX,
            target: *node,
        });
    }

    fn next_state(&self, node: &Node, way: Way) -> Option<Node> {
        if way.position == usize::MAX {
            return None;
        }
        self.table.fail_if(Fault::NextState(*node, way.target));
        Some(way.target)
    }
}

impl CheckedModel for GraphModel {
    const NAME: &'static str = "graph";
    const MODULE: &'static str = "Graph";
    const VARIABLES: &'static [&'static str] = &["node"];
    const ACTIONS: &'static [&'static str] = &ACTIONS;

    fn configure(cfg: &mut Reader<'_>) -> Result<Self, ConfigurationError> {
        let has_blue = cfg.specification(&[("Spec", false), ("BlueSpec", true)])?;
        let number = cfg.integer("Graph")?;
        let table = TABLES.lock().unwrap().remove(&number);
        let table = table.ok_or_else(|| cfg.refuse("Graph", "the number of a graph"))?;
        Ok(Self { table, has_blue })
    }

    fn has_action(&self, index: usize) -> bool {
        self.table.fail_if(Fault::HasAction);
        index < 2 || self.has_blue
    }

    fn action_index(&self, way: &Way) -> usize {
        self.table.fail_if(Fault::ActionIndex(way.target));
        way.action
    }

    fn action_parameters(&self, way: &Way) -> Vec<Value> {
        self.table.fail_if(Fault::ActionParameters(way.target));
        vec![Value::int(i64::try_from(way.position).unwrap())]
    }

    fn invariants() -> Vec<Invariant<Self>> {
        vec![
            Invariant::state("A", "A", |model, node| model.holds("A", *node)),
            Invariant::state("B", "B", |model, node| model.holds("B", *node)),
            Invariant::state("C", "C", |model, node| model.holds("C", *node)),
            Invariant::constant("K", "K", |model| model.constant("K")),
            Invariant::constant("L", "L", |model| model.constant("L")),
            Invariant::all("Safety", "A and B", &["A", "B"]),
            Invariant::all("Nested", "C, then A and B", &["C", "Safety"]),
            Invariant::all("Mixed", "A and a constant", &["A", "K"]),
            Invariant::all("Constants", "two constants", &["K", "L"]),
        ]
    }

    fn step_properties() -> Vec<StepProperty<Self>> {
        vec![
            StepProperty::step("P", "P", |model, from, to| {
                model.holds_between("P", *from, *to)
            }),
            StepProperty::step("Q", "Q", |model, from, to| {
                model.holds_between("Q", *from, *to)
            }),
        ]
    }

    fn constraints() -> Vec<Constraint<Self>> {
        vec![
            Constraint::state("Near", "near", |model, node| model.holds("Near", *node)),
            Constraint::state("Close", "close", |model, node| model.holds("Close", *node)),
        ]
    }

    fn assumptions() -> Vec<Assumption<Self>> {
        vec![Assumption {
            name: "Assumed",
            meaning: "assumed",
            holds: |model| model.constant("Assumed"),
        }]
    }

    fn encode(&self, node: &Node, bytes: &mut Vec<u8>) {
        self.table.fail_if(Fault::Encode(*node));
        bytes.extend(self.table.graph.encoding(*node));
    }

    fn decode(&self, bytes: &[u8]) -> Option<Node> {
        let node = *self.table.decoded.get(bytes)?;
        self.table.fail_if(Fault::Decode(node));
        if self.table.faults.contains(&Fault::Undecodable(node)) {
            return None;
        }
        let misread = self.table.faults.iter().find_map(|fault| match fault {
            Fault::Misread(from, to) if *from == node => Some(*to),
            _ => None,
        });
        Some(misread.unwrap_or(node))
    }

    fn to_tla(&self, node: &Node) -> State {
        self.table.fail_if(Fault::ToTla(*node));
        State::new([("node", Value::int(*node))])
    }

    fn parse_tla(&self, state: &State) -> Result<Node, NotAState> {
        let value = state.get("node");
        value
            .and_then(Value::as_int)
            .and_then(|number| Node::try_from(number).ok())
            .ok_or_else(|| NotAState::new("node", "a small number", value))
    }
}
