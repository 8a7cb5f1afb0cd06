//! Dumped states and state graphs of both versions of TLC.

#![allow(clippy::panic, clippy::unwrap_used, clippy::expect_used)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::BufReader;

use plumb_tla::tlc::{DotItem, read_dot, read_dump};
use plumb_tla::{State, Value};

fn sample(name: &str) -> BufReader<File> {
    let path = format!("{}/tests/samples/{name}", env!("CARGO_MANIFEST_DIR"));
    BufReader::new(File::open(&path).unwrap_or_else(|error| panic!("{path}: {error}")))
}

struct Graph {
    nodes: BTreeMap<i64, State>,
    initial: Vec<i64>,
    edges: Vec<(i64, i64, String, Option<String>)>,
}

fn graph(name: &str) -> Graph {
    let mut graph = Graph {
        nodes: BTreeMap::new(),
        initial: Vec::new(),
        edges: Vec::new(),
    };
    for item in read_dot(sample(name)) {
        match item.unwrap_or_else(|error| panic!("{name}: {error}")) {
            DotItem::Node { id, state, initial } => {
                assert!(
                    graph.nodes.insert(id, state).is_none(),
                    "{name}: {id} twice"
                );
                if initial {
                    graph.initial.push(id);
                }
            }
            DotItem::Edge {
                from,
                to,
                label,
                parameters,
            } => graph.edges.push((from, to, label, parameters)),
        }
    }
    graph
}

fn dump(name: &str) -> Vec<State> {
    let states: Vec<(u64, State)> = read_dump(sample(name)).collect::<Result<_, _>>().unwrap();
    let numbers: Vec<u64> = states.iter().map(|(number, _)| *number).collect();
    assert_eq!(numbers, (1..=states.len() as u64).collect::<Vec<_>>());
    states.into_iter().map(|(_, state)| state).collect()
}

#[test]
fn graph_and_dump_hold_the_same_states() {
    for (dot, listing, count) in [
        ("courier/tlc-2.15/ok.dot", "courier/tlc-2.15/ok.dump", 27),
        ("courier/tlc-2026/ok.dot", "courier/tlc-2026/ok.dump", 27),
        ("values/Values.dot", "values/Values.dump", 3),
    ] {
        let graph = graph(dot);
        let nodes: BTreeSet<&State> = graph.nodes.values().collect();
        let listed = dump(listing);
        assert_eq!(nodes.len(), count);
        assert_eq!(nodes, listed.iter().collect::<BTreeSet<_>>(), "{dot}");
        assert_eq!(graph.initial.len(), 1);
        assert_eq!(graph.nodes[&graph.initial[0]], listed[0]);
        for (from, to, ..) in &graph.edges {
            assert!(graph.nodes.contains_key(from) && graph.nodes.contains_key(to));
        }
    }
}

#[test]
fn both_versions_draw_the_same_graph() {
    let (old, new) = (
        graph("courier/tlc-2.15/ok.dot"),
        graph("courier/tlc-2026/ok.dot"),
    );
    assert_eq!(old.nodes, new.nodes);
    let bare = |graph: &Graph| {
        let mut edges: Vec<_> = graph
            .edges
            .iter()
            .map(|(from, to, label, _)| (*from, *to, label.clone()))
            .collect();
        edges.sort();
        edges
    };
    assert_eq!(bare(&old), bare(&new));
    assert!(old.edges.iter().all(|edge| edge.3.is_none()));
    for (_, _, label, parameters) in &new.edges {
        assert_eq!(parameters.is_some(), label != "Deliver");
    }
    let mut per_action: BTreeMap<&str, usize> = BTreeMap::new();
    for (_, _, label, _) in &old.edges {
        *per_action.entry(label).or_default() += 1;
    }
    let names: Vec<&str> = per_action.keys().copied().collect();
    assert_eq!(names, ["Deliver", "Enqueue", "Return", "Take"]);
    // 43 generated, of which 1 initial; the rest was cut by the constraint.
    assert!(old.edges.len() < 43);
}

#[test]
fn values_in_graphs_are_those_of_the_module() {
    let graph = graph("values/Values.dot");
    let state = &graph.nodes[&graph.initial[0]];
    let escapes = state.get("text").and_then(|text| text.field("escapes"));
    assert_eq!(escapes, Some(&Value::str("a\nb\tc\\ \"d\" \r \u{c}")));
    let sets = state.get("sets").and_then(Value::as_tuple).unwrap();
    assert_eq!(sets[0], Value::set([1i64, 2, 3].map(Value::int)));
    assert_eq!(sets[4].as_set().map(BTreeSet::len), Some(4));
    let functions = state.get("functions").and_then(Value::as_tuple).unwrap();
    assert_eq!(functions[0].field("work-1"), Some(&Value::str("work-1")));
    assert_eq!(functions[1], Value::tuple([]));
    assert_eq!(functions[5], Value::tuple([1i64, 2].map(Value::int)));
}

