//! The states that a behaviour may have passed through, for those that come back to one of them.

use plumb_checker::Encoded;

/// The states that agree with each recorded one, and how they hang together.
#[derive(Debug, Default)]
pub(super) struct History {
    levels: Vec<Level>,
}

/// The states that agree with one recorded state.
#[derive(Debug)]
pub(super) struct Level {
    number: u64,
    pub(super) states: Vec<Reached>,
}

/// A state, and the places of those in the level before from which it was reached.
#[derive(Clone, Debug)]
pub(super) struct Reached {
    pub(super) state: Encoded,
    pub(super) from: Vec<usize>,
}

impl History {
    pub(super) fn push(&mut self, number: u64, states: &[Reached]) {
        let states = states.to_vec();
        self.levels.push(Level { number, states });
    }

    /// The index of the recorded state with this number.
    pub(super) fn index_of(&self, number: u64) -> Option<usize> {
        self.levels.iter().position(|level| level.number == number)
    }

    /// The levels, one for each recorded state.
    pub(super) fn levels(&self) -> &[Level] {
        &self.levels
    }
}
