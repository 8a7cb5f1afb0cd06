//! Stride scheduling: who has waited longest for its weight (section 6.3).
//!
//! Each competitor has a *pass*, and the one with the least pass is next. Its pass then grows by Q/w,
//! where w is its weight and Q a common multiple of all weights, so that twice the weight comes twice
//! as often. *V* is the pass that was chosen last. A competitor that returns starts no lower than
//! V + Q/w: nobody saves up turns while away. Who is above that stays there: debt is kept.
//!
//! Numbers are exact and as long as they need to be, because Q, the least common multiple of up to
//! 1024 weights, can have hundreds of digits.
//!
//! Two changes of this module that mutation testing makes change no result: lifting a pass to the floor
//! that it is at already (`<=` for `<` in `Level::admit`), and noting somebody as dropped out who is
//! not in the order (`||` for `&&` in `Turns::drop_out`).

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigUint;
use num_integer::Integer as _;

/// One level of clocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Level<K: Ord> {
    /// The pass that was chosen last.
    pub v: BigUint,
    /// The pass of everyone who ever competed.
    pub pass: BTreeMap<K, BigUint>,
    /// Who competed when this level last chose.
    pub active: BTreeSet<K>,
}

impl<K: Ord> Default for Level<K> {
    fn default() -> Self {
        Self {
            v: BigUint::ZERO,
            pass: BTreeMap::new(),
            active: BTreeSet::new(),
        }
    }
}

impl<K: Ord + Clone> Level<K> {
    /// True of a level as choices leave it behind: who competed has a stride, who was active is not
    /// behind V, and one of them was chosen last. `stride` is Q/w, or none of a stranger.
    pub(crate) fn is_possible<'s>(&self, stride: impl Fn(&K) -> Option<&'s BigUint>) -> bool {
        let mut active = self.active.iter();
        let was_chosen = |key: &K| {
            let (pass, stride) = (self.pass.get(key), stride(key));
            pass.zip(stride)
                .is_some_and(|(pass, stride)| *pass == &self.v + stride)
        };
        let pass = |key: &K| self.pass.get(key);
        self.pass.keys().all(|key| stride(key).is_some())
            && self
                .active
                .iter()
                .all(|key| pass(key).is_some_and(|it| *it >= self.v))
            && (*self == Self::default() || active.any(was_chosen))
    }

    /// Lifts those who return, and makes `eligible` the active ones.
    fn admit<'s>(&mut self, eligible: &BTreeSet<K>, stride: impl Fn(&K) -> &'s BigUint) {
        if self.active == *eligible {
            return;
        }
        for key in eligible.difference(&self.active) {
            let floor = &self.v + stride(key);
            let pass = self.pass.entry(key.clone()).or_default();
            if *pass < floor {
                *pass = floor;
            }
        }
        self.active.clone_from(eligible);
    }
}

/// Turns of one level among many competitors, of whom some drop out and none return: what happens
/// while one plan is made. A turn costs the logarithm of their number.
#[derive(Clone, Debug)]
pub struct Turns<K: Ord> {
    level: Level<K>,
    eligible: BTreeSet<K>,
    /// The active ones in the order of their turns, once the level has chosen in this plan.
    order: Option<BTreeSet<(BigUint, K)>>,
    /// Who dropped out since it last chose.
    dropped: Vec<K>,
}

impl<K: Ord + Clone> Turns<K> {
    /// Turns among these, continuing from this level.
    #[must_use]
    pub fn new(level: Level<K>, eligible: BTreeSet<K>) -> Self {
        Self {
            level,
            eligible,
            order: None,
            dropped: Vec::new(),
        }
    }

    /// True if nobody is left.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.eligible.is_empty()
    }

    /// Somebody drops out.
    pub fn drop_out(&mut self, key: &K) {
        if self.eligible.remove(key) && self.order.is_some() {
            self.dropped.push(key.clone());
        }
    }

    /// Whose turn it is, without charging anybody; and the pass with which it is chosen.
    #[must_use]
    pub fn peek<'s>(&mut self, stride: impl Fn(&K) -> &'s BigUint) -> Option<(K, BigUint)> {
        if let Some(order) = &mut self.order {
            for key in self.dropped.drain(..) {
                if let Some(pass) = self.level.pass.get(&key) {
                    order.remove(&(pass.clone(), key));
                }
            }
            return order.first().map(|(pass, key)| (key.clone(), pass.clone()));
        }
        // Not chosen yet: the level must stay as it is in case it will not be.
        let floor = |key: &K| {
            let stored = self.level.pass.get(key).cloned().unwrap_or_default();
            if self.level.active.contains(key) {
                return stored;
            }
            stored.max(&self.level.v + stride(key))
        };
        self.eligible
            .iter()
            .map(|key| (floor(key), key))
            .min()
            .map(|(pass, key)| (key.clone(), pass))
    }

    /// Charges whose turn it was; to be called with what [`peek`](Self::peek) said.
    pub fn take<'s>(&mut self, chosen: &K, stride: impl Fn(&K) -> &'s BigUint) {
        let order = match &mut self.order {
            Some(order) => {
                // What dropped out since the last turn is no longer active.
                let (active, eligible) = (&mut self.level.active, &self.eligible);
                if active.len() != eligible.len() {
                    active.retain(|key| eligible.contains(key));
                }
                order
            }
            None => {
                self.level.admit(&self.eligible, &stride);
                let pass = |key: &K| self.level.pass.get(key).cloned().unwrap_or_default();
                let order = self.eligible.iter().map(|key| (pass(key), key.clone()));
                self.order.insert(order.collect())
            }
        };
        let Some(pass) = self.level.pass.get_mut(chosen) else {
            return;
        };
        order.remove(&(pass.clone(), chosen.clone()));
        self.level.v.clone_from(pass);
        *pass += stride(chosen);
        order.insert((pass.clone(), chosen.clone()));
    }

    /// The level as it is now.
    #[must_use]
    pub fn into_level(self) -> Level<K> {
        self.level
    }
}

/// The strides Q/w of these weights, Q being their least common multiple.
pub fn strides<K: Ord>(weights: impl IntoIterator<Item = (K, u64)>) -> BTreeMap<K, BigUint> {
    let weights: Vec<_> = weights.into_iter().collect();
    let multiple = |multiple: BigUint, weight: &u64| multiple.lcm(&BigUint::from(*weight));
    let distinct: BTreeSet<u64> = weights.iter().map(|(_, weight)| *weight).collect();
    let q = distinct.iter().fold(BigUint::from(1_u32), multiple);
    let of_weight: BTreeMap<u64, BigUint> = distinct
        .into_iter()
        .map(|weight| (weight, &q / weight))
        .collect();
    let stride = |weight| of_weight.get(&weight).cloned().unwrap_or_default();
    weights
        .into_iter()
        .map(|(key, weight)| (key, stride(weight)))
        .collect()
}
