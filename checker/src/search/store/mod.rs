//! The visited set: every state once, exactly, in the level that found it.
//!
//! A state is a vector of component values. Each value is kept once, in the [`ValueTable`] of its
//! component (*collapse compression*), and the vector of their numbers is a tree of pairs
//! ([`Trees`], *tree compression*), whose root is all that is stored of a state: eight bytes in a
//! set ([`KeySet`]), and some two to four more in the level that found it ([`Block`]). A model that
//! names no components has one; then its value's number is the root, and no set is needed.
//!
//! Numbers depend on who found a value first. They are never part of a result.

pub(crate) mod block;
mod frozen;
pub(crate) mod growing;
pub(crate) mod key_set;
pub(crate) mod pair_table;
pub(crate) mod spill;
pub(crate) mod tree;
pub(crate) mod value_table;

use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard};

use super::local::{FullMemo, StepMemo};
use block::{BLOCK, Block, Level};
pub(crate) use frozen::FrozenStore;
use key_set::{BATCH, Full, KeySet};
use spill::{SpillFile, StorageError};
use tree::{Changed, FullTable, Trees};
use value_table::ValueTable;

/// A table has no room; growing it takes a moment in which nobody else uses any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NoRoom {
    Trees(FullTable),
    Roots(Full),
    Memo(FullMemo),
}

impl From<FullTable> for NoRoom {
    fn from(full: FullTable) -> Self {
        Self::Trees(full)
    }
}

/// What grows while the search goes on, and only while no thread looks at it.
pub(crate) struct Tables {
    pub(crate) trees: Trees,
    pub(crate) roots: KeySet,
    pub(crate) memo: StepMemo,
}

impl Tables {
    fn grow(&mut self, full: NoRoom) {
        match full {
            NoRoom::Trees(full) => self.trees.grow(full),
            NoRoom::Roots(full) => self.roots.grow(full),
            NoRoom::Memo(full) => self.memo.grow(full),
        }
    }
}

/// The set of all states found so far, by level.
pub(crate) struct StateStore {
    components: usize,
    /// By component.
    pub(crate) values: Vec<ValueTable>,
    tables: RwLock<Tables>,
    /// Threads that wait for everybody else to give the tables back.
    growing: AtomicUsize,
    /// The closed levels, the initial states first.
    levels: Vec<Level>,
    /// Bytes of all levels' blocks in memory.
    level_memory: AtomicU64,
    spilling: Spilling,
}

/// Where levels go that memory does not hold.
struct Spilling {
    folder: PathBuf,
    /// Bytes of levels that are kept in memory.
    budget: u64,
    file: Mutex<Option<Arc<SpillFile>>>,
    /// Levels that have gone there as a whole.
    levels: usize,
}

impl Spilling {
    fn file(&self) -> Result<Arc<SpillFile>, StorageError> {
        let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = &*file {
            return Ok(Arc::clone(file));
        }
        let new = SpillFile::temporary(&self.folder)?;
        *file = Some(Arc::clone(&new));
        Ok(new)
    }
}

impl StateStore {
    /// An empty store for states of so many components; of levels it keeps `budget` bytes in
    /// memory, the rest in `folder`.
    pub(crate) fn new(components: usize, folder: PathBuf, budget: u64) -> Self {
        Self {
            components,
            values: (0..components).map(|_| ValueTable::new()).collect(),
            tables: RwLock::new(Tables {
                trees: Trees::new(components),
                roots: KeySet::new(),
                memo: StepMemo::new(components),
            }),
            growing: AtomicUsize::new(0),
            levels: Vec::new(),
            level_memory: AtomicU64::new(0),
            spilling: Spilling {
                folder,
                budget,
                file: Mutex::default(),
                levels: 0,
            },
        }
    }

    /// The tables, for reading and adding; [`grow`](Self::grow) waits until they are given back.
    pub(crate) fn tables(&self) -> RwLockReadGuard<'_, Tables> {
        self.tables.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes room in a table that had none. The caller holds no [`tables`](Self::tables).
    pub(crate) fn grow(&self, full: NoRoom) {
        self.growing.fetch_add(1, Ordering::Relaxed);
        let tables = self.tables.write();
        tables.unwrap_or_else(PoisonError::into_inner).grow(full);
        self.growing.fetch_sub(1, Ordering::Relaxed);
    }

