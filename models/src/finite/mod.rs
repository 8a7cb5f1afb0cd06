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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{claim_scope, lifecycle, work_queue};

    fn assert_finite<E: Finite>() {
        for (index, element) in E::ALL.iter().enumerate() {
            assert_eq!(element.index(), index, "{element:?} is out of place");
            let read = E::from_value(&element.to_value());
            assert_eq!(read, Some(*element), "two values are one in TLA+");
        }
        assert_eq!(E::at(E::ALL.len()), None);
    }

    #[test]
    fn every_vocabulary_is_in_order_and_spells_its_values_differently() {
        assert_finite::<claim_scope::Claim>();
        assert_finite::<claim_scope::RawHandle>();
        assert_finite::<Option<claim_scope::RawHandle>>();
        assert_finite::<claim_scope::Work>();
        assert_finite::<claim_scope::Phase>();
        assert_finite::<Option<claim_scope::Intent>>();
        assert_finite::<claim_scope::Kind>();
        assert_finite::<lifecycle::Root>();
        assert_finite::<lifecycle::Successor>();
        assert_finite::<lifecycle::Claim>();
        assert_finite::<lifecycle::Group>();
        assert_finite::<lifecycle::Phase>();
        assert_finite::<lifecycle::Status>();
        assert_finite::<lifecycle::FinishOutcome>();
        assert_finite::<lifecycle::Disposition>();
        assert_finite::<lifecycle::Violation>();
        assert_finite::<lifecycle::Count>();
        assert_finite::<lifecycle::Attempt>();
        assert_finite::<lifecycle::Assignment>();
        assert_finite::<work_queue::Kind>();
        assert_finite::<work_queue::WorkStatus>();
        assert_finite::<work_queue::ClaimStatus>();
        assert_finite::<work_queue::DispatcherPhase>();
        assert_finite::<work_queue::WorkerPhase>();
        assert_finite::<work_queue::MaintenancePhase>();
        assert_finite::<work_queue::Maintenance>();
    }

    #[test]
    fn sets_of_claims_do_what_sets_do() {
        use lifecycle::Root::{A, B, C};
        let all = Subset::from_bits(0b111);
        assert_eq!(all, Some(Subset::of([C, A, B])));
        assert_eq!(Subset::<lifecycle::Root>::from_bits(0b1000), None);
        let outer = Subset::of([A, C]);
        assert_eq!(outer.union(Subset::of([B])), Subset::of([A, B, C]));
        assert_eq!(outer.minus(Subset::of([A, B])), Subset::of([C]));
        assert!(Subset::of([C]).is_subset(outer) && !outer.is_subset(Subset::of([C])));
        assert_eq!(
            (
                outer.len(),
                outer.first(),
                Subset::<lifecycle::Root>::EMPTY.first()
            ),
            (2, Some(A), None)
        );
        assert_eq!(outer.to_value().to_string(), r#"{"a", "c"}"#);
        assert_eq!(format!("{outer:?}"), "{A, C}");
    }
}
