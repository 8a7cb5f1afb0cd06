//! The contract, told a second time: lists, linear searches, and no thought of speed.
//!
//! It explores a [`Graph`] itself and shares nothing with the checker but the words of the report.

use plumb_checker::{PropertyKind, Verdict};

use crate::graph::{ACTIONS, Graph, Node};
use crate::summary::Summary;

/// What a cfg asks for.
#[derive(Clone, Debug, Default)]
pub(crate) struct Asked {
    /// Invariants and step properties in the order of the cfg.
    pub(crate) properties: Vec<&'static str>,
    pub(crate) constraints: Vec<&'static str>,
    pub(crate) deadlock: bool,
    /// Whether the specification has the third action.
    pub(crate) has_blue: bool,
}

impl Asked {
    /// The cfg that asks for it.
    pub(crate) fn cfg(&self) -> String {
        let mut text = String::new();
        text += match self.has_blue {
            true => "SPECIFICATION BlueSpec ",
            false => "SPECIFICATION Spec ",
        };
        for name in &self.properties {
            let keyword = if is_step(name) {
                "PROPERTY"
            } else {
                "INVARIANT"
            };
            text += &format!("{keyword} {name} ");
        }
        for name in &self.constraints {
            text += &format!("CONSTRAINT {name} ");
        }
        if self.deadlock {
            text += "CHECK_DEADLOCK TRUE";
        }
        text
    }
}

fn is_step(name: &str) -> bool {
    name == "P" || name == "Q"
}

/// The predicates that an invariant consists of, in order.
fn conjuncts(name: &'static str) -> &'static [&'static str] {
    match name {
        "Safety" => &["A", "B"],
        "Nested" => &["C", "A", "B"],
        "Mixed" => &["A", "K"],
        "Constants" => &["K", "L"],
        "A" => &["A"],
        "B" => &["B"],
        "C" => &["C"],
        "K" => &["K"],
        "L" => &["L"],
        other => panic!("the reference knows no invariant {other}"),
    }
}

fn is_constant(name: &str) -> bool {
    name == "K" || name == "L"
}

/// A violation, with all that decides which one is told.
#[derive(Clone, Debug)]
struct Violation {
    /// States of the behaviour that shows it.
    length: usize,
    /// The property's place in the cfg; after them all for a deadlock.
    order: usize,
    state: Node,
    /// For a step the state it leaves.
    source: Option<Node>,
    verdict: Verdict,
}

struct Search<'a> {
    graph: &'a Graph,
    asked: &'a Asked,
    generated: u64,
    outside: u64,
    taken: [u64; 3],
    levels: Vec<Vec<Node>>,
    /// The level being found.
    next: Vec<Node>,
    violations: Vec<Violation>,
}

/// The report that the contract demands.
pub(crate) fn explore(graph: &Graph, asked: &Asked) -> Summary {
    let mut search = Search {
        graph,
        asked,
        generated: 0,
        outside: 0,
        taken: [0; 3],
        levels: Vec::new(),
        next: Vec::new(),
        violations: Vec::new(),
    };
    if let Some(verdict) = search.false_assumption() {
        return search.summary(verdict, 0, Vec::new());
    }
    for state in &graph.initial {
        search.generate(*state, 1);
    }
    loop {
        let level = std::mem::take(&mut search.next);
        if !level.is_empty() {
            search.levels.push(level.clone());
        }
        if let Some(least) = search.least_violation() {
            let trace = search.trace(&least);
            return search.summary(least.verdict, level.len() as u64, trace);
        }
        if level.is_empty() {
            return search.summary(Verdict::Exhausted, 0, Vec::new());
        }
        for state in level {
            search.expand(state);
        }
    }
}

