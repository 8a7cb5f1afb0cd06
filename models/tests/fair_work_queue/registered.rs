//! The configurations of the document's table come out as published, and each control passes once
//! its defect is removed.
//!
//! Shared design, models/fair-work-queue.md, table of registered configurations.

use plumb_checker::Verdict;
use plumb_models::FairWorkQueue;

use crate::harness::expectation::{Expected, assert_as_published, assert_expected};
use crate::harness::{assert_file_says_the_same, check, configured};
use crate::setting::Setting;

/// A line of the document's table.
pub(crate) struct Line {
    pub(crate) name: &'static str,
    pub(crate) setting: Setting,
    /// Constraints and properties, as a cfg has them.
    pub(crate) checked: &'static str,
    pub(crate) expected: Expected,
}

impl Line {
    pub(crate) fn cfg(&self) -> String {
        format!("{}\n{}", self.setting.cfg(), self.checked)
    }
}

const BOUNDED_SAFETY: &str = "CONSTRAINT Bound INVARIANT Safety";

const fn bound(
    name: &'static str,
    setting: Setting,
    distinct: u64,
    generated: u64,
    depth: usize,
) -> Line {
    Line {
        name,
        setting,
        checked: BOUNDED_SAFETY,
        expected: Expected::Exhausted {
            distinct,
            generated: Some(generated),
            depth,
        },
    }
}

const fn control(
    name: &'static str,
    setting: Setting,
    checked: &'static str,
    property: &'static str,
    trace: usize,
) -> Line {
    Line {
        name,
        setting,
        checked,
        expected: Expected::Violated(property, trace),
    }
}

/// The configurations that are searched to the end, but for the one of a million states.
pub(crate) const BOUNDS: &[Line] = &[
    bound(
        "FairBatch",
        Setting::of([2, 2, 2, 2, 1, 2, 1, 10]),
        13_662,
        16_655,
        20,
    ),
    bound(
        "FairThreeClaim",
        Setting::of([3, 1, 3, 3, 1, 3, 1, 13]),
        34_075,
        41_204,
        23,
    ),
    bound(
        "FairPriority",
        Setting::of([3, 1, 2, 2, 1, 2, 1, 9]).mode("weighted"),
        675,
        880,
        17,
    ),
    bound(
        "FairStrict",
        Setting::of([3, 1, 2, 2, 1, 1, 1, 9]).mode("strict"),
        675,
        880,
        17,
    ),
    bound(
        "FairDAGChain",
        Setting::of([2, 2, 1, 2, 2, 2, 1, 13]).edges("Chain"),
        13_846,
        20_719,
        24,
    ),
    bound(
        "FairDAGForward",
        Setting::of([2, 2, 1, 2, 2, 2, 1, 13]).edges("Forward"),
        13_846,
        20_719,
        24,
    ),
    bound(
        "FairDAGFork",
        Setting::of([3, 2, 2, 3, 2, 3, 1, 14]).edges("Fork"),
        70_602,
        141_747,
        28,
    ),
    bound(
        "FairGitHubDependencies",
        Setting::of([1, 1, 1, 1, 1, 1, 1, 8]).external("GitHub"),
        9_749,
        23_599,
        14,
    ),
    Line {
        name: "FairCheckpoint",
        setting: Setting::of([2, 2, 1, 2, 2, 2, 1, 5]).specified("CheckpointSpec"),
        checked: "INVARIANT Safety PROPERTY CheckpointProgress",
        expected: Expected::Exhausted {
            distinct: 168,
            generated: Some(197),
            depth: 10,
        },
    },
];

/// The one of a million states; how many it generates is not published.
pub(crate) const LARGEST: Line = Line {
    name: "FairDAGGitHub",
    setting: Setting::of([2, 2, 1, 2, 2, 2, 1, 10])
        .edges("Chain")
        .external("GitHubChild"),
    checked: "CONSTRAINTS Bound OneObservationPerResource INVARIANT Safety",
    expected: Expected::Exhausted {
        distinct: 1_055_182,
        generated: None,
        depth: 20,
    },
};

/// The negative controls, but for the one with cyclic constants.
pub(crate) const CONTROLS: &[Line] = &[
    control(
        "BrokenProjection",
        Setting::of([2, 1, 2, 2, 1, 2, 1, 9]).specified("BrokenProjectionSpec"),
        "CONSTRAINT Bound INVARIANT ProjectionSoundness",
        "ProjectionSoundness",
        2,
    ),
    control(
        "BrokenBatchSelection",
        Setting::of([2, 1, 2, 2, 1, 2, 1, 10]).specified("BrokenSelectionSpec"),
        "CONSTRAINT Bound INVARIANT DecisionValidity",
        "DecisionValidity",
        3,
    ),
    control(
        "BrokenClaimEffects",
        Setting::of([2, 1, 2, 2, 1, 2, 1, 10]).specified("BrokenEffectsSpec"),
        "CONSTRAINT Bound INVARIANT EffectAuthorization",
        "EffectAuthorization",
        9,
    ),
    control(
        "BrokenAssignmentHandle",
        Setting::of([2, 2, 1, 2, 2, 2, 1, 10]).specified("BrokenHandleSpec"),
        "CONSTRAINT Bound INVARIANT ClaimClosureAuthority",
        "ClaimClosureAuthority",
        9,
    ),
    control(
        "BrokenBatchCAS",
        Setting::of([2, 2, 2, 2, 1, 2, 1, 10]).specified("BrokenCASSpec"),
        "CONSTRAINT Bound INVARIANT TerminalPersistence",
        "TerminalPersistence",
        10,
    ),
    control(
        "BrokenBatchRelease",
        Setting::of([2, 1, 2, 2, 1, 2, 1, 10]).specified("BrokenReleaseSpec"),
        "CONSTRAINT Bound INVARIANT RunReleaseAuthority",
        "RunReleaseAuthority",
        9,
    ),
    control(
        "BrokenDAGDependency",
        Setting::of([2, 1, 2, 2, 1, 2, 1, 12])
            .edges("Chain")
            .specified("BrokenDependencySpec"),
        "CONSTRAINT Bound INVARIANT DependencyAuthorization",
        "DependencyAuthorization",
        3,
    ),
    control(
        "BrokenDAGResult",
        Setting::of([2, 1, 2, 2, 1, 2, 1, 12])
            .edges("Chain")
            .specified("BrokenResultSpec"),
        "CONSTRAINT Bound INVARIANT ResultEffectSoundness",
        "ResultEffectSoundness",
        9,
    ),
    control(
        "BrokenExternalDependency",
        Setting::of([1, 1, 1, 1, 1, 1, 1, 8])
            .external("GitHub")
            .specified("BrokenExternalSpec"),
        "CONSTRAINT Bound INVARIANT ExternalAuthorization",
        "ExternalAuthorization",
        3,
    ),
    control(
        "BrokenPRClosedAsMerged",
        Setting::of([1, 1, 1, 1, 1, 1, 1, 8])
            .external("GitHub")
            .specified("BrokenPRSpec"),
        "CONSTRAINT Bound INVARIANT ExternalTruth",
        "ExternalTruth",
        2,
    ),
];

