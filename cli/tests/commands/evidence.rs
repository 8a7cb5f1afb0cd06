//! Evidence, from its recording to a reader who was not there.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

use tempfile::TempDir;

use crate::program::{PLUMB, Run, empty_folder, folder_with, plumb_in, root, run, settled, tell};

/// Bundles of a few configurations in `ev`.
pub(crate) fn recorded(arguments: &str) -> TempDir {
    let folder = empty_folder();
    let found = run(plumb_in(
        &folder,
        &format!("check {arguments} --evidence ev"),
    ));
    assert!([0, 3].contains(&found.status), "{found:?}");
    folder
}

/// What is found of the bundles of one configuration.
pub(crate) fn audit(folder: &Path, bundle: &str, arguments: &str) -> Run {
    run(plumb_in(
        folder,
        &format!("evidence verify {bundle} {arguments}"),
    ))
}

/// A folder with a copy of one model's specifications.
fn project() -> TempDir {
    let folder = empty_folder();
    let specs = folder.path().join("specs");
    fs::create_dir_all(specs.join("service")).unwrap();
    for entry in fs::read_dir(root().join("specs/service")).unwrap() {
        let path = entry.unwrap().path();
        fs::copy(&path, specs.join("service").join(path.file_name().unwrap())).unwrap();
    }
    let registry = fs::read_to_string(root().join("specs/registry.toml")).unwrap();
    let entries = registry.split("\n[[configuration]]").skip(1);
    let service = entries.filter(|entry| entry.contains("model = \"service\""));
    let service: String = service
        .map(|entry| format!("[[configuration]]{entry}\n"))
        .collect();
    fs::write(specs.join("registry.toml"), service).unwrap();
    folder
}

#[test]
fn what_is_recorded_is_valid_for_whoever_has_the_folder_alone() {
    let folder = recorded("ServiceFixed UnfairServiceStarvation BrokenDAGCycle");
    for bundle in [
        "ev/service/ServiceFixed",
        "ev/service/UnfairServiceStarvation/",
        "ev/fair-work-queue/BrokenDAGCycle",
    ] {
        let found = audit(folder.path(), bundle, "");
        assert_eq!(found.status, 0, "{found:?}");
        assert!(found.out.contains("1 bundle: 1 valid"), "{found:?}");
    }
    // Nothing is run: no Java, no Git, no shell.
    let mut command = settled(PLUMB);
    command.args(["evidence", "verify", "ev/service/ServiceFixed"]);
    command
        .current_dir(&folder)
        .env("PATH", "")
        .env_remove("HOME");
    assert_eq!(run(command).status, 0);
    let mut sums = settled("sha256sum");
    sums.args(["-c", "--strict", "--quiet", "SHA256SUMS"]);
    sums.current_dir(folder.path().join("ev/service/ServiceFixed"));
    assert_eq!(run(sums).status, 0);
}

/// A text in which what depends on sources and machine is left out.
fn golden(folder: &Path, file: &str) -> String {
    let text = fs::read_to_string(folder.join(file)).unwrap();
    let mut shown = String::new();
    for line in text.lines() {
        let digests = line.split(|c: char| !c.is_ascii_hexdigit());
        let digests: Vec<&str> = digests.filter(|word| word.len() == 64).collect();
        let line = digests.iter().fold(line.to_owned(), |line, digest| {
            line.replace(digest, "<digest>")
        });
        let varies = [
            "commit",
            "dirty",
            "ended",
            "machine",
            "milliseconds",
            "peak_memory",
        ];
        let varies = varies
            .iter()
            .chain(&["rustc", "started", "target", "threads", "size"]);
        let key = line
            .trim()
            .trim_start_matches('"')
            .split('"')
            .next()
            .unwrap_or_default();
        let line = match varies.into_iter().any(|varying| *varying == key) {
            true => format!("{}: <varies>", line.split(':').next().unwrap_or_default()),
            false => line,
        };
        shown.push_str(&line);
        shown.push('\n');
    }
    shown
}

