//! Laws of reading and writing traces that hold for every behaviour and every text.

#![allow(clippy::panic, clippy::unwrap_used, clippy::expect_used)]

use plumb_checker::PropertyKind;
use plumb_replay::trace::{
    Ending, Fidelity, Format, Header, PlumbWriter, RecordedLabel, RecordedStep, RecordedViolation,
    TraceError, TraceItem, read, write_itf, write_tlc_text,
};
use plumb_tla::{State, Value};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

#[path = "../../../tla/tests/strategies/mod.rs"]
mod strategies;

use strategies::{name, text};

fn value() -> impl Strategy<Value = Value> {
    strategies::value(3, 4)
}

fn label() -> impl Strategy<Value = RecordedLabel> {
    prop_oneof![
        Just(RecordedLabel::Unlabelled),
        (name(), option::of(vec(value(), 0..3)))
            .prop_map(|(name, parameters)| RecordedLabel::Action { name, parameters }),
    ]
}

fn header() -> impl Strategy<Value = Header> {
    let words = || option::of(text());
    let kind = prop_oneof![
        Just(PropertyKind::Invariant),
        Just(PropertyKind::Step),
        Just(PropertyKind::Temporal),
        Just(PropertyKind::Assumption),
        Just(PropertyKind::Deadlock),
    ];
    let violation = (kind, option::of("[A-Z][a-z]{0,4}")).prop_map(|(kind, property)| {
        let property = property.filter(|_| kind != PropertyKind::Deadlock);
        RecordedViolation { kind, property }
    });
    let files = (words(), words(), words());
    let digests = (words(), words(), words());
    (files, digests, any::<Option<u64>>(), option::of(violation)).prop_map(
        |((model, configuration, module), (module_digest, cfg_digest, tool), seed, violation)| {
            Header {
                model,
                configuration,
                module,
                module_digest,
                cfg_digest,
                tool,
                seed,
                violation,
                fidelity: Fidelity::Exact,
            }
        },
    )
}

/// A behaviour whose states have the same variables, as checkers record them.
fn behaviour() -> impl Strategy<Value = Vec<TraceItem>> {
    let states = proptest::collection::btree_set(name(), 1..4)
        .prop_flat_map(|names| {
            let count = names.len();
            (Just(names), vec(vec(value(), count..=count), 1..5))
        })
        .prop_map(|(names, states)| {
            let states = states.into_iter();
            let states = states.map(move |values| State::new(names.iter().cloned().zip(values)));
            states.collect::<Vec<State>>()
        });
    (header(), states, vec(label(), 4), 0..6u64, label()).prop_map(
        |(header, states, labels, end, last)| {
            let count = states.len() as u64;
            let labels = std::iter::once(RecordedLabel::Initial).chain(labels);
            let steps = (1..)
                .zip(states)
                .zip(labels)
                .map(|((number, state), label)| {
                    TraceItem::Step(RecordedStep {
                        number,
                        line: 0,
                        label,
                        state,
                    })
                });
            let ending = match end {
                0 => Ending::Open,
                1 => Ending::Stuttering,
                // A way back to the last state is how ITF tells stuttering.
                state if state <= count => Ending::BackTo(state - 1, last),
                _ => Ending::Open,
            };
            let mut items = vec![TraceItem::Header(header)];
            items.extend(steps);
            items.push(TraceItem::End(ending));
            items
        },
    )
}

/// What is read of a text, without the lines on which the steps stand.
fn items(text: &[u8], format: Format) -> Vec<TraceItem> {
    let reader = read(text, "memory", None).unwrap();
    assert_eq!(reader.format(), format);
    reader
        .map(|item| match item.unwrap() {
            TraceItem::Step(step) => TraceItem::Step(RecordedStep { line: 0, ..step }),
            other => other,
        })
        .collect()
}

fn plumb(items: &[TraceItem]) -> Vec<u8> {
    let mut writer = PlumbWriter::new(Vec::new());
    for item in items {
        writer.write(item).unwrap();
    }
    writer.finish().unwrap()
}

/// The behaviour with strings in place of model values, and a lasso without its label.
fn as_itf_tells(items: Vec<TraceItem>) -> Vec<TraceItem> {
    fn strings(value: &Value) -> Value {
        match value {
            Value::Bool(_) | Value::Int(_) | Value::Str(_) => value.clone(),
            Value::Model(name) => Value::str(name),
            Value::Set(items) => Value::set(items.iter().map(strings)),
            Value::Tuple(items) => Value::tuple(items.iter().map(strings)),
            Value::Record(fields) => {
                Value::record(fields.iter().map(|(name, value)| (name, strings(value))))
            }
            Value::Function(pairs) => Value::function(
                pairs
                    .iter()
                    .map(|(key, value)| (strings(key), strings(value))),
            ),
        }
    }
    let items = items.into_iter().map(|item| match item {
        TraceItem::Header(header) => TraceItem::Header(Header {
            fidelity: Fidelity::NamesAsStrings,
            violation: header.violation,
            ..header
        }),
        TraceItem::Step(step) => {
            let values = step
                .state
                .iter()
                .map(|(name, value)| (name, strings(value)));
            let state = State::new(values);
            TraceItem::Step(RecordedStep { state, ..step })
        }
        TraceItem::End(Ending::BackTo(state, _)) => {
            TraceItem::End(Ending::BackTo(state, RecordedLabel::Unlabelled))
        }
        end @ TraceItem::End(_) => end,
    });
    items.collect()
}

