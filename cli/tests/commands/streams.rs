//! Standard output and standard error: what goes where, and what happens when nobody listens.

use std::fs::{self, File, OpenOptions};
use std::io::Read;
use std::process::{Command, Stdio};

use crate::program::{PLUMB, Run, empty_folder, plumb, plumb_in, run, settled};

fn full() -> File {
    OpenOptions::new().write(true).open("/dev/full").unwrap()
}

const COMMANDS: [&str; 7] = [
    "list",
    "list --json",
    "show LifecyclePacked",
    "check ClaimScopeSingle",
    "check ClaimScopeSingle --json",
    "trace SingleClaimScopeWitness",
    "--help",
];

#[test]
fn json_is_one_object_and_a_newline_and_nothing_else() {
    let commands = [
        "check ClaimScopeSingle BrokenLifecyclePrefix --json",
        "check LifecyclePacked --max-states 5 --json",
        "list --json",
        "show LifecyclePacked --json",
        "trace SingleClaimScopeWitness --format json",
    ];
    for command in commands {
        let run = plumb(command);
        assert_eq!(run.out.matches('\n').count(), 1, "{command}");
        assert!(run.out.ends_with("}\n"), "{command}");
        assert!(run.json().is_object(), "{command}");
        assert_eq!(run.err, "", "{command}");
    }
}

#[test]
fn a_closed_pipe_is_no_error() {
    for command in COMMANDS {
        let folder = empty_folder();
        let mut shell = settled("bash");
        // The reader is gone before the program writes.
        let script = format!("set -o pipefail; {{ sleep 0.1; '{PLUMB}' {command}; }} | true");
        shell.args(["-c", &script]).current_dir(&folder);
        let run = run(shell);
        assert_eq!((run.status, &*run.err), (0, ""), "{command}");
    }
}

#[test]
fn a_reader_that_takes_the_first_line_gets_it() {
    let folder = empty_folder();
    let mut command = plumb_in(&folder, "list");
    command.stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut first = [0; 13];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    assert_eq!(&first, b"CONFIGURATION");
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn output_that_cannot_be_written_is_a_failure() {
    let folder = empty_folder();
    for command in COMMANDS {
        let output = plumb_in(&folder, command).stdout(full()).output().unwrap();
        let run = Run::of(&output);
        assert_eq!(run.status, 4, "{command}: {run:?}");
        assert!(
            run.err
                .starts_with("error: cannot write to standard output: "),
            "{}",
            run.err
        );
    }
}

#[test]
fn a_standard_error_that_cannot_be_written_changes_no_status() {
    let folder = empty_folder();
    let statuses = [
        (2, "check NoSuch"),
        (2, "check --threads 0"),
        (3, "trace LifecyclePacked --max-states 5"),
    ];
    for (status, command) in statuses {
        let output = plumb_in(&folder, command).stderr(full()).output().unwrap();
        assert_eq!(output.status.code(), Some(status), "{command}");
    }
}

#[test]
fn without_a_terminal_there_are_no_escape_codes() {
    for command in COMMANDS
        .iter()
        .chain(&["check NoSuch", "check --threads 0"])
    {
        let run = plumb(command);
        assert!(!run.out.contains('\x1b'), "{command}: {}", run.out);
        assert!(!run.err.contains('\x1b'), "{command}: {}", run.err);
    }
}

#[test]
fn a_report_goes_through_links_and_pipes_and_replaces_neither() {
    let folder = crate::program::folder_with(&[("real.xml", "old")]);
    let inside = |name: &str| folder.path().join(name);
    std::os::unix::fs::symlink("real.xml", inside("link.xml")).unwrap();
    let made = Command::new("mkfifo").arg(inside("pipe.xml")).status();
    assert!(made.unwrap().success());

    let report = |name: &str| {
        let command = format!("check ClaimScopeSingle --junit {name}");
        let run = run(plumb_in(&folder, &command));
        assert_eq!(run.status, 0, "{run:?}");
    };
    report("link.xml");
    assert!(
        fs::symlink_metadata(inside("link.xml"))
            .unwrap()
            .is_symlink()
    );
    let real = fs::read_to_string(inside("real.xml")).unwrap();
    assert!(real.contains("<testcase"), "{real}");

    let pipe = inside("pipe.xml");
    let reader = std::thread::spawn(move || fs::read_to_string(pipe).unwrap());
    report("pipe.xml");
    assert!(reader.join().unwrap().contains("<testcase"));
    assert!(!fs::metadata(inside("pipe.xml")).unwrap().is_file());
}

#[test]
fn a_report_that_cannot_be_written_is_a_failure() {
    let folder = crate::program::folder_with(&[("folder/inside", "")]);
    for place in ["folder", "missing/report.xml", "/dev/full"] {
        let run = run(plumb_in(
            &folder,
            &format!("check ClaimScopeSingle --junit {place}"),
        ));
        assert_eq!(run.status, 4, "{place}: {run:?}");
        assert!(
            run.err
                .starts_with(&format!("error: cannot write {place}: ")),
            "{}",
            run.err
        );
    }
}

/// Runs a command line of the shell on a terminal of its own, if the system has `script`.
fn on_a_terminal(line: &str, no_color: bool) -> Option<String> {
    let available = Command::new("script").arg("--version").output().is_ok();
    if !available {
        eprintln!("skipped: there is no `script` to make a terminal with");
        return None;
    }
    let folder = empty_folder();
    let mut command = settled("script");
    command
        .args(["--quiet", "--command", line, "/dev/null"])
        .current_dir(&folder);
    if no_color {
        command.env("NO_COLOR", "1");
    }
    Some(run(command).out)
}

#[test]
fn a_terminal_gets_colours_unless_no_color_is_set() {
    for command in [
        "check ClaimScopeSingle",
        "list",
        "trace SingleClaimScopeWitness",
        "check NoSuch",
    ] {
        let line = format!("{PLUMB} {command}");
        let Some(coloured) = on_a_terminal(&line, false) else {
            return;
        };
        assert!(coloured.contains("\x1b["), "{command}: {coloured}");
        let plain = on_a_terminal(&line, true).unwrap();
        assert!(!plain.contains('\x1b'), "{command}: {plain}");
    }
}

#[test]
fn a_long_search_shows_its_progress_on_a_terminal_only() {
    let search = "check --model lifecycle --cfg own.cfg --max-time 3s";
    let folder = crate::program::folder_with(&[(
        "own.cfg",
        &crate::program::lifecycle(crate::program::ENDLESS),
    )]);
    let quiet = run(plumb_in(&folder, search));
    assert_eq!((quiet.status, &*quiet.err), (3, ""));

    let path = folder.path().join("own.cfg");
    // Wide enough for the whole line, however large the numbers of a slow or a fast machine are.
    let line = format!(
        "stty rows 24 cols 200; {PLUMB} {}",
        search.replace("own.cfg", path.to_str().unwrap())
    );
    let Some(shown) = on_a_terminal(&line, false) else {
        return;
    };
    assert!(shown.contains("own: 0:0"), "{shown:?}");
    for what in [
        "; level ",
        " states, ",
        " generated/s, ",
        ", queue ",
        " MiB",
    ] {
        assert!(shown.contains(what), "{shown:?}");
    }
}
