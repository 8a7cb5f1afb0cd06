//! The steps of components, computed once for each pair of (shared part, component).
//!
//! Where a model's steps are local ([`LocalSteps`](crate::LocalSteps)), what a component can do in
//! a state follows from two numbers: that of the shared part and its own. So do the invariants over
//! it, and the step properties of its steps. An [`Entry`] holds all of that for one pair, and the
//! successors of a state are those of its pairs, each with one or two of its numbers replaced.
//!
//! When a step changes the shared part, the invariants over every *other* component have to be
//! looked at anew, together with the new shared part. Each entry remembers for which of the shared
//! parts that can come next its component is known to satisfy them (as bits, one for each *edge*
//! from the shared part to another one), so that this takes a look at a few words.
//!
//! Whatever is out of the ordinary (a violation, a panic, a state without successors where that
//! matters, a step that is not local after all) is not decided here: the state is handed to the
//! plain expansion, which knows how to tell it. That also makes both ways agree to the letter.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

use super::store::growing::Growing;
use super::store::key_set::{Full, KeySet};
use super::store::pair_table::Numbering;

/// A table of the memo is full; of which component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FullMemo {
    Entries(usize, Full),
    Holding(usize, Full),
}

/// A step to another shared part or another value of the component, as often as it is possible.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Target {
    /// The number of the shared part after it.
    pub(crate) shared: u32,
    /// The number of the component's value after it.
    pub(crate) own: u32,
    /// The edge from the shared part to the one after it, if they differ.
    pub(crate) edge: u32,
    /// In how many ways.
    pub(crate) ways: u32,
    /// Whether the state after it is inside the constraint.
    pub(crate) within: bool,
}

/// All that follows from a shared part and the value of one component.
#[derive(Debug, Default)]
pub(crate) struct Entry {
    /// Whether the states of this pair need the plain expansion.
    pub(crate) plain: bool,
    /// The steps that this component takes, those left out that change nothing.
    pub(crate) targets: Box<[Target]>,
    /// How many steps of which actions there are, as a number of [`Profiles`].
    pub(crate) profile: u32,
    /// What becomes of this component in each step of component 0; empty if nothing does.
    pub(crate) reactions: Box<[u32]>,
    /// The edges behind which the invariants over this component are known to hold.
    pub(crate) behind: Behind,
}

impl Entry {
    /// An entry that sends its states to the plain expansion.
    pub(crate) fn plain() -> Self {
        Self {
            plain: true,
            ..Self::default()
        }
    }
}

/// A set of edges.
#[derive(Debug, Default)]
pub(crate) struct Behind {
    first: AtomicU64,
    more: OnceLock<Box<[AtomicU64; MORE_WORDS]>>,
}

/// Words of edges beyond the first. A shared part may have more edges than fit: then some answers
/// have to be looked up.
const MORE_WORDS: usize = 15;

impl Behind {
    /// Whether the invariants are known to hold behind `edge`.
    pub(crate) fn holds(&self, edge: u32) -> bool {
        let word = match edge / 64 {
            0 => &self.first,
            word if word as usize <= MORE_WORDS => match self.more.get() {
                Some(more) => &more[word as usize - 1],
                None => return false,
            },
            _ => return false,
        };
        word.load(Ordering::Relaxed) & 1 << (edge % 64) != 0
    }

    /// Remembers that they do.
    pub(crate) fn set_holds(&self, edge: u32) {
        let word = match edge / 64 {
            0 => &self.first,
            word if word as usize <= MORE_WORDS => {
                &self.more.get_or_init(Box::default)[word as usize - 1]
            }
            _ => return,
        };
        word.fetch_or(1 << (edge % 64), Ordering::Relaxed);
    }
}

/// The entries of one component.
struct ComponentMemo {
    numbers: Numbering,
    entries: Growing<OnceLock<Entry>>,
    /// Pairs of which the invariants over this component are known to hold.
    holding: KeySet,
}

/// The memo of a search: nothing in it is needed to go on, all of it can be computed again.
pub(crate) struct StepMemo {
    components: Vec<ComponentMemo>,
    /// The shared parts that can come next, by the number of the shared part.
    edges: Growing<Mutex<Vec<u32>>>,
    pub(crate) profiles: Profiles,
    /// An entry without anything.
    pub(crate) nothing: Entry,
    /// Bytes that entries point to.
    heap: AtomicU64,
}

impl StepMemo {
    pub(crate) fn new(components: usize) -> Self {
        let memo = || ComponentMemo {
            numbers: Numbering::new(),
            entries: Growing::new(),
            holding: KeySet::new(),
        };
        // With one component there is nothing to share, and the memo is not used.
        let components = if components == 1 { 0 } else { components };
        Self {
            components: (0..components).map(|_| memo()).collect(),
            edges: Growing::new(),
            profiles: Profiles::default(),
            nothing: Entry::default(),
            heap: AtomicU64::new(0),
        }
    }

    /// The entry of a pair, if it was computed.
    pub(crate) fn entry(&self, component: usize, pair: u64) -> Option<&Entry> {
        let memo = &self.components[component];
        memo.entries.get(memo.numbers.find(pair)?).get()
    }

