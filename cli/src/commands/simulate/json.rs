//! What the walks found, as one JSON object.

use std::collections::BTreeMap;

use plumb_checker::PropertyKind;
use plumb_checker::simulation::WalkEnd;
use serde::Serialize;

use super::{Found, is_expected, repetition};
use crate::arguments::SimulateArguments;
use crate::workspace::Configuration;

/// What `plumb simulate --json` prints; `schemas/simulate.schema.json` describes it.
#[derive(Serialize)]
pub(super) struct SimulateJson<'a> {
    plumb: &'static str,
    name: &'a str,
    model: &'static str,
    seed: u64,
    depth: usize,
    num: u64,
    walks: u64,
    steps: u64,
    longest: u64,
    ended: EndedJson,
    actions: BTreeMap<&'static str, u64>,
    never_taken: Vec<&'static str>,
    verdict: &'static str,
    violation: Option<ViolationJson>,
    message: Option<&'a str>,
    files: Vec<String>,
    repeat: String,
}

#[derive(Serialize)]
struct EndedJson {
    at_depth: u64,
    at_rest: u64,
    outside_constraint: u64,
}

#[derive(Serialize)]
struct ViolationJson {
    property: &'static str,
    kind: PropertyKind,
    conjunct: Option<&'static str>,
    expected: bool,
    seed: u64,
    state: usize,
    file: Option<String>,
}

/// The object.
pub(super) fn of<'a>(
    configuration: &'a Configuration,
    arguments: &SimulateArguments,
    found: &'a Found,
) -> SimulateJson<'a> {
    let simulation = &found.simulation;
    let files: Vec<String> = found
        .files
        .iter()
        .map(|file| file.display().to_string())
        .collect();
    let last = found.last.as_ref();
    let violation = last.and_then(|walk| match &walk.end {
        WalkEnd::Violated(violated) => Some(ViolationJson {
            property: violated.property,
            kind: violated.kind,
            conjunct: violated.conjunct,
            expected: is_expected(configuration, violated),
            seed: walk.seed,
            state: walk.states.len(),
            file: files.last().cloned(),
        }),
        _ => None,
    });
    let (verdict, message) = match last.map(|walk| &walk.end) {
        Some(WalkEnd::Violated(_)) => ("violated", None),
        Some(WalkEnd::Failed(message)) => ("error", Some(message.as_str())),
        Some(WalkEnd::Stopped) => ("interrupted", None),
        _ => ("nothing found", None),
    };
    SimulateJson {
        plumb: env!("CARGO_PKG_VERSION"),
        name: &configuration.name,
        model: configuration.model.name(),
        seed: found.first_seed,
        depth: arguments.depth,
        num: arguments.num,
        walks: simulation.walks,
        steps: simulation.steps,
        longest: simulation.longest,
        ended: EndedJson {
            at_depth: simulation.at_depth,
            at_rest: simulation.at_rest,
            outside_constraint: simulation.outside,
        },
        actions: simulation.actions.iter().copied().collect(),
        never_taken: simulation.never_taken(),
        verdict,
        violation,
        message,
        files,
        repeat: repetition(arguments, found),
    }
}
