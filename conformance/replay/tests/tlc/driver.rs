//! How TLC is run, and what becomes of runs that end in every possible way.

use std::cell::{Cell, RefCell};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use plumb_checker::{Progress, SearchOptions, StopReason};
use plumb_replay::tlc::{self, TlcError, TlcOptions};
use plumb_replay::{Agreement, CompareError, CompareOptions, Comparison, Event, compare};
use plumb_tla::tlc::TlcVerdict;

use crate::gauge::{cfg, gauge};
use crate::turn;

fn compared(cfg: &str) -> Comparison {
    let (model, sources) = gauge(cfg);
    compare(&model, &sources, &CompareOptions::default()).unwrap()
}

fn equal_rows(found: &Comparison) -> Vec<(&str, &str)> {
    found
        .rows
        .iter()
        .filter(|row| row.agree == Agreement::Equal)
        .map(|row| (row.what.as_str(), row.tlc.as_deref().unwrap_or_default()))
        .collect()
}

#[test]
fn an_exhausted_search_agrees_in_its_counts() {
    let Some(_turn) = turn() else { return };
    let found = compared(&cfg(4, "none", "INVARIANT Natural"));
    assert!(found.agrees(), "{found:#?}");
    let what: Vec<_> = equal_rows(&found).iter().map(|(what, _)| *what).collect();
    assert_eq!(what, ["verdict", "distinct", "generated", "depth"]);
    assert!(found.tlc_version.contains("2."), "{}", found.tlc_version);
    assert!(found.tlc_log.contains("Model checking completed"));
    assert!(found.graph.is_none());
}

#[test]
fn a_violated_invariant_agrees_in_name_and_length() {
    let Some(_turn) = turn() else { return };
    // The initial state above the top violates it at once.
    let found = compared(&cfg(4, "none", "INVARIANT BelowTop"));
    assert!(found.agrees(), "{found:#?}");
    assert_eq!(
        equal_rows(&found),
        [
            ("verdict", "violated"),
            ("kind", "invariant"),
            ("property", "BelowTop"),
            ("trace", "1")
        ]
    );
}

#[test]
fn a_violated_step_property_agrees_in_name_and_length() {
    let Some(_turn) = turn() else { return };
    let found = compared(&cfg(4, "none", "PROPERTY FewMarks"));
    assert!(found.agrees(), "{found:#?}");
    assert_eq!(
        equal_rows(&found),
        [
            ("verdict", "violated"),
            ("kind", "step property"),
            ("property", "FewMarks"),
            ("trace", "3")
        ]
    );
}

#[test]
fn an_invariant_over_constants_is_an_assumption_to_both() {
    let Some(_turn) = turn() else { return };
    let found = compared(&cfg(2, "none", "INVARIANT Roomy"));
    assert!(found.agrees(), "{found:#?}");
    assert_eq!(
        equal_rows(&found),
        [
            ("verdict", "assumption"),
            ("kind", "assumption"),
            ("property", "Roomy")
        ]
    );
}

#[test]
fn a_graph_that_ends_early_is_not_compared() {
    let Some(_turn) = turn() else { return };
    let (model, sources) = gauge(&cfg(4, "none", "INVARIANT BelowTop"));
    let options = CompareOptions {
        graph: true,
        ..CompareOptions::default()
    };
    let found = compare(&model, &sources, &options).unwrap();
    let row = found.row("graph").unwrap();
    assert!(row.agree.reason().unwrap().contains("ended early"));
    assert!(found.agrees() && found.graph.is_none());
}

#[test]
fn a_module_that_tlc_refuses_is_an_error() {
    let Some(_turn) = turn() else { return };
    let (model, mut sources) = gauge(&cfg(4, "none", ""));
    sources.text = sources.text.replace("Hold ==", "Hold = =");
    let error = compare(&model, &sources, &CompareOptions::default()).unwrap_err();
    let CompareError::Tlc(TlcError::Refused { message, .. }) = &error else {
        panic!("{error:?}");
    };
    assert!(
        message.contains("Parse Error") || message.contains("Parsing"),
        "{message}"
    );
}

#[test]
fn a_module_that_tlc_cannot_evaluate_is_an_error_and_no_verdict() {
    let Some(_turn) = turn() else { return };
    let (model, mut sources) = gauge(&cfg(4, "none", ""));
    sources.text = sources
        .text
        .replace("level' = level - 1", "level' = level - \"one\"");
    let error = compare(&model, &sources, &CompareOptions::default()).unwrap_err();
    assert!(
        matches!(error, CompareError::Tlc(TlcError::Crashed { .. })),
        "{error:?}"
    );
}

#[test]
fn without_tlc_the_script_says_why() {
    let Some(_turn) = turn() else { return };
    // The environment is the process's, so this needs a process of its own.
    let status = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--ignored", "--exact", "driver::tlc_is_not_available"])
        .env("TLA2TOOLS_JAR", "/no/such/tla2tools.jar")
        .output()
        .unwrap();
    let output = String::from_utf8_lossy(&status.stdout);
    assert!(output.contains("1 passed"), "{output}");
}

#[test]
#[ignore = "run by without_tlc_the_script_says_why"]
fn tlc_is_not_available() {
    let (model, sources) = gauge(&cfg(4, "none", ""));
    let error = compare(&model, &sources, &CompareOptions::default()).unwrap_err();
    let CompareError::Tlc(TlcError::Unavailable(reason)) = error else {
        panic!("{error:?}");
    };
    let expected = "TLA2TOOLS_JAR names /no/such/tla2tools.jar, which is not a readable file";
    assert_eq!(reason, expected);
}

