//! The laws of a checked model.

use std::collections::HashSet;

use plumb_checker::{CheckedModel, Components};
use plumb_models::WorkQueue;
use plumb_models::work_queue::{DispatcherPhase, Fact, Sequence, State, WorkerPhase};

use crate::harness::laws::{Sample, assert_laws, encoded};
use crate::setting::Setting;
use crate::spaces::{settings, states};

#[test]
fn the_laws_hold_in_reachable_states_of_every_specification() {
    for setting in settings() {
        let model = setting.model();
        assert_laws(&model, &states(&model, 1_500));
    }
}

/// The encoding of a state is that of its components, one after the other.
fn assert_components_make_the_whole(model: &WorkQueue, state: &State) {
    let mut all = Vec::new();
    let components: Vec<Vec<u8>> = (0..model.component_count())
        .map(|component| {
            let mut bytes = Vec::new();
            model.encode_component(state, component, &mut bytes);
            all.extend_from_slice(&bytes);
            bytes
        })
        .collect();
    assert_eq!(all, encoded(model, state));
    let components: Vec<&[u8]> = components.iter().map(Vec::as_slice).collect();
    assert_eq!(model.decode_components(&components).as_ref(), Some(state));
}

/// Words that stand in states of the model.
const WORDS: &[&str] = &[
    "agent",
    "waiting",
    "prepared",
    "committed",
    "done",
    "failed",
    "idle",
    "Work",
    "Claim",
    "ClaimCancellation",
    "WorkCancellation",
    "Completion",
];

#[test]
fn damaged_encodings_and_foreign_values_are_refused_or_taken_as_they_are() {
    for setting in [
        Setting::of([1, 2, 2, 1, 1, 4, 5]),
        Setting::of([2, 3, 4, 2, 2, 4, 6]),
        Setting::of([1, 2, 3, 2, 1, 4, 4]).specified("BrokenCASSpec"),
        Setting::of([1, 2, 3, 2, 1, 3, 3]).specified("BrokenTerminalSpec"),
        Setting::of([2, 2, 2, 1, 1, 2, 4]).specified("BrokenQueueSelectionSpec"),
    ] {
        let model = setting.model();
        // Some from the beginning and some from deep inside, where logs are long.
        let states = states(&model, 12_000);
        let states: Vec<State> = states.iter().step_by(7).cloned().collect();
        Sample { model, states }.assert_strict(WORDS, 2_000, assert_components_make_the_whole);
    }
}

/// The document's section 4.1: what must not be left out of a state's identity, though it has
/// served its purpose.
#[test]
fn what_counts_to_identity_is_told_apart() {
    let model = Setting::of([1, 1, 1, 2, 1, 3, 4]).model();
    let all = states(&model, 60_000);
    // If two states are one without a thing, they differ in it alone.
    let differ = |what: &str, forget: fn(&mut State)| {
        let mut without = HashSet::new();
        let found = all.iter().any(|state| {
            let mut state = state.clone();
            forget(&mut state);
            !without.insert(state)
        });
        assert!(found, "no two states differ in this alone: {what}");
    };
    differ("the order of the log", |state| {
        let mut facts: Vec<Fact> = state.shared.log.iter().collect();
        facts.sort_unstable();
        state.shared.log = facts.into_iter().collect();
    });
    differ("the base of a log that was published", |state| {
        let dispatcher = &mut state.dispatchers[0];
        if dispatcher.phase == DispatcherPhase::Done {
            dispatcher.proposal.base = 0;
        }
    });
    differ(
        "how often a log was made anew that was published",
        |state| {
            let dispatcher = &mut state.dispatchers[0];
            if dispatcher.phase == DispatcherPhase::Done {
                dispatcher.proposal.retries = 0;
            }
        },
    );
    differ("the batch of who has failed", |state| {
        let dispatcher = &mut state.dispatchers[0];
        if dispatcher.phase == DispatcherPhase::Failed {
            dispatcher.local = Sequence::EMPTY;
        }
    });
    differ("whether a worker had finished that has failed", |state| {
        let worker = &mut state.workers[0];
        if worker.phase == WorkerPhase::Failed {
            worker.finish = false;
        }
    });
    differ("the version that an activated worker saw", |state| {
        state.workers[0].activation.head = 0;
    });
    assert_eq!(WorkQueue::VARIABLES.len(), 10);
}
