//! Holding a report against what is expected of it.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::time::Duration;

use plumb_checker::specs::{NeverTaken, Vacuity};
use plumb_checker::{
    Expectation, ExpectedVerdict, Outcome, PropertyKind, Report, StopReason, TraceStep, Verdict,
};
use plumb_tla::{State, Value};

fn exhausted() -> Report {
    Report {
        verdict: Verdict::Exhausted,
        distinct: 3,
        generated: 5,
        outside: 0,
        queue: 0,
        levels: vec![1, 2],
        actions: vec![("Go", 4), ("Stop", 0)],
        trace: Vec::new(),
        lasso: None,
        memory: 1000,
        elapsed: Duration::from_secs(1),
    }
}

fn violated(property: &str, conjunct: Option<&str>, length: usize) -> Report {
    let step = TraceStep {
        action: None,
        state: State::new([("n", Value::int(1))]),
    };
    Report {
        verdict: Verdict::Violated {
            property: property.to_owned(),
            kind: PropertyKind::Invariant,
            conjunct: conjunct.map(str::to_owned),
        },
        trace: vec![step; length],
        ..exhausted()
    }
}

fn assumption(name: &str, conjunct: Option<&str>) -> Report {
    Report {
        verdict: Verdict::Assumption {
            name: name.to_owned(),
            conjunct: conjunct.map(str::to_owned),
        },
        distinct: 0,
        generated: 0,
        levels: Vec::new(),
        ..exhausted()
    }
}

/// An expectation as the registry writes it.
fn expect(fields: &str) -> Expectation {
    toml::from_str(fields).unwrap()
}

fn judge(expected: &str, report: &Report) -> Vec<String> {
    match expect(expected).judge(report) {
        Outcome::AsExpected => Vec::new(),
        Outcome::Unexpected(differences) => {
            assert!(!differences.is_empty());
            differences
        }
        Outcome::None => panic!("nothing was compared"),
    }
}

const EXHAUSTED: &str = "verdict = 'exhausted'\ndistinct = 3\ngenerated = 5\ndepth = 2";
const SAFETY: &str = "verdict = 'violated'\nproperty = 'Safety'\nconjunct = 'B'\ntrace = 4";

#[test]
fn what_is_expected_and_found_is_as_expected() {
    for (expected, report) in [
        (EXHAUSTED, exhausted()),
        ("verdict = 'exhausted'", exhausted()),
        (SAFETY, violated("Safety", Some("B"), 4)),
        (
            "verdict = 'violated'\nproperty = 'Safety'",
            violated("Safety", Some("A"), 9),
        ),
        (
            "verdict = 'assumption'\nproperty = 'K'",
            assumption("K", None),
        ),
        (
            "verdict = 'assumption'\nproperty = 'Both'\nconjunct = 'K'",
            assumption("Both", Some("K")),
        ),
    ] {
        assert_eq!(
            expect(expected).judge(&report),
            Outcome::AsExpected,
            "{expected}"
        );
    }
}

#[test]
fn each_figure_that_differs_is_told() {
    for (change, difference) in [
        ("distinct = 4", "distinct: expected 4, found 3"),
        ("generated = 4", "generated: expected 4, found 5"),
        ("depth = 3", "depth: expected 3, found 2"),
    ] {
        let (field, _) = change.split_once(' ').unwrap();
        let lines = EXHAUSTED.lines().map(|line| {
            if line.starts_with(field) {
                change
            } else {
                line
            }
        });
        let expected: Vec<&str> = lines.collect();
        assert_eq!(judge(&expected.join("\n"), &exhausted()), [difference]);
    }
    let all = "verdict = 'exhausted'\ndistinct = 1\ngenerated = 1\ndepth = 1";
    assert_eq!(
        judge(all, &exhausted()).len(),
        3,
        "all of them, not only the first"
    );
}

#[test]
fn a_control_that_is_violated_for_another_reason_is_unexpected() {
    for (report, differences) in [
        (
            violated("Other", None, 4),
            vec![
                "property: expected Safety, found Other",
                "conjunct: expected B, found none",
            ],
        ),
        (
            violated("Safety", Some("A"), 4),
            vec!["conjunct: expected B, found A"],
        ),
        (
            violated("Safety", Some("B"), 3),
            vec!["trace length: expected 4, found 3"],
        ),
        (
            exhausted(),
            vec![
                "verdict: expected violated, found exhausted",
                "property: expected Safety, found none",
                "conjunct: expected B, found none",
                "trace length: expected 4, found 0",
            ],
        ),
        (
            assumption("Safety", Some("B")),
            vec![
                "verdict: expected violated, found assumption",
                "trace length: expected 4, found 0",
            ],
        ),
    ] {
        assert_eq!(judge(SAFETY, &report), differences);
    }
}

