//! Numbers for byte strings: the values that one component of the states takes.
//!
//! Values are spread over shards by their hash, so that threads rarely wait for each other; a shard
//! keeps them back to back in the order of discovery. Hashes only find candidates; the bytes
//! decide. Two values are never taken for one.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use ahash::RandomState;
use hashbrown::HashTable;

/// Shards of a table; the low bits of a number say which one holds the value.
const SHARDS: u32 = 64;

#[derive(Clone, Copy)]
struct Entry {
    /// The low half of the value's hash, kept so that growing the table reads no values.
    fragment: u32,
    /// Position of the value in its shard.
    index: u32,
}

#[derive(Default)]
struct Shard {
    table: HashTable<Entry>,
    bytes: Vec<u8>,
    ends: Vec<u64>,
}

impl Shard {
    fn memory(&self) -> u64 {
        (self.table.allocation_size()
            + self.bytes.capacity()
            + self.ends.capacity() * size_of::<u64>()) as u64
    }

    fn value(&self, index: u32) -> &[u8] {
        slice(&self.bytes, &self.ends, index)
    }

    fn find(&self, fragment: u32, value: &[u8]) -> Option<u32> {
        let same = |entry: &Entry| entry.fragment == fragment && self.value(entry.index) == value;
        let entry = self.table.find(spread(fragment), same)?;
        Some(entry.index)
    }

    /// Adds a value that is not there.
    fn add(&mut self, fragment: u32, value: &[u8]) -> u32 {
        let index = self.ends.len() as u32;
        let entry = Entry { fragment, index };
        self.table
            .insert_unique(spread(fragment), entry, |entry| spread(entry.fragment));
        self.bytes.extend_from_slice(value);
        self.ends.push(self.bytes.len() as u64);
        index
    }
}

fn slice<'b>(bytes: &'b [u8], ends: &[u64], index: u32) -> &'b [u8] {
    let start = match index {
        0 => 0,
        index => ends[index as usize - 1],
    };
    &bytes[start as usize..ends[index as usize] as usize]
}

/// Each value that was met, with a number below [`FrozenValues::slots`].
pub(crate) struct ValueTable {
    shards: Vec<Mutex<Shard>>,
    hasher: RandomState,
    memory: AtomicU64,
    len: AtomicU64,
}

impl ValueTable {
    pub(crate) fn new() -> Self {
        Self {
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            // Fixed keys: a hash is never part of a result, yet a run should repeat its timing.
            hasher: RandomState::with_seeds(11, 23, 37, 53),
            memory: AtomicU64::new(0),
            len: AtomicU64::new(0),
        }
    }

    /// The number of a value, and whether it was not met before.
    pub(crate) fn number(&self, value: &[u8]) -> (u32, bool) {
        let (number, fragment) = locate(&self.hasher, value);
        let mut shard = self.shard(number);
        if let Some(index) = shard.find(fragment, value) {
            return (index * SHARDS + number, false);
        }
        let before = shard.memory();
        let index = shard.add(fragment, value);
        let grown = shard.memory() - before;
        drop(shard);
        if grown > 0 {
            self.memory.fetch_add(grown, Ordering::Relaxed);
        }
        self.len.fetch_add(1, Ordering::Relaxed);
        (index * SHARDS + number, true)
    }

    /// Adds a value to the shard that held it in another run. Added in the order of
    /// [`since`](Self::since), values get the numbers that they had. False if it was there before.
    pub(crate) fn restore(&self, value: &[u8]) -> bool {
        self.number(value).1
    }

    /// Whether there is a value with this number.
    pub(crate) fn has(&self, number: u32) -> bool {
        (number / SHARDS) < self.shard(number % SHARDS).ends.len() as u32
    }

    /// Appends the value with this number to `bytes`.
    pub(crate) fn read(&self, number: u32, bytes: &mut Vec<u8>) {
        let shard = self.shard(number % SHARDS);
        bytes.extend_from_slice(shard.value(number / SHARDS));
    }

    /// How many values each shard holds: what a later call of [`since`](Self::since) begins at.
    pub(crate) fn marks(&self) -> Vec<u32> {
        (0..SHARDS)
            .map(|number| self.shard(number).ends.len() as u32)
            .collect()
    }

