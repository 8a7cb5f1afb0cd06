//! What a log amounts to: the replayed state, and what each operation does to it.
//!
//! Shared design, models/fair-work-queue.md, sections 2 and 3.

use super::constants::Constants;
use super::log::{Log, Operation, Record};
use super::schedule;
use super::vocabulary::{
    Claim, ClaimStatus, Class, Group, Key, Outcome, RawStatus, Readiness, Resource, Run, Work,
    WorkStatus,
};
use crate::finite::{Map, Subset};
use crate::numbered::{NumberSet, Numbered};

/// A work in the projection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct WorkEntry {
    /// What became of it: `ws`.
    pub status: WorkStatus,
    /// Its place in the order of arrival: `pos`.
    pub position: i64,
    /// The Claim that has it: `owner`.
    pub owner: Option<Claim>,
}

/// The clocks of classes and keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Clocks {
    /// The clock of each class: `cp`.
    pub class_passes: Map<Class, i64, 2>,
    /// The clocks of each class's keys: `kp`.
    pub key_passes: Map<Class, Map<Key, i64, 2>, 2>,
    /// The time of the last charge among classes: `cv`.
    pub class_time: i64,
    /// The time of the last charge among the keys of each class: `kv`.
    pub key_times: Map<Class, i64, 2>,
    /// The classes that competed when a Claim was last made: `ca`.
    pub active_classes: Subset<Class>,
    /// The keys of each class that competed then: `ka`.
    pub active_keys: Map<Class, Subset<Key>, 2>,
}

/// A resource in the projection.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ResourceEntry {
    /// What its status means: `external`.
    pub readiness: Readiness,
    /// What its host said last: `raw`.
    pub raw: RawStatus,
    /// How often it was observed: `reads`.
    pub reads: i64,
}

/// What became of every Claim: `cs`.
///
/// There is a set for each status; a Claim in none of them was never made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ClaimTable {
    open: NumberSet<Claim>,
    completed: NumberSet<Claim>,
    cancelled: NumberSet<Claim>,
}

impl ClaimTable {
    /// The table in which no Claim was made.
    pub const EMPTY: Self = Self {
        open: NumberSet::EMPTY,
        completed: NumberSet::EMPTY,
        cancelled: NumberSet::EMPTY,
    };

    /// What became of a Claim.
    #[must_use]
    pub fn get(&self, claim: Claim) -> ClaimStatus {
        if self.open.contains(claim) {
            ClaimStatus::Open
        } else if self.completed.contains(claim) {
            ClaimStatus::Completed
        } else if self.cancelled.contains(claim) {
            ClaimStatus::Cancelled
        } else {
            ClaimStatus::Absent
        }
    }

    /// Something else becomes of a Claim.
    pub fn set(&mut self, claim: Claim, status: ClaimStatus) {
        self.open.remove(claim);
        self.completed.remove(claim);
        self.cancelled.remove(claim);
        match status {
            ClaimStatus::Absent => {}
            ClaimStatus::Open => self.open.insert(claim),
            ClaimStatus::Completed => self.completed.insert(claim),
            ClaimStatus::Cancelled => self.cancelled.insert(claim),
        }
    }

    /// The open Claims.
    #[must_use]
    pub const fn open(&self) -> NumberSet<Claim> {
        self.open
    }

    /// The completed Claims.
    #[must_use]
    pub const fn completed(&self) -> NumberSet<Claim> {
        self.completed
    }

    /// The Claims that were made, whatever became of them.
    #[must_use]
    pub const fn made(&self) -> NumberSet<Claim> {
        self.open.union(self.completed).union(self.cancelled)
    }
}

/// Every group's Claims, in the order in which they were made: `members`.
///
/// They stand in one row, ordered by group.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Members {
    row: Vec<(Group, Claim)>,
}

impl Members {
    /// A group's Claims, in order.
    pub fn of(&self, group: Group) -> impl Iterator<Item = Claim> + Clone {
        let of_group = self.row.iter().filter(move |(other, _)| *other == group);
        of_group.map(|(_, claim)| *claim)
    }

    /// A Claim is made for a group.
    pub fn add(&mut self, group: Group, claim: Claim) {
        let end = self.row.partition_point(|(other, _)| *other <= group);
        self.row.insert(end, (group, claim));
    }

    /// Whether a Claim was made for a group.
    #[must_use]
    pub fn contains(&self, group: Group, claim: Claim) -> bool {
        self.row.contains(&(group, claim))
    }
}

/// What a log amounts to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Projection {
    /// Every work, by index.
    pub works: Vec<WorkEntry>,
    /// What became of every Claim.
    pub claims: ClaimTable,
    /// Every group's Claims.
    pub members: Members,
    /// How far every group's native run is: `run`.
    pub runs: Vec<Run>,
    /// The clocks of classes and keys.
    pub clocks: Clocks,
    /// How many Claims were made with each key: `charges`.
    pub charges: Map<Key, i64, 2>,
    /// The works with a Result: `results`.
    pub results: NumberSet<Work>,
    /// Every resource.
    pub resources: Map<Resource, ResourceEntry, 2>,
}

