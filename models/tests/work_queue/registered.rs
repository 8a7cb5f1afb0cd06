//! The configurations of the document's table come out as published, and each control passes once
//! its defect is removed.
//!
//! Shared design, models/work-queue.md, section 1.

use std::num::NonZeroUsize;

use plumb_checker::{Progress, SearchOptions, StopReason, Verdict};
use plumb_models::WorkQueue;

use crate::harness::expectation::{Expected, assert_as_published, assert_expected};
use crate::harness::{assert_file_says_the_same, check, configured};
use crate::setting::Setting;

/// A line of the document's table.
#[derive(Clone, Copy)]
struct Line {
    name: &'static str,
    setting: Setting,
    /// Properties, as a cfg has them.
    checked: &'static str,
    expected: Expected,
}

impl Line {
    fn cfg(&self) -> String {
        let checked = self.checked;
        format!("{}\nCONSTRAINT Bound {checked}", self.setting.cfg())
    }
}

const RECOVERY: Line = Line {
    name: "Recovery",
    setting: Setting::of([1, 2, 2, 1, 1, 4, 5]),
    checked: "INVARIANT Safety PROPERTIES WorkerOneShot QueueSelection",
    expected: Expected::Exhausted {
        distinct: 147_542,
        generated: Some(589_079),
        depth: 20,
    },
};

/// The ones that are too large for a test: what they are asked, and not how they come out.
const LARGE: &[(&str, Setting, &str)] = &[
    (
        "WorkQueue",
        Setting::of([1, 2, 3, 2, 1, 3, 4]),
        "INVARIANT Safety PROPERTIES WorkerOneShot QueueSelection WorkResubmissionNoOp",
    ),
    (
        "QueueOrdering",
        Setting::of([2, 2, 2, 2, 1, 2, 4]),
        "INVARIANT Safety PROPERTIES WorkerOneShot QueueSelection",
    ),
];

const CONTROLS: &[Line] = &[
    Line {
        name: "BrokenCAS",
        setting: Setting::of([1, 2, 3, 2, 1, 4, 4]).specified("BrokenCASSpec"),
        checked: "INVARIANT TerminalPersistence",
        expected: Expected::Violated("TerminalPersistence", 7),
    },
    Line {
        name: "BrokenTerminal",
        setting: Setting::of([1, 2, 3, 2, 1, 3, 3]).specified("BrokenTerminalSpec"),
        checked: "INVARIANT TerminalFreeze",
        expected: Expected::Violated("TerminalFreeze", 10),
    },
    Line {
        name: "BrokenQueueSelection",
        setting: Setting::of([2, 2, 2, 1, 1, 2, 4]).specified("BrokenQueueSelectionSpec"),
        checked: "INVARIANT Safety PROPERTY QueueSelection",
        expected: Expected::ViolatedStep("QueueSelection", 4),
    },
];

/// The controls with constants that let the sound specification be searched to its end.
const SMALL_CONTROLS: &[Line] = &[
    Line {
        name: "BrokenCAS",
        setting: Setting::of([1, 1, 1, 2, 1, 2, 2]).specified("BrokenCASSpec"),
        checked: "INVARIANT TerminalPersistence",
        expected: Expected::Violated("TerminalPersistence", 7),
    },
    Line {
        name: "BrokenTerminal",
        setting: Setting::of([1, 2, 2, 1, 0, 3, 3]).specified("BrokenTerminalSpec"),
        checked: "INVARIANT TerminalFreeze",
        expected: Expected::Violated("TerminalFreeze", 10),
    },
    Line {
        name: "BrokenQueueSelection",
        setting: Setting::of([2, 2, 1, 1, 0, 2, 2]).specified("BrokenQueueSelectionSpec"),
        checked: "INVARIANT Safety PROPERTY QueueSelection",
        expected: Expected::ViolatedStep("QueueSelection", 4),
    },
];

