//! What facts amount to and which may be added: by tables, and against a slow and obvious
//! arbitration on all sets of facts.

use plumb_models::WorkQueue;
use plumb_models::work_queue::{
    ClaimStatus, Fact, FactSet, MOST_FACTS, Maintenance, Sequence, WorkStatus,
};

use crate::reference::Reference;
use crate::setting::Say::{self, CancelClaim, CancelWork, Claim, Complete, Resubmit, Work};
use crate::setting::{Setting, batch, claim, facts, log, work, worker};

/// Two works and three Claims, of which 1 and 3 are on work 1; worker 4 is Claim 1's second.
const TWO: Setting = Setting::of([2, 3, 4, 2, 1, 4, 6]);

#[test]
fn facts_are_numbered_in_the_canonical_order() {
    let model = TWO.model();
    let order = [
        Work(1),
        Work(2),
        Claim(1),
        Claim(3),
        Claim(2),
        CancelClaim(1),
        CancelClaim(3),
        CancelClaim(2),
        CancelWork(1),
        CancelWork(2),
        Complete(1),
        Complete(4),
        Complete(3),
        Complete(2),
    ];
    let expected: Vec<Fact> = order.iter().map(|say| say.fact(&model)).collect();
    let all: Vec<Fact> = model.constants().all_facts().collect();
    assert_eq!(all, expected);
    let mut reversed: Vec<Say> = order.to_vec();
    reversed.reverse();
    let canonical = model.constants().canonical(facts(&model, &reversed));
    assert_eq!(canonical, log(&model, &order));
    assert_eq!(model.constants().canonical(FactSet::EMPTY), Sequence::EMPTY);
}

#[test]
fn statuses_are_as_in_the_table() {
    let model = TWO.model();
    let constants = model.constants();
    use WorkStatus::{Absent, Available, Cancelled, Claimed, Completed};
    // Facts, the status of work 1, its winner (0 for none), and the oldest work that waits.
    let table: &[(&[Say], WorkStatus, i64, i64)] = &[
        (&[], Absent, 0, 0),
        (&[Work(2)], Absent, 0, 2),
        (&[Work(1)], Available, 0, 1),
        (&[Work(1), Work(2)], Available, 0, 1),
        (&[Work(1), Claim(1)], Claimed, 1, 0),
        (&[Work(1), Work(2), Claim(1)], Claimed, 1, 2),
        (&[Work(1), Claim(3)], Claimed, 3, 0),
        (&[Work(1), Claim(3), Claim(1)], Claimed, 1, 0),
        (&[Work(1), Claim(1), CancelClaim(1)], Available, 0, 1),
        (
            &[Work(1), Claim(1), CancelClaim(1), Claim(3)],
            Claimed,
            3,
            0,
        ),
        (&[Work(1), CancelWork(1)], Cancelled, 0, 0),
        (&[Work(1), Claim(1), CancelWork(1)], Cancelled, 0, 0),
        (&[Work(1), Claim(1), Complete(1)], Completed, 1, 0),
        (&[Work(1), Claim(1), Complete(4)], Completed, 1, 0),
        (&[Work(1), Claim(1), Claim(3), Complete(3)], Completed, 3, 0),
        (&[Work(1), Complete(1), CancelWork(1)], Completed, 1, 0),
        // A Claim without its work is active, but its work is absent all the same.
        (&[Claim(1)], Absent, 1, 0),
        (&[Complete(1)], Absent, 1, 0),
        // Claim 2 is on work 2.
        (&[Work(1), Work(2), Claim(2)], Available, 0, 1),
    ];
    for (said, status, winner, oldest) in table {
        let facts = facts(&model, said);
        assert_eq!(constants.work_status(facts, work(1)), *status, "{said:?}");
        let winner = (*winner > 0).then(|| claim(*winner));
        assert_eq!(constants.winner(facts, work(1)), winner, "{said:?}");
        let oldest = (*oldest > 0).then(|| work(*oldest));
        assert_eq!(constants.oldest(facts), oldest, "{said:?}");
    }
}

#[test]
fn claims_are_as_in_the_table() {
    let model = TWO.model();
    use ClaimStatus::{Absent, Cancelled, Effective, Superseded};
    // Facts and the statuses of Claims 1 and 3, both on work 1.
    let table: &[(&[Say], ClaimStatus, ClaimStatus)] = &[
        (&[Work(1)], Absent, Absent),
        (&[Work(1), Claim(1)], Effective, Absent),
        (&[Work(1), Claim(1), Claim(3)], Effective, Superseded),
        (
            &[Work(1), Claim(1), Claim(3), CancelClaim(1)],
            Cancelled,
            Effective,
        ),
        (
            &[Work(1), Claim(1), Claim(3), CancelWork(1)],
            Cancelled,
            Cancelled,
        ),
        (&[Work(1), Claim(1), CancelWork(1)], Cancelled, Absent),
        // A completed work's Claim stays effective, whatever comes late.
        (&[Work(1), Claim(1), Complete(1)], Effective, Absent),
        (
            &[Work(1), Claim(3), Complete(3), Claim(1)],
            Superseded,
            Effective,
        ),
    ];
    for (said, first, third) in table {
        let facts = facts(&model, said);
        let status = |number| model.constants().claim_status(facts, claim(number));
        assert_eq!((status(1), status(3)), (*first, *third), "{said:?}");
    }
}

