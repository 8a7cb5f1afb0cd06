//! Numbers for keys that are pairs of numbers: the tables of tree-compressed state vectors.

use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use super::growing::Growing;
use super::key_set::{Full, KeySet, Numbers};

/// Numbers, counted from 0, for keys that are met.
pub(crate) struct Numbering {
    /// The numbers plus one, beside their keys.
    numbers: KeySet<Numbers>,
    len: AtomicU32,
}

impl Numbering {
    pub(crate) fn new() -> Self {
        Self {
            numbers: KeySet::new(),
            len: AtomicU32::new(0),
        }
    }

    /// The number of a key, a new one if it was not met before; `at_birth` is told a new number
    /// before anybody else can learn it.
    pub(crate) fn number(&self, key: u64, at_birth: impl FnOnce(u32)) -> Result<u32, Full> {
        let (place, new) = self.numbers.insert(key)?;
        let cell = self.numbers.number(place);
        if new {
            // The search ends long before there are 2^32: see `StateStore::is_used_up`.
            let number = self.len.fetch_add(1, Ordering::Relaxed);
            at_birth(number);
            cell.store(number.wrapping_add(1), Ordering::Release);
            return Ok(number);
        }
        loop {
            // Whoever added the key is about to number it.
            match cell.load(Ordering::Acquire) {
                0 => std::thread::yield_now(),
                number => return Ok(number - 1),
            }
        }
    }

    /// The number of a key that was met.
    pub(crate) fn find(&self, key: u64) -> Option<u32> {
        let place = self.numbers.find(key)?;
        let number = self.numbers.number(place).load(Ordering::Acquire);
        number.checked_sub(1)
    }

    pub(crate) fn grow(&mut self, full: Full) {
        self.numbers.grow(full);
    }

    pub(crate) fn len(&self) -> u32 {
        self.len.load(Ordering::Relaxed)
    }

    /// Bytes allocated.
    pub(crate) fn memory(&self) -> u64 {
        self.numbers.memory()
    }
}

/// Each pair that was met, with a number counted from 0.
pub(crate) struct PairTable {
    numbers: Numbering,
    pairs: Growing<AtomicU64>,
}

/// Two numbers in one key.
pub(crate) fn pair(left: u32, right: u32) -> u64 {
    u64::from(left) << 32 | u64::from(right)
}

/// The numbers in a key.
pub(crate) fn parts(pair: u64) -> (u32, u32) {
    ((pair >> 32) as u32, pair as u32)
}

impl PairTable {
    pub(crate) fn new() -> Self {
        Self {
            numbers: Numbering::new(),
            pairs: Growing::new(),
        }
    }

    /// The number of a pair, a new one if it was not met before.
    pub(crate) fn number(&self, pair: u64) -> Result<u32, Full> {
        self.numbers
            .number(pair, |number| self.pairs.set(number, pair))
    }

    /// The pair with this number.
    pub(crate) fn pair(&self, number: u32) -> u64 {
        self.pairs.value(number)
    }

    pub(crate) fn grow(&mut self, full: Full) {
        self.numbers.grow(full);
    }

    pub(crate) fn len(&self) -> u32 {
        self.numbers.len()
    }

    /// Bytes allocated.
    pub(crate) fn memory(&self) -> u64 {
        self.numbers.memory() + self.pairs.memory()
    }
}
