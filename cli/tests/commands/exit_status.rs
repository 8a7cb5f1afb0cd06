//! What the exit status says: the table of `plumb::exit`, row by row.

use crate::model_faults;
use crate::program::{entry, folder_with, lifecycle, plumb, plumb_in, run};

#[test]
fn each_status_is_reached_by_what_it_stands_for() {
    let table = [
        (0, "check ClaimScopeSingle BrokenLifecyclePrefix"),
        (0, "list"),
        (0, "show LifecyclePacked"),
        (0, "trace SingleClaimScopeWitness"),
        (0, "--help"),
        (0, "--version"),
        (2, ""),
        (2, "check NoSuch"),
        (2, "check --frobnicate"),
        (2, "trace LifecycleRecurring"),
        (3, "check LifecyclePacked --max-states 10"),
        (3, "trace LifecyclePacked --max-states 10"),
    ];
    for (status, arguments) in table {
        let run = plumb(arguments);
        assert_eq!(run.status, status, "plumb {arguments}: {run:?}");
    }
}

#[test]
fn what_differs_from_the_expectation_is_status_1() {
    let specs = folder_with(&[
        (
            "specs/registry.toml",
            &entry(
                "Wrong",
                "lifecycle",
                "verdict = \"exhausted\", distinct = 7",
            ),
        ),
        ("specs/lifecycle/Wrong.cfg", &lifecycle(1)),
    ]);
    let run = run(plumb_in(&specs, "check Wrong"));
    assert_eq!(run.status, 1, "{run:?}");
    assert!(
        run.out
            .contains("Wrong: distinct: expected 7, found 207612"),
        "{}",
        run.out
    );
}

#[test]
fn a_violation_in_a_cfg_of_ones_own_is_status_1() {
    let cfg = lifecycle(1).replace("none", "second-sender") + "INVARIANT OneSender\n";
    let folder = folder_with(&[("own.cfg", &cfg)]);
    for command in ["check", "trace"] {
        let run = run(plumb_in(
            &folder,
            &format!("{command} --model lifecycle --cfg own.cfg"),
        ));
        assert_eq!(run.status, 1, "{run:?}");
        assert!(run.out.contains("OneSender"), "{run:?}");
    }
}

#[test]
fn of_several_statuses_the_first_of_2_4_1_3_wins() {
    let registry = [
        entry("Right", "lifecycle", "verdict = \"exhausted\""),
        entry(
            "Wrong",
            "lifecycle",
            "verdict = \"violated\", property = \"OneSender\"",
        ),
        entry("Stopped", "lifecycle", "verdict = \"exhausted\""),
    ]
    .concat();
    let small = lifecycle(1).replace("GroupBudget = 2", "GroupBudget = 1");
    let specs = folder_with(&[
        ("specs/registry.toml", &registry),
        ("specs/lifecycle/Right.cfg", &small),
        ("specs/lifecycle/Wrong.cfg", &small),
        ("specs/lifecycle/Stopped.cfg", &lifecycle(1)),
    ]);
    let table = [
        (0, "Right"),
        (1, "Right Wrong"),
        (3, "Right Stopped"),
        (1, "Wrong Stopped"),
        (2, "Wrong Stopped NoSuch"),
    ];
    for (status, names) in table {
        let run = run(plumb_in(
            &specs,
            &format!("check {names} --max-states 1000"),
        ));
        assert_eq!(run.status, status, "{names}: {run:?}");
    }
    // A failure of the model beside a difference, a difference being status 1.
    let run = model_faults::faulty("check Panics Differs");
    assert_eq!(run.status, 4, "{run:?}");
}
