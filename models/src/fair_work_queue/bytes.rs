//! The canonical bytes of logs and projections.
//!
//! Whatever is read is checked against the constants, and has one form only: bytes that would be
//! written otherwise are refused.

use super::constants::Constants;
use super::ledger::Ledger;
use super::log::{Log, Operation, Record};
use super::projection::{ClaimTable, Clocks, Members, Projection, ResourceEntry, WorkEntry};
use super::vocabulary::{Claim, Group, Outcome, RawStatus, Resource};
use crate::finite::{Finite, Map, Subset};
use crate::integers::{put_integer, take_integer};
use crate::numbered::{NumberSet, Numbered};

/// What the first byte of an operation says. Claims of a group are mostly its own, and its number
/// is then not written; observations have no other byte.
mod tag {
    pub(super) const WORK: u8 = 0;
    pub(super) const CLAIM: u8 = 1;
    pub(super) const STARTED: u8 = 2;
    pub(super) const BOUND: u8 = 3;
    pub(super) const TERMINATED: u8 = 4;
    pub(super) const RELEASE: u8 = 5;
    pub(super) const COMPLETE: u8 = 6;
    pub(super) const CANCEL: u8 = 7;
    pub(super) const RESULT: u8 = 8;
    pub(super) const CHECKPOINT: u8 = 9;
    pub(super) const OBSERVE: u8 = 16;
    /// Added where a Claim is not the group's own: the group follows.
    pub(super) const FOREIGN: u8 = 64;
    /// Instead of an operation: a record that is a request, or has not just one operation.
    pub(super) const LONG_RECORD: u8 = 128;
}

/// Bits of the byte that tells how a log is written.
mod form {
    /// Its first record is the one with all works, and is not written.
    pub(super) const OPENED: u8 = 1;
    /// Its records are not numbered through, and their numbers are written.
    pub(super) const NUMBERS: u8 = 2;
}

/// Reads from canonical bytes.
#[derive(Clone, Debug)]
pub(super) struct Source<'a> {
    pub(super) constants: &'a Constants,
    pub(super) bytes: &'a [u8],
}

