//! `plumb compare`: with TLC, and without Java.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::model_faults::faulty;
use crate::program::{empty_folder, folder_with, plumb, plumb_in, run, without_times};

static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

/// The right to run TLC, since a Java machine takes several cores; nothing if the user renounced
/// the tests that need it.
pub(crate) fn turn() -> Option<MutexGuard<'static, ()>> {
    if renounced() {
        eprintln!("skipped, nothing was compared: PLUMB_SKIP_TLC is set");
        return None;
    }
    Some(ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Whether the user does without the tests that need TLC.
pub(crate) fn renounced() -> bool {
    std::env::var_os("PLUMB_SKIP_TLC").is_some_and(|value| value == "1")
}

#[test]
fn a_comparison_that_agrees_is_status_0() {
    let Some(_turn) = turn() else { return };
    let run = plumb("compare --graph ClaimScopeSingle BrokenMissingClaimScope");
    assert_eq!((run.status, &*run.err), (0, ""), "{}", run.out);
    insta::assert_snapshot!(without_version(&without_times(&run.out)));
}

#[test]
fn a_comparison_that_differs_is_status_1_and_shows_where() {
    let Some(_turn) = turn() else { return };
    let run = faulty("compare --graph Differs");
    assert_eq!((run.status, &*run.err), (1, ""), "{}", run.out);
    insta::assert_snapshot!(without_version(&without_times(&run.out)));
}

#[test]
fn a_comparison_is_a_test_case_and_annotated_if_it_differs() {
    let Some(_turn) = turn() else { return };
    let folder = empty_folder();
    let report = folder.path().join("report.xml");
    let arguments = format!("--junit {} --annotations github", report.display());
    let pieces = |expected: &[&str]| {
        let text = std::fs::read_to_string(&report).unwrap();
        for piece in expected {
            assert!(text.contains(piece), "{piece} in {text}");
        }
    };
    let run = plumb(&format!("compare ClaimScopeSingle {arguments}"));
    assert_eq!((run.status, &*run.err), (0, ""), "{}", run.out);
    assert!(!run.out.contains("::"), "{}", run.out);
    pieces(&[
        r#"tests="1" skipped="0" failures="0" errors="0""#,
        r#"<testsuite name="claim-scope""#,
        r#"<testcase name="ClaimScopeSingle""#,
    ]);
    let run = faulty(&format!("compare Differs {arguments}"));
    assert_eq!(run.status, 1, "{run:?}");
    assert_eq!(run.out.matches("::error ").count(), 1, "{}", run.out);
    pieces(&[
        r#"tests="1" skipped="0" failures="1" errors="0""#,
        r#"<testcase name="Differs""#,
        "<failure message=",
    ]);
    // With JSON on standard output they go to the other stream.
    let run = faulty(&format!("compare Differs {arguments} --json"));
    assert!(!run.out.contains("::error"), "{}", run.out);
    assert_eq!(run.err.matches("::error ").count(), 1, "{}", run.err);
}

/// What was not compared is an error in the report, and not left out.
#[test]
fn a_comparison_that_fails_is_an_error_of_its_test_case() {
    let folder = folder_with(&[]);
    let mut command = plumb_in(
        &folder,
        "compare ClaimScopeSingle --junit report.xml --annotations github",
    );
    let tools = tools_without_java();
    command.env("PATH", tools.path()).env_remove("JAVA_HOME");
    let run = run(command);
    assert_eq!(run.status, 4, "{run:?}");
    assert!(run.err.contains("TLC needs Java"), "{}", run.err);
}

#[test]
fn a_panic_of_the_model_is_status_4_and_no_comparison() {
    let run = faulty("compare Panics");
    assert_eq!(run.status, 4, "{run:?}");
    assert!(
        run.out.contains(
            "Panics: the search of the Rust model failed: the model panicked: 3 is too much for me"
        ),
        "{}",
        run.out
    );
}

#[test]
fn a_comparison_without_java_is_status_4_and_a_sentence() {
    let folder = empty_folder();
    for arguments in [
        "compare ClaimScopeSingle",
        "compare --graph ClaimScopeSingle --json",
    ] {
        let mut command = plumb_in(&folder, arguments);
        // A PATH that has what the script needs, and no Java.
        let tools = tools_without_java();
        command.env("PATH", tools.path()).env_remove("JAVA_HOME");
        let run = run(command);
        assert_eq!((run.status, &*run.out), (4, ""), "{run:?}");
        assert!(
            run.err
                .starts_with("error: TLC needs Java: install a Java runtime"),
            "{}",
            run.err
        );
        assert_eq!(run.err.matches('\n').count(), 1, "{}", run.err);
    }
}

#[test]
fn a_comparison_without_bash_is_status_4_and_a_sentence() {
    let folder = empty_folder();
    let mut command = plumb_in(&folder, "compare ClaimScopeSingle");
    command.env("PATH", folder.path());
    let run = run(command);
    assert_eq!((run.status, &*run.out), (4, ""), "{run:?}");
    assert!(
        run.err.contains("there is no bash on the PATH"),
        "{}",
        run.err
    );
}

/// A folder with links to the programs that `scripts/tlc` uses, Java excepted.
fn tools_without_java() -> tempfile::TempDir {
    let tools = empty_folder();
    let path = std::env::var_os("PATH").unwrap();
    for name in [
        "bash",
        "cat",
        "cut",
        "sed",
        "grep",
        "mktemp",
        "mkdir",
        "rm",
        "mv",
        "chmod",
        "head",
        "sha256sum",
        "python3",
        "uname",
        "dirname",
        "sleep",
        "kill",
    ] {
        let found = std::env::split_paths(&path)
            .map(|folder| folder.join(name))
            .find(|file| file.is_file());
        if let Some(file) = found {
            std::os::unix::fs::symlink(file, tools.path().join(name)).unwrap();
        }
    }
    tools
}

/// Replaces the version of whichever TLC it was.
fn without_version(text: &str) -> String {
    let lines = text.lines().map(|line| {
        if line.starts_with("Against TLC ") {
            let rest = line.split_once(';').map_or("", |(_, rest)| rest);
            format!("Against TLC [version];{rest}\n")
        } else {
            format!("{line}\n")
        }
    });
    lines.collect()
}
