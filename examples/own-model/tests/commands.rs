//! What a team's own checker should have, too: a test that its commands say what they should.

use std::fs;
use std::path::Path;
use std::process::Command;

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

/// What a run of the program printed, and its exit status.
fn own_model(folder: impl AsRef<Path>, arguments: &str) -> (Option<i32>, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_own-model"));
    command
        .args(arguments.split_whitespace())
        .current_dir(folder);
    let output = command.output().expect("the program starts");
    let text = |bytes| String::from_utf8(bytes).expect("it prints UTF-8");
    (
        output.status.code(),
        text(output.stdout),
        text(output.stderr),
    )
}

/// Comparisons need Java; who has none may do without them, knowingly.
fn without_tlc() -> bool {
    let renounced = std::env::var_os("PLUMB_SKIP_TLC").is_some_and(|value| value == "1");
    if renounced {
        eprintln!("skipped, nothing was compared: PLUMB_SKIP_TLC is set");
    }
    renounced
}

#[test]
fn check_meets_both_expectations() {
    let (status, out, err) = own_model(ROOT, "check");
    assert_eq!((status, &*err), (Some(0), ""), "{out}");
    assert!(
        out.contains("\n2 configurations: 2 as expected, in "),
        "{out}"
    );
    assert!(out.ends_with("Specifications: specs\n"), "{out}");
}

#[test]
fn the_built_in_specifications_work_anywhere() {
    let (status, out, _) = own_model(std::env::temp_dir(), "check");
    assert_eq!(status, Some(0), "{out}");
    assert!(out.ends_with("Specifications: built in\n"), "{out}");
}

#[test]
fn the_trace_shows_the_race_in_five_states() {
    let (status, out, err) = own_model(ROOT, "trace RaceFound");
    assert_eq!((status, &*err), (Some(0), ""), "{out}");
    let expected = "\
RaceFound: invariant MutualExclusion is violated, 5 states

State 1: initial state
  /\\ phase = <<\"away\", \"away\">>

State 2: Look(2)
  phase[2]: \"away\" → \"looked\"

State 3: Look(1)
  phase[1]: \"away\" → \"looked\"

State 4: Take(2)
  phase[2]: \"looked\" → \"holding\"

State 5: Take(1)
  phase[1]: \"looked\" → \"holding\"
";
    assert_eq!(out, expected);
}

#[test]
fn the_race_is_kept_as_a_test() {
    let arguments = "trace RaceFound --as-test --registry crate::registry";
    let (status, out, err) = own_model(ROOT, arguments);
    assert_eq!((status, &*err), (Some(0), ""), "{out}");
    let kept = fs::read_to_string(Path::new(ROOT).join("src/race_found.rs"));
    assert_eq!(out, kept.expect("it was written"), "plumb {arguments}");
}

#[test]
fn the_whole_graph_is_the_one_of_the_module() {
    if without_tlc() {
        return;
    }
    let (status, out, err) = own_model(ROOT, "compare --graph LockHeld");
    assert_eq!((status, &*err), (Some(0), ""), "{out}");
    let row = out.lines().find(|line| line.starts_with("LockHeld "));
    let words: Vec<_> = row.into_iter().flat_map(str::split_whitespace).collect();
    assert_eq!(words[..3], ["LockHeld", "agrees", "exhausted"], "{out}");
    assert!(words.contains(&"equal"), "{out}");
}

#[test]
fn both_readings_find_the_race() {
    if without_tlc() {
        return;
    }
    let (status, out, _) = own_model(ROOT, "compare RaceFound");
    assert_eq!(status, Some(0), "{out}");
}

#[test]
fn the_commands_of_the_readme_run() {
    let readme = Path::new(ROOT).join("README.md");
    let text = fs::read_to_string(readme).expect("there is a README");
    let mut commands = 0;
    for line in text.lines() {
        let Some(command) = line.strip_prefix("$ ") else {
            continue;
        };
        let arguments = command
            .strip_prefix("cargo run -- ")
            .expect("a command of this program");
        commands += 1;
        if arguments.starts_with("compare") && without_tlc() {
            continue;
        }
        let (status, out, err) = own_model(ROOT, arguments);
        assert_eq!(status, Some(0), "{command}: {out}{err}");
    }
    assert!(commands >= 4, "the README shows each command");
}
