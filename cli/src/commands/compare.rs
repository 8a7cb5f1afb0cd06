//! `plumb compare`: hold configurations against a real TLC.

use std::fmt::Write as _;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use owo_colors::OwoColorize;
use plumb_checker::{ModelEntry, Progress, Registry, SearchOptions};
use plumb_replay::graph::{DifferenceKind, PathStep, StepDifference};
use plumb_replay::{
    Agreement, CompareError, CompareOptions, Comparison, Event, GraphComparison, Row, Sources,
    TlcError, compare,
};
use serde::Serialize;

use super::annotations::{self, Annotation};
use super::junit;
use crate::arguments::CompareArguments;
use crate::error::CliError;
use crate::exit::Status;
use crate::interrupt::Interrupt;
use crate::output::{self, grouped};
use crate::progress;
use crate::workspace::{Configuration, Workspace};

/// A configuration that was compared, or why it was not.
struct Compared<'a> {
    configuration: &'a Configuration,
    result: Result<Comparison, CompareError>,
}

/// Compares the chosen configurations, one after the other.
pub(crate) fn run(
    registry: &Registry,
    specs: Option<&Path>,
    arguments: &CompareArguments,
) -> Result<Status, CliError> {
    let workspace = Workspace::open(registry, specs)?;
    let configurations = workspace.configurations(&arguments.choice)?;
    let mut search = SearchOptions::default();
    search.threads = arguments.threads.unwrap_or(search.threads);
    let interrupt = Interrupt::listen();
    let mut compared = Vec::new();
    for configuration in &configurations {
        if interrupt.is_set() {
            break;
        }
        let sources = Sources {
            module: configuration.model.module().to_owned(),
            text: workspace.module(configuration.model.as_ref())?,
            cfg: configuration.text.clone(),
            others: Vec::new(),
        };
        let name = configuration.model.name();
        let Some(model) = registry.find(name) else {
            return Err(CliError::failed(format!("there is no model {name}"), None));
        };
        let result = one(
            &configuration.name,
            model,
            &sources,
            arguments.graph,
            &search,
            &interrupt,
        );
        if let Err(CompareError::Tlc(TlcError::Unavailable(why))) = &result {
            // Nothing else can be compared either.
            return Err(CliError::failed(why.clone(), None));
        }
        compared.push(Compared {
            configuration,
            result,
        });
    }
    let not_run = configurations.len() - compared.len();
    let mut status = compared
        .iter()
        .fold(Status::Expected, |all, one| all.and(one.status()));
    if not_run > 0 {
        status = status.and(Status::Inconclusive);
    }
    if let Some(path) = &arguments.junit {
        write_junit(path, &compared, &configurations[compared.len()..])?;
    }
    if arguments.json {
        output::print_json(&CompareJson {
            plumb: env!("CARGO_PKG_VERSION"),
            specs: workspace.specs.source().to_string(),
            comparisons: compared.iter().map(Compared::json).collect(),
            not_run,
        })?;
    } else {
        output::print(&text(&compared, not_run))?;
    }
    if arguments.annotations.is_some() {
        let annotations: Vec<_> = compared.iter().map(Compared::annotation).collect();
        annotations::print(&annotations, arguments.json)?;
    }
    Ok(status)
}

fn write_junit(
    path: &Path,
    compared: &[Compared<'_>],
    not_run: &[Configuration],
) -> Result<(), CliError> {
    let cases = compared.iter().map(|one| {
        let (name, status) = (&one.configuration.name, one.status());
        let mut case = junit::test_case(name, status, &one.message(), one.word());
        let model = one.configuration.model.name();
        case.set_classname(model);
        if let Ok(comparison) = &one.result {
            let seconds = comparison.tlc_seconds + comparison.plumb_seconds;
            case.set_time(Duration::try_from_secs_f64(seconds).unwrap_or_default());
        }
        (model, case)
    });
    let missing = not_run.iter().map(|configuration| {
        let message = "not run: interrupted before its turn";
        let status = Status::Inconclusive;
        let mut case = junit::test_case(&configuration.name, status, message, "inconclusive");
        case.set_classname(configuration.model.name());
        (configuration.model.name(), case)
    });
    junit::write_cases(path, "plumb compare", cases.chain(missing))
}

fn one(
    name: &str,
    model: &ModelEntry,
    sources: &Sources,
    graph: bool,
    search: &SearchOptions,
    interrupt: &Interrupt,
) -> Result<Comparison, CompareError> {
    let counters = Progress::with_stop_flag(interrupt.flag());
    let line = Arc::new(Mutex::new(String::new()));
    let shown = Arc::clone(&line);
    let describe = move |elapsed: Duration| {
        let line = shown.lock().unwrap_or_else(PoisonError::into_inner);
        format!("{line} ({} s)", elapsed.as_secs())
    };
    let observe = |event: Event<'_>| {
        let text = match event {
            Event::Searching => "Plumb searches".to_owned(),
            Event::RunningTlc => "TLC runs".to_owned(),
            Event::TlcSays(text) => format!("TLC: {text}"),
            Event::Exploring { states } => format!("Plumb's graph: {} states", grouped(states)),
            Event::ReadingGraph { states } => format!("TLC's graph: {} states", grouped(states)),
            // An event of a later version has no words yet.
            _ => return,
        };
        *line.lock().unwrap_or_else(PoisonError::into_inner) = text;
    };
    let options = CompareOptions {
        search: search.clone(),
        graph,
        progress: Some(&counters),
        observe: Some(&observe),
        ..CompareOptions::default()
    };
    progress::watched(name, describe, || compare(model, sources, &options))
}

