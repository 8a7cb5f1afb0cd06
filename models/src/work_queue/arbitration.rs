//! What a set of facts amounts to, and which further facts it allows.
//!
//! Shared design, models/work-queue.md, sections 3.3 to 3.7.

use super::constants::{Constants, Description};
use super::fact::{Fact, FactSet, Intent};
use super::sequence::Sequence;
use super::vocabulary::{Claim, ClaimStatus, Kind, Work, WorkStatus};
use crate::numbered::NumberSet;

impl Sequence<Fact> {
    /// The set of the facts that occur: all that a decision looks at.
    #[must_use]
    pub fn facts(&self) -> FactSet {
        self.iter().collect()
    }
}

impl Constants {
    /// Whether nothing happens to a work any more.
    #[must_use]
    pub fn is_terminal(&self, facts: FactSet, work: Work) -> bool {
        !facts.intersection(self.terminal_of(work)).is_empty()
    }

    /// The Completions of a work.
    #[must_use]
    pub fn completed(&self, facts: FactSet, work: Work) -> FactSet {
        facts.intersection(self.completions_of(work))
    }

    /// The Claims on a work that were not given up, as Claim facts.
    #[must_use]
    pub fn active(&self, facts: FactSet, work: Work) -> FactSet {
        // Cancellations of Claims are as many places behind the Claims as there are Claims.
        let cancelled = FactSet::from_bits(facts.bits() >> self.claims);
        facts.intersection(self.claims_on(work)).minus(cancelled)
    }

    /// The Claim that decides about a work: that of its Completion, or else, unless the work was
    /// given up, the active one of the least number.
    #[must_use]
    pub fn winner(&self, facts: FactSet, work: Work) -> Option<Claim> {
        let decisive = match self.completed(facts, work).first() {
            Some(completion) => completion,
            None if facts.contains(self.work_cancellation(work)) => return None,
            None => self.active(facts, work).first()?,
        };
        self.describe(decisive).claim
    }

    /// What has become of a work.
    #[must_use]
    pub fn work_status(&self, facts: FactSet, work: Work) -> WorkStatus {
        if !facts.contains(self.work(work)) {
            WorkStatus::Absent
        } else if !self.completed(facts, work).is_empty() {
            WorkStatus::Completed
        } else if facts.contains(self.work_cancellation(work)) {
            WorkStatus::Cancelled
        } else if self.winner(facts, work).is_some() {
            WorkStatus::Claimed
        } else {
            WorkStatus::Available
        }
    }

    /// What has become of a Claim.
    #[must_use]
    pub fn claim_status(&self, facts: FactSet, claim: Claim) -> ClaimStatus {
        let work = self.work_of(claim);
        if !facts.contains(self.claim(claim)) {
            ClaimStatus::Absent
        } else if facts.contains(self.claim_cancellation(claim))
            || facts.contains(self.work_cancellation(work))
        {
            ClaimStatus::Cancelled
        } else if self.winner(facts, work) == Some(claim) {
            ClaimStatus::Effective
        } else {
            ClaimStatus::Superseded
        }
    }

    /// The work that is to be claimed next: the first that is available.
    #[must_use]
    pub fn oldest(&self, facts: FactSet) -> Option<Work> {
        self.all_works()
            .find(|work| self.work_status(facts, *work) == WorkStatus::Available)
    }

    /// Whether a fact may be added.
    #[must_use]
    pub fn allowed(&self, facts: FactSet, fact: Fact) -> bool {
        let Description {
            kind, work, claim, ..
        } = self.describe(fact);
        let is_new = !facts.contains(fact) && !self.is_terminal(facts, work);
        let has_work = facts.contains(self.work(work));
        is_new
            && match kind {
                Kind::Work => !has_work,
                Kind::Claim | Kind::WorkCancellation => has_work,
                Kind::ClaimCancellation => {
                    claim.is_some_and(|claim| facts.contains(self.claim(claim)))
                }
                Kind::Completion => has_work && claim == self.winner(facts, work),
            }
    }

    /// The facts after adding those of a list that are allowed when their turn comes; each is
    /// handed to `added`.
    fn fold(
        &self,
        facts: FactSet,
        list: impl IntoIterator<Item = Fact>,
        mut added: impl FnMut(Fact),
    ) -> FactSet {
        list.into_iter().fold(facts, |mut facts, fact| {
            if self.allowed(facts, fact) {
                facts.insert(fact);
                added(fact);
            }
            facts
        })
    }

    /// The log with the facts of a list appended that are allowed when their turn comes.
    #[must_use]
    pub fn append(
        &self,
        log: &Sequence<Fact>,
        list: impl IntoIterator<Item = Fact>,
    ) -> Sequence<Fact> {
        let mut appended = log.clone();
        self.fold(log.facts(), list, |fact| appended.push(fact));
        appended
    }

    /// The log with a batch appended; resubmissions are never allowed.
    #[must_use]
    pub fn append_batch(&self, log: &Sequence<Fact>, batch: &Sequence<Intent>) -> Sequence<Fact> {
        self.append(log, batch.iter().filter_map(|intent| self.fact_of(intent)))
    }

    /// The facts of the log with a batch appended.
    #[must_use]
    pub fn view(&self, log: &Sequence<Fact>, batch: &Sequence<Intent>) -> FactSet {
        let batch = batch.iter().filter_map(|intent| self.fact_of(intent));
        self.fold(log.facts(), batch, |_| ())
    }

    /// The facts as a log: each once, in the canonical order.
    #[must_use]
    pub fn canonical(&self, facts: FactSet) -> Sequence<Fact> {
        facts.iter().collect()
    }

    /// The cancellations that are due for Claims of ended runs.
    #[must_use]
    pub fn orphans(&self, facts: FactSet, ended: NumberSet<Claim>) -> FactSet {
        ended
            .iter()
            .filter(|claim| {
                facts.contains(self.claim(*claim))
                    && !self.is_terminal(facts, self.work_of(*claim))
                    && !facts.contains(self.claim_cancellation(*claim))
            })
            .map(|claim| self.claim_cancellation(claim))
            .collect()
    }

    /// Whether facts can stand together: what each is about is there, at most one is terminal for
    /// each work, and Completions are of the first active Claim.
    #[must_use]
    pub fn is_valid(&self, facts: FactSet) -> bool {
        let grounded = |fact: Fact| {
            let description = self.describe(fact);
            let has_work = facts.contains(self.work(description.work));
            let has_claim = || {
                let claim = description.claim;
                claim.is_some_and(|claim| facts.contains(self.claim(claim)))
            };
            match description.kind {
                Kind::Work => true,
                Kind::Claim | Kind::WorkCancellation => has_work,
                Kind::ClaimCancellation => has_work && has_claim(),
                Kind::Completion => {
                    let first = self.active(facts, description.work).first();
                    has_work && has_claim() && first == description.claim.map(|c| self.claim(c))
                }
            }
        };
        let decided_once = |work: Work| facts.intersection(self.terminal_of(work)).len() <= 1;
        facts.iter().all(grounded) && self.all_works().all(decided_once)
    }
}
