//! Recording behaviours with `scripts/tlc simulate` and `scripts/record-traces`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use plumb_replay::trace::{TraceItem, open};

use crate::turn;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn script(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new("bash");
    command.args(arguments).current_dir(folder);
    command.output().unwrap()
}

fn assert_succeeded(output: &Output) {
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{}: {said}", output.status);
}

/// Every file below a folder with its bytes, in the order of their paths.
fn files(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else {
                let within = path.strip_prefix(folder).unwrap().to_owned();
                found.push((within, fs::read(path).unwrap()));
            }
        }
    }
    found.sort();
    found
}

#[test]
fn simulated_behaviours_are_the_recorded_ones_and_not_longer_than_was_asked_for() {
    let Some(_turn) = turn() else { return };
    let folder = tempfile::tempdir().unwrap();
    let walks = folder.path().join("walks");
    let arguments = [
        "scripts/tlc",
        "simulate",
        walks.to_str().unwrap(),
        "-config",
        "specs/claim-scope/ClaimScopeMixed.cfg",
        "specs/claim-scope/ClaimScopedWorker.tla",
    ];
    assert_succeeded(&script(&root(), &arguments));
    let recorded = files(&root().join("traces/claim-scope/ClaimScopeMixed"));
    assert_eq!(recorded.len(), 3);
    assert!(files(&walks) == recorded, "other behaviours than recorded");
    for (path, _) in recorded {
        let items = open(&walks.join(path), None).unwrap();
        let steps = items.filter(|item| matches!(item, Ok(TraceItem::Step(_))));
        assert!((1..=32).contains(&steps.count()));
    }
}

fn copy(from: &Path, to: &Path) {
    for (path, bytes) in files(from) {
        let target = to.join(path);
        fs::create_dir_all(target.parent().unwrap()).unwrap();
        fs::write(target, bytes).unwrap();
    }
}

#[test]
fn what_is_recorded_anew_has_the_same_bytes() {
    let Some(_turn) = turn() else { return };
    let folder = tempfile::tempdir().unwrap();
    for part in ["scripts", "specs", "traces"] {
        copy(&root().join(part), &folder.path().join(part));
    }
    let script_of_copy = folder.path().join("scripts/tlc");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::set_permissions(&script_of_copy, fs::Permissions::from_mode(0o755)).unwrap();
    }
    let traces = folder.path().join("traces");
    let before = files(&traces);
    for recorded in [
        "claim-scope/ClaimScopeMixed/walk_0_0",
        "claim-scope/SingleClaimScopeWitness/counterexample.txt",
        "service/StrictServiceStarvation/counterexample.txt",
        "manifest",
    ] {
        fs::write(traces.join(recorded), "spoilt\n").unwrap();
    }
    let arguments = [
        "scripts/record-traces",
        "claim-scope/ClaimScopeMixed",
        "claim-scope/SingleClaimScopeWitness",
        "service/StrictServiceStarvation",
    ];
    assert_succeeded(&script(folder.path(), &arguments));
    let after = files(&traces);
    for (before, after) in before.iter().zip(&after) {
        assert!(before == after, "{} is another now", before.0.display());
    }
    assert_eq!(before.len(), after.len());
}

#[test]
fn what_nothing_is_recorded_of_is_wrong_usage() {
    let output = script(&root(), &["scripts/record-traces", "service/NoSuch"]);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(
        said.starts_with("record-traces: nothing is recorded of service/NoSuch"),
        "{said}"
    );
}
