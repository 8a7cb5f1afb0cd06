//! `--repeat`: checks that are run again.

use std::path::Path;
use std::time::Duration;

use plumb_attest::freshness::SemanticRecord;
use plumb_attest::record::{Judge, VerdictWord};
use plumb_attest::verify::{Audit, Status, repeat};
use plumb_checker::{SearchOptions, StopReason, Verdict};
use serde::Serialize;

use super::record;
use super::verify::AuditOf;
use crate::arguments::Engine;
use crate::commands::search;
use crate::error::CliError;
use crate::interrupt::Interrupt;
use crate::workspace::Workspace;

/// What was run again, and what was not.
#[derive(Debug, Default)]
pub(super) struct Repetition {
    /// How many checks were run again.
    pub(super) repeated: u64,
    /// What was left out, and why.
    pub(super) left_out: Vec<LeftOut>,
    /// Whether a signal came before the end.
    pub(super) interrupted: bool,
}

/// A check that was not run again.
#[derive(Debug, Serialize)]
pub(super) struct LeftOut {
    pub(super) model: String,
    pub(super) configuration: String,
    pub(super) reason: String,
}

/// Runs the checks of an audit again. With a limit, a search that takes longer is given up: what
/// the bundle says of its time is not relied on.
///
/// # Errors
///
/// The program was built from other sources than those that lie there: it would repeat something
/// else.
pub(super) fn repeat_all(
    workspace: &Workspace<'_>,
    audited: &mut AuditOf,
    limit: Option<Duration>,
) -> Result<Repetition, CliError> {
    if !audited.built_from_others.is_empty() {
        return Err(CliError::usage(
            format!(
                "nothing can be repeated: this program was built from other sources than those that \
                 lie here ({})",
                record::first_few(&audited.built_from_others)
            ),
            Some("build it again, or leave --repeat out".to_owned()),
        ));
    }
    let interrupt = Interrupt::listen();
    let options = SearchOptions {
        max_time: limit,
        ..SearchOptions::default()
    };
    let mut repetition = Repetition::default();
    let AuditOf {
        report, sources, ..
    } = audited;
    for audit in &mut report.audits {
        let reason = match unrepeatable(audit) {
            _ if interrupt.is_set() => Some("interrupted".to_owned()),
            Some(reason) => Some(reason.to_owned()),
            None => again(workspace, audit, sources.as_ref(), &options, &interrupt)?,
        };
        match reason {
            None => repetition.repeated += 1,
            Some(reason) => repetition.left_out.push(LeftOut {
                model: audit.model.clone(),
                configuration: audit.configuration.clone(),
                reason,
            }),
        }
    }
    repetition.interrupted = interrupt.is_set();
    Ok(repetition)
}

/// Why a bundle says nothing that could be repeated.
fn unrepeatable(audit: &Audit) -> Option<&'static str> {
    let Some(result) = &audit.result else {
        return Some("its result cannot be read");
    };
    match (result.judge, result.verdict.word) {
        _ if audit.status == Status::Stale => Some("it is of other sources than those of now"),
        (Judge::Tlc, _) => Some("it is of a run of TLC"),
        (_, VerdictWord::Inconclusive) => Some("its search did not come to its end"),
        (_, VerdictWord::Error) => Some("its check failed"),
        _ => None,
    }
}

/// Runs one check again and holds it against the bundle; the reason, if it came to no end.
fn again(
    workspace: &Workspace<'_>,
    audit: &mut Audit,
    sources: Option<&plumb_sources::Sources>,
    options: &SearchOptions,
    interrupt: &Interrupt,
) -> Result<Option<String>, CliError> {
    // By what the bundle says it is, wherever it lies.
    let name = audit.result.as_ref().map(|result| &result.configuration);
    let name = name.unwrap_or(&audit.configuration);
    let Ok(entry) = workspace.specs.find(name) else {
        return Ok(Some("nothing of its name is registered".to_owned()));
    };
    let configuration = workspace.registered(entry)?;
    let module = configuration.model.module();
    let semantic = SemanticRecord::now(&workspace.specs, entry, module, sources)?;
    let finished = search::explore(&configuration, Engine::Plumb, options, interrupt);
    if let Verdict::Inconclusive(reason) = &finished.report.verdict {
        return Ok(Some(match reason {
            StopReason::Interrupted => "interrupted".to_owned(),
            StopReason::Time(limit) => format!("it takes longer than {} s", limit.as_secs_f64()),
            other => other.to_string(),
        }));
    }
    let (again, _) = record::found(workspace, &configuration, &finished, &semantic)?;
    repeat(audit, &again);
    Ok(None)
}

/// What `--repeat TIME`, without the sign between, was read as: the hint on it.
pub(super) fn mistaken_for_folder(folder: &Path) -> Option<String> {
    let text = folder.to_str().filter(|_| !folder.exists())?;
    crate::arguments::parse_time(text).ok()?;
    Some(format!("a time for --repeat is given as `--repeat={text}`"))
}
