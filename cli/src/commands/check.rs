//! `plumb check`: explore configurations and hold the results against their expectations.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use owo_colors::OwoColorize;
use plumb_checker::specs::Vacuity;
use plumb_checker::{Outcome, PropertyKind, Registry, SearchOptions, StopReason, Verdict};
use serde::{Serialize, Serializer};

use super::evidence::{Recorded, Recorder};
use super::junit;
use super::search::{self, Finished};
use crate::arguments::{CheckArguments, CheckpointArguments, Engine};
use crate::error::CliError;
use crate::exit::Status;
use crate::interrupt::Interrupt;
use crate::output::{self, grouped};
use crate::workspace::{Configuration, Workspace};

/// Checks the chosen configurations, one after the other, each on all cores.
pub(crate) fn run(
    registry: &Registry,
    specs: Option<&Path>,
    arguments: &CheckArguments,
) -> Result<Status, CliError> {
    let workspace = Workspace::open(registry, specs)?;
    arguments.search.refuse_unsupported(arguments.engine)?;
    let mut options = arguments.search.options();
    let mut recorder = Recorder::open(registry, &workspace, arguments, options.threads.get())?;
    let (configurations, failures) = match &mut recorder {
        None => (workspace.configurations(&arguments.choice)?, Vec::new()),
        Some(recorder) => recorder.configurations()?,
    };
    let checkpoint = &arguments.checkpoint;
    options.checkpoint = checkpoint.open(&configurations, arguments.engine, &options)?;
    let begun = CheckpointJson::begun(checkpoint, &options);
    let interrupt = Interrupt::listen();
    let start = Instant::now();
    let mut results = Vec::new();
    let mut tlc_agrees = true;
    for configuration in &configurations {
        if interrupt.is_set() {
            break;
        }
        let before = match (&recorder, &configuration.registered) {
            (Some(recorder), Some(entry)) => {
                Some(recorder.before(entry, configuration.model.module())?)
            }
            _ => None,
        };
        let finished = search::explore(configuration, arguments.engine, &options, &interrupt);
        if let (Some(recorder), Some(before)) = (&mut recorder, before)
            && !was_interrupted(&finished)
        {
            tlc_agrees &= recorder.record(configuration, &before, &finished, &interrupt)?;
        }
        results.push((configuration, finished));
    }
    let recorded = recorder.as_ref().map(Recorder::recorded);
    let not_run = configurations.len() - results.len();
    let checkpoint = begun.map(|begun| begun.ended(&options));
    let mut status = results
        .iter()
        .fold(Status::Expected, |all, (_, one)| all.and(one.status()));
    if not_run > 0 {
        status = status.and(Status::Inconclusive);
    }
    if !tlc_agrees {
        status = status.and(Status::Different);
    }
    for failure in &failures {
        failure.report();
        status = status.and(failure.status());
    }
    if let Some(path) = &arguments.junit {
        junit::write(path, &results, &configurations[results.len()..])?;
    }
    if arguments.json {
        output::print_json(&CheckJson {
            plumb: env!("CARGO_PKG_VERSION"),
            specs: workspace.specs.source().to_string(),
            engine: arguments.engine,
            configurations: results
                .iter()
                .map(|(one, found)| result(one, found))
                .collect(),
            not_run,
            checkpoint,
            evidence: recorded,
        })?;
    } else {
        let mut text = table(&results);
        text.push_str(&remarks(&results, arguments.search.deadlock));
        if let Some(checkpoint) = &checkpoint
            && checkpoint.is_of_use(&results)
        {
            let folder = &checkpoint.folder;
            let _ = writeln!(
                text,
                "    go on with the same command and `--resume {folder}`"
            );
        }
        text.push_str(&summary(&results, not_run, start.elapsed()));
        let _ = writeln!(text, "Specifications: {}", workspace.specs.source());
        if let Some(recorded) = recorded {
            let _ = writeln!(text, "{recorded}");
        }
        output::print(&text)?;
    }
    Ok(status)
}

/// Whether the user ended the search: that is no budget, and nothing to be recorded.
fn was_interrupted(finished: &Finished) -> bool {
    finished.report.verdict == Verdict::Inconclusive(StopReason::Interrupted)
}

