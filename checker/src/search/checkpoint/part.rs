//! What a part of a checkpoint holds, and in which order.
//!
//! All numbers are little-endian.
//!
//! | section | content |
//! |---|---|
//! | values | for each component: `u64` values, then for each `u32` bytes and the bytes |
//! | trees | for each table: `u64` pairs, then each as `u64` |
//! | levels | `u64` levels; for each `u64` blocks; for each `u32` states, `u32` bytes, the bytes |

use std::io::{self, Write};

use crate::search::store::StateStore;
use crate::search::store::pair_table::PairTable;
use crate::search::store::value_table::ValueTable;

/// How much of a store is in a checkpoint.
#[derive(Clone, Debug, Default)]
pub(crate) struct Marks {
    /// By component, how many values each shard holds.
    values: Vec<Vec<u32>>,
    /// By table of the trees, how many pairs it holds.
    pairs: Vec<u32>,
    levels: usize,
}

impl Marks {
    /// All of it, as it is now.
    pub(crate) fn of(store: &StateStore) -> Self {
        let tables = store.tables();
        Self {
            values: store.values.iter().map(ValueTable::marks).collect(),
            pairs: tables.trees.tables().iter().map(PairTable::len).collect(),
            levels: store.levels().len(),
        }
    }

    pub(crate) fn levels(&self) -> usize {
        self.levels
    }
}

/// Writes what `store` got between two marks.
pub(super) fn write(
    out: &mut dyn Write,
    store: &StateStore,
    start: &Marks,
    end: &Marks,
) -> io::Result<()> {
    for (component, values) in store.values.iter().enumerate() {
        let none = Vec::new();
        let start = start.values.get(component).unwrap_or(&none);
        let end = end.values.get(component).unwrap_or(&none);
        let sum = |marks: &[u32]| marks.iter().map(|mark| u64::from(*mark)).sum::<u64>();
        out.write_all(&(sum(end) - sum(start)).to_le_bytes())?;
        values.since(start, end, |value| {
            out.write_all(&(value.len() as u32).to_le_bytes())?;
            out.write_all(value)
        })?;
    }
    let tables = store.tables();
    for (index, table) in tables.trees.tables().iter().enumerate() {
        let start = start.pairs.get(index).copied().unwrap_or(0);
        let end = end.pairs.get(index).copied().unwrap_or(0);
        out.write_all(&u64::from(end - start).to_le_bytes())?;
        for number in start..end {
            out.write_all(&table.pair(number).to_le_bytes())?;
        }
    }
    drop(tables);
    let levels = &store.levels()[start.levels..end.levels];
    out.write_all(&(levels.len() as u64).to_le_bytes())?;
    let mut buffer = Vec::new();
    for level in levels {
        out.write_all(&(level.blocks.len() as u64).to_le_bytes())?;
        for block in &level.blocks {
            let bytes = block.bytes(&mut buffer).map_err(io::Error::other)?;
            out.write_all(&(block.len() as u32).to_le_bytes())?;
            out.write_all(&(bytes.len() as u32).to_le_bytes())?;
            out.write_all(bytes)?;
        }
    }
    Ok(())
}