#[test]
fn the_files_of_a_bundle_are_as_documented() {
    let folder = recorded("UnfairServiceStarvation");
    let bundle = folder.path().join("ev/service/UnfairServiceStarvation");
    for file in [
        "result.json",
        "run.json",
        "manifest.json",
        "SHA256SUMS",
        "trace.jsonl",
    ] {
        let name = file.replace('.', "_");
        insta::assert_snapshot!(format!("bundle_{name}"), golden(&bundle, file));
    }
}

#[test]
fn a_check_that_says_the_same_leaves_its_bundle_alone() {
    let folder = recorded("ServiceFixed");
    let manifest = folder.path().join("ev/service/ServiceFixed/manifest.json");
    let before = fs::read(&manifest).unwrap();
    let again = run(plumb_in(
        &folder,
        "check ServiceFixed --threads 1 --evidence ev",
    ));
    assert!(
        again.out.contains("0 new, 0 replaced, 1 unchanged"),
        "{again:?}"
    );
    assert_eq!(fs::read(&manifest).unwrap(), before);
}

#[test]
fn a_search_that_did_not_end_is_inconclusive_and_never_a_pass() {
    let folder = recorded("LifecyclePacked --max-states 100 --checkpoint ck");
    let bundle = "ev/lifecycle/LifecyclePacked";
    let found = audit(folder.path(), bundle, "--json");
    assert_eq!(found.status, 3, "{found:?}");
    assert_eq!(found.json()["bundles"][0]["verdict"], "inconclusive");
    let result = fs::read_to_string(folder.path().join(bundle).join("result.json")).unwrap();
    assert!(
        result.contains("checkpoint.json"),
        "the inventory of the checkpoint"
    );
    assert!(result.contains("\"resumed\": false"));
}

#[test]
fn a_set_up_that_failed_is_recorded_and_is_no_verdict() {
    let folder = project();
    let cfg = folder.path().join("specs/service/ServiceFixed.cfg");
    fs::write(&cfg, "SPECIFICATION Nonsense\n").unwrap();
    let found = run(plumb_in(
        &folder,
        "check ServiceFixed BrokenServiceShare --evidence ev",
    ));
    assert_eq!(found.status, 2, "{found:?}");
    assert!(found.out.contains("Evidence in ev: 2 new"), "{found:?}");
    let failed = audit(folder.path(), "ev/service/ServiceFixed", "");
    assert_eq!(failed.status, 1, "{failed:?}");
    assert!(failed.out.contains("the set-up failed"), "{failed:?}");
    assert!(failed.out.contains("(no-verdict)"), "{failed:?}");
    let other = audit(folder.path(), "ev/service/BrokenServiceShare", "");
    assert_eq!(other.status, 0, "{other:?}");
}

#[test]
fn what_has_changed_since_is_stale_and_what_is_missing_is_named() {
    let folder = project();
    let record = run(plumb_in(&folder, "check service --evidence evidence"));
    assert_eq!(record.status, 0, "{record:?}");
    let verify = |arguments: &str| run(plumb_in(&folder, &format!("evidence verify {arguments}")));
    assert_eq!(verify("").status, 0);
    let cfg = folder.path().join("specs/service/ServiceFixed.cfg");
    let text = fs::read_to_string(&cfg).unwrap();
    fs::write(&cfg, format!("{text}\n\\* A remark.\n")).unwrap();
    let stale = verify("");
    assert_eq!(stale.status, 1);
    assert!(
        stale.out.contains("changed since: the cfg (stale)"),
        "{stale:?}"
    );
    assert!(stale.out.contains("5 valid, 1 stale"), "{stale:?}");
    assert_eq!(verify("--allow-stale").status, 0);
    // What is of other sources is not repeated with those of now.
    let repeated = verify("--allow-stale --repeat");
    assert_eq!(repeated.status, 0, "{repeated:?}");
    assert!(repeated.out.contains("Run again: 5"), "{repeated:?}");
    // A reason counts for long runs only: this one can be made again.
    let reasons = "[[stale]]\nconfiguration = \"ServiceFixed\"\nreason = \"no time\"\n";
    fs::write(folder.path().join("evidence/stale.toml"), reasons).unwrap();
    assert_eq!(verify("").status, 1);
    fs::remove_file(folder.path().join("evidence/stale.toml")).unwrap();
    run(plumb_in(&folder, "check ServiceFixed --evidence evidence"));
    assert_eq!(verify("").status, 0);
    fs::remove_dir_all(folder.path().join("evidence/service/ServiceFixed")).unwrap();
    let missing = verify("--allow-stale");
    assert_eq!(missing.status, 1);
    assert!(missing.out.contains("(not-covered)"), "{missing:?}");
}

