//! Constants at and beyond their bounds, the specifications' actions, and what a faulty cfg is
//! told.

use plumb_checker::{CheckedModel, Fairness, Strength};
use plumb_models::FairWorkQueue;

use crate::harness::{action_names, configuration_error};
use crate::setting::Setting;

const SMALL: Setting = Setting::of([2, 2, 2, 2, 1, 2, 1, 10]);

#[test]
fn a_faulty_cfg_is_told_what_the_model_takes() {
    let cfg = SMALL.cfg();
    for (old, new, expected) in [
        (
            "WorkCount = 2",
            "WorkCount = 0",
            "constant WorkCount: expected a number from 1, found 0",
        ),
        (
            "WorkCount = 2",
            "WorkCount = 65",
            "constant WorkCount: expected a number from 1 to 64, found 65",
        ),
        (
            "WorkCount = 2 DispatcherCount = 2",
            "WorkCount = 10 DispatcherCount = 7",
            "constant DispatcherCount: expected a number from 1 to 6, so that there are at most 64 \
             Claims, found 7",
        ),
        (
            "RetryLimit = 1",
            "RetryLimit = -1",
            "constant RetryLimit: expected a number from 0, found -1",
        ),
        (
            "MaxLog = 10",
            "MaxLog = 0",
            "constant MaxLog: expected a number from 1, found 0",
        ),
        (
            "\"default\"",
            "\"fifo\"",
            "constant Mode: expected one of \"default\", \"weighted\", \"strict\", found \"fifo\"",
        ),
        (
            "IndependentDependencies",
            "TreeDependencies",
            "unknown operator TreeDependencies: expected one of IndependentDependencies, \
             ChainDependencies, ForwardDependencies, ForkDependencies, DiamondDependencies, \
             CyclicDependencies",
        ),
        (
            "NoExternalDependencies",
            "EveryDependencies",
            "unknown operator EveryDependencies: expected one of NoExternalDependencies, \
             GitHubDependencies, GitHubChildDependencies",
        ),
    ] {
        assert!(cfg.contains(old), "{old} is to be replaced");
        let error = configuration_error::<FairWorkQueue>(&cfg.replacen(old, new, 1));
        assert_eq!(error, expected);
    }
    let unknown = configuration_error::<FairWorkQueue>(&SMALL.specified("BrokenSpec").cfg());
    assert!(unknown.starts_with("unknown specification BrokenSpec: expected one of Spec, "));
    let constrained = format!(
        "{} CONSTRAINT Bound PROPERTY CheckpointProgress",
        SMALL.specified("CheckpointSpec").cfg()
    );
    let error = configuration_error::<FairWorkQueue>(&constrained);
    assert!(
        error.contains("cannot be decided under the constraint Bound"),
        "{error}"
    );
}

#[test]
fn large_and_small_constants_are_taken() {
    for numbers in [
        [64, 1, 64, 64, 1, 64, 0, 3],
        [1, 64, 1, 64, 64, 64, 0, 3],
        [
            8,
            8,
            i64::MAX,
            i64::MAX,
            i64::MAX,
            i64::MAX,
            i64::MAX,
            i64::MAX,
        ],
    ] {
        let model = Setting::of(numbers).mode("weighted").model();
        let states = crate::spaces::states(&model, 300);
        assert!(states.len() >= 300 || numbers[0] == 64);
        crate::harness::laws::assert_laws(&model, &states);
    }
}

#[test]
fn a_specification_has_its_own_actions_only() {
    let sound = &FairWorkQueue::ACTIONS[..17];
    let without_observation = &sound[..16];
    assert_eq!(action_names(&SMALL.model()), without_observation);
    assert_eq!(action_names(&SMALL.external("GitHub").model()), sound);
    for (specification, added) in [
        ("BrokenSelectionSpec", "BrokenSelect"),
        ("BrokenEffectsSpec", "BrokenEffect"),
        ("BrokenHandleSpec", "BrokenHandle"),
        ("BrokenCASSpec", "BrokenPush"),
        ("BrokenReleaseSpec", "BrokenRelease"),
        ("BrokenDependencySpec", "BrokenDependency"),
        ("BrokenResultSpec", "BrokenResult"),
        ("BrokenExternalSpec", "BrokenExternal"),
        ("BrokenPRSpec", "BrokenPRObservation"),
        ("BrokenProjectionSpec", "BrokenProjection"),
    ] {
        let names = action_names(&SMALL.specified(specification).model());
        let expected = [without_observation, &[added]].concat();
        assert_eq!(names, expected, "{specification}");
    }
    let join = action_names(&SMALL.specified("JoinWitnessSpec").model());
    let absent = ["RepairResult", "Crash", "Recover"];
    let expected: Vec<_> = without_observation
        .iter()
        .copied()
        .filter(|name| !absent.contains(name))
        .collect();
    assert_eq!(join, expected);
    let checkpoint = action_names(&SMALL.specified("CheckpointSpec").model());
    let expected = [&sound[..3], &FairWorkQueue::ACTIONS[27..]].concat();
    assert_eq!(checkpoint, expected);
}

#[test]
fn only_checkpoints_are_owed_anything() {
    assert_eq!(SMALL.model().fairness(), []);
    let owed = SMALL.specified("CheckpointSpec").model().fairness();
    let names: Vec<_> = owed.iter().map(|owed| owed.actions.clone()).collect();
    assert_eq!(
        names,
        [
            vec!["PrepareCheckpoint"],
            vec!["RetryCheckpoint"],
            vec!["PublishCheckpoint"]
        ]
    );
    let weak = |owed: &Fairness| owed.strength == Strength::Weak;
    assert!(owed.iter().all(weak));
}