/// Rust models that stop early are not held against anything.
#[test]
fn a_budget_ends_the_comparison_before_tlc_is_started() {
    let (model, sources) = gauge(&cfg(4, "none", ""));
    let events = RefCell::new(Vec::new());
    let observe = |event: Event<'_>| events.borrow_mut().push(format!("{event:?}"));
    let options = CompareOptions {
        search: SearchOptions {
            max_states: Some(2),
            ..SearchOptions::default()
        },
        observe: Some(&observe),
        ..CompareOptions::default()
    };
    let error = compare(&model, &sources, &options).unwrap_err();
    assert_eq!(
        error.to_string(),
        "Plumb: stopped by the budget of 2 states"
    );
    assert_eq!(events.into_inner(), ["Searching"]);
}

#[test]
fn a_graph_that_is_too_large_is_refused_before_tlc_is_started() {
    let (model, sources) = gauge(&cfg(4, "none", ""));
    let options = CompareOptions {
        graph: true,
        max_graph_states: 5,
        ..CompareOptions::default()
    };
    let error = compare(&model, &sources, &options).unwrap_err();
    assert!(matches!(error, CompareError::GraphTooLarge { limit: 5, states } if states > 5));
}

/// A module whose states never end.
fn endless() -> tlc::Sources {
    tlc::Sources {
        module: "Endless".to_owned(),
        text: "---- MODULE Endless ----\nEXTENDS Naturals\nVARIABLE n\nInit == n = 0\n\
               Next == n' = n + 1\nSpec == Init /\\ [][Next]_n\n====\n"
            .to_owned(),
        cfg: "SPECIFICATION Spec\n".to_owned(),
        others: Vec::new(),
    }
}

/// The processes that run in a folder of the comparison whose module is called Endless.
#[cfg(target_os = "linux")]
fn running_in(folder: &std::path::Path) -> usize {
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    processes
        .filter(|process| {
            let at = std::fs::read_link(process.path().join("cwd"));
            at.is_ok_and(|at| at.starts_with(folder))
        })
        .count()
}

#[cfg(target_os = "linux")]
#[test]
fn stopping_ends_tlc_and_removes_its_files() {
    let Some(_turn) = turn() else { return };
    let computing = Cell::new(false);
    let folder = RefCell::new(PathBuf::new());
    let mut watch = |line: &str| {
        if let Some(path) = line.strip_prefix("Parsing file ")
            && path.ends_with("Endless.tla")
        {
            let path = PathBuf::from(path);
            folder.replace(path.parent().unwrap().to_owned());
        }
        if line.starts_with("Finished computing initial states") {
            computing.set(true);
        }
    };
    let start = Instant::now();
    let error = tlc::run(&endless(), &TlcOptions::default(), &mut watch, &|| {
        computing.get()
    });
    let error = error.err().unwrap();
    assert!(
        matches!(error, TlcError::Stopped(StopReason::Interrupted)),
        "{error:?}"
    );
    assert!(start.elapsed() < Duration::from_secs(60));
    let folder = folder.into_inner();
    assert!(
        folder.is_absolute() && !folder.exists(),
        "{}",
        folder.display()
    );
    assert_eq!(running_in(&folder), 0);
}

#[test]
fn the_time_limit_holds_for_tlc_too() {
    let Some(_turn) = turn() else { return };
    let options = TlcOptions {
        max_time: Some(Duration::from_secs(3)),
        ..TlcOptions::default()
    };
    let error = tlc::run(&endless(), &options, &mut |_| {}, &|| false)
        .err()
        .unwrap();
    assert!(
        matches!(error, TlcError::Stopped(StopReason::Time(_))),
        "{error:?}"
    );
}

#[test]
fn an_interrupt_ends_a_comparison_in_tlc() {
    let Some(_turn) = turn() else { return };
    let (model, sources) = gauge(&cfg(4, "none", ""));
    let progress = Progress::with_stop_flag(Arc::new(AtomicBool::new(false)));
    let observe = |event: Event<'_>| {
        if event == Event::RunningTlc {
            progress.stop();
        }
    };
    let options = CompareOptions {
        progress: Some(&progress),
        observe: Some(&observe),
        ..CompareOptions::default()
    };
    let error = compare(&model, &sources, &options).unwrap_err();
    assert_eq!(error.to_string(), "TLC: interrupted");
}

#[test]
fn modules_that_the_module_extends_come_along() {
    let Some(_turn) = turn() else { return };
    let mut sources = endless();
    sources.text =
        "---- MODULE Endless ----\nEXTENDS Counting\nSpec == Init /\\ [][Next]_n\n====\n"
            .to_owned();
    sources.others = vec![(
        "Counting".to_owned(),
        "---- MODULE Counting ----\nEXTENDS Naturals\nVARIABLE n\nInit == n = 0\n\
         Next == n < 3 /\\ n' = n + 1\n====\n"
            .to_owned(),
    )];
    let run = tlc::run(&sources, &TlcOptions::default(), &mut |_| {}, &|| false).unwrap();
    assert_eq!(run.report.verdict, TlcVerdict::Success);
    assert_eq!(run.report.distinct, Some(4));
}
