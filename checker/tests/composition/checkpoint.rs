//! Checkpoints: going on gives what was coming; what is not ours, or not whole, is refused.

use std::fs;
use std::path::Path;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use plumb_checker::{
    Checkpoint, CheckpointError, ConfiguredModel, Progress, SearchOptions, StopReason, Verdict,
};

use crate::cluster::{cluster, large, medium};
use crate::same_result::{check, options, summary};

fn identity(model: &dyn ConfiguredModel) -> plumb_checker::SearchIdentity {
    model.search_identity(&SearchOptions::default()).unwrap()
}

fn writing(checkpoint: Checkpoint, options: SearchOptions) -> SearchOptions {
    let checkpoint = checkpoint.every(Duration::ZERO);
    SearchOptions {
        checkpoint: Some(Arc::new(Mutex::new(checkpoint))),
        ..options
    }
}

/// A checkpoint of a search that stopped when it knew so many states.
fn stopped(model: &dyn ConfiguredModel, folder: &Path, states: u64, components: bool) {
    let checkpoint = Checkpoint::create(folder, identity(model)).unwrap();
    let options = SearchOptions {
        max_states: Some(states),
        ..options(2, components)
    };
    check(model, &writing(checkpoint, options));
}

#[test]
fn a_resumed_search_ends_as_an_undisturbed_one() {
    for components in [true, false] {
        for cfg in ["CONSTRAINT Near", "INVARIANT Safety PROPERTY Calm"] {
            let model = large(5, cfg);
            let model = model.as_ref();
            let expected = check(model, &options(2, components));
            let folder = tempfile::tempdir().unwrap();
            let mut states = 1;
            stopped(model, folder.path(), states, components);
            while states < 200_000 {
                states *= 9;
                let checkpoint = Checkpoint::resume(folder.path(), identity(model)).unwrap();
                let options = SearchOptions {
                    max_states: Some(states),
                    level_memory: 0,
                    ..options(2, components)
                };
                check(model, &writing(checkpoint, options));
            }
            let checkpoint = Checkpoint::resume(folder.path(), identity(model)).unwrap();
            assert!(checkpoint.found().unwrap().1 > 10_000);
            let found = check(model, &writing(checkpoint, options(3, components)));
            assert_eq!(found, expected);
        }
    }
}

#[test]
fn a_violation_after_resuming_has_the_trace_of_an_undisturbed_search() {
    let constants = [11, 12, 7, 4, 6000];
    let model = cluster(constants, false, "INVARIANT Own PROPERTY Calm");
    let model = model.as_ref();
    let expected = check(model, &options(2, true));
    assert!(expected.4.len() > 3, "{:?}", expected.0);
    let folder = tempfile::tempdir().unwrap();
    stopped(model, folder.path(), 20, true);
    let checkpoint = Checkpoint::resume(folder.path(), identity(model)).unwrap();
    assert_eq!(
        check(model, &writing(checkpoint, options(2, true))),
        expected
    );
}

#[test]
fn a_search_stopped_inside_a_level_loses_no_more_than_that_level() {
    for components in [true, false] {
        let model = medium(5, "");
        let model = model.as_ref();
        let expected = check(model, &options(2, components));
        let mut inside = 0;
        // Where a budget stops the search depends on which thread finds what, so there are many.
        for budget in (4..=16).map(|number| number * 25_000) {
            if inside > 1 {
                break;
            }
            let folder = tempfile::tempdir().unwrap();
            // None is due before the end.
            let checkpoint = Checkpoint::create(folder.path(), identity(model)).unwrap();
            let stopping = SearchOptions {
                checkpoint: Some(Arc::new(Mutex::new(checkpoint))),
                max_memory: Some(budget),
                ..options(2, components)
            };
            let found = check(model, &stopping);
            assert!(matches!(found.0, Verdict::Inconclusive(_)), "{found:?}");
            drop(stopping);
            let checkpoint = Checkpoint::resume(folder.path(), identity(model)).unwrap();
            let (levels, _) = checkpoint.found().unwrap();
            assert!(levels == found.2.len() || levels + 1 == found.2.len());
            inside += usize::from(levels < found.2.len());
            let found = check(model, &writing(checkpoint, options(2, components)));
            assert_eq!(found, expected);
        }
        assert!(inside > 0, "no search was stopped inside a level");
    }
}

#[test]
fn a_search_stopped_while_it_is_restored_says_what_the_checkpoint_has() {
    let model = medium(5, "");
    let model = model.as_ref();
    let expected = check(model, &options(2, true));
    let folder = tempfile::tempdir().unwrap();
    stopped(model, folder.path(), 5000, true);
    for stop in [true, false] {
        let checkpoint = Checkpoint::resume(folder.path(), identity(model)).unwrap();
        let found = checkpoint.found();
        let resuming = writing(checkpoint, options(2, true));
        let progress = Progress::default();
        if stop {
            progress.stop();
        }
        let report = model.check(&resuming, &progress);
        if stop {
            let stopped = Verdict::Inconclusive(StopReason::Interrupted);
            assert_eq!(report.verdict, stopped);
            assert_eq!(Some((report.depth(), report.distinct)), found);
            assert_eq!(report.queue, *report.levels.last().unwrap());
            // It did not wait until all of them were there.
            assert_eq!(report.memory, 0);
        } else {
            assert_eq!(summary(report), expected);
        }
    }
}

