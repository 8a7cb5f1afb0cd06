//! `plumb queue`: logs of work queues.

use std::io::Write as _;
use std::process::{Command, Stdio};

use crate::program::{PLUMB, folder_with, plumb, plumb_in, run};

/// The log of the demonstration.
fn demo_log() -> String {
    let run = plumb("queue demo --log");
    assert_eq!((run.status, &*run.err), (0, ""));
    run.out
}

#[test]
fn the_demonstration_shows_each_commit_of_a_whole_life() {
    let run = plumb("queue demo");
    assert_eq!((run.status, &*run.err), (0, ""));
    insta::assert_snapshot!(run.out);
}

#[test]
fn a_log_is_shown_in_tables() {
    let folder = folder_with(&[("log.jsonl", &demo_log())]);
    for command in ["replay", "stats", "state", "inspect"] {
        let shown = run(plumb_in(&folder, &format!("queue {command} log.jsonl")));
        assert_eq!((shown.status, &*shown.err), (0, ""), "{command}");
        insta::assert_snapshot!(format!("queue_{command}"), shown.out);
        let json = run(plumb_in(
            &folder,
            &format!("queue {command} log.jsonl --json"),
        ));
        assert_eq!(
            (json.status, json.json().is_object()),
            (0, true),
            "{command}"
        );
    }
}

#[test]
fn explain_says_why_a_work_is_not_running_and_what_helps() {
    let log: String = demo_log()
        .lines()
        .take(5)
        .map(|line| format!("{line}\n"))
        .collect();
    let folder = folder_with(&[("log.jsonl", &log)]);
    let explained = run(plumb_in(&folder, "queue explain log.jsonl release"));
    assert_eq!((explained.status, &*explained.err), (0, ""));
    insta::assert_snapshot!(explained.out);
    let json = run(plumb_in(&folder, "queue explain log.jsonl release --json")).json();
    assert_eq!(json["reason"], "dependency_result_unavailable");
    let unknown = run(plumb_in(&folder, "queue explain log.jsonl nothing"));
    assert_eq!(unknown.status, 2);
    assert!(unknown.err.contains("there is no Work"), "{}", unknown.err);
}

#[test]
fn trace_follows_a_request_to_its_works() {
    let folder = folder_with(&[("log.jsonl", &demo_log())]);
    let commits = run(plumb_in(&folder, "queue inspect log.jsonl --json")).json();
    let request = commits["commits"][1]["request_id"]
        .as_str()
        .unwrap()
        .to_owned();
    let traced = run(plumb_in(
        &folder,
        &format!("queue trace log.jsonl {request} --json"),
    ))
    .json();
    let nodes = traced["claims"].as_array().unwrap().iter();
    let nodes: Vec<_> = nodes
        .map(|claim| claim["node_key"].as_str().unwrap())
        .collect();
    assert_eq!(nodes, ["docs", "code"]);
    let unknown = run(plumb_in(&folder, "queue trace log.jsonl nothing"));
    assert_eq!(unknown.status, 2);
}

#[test]
fn compact_puts_a_log_in_order_and_changes_nothing_that_it_says() {
    let log = demo_log();
    let mut lines: Vec<&str> = log.lines().collect();
    lines.reverse();
    lines.push(lines[3]);
    let folder = folder_with(&[("log.jsonl", &(lines.join(" \r\n") + "\n"))]);
    let printed = run(plumb_in(&folder, "queue compact log.jsonl"));
    assert_eq!((printed.status, printed.out), (0, log.clone()));
    let written = run(plumb_in(
        &folder,
        "queue compact log.jsonl --output log.jsonl",
    ));
    assert_eq!((written.status, &*written.out), (0, ""));
    assert_eq!(
        std::fs::read_to_string(folder.path().join("log.jsonl")).unwrap(),
        log
    );
}

#[test]
fn compact_that_is_killed_leaves_its_output_as_it_was() {
    let log = demo_log();
    assert!(log.len() > 16 << 10);
    for before in [None, Some("before\n")] {
        let folder = folder_with(&[("log.jsonl", &log)]);
        let output = folder.path().join("out.jsonl");
        if let Some(before) = before {
            std::fs::write(&output, before).unwrap();
        }
        // The system ends a process that writes more than it may, in the middle of it.
        let script = "ulimit -f 8; exec \"$0\" queue compact log.jsonl --output out.jsonl";
        let ended = Command::new("sh")
            .args(["-c", script])
            .arg(PLUMB)
            .current_dir(folder.path())
            .output()
            .unwrap();
        assert!(!ended.status.success());
        assert_eq!(std::fs::read_to_string(&output).ok().as_deref(), before);
        for entry in std::fs::read_dir(folder.path()).unwrap() {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let is_partial = name.starts_with(".plumb-") && name.ends_with(".partial");
            assert!(
                is_partial || name == "log.jsonl" || name == "out.jsonl",
                "{name} does not say what it is"
            );
        }
    }
}

#[test]
fn a_log_that_is_refused_names_its_line_and_its_code() {
    let log = demo_log();
    let wrong = log.replace("\"h2\"", "\"h3\"");
    let cases = [
        (wrong.as_str(), 1, "log.jsonl:2: packing_invalid: "),
        ("{}\n", 2, "log.jsonl:1: unsupported_protocol: "),
        ("x\n", 2, "log.jsonl:1: ledger_invalid: "),
        ("", 2, "log.jsonl: ledger_invalid: the log is empty"),
    ];
    for (log, status, message) in cases {
        let folder = folder_with(&[("log.jsonl", log)]);
        for command in ["replay", "stats", "state", "inspect", "compact"] {
            let refused = run(plumb_in(&folder, &format!("queue {command} log.jsonl")));
            assert_eq!(
                (refused.status, &*refused.out),
                (status, ""),
                "{command}: {}",
                refused.err
            );
            assert!(refused.err.contains(message), "{command}: {}", refused.err);
        }
    }
    let missing = plumb("queue replay no-such-file");
    assert_eq!(missing.status, 2);
}

#[test]
fn the_probe_answers_each_line_with_one_line() {
    let mut command = plumb_in(".", "queue probe");
    let mut child = command
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut questions = b"{\"action\":\"canonical\",\"text\":\"[1, 2]\"}\nnot JSON\n\n".to_vec();
    questions.extend(b"{\"action\":\"canonical\",\"text\":\"\\\"\xff\\\"\"}\n");
    child.stdin.take().unwrap().write_all(&questions).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    let answers = String::from_utf8(output.stdout).unwrap();
    let answers = answers
        .lines()
        .map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
    let answers: Vec<_> = answers.collect();
    assert_eq!(answers.len(), 4);
    assert_eq!(
        (&answers[0]["ok"], &answers[0]["canonical"]),
        (&true.into(), &"[1,2]".into())
    );
    assert_eq!(
        (&answers[1]["ok"], &answers[1]["code"]),
        (&false.into(), &"invalid_json".into())
    );
    assert_eq!(answers[2]["ok"], false);
    assert_eq!(
        (&answers[3]["ok"], &answers[3]["code"]),
        (&false.into(), &"invalid_utf8".into())
    );
}