impl Source<'_> {
    pub(super) fn byte(&mut self) -> Option<u8> {
        let (first, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(*first)
    }

    pub(super) fn integer(&mut self) -> Option<i64> {
        take_integer(&mut self.bytes)
    }

    /// A number of things of which each takes at least a byte: no more than there are bytes.
    pub(super) fn count(&mut self) -> Option<usize> {
        let count = usize::try_from(self.integer()?).ok()?;
        (count <= self.bytes.len()).then_some(count)
    }

    pub(super) fn finite<E: Finite>(&mut self) -> Option<E> {
        E::at(usize::from(self.byte()?))
    }

    fn subset<E: Finite>(&mut self) -> Option<Subset<E>> {
        Subset::from_bits(self.byte()?)
    }

    pub(super) fn numbered<T: Numbered>(&mut self, count: usize) -> Option<T> {
        let index = usize::from(self.byte()?);
        (index < count).then(|| T::at(index))
    }

    pub(super) fn group(&mut self) -> Option<Group> {
        self.numbered(self.constants.groups)
    }

    pub(super) fn claim(&mut self) -> Option<Claim> {
        self.numbered(self.constants.claims())
    }

    pub(super) fn number_set<T: Numbered>(&mut self, count: usize) -> Option<NumberSet<T>> {
        let (bytes, rest) = self.bytes.split_first_chunk()?;
        self.bytes = rest;
        let bits = u64::from_be_bytes(*bytes);
        let all: NumberSet<T> = T::first(count).collect();
        let set = NumberSet::from_bits(bits);
        set.is_subset(all).then_some(set)
    }

    fn map<E: Finite, V: Copy, const N: usize>(
        &mut self,
        mut value: impl FnMut(&mut Self) -> Option<V>,
    ) -> Option<Map<E, V, N>> {
        Map::try_from_fn(|_| value(self).ok_or(())).ok()
    }

    fn group_of_claim(&mut self, claim: Claim, foreign: bool) -> Option<Group> {
        let own = self.constants.group_of(claim);
        if !foreign {
            return Some(own);
        }
        self.group().filter(|group| *group != own)
    }

    /// The operation that this byte begins.
    fn operation(&mut self, first: u8) -> Option<Operation> {
        let foreign = first & tag::FOREIGN != 0;
        let of_claim = |source: &mut Self| {
            let claim = source.claim()?;
            Some((source.group_of_claim(claim, foreign)?, claim))
        };
        match first & !tag::FOREIGN {
            tag::CLAIM => of_claim(self).map(|(group, claim)| Operation::Claim(group, claim)),
            tag::COMPLETE => of_claim(self)
                .map(|(group, claim)| Operation::Close(group, claim, Outcome::Completed)),
            tag::CANCEL => of_claim(self)
                .map(|(group, claim)| Operation::Close(group, claim, Outcome::Cancelled)),
            tag::RESULT => of_claim(self).map(|(group, claim)| Operation::Result(group, claim)),
            _ if foreign => None,
            tag::WORK => self.numbered(self.constants.works).map(Operation::Work),
            tag::STARTED => self.group().map(Operation::Started),
            tag::BOUND => self.group().map(Operation::Bound),
            tag::TERMINATED => self.group().map(Operation::Terminated),
            tag::RELEASE => self.group().map(Operation::Release),
            tag::CHECKPOINT => Some(Operation::Checkpoint),
            other => observation(other),
        }
    }

    /// Operations, one after the other.
    pub(super) fn operations(&mut self) -> Option<Vec<Operation>> {
        let count = self.count()?;
        (0..count)
            .map(|_| {
                let first = self.byte()?;
                self.operation(first)
            })
            .collect()
    }

    /// Hands the records of a log to `sink`, in order.
    pub(super) fn records(&mut self, mut sink: impl FnMut(Record<'_>)) -> Option<()> {
        let form = self.byte()?;
        if form & !(form::OPENED | form::NUMBERS) != 0 {
            return None;
        }
        let numbers = form & form::NUMBERS != 0;
        let opened = form & form::OPENED != 0;
        let mut numbered_through = true;
        let mut operations = Vec::new();
        // Each record takes at least a byte, but for the one that is not written.
        let count = usize::try_from(self.integer()?).ok()?;
        if count > self.bytes.len() + usize::from(opened) {
            return None;
        }
        for index in 0..count {
            let before = index as i64;
            let (id, previous) = if numbers {
                (self.integer()?, self.integer()?)
            } else {
                (before + 1, before)
            };
            numbered_through &= (id, previous) == (before + 1, before);
            operations.clear();
            let request = if opened && index == 0 {
                operations.extend(self.constants.all_works().map(Operation::Work));
                None
            } else {
                self.request_and_operations(&mut operations)?
            };
            let record = Record {
                id,
                previous,
                request,
                operations: &operations,
            };
            if index == 0 && is_opening(self.constants, record) != opened {
                return None;
            }
            sink(record);
        }
        let as_said = numbered_through != numbers && (!opened || count > 0);
        as_said.then_some(())
    }

    /// The request of a record; its operations are put into `operations`.
    fn request_and_operations(&mut self, operations: &mut Vec<Operation>) -> Option<Option<Group>> {
        let first = self.byte()?;
        if first != tag::LONG_RECORD {
            operations.push(self.operation(first)?);
            return Some(None);
        }
        let request = match self.byte()? {
            0 => None,
            number => Some(Group::numbered(i64::from(number))?),
        };
        if request.is_some_and(|group| group.index() >= self.constants.groups) {
            return None;
        }
        operations.extend(self.operations()?);
        // One operation that is nobody's request has the short form.
        (request.is_some() || operations.len() != 1).then_some(request)
    }

    pub(super) fn log(&mut self) -> Option<Log> {
        let mut log = Log::default();
        self.records(|record| log.append(record))?;
        Some(log)
    }

    fn claim_table(&mut self) -> Option<ClaimTable> {
        let mut claims = ClaimTable::EMPTY;
        for claim in self.constants.all_claims() {
            claims.set(claim, self.finite()?);
        }
        Some(claims)
    }

    fn members(&mut self) -> Option<Members> {
        let mut members = Members::default();
        for group in self.constants.all_groups() {
            for _ in 0..self.count()? {
                members.add(group, self.claim()?);
            }
        }
        Some(members)
    }

    pub(super) fn projection(&mut self) -> Option<Projection> {
        let constants = self.constants;
        let owner = |source: &mut Self| match source.byte()? {
            0 => Some(None),
            number => {
                let claim = Claim::numbered(i64::from(number))?;
                (claim.index() < constants.claims()).then_some(Some(claim))
            }
        };
        let work = |source: &mut Self| {
            Some(WorkEntry {
                status: source.finite()?,
                position: source.integer()?,
                owner: owner(source)?,
            })
        };
        Some(Projection {
            works: (0..constants.works)
                .map(|_| work(self))
                .collect::<Option<_>>()?,
            claims: self.claim_table()?,
            members: self.members()?,
            runs: (0..constants.groups)
                .map(|_| self.finite())
                .collect::<Option<_>>()?,
            clocks: Clocks {
                class_passes: self.map(Self::integer)?,
                key_passes: self.map(|source| source.map(Self::integer))?,
                class_time: self.integer()?,
                key_times: self.map(Self::integer)?,
                active_classes: self.subset()?,
                active_keys: self.map(Self::subset)?,
            },
            charges: self.map(Self::integer)?,
            results: self.number_set(constants.works)?,
            resources: self.map(|source| {
                Some(ResourceEntry {
                    readiness: source.finite()?,
                    raw: source.finite()?,
                    reads: source.integer()?,
                })
            })?,
        })
    }
}

/// The observation that a byte stands for.
fn observation(byte: u8) -> Option<Operation> {
    let number = usize::from(byte.checked_sub(tag::OBSERVE)?);
    let statuses = RawStatus::ALL.len();
    Some(Operation::Observe {
        resource: Resource::at(number / statuses / 2)?,
        taken_for_ready: number / statuses % 2 == 1,
        raw: RawStatus::at(number % statuses)?,
    })
}

/// Writes canonical bytes.
#[derive(Debug)]
pub(super) struct Sink<'a> {
    pub(super) constants: &'a Constants,
    pub(super) bytes: &'a mut Vec<u8>,
}

