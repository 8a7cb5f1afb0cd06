//! Random walks: behaviours of a model that chance chose, the same ones for the same seed.
//!
//! A walk begins in one of the initial states and takes, again and again, one of the ways to leave
//! its state. Each way is as likely as any other; as in the counts of a search, a way is an
//! instance of an action, so that what can be done with three parameters is chosen three times as
//! often as what has none, and a step that changes nothing counts like any other. A walk ends
//!
//! * after as many steps as it was given;
//! * at rest, in a state without any way out;
//! * outside the constraint: that state is the walk's last one, checked like all others;
//! * with a violation: an invariant that is false in its last state, a step property that its last
//!   step breaks, or a deadlock, where that is asked for.
//!
//! # The numbers behind it
//!
//! They are the same on every machine and in every version: the generator is xoshiro256++, its 256
//! bits of state filled from the seed by SplitMix64, and a number below `n` is the upper half of the
//! 128-bit product of `n` and the generator's next 64 bits, where a lower half below `2^64 mod n` is
//! thrown away and drawn again (so all numbers are equally likely). One number is drawn for the
//! initial state, and one for each step, also where there is no choice.

use std::sync::atomic::{AtomicBool, Ordering};

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use crate::erased::{ConfiguredModel, Encoded};
use crate::model_panic;
use crate::report::{ActionLabel, PropertyKind};
use crate::violated::ViolatedProperty;

/// What a walk may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WalkOptions {
    /// The number of steps after which it ends.
    pub depth: usize,
    /// Whether a state without any way out is a violation, even if the cfg does not say so.
    pub deadlock: bool,
}

/// A walk that was taken.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Walk {
    /// The seed that it is repeated with.
    pub seed: u64,
    /// Its states, each with the action that led to it; the initial one has none.
    pub states: Vec<(Option<ActionLabel>, Encoded)>,
    /// Why it ended.
    pub end: WalkEnd,
}

/// Why a walk ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WalkEnd {
    /// It had its number of steps.
    Depth,
    /// Its last state has no way out.
    Rest,
    /// Its last state is outside the constraint.
    Outside,
    /// Its last state, or the step to it, violates this property.
    Violated(ViolatedProperty),
    /// Somebody asked for the end.
    Stopped,
    /// The model's own code failed; what it said.
    Failed(String),
}

/// Takes the walk of this seed, until its end or until `stop` is set.
#[must_use]
pub fn walk(
    model: &dyn ConfiguredModel,
    seed: u64,
    options: WalkOptions,
    stop: &AtomicBool,
) -> Walk {
    let mut states = Vec::new();
    // What was walked before a panic is kept.
    let end = model_panic::catch(|| go(model, seed, options, stop, &mut states));
    Walk {
        seed,
        states,
        end: end.unwrap_or_else(WalkEnd::Failed),
    }
}

fn go(
    model: &dyn ConfiguredModel,
    seed: u64,
    options: WalkOptions,
    stop: &AtomicBool,
    states: &mut Vec<(Option<ActionLabel>, Encoded)>,
) -> WalkEnd {
    let mut numbers = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut initial = model.initial_states();
    if initial.is_empty() {
        return WalkEnd::Rest;
    }
    let chosen = below(&mut numbers, initial.len());
    let mut state = initial.swap_remove(chosen);
    let mut before: Option<Encoded> = None;
    states.push((None, state.clone()));
    for taken in 0.. {
        let foreign = || WalkEnd::Failed("the model does not know its own state".to_owned());
        let Some(violated) = model.violated(before.as_deref(), &state) else {
            return foreign();
        };
        if let Some(violated) = violated.first() {
            return WalkEnd::Violated(*violated);
        }
        match model.within_constraint(&state) {
            None => return foreign(),
            Some(false) => return WalkEnd::Outside,
            Some(true) => {}
        }
        // Whoever looks for deadlocks wants to know of one in the last state, too.
        let deadlock = options.deadlock || model.reports_deadlock();
        if taken == options.depth && !deadlock {
            return WalkEnd::Depth;
        }
        let Some(mut ways) = model.successors(&state) else {
            return foreign();
        };
        if ways.is_empty() {
            return if deadlock {
                WalkEnd::Violated(ViolatedProperty {
                    property: "Deadlock",
                    kind: PropertyKind::Deadlock,
                    conjunct: None,
                })
            } else {
                WalkEnd::Rest
            };
        }
        if taken == options.depth {
            return WalkEnd::Depth;
        }
        if stop.load(Ordering::Relaxed) {
            return WalkEnd::Stopped;
        }
        let way = ways.swap_remove(below(&mut numbers, ways.len()));
        states.push((Some(way.action), way.state.clone()));
        before = Some(std::mem::replace(&mut state, way.state));
    }
    WalkEnd::Depth
}

