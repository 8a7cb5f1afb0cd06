//! The states that a behaviour may have passed through, for those that come back to one of them.

use plumb_checker::Encoded;

/// The states that agree with each recorded one, and how they hang together.
#[derive(Debug, Default)]
pub(super) struct History {
    levels: Vec<Level>,
}

/// The states that agree with one recorded state.
#[derive(Debug)]
struct Level {
    number: u64,
    states: Vec<Reached>,
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

    /// Every way through the levels, in a fixed order.
    pub(super) fn paths(&self) -> Paths<'_> {
        let last = self.levels.len().checked_sub(1);
        let ends = last.map_or(0, |last| self.levels[last].states.len());
        Paths {
            levels: &self.levels,
            open: last
                .into_iter()
                .flat_map(|last| (0..ends).rev().map(move |state| (last, state)))
                .collect(),
            path: Vec::new(),
        }
    }
}

/// Iterates over the ways, from the last level backwards and without recursion.
pub(super) struct Paths<'h> {
    levels: &'h [Level],
    /// States yet to be gone back from, as (level, place); the last one is next.
    open: Vec<(usize, usize)>,
    /// The places chosen at the last levels, the very last one first.
    path: Vec<usize>,
}

impl Iterator for Paths<'_> {
    type Item = Vec<Encoded>;

    fn next(&mut self) -> Option<Self::Item> {
        while let Some((level, place)) = self.open.pop() {
            self.path.truncate(self.levels.len() - 1 - level);
            self.path.push(place);
            let Some(before) = level.checked_sub(1) else {
                let places = self.path.iter().rev();
                let states = places
                    .zip(self.levels)
                    .map(|(place, level)| &level.states[*place]);
                return Some(states.map(|reached| reached.state.clone()).collect());
            };
            let from = self.levels[level].states[place].from.iter().rev();
            self.open.extend(from.map(|place| (before, *place)));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reached(state: u8, from: &[usize]) -> Reached {
        Reached {
            state: vec![state],
            from: from.to_vec(),
        }
    }

    #[test]
    fn every_way_is_met_once() {
        let mut history = History::default();
        assert_eq!(history.paths().count(), 0);
        history.push(1, &[reached(1, &[]), reached(2, &[])]);
        assert_eq!(history.paths().count(), 2);
        history.push(2, &[reached(3, &[0, 1]), reached(4, &[1])]);
        history.push(7, &[reached(5, &[0, 1])]);
        let paths: Vec<Vec<u8>> = history.paths().map(|path| path.concat()).collect();
        assert_eq!(paths, [[1, 3, 5], [2, 3, 5], [2, 4, 5]]);
        assert_eq!(history.index_of(7), Some(2));
        assert_eq!(history.index_of(3), None);
    }
}
