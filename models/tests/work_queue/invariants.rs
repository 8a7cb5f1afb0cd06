//! Each invariant is false where it should be: states in which one thing is wrong, and what is
//! then violated, and for which component.
//!
//! Shared design, models/work-queue.md, section 5.

use plumb_checker::{CheckedModel, Components, StepProperty};
use plumb_models::WorkQueue;
use plumb_models::numbered::NumberSet;
use plumb_models::work_queue::{
    Action, DispatcherPhase, Maintenance, MaintenancePhase, State, WorkerPhase,
};

use crate::harness::components::where_violated;
use crate::harness::walk::{holds, violated};
use crate::setting::Say::{self, CancelClaim, CancelWork, Claim, Complete, Resubmit, Work};
use crate::setting::{
    Setting, after, batch, claim, dispatcher, facts, initial, log, stage, with_log, worker,
};

/// One work, two Claims, three workers, one dispatcher.
///
/// The components: 0 shared, 1 the dispatcher, 2 to 4 the workers, 5 compaction, 6 recovery.
const ONE: Setting = Setting::of([1, 2, 3, 1, 1, 9, 9]);
/// Two works, two Claims, two workers, one dispatcher.
const TWO: Setting = Setting::of([2, 2, 2, 1, 1, 9, 9]);

/// A state in which worker 1 has done everything that there is to do.
fn done(model: &WorkQueue) -> State {
    let one = worker(1);
    let steps = [
        Action::Activate(one),
        Action::EndAgent(one, true),
        Action::PrepareWorker(one),
        Action::PushWorker(one),
        Action::VerifyCompletion(one),
        Action::ExternalEffect(one),
    ];
    after(model, &with_log(model, &[Work(1), Claim(1)]), &steps)
}

/// A state in which worker 1 is about to publish.
fn prepared(model: &WorkQueue, finish: bool) -> State {
    let one = worker(1);
    let steps = [
        Action::Activate(one),
        Action::EndAgent(one, finish),
        Action::PrepareWorker(one),
    ];
    after(model, &with_log(model, &[Work(1), Claim(1)]), &steps)
}

/// A state in which worker 1 has published its Completion.
fn committed(model: &WorkQueue) -> State {
    after(
        model,
        &prepared(model, true),
        &[Action::PushWorker(worker(1))],
    )
}

/// Exactly these invariants are false, each for exactly these components.
fn assert_violated(model: &WorkQueue, state: &State, expected: &[(&str, &[usize])]) {
    let names: Vec<&str> = expected.iter().map(|(name, _)| *name).collect();
    assert_eq!(violated(model, state), names, "{state:?}");
    for (name, components) in expected {
        let found = where_violated(model, name, state, model.component_count());
        assert_eq!(found, *components, "{name} in {state:?}");
    }
}

#[test]
fn nothing_is_violated_where_nothing_is_wrong() {
    let model = ONE.model();
    for state in [
        initial(&model),
        done(&model),
        prepared(&model, true),
        prepared(&model, false),
        committed(&model),
        with_log(&model, &[Work(1), Claim(1), Claim(2), CancelWork(1)]),
    ] {
        assert_violated(&model, &state, &[]);
    }
}

#[test]
fn numbers_are_natural_and_retries_limited() {
    let model = ONE.model();
    let mut state = initial(&model);
    state.shared.head = -1;
    let versions: &[usize] = &[1, 2, 3, 4, 5, 6];
    let expected: [(&str, &[usize]); 2] = [("TypeOK", &[0]), ("SnapshotVersions", versions)];
    assert_violated(&model, &state, &expected);
    let wrong = |change: fn(&mut State), component: usize| {
        let mut state = initial(&model);
        change(&mut state);
        assert_violated(&model, &state, &[("TypeOK", &[component])]);
    };
    wrong(|state| state.dispatchers[0].proposal.base = -1, 1);
    wrong(|state| state.dispatchers[0].proposal.retries = 2, 1);
    wrong(|state| state.workers[1].proposal.retries = -1, 3);
    wrong(|state| state.workers[2].activation.head = -1, 4);
    wrong(|state| state.compact.proposal.retries = 2, 5);
    wrong(|state| state.recovery.proposal.base = -3, 6);
}

