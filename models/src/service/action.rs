//! The actions: candidates in enumeration order, guards, updates.
//!
//! Shared design, models/service.md, section 4.

use plumb_checker::Guard;

use super::QueueService;
use super::arithmetic::{passes_after, winner};
use super::constants::{Key, TOTAL_WEIGHT};
use super::state::State;
use crate::finite::{Map, Subset};

/// The names of the actions, in enumeration order.
pub(super) const NAMES: &[&str] = &["Grant", "ChangeEligibility"];

/// An action; none has parameters in the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// The winner among the eligible keys is served.
    Grant,
    /// The eligible keys become these, perhaps the same; they are no parameter in the module.
    ChangeEligibility(Subset<Key>),
}

impl Action {
    /// Position of the action's name in [`NAMES`].
    pub(super) fn index(self) -> usize {
        match self {
            Self::Grant => 0,
            Self::ChangeEligibility(_) => 1,
        }
    }
}

/// Every action instance, in enumeration order.
pub(super) fn candidates() -> Vec<Action> {
    let subsets = (0..=u8::MAX).map_while(Subset::from_bits);
    [Action::Grant]
        .into_iter()
        .chain(subsets.map(Action::ChangeEligibility))
        .collect()
}

impl QueueService {
    /// The guard of an action, one entry for each conjunct of its definition.
    #[must_use]
    pub fn guard(&self, state: &State, action: Action) -> Guard {
        match action {
            Action::Grant => Guard::of([!state.eligible.is_empty(), self.constants.packable]),
            Action::ChangeEligibility(_) => Guard::of([self.constants.dynamic]),
        }
    }

    /// The state after an action whose guard holds.
    ///
    /// Where a guard with a dropped conjunct lets a grant through that nobody can have, no key is
    /// served.
    #[must_use]
    pub fn apply(&self, state: &State, action: Action) -> State {
        let mut next = *state;
        match action {
            Action::Grant => {
                next.active = state.eligible;
                if let Some(winner) = winner(self.constants.mode, state) {
                    next.passes = passes_after(state, winner);
                    next.served[winner] = state.served[winner].flipped();
                    if !self.constants.dynamic {
                        count(&mut next, winner);
                    }
                }
            }
            Action::ChangeEligibility(eligible) => next.eligible = eligible,
        }
        next
    }
}

/// Counts a grant in its cycle; the last grant of a cycle begins the next one.
fn count(next: &mut State, winner: Key) {
    next.counts[winner] = next.counts[winner].saturating_add(1);
    if next.phase == TOTAL_WEIGHT - 1 {
        next.cycle_counts = std::mem::replace(&mut next.counts, Map::all(0));
        next.completed_cycle = true;
        next.phase = 0;
    } else {
        next.phase = next.phase.saturating_add(1);
    }
}
