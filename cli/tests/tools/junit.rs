//! `plumb check --junit`.

use std::fs;

use super::{plumb, stderr, stdout};

#[test]
fn each_configuration_is_a_test_case_with_its_trace() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("report.xml");
    let path = file.to_str().unwrap();
    stdout(
        &plumb(
            folder.path(),
            &[
                "check",
                "ClaimScopeSingle",
                "Broken*Sender",
                "--junit",
                path,
            ],
        ),
        0,
    );
    let report = fs::read_to_string(&file).unwrap();
    assert!(
        report.contains(r#"tests="2" skipped="0" failures="0" errors="0""#),
        "{report}"
    );
    for piece in [
        r#"<testcase name="ClaimScopeSingle" classname="claim-scope""#,
        r#"<testcase name="BrokenLifecycleSender" classname="lifecycle""#,
        r#"<property name="distinct" value="144"/>"#,
        "State 6: Send(&quot;X&quot;)",
    ] {
        assert!(report.contains(piece), "{piece} in {report}");
    }
}

#[test]
fn what_is_not_as_expected_fails_and_what_is_inconclusive_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let cfg = folder.path().join("mine.cfg");
    let text = "SPECIFICATION BrokenForeignScopeSpec CONSTANT ClaimCount = 1 INVARIANT OutputScope";
    fs::write(&cfg, text).unwrap();
    let file = folder.path().join("report.xml");
    let path = file.to_str().unwrap();
    let own = ["--model", "claim-scope", "--cfg", "mine.cfg"];
    let check = |more: &[&str], status| {
        let arguments: Vec<&str> = ["check", "--junit", path]
            .iter()
            .chain(&own)
            .chain(more)
            .copied()
            .collect();
        stdout(&plumb(folder.path(), &arguments), status);
        fs::read_to_string(&file).unwrap()
    };
    let report = check(&[], 1);
    assert!(
        report.contains(r#"<failure message="OutputScope is violated" type="violated""#),
        "{report}"
    );
    fs::write(&cfg, text.replace("BrokenForeignScopeSpec", "Spec")).unwrap();
    let report = check(&["--max-states", "2"], 3);
    assert!(
        report.contains(r#"<error message="stopped by the budget of 2 states""#),
        "{report}"
    );
}

#[test]
fn a_report_that_cannot_be_written_is_an_error_of_the_machine() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["check", "ClaimScopeSingle", "--junit", "missing/report.xml"];
    let error = stderr(&plumb(folder.path(), &arguments), 4);
    assert!(error.contains("cannot write missing/report.xml"), "{error}");
}
