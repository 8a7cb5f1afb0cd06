//! Large searches: checkpoints, levels on disk, and what can go wrong with both.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use serde_json::json;
use tempfile::TempDir;

use crate::program::{
    PLUMB, Run, empty_folder, folder_with, limited, plumb_in, run, without_times,
};

/// Runs the program in a folder.
fn plumb(folder: &Path, arguments: &str) -> Run {
    run(plumb_in(folder, arguments))
}

/// What must be the same of two runs: all of it but the time and the checkpoint.
fn result(run: &Run) -> String {
    assert_eq!(run.status, 0, "{run:?}");
    let mut result = run.json();
    result["configurations"][0]["seconds"] = 0.into();
    result["checkpoint"] = serde_json::Value::Null;
    result.to_string()
}

/// Starts the program in a folder with a checkpoint perhaps, and kills it after this time.
fn killed(folder: &Path, search: &str, milliseconds: u64) {
    let mut child = plumb_in(folder, &with_checkpoint(folder, search))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    sleep(Duration::from_millis(milliseconds));
    child.kill().unwrap();
    child.wait().unwrap();
}

/// The arguments that begin a search, or that go on with it if there is something in its folder.
fn with_checkpoint(folder: &Path, search: &str) -> String {
    let how = if folder.join("ck/checkpoint.json").exists() {
        "--resume"
    } else {
        "--checkpoint"
    };
    format!("{search} {how} ck --checkpoint-every 0")
}

/// A folder with a checkpoint of Recovery as it is after some thousand states.
fn begun() -> TempDir {
    let folder = tempfile::tempdir().unwrap();
    let run = plumb(
        folder.path(),
        "check Recovery --checkpoint ck --checkpoint-every 0s --max-states 5000",
    );
    assert_eq!(run.status, 3, "{run:?}");
    assert!(
        run.out
            .contains("go on with the same command and `--resume ck`"),
        "{run:?}"
    );
    folder
}

#[test]
fn a_search_goes_on_from_its_checkpoint_and_ends_as_one_that_was_left_alone() {
    let folder = begun();
    let expected = result(&plumb(folder.path(), "check Recovery --json"));
    let resumed = plumb(folder.path(), "check Recovery --resume ck --json");
    assert_eq!(result(&resumed), expected);
    assert!(
        resumed.err.contains("Recovery: going on from "),
        "{resumed:?}"
    );
}

#[test]
fn a_killed_search_loses_nothing_that_was_written() {
    let folder = tempfile::tempdir().unwrap();
    let expected = result(&plumb(folder.path(), "check Recovery --json"));
    for milliseconds in [30, 200, 500, 900, 1500] {
        killed(folder.path(), "check Recovery", milliseconds);
    }
    let last = with_checkpoint(folder.path(), "check Recovery --json");
    assert_eq!(result(&plumb(folder.path(), &last)), expected);
}

/// A service in which whoever leaves and comes back may starve the others.
const STARVING: &str = "SPECIFICATION Spec CONSTANTS Weights <- ReferenceWeights Mode = \"strict\" \
                        Dynamic = TRUE Packable = TRUE INVARIANT TypeOK PROPERTY EventualService";

#[test]
fn a_killed_search_with_temporal_properties_prints_the_same_bytes_in_the_end() {
    for search in [
        "check ServiceDynamic",
        "check --model service --cfg starving.cfg",
    ] {
        let folder = folder_with(&[("starving.cfg", STARVING)]);
        let folder = folder.path();
        let expected = plumb(folder, search);
        let starving = usize::from(search.contains("starving"));
        assert_eq!(expected.status, i32::from(starving == 1), "{expected:?}");
        // Killed, whatever it had come to, until there is something to go on from.
        let mut kills = 0;
        while kills < 4 || !folder.join("ck/checkpoint.json").exists() {
            killed(folder, search, 20 + 40 * kills);
            kills += 1;
        }
        let resumed = plumb(folder, &with_checkpoint(folder, search));
        assert!(resumed.err.contains("going on from"), "{resumed:?}");
        assert_eq!(resumed.status, expected.status);
        assert_eq!(without_times(&resumed.out), without_times(&expected.out));
    }
}

