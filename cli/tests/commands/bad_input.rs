//! Wrong usage and unreadable input: one clear error each, on standard error, and exit status 2.

use std::path::Path;

use crate::program::{empty_folder, entry, folder_with, lifecycle, plumb_in, run};

/// Runs the program, which must refuse, and gives what a person would see.
fn refused(folder: &Path, arguments: &str) -> String {
    let run = run(plumb_in(folder, arguments));
    assert_eq!(run.status, 2, "plumb {arguments}: {run:?}");
    assert_eq!(run.out, "", "plumb {arguments}");
    assert!(run.err.starts_with("error: "), "{}", run.err);
    // The list of models grows with the project.
    let mut err = run.err;
    if let Some(place) = err.find("expected one of claim-scope, ") {
        let end = err[place..].find('\n').map_or(err.len(), |end| place + end);
        err.replace_range(place..end, "expected one of [models]");
    }
    format!("$ plumb {arguments}\n{err}")
}

#[test]
fn wrong_command_lines() {
    let folder = folder_with(&[("own.cfg", &lifecycle(1))]);
    let lines = [
        "chekc",
        "check --frobnicate",
        "check NoSuch",
        "check ClaimScopeSingle NoSuch",
        "check LifecyclePackd",
        "check Claim[",
        "check --threads 0",
        "check --threads -1",
        "check --threads 100000",
        "check --threads many",
        "check --max-states -3",
        "check --max-states few",
        "check --max-time soon",
        "check --max-time -1s",
        "check --memory lots",
        "check --memory -1",
        "check --engine steam",
        "check --engine stateright --memory 1GiB",
        "check --model lifecycle",
        "check --cfg own.cfg",
        "check LifecyclePacked --model lifecycle --cfg own.cfg",
        "check --model NoSuch --cfg own.cfg",
        "list NoSuch",
        "show",
        "show NoSuch",
        "show lifecycle",
        "show LifecyclePacked LifecycleRecurring",
        "trace NoSuch",
        "trace Claim*",
        "trace LifecyclePacked --format xml",
        "trace LifecycleRecurring",
        "compare NoSuch",
        "compare LifecyclePacked --threads 0",
    ];
    let all: Vec<_> = lines
        .iter()
        .map(|line| refused(folder.path(), line))
        .collect();
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn cfg_files_that_do_not_configure_their_model() {
    let lifecycle = lifecycle(1);
    let claims = |count: &str| format!("SPECIFICATION Spec\nCONSTANT ClaimCount = {count}\n");
    let service = |weights: &str| {
        format!(
            "SPECIFICATION Spec\nCONSTANTS\n  Weights {weights}\n  Mode = \"weighted\"\n  \
             Dynamic = FALSE\n  Packable = TRUE\n"
        )
    };
    let cases = [
        (
            "a keyword that is none",
            "lifecycle",
            lifecycle.replace("SPECIFICATION", "SPECIFICATON"),
        ),
        (
            "a statement without its end",
            "lifecycle",
            "SPECIFICATION\n".to_owned(),
        ),
        (
            "a constant without a value",
            "lifecycle",
            lifecycle.replace("= 2", "="),
        ),
        (
            "a string without its end",
            "lifecycle",
            lifecycle.replace("none\"", "none"),
        ),
        (
            "a constant given twice",
            "lifecycle",
            lifecycle.clone() + "CONSTANT GroupBudget = 1\n",
        ),
        ("nothing at all", "lifecycle", String::new()),
        (
            "no specification",
            "lifecycle",
            lifecycle.replace("SPECIFICATION Spec\n", ""),
        ),
        (
            "an unknown specification",
            "lifecycle",
            lifecycle.replace("Spec\n", "LiveSpec\n"),
        ),
        (
            "an unknown constant",
            "lifecycle",
            lifecycle.clone() + "CONSTANT Colour = 1\n",
        ),
        (
            "a missing constant",
            "lifecycle",
            lifecycle.replace("  EpochBound = 1\n", ""),
        ),
        (
            "an unknown invariant",
            "lifecycle",
            lifecycle.clone() + "INVARIANT OneSendr\n",
        ),
        (
            "an unknown property",
            "claim-scope",
            claims("1") + "PROPERTY Liveness\n",
        ),
        (
            "an invariant as a property",
            "lifecycle",
            lifecycle.clone() + "PROPERTY OneSender\n",
        ),
        (
            "an unknown constraint",
            "lifecycle",
            lifecycle.clone() + "CONSTRAINT Small\n",
        ),
        ("a constant outside the ASSUME", "claim-scope", claims("2")),
        (
            "a choice that is none",
            "lifecycle",
            lifecycle.replace("none", "everything"),
        ),
        (
            "a string for a number",
            "lifecycle",
            lifecycle.replace("= 2", "= \"two\""),
        ),
        (
            "a number for a string",
            "lifecycle",
            lifecycle.replace("\"none\"", "0"),
        ),
        ("a set for a number", "claim-scope", claims("{1, 3}")),
        ("a tuple", "claim-scope", claims("<<1, 3>>")),
        ("a record", "claim-scope", claims("[a |-> 1]")),
        (
            "an operator for a value",
            "lifecycle",
            lifecycle.replace("= 2", "<- Two"),
        ),
        ("an unknown operator", "service", service("<- HeavyWeights")),
        ("a value for an operator", "service", service("= 3")),
        (
            "a statement of another tool",
            "lifecycle",
            lifecycle.clone() + "SYMMETRY Perms\n",
        ),
        (
            "a column after wide letters",
            "lifecycle",
            lifecycle.replace("\"none\"", "\"ñöñé\" oops"),
        ),
    ];
    let mut all = String::new();
    for (what, model, text) in cases {
        let folder = folder_with(&[("own.cfg", &text)]);
        let shown = refused(
            folder.path(),
            &format!("check --model {model} --cfg own.cfg"),
        );
        all.push_str(&format!(
            "# {what}\n{}\n",
            shown.split_once('\n').unwrap().1
        ));
    }
    insta::assert_snapshot!(all);
}

#[test]
fn every_command_refuses_a_bad_cfg_alike() {
    let folder = folder_with(&[("own.cfg", "SPECIFICATION Spec\nCONSTANT ClaimCount = 2\n")]);
    let choice = "--model claim-scope --cfg own.cfg";
    let message = |command: &str| {
        let shown = refused(folder.path(), &format!("{command} {choice}"));
        shown.split_once('\n').unwrap().1.to_owned()
    };
    let expected = message("check");
    for command in ["show", "trace", "compare", "graph", "explore"] {
        assert_eq!(message(command), expected, "{command}");
    }
}

#[test]
fn cfg_files_that_cannot_be_read() {
    let folder = folder_with(&[("folder.cfg/inside", "")]);
    std::fs::write(
        folder.path().join("latin1.cfg"),
        b"SPECIFICATION Spec\n\\* \xc3\xa9t\xe9\n",
    )
    .unwrap();
    std::fs::write(folder.path().join("binary.cfg"), b"\x7fELF\0\0\0\x80").unwrap();
    std::fs::write(folder.path().join("nul.cfg"), b"SPECIFICATION Spec\0\n").unwrap();
    let all: Vec<_> = ["missing", "folder", "latin1", "binary", "nul"]
        .iter()
        .map(|name| {
            refused(
                folder.path(),
                &format!("check --model lifecycle --cfg {name}.cfg"),
            )
        })
        .collect();
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn specs_folders_that_are_broken() {
    let good = entry("Good", "lifecycle", "verdict = \"exhausted\"");
    let registries = [
        ("no TOML", "[[configuration]\n".to_owned()),
        ("an unknown key", good.clone() + "colour = 1\n"),
        (
            "a key that is missing",
            "[[configuration]]\nname = \"Lonely\"\n".to_owned(),
        ),
        ("an unknown purpose", good.replace("\"bound\"", "\"bond\"")),
        (
            "an unknown verdict",
            good.replace("exhausted", "exhausting"),
        ),
        (
            "a count that is none",
            good.replace("exhausted\"", "exhausted\", distinct = -1"),
        ),
        ("the same name twice", good.clone() + &good),
        (
            "an expectation that contradicts itself",
            good.replace("exhausted\"", "exhausted\", trace = 3"),
        ),
        (
            "a name that leaves the folder",
            good.replace("Good", "../Good"),
        ),
        (
            "a model that the program does not have",
            good.replace("lifecycle", "moonshot"),
        ),
        ("a cfg that is missing", good.clone()),
        ("nothing registered", String::new()),
        ("nothing but a big search", good.clone() + "big = true\n"),
    ];
    let mut all = String::new();
    for (what, registry) in registries {
        let folder = folder_with(&[("specs/registry.toml", &registry)]);
        let shown = refused(folder.path(), "check");
        all.push_str(&format!(
            "# {what}\n{}\n",
            shown.split_once('\n').unwrap().1
        ));
    }
    let folder = empty_folder();
    let shown = refused(folder.path(), "--specs nowhere check");
    all.push_str(&format!(
        "# a folder that is missing\n{}",
        shown.split_once('\n').unwrap().1
    ));
    insta::assert_snapshot!(all);
}

#[test]
fn a_fault_in_a_registered_cfg_names_its_path() {
    let good = entry("Good", "lifecycle", "verdict = \"exhausted\"");
    let bad = lifecycle(1) + "CONSTANT EpochBond = 1\n";
    let folder = folder_with(&[
        ("specs/registry.toml", &good),
        ("specs/lifecycle/Good.cfg", &bad),
    ]);
    let shown = refused(folder.path(), "check");
    assert!(
        shown.contains("specs/lifecycle/Good.cfg:7:10: unknown constant EpochBond"),
        "{shown}"
    );
}
