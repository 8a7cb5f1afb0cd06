//! The registered configurations of the built-in models.

use std::collections::BTreeSet;

use plumb_checker::{Progress, PropertyKind, SearchOptions, Verdict};
use plumb_models::registry;
use plumb_replay::{Agreement, Comparison};

use crate::models::{Case, all_agree, specs};

/// The largest state graph of an everyday run, in states.
const EVERYDAY_GRAPH: u64 = 20_000;

/// The largest search that ends at a violation, of which there is no graph.
const EVERYDAY_SEARCH: u64 = 100_000;

/// Those of which more is asked than that both engines agree.
const LOOKED_AT: [&str; 6] = [
    "ClaimScopeSingle",
    "LifecycleRecurring",
    "ServiceFixed",
    "StrictServiceStarvation",
    "UnfairServiceStarvation",
    "UnpackableServiceStarvation",
];

/// The registered configurations that have a Rust model: those of everyday size, the largest first,
/// and the others.
fn cases() -> (Vec<Case>, Vec<Case>) {
    let specs = specs();
    let names = specs.configurations().iter().filter(|entry| !entry.big);
    let options = SearchOptions {
        max_states: Some(EVERYDAY_SEARCH),
        ..SearchOptions::default()
    };
    let (mut small, mut large) = (Vec::new(), Vec::new());
    for case in names.filter_map(|entry| Case::registered(&entry.name)) {
        let report = case.model.check(&options, &Progress::default());
        let is_small = match report.verdict {
            Verdict::Inconclusive(_) => false,
            Verdict::Exhausted => report.distinct <= EVERYDAY_GRAPH,
            _ => true,
        };
        if is_small {
            small.push((report.distinct, case));
        } else {
            large.push(case);
        }
    }
    // The longest run must not be the last one, or one machine would wait for it.
    small.sort_by_key(|(distinct, _)| std::cmp::Reverse(*distinct));
    (small.into_iter().map(|(_, case)| case).collect(), large)
}

/// The documented actions that TLC never takes in a configuration; every other one is the label of
/// some step that TLC dumps.
fn never_taken(found: &Comparison) -> Vec<&str> {
    let graph = found.graph.as_ref().expect("both searches are exhausted");
    let actions = graph.actions.iter().filter(|action| action.tlc == 0);
    actions.map(|action| action.action.as_str()).collect()
}

/// In a whole graph each temporal property was compared, and where it is violated, by its lasso.
fn temporal_properties_are_compared(case: &Case, found: &Comparison) {
    let equal = |what: String| {
        found
            .row(&what)
            .is_some_and(|row| row.agree == Agreement::Equal)
    };
    let properties = case.model.properties().iter();
    let temporal = properties.filter(|property| property.kind == PropertyKind::Temporal);
    if found.graph.is_some() {
        assert_eq!(found.temporal.len(), temporal.count(), "{}", case.name);
    }
    for one in &found.temporal {
        assert!(equal(format!("temporal {}", one.property)), "{}", case.name);
        let lasso = equal(format!("lasso {}", one.property));
        assert_eq!(lasso, one.tlc_lasso.is_some(), "{}", case.name);
    }
}

/// How many states TLC's only lasso has, and to which it goes back.
fn tlc_lasso(found: &Comparison) -> (usize, Option<u64>) {
    let [property] = &found.temporal[..] else {
        panic!("{:#?}", found.temporal)
    };
    let lasso = property.tlc_lasso.as_ref().expect("it is violated");
    (lasso.states, lasso.back_to)
}

/// Verdict, name and trace length of each; of an exhausted search, the whole graph.
#[test]
fn every_configuration_of_everyday_size() {
    let (small, _) = cases();
    let models: BTreeSet<_> = small.iter().map(|case| case.model.name()).collect();
    for model in registry().models() {
        assert!(models.contains(model.name), "nothing of {}", model.name);
    }
    let names: BTreeSet<_> = small.iter().map(|case| case.name.as_str()).collect();
    for own in LOOKED_AT {
        assert!(names.contains(own), "no {own}");
    }
    all_agree(&small, |case, found| {
        temporal_properties_are_compared(case, found);
        match case.name.as_str() {
            "ClaimScopeSingle" => assert!(never_taken(found).is_empty()),
            // One dispatch takes neither b nor c, so no successor node ever gets ready.
            "LifecycleRecurring" => assert_eq!(never_taken(found), ["Successor"]),
            "ServiceFixed" => assert!(found.temporal[0].tlc_lasso.is_none()),
            // Ten grants to the first key, after which its bit is what it was.
            "StrictServiceStarvation" => assert_eq!(tlc_lasso(found), (20, Some(11))),
            "UnfairServiceStarvation" => assert_eq!(tlc_lasso(found).1, None),
            "UnpackableServiceStarvation" => assert_eq!(tlc_lasso(found), (1, None)),
            _ => {}
        }
    });
}

/// The same of the others, but for the one that the registry calls big:
/// `cargo test --release -p plumb-replay --test tlc -- --ignored --nocapture every_larger`
#[test]
#[ignore = "takes many minutes, and half a gigabyte of temporary files"]
fn every_larger_configuration() {
    let (_, large) = cases();
    assert!(!large.is_empty());
    all_agree(&large, |case, found| {
        temporal_properties_are_compared(case, found);
        if case.name == "LifecyclePacked" {
            // There is but one epoch.
            assert_eq!(never_taken(found), ["Repeat"]);
        }
    });
}
