//! Sequences of facts and of intents, which are short and of which a state has many.

use std::fmt;
use std::marker::PhantomData;

/// Elements that a state keeps without an allocation: more than any registered log has.
const INLINE: usize = 22;

/// Something that one byte stands for.
pub(super) trait Element: Copy + Eq {
    /// What the byte stands for.
    fn of_byte(byte: u8) -> Self;
    /// The byte that stands for it.
    fn byte(self) -> u8;
}

/// A sequence in which order and multiplicity count.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Sequence<T> {
    bytes: Bytes,
    elements: PhantomData<T>,
}

/// Up to [`INLINE`] bytes in place, more on the heap; so that each sequence has one form, unused
/// ones are zero.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Bytes {
    Inline { length: u8, bytes: [u8; INLINE] },
    Heap(Box<[u8]>),
}

impl<T> Sequence<T> {
    /// The sequence without elements.
    pub const EMPTY: Self = Self {
        bytes: Bytes::Inline {
            length: 0,
            bytes: [0; INLINE],
        },
        elements: PhantomData,
    };

    /// The byte of each element, in order.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        match &self.bytes {
            Bytes::Inline { length, bytes } => &bytes[..usize::from(*length)],
            Bytes::Heap(bytes) => bytes,
        }
    }

    /// The sequence that has these bytes.
    pub(super) fn from_bytes(from: &[u8]) -> Self {
        let bytes = if from.len() <= INLINE {
            let mut bytes = [0; INLINE];
            bytes[..from.len()].copy_from_slice(from);
            let length = from.len() as u8;
            Bytes::Inline { length, bytes }
        } else {
            Bytes::Heap(from.into())
        };
        Self {
            bytes,
            elements: PhantomData,
        }
    }

    /// How many elements there are, repeated ones as often as they occur.
    #[must_use]
    pub fn len(&self) -> usize {
        self.as_bytes().len()
    }

    /// Whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[expect(
    private_bounds,
    reason = "only this module says what a byte stands for"
)]
impl<T: Element> Sequence<T> {
    /// Appends an element.
    pub fn push(&mut self, element: T) {
        match &mut self.bytes {
            Bytes::Inline { length, bytes } if usize::from(*length) < INLINE => {
                bytes[usize::from(*length)] = element.byte();
                *length += 1;
            }
            _ => *self = Self::from_bytes(&[self.as_bytes(), &[element.byte()]].concat()),
        }
    }

    /// The elements, in order.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = T> + ExactSizeIterator {
        self.as_bytes().iter().map(|byte| T::of_byte(*byte))
    }

    /// The last element.
    #[must_use]
    pub fn last(&self) -> Option<T> {
        self.iter().next_back()
    }

    /// Whether the element occurs.
    #[must_use]
    pub fn contains(&self, element: T) -> bool {
        self.as_bytes().contains(&element.byte())
    }

    /// How often the element occurs.
    #[must_use]
    pub fn count(&self, element: T) -> usize {
        self.iter().filter(|other| *other == element).count()
    }
}

impl<T: Element> FromIterator<T> for Sequence<T> {
    fn from_iter<I: IntoIterator<Item = T>>(elements: I) -> Self {
        let mut sequence = Self::EMPTY;
        for element in elements {
            sequence.push(element);
        }
        sequence
    }
}

impl<T: Element + fmt::Debug> fmt::Debug for Sequence<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Element for u8 {
        fn of_byte(byte: u8) -> Self {
            byte
        }

        fn byte(self) -> u8 {
            self
        }
    }

    #[test]
    fn a_sequence_is_its_elements_however_long_and_however_made() {
        let mut grown = Sequence::<u8>::EMPTY;
        let mut bytes = Vec::new();
        for byte in 0..3 * INLINE as u8 {
            assert_eq!(grown, Sequence::from_bytes(&bytes));
            assert_eq!(grown.as_bytes(), bytes);
            assert_eq!(
                (grown.len(), grown.last()),
                (bytes.len(), bytes.last().copied())
            );
            assert!(!grown.contains(byte));
            grown.push(byte);
            bytes.push(byte);
            assert_ne!(grown, Sequence::from_bytes(&bytes[1..]));
        }
        grown.push(0);
        assert_eq!((grown.count(0), grown.count(1), grown.count(99)), (2, 1, 0));
        assert_eq!(size_of::<Sequence<u8>>(), 24);
    }
}
