//! Types with a handful of values, and sets and maps over them.
//!
//! The bounded models have small vocabularies: three Claims, two groups, five phases. Each of these
//! is a type here whose values are listed once, in [`Finite::ALL`]; sets of them are bits
//! ([`Subset`]), maps from them are arrays ([`Map`]), and encoding and TLA+ form follow from the
//! list.

mod map;
mod subset;

use plumb_tla::Value;

pub use map::Map;
pub use subset::Subset;

/// A type with few values, each of which is a TLA+ value.
pub trait Finite: Copy + Eq + std::fmt::Debug + 'static {
    /// All values, each once, in the order in which the model enumerates them.
    const ALL: &'static [Self];

    /// Position in [`ALL`](Self::ALL).
    fn index(self) -> usize;

    /// The value in TLA+; no two values share one.
    fn to_value(self) -> Value;

    /// The value at a position of [`ALL`](Self::ALL).
    #[must_use]
    fn at(index: usize) -> Option<Self> {
        Self::ALL.get(index).copied()
    }

    /// The value that is `value` in TLA+.
    #[must_use]
    fn from_value(value: &Value) -> Option<Self> {
        Self::ALL
            .iter()
            .copied()
            .find(|candidate| candidate.to_value() == *value)
    }
}

/// Makes an enumeration [`Finite`], with a string for each variant as the TLA+ module spells it.
///
/// The variants stand in the order of their declaration.
macro_rules! finite_names {
    ($type:ident { $($variant:ident = $name:literal),+ $(,)? }) => {
        impl $type {
            /// The name that the TLA+ module uses.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $name,)+
                }
            }
        }

        impl $crate::finite::Finite for $type {
            const ALL: &'static [Self] = &[$(Self::$variant),+];

            fn index(self) -> usize {
                self as usize
            }

            fn to_value(self) -> plumb_tla::Value {
                plumb_tla::Value::str(self.name())
            }
        }
    };
}
pub(crate) use finite_names;

/// Asserts what [`Finite`] promises.
#[cfg(test)]
pub(crate) fn assert_finite<E: Finite>() {
    for (index, element) in E::ALL.iter().enumerate() {
        assert_eq!(element.index(), index, "{element:?} is out of place");
        assert_eq!(
            E::from_value(&element.to_value()),
            Some(*element),
            "two values have the same TLA+ value"
        );
    }
    assert_eq!(E::at(E::ALL.len()), None);
}
