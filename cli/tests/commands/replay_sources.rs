//! `plumb replay`: whose a recording is, and whether it is of what lies there now.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use crate::program::{empty_folder, folder_with, root};
use crate::replay::{RECORDED, recorded, replay, traces};

/// A copy of what is recorded of one model, and of what it was recorded from.
fn repository() -> TempDir {
    let folder = empty_folder();
    for place in ["specs", "traces/claim-scope"] {
        copy(&root().join(place), &folder.path().join(place));
    }
    let manifest = recorded("manifest");
    let kept = manifest
        .lines()
        .filter(|line| !line.contains("  traces/") || line.contains("  traces/claim-scope/"));
    let manifest: String = kept.map(|line| format!("{line}\n")).collect();
    fs::write(folder.path().join("traces/manifest"), manifest).unwrap();
    folder
}

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

fn append(path: &Path, text: &str) {
    let old = fs::read_to_string(path).unwrap();
    fs::write(path, old + text).unwrap();
}

#[test]
fn a_recording_whose_sources_changed_is_stale() {
    let folder = repository();
    let witness = "traces/claim-scope/SingleClaimScopeWitness";
    let replayed = |arguments: &str| replay(folder.path(), arguments);
    assert_eq!(replayed("").status, 0);
    append(
        &folder
            .path()
            .join("specs/claim-scope/SingleClaimScopeWitness.cfg"),
        "\\* said\n",
    );
    let run = replayed(witness);
    assert_eq!(run.status, 1, "{run:?}");
    let stale = "stale: claim-scope/SingleClaimScopeWitness.cfg has changed since it was recorded";
    assert!(run.out.contains(stale), "{}", run.out);
    assert!(
        run.out.contains("6 steps, each one a step of the model"),
        "{}",
        run.out
    );
    assert_eq!(replayed("traces/claim-scope/ClaimScopeMixed").status, 0);
    append(
        &folder
            .path()
            .join("specs/claim-scope/ClaimScopedWorker.tla"),
        "said\n",
    );
    let run = replayed("--json");
    assert_eq!(run.status, 1, "{run:?}");
    for trace in traces(&run) {
        assert_eq!(trace["outcome"], "stale", "{trace:#}");
        assert_eq!(trace["accepted"], true, "{trace:#}");
    }
}

#[test]
fn a_recording_that_changed_or_is_not_listed_is_stale_and_a_missing_one_an_error() {
    let folder = repository();
    let witness = folder.path().join("traces").join(RECORDED);
    append(&witness, "\n");
    let run = replay(folder.path(), "");
    assert_eq!(run.status, 1, "{run:?}");
    assert!(
        run.out.contains("stale: it is not as it was recorded"),
        "{}",
        run.out
    );
    let other = witness.with_file_name("other.txt");
    fs::rename(&witness, &other).unwrap();
    let run = replay(folder.path(), "traces");
    assert_eq!(run.status, 2, "{run:?}");
    assert!(
        run.out.contains("stale: the manifest does not list it"),
        "{}",
        run.out
    );
    assert!(
        run.out
            .contains("counterexample.txt: the manifest lists it, and it is not there"),
        "{}",
        run.out
    );
}

#[test]
fn the_manifest_is_of_the_jar_that_the_script_fetches() {
    let script = fs::read_to_string(root().join("scripts/tlc")).unwrap();
    let digest = script
        .lines()
        .find_map(|line| line.strip_prefix("readonly digest="));
    let manifest = recorded("manifest");
    assert!(manifest.contains(&format!("{}  tla2tools.jar\n", digest.unwrap())));
}

#[test]
fn whose_a_recording_is_its_folder_says_wherever_the_user_is() {
    let within = root().join("traces/claim-scope/SingleClaimScopeWitness");
    for (folder, path) in [
        (within.clone(), "counterexample.txt"),
        (within.clone(), "./counterexample.txt"),
        (
            within.parent().unwrap().to_owned(),
            "SingleClaimScopeWitness",
        ),
    ] {
        let run = replay(&folder, &format!("{path} --json"));
        assert_eq!(run.status, 0, "{path}: {}", run.out);
        let traces = traces(&run);
        assert_eq!(traces[0]["configuration"], "SingleClaimScopeWitness");
        assert_eq!(traces[0]["stale"], serde_json::json!([]));
    }
    // Elsewhere nobody knows.
    let folder = folder_with(&[("counterexample.txt", &*recorded(RECORDED))]);
    assert_eq!(replay(folder.path(), "counterexample.txt").status, 2);
}
