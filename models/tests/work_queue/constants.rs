//! Constants at and beyond their bounds, the specifications' actions, and what a faulty cfg is
//! told.

use plumb_checker::CheckedModel;
use plumb_models::WorkQueue;

use crate::harness::laws::assert_laws;
use crate::harness::{action_names, configuration_error};
use crate::setting::Setting;
use crate::spaces::states;

const SMALL: Setting = Setting::of([1, 2, 3, 2, 1, 3, 4]);

#[test]
fn a_faulty_cfg_is_told_what_the_model_takes() {
    let cfg = SMALL.cfg();
    for (old, new, expected) in [
        (
            "WorkCount = 1",
            "WorkCount = 0",
            "constant WorkCount: expected a number from 1 to 30, so that there are at most 64 \
             facts, found 0",
        ),
        (
            "WorkCount = 1",
            "WorkCount = 31",
            "constant WorkCount: expected a number from 1 to 30, so that there are at most 64 \
             facts, found 31",
        ),
        (
            "WorkCount = 1",
            "WorkCount = 9223372036854775807",
            "constant WorkCount: expected a number from 1 to 30, so that there are at most 64 \
             facts, found 9223372036854775807",
        ),
        (
            "WorkCount = 1 ClaimCount = 2",
            "WorkCount = 20 ClaimCount = 12",
            "constant ClaimCount: expected a number from 1 to 11, so that there are at most 64 \
             facts, found 12",
        ),
        (
            "WorkCount = 1 ClaimCount = 2 WorkerCount = 3",
            "WorkCount = 20 ClaimCount = 11 WorkerCount = 3",
            "constant WorkerCount: expected a number from 1 to 2, so that there are at most 64 \
             facts, found 3",
        ),
        (
            "WorkerCount = 3",
            "WorkerCount = -1",
            "constant WorkerCount: expected a number from 1 to 58, so that there are at most 64 \
             facts, found -1",
        ),
        (
            "DispatcherCount = 2",
            "DispatcherCount = 0",
            "constant DispatcherCount: expected a number from 1 to 64, found 0",
        ),
        (
            "DispatcherCount = 2",
            "DispatcherCount = 65",
            "constant DispatcherCount: expected a number from 1 to 64, found 65",
        ),
        (
            "RetryLimit = 1",
            "RetryLimit = -1",
            "constant RetryLimit: expected a number from 0, found -1",
        ),
        (
            "MaxHead = 3",
            "MaxHead = -1",
            "constant MaxHead: expected a number from 0, found -1",
        ),
        (
            "MaxLog = 4",
            "MaxLog = -4",
            "constant MaxLog: expected a number from 0, found -4",
        ),
        (
            "MaxLog = 4",
            "MaxLog = \"four\"",
            "constant MaxLog: expected an integer, found \"four\"",
        ),
        (
            "MaxLog = 4",
            "",
            "constant MaxLog has no value: expected an integer",
        ),
        (
            "SPECIFICATION Spec",
            "SPECIFICATION BrokenSpec",
            "unknown specification BrokenSpec: expected one of Spec, BrokenCASSpec, \
             BrokenTerminalSpec, BrokenQueueSelectionSpec",
        ),
    ] {
        assert!(cfg.contains(old), "{old} is to be replaced");
        let error = configuration_error::<WorkQueue>(&cfg.replacen(old, new, 1));
        assert_eq!(error, expected);
    }
}

#[test]
fn large_and_small_constants_are_taken() {
    for numbers in [
        [1, 1, 1, 1, 0, 1, 1],
        [1, 30, 2, 3, 0, 2, 3],
        [30, 1, 2, 1, 3, 2, 70],
        [1, 1, 60, 64, 0, 2, 3],
        [3, 5, 7, 4, i64::MAX, i64::MAX, i64::MAX],
    ] {
        let model = Setting::of(numbers).model();
        let states = states(&model, 300);
        assert!(states.len() >= 300 || numbers[0] * numbers[1] == 1);
        assert_laws(&model, &states);
    }
}

/// What is left is to stage and prepare batches, and to push the empty one, which is no commit.
#[test]
fn without_room_for_a_commit_the_log_stays_empty() {
    for numbers in [[1, 1, 1, 1, 0, 0, 9], [1, 1, 1, 1, 0, 9, 0]] {
        let model = Setting::of(numbers).model();
        let states = states(&model, usize::MAX);
        assert!(states.iter().all(|state| state.shared == states[0].shared));
        assert!(states.len() > 3);
    }
}

/// Logs may be longer than what a state keeps in place.
#[test]
fn long_logs_are_logs() {
    let model = Setting::of([30, 1, 2, 1, 0, 9, 200]).model();
    let mut state = crate::setting::initial(&model);
    let fact = model.constants().all_facts().next().unwrap();
    for length in 1..100 {
        let next = model.apply(
            &state,
            plumb_models::work_queue::Action::DuplicateRecord(fact),
        );
        assert_eq!(next.shared.log.len(), length);
        assert_laws(&model, std::slice::from_ref(&next));
        state = next;
    }
}

#[test]
fn a_specification_has_its_own_actions_only() {
    let sound = &WorkQueue::ACTIONS[..16];
    assert_eq!(action_names(&SMALL.model()), sound);
    for (specification, added) in [
        ("BrokenCASSpec", "UnsafeStalePush"),
        ("BrokenTerminalSpec", "UnsafeLateClaim"),
        ("BrokenQueueSelectionSpec", "StageIntent"),
    ] {
        let names = action_names(&SMALL.specified(specification).model());
        assert_eq!(names, [sound, &[added]].concat(), "{specification}");
    }
}
