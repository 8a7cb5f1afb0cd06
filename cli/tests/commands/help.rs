//! The help of every command.

use crate::program::plumb;

/// Every command; the help of `plumb` itself must list them all.
const COMMANDS: [&str; 27] = [
    "check",
    "list",
    "show",
    "trace",
    "trace diff",
    "simulate",
    "compare",
    "replay",
    "evidence verify",
    "evidence report",
    "evidence diff",
    "evidence import-tlc",
    "evidence sign",
    "explore",
    "graph",
    "expect update",
    "queue replay",
    "queue stats",
    "queue state",
    "queue inspect",
    "queue explain",
    "queue trace",
    "queue compact",
    "queue demo",
    "queue probe",
    "completions",
    "man",
];

#[test]
fn the_help_of_every_command_is_as_documented() {
    let overview = plumb("--help");
    assert_eq!(overview.status, 0);
    insta::assert_snapshot!("plumb", overview.out);
    for command in COMMANDS {
        let run = plumb(&format!("{command} --help"));
        assert_eq!((run.status, &*run.err), (0, ""), "{command}");
        insta::assert_snapshot!(command.replace(' ', "_"), run.out);
    }
}

#[test]
fn the_list_of_commands_in_these_tests_is_complete() {
    let overview = plumb("--help").out;
    let commands = overview.split("Commands:\n").nth(1).unwrap();
    let commands = commands.split("\n\n").next().unwrap();
    let names = commands
        .lines()
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help");
    let tested = COMMANDS.iter().filter_map(|name| name.split(' ').next());
    let mut tested: Vec<_> = tested.collect();
    // A command with commands of its own is there once for each of them.
    tested.dedup();
    assert!(names.eq(tested), "{commands}");
}

#[test]
fn without_arguments_the_help_goes_to_standard_error() {
    let run = plumb("");
    assert_eq!((run.status, &*run.out), (2, ""));
    assert_eq!(run.err, plumb("--help").out);
}

#[test]
fn no_line_is_wider_than_a_hundred_columns() {
    for command in COMMANDS.iter().chain(&[""]) {
        let help = plumb(&format!("{command} --help")).out;
        for line in help.lines() {
            assert!(line.chars().count() <= 100, "{command}: {line}");
        }
    }
}
