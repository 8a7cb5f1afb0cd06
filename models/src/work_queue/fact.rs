//! Facts, intents, and sets of facts as bits.
//!
//! Shared design, models/work-queue.md, section 3.1.

use std::fmt;

use super::sequence::Element;

/// The most facts that there may be: a set of them is a word of bits.
pub const MOST_FACTS: usize = 64;

/// A fact, by its position in the canonical order of all facts.
///
/// What it says, the [`Constants`](super::Constants) know.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Fact(pub(super) u8);

impl Fact {
    /// Its position in the canonical order.
    #[must_use]
    pub fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// What a dispatcher may stage: a fact, or a resubmission of a work, by its position among all
/// facts and, after them, the resubmissions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Intent(pub(super) u8);

impl Element for Fact {
    fn of_byte(byte: u8) -> Self {
        Self(byte)
    }

    fn byte(self) -> u8 {
        self.0
    }
}

impl Element for Intent {
    fn of_byte(byte: u8) -> Self {
        Self(byte)
    }

    fn byte(self) -> u8 {
        self.0
    }
}

impl From<Fact> for Intent {
    fn from(fact: Fact) -> Self {
        Self(fact.0)
    }
}

/// A set of facts.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct FactSet(u64);

impl FactSet {
    /// The set without elements.
    pub const EMPTY: Self = Self(0);

    /// The set in which bit *i* stands for the fact at position *i*.
    #[must_use]
    pub const fn from_bits(bits: u64) -> Self {
        Self(bits)
    }

    /// The set as bits.
    #[must_use]
    pub const fn bits(self) -> u64 {
        self.0
    }

    /// Adds a fact.
    pub fn insert(&mut self, fact: Fact) {
        self.0 |= 1 << fact.0;
    }

    /// Whether the fact is in the set.
    #[must_use]
    pub const fn contains(self, fact: Fact) -> bool {
        self.0 >> fact.0 & 1 == 1
    }

    /// Whether there are no elements.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// How many elements there are.
    #[must_use]
    pub const fn len(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Whether every element of this set is in the other.
    #[must_use]
    pub const fn is_subset(self, other: Self) -> bool {
        self.0 & !other.0 == 0
    }

    /// The elements of both sets.
    #[must_use]
    pub const fn intersection(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// The elements of this set that are not in the other.
    #[must_use]
    pub const fn minus(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// The first element in the canonical order.
    #[must_use]
    pub fn first(self) -> Option<Fact> {
        self.iter().next()
    }

    /// The elements, in the canonical order.
    pub fn iter(self) -> impl Iterator<Item = Fact> {
        let mut bits = self.0;
        std::iter::from_fn(move || {
            let index = bits.trailing_zeros();
            (bits != 0).then(|| {
                bits &= bits - 1;
                Fact(index as u8)
            })
        })
    }
}

impl FromIterator<Fact> for FactSet {
    fn from_iter<I: IntoIterator<Item = Fact>>(facts: I) -> Self {
        let mut set = Self::EMPTY;
        for fact in facts {
            set.insert(fact);
        }
        set
    }
}

impl fmt::Debug for FactSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
