//! The visited set: every encoded state once, exactly, in the level that found it.
//!
//! States are spread over shards by their hash, so that workers rarely wait for each other. A
//! shard keeps the encodings back to back in the order of discovery; since a level is complete
//! before the next one begins, the states of a level are one range of each shard. That is all a
//! counterexample needs to be rebuilt backwards, so no parents are stored.
//!
//! Hashes only find candidates; the bytes decide. Two states are never taken for one.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use ahash::RandomState;
use hashbrown::HashTable;

const SHARDS: usize = 64;

/// Encoded states of one level, back to back.
#[derive(Debug, Default)]
pub(crate) struct Level {
    bytes: Vec<u8>,
    ends: Vec<u64>,
}

impl Level {
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    pub(crate) fn get(&self, index: usize) -> &[u8] {
        slice(&self.bytes, &self.ends, index)
    }

    pub(crate) fn memory(&self) -> u64 {
        (self.bytes.capacity() + self.ends.capacity() * size_of::<u64>()) as u64
    }
}

fn slice<'b>(bytes: &'b [u8], ends: &[u64], index: usize) -> &'b [u8] {
    let start = if index == 0 {
        0
    } else {
        ends[index - 1] as usize
    };
    &bytes[start..ends[index] as usize]
}

#[derive(Clone, Copy)]
struct Entry {
    /// The low half of the state's hash, kept so that growing the table reads no states.
    fragment: u32,
    /// Position of the state in its shard.
    index: u32,
}

#[derive(Default)]
struct Shard {
    table: HashTable<Entry>,
    bytes: Vec<u8>,
    ends: Vec<u64>,
    /// Where the level that is being discovered begins.
    level_start: usize,
}

impl Shard {
    fn memory(&self) -> u64 {
        (self.table.allocation_size()
            + self.bytes.capacity()
            + self.ends.capacity() * size_of::<u64>()) as u64
    }

    /// Appends the states from `from` up to `to` to `level`.
    fn copy_range(&self, from: usize, to: usize, level: &mut Level) {
        let start = if from == 0 { 0 } else { self.ends[from - 1] };
        let end = if to == 0 { 0 } else { self.ends[to - 1] };
        let base = level.bytes.len() as u64;
        level
            .bytes
            .extend_from_slice(&self.bytes[start as usize..end as usize]);
        level
            .ends
            .extend(self.ends[from..to].iter().map(|end| end - start + base));
    }
}

/// The set of all states found so far, by level.
pub(crate) struct StateStore {
    shards: Vec<Mutex<Shard>>,
    hasher: RandomState,
    memory: AtomicU64,
    /// For each closed level the shards that grew, with the range's end in them.
    growth: Vec<(u8, u32)>,
    /// Where each closed level begins in `growth`.
    closed: Vec<usize>,
}

impl StateStore {
    pub(crate) fn new() -> Self {
        Self {
            shards: (0..SHARDS).map(|_| Mutex::default()).collect(),
            // Fixed keys: a hash is never part of a result, yet a run should repeat its timing.
            hasher: RandomState::with_seeds(11, 23, 37, 53),
            memory: AtomicU64::new(0),
            growth: Vec::new(),
            closed: Vec::new(),
        }
    }

    /// Adds a state to the level being discovered; whether it is new.
    pub(crate) fn insert(&self, state: &[u8]) -> bool {
        let (number, fragment) = locate(&self.hasher, state);
        let shard = &self.shards[number];
        let mut shard = shard.lock().unwrap_or_else(PoisonError::into_inner);
        let Shard {
            table, bytes, ends, ..
        } = &mut *shard;
        let same = |entry: &Entry| {
            entry.fragment == fragment && slice(bytes, ends, entry.index as usize) == state
        };
        if table.find(spread(fragment), same).is_some() {
            return false;
        }
        let before = shard.memory();
        let Shard {
            table, bytes, ends, ..
        } = &mut *shard;
        // 2^32 states in one of 64 shards would be terabytes: memory ends first.
        let entry = Entry {
            fragment,
            index: ends.len() as u32,
        };
        table.insert_unique(spread(fragment), entry, |entry| spread(entry.fragment));
        bytes.extend_from_slice(state);
        ends.push(bytes.len() as u64);
        let after = shard.memory();
        if after != before {
            self.memory.fetch_add(after - before, Ordering::Relaxed);
        }
        true
    }

    /// Ends the level being discovered and returns its states; the next one begins.
    pub(crate) fn close_level(&mut self) -> Level {
        let mut level = Level::default();
        self.closed.push(self.growth.len());
        for (number, shard) in self.shards.iter_mut().enumerate() {
            let shard = shard.get_mut().unwrap_or_else(PoisonError::into_inner);
            let end = shard.ends.len();
            if end > shard.level_start {
                shard.copy_range(shard.level_start, end, &mut level);
                self.growth.push((number as u8, end as u32));
                shard.level_start = end;
            }
        }
        level
    }

