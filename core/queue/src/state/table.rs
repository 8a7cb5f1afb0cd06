//! Maps that can take back what was done to them since a commit was begun.
//!
//! A commit is applied in place, because that costs what it touches and nothing else. If it is refused
//! half-way, what it did is undone: each change notes what was there before.

use std::borrow::Borrow;
use std::collections::{BTreeMap, HashMap, btree_map, hash_map};
use std::hash::Hash;
use std::ops::RangeBounds;

/// What was there before each change, the last change last; nothing is noted outside of a commit.
#[derive(Clone, Debug)]
struct Journal<K, V> {
    changes: Vec<(K, Option<V>)>,
    is_open: bool,
}

impl<K, V> Default for Journal<K, V> {
    fn default() -> Self {
        Self {
            changes: Vec::new(),
            is_open: false,
        }
    }
}

impl<K, V> Journal<K, V> {
    fn note(&mut self, key: K, before: Option<V>) {
        if self.is_open {
            self.changes.push((key, before));
        }
    }
}

macro_rules! tables {
    ($($(#[$doc:meta])* $name:ident: $inner:ident, $($bound:path),+;)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Debug)]
        pub(crate) struct $name<K, V> {
            map: $inner<K, V>,
            journal: Journal<K, V>,
        }

        impl<K, V> Default for $name<K, V> {
            fn default() -> Self {
                Self { map: $inner::default(), journal: Journal::default() }
            }
        }

        impl<K: Clone $(+ $bound)+, V> $name<K, V> {
            pub(crate) fn insert(&mut self, key: K, value: V) {
                let before = self.map.insert(key.clone(), value);
                self.journal.note(key, before);
            }

            pub(crate) fn remove(&mut self, key: &K) {
                if let Some(before) = self.map.remove(key) {
                    self.journal.note(key.clone(), Some(before));
                }
            }

            /// Begins to note changes.
            pub(crate) fn begin(&mut self) {
                self.journal.is_open = true;
            }

            /// Ends a commit; its changes are kept, or undone from the last to the first.
            pub(crate) fn end(&mut self, keep: bool) {
                self.journal.is_open = false;
                for (key, before) in self.journal.changes.drain(..).rev() {
                    match before {
                        _ if keep => {}
                        Some(before) => {
                            self.map.insert(key, before);
                        }
                        None => {
                            self.map.remove(&key);
                        }
                    }
                }
            }
        }
    )*};
}

tables! {
    /// A map in no order.
    Table: HashMap, Hash, Eq;
    /// A map in the order of its keys.
    OrderedTable: BTreeMap, Ord;
}

impl<K: Clone + Hash + Eq, V> Table<K, V> {
    pub(crate) fn get<Q: ?Sized + Hash + Eq>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.map.get(key)
    }

    pub(crate) fn contains_key<Q: ?Sized + Hash + Eq>(&self, key: &Q) -> bool
    where
        K: Borrow<Q>,
    {
        self.map.contains_key(key)
    }

    pub(crate) fn iter(&self) -> hash_map::Iter<'_, K, V> {
        self.map.iter()
    }

    pub(crate) fn keys(&self) -> hash_map::Keys<'_, K, V> {
        self.map.keys()
    }

    pub(crate) fn clear(&mut self) {
        for (key, before) in self.map.drain() {
            self.journal.note(key, Some(before));
        }
    }
}

impl<K: Clone + Ord, V> OrderedTable<K, V> {
    pub(crate) fn range(&self, range: impl RangeBounds<K>) -> btree_map::Range<'_, K, V> {
        self.map.range(range)
    }

    pub(crate) fn values(&self) -> btree_map::Values<'_, K, V> {
        self.map.values()
    }
}