    /// Whether somebody waits for the [`tables`](Self::tables): whoever holds them for long gives
    /// them back then.
    pub(crate) fn is_growing(&self) -> bool {
        self.growing.load(Ordering::Relaxed) > 0
    }

    /// Adds the state of these component numbers to the level being discovered: its root, and
    /// whether it is new. With one component the state is new if its value is.
    pub(crate) fn insert(&self, values: &mut [u32], new_value: bool) -> (u64, bool) {
        if self.components == 1 {
            return (u64::from(values[0]), new_value);
        }
        loop {
            let tables = self.tables();
            let inserted = tables
                .trees
                .root(values, Changed::MAX)
                .map_err(NoRoom::from)
                .and_then(|root| {
                    let (_, new) = tables.roots.insert(root).map_err(NoRoom::Roots)?;
                    Ok((root, new))
                });
            drop(tables);
            match inserted {
                Ok(found) => return found,
                Err(full) => self.grow(full),
            }
        }
    }

    /// The component numbers of the state with this root, at the front of `values`.
    pub(crate) fn numbers(&self, root: u64, values: &mut Vec<u32>) {
        if self.components == 1 {
            values.clear();
            values.push(root as u32);
            return;
        }
        let tables = self.tables();
        values.resize(tables.trees.shape().values(), 0);
        tables.trees.values(root, values);
    }

    /// Ends the level being discovered: `level` is what was added since the last call.
    pub(crate) fn close_level(&mut self, level: Level) -> Result<(), StorageError> {
        self.levels.push(level);
        if self.level_memory.load(Ordering::Relaxed) <= self.spilling.budget {
            return Ok(());
        }
        // The frontier is read next; what lies behind it perhaps never.
        let behind = self.levels.len() - 1;
        let first = std::mem::replace(&mut self.spilling.levels, behind);
        for level in &mut self.levels[first..behind] {
            for block in &mut level.blocks {
                let memory = block.memory();
                if memory > 0 {
                    block.spill(&self.spilling.file()?)?;
                    self.level_memory.fetch_sub(memory, Ordering::Relaxed);
                }
            }
        }
        Ok(())
    }

    /// A block of these states, on disk if memory has no room for it.
    pub(crate) fn block(&self, roots: &mut [u64]) -> Result<Block, StorageError> {
        let mut block = Block::of(roots);
        let memory = block.memory();
        if self.level_memory.fetch_add(memory, Ordering::Relaxed) + memory > self.spilling.budget {
            block.spill(&self.spilling.file()?)?;
            self.level_memory.fetch_sub(memory, Ordering::Relaxed);
        }
        Ok(block)
    }

    /// Adds a pair that a table had in another run, in the order of its numbers. False if it was
    /// there before, or is none of known numbers.
    pub(crate) fn restore_pair(&self, table: usize, pair: u64) -> bool {
        loop {
            let tables = self.tables();
            let trees = &tables.trees;
            let known = trees.knows(table, pair, |part, number| self.values[part].has(number));
            let before = trees.tables()[table].len();
            let number = trees.pair_number(table, pair);
            drop(tables);
            match number {
                Ok(number) => return known && number == before,
                Err(full) => self.grow(full.into()),
            }
        }
    }

    /// Adds states of another run. False if one was there before, or is none of known numbers.
    pub(crate) fn restore_roots(&self, roots: &[u64]) -> bool {
        let mut done = 0;
        loop {
            let restored = self.restore_until_full(&self.tables(), roots, &mut done);
            match restored {
                Ok(all) => return all,
                Err(full) => self.grow(full),
            }
        }
    }

