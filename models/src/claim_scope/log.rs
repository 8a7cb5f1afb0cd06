//! The log: a sequence whose order counts.
//!
//! Shared design, models/claim-scope.md, section 2.

use std::fmt;

use super::vocabulary::Claim;
use crate::finite::{Finite, Subset, finite_names};

/// What an entry of the log records about a Claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// It was completed.
    Completion,
    /// It was cancelled.
    ClaimCancellation,
    /// Its Result was published.
    Result,
}

finite_names!(Kind {
    Completion = "Completion",
    ClaimCancellation = "ClaimCancellation",
    Result = "Result",
});

/// One entry of the log.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Entry {
    /// What happened.
    pub kind: Kind,
    /// To which Claim.
    pub claim: Claim,
}

/// What happened to the Claims, in order.
///
/// Each Claim is closed once and has at most one Result, so that three Claims need six entries;
/// there is room for no more.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Log {
    /// The entries, followed by `None` only.
    entries: [Option<Entry>; Log::CAPACITY],
}

impl Log {
    /// The most entries that a log has.
    pub const CAPACITY: usize = 6;

    /// The log without entries.
    pub const EMPTY: Self = Self {
        entries: [None; Self::CAPACITY],
    };

    /// Appends an entry; whether there was room.
    pub fn append(&mut self, kind: Kind, claim: Claim) -> bool {
        match self.entries.iter_mut().find(|entry| entry.is_none()) {
            Some(place) => {
                *place = Some(Entry { kind, claim });
                true
            }
            None => false,
        }
    }

    /// The entries in order.
    pub fn iter(&self) -> impl Iterator<Item = Entry> {
        self.entries.iter().map_while(|entry| *entry)
    }

    /// The Claims that have an entry of this kind.
    #[must_use]
    pub fn claims(&self, kind: Kind) -> Subset<Claim> {
        let found = self.iter().filter(|entry| entry.kind == kind);
        Subset::of(found.map(|entry| entry.claim))
    }

    /// Whether no Claim has more than one of the entries that `counts` chooses.
    #[must_use]
    pub fn at_most_one_each(&self, counts: impl Fn(Kind) -> bool) -> bool {
        Claim::ALL.iter().all(|claim| {
            let entries = self.iter().filter(|entry| entry.claim == *claim);
            entries.filter(|entry| counts(entry.kind)).count() <= 1
        })
    }
}

impl fmt::Debug for Log {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}