    /// The closed levels with their numbers (the initial states are 1), the last one first.
    pub(crate) fn levels_backwards(&mut self) -> impl Iterator<Item = (usize, Level)> {
        let mut ends: Vec<usize> = self
            .shards
            .iter_mut()
            .map(|shard| {
                shard
                    .get_mut()
                    .unwrap_or_else(PoisonError::into_inner)
                    .level_start
            })
            .collect();
        let store = &*self;
        let mut upper = store.growth.len();
        (0..store.closed.len()).rev().map(move |index| {
            let mut level = Level::default();
            for &(number, _) in &store.growth[store.closed[index]..upper] {
                let shard = usize::from(number);
                // The range begins where the last earlier level that grew this shard ended.
                let start = store.growth[..store.closed[index]]
                    .iter()
                    .rev()
                    .find(|(other, _)| *other == number)
                    .map_or(0, |(_, end)| *end as usize);
                let guard = store.shards[shard]
                    .lock()
                    .unwrap_or_else(PoisonError::into_inner);
                guard.copy_range(start, ends[shard], &mut level);
                ends[shard] = start;
            }
            upper = store.closed[index];
            (index + 1, level)
        })
    }

    /// Bytes allocated.
    pub(crate) fn memory(&self) -> u64 {
        self.memory.load(Ordering::Relaxed)
    }

    /// The finished set, to be read without locks.
    pub(crate) fn freeze(self) -> FrozenStore {
        let memory = self.memory();
        let unlocked =
            |shard: Mutex<Shard>| shard.into_inner().unwrap_or_else(PoisonError::into_inner);
        FrozenStore {
            shards: self.shards.into_iter().map(unlocked).collect(),
            hasher: self.hasher,
            growth: self.growth,
            closed: self.closed,
            memory,
        }
    }
}

/// Where a state stands in a [`FrozenStore`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slot {
    shard: u32,
    index: u32,
}

impl Slot {
    /// A number below [`FrozenStore::slots`], different for each state.
    pub(crate) fn number(self) -> usize {
        self.index as usize * SHARDS + self.shard as usize
    }
}

/// The visited set of a finished search.
pub(crate) struct FrozenStore {
    shards: Vec<Shard>,
    hasher: RandomState,
    growth: Vec<(u8, u32)>,
    closed: Vec<usize>,
    memory: u64,
}

impl FrozenStore {
    /// The number of states.
    pub(crate) fn len(&self) -> usize {
        self.shards.iter().map(|shard| shard.ends.len()).sum()
    }

    /// An upper bound of [`Slot::number`].
    pub(crate) fn slots(&self) -> usize {
        let longest = self.shards.iter().map(|shard| shard.ends.len()).max();
        longest.unwrap_or(0) * SHARDS
    }

    /// The encoding of a state.
    pub(crate) fn get(&self, slot: Slot) -> &[u8] {
        let shard = &self.shards[slot.shard as usize];
        slice(&shard.bytes, &shard.ends, slot.index as usize)
    }

    /// Where a state stands, if it is in the set.
    pub(crate) fn find(&self, state: &[u8]) -> Option<Slot> {
        let (number, fragment) = locate(&self.hasher, state);
        let shard = &self.shards[number];
        let same = |entry: &Entry| {
            entry.fragment == fragment
                && slice(&shard.bytes, &shard.ends, entry.index as usize) == state
        };
        let entry = shard.table.find(spread(fragment), same)?;
        Some(Slot {
            shard: number as u32,
            index: entry.index,
        })
    }

    /// The states of each level, the initial ones first, in the order of discovery.
    pub(crate) fn levels(&self) -> impl Iterator<Item = Vec<Slot>> {
        let mut starts = [0_u32; SHARDS];
        let ends = self
            .closed
            .iter()
            .skip(1)
            .copied()
            .chain([self.growth.len()]);
        self.closed.iter().zip(ends).map(move |(start, end)| {
            let mut level = Vec::new();
            for (shard, end) in &self.growth[*start..end] {
                let first = std::mem::replace(&mut starts[usize::from(*shard)], *end);
                let shard = u32::from(*shard);
                level.extend((first..*end).map(|index| Slot { shard, index }));
            }
            level
        })
    }

    /// Bytes allocated.
    pub(crate) fn memory(&self) -> u64 {
        self.memory
    }
}

/// The shard of a state, and the part of its hash that is kept.
fn locate(hasher: &RandomState, state: &[u8]) -> (usize, u32) {
    let hash = hasher.hash_one(state);
    // The top bits choose the shard and the low half the place in its table.
    ((hash >> 58) as usize % SHARDS, hash as u32)
}

/// Spreads 32 bits of hash over the 64 that the table looks at.
fn spread(fragment: u32) -> u64 {
    u64::from(fragment).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_state_is_new_once_and_levels_come_back_in_reverse() {
        let mut store = StateStore::new();
        let mut expected = Vec::new();
        for level in 0..50_u32 {
            let mut states = Vec::new();
            for number in 0..level % 7 {
                let state = [level.to_be_bytes(), number.to_be_bytes()].concat();
                assert!(store.insert(&state));
                assert!(!store.insert(&state));
                states.push(state);
            }
            let closed = store.close_level();
            assert_eq!(sorted(&closed), states);
            expected.push(states);
        }
        let mut count = 0;
        for (number, level) in store.levels_backwards() {
            assert_eq!(sorted(&level), expected[number - 1]);
            count += 1;
        }
        assert_eq!(count, 50);
    }

    #[test]
    fn the_empty_encoding_is_a_state_too() {
        let mut store = StateStore::new();
        assert!(store.insert(b""));
        assert!(!store.insert(b""));
        assert_eq!(store.close_level().len(), 1);
    }

    fn sorted(level: &Level) -> Vec<Vec<u8>> {
        let mut states: Vec<_> = (0..level.len())
            .map(|index| level.get(index).to_vec())
            .collect();
        states.sort();
        states
    }
}