impl Projection {
    /// What the empty log amounts to.
    #[must_use]
    pub fn empty(constants: &Constants) -> Self {
        let work = WorkEntry {
            status: WorkStatus::Absent,
            position: 0,
            owner: None,
        };
        Self {
            works: vec![work; constants.works],
            claims: ClaimTable::EMPTY,
            members: Members::default(),
            runs: vec![Run::Absent; constants.groups],
            clocks: Clocks {
                class_passes: Map::all(0),
                key_passes: Map::all(Map::all(0)),
                class_time: 0,
                key_times: Map::all(0),
                active_classes: Subset::EMPTY,
                active_keys: Map::all(Subset::EMPTY),
            },
            charges: Map::all(0),
            results: NumberSet::EMPTY,
            resources: Map::all(ResourceEntry {
                readiness: Readiness::Unknown,
                raw: RawStatus::Unavailable,
                reads: 0,
            }),
        }
    }

    /// What a log amounts to.
    #[must_use]
    pub fn of(constants: &Constants, log: &Log) -> Self {
        Self::empty(constants).followed_by(constants, log, 0)
    }

    /// What this projection comes to by the records of a log from the one at index `from` on.
    #[must_use]
    pub fn followed_by(mut self, constants: &Constants, log: &Log, from: usize) -> Self {
        for index in from..log.len() {
            if let Some(record) = log.get(index) {
                self.apply_record(constants, index, record);
            }
        }
        self
    }

    /// Applies the operations of the record at an index of the log.
    fn apply_record(&mut self, constants: &Constants, index: usize, record: Record<'_>) {
        let first = first_position(constants, index);
        for (position, operation) in (first..).zip(record.operations) {
            self.apply(constants, *operation, position);
        }
    }

    /// Applies one operation, at its position among all of the log.
    pub fn apply(&mut self, constants: &Constants, operation: Operation, position: i64) {
        match operation {
            Operation::Work(work) => {
                let entry = &mut self.works[work.index()];
                entry.status = WorkStatus::Available;
                entry.position = position;
            }
            Operation::Claim(group, claim) => schedule::charge(constants, self, group, claim),
            Operation::Started(group) => self.runs[group.index()] = Run::Started,
            Operation::Bound(group) => self.runs[group.index()] = Run::Bound,
            Operation::Terminated(group) => self.runs[group.index()] = Run::Terminal,
            Operation::Release(group) => self.runs[group.index()] = Run::Released,
            Operation::Close(_, claim, outcome) => self.close(constants, claim, outcome),
            Operation::Result(_, claim) => self.results.insert(constants.work_of(claim)),
            Operation::Observe {
                resource,
                raw,
                taken_for_ready,
            } => self.observe(resource, raw, taken_for_ready),
            Operation::Checkpoint => {}
        }
    }

    /// Position, clocks, active sets, charges and members stay as they are: a cancelled work goes
    /// back to its original place, and a charge is never given back.
    fn close(&mut self, constants: &Constants, claim: Claim, outcome: Outcome) {
        let work = &mut self.works[constants.work_of(claim).index()];
        match outcome {
            Outcome::Completed => {
                self.claims.set(claim, ClaimStatus::Completed);
                work.status = WorkStatus::Completed;
                work.owner = Some(claim);
            }
            Outcome::Cancelled => {
                self.claims.set(claim, ClaimStatus::Cancelled);
                work.status = WorkStatus::Available;
                work.owner = None;
            }
        }
    }

    fn observe(&mut self, resource: Resource, raw: RawStatus, taken_for_ready: bool) {
        let entry = &mut self.resources[resource];
        entry.raw = raw;
        entry.reads = entry.reads.saturating_add(1);
        entry.readiness = if taken_for_ready {
            Readiness::Ready
        } else {
            resource.normalized(raw)
        };
    }

    /// A work's entry.
    #[must_use]
    pub fn work(&self, work: Work) -> WorkEntry {
        self.works[work.index()]
    }

    /// What became of a Claim.
    #[must_use]
    pub fn claim(&self, claim: Claim) -> ClaimStatus {
        self.claims.get(claim)
    }

    /// How far a group's run is.
    #[must_use]
    pub fn run(&self, group: Group) -> Run {
        self.runs[group.index()]
    }

    /// A group's Claims, in the order in which they were made.
    pub fn members(&self, group: Group) -> impl Iterator<Item = Claim> + Clone {
        self.members.of(group)
    }

    /// Whether a Claim was made for a group.
    #[must_use]
    pub fn is_member(&self, group: Group, claim: Claim) -> bool {
        self.members.contains(group, claim)
    }

    /// The number of groups that hold a native slot.
    #[must_use]
    pub fn held_slots(&self) -> i64 {
        let held = self.runs.iter().filter(|run| run.holds_slot());
        held.count() as i64
    }

    /// The number of open Claims.
    #[must_use]
    pub fn open_claims(&self) -> i64 {
        self.claims.open().len() as i64
    }

    /// The number of open Claims whose work has this key.
    #[must_use]
    pub fn open_with_key(&self, constants: &Constants, key: Key) -> i64 {
        let open = self.claims.open().iter();
        let of_key = open.filter(|claim| constants.key(constants.work_of(*claim)) == key);
        of_key.count() as i64
    }
}

/// The position of the first operation of the record at an index.
#[must_use]
pub fn first_position(constants: &Constants, index: usize) -> i64 {
    (index as i64 + 1).saturating_mul(constants.works as i64 + 1)
}
