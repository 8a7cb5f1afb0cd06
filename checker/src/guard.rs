//! A guard as the row of its conjuncts, so that a test can drop one at a time.

/// The truth of each conjunct of an action's guard in one state.
///
/// Models write a guard as an array, one entry for each conjunct of the action's definition. That
/// keeps the code beside its TLA+ text, and lets a mutation test ask "what if this one were
/// missing?" without a second copy of the model:
///
/// ```
/// use plumb_checker::Guard;
///
/// let (head, base, prepared) = (3, 2, true);
/// let guard = Guard::of([prepared, head == base]);
/// assert!(!guard.holds());
/// assert!(guard.without(1).holds());
/// assert_eq!(guard.conjuncts(), 2);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Guard {
    false_conjuncts: u32,
    conjuncts: u8,
}

impl Guard {
    /// A guard of these conjuncts; an empty array is always true.
    ///
    /// # Panics
    ///
    /// At compile time, if there are more than 32.
    #[must_use]
    pub fn of<const N: usize>(conjuncts: [bool; N]) -> Self {
        const { assert!(N <= 32, "a guard has at most 32 conjuncts") };
        let mut false_conjuncts = 0;
        for (index, holds) in conjuncts.into_iter().enumerate() {
            false_conjuncts |= u32::from(!holds) << index;
        }
        Self {
            false_conjuncts,
            conjuncts: N as u8,
        }
    }

    /// Whether every conjunct is true.
    #[must_use]
    pub fn holds(self) -> bool {
        self.false_conjuncts == 0
    }

    /// The same guard with the conjunct at `index` taken as true; no change if there is none.
    #[must_use]
    pub fn without(self, index: usize) -> Self {
        let bit = u32::try_from(index)
            .ok()
            .and_then(|index| 1_u32.checked_shl(index));
        Self {
            false_conjuncts: self.false_conjuncts & !bit.unwrap_or(0),
            ..self
        }
    }

    /// How many conjuncts the guard has.
    #[must_use]
    pub fn conjuncts(self) -> usize {
        usize::from(self.conjuncts)
    }
}

/// One conjunct of one action's guard, named by action and position: what a mutation test drops.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct DroppedConjunct {
    /// Position of the action in [`CheckedModel::ACTIONS`](crate::CheckedModel::ACTIONS).
    pub action: usize,
    /// Position of the conjunct in the action's [`Guard`].
    pub conjunct: usize,
}