#[test]
fn whoever_watches_is_told_how_far_a_checkpoint_is_verified_and_restored() {
    let model = large(5, "CONSTRAINT Near");
    let model = model.as_ref();
    let folder = tempfile::tempdir().unwrap();
    stopped(model, folder.path(), 50_000, true);
    let part = |entry: std::io::Result<fs::DirEntry>| {
        let path = entry.unwrap().path();
        let is_part = path.extension().is_some_and(|end| end == "part");
        is_part.then(|| path.metadata().unwrap().len())
    };
    let bytes: u64 = (fs::read_dir(folder.path()).unwrap())
        .filter_map(part)
        .sum();
    let progress = Progress::default();
    let checkpoint = Checkpoint::resume_watched(folder.path(), identity(model), &progress).unwrap();
    let (verified, restored) = (&progress.verified, &progress.restored);
    assert_eq!(verified.total.load(Relaxed), bytes);
    assert_eq!(verified.done.load(Relaxed), bytes);
    let (_, states) = checkpoint.found().unwrap();

    // A budget that ends the restoring before the search goes on.
    let with_budget = |checkpoint, budget| SearchOptions {
        max_memory: Some(budget),
        ..writing(checkpoint, options(2, true))
    };
    let resuming = with_budget(checkpoint, 200_000);
    model.check(&resuming, &progress);
    let (done, total) = restored.under_way().unwrap();
    assert_eq!(total, bytes);
    assert!(done > 0, "{done}");
    assert_eq!(progress.distinct_before.load(Relaxed), 0);
    drop(resuming);

    let checkpoint = Checkpoint::resume(folder.path(), identity(model)).unwrap();
    model.check(&with_budget(checkpoint, u64::MAX), &progress);
    assert_eq!(restored.under_way(), None);
    assert_eq!(restored.done.load(Relaxed), bytes);
    assert_eq!(progress.distinct_before.load(Relaxed), states);
    assert!(progress.generated_before.load(Relaxed) > states);
    assert!(progress.distinct.load(Relaxed) > states);
}

#[test]
fn a_part_that_goes_while_the_search_is_on_ends_it_with_its_name() {
    let model = large(5, "CONSTRAINT Near");
    let model = model.as_ref();
    for cut in [true, false] {
        let folder = tempfile::tempdir().unwrap();
        stopped(model, folder.path(), 20_000, true);
        let checkpoint = Checkpoint::resume(folder.path(), identity(model)).unwrap();
        let newest = (1..)
            .map(|number| folder.path().join(format!("{number:06}.part")))
            .take_while(|path| path.exists())
            .last()
            .unwrap();
        // After it was verified.
        if cut {
            let file = fs::OpenOptions::new().write(true).open(&newest).unwrap();
            let length = file.metadata().unwrap().len();
            file.set_len(length / 2).unwrap();
        } else {
            fs::remove_file(&newest).unwrap();
        }
        let found = check(model, &writing(checkpoint, options(2, true)));
        let Verdict::Error { message, .. } = found.0 else {
            panic!("{found:?}");
        };
        let name = newest.file_name().unwrap().to_str().unwrap();
        assert!(message.contains(name), "{message}");
    }
}

/// The error of resuming a checkpoint after `change` was made to its folder.
fn refused(change: impl FnOnce(&Path)) -> String {
    let model = large(5, "CONSTRAINT Near");
    let folder = tempfile::tempdir().unwrap();
    stopped(model.as_ref(), folder.path(), 10_000, true);
    change(folder.path());
    let error = Checkpoint::resume(folder.path(), identity(model.as_ref())).unwrap_err();
    error.to_string()
}

fn rewrite(path: &Path, change: impl FnOnce(String) -> String) {
    let text = fs::read_to_string(path).unwrap();
    fs::write(path, change(text)).unwrap();
}

