//! The states of both graphs, each stored once and known by a number.

use std::collections::BTreeMap;

use ahash::RandomState;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;

/// The number of a state.
pub(crate) type StateId = u32;

/// States as their canonical bytes, back to back in the order of their numbers.
///
/// Hashes only find candidates, the bytes decide: no two states are taken for one.
pub(crate) struct StateTable {
    bytes: Vec<u8>,
    ends: Vec<u64>,
    index: HashTable<StateId>,
    hasher: RandomState,
    /// TLC's states that are none of the model's, by number, and why. Their bytes are TLA+ text,
    /// and the index does not have them, so that no state of the model is ever taken for one.
    strangers: BTreeMap<StateId, String>,
}

impl StateTable {
    pub(crate) fn new() -> Self {
        Self {
            bytes: Vec::new(),
            ends: Vec::new(),
            index: HashTable::new(),
            // Fixed keys: a hash is never part of a result, yet a run should repeat its timing.
            hasher: RandomState::with_seeds(59, 61, 67, 71),
            strangers: BTreeMap::new(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The canonical bytes of a state, or the text of a stranger.
    pub(crate) fn bytes(&self, id: StateId) -> &[u8] {
        slice(&self.bytes, &self.ends, id)
    }

    /// The number of the state, if it is known.
    pub(crate) fn find(&self, state: &[u8]) -> Option<StateId> {
        let hash = self.hasher.hash_one(state);
        self.index
            .find(hash, |id| self.bytes(*id) == state)
            .copied()
    }

    /// The number of the state, a new one if it was not known.
    pub(crate) fn intern(&mut self, state: &[u8]) -> StateId {
        let Self {
            bytes,
            ends,
            index,
            hasher,
            ..
        } = self;
        let entry = index.entry(
            hasher.hash_one(state),
            |id| slice(bytes, ends, *id) == state,
            |id| hasher.hash_one(slice(bytes, ends, *id)),
        );
        match entry {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(free) => {
                // The limit on the size of graphs keeps numbers within their type.
                let id = ends.len() as StateId;
                free.insert(id);
                self.append(state);
                id
            }
        }
    }

    /// A number for a state of TLC's that is none of the model's, for this reason.
    pub(crate) fn add_stranger(&mut self, text: &str, reason: String) -> StateId {
        let id = self.ends.len() as StateId;
        self.append(text.as_bytes());
        self.strangers.insert(id, reason);
        id
    }

    /// Why the state is none of the model's, if it is none.
    pub(crate) fn stranger(&self, id: StateId) -> Option<&str> {
        self.strangers.get(&id).map(String::as_str)
    }

    /// All strangers.
    pub(crate) fn strangers(&self) -> impl Iterator<Item = StateId> {
        self.strangers.keys().copied()
    }

    fn append(&mut self, state: &[u8]) {
        self.bytes.extend_from_slice(state);
        self.ends.push(self.bytes.len() as u64);
    }
}

fn slice<'b>(bytes: &'b [u8], ends: &[u64], id: StateId) -> &'b [u8] {
    let index = id as usize;
    let start = if index == 0 {
        0
    } else {
        ends[index - 1] as usize
    };
    &bytes[start..ends[index] as usize]
}

#[cfg(test)]
mod tests {
    use super::StateTable;

    #[test]
    fn a_state_keeps_its_number_while_the_table_grows() {
        let mut table = StateTable::new();
        let ids: Vec<_> = (0..5000_u32)
            .map(|n| table.intern(n.to_string().as_bytes()))
            .collect();
        for (n, id) in ids.iter().enumerate() {
            assert_eq!(table.find(n.to_string().as_bytes()), Some(*id));
            assert_eq!(table.intern(n.to_string().as_bytes()), *id);
            assert_eq!(table.bytes(*id), n.to_string().as_bytes());
        }
        assert_eq!(table.len(), 5000);
    }

    #[test]
    fn a_stranger_is_never_found_by_its_text() {
        let mut table = StateTable::new();
        let empty = table.intern(b"");
        let stranger = table.add_stranger("/\\ n = 1", "no".to_owned());
        assert_eq!(table.find(b"/\\ n = 1"), None);
        assert_ne!(table.intern(b"/\\ n = 1"), stranger);
        assert_eq!(table.intern(b""), empty);
        assert_eq!(table.stranger(stranger), Some("no"));
        assert_eq!(table.stranger(empty), None);
    }
}
