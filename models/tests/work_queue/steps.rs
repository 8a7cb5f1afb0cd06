//! What single steps do, by hand.
//!
//! Shared design, models/work-queue.md, sections 4.3, 4.4, 4.6 and 6.

use plumb_checker::CheckedModel;
use plumb_models::WorkQueue;
use plumb_models::finite::Finite;
use plumb_models::numbered::NumberSet;
use plumb_models::work_queue::{
    Action, Activation, DispatcherPhase, FactSet, Maintenance, MaintenancePhase, Proposal,
    Sequence, State, WorkerPhase,
};

use crate::setting::Say::{self, CancelClaim, CancelWork, Claim, Complete, Resubmit, Work};
use crate::setting::{
    Setting, after, batch, claim, dispatcher, facts, initial, log, stage, with_log, work, worker,
};

/// One work, two Claims, three workers, two dispatchers; dispatcher 1 owns Claim 1.
const ONE: Setting = Setting::of([1, 2, 3, 2, 1, 3, 4]);
/// Two works and one dispatcher.
const TWO: Setting = Setting::of([2, 2, 2, 1, 1, 2, 4]);

fn ways(model: &WorkQueue, state: &State) -> Vec<Action> {
    let mut ways = Vec::new();
    model.successors(state, |action, _| ways.push(action));
    ways
}

/// The intents that a dispatcher may stage, each as often as it is counted.
fn stageable(model: &WorkQueue, state: &State, number: i64) -> Vec<Action> {
    let of = dispatcher(number);
    let mut ways = ways(model, state);
    ways.retain(|way| matches!(way, Action::Stage(other, _) if *other == of));
    ways
}

#[test]
fn the_initial_state_has_the_ways_that_can_be_counted_by_hand() {
    let model = ONE.model();
    let first = stage(&model, 1, Work(1));
    let last = stage(&model, 2, Work(1));
    let expected = [
        first,
        last,
        last,
        Action::PrepareDispatch(dispatcher(1)),
        Action::PrepareDispatch(dispatcher(2)),
    ];
    assert_eq!(ways(&model, &initial(&model)), expected);
}

#[test]
fn only_the_last_dispatcher_counts_intents_without_a_claim_twice() {
    let model = ONE.model();
    let state = with_log(&model, &[Work(1)]);
    let once = |say| vec![stage(&model, 1, say)];
    let first = stageable(&model, &state, 1);
    let expected = [once(Claim(1)), once(CancelWork(1)), once(Resubmit(1))].concat();
    assert_eq!(first, expected);
    let say = |say| stage(&model, 2, say);
    let last = stageable(&model, &state, 2);
    let expected = [
        say(Claim(2)),
        say(CancelWork(1)),
        say(CancelWork(1)),
        say(Resubmit(1)),
        say(Resubmit(1)),
    ];
    assert_eq!(last, expected);
    // The only dispatcher is the last one; and the defect is counted in the same way.
    let model = TWO.specified("BrokenQueueSelectionSpec").model();
    let count = |action: Action| {
        let ways = ways(&model, &initial(&model));
        ways.into_iter().filter(|way| *way == action).count()
    };
    let intent = Work(2).intent(&model);
    assert_eq!(count(Action::Stage(dispatcher(1), intent)), 2);
    assert_eq!(count(Action::StageIntent(dispatcher(1), intent)), 2);
    let model = ONE.specified("BrokenQueueSelectionSpec").model();
    let ways = ways(&model, &initial(&model));
    let intent = Work(1).intent(&model);
    let defect = |number| {
        let action = Action::StageIntent(dispatcher(number), intent);
        ways.iter().filter(|way| **way == action).count()
    };
    assert_eq!((defect(1), defect(2)), (1, 2));
}

