//! Stride scheduling, word for word as section 6.3 has it: slow and obvious.

#![allow(unreachable_pub, clippy::unwrap_used)]

use std::collections::{BTreeMap, BTreeSet};

/// One level of clocks, word for word as section 6.3 has it, in numbers that are large enough here.
#[derive(Clone, Default, Debug)]
pub struct Reference<K> {
    pub v: u128,
    pub pass: BTreeMap<K, u128>,
    pub active: BTreeSet<K>,
}

impl<K: Ord + Clone> Reference<K> {
    fn pick(&mut self, eligible: &BTreeSet<K>, stride: impl Fn(&K) -> u128) -> K {
        for key in eligible {
            if !self.active.contains(key) {
                let stored = self.pass.get(key).copied().unwrap_or(0);
                self.pass
                    .insert(key.clone(), stored.max(self.v + stride(key)));
            }
        }
        self.active = eligible.clone();
        let mut chosen: Option<&K> = None;
        for key in eligible {
            if chosen.is_none_or(|best| self.pass[key] < self.pass[best]) {
                chosen = Some(key);
            }
        }
        let chosen = chosen.unwrap().clone();
        self.v = self.pass[&chosen];
        self.pass.insert(chosen.clone(), self.v + stride(&chosen));
        chosen
    }
}

fn lcm(weights: impl Iterator<Item = u128>) -> u128 {
    fn gcd(a: u128, b: u128) -> u128 {
        if b == 0 { a } else { gcd(b, a % b) }
    }
    weights.fold(1, |all, weight| all / gcd(all, weight) * weight)
}

/// Two levels, and Works in them.
#[derive(Clone, Default, Debug)]
pub struct Planner {
    pub strict: bool,
    pub class_weights: Vec<u128>,
    pub key_weights: BTreeMap<String, u128>,
    pub classes: Reference<u64>,
    pub keys: BTreeMap<u64, Reference<String>>,
}

impl Planner {
    /// The next of these Works, which are in the order in which they came.
    pub fn next(&mut self, works: &[(u64, String)]) -> Option<usize> {
        let classes: BTreeSet<u64> = works.iter().map(|(class, _)| *class).collect();
        let q = lcm(self.class_weights.iter().copied());
        let class = if self.strict {
            *classes.first()?
        } else {
            classes.first()?;
            self.classes.pick(&classes, |class| {
                q / self.class_weights[*class as usize - 1]
            })
        };
        let keys = works
            .iter()
            .filter(|(other, _)| *other == class)
            .map(|(_, key)| key.clone());
        let q = lcm(self.key_weights.values().copied());
        let weights = &self.key_weights;
        let key = self
            .keys
            .entry(class)
            .or_default()
            .pick(&keys.collect(), |key| q / weights[key]);
        works.iter().position(|work| *work == (class, key.clone()))
    }
}
