//! Reports of runs: what both versions of TLC printed, as text and with `-tool`.

#![allow(clippy::panic, clippy::unwrap_used, clippy::expect_used)]

use std::fs::File;
use std::io::BufReader;

use plumb_tla::Value;
use plumb_tla::tlc::{
    Progress, StepLabel, TlcReport, TlcVerdict, ViolationKind, read_report, read_simulation,
};

const VERSIONS: [&str; 2] = ["tlc-2.15", "tlc-2026"];

fn sample(name: &str) -> BufReader<File> {
    let path = format!("{}/tests/samples/{name}", env!("CARGO_MANIFEST_DIR"));
    BufReader::new(File::open(&path).unwrap_or_else(|error| panic!("{path}: {error}")))
}

fn report(name: &str, exit: i32) -> TlcReport {
    read_report(sample(name), Some(exit)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn violated(kind: ViolationKind, name: Option<&str>) -> TlcVerdict {
    TlcVerdict::Violated {
        kind,
        name: name.map(str::to_owned),
    }
}

/// The four counts of the closing lines.
fn counts(report: &TlcReport) -> [Option<u64>; 4] {
    [
        report.generated,
        report.distinct,
        report.queue,
        report.depth,
    ]
}

#[test]
fn a_finished_run_is_a_success() {
    for version in VERSIONS {
        let name = format!("courier/{version}/ok.txt");
        let report = report(&name, 0);
        assert_eq!(report.verdict, TlcVerdict::Success, "{version}");
        assert_eq!(counts(&report), [Some(43), Some(27), Some(0), Some(8)]);
        assert_eq!(
            (report.initial_generated, report.initial_distinct),
            (Some(1), Some(1))
        );
        assert!(report.completed && report.trace.is_empty() && report.errors.is_empty());
    }
    let version = |name: &str| report(name, 0).version;
    assert_eq!(
        version("courier/tlc-2.15/ok.txt").as_deref(),
        Some("2.15 of Day Month 20?? (rev: d5b5a7f)")
    );
    assert!(version("courier/tlc-2026/ok.txt").is_some_and(|version| version.starts_with("2026.")));
}

#[test]
fn a_success_needs_every_sign_of_it() {
    let name = "courier/tlc-2026/ok.txt";
    for exit in [None, Some(255), Some(12), Some(137)] {
        let report = read_report(sample(name), exit).unwrap();
        assert_ne!(report.verdict, TlcVerdict::Success, "{exit:?}");
    }
    let text = std::io::read_to_string(sample(name)).unwrap();
    let verdict = |text: &str| read_report(text.as_bytes(), Some(0)).unwrap().verdict;
    assert_eq!(verdict(&text), TlcVerdict::Success);
    assert_eq!(
        verdict(&text.replace(" 0 states left", " 1 states left")),
        TlcVerdict::Unfinished
    );
    assert_eq!(
        verdict(&text.replace("No error has been found", "Done")),
        TlcVerdict::Unfinished
    );
    let closing = text.find("43 states generated").unwrap();
    assert_eq!(verdict(&text[..closing]), TlcVerdict::Unfinished);
    assert_eq!(verdict(""), TlcVerdict::Unfinished);
    let failed = text.replace(
        "Computing initial",
        "Error: Something new.\nComputing initial",
    );
    assert_eq!(
        verdict(&failed),
        TlcVerdict::Error {
            message: "Something new.\nComputing initial states...".into()
        }
    );
}

#[test]
fn a_violated_invariant_has_its_name_and_trace() {
    for version in VERSIONS {
        for form in ["inv.txt", "inv.tool.txt"] {
            let name = format!("courier/{version}/{form}");
            let report = report(&name, 12);
            assert_eq!(
                report.verdict,
                violated(ViolationKind::Invariant, Some("NeverBoth")),
                "{name}"
            );
            assert_eq!(
                counts(&report),
                [Some(31), Some(24), Some(6), Some(7)],
                "{name}"
            );
            let actions: Vec<_> = report
                .trace
                .iter()
                .map(|step| step.label.action())
                .collect();
            assert_eq!(
                actions,
                [
                    None,
                    Some("Enqueue"),
                    Some("Take"),
                    Some("Enqueue"),
                    Some("Deliver"),
                    Some("Take"),
                    Some("Deliver")
                ]
            );
            assert_eq!(report.trace[0].label, StepLabel::Initial);
            let parameters = if version == "tlc-2026" {
                Some("p1".to_owned())
            } else {
                None
            };
            assert_eq!(
                report.trace[1].label,
                StepLabel::Action {
                    name: "Enqueue".into(),
                    parameters
                }
            );
            assert_eq!(
                report.trace[4].label,
                StepLabel::Action {
                    name: "Deliver".into(),
                    parameters: None
                }
            );
            let numbers: Vec<u64> = report.trace.iter().map(|step| step.number).collect();
            assert_eq!(numbers, [1, 2, 3, 4, 5, 6, 7]);
            let last = report.trace[6].state.as_ref().unwrap();
            let place = last
                .get("place")
                .and_then(|place| place.apply(&Value::model("p1")));
            assert_eq!(place.and_then(Value::as_str), Some(r#"door "7" \ yard"#));
            assert_eq!(
                last.get("log")
                    .and_then(Value::as_set)
                    .map(std::collections::BTreeSet::len),
                Some(2)
            );
            assert_eq!(report.errors, ["Invariant NeverBoth is violated."]);
        }
    }
}

#[test]
fn a_violated_step_has_its_name_and_trace() {
    for version in VERSIONS {
        for form in ["step.txt", "step.tool.txt"] {
            let report = report(&format!("courier/{version}/{form}"), 13);
            assert_eq!(
                report.verdict,
                violated(ViolationKind::Step, Some("Monotone"))
            );
            assert_eq!(counts(&report), [Some(93), Some(67), Some(14), Some(11)]);
            assert_eq!(report.trace.len(), 11);
        }
    }
}

#[test]
fn a_lasso_says_where_it_goes_back_to() {
    for version in VERSIONS {
        let (name, depth) = match version {
            "tlc-2.15" => (None, None),
            _ => (Some("EventuallyAllSigned"), Some(36)),
        };
        for form in ["lasso.txt", "lasso.tool.txt"] {
            let report = report(&format!("courier/{version}/{form}"), 13);
            assert_eq!(report.verdict, violated(ViolationKind::Temporal, name));
            assert_eq!(counts(&report), [Some(2371), Some(1361), Some(0), depth]);
            let last = report.trace.last().unwrap();
            assert_eq!((last.number, report.trace.len()), (24, 24));
            let deliver = StepLabel::Action {
                name: "Deliver".into(),
                parameters: None,
            };
            assert_eq!(last.label, StepLabel::BackTo(12, Box::new(deliver)));
            assert_eq!(last.label.action(), Some("Deliver"));
            assert_eq!(last.state, None);
            assert!(report.trace[..23].iter().all(|step| step.state.is_some()));
            let progress = Progress {
                depth: 36,
                generated: 2371,
                distinct: 1361,
                queue: 0,
            };
            assert_eq!(report.progress, Some(progress));
        }
    }
}

#[test]
fn a_behaviour_may_end_with_stuttering() {
    for version in VERSIONS {
        for form in ["stutter.txt", "stutter.tool.txt"] {
            let report = report(&format!("courier/{version}/{form}"), 13);
            assert!(matches!(
                report.verdict,
                TlcVerdict::Violated {
                    kind: ViolationKind::Temporal,
                    ..
                }
            ));
            let last = report.trace.last().unwrap();
            assert_eq!(
                (last.number, &last.label, &last.state),
                (9, &StepLabel::Stuttering, &None)
            );
            assert_eq!(report.queue, Some(0));
        }
    }
}

#[test]
fn text_and_tool_mode_tell_the_same() {
    let same = |one: &str, other: &str, exit| {
        let (one, other) = (report(one, exit), report(other, exit));
        assert_eq!(
            (&one.verdict, &one.trace, &one.errors),
            (&other.verdict, &other.trace, &other.errors)
        );
        assert_eq!(counts(&one), counts(&other));
    };
    for version in VERSIONS {
        for (name, exit) in [("inv", 12), ("step", 13)] {
            same(
                &format!("courier/{version}/{name}.txt"),
                &format!("courier/{version}/{name}.tool.txt"),
                exit,
            );
        }
    }
    for (name, exit) in [
        ("assertion", 75),
        ("assumption", 10),
        ("check-deadlock", 255),
        ("constant", 151),
        ("deadlock", 11),
        ("initial", 12),
        ("mixed", 75),
    ] {
        same(
            &format!("faults/{name}.txt"),
            &format!("faults/{name}.tool.txt"),
            exit,
        );
    }
}

#[test]
fn every_other_end_has_its_verdict() {
    use ViolationKind::{Assert, Deadlock, Invariant, Step, Temporal};
    let named = |name: &str| Some(name.to_owned());
    let cases = [
        ("deadlock", 11, violated(Deadlock, None)),
        ("initial", 12, violated(Invariant, Some("AboveOne"))),
        ("property-initially", 13, violated(Temporal, Some("Second"))),
        ("unnamed-step", 13, violated(Step, None)),
        ("stuttering", 13, violated(Temporal, None)),
        ("continue", 0, violated(Invariant, Some("BelowThree"))),
        ("assertion", 75, violated(Assert, None)),
        (
            "constant",
            151,
            TlcVerdict::Assumption {
                name: named("StartsTwice"),
            },
        ),
        ("assumption", 10, TlcVerdict::Assumption { name: None }),
    ];
    for (name, exit, verdict) in cases {
        assert_eq!(
            report(&format!("faults/{name}.txt"), exit).verdict,
            verdict,
            "{name}"
        );
        // What the message says does not depend on the exit status.
        for exit in [None, Some(0), Some(255)] {
            let report = read_report(sample(&format!("faults/{name}.txt")), exit).unwrap();
            assert_eq!(report.verdict, verdict, "{name} {exit:?}");
        }
    }
}

#[test]
fn what_tlc_could_not_decide_is_an_error_with_its_words() {
    let names = [
        ("mixed", 75),
        ("half", 75),
        ("mixed-invariant", 76),
        ("mixed-step", 75),
        ("mixed-step", 13),
        ("tautology", 77),
        ("undefined", 151),
        ("check-deadlock", 255),
        ("option", 1),
        ("semantics", 150),
        ("syntax", 150),
        ("nowhere", 150),
    ];
    let shown: String = names
        .iter()
        .map(|(name, exit)| {
            let verdict = report(&format!("faults/{name}.txt"), *exit).verdict;
            let (kind, message) = match &verdict {
                TlcVerdict::Error { message } => ("error", message),
                TlcVerdict::Usage { message } => ("usage", message),
                other => panic!("{name}: {other:?}"),
            };
            format!("{name} ({exit}): {kind}\n{message}\n\n")
        })
        .collect();
    insta::assert_snapshot!("undecided", shown);
}

#[test]
fn an_exit_status_alone_decides_where_there_is_no_message() {
    let verdict = |exit| read_report(&b"TLC2 Version 9\n"[..], exit).unwrap().verdict;
    let violation = |kind| violated(kind, None);
    assert_eq!(verdict(Some(10)), TlcVerdict::Assumption { name: None });
    assert_eq!(verdict(Some(11)), violation(ViolationKind::Deadlock));
    assert_eq!(verdict(Some(12)), violation(ViolationKind::Invariant));
    assert_eq!(verdict(Some(13)), violation(ViolationKind::Temporal));
    assert_eq!(verdict(Some(14)), violation(ViolationKind::Assert));
    for exit in [75, 76, 77, 152, 153, 255, 2] {
        assert!(
            matches!(verdict(Some(exit)), TlcVerdict::Error { .. }),
            "{exit}"
        );
    }
    for exit in [1, 150, 151] {
        assert!(
            matches!(verdict(Some(exit)), TlcVerdict::Usage { .. }),
            "{exit}"
        );
    }
    for exit in [None, Some(0), Some(130), Some(137), Some(143), Some(-9)] {
        assert_eq!(verdict(exit), TlcVerdict::Unfinished, "{exit:?}");
    }
}

#[test]
fn traces_of_faults_are_read() {
    let initial = report("faults/initial.txt", 12);
    assert_eq!(initial.trace.len(), 1);
    assert_eq!(initial.trace[0].label, StepLabel::Initial);
    assert_eq!(
        initial.trace[0]
            .state
            .as_ref()
            .and_then(|state| state.get("count")),
        Some(&Value::int(1))
    );
    assert_eq!(report("faults/deadlock.txt", 11).trace.len(), 3);
    // Only the first of the traces.
    let continued = report("faults/continue.txt", 0);
    assert_eq!(continued.trace.len(), 2);
    assert_eq!(continued.errors.len(), 2);
    assert!(continued.completed);
    let half = report("faults/half.txt", 75);
    assert_eq!(half.trace[3].label.action(), Some("Half"));
    let never = report("values/never.txt", 12);
    let state = never.trace[1].state.as_ref().unwrap();
    let text = state.get("text").and_then(|text| text.field("escapes"));
    assert_eq!(text, Some(&Value::str("a\nb\tc\\ \"d\" \r \u{c}")));
    let functions = state.get("functions").and_then(Value::as_tuple).unwrap();
    assert_eq!(functions[0].field("a b"), Some(&Value::str("c")));
}

#[test]
fn a_report_that_cannot_be_trusted_is_refused() {
    let error = |text: &str| {
        read_report(text.as_bytes(), Some(12))
            .expect_err(text)
            .to_string()
    };
    let difftrace = read_report(sample("faults/difftrace.txt"), Some(12)).unwrap_err();
    let texts = [
        "Error: Invariant I is violated.\nState 1: <Initial predicate>\n/\\ x = {1,\n\nFinished",
        "State 1: <Initial predicate>\n/\\ x = 1\n/\\ y",
        "State 2: <A line 1, col 1 to line 1, col 2 of module M>\nx = 1\n",
        "State 1: <Initial predicate>\nx = 1\n\nState 3: Stuttering\n",
        "State 1: <A(1,\n",
        "State 1: <Initial predicate>\nx = 1\0\n",
        "@!@!@STARTMSG what @!@!@\n",
        "@!@!@STARTMSG 2217:4 @!@!@\nnothing\n",
    ];
    let mut shown = format!("difftrace\n    {difftrace}\n");
    for text in texts {
        shown += &format!("{text:?}\n    {}\n", error(text));
    }
    let broken = b"State 1: <Initial predicate>\nx = \"\xff\"\n\n";
    shown += &format!(
        "not UTF-8\n    {}\n",
        read_report(&broken[..], None).unwrap_err()
    );
    insta::assert_snapshot!("reports_refused", shown);
    // Elsewhere it does no harm.
    let elsewhere = b"Parsing file /caf\xe9.tla\nError: Deadlock reached.\n";
    let report = read_report(&elsewhere[..], Some(11)).unwrap();
    assert_eq!(report.verdict, violated(ViolationKind::Deadlock, None));
}

#[test]
fn labels_are_taken_apart() {
    let label = |label: &str| {
        let text = format!("State 1: {label}\nx = 1\n\n");
        read_report(text.as_bytes(), None).unwrap().trace[0]
            .label
            .clone()
    };
    let action = |name: &str, parameters: Option<&str>| StepLabel::Action {
        name: name.into(),
        parameters: parameters.map(str::to_owned),
    };
    let at = "line 78, col 5 to line 80, col 11 of module M";
    assert_eq!(label("<Initial predicate>"), StepLabel::Initial);
    assert_eq!(label(&format!("<Mark {at}>")), action("Mark", None));
    assert_eq!(
        label(&format!("<Mark(\"X\") {at}>")),
        action("Mark", Some("\"X\""))
    );
    assert_eq!(
        label(&format!(
            "<Stage(1,[kind |-> \"Work\", to |-> (a :> 1)]) {at}>"
        )),
        action("Stage", Some("1,[kind |-> \"Work\", to |-> (a :> 1)]"))
    );
    assert_eq!(
        label(&format!("<Say(\"{at} to line 2 > (\") {at}>")),
        action("Say", Some(&format!("\"{at} to line 2 > (\"")))
    );
    assert_eq!(
        label(&format!("<Put({{1,\n   2}}) {at}>")),
        action("Put", Some("{1,\n   2}"))
    );
    assert_eq!(label("<Mark>"), action("Mark", None));
    assert_eq!(label(""), StepLabel::Unlabelled);
}

#[test]
fn initial_states_and_warnings_are_read() {
    let text = "Warning: Declaring constraints is dangerous.\nMore about it.\n\nFinished computing initial states: 1,200 states generated, with 7 of them distinct at 2026-01-01 00:00:00.\nProgress(3) at 2026-01-01 00:00:01: 1,234,567 states generated (9,000 s/min), 89,012 distinct states found (1 ds/min), 3,456 states left on queue.\n";
    let report = read_report(text.as_bytes(), None).unwrap();
    assert_eq!(
        report.warnings,
        ["Declaring constraints is dangerous.\nMore about it."]
    );
    assert_eq!(
        (report.initial_generated, report.initial_distinct),
        (Some(1200), Some(7))
    );
    let progress = Progress {
        depth: 3,
        generated: 1_234_567,
        distinct: 89_012,
        queue: 3456,
    };
    assert_eq!(report.progress, Some(progress));
    assert_eq!(counts(&report), [None; 4]);
    assert_eq!(report.verdict, TlcVerdict::Unfinished);
}

#[test]
fn simulated_behaviours_are_read() {
    for version in VERSIONS {
        let with_actions = version == "tlc-2026";
        for walk in ["walk_0_0", "walk_0_1"] {
            let steps = read_simulation(sample(&format!("courier/{version}/{walk}"))).unwrap();
            assert_eq!(steps.len(), if with_actions { 8 } else { 9 });
            assert_eq!(steps[0].label, StepLabel::Initial);
            assert!(
                steps[1..]
                    .iter()
                    .all(|step| step.label.action().is_some() == with_actions)
            );
            assert!(steps.iter().all(|step| step.state.is_some()));
        }
    }
    let error = |text: &str| read_simulation(text.as_bytes()).unwrap_err().to_string();
    let head = "---------------- MODULE walk -----------------\n";
    let texts = [
        String::new(),
        "State 1:\n".into(),
        head.into(),
        format!("{head}STATE_2 == \nx = 1\n\n"),
        format!("{head}STATE_1 == \nx = \n\n"),
        format!("{head}\\* Init\nSTATE_1 == \nx = 1\n\n"),
    ];
    let shown: String = texts
        .iter()
        .map(|text| format!("{text:?}\n    {}\n", error(text)))
        .collect();
    insta::assert_snapshot!("simulations_refused", shown);
    let report = report("courier/tlc-2026/simulate.txt", 0);
    assert_eq!(
        (report.generated, report.verdict),
        (Some(18), TlcVerdict::Unfinished)
    );
}

/// Every part of a file but the line end at its very end is needed.
#[test]
fn a_simulated_behaviour_that_is_cut_anywhere_is_refused_where_it_was_cut() {
    for version in VERSIONS {
        let mut whole = Vec::new();
        let mut file = sample(&format!("courier/{version}/walk_0_0"));
        std::io::Read::read_to_end(&mut file, &mut whole).unwrap();
        let last = whole.len() - 1;
        assert_eq!(&whole[last - 1..], b"=\n");
        assert!(read_simulation(&whole[..last]).is_ok());
        for cut in 0..last {
            assert!(read_simulation(&whole[..cut]).is_err(), "{version}: {cut}");
        }
        let lines = whole.iter().filter(|byte| **byte == b'\n').count();
        for missing in 1..49 {
            let error = read_simulation(&whole[..last - missing]).unwrap_err();
            let column = 50 - missing;
            assert_eq!(
                error.to_string(),
                format!(
                    "line {lines}, column {column}: expected a row of 49 `=`, and nothing else in the \
                     line, found the end of the line"
                )
            );
        }
    }
}