#[test]
fn what_may_be_staged_depends_on_the_log_with_the_batch() {
    let model = TWO.model();
    let mut state = with_log(&model, &[Work(2)]);
    let mut may = |staged: &[Say]| {
        state.dispatchers[0].local = batch(&model, staged);
        let mut ways = stageable(&model, &state, 1);
        ways.dedup();
        ways
    };
    let say =
        |said: &[Say]| -> Vec<Action> { said.iter().map(|say| stage(&model, 1, *say)).collect() };
    assert_eq!(
        may(&[]),
        say(&[Work(1), Claim(2), CancelWork(2), Resubmit(2)])
    );
    // Work 1 is the oldest now, and only it may be claimed; the batch has each intent once.
    let expected = [
        Claim(1),
        CancelWork(1),
        CancelWork(2),
        Resubmit(1),
        Resubmit(2),
    ];
    assert_eq!(may(&[Work(1)]), say(&expected));
    let expected = [
        Claim(2),
        CancelWork(1),
        CancelWork(2),
        Resubmit(1),
        Resubmit(2),
    ];
    assert_eq!(may(&[Work(1), Claim(1)]), say(&expected));
    // A cancelled work is submitted again all the same, and nothing else is said of it.
    let expected = [Claim(2), CancelWork(2), Resubmit(1), Resubmit(2)];
    assert_eq!(may(&[Work(1), CancelWork(1)]), say(&expected));
    let expected = [Claim(2), CancelWork(2)];
    assert_eq!(
        may(&[Work(1), CancelWork(1), Resubmit(2), Resubmit(1)]),
        say(&expected)
    );
    // What was staged when the log was another is not staged again, though it is not in the view.
    assert_eq!(
        may(&[Claim(1)]),
        say(&[Work(1), Claim(2), CancelWork(2), Resubmit(2)])
    );
}

#[test]
fn a_claim_is_staged_by_its_owner_on_a_work_that_waits() {
    let model = ONE.model();
    let state = with_log(&model, &[Work(1), Claim(2)]);
    let may = |number, say| ways(&model, &state).contains(&stage(&model, number, say));
    assert!(!may(1, Claim(1)), "work 1 does not wait");
    let state = with_log(&model, &[Work(1)]);
    let may = |number, say| ways(&model, &state).contains(&stage(&model, number, say));
    assert!(may(1, Claim(1)) && may(2, Claim(2)));
    assert!(!may(1, Claim(2)) && !may(2, Claim(1)));
}

#[test]
fn an_equal_log_is_published_without_a_new_version() {
    let model = ONE.model();
    let before = with_log(&model, &[Work(1), CancelWork(1)]);
    let mut shared = before.shared.clone();
    model.write(&mut shared, &before.shared.log);
    assert_eq!(shared, before.shared);
    // In another order it is another log.
    model.write(&mut shared, &log(&model, &[CancelWork(1), Work(1)]));
    assert_eq!(shared.head, before.shared.head + 1);
    assert_eq!(shared.terminal_history, before.shared.terminal_history);

    let steps = [
        Action::PrepareDispatch(dispatcher(1)),
        Action::PushDispatch(dispatcher(1)),
    ];
    let pushed = after(&model, &before, &steps);
    assert_eq!(
        pushed.shared, before.shared,
        "an empty batch changes nothing"
    );
    assert_eq!(pushed.dispatchers[0].phase, DispatcherPhase::Done);
    let proposal = Proposal {
        base: 1,
        source: before.shared.log.clone(),
        candidate: before.shared.log.clone(),
        retries: 0,
    };
    assert_eq!(pushed.dispatchers[0].proposal, proposal, "it is kept");
}

#[test]
fn the_history_of_a_work_is_kept_when_it_first_ends() {
    let model = TWO.model();
    let mut shared = initial(&model).shared;
    let histories = |first: &[Say], second: &[Say]| [facts(&model, first), facts(&model, second)];
    model.commit(&mut shared, log(&model, &[Work(1), Claim(1), Work(2)]));
    assert_eq!(shared.terminal_history, [FactSet::EMPTY; 2]);
    let ended = [Work(1), Claim(1), Work(2), Complete(1)];
    model.commit(&mut shared, log(&model, &ended));
    let first = [Work(1), Claim(1), Complete(1)];
    assert_eq!(shared.terminal_history, histories(&first, &[]));
    // Whatever becomes of the log, it stays; that of work 2 is added.
    model.commit(
        &mut shared,
        log(&model, &[Work(1), CancelWork(1), CancelWork(2)]),
    );
    assert_eq!(shared.terminal_history, histories(&first, &[CancelWork(2)]));
    assert_eq!(shared.head, 3);
}

#[test]
fn a_fact_is_written_once_more_for_each_different_one() {
    let model = ONE.model();
    let state = with_log(&model, &[Work(1), Claim(1), Work(1)]);
    let ways = ways(&model, &state);
    let duplicates: Vec<Action> = ways
        .into_iter()
        .filter(|way| matches!(way, Action::DuplicateRecord(_)))
        .collect();
    let duplicate = |say: Say| Action::DuplicateRecord(say.fact(&model));
    assert_eq!(duplicates, [duplicate(Work(1)), duplicate(Claim(1))]);
    let next = after(&model, &state, &duplicates[1..]);
    let longer = log(&model, &[Work(1), Claim(1), Work(1), Claim(1)]);
    assert_eq!((next.shared.log, next.shared.head), (longer, 2));
}

