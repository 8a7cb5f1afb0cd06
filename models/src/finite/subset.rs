//! Subsets of a finite type, as bits.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

use plumb_tla::Value;

use super::Finite;

/// A set of values of a finite type.
///
/// ```
/// use plumb_models::finite::Subset;
/// use plumb_models::lifecycle::Root;
///
/// let results = Subset::of([Root::A, Root::C]);
/// assert!(results.contains(Root::C));
/// assert!(results.is_disjoint(Subset::of([Root::B])));
/// assert_eq!(results.iter().collect::<Vec<_>>(), [Root::A, Root::C]);
/// ```
pub struct Subset<E> {
    bits: u8,
    elements: PhantomData<E>,
}

impl<E: Finite> Subset<E> {
    /// The set without elements.
    pub const EMPTY: Self = Self::of_bits(0);

    const fn of_bits(bits: u8) -> Self {
        const { assert!(E::ALL.len() <= 8, "a subset has a byte of bits") };
        Self {
            bits,
            elements: PhantomData,
        }
    }

    /// The set of these elements.
    #[must_use]
    pub fn of(elements: impl IntoIterator<Item = E>) -> Self {
        let mut set = Self::EMPTY;
        for element in elements {
            set.insert(element);
        }
        set
    }

    /// Adds an element.
    pub fn insert(&mut self, element: E) {
        self.bits |= 1 << element.index();
    }

    /// Whether the element is in the set.
    #[must_use]
    pub fn contains(self, element: E) -> bool {
        self.bits >> element.index() & 1 == 1
    }

    /// Whether there are no elements.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.bits == 0
    }

    /// How many elements there are.
    #[must_use]
    pub fn len(self) -> usize {
        self.bits.count_ones() as usize
    }

    /// The first element.
    #[must_use]
    pub fn first(self) -> Option<E> {
        E::at(self.bits.trailing_zeros() as usize)
    }

    /// The elements, in the order of [`Finite::ALL`].
    pub fn iter(self) -> impl Iterator<Item = E> {
        E::ALL
            .iter()
            .copied()
            .filter(move |element| self.contains(*element))
    }

    /// The elements of either set.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self::of_bits(self.bits | other.bits)
    }

    /// The elements of this set that are not in the other.
    #[must_use]
    pub fn minus(self, other: Self) -> Self {
        Self::of_bits(self.bits & !other.bits)
    }

    /// Whether every element of this set is in the other.
    #[must_use]
    pub fn is_subset(self, other: Self) -> bool {
        self.bits & !other.bits == 0
    }

    /// Whether no element is in both sets.
    #[must_use]
    pub fn is_disjoint(self, other: Self) -> bool {
        self.bits & other.bits == 0
    }

    /// The set as bits: bit *i* stands for the element at position *i*.
    #[must_use]
    pub fn bits(self) -> u8 {
        self.bits
    }

    /// The set that has these [`bits`](Self::bits), unless one of them stands for nothing.
    #[must_use]
    pub fn from_bits(bits: u8) -> Option<Self> {
        (u32::from(bits) >> E::ALL.len() == 0).then(|| Self::of_bits(bits))
    }

    /// The set in TLA+.
    #[must_use]
    pub fn to_value(self) -> Value {
        Value::set(self.iter().map(E::to_value))
    }
}

// By hand: a derived implementation would ask the same of `E`, which is not stored.

impl<E> Clone for Subset<E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E> Copy for Subset<E> {}

impl<E> PartialEq for Subset<E> {
    fn eq(&self, other: &Self) -> bool {
        self.bits == other.bits
    }
}

impl<E> Eq for Subset<E> {}

impl<E> Hash for Subset<E> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.bits.hash(state);
    }
}

impl<E: Finite> fmt::Debug for Subset<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}
