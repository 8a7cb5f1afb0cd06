//! The invariants over the history of a log: what was true when each operation was put on record.
//!
//! Shared design, models/fair-work-queue.md, section 9. Each operation is judged against the
//! projection of all that stands before it. What is wrong in a log stays wrong in every log that
//! begins with it: so a longer log only adds the judgement of its last record.

use super::constants::{Constants, Mode};
use super::log::{Operation, Record};
use super::projection::Projection;
use super::schedule;
use super::vocabulary::{Claim, ClaimStatus, Group, Outcome, Readiness, Run, Work};
use crate::numbered::NumberSet;

/// An invariant that the history of a log can violate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Rule {
    CausalChain,
    DecisionValidity,
    RequestOnce,
    ClaimClosureAuthority,
    RunReleaseAuthority,
    DependencyAuthorization,
    ResultAuthority,
    ExternalAuthorization,
    DefaultFifo,
    StrictPriority,
}

/// Which rules a log's history violates, and what judging the next record takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct History {
    violated: u16,
    /// The groups with a request on record.
    requests: NumberSet<Group>,
    /// The id of the last record.
    last_id: Option<i64>,
    /// The Claims with a Close operation.
    closed: NumberSet<Claim>,
    /// How many records there are up to the last Checkpoint operation.
    checkpoint: usize,
}

impl History {
    /// That of the empty log.
    pub(super) const EMPTY: Self = Self {
        violated: 0,
        requests: NumberSet::EMPTY,
        last_id: None,
        closed: NumberSet::EMPTY,
        checkpoint: 0,
    };

    /// Whether the log obeys a rule.
    pub(super) fn obeys(&self, rule: Rule) -> bool {
        self.violated >> rule as u16 & 1 == 0
    }

    /// The id of the last record.
    pub(super) fn last_id(&self) -> Option<i64> {
        self.last_id
    }

    /// The Claims with a Close operation.
    pub(super) fn closed(&self) -> NumberSet<Claim> {
        self.closed
    }

    /// How many records there are up to the last Checkpoint operation.
    pub(super) fn checkpoint(&self) -> usize {
        self.checkpoint
    }

    fn require(&mut self, rule: Rule, holds: bool) {
        self.violated |= u16::from(!holds) << rule as u16;
    }

    /// Judges a record by itself and against the one before it.
    pub(super) fn judge_record(&mut self, record: Record<'_>) {
        if let Some(last) = self.last_id {
            self.require(Rule::CausalChain, record.previous == last);
        }
        self.last_id = Some(record.id);
        if let Some(group) = record.request {
            let first = !self.requests.contains(group);
            self.require(Rule::RequestOnce, first);
            self.requests.insert(group);
        }
    }

    /// Judges an operation of the last of `length` records, and applies it to the projection of
    /// all before it.
    pub(super) fn judge_and_apply(
        &mut self,
        constants: &Constants,
        before: &mut Projection,
        operation: Operation,
        (position, length): (i64, usize),
    ) {
        match operation {
            Operation::Claim(group, claim) => {
                let eligible = schedule::eligible(constants, before);
                self.judge_claim(constants, before, eligible, (group, claim));
                schedule::charge_among(constants, before, eligible, (group, claim));
                return;
            }
            Operation::Close(group, claim, outcome) => {
                self.closed.insert(claim);
                let authorized = may_close(constants, before, (group, claim), outcome);
                self.require(Rule::ClaimClosureAuthority, authorized);
            }
            Operation::Release(group) => {
                let open = |claim| before.claim(claim) == ClaimStatus::Open;
                let released = before.run(group) == Run::Terminal;
                let authorized = released && !before.members(group).any(open);
                self.require(Rule::RunReleaseAuthority, authorized);
            }
            Operation::Result(group, claim) => {
                let authorized = may_publish(constants, before, (group, claim));
                self.require(Rule::ResultAuthority, authorized);
            }
            Operation::Checkpoint => self.checkpoint = length,
            Operation::Work(_)
            | Operation::Started(_)
            | Operation::Bound(_)
            | Operation::Terminated(_)
            | Operation::Observe { .. } => {}
        }
        before.apply(constants, operation, position);
    }

    /// Judges a Claim made when these works were eligible.
    fn judge_claim(
        &mut self,
        constants: &Constants,
        before: &Projection,
        eligible: NumberSet<Work>,
        (group, claim): (Group, Claim),
    ) {
        let work = constants.work_of(claim);
        let decided = schedule::next_among(constants, before, eligible) == Some(work)
            && constants.group_of(claim) == group
            && before.claim(claim) == ClaimStatus::Absent;
        self.require(Rule::DecisionValidity, decided);

        let dependencies = constants.predecessors(work).is_subset(before.results);
        self.require(Rule::DependencyAuthorization, dependencies);

        let mut resources = constants.waits_for(work).iter();
        let ready =
            resources.all(|resource| before.resources[resource].readiness == Readiness::Ready);
        self.require(Rule::ExternalAuthorization, ready);

        if constants.mode == Mode::Default {
            let position = |work: Work| before.work(work).position;
            let mut earlier = eligible
                .iter()
                .filter(|other| position(*other) < position(work));
            let first = eligible.contains(work) && earlier.next().is_none();
            self.require(Rule::DefaultFifo, first);
        }
        if constants.mode == Mode::Strict {
            let class = constants.class(work);
            let mut others = eligible.iter();
            let foremost = others.all(|other| class <= constants.class(other));
            self.require(Rule::StrictPriority, foremost);
        }
    }
}

/// Whether a group may close a Claim so.
fn may_close(
    constants: &Constants,
    before: &Projection,
    (group, claim): (Group, Claim),
    outcome: Outcome,
) -> bool {
    let run = before.run(group);
    let in_time = match outcome {
        Outcome::Completed => run == Run::Bound,
        Outcome::Cancelled => matches!(run, Run::Bound | Run::Terminal),
    };
    constants.group_of(claim) == group
        && before.is_member(group, claim)
        && before.claim(claim) == ClaimStatus::Open
        && before.work(constants.work_of(claim)).owner == Some(claim)
        && in_time
}

/// Whether a group may publish a Claim's Result.
fn may_publish(constants: &Constants, before: &Projection, (group, claim): (Group, Claim)) -> bool {
    constants.group_of(claim) == group
        && before.is_member(group, claim)
        && before.claim(claim) == ClaimStatus::Completed
        && matches!(
            before.run(group),
            Run::Bound | Run::Terminal | Run::Released
        )
        && !before.results.contains(constants.work_of(claim))
}