#[test]
fn a_batch_is_made_anew_as_often_as_allowed() {
    let model = ONE.model();
    let d = dispatcher(1);
    let duplicate = Action::DuplicateRecord(Work(1).fact(&model));
    let state = after(
        &model,
        &with_log(&model, &[Work(1)]),
        &[
            stage(&model, 1, Claim(1)),
            Action::PrepareDispatch(d),
            duplicate,
        ],
    );
    let ways = ways(&model, &state);
    assert!(
        !ways.contains(&Action::PushDispatch(d)),
        "the log is another"
    );
    let again = after(&model, &state, &[Action::RetryDispatch(d)]);
    let proposal = &again.dispatchers[0].proposal;
    assert_eq!((proposal.base, proposal.retries), (2, 1));
    assert_eq!(
        proposal.candidate,
        log(&model, &[Work(1), Work(1), Claim(1)])
    );
    assert_eq!(again.dispatchers[0].phase, DispatcherPhase::Prepared);
    let failed = after(&model, &again, &[duplicate, Action::RetryDispatch(d)]);
    assert_eq!(failed.dispatchers[0].phase, DispatcherPhase::Failed);
    assert_eq!(
        failed.dispatchers[0].proposal, *proposal,
        "nothing else changes"
    );
    let published = after(&model, &again, &[Action::PushDispatch(d)]);
    assert_eq!(published.shared.log, proposal.candidate);
}

#[test]
fn a_worker_finishes_is_verified_and_has_its_effect() {
    let model = ONE.model();
    let (one, completion) = (worker(1), Complete(1).fact(&model));
    let begun = after(
        &model,
        &with_log(&model, &[Work(1), Claim(1)]),
        &[Action::Activate(one)],
    );
    let activation = Activation {
        ready: true,
        head: 1,
        admitted: true,
    };
    assert_eq!(begun.workers[0].activation, activation);
    let steps = [
        (Action::EndAgent(one, true), WorkerPhase::Ready),
        (Action::PrepareWorker(one), WorkerPhase::Prepared),
        (Action::PushWorker(one), WorkerPhase::Committed),
        (Action::VerifyCompletion(one), WorkerPhase::Authorized),
        (Action::ExternalEffect(one), WorkerPhase::Done),
    ];
    let mut state = begun.clone();
    for (action, phase) in steps {
        state = after(&model, &state, &[action]);
        assert_eq!(state.workers[0].phase, phase, "{action:?}");
    }
    assert!(state.workers[0].finish);
    assert_eq!(
        state.shared.log,
        log(&model, &[Work(1), Claim(1), Complete(1)])
    );
    assert_eq!(
        state.shared.authorizations,
        Sequence::from_iter([completion])
    );
    assert_eq!(state.shared.effects, Sequence::from_iter([completion]));
    // Not having finished, it gives its Claim up and stops.
    let steps = [
        Action::EndAgent(one, false),
        Action::PrepareWorker(one),
        Action::PushWorker(one),
    ];
    let stopped = after(&model, &begun, &steps);
    assert_eq!(stopped.workers[0].phase, WorkerPhase::Stopped);
    assert_eq!(
        stopped.shared.log,
        log(&model, &[Work(1), Claim(1), CancelClaim(1)])
    );
    // Both workers of a Claim may be at work; the second finds the work ended, and stops.
    let third = worker(3);
    let steps = [
        Action::Activate(third),
        Action::EndAgent(third, true),
        Action::EndAgent(one, true),
        Action::PrepareWorker(one),
        Action::PushWorker(one),
        Action::PrepareWorker(third),
        Action::PushWorker(third),
    ];
    let late = after(&model, &begun, &steps);
    assert_eq!(late.workers[2].phase, WorkerPhase::Stopped);
    assert_eq!(
        late.shared.log,
        log(&model, &[Work(1), Claim(1), Complete(1)])
    );
}