#[test]
fn all_levels_are_written_before_temporal_properties_are_decided() {
    let folder = empty_folder();
    let run = plumb(folder.path(), "check ServiceDynamic --checkpoint ck --json");
    let depth = run.json()["configurations"][0]["depth"].clone();
    assert!(depth.is_u64(), "{run:?}");
    assert_eq!(run.json()["checkpoint"]["level"], depth);
    let resumed = plumb(folder.path(), "check ServiceDynamic --resume ck --json");
    assert_eq!(resumed.json()["checkpoint"]["resumed_level"], depth);
    assert_eq!(result(&resumed), result(&run));
}

#[test]
fn the_json_says_what_the_search_went_on_from_and_what_there_is_now() {
    let folder = begun();
    let path = folder.path();
    let run = plumb(path, "check Recovery --resume ck --max-states 5000 --json");
    let level = run.json()["configurations"][0]["depth"].clone();
    assert!(level.is_u64(), "{run:?}");
    assert_eq!(
        run.json()["checkpoint"],
        json!({"folder": "ck", "resumed": true, "resumed_level": level, "level": level})
    );
    // The first checkpoint is due in an hour, and the search is at its end before that.
    let run = plumb(
        path,
        "check ClaimScopeSingle --checkpoint new --checkpoint-every 1h --json",
    );
    assert_eq!(
        run.json()["checkpoint"],
        json!({"folder": "new", "resumed": false, "resumed_level": null, "level": null})
    );
    let run = plumb(path, "check ClaimScopeSingle --json");
    assert_eq!(run.json()["checkpoint"], json!(null));
}

#[test]
fn what_is_no_checkpoint_of_this_search_is_refused_as_wrong_input() {
    let folder = begun();
    let path = folder.path();
    fs::create_dir(path.join("other")).unwrap();
    fs::write(path.join("other/thesis.tex"), "").unwrap();
    let refused = |arguments: &str, reason: &str| {
        let run = plumb(path, arguments);
        assert_eq!(run.status, 2, "{arguments}: {run:?}");
        let told: String = run.err.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(told.contains(reason), "{arguments}: {told}");
    };
    refused(
        "check Recovery --checkpoint ck",
        "holds a checkpoint already",
    );
    refused("check Recovery --checkpoint other", "thesis.tex");
    refused("check Recovery --resume nowhere", "holds no checkpoint");
    refused("check RecoveryWitness --resume ck", "the configuration");
    refused("check LifecyclePacked --resume ck", "the model");
    refused("check Recovery --resume ck --deadlock", "check deadlock");
    fs::write(path.join("file"), "").unwrap();
    refused("check Recovery --resume file", "file");
    refused(
        "check Recovery --checkpoint file",
        "cannot make the folder file",
    );
    refused("check Recovery --checkpoint file/new", "file/new");
    refused("check Recovery --checkpoint-every 5s", "--checkpoint <DIR>");
    refused("check work-queue --checkpoint new", "one configuration");
    refused(
        "check Recovery --checkpoint new --engine stateright",
        "--engine plumb",
    );
    refused(
        "check Recovery --checkpoint new --resume ck",
        "cannot be used with",
    );
    fs::write(path.join("ck/000001.part"), "nothing").unwrap();
    refused("check Recovery --resume ck", "000001.part is damaged");
}

#[test]
fn two_searches_do_not_share_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    // Its levels are far apart, so it holds the folder for long.
    let mut first = plumb_in(
        folder.path(),
        "check QueueOrdering --checkpoint ck --threads 1",
    )
    .stdout(Stdio::null())
    .stderr(Stdio::null())
    .spawn()
    .unwrap();
    while !folder.path().join("ck/lock").exists() {
        sleep(Duration::from_millis(5));
    }
    sleep(Duration::from_millis(50));
    let second = plumb(folder.path(), "check QueueOrdering --checkpoint ck");
    first.kill().unwrap();
    first.wait().unwrap();
    assert_eq!(second.status, 2, "{second:?}");
    assert!(second.err.contains("another search is using"), "{second:?}");
}

