//! Laws that hold for every value, state and text.

#![allow(clippy::panic, clippy::unwrap_used, clippy::expect_used)]

use plumb_tla::tlc::{read_dot, read_dump, read_report, read_simulation};
use plumb_tla::{State, Value, difference, parse_cfg, parse_state};
use proptest::collection::vec;
use proptest::prelude::*;

mod strategies;

use strategies::name;

fn value() -> impl Strategy<Value = Value> {
    strategies::value(4, 5)
}

fn state() -> impl Strategy<Value = State> {
    vec((name(), value()), 1..5).prop_map(State::new)
}

proptest! {
    #[test]
    fn a_printed_value_is_read_back(value in value()) {
        let text = value.to_string();
        prop_assert!(!text.contains('\n'));
        prop_assert_eq!(text.parse::<Value>().unwrap(), value);
    }

    #[test]
    fn a_wrapped_value_is_read_back(value in value(), width in 0usize..120) {
        prop_assert_eq!(value.pretty(width).to_string().parse::<Value>().unwrap(), value);
    }

    #[test]
    fn a_short_value_is_not_wrapped(value in value()) {
        prop_assert_eq!(value.pretty(usize::MAX).to_string(), value.to_string());
    }

    #[test]
    fn a_function_is_found_by_its_arguments(pairs in vec((value(), value()), 0..6)) {
        let function = Value::function(pairs.clone());
        for (argument, _) in &pairs {
            let last = pairs.iter().rev().find(|(known, _)| known == argument).map(|(_, result)| result);
            prop_assert_eq!(function.apply(argument), last);
        }
    }

    #[test]
    fn a_printed_state_is_read_back(state in state(), width in 0usize..120) {
        prop_assert_eq!(&parse_state(&state.to_string()).unwrap(), &state);
        prop_assert_eq!(&parse_state(&state.pretty(width).to_string()).unwrap(), &state);
    }

    #[test]
    fn only_equal_states_have_no_difference(one in state(), other in state()) {
        prop_assert_eq!(difference(&one, &one), []);
        prop_assert_eq!(difference(&one, &other).is_empty(), one == other);
        prop_assert_eq!(one.cmp(&other).is_eq(), one == other);
    }

    #[test]
    fn a_state_in_a_graph_is_the_state(state in state()) {
        let label = state.to_string().replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
        let graph = format!("digraph G {{\nsubgraph cluster_graph {{\n1 [label=\"{label}\"];\n}}\n}}");
        let items = read_dot(graph.as_bytes()).collect::<Result<Vec<_>, _>>().unwrap();
        let node = plumb_tla::tlc::DotItem::Node { id: 1, state, initial: false };
        prop_assert_eq!(items, vec![node]);
    }

    #[test]
    fn states_of_a_dump_are_the_states(states in vec(state(), 0..4)) {
        let dump: String = states.iter().zip(1..).map(|(state, n)| format!("State {n}:\n{state}\n\n")).collect();
        let read = read_dump(dump.as_bytes()).collect::<Result<Vec<_>, _>>().unwrap();
        prop_assert_eq!(read.into_iter().map(|(_, state)| state).collect::<Vec<_>>(), states);
    }

    #[test]
    fn a_printed_configuration_says_the_same(
        words in vec("SPECIFICATION S|INVARIANT (A|B)|PROPERTY P|CONSTRAINT (C|D)|CHECK_DEADLOCK TRUE", 0..6),
        constants in vec((name(), name()), 0..4),
        values in vec((name(), -5i64..5), 0..4),
    ) {
        let constants = constants.iter().map(|(name, operator)| format!("CONSTANT {name} <- {operator}"));
        let values = values.iter().map(|(name, value)| format!("CONSTANTS {name} = {{{value}, {{\"a\", m}}}}"));
        let text: Vec<String> = words.into_iter().chain(constants).chain(values).collect();
        if let Ok(cfg) = parse_cfg(&text.join("\n")) {
            let printed = cfg.to_string();
            let again = parse_cfg(&printed).unwrap();
            prop_assert_eq!(again.to_string(), printed);
            prop_assert_eq!(again.checks().len(), cfg.checks().len());
        }
    }

    #[test]
    fn no_text_makes_a_reader_panic(
        parts in vec(prop_oneof![
            "[-0-9a-z\"\\\\<>{}\\[\\]():|,@= \n]{0,6}",
            any::<String>(),
            "SPECIFICATION |CONSTANT |INVARIANT |CHECK_DEADLOCK |TRUE|<-|\\(\\*|\\*\\)|\\\\\\*",
            "State 1: <|State 2:\n|/\\\\ x = |Error: |Back to state 1: <|STATE_1 ==\n|---- MODULE |>\n|\n\n",
            "@!@!@STARTMSG 2217:4 @!@!@\n|@!@!@ENDMSG|@!@!@STARTMSG 1:1|Progress\\(1\\) at |: 1 states generated, ",
            "digraph G \\{\n|subgraph cluster_graph \\{\n|1 \\[label=\"|1 -> 2|\",color=|\\}\n",
        ], 0..12),
    ) {
        let text = parts.concat();
        let _ = text.parse::<Value>();
        let _ = parse_state(&text);
        if let Err(error) = parse_cfg(&text) {
            let _ = (error.to_string(), error.hint(), error.position());
        }
        let _ = read_report(text.as_bytes(), Some(12));
        let _ = read_simulation(text.as_bytes());
        let _ = read_dump(text.as_bytes()).count();
        let _ = read_dot(text.as_bytes()).count();
    }

    #[test]
    fn places_of_errors_lie_within_the_text(text in "[ -~é\n]{0,20}") {
        if let Err(error) = text.parse::<Value>() {
            let line = text.split('\n').nth(error.line as usize - 1).unwrap();
            prop_assert!((1..=line.chars().count() + 1).contains(&(error.column as usize)));
        }
        if let Err(error) = parse_cfg(&text) {
            let place = error.position();
            let line = text.split('\n').nth(place.line as usize - 1).unwrap();
            prop_assert!((1..=line.chars().count() + 1).contains(&(place.column as usize)));
        }
    }
}

/// Every prefix of a sample, and the sample with one byte changed: errors, but no panic.
#[test]
fn damaged_samples_are_read_or_refused() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/samples");
    for name in [
        "courier/tlc-2026/inv.tool.txt",
        "courier/tlc-2.15/stutter.txt",
        "courier/tlc-2026/walk_0_0",
        "values/Values.dot",
        "values/Values.dump",
        "courier/lasso.cfg",
    ] {
        let bytes = std::fs::read(format!("{root}/{name}")).unwrap();
        let read = |bytes: &[u8]| {
            let _ = read_report(bytes, Some(12));
            let _ = read_simulation(bytes);
            let _ = read_dump(bytes).count();
            let _ = read_dot(bytes).count();
            if let Ok(text) = std::str::from_utf8(bytes) {
                let _ = parse_cfg(text);
                let _ = parse_state(text);
            }
        };
        for at in (0..bytes.len()).step_by(3) {
            read(&bytes[..at]);
            for replacement in *b"\0\n}\"\\1\xff" {
                let mut damaged = bytes.clone();
                damaged[at] = replacement;
                read(&damaged);
            }
        }
    }
}