#[test]
fn the_log_is_valid() {
    let model = ONE.model();
    let wrong = |said: &[Say]| {
        assert_violated(&model, &with_log(&model, said), &[("ValidLog", &[0])]);
    };
    wrong(&[Claim(1)]);
    wrong(&[Work(1), CancelClaim(2)]);
    wrong(&[Work(1), Claim(1), Complete(1), Complete(3)]);
    wrong(&[Work(1), Claim(1), Claim(2), Complete(2)]);
}

#[test]
fn prepared_logs_follow_from_what_they_were_made_from() {
    let model = ONE.model();
    let steps = [
        stage(&model, 1, Work(1)),
        Action::PrepareDispatch(dispatcher(1)),
    ];
    let state = after(&model, &initial(&model), &steps);
    assert_violated(&model, &state, &[]);

    // Another source at the same version, and a candidate that does not follow from it.
    let mut other = state.clone();
    other.dispatchers[0].proposal.source = log(&model, &[Work(1)]);
    assert_violated(&model, &other, &[("SnapshotValidity", &[1])]);
    let mut other = state.clone();
    other.dispatchers[0].proposal.candidate = log(&model, &[Work(1), Work(1)]);
    assert_violated(&model, &other, &[("CandidateDerivation", &[1])]);
    let mut other = state.clone();
    other.dispatchers[0].proposal.candidate = log(&model, &[Claim(1)]);
    let expected: [(&str, &[usize]); 2] =
        [("SnapshotValidity", &[1]), ("CandidateDerivation", &[1])];
    assert_violated(&model, &other, &expected);
    // Once the log is another only the second is asked; and nothing of what is not prepared.
    other.shared.head = 1;
    assert_violated(&model, &other, &[("CandidateDerivation", &[1])]);
    other.dispatchers[0].phase = DispatcherPhase::Done;
    assert_violated(&model, &other, &[]);
    // A fact is lost.
    let mut state = with_log(&model, &[Work(1)]);
    state.dispatchers[0].phase = DispatcherPhase::Prepared;
    state.dispatchers[0].proposal.base = 1;
    state.dispatchers[0].proposal.source = log(&model, &[Work(1)]);
    assert_violated(&model, &state, &expected);

    let steps = [
        Action::DuplicateRecord(Work(1).fact(&model)),
        Action::PrepareMaintenance(Maintenance::Compact),
    ];
    let compacting = after(&model, &with_log(&model, &[Work(1)]), &steps);
    assert_violated(&model, &compacting, &[]);
    let mut other = compacting.clone();
    other.compact.proposal.candidate = log(&model, &[Work(1), Claim(1)]);
    let expected: [(&str, &[usize]); 2] =
        [("SnapshotValidity", &[5]), ("CandidateDerivation", &[5])];
    assert_violated(&model, &other, &expected);
    let mut other = compacting;
    other.compact.proposal.candidate = log(&model, &[Work(1), Work(1)]);
    assert_violated(&model, &other, &[("CandidateDerivation", &[5])]);

    let steps = [
        Action::RunTerminates(claim(1)),
        Action::PrepareMaintenance(Maintenance::Recovery),
    ];
    let recovering = after(&model, &with_log(&model, &[Work(1), Claim(1)]), &steps);
    assert_violated(&model, &recovering, &[]);
    let mut other = recovering;
    other.recovery.observed_runs = NumberSet::EMPTY;
    assert_violated(&model, &other, &[("CandidateDerivation", &[6])]);
}

#[test]
fn nobody_has_seen_what_is_to_come() {
    let model = ONE.model();
    let wrong = |change: fn(&mut State), component: usize| {
        let mut state = initial(&model);
        change(&mut state);
        assert_violated(&model, &state, &[("SnapshotVersions", &[component])]);
    };
    wrong(|state| state.dispatchers[0].proposal.base = 1, 1);
    wrong(|state| state.workers[0].proposal.base = 1, 2);
    wrong(|state| state.compact.proposal.base = 7, 5);
    wrong(|state| state.recovery.proposal.base = 1, 6);
    let mut state = initial(&model);
    state.workers[1].activation.head = 1;
    assert_violated(&model, &state, &[]);
    state.workers[1].activation.admitted = true;
    state.workers[1].activation.ready = true;
    assert_violated(&model, &state, &[("SnapshotVersions", &[3])]);
}

