//! Random small graphs: the explorer's report is the reference's, in everything.

use std::collections::HashMap;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::subsequence;

use crate::graph::{Graph, Node, threads};
use crate::reference::{Asked, explore};
use crate::summary::summary;

const PROPERTIES: [&str; 10] = [
    "A",
    "B",
    "C",
    "K",
    "Safety",
    "Nested",
    "Mixed",
    "Constants",
    "P",
    "Q",
];

fn initial(nodes: Node) -> impl Strategy<Value = Vec<Node>> {
    prop_oneof![
        2 => Just(vec![0]),
        1 => vec(0..nodes, 0..4),
    ]
}

/// Either any steps, or few besides a path, so that there are many levels.
fn edges(nodes: Node) -> impl Strategy<Value = Vec<(Node, usize, Node)>> {
    let number = usize::from(nodes);
    let path: Vec<Node> = (0..nodes - 1).collect();
    let path = subsequence(path, number.saturating_sub(3)..number);
    let others = vec((0..nodes, 0..3_usize, 0..nodes), 0..number);
    prop_oneof![
        vec((0..nodes, 0..3_usize, 0..nodes), 0..4 * number),
        (path, others).prop_map(|(path, others)| {
            let path = path.into_iter().map(|node| (node, 0, node + 1));
            path.chain(others).collect()
        }),
    ]
}

/// Places where something is false: mostly few, so that searches go deep.
fn places(nodes: Node) -> impl Strategy<Value = Vec<Node>> {
    prop_oneof![
        4 => Just(Vec::new()),
        3 => vec(0..nodes, 1),
        1 => vec(0..nodes, 0..5),
    ]
}

fn steps(nodes: Node) -> impl Strategy<Value = Vec<(Node, Node)>> {
    prop_oneof![
        2 => Just(Vec::new()),
        2 => vec((0..nodes, 0..nodes), 1..4),
        1 => vec((0..nodes, 0..nodes), 0..30),
    ]
}

/// Different encodings, of different lengths, one perhaps empty, in any order.
fn encodings(nodes: Node) -> impl Strategy<Value = HashMap<Node, Vec<u8>>> {
    let mut all = vec![Vec::new()];
    for length in 0..3 {
        let longest: Vec<Vec<u8>> = all.iter().filter(|b| b.len() == length).cloned().collect();
        all.extend(
            longest
                .iter()
                .flat_map(|bytes| [0, 1, u8::MAX].map(|last| [bytes.as_slice(), &[last]].concat())),
        );
    }
    let chosen = subsequence(all, usize::from(nodes)).prop_shuffle();
    chosen.prop_map(|bytes| (0..).zip(bytes).collect())
}

pub(crate) fn graph() -> impl Strategy<Value = Graph> {
    (1..14_u16).prop_flat_map(|nodes| {
        let shape = (initial(nodes), edges(nodes), encodings(nodes));
        let states = [places(nodes), places(nodes), places(nodes)];
        let constraints = [places(nodes), places(nodes)];
        let false_constants = prop_oneof![
            6 => Just(Vec::new()),
            1 => subsequence(vec!["K", "L", "Assumed"], 1),
        ];
        let rest = (
            states,
            constraints,
            [steps(nodes), steps(nodes)],
            false_constants,
        );
        (shape, rest).prop_map(|(shape, (states, constraints, steps, false_constants))| {
            let (initial, edges, bytes) = shape;
            let mut graph = Graph {
                initial,
                edges,
                bytes,
                false_constants,
                ..Graph::default()
            };
            for (name, nodes) in ["A", "B", "C"].into_iter().zip(states) {
                graph = graph.violates(name, nodes);
            }
            for (name, nodes) in ["Near", "Close"].into_iter().zip(constraints) {
                graph = graph.violates(name, nodes);
            }
            for (name, steps) in ["P", "Q"].into_iter().zip(steps) {
                graph = graph.forbids(name, steps);
            }
            graph
        })
    })
}

prop_compose! {
    pub(crate) fn asked()(
        properties in subsequence(PROPERTIES.to_vec(), 0..=6).prop_shuffle(),
        constraints in subsequence(vec!["Near", "Close"], 0..=2).prop_shuffle(),
        deadlock in prop::bool::weighted(0.3),
        has_blue in any::<bool>(),
    ) -> Asked {
        Asked { properties, constraints, deadlock, has_blue }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_report_is_the_reference_explorers_in_everything(
        graph in graph(),
        asked in asked(),
        workers in prop_oneof![15 => Just(1_usize), 1 => Just(2)],
    ) {
        let report = graph.check_with(&asked.cfg(), &threads(workers));
        prop_assert_eq!(summary(&report), explore(&graph, &asked));
        prop_assert_eq!(report.depth(), report.levels.len());
    }
}

/// What the random graphs above are worth: every verdict has to occur, and often.
#[test]
fn the_random_graphs_reach_every_kind_of_verdict() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    use std::collections::BTreeMap;

    let mut runner = TestRunner::deterministic();
    let mut seen: BTreeMap<String, u32> = BTreeMap::new();
    for _ in 0..5000 {
        let graph = graph().new_tree(&mut runner).unwrap().current();
        let asked = asked().new_tree(&mut runner).unwrap().current();
        let found = explore(&graph, &asked);
        let kind = found.verdict.kind();
        let word = kind.map_or_else(|| found.verdict.word().to_owned(), |kind| kind.to_string());
        *seen.entry(word.clone()).or_default() += 1;
        if found.trace.len() > 3 {
            *seen.entry(format!("{word}, deep")).or_default() += 1;
        }
        if found.outside > 0 && found.distinct > 3 {
            *seen
                .entry(format!("{word}, with a constraint"))
                .or_default() += 1;
        }
    }
    for kind in [
        "exhausted",
        "assumption",
        "invariant",
        "step property",
        "absence of deadlock",
        "invariant, deep",
        "step property, deep",
        "absence of deadlock, deep",
        "exhausted, with a constraint",
        "invariant, with a constraint",
        "step property, with a constraint",
    ] {
        assert!(
            seen.get(kind).is_some_and(|count| *count >= 10),
            "{kind}: {seen:#?}"
        );
    }
}
