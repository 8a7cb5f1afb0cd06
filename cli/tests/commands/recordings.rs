//! Traces that `plumb trace` writes to files, and what they are compared by.

use std::fs;
use std::path::Path;

use crate::program::{Run, empty_folder, folder_with, plumb, plumb_in, root, run};

fn ask(folder: impl AsRef<Path>, arguments: &str) -> Run {
    run(plumb_in(folder, arguments))
}

#[test]
fn a_trace_goes_to_a_file_in_the_form_that_was_asked_for() {
    let folder = empty_folder();
    for (format, begins) in [
        ("", "{\"format\":\"plumb-trace\""),
        ("--format plumb", "{\"format\":\"plumb-trace\""),
        ("--format itf", "{\"#meta\""),
        (
            "--format tlc",
            "Error: Invariant NoAutomaticScope is violated.",
        ),
        ("--format json", "{\"plumb\""),
        ("--format text", "SingleClaimScopeWitness: invariant"),
        ("--format html", "<!DOCTYPE html>"),
        ("--as-test", "//! SingleClaimScopeWitness: invariant"),
    ] {
        let found = ask(
            &folder,
            &format!("trace SingleClaimScopeWitness {format} --out file"),
        );
        assert_eq!((found.status, &*found.out), (0, ""), "{format}: {found:?}");
        let text = fs::read_to_string(folder.path().join("file")).unwrap();
        assert!(text.starts_with(begins), "{format}: {text}");
        assert!(!text.contains('\u{1b}'), "{format}: colours");
    }
}

#[test]
fn every_recorded_form_of_a_trace_tells_the_same() {
    let folder = empty_folder();
    for name in [
        "MixedClaimDAGWitness",
        "StrictServiceStarvation",
        "RecoveryWitness",
    ] {
        for format in ["plumb", "itf", "tlc"] {
            let arguments = format!("trace {name} --format {format} --out {name}.{format}");
            assert_eq!(ask(&folder, &arguments).status, 0);
        }
        for other in ["itf", "tlc"] {
            let found = ask(&folder, &format!("trace diff {name}.plumb {name}.{other}"));
            assert_eq!(found.status, 0, "{name}, {other}: {}", found.out);
            assert!(found.out.contains(" tell the same: "), "{}", found.out);
        }
    }
}

#[test]
fn two_traces_part_at_the_first_state_in_which_they_differ() {
    let folder = empty_folder();
    assert_eq!(ask(&folder, "trace MixedClaimDAGWitness --out a").status, 0);
    let text = fs::read_to_string(folder.path().join("a")).unwrap();
    // The header is the first line, so this is state 5.
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let changed = lines[5].replace("<<1, 2, 3>>", "<<1, 2, 2>>");
    assert_ne!(changed, lines[5]);
    lines[5] = changed;
    fs::write(folder.path().join("b"), lines.join("\n") + "\n").unwrap();
    let found = ask(&folder, "trace diff a b");
    assert_eq!((found.status, &*found.err), (1, ""));
    insta::assert_snapshot!(found.out);
    let json = ask(&folder, "trace diff b a --json").json();
    assert_eq!(json["parting"]["state"], 5);
    assert_eq!(json["parting"]["actions_differ"], false);
}