#[test]
fn a_repetition_makes_known_what_was_asserted() {
    let folder = recorded("ServiceFixed");
    let bundle = "ev/service/ServiceFixed";
    let asserted = audit(folder.path(), bundle, "--claims").out;
    assert!(asserted.contains("verdict: only asserted"), "{asserted}");
    for repeat in ["--repeat", "--repeat=1m"] {
        let known = audit(folder.path(), bundle, &format!("--claims {repeat}"));
        assert_eq!(known.status, 0);
        assert!(known.out.contains("verdict: recomputed"), "{known:?}");
        assert!(known.out.contains("Run again: 1"), "{known:?}");
    }
    let too_long = audit(folder.path(), bundle, "--repeat=0");
    assert_eq!(too_long.status, 0);
    assert!(
        too_long
            .out
            .contains("Run again: 0\nNot run again, it takes longer than 0 s: ServiceFixed"),
        "{too_long:?}"
    );
    // A bundle is what it says it is, whatever its folder is called.
    fs::rename(folder.path().join(bundle), folder.path().join("other")).unwrap();
    let renamed = audit(folder.path(), "other", "--repeat");
    assert!(renamed.out.contains("Run again: 1"), "{renamed:?}");
    for (arguments, hint) in [
        ("--repeat 2s", "`--repeat=2s`"),
        ("ServiceFixed", "its folder"),
    ] {
        let mistaken = audit(folder.path(), "", arguments);
        assert_eq!(mistaken.status, 2, "{mistaken:?}");
        assert!(mistaken.err.contains(hint), "{mistaken:?}");
    }
}

#[test]
fn a_repetition_that_is_interrupted_is_no_pass() {
    let mut command = plumb_in(root(), "evidence verify --repeat --json");
    command.stdout(Stdio::piped()).stderr(Stdio::null());
    let child = command.spawn().unwrap();
    // It goes on for minutes: there is time to be sure that it has begun.
    std::thread::sleep(Duration::from_secs(5));
    let id = child.id().to_string();
    assert!(Command::new("kill").arg(id).status().unwrap().success());
    let found = Run::of(&child.wait_with_output().unwrap());
    assert_eq!(found.status, 3, "{found:?}");
    let found = found.json();
    assert_eq!(found["interrupted"], true);
    let left_out = found["not_repeated"].as_array().unwrap();
    let reasons = left_out.iter().map(|left_out| &left_out["reason"]);
    assert!(reasons.into_iter().any(|reason| reason == "interrupted"));
    let bundles = found["bundles"].as_array().unwrap().len();
    let repeated = found["repeated"].as_u64().unwrap();
    assert_eq!(repeated as usize + left_out.len(), bundles);
}