const WITNESSES: &[Line] = &[
    Line {
        name: "WeakOrderingWitness",
        setting: Setting::of([2, 2, 2, 1, 1, 2, 4]),
        checked: "INVARIANTS Safety NoOutOfOrderClaim PROPERTY QueueSelection",
        expected: Expected::Violated("NoOutOfOrderClaim", 6),
    },
    Line {
        name: "CompetingClaimsWitness",
        setting: Setting::of([1, 2, 2, 2, 1, 4, 5]),
        checked: "INVARIANTS Safety NoCompetingClaims PROPERTY QueueSelection",
        expected: Expected::Violated("NoCompetingClaims", 9),
    },
    Line {
        name: "RecoveryWitness",
        setting: Setting::of([1, 2, 2, 1, 1, 4, 5]),
        checked: "INVARIANTS Safety NoRecoveredOrphan PROPERTY QueueSelection",
        expected: Expected::Violated("NoRecoveredOrphan", 8),
    },
    Line {
        name: "ExternalEffectWitness",
        setting: Setting::of([1, 2, 2, 1, 1, 4, 5]),
        checked: "INVARIANTS Safety NoExternalEffect PROPERTY QueueSelection",
        expected: Expected::Violated("NoExternalEffect", 11),
    },
];

/// Smaller constants, with the counts of TLC on the TLA+ module: distinct, generated and depth.
const COUNTED: &[(Setting, u64, u64, usize)] = &[
    (Setting::of([1, 1, 1, 1, 1, 2, 3]), 755, 3_081, 14),
    (Setting::of([2, 2, 1, 1, 0, 2, 2]), 4_366, 8_577, 11),
    (Setting::of([1, 1, 2, 1, 0, 3, 3]), 17_901, 73_348, 18),
    (Setting::of([2, 3, 1, 1, 0, 1, 3]), 8_924, 21_485, 14),
    (Setting::of([1, 2, 2, 1, 0, 3, 3]), 2_572, 9_199, 15),
    (Setting::of([2, 1, 1, 1, 1, 2, 3]), 4_709, 17_117, 16),
    (Setting::of([1, 1, 1, 2, 1, 2, 2]), 4_105, 15_240, 16),
    (Setting::of([1, 2, 2, 1, 1, 4, 4]), 40_382, 153_959, 19),
    (
        Setting::of([1, 1, 1, 2, 1, 2, 2]).specified("BrokenCASSpec"),
        5_004,
        17_970,
        18,
    ),
    (
        Setting::of([1, 3, 2, 2, 0, 2, 2]).specified("BrokenCASSpec"),
        21_584,
        83_495,
        21,
    ),
    (
        Setting::of([1, 2, 2, 1, 0, 3, 3]).specified("BrokenTerminalSpec"),
        2_572,
        9_235,
        15,
    ),
    (
        Setting::of([1, 2, 2, 1, 1, 4, 4]).specified("BrokenTerminalSpec"),
        40_598,
        157_271,
        19,
    ),
    (
        Setting::of([2, 2, 1, 1, 0, 2, 2]).specified("BrokenQueueSelectionSpec"),
        5_942,
        17_135,
        11,
    ),
    (
        Setting::of([2, 3, 1, 1, 0, 1, 3]).specified("BrokenQueueSelectionSpec"),
        31_850,
        94_338,
        14,
    ),
    (
        Setting::of([1, 1, 1, 2, 1, 2, 2]).specified("BrokenQueueSelectionSpec"),
        4_105,
        16_695,
        16,
    ),
    (
        Setting::of([1, 3, 2, 2, 0, 2, 2]).specified("BrokenQueueSelectionSpec"),
        21_471,
        96_430,
        18,
    ),
];

/// Everything that holds of the sound specification.
const EVERYTHING: &str = "CONSTRAINT Bound INVARIANT Safety PROPERTIES WorkerOneShot QueueSelection WorkResubmissionNoOp";

fn assert_all(lines: &[Line]) {
    for line in lines {
        assert_as_published::<WorkQueue>(line.name, &line.cfg(), line.expected);
    }
}

