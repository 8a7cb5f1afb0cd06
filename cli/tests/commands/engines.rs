//! `--engine stateright`: a second opinion on the counts.

use crate::program::{folder_with, plumb, plumb_in, run, without_times};

#[test]
fn stateright_counts_the_same_states_on_every_exhausted_configuration() {
    let found = |engine: &str| {
        let json = plumb(&format!(
            "check claim-scope lifecycle --engine {engine} --json"
        ))
        .json();
        assert_eq!(json["engine"], engine);
        json["configurations"].as_array().unwrap().clone()
    };
    let (plumb, stateright) = (found("plumb"), found("stateright"));
    assert_eq!(plumb.len(), stateright.len());
    let mut exhausted = 0;
    for (one, other) in plumb.iter().zip(&stateright) {
        for what in ["name", "verdict", "property", "outcome"] {
            assert_eq!(one[what], other[what], "{}", one["name"]);
        }
        if one["verdict"] == "exhausted" {
            exhausted += 1;
            for what in ["distinct", "generated"] {
                assert_eq!(one[what], other[what], "{}", one["name"]);
            }
        }
    }
    assert_eq!(exhausted, 4);
}

#[test]
fn the_table_leaves_out_what_stateright_does_not_count() {
    let run =
        plumb("check ClaimScopeSingle LifecycleRecurring LifecyclePacked --engine stateright");
    assert_eq!(run.status, 0, "{run:?}");
    insta::assert_snapshot!(without_times(&run.out));
}

#[test]
fn what_stateright_cannot_check_is_inconclusive() {
    let run = plumb("check ServiceFixed --engine stateright");
    assert_eq!(run.status, 3, "{run:?}");
    insta::assert_snapshot!(without_times(&run.out));
}

#[test]
fn a_budget_ends_stateright_too() {
    let folder = folder_with(&[(
        "own.cfg",
        &crate::program::lifecycle(crate::program::ENDLESS),
    )]);
    for budget in ["--max-states 2000", "--max-time 300ms"] {
        let command = format!("check --model lifecycle --cfg own.cfg --engine stateright {budget}");
        let run = run(plumb_in(&folder, &command));
        assert_eq!(run.status, 3, "{budget}: {run:?}");
    }
}