    /// Adds states from the one with the index `done` on, which is counted up, until a table has no
    /// room.
    fn restore_until_full(
        &self,
        tables: &Tables,
        roots: &[u64],
        done: &mut usize,
    ) -> Result<bool, NoRoom> {
        let trees = &tables.trees;
        let top = trees.tables().len();
        let known = |root| trees.knows(top, root, |part, number| self.values[part].has(number));
        for batch in roots[*done..].chunks(BATCH) {
            tables.roots.touch(batch.iter().copied());
            for root in batch {
                let new = match self.components {
                    1 => u32::try_from(*root).is_ok(),
                    _ => tables.roots.insert(*root).map_err(NoRoom::Roots)?.1,
                };
                if !new || !known(*root) {
                    return Ok(false);
                }
                *done += 1;
            }
        }
        Ok(true)
    }

    /// Adds a level of another run whose states were restored.
    pub(crate) fn restore_level(&mut self, level: Level) {
        self.levels.push(level);
    }

    /// The closed levels, the initial states first.
    pub(crate) fn levels(&self) -> &[Level] {
        &self.levels
    }

    /// Bytes allocated.
    pub(crate) fn memory(&self) -> u64 {
        let tables = self.tables();
        let values: u64 = self.values.iter().map(ValueTable::memory).sum();
        values
            + tables.trees.memory()
            + tables.roots.memory()
            + tables.memo.memory()
            + self.level_memory.load(Ordering::Relaxed)
    }

    /// Bytes written to disk.
    pub(crate) fn disk(&self) -> u64 {
        let file = self.spilling.file.lock();
        let file = file.unwrap_or_else(PoisonError::into_inner);
        file.as_ref().map_or(0, |file| file.len())
    }

    /// Whether the 32-bit numbers of some table are nearly used up: a search must not go on then.
    pub(crate) fn is_used_up(&self) -> bool {
        // What all threads together add before they look again is far less than this.
        const REST: u32 = 1 << 26;
        let most = u32::MAX - REST;
        let tables = self.tables();
        let mut trees = tables.trees.tables().iter();
        // The numbers of values have 64 shards side by side, of which one may be a little fuller.
        self.values
            .iter()
            .any(|values| values.len() > u64::from(most))
            || trees.any(|table| table.len() > most)
            || tables.memo.largest() > most
    }
}

/// The states that one thread adds to a level, made into blocks as they come.
///
/// States with the same shared part are put beside each other (roughly: their shared parts fall
/// into so many groups), since they take the same steps.
pub(crate) struct Discovered {
    groups: Vec<Group>,
}

#[derive(Default)]
struct Group {
    pending: Vec<u64>,
    blocks: Vec<Block>,
}

impl Discovered {
    /// Nothing discovered yet, to be kept in so many groups (at least 1).
    pub(crate) fn in_groups(groups: usize) -> Self {
        Self {
            groups: (0..groups).map(|_| Group::default()).collect(),
        }
    }

    /// Adds a state with this shared part.
    pub(crate) fn push(
        &mut self,
        store: &StateStore,
        shared: u32,
        root: u64,
    ) -> Result<(), StorageError> {
        let number = shared as usize % self.groups.len();
        let group = &mut self.groups[number];
        group.pending.push(root);
        if group.pending.len() == BLOCK {
            group.flush(store)?;
        }
        Ok(())
    }

    /// The level that several threads discovered together.
    pub(crate) fn into_level(parts: Vec<Self>, store: &StateStore) -> Result<Level, StorageError> {
        let mut level = Level::default();
        let mut parts = parts;
        let groups = parts.iter().map(|part| part.groups.len()).max();
        let mut rest = Vec::new();
        for number in 0..groups.unwrap_or(0) {
            for part in &mut parts {
                if let Some(group) = part.groups.get_mut(number) {
                    group.blocks.drain(..).for_each(|block| level.push(block));
                    rest.append(&mut group.pending);
                }
                while rest.len() >= BLOCK {
                    let full = rest.len() - BLOCK;
                    level.push(store.block(&mut rest[full..])?);
                    rest.truncate(full);
                }
            }
        }
        if !rest.is_empty() {
            level.push(store.block(&mut rest)?);
        }
        Ok(level)
    }
}

impl Group {
    fn flush(&mut self, store: &StateStore) -> Result<(), StorageError> {
        self.blocks.push(store.block(&mut self.pending)?);
        self.pending.clear();
        Ok(())
    }
}
