//! The state in TLA+, and back.

use plumb_checker::NotAState;
use plumb_tla::{State as TlaState, Value};

use super::constants::Key;
use super::state::State;
use crate::finite::{Finite, Map};
use crate::reading::{Place, Variables};

/// The module's variables, in the order of the shared design's table.
pub(super) const VARIABLES: &[&str] = &[
    "passes",
    "active",
    "eligible",
    "counts",
    "phase",
    "completedCycle",
    "cycleCounts",
    "served",
];

pub(super) fn to_tla(state: &State) -> TlaState {
    TlaState::new([
        ("passes", by_key(&state.passes, Value::int)),
        ("active", state.active.to_value()),
        ("eligible", state.eligible.to_value()),
        ("counts", by_key(&state.counts, Value::int)),
        ("phase", Value::int(state.phase)),
        ("completedCycle", Value::bool(state.completed_cycle)),
        ("cycleCounts", by_key(&state.cycle_counts, Value::int)),
        ("served", by_key(&state.served, Finite::to_value)),
    ])
}

fn by_key<V: Copy>(map: &Map<Key, V, 3>, value: impl Fn(V) -> Value) -> Value {
    Value::tuple(map.iter().map(|(_, of_key)| value(of_key)))
}

pub(super) fn parse_tla(state: &TlaState) -> Result<State, NotAState> {
    let variables = Variables::of(state, VARIABLES)?;
    let integers = |variable: &str| read_by_key(&variables.place(variable), Place::integer);
    Ok(State {
        passes: integers("passes")?,
        active: variables.place("active").subset()?,
        eligible: variables.place("eligible").subset()?,
        counts: integers("counts")?,
        phase: variables.place("phase").integer()?,
        completed_cycle: variables.place("completedCycle").boolean()?,
        cycle_counts: integers("cycleCounts")?,
        served: read_by_key(&variables.place("served"), Place::finite)?,
    })
}

fn read_by_key<'a, V: Copy>(
    place: &Place<'a>,
    read: impl Fn(&Place<'a>) -> Result<V, NotAState>,
) -> Result<Map<Key, V, 3>, NotAState> {
    let results = place.function_on(Key::ALL.len())?;
    Map::try_from_fn(|key: Key| read(&results[key.index()]))
}