#[test]
fn who_was_activated_was_admitted() {
    let model = ONE.model();
    let mut state = initial(&model);
    state.workers[2].activation.ready = true;
    assert_violated(&model, &state, &[("ActivationSnapshotValidity", &[4])]);
}

#[test]
fn what_has_ended_stays_as_it_was() {
    let model = TWO.model();
    let state = with_log(&model, &[Work(1), Work(2), CancelWork(1)]);
    let mut other = state.clone();
    other.shared.terminal_history[0] = facts(&model, &[Work(1)]);
    let expected: [(&str, &[usize]); 2] =
        [("TerminalHistoryValid", &[0]), ("TerminalFreeze", &[0])];
    assert_violated(&model, &other, &expected);
    let mut other = state.clone();
    other.shared.terminal_history[0].insert(Work(2).fact(&model));
    assert_violated(&model, &other, &expected);
    // Of the second work too.
    let mut other = state.clone();
    other.shared.terminal_history[1] = facts(&model, &[CancelWork(1)]);
    assert_violated(&model, &other, &expected);

    let mut other = state.clone();
    other.shared.log = log(&model, &[Work(1), Work(2)]);
    let expected: [(&str, &[usize]); 2] = [("TerminalPersistence", &[0]), ("TerminalFreeze", &[0])];
    assert_violated(&model, &other, &expected);
    let mut other = state.clone();
    other.shared.log.push(Claim(1).fact(&model));
    assert_violated(&model, &other, &[("TerminalFreeze", &[0])]);
    // What comes to the other work, and duplicates, change nothing.
    let mut other = state;
    other.shared.log.push(Claim(2).fact(&model));
    other.shared.log.push(CancelWork(1).fact(&model));
    assert_violated(&model, &other, &[]);
}

#[test]
fn effects_are_verified_and_verified_completions_are_in_the_log() {
    let model = ONE.model();
    let state = done(&model);
    let completion = |number| Complete(number).fact(&model);
    let mut other = state.clone();
    other.shared.log = log(&model, &[Work(1), Claim(1)]);
    let expected: [(&str, &[usize]); 3] = [
        ("TerminalPersistence", &[0]),
        ("TerminalFreeze", &[0]),
        ("AuthorizationSoundness", &[0]),
    ];
    assert_violated(&model, &other, &expected);
    // An effect without verification, of a worker that has failed.
    let mut other = state.clone();
    other.shared.authorizations = log(&model, &[]);
    other.workers[0].phase = WorkerPhase::Failed;
    let expected: [(&str, &[usize]); 2] =
        [("EffectSoundness", &[0]), ("LifecycleAccounting", &[2])];
    assert_violated(&model, &other, &expected);

    // Two workers' Completions of one work, though only one can be in the log.
    let mut other = state.clone();
    other.shared.authorizations.push(completion(3));
    other.workers[2].phase = WorkerPhase::Authorized;
    other.workers[2].finish = true;
    let expected: [(&str, &[usize]); 2] = [
        ("AuthorizationSoundness", &[0]),
        ("SingleAuthorization", &[0]),
    ];
    assert_violated(&model, &other, &expected);
    other.shared.effects.push(completion(3));
    other.workers[2].phase = WorkerPhase::Done;
    let expected: [(&str, &[usize]); 3] = [
        ("AuthorizationSoundness", &[0]),
        ("SingleAuthorization", &[0]),
        ("SingleEffect", &[0]),
    ];
    assert_violated(&model, &other, &expected);
    other.workers[2].finish = false;
    let expected: [(&str, &[usize]); 4] = [
        ("AuthorizationSoundness", &[0]),
        ("FinishRequired", &[4]),
        ("SingleAuthorization", &[0]),
        ("SingleEffect", &[0]),
    ];
    assert_violated(&model, &other, &expected);
    // The same one twice counts twice.
    let mut other = state;
    other.shared.authorizations.push(completion(1));
    other.shared.effects.push(completion(1));
    let expected: [(&str, &[usize]); 3] = [
        ("LifecycleAccounting", &[2]),
        ("SingleAuthorization", &[0]),
        ("SingleEffect", &[0]),
    ];
    assert_violated(&model, &other, &expected);
}

