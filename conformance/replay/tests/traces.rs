//! Every format, read from files that the tools themselves wrote.

#![allow(clippy::panic, clippy::unwrap_used, clippy::expect_used)]

use std::path::PathBuf;

use plumb_checker::PropertyKind;
use plumb_replay::trace::{
    Ending, Fidelity, Format, Header, PlumbWriter, RecordedLabel, RecordedStep, TraceItem, open,
    read,
};
use plumb_tla::{State, Value};

const VERSIONS: [&str; 2] = ["tlc-2.15", "tlc-2026"];

fn courier(name: &str) -> PathBuf {
    let samples = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tla/tests/samples");
    PathBuf::from(samples).join(name)
}

fn items(name: &str) -> Vec<TraceItem> {
    let reader = open(&courier(name), None).unwrap_or_else(|error| panic!("{name}: {error}"));
    let items = reader.collect::<Result<Vec<_>, _>>();
    items.unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The only behaviour of a file.
fn behaviour(name: &str) -> (Header, Vec<RecordedStep>, Ending) {
    let mut items = items(name);
    let Some(TraceItem::End(ending)) = items.pop() else {
        panic!("{name} has no end")
    };
    let TraceItem::Header(header) = items.remove(0) else {
        panic!("{name} has no header")
    };
    let steps = items.into_iter().map(|item| match item {
        TraceItem::Step(step) => step,
        other => panic!("{name}: {other:?}"),
    });
    (header, steps.collect(), ending)
}

fn name_of(label: &RecordedLabel) -> &str {
    match label {
        RecordedLabel::Initial => "Initial",
        RecordedLabel::Action { name, .. } => name,
        RecordedLabel::Unlabelled => "",
    }
}

#[test]
fn the_format_is_found_out_by_looking() {
    for version in VERSIONS {
        for (file, format) in [
            ("inv.txt", Format::TlcOutput),
            ("inv.tool.txt", Format::TlcOutput),
            ("lasso.txt", Format::TlcOutput),
            ("walk_0_0", Format::TlcSimulation),
            ("ok.dump", Format::Dump),
            ("ok.dot", Format::Dot),
            ("inv.json", Format::TlcJson),
        ] {
            if file == "inv.json" && version == "tlc-2.15" {
                continue;
            }
            let name = format!("courier/{version}/{file}");
            let found = plumb_replay::trace::recognise_file(&courier(&name)).unwrap();
            assert_eq!(found, format, "{name}");
            assert_eq!(format.name().parse(), Ok(format));
        }
    }
}

#[test]
fn text_and_tool_mode_of_both_versions_tell_the_same() {
    for version in VERSIONS {
        for (file, kind, property, ending) in [
            ("inv", PropertyKind::Invariant, "NeverBoth", "open"),
            ("step", PropertyKind::Step, "Monotone", "open"),
            (
                "lasso",
                PropertyKind::Temporal,
                "EventuallyAllSigned",
                "lasso",
            ),
            (
                "stutter",
                PropertyKind::Temporal,
                "EventuallyAllSigned",
                "stutter",
            ),
        ] {
            let (header, steps, end) = behaviour(&format!("courier/{version}/{file}.txt"));
            let violation = header.violation.clone().unwrap();
            assert_eq!(violation.kind, kind);
            let named = version == "tlc-2026" || kind != PropertyKind::Temporal;
            assert_eq!(violation.property.as_deref(), named.then_some(property));
            assert_eq!(header.module.as_deref(), Some("Courier"));
            assert!(header.tool.unwrap().starts_with("TLC2 Version 2"));
            assert_eq!(steps[0].label, RecordedLabel::Initial);
            assert!(steps[1..].iter().all(|step| step.line > 20
                && matches!(&step.label, RecordedLabel::Action { parameters, .. }
                    if parameters.is_some()
                        == (version == "tlc-2026" && name_of(&step.label) != "Deliver"))));
            match ending {
                "open" => assert_eq!(end, Ending::Open),
                "stutter" => assert_eq!(end, Ending::Stuttering),
                _ => {
                    let Ending::BackTo(state, label) = &end else {
                        panic!("{end:?}")
                    };
                    assert!((2..steps.len() as u64).contains(state));
                    assert_eq!(name_of(label), "Deliver");
                }
            }

            let (_, tool, tool_end) = behaviour(&format!("courier/{version}/{file}.tool.txt"));
            let told = |steps: &[RecordedStep]| {
                let steps = steps.iter();
                steps
                    .map(|step| (step.number, step.label.clone(), step.state.clone()))
                    .collect::<Vec<_>>()
            };
            assert_eq!(told(&steps), told(&tool));
            assert_eq!(end, tool_end);
        }
    }
    let (_, steps, _) = behaviour("courier/tlc-2026/inv.txt");
    let parameters = Some(vec![Value::model("p1")]);
    let name = "Enqueue".to_owned();
    assert_eq!(steps[1].label, RecordedLabel::Action { name, parameters });
}

#[test]
fn all_behaviours_of_one_output_are_read() {
    let items = items("faults/continue.txt");
    let shape: Vec<String> = items
        .iter()
        .map(|item| match item {
            TraceItem::Header(header) => {
                format!(
                    "{:?}",
                    header.violation.as_ref().map(|v| v.property.as_deref())
                )
            }
            TraceItem::Step(step) => step.number.to_string(),
            TraceItem::End(ending) => format!("{ending:?}"),
        })
        .collect();
    let violated = "Some(Some(\"BelowThree\"))";
    assert_eq!(
        shape,
        [violated, "1", "2", "Open", violated, "1", "2", "3", "Open"]
    );
}

#[test]
fn simulated_behaviours_are_read() {
    for version in VERSIONS {
        let (header, steps, end) = behaviour(&format!("courier/{version}/walk_0_0"));
        assert_eq!((header, end), (Header::default(), Ending::Open));
        assert_eq!(steps[0].label, RecordedLabel::Initial);
        let labelled = steps[1..]
            .iter()
            .all(|step| step.label != RecordedLabel::Unlabelled);
        assert_eq!(labelled, version == "tlc-2026");
    }
}

/// TLC says what it simulates, with which seed, and calls the first state by a name of the module.
#[test]
fn a_violation_met_while_simulating_is_read() {
    let text = "TLC2 Version 2026.1\n\
                Running Random Simulation with seed 42 with 1 worker on 2 cores.\n\
                Semantic processing of module Naturals\nSemantic processing of module Up\n\
                Starting... (2026-01-01 00:00:00)\nError: Invariant Low is violated.\n\
                Error: The behavior up to this point is:\n\
                State 1: <Init line 3, col 9 to line 3, col 13 of module Up>\nx = 1\n\n\
                State 2: <Put(<odd thing>, {1}) line 4, col 9 to line 4, col 13 of module Up>\nx = 2\n\n";
    let items = read(text.as_bytes(), "memory", None).unwrap();
    let items = items.collect::<Result<Vec<_>, _>>().unwrap();
    let [
        TraceItem::Header(header),
        TraceItem::Step(first),
        TraceItem::Step(second),
        TraceItem::End(Ending::Open),
    ] = &items[..]
    else {
        panic!("{items:?}")
    };
    let header = (
        header.seed,
        header.module.as_deref(),
        header.tool.as_deref(),
    );
    assert_eq!(header, (Some(42), Some("Up"), Some("TLC2 Version 2026.1")));
    assert_eq!((first.line, &first.label), (8, &RecordedLabel::Initial));
    // What is no value is no argument.
    let name = "Put(<odd thing>, {1})".to_owned();
    let parameters = None;
    assert_eq!(second.label, RecordedLabel::Action { name, parameters });
}

/// The JSON dump tells the trace that is printed, as far as it tells values.
#[test]
fn the_json_dump_tells_the_printed_trace() {
    for file in ["inv", "step", "lasso", "stutter"] {
        let (_, printed, printed_end) = behaviour(&format!("courier/tlc-2026/{file}.txt"));
        let (header, dumped, end) = behaviour(&format!("courier/tlc-2026/{file}.json"));
        assert_eq!(header.fidelity, Fidelity::Projected);
        assert_eq!(dumped.len(), printed.len());
        for (dumped, printed) in dumped.iter().zip(&printed) {
            assert_eq!(dumped.number, printed.number);
            assert_eq!(
                projected_label(&dumped.label),
                projected_label(&printed.label)
            );
            let values = printed.state.iter();
            let values = values.map(|(name, value)| (name, projected(value)));
            assert_eq!(dumped.state, State::new(values));
        }
        match (end, printed_end) {
            (Ending::BackTo(state, label), Ending::BackTo(printed, by)) => {
                assert_eq!(state, printed);
                assert_eq!(projected_label(&label), projected_label(&by));
            }
            (end, printed) => assert_eq!(end, printed),
        }
    }
}

/// What is left of a value in TLC's JSON. The order of sets happens to be the same here.
fn projected(value: &Value) -> Value {
    match value {
        Value::Model(name) => Value::str(name),
        Value::Set(items) => Value::tuple(items.iter().map(projected)),
        Value::Tuple(items) => Value::tuple(items.iter().map(projected)),
        Value::Record(fields) => {
            Value::record(fields.iter().map(|(name, value)| (name, projected(value))))
        }
        Value::Function(pairs) => Value::record(pairs.iter().map(|(key, value)| {
            let key = key.to_string();
            (key.trim_matches('"').to_owned(), projected(value))
        })),
        Value::Bool(_) | Value::Int(_) | Value::Str(_) => value.clone(),
    }
}

fn projected_label(label: &RecordedLabel) -> RecordedLabel {
    match label {
        RecordedLabel::Action { name, parameters } => RecordedLabel::Action {
            name: name.clone(),
            parameters: parameters
                .as_ref()
                .map(|values| values.iter().map(projected).collect()),
        },
        other => other.clone(),
    }
}

#[test]
fn behaviours_of_quint_are_read() {
    let samples = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/samples/quint");
    let path = PathBuf::from(samples).join("walk.itf.json");
    let reader = open(&path, None).unwrap();
    assert_eq!(reader.format(), Format::Itf);
    let items = reader.collect::<Result<Vec<_>, _>>().unwrap();
    let TraceItem::Header(header) = &items[0] else {
        panic!()
    };
    assert_eq!(header.fidelity, Fidelity::NamesAsStrings);
    assert!(
        header
            .tool
            .as_ref()
            .unwrap()
            .starts_with("Created by Quint")
    );
    let steps: Vec<&RecordedStep> = items
        .iter()
        .filter_map(|item| match item {
            TraceItem::Step(step) => Some(step),
            _ => None,
        })
        .collect();
    let names: Vec<&str> = steps.iter().map(|step| name_of(&step.label)).collect();
    let expected = ["Initial", "enqueue", "take", "enqueue", "take", "deliver"];
    assert_eq!(names[..6], expected);
    let told = steps[5].state.to_string();
    let place =
        r#"[p1 |-> [tag |-> "Road", value |-> 1], p2 |-> [tag |-> "Depot", value |-> <<>>]]"#;
    let stats = r#"[by |-> (1 :> "none" @@ 5 :> "van"), ok |-> TRUE, rounds |-> 2]"#;
    assert_eq!(
        told,
        format!(
            "/\\ log = {{<<\"p2\", 2>>}}\n/\\ place = {place}\n/\\ queue = <<>>\n/\\ stats = {stats}"
        )
    );
    assert_eq!(items.last(), Some(&TraceItem::End(Ending::Open)));

    let path = PathBuf::from(samples).join("violation.itf.json");
    let items = open(&path, None)
        .unwrap()
        .collect::<Result<Vec<_>, _>>()
        .unwrap();
    assert!(items.len() > 6);
    assert!(items[2..items.len() - 1].iter().all(|item| matches!(
        item,
        TraceItem::Step(RecordedStep {
            label: RecordedLabel::Unlabelled,
            ..
        })
    )));
}

/// What Plumb writes of a trace is read back as that trace, but for the lines on which it stands.
#[test]
fn plumb_traces_tell_what_they_were_written_from() {
    for version in VERSIONS {
        for file in ["inv.txt", "lasso.tool.txt", "stutter.txt", "walk_0_1"] {
            let items = items(&format!("courier/{version}/{file}"));
            let mut writer = PlumbWriter::new(Vec::new());
            for item in &items {
                writer.write(item).unwrap();
            }
            let text = writer.finish().unwrap();
            let reader = read(&text[..], "memory", None).unwrap();
            assert_eq!(reader.format(), Format::Plumb);
            let again = reader.collect::<Result<Vec<_>, _>>().unwrap();
            assert_eq!(without_lines(again), without_lines(items));
        }
    }
}

fn without_lines(items: Vec<TraceItem>) -> Vec<TraceItem> {
    let items = items.into_iter().map(|item| match item {
        TraceItem::Step(step) => TraceItem::Step(RecordedStep { line: 0, ..step }),
        other => other,
    });
    items.collect()
}
