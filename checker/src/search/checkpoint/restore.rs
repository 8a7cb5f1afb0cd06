//! From the parts of a verified checkpoint back to a store.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::Path;

use super::manifest::{Counts, Manifest, PartEntry};
use super::{Checkpoint, CheckpointError};
use crate::search::store::StateStore;
use crate::search::store::block::{Block, Level, decode};
use crate::search::store::spill::SpillFile;

/// What became of restoring.
pub(crate) enum Restored {
    /// The checkpoint holds nothing yet.
    Nothing,
    /// All of it; what was counted.
    Whole(Counts),
    /// Only a part of it, since the search was stopped; what was counted when it was written.
    Stopped(Counts),
}

/// Items that are restored between two looks at whether to stop.
const STEP: u64 = 4096;

/// Fills an empty store with what a checkpoint holds, unless `stop` says to leave it.
pub(crate) fn restore(
    checkpoint: &Checkpoint,
    store: &mut StateStore,
    stop: &dyn Fn(&StateStore) -> bool,
) -> Result<Restored, CheckpointError> {
    let Some(manifest) = &checkpoint.manifest else {
        return Ok(Restored::Nothing);
    };
    if manifest.components != store.values.len() {
        return Err(CheckpointError::Other {
            path: checkpoint.folder.join(super::MANIFEST),
            what: "the number of components of a state",
            found: manifest.components.to_string(),
            expected: store.values.len().to_string(),
        });
    }
    for entry in &manifest.parts {
        let path = checkpoint.folder.join(&entry.file);
        if !restore_part(&path, entry, manifest, store, stop)? {
            return Ok(Restored::Stopped(manifest.counts.clone()));
        }
    }
    Ok(Restored::Whole(manifest.counts.clone()))
}

/// Adds what one part holds; false if it was stopped on the way.
fn restore_part(
    path: &Path,
    entry: &PartEntry,
    manifest: &Manifest,
    store: &mut StateStore,
    stop: &dyn Fn(&StateStore) -> bool,
) -> Result<bool, CheckpointError> {
    let failed = || CheckpointError::io("read", path);
    let damaged = |fault: &str| CheckpointError::damaged(path, fault);
    let open = || File::open(path);
    let levels_file = SpillFile::complete(open().map_err(failed())?, path);
    let mut part = Part {
        reader: BufReader::with_capacity(1 << 20, open().map_err(failed())?),
        offset: 0,
    };
    let mut read = || -> io::Result<Result<bool, CheckpointError>> {
        let mut bytes = Vec::new();
        for values in &store.values {
            for number in 0..part.u64()? {
                if number % STEP == 0 && stop(store) {
                    return Ok(Ok(false));
                }
                let length = part.u32()?;
                part.bytes(length, &mut bytes)?;
                if !values.restore(&bytes) {
                    return Ok(Err(damaged("a value occurs in it a second time")));
                }
            }
        }
        // Not in the loop's head: growing a table waits until nobody holds them.
        let tables = store.tables().trees.tables().len();
        for table in 0..tables {
            for number in 0..part.u64()? {
                if number % STEP == 0 && stop(store) {
                    return Ok(Ok(false));
                }
                if !store.restore_pair(table, part.u64()?) {
                    return Ok(Err(damaged("a pair occurs in it a second time")));
                }
            }
        }
        let levels = part.u64()?;
        if levels != entry.levels as u64 {
            return Ok(Err(damaged("it holds another number of levels")));
        }
        let mut roots = Vec::new();
        for _ in 0..levels {
            let mut level = Level::default();
            for _ in 0..part.u64()? {
                if stop(store) {
                    return Ok(Ok(false));
                }
                let (states, length) = (part.u32()?, part.u32()?);
                let offset = part.offset;
                part.bytes(length, &mut bytes)?;
                roots.clear();
                if !decode(&bytes, &mut roots) || roots.len() != states as usize {
                    return Ok(Err(damaged("a block of states is not whole")));
                }
                if !store.restore_roots(&roots) {
                    return Ok(Err(damaged("it holds a state twice, or one that is none")));
                }
                let file = std::sync::Arc::clone(&levels_file);
                level.push(Block::in_file(states, &bytes, file, offset));
            }
            let number = store.levels().len();
            if manifest.counts.levels.get(number) != Some(&level.len()) {
                return Ok(Err(damaged("a level has another number of states")));
            }
            store.restore_level(level);
        }
        if part.offset != entry.bytes {
            return Ok(Err(damaged("there is more in it than expected")));
        }
        Ok(Ok(true))
    };
    read().map_err(failed())?
}

/// A part as it is read.
struct Part<R> {
    reader: R,
    offset: u64,
}

impl<R: Read> Part<R> {
    fn array<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.reader.read_exact(&mut bytes)?;
        self.offset += N as u64;
        Ok(bytes)
    }

    fn u64(&mut self) -> io::Result<u64> {
        Ok(u64::from_le_bytes(self.array()?))
    }

    fn u32(&mut self) -> io::Result<u32> {
        Ok(u32::from_le_bytes(self.array()?))
    }

    /// Reads so many bytes; no more is allocated than there is.
    fn bytes(&mut self, length: u32, bytes: &mut Vec<u8>) -> io::Result<()> {
        bytes.clear();
        let length = u64::from(length);
        let read = (&mut self.reader).take(length).read_to_end(bytes)?;
        self.offset += length;
        if (read as u64) < length {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        Ok(())
    }
}
