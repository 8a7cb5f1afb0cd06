//! The constants of the model, and the specifications.
//!
//! Shared design, models/service.md, section 1 and the table of registered configurations.

use plumb_checker::{ConfigurationError, Reader};
use plumb_tla::Value;

use crate::finite::Finite;

/// Whose work competes for grants.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    /// Key 1.
    One,
    /// Key 2.
    Two,
    /// Key 3.
    Three,
}

impl Key {
    /// The share of grants that the key has, of [`TOTAL_WEIGHT`]: the operator `ReferenceWeights`.
    #[must_use]
    pub const fn weight(self) -> i64 {
        match self {
            Self::One => 5,
            Self::Two => 3,
            Self::Three => 2,
        }
    }

    /// How far a grant advances the key's clock: the heavier the key, the less.
    #[must_use]
    pub const fn stride(self) -> i64 {
        SCALE / self.weight()
    }

    /// The number that the TLA+ module uses.
    #[must_use]
    pub const fn number(self) -> i64 {
        self as i64 + 1
    }
}

impl Finite for Key {
    const ALL: &'static [Self] = &[Self::One, Self::Two, Self::Three];

    fn index(self) -> usize {
        self as usize
    }

    fn to_value(self) -> Value {
        Value::int(self.number())
    }
}

/// The sum of the weights, and the number of grants in a cycle.
pub const TOTAL_WEIGHT: i64 = 10;

/// A number that every weight divides.
const SCALE: i64 = 30;

/// How the winner of a grant is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// The eligible key whose clock is least.
    Weighted,
    /// The smallest eligible key, and no shares are promised.
    Strict,
    /// Defect: the smallest eligible key, although shares are promised.
    Broken,
}

/// The values of the constant `Mode`.
const MODES: &[(&str, Mode)] = &[
    ("weighted", Mode::Weighted),
    ("strict", Mode::Strict),
    ("broken", Mode::Broken),
];

/// The specifications: whether a grant that stays possible is owed.
const SPECIFICATIONS: &[(&str, bool)] = &[("Spec", true), ("UnfairSpec", false)];

/// The constants of the module, and the choice of a specification.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Constants {
    /// Whether `Grant` is weakly fair.
    pub(super) fair: bool,
    /// How the winner is chosen.
    pub(super) mode: Mode,
    /// Whether the eligible keys change.
    pub(super) dynamic: bool,
    /// Whether what is granted fits at all.
    pub(super) packable: bool,
}

impl Constants {
    /// Reads the specification and the constants from a cfg.
    pub(super) fn read(cfg: &mut Reader<'_>) -> Result<Self, ConfigurationError> {
        let fair = cfg.specification(SPECIFICATIONS)?;
        // The only table of weights that the module assumes: `Key::weight` has it.
        cfg.operator("Weights", &[("ReferenceWeights", ())])?;
        Ok(Self {
            fair,
            mode: cfg.choice("Mode", MODES)?,
            dynamic: cfg.boolean("Dynamic")?,
            packable: cfg.boolean("Packable")?,
        })
    }
}