#[test]
fn the_bundles_of_one_model_can_be_audited_alone() {
    let folder = project();
    let record = run(plumb_in(&folder, "check service --evidence ev"));
    assert_eq!(record.status, 0, "{record:?}");
    let model = audit(folder.path(), "ev/service", "");
    assert_eq!(model.status, 0, "{model:?}");
    assert!(model.out.contains("6 bundles: 6 valid"), "{model:?}");
    let cut = folder.path().join("ev/service/ServiceFixed");
    fs::remove_file(cut.join("run.json")).unwrap();
    let broken = audit(folder.path(), "ev/service", "");
    assert_eq!(broken.status, 1, "{broken:?}");
    assert!(
        broken.out.contains("\nServiceFixed/run.json: "),
        "{broken:?}"
    );
    fs::remove_dir_all(cut).unwrap();
    let missing = audit(folder.path(), "ev/service", "");
    assert!(
        missing
            .out
            .contains("ServiceFixed: the configuration is registered"),
        "{missing:?}"
    );
    // A stray manifest does not make the folder of all that of a model.
    fs::write(folder.path().join("ev/service/manifest.json"), "{}").unwrap();
    let stray = audit(folder.path(), "ev", "");
    assert!(
        stray
            .out
            .contains("service/manifest.json: it belongs to no bundle"),
        "{stray:?}"
    );
}

#[test]
fn a_signature_counts_for_whoever_has_the_key() {
    let folder = recorded("ServiceFixed");
    let keys = root().join("attest/tests/keys");
    let (key, public) = (keys.join("test-only.pem"), keys.join("test-only.pub.pem"));
    let bundle = "ev/service/ServiceFixed";
    let with_key = format!("--public-key {}", public.display());
    assert_eq!(
        audit(folder.path(), bundle, &with_key).status,
        1,
        "not signed yet"
    );
    let sign = format!("evidence sign ev --key {}", key.display());
    let signed = run(plumb_in(&folder, &sign));
    assert_eq!(signed.status, 0, "{signed:?}");
    assert_eq!(audit(folder.path(), bundle, &with_key).status, 0);
    let unverified = audit(folder.path(), bundle, "").out;
    assert!(
        unverified.contains("Signatures not verified"),
        "{unverified}"
    );
    let manifest = folder.path().join(bundle).join("manifest.json");
    let text = fs::read_to_string(&manifest).unwrap();
    fs::write(&manifest, text.replace("exhausted", "violated!")).unwrap();
    assert_eq!(audit(folder.path(), bundle, &with_key).status, 1);
    assert_eq!(
        run(plumb_in(&folder, &sign)).status,
        2,
        "nothing broken is signed"
    );
    let wrong = format!("evidence sign ev --key {}", public.display());
    let wrong = run(plumb_in(&folder, &wrong));
    assert_eq!(wrong.status, 2);
    assert!(wrong.err.contains("PKCS#8"), "{wrong:?}");
}

#[test]
fn evidence_is_of_registered_configurations_as_they_are() {
    let folder = folder_with(&[("own.cfg", "SPECIFICATION Spec CONSTANT ClaimCount = 1")]);
    for arguments in [
        "check --model claim-scope --cfg own.cfg --evidence ev",
        "check ClaimScopeSingle --deadlock --evidence ev",
        "check ClaimScopeSingle --engine stateright --evidence ev",
        "check ClaimScopeSingle --evidence own.cfg",
        "check ClaimScopeSingle --tlc",
        "evidence verify nothing",
        "evidence verify",
        "evidence sign nothing --key own.cfg",
        "evidence diff nothing nothing",
        "evidence report nothing",
    ] {
        let found = run(plumb_in(&folder, arguments));
        assert_eq!(found.status, 2, "{arguments}: {found:?}");
        assert!(!folder.path().join("ev").exists(), "{arguments}");
    }
    fs::create_dir(folder.path().join("empty")).unwrap();
    assert_eq!(audit(folder.path(), "empty", "").status, 2);
}

