//! The configurations of the document's table come out as published, and each control passes once
//! its defect is removed.
//!
//! Shared design, models/projection.md, table of registered configurations, and section 5.

use plumb_checker::{ConfiguredModel, Verdict};
use plumb_models::IssueProjection;

use crate::harness::expectation::{Expected, assert_as_published};
use crate::harness::walk::{ends, holds};
use crate::harness::{assert_file_says_the_same, check, configured};
use crate::{Target, constants, projection};

const ALL: &str = "TypeOK AdmissionAuthority TargetBindingAuthority ProjectionAuthority \
                   SingleCreation UncertainCreationFence ClosureAuthority";

const fn exhausted(distinct: u64, generated: u64, depth: usize) -> Expected {
    Expected::Exhausted {
        distinct,
        generated: Some(generated),
        depth,
    }
}

/// A line of the document's table: name, constants, defect, invariants, outcome.
type Line = (&'static str, Target, &'static str, &'static str, Expected);

const TABLE: &[Line] = &[
    (
        "IssueExisting",
        ("existing", true, true, false),
        "none",
        ALL,
        exhausted(54, 92, 8),
    ),
    (
        "IssueCreated",
        ("created", false, true, false),
        "none",
        ALL,
        exhausted(90, 158, 10),
    ),
    (
        "IssueDefaultOpen",
        ("existing", true, false, false),
        "none",
        ALL,
        exhausted(78, 175, 8),
    ),
    (
        "IssuePRStaysOpen",
        ("existing", true, true, true),
        "none",
        ALL,
        exhausted(42, 75, 7),
    ),
    (
        "IssueBrokenUnowned",
        ("existing", false, true, false),
        "unowned-admission",
        "TypeOK AdmissionAuthority",
        Expected::Violated("AdmissionAuthority", 2),
    ),
    (
        "IssueBrokenPayloadClose",
        ("existing", true, false, false),
        "payload-close",
        "TypeOK AdmissionAuthority TargetBindingAuthority ClosureAuthority",
        Expected::Violated("ClosureAuthority", 5),
    ),
    (
        "IssueBrokenRetry",
        ("created", false, true, false),
        "retry-uncertain",
        "TypeOK AdmissionAuthority SingleCreation",
        Expected::Violated("SingleCreation", 5),
    ),
];

fn cfg(target: Target, broken: &str, invariants: &str) -> String {
    format!("{} INVARIANTS {invariants}", constants(target, broken))
}

fn model(target: Target, broken: &str, invariants: &str) -> Box<dyn ConfiguredModel> {
    configured::<IssueProjection>(&cfg(target, broken, invariants))
}

#[test]
fn every_configuration_is_as_published_with_any_number_of_threads() {
    for (name, target, broken, invariants, expected) in TABLE {
        let cfg = cfg(*target, broken, invariants);
        assert_as_published::<IssueProjection>(name, &cfg, *expected);
        assert_file_says_the_same::<IssueProjection>(name, &cfg);
    }
}

#[test]
fn every_control_passes_without_its_defect() {
    let controls = TABLE.iter().filter(|(_, _, broken, ..)| *broken != "none");
    let mut count = 0;
    for (name, target, _, _, _) in controls {
        let report = check(&*model(*target, "none", ALL), 2);
        assert_eq!(report.verdict, Verdict::Exhausted, "{name}");
        count += 1;
    }
    assert_eq!(count, 3);
}

#[test]
fn stateright_counts_the_same() {
    for (name, target, broken, invariants, expected) in TABLE {
        let Expected::Exhausted { distinct, .. } = expected else {
            continue;
        };
        let report = model(*target, broken, invariants)
            .check_with_stateright(&Default::default(), &std::sync::Arc::default());
        assert_eq!(report.verdict, Verdict::Exhausted, "{name}");
        assert_eq!(report.distinct, *distinct, "{name}");
    }
}

/// Section 5: the shortest violations, action by action.
#[test]
fn the_published_traces_are_behaviours() {
    for (name, actions) in [
        ("IssueBrokenUnowned", &["UnsafeAdmission"] as &[&str]),
        (
            "IssueBrokenPayloadClose",
            &[
                "Admit",
                "BindExistingIssue",
                "VerifyResult",
                "UnsafeCloseFromPayload",
            ],
        ),
        (
            "IssueBrokenRetry",
            &[
                "Admit",
                "PrepareCreation",
                "CreateWithLostReceipt",
                "UnsafeRetryUncertainCreation",
            ],
        ),
    ] {
        let (_, target, broken, _, expected) = TABLE.iter().find(|line| line.0 == name).unwrap();
        let Expected::Violated(property, trace) = expected else {
            panic!("{name} is a control");
        };
        let model = projection(*target, broken);
        let ends = ends(&model, actions);
        let violated = ends.iter().any(|state| !holds(&model, property, state));
        assert!(violated, "{name}: {actions:?}");
        assert_eq!(actions.len() + 1, *trace, "{name}");
    }
}

/// The defects that write without bound are found all the same, and searched no further.
#[test]
fn an_infinite_space_ends_at_a_violation_or_at_a_budget() {
    for (target, broken) in [
        (("existing", false, true, false), "unowned-admission"),
        (("created", false, true, false), "retry-uncertain"),
    ] {
        let report = check(&*model(target, broken, ALL), 2);
        assert!(
            matches!(report.verdict, Verdict::Violated { .. }),
            "{broken}"
        );
        let options = plumb_checker::SearchOptions {
            max_states: Some(3_000),
            ..Default::default()
        };
        let report = model(target, broken, "TypeOK").check(&options, &Default::default());
        assert!(
            matches!(report.verdict, Verdict::Inconclusive(_)),
            "{broken}"
        );
    }
}
