//! Bundles on disks that fail, and under writers that are ended.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use crate::evidence::{audit, recorded};
use crate::program::{PLUMB, limited, plumb_in, root, run, settled, tell};

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
    let possible = Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "true"])
        .output();
    if !possible.is_ok_and(|output| output.status.success()) {
        tell("skipped, no file system was filled: namespaces are not to be had");
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
    if first.is_some() && Command::new("setpriv").arg("--version").output().is_err() {
        tell("skipped, nothing was written to a read-only folder: there is no setpriv");
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
