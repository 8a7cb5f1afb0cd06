//! The state in TLA+, and back.

use plumb_checker::NotAState;
use plumb_tla::{State as TlaState, Value};

use super::state::State;
use crate::changes::bits;
use crate::finite::{Finite, Map};
use crate::reading::Variables;

/// The module's variables, in the order of the shared design's table.
pub(super) const VARIABLES: &[&str] = &[
    "epoch",
    "admissionPaused",
    "grantsPaused",
    "admitted",
    "assignment",
    "markers",
    "sends",
    "phase",
    "binding",
    "terminal",
    "released",
    "status",
    "effects",
    "results",
    "failures",
    "replacements",
    "violation",
    "verificationAttempts",
];

pub(super) fn to_tla(state: &State) -> TlaState {
    let values = (0..).map(|index| variable(state, index));
    TlaState::new(VARIABLES.iter().copied().zip(values))
}

/// The variable at a position of [`VARIABLES`].
pub(super) fn variable(state: &State, index: usize) -> Value {
    match index {
        0 => Value::int(state.epoch),
        1 => Value::bool(state.admission_paused),
        2 => Value::bool(state.grants_paused),
        3 => Value::bool(state.admitted),
        4 => state.assignment.to_value(),
        5 => state.markers.to_value(),
        6 => function(&state.sends),
        7 => function(&state.phase),
        8 => function(&state.binding),
        9 => state.terminal.to_value(),
        10 => state.released.to_value(),
        11 => function(&state.status),
        12 => state.effects.to_value(),
        13 => state.results.to_value(),
        14 => state.failures.to_value(),
        15 => state.replacements.to_value(),
        16 => state.violation.to_value(),
        _ => function(&state.verification_attempts),
    }
}

/// The variables that differ, as bits.
pub(super) fn changed(before: &State, after: &State) -> u64 {
    bits([
        before.epoch != after.epoch,
        before.admission_paused != after.admission_paused,
        before.grants_paused != after.grants_paused,
        before.admitted != after.admitted,
        before.assignment != after.assignment,
        before.markers != after.markers,
        before.sends != after.sends,
        before.phase != after.phase,
        before.binding != after.binding,
        before.terminal != after.terminal,
        before.released != after.released,
        before.status != after.status,
        before.effects != after.effects,
        before.results != after.results,
        before.failures != after.failures,
        before.replacements != after.replacements,
        before.violation != after.violation,
        before.verification_attempts != after.verification_attempts,
    ])
}

fn function<E: Finite, V: Finite, const N: usize>(map: &Map<E, V, N>) -> Value {
    let pairs = map.iter();
    Value::function(pairs.map(|(element, value)| (element.to_value(), value.to_value())))
}

pub(super) fn parse_tla(state: &TlaState) -> Result<State, NotAState> {
    let variables = Variables::of(state, VARIABLES)?;
    Ok(State {
        epoch: variables.place("epoch").integer()?,
        admission_paused: variables.place("admissionPaused").boolean()?,
        grants_paused: variables.place("grantsPaused").boolean()?,
        admitted: variables.place("admitted").boolean()?,
        assignment: variables.place("assignment").finite()?,
        markers: variables.place("markers").subset()?,
        sends: variables.place("sends").map()?,
        phase: variables.place("phase").map()?,
        binding: variables.place("binding").map()?,
        terminal: variables.place("terminal").subset()?,
        released: variables.place("released").subset()?,
        status: variables.place("status").map()?,
        effects: variables.place("effects").subset()?,
        results: variables.place("results").subset()?,
        failures: variables.place("failures").subset()?,
        replacements: variables.place("replacements").subset()?,
        violation: variables.place("violation").finite()?,
        verification_attempts: variables.place("verificationAttempts").map()?,
    })
}
