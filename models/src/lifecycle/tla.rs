//! The state in TLA+, and back.

use plumb_checker::NotAState;
use plumb_tla::{State as TlaState, Value};

use super::state::State;
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
    TlaState::new([
        ("epoch", Value::int(state.epoch)),
        ("admissionPaused", Value::bool(state.admission_paused)),
        ("grantsPaused", Value::bool(state.grants_paused)),
        ("admitted", Value::bool(state.admitted)),
        ("assignment", state.assignment.to_value()),
        ("markers", state.markers.to_value()),
        ("sends", function(&state.sends)),
        ("phase", function(&state.phase)),
        ("binding", function(&state.binding)),
        ("terminal", state.terminal.to_value()),
        ("released", state.released.to_value()),
        ("status", function(&state.status)),
        ("effects", state.effects.to_value()),
        ("results", state.results.to_value()),
        ("failures", state.failures.to_value()),
        ("replacements", state.replacements.to_value()),
        ("violation", state.violation.to_value()),
        (
            "verificationAttempts",
            function(&state.verification_attempts),
        ),
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