const CYCLE: Line = Line {
    name: "BrokenDAGCycle",
    setting: Setting::of([2, 1, 2, 2, 1, 2, 1, 12]).edges("Cyclic"),
    checked: "CONSTRAINT Bound INVARIANT DAGValidity",
    expected: Expected::Assumption("DAGValidity"),
};

pub(crate) const WITNESSES: &[Line] = &[
    control(
        "BatchedAssignmentWitness",
        Setting::of([2, 1, 2, 2, 1, 2, 1, 10]),
        "CONSTRAINT Bound INVARIANTS Safety NoBatchedAssignment",
        "NoBatchedAssignment",
        3,
    ),
    control(
        "PartialCompletionWitness",
        Setting::of([2, 1, 2, 2, 1, 2, 1, 10]),
        "CONSTRAINT Bound INVARIANTS Safety NoPartialCompletion",
        "NoPartialCompletion",
        8,
    ),
    control(
        "DAGJoinWitness",
        Setting::of([4, 3, 2, 3, 2, 3, 1, 17])
            .edges("Diamond")
            .specified("JoinWitnessSpec"),
        "CONSTRAINT Bound INVARIANTS Safety NoJoinClaim",
        "NoJoinClaim",
        30,
    ),
    control(
        "CheckpointRaceWitness",
        Setting::of([2, 2, 1, 2, 2, 2, 1, 5]).specified("CheckpointSpec"),
        "INVARIANT CheckpointRace",
        "CheckpointRace",
        5,
    ),
];

fn assert_all(lines: &[Line]) {
    for line in lines {
        assert_as_published::<FairWorkQueue>(line.name, &line.cfg(), line.expected);
    }
}

#[test]
fn the_cfg_files_say_what_the_table_says() {
    let lines = BOUNDS.iter().chain(CONTROLS).chain(WITNESSES);
    let lines: Vec<&Line> = lines.chain([&LARGEST, &CYCLE]).collect();
    assert_eq!(lines.len(), 25, "as many as the document's table");
    for line in lines {
        assert_file_says_the_same::<FairWorkQueue>(line.name, &line.cfg());
    }
}

#[test]
fn every_bound_is_searched_to_its_published_end_with_any_number_of_threads() {
    assert_all(BOUNDS);
}

#[test]
fn every_control_is_violated_as_published_with_any_number_of_threads() {
    assert_all(CONTROLS);
    assert_all(&[CYCLE]);
}

#[test]
fn every_witness_is_reached_as_published_with_any_number_of_threads() {
    assert_all(WITNESSES);
}

#[test]
fn the_largest_bound_is_searched_to_its_published_end() {
    let report = check(&*configured::<FairWorkQueue>(&LARGEST.cfg()), 2);
    assert_expected(LARGEST.name, &report, LARGEST.expected);
    assert!(report.outside > 0, "records beyond the bound are checked");
    assert!(report.memory < 1 << 30, "{} bytes", report.memory);
}

#[test]
fn every_control_passes_without_its_defect() {
    for line in CONTROLS {
        let setting = line.setting.specified("Spec");
        let cfg = format!("{}\n{BOUNDED_SAFETY}", setting.cfg());
        let report = check(&*configured::<FairWorkQueue>(&cfg), 2);
        assert_eq!(report.verdict, Verdict::Exhausted, "{}", line.name);
    }
    let acyclic = format!("{}\n{BOUNDED_SAFETY}", CYCLE.setting.edges("Chain").cfg());
    let report = check(&*configured::<FairWorkQueue>(&acyclic), 2);
    assert_eq!(report.verdict, Verdict::Exhausted, "{}", CYCLE.name);
}

/// stateright drops what is outside of a constraint unchecked, so that its verdict stays open; the
/// states inside are the same ones.
#[test]
fn stateright_counts_the_same() {
    for line in BOUNDS {
        let Expected::Exhausted { distinct, .. } = line.expected else {
            panic!("{} is a bound", line.name);
        };
        let report = configured::<FairWorkQueue>(&line.cfg())
            .check_with_stateright(&Default::default(), &std::sync::Arc::default());
        assert_eq!(report.distinct, distinct, "{}", line.name);
    }
}
