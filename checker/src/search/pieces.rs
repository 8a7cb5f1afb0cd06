//! A level in pieces, for threads that expand it together.

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use super::store::block::Level;
use super::store::spill::StorageError;

/// A level cut into pieces that threads take one by one.
pub(super) struct Pieces<'l> {
    level: &'l Level,
    size: usize,
    /// Pieces up to and with each block.
    ends: Vec<usize>,
    taken: AtomicUsize,
}

impl<'l> Pieces<'l> {
    /// The pieces of a level, of at most so many states each.
    pub(super) fn of(level: &'l Level, size: usize) -> Self {
        let mut pieces = 0;
        let ends = level.blocks.iter().map(|block| {
            pieces += block.len().div_ceil(size);
            pieces
        });
        Self {
            level,
            size,
            ends: ends.collect(),
            taken: AtomicUsize::new(0),
        }
    }

    /// The states of the next piece; `roots` is for those of its block.
    pub(super) fn next<'r>(
        &self,
        roots: &'r mut Vec<u64>,
    ) -> Result<Option<&'r [u64]>, StorageError> {
        let piece = self.taken.fetch_add(1, Relaxed);
        let number = self.ends.partition_point(|end| *end <= piece);
        let Some(block) = self.level.blocks.get(number) else {
            return Ok(None);
        };
        let first = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        block.roots(roots)?;
        let start = (piece - first) * self.size;
        let end = roots.len().min(start + self.size);
        Ok(Some(&roots[start..end]))
    }
}