#[test]
fn workers_retry_as_dispatchers_do() {
    let model = ONE.model();
    let one = worker(1);
    let steps = [
        Action::Activate(one),
        Action::EndAgent(one, true),
        Action::PrepareWorker(one),
    ];
    let prepared = after(
        &model,
        &with_log(&model, &[Work(1), Claim(2), Claim(1)]),
        &steps,
    );
    // In the meantime the Claim is given up, so that the log anew adds nothing.
    let mut overtaken = prepared.clone();
    let other = [Work(1), Claim(2), Claim(1), CancelClaim(1)];
    model.commit(&mut overtaken.shared, log(&model, &other));
    let again = after(&model, &overtaken, &[Action::RetryWorker(one)]);
    let proposal = &again.workers[0].proposal;
    assert_eq!((proposal.base, proposal.retries), (2, 1));
    assert_eq!(proposal.candidate, log(&model, &other));
    let stopped = after(&model, &again, &[Action::PushWorker(one)]);
    assert_eq!(stopped.workers[0].phase, WorkerPhase::Stopped);
    assert_eq!(stopped.shared, overtaken.shared);
    let duplicate = Action::DuplicateRecord(Work(1).fact(&model));
    let failed = after(&model, &again, &[duplicate, Action::RetryWorker(one)]);
    assert_eq!(failed.workers[0].phase, WorkerPhase::Failed);
    assert_eq!(failed.workers[0].proposal, *proposal);
}

#[test]
fn a_run_that_ends_takes_its_workers_along() {
    let model = ONE.model();
    let state = with_log(&model, &[Work(1), Claim(1)]);
    let terminates = Action::RunTerminates(claim(1));
    for phase in WorkerPhase::ALL {
        let mut state = state.clone();
        state
            .workers
            .iter_mut()
            .for_each(|worker| worker.phase = *phase);
        let next = after(&model, &state, &[terminates]);
        let ended = match phase {
            WorkerPhase::Done | WorkerPhase::Stopped | WorkerPhase::Failed => *phase,
            _ => WorkerPhase::Failed,
        };
        let phases: Vec<WorkerPhase> = next.workers.iter().map(|worker| worker.phase).collect();
        assert_eq!(phases, [ended, *phase, ended], "worker 2 works for Claim 2");
        assert_eq!(next.shared.dead_runs, NumberSet::from_iter([claim(1)]));
        assert_eq!(next.shared.log, state.shared.log);
        assert!(!ways(&model, &next).contains(&terminates), "it ends once");
        assert!(!ways(&model, &next).contains(&Action::Activate(worker(1))));
    }
    assert!(
        !ways(&model, &state).contains(&Action::RunTerminates(claim(2))),
        "it has no Claim"
    );
}

#[test]
fn maintenance_comes_again_and_begins_with_no_retries() {
    let model = ONE.model();
    let (compact, recovery) = (Maintenance::Compact, Maintenance::Recovery);
    let state = with_log(&model, &[Work(1), Claim(1)]);
    let possible = ways(&model, &state);
    assert!(
        !possible.contains(&Action::PrepareMaintenance(compact)),
        "nothing to do"
    );
    assert!(
        !possible.contains(&Action::PrepareMaintenance(recovery)),
        "nothing to do"
    );

    let duplicate = Action::DuplicateRecord(Work(1).fact(&model));
    let ended = after(&model, &state, &[Action::RunTerminates(claim(1))]);
    let prepared = after(&model, &ended, &[Action::PrepareMaintenance(recovery)]);
    assert_eq!(
        prepared.recovery.observed_runs,
        NumberSet::from_iter([claim(1)])
    );
    let given_up = [Work(1), Claim(1), CancelClaim(1)];
    assert_eq!(prepared.recovery.proposal.candidate, log(&model, &given_up));
    let overtaken = after(&model, &prepared, &[duplicate]);
    let again = after(&model, &overtaken, &[Action::RetryMaintenance(recovery)]);
    assert_eq!(again.recovery.proposal.retries, 1);
    let dead = after(
        &model,
        &again,
        &[duplicate, Action::RetryMaintenance(recovery)],
    );
    assert_eq!(dead.recovery.phase, MaintenancePhase::Failed);
    let possible = ways(&model, &dead);
    assert!(
        !possible.contains(&Action::PrepareMaintenance(recovery)),
        "for good"
    );

    // Compaction drops what was written twice, observes nothing, and may come again.
    let steps = [
        Action::PushMaintenance(recovery),
        Action::PrepareMaintenance(compact),
        duplicate,
        Action::RetryMaintenance(compact),
        Action::PushMaintenance(compact),
    ];
    let compacted = after(&model, &again, &steps);
    assert_eq!(compacted.shared.log, log(&model, &given_up));
    assert_eq!(compacted.compact.observed_runs, NumberSet::EMPTY);
    assert_eq!(compacted.compact.phase, MaintenancePhase::Done);
    assert_eq!(compacted.compact.proposal.retries, 1);
    let steps = [duplicate, Action::PrepareMaintenance(compact)];
    let anew = after(&model, &compacted, &steps);
    assert_eq!(anew.compact.proposal.retries, 0);
    assert_eq!(anew.compact.proposal.base, anew.shared.head);
}

