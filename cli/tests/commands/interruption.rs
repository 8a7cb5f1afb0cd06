//! SIGINT and SIGTERM end a search with what was found so far.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use tempfile::TempDir;

use crate::program::{ENDLESS, Run, entry, folder_with, lifecycle, plumb_in};

/// A folder whose registry begins with a search that does not end by itself.
fn endless() -> TempDir {
    let registry = [
        entry("Endless", "lifecycle", "verdict = \"exhausted\""),
        entry("Next", "lifecycle", "verdict = \"exhausted\""),
        entry("Last", "lifecycle", "verdict = \"exhausted\""),
    ]
    .concat();
    folder_with(&[
        ("specs/registry.toml", &registry),
        ("specs/lifecycle/Endless.cfg", &lifecycle(ENDLESS)),
        ("specs/lifecycle/Next.cfg", &lifecycle(1)),
        ("specs/lifecycle/Last.cfg", &lifecycle(1)),
    ])
}

/// Whether the process has installed handlers of its own for SIGINT and SIGTERM.
fn listens(child: &Child) -> bool {
    let status = fs::read_to_string(format!("/proc/{}/status", child.id())).unwrap();
    let caught = status
        .lines()
        .find_map(|line| line.strip_prefix("SigCgt:"))
        .unwrap();
    let caught = u64::from_str_radix(caught.trim(), 16).unwrap();
    // Signal n is bit n - 1: SIGINT is 2 and SIGTERM is 15.
    let both = (1 << 1) | (1 << 14);
    caught & both == both
}

/// Starts a search that does not end, and sends the signal while it runs.
fn interrupted(folder: &Path, arguments: &str, signal: &str) -> Run {
    let mut command = plumb_in(folder, arguments);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let patience = Instant::now() + Duration::from_secs(60);
    while !listens(&child) {
        assert!(Instant::now() < patience, "it never listened");
        assert!(child.try_wait().unwrap().is_none(), "it ended by itself");
        sleep(Duration::from_millis(10));
    }
    // Long enough to have explored something.
    sleep(Duration::from_millis(500));
    let sent = Command::new("kill")
        .args([signal, &child.id().to_string()])
        .status();
    assert!(sent.unwrap().success());
    Run::of(&child.wait_with_output().unwrap())
}

#[test]
fn a_signal_ends_the_search_with_what_was_found() {
    let folder = endless();
    for signal in ["-INT", "-TERM"] {
        let run = interrupted(folder.path(), "check Endless", signal);
        assert_eq!(run.status, 3, "{signal}: {run:?}");
        assert!(
            run.out.contains("\nEndless: interrupted\n"),
            "{signal}: {}",
            run.out
        );
        assert!(
            run.out.contains("1 configuration: 1 inconclusive, in "),
            "{}",
            run.out
        );
        assert_eq!(run.err, "", "{signal}");
    }
}

#[test]
fn the_rest_of_the_configurations_is_reported_as_not_run() {
    let folder = endless();
    let run = interrupted(folder.path(), "check", "-INT");
    assert_eq!(run.status, 3, "{run:?}");
    let summary = "3 configurations: 1 inconclusive, 2 not run, in ";
    assert!(run.out.contains(summary), "{}", run.out);
}

#[test]
fn the_json_says_what_was_explored_and_what_was_not_run() {
    let folder = endless();
    let run = interrupted(folder.path(), "check --json", "-TERM");
    assert_eq!(run.status, 3, "{run:?}");
    let json = run.json();
    assert_eq!(json["not_run"], 2);
    let results = json["configurations"].as_array().unwrap();
    assert_eq!(results.len(), 1);
    assert_eq!(results[0]["verdict"], "inconclusive");
    assert_eq!(results[0]["outcome"], "none");
    assert_eq!(results[0]["message"], "interrupted");
    let levels = results[0]["levels"].as_array().unwrap();
    let states: u64 = levels.iter().map(|level| level.as_u64().unwrap()).sum();
    assert!(states > 1);
    assert_eq!(results[0]["distinct"], states);
}

#[test]
fn an_interrupted_trace_prints_none() {
    let folder = endless();
    let run = interrupted(folder.path(), "trace Endless", "-INT");
    assert_eq!((run.status, &*run.out), (3, ""));
    assert_eq!(run.err, "Endless has no trace: interrupted\n");
}

#[test]
fn an_interrupted_comparison_is_inconclusive() {
    let folder = endless();
    // Plumb's search comes first, so that this needs no TLC.
    let module = include_str!("../../../specs/lifecycle/QueueLifecycle.tla");
    fs::write(
        folder.path().join("specs/lifecycle/QueueLifecycle.tla"),
        module,
    )
    .unwrap();
    let run = interrupted(folder.path(), "compare Endless Next", "-INT");
    assert_eq!(run.status, 3, "{run:?}");
    assert!(
        run.out.contains("Endless: Plumb: interrupted"),
        "{}",
        run.out
    );
    assert!(run.out.contains("1 not run."), "{}", run.out);
}

#[test]
fn stateright_is_interrupted_too() {
    let folder = endless();
    let run = interrupted(folder.path(), "check Endless --engine stateright", "-INT");
    assert_eq!(run.status, 3, "{run:?}");
    assert!(run.out.contains("Endless: interrupted"), "{}", run.out);
}

#[test]
fn walks_that_are_interrupted_end_with_what_was_found_and_status_3() {
    let folder = endless();
    let walks = "simulate Endless --depth 1000000 --num 1000000 --seed 1 --out walks";
    let run = interrupted(folder.path(), walks, "-INT");
    assert_eq!(run.status, 3, "{run:?}");
    assert!(run.out.starts_with("Endless: "), "{run:?}");
    assert!(run.out.contains("\nInterrupted.\n"), "{run:?}");
    assert!(
        run.out.contains("to repeat: plumb simulate Endless"),
        "{run:?}"
    );
    // A walk that was cut off is not on record.
    let walks = fs::read_dir(folder.path().join("walks")).unwrap();
    for walk in walks {
        let text = fs::read_to_string(walk.unwrap().path()).unwrap();
        assert!(text.lines().last().unwrap().starts_with("{\"end\""));
    }
}