fn table(results: &[(&Configuration, Finished)]) -> String {
    let rows = results.iter().map(|(configuration, finished)| {
        let report = &finished.report;
        let explored = !matches!(report.verdict, Verdict::Assumption { .. });
        let count = |count: u64| {
            if explored {
                grouped(count)
            } else {
                "-".to_owned()
            }
        };
        let extent = match (&report.verdict, report.depth()) {
            (Verdict::Violated { .. }, _) => format!("trace {}", report.trace.len()),
            (_, 0) => "-".to_owned(),
            (_, depth) => format!("depth {depth}"),
        };
        let verdict = match report.verdict.property() {
            Some(property) => format!("{} {property}", report.verdict.word()),
            None => report.verdict.word().to_owned(),
        };
        [
            configuration.name.clone(),
            finished.outcome.word().replace('_', " "),
            verdict,
            count(report.distinct),
            count(report.generated),
            extent,
            seconds(report.elapsed),
        ]
    });
    let header = [
        "CONFIGURATION",
        "OUTCOME",
        "VERDICT",
        "DISTINCT",
        "GENERATED",
        "DEPTH/TRACE",
        "TIME",
    ];
    let mut text = String::new();
    for (number, line) in output::table(header, rows, 3..7).into_iter().enumerate() {
        let status = number
            .checked_sub(1)
            .and_then(|row| Some(results.get(row)?.1.status()));
        let _ = match status {
            None => writeln!(text, "{}", line.bold()),
            Some(Status::Expected) => writeln!(text, "{line}"),
            Some(Status::Inconclusive) => writeln!(text, "{}", line.yellow()),
            Some(_) => writeln!(text, "{}", line.red()),
        };
    }
    text
}

/// What the table has no room for: why a check is not as it should be.
fn remarks(results: &[(&Configuration, Finished)], deadlock: bool) -> String {
    let mut text = String::new();
    for (configuration, finished) in results {
        let vacuity = vacuity_of(configuration, finished);
        for warning in vacuity.warnings() {
            let _ = writeln!(text, "\n{}: warning: {warning}", configuration.name);
        }
        if configuration.registered.is_some() && vacuity.has_unlisted() {
            text.push_str("    if it is right so, list it in the registry under never_taken\n");
        }
        if let Some(explanation) = search::explanation(finished) {
            let explanation = explanation.replace('\n', "\n    ");
            let _ = writeln!(text, "\n{}: {explanation}", configuration.name);
            if finished.report.verdict.property().is_some() {
                let _ = writeln!(
                    text,
                    "    see it with `{}`",
                    trace_command(configuration, deadlock)
                );
            }
        } else if finished.outcome == Outcome::None
            && let Some(property) = finished.report.verdict.property()
        {
            let conjunct = match finished.report.verdict.conjunct() {
                Some(conjunct) => format!(" (its conjunct {conjunct})"),
                None => String::new(),
            };
            let _ = writeln!(
                text,
                "\n{}: {property}{conjunct} is violated",
                configuration.name
            );
            if !finished.report.trace.is_empty() {
                let _ = writeln!(
                    text,
                    "    see it with `{}`",
                    trace_command(configuration, deadlock)
                );
            }
        }
    }
    text
}

/// What the searches never did.
fn vacuity_of(configuration: &Configuration, finished: &Finished) -> Vacuity {
    let listed = configuration
        .registered
        .as_ref()
        .map(|entry| entry.never_taken.as_slice());
    Vacuity::of(&finished.report, listed.unwrap_or_default())
}

fn trace_command(configuration: &Configuration, deadlock: bool) -> String {
    let deadlock = if deadlock { " --deadlock" } else { "" };
    if configuration.registered.is_some() {
        format!("plumb trace {}{deadlock}", configuration.name)
    } else {
        format!(
            "plumb trace --model {} --cfg {}{deadlock}",
            configuration.model.name(),
            configuration.path
        )
    }
}

fn summary(results: &[(&Configuration, Finished)], not_run: usize, elapsed: Duration) -> String {
    let mut parts = Vec::new();
    let mut count = |word: &str, wanted: &dyn Fn(&Finished) -> bool| match results
        .iter()
        .filter(|(_, finished)| wanted(finished))
        .count()
    {
        0 => {}
        number => parts.push(format!("{number} {word}")),
    };
    count("as expected", &|finished| {
        finished.outcome == Outcome::AsExpected
    });
    count("unexpected", &|finished| {
        matches!(finished.outcome, Outcome::Unexpected(_))
    });
    count("inconclusive", &|finished| {
        matches!(finished.report.verdict, Verdict::Inconclusive(_))
    });
    count("in error", &|finished| {
        matches!(finished.report.verdict, Verdict::Error { .. })
    });
    count("exhausted without an expectation", &|finished| {
        finished.outcome == Outcome::None && finished.report.verdict == Verdict::Exhausted
    });
    count("violated without an expectation", &|finished| {
        finished.outcome == Outcome::None && finished.report.verdict.property().is_some()
    });
    if not_run > 0 {
        parts.push(format!("{not_run} not run"));
    }
    if parts.is_empty() {
        parts.push("nothing was checked".to_owned());
    }
    let configurations = match results.len() + not_run {
        1 => "1 configuration".to_owned(),
        number => format!("{number} configurations"),
    };
    format!(
        "\n{configurations}: {}, in {}\n",
        parts.join(", "),
        seconds(elapsed)
    )
}

