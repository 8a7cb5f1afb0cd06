//! Bundles on disks that fail, and under writers that are ended.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::evidence::{audit, recorded};
use crate::program::{PLUMB, Run, limited, plumb_in, root, run, settled, tell};

/// Every file below a folder with its content.
fn files(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.insert(path.clone(), fs::read(&path).unwrap());
            }
        }
    }
    found
}

/// That every bundle is in order, and nothing else lies beside them.
fn assert_whole(folder: &Path) {
    let found = audit(folder, "ev", "--json").json();
    for bundle in found["bundles"].as_array().unwrap() {
        assert_ne!(bundle["status"], "invalid", "{bundle:#}");
    }
    let beside = fs::read_dir(folder.join("ev")).unwrap();
    let beside: Vec<_> = beside.map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(beside, ["service"], "nothing is left over");
}

#[test]
fn a_writer_that_is_killed_leaves_whole_bundles() {
    let folder = recorded("service");
    let mut kills = 0;
    for round in 0..30u64 {
        // A budget now and then changes results, so that bundles are replaced.
        let budget = ["", "--max-states 20"][usize::from(round % 2 == 0)];
        let mut command = plumb_in(&folder, &format!("check service {budget} --evidence ev"));
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        std::thread::sleep(Duration::from_millis(15 + 17 * (round % 13)));
        if child.try_wait().unwrap().is_none() {
            child.kill().unwrap();
            kills += 1;
        }
        child.wait().unwrap();
        let found = audit(folder.path(), "ev", "--json").json();
        for bundle in found["bundles"].as_array().unwrap() {
            assert_ne!(bundle["status"], "invalid", "{bundle:#}");
        }
    }
    assert!(kills > 0, "no writer was killed");
    let last = run(plumb_in(&folder, "check service --evidence ev"));
    assert_eq!(last.status, 0);
    let left = fs::read_dir(folder.path().join("ev")).unwrap().count();
    assert_eq!(left, 1, "what was left over is removed");
}

