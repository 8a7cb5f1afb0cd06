//! A search that is killed at any moment and resumed ends as one that was left alone.
//!
//! The search runs in a process of its own: this very program, which runs one test of it again.

use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use plumb_checker::{Checkpoint, CheckpointStage, SearchOptions};

use crate::cluster::{large, medium};
use crate::same_result::{check, options};

/// The folder of the checkpoint, told to the process that searches.
const FOLDER: &str = "CLUSTER_CHECKPOINT";
/// The stage of writing at which it is to kill itself, and at which of the times it gets there.
const DIE_AT: &str = "CLUSTER_DIE_AT";

/// How many searches are to be killed, which are then large.
const KILLS: &str = "CLUSTER_KILLS";

const STAGES: [CheckpointStage; 6] = [
    CheckpointStage::PartBegun,
    CheckpointStage::PartWritten,
    CheckpointStage::PartSynced,
    CheckpointStage::PartNamed,
    CheckpointStage::ManifestSynced,
    CheckpointStage::Done,
];

/// In the process that searches: goes on from what there is, to the end, and prints what it found.
#[test]
fn search_in_a_process_of_its_own() {
    let Some(folder) = std::env::var_os(FOLDER) else {
        return; // the other tests run it
    };
    let folder = Path::new(&folder);
    let model = if std::env::var_os(KILLS).is_some() {
        large(5, "CONSTRAINT Near")
    } else {
        medium(5, "CONSTRAINT Near")
    };
    let identity = model.search_identity(&SearchOptions::default()).unwrap();
    let checkpoint = if folder.join("checkpoint.json").exists() {
        Checkpoint::resume(folder, identity)
    } else {
        Checkpoint::create(folder, identity)
    };
    let mut checkpoint = checkpoint.unwrap().every(Duration::ZERO);
    if let Ok(place) = std::env::var(DIE_AT) {
        let (stage, times) = place.split_once(' ').unwrap();
        let stage = STAGES[stage.parse::<usize>().unwrap()];
        let rest = Mutex::new(times.parse::<u32>().unwrap());
        checkpoint = checkpoint.observed(move |at| {
            let mut rest = rest.lock().unwrap();
            if at == stage {
                if *rest == 0 {
                    kill_this_process();
                }
                *rest -= 1;
            }
        });
    }
    let options = SearchOptions {
        checkpoint: Some(Arc::new(Mutex::new(checkpoint))),
        ..options(2, true)
    };
    println!("found {:?}", check(model.as_ref(), &options));
}

fn kill_this_process() {
    let own = std::process::id().to_string();
    Command::new("kill").args(["-9", &own]).status().unwrap();
    std::thread::sleep(Duration::from_secs(60));
}

fn search(folder: &Path, die_at: Option<String>) -> Child {
    let mut command = Command::new(std::env::current_exe().unwrap());
    command.args([
        "--exact",
        "killed::search_in_a_process_of_its_own",
        "--nocapture",
    ]);
    command.env(FOLDER, folder).env_remove(DIE_AT);
    if let Some(place) = die_at {
        command.env(DIE_AT, place);
    }
    command.stdout(Stdio::piped()).stderr(Stdio::null());
    command.spawn().unwrap()
}

/// What an undisturbed process found, or none if it was killed.
fn found(child: Child) -> Option<String> {
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let found = text
        .lines()
        .find_map(|line| Some(line.split_once("found ")?.1.to_owned()));
    assert!(
        found.is_some() || output.status.signal() == Some(9),
        "{text}"
    );
    found
}

fn undisturbed() -> (String, Duration) {
    let folder = tempfile::tempdir().unwrap();
    let start = Instant::now();
    let found = found(search(folder.path(), None)).unwrap();
    (found, start.elapsed())
}

/// How many searches are killed; a small number of small ones, unless a longer run is asked for:
/// `CLUSTER_KILLS=500 cargo test --release -p plumb-checker --test composition killed`.
fn kills() -> u32 {
    let kills = std::env::var(KILLS).ok();
    kills.and_then(|kills| kills.parse().ok()).unwrap_or(25)
}

#[test]
fn a_search_killed_at_random_moments_ends_as_one_left_alone() {
    let (expected, time) = undisturbed();
    let mut random = 0x2545_F491_4F6C_DD1D_u64;
    let mut killed = 0;
    while killed < kills() {
        let folder = tempfile::tempdir().unwrap();
        loop {
            random ^= random << 13;
            random ^= random >> 7;
            random ^= random << 17;
            let moment = time.mul_f64((random % 1000) as f64 / 1000.0);
            let mut child = search(folder.path(), None);
            std::thread::sleep(moment);
            child.kill().unwrap();
            if let Some(found) = found(child) {
                assert_eq!(found, expected);
                break;
            }
            killed += 1;
        }
    }
}

#[test]
fn a_search_killed_at_any_stage_of_writing_ends_as_one_left_alone() {
    let (expected, _) = undisturbed();
    for stage in 0..STAGES.len() {
        for times in [0, 3] {
            let folder = tempfile::tempdir().unwrap();
            let place = format!("{stage} {times}");
            assert_eq!(found(search(folder.path(), Some(place))), None);
            // And once more on the way, at the same stage.
            let second = found(search(folder.path(), Some(format!("{stage} 0"))));
            let last = second.or_else(|| found(search(folder.path(), None)));
            assert_eq!(last.unwrap(), expected);
        }
    }
}