impl Compared<'_> {
    fn status(&self) -> Status {
        match &self.result {
            Ok(comparison) if comparison.agrees() => Status::Expected,
            Ok(_) => Status::Different,
            Err(CompareError::Inconclusive { .. } | CompareError::Tlc(TlcError::Stopped(_))) => {
                Status::Inconclusive
            }
            Err(
                CompareError::Configuration(_)
                | CompareError::GraphTooLarge { .. }
                | CompareError::Tlc(TlcError::Refused { .. }),
            ) => Status::Usage,
            Err(_) => Status::Failed,
        }
    }

    /// The result in a word.
    fn word(&self) -> &'static str {
        match self.status() {
            Status::Expected => "agrees",
            Status::Different => "differs",
            Status::Inconclusive => "inconclusive",
            Status::Usage | Status::Failed => "failed",
        }
    }

    /// What is not as it should be, in a sentence.
    fn message(&self) -> String {
        match &self.result {
            Err(error) => error.to_string(),
            Ok(comparison) => {
                let side = |side: &Option<String>| side.clone().unwrap_or_else(|| "none".into());
                let rows = comparison.differences().map(|row| {
                    let (tlc, plumb) = (side(&row.tlc), side(&row.plumb));
                    format!("{}: TLC {tlc}, Plumb {plumb}", row.what)
                });
                rows.collect::<Vec<_>>().join("; ")
            }
        }
    }

    fn annotation(&self) -> Annotation {
        Annotation {
            status: self.status(),
            file: Some(self.configuration.path.clone()),
            line: None,
            title: format!("plumb compare: {} {}", self.configuration.name, self.word()),
            message: self.message(),
        }
    }

    fn json(&self) -> ComparedJson<'_> {
        ComparedJson {
            name: &self.configuration.name,
            agrees: self.result.as_ref().ok().map(Comparison::agrees),
            error: self.result.as_ref().err().map(ToString::to_string),
            comparison: self.result.as_ref().ok(),
        }
    }

    /// The value of a row: once where both say the same, both where they differ.
    fn cell(&self, what: &str) -> String {
        let row = self
            .result
            .as_ref()
            .ok()
            .and_then(|comparison| comparison.row(what));
        let Some(row) = row else {
            return "-".to_owned();
        };
        let value = |side: &Option<String>| side.clone().unwrap_or_else(|| "none".to_owned());
        match &row.agree {
            Agreement::Equal => row.tlc.clone().unwrap_or_else(|| "-".to_owned()),
            Agreement::Different => format!("{} / {}", value(&row.tlc), value(&row.plumb)),
            Agreement::NotCompared(_) => "-".to_owned(),
        }
    }
}

