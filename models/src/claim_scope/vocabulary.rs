//! Claims, raw handles and successor works, and how a raw handle is resolved.
//!
//! Shared design, models/claim-scope.md, section 1. The types hold the numbers of both sizes of the
//! model; which of them belong to a configured one, [`Domains`] says.

use plumb_tla::Value;

use crate::finite::{Finite, Subset};

/// Makes a type of consecutive numbers [`Finite`].
macro_rules! finite_numbers {
    ($type:ident: $first:literal $(, $next:literal)*) => {
        impl $type {
            /// The value of this number, if there is one.
            #[must_use]
            pub fn numbered(number: u8) -> Option<Self> {
                <Self as Finite>::ALL.iter().copied().find(|value| value.0 == number)
            }

            /// The number.
            #[must_use]
            pub const fn number(self) -> u8 {
                self.0
            }
        }

        impl Finite for $type {
            const ALL: &'static [Self] = &[Self($first) $(, Self($next))*];

            fn index(self) -> usize {
                usize::from(self.0 - $first)
            }

            fn to_value(self) -> Value {
                Value::int(self.0)
            }
        }
    };
}

/// A Claim that can be assigned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Claim(u8);
finite_numbers!(Claim: 1, 2, 3);

/// What an agent names to say which Claim it means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RawHandle(u8);
finite_numbers!(RawHandle: 0, 1, 2, 3, 4);

impl RawHandle {
    /// The agent named nothing.
    pub const OMITTED: Self = Self(0);
}

impl Finite for Option<RawHandle> {
    const ALL: &'static [Self] = &[
        None,
        Some(RawHandle(0)),
        Some(RawHandle(1)),
        Some(RawHandle(2)),
        Some(RawHandle(3)),
        Some(RawHandle(4)),
    ];

    fn index(self) -> usize {
        self.map_or(0, |raw| raw.index() + 1)
    }

    fn to_value(self) -> Value {
        self.map_or(Value::int(-1), RawHandle::to_value)
    }
}

/// A work that may be admitted once the Claims before it have Results. Its number has nothing to do
/// with the raw handle of the same number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Work(u8);
finite_numbers!(Work: 2, 3, 4, 5);

/// The Claim that `raw` names among the Claims of `set`, if it names one.
///
/// An omitted handle names the only Claim of a set; it never chooses.
///
/// ```
/// use plumb_models::claim_scope::{Claim, RawHandle, scope};
/// use plumb_models::finite::Subset;
///
/// let second = Claim::numbered(2).expect("there is a Claim 2");
/// assert_eq!(scope(Subset::of([second]), RawHandle::OMITTED), Some(second));
/// assert_eq!(scope(Subset::EMPTY, RawHandle::OMITTED), None);
/// ```
#[must_use]
pub fn scope(set: Subset<Claim>, raw: RawHandle) -> Option<Claim> {
    if raw == RawHandle::OMITTED && set.len() == 1 {
        set.first()
    } else {
        Claim::numbered(raw.number()).filter(|claim| set.contains(*claim))
    }
}

/// The sets that follow from the constant `ClaimCount`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Domains {
    /// The assigned Claims: 1 up to the count.
    pub claims: Subset<Claim>,
    /// The raw handles: 0 up to one more than there are Claims.
    pub handles: Subset<RawHandle>,
    /// The works that wait for Results of the Claims.
    pub works: Subset<Work>,
}

impl Domains {
    /// One Claim.
    #[must_use]
    pub fn single() -> Self {
        Self::of_count(1)
    }

    /// Three Claims.
    #[must_use]
    pub fn triple() -> Self {
        Self::of_count(3)
    }

    fn of_count(count: u8) -> Self {
        Self {
            claims: Subset::of((1..=count).filter_map(Claim::numbered)),
            handles: Subset::of((0..=count + 1).filter_map(RawHandle::numbered)),
            works: Subset::of((count + 1..=count + 2).filter_map(Work::numbered)),
        }
    }

    /// The Claim that `raw` names among the assigned ones.
    #[must_use]
    pub fn scope(&self, raw: RawHandle) -> Option<Claim> {
        scope(self.claims, raw)
    }

    /// The handle that names no assigned Claim: one more than there are.
    #[must_use]
    pub fn foreign_handle(&self) -> RawHandle {
        RawHandle(self.claims.len() as u8 + 1)
    }

    /// The Claims whose Results `work` needs: the first work those of the first and the last
    /// Claim, the second work that of the second, or of the first where there is only one.
    #[must_use]
    pub fn predecessors(&self, work: Work) -> Subset<Claim> {
        let count = self.claims.len() as u8;
        let needed = if work.number() == count + 1 {
            [1, count]
        } else {
            [count.min(2), count.min(2)]
        };
        Subset::of(needed.into_iter().filter_map(Claim::numbered))
    }
}
