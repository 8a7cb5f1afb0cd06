//! A set of 64-bit keys that threads add to without locks, and that grows in small pieces.
//!
//! Open addressing with linear probing. The place of a key is its hash scaled to the capacity (not
//! masked), so the keys stand almost in the order of their hashes whatever the capacity is: growing
//! copies from front to back, and any growth factor will do. Keys are spread over segments that
//! grow one by one, so at no time do two copies of the whole exist.
//!
//! Threads add keys through a shared reference; growing needs an exclusive one. A segment without
//! room says so, and whoever is told gives up its reference and has the segment grow.

use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering};

/// Segments of a set: the part of it that stands twice while it grows is one of so many.
const SEGMENTS: usize = 64;
/// Slots of a segment at first.
const LEAST: usize = 16;
/// Up to this many slots a segment doubles; from there on memory counts for more than time.
const DOUBLING: usize = 1 << 12;

/// Keys that are looked up together.
pub(crate) const BATCH: usize = 64;

/// A segment has no room for another key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Full {
    segment: usize,
}

/// What a set keeps beside each key.
pub(crate) trait Column: Send + Sync {
    /// Bytes a slot.
    const SLOT: usize;
    /// A column of so many empty slots.
    fn of(slots: usize) -> Self;
    /// Copies what stands at `from` in `old` to slot `to`.
    fn copy(&mut self, to: usize, old: &Self, from: usize);
}

impl Column for () {
    const SLOT: usize = 0;
    fn of(_: usize) -> Self {}
    fn copy(&mut self, _: usize, (): &Self, _: usize) {}
}

/// A 32-bit number beside each key, 0 at first.
pub(crate) struct Numbers(Box<[AtomicU32]>);

impl Column for Numbers {
    const SLOT: usize = size_of::<u32>();

    fn of(slots: usize) -> Self {
        Self((0..slots).map(|_| AtomicU32::new(0)).collect())
    }

    fn copy(&mut self, to: usize, old: &Self, from: usize) {
        *self.0[to].get_mut() = old.0[from].load(Ordering::Relaxed);
    }
}

/// Aligned so that threads that count in different segments do not share a cache line.
#[repr(align(64))]
struct Segment<C> {
    /// A key plus one, or zero.
    slots: Box<[AtomicU64]>,
    column: C,
    len: AtomicUsize,
}

impl<C: Column> Segment<C> {
    fn of(slots: usize) -> Self {
        Self {
            slots: (0..slots).map(|_| AtomicU64::new(0)).collect(),
            column: C::of(slots),
            len: AtomicUsize::new(0),
        }
    }

    /// Keys that fit. Four fifths: more would make the runs long that are probed.
    fn limit(&self) -> usize {
        self.slots.len() / 5 * 4
    }

    /// Where the search for a hash begins.
    fn start(&self, hash: u64) -> usize {
        let scaled = u128::from(hash.wrapping_mul(SEGMENTS as u64)) * self.slots.len() as u128;
        (scaled >> 64) as usize
    }

    fn grow(&mut self) {
        let slots = self.slots.len();
        let more = if slots < DOUBLING { slots } else { slots / 4 };
        let mut larger = Self::of(slots + more);
        for (from, slot) in self.slots.iter_mut().enumerate() {
            let stored = *slot.get_mut();
            if stored != 0 {
                let mut to = larger.start(hash(stored - 1));
                while *larger.slots[to].get_mut() != 0 {
                    to = next(to, larger.slots.len());
                }
                *larger.slots[to].get_mut() = stored;
                larger.column.copy(to, &self.column, from);
            }
        }
        larger.len = AtomicUsize::new(*self.len.get_mut());
        *self = larger;
    }
}

/// A set of keys below `u64::MAX`, with a column of values.
pub(crate) struct KeySet<C = ()> {
    segments: Box<[Segment<C>]>,
}

/// Where a key stands until its segment grows.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    segment: usize,
    slot: usize,
}

impl<C: Column> KeySet<C> {
    pub(crate) fn new() -> Self {
        Self {
            segments: (0..SEGMENTS).map(|_| Segment::of(LEAST)).collect(),
        }
    }