#[test]
fn another_implementation_accepts_the_signature() {
    let python = Command::new("python3")
        .args(["-c", "import cryptography"])
        .output();
    if !python.is_ok_and(|output| output.status.success()) {
        tell("skipped, no signature was checked: there is no Python with cryptography");
        return;
    }
    let folder = recorded("ServiceFixed");
    let keys = root().join("attest/tests/keys");
    let key = keys.join("test-only.pem");
    let signed = run(plumb_in(
        &folder,
        &format!("evidence sign ev --key {}", key.display()),
    ));
    assert_eq!(signed.status, 0, "{signed:?}");
    let script = "
import base64, json, sys
from cryptography.hazmat.primitives.serialization import load_pem_public_key
envelope = json.load(open(sys.argv[1]))
kind, body = envelope['payloadType'].encode(), base64.b64decode(envelope['payload'])
message = b'DSSEv1 %d %s %d %s' % (len(kind), kind, len(body), body)
key = load_pem_public_key(open(sys.argv[2], 'rb').read())
[one] = envelope['signatures']
key.verify(base64.b64decode(one['sig']), message)
assert json.loads(body)['_type'] == 'https://in-toto.io/Statement/v1'
";
    let mut check = settled("python3");
    check.args(["-c", script, "ev/service/ServiceFixed/manifest.dsse.json"]);
    check
        .arg(keys.join("test-only.pub.pem"))
        .current_dir(&folder);
    let checked = run(check);
    assert_eq!(checked.status, 0, "{checked:?}");
}

/// What looks like TLC's jar to who looks no further than its list of files.
pub(crate) const JAR: &str = "PK\u{3}\u{4} tlc2/TLC.class";

/// A bundle made of a log, and what an audit says of it.
pub(crate) fn imported(name: &str, log: &str) -> (Run, Run) {
    let folder = folder_with(&[("tlc.txt", log), ("tla2tools.jar", JAR)]);
    let entry = if name.starts_with("ClaimScope") || name.contains("Claim") {
        ("claim-scope", "ClaimScopedWorker")
    } else {
        ("service", "QueueService")
    };
    let (model, module) = entry;
    let specs = root().join("specs").join(model);
    let made = run(plumb_in(
        &folder,
        &format!(
            "evidence import-tlc tlc.txt --module {0}/{module}.tla --cfg {0}/{name}.cfg --jar \
             tla2tools.jar --evidence ev",
            specs.display()
        ),
    ));
    let found = audit(folder.path(), &format!("ev/{model}/{name}"), "--claims");
    (made, found)
}

#[test]
fn a_run_of_tlc_that_was_imported_is_only_asserted_but_its_counterexample_is_replayed() {
    let log = include_str!("../../../attest/tests/tamper/ClaimScopeSingle.log");
    let (made, found) = imported("ClaimScopeSingle", log);
    assert_eq!(made.status, 0, "{made:?}");
    assert_eq!(found.status, 0, "{found:?}");
    assert!(
        found
            .out
            .contains("verdict: only asserted: TLC's log says so"),
        "{found:?}"
    );
    for (name, folder) in [
        ("SingleClaimScopeWitness", "claim-scope"),
        ("UnfairServiceStarvation", "service"),
        ("StrictServiceStarvation", "service"),
    ] {
        let path = format!("traces/{folder}/{name}/counterexample.txt");
        let log = fs::read_to_string(root().join(path)).unwrap();
        let (made, found) = imported(name, &log);
        assert_eq!(made.status, 0, "{name}: {made:?}");
        assert_eq!(found.status, 0, "{name}: {found:?}");
        assert!(
            found.out.contains("verdict: recomputed"),
            "{name}: {found:?}"
        );
    }
}

#[test]
fn a_log_that_comes_to_no_verdict_is_no_evidence() {
    let log = include_str!("../../../attest/tests/tamper/ClaimScopeSingle.log");
    let cut = log.split("Model checking completed").next().unwrap();
    for wrong in ["", "hello\n", cut] {
        let (made, found) = imported("ClaimScopeSingle", wrong);
        assert_eq!(made.status, 2, "{made:?}");
        assert!(made.err.contains("tlc.txt: "), "{made:?}");
        assert_eq!(found.status, 2, "nothing was written");
    }
}
