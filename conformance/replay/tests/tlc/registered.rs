//! The registered configurations of the built-in models.

use std::collections::BTreeSet;

use plumb_checker::{Progress, SearchOptions, Verdict};
use plumb_replay::Comparison;

use crate::models::{Case, all_agree, specs};
use crate::turn;

/// Searches that TLC takes longer over than an everyday run can bear.
const LARGE: u64 = 100_000;

/// The registered configurations that have a Rust model, with the size of their search.
fn cases() -> Vec<(Case, u64, Verdict)> {
    let names = specs();
    let names = names.configurations().iter().filter(|entry| !entry.big);
    let cases = names.filter_map(|entry| Case::registered(&entry.name));
    let options = SearchOptions {
        max_states: Some(2 * LARGE),
        ..SearchOptions::default()
    };
    cases
        .map(|case| {
            let report = case.model.check(&options, &Progress::default());
            (case, report.distinct, report.verdict)
        })
        .collect()
}

#[test]
fn verdict_name_and_trace_length_of_every_configuration() {
    let cases: Vec<_> = cases()
        .into_iter()
        .filter(|(_, distinct, _)| *distinct < LARGE)
        .map(|(case, _, _)| case)
        .collect();
    let models: BTreeSet<_> = cases.iter().map(|case| case.model.name()).collect();
    assert!(models.contains("claim-scope") && models.contains("lifecycle"));
    all_agree(&cases, false, |_, _| {});
}

#[test]
fn the_whole_graphs_of_exhausted_configurations() {
    let small = |distinct: u64, verdict: &Verdict| {
        distinct <= 20_000 && matches!(verdict, Verdict::Exhausted)
    };
    let cases: Vec<_> = cases()
        .into_iter()
        .filter(|(_, distinct, verdict)| small(*distinct, verdict))
        .map(|(case, _, _)| case)
        .collect();
    all_agree(&cases, true, |_, _| {});
}

/// The documented actions that TLC never takes in a configuration.
fn never_taken(found: &Comparison) -> Vec<&str> {
    let graph = found.graph.as_ref().expect("both searches are exhausted");
    let actions = graph.actions.iter().filter(|action| action.tlc == 0);
    actions.map(|action| action.action.as_str()).collect()
}

/// Every other documented action is the label of some step that TLC dumps.
#[test]
fn the_actions_that_are_never_taken() {
    let Some(_turn) = turn() else { return };
    let never_taken_in = |name: &str| {
        let found = Case::registered(name).unwrap().compare(true);
        never_taken(&found).join(" ")
    };
    assert_eq!(never_taken_in("ClaimScopeSingle"), "");
    // One dispatch takes neither b nor c, so no successor node ever gets ready.
    assert_eq!(never_taken_in("LifecycleRecurring"), "Successor");
}

/// The two large registered searches, each compared as a whole graph.
#[test]
#[ignore = "takes minutes, and half a gigabyte of temporary files"]
fn the_whole_graphs_of_the_large_configurations() {
    let names = ["ClaimScopeMixed", "LifecyclePacked"];
    let cases = names.map(|name| Case::registered(name).unwrap());
    all_agree(&cases, true, |case, found| {
        // There is but one epoch.
        let never = if case.name == "LifecyclePacked" {
            "Repeat"
        } else {
            ""
        };
        assert_eq!(never_taken(found).join(" "), never, "{}", case.name);
    });
}
