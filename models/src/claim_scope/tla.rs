//! The state in TLA+, and back.

use plumb_checker::NotAState;
use plumb_tla::{State as TlaState, Value};

use super::ClaimScopedWorker;
use super::log::{Kind, Log};
use super::state::State;
use super::vocabulary::{Claim, RawHandle};
use crate::finite::{Finite, Map};
use crate::reading::{Place, Variables};

/// The module's variables, in the order of the shared design's table.
pub(super) const VARIABLES: &[&str] = &[
    "phase", "intents", "outputs", "log", "effects", "verified", "admitted", "rejected",
];

pub(super) fn to_tla(model: &ClaimScopedWorker, state: &State) -> TlaState {
    let log = state.log.iter().map(|entry| {
        Value::record([
            ("kind", entry.kind.to_value()),
            ("claim", entry.claim.to_value()),
        ])
    });
    let effects = state.effects.iter().flat_map(|(claim, handles)| {
        handles.iter().map(move |raw| {
            Value::record([("claim", claim.to_value()), ("raw_handle", raw.to_value())])
        })
    });
    TlaState::new([
        ("phase", state.phase.to_value()),
        ("intents", by_claim(model, &state.intents)),
        ("outputs", by_claim(model, &state.outputs)),
        ("log", Value::tuple(log)),
        ("effects", Value::set(effects)),
        ("verified", state.verified.to_value()),
        ("admitted", state.admitted.to_value()),
        ("rejected", state.rejected.to_value()),
    ])
}

/// A map from the assigned Claims, which are 1 up to their number.
fn by_claim<V: Finite>(model: &ClaimScopedWorker, map: &Map<Claim, V, 3>) -> Value {
    let assigned = model.domains.claims.iter();
    Value::function(assigned.map(|claim| (claim.to_value(), map[claim].to_value())))
}

pub(super) fn parse_tla(model: &ClaimScopedWorker, state: &TlaState) -> Result<State, NotAState> {
    let variables = Variables::of(state, VARIABLES)?;
    Ok(State {
        phase: variables.place("phase").finite()?,
        intents: read_by_claim(model, &variables.place("intents"), None)?,
        outputs: read_by_claim(model, &variables.place("outputs"), None)?,
        log: read_log(&variables.place("log"))?,
        effects: {
            let mut effects = State::INITIAL.effects;
            for effect in variables.place("effects").elements()? {
                let [claim, raw] = effect.record(["claim", "raw_handle"])?;
                effects[claim.finite::<Claim>()?].insert(raw.finite::<RawHandle>()?);
            }
            effects
        },
        verified: variables.place("verified").subset()?,
        admitted: variables.place("admitted").subset()?,
        rejected: variables.place("rejected").subset()?,
    })
}

fn read_by_claim<V: Finite>(
    model: &ClaimScopedWorker,
    place: &Place<'_>,
    unassigned: V,
) -> Result<Map<Claim, V, 3>, NotAState> {
    let mut map = Map::all(unassigned);
    let results = place.function_on(model.domains.claims.len())?;
    for (claim, result) in model.domains.claims.iter().zip(results) {
        map[claim] = result.finite()?;
    }
    Ok(map)
}

fn read_log(place: &Place<'_>) -> Result<Log, NotAState> {
    let mut log = Log::EMPTY;
    for entry in place.sequence()? {
        let [kind, claim] = entry.record(["kind", "claim"])?;
        if !log.append(kind.finite::<Kind>()?, claim.finite()?) {
            return Err(place.refuse(format!("a sequence of at most {}", Log::CAPACITY)));
        }
    }
    Ok(log)
}
