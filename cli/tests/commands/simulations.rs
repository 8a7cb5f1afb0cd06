//! `plumb simulate`.

use std::fs;

use crate::model_faults::faulty;
use crate::program::{empty_folder, folder_with, lifecycle, plumb, plumb_in, run};

#[test]
fn a_seed_gives_the_same_walks_on_every_machine_and_in_every_version() {
    let arguments = "simulate FairBatch --depth 32 --num 3 --seed 1";
    let first = plumb(arguments);
    assert_eq!((first.status, &*first.err), (0, ""));
    // Whoever has a seed on record wants this to stay.
    insta::assert_snapshot!(first.out);
    assert_eq!(plumb(arguments).out, first.out);
}

#[test]
fn a_violation_is_shown_with_the_walk_that_met_it_and_the_command_that_repeats_it() {
    let found = plumb("simulate BrokenLifecycleSender --seed 1");
    assert_eq!((found.status, &*found.err), (0, ""));
    insta::assert_snapshot!(found.out);
    let command = found.out.lines().last().unwrap();
    let command = command.split("to repeat: plumb ").nth(1).unwrap();
    let again = plumb(command);
    let trace = |text: &str| {
        text.split("\n\nBrokenLifecycleSender: ")
            .next()
            .unwrap()
            .to_owned()
    };
    assert_eq!(trace(&again.out), trace(&found.out));
}

#[test]
fn without_a_seed_it_is_left_to_chance_and_told() {
    let seed = || {
        let out = plumb("simulate ClaimScopeSingle --num 1 --json").json();
        let seed = out["seed"].as_u64().unwrap();
        assert!(
            out["repeat"]
                .as_str()
                .unwrap()
                .ends_with(&format!(" --seed {seed}"))
        );
        seed
    };
    // Three times the same out of four thousand million is no chance.
    assert!((0..3).map(|_| seed()).any(|other| other != seed()));
}

#[test]
fn a_violation_that_nobody_expects_is_status_1_and_on_record() {
    let cfg = lifecycle(1).replace("none", "second-sender") + "INVARIANT OneSender\n";
    let folder = folder_with(&[("own.cfg", &cfg)]);
    let ask = |arguments: &str| run(plumb_in(&folder, arguments));
    let found = ask("simulate --model lifecycle --cfg own.cfg --seed 1 --out walks --json");
    assert_eq!(found.status, 1, "{found:?}");
    let json = found.json();
    assert_eq!(json["verdict"], "violated");
    assert_eq!(json["violation"]["property"], "OneSender");
    let file = json["violation"]["file"].as_str().unwrap();
    let text = fs::read_to_string(folder.path().join(file)).unwrap();
    assert!(text.lines().next().unwrap().contains("OneSender"), "{text}");
    assert_eq!(ask(&format!("trace diff {file} {file}")).status, 0);
    let repeat = json["repeat"]
        .as_str()
        .unwrap()
        .strip_prefix("plumb ")
        .unwrap();
    assert!(ask(repeat).out.contains("OneSender is violated"));
}

#[test]
fn each_walk_has_a_file_and_no_file_is_overwritten() {
    let folder = empty_folder();
    let ask = |arguments: &str| run(plumb_in(&folder, arguments));
    let first = ask("simulate FairBatch --num 3 --seed 7 --out deep/walks");
    assert_eq!(first.status, 0, "{first:?}");
    let walks = folder.path().join("deep/walks");
    let names = || {
        let entries = fs::read_dir(&walks).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    };
    let all = [
        "FairBatch-7.jsonl",
        "FairBatch-8.jsonl",
        "FairBatch-9.jsonl",
    ];
    assert_eq!(names(), all);
    let kept = fs::read(walks.join("FairBatch-9.jsonl")).unwrap();
    // One of its walks is there already: nothing is walked, nothing is written.
    let again = ask("simulate FairBatch --num 3 --seed 9 --depth 5 --out deep/walks");
    assert_eq!((again.status, &*again.out), (2, ""));
    assert!(
        again.err.contains("FairBatch-9.jsonl is there already"),
        "{}",
        again.err
    );
    assert_eq!(names(), all);
    assert_eq!(fs::read(walks.join("FairBatch-9.jsonl")).unwrap(), kept);
}

#[test]
fn what_cannot_be_walked_is_an_error() {
    for (arguments, status, message) in [
        ("simulate NoSuch", 2, "there is no configuration"),
        ("simulate BrokenDAGCycle", 2, "violate DAGValidity"),
        (
            "simulate FairBatch --depth 0",
            2,
            "expected a number of steps",
        ),
        ("simulate FairBatch --num 0", 2, "0 is not in"),
        ("simulate FairBatch --seed=-1", 2, "invalid"),
        (
            "simulate FairBatch --out /dev/null/walks",
            4,
            "cannot write",
        ),
    ] {
        let found = plumb(arguments);
        assert_eq!(found.status, status, "{arguments}: {found:?}");
        assert!(found.err.contains(message), "{arguments}: {}", found.err);
    }
}

#[test]
fn a_model_that_fails_is_status_4_with_what_it_said() {
    let found = faulty("simulate Panics --seed 1");
    assert_eq!(found.status, 4, "{found:?}");
    assert!(
        found.out.contains("failed: the model panicked"),
        "{}",
        found.out
    );
}
