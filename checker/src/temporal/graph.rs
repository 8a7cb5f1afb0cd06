//! The complete state graph of an exhausted search, as far as fairness needs it.
//!
//! States are numbered by *rank*: by level, and within a level by their bytes. Ranks do not depend
//! on who found a state first, so neither does anything that is chosen by the least rank.
//!
//! Only steps that change the state are kept: stuttering is always possible, and fairness counts
//! nothing else. A step takes six bytes (a target and a label of fairness conditions), a state 14
//! and its encoding.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use plumb_tla::Value;
use rayon::ThreadPool;
use rayon::iter::{IntoParallelIterator, ParallelIterator};
use rayon::slice::ParallelSliceMut;

use super::fairness::{Fairness, Strength};
use crate::model::CheckedModel;
use crate::search::store::FrozenStore;
use crate::search::store::spill::StorageError;

/// A set of fairness conditions, one bit each.
pub(crate) type Conditions = u64;

/// States whose successors are computed together.
const CHUNK: usize = 4096;

/// Why there is no graph.
#[derive(Clone, Debug)]
pub(crate) enum GraphError {
    /// States could not be read back.
    Storage(StorageError),
    /// The model's code failed, or does not repeat what it did.
    Model(String),
    /// There are more fairness conditions than can be told apart.
    TooManyConditions,
    /// The user or a budget asked for the end.
    Stopped,
}

/// The graph over ranks.
pub(crate) struct StateGraph {
    store: FrozenStore,
    /// Each state's number in the store.
    slots: Vec<u32>,
    /// Where each level ends.
    level_ends: Vec<u32>,
    /// Where each state's steps end.
    step_ends: Vec<u64>,
    targets: Vec<u32>,
    labels: Vec<u16>,
    /// The conditions whose action is enabled, as a label.
    enabled: Vec<u16>,
    /// What a label stands for.
    sets: Vec<Conditions>,
    /// The conditions that are owed weakly, and strongly.
    pub(crate) weak: Conditions,
    pub(crate) strong: Conditions,
    /// The bits of all conditions, in the order of the specification.
    pub(crate) conditions: Vec<Conditions>,
}

/// The bits of fairness conditions, numbered as they are met.
struct Bits<'f> {
    fairness: &'f [Fairness],
    known: Mutex<BTreeMap<(usize, Vec<Value>), u32>>,
}

impl Bits<'_> {
    /// The conditions that a step of this action counts for.
    fn of<M: CheckedModel>(&self, model: &M, action: &M::Action) -> Result<Conditions, GraphError> {
        let name = M::ACTIONS[model.action_index(action)];
        let mut found = 0;
        for (index, owed) in self.fairness.iter().enumerate() {
            if owed.actions.contains(&name) {
                let parameters = if owed.each {
                    model.action_parameters(action)
                } else {
                    Vec::new()
                };
                let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
                let next = known.len() as u32;
                let bit = *known.entry((index, parameters)).or_insert(next);
                found |= 1_u64
                    .checked_shl(bit)
                    .ok_or(GraphError::TooManyConditions)?;
            }
        }
        Ok(found)
    }
}

/// The steps out of one chunk of states.
#[derive(Default)]
struct Chunk {
    counts: Vec<u32>,
    targets: Vec<u32>,
    conditions: Vec<Conditions>,
}

impl StateGraph {
    /// Computes the graph over all states of `store`.
    pub(crate) fn build<M: CheckedModel>(
        model: &M,
        fairness: &[Fairness],
        store: FrozenStore,
        pool: Option<&ThreadPool>,
        stop: &(dyn Fn() -> bool + Sync),
    ) -> Result<Self, GraphError> {
        let (slots, level_ends) = rank(&store, pool)?;
        let mut ranks = vec![0_u32; store.slots()];
        for (rank, slot) in slots.iter().enumerate() {
            ranks[*slot as usize] = rank as u32;
        }
        let bits = Bits {
            fairness,
            known: Mutex::default(),
        };
        let chunk = |number: usize| {
            if stop() {
                return Err(GraphError::Stopped);
            }
            let range = number * CHUNK..slots.len().min((number + 1) * CHUNK);
            expand(model, &bits, &store, &slots, &ranks, range)
        };
        let chunks = slots.len().div_ceil(CHUNK);
        let chunks: Vec<Chunk> = match pool {
            Some(pool) => pool.install(|| {
                (0..chunks)
                    .into_par_iter()
                    .map(chunk)
                    .collect::<Result<_, _>>()
            })?,
            None => (0..chunks).map(chunk).collect::<Result<_, _>>()?,
        };
        drop(ranks);

        let steps = chunks.iter().map(|chunk| chunk.targets.len()).sum();
        let mut graph = Self {
            step_ends: Vec::with_capacity(slots.len()),
            enabled: Vec::with_capacity(slots.len()),
            targets: Vec::with_capacity(steps),
            labels: Vec::with_capacity(steps),
            sets: Vec::new(),
            weak: 0,
            strong: 0,
            conditions: Vec::new(),
            store,
            slots,
            level_ends,
        };
        let mut numbers: BTreeMap<Conditions, u16> = BTreeMap::new();
        for chunk in chunks {
            graph.append(&chunk, &mut numbers)?;
        }
        let known = bits
            .known
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        for ((index, _), bit) in known {
            let bit = 1 << bit;
            graph.conditions.push(bit);
            match fairness[index].strength {
                Strength::Weak => graph.weak |= bit,
                Strength::Strong => graph.strong |= bit,
            }
        }
        Ok(graph)
    }

