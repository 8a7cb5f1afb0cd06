//! The visited set of a finished search, to be read without locks.

use super::StateStore;
use super::block::Level;
use super::spill::StorageError;
use super::value_table::FrozenValues;

/// All states of a finished search whose states have one component.
pub(crate) struct FrozenStore {
    values: FrozenValues,
    levels: Vec<Level>,
    level_memory: u64,
}

impl StateStore {
    /// The finished set, or none if the states have several components: graphs are made of whole
    /// states.
    pub(crate) fn freeze(mut self) -> Option<FrozenStore> {
        let values = self.values.pop().filter(|_| self.values.is_empty())?;
        Some(FrozenStore {
            values: values.freeze(),
            level_memory: self.levels.iter().map(Level::memory).sum(),
            levels: self.levels,
        })
    }
}

impl FrozenStore {
    /// The number of states.
    pub(crate) fn len(&self) -> usize {
        self.levels.iter().map(|level| level.len() as usize).sum()
    }

    /// An upper bound of the states' numbers.
    pub(crate) fn slots(&self) -> usize {
        self.values.slots()
    }

    /// The encoding of a state.
    pub(crate) fn get(&self, number: u32) -> &[u8] {
        self.values.get(number)
    }

    /// The number of a state, if it is in the set.
    pub(crate) fn find(&self, state: &[u8]) -> Option<u32> {
        self.values.find(state)
    }

    /// The numbers of the states of each level, the initial ones first.
    pub(crate) fn levels(&self) -> impl Iterator<Item = Result<Vec<u32>, StorageError>> {
        self.levels.iter().map(|level| {
            let mut numbers = Vec::with_capacity(level.len() as usize);
            let mut roots = Vec::new();
            for block in &level.blocks {
                block.roots(&mut roots)?;
                numbers.extend(roots.iter().map(|root| *root as u32));
            }
            Ok(numbers)
        })
    }

    /// Bytes allocated.
    pub(crate) fn memory(&self) -> u64 {
        self.values.memory() + self.level_memory
    }
}