#[test]
fn a_full_disk_leaves_the_old_bundles_or_the_new_ones() {
    let folder = recorded("service");
    let path = folder.path();
    let before = files(&path.join("ev"));
    // With a budget the results are others, so that bundles have to be replaced.
    let other = "check service --max-states 20 --evidence ev";
    let full = limited(path, 0, other);
    assert_eq!(full.status, 4, "{full:?}");
    assert!(full.err.contains("cannot write"), "{full:?}");
    assert!(
        files(&path.join("ev")) == before,
        "the old ones are as they were"
    );
    // Less and less is missing.
    for blocks in [1, 2, 4, 8, 12, 16, 24] {
        let full = limited(path, blocks, other);
        assert!([3, 4].contains(&full.status), "{blocks}: {full:?}");
        assert_whole(path);
    }
    let enough = limited(path, 1000, other);
    assert_eq!(enough.status, 3, "{enough:?}");
    assert_whole(path);
    let (before, key) = (
        files(&path.join("ev")),
        root().join("attest/tests/keys/test-only.pem"),
    );
    let sign = format!(
        "evidence sign ev/service/ServiceFixed --key {}",
        key.display()
    );
    let unsigned = limited(path, 0, &sign);
    assert_eq!(unsigned.status, 4, "{unsigned:?}");
    assert!(files(&path.join("ev")) == before, "no half of a signature");
    for report in ["--html out.html", "--markdown out.md"] {
        let full = limited(path, 0, &format!("evidence report ev {report}"));
        assert_eq!(full.status, 4, "{full:?}");
        assert!(!path.join("out.html").exists() && !path.join("out.md").exists());
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_file_system_without_room_leaves_whole_bundles() {
    let folder = recorded("service");
    // A file system of its own, in a namespace of its own, where the system lets us make one.
    let script = format!(
        "mkdir small && mount -t tmpfs -o size=2m tmpfs small && cp -r ev small/ && cd small && \
         cp -r ev before && \
         while head -c 4096 /dev/zero >> filler 2>/dev/null; do :; done; \
         {PLUMB} check service --max-states 20 --evidence ev >out 2>/dev/null; status=$?; \
         rm filler; ls -A ev; diff -r ev before >&2 && exit $status"
    );
    let mut command = settled("unshare");
    command.args(["--user", "--map-root-user", "--mount", "sh", "-c", &script]);
    let mut probe = Command::new("unshare");
    probe.args(["--user", "--map-root-user", "--mount", "sh", "-c"]);
    probe.arg("mkdir probe && mount -t tmpfs -o size=64k tmpfs probe");
    let possible = probe.current_dir(&folder).output();
    if !possible.is_ok_and(|output| output.status.success()) {
        tell("skipped, no file system was filled: none can be mounted in a namespace");
        return;
    }
    command.current_dir(&folder);
    let found = run(command);
    assert_eq!(
        (found.status, found.out.as_str()),
        (4, "service\n"),
        "{found:?}"
    );
}

#[test]
#[cfg(unix)]
fn a_folder_that_may_not_be_written_is_told_and_left_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = recorded("service");
    let ev = folder.path().join("ev");
    let before = files(&ev);
    fs::set_permissions(&ev, fs::Permissions::from_mode(0o555)).unwrap();
    // Root may write everywhere, unless it is without that capability.
    let probe = ev.join("probe");
    let (mut command, first) = match fs::write(&probe, "") {
        Err(_) => (settled(PLUMB), None),
        Ok(()) => {
            fs::remove_file(&probe).unwrap();
            (
                settled("setpriv"),
                Some(["--bounding-set=-dac_override", PLUMB]),
            )
        }
    };
    let mut probe = Command::new("setpriv");
    let probe = probe
        .args(["--bounding-set=-dac_override", "true"])
        .output();
    if first.is_some() && !probe.is_ok_and(|output| output.status.success()) {
        tell(
            "skipped, nothing was written to a read-only folder: root cannot be without that right",
        );
        return;
    }
    command
        .args(first.into_iter().flatten())
        .current_dir(&folder);
    command.args(["check", "service", "--max-states", "20", "--evidence", "ev"]);
    let refused = run(command);
    let audited = audit(folder.path(), "ev", "--json");
    fs::set_permissions(&ev, fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(refused.status, 4, "{refused:?}");
    assert!(refused.err.contains("Permission denied"), "{refused:?}");
    assert!(files(&ev) == before);
    assert!(!audited.json()["bundles"].as_array().unwrap().is_empty());
}

#[test]
fn what_is_no_bundle_is_neither_replaced_nor_written_through() {
    let folder = recorded("service");
    let ev = folder.path().join("ev");
    let bundle = ev.join("service/ServiceFixed");
    let other = "check ServiceFixed --max-states 20 --evidence ev";
    let refused = |file: &Path| {
        let run = run(plumb_in(&folder, other));
        assert_eq!(run.status, 4, "{run:?}");
        assert!(run.err.contains("move it away"), "{run:?}");
        assert!(fs::symlink_metadata(file).is_ok(), "{}", file.display());
    };
    fs::write(bundle.join("thesis.txt"), "years of work").unwrap();
    refused(&bundle.join("thesis.txt"));
    fs::remove_dir_all(&bundle).unwrap();
    fs::write(&bundle, "a file").unwrap();
    refused(&bundle);
    fs::remove_file(&bundle).unwrap();
    let outside = folder.path().join("outside");
    fs::rename(ev.join("service"), &outside).unwrap();
    std::os::unix::fs::symlink(&outside, ev.join("service")).unwrap();
    refused(&ev.join("service"));
    fs::remove_file(ev.join("service")).unwrap();
    fs::rename(&outside, ev.join("service")).unwrap();
    // Somebody else's file in the way of nobody stays, too.
    fs::write(ev.join(".plumb-evidence.notes"), "mine").unwrap();
    assert_eq!(run(plumb_in(&folder, other)).status, 3);
    assert!(ev.join(".plumb-evidence.notes").exists());
}

#[test]
fn nothing_is_signed_that_an_audit_finds_a_fault_in() {
    let folder = recorded("service");
    let ev = folder.path().join("ev");
    let key = root().join("attest/tests/keys/test-only.pem");
    let sign = format!("evidence sign ev --key {}", key.display());
    let refused = || {
        let run = run(plumb_in(&folder, &sign));
        assert_eq!(run.status, 2, "{run:?}");
        assert!(!ev.join("service/ServiceFixed/manifest.dsse.json").exists());
    };
    fs::create_dir(ev.join("empty")).unwrap();
    refused();
    fs::remove_dir(ev.join("empty")).unwrap();
    // It has the right digests and is of something else.
    let other = ev.join("service/UnfairServiceStarvation");
    let aside = folder.path().join("aside");
    fs::rename(&other, &aside).unwrap();
    fs::rename(ev.join("service/StrictServiceStarvation"), &other).unwrap();
    refused();
    fs::remove_dir_all(&other).unwrap();
    fs::rename(&aside, &other).unwrap();
    assert_eq!(run(plumb_in(&folder, &sign)).status, 0);
    assert_eq!(run(plumb_in(&folder, &sign)).status, 0, "and again");
}

/// A copy of all that this project's verdicts are of.
fn project() -> tempfile::TempDir {
    let folder = crate::program::empty_folder();
    let copy = |what: &str| {
        let to = folder.path().join(what);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        let mut cp = Command::new("cp");
        cp.arg("-r").arg(root().join(what)).arg(to);
        assert!(cp.status().unwrap().success());
    };
    copy("specs");
    copy("Cargo.lock");
    for part in ["tla", "checker", "models"] {
        copy(&format!("{part}/src"));
        copy(&format!("{part}/Cargo.toml"));
    }
    folder
}

#[test]
fn sources_that_change_during_a_check_are_noticed_whatever_the_change() {
    type Change = (&'static str, fn(&Path));
    let changes: [Change; 4] = [
        ("models/src/service/new.rs", |path| {
            fs::write(path, "").unwrap();
        }),
        ("checker/src/lib.rs", |path| fs::remove_file(path).unwrap()),
        ("Cargo.lock", |path| fs::remove_file(path).unwrap()),
        ("Cargo.lock", |path| {
            let text = fs::read_to_string(path).unwrap();
            fs::write(path, text.replace("version = \"0.", "version = \"9.")).unwrap();
        }),
    ];
    // A search that lasts for as long as it is given.
    let check = "check QueueOrdering --threads 1 --max-time 4s --evidence ev";
    let running = changes.map(|(file, change)| {
        let folder = project();
        let mut command = plumb_in(&folder, check);
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        (command.spawn().unwrap(), folder, file, change)
    });
    for (_, folder, file, change) in &running {
        // The folder is made when the sources were read, and before the search.
        let began = Instant::now();
        while !folder.path().join("ev").exists() && began.elapsed() < Duration::from_secs(60) {
            std::thread::sleep(Duration::from_millis(20));
        }
        change(&folder.path().join(file));
    }
    for (child, folder, file, _) in running {
        let found = Run::of(&child.wait_with_output().unwrap());
        assert_eq!(found.status, 4, "{file}: {found:?}");
        assert!(
            found.err.contains("changed while it was checked"),
            "{file}: {found:?}"
        );
        assert!(!folder.path().join("ev/work-queue").exists(), "{file}");
    }
}

#[test]
fn a_bundle_of_its_own_is_no_substitute_for_all() {
    let folder = recorded("ServiceFixed");
    let path = folder.path();
    let copied = project();
    let evidence = copied.path().join("evidence");
    fs::rename(path.join("ev/service/ServiceFixed"), &evidence).unwrap();
    for command in ["evidence verify", "evidence report"] {
        let found = run(plumb_in(&copied, command));
        assert_eq!(found.status, 2, "{found:?}");
        assert!(
            found.err.contains("expected the folder of all evidence"),
            "{found:?}"
        );
    }
    // By name it is one bundle, and says so; and it is what it says, not what its folder is called.
    let named = run(plumb_in(&copied, "evidence verify evidence"));
    assert_eq!(named.status, 0, "{named:?}");
    assert!(named.out.contains("\nServiceFixed "), "{named:?}");
}

#[test]
fn what_is_too_large_for_a_bundle_is_not_read_and_not_repeated() {
    let folder = recorded("ServiceFixed");
    let bundle = folder.path().join("ev/service/ServiceFixed");
    let long = format!("\"{}\"", "x".repeat(3 << 20));
    fs::write(bundle.join("result.json"), &long).unwrap();
    let found = audit(folder.path(), "ev/service/ServiceFixed", "");
    assert_eq!(found.status, 1);
    assert!(found.out.len() < 5000, "{}", found.out.len());
    for (file, length) in [
        ("result.json", 17 << 20),
        ("run.json", 2 << 20),
        ("notes.txt", 1),
    ] {
        let path = bundle.join(file);
        fs::remove_file(&path).unwrap_or_default();
        fs::File::create(&path).unwrap().set_len(length).unwrap();
    }
    let found = audit(folder.path(), "ev/service/ServiceFixed", "");
    assert_eq!(found.status, 1);
    assert_eq!(found.out.matches("(too-large)").count(), 2, "{found:?}");
    assert!(
        found
            .out
            .contains("notes.txt: no bundle has a file of this name"),
        "{found:?}"
    );
}