#[test]
fn a_full_disk_ends_the_search_and_leaves_the_last_checkpoint() {
    let folder = begun();
    let expected = result(&plumb(folder.path(), "check Recovery --json"));
    let manifest = fs::read(folder.path().join("ck/checkpoint.json")).unwrap();
    let full = limited(
        folder.path(),
        8,
        "check Recovery --resume ck --checkpoint-every 0",
    );
    assert_eq!(full.status, 4, "{full:?}");
    assert!(full.out.contains("cannot write ck/"), "{full:?}");
    assert_eq!(
        fs::read(folder.path().join("ck/checkpoint.json")).unwrap(),
        manifest
    );
    let resumed = plumb(folder.path(), "check Recovery --resume ck --json");
    assert_eq!(result(&resumed), expected);
}

#[test]
fn a_level_that_finds_no_room_on_disk_costs_no_other_level() {
    let folder = empty_folder();
    let path = folder.path();
    // No checkpoint is due before the levels have outgrown memory.
    let search = "check Recovery --checkpoint ck --level-memory 20KB --temporary nowhere";
    let run = plumb(path, search);
    assert_eq!(run.status, 4, "{run:?}");
    assert!(run.out.contains("cannot write states to"), "{run:?}");
    assert!(run.out.contains("and `--resume ck`"), "{run:?}");
    let resumed = plumb(path, "check Recovery --resume ck --json");
    let depth = resumed.json()["checkpoint"]["resumed_level"].clone();
    assert!(depth.as_u64().unwrap() > 3, "{depth}");
    let expected = plumb(path, "check Recovery --json");
    assert_eq!(result(&resumed), result(&expected));
}

#[test]
fn more_parts_than_a_process_may_have_files_open_are_restored() {
    let folder = empty_folder();
    // One part for each of its 30 levels.
    let search = "check ServiceFixed --checkpoint ck --checkpoint-every 0 --max-states 29";
    assert_eq!(plumb(folder.path(), search).status, 3);
    let script = format!("ulimit -n 24; exec {PLUMB} check ServiceFixed --resume ck");
    let mut command = Command::new("sh");
    command.args(["-c", &script]).current_dir(&folder);
    let run = run(command);
    assert_eq!(run.status, 0, "{run:?}");
    assert!(run.err.contains("from 29 levels"), "{run:?}");
}

#[test]
#[cfg(target_os = "linux")]
fn a_program_that_was_replaced_or_removed_knows_the_one_that_runs() {
    let folder = begun();
    for then in ["rm program", "echo other > new; mv new program"] {
        // Opened, so that it can be started after it is gone.
        let script = format!(
            "cp {PLUMB} program && exec 9< program && {then} && \
             exec /proc/self/fd/9 check Recovery --resume ck --json"
        );
        let mut command = Command::new("bash");
        command.args(["-c", &script]).current_dir(&folder);
        let found = run(command);
        assert!(found.err.contains("going on from"), "{then}: {found:?}");
        let expected = plumb(folder.path(), "check Recovery --json");
        assert_eq!(result(&found), result(&expected), "{then}");
    }
}

#[test]
fn memory_that_does_not_suffice_is_an_inconclusive_end_that_can_be_resumed() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = "check Recovery --checkpoint ck --checkpoint-every 0 --memory 3MiB";
    let run = plumb(folder.path(), arguments);
    assert_eq!(run.status, 3, "{run:?}");
    assert!(run.out.contains("memory"), "{run:?}");
    let resumed = plumb(folder.path(), "check Recovery --resume ck --json");
    let expected = plumb(folder.path(), "check Recovery --json");
    assert_eq!(result(&resumed), result(&expected));
}

#[test]
fn levels_that_memory_has_no_room_for_need_a_folder_that_takes_them() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = "check Recovery --memory 40MiB --level-memory 0 --temporary";
    let run = plumb(folder.path(), &format!("{arguments} ."));
    assert_eq!(run.status, 0, "{run:?}");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    let run = plumb(folder.path(), &format!("{arguments} nowhere"));
    assert_eq!(run.status, 4, "{run:?}");
    assert!(run.out.contains("nowhere"), "{run:?}");
    let full = limited(folder.path(), 4, &format!("{arguments} ."));
    assert_eq!(full.status, 4, "{full:?}");
    assert!(
        full.out
            .contains("cannot write states to a temporary file in ."),
        "{full:?}"
    );
}