/// A log made anew may be the log as it is, which PrepareMaintenance would not have made.
#[test]
fn maintenance_made_anew_may_have_nothing_to_do() {
    let model = ONE.model();
    let recovery = Maintenance::Recovery;
    let state = with_log(&model, &[Work(1), Claim(1)]);
    let steps = [
        Action::RunTerminates(claim(1)),
        Action::PrepareMaintenance(recovery),
    ];
    let mut state = after(&model, &state, &steps);
    model.commit(
        &mut state.shared,
        log(&model, &[Work(1), Claim(1), CancelWork(1)]),
    );
    let steps = [
        Action::RetryMaintenance(recovery),
        Action::PushMaintenance(recovery),
    ];
    let done = after(&model, &state, &steps);
    assert_eq!(done.recovery.phase, MaintenancePhase::Done);
    assert_eq!(done.shared, state.shared);
}

#[test]
fn defects_do_what_they_should_not() {
    let model = ONE.specified("BrokenCASSpec").model();
    let d = dispatcher(1);
    let state = after(&model, &initial(&model), &[Action::PrepareDispatch(d)]);
    let unsafe_push = Action::UnsafeStalePush(d);
    assert!(
        !ways(&model, &state).contains(&unsafe_push),
        "it is not stale yet"
    );
    let mut overtaken = state.clone();
    model.commit(&mut overtaken.shared, log(&model, &[Work(1)]));
    let next = after(&model, &overtaken, &[unsafe_push]);
    assert_eq!((next.shared.log.len(), next.shared.head), (0, 2));
    assert_eq!(next.dispatchers[0].phase, DispatcherPhase::Done);
    // Even an equal log becomes a new version.
    overtaken.dispatchers[0].proposal.candidate = log(&model, &[Work(1)]);
    let next = after(&model, &overtaken, &[unsafe_push]);
    assert_eq!(
        (next.shared.log, next.shared.head),
        (overtaken.shared.log, 2)
    );

    let model = ONE.specified("BrokenTerminalSpec").model();
    let late = |number| Action::UnsafeLateClaim(claim(number));
    let open = with_log(&model, &[Work(1), Claim(1)]);
    let cancelled = with_log(&model, &[Work(1), Claim(1), CancelWork(1)]);
    let completed = with_log(&model, &[Work(1), Claim(1), Complete(1)]);
    assert!(!ways(&model, &open).contains(&late(2)));
    assert!(!ways(&model, &cancelled).contains(&late(2)));
    assert!(
        !ways(&model, &completed).contains(&late(1)),
        "it is there already"
    );
    let next = after(&model, &completed, &[late(2)]);
    assert_eq!(
        next.shared.log,
        log(&model, &[Work(1), Claim(1), Complete(1), Claim(2)])
    );
    assert_eq!(next.shared.head, 2);
    assert_eq!(
        next.shared.terminal_history,
        [facts(&model, &[Work(1), Claim(1), Complete(1)])]
    );

    let model = TWO.specified("BrokenQueueSelectionSpec").model();
    let state = with_log(&model, &[Work(1), Work(2)]);
    let intent = Claim(2).intent(&model);
    let ways = ways(&model, &state);
    assert!(!ways.contains(&Action::Stage(dispatcher(1), intent)));
    assert!(ways.contains(&Action::StageIntent(dispatcher(1), intent)));
}

#[test]
fn numbers_stay_at_the_end_of_their_type() {
    let model = ONE.model();
    let mut state = with_log(&model, &[Work(1)]);
    state.shared.head = i64::MAX;
    let duplicate = Action::DuplicateRecord(Work(1).fact(&model));
    assert_eq!(after(&model, &state, &[duplicate]).shared.head, i64::MAX);
    state.dispatchers[0].phase = DispatcherPhase::Prepared;
    state.dispatchers[0].proposal.retries = i64::MAX;
    let next = after(&model, &state, &[Action::RetryDispatch(dispatcher(1))]);
    assert_eq!(next.dispatchers[0].proposal.retries, i64::MAX);
    assert_eq!(model.constants().about(work(1)).len(), 9);
}
