//! What the model `IssueProjection` is held to: published figures and traces, the laws of a checked
//! model, and that every conjunct of every guard is there for a reason.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may fail by panicking, also in a function that several tests share"
)]

#[path = "../harness/mod.rs"]
mod harness;

mod invariants;
mod redundant;
mod registered;

use plumb_models::IssueProjection;
use plumb_models::projection::State;

use harness::laws::{Sample, assert_laws};
use harness::mutation::{Conjuncts, guarded};
use harness::walk::reachable;

guarded!(IssueProjection);

/// The values of `Broken`.
const BROKEN: [&str; 4] = [
    "none",
    "unowned-admission",
    "payload-close",
    "retry-uncertain",
];

/// The constants but `Broken`: target mode, grant, first policy, pull request.
pub(crate) type Target = (&'static str, bool, bool, bool);

/// Every target.
fn targets() -> Vec<Target> {
    let mut all = Vec::new();
    for mode in ["existing", "created"] {
        for bits in 0..8 {
            all.push((mode, bits & 1 != 0, bits & 2 != 0, bits & 4 != 0));
        }
    }
    all
}

/// The constants of a configuration, without the choice of properties.
pub(crate) fn constants((mode, grant, close, pull_request): Target, broken: &str) -> String {
    let truth = |value: bool| if value { "TRUE" } else { "FALSE" };
    format!(
        "SPECIFICATION Spec CONSTANTS TargetMode = \"{mode}\" TargetGrant = {} \
         InitialClosePolicy = {} IsPullRequest = {} Broken = \"{broken}\"",
        truth(grant),
        truth(close),
        truth(pull_request)
    )
}

pub(crate) fn projection(target: Target, broken: &str) -> IssueProjection {
    harness::model(&constants(target, broken))
}

/// Of the two modes without bound, states enough to have repeated what repeats.
const LIMIT: usize = 2_000;

fn states(model: &IssueProjection) -> Vec<State> {
    reachable(model, &[], LIMIT)
}

#[test]
fn the_laws_hold_in_every_reachable_state() {
    for target in targets() {
        for broken in BROKEN {
            let model = projection(target, broken);
            assert_laws(&model, &states(&model));
        }
    }
}

#[test]
fn damaged_encodings_and_foreign_values_are_refused_or_taken_as_they_are() {
    let words = &["none", "intent", "held", "uncertain", "human content", ""];
    for (target, broken) in [
        (("existing", true, true, false), "none"),
        (("created", false, true, false), "retry-uncertain"),
    ] {
        let model = projection(target, broken);
        let states = states(&model);
        Sample { model, states }.assert_strict(words, 3_000, |_, _| ());
    }
}

#[test]
fn every_conjunct_matters_or_is_known_to_be_redundant() {
    let mut conjuncts = Conjuncts::default();
    for target in targets() {
        for broken in BROKEN {
            let model = projection(target, broken);
            conjuncts.explore(&model, &states(&model));
        }
    }
    conjuncts.assert_redundant::<IssueProjection>(redundant::REDUNDANT);
}

#[test]
fn numbers_stay_at_the_end_of_their_type() {
    let model = projection(("created", false, true, false), "retry-uncertain");
    let retry = plumb_models::projection::Action::UnsafeRetryUncertainCreation;
    let states = states(&model);
    let uncertain = states
        .iter()
        .find(|state| model.guard(state, retry).holds());
    let full = State {
        create_attempts: i64::MAX,
        native_writes: i64::MAX,
        unauthorized_writes: i64::MAX - 1,
        ..*uncertain.unwrap()
    };
    let next = model.apply(&full, retry);
    assert_eq!(
        (
            next.create_attempts,
            next.native_writes,
            next.unauthorized_writes
        ),
        (i64::MAX, i64::MAX, i64::MAX)
    );
}

#[test]
fn a_faulty_cfg_is_told_what_the_model_takes() {
    let cfg = constants(("created", false, true, false), "none");
    let error = |old: &str, new: &str| {
        assert!(cfg.contains(old), "{old} is to be replaced");
        harness::configuration_error::<IssueProjection>(&cfg.replacen(old, new, 1))
    };
    for (old, new, expected) in [
        (
            "\"created\"",
            "\"made\"",
            "constant TargetMode: expected one of \"existing\", \"created\", found \"made\"",
        ),
        (
            "\"none\"",
            "\"retry\"",
            "constant Broken: expected one of \"none\", \"unowned-admission\", \"payload-close\", \
             \"retry-uncertain\", found \"retry\"",
        ),
        (
            "TargetGrant = FALSE",
            "TargetGrant = 0",
            "constant TargetGrant: expected TRUE or FALSE, found 0",
        ),
    ] {
        assert_eq!(error(old, new), expected);
    }
}

#[test]
fn a_defect_has_its_own_actions_only() {
    let target = ("existing", false, true, false);
    let sound = harness::action_names(&projection(target, "none"));
    assert_eq!(sound.len(), 12);
    for (broken, added) in [
        (
            "unowned-admission",
            &["UnsafeAdmission", "UnsafeProjectUnowned"] as &[&str],
        ),
        ("payload-close", &["UnsafeCloseFromPayload"]),
        ("retry-uncertain", &["UnsafeRetryUncertainCreation"]),
    ] {
        let names = harness::action_names(&projection(target, broken));
        assert_eq!(names, [&sound, added].concat(), "{broken}");
    }
}
