//! `plumb expect update`.

use std::fs;
use std::path::Path;

use super::{plumb, stderr, stdout};

const CFG: &str = "SPECIFICATION Spec\nCONSTANT ClaimCount = 1\nINVARIANT Safety\n";

/// A folder with a registry of one configuration, expecting what no search will find.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let specs = folder.path().join("specs");
    fs::create_dir_all(specs.join("claim-scope")).unwrap();
    fs::write(specs.join("claim-scope/Mine.cfg"), CFG).unwrap();
    let registry = "# a comment that stays\n[[configuration]]\nname = \"Mine\"\nmodel = \
                    \"claim-scope\"\npurpose = \"bound\"\nexpect = { verdict = \"exhausted\", \
                    distinct = 7 } # seven\nsource = \"a guess\"\n";
    fs::write(specs.join("registry.toml"), registry).unwrap();
    folder
}

fn registry(folder: &Path) -> String {
    fs::read_to_string(folder.join("specs/registry.toml")).unwrap()
}

#[test]
fn an_update_shows_old_and_new_and_keeps_the_reason() {
    let folder = folder();
    let folder = folder.path();
    stdout(&plumb(folder, &["check"]), 1);
    let update = [
        "expect",
        "update",
        "Mine",
        "--reason",
        "counted for the first time",
    ];
    let shown = stdout(&plumb(folder, &update), 0);
    assert!(
        shown.contains("expected before  exhausted: 7 distinct\n"),
        "{shown}"
    );
    let now = "expected now     exhausted: 144 distinct, 317 generated, depth 12\n";
    assert!(shown.contains(now), "{shown}");
    let text = registry(folder);
    assert!(text.starts_with("# a comment that stays\n"), "{text}");
    assert!(
        text.contains("reasons = [\"counted for the first time\"]"),
        "{text}"
    );
    stdout(&plumb(folder, &["check"]), 0);

    // A change of the constants moves levels and actions, and the command says which.
    let cfg = folder.join("specs/claim-scope/Mine.cfg");
    fs::write(
        cfg,
        CFG.replace("Spec\n", "BrokenMixedDAGSpec\n")
            .replace("Safety", "TypeOK"),
    )
    .unwrap();
    let shown = stdout(
        &plumb(folder, &["expect", "update", "Mine", "--reason", "two"]),
        0,
    );
    assert!(shown.contains("BrokenDAGAdmission: none → "), "{shown}");
    assert!(shown.contains("level "), "{shown}");
    assert!(registry(folder).contains("\"two\"]"));
    stdout(&plumb(folder, &["check"]), 0);
}

#[test]
fn a_dry_run_writes_nothing() {
    let folder = folder();
    let before = registry(folder.path());
    let dry = [
        "expect",
        "update",
        "Mine",
        "--reason",
        "why not",
        "--dry-run",
    ];
    stdout(&plumb(folder.path(), &dry), 0);
    assert_eq!(registry(folder.path()), before);
}

#[test]
fn without_a_reason_or_a_result_nothing_is_written() {
    let folder = folder();
    let folder = folder.path();
    let before = registry(folder);
    stderr(&plumb(folder, &["expect", "update", "Mine"]), 2);
    stderr(
        &plumb(folder, &["expect", "update", "Mine", "--reason", ""]),
        2,
    );
    stderr(
        &plumb(folder, &["expect", "update", "Mine", "--reason", "  "]),
        2,
    );
    stderr(
        &plumb(folder, &["expect", "update", "Yours", "--reason", "x"]),
        2,
    );
    let stopped = [
        "expect",
        "update",
        "Mine",
        "--reason",
        "x",
        "--max-states",
        "3",
    ];
    let error = stderr(&plumb(folder, &stopped), 3);
    assert!(error.contains("nothing can be expected of this"), "{error}");
    assert_eq!(registry(folder), before);
}

#[test]
fn the_built_in_specifications_cannot_be_changed() {
    let empty = tempfile::tempdir().unwrap();
    let update = ["expect", "update", "ClaimScopeSingle", "--reason", "x"];
    let error = stderr(&plumb(empty.path(), &update), 2);
    assert!(
        error.contains("built-in specifications cannot be changed"),
        "{error}"
    );
}