/// In a model of two works each may have an effect.
#[test]
fn works_are_counted_apart() {
    let model = TWO.model();
    let mut state = with_log(
        &model,
        &[
            Work(1),
            Work(2),
            Claim(1),
            Claim(2),
            Complete(1),
            Complete(2),
        ],
    );
    state.shared.authorizations = log(&model, &[Complete(2), Complete(1)]);
    state.shared.effects = log(&model, &[Complete(1), Complete(2)]);
    for worker in &mut state.workers {
        worker.phase = WorkerPhase::Done;
        worker.finish = true;
    }
    assert_violated(&model, &state, &[]);
}

#[test]
fn a_worker_publishes_its_own_outcome() {
    let model = ONE.model();
    // Of another worker, though of the same Claim; of a Claim that is not its own; unfinished.
    let mut state = prepared(&model, true);
    state.workers[0].proposal.candidate = log(&model, &[Work(1), Claim(1), Complete(3)]);
    let expected: [(&str, &[usize]); 2] = [("CandidateDerivation", &[2]), ("WorkerOrigin", &[2])];
    assert_violated(&model, &state, &expected);
    state.workers[0].proposal.candidate = log(&model, &[Work(1), Claim(1), Claim(2)]);
    assert_violated(&model, &state, &expected);
    let mut state = prepared(&model, false);
    state.workers[0].proposal.candidate = log(&model, &[Work(1), Claim(1), Complete(1)]);
    assert_violated(&model, &state, &expected);
    // Once it is out of date only the derivation counts.
    state.shared.head = 2;
    assert_violated(&model, &state, &[("CandidateDerivation", &[2])]);
    // It may give its Claim up although it has finished, but for the derivation.
    let mut state = prepared(&model, true);
    state.workers[0].proposal.candidate = log(&model, &[Work(1), Claim(1), CancelClaim(1)]);
    assert_violated(&model, &state, &[("CandidateDerivation", &[2])]);

    let state = committed(&model);
    let mut other = state.clone();
    other.workers[0].finish = false;
    assert_violated(&model, &other, &[("WorkerOrigin", &[2])]);
    let mut other = state.clone();
    other.shared.log = log(&model, &[Work(1), Claim(1)]);
    other.shared.terminal_history[0] = facts(&model, &[]);
    assert_violated(&model, &other, &[("WorkerOrigin", &[2])]);
    let mut other = state;
    other.shared.authorizations = log(&model, &[Complete(1)]);
    let expected: [(&str, &[usize]); 2] = [("WorkerOrigin", &[2]), ("LifecycleAccounting", &[2])];
    assert_violated(&model, &other, &expected);
}

#[test]
fn the_lifecycle_is_accounted_for() {
    let model = ONE.model();
    // Phases with as many verifications and effects, and whether that can be.
    use WorkerPhase::{
        Authorized, Committed, Done, Failed, Prepared, Ready, Running, Stopped, Waiting,
    };
    for phase in [
        Waiting, Running, Ready, Prepared, Committed, Authorized, Done, Stopped, Failed,
    ] {
        for verified in 0..=2 {
            for effects in 0..=2 {
                let mut state = done(&model);
                let all = |count| log(&model, &[Complete(1); 2][..count]);
                state.shared.authorizations = all(verified);
                state.shared.effects = all(effects);
                state.workers[0].phase = phase;
                let can_be = match phase {
                    Authorized => (verified, effects) == (1, 0),
                    Done => (verified, effects) == (1, 1),
                    Failed => verified <= 1 && effects <= verified,
                    _ => (verified, effects) == (0, 0),
                };
                let holds = holds(&model, "LifecycleAccounting", &state);
                assert_eq!(holds, can_be, "{phase:?} {verified} {effects}");
            }
        }
    }
}