fn text(compared: &[Compared<'_>], not_run: usize) -> String {
    let rows = compared.iter().map(|one| {
        let seconds = |pick: fn(&Comparison) -> f64| {
            one.result
                .as_ref()
                .map_or_else(|_| "-".to_owned(), |found| format!("{:.2} s", pick(found)))
        };
        let verdict = match (one.cell("verdict"), one.cell("property")) {
            (verdict, property) if property == "-" => verdict,
            (verdict, property) => format!("{verdict} {property}"),
        };
        let graph = match one
            .result
            .as_ref()
            .ok()
            .and_then(|found| found.graph.as_ref())
        {
            Some(graph) if graph.is_equal() => "equal".to_owned(),
            Some(_) => "different".to_owned(),
            None => one.cell("graph"),
        };
        [
            one.configuration.name.clone(),
            one.word().to_owned(),
            verdict,
            one.cell("distinct"),
            one.cell("generated"),
            one.cell("depth"),
            one.cell("trace"),
            graph,
            seconds(|found| found.tlc_seconds),
            seconds(|found| found.plumb_seconds),
        ]
    });
    let header = [
        "CONFIGURATION",
        "RESULT",
        "VERDICT",
        "DISTINCT",
        "GENERATED",
        "DEPTH",
        "TRACE",
        "GRAPH",
        "TLC",
        "PLUMB",
    ];
    let mut text = String::new();
    for (number, line) in output::table(header, rows, 3..10).into_iter().enumerate() {
        let status = number
            .checked_sub(1)
            .and_then(|row| Some(compared.get(row)?.status()));
        let _ = match status {
            None => writeln!(text, "{}", line.bold()),
            Some(Status::Expected) => writeln!(text, "{line}"),
            Some(_) => writeln!(text, "{}", line.red()),
        };
    }
    for one in compared {
        remark(one, &mut text);
    }
    if let Some(version) = compared
        .iter()
        .find_map(|one| Some(&one.result.as_ref().ok()?.tlc_version))
    {
        let _ = writeln!(
            text,
            "\nAgainst TLC {version}; where two values stand, TLC's is the first."
        );
    }
    if not_run > 0 {
        let _ = writeln!(text, "{not_run} not run.");
    }
    text
}

/// Why a comparison failed, what it left out, and where the graphs part.
fn remark(one: &Compared<'_>, text: &mut String) {
    let name = &one.configuration.name;
    match &one.result {
        Err(error) => {
            let _ = writeln!(text, "\n{name}: {error}");
        }
        Ok(comparison) => {
            let graph_row = comparison
                .row("graph")
                .filter(|_| comparison.graph.is_none());
            if let Some(reason) = graph_row.and_then(|row| row.agree.reason()) {
                let _ = writeln!(text, "\n{name}: the graphs are not compared: {reason}");
            }
            temporal(name, comparison, text);
            if let Some(graph) = comparison.graph.as_ref().filter(|graph| !graph.is_equal()) {
                differences(name, graph, text);
            }
        }
    }
}

/// The temporal properties, which have no columns of their own: where the engines differ about one,
/// and why one was not compared.
fn temporal(name: &str, comparison: &Comparison, text: &mut String) {
    let properties =
        |row: &&Row| row.what.starts_with("temporal ") || row.what.starts_with("lasso ");
    let value = |side: &Option<String>| side.clone().unwrap_or_else(|| "nothing".to_owned());
    for row in comparison.rows.iter().filter(properties) {
        let _ = match &row.agree {
            Agreement::Equal => Ok(()),
            Agreement::Different => {
                let (tlc, plumb) = (value(&row.tlc), value(&row.plumb));
                writeln!(text, "\n{name}: {}: TLC: {tlc}; Plumb: {plumb}", row.what)
            }
            Agreement::NotCompared(reason) => {
                writeln!(text, "\n{name}: {} is not compared: {reason}", row.what)
            }
        };
    }
}

fn differences(name: &str, graph: &GraphComparison, text: &mut String) {
    let _ = writeln!(
        text,
        "\n{name}: the graphs differ: {} states only in TLC's, {} only in Plumb's; {} steps only in \
         TLC's, {} only in Plumb's; {} steps not equally often",
        grouped(graph.states.tlc_only),
        grouped(graph.states.plumb_only),
        grouped(graph.steps.tlc_only),
        grouped(graph.steps.plumb_only),
        grouped(graph.multiplicities),
    );
    for count in graph
        .actions
        .iter()
        .filter(|count| count.tlc != count.plumb)
    {
        let _ = writeln!(
            text,
            "  {}: TLC generates {}, Plumb {}",
            count.action,
            grouped(count.tlc),
            grouped(count.plumb)
        );
    }
    for difference in &graph.differences {
        let what = match &difference.kind {
            DifferenceKind::Unreadable { reason } => {
                format!("TLC has a state that is none of the Rust model: {reason}")
            }
            DifferenceKind::InitialState { side } => format!("only {side} has this initial state"),
            DifferenceKind::State { side } => format!("only {side} reaches this state"),
            DifferenceKind::Step { side } => format!("only {side} has the step after this path"),
            DifferenceKind::Multiplicity { times } => format!(
                "TLC generates the step after this path {} times, Plumb {} times",
                times.tlc, times.plumb
            ),
            DifferenceKind::Outside { successors } => format!(
                "the constraint cuts {} successors for TLC and {} for Plumb",
                successors.tlc, successors.plumb
            ),
        };
        let _ = writeln!(text, "\n  {}", what.bold());
        for (index, step) in difference.path.iter().enumerate() {
            let _ = writeln!(text, "  State {}: {}", index + 1, label(step));
            state(step, text);
        }
        if let Some(StepDifference { step, nearest }) = &difference.step {
            let _ = writeln!(text, "  The step: {}", label(step));
            state(step, text);
            if let Some(nearest) = nearest {
                let _ = writeln!(
                    text,
                    "  The nearest on the other side: {}; it differs in {}",
                    label(&nearest.step),
                    if nearest.variables.is_empty() {
                        "the action's name only".to_owned()
                    } else {
                        nearest.variables.join("; ")
                    }
                );
            }
        }
    }
}

fn label(step: &PathStep) -> &str {
    let label = step.label.as_deref().or(step.action.as_deref());
    label.unwrap_or("initial state")
}

/// A state in both vocabularies.
fn state(step: &PathStep, text: &mut String) {
    for line in step.state.tla.lines() {
        let _ = writeln!(text, "    {line}");
    }
    if let Some(rust) = &step.state.rust {
        let _ = writeln!(text, "    in Rust: {rust}");
    }
}

/// What `plumb compare --json` prints; `schemas/compare.schema.json` describes it.
#[derive(Serialize)]
struct CompareJson<'a> {
    plumb: &'static str,
    specs: String,
    comparisons: Vec<ComparedJson<'a>>,
    not_run: usize,
}

#[derive(Serialize)]
struct ComparedJson<'a> {
    name: &'a str,
    agrees: Option<bool>,
    error: Option<String>,
    comparison: Option<&'a Comparison>,
}
