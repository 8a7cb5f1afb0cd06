//! The golden vector: winners, clocks and counts of a whole service, grant by grant.
//!
//! Shared design, models/service.md, section 7. The tie rule, for one, changes no registered count.

use plumb_models::QueueService;
use plumb_models::finite::{Finite, Subset};
use plumb_models::service::{Action, Bit, Key, State, prepared, winner};

use crate::service;

/// The state after a grant, and who had it: the key whose bit was flipped.
fn grant(model: &QueueService, state: &State) -> (i64, State) {
    let next = model.apply(state, Action::Grant);
    let flipped = |key: &&Key| next.served[**key] != state.served[**key];
    let served: Vec<&Key> = Key::ALL.iter().filter(flipped).collect();
    assert_eq!(served.len(), 1, "a grant has one winner");
    (served[0].number(), next)
}

fn passes(state: &State) -> [i64; 3] {
    [Key::One, Key::Two, Key::Three].map(|key| state.passes[key])
}

fn counts(state: &State) -> [i64; 3] {
    [Key::One, Key::Two, Key::Three].map(|key| state.counts[key])
}

fn served(state: &State) -> [usize; 3] {
    [Key::One, Key::Two, Key::Three].map(|key| state.served[key].index())
}

const WINNERS: [i64; 10] = [1, 2, 1, 3, 1, 2, 1, 1, 2, 3];

/// The clocks after each grant of a cycle.
const PASSES: [[i64; 3]; 10] = [
    [6, 4, 9],
    [2, 10, 5],
    [6, 8, 3],
    [3, 5, 15],
    [6, 2, 12],
    [4, 10, 10],
    [6, 6, 6],
    [6, 0, 0],
    [6, 10, 0],
    [6, 10, 15],
];

#[test]
fn weighted_service_of_keys_that_stay_follows_the_golden_vector() {
    let model = service("weighted", false, true);
    let mut states = vec![State::initial()];
    assert_eq!(passes(&states[0]), [0, 0, 0]);
    let clocks = [Key::One, Key::Two, Key::Three].map(|key| prepared(&states[0], key));
    assert_eq!(clocks, [6, 10, 15], "every key has just become eligible");

    for number in 0..30_usize {
        let state = &states[number];
        let (winner, next) = grant(&model, state);
        assert_eq!(winner, WINNERS[number % 10], "grant {number}");
        assert_eq!(passes(&next), PASSES[number % 10], "grant {number}");
        assert_eq!(next.phase, (number as i64 + 1) % 10);
        assert_eq!(next.completed_cycle, number >= 9);
        let mut of_cycle = [0; 3];
        for winner in &WINNERS[..(number + 1) % 10] {
            of_cycle[*winner as usize - 1] += 1;
        }
        assert_eq!(counts(&next), of_cycle);
        let shares = [Key::One, Key::Two, Key::Three].map(|key| next.cycle_counts[key]);
        assert_eq!(shares, if number >= 9 { [5, 3, 2] } else { [0; 3] });
        states.push(next);
    }

    assert_eq!(served(&states[10]), [1, 1, 0], "after one cycle");
    assert_eq!(served(&states[20]), [0, 0, 0], "after two");
    assert_eq!(states[30], states[10], "two cycles are the loop");
    let different: std::collections::HashSet<_> = states[..30].iter().collect();
    assert_eq!(different.len(), 30, "the first cycle is a stem");
}

#[test]
fn strict_priority_serves_the_smallest_key() {
    for mode in ["strict", "broken"] {
        let model = service(mode, false, true);
        let mut states = vec![State::initial()];
        let expected = [[6, 4, 9], [6, 0, 3], [6, 0, 0], [6, 0, 0]];
        for number in 0..20_usize {
            let (winner, next) = grant(&model, &states[number]);
            assert_eq!(winner, 1, "{mode}, grant {number}");
            assert_eq!(passes(&next), expected[number.min(3)]);
            states.push(next);
        }
        assert_eq!(states[20], states[10], "ten grants flip the bit back");
    }
}

/// A key that comes back starts one stride behind, whatever clock it left with; and the clocks of
/// keys that do not compete go on being relative to the winner's.
#[test]
fn a_returning_key_cannot_use_the_time_in_which_it_was_away() {
    let model = service("weighted", true, true);
    let mut state = State::initial();
    let with = |model: &QueueService, state: &State, keys: &[Key]| {
        let eligible = Subset::of(keys.iter().copied());
        model.apply(state, Action::ChangeEligibility(eligible))
    };
    state = with(&model, &state, &[Key::One]);
    for _ in 0..5 {
        state = grant(&model, &state).1;
    }
    assert_eq!(
        passes(&state),
        [6, 0, 0],
        "the others fell behind and are cut off at zero"
    );
    state = with(&model, &state, &[Key::One, Key::Two, Key::Three]);
    let clocks = [Key::One, Key::Two, Key::Three].map(|key| prepared(&state, key));
    assert_eq!(clocks, [6, 10, 15]);
    assert_eq!(
        winner(plumb_models::service::Mode::Weighted, &state),
        Some(Key::One)
    );

    // One that leaves with a large clock keeps it: the clamp only goes upward.
    let mut away = State::initial();
    away = grant(&model, &away).1;
    away = grant(&model, &away).1;
    assert_eq!(passes(&away), [2, 10, 5]);
    away = with(&model, &away, &[Key::One, Key::Three]);
    let (winner, next) = grant(&model, &away);
    assert_eq!((winner, passes(&next)), (1, [6, 8, 3]));
    assert_eq!(next.served[Key::Two], Bit::One, "not served while away");
    let back = with(&model, &next, &[Key::One, Key::Two, Key::Three]);
    assert_eq!(prepared(&back, Key::Two), 10, "8 is less than a stride");
    assert_eq!(next.active, Subset::of([Key::One, Key::Three]));
}

#[test]
fn changing_nothing_is_a_step_and_keeps_who_was_active() {
    let model = service("weighted", true, true);
    let state = grant(&model, &State::initial()).1;
    let same = model.apply(&state, Action::ChangeEligibility(state.eligible));
    assert_eq!(same, state);
    let none = model.apply(&state, Action::ChangeEligibility(Subset::EMPTY));
    assert_eq!((none.active, none.passes), (state.active, state.passes));
    assert_eq!(winner(plumb_models::service::Mode::Weighted, &none), None);
    assert!(!model.guard(&none, Action::Grant).holds());
}
