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

/// Told, as the store is filled, how many bytes of the checkpoint are done with; whether to stop.
pub(crate) type Watch<'a> = dyn Fn(&StateStore, u64) -> bool + 'a;

/// Fills an empty store with what a checkpoint holds, unless `watch` says to leave it.
pub(crate) fn restore(
    checkpoint: &Checkpoint,
    store: &mut StateStore,
    watch: &Watch<'_>,
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
    let mut before = 0;
    for entry in &manifest.parts {
        let path = checkpoint.folder.join(&entry.file);
        let watch: &Watch<'_> = &|store, bytes| watch(store, before + bytes);
        if !restore_part(&path, entry, manifest, store, watch)? {
            return Ok(Restored::Stopped(manifest.counts.clone()));
        }
        before += entry.bytes;
    }
    Ok(Restored::Whole(manifest.counts.clone()))
}

/// Adds what one part holds; false if it was stopped on the way.
fn restore_part(
    path: &Path,
    entry: &PartEntry,
    manifest: &Manifest,
    store: &mut StateStore,
    watch: &Watch<'_>,
) -> Result<bool, CheckpointError> {
    let failed = || CheckpointError::io("read", path);
    let damaged = |fault: &str| CheckpointError::damaged(path, fault);
    let levels_file = SpillFile::complete(path);
    let file = File::open(path).map_err(failed())?;
    let mut part = Part {
        reader: BufReader::with_capacity(1 << 20, file),
        offset: 0,
    };
    let mut read = || -> io::Result<Result<bool, CheckpointError>> {
        let mut bytes = Vec::new();
        for values in &store.values {
            for number in 0..part.u64()? {
                if number % STEP == 0 && watch(store, part.offset) {
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
                if number % STEP == 0 && watch(store, part.offset) {
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
                if watch(store, part.offset) {
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

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::manifest::SearchIdentity;
    use super::super::{FORMAT, digest, part};
    use super::*;
    use crate::search::checkpoint::part::Marks;
    use crate::search::store::block::Level;

    /// A store with two levels of states of three components.
    fn store() -> StateStore {
        let mut store = StateStore::new(3, std::env::temp_dir(), u64::MAX);
        for level in 0..2_u8 {
            let mut roots = Vec::new();
            for state in 0..20_u8 {
                let values = [state % 5, state / 5, 9 + level];
                let mut numbers = vec![0; store.tables().trees.shape().values()];
                for (component, value) in values.into_iter().enumerate() {
                    numbers[component] = store.values[component].number(&[value]).0;
                }
                let (root, new) = store.insert(&mut numbers, true);
                assert!(new);
                roots.push(root);
            }
            let mut closed = Level::default();
            closed.push(store.block(&mut roots).unwrap());
            store.close_level(closed).unwrap();
        }
        store
    }

    /// The checkpoint in a folder whose only part has these bytes, which its list agrees with.
    fn sealed(folder: &Path, bytes: &[u8]) -> Checkpoint {
        let file = "000001.part".to_owned();
        fs::write(folder.join(&file), bytes).unwrap();
        let (bytes, sha256) = digest::digest(&folder.join(&file), &|_| ()).unwrap();
        let identity = SearchIdentity {
            model: "m".to_owned(),
            configuration: "c".to_owned(),
            program: "p".to_owned(),
        };
        let mut manifest = Manifest {
            format: FORMAT.to_owned(),
            identity: identity.clone(),
            components: 3,
            counts: Counts {
                levels: vec![20, 20],
                ..Counts::default()
            },
            parts: vec![PartEntry {
                file,
                bytes,
                sha256,
                levels: 2,
            }],
            sha256: String::new(),
        };
        manifest.sha256 = manifest.digest().unwrap();
        let text = serde_json::to_vec(&manifest).unwrap();
        fs::write(folder.join(super::super::MANIFEST), text).unwrap();
        Checkpoint::resume(folder, identity).unwrap()
    }

    /// Restores bytes that all digests agree with: the states, unless they are refused.
    fn restored(folder: &Path, bytes: &[u8]) -> Result<Vec<Vec<u32>>, CheckpointError> {
        let checkpoint = sealed(folder, bytes);
        let mut store = StateStore::new(3, std::env::temp_dir(), u64::MAX);
        restore(&checkpoint, &mut store, &|_, _| false)?;
        let (mut states, mut roots) = (Vec::new(), Vec::new());
        for block in store.levels().iter().flat_map(|level| &level.blocks) {
            block.roots(&mut roots).unwrap();
            for root in &roots {
                let mut numbers = Vec::new();
                store.numbers(*root, &mut numbers);
                for (component, number) in numbers[..3].iter().enumerate() {
                    let mut value = Vec::new();
                    store.values[component].read(*number, &mut value);
                }
                states.push(numbers);
            }
        }
        Ok(states)
    }

    #[test]
    fn no_part_however_forged_is_taken_for_more_than_it_holds() {
        let folder = tempfile::tempdir().unwrap();
        let store = store();
        let mut whole = Vec::new();
        part::write(&mut whole, &store, &Marks::default(), &Marks::of(&store)).unwrap();
        let states = restored(folder.path(), &whole).unwrap();
        assert_eq!(states.len(), 40);
        let mut refused = 0;
        for place in 0..whole.len() {
            for change in [1, 0x40, 0x80, 0xFF] {
                let mut bytes = whole.clone();
                bytes[place] ^= change;
                // Either it is refused, or all states are there and stand for known values.
                match restored(folder.path(), &bytes) {
                    Ok(states) => assert_eq!(states.len(), 40),
                    Err(_) => refused += 1,
                }
            }
        }
        assert!(
            refused > whole.len() * 2,
            "{refused} of {}",
            whole.len() * 4
        );
        for length in 0..whole.len() {
            restored(folder.path(), &whole[..length]).unwrap_err();
        }
        let longer = [&whole[..], &[0]].concat();
        restored(folder.path(), &longer).unwrap_err();
    }
}
