//! Numbered things, and sets of them as bits.
//!
//! How many works and Claims there are, the constants of a model say; a set has room for
//! [`MOST_NUMBERS`] of each.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

use plumb_tla::Value;

/// The greatest number that a numbered thing may have.
pub const MOST_NUMBERS: usize = 64;

/// A type of things that are numbered from 1.
pub trait Numbered: Copy + Eq + fmt::Debug {
    /// The thing at an index; its number is one more.
    ///
    /// Indices must be below [`MOST_NUMBERS`].
    fn at(index: usize) -> Self;

    /// The index: one less than the number.
    fn index(self) -> usize;

    /// The thing of a number, if there can be one.
    #[must_use]
    fn numbered(number: i64) -> Option<Self> {
        let index = usize::try_from(number).ok()?.checked_sub(1)?;
        (index < MOST_NUMBERS).then(|| Self::at(index))
    }

    /// The number.
    #[must_use]
    fn number(self) -> i64 {
        self.index() as i64 + 1
    }

    /// The first `count` of these things.
    fn first(count: usize) -> impl Iterator<Item = Self> {
        (0..count.min(MOST_NUMBERS)).map(Self::at)
    }

    /// The number in TLA+.
    #[must_use]
    fn to_value(self) -> Value {
        Value::int(self.number())
    }
}

/// Makes a type of things that are numbered from 1.
macro_rules! numbered {
    ($(#[$meta:meta])* $type:ident) => {
        $(#[$meta])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $type(u8);

        impl $crate::numbered::Numbered for $type {
            fn at(index: usize) -> Self {
                debug_assert!(index < $crate::numbered::MOST_NUMBERS, "{index} is beyond all numbers");
                Self(index as u8)
            }

            fn index(self) -> usize {
                usize::from(self.0)
            }
        }

        impl std::fmt::Debug for $type {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                write!(f, "{} {}", stringify!($type), self.0 + 1)
            }
        }
    };
}
pub(crate) use numbered;

/// A set of numbered things.
///
/// ```
/// use plumb_models::fair_work_queue::{Numbered, NumberSet, Work};
///
/// let results: NumberSet<Work> = Work::first(2).collect();
/// assert_eq!(results.len(), 2);
/// assert!(!results.contains(Work::at(2)));
/// ```
pub struct NumberSet<T> {
    bits: u64,
    elements: PhantomData<T>,
}

impl<T: Numbered> NumberSet<T> {
    /// The set without elements.
    pub const EMPTY: Self = Self::from_bits(0);

    /// The set in which bit *i* stands for the thing at index *i*.
    #[must_use]
    pub const fn from_bits(bits: u64) -> Self {
        Self {
            bits,
            elements: PhantomData,
        }
    }

    /// The set as bits.
    #[must_use]
    pub const fn bits(self) -> u64 {
        self.bits
    }

    /// Adds an element.
    pub fn insert(&mut self, element: T) {
        self.bits |= 1 << element.index();
    }

    /// Takes an element out.
    pub fn remove(&mut self, element: T) {
        self.bits &= !(1 << element.index());
    }

    /// Whether the element is in the set.
    #[must_use]
    pub fn contains(self, element: T) -> bool {
        self.bits >> element.index() & 1 == 1
    }

    /// Whether there are no elements.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.bits == 0
    }

    /// How many elements there are.
    #[must_use]
    pub const fn len(self) -> usize {
        self.bits.count_ones() as usize
    }

    /// Whether every element of this set is in the other.
    #[must_use]
    pub const fn is_subset(self, other: Self) -> bool {
        self.bits & !other.bits == 0
    }

    /// The elements of the two sets.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self::from_bits(self.bits | other.bits)
    }

    /// The element of the greatest number.
    #[must_use]
    pub fn last(self) -> Option<T> {
        (self.bits != 0).then(|| T::at(self.bits.ilog2() as usize))
    }

    /// The elements, in ascending order.
    pub fn iter(self) -> impl Iterator<Item = T> {
        let mut bits = self.bits;
        std::iter::from_fn(move || {
            let index = bits.trailing_zeros() as usize;
            (bits != 0).then(|| {
                bits &= bits - 1;
                T::at(index)
            })
        })
    }

    /// The set in TLA+.
    #[must_use]
    pub fn to_value(self) -> Value {
        Value::set(self.iter().map(T::to_value))
    }
}

impl<T: Numbered> FromIterator<T> for NumberSet<T> {
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Self {
        let mut set = Self::EMPTY;
        for element in elements {
            set.insert(element);
        }
        set
    }
}

// By hand: a derived implementation would ask the same of `T`, which is not stored.

impl<T> Clone for NumberSet<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for NumberSet<T> {}

impl<T> PartialEq for NumberSet<T> {
    fn eq(&self, other: &Self) -> bool {
        self.bits == other.bits
    }
}

impl<T> Eq for NumberSet<T> {}

impl<T> Hash for NumberSet<T> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.bits.hash(state);
    }
}

impl<T: Numbered> fmt::Debug for NumberSet<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers = self.iter().map(T::number);
        f.debug_set().entries(numbers).finish()
    }
}
