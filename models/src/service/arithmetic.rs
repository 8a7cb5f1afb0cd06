//! Clocks and the choice of a winner.
//!
//! Shared design, models/service.md, section 3. Numbers that leave their type, which no
//! behaviour reaches, stay at its end.

use super::constants::{Key, Mode};
use super::state::State;
use crate::finite::{Finite, Map};

/// A key's clock for the next grant. One that has just become eligible starts at least one stride
/// behind the latest winner's, so that it cannot use the time in which it did not compete.
#[must_use]
pub fn prepared(state: &State, key: Key) -> i64 {
    let pass = state.passes[key];
    if state.eligible.contains(key) && !state.active.contains(key) {
        pass.max(key.stride())
    } else {
        pass
    }
}

/// The key that the next grant goes to, if any is eligible.
#[must_use]
pub fn winner(mode: Mode, state: &State) -> Option<Key> {
    match mode {
        Mode::Strict | Mode::Broken => state.eligible.first(),
        // Of equal clocks the first is the least, so that ties go to the smaller key.
        Mode::Weighted => state
            .eligible
            .iter()
            .min_by_key(|key| prepared(state, *key)),
    }
}

/// The clocks after a grant: all of them relative to the winner's, none of them below it.
#[must_use]
pub fn passes_after(state: &State, winner: Key) -> Map<Key, i64, 3> {
    let zero = prepared(state, winner);
    let mut passes = state.passes;
    for key in Key::ALL {
        let advance = if *key == winner { key.stride() } else { 0 };
        let clock = prepared(state, *key).saturating_add(advance);
        passes[*key] = clock.saturating_sub(zero).max(0);
    }
    passes
}
