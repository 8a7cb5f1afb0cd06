//! Folders in which something lies that does not belong there.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::Command;

use plumb_attest::fault::Code;
use plumb_attest::folder::{Collection, read_evidence};
use plumb_attest::store::{Store, Written};

use crate::bundles::{Parts, honest};

fn written(root: &Path) -> Parts {
    let parts = honest().remove("exhausted").unwrap();
    let result = &parts.result;
    let store = Store::open(root).unwrap();
    let written = store.write(&result.model, &result.configuration, &parts.assemble());
    assert_eq!(written.unwrap(), Written::New);
    parts
}

/// The codes of all faults that reading finds in the folder, after `change` has been at it.
fn codes(change: impl FnOnce(&Path)) -> Vec<Code> {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("evidence");
    let parts = written(&root);
    let bundle = root
        .join(&parts.result.model)
        .join(&parts.result.configuration);
    change(&bundle);
    let Collection {
        bundles, faults, ..
    } = read_evidence(&root).unwrap();
    let of_bundles = bundles.values().flat_map(|found| {
        let mut faults = found.faults.clone();
        faults.extend(plumb_attest::verify::integrity(&found.bundle, ""));
        faults
    });
    let all = of_bundles.chain(faults);
    all.map(|fault| fault.code).collect()
}

#[test]
fn what_is_written_is_found_without_fault() {
    assert_eq!(codes(|_| ()), []);
}

#[test]
fn whatever_is_no_plain_file_of_one_name_is_a_fault() {
    type Change = fn(&Path);
    let changes: [(&str, Code, Change); 13] = [
        ("a link to a file", Code::NotAFile, |bundle| {
            fs::rename(bundle.join("run.json"), bundle.join("../run.json")).unwrap();
            symlink("../run.json", bundle.join("run.json")).unwrap();
        }),
        ("a link to a folder", Code::NotAFile, |bundle| {
            let outside = bundle.join("../../../sources");
            fs::rename(bundle.join("sources"), &outside).unwrap();
            symlink(&outside, bundle.join("sources")).unwrap();
        }),
        ("a hard link", Code::HardLink, |bundle| {
            fs::hard_link(bundle.join("run.json"), bundle.join("../../../run.json")).unwrap();
        }),
        ("a pipe", Code::NotAFile, |bundle| {
            fs::remove_file(bundle.join("run.json")).unwrap();
            let made = Command::new("mkfifo").arg(bundle.join("run.json")).status();
            assert!(made.unwrap().success());
        }),
        ("a huge sparse file", Code::TooLarge, |bundle| {
            let file = fs::File::create(bundle.join("run.json")).unwrap();
            file.set_len(10 << 30).unwrap();
        }),
        ("names that differ in case", Code::BadName, |bundle| {
            fs::copy(bundle.join("run.json"), bundle.join("Run.json")).unwrap();
        }),
        ("a name with a line feed", Code::BadName, |bundle| {
            fs::write(bundle.join("a\nb"), "").unwrap();
        }),
        ("a hidden file", Code::BadName, |bundle| {
            fs::write(bundle.join(".hidden"), "").unwrap();
        }),
        ("a file that is not listed", Code::ExtraFile, |bundle| {
            fs::write(bundle.join("sources/more.tla"), "").unwrap();
        }),
        ("an empty folder", Code::ExtraFile, |bundle| {
            fs::create_dir(bundle.join("empty")).unwrap();
        }),
        ("folders within folders", Code::ExtraFile, |bundle| {
            fs::create_dir_all(bundle.join("a/b/c/d/e/f")).unwrap();
        }),
        ("a file beside the bundles", Code::Orphan, |bundle| {
            fs::write(bundle.join("../note"), "").unwrap();
        }),
        ("a file beside the models", Code::Orphan, |bundle| {
            fs::write(bundle.join("../../README.md"), "all is well").unwrap();
        }),
    ];
    for (what, code, change) in changes {
        let found = codes(change);
        assert!(found.contains(&code), "{what}: {found:?}");
    }
}

#[test]
fn a_name_that_is_no_text_is_a_fault() {
    use std::os::unix::ffi::OsStrExt;
    let found = codes(|bundle| {
        let name = std::ffi::OsStr::from_bytes(b"run\xff.json");
        fs::write(bundle.join(name), "").unwrap();
    });
    assert_eq!(found, [Code::BadName]);
}

