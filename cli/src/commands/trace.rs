//! `plumb trace`: a counterexample or witness, state by state.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use owo_colors::OwoColorize;
use plumb_checker::{ActionLabel, Lasso, PropertyKind, Registry, TraceStep, Verdict};
use plumb_tla::difference;
use serde::Serialize;

use super::search::{self, Finished};
use crate::arguments::{Engine, TraceArguments, TraceFormat};
use crate::error::CliError;
use crate::exit::Status;
use crate::interrupt::Interrupt;
use crate::output;
use crate::workspace::{Configuration, Workspace};

/// Width to which long values are wrapped.
const WIDTH: usize = 98;

/// Prints the behaviour that violates a property of the chosen configuration.
pub(crate) fn run(
    registry: &Registry,
    specs: Option<&Path>,
    arguments: &TraceArguments,
) -> Result<Status, CliError> {
    let workspace = Workspace::open(registry, specs)?;
    let configuration = workspace.configuration(&arguments.choice)?;
    let options = arguments.search.options();
    let interrupt = Interrupt::listen();
    let finished = search::explore(&configuration, Engine::Plumb, &options, &interrupt);
    if finished.report.trace.is_empty() {
        return no_trace(&configuration, &finished);
    }
    match arguments.format {
        TraceFormat::Text => {
            output::print(&text(&configuration, &finished, arguments.full))?;
        }
        TraceFormat::Json => output::print_json(&json(&configuration, &finished))?,
    }
    Ok(finished.status())
}

/// There is nothing to print: an error if that is what was expected, for then the request made no
/// sense; otherwise the search's own status.
fn no_trace(configuration: &Configuration, finished: &Finished) -> Result<Status, CliError> {
    let name = &configuration.name;
    match (&finished.report.verdict, finished.status()) {
        (Verdict::Exhausted, Status::Expected) => Err(CliError::usage(
            format!("{name} has no counterexample: the search is exhausted and everything holds"),
            None,
        )),
        (
            Verdict::Assumption {
                name: assumption, ..
            },
            Status::Expected,
        ) => Err(CliError::usage(
            format!("{name} has no trace: {assumption} is false before any state"),
            None,
        )),
        (verdict, status) => {
            let why = search::explanation(finished).unwrap_or_else(|| verdict.word().to_owned());
            output::note(&format!("{name} has no trace: {why}"));
            Ok(status)
        }
    }
}

/// What is violated, in a line.
fn headline(configuration: &Configuration, finished: &Finished) -> String {
    let verdict = &finished.report.verdict;
    let property = verdict.property().unwrap_or("a property");
    let kind = verdict.kind().unwrap_or(PropertyKind::Invariant);
    let conjunct = match verdict.conjunct() {
        Some(conjunct) => format!(" by its conjunct {conjunct}"),
        None => String::new(),
    };
    let states = match finished.report.trace.len() {
        1 => "1 state".to_owned(),
        number => format!("{number} states"),
    };
    format!(
        "{}: {kind} {property} is violated{conjunct}, {states}",
        configuration.name
    )
}

/// A trace as people read it.
pub(crate) fn text(configuration: &Configuration, finished: &Finished, full: bool) -> String {
    let mut text = format!("{}\n", headline(configuration, finished));
    let mut previous: Option<&TraceStep> = None;
    for (index, step) in finished.report.trace.iter().enumerate() {
        let label = match &step.action {
            None => "initial state".to_owned(),
            Some(action) => action.to_string(),
        };
        let _ = writeln!(
            text,
            "\n{}",
            format_args!("State {}: {label}", index + 1).bold()
        );
        match previous {
            Some(before) if !full => {
                let changes = difference(&before.state, &step.state);
                if changes.is_empty() {
                    text.push_str("  nothing changes\n");
                }
                for change in changes {
                    let _ = writeln!(text, "  {change}");
                }
            }
            _ => {
                for line in step.state.pretty(WIDTH).to_string().lines() {
                    let _ = writeln!(text, "  {line}");
                }
            }
        }
        previous = Some(step);
    }
    match &finished.report.lasso {
        None => {}
        Some((Lasso::Stuttering, _)) => {
            text.push_str("\nAnd so for ever: it stutters in the last state.\n");
        }
        Some((Lasso::BackTo(number), action)) => {
            let by = action
                .as_ref()
                .map_or_else(String::new, |action| format!(" by {action}"));
            let _ = writeln!(text, "\nAnd so for ever: back to state {number}{by}.");
        }
    }
    if let Some(explanation) = search::explanation(finished) {
        let _ = writeln!(
            text,
            "\n{}",
            format_args!("Unexpected: {explanation}").red()
        );
    }
    text
}

/// What `plumb trace --format json` prints; `schemas/trace.schema.json` describes it.
#[derive(Serialize)]
struct TraceJson<'a> {
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

fn json<'a>(configuration: &'a Configuration, finished: &'a Finished) -> TraceJson<'a> {
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