#[test]
fn what_may_be_added_is_as_in_the_table() {
    let model = TWO.model();
    // Facts, what may be added of those about work 1.
    let table: &[(&[Say], &[Say])] = &[
        (&[], &[Work(1)]),
        (&[Work(1)], &[Claim(1), Claim(3), CancelWork(1)]),
        // A competing Claim may come, also of a lower number.
        (
            &[Work(1), Claim(3)],
            &[Claim(1), CancelClaim(3), CancelWork(1), Complete(3)],
        ),
        (
            &[Work(1), Claim(1)],
            &[
                Claim(3),
                CancelClaim(1),
                CancelWork(1),
                Complete(1),
                Complete(4),
            ],
        ),
        (
            &[Work(1), Claim(1), Claim(3)],
            &[
                CancelClaim(1),
                CancelClaim(3),
                CancelWork(1),
                Complete(1),
                Complete(4),
            ],
        ),
        // No Claim is given up twice, or made again.
        (
            &[Work(1), Claim(1), CancelClaim(1)],
            &[Claim(3), CancelWork(1)],
        ),
        (&[Work(1), CancelWork(1)], &[]),
        (&[Work(1), Claim(1), Complete(1)], &[]),
        (&[Work(1), Claim(1), Claim(3), Complete(4)], &[]),
    ];
    for (said, allowed) in table {
        let known = facts(&model, said);
        let about = model.constants().about(work(1));
        let found = about
            .iter()
            .filter(|fact| model.constants().allowed(known, *fact))
            .collect::<FactSet>();
        assert_eq!(found, facts(&model, allowed), "{said:?}");
    }
}

#[test]
fn batches_are_appended_one_fact_after_the_other() {
    let model = TWO.model();
    let table: &[(&[Say], &[Say], &[Say])] = &[
        (&[], &[], &[]),
        (&[], &[Work(1), Claim(1)], &[Work(1), Claim(1)]),
        (&[], &[Claim(1), Work(1)], &[Work(1)]),
        (&[Work(1)], &[Work(1), Claim(1)], &[Work(1), Claim(1)]),
        (
            &[Work(1), Work(1)],
            &[Claim(1)],
            &[Work(1), Work(1), Claim(1)],
        ),
        (
            &[Work(1)],
            &[CancelWork(1), Claim(1)],
            &[Work(1), CancelWork(1)],
        ),
        (&[Work(1)], &[Resubmit(1)], &[Work(1)]),
        (&[], &[Resubmit(1), Claim(1)], &[]),
        (
            &[Work(2)],
            &[Resubmit(1), Work(1), Resubmit(2), Claim(2)],
            &[Work(2), Work(1), Claim(2)],
        ),
    ];
    for (source, staged, expected) in table {
        let (source, staged) = (log(&model, source), batch(&model, staged));
        let appended = model.constants().append_batch(&source, &staged);
        assert_eq!(appended, log(&model, expected));
        let view = model.constants().view(&source, &staged);
        assert_eq!(view, appended.facts());
    }
}