#[test]
fn what_a_writer_left_is_a_fault_until_the_next_one_removes_it() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let parts = written(root);
    let left = root.join(".plumb-evidence.left/bundle");
    fs::create_dir_all(&left).unwrap();
    let faults = read_evidence(root).unwrap().faults;
    assert_eq!(faults.len(), 1);
    assert_eq!(faults[0].code, Code::Orphan);
    let store = Store::open(root).unwrap();
    assert!(!left.exists());
    let result = &parts.result;
    let again = store.write(&result.model, &result.configuration, &parts.assemble());
    assert_eq!(again.unwrap(), Written::Unchanged);
}

#[test]
fn an_old_bundle_that_a_writer_had_taken_away_is_put_back() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let parts = written(root);
    let result = &parts.result;
    let place = root.join(&result.model).join(&result.configuration);
    let name = format!(
        ".plumb-evidence.old.{}.{}",
        result.model, result.configuration
    );
    fs::rename(&place, root.join(name)).unwrap();
    Store::open(root).unwrap();
    assert!(place.join("manifest.json").is_file());
}

#[test]
fn a_bundle_that_says_the_same_stays_and_a_damaged_one_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let mut parts = written(root);
    let (model, name) = (
        parts.result.model.clone(),
        parts.result.configuration.clone(),
    );
    let store = Store::open(root).unwrap();
    // Another time on another machine is no other result.
    parts.run.milliseconds += 1;
    let write = |parts: &Parts| store.write(&model, &name, &parts.assemble()).unwrap();
    assert_eq!(write(&parts), Written::Unchanged);
    fs::write(root.join(&model).join(&name).join("run.json"), "{}\n").unwrap();
    assert_eq!(write(&parts), Written::Replaced);
    assert_eq!(write(&parts), Written::Unchanged);
    let mut other = parts.clone();
    other.result.levels.push(1);
    assert_eq!(write(&other), Written::Replaced);
}

#[test]
fn two_writers_at_once_leave_whole_bundles() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path().join("evidence");
    let parts = honest().remove("violated").unwrap();
    let (model, name) = (
        parts.result.model.clone(),
        parts.result.configuration.clone(),
    );
    std::thread::scope(|scope| {
        for writer in 0..4u64 {
            let (root, parts, model, name) = (&root, &parts, &model, &name);
            scope.spawn(move || {
                let store = Store::open(root).unwrap();
                for round in 0..10 {
                    let mut parts = parts.clone();
                    parts.result.levels.push(writer * 100 + round);
                    store.write(model, name, &parts.assemble()).unwrap();
                    let found = plumb_attest::folder::read_bundle(&root.join(model).join(name), "");
                    // Another writer may replace it while it is read, but never by a part.
                    assert!(
                        found.bundle.files.len() <= 9,
                        "{:?}",
                        found.bundle.files.keys()
                    );
                }
            });
        }
    });
    let found = read_evidence(&root).unwrap();
    assert_eq!(found.faults, []);
    let bundle = &found.bundles[&(model, name)];
    assert_eq!(bundle.faults, []);
    assert_eq!(plumb_attest::verify::integrity(&bundle.bundle, ""), []);
}

#[test]
fn a_folder_that_cannot_be_written_keeps_the_old_bundle() {
    let folder = tempfile::tempdir().unwrap();
    let root = folder.path();
    let mut parts = written(root);
    let (model, name) = (
        parts.result.model.clone(),
        parts.result.configuration.clone(),
    );
    let store = Store::open(root).unwrap();
    let before = read_evidence(root).unwrap().bundles;
    parts.result.levels.push(1);
    // A file of the bundle that cannot be written: its folder would be a file.
    let mut broken = parts.assemble();
    broken
        .files
        .insert("run.json/inside".to_owned(), Vec::new());
    let error = store.write(&model, &name, &broken).unwrap_err();
    assert!(error.to_string().contains("run.json"), "{error}");
    let after = read_evidence(root).unwrap();
    assert_eq!(after.faults, []);
    let files = |found: &plumb_attest::folder::Found| found.bundle.clone();
    assert!(
        before
            .values()
            .map(files)
            .eq(after.bundles.values().map(files))
    );
}