    fn append(
        &mut self,
        chunk: &Chunk,
        numbers: &mut BTreeMap<Conditions, u16>,
    ) -> Result<(), GraphError> {
        let mut next = 0;
        for count in &chunk.counts {
            let steps = next..next + *count as usize;
            next = steps.end;
            let enabled = chunk.conditions[steps.clone()]
                .iter()
                .fold(0, |all, one| all | one);
            let enabled = self.label(enabled, numbers)?;
            self.enabled.push(enabled);
            for conditions in &chunk.conditions[steps.clone()] {
                let label = self.label(*conditions, numbers)?;
                self.labels.push(label);
            }
            self.targets.extend_from_slice(&chunk.targets[steps]);
            self.step_ends.push(self.targets.len() as u64);
        }
        Ok(())
    }

    fn label(
        &mut self,
        conditions: Conditions,
        numbers: &mut BTreeMap<Conditions, u16>,
    ) -> Result<u16, GraphError> {
        if let Some(number) = numbers.get(&conditions) {
            return Ok(*number);
        }
        let number = u16::try_from(self.sets.len()).map_err(|_| GraphError::TooManyConditions)?;
        self.sets.push(conditions);
        numbers.insert(conditions, number);
        Ok(number)
    }

    /// The number of states.
    pub(crate) fn len(&self) -> usize {
        self.slots.len()
    }

    /// The encoding of a state.
    pub(crate) fn bytes(&self, rank: u32) -> &[u8] {
        self.store.get(self.slots[rank as usize])
    }

    /// The conditions whose action is enabled in a state.
    pub(crate) fn enabled(&self, rank: u32) -> Conditions {
        self.sets[usize::from(self.enabled[rank as usize])]
    }

    /// Where a state's steps stand in the list of all steps.
    pub(crate) fn steps(&self, rank: u32) -> Range<u64> {
        let index = rank as usize;
        let start = if index == 0 {
            0
        } else {
            self.step_ends[index - 1]
        };
        start..self.step_ends[index]
    }

    /// The target of a step.
    pub(crate) fn target(&self, step: u64) -> u32 {
        self.targets[step as usize]
    }

    /// The conditions that a step counts for.
    pub(crate) fn taken(&self, step: u64) -> Conditions {
        self.sets[usize::from(self.labels[step as usize])]
    }

    /// The least shortest path from an initial state to this one, itself included.
    pub(crate) fn least_path(&self, rank: u32) -> Vec<u32> {
        let mut level = self.level_ends.partition_point(|end| *end <= rank);
        let mut path = vec![rank];
        let mut target = rank;
        while level > 0 {
            level -= 1;
            let start = if level == 0 {
                0
            } else {
                self.level_ends[level - 1]
            };
            let mut earlier = start..self.level_ends[level];
            let leads = |rank: &u32| self.steps(*rank).any(|step| self.target(step) == target);
            // Every state of a level has a predecessor in the level before.
            let Some(predecessor) = earlier.find(leads) else {
                break;
            };
            path.push(predecessor);
            target = predecessor;
        }
        path.reverse();
        path
    }

    /// Bytes allocated, the store's included.
    pub(crate) fn memory(&self) -> u64 {
        let per_state = size_of::<u32>() + size_of::<u64>() + size_of::<u16>();
        let per_step = size_of::<u32>() + size_of::<u16>();
        self.store.memory() + (self.len() * per_state + self.targets.len() * per_step) as u64
    }
}

/// The states in the order of their ranks, and where each level ends.
fn rank(
    store: &FrozenStore,
    pool: Option<&ThreadPool>,
) -> Result<(Vec<u32>, Vec<u32>), GraphError> {
    let mut slots = Vec::with_capacity(store.len());
    let mut level_ends = Vec::new();
    for level in store.levels() {
        let start = slots.len();
        slots.extend(level.map_err(GraphError::Storage)?);
        let level = &mut slots[start..];
        let by_bytes = |a: &u32, b: &u32| store.get(*a).cmp(store.get(*b));
        match pool {
            Some(pool) => pool.install(|| level.par_sort_unstable_by(by_bytes)),
            None => level.sort_unstable_by(by_bytes),
        }
        level_ends.push(slots.len() as u32);
    }
    Ok((slots, level_ends))
}

fn expand<M: CheckedModel>(
    model: &M,
    bits: &Bits<'_>,
    store: &FrozenStore,
    slots: &[u32],
    ranks: &[u32],
    range: Range<usize>,
) -> Result<Chunk, GraphError> {
    let mut chunk = Chunk::default();
    let mut bytes = Vec::new();
    let mut steps: Vec<(u32, Conditions)> = Vec::new();
    for rank in range {
        let state = model.decode(store.get(slots[rank])).ok_or_else(|| {
            GraphError::Model("the model cannot decode a state that it encoded".to_owned())
        })?;
        steps.clear();
        let mut failure = None;
        model.successors(&state, |action, target| {
            bytes.clear();
            model.encode(&target, &mut bytes);
            let Some(number) = store.find(&bytes) else {
                let message = "the model found a successor that it had not found before";
                failure = Some(GraphError::Model(message.to_owned()));
                return;
            };
            let target = ranks[number as usize];
            if target as usize != rank {
                match bits.of(model, &action) {
                    Ok(conditions) => steps.push((target, conditions)),
                    Err(error) => failure = Some(error),
                }
            }
        });
        if let Some(failure) = failure {
            return Err(failure);
        }
        steps.sort_unstable();
        // Several actions may make the same step: it counts for all of them.
        steps.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 |= next.1;
            }
            same
        });
        chunk.counts.push(steps.len() as u32);
        for (target, conditions) in &steps {
            chunk.targets.push(*target);
            chunk.conditions.push(*conditions);
        }
    }
    Ok(chunk)
}