#[test]
fn workers_and_maintenance_make_the_logs_of_the_table() {
    let model = TWO.model();
    // A log, and what worker 1 makes of it: having finished, or not.
    let outcomes: &[(&[Say], &[Say], &[Say])] = &[
        (&[Work(1)], &[Work(1)], &[Work(1)]),
        (
            &[Work(1), Claim(1)],
            &[Work(1), Claim(1), Complete(1)],
            &[Work(1), Claim(1), CancelClaim(1)],
        ),
        // Another Claim is the winner now, or the work has ended.
        (
            &[Work(1), Claim(3)],
            &[Work(1), Claim(3)],
            &[Work(1), Claim(3)],
        ),
        (
            &[Work(1), Claim(1), Complete(4)],
            &[Work(1), Claim(1), Complete(4)],
            &[Work(1), Claim(1), Complete(4)],
        ),
    ];
    for (source, finished, given_up) in outcomes {
        let source = log(&model, source);
        let outcome = |finish| model.with_outcome(&source, worker(1), finish);
        assert_eq!(outcome(true), log(&model, finished));
        assert_eq!(outcome(false), log(&model, given_up));
    }
    // A log, the ended runs, and what recovery and compaction make of it.
    type Maintained<'a> = (&'a [Say], &'a [i64], &'a [Say], &'a [Say]);
    let maintained: &[Maintained<'_>] = &[
        (&[], &[1], &[], &[]),
        (
            &[Claim(1), Work(1), Work(1)],
            &[],
            &[Claim(1), Work(1), Work(1)],
            &[Work(1), Claim(1)],
        ),
        (
            &[Work(1), Claim(3), Claim(1), Work(2), Claim(2)],
            &[1, 2, 3],
            &[
                Work(1),
                Claim(3),
                Claim(1),
                Work(2),
                Claim(2),
                CancelClaim(1),
                CancelClaim(3),
                CancelClaim(2),
            ],
            &[Work(1), Work(2), Claim(1), Claim(3), Claim(2)],
        ),
        // Of ended works, of Claims given up already, and of Claims not made nothing is given up.
        (
            &[Work(1), Claim(1), Complete(1), Work(2)],
            &[1, 2],
            &[Work(1), Claim(1), Complete(1), Work(2)],
            &[Work(1), Work(2), Claim(1), Complete(1)],
        ),
        (
            &[Work(1), Claim(1), CancelClaim(1)],
            &[1],
            &[Work(1), Claim(1), CancelClaim(1)],
            &[Work(1), Claim(1), CancelClaim(1)],
        ),
    ];
    for (source, ended, recovered, compacted) in maintained {
        let source = log(&model, source);
        let ended = ended.iter().map(|number| claim(*number)).collect();
        let recovery = model.maintained(&source, Maintenance::Recovery, ended);
        assert_eq!(recovery, log(&model, recovered));
        let compact = model.maintained(&source, Maintenance::Compact, ended);
        assert_eq!(compact, log(&model, compacted));
    }
}

#[test]
fn facts_that_cannot_stand_together_are_told() {
    let model = TWO.model();
    let table: &[(&[Say], bool)] = &[
        (&[], true),
        (&[Work(1), Work(2), Claim(1), Claim(2), Claim(3)], true),
        (
            &[Work(1), Claim(1), CancelClaim(1), Claim(3), Complete(3)],
            true,
        ),
        (&[Work(1), Claim(1), CancelWork(1)], true),
        // Without the work, or without the Claim.
        (&[Claim(1)], false),
        (&[CancelWork(1)], false),
        (&[Work(1), CancelClaim(1)], false),
        (&[Claim(1), CancelClaim(1)], false),
        (&[Work(1), Complete(1)], false),
        (&[Claim(1), Complete(1)], false),
        // Ended twice.
        (&[Work(1), Claim(1), Complete(1), Complete(4)], false),
        (&[Work(1), Claim(1), Complete(1), CancelWork(1)], false),
        // Two works, each ended once.
        (&[Work(1), Work(2), CancelWork(1), CancelWork(2)], true),
        // Not by the first active Claim.
        (&[Work(1), Claim(1), Claim(3), Complete(3)], false),
        (&[Work(1), Claim(1), CancelClaim(1), Complete(1)], false),
    ];
    for (said, valid) in table {
        let facts = facts(&model, said);
        assert_eq!(model.constants().is_valid(facts), *valid, "{said:?}");
    }
}

/// All sets of facts of some constants.
fn every_set(model: &WorkQueue) -> impl Iterator<Item = FactSet> + use<> {
    let count = model.constants().fact_count();
    (0..1_u64 << count).map(FactSet::from_bits)
}

#[test]
fn arbitration_is_the_slow_and_obvious_one() {
    for numbers in [
        [1, 1, 1, 1, 0, 1, 1],
        [1, 3, 4, 1, 0, 1, 1],
        [2, 3, 3, 2, 0, 1, 1],
        [3, 2, 2, 2, 0, 1, 1],
        [2, 1, 3, 1, 0, 1, 1],
    ] {
        let model = Setting::of(numbers).model();
        let reference = Reference::of(&numbers);
        reference.assert_same_facts(&model);
        for facts in every_set(&model) {
            reference.assert_same_arbitration(&model, facts);
        }
    }
}

#[test]
fn there_may_be_as_many_facts_as_a_set_has_room_for() {
    for numbers in [
        [1, 30, 2, 1, 0, 1, 1],
        [30, 1, 2, 64, 0, 1, 1],
        [1, 1, 60, 3, 0, 1, 1],
        [10, 11, 22, 5, 0, 1, 1],
    ] {
        let model = Setting::of(numbers).model();
        assert_eq!(model.constants().fact_count(), MOST_FACTS);
        let reference = Reference::of(&numbers);
        reference.assert_same_facts(&model);
        // Any bits without a pattern will do.
        let mut bits = 1_u64;
        for _ in 0..2_000 {
            bits = bits
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            for facts in [bits, bits & bits.rotate_left(23), u64::MAX] {
                reference.assert_same_arbitration(&model, FactSet::from_bits(facts));
            }
        }
    }
}