#[test]
fn finishing_is_asked_of_verified_workers_only() {
    let model = ONE.model();
    let mut state = done(&model);
    state.workers[0].finish = false;
    assert_violated(&model, &state, &[("FinishRequired", &[2])]);
    state.shared.authorizations = log(&model, &[]);
    assert!(holds(&model, "FinishRequired", &state));
}

/// What every state satisfies, since it cannot say otherwise.
#[test]
fn every_other_invariant_was_violated_above() {
    let by_construction = [
        "Serialization",
        "SingleCompletionPerWorker",
        "SingleEffectiveClaim",
    ];
    let model = TWO.model();
    for bits in 0..1_u64 << model.constants().fact_count() {
        let facts = plumb_models::work_queue::FactSet::from_bits(bits);
        let mut state = initial(&model);
        state.shared.log = facts.iter().collect();
        for name in by_construction {
            assert!(holds(&model, name, &state));
        }
    }
    let source = include_str!("invariants.rs");
    for invariant in WorkQueue::invariants() {
        let denied = invariant.meaning.starts_with("denied");
        let named = source.contains(&format!("(\"{}\", &[", invariant.name));
        let expected = !denied && invariant.name != "Safety";
        let expected = expected && !by_construction.contains(&invariant.name);
        assert_eq!(named, expected, "{}", invariant.name);
    }
}

#[test]
fn safety_is_all_that_is_guaranteed() {
    let table = WorkQueue::invariants();
    let safety = table.iter().find(|invariant| invariant.name == "Safety");
    let plumb_checker::Predicate::All(conjuncts) = safety.unwrap().predicate else {
        panic!("Safety is a conjunction");
    };
    let guaranteed: Vec<&str> = table[..19].iter().map(|invariant| invariant.name).collect();
    assert_eq!(conjuncts, guaranteed);
    assert_eq!(table.len(), 19 + 1 + 4);
    let model = ONE.model();
    let properties = stateright::Model::properties(&model);
    let names: Vec<&str> = properties.iter().map(|property| property.name).collect();
    assert_eq!(names, guaranteed, "stateright is told the same");
    let wrong = with_log(&model, &[Claim(1)]);
    for (property, name) in properties.iter().zip(guaranteed) {
        assert!((property.condition)(&model, &initial(&model)), "{name}");
        assert_eq!(
            (property.condition)(&model, &wrong),
            name != "ValidLog",
            "{name}"
        );
    }
}

#[test]
fn witnesses_are_false_where_they_should_be() {
    let model = TWO.model();
    let reached = |name: &str, state: &State| !holds(&model, name, state);
    let name = "NoOutOfOrderClaim";
    for (said, expected) in [
        (&[Work(1), Work(2), Claim(2)] as &[Say], true),
        (&[Work(1), Work(2), Claim(1)], false),
        (&[Work(1), Work(2), Claim(1), Claim(2)], false),
        // Work 1 waits again.
        (
            &[Work(1), Work(2), Claim(1), Claim(2), CancelClaim(1)],
            true,
        ),
        // A work that has ended does not wait, but one that has ended was claimed.
        (&[Work(1), Work(2), CancelWork(1), Claim(2)], false),
        (&[Work(1), Work(2), Claim(2), Complete(2)], true),
        (&[Work(1), Work(2), Claim(1), CancelClaim(1)], false),
    ] {
        assert_eq!(reached(name, &with_log(&model, said)), expected, "{said:?}");
    }
    assert!(!reached("NoExternalEffect", &initial(&model)));
    assert!(reached("NoExternalEffect", &done(&model)));

    let model = ONE.model();
    let reached = |name: &str, state: &State| !holds(&model, name, state);
    let competing = |said: &[Say]| reached("NoCompetingClaims", &with_log(&model, said));
    assert!(
        !competing(&[Work(1), Claim(1), Claim(1)]),
        "the same one twice"
    );
    assert!(competing(&[Work(1), Claim(1), CancelClaim(1), Claim(2)]));

    let recovery = Maintenance::Recovery;
    let steps = [
        Action::RunTerminates(claim(1)),
        Action::PrepareMaintenance(recovery),
    ];
    let prepared = after(&model, &with_log(&model, &[Work(1), Claim(1)]), &steps);
    let name = "NoRecoveredOrphan";
    assert!(!reached(name, &prepared));
    let state = after(&model, &prepared, &[Action::PushMaintenance(recovery)]);
    assert!(reached(name, &state));
    let wrong = |change: &dyn Fn(&mut State)| {
        let mut state = state.clone();
        change(&mut state);
        assert!(!reached(name, &state));
    };
    wrong(&|state| state.recovery.phase = MaintenancePhase::Failed);
    wrong(&|state| state.recovery.observed_runs = NumberSet::from_iter([claim(2)]));
    wrong(&|state| state.shared.log = log(&model, &[Work(1), Claim(1)]));
    wrong(&|state| state.recovery.proposal.source = state.shared.log.clone());
}

