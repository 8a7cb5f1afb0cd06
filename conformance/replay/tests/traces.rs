//! Every format, read from files that the tools themselves wrote.

#![allow(clippy::panic, clippy::unwrap_used, clippy::expect_used)]

use std::path::PathBuf;

use plumb_checker::PropertyKind;
use plumb_replay::trace::{
    Ending, Format, Header, PlumbWriter, RecordedLabel, RecordedStep, TraceItem, open, read,
};
use plumb_tla::Value;

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
        ] {
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
