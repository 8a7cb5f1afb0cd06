//! The states of a level, in blocks that take few bytes.
//!
//! A block holds the roots of some states, sorted, each as its distance from the one before in
//! base 128. Levels are kept to the end: a counterexample is rebuilt from them, backwards.

use std::sync::Arc;

use super::spill::{SpillFile, StorageError};

/// The most states of a block: small enough that a level of some thousand keeps all cores busy.
pub(crate) const BLOCK: usize = 4096;

/// Some states of one level.
#[derive(Debug)]
pub(crate) struct Block {
    len: u32,
    data: Data,
}

#[derive(Debug)]
enum Data {
    Memory(Box<[u8]>),
    File {
        file: Arc<SpillFile>,
        offset: u64,
        bytes: u32,
        /// Of the bytes, so that a changed file is noticed.
        check: u64,
    },
}

impl Block {
    /// A block of these states, in memory; `roots` is sorted for it.
    pub(crate) fn of(roots: &mut [u64]) -> Self {
        roots.sort_unstable();
        let mut bytes = Vec::with_capacity(roots.len() * 4);
        let mut last = 0;
        for root in roots.iter() {
            let mut distance = *root - last;
            last = *root;
            while distance >= 0x80 {
                bytes.push(distance as u8 | 0x80);
                distance >>= 7;
            }
            bytes.push(distance as u8);
        }
        Self {
            len: roots.len() as u32,
            data: Data::Memory(bytes.into_boxed_slice()),
        }
    }

    /// A block whose bytes stand in a file.
    pub(crate) fn in_file(len: u32, bytes: &[u8], file: Arc<SpillFile>, offset: u64) -> Self {
        Self {
            len,
            data: Data::File {
                file,
                offset,
                bytes: bytes.len() as u32,
                check: check(bytes),
            },
        }
    }

    /// The number of states.
    pub(crate) fn len(&self) -> usize {
        self.len as usize
    }

    /// Bytes that the block takes in memory, as far as they could be elsewhere.
    pub(crate) fn memory(&self) -> u64 {
        match &self.data {
            Data::Memory(bytes) => bytes.len() as u64,
            Data::File { .. } => 0,
        }
    }

    /// The block's bytes, read into `buffer` if they stand in a file.
    pub(crate) fn bytes<'b>(&'b self, buffer: &'b mut Vec<u8>) -> Result<&'b [u8], StorageError> {
        match &self.data {
            Data::Memory(bytes) => Ok(bytes),
            Data::File {
                file,
                offset,
                bytes,
                check: expected,
            } => {
                buffer.resize(*bytes as usize, 0);
                file.read_at(buffer, *offset)?;
                if check(buffer) != *expected {
                    return Err(file.changed());
                }
                Ok(buffer)
            }
        }
    }

    /// The states, in ascending order.
    pub(crate) fn roots(&self, roots: &mut Vec<u64>) -> Result<(), StorageError> {
        let mut buffer = Vec::new();
        let bytes = self.bytes(&mut buffer)?;
        roots.clear();
        let whole = decode(bytes, roots) && roots.len() == self.len();
        match &self.data {
            Data::File { file, .. } if !whole => Err(file.changed()),
            _ => Ok(()),
        }
    }

    /// Moves the block's bytes to the end of a file, if they are not in one.
    pub(crate) fn spill(&mut self, file: &Arc<SpillFile>) -> Result<(), StorageError> {
        if let Data::Memory(bytes) = &self.data {
            let offset = file.append(bytes)?;
            *self = Self::in_file(self.len, bytes, Arc::clone(file), offset);
        }
        Ok(())
    }
}

/// Appends the numbers that `bytes` stand for; whether `bytes` are whole.
pub(crate) fn decode(bytes: &[u8], roots: &mut Vec<u64>) -> bool {
    let mut last = 0_u64;
    let mut distance = 0_u64;
    let mut shift = 0;
    for byte in bytes {
        if shift > 63 {
            return false;
        }
        distance |= u64::from(byte & 0x7F) << shift;
        if byte & 0x80 == 0 {
            last = last.wrapping_add(distance);
            roots.push(last);
            (distance, shift) = (0, 0);
        } else {
            shift += 7;
        }
    }
    shift == 0
}

fn check(bytes: &[u8]) -> u64 {
    ahash::RandomState::with_seeds(2, 3, 5, 7).hash_one(bytes)
}

/// The states of one level.
#[derive(Debug, Default)]
pub(crate) struct Level {
    pub(crate) blocks: Vec<Block>,
    len: u64,
}

impl Level {
    /// A level without states.
    pub(crate) const EMPTY: Self = Self {
        blocks: Vec::new(),
        len: 0,
    };

    pub(crate) fn push(&mut self, block: Block) {
        self.len += block.len() as u64;
        self.blocks.push(block);
    }

    /// The number of states.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// Bytes of the blocks that are in memory.
    pub(crate) fn memory(&self) -> u64 {
        self.blocks.iter().map(Block::memory).sum()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn a_block_gives_back_its_states_in_order(
            mut states in proptest::collection::vec(any::<u64>(), 0..300),
        ) {
            let file = SpillFile::temporary(&std::env::temp_dir()).unwrap();
            let mut block = Block::of(&mut states);
            for _ in 0..2 {
                let mut back = Vec::new();
                block.roots(&mut back).unwrap();
                prop_assert_eq!(&back, &states);
                block.spill(&file).unwrap();
                prop_assert_eq!(block.memory(), 0);
            }
        }

        #[test]
        fn no_bytes_make_decoding_fail_otherwise_than_by_saying_so(
            bytes in proptest::collection::vec(any::<u8>(), 0..100),
        ) {
            decode(&bytes, &mut Vec::new());
        }
    }

    #[test]
    fn a_file_that_was_changed_or_cut_under_us_is_noticed_and_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("levels");
        let block = Block::of(&mut (0..1000).map(|n| n * n).collect::<Vec<_>>());
        let bytes = block.bytes(&mut Vec::new()).unwrap().to_vec();
        let mut changed = bytes.clone();
        changed[500] ^= 1;
        for written in [&changed[..], &bytes[..900], &bytes[..]] {
            std::fs::write(&path, written).unwrap();
            let file = SpillFile::complete(&path);
            let block = Block::in_file(1000, &bytes, file, 0);
            let found = block.roots(&mut Vec::new());
            if written == bytes {
                found.unwrap();
            } else {
                let error = found.unwrap_err().to_string();
                assert!(error.contains("levels was changed"), "{error}");
            }
        }
    }
}
