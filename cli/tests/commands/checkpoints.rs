//! Large searches: checkpoints, levels on disk, and what can go wrong with both.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::Duration;

use tempfile::TempDir;

use crate::program::{PLUMB, Run, plumb_in, run};

/// Runs the program in a folder.
fn plumb(folder: &Path, arguments: &str) -> Run {
    run(plumb_in(folder, arguments))
}

/// What must be the same of two runs: all of it but the time.
fn result(run: &Run) -> String {
    assert_eq!(run.status, 0, "{run:?}");
    let mut result: serde_json::Value = serde_json::from_str(&run.out).unwrap();
    result["configurations"][0]["seconds"] = 0.into();
    result.to_string()
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
        let how = if folder.path().join("ck/checkpoint.json").exists() {
            "--resume"
        } else {
            "--checkpoint"
        };
        let arguments = format!("check Recovery {how} ck --checkpoint-every 0 --json");
        let mut child = plumb_in(folder.path(), &arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        sleep(Duration::from_millis(milliseconds));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let last = if folder.path().join("ck/checkpoint.json").exists() {
        "check Recovery --resume ck --json"
    } else {
        "check Recovery --checkpoint ck --json"
    };
    assert_eq!(result(&plumb(folder.path(), last)), expected);
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

/// Runs the program with files limited to so many blocks of 512 bytes: writing beyond fails.
fn limited(folder: &Path, blocks: u32, arguments: &str) -> Run {
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec {PLUMB} {arguments}");
    let mut command = Command::new("sh");
    command.args(["-c", &script]).current_dir(folder);
    Run::of(&command.output().unwrap())
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
