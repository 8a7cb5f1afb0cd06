//! The configurations of the document's table come out as published, and each control passes once
//! its defect is removed.
//!
//! Shared design, models/service.md, table of registered configurations, and section 7.

use plumb_checker::Verdict;
use plumb_models::QueueService;

use crate::constants;
use crate::harness::expectation::{Expected, assert_as_published, figures};
use crate::harness::{assert_file_says_the_same, check, configured};

const SHARES: &str = "INVARIANTS TypeOK ServiceDeviation FixedCycleShare";
const LONG_RUN: &str = "INVARIANT TypeOK PROPERTY EventualService";

/// The cfg of a configuration: specification, mode, whether keys change, whether work fits.
fn cfg(
    (specification, mode, dynamic, packable): (&str, &str, bool, bool),
    checked: &str,
) -> String {
    format!(
        "{} {checked}",
        constants(specification, mode, dynamic, packable)
    )
}

const fn exhausted(distinct: u64, generated: u64, depth: usize) -> Expected {
    Expected::Exhausted {
        distinct,
        generated: Some(generated),
        depth,
    }
}

#[test]
fn every_configuration_is_as_published_with_any_number_of_threads() {
    let both = format!("{SHARES} PROPERTY EventualService");
    for (name, constants, checked, expected) in [
        (
            "ServiceFixed",
            ("Spec", "weighted", false, true),
            both.as_str(),
            exhausted(30, 31, 30),
        ),
        (
            "ServiceDynamic",
            ("Spec", "weighted", true, true),
            LONG_RUN,
            exhausted(60_360, 535_696, 26),
        ),
        (
            "BrokenServiceShare",
            ("Spec", "broken", false, true),
            SHARES,
            Expected::Violated("ServiceDeviation", 8),
        ),
        (
            "StrictServiceStarvation",
            ("Spec", "strict", false, true),
            LONG_RUN,
            Expected::Starved("EventualService", 10),
        ),
        (
            "UnfairServiceStarvation",
            ("UnfairSpec", "weighted", false, true),
            LONG_RUN,
            Expected::Starved("EventualService", 0),
        ),
        (
            "UnpackableServiceStarvation",
            ("Spec", "weighted", false, false),
            LONG_RUN,
            Expected::Starved("EventualService", 0),
        ),
    ] {
        let cfg = cfg(constants, checked);
        assert_as_published::<QueueService>(name, &cfg, expected);
        assert_file_says_the_same::<QueueService>(name, &cfg);
    }
}

#[test]
fn every_control_passes_without_its_defect() {
    let sound = ("Spec", "weighted", false, true);
    for (name, broken, checked) in [
        (
            "BrokenServiceShare",
            ("Spec", "broken", false, true),
            SHARES,
        ),
        (
            "StrictServiceStarvation",
            ("Spec", "strict", false, true),
            LONG_RUN,
        ),
        (
            "UnfairServiceStarvation",
            ("UnfairSpec", "weighted", false, true),
            LONG_RUN,
        ),
        (
            "UnpackableServiceStarvation",
            ("Spec", "weighted", false, false),
            LONG_RUN,
        ),
    ] {
        let with_defect = check(&*configured::<QueueService>(&cfg(broken, checked)), 2);
        assert_ne!(with_defect.verdict, Verdict::Exhausted, "{name}");
        let without = check(&*configured::<QueueService>(&cfg(sound, checked)), 2);
        assert_eq!(without.verdict, Verdict::Exhausted, "{name}");
    }
}

/// The published lassos are what the counterexamples show: which keys starve, and how.
#[test]
fn starvation_looks_as_described() {
    let strict = cfg(("Spec", "strict", false, true), LONG_RUN);
    let report = check(&*configured::<QueueService>(&strict), 2);
    let grants = |step: &plumb_checker::TraceStep| {
        let action = step.action.as_ref();
        action.is_none_or(|label| label.name == "Grant")
    };
    assert!(report.trace.iter().all(grants), "key 1 alone is served");
    let last = report.trace.last().unwrap();
    let served = last.state.get("served").unwrap().to_string();
    assert!(served.ends_with("0, 0>>"), "keys 2 and 3 never: {served}");

    let unpackable = cfg(("Spec", "weighted", false, false), LONG_RUN);
    let report = check(&*configured::<QueueService>(&unpackable), 2);
    assert_eq!(
        (report.distinct, report.trace.len()),
        (1, 1),
        "stuttering in the single state"
    );

    let unfair = cfg(("UnfairSpec", "weighted", false, true), LONG_RUN);
    let report = check(&*configured::<QueueService>(&unfair), 2);
    // The first conjunct asks for bit 0 of key 1 again and again; after one grant it is 1.
    assert_eq!(report.trace.len(), 2, "nothing more need ever be granted");
}

/// A specification without fairness has the same graph.
#[test]
fn fairness_changes_no_states() {
    let of = |specification| {
        let cfg = cfg((specification, "weighted", false, true), SHARES);
        check(&*configured::<QueueService>(&cfg), 2)
    };
    assert_eq!(figures(&of("Spec")), figures(&of("UnfairSpec")));
}

/// Section 7: under strict priority and in the broken mode the graph has 20 states.
#[test]
fn the_smallest_key_alone_is_served_where_it_comes_first() {
    for mode in ["strict", "broken"] {
        let cfg = cfg(("Spec", mode, false, true), "INVARIANT TypeOK");
        let report = check(&*configured::<QueueService>(&cfg), 2);
        assert_eq!(report.verdict, Verdict::Exhausted);
        assert_eq!((report.distinct, report.generated), (20, 21), "{mode}");
    }
}

#[test]
fn stateright_counts_the_same() {
    for (dynamic, distinct) in [(false, 30), (true, 60_360)] {
        let cfg = cfg(("Spec", "weighted", dynamic, true), SHARES);
        let report = configured::<QueueService>(&cfg)
            .check_with_stateright(&Default::default(), &std::sync::Arc::default());
        assert_eq!(report.verdict, Verdict::Exhausted);
        assert_eq!(report.distinct, distinct);
    }
}