#[test]
fn the_cfg_files_say_what_the_table_says() {
    let lines = [RECOVERY].into_iter().chain(CONTROLS.iter().copied());
    let lines = lines.chain(WITNESSES.iter().copied());
    let asked = lines.map(|line| (line.name, line.setting, line.checked));
    let all: Vec<_> = asked.chain(LARGE.iter().copied()).collect();
    assert_eq!(all.len(), 10, "as many as the document's table");
    for (name, setting, checked) in all {
        let cfg = format!("{}\nCONSTRAINT Bound {checked}", setting.cfg());
        assert_file_says_the_same::<WorkQueue>(name, &cfg);
    }
}

#[test]
fn recovery_is_searched_to_its_published_end_with_any_number_of_threads() {
    assert_all(&[RECOVERY]);
}

#[test]
fn smaller_spaces_are_as_large_as_tlc_counts_them() {
    for (setting, distinct, generated, depth) in COUNTED {
        let expected = Expected::Exhausted {
            distinct: *distinct,
            generated: Some(*generated),
            depth: *depth,
        };
        let report = check(
            &*configured::<WorkQueue>(&format!("{}\nCONSTRAINT Bound", setting.cfg())),
            2,
        );
        assert_expected(&format!("{setting:?}"), &report, expected);
    }
}

#[test]
fn every_control_is_violated_as_published_with_any_number_of_threads() {
    assert_all(CONTROLS);
}

#[test]
fn every_witness_is_reached_as_published_with_any_number_of_threads() {
    assert_all(WITNESSES);
}

/// With the constants of the controls the sound specification is searched farther than the defect
/// reaches, and with smaller ones, under which the defect reaches as far, to the end.
#[test]
fn every_control_passes_without_its_defect() {
    assert_all(SMALL_CONTROLS);
    for line in SMALL_CONTROLS {
        let cfg = format!("{}\n{EVERYTHING}", line.setting.specified("Spec").cfg());
        let report = check(&*configured::<WorkQueue>(&cfg), 2);
        assert_eq!(report.verdict, Verdict::Exhausted, "{}", line.name);
    }
    for line in CONTROLS {
        let (Expected::Violated(_, trace) | Expected::ViolatedStep(_, trace)) = line.expected
        else {
            panic!("{} is a control", line.name);
        };
        let cfg = format!("{}\n{EVERYTHING}", line.setting.specified("Spec").cfg());
        let limit = 100_000;
        let options = SearchOptions {
            threads: NonZeroUsize::new(2).unwrap(),
            max_states: Some(limit),
            ..SearchOptions::default()
        };
        let report = configured::<WorkQueue>(&cfg).check(&options, &Progress::default());
        let stopped = Verdict::Inconclusive(StopReason::States(limit));
        assert_eq!(report.verdict, stopped, "{}", line.name);
        assert!(report.depth() >= trace, "{} levels", report.depth());
    }
}

/// stateright drops what is outside of a constraint unchecked, so that its verdict stays open; the
/// states inside are the same ones.
#[test]
fn stateright_counts_the_same() {
    let report = configured::<WorkQueue>(&RECOVERY.cfg())
        .check_with_stateright(&Default::default(), &std::sync::Arc::default());
    assert_eq!(report.distinct, 147_542);
    assert_eq!(report.generated, 589_079);
}

#[test]
fn components_change_nothing_of_what_is_found() {
    let lines = [RECOVERY].into_iter().chain(CONTROLS.iter().copied());
    for line in lines.chain(WITNESSES.iter().copied()) {
        let model = configured::<WorkQueue>(&line.cfg());
        let found = |components| {
            let options = SearchOptions {
                components,
                ..SearchOptions::default()
            };
            let report = model.check(&options, &Progress::default());
            let counts = (report.distinct, report.generated, report.outside);
            (
                report.verdict,
                counts,
                report.levels,
                report.actions,
                report.trace,
            )
        };
        assert_eq!(found(true), found(false), "{}", line.name);
    }
}
