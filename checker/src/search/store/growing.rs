//! Arrays that grow while others read them: nothing that stands in them ever moves.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// Elements of the first piece; each further one is twice as long.
const FIRST: usize = 256;
const PIECES: usize = 26;

/// An array of elements that are made by `Default` when one near them is first asked for.
pub(crate) struct Growing<T> {
    pieces: [OnceLock<Box<[T]>>; PIECES],
}

impl<T: Default> Growing<T> {
    pub(crate) fn new() -> Self {
        Self {
            pieces: [const { OnceLock::new() }; PIECES],
        }
    }

    /// The element at `index`.
    pub(crate) fn get(&self, index: u32) -> &T {
        let (piece, offset) = locate(index);
        let piece =
            self.pieces[piece].get_or_init(|| (0..FIRST << piece).map(|_| T::default()).collect());
        &piece[offset]
    }

    /// Bytes allocated, without what elements point to.
    pub(crate) fn memory(&self) -> u64 {
        let pieces = self.pieces.iter().filter_map(OnceLock::get);
        pieces
            .map(|piece| (piece.len() * size_of::<T>()) as u64)
            .sum()
    }
}

fn locate(index: u32) -> (usize, usize) {
    let position = index as usize + FIRST;
    let piece = (position.ilog2() - FIRST.ilog2()) as usize;
    (piece, position - (FIRST << piece))
}

impl Growing<AtomicU64> {
    pub(crate) fn set(&self, index: u32, value: u64) {
        self.get(index).store(value, Ordering::Release);
    }

    pub(crate) fn value(&self, index: u32) -> u64 {
        self.get(index).load(Ordering::Acquire)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_index_has_a_place_of_its_own() {
        let array = Growing::<AtomicU64>::new();
        for index in 0..100_000 {
            array.set(index, u64::from(index) + 1);
        }
        for index in 0..100_000 {
            assert_eq!(array.value(index), u64::from(index) + 1);
        }
        // The last index of all has one too.
        assert!(locate(u32::MAX).0 < PIECES);
    }
}