fn step_property(name: &str) -> StepProperty<WorkQueue> {
    let mut table = WorkQueue::step_properties().into_iter();
    table.find(|property| property.name == name).unwrap()
}

/// Whether a step is allowed by a property.
fn allows(model: &WorkQueue, name: &str, before: &State, after: &State) -> bool {
    let predicate = step_property(name).predicate;
    predicate.holds(model, before, after, model.component_count())
}

#[test]
fn steps_that_must_not_be_are_told() {
    let model = TWO.model();
    let before = done(&model);
    let mut other = before.clone();
    other.workers[0].phase = WorkerPhase::Running;
    assert!(!allows(&model, "WorkerOneShot", &before, &other));
    assert!(allows(&model, "WorkerOneShot", &other, &before));
    for last in [WorkerPhase::Done, WorkerPhase::Stopped, WorkerPhase::Failed] {
        let mut from = before.clone();
        from.workers[1].phase = last;
        assert!(allows(&model, "WorkerOneShot", &from, &from));
        let mut to = from.clone();
        to.workers[1].phase = WorkerPhase::Waiting;
        assert!(!allows(&model, "WorkerOneShot", &from, &to), "{last:?}");
    }

    let staging = |before: &State, said: &[Say]| {
        let mut after = before.clone();
        after.dispatchers[0].local = batch(&model, said);
        after
    };
    let select = |log: &[Say], old: &[Say], new: &[Say]| {
        let before = staging(&with_log(&model, log), old);
        allows(&model, "QueueSelection", &before, &staging(&before, new))
    };
    let both: &[Say] = &[Work(1), Work(2)];
    assert!(select(both, &[], &[Claim(1)]));
    assert!(!select(both, &[], &[Claim(2)]));
    assert!(select(both, &[Claim(1)], &[Claim(1), Claim(2)]));
    assert!(!select(&[], &[], &[Claim(1)]), "no work waits");
    assert!(select(both, &[], &[CancelWork(2)]), "it is no Claim");
    assert!(select(both, &[Claim(2)], &[Claim(2)]), "nothing was staged");
    assert!(select(both, &[Claim(2)], &[]), "nothing was staged");

    let again =
        |before: &State, after: &State| allows(&model, "WorkResubmissionNoOp", before, after);
    let before = with_log(&model, &[Work(1)]);
    let mut after = staging(&before, &[Resubmit(1)]);
    assert!(again(&before, &after));
    after.shared.log.push(Claim(1).fact(&model));
    assert!(
        !again(&before, &after),
        "it changes what the dispatcher sees"
    );
    let mut other = staging(&before, &[Resubmit(2)]);
    other.shared.log.push(Claim(1).fact(&model));
    assert!(again(&before, &other), "work 2 was not there");
    let mut other = staging(&before, &[Claim(1)]);
    other.shared.log.push(Claim(1).fact(&model));
    assert!(again(&before, &other), "it is no resubmission");
}

#[test]
fn the_bound_is_one_of_the_log_alone() {
    let model = Setting::of([1, 1, 1, 1, 1, 2, 3]).model();
    let bound = &WorkQueue::constraints()[0];
    let inside = |head, length: usize| {
        let mut state = initial(&model);
        state.shared.head = head;
        state.shared.log = log(&model, &vec![Work(1); length]);
        state.recovery.proposal.candidate = log(&model, &[Work(1); 9]);
        bound.predicate.holds(&model, &state)
    };
    assert!(inside(2, 3));
    assert!(!inside(3, 3) && !inside(2, 4));
}