    /// Keeps what was computed for a pair; another thread may have been first, with the same.
    pub(crate) fn add(
        &self,
        component: usize,
        pair: u64,
        entry: Entry,
    ) -> Result<&Entry, FullMemo> {
        let memo = &self.components[component];
        let number = memo.numbers.number(pair, |_| {});
        let number = number.map_err(|full| FullMemo::Entries(component, full))?;
        let bytes = size_of_val(&*entry.targets) + size_of_val(&*entry.reactions);
        Ok(memo.entries.get(number).get_or_init(|| {
            self.heap.fetch_add(bytes as u64, Ordering::Relaxed);
            entry
        }))
    }

    /// Whether the invariants over a component are known to hold in states with this pair.
    pub(crate) fn holds(&self, component: usize, pair: u64) -> bool {
        self.components[component].holding.find(pair).is_some()
    }

    /// Remembers that they do.
    pub(crate) fn set_holds(&self, component: usize, pair: u64) -> Result<(), FullMemo> {
        let inserted = self.components[component].holding.insert(pair);
        let full = |full| FullMemo::Holding(component, full);
        inserted.map(|_| ()).map_err(full)
    }

    /// The number of the edge between two shared parts, among those that leave the first.
    pub(crate) fn edge(&self, from: u32, to: u32) -> u32 {
        let edges = self.edges.get(from).lock();
        let mut edges = edges.unwrap_or_else(PoisonError::into_inner);
        let known = edges.iter().position(|known| *known == to);
        known.unwrap_or_else(|| {
            edges.push(to);
            edges.len() - 1
        }) as u32
    }

    pub(crate) fn grow(&mut self, full: FullMemo) {
        match full {
            FullMemo::Entries(component, full) => self.components[component].numbers.grow(full),
            FullMemo::Holding(component, full) => self.components[component].holding.grow(full),
        }
    }

    /// The largest number of entries of a component.
    pub(crate) fn largest(&self) -> u32 {
        let lens = self.components.iter().map(|memo| memo.numbers.len());
        lens.max().unwrap_or(0)
    }

    /// Bytes allocated.
    pub(crate) fn memory(&self) -> u64 {
        let memos = self
            .components
            .iter()
            .map(|memo| memo.numbers.memory() + memo.entries.memory() + memo.holding.memory());
        memos.sum::<u64>() + self.edges.memory() + self.heap.load(Ordering::Relaxed)
    }
}

/// The different sets of steps that entries have, as far as they are counted: how many by which
/// action. There are few, so each is kept once, and states count how often they met which.
pub(crate) struct Profiles {
    known: Mutex<KnownProfiles>,
}

struct KnownProfiles {
    numbers: HashMap<Vec<u32>, u32>,
    /// By number.
    profiles: Vec<Vec<u32>>,
}

/// The profile of an entry without steps.
pub(crate) const NO_STEPS: u32 = 0;

impl Default for Profiles {
    fn default() -> Self {
        Self {
            known: Mutex::new(KnownProfiles {
                numbers: HashMap::from([(Vec::new(), NO_STEPS)]),
                profiles: vec![Vec::new()],
            }),
        }
    }
}

impl Profiles {
    /// The number of a profile: for each action how many steps it makes.
    pub(crate) fn number(&self, counts: &[u32]) -> u32 {
        let end = counts.iter().rposition(|count| *count > 0);
        let counts = &counts[..end.map_or(0, |last| last + 1)];
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let KnownProfiles { numbers, profiles } = &mut *known;
        if let Some(number) = numbers.get(counts) {
            return *number;
        }
        let number = profiles.len() as u32;
        profiles.push(counts.to_vec());
        numbers.insert(counts.to_vec(), number);
        number
    }

    /// Adds up steps by action, given how often each profile was met.
    pub(crate) fn count(&self, met: &[u64], actions: &mut [u64]) {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        for (profile, times) in known.profiles.iter().zip(met) {
            for (sum, count) in actions.iter_mut().zip(profile) {
                *sum += times * u64::from(*count);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn edges_are_remembered_up_to_a_limit_and_none_that_was_not_set() {
        let behind = Behind::default();
        let kept = 64 * (MORE_WORDS as u32 + 1);
        for edge in 0..kept + 100 {
            assert!(!behind.holds(edge));
            behind.set_holds(edge);
            assert_eq!(behind.holds(edge), edge < kept);
        }
    }

    #[test]
    fn profiles_add_up() {
        let profiles = Profiles::default();
        let (a, b) = (profiles.number(&[1, 0, 2]), profiles.number(&[0, 5, 0]));
        assert_eq!(profiles.number(&[1, 0, 2]), a);
        assert_eq!(profiles.number(&[0, 0, 0]), NO_STEPS);
        let mut met = vec![0; 3];
        met[a as usize] = 10;
        met[b as usize] = 100;
        let mut actions = vec![1; 3];
        profiles.count(&met, &mut actions);
        assert_eq!(actions, [11, 501, 21]);
    }
}
