//! A counterexample as one JSON object.

use std::collections::BTreeMap;

use plumb_checker::{ActionLabel, Lasso, PropertyKind, TraceStep};
use serde::Serialize;

use crate::commands::search::Finished;
use crate::workspace::Configuration;

/// What `plumb trace --format json` prints; `schemas/trace.schema.json` describes it.
#[derive(Serialize)]
pub(super) struct TraceJson<'a> {
    plumb: &'static str,
    name: &'a str,
    model: &'static str,
    verdict: &'static str,
    property: Option<&'a str>,
    conjunct: Option<&'a str>,
    kind: Option<PropertyKind>,
    outcome: &'static str,
    trace: usize,
    steps: Vec<StepJson<'a>>,
    lasso: Option<LassoJson>,
}

/// How an infinite behaviour goes on after its last step.
#[derive(Serialize)]
struct LassoJson {
    /// The number of the state that it goes back to; the last one's if it stutters.
    back_to: usize,
    stuttering: bool,
    /// The action that goes back.
    action: Option<ActionJson>,
}

#[derive(Serialize)]
struct StepJson<'a> {
    number: usize,
    action: Option<ActionJson>,
    state: BTreeMap<&'a str, String>,
    changed: Vec<&'a str>,
}

#[derive(Serialize)]
struct ActionJson {
    name: &'static str,
    parameters: Vec<String>,
}

impl ActionJson {
    fn new(action: &ActionLabel) -> Self {
        Self {
            name: action.name,
            parameters: action.parameters.iter().map(ToString::to_string).collect(),
        }
    }
}

/// The object.
pub(super) fn of<'a>(configuration: &'a Configuration, finished: &'a Finished) -> TraceJson<'a> {
    let report = &finished.report;
    let mut steps = Vec::new();
    let mut previous: Option<&TraceStep> = None;
    for (index, step) in report.trace.iter().enumerate() {
        let changed = match previous {
            None => Vec::new(),
            Some(before) => step
                .state
                .iter()
                .filter(|(name, value)| before.state.get(name) != Some(*value))
                .map(|(name, _)| name)
                .collect(),
        };
        steps.push(StepJson {
            number: index + 1,
            action: step.action.as_ref().map(ActionJson::new),
            state: step
                .state
                .iter()
                .map(|(name, value)| (name, value.to_string()))
                .collect(),
            changed,
        });
        previous = Some(step);
    }
    TraceJson {
        plumb: env!("CARGO_PKG_VERSION"),
        name: &configuration.name,
        model: configuration.model.name(),
        verdict: report.verdict.word(),
        property: report.verdict.property(),
        conjunct: report.verdict.conjunct(),
        kind: report.verdict.kind(),
        outcome: finished.outcome.word(),
        trace: report.trace.len(),
        steps,
        lasso: report.lasso.as_ref().map(|(lasso, action)| LassoJson {
            back_to: match lasso {
                Lasso::BackTo(number) => *number,
                Lasso::Stuttering => report.trace.len(),
            },
            stuttering: *lasso == Lasso::Stuttering,
            action: action.as_ref().map(ActionJson::new),
        }),
    }
}