#[test]
fn what_is_damaged_or_of_another_search_is_refused_with_the_reason() {
    let manifest = |folder: &Path| folder.join("checkpoint.json");
    let part = |folder: &Path| folder.join("000002.part");

    let error = refused(|folder| fs::remove_file(manifest(folder)).unwrap());
    assert!(error.contains("holds no checkpoint"), "{error}");
    let error = refused(|folder| fs::write(manifest(folder), "{\"format\"").unwrap());
    assert!(error.contains("checkpoint.json is damaged"), "{error}");
    let error = refused(|folder| {
        rewrite(&manifest(folder), |t| {
            t.replace("plumb checkpoint 2", "plumb checkpoint 0")
        });
    });
    assert!(
        error.contains("the format is plumb checkpoint 0: expected"),
        "{error}"
    );
    let error = refused(|folder| rewrite(&manifest(folder), |t| t.replace("cluster", "lifecycle")));
    assert!(
        error.contains("the model is lifecycle: expected cluster"),
        "{error}"
    );
    let error = refused(|folder| rewrite(&manifest(folder), |t| t.replace("Own = 8", "Own = 7")));
    assert!(
        error.contains("is constant Own = 7: expected constant Own = 8"),
        "{error}"
    );
    let error = refused(|folder| {
        rewrite(&manifest(folder), |t| {
            let start = t.find("\"program\": \"").unwrap() + 12;
            let mut text = t;
            text.replace_range(start..start + 4, "0000");
            text
        });
    });
    assert!(
        error.contains("the program that wrote it is 0000"),
        "{error}"
    );
    for (was, is) in [
        ("\"generated\": ", "\"generated\": 1"),
        ("\"outside\": ", "\"outside\": 1"),
        ("\"levels\": [", "\"levels\": [1, "),
        ("\"components\": ", "\"components\": 1"),
    ] {
        let error = refused(|folder| {
            rewrite(&manifest(folder), |t| {
                assert!(t.contains(was), "{t}");
                t.replacen(was, is, 1)
            });
        });
        assert!(
            error.contains("checkpoint.json is damaged: the SHA-256 digest of what it says"),
            "{error}"
        );
    }

    let error = refused(|folder| fs::remove_file(part(folder)).unwrap());
    assert!(
        error.contains("cannot read") && error.contains("000002.part"),
        "{error}"
    );
    let error = refused(|folder| {
        let file = fs::OpenOptions::new()
            .write(true)
            .open(part(folder))
            .unwrap();
        let length = file.metadata().unwrap().len();
        file.set_len(length - 1).unwrap();
    });
    assert!(error.contains("000002.part is damaged: it has"), "{error}");
    let error = refused(|folder| {
        let mut bytes = fs::read(part(folder)).unwrap();
        let middle = bytes.len() / 2;
        bytes[middle] ^= 1;
        fs::write(part(folder), bytes).unwrap();
    });
    assert!(error.contains("its SHA-256 digest is"), "{error}");
}

#[test]
fn a_folder_of_other_things_is_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let model = large(5, "");
    for name in ["thesis.tex", "film.part", "1.part", "00000a.part"] {
        let path = folder.path().join(name);
        fs::write(&path, "\\end{document}").unwrap();
        let error = Checkpoint::create(folder.path(), identity(model.as_ref())).unwrap_err();
        assert!(matches!(error, CheckpointError::NotOurs { .. }), "{error}");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        fs::remove_file(path).unwrap();
    }
    // A name that checkpoints use, too: nothing is lost of what is in it.
    let lock = folder.path().join("lock");
    fs::write(&lock, "of the canal").unwrap();
    let checkpoint = Checkpoint::create(folder.path(), identity(model.as_ref())).unwrap();
    drop(checkpoint);
    assert_eq!(fs::read_to_string(lock).unwrap(), "of the canal");
}

#[test]
fn what_a_killed_process_left_half_written_is_removed() {
    let model = large(5, "");
    let folder = tempfile::tempdir().unwrap();
    let left = ["000001.part.new", "000004.part.new", "checkpoint.json.new"]
        .map(|name| folder.path().join(name));
    let leave = || left.iter().for_each(|path| fs::write(path, "{").unwrap());
    leave();
    stopped(model.as_ref(), folder.path(), 100, true);
    assert!(!left.iter().any(|path| path.exists()));
    leave();
    Checkpoint::resume(folder.path(), identity(model.as_ref())).unwrap();
    assert!(!left.iter().any(|path| path.exists()));
}

#[test]
fn a_folder_serves_one_search_at_a_time() {
    let folder = tempfile::tempdir().unwrap();
    let model = large(5, "");
    let identity = || identity(model.as_ref());
    let first = Checkpoint::create(folder.path(), identity()).unwrap();
    let error = Checkpoint::create(folder.path(), identity()).unwrap_err();
    assert!(matches!(error, CheckpointError::InUse { .. }), "{error}");
    let options = SearchOptions {
        max_states: Some(100),
        ..options(1, true)
    };
    check(model.as_ref(), &writing(first, options));
    let error = Checkpoint::create(folder.path(), identity()).unwrap_err();
    assert!(matches!(error, CheckpointError::Occupied { .. }), "{error}");
    let resumed = Checkpoint::resume(folder.path(), identity()).unwrap();
    let error = Checkpoint::resume(folder.path(), identity()).unwrap_err();
    assert!(matches!(error, CheckpointError::InUse { .. }), "{error}");
    drop(resumed);
    Checkpoint::resume(folder.path(), identity()).unwrap();
}