/// The behaviour without what TLC's text does not tell of a run. An action without parameters looks
/// like one whose parameters are not told.
fn as_tlc_tells(items: Vec<TraceItem>) -> Vec<TraceItem> {
    let label = |label| match label {
        RecordedLabel::Action { name, parameters } => RecordedLabel::Action {
            name,
            parameters: parameters.filter(|parameters| !parameters.is_empty()),
        },
        other => other,
    };
    let items = items.into_iter().map(|item| match item {
        TraceItem::Header(header) => TraceItem::Header(Header {
            violation: header.violation,
            ..Header::default()
        }),
        TraceItem::Step(step) => TraceItem::Step(RecordedStep {
            label: label(step.label),
            ..step
        }),
        TraceItem::End(Ending::BackTo(state, by)) => {
            TraceItem::End(Ending::BackTo(state, label(by)))
        }
        end @ TraceItem::End(_) => end,
    });
    items.collect()
}

proptest! {
    #[test]
    fn a_plumb_trace_is_read_as_it_was_written(behaviours in vec(behaviour(), 1..3)) {
        let behaviours = behaviours.concat();
        prop_assert_eq!(items(&plumb(&behaviours), Format::Plumb), behaviours);
    }

    #[test]
    fn an_itf_trace_tells_all_but_model_values(behaviour in behaviour()) {
        match write_itf(Vec::new(), &behaviour) {
            Ok(text) => prop_assert_eq!(items(&text, Format::Itf), as_itf_tells(behaviour)),
            // A model value and a string of one name.
            Err(TraceError::Unwritable { expected, .. }) => {
                prop_assert_eq!(expected, "values that ITF tells apart");
            }
            Err(error) => prop_assert!(false, "{error}"),
        }
    }

    #[test]
    fn tlc_text_tells_states_labels_and_endings(behaviours in vec(behaviour(), 1..3)) {
        let behaviours = behaviours.concat();
        let text = write_tlc_text(Vec::new(), &behaviours).unwrap();
        prop_assert_eq!(items(&text, Format::TlcOutput), as_tlc_tells(behaviours));
    }

    /// Wherever a file of several lines is cut, something is missing, and the reader says so. The
    /// text of TLC can be cut after each state: it does not say how long it is.
    #[test]
    fn no_reader_takes_a_cut_trace_for_a_whole_one(behaviour in behaviour(), cut in 0.0..1.0) {
        let itf = write_itf(Vec::new(), &behaviour).unwrap_or_default();
        for whole in [plumb(&behaviour), itf] {
            let at = (whole.len().saturating_sub(2) as f64 * cut) as usize;
            let complete = match read(&whole[..at], "memory", None) {
                Ok(reader) => reader.collect::<Result<Vec<_>, _>>().is_ok(),
                Err(_) => false,
            };
            prop_assert!(!complete, "{}", String::from_utf8_lossy(&whole[..at]));
        }
    }

    #[test]
    fn no_text_makes_a_reader_panic(
        parts in vec(prop_oneof![
            "[-0-9a-z\"\\\\<>{}\\[\\]():|,@= \n]{0,6}",
            any::<String>(),
            "\\{\"format\":\"plumb-trace\",\"version\":[12]\\}\n|\\{\"step\":1,\"state\":\\{\"x\":\"1\"\\}\\}\n|\\{\"end\":\"open\",\"steps\":1\\}\n",
            "\\{\"states\":\\[|\\{\"x\":1\\}|,|\\]|\\}|\"loop\":0|\"#meta\":\\{\\}|\\{\"#(map|set|tup|bigint)\":|\\[",
            "\\{\"counterexample\":\\{\"action\":\\[|\\[\\[1,\\{\"x\":1\\}\\],\\{\"name\":\"A\"\\},\\[2,\\{\"x\":2\\}\\]\\]|\"state\":\\[|\\[1,\\{\\}\\]",
            "State 1: <|State 2:\n|/\\\\ x = |Error: |Back to state 1: <|STATE_1 ==\n|---- MODULE |>\n|\n\n",
        ], 0..12),
    ) {
        let text = parts.concat();
        for format in Format::ALL.into_iter().map(Some).chain([None]) {
            if let Ok(reader) = read(text.as_bytes(), "memory", format) {
                for item in reader {
                    if let Err(error) = item {
                        prop_assert!(error.to_string().starts_with("memory: "));
                    }
                }
            }
        }
    }
}

/// Every prefix of a recorded file, and the file with one byte changed: errors, but no panic.
#[test]
fn damaged_files_are_read_or_refused() {
    let root = env!("CARGO_MANIFEST_DIR");
    for name in [
        "../../tla/tests/samples/courier/tlc-2026/inv.json",
        "../../tla/tests/samples/courier/tlc-2026/stutter.tool.txt",
        "../../tla/tests/samples/courier/tlc-2026/walk_0_0",
        "tests/samples/quint/walk.itf.json",
    ] {
        let bytes = std::fs::read(format!("{root}/{name}")).unwrap();
        let count = |bytes: &[u8]| read(bytes, name, None).map_or(0, Iterator::count);
        for at in (0..bytes.len()).step_by(7) {
            count(&bytes[..at]);
            for replacement in *b"\0\n}\"\\1\xff" {
                let mut damaged = bytes.clone();
                damaged[at] = replacement;
                count(&damaged);
            }
        }
    }
}
