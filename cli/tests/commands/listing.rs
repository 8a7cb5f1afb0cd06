//! `plumb list` and `plumb show`.

use crate::program::{folder_with, lifecycle, plumb, plumb_in, root, run};

#[test]
fn list_shows_names_purposes_and_expectations() {
    insta::assert_snapshot!(plumb("list claim-scope lifecycle").out);
}

#[test]
fn list_shows_everything_without_a_filter() {
    let listed = run(plumb_in(root(), "list"));
    let registry = std::fs::read_to_string(root().join("specs/registry.toml")).unwrap();
    let names = registry.lines().filter_map(|line| {
        let name = line.strip_prefix("name = \"")?;
        name.strip_suffix('"')
    });
    let shown = listed
        .out
        .lines()
        .skip(1)
        .map_while(|line| line.split(' ').next().filter(|name| !name.is_empty()));
    assert!(names.eq(shown), "{}", listed.out);
}

#[test]
fn a_filter_is_a_name_a_model_or_a_glob() {
    let count = |filters: &str| {
        let entries = plumb(&format!("list {filters} --json")).json();
        entries["configurations"].as_array().unwrap().len()
    };
    assert_eq!(count("ClaimScopeSingle"), 1);
    assert_eq!(count("claim-scope"), 9);
    assert_eq!(count("lifecycle"), 16);
    assert_eq!(count("BrokenLifecycle*"), 11);
    assert_eq!(count("Lifecycle[RP]*"), 2);
    assert_eq!(count("claim-scope ClaimScopeSingle Claim*"), 9, "each once");
}

#[test]
fn show_explains_a_configuration() {
    insta::assert_snapshot!("show_bound", plumb("show LifecycleRecurring").out);
    insta::assert_snapshot!("show_control", plumb("show BrokenMixedDAGAdmission").out);
    insta::assert_snapshot!("show_witness", plumb("show MixedClaimDAGWitness").out);
}

#[test]
fn show_explains_a_cfg_of_ones_own() {
    let folder = folder_with(&[("own.cfg", &lifecycle(3))]);
    let shown = run(plumb_in(&folder, "show --model lifecycle --cfg own.cfg"));
    assert_eq!(shown.status, 0);
    insta::assert_snapshot!(shown.out);
}

#[test]
fn show_says_when_only_counts_are_asked_for() {
    let cfg = lifecycle(1).replace("INVARIANT TypeOK\n", "");
    let folder = folder_with(&[("own.cfg", &cfg)]);
    let shown = run(plumb_in(&folder, "show --model lifecycle --cfg own.cfg"));
    assert!(
        shown.out.contains("No property is checked"),
        "{}",
        shown.out
    );
}