fn seconds(time: Duration) -> String {
    format!("{:.2} s", time.as_secs_f64())
}

/// What `plumb check --json` prints; `schemas/check.schema.json` describes it.
#[derive(Serialize)]
struct CheckJson<'a> {
    plumb: &'static str,
    specs: String,
    #[serde(serialize_with = "engine_word")]
    engine: Engine,
    configurations: Vec<ResultJson<'a>>,
    not_run: usize,
    checkpoint: Option<CheckpointJson>,
    evidence: Option<Recorded>,
}

/// The folder that the search wrote checkpoints to, and what is in it.
#[derive(Serialize)]
struct CheckpointJson {
    folder: String,
    resumed: bool,
    resumed_level: Option<usize>,
    level: Option<usize>,
}

/// The last level that the checkpoint holds, if it holds any.
fn checkpoint_level(options: &SearchOptions) -> Option<usize> {
    let checkpoint = options.checkpoint.as_ref()?;
    let checkpoint = checkpoint.lock().unwrap_or_else(PoisonError::into_inner);
    Some(checkpoint.found()?.0)
}

impl CheckpointJson {
    /// Before the search.
    fn begun(arguments: &CheckpointArguments, options: &SearchOptions) -> Option<Self> {
        let folder = arguments.folder()?.display().to_string();
        let level = checkpoint_level(options);
        Some(Self {
            folder,
            resumed: arguments.resume.is_some(),
            resumed_level: level,
            level,
        })
    }

    /// After it.
    fn ended(self, options: &SearchOptions) -> Self {
        Self {
            level: checkpoint_level(options),
            ..self
        }
    }

    /// Whether it is worth going on from: something is there, and what ended the search may be
    /// otherwise the next time, as it is with budgets, signals and full disks. A model that
    /// panicked will do it again.
    fn is_of_use(&self, results: &[(&Configuration, Finished)]) -> bool {
        let may_go_on = |finished: &Finished| match &finished.report.verdict {
            Verdict::Inconclusive(_) => true,
            Verdict::Error { message, state } => {
                state.is_none() && !message.starts_with("the model panicked")
            }
            _ => false,
        };
        let ended = results.iter().all(|(_, finished)| may_go_on(finished));
        self.level.is_some() && ended
    }
}

#[derive(Serialize)]
struct ResultJson<'a> {
    name: &'a str,
    model: &'static str,
    verdict: &'static str,
    property: Option<&'a str>,
    conjunct: Option<&'a str>,
    kind: Option<PropertyKind>,
    distinct: Option<u64>,
    generated: Option<u64>,
    outside: Option<u64>,
    queue: Option<u64>,
    depth: Option<usize>,
    trace: Option<usize>,
    levels: Option<&'a [u64]>,
    actions: Option<BTreeMap<&'static str, u64>>,
    never_taken: Vec<NeverTakenJson>,
    outcome: &'static str,
    differences: &'a [String],
    message: Option<String>,
    seconds: f64,
}

/// An action that an exhausted search never took, with the registry's reason.
#[derive(Serialize)]
struct NeverTakenJson {
    action: &'static str,
    reason: Option<String>,
}

fn engine_word<S: Serializer>(engine: &Engine, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(match engine {
        Engine::Plumb => "plumb",
        Engine::Stateright => "stateright",
    })
}

fn result<'a>(configuration: &'a Configuration, finished: &'a Finished) -> ResultJson<'a> {
    let report = &finished.report;
    let verdict = &report.verdict;
    let explored = !matches!(verdict, Verdict::Assumption { .. });
    let with_levels = explored && !report.levels.is_empty();
    ResultJson {
        name: &configuration.name,
        model: configuration.model.name(),
        verdict: verdict.word(),
        property: verdict.property(),
        conjunct: verdict.conjunct(),
        kind: verdict.kind(),
        distinct: explored.then_some(report.distinct),
        generated: explored.then_some(report.generated),
        // stateright counts neither.
        outside: with_levels.then_some(report.outside),
        queue: with_levels.then_some(report.queue),
        depth: with_levels.then_some(report.depth()),
        trace: (!report.trace.is_empty()).then_some(report.trace.len()),
        levels: with_levels.then_some(&report.levels),
        actions: with_levels.then(|| report.actions.iter().copied().collect()),
        never_taken: vacuity_of(configuration, finished)
            .never_taken
            .into_iter()
            .map(|(action, reason)| NeverTakenJson { action, reason })
            .collect(),
        outcome: finished.outcome.word(),
        differences: match &finished.outcome {
            Outcome::Unexpected(differences) => differences,
            Outcome::AsExpected | Outcome::None => &[],
        },
        message: match verdict {
            Verdict::Inconclusive(_) | Verdict::Error { .. } => search::explanation(finished),
            _ => None,
        },
        seconds: report.elapsed.as_secs_f64(),
    }
}
