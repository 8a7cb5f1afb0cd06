//! The eight variables and their initial values.
//!
//! Shared design, models/service.md, section 2.

use plumb_tla::Value;

use super::constants::Key;
use crate::finite::{Finite, Map, Subset};

/// A bit that is flipped at each grant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Bit {
    /// An even number of grants.
    Zero,
    /// An odd number of grants.
    One,
}

impl Bit {
    /// The other bit.
    #[must_use]
    pub const fn flipped(self) -> Self {
        match self {
            Self::Zero => Self::One,
            Self::One => Self::Zero,
        }
    }
}

impl Finite for Bit {
    const ALL: &'static [Self] = &[Self::Zero, Self::One];

    fn index(self) -> usize {
        self as usize
    }

    fn to_value(self) -> Value {
        Value::int(self as i64)
    }
}

/// One state of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// The keys' clocks, relative to the clock of the latest winner before its grant.
    pub passes: Map<Key, i64, 3>,
    /// The keys that were eligible at the latest grant.
    pub active: Subset<Key>,
    /// The keys that are eligible now.
    pub eligible: Subset<Key>,
    /// The grants of this cycle.
    pub counts: Map<Key, i64, 3>,
    /// The number of grants in this cycle.
    pub phase: i64,
    /// Whether a cycle was completed.
    pub completed_cycle: bool,
    /// The grants of the latest completed cycle.
    pub cycle_counts: Map<Key, i64, 3>,
    /// A bit for each key, flipped at each of its grants: all that tells who was served.
    pub served: Map<Key, Bit, 3>,
}

impl State {
    /// The one initial state.
    #[must_use]
    pub fn initial() -> Self {
        Self {
            passes: Map::all(0),
            active: Subset::EMPTY,
            eligible: Subset::of(Key::ALL.iter().copied()),
            counts: Map::all(0),
            phase: 0,
            completed_cycle: false,
            cycle_counts: Map::all(0),
            served: Map::all(Bit::Zero),
        }
    }
}
