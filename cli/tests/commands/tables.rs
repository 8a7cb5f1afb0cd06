//! The table of `plumb check`.

use crate::program::{entry, folder_with, lifecycle, plumb, plumb_in, run, without_times};

#[test]
fn the_table_shows_what_was_found() {
    let run = plumb("check ClaimScopeSingle BrokenLastOpenClaimScope Lifecycle*");
    assert_eq!(run.status, 0, "{}", run.out);
    insta::assert_snapshot!(without_times(&run.out));
}

#[test]
fn the_table_is_followed_by_what_differs() {
    let registry = [
        entry(
            "WrongCounts",
            "lifecycle",
            "verdict = \"exhausted\", distinct = 7, generated = 8, depth = 9",
        ),
        entry(
            "NotViolated",
            "lifecycle",
            "verdict = \"violated\", property = \"OneSender\", trace = 6",
        ),
        entry(
            "Violated",
            "lifecycle",
            "verdict = \"exhausted\", distinct = 496",
        ),
        entry(
            "AnotherProperty",
            "lifecycle",
            "verdict = \"violated\", property = \"TypeOK\", trace = 5",
        ),
    ]
    .concat();
    let right = lifecycle(2).replace("GroupBudget = 2", "GroupBudget = 1");
    let wrong = right.replace("none", "second-sender") + "INVARIANT OneSender\n";
    let specs = folder_with(&[
        ("specs/registry.toml", &registry),
        ("specs/lifecycle/WrongCounts.cfg", &right),
        ("specs/lifecycle/NotViolated.cfg", &right),
        ("specs/lifecycle/Violated.cfg", &wrong),
        ("specs/lifecycle/AnotherProperty.cfg", &wrong),
    ]);
    let run = run(plumb_in(&specs, "check"));
    assert_eq!(run.status, 1, "{}", run.out);
    insta::assert_snapshot!(without_times(&run.out));
}

#[test]
fn a_cfg_of_ones_own_has_no_expectation() {
    let cfg = lifecycle(1).replace("GroupBudget = 2", "GroupBudget = 1");
    let broken = cfg.replace("none", "second-sender") + "INVARIANT OneSender\n";
    let folder = folder_with(&[("holds.cfg", &cfg), ("fails.cfg", &broken)]);
    let table = |name: &str| {
        let run = run(plumb_in(
            &folder,
            &format!("check --model lifecycle --cfg {name}.cfg"),
        ));
        without_times(&run.out)
    };
    insta::assert_snapshot!("own_cfg_holds", table("holds"));
    insta::assert_snapshot!("own_cfg_fails", table("fails"));
}
