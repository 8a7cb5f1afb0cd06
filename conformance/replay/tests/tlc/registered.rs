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
    all_agree(&cases, true, same_actions);
}

/// TLC's labels are the documented actions of the specification, no others, and of each there is
/// at least one in the graph of some configuration that has it.
fn same_actions(case: &Case, found: &Comparison) {
    let graph = found.graph.as_ref().expect("both searches are exhausted");
    let names: Vec<_> = graph
        .actions
        .iter()
        .map(|action| action.action.as_str())
        .collect();
    assert_eq!(names, case.model.actions(), "{}", case.name);
}

/// Of a model's configurations that are explored whole, every action is taken in one or another.
#[test]
fn every_documented_action_is_a_label_in_a_dump() {
    let Some(_turn) = turn() else { return };
    for (name, never) in [
        // One dispatch takes neither b nor c, so no successor node ever gets ready.
        ("LifecycleRecurring", &["Successor"][..]),
        ("ClaimScopeSingle", &[]),
    ] {
        let case = Case::registered(name).unwrap();
        let graph = case
            .compare(true)
            .graph
            .expect("both searches are exhausted");
        let unseen: Vec<_> = graph
            .actions
            .iter()
            .filter(|action| action.tlc == 0)
            .map(|action| action.action.as_str())
            .collect();
        assert_eq!(unseen, never, "{name}");
    }
}

/// The two large registered searches, each compared as a whole graph.
#[test]
#[ignore = "takes two minutes and some gigabytes of temporary files"]
fn the_whole_graphs_of_the_large_configurations() {
    let cases: Vec<_> = ["ClaimScopeMixed", "LifecyclePacked"]
        .iter()
        .filter_map(|name| Case::registered(name))
        .collect();
    all_agree(&cases, true, |case, found| {
        same_actions(case, found);
        let graph = found.graph.as_ref().expect("both searches are exhausted");
        let taken = graph.actions.iter().all(|action| action.tlc > 0);
        assert!(taken, "{}: {:#?}", case.name, graph.actions);
    });
}
