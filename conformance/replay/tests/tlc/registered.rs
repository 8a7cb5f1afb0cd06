//! The registered configurations of the built-in models.

use std::collections::BTreeSet;

use plumb_checker::{Progress, PropertyKind, SearchOptions, Verdict};
use plumb_models::registry;
use plumb_replay::{Agreement, CompareOptions, Comparison, compare};

use crate::models::{Case, all_agree, specs};
use crate::turn;

/// The largest state graph of an everyday run, in states.
const EVERYDAY_GRAPH: u64 = 20_000;

/// The same for those of our own of the fair work queue, `Own…`, of which TLC examines some hundred
/// states a second: the larger ones together would take it three minutes more.
const EVERYDAY_OWN_GRAPH: u64 = 8_000;

/// The largest search that ends at a violation, of which there is no graph.
const EVERYDAY_SEARCH: u64 = 100_000;

/// The largest state graph that is compared at all: TLC's dump of it is some gigabytes.
const LARGEST_GRAPH: u64 = 500_000;

/// Those of which more is asked than that both engines agree.
const LOOKED_AT: [&str; 6] = [
    "ClaimScopeSingle",
    "LifecycleRecurring",
    "ServiceFixed",
    "StrictServiceStarvation",
    "UnfairServiceStarvation",
    "UnpackableServiceStarvation",
];

/// How much TLC has to do for a configuration.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Size {
    /// It can be done every day.
    Everyday,
    /// It takes long.
    Large,
    /// It is too large for its graph to be compared.
    Giant,
}

/// The size of a configuration, and how many states Plumb looked at to tell.
fn size(case: &Case) -> (Size, u64) {
    let explored = |limit| {
        let options = SearchOptions {
            max_states: Some(limit),
            ..SearchOptions::default()
        };
        case.model.check(&options, &Progress::default())
    };
    let everyday_graph = if case.name.starts_with("Own") {
        EVERYDAY_OWN_GRAPH
    } else {
        EVERYDAY_GRAPH
    };
    let report = explored(EVERYDAY_SEARCH);
    let size = match report.verdict {
        Verdict::Exhausted if report.distinct > everyday_graph => Size::Large,
        Verdict::Inconclusive(_) => match explored(LARGEST_GRAPH).verdict {
            Verdict::Inconclusive(_) => Size::Giant,
            _ => Size::Large,
        },
        _ => Size::Everyday,
    };
    (size, report.distinct)
}

/// The registered configurations of this size, the largest first.
fn cases(wanted: Size) -> Vec<Case> {
    let specs = specs();
    let names = specs.configurations().iter();
    let mut cases: Vec<_> = names
        .filter_map(|entry| Case::registered(&entry.name))
        .map(|case| (size(&case), case))
        .filter(|((size, _), _)| *size == wanted)
        .collect();
    // The longest run must not be the last one, or one machine would wait for it.
    cases.sort_by_key(|((_, distinct), _)| std::cmp::Reverse(*distinct));
    cases.into_iter().map(|(_, case)| case).collect()
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
    let small = cases(Size::Everyday);
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

/// The same of the larger ones:
/// `cargo test --release -p plumb-replay --test tlc -- --ignored --nocapture every_larger`
#[test]
#[ignore = "takes a quarter of an hour, and half a gigabyte of temporary files"]
fn every_larger_configuration() {
    all_agree(&cases(Size::Large), |case, found| {
        temporal_properties_are_compared(case, found);
        if case.name == "LifecyclePacked" {
            // There is but one epoch.
            assert_eq!(never_taken(found), ["Repeat"]);
        }
    });
}

/// WorkQueue with two works and two dispatchers, of which there is no small bound:
/// `cargo test --release -p plumb-replay --test tlc -- --ignored --nocapture two_works_and`
///
/// Constants are the claims, workers, `RetryLimit`, `MaxHead` and `MaxLog`. All four graphs are
/// equal, to the last step:
///
/// | bound | distinct | generated | depth | TLC |
/// |---|---|---|---|---|
/// | 1/1/0/0/0 | 698,599 | 2,437,774 | 16 | 220 s |
/// | 1/1/2/0/0 | 698,599 | 2,437,774 | 16 | 306 s |
/// | 1/1/0/1/1 | 718,487 | 2,480,668 | 16 | 732 s |
/// | 1/1/2/1/1 | 718,511 | 2,484,688 | 16 | 877 s |
///
/// TLC 2.15 had one worker and 6 GiB, on two cores that others used as well.
#[test]
#[ignore = "TLC takes several minutes for each, and two gigabytes of temporary files"]
fn two_works_and_two_dispatchers() {
    let bounds = [
        [1, 1, 0, 0, 0],
        [1, 1, 2, 0, 0],
        [1, 1, 0, 1, 1],
        [1, 1, 2, 1, 1],
    ];
    for [claims, workers, retries, head, log] in bounds {
        let Some(_turn) = turn() else { return };
        let cfg = format!(
            "SPECIFICATION Spec CONSTANTS WorkCount = 2 ClaimCount = {claims} \
             WorkerCount = {workers} DispatcherCount = 2 RetryLimit = {retries} \
             MaxHead = {head} MaxLog = {log} CONSTRAINT Bound INVARIANT Safety \
             PROPERTY WorkerOneShot PROPERTY QueueSelection PROPERTY WorkResubmissionNoOp"
        );
        let name = format!("{claims}/{workers}/{retries}/{head}/{log}");
        let case = Case::new(&registry(), "work-queue", &name, &cfg).unwrap();
        let found = case.compare();
        assert!(found.agrees(), "{name}: {:#?}", found.rows);
        let graph = found.rows.iter().find(|row| row.what == "graph");
        assert!(graph.is_some(), "{name}: the graphs were compared");
        eprintln!("{name}: agrees, TLC {:.1} s", found.tlc_seconds);
    }
}

/// Verdict and counts of the largest ones, without the graph:
/// `cargo test --release -p plumb-replay --test tlc -- --ignored --nocapture every_giant`
#[test]
#[ignore = "TLC takes ten minutes"]
fn every_giant_configuration() {
    for case in cases(Size::Giant) {
        let Some(_turn) = turn() else { return };
        let options = CompareOptions::default();
        let found = compare(&case.entry, &case.sources, &options).unwrap();
        assert!(found.agrees(), "{}: {:#?}", case.name, found.rows);
        eprintln!("{}: agrees, TLC {:.1} s", case.name, found.tlc_seconds);
    }
}
