//! `plumb replay`: annotations, JUnit reports and pages.

use std::fs;
use std::path::Path;

use crate::program::{Run, folder_with};
use crate::replay::{RECORDED, WITNESS, changed, recorded, replay, replay_text, traces};

#[test]
fn annotations_name_file_and_line() {
    let text = changed("State 4: <BeginFinalize", "State 4: <Effect");
    let run = replay_text(&text, &format!("{WITNESS} --annotations github"));
    assert_eq!(run.status, 1);
    let line = text
        .lines()
        .position(|line| line.starts_with("State 4:"))
        .unwrap()
        + 1;
    let expected = format!("::error file=t,line={line},title=plumb replay%3A refused::refused at");
    assert!(run.out.contains(&expected), "{}", run.out);
    let run = replay_text(&text, &format!("{WITNESS} --annotations github --json"));
    assert_eq!(traces(&run).len(), 1);
    assert!(run.err.contains(&expected), "{}", run.err);
    let run = replay_text(
        &recorded(RECORDED),
        &format!("{WITNESS} --annotations github"),
    );
    assert!(!run.out.contains("::"), "{}", run.out);
}

#[test]
fn each_trace_is_a_test_case() {
    let refused = changed("State 4: <BeginFinalize", "State 4: <Effect");
    let folder = folder_with(&[("right", &recorded(RECORDED)), ("wrong", &refused)]);
    let run = replay(
        folder.path(),
        &format!("right wrong {WITNESS} --junit report.xml"),
    );
    assert_eq!(run.status, 1, "{run:?}");
    let report = fs::read_to_string(folder.path().join("report.xml")).unwrap();
    for piece in [
        r#"tests="2" skipped="0" failures="1" errors="0""#,
        r#"<testsuite name="claim-scope""#,
        r#"<testcase name="right" classname="SingleClaimScopeWitness""#,
        r#"<property name="ends_in" value="NoAutomaticScope"/>"#,
        r#"<failure message="refused at step 4"#,
    ] {
        assert!(report.contains(piece), "{piece} in {report}");
    }
}

/// What the page of a replay says, without its markup.
fn reported(folder: &Path, arguments: &str) -> (Run, String) {
    let run = replay(folder, &format!("{arguments} --report page.html"));
    let page = fs::read_to_string(folder.join("page.html")).unwrap();
    (run, page)
}

#[test]
fn a_report_shows_every_behaviour_and_what_came_of_it() {
    let folder = folder_with(&[
        ("good", &*recorded(RECORDED)),
        (
            "bad",
            &*changed("phase = \"finalizing\"", "phase = \"terminal\""),
        ),
        ("unreadable", "State 1: <Initial predicate>\nphase = \n"),
        ("<b>hostile</b>", &*recorded(RECORDED)),
    ]);
    let (run, page) = reported(folder.path(), &format!(". {WITNESS}"));
    assert_eq!(run.status, 2, "{}", run.out);
    // Every file in the index; refused where the change is; nothing of a file becomes markup.
    for name in [
        "good",
        "bad",
        "unreadable",
        "&lt;b&gt;hostile&lt;&#x2f;b&gt;",
    ] {
        assert!(page.contains(name), "{name}");
    }
    assert!(!page.contains("<b>hostile"));
    assert!(
        page.contains("The invariant NoAutomaticScope is violated"),
        "{page}"
    );
    assert!(page.contains("refused at step 4"), "{}", run.out);
    assert!(page.contains("The nearest that is allowed: "));
    let states = |prefix: &str| {
        let is_shown = |number: &usize| page.contains(&format!("id=\"{prefix}step-{number}\""));
        (1..).take_while(is_shown).count()
    };
    let whole = recorded(RECORDED).matches("\nState ").count();
    // In the order of their names.
    assert_eq!(states("behaviour-1-"), whole, "hostile");
    assert_eq!(states("behaviour-2-"), 4, "up to the refused one");
    assert_eq!(states("behaviour-3-"), whole);
    assert_eq!(states("behaviour-4-"), 0);
}

#[test]
fn a_report_that_cannot_be_written_is_an_error() {
    let folder = folder_with(&[("t", &*recorded(RECORDED))]);
    let run = replay(folder.path(), &format!("t {WITNESS} --report no/page.html"));
    assert!(run.err.contains("no/page.html"), "{}", run.err);
    assert_ne!(run.status, 0);
}