#[test]
fn every_form_of_line_is_read() {
    let text = "digraph DiskGraph {\r\n\
        edge [colorscheme=\"paired12\"]\n\
        nodesep=0.35;\n\
        \n\
        subgraph cluster_graph {\n\
        color=\"white\";\n\
        1 [label=\"x = \\\"1 -> 2 [label=\\\"\",style = filled]\n\
        2 [label=\"x = 2\",tooltip=\"style = filled]\"];\n\
        3 [label=\"x = 3\",tooltip=\"x = 3\",style = filled]\n\
        1 -> 2;\n\
        1 -> 3 [label=\"A(\\\"q\\\", <<1>>)\",color=\"black\",fontcolor=\"black\"];\n\
        1 -> 3 [label=\"B(\"q\")\",color=\"2\",fontcolor=\"2\"];\n\
        1 -> 3 [label=\"C\"];\n\
        1 -> 3 [style=\"dashed\"];\n\
        {rank = same; 1;2;}\n\
        }\n\
        subgraph cluster_legend {\n\
        graph[style=bold];label = \"Next State Actions\" style=\"solid\"\n\
        Next [label=\"Next\",fillcolor=2]\n\
        }}";
    let text = text.replace("}}", "}\n}");
    let items: Vec<DotItem> = read_dot(text.as_bytes()).collect::<Result<_, _>>().unwrap();
    let state = |value| State::new([("x", value)]);
    let node = |id, value, initial| DotItem::Node {
        id,
        state: state(value),
        initial,
    };
    let edge = |to, label: &str, parameters: Option<&str>| DotItem::Edge {
        from: 1,
        to,
        label: label.to_owned(),
        parameters: parameters.map(str::to_owned),
    };
    assert_eq!(
        items,
        [
            node(1, Value::str("1 -> 2 [label="), true),
            node(2, Value::int(2), false),
            node(3, Value::int(3), true),
            edge(2, "", None),
            edge(3, "A", Some("\"q\", <<1>>")),
            edge(3, "B", Some("\"q\"")),
            edge(3, "C", None),
            edge(3, "", None),
        ]
    );
}

#[test]
fn what_is_no_graph_is_refused_with_its_place() {
    let inside = |line: &str| format!("digraph G {{\nsubgraph cluster_graph {{\n{line}\n}}\n}}");
    let texts = [
        String::new(),
        "1 -> 2;\n".into(),
        "graph G {\n}".into(),
        "digraph G {\n".into(),
        "digraph G {\n}\n1 -> 2;".into(),
        "digraph G {\nsubgraph cluster_graph {\n1 -> 2 [label=\"A\"".into(),
        inside("what is this"),
        inside("1"),
        inside("1 [label=\"x = 1"),
        inside("1 [label=\"x = \\q\"];"),
        inside("1 [label=\"x = \\\"a\\\"\\n/\\\\ y = é }\"];"),
        inside("1 [label=\"\"];"),
        inside("1 [color=\"red\"];"),
        inside("9223372036854775808 [label=\"x = 1\"];"),
        inside("1 -> x;"),
        inside("1 -> 2 label"),
        inside("1 -> 2 [label=\"A"),
        inside("1-2 -> 3;"),
        inside("1 [label=\"x = 1\0\"];"),
    ];
    let mut shown = String::new();
    for text in texts {
        let mut items = read_dot(text.as_bytes());
        let error = items
            .find_map(Result::err)
            .unwrap_or_else(|| panic!("{text}"));
        assert!(items.next().is_none());
        shown += &format!("{text:?}\n    {error}\n");
    }
    insta::assert_snapshot!("graphs_refused", shown);
}

#[test]
fn what_is_no_dump_is_refused_with_its_place() {
    let texts = [
        "State 1: <A>\nx = 1\n\n",
        "1:\nx = 1\n\n",
        "State 1:\nx = 1\n\nState 2:\n/\\ x = 1\n/\\ y = <<1,\n\n",
        "State 1:\nx = 1\n",
        "State 1:\n\n",
    ];
    let mut shown = String::new();
    for text in texts {
        let error = read_dump(text.as_bytes()).find_map(Result::err).unwrap();
        shown += &format!("{text:?}\n    {error}\n");
    }
    insta::assert_snapshot!("dumps_refused", shown);
    assert!(read_dump(&b""[..]).next().is_none());
}
