//! The log: records of operations, the only thing with authority.
//!
//! Shared design, models/fair-work-queue.md, section 3.

use super::constants::Constants;
use super::vocabulary::{Claim, Group, Outcome, RawStatus, Resource, Work};
use crate::finite::finite_names;

/// What an operation says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// There is a work.
    Work(Work),
    /// A group claims a work.
    Claim(Group, Claim),
    /// A group's run was launched.
    Started(Group),
    /// A group's run is bound to its worker.
    Bound(Group),
    /// A group's run has ended.
    Terminated(Group),
    /// A group's native slot is given back.
    Release(Group),
    /// A group closes a Claim.
    Close(Group, Claim, Outcome),
    /// A group publishes the Result of a Claim's work.
    Result(Group, Claim),
    /// A host said something of a resource.
    Observe {
        /// The resource.
        resource: Resource,
        /// What its host said.
        raw: RawStatus,
        /// Whether it is taken for ready whatever was said: a defect. The operation's group is 1.
        taken_for_ready: bool,
    },
    /// Nothing: a checkpoint was published here.
    Checkpoint,
}

/// The kinds of operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// There is a work.
    Work,
    /// A group claims a work.
    Claim,
    /// A run was launched.
    Started,
    /// A run is bound.
    Bound,
    /// A run has ended.
    Terminated,
    /// A native slot is given back.
    Release,
    /// A Claim is closed.
    Close,
    /// A Result is published.
    Result,
    /// A host said something.
    Observe,
    /// A checkpoint was published.
    Checkpoint,
}

finite_names!(Kind {
    Work = "Work",
    Claim = "Claim",
    Started = "Started",
    Bound = "Bound",
    Terminated = "Terminated",
    Release = "Release",
    Close = "Close",
    Result = "Result",
    Observe = "Observe",
    Checkpoint = "Checkpoint",
});

impl Operation {
    /// The kind of operation that this is.
    #[must_use]
    pub const fn kind(self) -> Kind {
        match self {
            Self::Work(_) => Kind::Work,
            Self::Claim(..) => Kind::Claim,
            Self::Started(_) => Kind::Started,
            Self::Bound(_) => Kind::Bound,
            Self::Terminated(_) => Kind::Terminated,
            Self::Release(_) => Kind::Release,
            Self::Close(..) => Kind::Close,
            Self::Result(..) => Kind::Result,
            Self::Observe { .. } => Kind::Observe,
            Self::Checkpoint => Kind::Checkpoint,
        }
    }
}

/// A record's place in the chain of records, and where its operations end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Head {
    id: i64,
    previous: i64,
    request: Option<Group>,
    end: u32,
}

/// A record of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Record<'a> {
    /// The record's id.
    pub id: i64,
    /// The id of the record before it, or 0.
    pub previous: i64,
    /// The group whose request it is, if it is one.
    pub request: Option<Group>,
    /// What it says.
    pub operations: &'a [Operation],
}

/// A sequence of records.
///
/// The operations of all of them stand in one row, so that a log is copied quickly.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Log {
    heads: Vec<Head>,
    operations: Vec<Operation>,
}

impl Log {
    /// The log of the initial state: one record with all works.
    #[must_use]
    pub fn opening(constants: &Constants) -> Self {
        let works: Vec<Operation> = constants.all_works().map(Operation::Work).collect();
        let mut log = Self::default();
        log.append(Record {
            id: 1,
            previous: 0,
            request: None,
            operations: &works,
        });
        log
    }

    /// A copy with room for one more record of so many operations.
    pub(super) fn with_room(&self, operations: usize) -> Self {
        let mut copy = Self {
            heads: Vec::with_capacity(self.heads.len() + 1),
            operations: Vec::with_capacity(self.operations.len() + operations),
        };
        copy.heads.extend_from_slice(&self.heads);
        copy.operations.extend_from_slice(&self.operations);
        copy
    }

    /// The number of records.
    #[must_use]
    pub fn len(&self) -> usize {
        self.heads.len()
    }

    /// Whether there are no records.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    /// Adds a record at the end.
    pub fn append(&mut self, record: Record<'_>) {
        self.operations.extend_from_slice(record.operations);
        self.heads.push(Head {
            id: record.id,
            previous: record.previous,
            request: record.request,
            end: self.operations.len() as u32,
        });
    }

    /// The record at an index, from 0.
    #[must_use]
    pub fn get(&self, index: usize) -> Option<Record<'_>> {
        let head = self.heads.get(index)?;
        let start = match index.checked_sub(1) {
            Some(before) => self.heads[before].end as usize,
            None => 0,
        };
        Some(Record {
            id: head.id,
            previous: head.previous,
            request: head.request,
            operations: &self.operations[start..head.end as usize],
        })
    }

    /// The records, in order.
    pub fn records(&self) -> impl Iterator<Item = Record<'_>> {
        (0..self.len()).filter_map(|index| self.get(index))
    }

    /// The last record.
    #[must_use]
    pub fn last(&self) -> Option<Record<'_>> {
        self.get(self.len().checked_sub(1)?)
    }

    /// The first `length` records, or all of them if there are fewer.
    #[must_use]
    pub fn prefix(&self, length: usize) -> Self {
        let heads = &self.heads[..length.min(self.len())];
        let operations = heads.last().map_or(0, |head| head.end as usize);
        Self {
            heads: heads.to_vec(),
            operations: self.operations[..operations].to_vec(),
        }
    }

    /// Whether the first so many records are the same in both logs; of a shorter log, all.
    #[must_use]
    pub(super) fn agrees_up_to(&self, other: &Self, records: usize) -> bool {
        let heads = |log: &Self| records.min(log.heads.len());
        let (own, others) = (&self.heads[..heads(self)], &other.heads[..heads(other)]);
        let end = own.last().map_or(0, |head| head.end as usize);
        own == others && self.operations[..end] == other.operations[..end]
    }

    /// Whether this log begins with all of the other.
    #[must_use]
    pub fn begins_with(&self, other: &Self) -> bool {
        self.heads.starts_with(&other.heads) && self.operations.starts_with(&other.operations)
    }

    /// Whether the records are numbered 1, 2, 3 and so on, each with its predecessor's number.
    #[must_use]
    pub fn is_numbered_through(&self) -> bool {
        (0..)
            .zip(&self.heads)
            .all(|(before, head)| head.previous == before && head.id == before + 1)
    }
}
