//! A slow and obvious arbitration: records in a set, searched anew for every question.
//!
//! Shared design, models/work-queue.md, sections 2 and 3.

use std::collections::BTreeSet;

use plumb_models::WorkQueue;
use plumb_models::finite::Finite;
use plumb_models::numbered::Numbered;
use plumb_models::work_queue::{Fact, FactSet, Kind};

use crate::setting::{claim, work};

/// A fact, field by field; the fields stand in the order of canonical logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Record {
    /// 0 for Work, 1 for Claim, 2 for ClaimCancellation, 3 for WorkCancellation, 4 for Completion.
    kind: usize,
    work: i64,
    claim: i64,
    attempt: i64,
}

const WORK: usize = 0;
const CLAIM: usize = 1;
const CLAIM_CANCELLATION: usize = 2;
const WORK_CANCELLATION: usize = 3;
const COMPLETION: usize = 4;

type Facts = BTreeSet<Record>;

/// The arbitration with some constants.
pub(crate) struct Reference {
    works: i64,
    claims: i64,
    universe: Facts,
}

impl Reference {
    pub(crate) fn of(numbers: &[i64; 7]) -> Self {
        let [works, claims, workers, ..] = *numbers;
        let work_of = |claim: i64| (claim - 1) % works + 1;
        let mut universe = Facts::new();
        for work in 1..=works {
            for kind in [WORK, WORK_CANCELLATION] {
                universe.insert(Record {
                    kind,
                    work,
                    claim: 0,
                    attempt: 0,
                });
            }
        }
        for claim in 1..=claims {
            for kind in [CLAIM, CLAIM_CANCELLATION] {
                universe.insert(Record {
                    kind,
                    work: work_of(claim),
                    claim,
                    attempt: 0,
                });
            }
        }
        for attempt in 1..=workers {
            let claim = (attempt - 1) % claims + 1;
            universe.insert(Record {
                kind: COMPLETION,
                work: work_of(claim),
                claim,
                attempt,
            });
        }
        Self {
            works,
            claims,
            universe,
        }
    }

    fn has(facts: &Facts, kind: usize, work: i64) -> bool {
        facts
            .iter()
            .any(|fact| fact.kind == kind && fact.work == work)
    }

    fn has_of_claim(facts: &Facts, kind: usize, claim: i64) -> bool {
        facts
            .iter()
            .any(|fact| fact.kind == kind && fact.claim == claim)
    }

    fn terminal(facts: &Facts, work: i64) -> bool {
        Self::has(facts, COMPLETION, work) || Self::has(facts, WORK_CANCELLATION, work)
    }

    fn active(&self, facts: &Facts, work: i64) -> Vec<i64> {
        (1..=self.claims)
            .filter(|claim| (claim - 1) % self.works + 1 == work)
            .filter(|claim| Self::has_of_claim(facts, CLAIM, *claim))
            .filter(|claim| !Self::has_of_claim(facts, CLAIM_CANCELLATION, *claim))
            .collect()
    }

    fn winner(&self, facts: &Facts, work: i64) -> i64 {
        // The document says nothing of several; the first in canonical order is taken.
        let completion = facts
            .iter()
            .find(|fact| fact.kind == COMPLETION && fact.work == work);
        if let Some(completion) = completion {
            return completion.claim;
        }
        if Self::has(facts, WORK_CANCELLATION, work) {
            return 0;
        }
        self.active(facts, work).into_iter().min().unwrap_or(0)
    }