    /// Adds a key: where it stands, and whether it is new.
    pub(crate) fn insert(&self, key: u64) -> Result<(Place, bool), Full> {
        let hash = hash(key);
        let number = segment_of(hash);
        let segment = &self.segments[number];
        let mut slot = segment.start(hash);
        loop {
            let found = segment.slots[slot].load(Ordering::Acquire);
            let place = Place {
                segment: number,
                slot,
            };
            if found == key + 1 {
                return Ok((place, false));
            }
            if found != 0 {
                slot = next(slot, segment.slots.len());
                continue;
            }
            // Counted first, so that a segment never fills up, whatever the number of threads.
            if segment.len.fetch_add(1, Ordering::Relaxed) >= segment.limit() {
                segment.len.fetch_sub(1, Ordering::Relaxed);
                return Err(Full { segment: number });
            }
            let exchanged = segment.slots[slot].compare_exchange(
                0,
                key + 1,
                Ordering::AcqRel,
                Ordering::Acquire,
            );
            if exchanged.is_ok() {
                return Ok((place, true));
            }
            // Another thread took the slot, perhaps with this very key: look at it again.
            segment.len.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Where a key stands, if it is in the set.
    pub(crate) fn find(&self, key: u64) -> Option<Place> {
        let hash = hash(key);
        let number = segment_of(hash);
        let segment = &self.segments[number];
        let mut slot = segment.start(hash);
        loop {
            match segment.slots[slot].load(Ordering::Acquire) {
                0 => return None,
                found if found == key + 1 => {
                    return Some(Place {
                        segment: number,
                        slot,
                    });
                }
                _ => slot = next(slot, segment.slots.len()),
            }
        }
    }

    /// Reads the slots where the searches for these keys begin. Done for a [`BATCH`] of keys before
    /// the first of them is added, this lets the machine fetch all of them from memory at once.
    pub(crate) fn touch(&self, keys: impl Iterator<Item = u64>) {
        let touched = keys.map(|key| {
            let hash = hash(key);
            let segment = &self.segments[segment_of(hash)];
            segment.slots[segment.start(hash)].load(Ordering::Relaxed)
        });
        std::hint::black_box(touched.fold(0, |all, slot| all ^ slot));
    }

    /// Makes room where there was none.
    pub(crate) fn grow(&mut self, full: Full) {
        let segment = &mut self.segments[full.segment];
        // Another thread that was told the same may have been here before.
        if *segment.len.get_mut() >= segment.limit() {
            segment.grow();
        }
    }

    /// Bytes allocated.
    pub(crate) fn memory(&self) -> u64 {
        let slots: usize = self.segments.iter().map(|s| s.slots.len()).sum();
        (slots * (size_of::<u64>() + C::SLOT)) as u64
    }
}

impl KeySet<Numbers> {
    /// The number beside a key.
    pub(crate) fn number(&self, place: Place) -> &AtomicU32 {
        &self.segments[place.segment].column.0[place.slot]
    }
}

fn segment_of(hash: u64) -> usize {
    (hash >> 58) as usize
}

fn next(slot: usize, slots: usize) -> usize {
    if slot + 1 == slots { 0 } else { slot + 1 }
}

/// A bijection that leaves no pattern of the keys standing: the finalizer of MurmurHash3
/// (A. Appleby), whose two multiplications are enough for keys that are small numbers side by side.
fn hash(key: u64) -> u64 {
    let mut hash = key;
    hash ^= hash >> 33;
    hash = hash.wrapping_mul(0xFF51_AFD7_ED55_8CCD);
    hash ^= hash >> 33;
    hash = hash.wrapping_mul(0xC4CE_B9FE_1A85_EC53);
    hash ^ hash >> 33
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::sync::RwLock;

    use proptest::prelude::*;

    use super::*;

    fn insert(set: &mut KeySet, key: u64) -> bool {
        loop {
            match set.insert(key) {
                Ok((_, new)) => return new,
                Err(full) => set.grow(full),
            }
        }
    }

    proptest! {
        #[test]
        fn a_set_holds_what_was_added_and_nothing_else(
            keys in proptest::collection::vec(0..3000_u64, 0..4000),
        ) {
            let mut set = KeySet::new();
            let mut expected = BTreeSet::new();
            for key in keys {
                prop_assert_eq!(insert(&mut set, key), expected.insert(key));
            }
            for key in 0..3000 {
                prop_assert_eq!(set.find(key).is_some(), expected.contains(&key));
            }
        }
    }

    #[test]
    fn of_many_threads_exactly_one_adds_a_key() {
        let set = RwLock::new(KeySet::<()>::new());
        let added = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for thread in 0..4_u64 {
                let (set, added) = (&set, &added);
                scope.spawn(move || {
                    for number in 0..50_000_u64 {
                        // Each thread in an order of its own: 50,000 has no factor 3 or 7.
                        let key = number * [1, 3, 7, 9][thread as usize] % 50_000;
                        loop {
                            let full = match set.read().unwrap().insert(key) {
                                Ok((_, new)) => {
                                    added.fetch_add(usize::from(new), Ordering::Relaxed);
                                    break;
                                }
                                Err(full) => full,
                            };
                            set.write().unwrap().grow(full);
                        }
                    }
                });
            }
        });
        assert_eq!(added.into_inner(), 50_000);
    }
}
