//! Fields of a state packed into one 64-bit word, the first field in the highest bits.
//!
//! The order of the packed bytes is then the order of the fields, and every bit pattern that
//! stands for nothing is found when a word is unpacked.

use crate::finite::{Finite, Subset};

/// Puts fields into a word, one after the other.
#[derive(Debug)]
pub(crate) struct Packer {
    word: u64,
    free: u32,
}

impl Packer {
    pub(crate) fn new() -> Self {
        Self { word: 0, free: 64 }
    }

    fn put(&mut self, value: u64, width: u32) {
        debug_assert!(value >> width == 0, "{value} has more than {width} bits");
        self.free -= width;
        self.word |= value << self.free;
    }

    pub(crate) fn flag(&mut self, flag: bool) {
        self.put(u64::from(flag), 1);
    }

    pub(crate) fn finite<E: Finite>(&mut self, element: E) {
        self.put(element.index() as u64, width::<E>());
    }

    pub(crate) fn subset<E: Finite>(&mut self, subset: Subset<E>) {
        self.put(u64::from(subset.bits()), E::ALL.len() as u32);
    }

    /// The word's first `N` bytes, which must hold all that was put.
    pub(crate) fn into_bytes<const N: usize>(self) -> [u8; N] {
        debug_assert!(
            64 - self.free as usize <= 8 * N,
            "the fields need more bytes"
        );
        let word = self.word.to_be_bytes();
        std::array::from_fn(|index| word[index])
    }
}

/// Takes fields out of a word, in the order in which they were put.
#[derive(Debug)]
pub(crate) struct Unpacker {
    word: u64,
    left: u32,
}

impl Unpacker {
    pub(crate) fn new<const N: usize>(bytes: [u8; N]) -> Self {
        let mut word = [0; 8];
        word[..N].copy_from_slice(&bytes);
        Self {
            word: u64::from_be_bytes(word),
            left: 64,
        }
    }

    fn take(&mut self, width: u32) -> u64 {
        self.left -= width;
        self.word >> self.left & ((1 << width) - 1)
    }

    pub(crate) fn flag(&mut self) -> bool {
        self.take(1) == 1
    }

    pub(crate) fn finite<E: Finite>(&mut self) -> Option<E> {
        E::at(self.take(width::<E>()) as usize)
    }

    pub(crate) fn subset<E: Finite>(&mut self) -> Option<Subset<E>> {
        Subset::from_bits(self.take(E::ALL.len() as u32) as u8)
    }

    /// Whether nothing but zeros is left, as [`Packer::into_bytes`] leaves it.
    pub(crate) fn is_finished(&self) -> bool {
        self.word & ((1_u128 << self.left) as u64).wrapping_sub(1) == 0
    }
}

/// Bits for the position of one element.
const fn width<E: Finite>() -> u32 {
    usize::BITS - (E::ALL.len() - 1).leading_zeros()
}