    fn status(&self, facts: &Facts, work: i64) -> &'static str {
        if !Self::has(facts, WORK, work) {
            return "absent";
        }
        if Self::has(facts, COMPLETION, work) {
            return "completed";
        }
        if Self::has(facts, WORK_CANCELLATION, work) {
            return "cancelled";
        }
        if self.winner(facts, work) != 0 {
            return "claimed";
        }
        "available"
    }

    fn claim_status(&self, facts: &Facts, claim: i64) -> &'static str {
        let work = (claim - 1) % self.works + 1;
        if !Self::has_of_claim(facts, CLAIM, claim) {
            return "absent";
        }
        if Self::has_of_claim(facts, CLAIM_CANCELLATION, claim)
            || Self::has(facts, WORK_CANCELLATION, work)
        {
            return "cancelled";
        }
        if self.winner(facts, work) == claim {
            return "effective";
        }
        "superseded"
    }

    fn oldest(&self, facts: &Facts) -> i64 {
        (1..=self.works)
            .find(|work| self.status(facts, *work) == "available")
            .unwrap_or(0)
    }

    fn allowed(&self, facts: &Facts, fact: Record) -> bool {
        if facts.contains(&fact) || Self::terminal(facts, fact.work) {
            return false;
        }
        let has_work = Self::has(facts, WORK, fact.work);
        match fact.kind {
            WORK => !has_work,
            CLAIM | WORK_CANCELLATION => has_work,
            CLAIM_CANCELLATION => Self::has_of_claim(facts, CLAIM, fact.claim),
            _ => has_work && fact.claim == self.winner(facts, fact.work),
        }
    }

    fn valid(&self, facts: &Facts) -> bool {
        let grounded = |fact: &Record| {
            let has_claim = || Self::has_of_claim(facts, CLAIM, fact.claim);
            let has_work = fact.kind == WORK || Self::has(facts, WORK, fact.work);
            let of_claim = [CLAIM_CANCELLATION, COMPLETION].contains(&fact.kind);
            let first = self.active(facts, fact.work).into_iter().min();
            has_work
                && (!of_claim || has_claim())
                && (fact.kind != COMPLETION || first == Some(fact.claim))
        };
        let ended = |work: i64| {
            let ends = [WORK_CANCELLATION, COMPLETION];
            let ends = |fact: &&Record| fact.work == work && ends.contains(&fact.kind);
            facts.iter().filter(ends).count()
        };
        facts.iter().all(grounded) && (1..=self.works).all(|work| ended(work) <= 1)
    }

    /// The model has the facts that there are, in the canonical order.
    pub(crate) fn assert_same_facts(&self, model: &WorkQueue) {
        let facts = model.constants().all_facts();
        let facts: Vec<Record> = facts.map(|fact| record(model, fact)).collect();
        let expected: Vec<Record> = self.universe.iter().copied().collect();
        assert_eq!(facts, expected);
    }

    /// The model answers every question about a set as this does.
    pub(crate) fn assert_same_arbitration(&self, model: &WorkQueue, set: FactSet) {
        let constants = model.constants();
        let facts: Facts = set.iter().map(|fact| record(model, fact)).collect();
        assert_eq!(facts.len(), set.len());
        for number in 1..=self.works {
            let work = work(number);
            let winner = constants.winner(set, work).map_or(0, Numbered::number);
            assert_eq!(winner, self.winner(&facts, number), "{facts:?}");
            let status = constants.work_status(set, work).name();
            assert_eq!(status, self.status(&facts, number), "{facts:?}");
            let terminal = constants.is_terminal(set, work);
            assert_eq!(terminal, Self::terminal(&facts, number), "{facts:?}");
            let active = constants.active(set, work);
            let active: Vec<i64> = active
                .iter()
                .map(|fact| record(model, fact).claim)
                .collect();
            assert_eq!(active, self.active(&facts, number), "{facts:?}");
        }
        for number in 1..=self.claims {
            let status = constants.claim_status(set, claim(number)).name();
            assert_eq!(status, self.claim_status(&facts, number), "{facts:?}");
        }
        let oldest = constants.oldest(set).map_or(0, Numbered::number);
        assert_eq!(oldest, self.oldest(&facts), "{facts:?}");
        for fact in constants.all_facts() {
            let allowed = self.allowed(&facts, record(model, fact));
            assert_eq!(
                constants.allowed(set, fact),
                allowed,
                "{fact:?} to {facts:?}"
            );
        }
        assert_eq!(constants.is_valid(set), self.valid(&facts), "{facts:?}");
    }
}

/// What a fact says, in numbers.
fn record(model: &WorkQueue, fact: Fact) -> Record {
    let description = model.constants().describe(fact);
    let kinds = [
        Kind::Work,
        Kind::Claim,
        Kind::ClaimCancellation,
        Kind::WorkCancellation,
        Kind::Completion,
    ];
    let kind = kinds.iter().position(|kind| *kind == description.kind);
    assert_eq!(Kind::ALL, kinds);
    Record {
        kind: kind.unwrap(),
        work: description.work.number(),
        claim: description.claim.map_or(0, Numbered::number),
        attempt: description.attempt.map_or(0, Numbered::number),
    }
}
