//! Budgets: a search that they stop is inconclusive, never a pass, and says what it explored.

use crate::program::{ENDLESS, folder_with, lifecycle, plumb, plumb_in, run, without_times};

#[test]
fn a_budget_of_states_ends_at_a_level_boundary() {
    let run = plumb("check LifecyclePacked --max-states 1000");
    assert_eq!(run.status, 3);
    insta::assert_snapshot!(without_times(&run.out));
}

#[test]
fn a_budget_of_states_gives_the_same_on_any_number_of_threads() {
    let found = |threads: u32| {
        let arguments =
            format!("check LifecyclePacked --max-states 5000 --threads {threads} --json");
        crate::program::without_seconds(&plumb(&arguments).out)
    };
    assert_eq!(found(1), found(8));
}

#[test]
fn every_budget_is_inconclusive_and_says_why() {
    let folder = folder_with(&[("own.cfg", &lifecycle(ENDLESS))]);
    let budgets = [
        ("--max-states 2000", "stopped by the budget of 2000 states"),
        ("--max-time 100ms", "stopped by the budget of 0.1 s"),
        ("--max-time 0.2", "stopped by the budget of 0.2 s"),
        ("--memory 1MiB", "stopped by the memory budget of 1 MiB"),
    ];
    for (budget, reason) in budgets {
        let command = format!("check --model lifecycle --cfg own.cfg {budget}");
        let table = run(plumb_in(&folder, &command));
        assert_eq!(table.status, 3, "{budget}: {table:?}");
        assert!(
            table.out.contains(&format!("own: {reason}\n")),
            "{}",
            table.out
        );
        assert!(
            table.out.contains("1 configuration: 1 inconclusive"),
            "{}",
            table.out
        );

        let json = run(plumb_in(&folder, &format!("{command} --json"))).json();
        let found = &json["configurations"][0];
        assert_eq!(found["verdict"], "inconclusive", "{budget}");
        assert_eq!(found["outcome"], "none", "{budget}");
        assert_eq!(found["message"], reason, "{budget}");
        assert!(found["distinct"].as_u64() > Some(0), "{budget}: {found}");
        assert!(found["queue"].as_u64() > Some(0), "{budget}: {found}");
    }
}

#[test]
fn a_budget_that_suffices_changes_nothing() {
    let generous = "--max-states 1000000 --max-time 1h --memory 8GiB";
    let run = plumb(&format!(
        "check LifecycleRecurring BrokenLifecycleSender {generous}"
    ));
    assert_eq!(run.status, 0, "{run:?}");
}

#[test]
fn a_budget_of_as_many_states_as_there_are_is_not_enough_to_know_it() {
    // The last of 496 states is found before it is known that it leads to no further one.
    let run = plumb("check LifecycleRecurring --max-states 496");
    assert_eq!(run.status, 3, "{run:?}");
}

#[test]
fn the_budget_is_for_each_search_and_not_for_all() {
    let run =
        plumb("check ClaimScopeSingle LifecyclePacked LifecycleRecurring --max-states 600 --json");
    assert_eq!(run.status, 3);
    let json = run.json();
    let verdicts: Vec<_> = json["configurations"]
        .as_array()
        .unwrap()
        .iter()
        .map(|found| found["verdict"].as_str().unwrap())
        .collect();
    assert_eq!(verdicts, ["exhausted", "exhausted", "inconclusive"]);
    assert_eq!(
        json["not_run"], 0,
        "a budget stops one search and not the rest"
    );
}

#[test]
fn a_trace_that_a_budget_prevents_is_inconclusive() {
    let run = plumb("trace MixedClaimDAGWitness --max-states 100");
    assert_eq!((run.status, &*run.out), (3, ""));
    assert_eq!(
        run.err,
        "MixedClaimDAGWitness has no trace: stopped by the budget of 100 states\n"
    );
}
