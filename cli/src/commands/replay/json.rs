//! What `plumb replay --json` prints; `schemas/replay.schema.json` describes it.

use std::collections::BTreeMap;

use plumb_checker::PropertyKind;
use plumb_replay::replay::{Nearest, Outcome, Refusal, ViolationOnTheWay, Why};
use serde::Serialize;

use super::Replay;
use super::reports::word;
use super::text::sentence;
use super::trial::Trial;

#[derive(Serialize)]
pub(super) struct ReplayJson<'a> {
    plumb: &'static str,
    specs: &'a str,
    traces: Vec<TraceJson<'a>>,
    never_taken: BTreeMap<&'static str, Vec<&'static str>>,
    not_run: usize,
    seconds: f64,
}

#[derive(Serialize)]
struct TraceJson<'a> {
    file: &'a str,
    behaviour: u64,
    format: Option<&'static str>,
    model: Option<&'static str>,
    configuration: Option<&'a str>,
    steps: u64,
    accepted: bool,
    outcome: &'static str,
    refused_at: Option<u64>,
    line: Option<u64>,
    why: Option<Why>,
    reason: Option<String>,
    ends_in: Option<&'a str>,
    kind: Option<PropertyKind>,
    conjunct: Option<&'a str>,
    lasso: bool,
    nearest: Option<&'a Nearest>,
    enabled: &'a [String],
    inferred: &'a BTreeMap<String, u64>,
    stuttering: u64,
    outside_constraint: bool,
    candidates: usize,
    violations: &'a [ViolationOnTheWay],
    stale: &'a [String],
    edges: Option<u64>,
}

pub(super) fn json(replay: &Replay) -> ReplayJson<'_> {
    ReplayJson {
        plumb: env!("CARGO_PKG_VERSION"),
        specs: &replay.specs,
        traces: replay.trials.iter().map(trace).collect(),
        never_taken: replay.never_taken(),
        not_run: replay.not_run,
        seconds: replay.elapsed.as_secs_f64(),
    }
}

fn trace(trial: &Trial) -> TraceJson<'_> {
    let replayed = &trial.replayed;
    let refusal: Option<&Refusal> = match &replayed.outcome {
        Outcome::Refused(refusal) => Some(refusal),
        _ => None,
    };
    let configuration = trial.configuration.as_deref();
    let ends_in = replayed.ends_in.as_ref();
    TraceJson {
        file: &trial.file,
        behaviour: trial.behaviour,
        format: trial.format.map(plumb_replay::trace::Format::name),
        model: configuration.map(|one| one.model.name()),
        configuration: configuration.map(|one| &*one.name),
        steps: replayed.steps,
        accepted: replayed.is_accepted(),
        outcome: word(trial),
        refused_at: refusal.map(|refusal| refusal.step),
        line: trial.line(),
        why: refusal.map(|refusal| refusal.why),
        reason: match refusal {
            Some(refusal) => Some(refusal.reason.clone()),
            None => (!replayed.is_accepted()).then(|| sentence(trial)),
        },
        ends_in: ends_in.map(|ends_in| &*ends_in.property),
        kind: ends_in.map(|ends_in| ends_in.kind),
        conjunct: ends_in.and_then(|ends_in| ends_in.conjunct.as_deref()),
        lasso: replayed.lasso,
        nearest: refusal.and_then(|refusal| refusal.nearest.as_ref()),
        enabled: refusal.map_or(&[], |refusal| &refusal.enabled),
        inferred: &replayed.inferred,
        stuttering: replayed.stuttering,
        outside_constraint: replayed.outside_constraint,
        candidates: replayed.candidates,
        violations: &replayed.violations,
        stale: &trial.stale,
        edges: trial.edges,
    }
}