#[test]
fn two_traces_part_where_one_goes_round_and_the_other_does_not() {
    let folder = empty_folder();
    let written = ask(&folder, "trace StrictServiceStarvation --out whole");
    assert_eq!(written.status, 0);
    let text = fs::read_to_string(folder.path().join("whole")).unwrap();
    let (steps, end) = text.trim_end().rsplit_once('\n').unwrap();
    let end: serde_json::Value = serde_json::from_str(end).unwrap();
    let (back, states) = (
        end["back_to"].as_u64().unwrap(),
        end["steps"].as_u64().unwrap(),
    );
    let with_end = |change: &dyn Fn(&mut serde_json::Value)| {
        let mut end = end.clone();
        change(&mut end);
        format!("{steps}\n{end}\n")
    };
    let open = serde_json::json!({"end": "open", "steps": states});
    let others = [
        ("open", with_end(&|end| *end = open.clone())),
        (
            "elsewhere",
            with_end(&|end| end["back_to"] = (back - 1).into()),
        ),
        (
            "stutters",
            with_end(&|end| *end = serde_json::json!({"end": "stuttering", "steps": states})),
        ),
    ];
    for (name, text) in &others {
        fs::write(folder.path().join(name), text).unwrap();
        let found = ask(&folder, &format!("trace diff whole {name}"));
        assert_eq!(found.status, 1, "{name}: {found:?}");
        let heading = format!("They part after state {states}, the last one.");
        assert!(found.out.contains(&heading), "{}", found.out);
        let back = format!("whole: back to state {back} by ");
        assert!(found.out.contains(&back), "{}", found.out);
        let json = ask(&folder, &format!("trace diff whole {name} --json")).json();
        assert_eq!(json["parting"]["what"], "ending");
    }
    let said = |name: &str| ask(&folder, &format!("trace diff whole {name}")).out;
    assert!(said("open").contains("open: nothing follows"));
    assert!(said("elsewhere").contains(&format!("elsewhere: back to state {}", back - 1)));
    assert!(said("stutters").contains("stutters: stutters for ever"));
    // One that goes round earlier.
    let (shorter, _) = steps.rsplit_once('\n').unwrap();
    let end = serde_json::json!({"end": "lasso", "back_to": 2, "steps": states - 1});
    fs::write(folder.path().join("shorter"), format!("{shorter}\n{end}\n")).unwrap();
    let last = states - 1;
    assert_eq!(
        said("shorter"),
        format!(
            "They part after state {last}.\n  shorter ends there and goes on for ever (back to state \
             2), whole has another state\n"
        )
    );
}

#[test]
fn a_trace_that_cannot_be_read_is_status_2() {
    let folder = folder_with(&[("empty", ""), ("noise", "what is this\n")]);
    assert_eq!(
        ask(&folder, "trace SingleClaimScopeWitness --out good").status,
        0
    );
    let text = fs::read_to_string(folder.path().join("good")).unwrap();
    let cut = text.rsplit_once("{\"end\"").unwrap().0;
    fs::write(folder.path().join("cut"), cut).unwrap();
    for bad in ["empty", "noise", "cut", "missing"] {
        for pair in [format!("good {bad}"), format!("{bad} good")] {
            let found = ask(&folder, &format!("trace diff {pair}"));
            assert_eq!((found.status, &*found.out), (2, ""), "{pair}: {found:?}");
            assert!(found.err.contains(bad), "{pair}: {}", found.err);
        }
    }
    assert_eq!(ask(&folder, "trace diff good").status, 2);
}

#[test]
fn the_tests_that_are_compiled_and_run_are_the_ones_that_are_written() {
    for (name, file) in [
        (
            "SingleClaimScopeWitness",
            "models/tests/single_claim_scope_witness.rs",
        ),
        (
            "StrictServiceStarvation",
            "models/tests/strict_service_starvation.rs",
        ),
        (
            "BrokenQueueSelection",
            "models/tests/broken_queue_selection.rs",
        ),
    ] {
        let written = plumb(&format!("trace {name} --as-test"));
        assert_eq!(written.status, 0, "{written:?}");
        let kept = fs::read_to_string(root().join(file)).unwrap();
        assert_eq!(
            written.out, kept,
            "{file}: write it anew with `plumb trace {name} --as-test --out {file}`"
        );
    }
}

#[test]
fn the_registry_of_a_test_is_the_one_that_is_named() {
    let named = plumb("trace SingleClaimScopeWitness --as-test --registry crate::models::all");
    assert!(
        named.out.contains("let registry = crate::models::all();"),
        "{}",
        named.out
    );
    let wrong = plumb("trace SingleClaimScopeWitness --as-test --registry all()");
    assert_eq!(wrong.status, 2);
    let alone = plumb("trace SingleClaimScopeWitness --registry crate::all");
    assert_eq!(alone.status, 2);
}
