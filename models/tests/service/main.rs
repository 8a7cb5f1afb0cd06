//! What the model `QueueService` is held to: published figures and vectors, the laws of a checked
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
mod registered;
mod vectors;

use std::collections::HashSet;

use plumb_models::QueueService;
use plumb_models::finite::Finite;
use plumb_models::service::Key;

use harness::laws::{Sample, assert_laws};
use harness::mutation::{Conjuncts, guarded};
use harness::walk::reachable;

guarded!(QueueService);

/// The constants of a configuration, without the choice of properties.
pub(crate) fn constants(specification: &str, mode: &str, dynamic: bool, packable: bool) -> String {
    let truth = |value: bool| if value { "TRUE" } else { "FALSE" };
    format!(
        "SPECIFICATION {specification} CONSTANTS Weights <- ReferenceWeights Mode = \"{mode}\" \
         Dynamic = {} Packable = {}",
        truth(dynamic),
        truth(packable)
    )
}

pub(crate) fn service(mode: &str, dynamic: bool, packable: bool) -> QueueService {
    harness::model(&constants("Spec", mode, dynamic, packable))
}

#[test]
fn the_laws_hold_in_every_reachable_state() {
    for mode in ["weighted", "strict", "broken"] {
        for dynamic in [false, true] {
            for packable in [false, true] {
                let model = service(mode, dynamic, packable);
                assert_laws(&model, &reachable(&model, &[], 12_000));
            }
        }
    }
}

#[test]
fn damaged_encodings_and_foreign_values_are_refused_or_taken_as_they_are() {
    for (mode, dynamic) in [("weighted", false), ("weighted", true), ("strict", false)] {
        let model = service(mode, dynamic, true);
        let states = reachable(&model, &[], 2_000);
        Sample { model, states }.assert_strict(&["weighted", "1", ""], 3_000, |_, _| ());
    }
}

#[test]
fn every_conjunct_matters() {
    let mut conjuncts = Conjuncts::default();
    for dynamic in [false, true] {
        for packable in [false, true] {
            let model = service("weighted", dynamic, packable);
            conjuncts.explore(&model, &reachable(&model, &[], usize::MAX));
        }
    }
    conjuncts.assert_redundant::<QueueService>(&[]);
}

/// The document's section 3: the reachable clocks are finite.
#[test]
fn clocks_stay_within_a_stride_and_are_few() {
    let model = service("weighted", true, true);
    let states = reachable(&model, &[], usize::MAX);
    assert_eq!(states.len(), 60_360);
    let mut clocks = HashSet::new();
    for state in states {
        let within = |key: &Key| (0..=key.stride()).contains(&state.passes[*key]);
        assert!(Key::ALL.iter().all(within), "{:?}", state.passes);
        clocks.insert(state.passes);
    }
    assert_eq!(clocks.len(), 253);
}

#[test]
fn a_faulty_cfg_is_told_what_the_model_takes() {
    let error = |old: &str, new: &str| {
        let cfg = constants("Spec", "weighted", false, true);
        assert!(cfg.contains(old), "{old} is to be replaced");
        harness::configuration_error::<QueueService>(&cfg.replacen(old, new, 1))
    };
    for (old, new, expected) in [
        (
            "<- ReferenceWeights",
            "<- OtherWeights",
            "unknown operator OtherWeights: expected ReferenceWeights",
        ),
        (
            "<- ReferenceWeights",
            "= 5",
            "constant Weights: expected `Weights <- …` with one of ReferenceWeights, found 5",
        ),
        (
            "\"weighted\"",
            "\"fair\"",
            "constant Mode: expected one of \"weighted\", \"strict\", \"broken\", found \"fair\"",
        ),
        (
            "Spec",
            "FairSpec",
            "unknown specification FairSpec: expected one of Spec, UnfairSpec",
        ),
    ] {
        assert_eq!(error(old, new), expected);
    }
}