impl Search<'_> {
    fn false_assumption(&self) -> Option<Verdict> {
        let is_false = |name: &&&'static str| self.graph.false_constants.contains(*name);
        if is_false(&&"Assumed") {
            return Some(Verdict::Assumption {
                name: "Assumed".to_owned(),
                conjunct: None,
            });
        }
        for name in &self.asked.properties {
            if is_step(name) || !conjuncts(name).iter().all(|part| is_constant(part)) {
                continue;
            }
            if let Some(part) = conjuncts(name).iter().find(is_false) {
                return Some(Verdict::Assumption {
                    name: (*name).to_owned(),
                    conjunct: (part != name).then(|| (*part).to_owned()),
                });
            }
        }
        None
    }

    fn is_outside(&self, state: Node) -> bool {
        let mut constraints = self.asked.constraints.iter();
        constraints.any(|name| self.graph.false_in.contains(&(*name, state)))
    }

    /// A state was generated at this depth: check it if it is new or outside.
    fn generate(&mut self, state: Node, depth: usize) {
        self.generated += 1;
        if self.is_outside(state) {
            self.outside += 1;
        } else if self.next.contains(&state) || self.levels.iter().any(|l| l.contains(&state)) {
            return;
        } else {
            self.next.push(state);
        }
        for (order, name) in self.asked.properties.iter().enumerate() {
            if is_step(name) {
                continue;
            }
            let parts = conjuncts(name);
            if parts.iter().all(|part| is_constant(part)) {
                continue; // decided before the search
            }
            let is_false = |part: &&&'static str| {
                self.graph.false_in.contains(&(**part, state))
                    || self.graph.false_constants.contains(*part)
            };
            if let Some(part) = parts.iter().find(is_false) {
                self.violations.push(Violation {
                    length: depth,
                    order,
                    state,
                    source: None,
                    verdict: Verdict::Violated {
                        property: (*name).to_owned(),
                        kind: PropertyKind::Invariant,
                        conjunct: (parts.len() > 1).then(|| (*part).to_owned()),
                    },
                });
            }
        }
    }

    fn expand(&mut self, source: Node) {
        let depth = self.levels.len();
        let edges = self.graph.edges.iter().filter(|edge| edge.0 == source);
        let edges: Vec<_> = edges.collect();
        for (_, action, target) in &edges {
            self.taken[*action] += 1;
            for (order, name) in self.asked.properties.iter().enumerate() {
                if is_step(name)
                    && source != *target
                    && self.graph.forbidden.contains(&(name, source, *target))
                {
                    self.violations.push(Violation {
                        length: depth + 1,
                        order,
                        state: *target,
                        source: Some(source),
                        verdict: Verdict::Violated {
                            property: (*name).to_owned(),
                            kind: PropertyKind::Step,
                            conjunct: None,
                        },
                    });
                }
            }
            self.generate(*target, depth + 1);
        }
        if self.asked.deadlock && edges.is_empty() {
            self.violations.push(Violation {
                length: depth,
                order: self.asked.properties.len(),
                state: source,
                source: None,
                verdict: Verdict::Violated {
                    property: "Deadlock".to_owned(),
                    kind: PropertyKind::Deadlock,
                    conjunct: None,
                },
            });
        }
    }

    /// The shortest; of these the first property's; of these the one in the least state.
    fn least_violation(&self) -> Option<Violation> {
        let bytes = |node: Node| self.graph.encoding(node);
        let least = self.violations.iter().min_by_key(|violation| {
            (
                violation.length,
                violation.order,
                bytes(violation.state),
                violation.source.map(bytes),
            )
        });
        least.cloned()
    }

    /// The behaviour, by the least predecessor at each level.
    fn trace(&self, violation: &Violation) -> Vec<(Option<String>, Node)> {
        let mut states = vec![violation.state];
        states.extend(violation.source);
        while states.len() < violation.length {
            let level = &self.levels[violation.length - states.len() - 1];
            let target = states[states.len() - 1];
            let leading = level.iter().copied().filter(|source| {
                let mut edges = self.graph.edges.iter();
                edges.any(|(from, _, to)| from == source && *to == target)
            });
            let least = leading.min_by_key(|source| self.graph.encoding(*source));
            states.push(least.expect("a state of a level has a predecessor in the one before"));
        }
        states.reverse();
        let mut trace = vec![(None, states[0])];
        for pair in states.windows(2) {
            let edges = self.graph.edges.iter().filter(|edge| edge.0 == pair[0]);
            let mut ways = edges.enumerate();
            let (position, way) = ways.find(|(_, edge)| edge.2 == pair[1]).unwrap();
            trace.push((Some(format!("{}({position})", ACTIONS[way.1])), pair[1]));
        }
        trace
    }

    fn summary(&self, verdict: Verdict, queue: u64, trace: Vec<(Option<String>, Node)>) -> Summary {
        let levels: Vec<u64> = self.levels.iter().map(|level| level.len() as u64).collect();
        let mut actions: Vec<_> = ACTIONS.into_iter().zip(self.taken).collect();
        if !self.asked.has_blue && self.taken[2] == 0 {
            actions.pop();
        }
        Summary {
            verdict,
            distinct: levels.iter().sum(),
            generated: self.generated,
            outside: self.outside,
            queue,
            levels,
            actions,
            trace,
        }
    }
}