impl Sink<'_> {
    pub(super) fn byte(&mut self, byte: u8) {
        self.bytes.push(byte);
    }

    pub(super) fn integer(&mut self, integer: i64) {
        put_integer(integer, self.bytes);
    }

    pub(super) fn count(&mut self, count: usize) {
        self.integer(count as i64);
    }

    pub(super) fn finite<E: Finite>(&mut self, element: E) {
        self.byte(element.index() as u8);
    }

    pub(super) fn numbered<T: Numbered>(&mut self, thing: T) {
        self.byte(thing.index() as u8);
    }

    pub(super) fn number_set<T: Numbered>(&mut self, set: NumberSet<T>) {
        self.bytes.extend(set.bits().to_be_bytes());
    }

    fn of_claim(&mut self, first: u8, group: Group, claim: Claim) {
        let foreign = self.constants.group_of(claim) != group;
        self.byte(first | if foreign { tag::FOREIGN } else { 0 });
        self.numbered(claim);
        if foreign {
            self.numbered(group);
        }
    }

    fn of_group(&mut self, first: u8, group: Group) {
        self.byte(first);
        self.numbered(group);
    }

    fn operation(&mut self, operation: Operation) {
        match operation {
            Operation::Work(work) => {
                self.byte(tag::WORK);
                self.numbered(work);
            }
            Operation::Claim(group, claim) => self.of_claim(tag::CLAIM, group, claim),
            Operation::Started(group) => self.of_group(tag::STARTED, group),
            Operation::Bound(group) => self.of_group(tag::BOUND, group),
            Operation::Terminated(group) => self.of_group(tag::TERMINATED, group),
            Operation::Release(group) => self.of_group(tag::RELEASE, group),
            Operation::Close(group, claim, Outcome::Completed) => {
                self.of_claim(tag::COMPLETE, group, claim);
            }
            Operation::Close(group, claim, Outcome::Cancelled) => {
                self.of_claim(tag::CANCEL, group, claim);
            }
            Operation::Result(group, claim) => self.of_claim(tag::RESULT, group, claim),
            Operation::Observe {
                resource,
                raw,
                taken_for_ready,
            } => {
                let half = resource.index() * 2 + usize::from(taken_for_ready);
                let number = half * RawStatus::ALL.len() + raw.index();
                self.byte(tag::OBSERVE + number as u8);
            }
            Operation::Checkpoint => self.byte(tag::CHECKPOINT),
        }
    }

    pub(super) fn operations(&mut self, operations: &[Operation]) {
        self.count(operations.len());
        operations
            .iter()
            .for_each(|operation| self.operation(*operation));
    }

    pub(super) fn log(&mut self, log: &Log) {
        let numbers = !log.is_numbered_through();
        let opened = log
            .get(0)
            .is_some_and(|first| is_opening(self.constants, first));
        let bit = |bit: u8, set: bool| if set { bit } else { 0 };
        self.byte(bit(form::NUMBERS, numbers) | bit(form::OPENED, opened));
        self.count(log.len());
        for (index, record) in log.records().enumerate() {
            if numbers {
                self.integer(record.id);
                self.integer(record.previous);
            }
            if !opened || index > 0 {
                self.record(record);
            }
        }
    }

    /// A record without its numbers.
    pub(super) fn record(&mut self, record: Record<'_>) {
        match (record.request, record.operations) {
            (None, [operation]) => self.operation(*operation),
            (request, operations) => {
                self.byte(tag::LONG_RECORD);
                self.byte(request.map_or(0, |group| group.number() as u8));
                self.operations(operations);
            }
        }
    }

    /// The log of a ledger.
    pub(super) fn ledger(&mut self, ledger: &Ledger) {
        if ledger.is_numbered_through() {
            let opened = if ledger.is_opened() { form::OPENED } else { 0 };
            self.byte(opened);
            self.count(ledger.log().len());
            self.bytes.extend_from_slice(ledger.written());
        } else {
            self.log(ledger.log());
        }
    }

    pub(super) fn projection(&mut self, projection: &Projection) {
        let Projection {
            works,
            claims,
            members,
            runs,
            clocks,
            charges,
            results,
            resources,
        } = projection;
        for work in works {
            self.finite(work.status);
            self.integer(work.position);
            self.byte(work.owner.map_or(0, |owner| owner.number() as u8));
        }
        for claim in self.constants.all_claims() {
            self.finite(claims.get(claim));
        }
        for group in self.constants.all_groups() {
            self.count(members.of(group).count());
            members.of(group).for_each(|claim| self.numbered(claim));
        }
        runs.iter().for_each(|run| self.finite(*run));
        self.clocks(clocks);
        charges
            .iter()
            .for_each(|(_, charges)| self.integer(charges));
        self.number_set(*results);
        for (_, entry) in resources.iter() {
            self.finite(entry.readiness);
            self.finite(entry.raw);
            self.integer(entry.reads);
        }
    }

    fn clocks(&mut self, clocks: &Clocks) {
        let Clocks {
            class_passes,
            key_passes,
            class_time,
            key_times,
            active_classes,
            active_keys,
        } = clocks;
        class_passes.iter().for_each(|(_, pass)| self.integer(pass));
        for (_, passes) in key_passes.iter() {
            passes.iter().for_each(|(_, pass)| self.integer(pass));
        }
        self.integer(*class_time);
        key_times.iter().for_each(|(_, time)| self.integer(time));
        self.byte(active_classes.bits());
        active_keys
            .iter()
            .for_each(|(_, keys)| self.byte(keys.bits()));
    }
}

/// Whether a record says that there are all works, and nothing else.
pub(super) fn is_opening(constants: &Constants, record: Record<'_>) -> bool {
    record.request.is_none()
        && record.operations.len() == constants.works
        && constants
            .all_works()
            .zip(record.operations)
            .all(|(work, operation)| *operation == Operation::Work(work))
}
