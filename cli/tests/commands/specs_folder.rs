//! Which `specs/` folder is used: the one that is named, the nearest, or the built-in one.

use std::fs;

use crate::program::{entry, folder_with, lifecycle, plumb, plumb_in, run};

/// A `specs/` folder with one configuration of this name.
fn specs_with(name: &str) -> [(String, String); 2] {
    let registry = entry(name, "lifecycle", "verdict = \"exhausted\"");
    let cfg = lifecycle(1).replace("GroupBudget = 2", "GroupBudget = 1");
    [
        ("registry.toml".to_owned(), registry),
        (format!("lifecycle/{name}.cfg"), cfg),
    ]
}

fn folder(specs: &[(&str, &str)]) -> tempfile::TempDir {
    let mut files = vec![("inner/deep/file".to_owned(), String::new())];
    for (place, name) in specs {
        files.extend(specs_with(name).map(|(path, text)| (format!("{place}/{path}"), text)));
    }
    let files: Vec<_> = files
        .iter()
        .map(|(path, text)| (&**path, &**text))
        .collect();
    folder_with(&files)
}

#[test]
fn the_built_in_specifications_work_from_an_empty_folder() {
    for command in [
        "check ClaimScopeSingle BrokenLifecyclePrefix ServiceFixed",
        "list",
    ] {
        let run = plumb(command);
        assert_eq!(run.status, 0, "{run:?}");
        assert!(
            run.out.ends_with("Specifications: built in\n"),
            "{}",
            run.out
        );
    }
    let shown = plumb("show ClaimScopeSingle").out;
    assert!(
        shown.contains("specs/claim-scope/ClaimScopeSingle.cfg (built in)"),
        "{shown}"
    );
}

#[test]
fn the_nearest_parent_wins_over_the_built_in_specifications() {
    let folder = folder(&[("specs", "Outer"), ("inner/specs", "Inner")]);
    let places = [
        ("", "Outer", "specs"),
        ("inner", "Inner", "specs"),
        ("inner/deep", "Inner", "../specs"),
    ];
    for (place, name, source) in places {
        let run = run(plumb_in(folder.path().join(place), "check"));
        assert_eq!(run.status, 0, "{run:?}");
        assert!(
            run.out.contains(&format!("\n{name} ")),
            "{place}: {}",
            run.out
        );
        assert!(
            run.out.ends_with(&format!("Specifications: {source}\n")),
            "{place}: {}",
            run.out
        );
    }
}

#[test]
fn a_specs_folder_without_a_registry_is_passed_over() {
    let folder = folder(&[("specs", "Outer")]);
    fs::create_dir_all(folder.path().join("inner/specs")).unwrap();
    let run = run(plumb_in(folder.path().join("inner"), "list"));
    assert!(run.out.contains("Outer"), "{}", run.out);
    assert!(
        run.out.ends_with("Specifications: ../specs\n"),
        "{}",
        run.out
    );
}

#[test]
fn the_named_folder_wins_over_all() {
    let folder = folder(&[("specs", "Outer"), ("elsewhere", "Other")]);
    for arguments in [
        "--specs elsewhere check --json",
        "check --specs elsewhere --json",
    ] {
        let json = run(plumb_in(&folder, arguments)).json();
        assert_eq!(json["specs"], "elsewhere");
        assert_eq!(json["configurations"][0]["name"], "Other");
    }
}

#[test]
fn a_cfg_of_ones_own_needs_no_specs_folder() {
    let folder = folder_with(&[("own.cfg", &lifecycle(1).replace("= 2", "= 1"))]);
    let run = run(plumb_in(&folder, "check --model lifecycle --cfg own.cfg"));
    assert_eq!(run.status, 0, "{run:?}");
}
