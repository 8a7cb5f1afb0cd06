//! The invariants, and that everybody who waits is served.
//!
//! Shared design, models/service.md, section 5.

use plumb_checker::{Formula, Invariant, TemporalProperty};

use super::QueueService;
use super::constants::{Key, Mode, TOTAL_WEIGHT};
use super::state::{Bit, State};
use crate::finite::Finite;

/// By how much a share may differ from the exact one: a grant for each key, times the total weight.
const MOST_DEVIATION: i128 = 3 * TOTAL_WEIGHT as i128;

/// What the model guarantees of every state.
pub(super) fn guarantees() -> Vec<Invariant<QueueService>> {
    vec![
        Invariant::state(
            "TypeOK",
            "clocks are natural numbers, counts are at most ten and the phase is below ten",
            type_ok,
        ),
        Invariant::state(
            "ServiceDeviation",
            "where shares are promised, no key is ever more than three grants off its share",
            service_deviation,
        ),
        Invariant::state(
            "FixedCycleShare",
            "where shares are promised, a completed cycle has exactly 5, 3 and 2 grants",
            fixed_cycle_share,
        ),
    ]
}

/// What the model guarantees in the long run.
pub(super) fn long_run() -> Vec<TemporalProperty<QueueService>> {
    vec![TemporalProperty {
        name: "EventualService",
        meaning: "a key that from some time on is always eligible is granted again and again",
        formula: eventual_service,
    }]
}

fn type_ok(_: &QueueService, state: &State) -> bool {
    let share = |(_, count)| (0..=TOTAL_WEIGHT).contains(&count);
    state.passes.iter().all(|(_, pass)| pass >= 0)
        && state.counts.iter().all(share)
        && (0..TOTAL_WEIGHT).contains(&state.phase)
        && state.cycle_counts.iter().all(share)
}

impl QueueService {
    /// Whether shares are promised: not if the keys change, and not under strict priority.
    fn promises_shares(&self) -> bool {
        !self.constants.dynamic && self.constants.mode != Mode::Strict
    }
}

fn service_deviation(model: &QueueService, state: &State) -> bool {
    let deviation = |key: &Key| {
        let granted = i128::from(TOTAL_WEIGHT) * i128::from(state.counts[*key]);
        let due = i128::from(state.phase) * i128::from(key.weight());
        (granted - due).abs()
    };
    !model.promises_shares() || Key::ALL.iter().all(|key| deviation(key) <= MOST_DEVIATION)
}

fn fixed_cycle_share(model: &QueueService, state: &State) -> bool {
    let mut shares = state.cycle_counts.iter();
    !model.promises_shares()
        || !state.completed_cycle
        || shares.all(|(key, count)| count == key.weight())
}

/// For each key and bit: a key that is eligible for ever has that bit again and again. Both bits
/// again and again is what infinitely many grants look like.
fn eventual_service(_: &QueueService) -> Formula<QueueService> {
    let of_key_and_bit = |key: Key, bit: Bit| {
        let number = key.number();
        let eligible = Formula::state(
            format!("{number} \\in eligible"),
            move |_: &QueueService, state: &State| state.eligible.contains(key),
        );
        let served = Formula::state(
            format!("served[{number}] = {}", bit.to_value()),
            move |_: &QueueService, state: &State| state.served[key] == bit,
        );
        let in_the_end = eligible.always().eventually();
        in_the_end.implies(served.eventually().always())
    };
    Formula::all(Key::ALL.iter().flat_map(|key| {
        let bits = Bit::ALL.iter();
        bits.map(move |bit| of_key_and_bit(*key, *bit))
    }))
}