    /// Hands out the values that were added between two calls of [`marks`](Self::marks), in an
    /// order in which they can be [restored](Self::restore).
    pub(crate) fn since<E>(
        &self,
        start: &[u32],
        end: &[u32],
        mut sink: impl FnMut(&[u8]) -> Result<(), E>,
    ) -> Result<(), E> {
        for number in 0..SHARDS {
            let shard = self.shard(number);
            let mark = |marks: &[u32]| marks.get(number as usize).copied().unwrap_or(0);
            for index in mark(start)..mark(end) {
                sink(shard.value(index))?;
            }
        }
        Ok(())
    }

    /// The number of values.
    pub(crate) fn len(&self) -> u64 {
        self.len.load(Ordering::Relaxed)
    }

    /// Bytes allocated.
    pub(crate) fn memory(&self) -> u64 {
        self.memory.load(Ordering::Relaxed)
    }

    fn shard(&self, number: u32) -> MutexGuard<'_, Shard> {
        self.shards[number as usize]
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// The finished table, to be read without locks.
    pub(crate) fn freeze(self) -> FrozenValues {
        let memory = self.memory();
        let unlocked =
            |shard: Mutex<Shard>| shard.into_inner().unwrap_or_else(PoisonError::into_inner);
        FrozenValues {
            shards: self.shards.into_iter().map(unlocked).collect(),
            hasher: self.hasher,
            memory,
        }
    }
}

/// The values of a finished search.
pub(crate) struct FrozenValues {
    shards: Vec<Shard>,
    hasher: RandomState,
    memory: u64,
}

impl FrozenValues {
    /// An upper bound of the numbers.
    pub(crate) fn slots(&self) -> usize {
        let longest = self.shards.iter().map(|shard| shard.ends.len()).max();
        longest.unwrap_or(0) * SHARDS as usize
    }

    /// The value with this number.
    pub(crate) fn get(&self, number: u32) -> &[u8] {
        self.shards[(number % SHARDS) as usize].value(number / SHARDS)
    }

    /// The number of a value, if it is in the table.
    pub(crate) fn find(&self, value: &[u8]) -> Option<u32> {
        let (number, fragment) = locate(&self.hasher, value);
        let index = self.shards[number as usize].find(fragment, value)?;
        Some(index * SHARDS + number)
    }

    /// Bytes allocated.
    pub(crate) fn memory(&self) -> u64 {
        self.memory
    }
}

/// Where a value belongs: its shard, and the part of its hash that is kept.
fn locate(hasher: &RandomState, value: &[u8]) -> (u32, u32) {
    let hash = hasher.hash_one(value);
    // The top bits choose the shard and the low half the place in its table.
    ((hash >> 58) as u32 % SHARDS, hash as u32)
}

/// Spreads 32 bits of hash over the 64 that the table looks at.
fn spread(fragment: u32) -> u64 {
    u64::from(fragment).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn a_value_is_new_once_and_keeps_its_number() {
        let table = ValueTable::new();
        let mut known = BTreeMap::new();
        for n in 0..1000_u32 {
            let value = n.to_be_bytes()[..n as usize % 5].to_vec();
            let (number, new) = table.number(&value);
            assert_eq!(new, !known.contains_key(&value));
            assert_eq!(*known.entry(value.clone()).or_insert(number), number);
            let mut bytes = Vec::new();
            table.read(number, &mut bytes);
            assert_eq!(bytes, value);
        }
        assert_eq!(table.len(), known.len() as u64);
    }

    #[test]
    fn restored_values_have_the_numbers_that_they_had() {
        let table = ValueTable::new();
        let numbers = |range: std::ops::Range<u32>, table: &ValueTable| -> Vec<u32> {
            range.map(|n| table.number(&n.to_be_bytes()).0).collect()
        };
        let mut given = numbers(0..100, &table);
        let middle = table.marks();
        given.extend(numbers(100..1000, &table));
        let restored = ValueTable::new();
        for (start, end) in [(vec![], middle.clone()), (middle, table.marks())] {
            let _: Result<(), ()> = table.since(&start, &end, |value| {
                assert!(restored.restore(value));
                Ok(())
            });
        }
        assert_eq!(numbers(0..1000, &restored), given);
        assert_eq!(restored.len(), 1000);
    }
}