/// A number below `count`, each as likely as any other. `count` is not zero.
fn below(numbers: &mut impl Rng, count: usize) -> usize {
    let count = count as u64;
    let uneven = count.wrapping_neg() % count;
    loop {
        let product = u128::from(numbers.next_u64()) * u128::from(count);
        if product as u64 >= uneven {
            return (product >> 64) as usize;
        }
    }
}

/// What the walks of a simulation did, all together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Simulation {
    /// How often each action of the specification was taken, in enumeration order.
    pub actions: Vec<(&'static str, u64)>,
    /// The number of walks.
    pub walks: u64,
    /// The number of steps of all walks.
    pub steps: u64,
    /// The number of steps of the longest one.
    pub longest: u64,
    /// How many walks ended after their number of steps.
    pub at_depth: u64,
    /// How many ended in a state without any way out.
    pub at_rest: u64,
    /// How many left the constraint.
    pub outside: u64,
}

impl Simulation {
    /// Nothing yet, of this model.
    #[must_use]
    pub fn of(model: &dyn ConfiguredModel) -> Self {
        let actions = model.actions().into_iter().map(|name| (name, 0)).collect();
        Self {
            actions,
            ..Self::default()
        }
    }

    /// Adds what a walk did.
    pub fn add(&mut self, walk: &Walk) {
        let steps = walk.states.len().saturating_sub(1) as u64;
        self.walks += 1;
        self.steps += steps;
        self.longest = self.longest.max(steps);
        match walk.end {
            WalkEnd::Depth => self.at_depth += 1,
            WalkEnd::Rest => self.at_rest += 1,
            WalkEnd::Outside => self.outside += 1,
            WalkEnd::Violated(_) | WalkEnd::Stopped | WalkEnd::Failed(_) => {}
        }
        for action in walk.states.iter().filter_map(|(action, _)| action.as_ref()) {
            let mut actions = self.actions.iter_mut();
            if let Some((_, times)) = actions.find(|(name, _)| *name == action.name) {
                *times += 1;
            }
        }
    }

    /// The actions that no walk took, in enumeration order.
    #[must_use]
    pub fn never_taken(&self) -> Vec<&'static str> {
        let actions = self.actions.iter();
        let never = actions.filter(|(_, times)| *times == 0);
        never.map(|(name, _)| *name).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_are_those_of_xoshiro256_plus_plus_filled_by_splitmix64() {
        // The reference implementations' output, as published with them.
        let mut numbers = Xoshiro256PlusPlus::from_seed(reference_state());
        let first: Vec<u64> = (0..4).map(|_| numbers.next_u64()).collect();
        assert_eq!(
            first,
            [
                41_943_041,
                58_720_359,
                3_588_806_011_781_223,
                3_591_011_842_654_386
            ]
        );
        // SplitMix64 from 0 gives these four words.
        let words: [u64; 4] = [
            0xe220_a839_7b1d_cdaf,
            0x6e78_9e6a_a1b9_65f4,
            0x06c4_5d18_8009_454f,
            0xf88b_b8a8_724c_81ec,
        ];
        let mut filled = [0; 32];
        for (place, word) in filled.chunks_exact_mut(8).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        assert_eq!(
            Xoshiro256PlusPlus::seed_from_u64(0),
            Xoshiro256PlusPlus::from_seed(filled)
        );
    }

    /// The words 1, 2, 3, 4.
    fn reference_state() -> [u8; 32] {
        let mut seed = [0; 32];
        for (place, word) in seed.chunks_exact_mut(8).zip(1_u64..) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        seed
    }

    #[test]
    fn every_choice_is_as_likely_as_any_other() {
        let mut numbers = Xoshiro256PlusPlus::seed_from_u64(7);
        for count in [1, 2, 3, 7] {
            let mut times = vec![0_u32; count];
            for _ in 0..count * 10_000 {
                times[below(&mut numbers, count)] += 1;
            }
            // Six standard deviations are 600.
            assert!(
                times.iter().all(|times| times.abs_diff(10_000) < 600),
                "{times:?}"
            );
        }
    }
}
