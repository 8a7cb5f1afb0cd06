//! A log together with all that is a function of it.
//!
//! Most states of a search share their logs with others, and most steps either keep the log or add
//! one record. So the projection, the judgement of the history and the log's canonical bytes are
//! carried along: a record that is added only adds its own part. Only the log itself is compared
//! and hashed.

use std::fmt;
use std::hash::{Hash, Hasher};

use super::bytes::{Sink, is_opening};
use super::constants::Constants;
use super::history::History;
use super::log::{Log, Record};
use super::projection::{Projection, first_position};

/// A log with its projection, the judgement of its history, and its canonical bytes.
#[derive(Clone)]
pub struct Ledger {
    log: Log,
    projection: Projection,
    history: History,
    /// The records as they are written, one after the other and without their numbers.
    written: Vec<u8>,
    is_opened: bool,
    is_numbered_through: bool,
}

/// Bytes that a record mostly takes.
const WRITTEN: usize = 3;

impl Ledger {
    /// The ledger of the empty log.
    pub(super) fn empty(constants: &Constants) -> Self {
        Self {
            log: Log::default(),
            projection: Projection::empty(constants),
            history: History::EMPTY,
            written: Vec::new(),
            is_opened: false,
            is_numbered_through: true,
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
        let mut written = Vec::with_capacity(self.written.len() + WRITTEN);
        written.extend_from_slice(&self.written);
        let mut ledger = Self {
            log: self.log.with_room(record.operations.len()),
            projection: self.projection.clone(),
            written,
            ..*self
        };
        ledger.append(constants, record);
        ledger
    }

    /// Adds a record at the end.
    pub(super) fn append(&mut self, constants: &Constants, record: Record<'_>) {
        let index = self.log.len();
        let before = index as i64;
        self.is_numbered_through &= (record.id, record.previous) == (before + 1, before);
        if index == 0 && is_opening(constants, record) {
            self.is_opened = true;
        } else {
            let bytes = &mut self.written;
            Sink { constants, bytes }.record(record);
        }
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

    /// The records as they are written, one after the other and without their numbers; the first
    /// one left out if it is the one with all works.
    pub(super) fn written(&self) -> &[u8] {
        &self.written
    }

    /// Whether the first record is the one with all works.
    pub(super) fn is_opened(&self) -> bool {
        self.is_opened
    }

    /// Whether each record has the next number and names the one before it.
    pub(super) fn is_numbered_through(&self) -> bool {
        self.is_numbered_through
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