#[test]
fn a_witness_whose_safety_fails_is_unexpected() {
    let witness = "verdict = 'violated'\nproperty = 'NoProgress'\ntrace = 6";
    assert_eq!(
        judge(witness, &violated("Safety", Some("A"), 6)),
        ["property: expected NoProgress, found Safety"]
    );
}

#[test]
fn a_bound_that_is_violated_is_unexpected_and_the_property_is_named() {
    let differences = judge("verdict = 'exhausted'", &violated("Safety", None, 2));
    assert_eq!(
        differences,
        [
            "verdict: expected exhausted, found violated",
            "property: expected none, found Safety",
        ]
    );
    let differences = judge("verdict = 'exhausted'", &assumption("K", None));
    assert_eq!(differences[1], "property: expected none, found K");
}

#[test]
fn a_search_that_did_not_come_to_an_end_has_no_outcome() {
    let reasons = [
        StopReason::States(3),
        StopReason::Time(Duration::from_secs(1)),
        StopReason::Memory(1),
        StopReason::Interrupted,
        StopReason::Unchecked("step properties".to_owned()),
    ];
    let mut verdicts: Vec<Verdict> = reasons.into_iter().map(Verdict::Inconclusive).collect();
    verdicts.push(Verdict::Error {
        message: "defect".to_owned(),
        state: None,
    });
    for verdict in verdicts {
        let report = Report {
            verdict,
            ..exhausted()
        };
        for expected in [EXHAUSTED, SAFETY] {
            assert_eq!(expect(expected).judge(&report), Outcome::None);
        }
    }
}

#[test]
fn an_engine_without_levels_is_not_held_to_the_depth_but_a_search_without_states_is() {
    let without_levels = Report {
        levels: Vec::new(),
        ..exhausted()
    };
    assert!(judge(EXHAUSTED, &without_levels).is_empty());
    let empty = Report {
        distinct: 0,
        ..without_levels
    };
    assert_eq!(
        judge("verdict = 'exhausted'\ndepth = 2", &empty),
        ["depth: expected 2, found 0"]
    );
}

#[test]
fn an_expectation_has_no_other_fields() {
    for wrong in ["outside = 3", "memory = 1", "Distinct = 3"] {
        let text = format!("verdict = 'exhausted'\n{wrong}");
        assert!(toml::from_str::<Expectation>(&text).is_err(), "{wrong}");
    }
    assert_eq!(
        expect("verdict = 'exhausted'").verdict,
        ExpectedVerdict::Exhausted
    );
}

#[test]
fn outcomes_have_their_words() {
    assert_eq!(Outcome::AsExpected.word(), "as_expected");
    assert_eq!(Outcome::Unexpected(Vec::new()).word(), "unexpected");
    assert_eq!(Outcome::None.word(), "none");
}

#[test]
fn an_action_that_an_exhausted_search_never_takes_is_warned_of_unless_it_is_listed() {
    let listed = |action: &str| NeverTaken {
        action: action.to_owned(),
        reason: "the bounds".to_owned(),
    };
    let found = Vacuity::of(&exhausted(), &[]);
    assert_eq!(found.never_taken, [("Stop", None)]);
    assert_eq!(found.warnings().len(), 1);
    assert!(
        Vacuity::of(&exhausted(), &[listed("Stop")])
            .warnings()
            .is_empty()
    );
    let wrong = Vacuity::of(&exhausted(), &[listed("Stop"), listed("Go")]);
    assert_eq!(wrong.taken_after_all, ["Go"]);
    assert_eq!(wrong.warnings().len(), 1);
    // An engine that counts no actions has none to warn of.
    let uncounted = Report {
        actions: Vec::new(),
        ..exhausted()
    };
    let found = Vacuity::of(&uncounted, &[listed("Stop")]);
    assert_eq!(found, Vacuity::default());
    // A search that a violation ended early took what it took.
    assert_eq!(
        Vacuity::of(&violated("A", None, 1), &[listed("Go")]),
        Vacuity::default()
    );
}
