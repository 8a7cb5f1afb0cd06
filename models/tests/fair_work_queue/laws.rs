//! The laws of a checked model, and that leaving out what is a function of the rest changes
//! nothing.

use plumb_checker::CheckedModel;
use plumb_models::FairWorkQueue;
use plumb_models::fair_work_queue::State;

use crate::harness::laws::{Sample, assert_laws, encoded};
use crate::setting::Setting;
use crate::spaces::{settings, states};

#[test]
fn the_laws_hold_in_reachable_states_of_every_specification() {
    for setting in settings() {
        let model = setting.model();
        assert_laws(&model, &states(&model, 2_500));
    }
}

/// Whatever is a function of other variables is left out of a state: the step that only changes
/// the rest comes to the same as the one that changes all thirteen variables.
fn assert_nothing_is_forgotten(model: &FairWorkQueue, state: &State) {
    let mut actions = Vec::new();
    stateright::Model::actions(model, state, &mut actions);
    for action in actions {
        let next = model.apply(state, action);
        assert_eq!(
            next,
            model.apply_to_all(state, action),
            "{action:?} in {state:?}"
        );
    }
}

#[test]
fn steps_of_what_is_kept_are_steps_of_all_variables() {
    for setting in settings() {
        let model = setting.model();
        let states = states(&model, 6_000);
        states
            .iter()
            .for_each(|state| assert_nothing_is_forgotten(&model, state));
    }
}

/// Under the sound specification, on the way to a join, and with checkpoints nothing is ever more
/// than a function of what is kept; under some broken ones it is.
#[test]
fn only_defects_set_variables_apart() {
    for setting in settings() {
        let model = setting.model();
        let apart = states(&model, 20_000)
            .iter()
            .filter(|state| state.apart.is_some())
            .count();
        let expected = [
            "BrokenSelectionSpec",
            "BrokenDependencySpec",
            "BrokenExternalSpec",
            "BrokenCASSpec",
            "BrokenProjectionSpec",
        ];
        let is_expected = expected.contains(&setting.specification);
        assert_eq!(
            apart > 0,
            is_expected,
            "{setting:?} has {apart} states apart"
        );
    }
}

const WORDS: &[&str] = &[
    "absent",
    "available",
    "open",
    "completed",
    "cancelled",
    "reserved",
    "bound",
    "terminal",
    "released",
    "idle",
    "prepared",
    "done",
    "none",
    "agent",
    "finalizing",
    "pending",
    "verified",
    "ready",
    "merged",
    "Claim",
    "Close",
    "Result",
    "Release",
    "Observe",
    "Checkpoint",
];

#[test]
fn damaged_encodings_and_foreign_values_are_refused_or_taken_as_they_are() {
    for setting in [
        Setting::of([2, 2, 2, 2, 1, 2, 1, 10]),
        Setting::of([2, 2, 2, 2, 1, 2, 1, 10]).specified("BrokenCASSpec"),
        Setting::of([2, 2, 1, 2, 2, 2, 1, 10])
            .edges("Chain")
            .external("GitHubChild")
            .specified("BrokenPRSpec"),
        Setting::of([3, 2, 2, 2, 2, 1, 1, 9])
            .mode("weighted")
            .specified("BrokenSelectionSpec"),
        Setting::of([2, 2, 1, 2, 2, 2, 1, 5]).specified("CheckpointSpec"),
    ] {
        let model = setting.model();
        // Some from the beginning and some from deep inside, where logs are long.
        let states = states(&model, 12_000);
        let states: Vec<State> = states.iter().step_by(7).cloned().collect();
        Sample { model, states }.assert_strict(WORDS, 2_000, assert_nothing_is_forgotten);
    }
}

/// The document's section 13: what must not be left out of a state's identity.
#[test]
fn what_counts_to_identity_is_told_apart() {
    let model = Setting::of([2, 2, 1, 2, 2, 2, 1, 10]).model();
    let all = states(&model, 20_000);
    let differ = |name: &str, pair: fn(&State, &State) -> bool| {
        let found = all.iter().any(|a| all.iter().take(500).any(|b| pair(a, b)));
        assert!(found, "no two states differ only so: {name}");
    };
    differ("order of records", |a, b| {
        a.projection() == b.projection() && a.groups == b.groups && a.log() != b.log()
    });
    differ("base of a plan on record", |a, b| {
        let bases = |state: &State| {
            let groups = state.groups.iter();
            groups.map(|group| group.pending.base).collect::<Vec<_>>()
        };
        a.log() == b.log() && bases(a) != bases(b)
    });
    let encodings: std::collections::HashSet<Vec<u8>> =
        all.iter().map(|state| encoded(&model, state)).collect();
    assert_eq!(encodings.len(), all.len());
    assert_eq!(FairWorkQueue::VARIABLES.len(), 13);
}
