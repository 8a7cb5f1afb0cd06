//! `plumb trace`: a counterexample or witness, state by state.

mod as_test;
mod diff;
mod json;
mod shown;

use std::fmt::Write as _;
use std::path::Path;

use owo_colors::OwoColorize;
use plumb_checker::{Lasso, PropertyKind, Registry, TraceStep, Verdict};
use plumb_tla::difference;

use super::recording::{self, Written};
use super::search::{self, Finished};
use crate::arguments::{Engine, TraceArguments, TraceCommand, TraceFormat};
use crate::error::CliError;
use crate::exit::Status;
use crate::interrupt::Interrupt;
use crate::output;
use crate::page;
use crate::workspace::{Configuration, Workspace};

/// Width to which long values are wrapped.
const WIDTH: usize = 98;

/// Prints the behaviour that violates a property of the chosen configuration.
pub(crate) fn run(
    registry: &Registry,
    specs: Option<&Path>,
    arguments: &TraceArguments,
) -> Result<Status, CliError> {
    if let Some(TraceCommand::Diff(arguments)) = &arguments.command {
        return diff::run(arguments);
    }
    let workspace = Workspace::open(registry, specs)?;
    let configuration = workspace.configuration(&arguments.choice)?;
    let options = arguments.search.options();
    let interrupt = Interrupt::listen();
    let finished = search::explore(&configuration, Engine::Plumb, &options, &interrupt);
    if finished.report.trace.is_empty() {
        return no_trace(&configuration, &finished);
    }
    let written = written(&workspace, &configuration, &finished, arguments)?;
    match &arguments.out {
        None => output::print(&written)?,
        Some(file) => {
            output::write_file(
                file,
                anstream::adapter::strip_str(&written)
                    .to_string()
                    .as_bytes(),
            )?;
            let name = &configuration.name;
            output::note(&format!("{name}: the trace is in {}", file.display()));
        }
    }
    Ok(finished.status())
}

/// The trace in the form that was asked for.
fn written(
    workspace: &Workspace<'_>,
    configuration: &Configuration,
    finished: &Finished,
    arguments: &TraceArguments,
) -> Result<String, CliError> {
    if arguments.as_test {
        let registry = arguments.registry.as_deref();
        return as_test::program(configuration, finished, registry);
    }
    let default = match arguments.out {
        None => TraceFormat::Text,
        Some(_) => TraceFormat::Plumb,
    };
    match arguments.format.unwrap_or(default) {
        TraceFormat::Text => Ok(text(configuration, finished, arguments.full)),
        TraceFormat::Json => output::json_line(&json::of(configuration, finished)),
        TraceFormat::Html => {
            let behaviour = shown::counterexample(workspace, configuration, finished)?;
            page::render(&configuration.name, &[behaviour])
        }
        TraceFormat::Plumb => recorded(workspace, configuration, finished, Written::Plumb),
        TraceFormat::Itf => recorded(workspace, configuration, finished, Written::Itf),
        TraceFormat::Tlc => recorded(workspace, configuration, finished, Written::Tlc),
    }
}

/// The trace in a format of recorded behaviours.
fn recorded(
    workspace: &Workspace<'_>,
    configuration: &Configuration,
    finished: &Finished,
    format: Written,
) -> Result<String, CliError> {
    let report = &finished.report;
    let verdict = &report.verdict;
    let violation = verdict.kind().zip(verdict.property());
    let header = recording::header(workspace, configuration, violation, None)?;
    let items = recording::counterexample(header, &report.trace, report.lasso.as_ref());
    recording::file(&items, format)
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
pub(super) fn headline(configuration: &Configuration, finished: &Finished) -> String {
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
