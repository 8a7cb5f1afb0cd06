//! A log together with all that is a function of it.
//!
//! Most states of a search share their logs with others, and most steps either keep the log or add
//! one record. So the projection and the judgement of the history are carried along: a record
//! that is added only adds its own part. Only the log itself is compared, hashed and encoded.

use std::fmt;
use std::hash::{Hash, Hasher};

use super::constants::Constants;
use super::history::History;
use super::log::{Log, Record};
use super::projection::{Projection, first_position};

/// A log with its projection and the judgement of its history.
#[derive(Clone)]
pub struct Ledger {
    log: Log,
    projection: Projection,
    history: History,
}

impl Ledger {
    /// The ledger of the empty log.
    pub(super) fn empty(constants: &Constants) -> Self {
        Self {
            log: Log::default(),
            projection: Projection::empty(constants),
            history: History::EMPTY,
        }
    }

    /// The ledger of a log.
    #[must_use]
    pub fn of(constants: &Constants, log: &Log) -> Self {
        let mut ledger = Self::empty(constants);
        log.records()
            .for_each(|record| ledger.append(constants, record));
        ledger
    }

    /// This ledger with one more record.
    pub(super) fn followed_by(&self, constants: &Constants, record: Record<'_>) -> Self {
        let mut ledger = Self {
            log: self.log.with_room(record.operations.len()),
            projection: self.projection.clone(),
            history: self.history,
        };
        ledger.append(constants, record);
        ledger
    }

    /// Adds a record at the end.
    pub(super) fn append(&mut self, constants: &Constants, record: Record<'_>) {
        let index = self.log.len();
        self.log.append(record);
        self.history.judge_record(record);
        let first = first_position(constants, index);
        for (position, operation) in (first..).zip(record.operations) {
            self.history.judge_and_apply(
                constants,
                &mut self.projection,
                *operation,
                (position, index + 1),
            );
        }
    }

    /// The log.
    #[must_use]
    pub fn log(&self) -> &Log {
        &self.log
    }

    /// What the log amounts to.
    #[must_use]
    pub fn projection(&self) -> &Projection {
        &self.projection
    }

    /// What is to be said of its history.
    pub(super) fn history(&self) -> &History {
        &self.history
    }
}

impl PartialEq for Ledger {
    fn eq(&self, other: &Self) -> bool {
        self.log == other.log
    }
}

impl Eq for Ledger {}

impl Hash for Ledger {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.log.hash(state);
    }
}

impl fmt::Debug for Ledger {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.log.records()).finish()
    }
}
