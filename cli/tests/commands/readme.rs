//! What the documents show in a terminal is what a terminal shows.
//!
//! Every block marked `console` is run, line by line, from the root of the repository. Words after
//! `console` say more: `exit=3` is the status to be expected of each command in the block, and
//! `not-run` leaves it out (what builds, takes minutes, or asks for a person). A line of three dots
//! stands for any number of lines, and times are not compared.

use std::path::Path;
use std::{env, fs};

use crate::program::{PLUMB, root, run, settled, without_times};
use crate::tlc;

/// The documents whose commands are run.
const DOCUMENTS: [&str; 3] = ["README.md", "CONTRIBUTING.md", "specs/README.md"];

/// One command of a document.
#[derive(Debug, PartialEq)]
struct Shown {
    line: usize,
    command: String,
    /// What the document shows of its output, if anything.
    output: Vec<String>,
    status: i32,
    runs: bool,
}

/// The commands of a document, in order.
fn commands(text: &str) -> Vec<Shown> {
    let mut found: Vec<Shown> = Vec::new();
    let mut block: Option<(i32, bool)> = None;
    for (index, line) in text.lines().enumerate() {
        let Some((status, runs)) = block else {
            if let Some(info) = line.strip_prefix("```console") {
                let (mut status, mut runs) = (0, true);
                for word in info.split_whitespace() {
                    match word.strip_prefix("exit=") {
                        Some(number) => status = number.parse().unwrap(),
                        None if word == "not-run" => runs = false,
                        None => panic!("line {}: unknown word {word}", index + 1),
                    }
                }
                block = Some((status, runs));
            }
            continue;
        };
        if line == "```" {
            block = None;
        } else if let Some(command) = line.strip_prefix("$ ") {
            found.push(Shown {
                line: index + 1,
                command: command.to_owned(),
                output: Vec::new(),
                status,
                runs,
            });
        } else {
            let last = found
                .last_mut()
                .unwrap_or_else(|| panic!("line {}: no command", index + 1));
            match last.command.strip_suffix('\\') {
                Some(first) => last.command = format!("{first}{}", line.trim_start()),
                None => last.output.push(line.to_owned()),
            }
        }
    }
    assert!(block.is_none(), "a block without its end");
    found
}

/// Whether the output is as shown, dots standing for any number of lines.
fn fits(shown: &[&str], output: &[&str]) -> bool {
    match shown.split_first() {
        None => output.is_empty(),
        Some((&"...", rest)) => (0..=output.len()).any(|skipped| fits(rest, &output[skipped..])),
        Some((line, rest)) => {
            output
                .first()
                .is_some_and(|first| first.trim_end() == line.trim_end())
                && fits(rest, &output[1..])
        }
    }
}

/// Runs a command and holds it against what the document shows.
fn check(document: &str, shown: &Shown) {
    let place = format!("{document}, line {}: {}", shown.line, shown.command);
    // `cargo run` would build another profile; the program is the same.
    let mut command = shown.command.clone();
    for cargo in ["cargo run --release -- ", "cargo run -- "] {
        if let Some(arguments) = command.strip_prefix(cargo) {
            command = format!("plumb {arguments}");
        }
    }
    assert!(
        !command.starts_with("cargo "),
        "{place}: mark it as not-run"
    );
    let needs_tlc = command.contains("plumb compare") || command.starts_with("scripts/tlc");
    let turn = if needs_tlc { tlc::turn() } else { None };
    if needs_tlc && turn.is_none() {
        return;
    }
    let mut shell = settled("bash");
    let folder = Path::new(PLUMB).parent().unwrap().to_owned();
    let others = env::var_os("PATH").unwrap();
    let path = env::join_paths([folder].into_iter().chain(env::split_paths(&others))).unwrap();
    shell
        .args(["-c", &command])
        .env("PATH", path)
        .current_dir(root());
    let run = run(shell);
    assert_eq!(run.status, shown.status, "{place}: {run:?}");
    if shown.output.is_empty() {
        return;
    }
    // What is shown of a failure is its error.
    let printed = without_times(&if run.out.is_empty() { run.err } else { run.out });
    let wanted = without_times(&shown.output.join("\n"));
    let printed_lines: Vec<_> = printed.lines().collect();
    let wanted_lines: Vec<_> = wanted.lines().collect();
    assert!(
        fits(&wanted_lines, &printed_lines),
        "{place}\nshown:\n{wanted}\nprinted:\n{printed}"
    );
}

#[test]
fn every_command_of_the_documents_does_what_they_show() {
    for document in DOCUMENTS {
        let text = fs::read_to_string(root().join(document)).unwrap();
        for shown in commands(&text) {
            if shown.runs {
                check(document, &shown);
            }
        }
    }
}

#[test]
fn the_readme_shows_both_of_its_main_commands() {
    let text = fs::read_to_string(root().join("README.md")).unwrap();
    let shown = commands(&text);
    for command in ["cargo run --release -- check", "scripts/test"] {
        assert!(
            shown.iter().any(|shown| shown.command == command),
            "{command}"
        );
    }
}

#[test]
fn blocks_are_read_with_commands_outputs_and_statuses() {
    let text = "\
prose
```console
$ plumb list \\
    claim-scope
one
...
$ plumb check
```
```toml
$ no = \"command\"
```
```console exit=3 not-run
$ sleep 1000
```
";
    let found = commands(text);
    let expected = [
        (3, "plumb list claim-scope", vec!["one", "..."], 0, true),
        (7, "plumb check", vec![], 0, true),
        (13, "sleep 1000", vec![], 3, false),
    ];
    let expected = expected.map(|(line, command, output, status, runs)| Shown {
        line,
        command: command.to_owned(),
        output: output.into_iter().map(str::to_owned).collect(),
        status,
        runs,
    });
    assert_eq!(found, expected);
}

#[test]
fn three_dots_stand_for_any_number_of_lines() {
    assert!(fits(&["a", "...", "d"], &["a", "b", "c", "d"]));
    assert!(fits(&["...", "d", "..."], &["d"]));
    assert!(!fits(&["a", "...", "d"], &["a", "b", "c"]));
    assert!(!fits(&["a"], &["a", "b"]));
}
