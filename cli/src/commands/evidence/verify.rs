//! `plumb evidence verify`: the audit.

use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use owo_colors::OwoColorize;
use plumb_attest::fault::Fault;
use plumb_attest::folder::read_evidence;
use plumb_attest::freshness::SemanticRecord;
use plumb_attest::record::{Judge, VerdictWord};
use plumb_attest::signature::{PublicKey, SignedBy};
use plumb_attest::verify::{Audit, AuditReport, Auditor, Basis, Claim, Status as Audited, repeat};
use plumb_checker::{Registry, SearchOptions};
use plumb_sources::Sources;
use serde::Serialize;

use super::record;
use crate::arguments::{Engine, VerifyArguments};
use crate::commands::search;
use crate::error::CliError;
use crate::exit::Status;
use crate::interrupt::Interrupt;
use crate::output::{self, grouped, visible};
use crate::workspace::Workspace;

/// Audits the bundles of a folder.
pub(super) fn run(
    registry: &Registry,
    specs: Option<&Path>,
    arguments: &VerifyArguments,
) -> Result<Status, CliError> {
    let start = Instant::now();
    let workspace = Workspace::open(registry, specs)?;
    let audited = audit(
        registry,
        &workspace,
        arguments.folder.as_deref(),
        &arguments.public_key,
    )?;
    let AuditOf {
        mut report,
        sources,
        built_from_others,
        folder,
        single: _,
    } = audited;
    let mut repeated = 0;
    if let Some(limit) = arguments.repeat {
        repeated = repeat_all(&workspace, sources.as_ref(), &mut report, limit)?;
    }
    let status = exit_status(&report, arguments.allow_stale);
    if !built_from_others.is_empty() {
        output::note(&format!(
            "this program was built from other sources than those that lie here ({}): what is \
             recomputed is by the program's",
            built_from_others.join(", ")
        ));
    }
    if arguments.json {
        output::print_json(&json(&folder, &report, repeated))?;
        return Ok(status);
    }
    let mut text = table(&report);
    if arguments.claims {
        text.push_str(&claims(&report));
    }
    text.push_str(&faults(&report));
    text.push_str(&summary(&report, repeated, start.elapsed()));
    output::print(&text)?;
    Ok(status)
}

/// An audit and what it was made with.
pub(super) struct AuditOf {
    pub(super) report: AuditReport,
    pub(super) sources: Option<Sources>,
    pub(super) built_from_others: Vec<String>,
    pub(super) folder: String,
    /// Whether the folder is one bundle.
    pub(super) single: bool,
}

/// Audits a folder.
pub(super) fn audit(
    registry: &Registry,
    workspace: &Workspace<'_>,
    given: Option<&Path>,
    keys: &[std::path::PathBuf],
) -> Result<AuditOf, CliError> {
    let folder = super::folder(workspace, given)?;
    let keys = keys.iter().map(|path| {
        let pem = super::read_text(path)?;
        let key = PublicKey::from_pem(&pem);
        key.map_err(|error| CliError::usage(format!("{}: {error}", path.display()), None))
    });
    let keys: Vec<PublicKey> = keys.collect::<Result<_, CliError>>()?;
    let sources = super::sources(registry, workspace)?;
    let built_from_others = super::built_from_others(registry, sources.as_ref())?;
    let collection =
        read_evidence(&folder).map_err(|error| CliError::unreadable(&folder, &error))?;
    if collection.bundles.is_empty() && collection.faults.is_empty() {
        return Err(CliError::usage(
            format!("there is no bundle in {}", folder.display()),
            Some("`plumb check --evidence DIR` records them".to_owned()),
        ));
    }
    let auditor = Auditor {
        registry,
        specs: &workspace.specs,
        sources: sources.as_ref(),
        keys: &keys,
    };
    let single = collection.single;
    let report = auditor.audit(collection);
    Ok(AuditOf {
        report,
        sources,
        built_from_others,
        folder: folder.display().to_string(),
        single,
    })
}

/// Runs again what came to an end by Plumb's own search, and took at most `limit`.
fn repeat_all(
    workspace: &Workspace<'_>,
    sources: Option<&Sources>,
    report: &mut AuditReport,
    limit: Option<Duration>,
) -> Result<u64, CliError> {
    let interrupt = Interrupt::listen();
    let options = SearchOptions::default();
    let mut repeated = 0;
    for audit in &mut report.audits {
        if interrupt.is_set() {
            break;
        }
        let ended = audit.result.as_ref().is_none_or(|result| {
            let unfinished = [VerdictWord::Inconclusive, VerdictWord::Error];
            result.judge == Judge::Plumb && !unfinished.contains(&result.verdict.word)
        });
        let took = audit
            .run
            .as_ref()
            .map(|run| Duration::from_millis(run.milliseconds));
        let short = limit.is_none_or(|limit| took.is_none_or(|took| took <= limit));
        let Ok(entry) = workspace.specs.find(&audit.configuration) else {
            continue; // a fault already
        };
        // What is of other sources cannot be repeated with those of now.
        if !ended || !short || audit.status == Audited::Stale {
            continue;
        }
        let configuration = workspace.registered(entry)?;
        let module = configuration.model.module();
        let semantic = SemanticRecord::now(&workspace.specs, entry, module, sources)?;
        let finished = search::explore(&configuration, Engine::Plumb, &options, &interrupt);
        if interrupt.is_set() {
            break;
        }
        let (again, _) = record::found(workspace, &configuration, &finished, &semantic)?;
        repeat(audit, &again);
        repeated += 1;
    }
    Ok(repeated)
}

/// What an audit means for the exit status.
pub(super) fn exit_status(report: &AuditReport, allow_stale: bool) -> Status {
    let mut status = match report.faults.is_empty() {
        true => Status::Expected,
        false => Status::Different,
    };
    for audit in &report.audits {
        let one = match audit.status {
            Audited::Valid => Status::Expected,
            Audited::Stale if allow_stale || audit.stale_reason.is_some() => Status::Expected,
            Audited::Stale | Audited::Invalid => Status::Different,
        };
        status = status.and(one);
        let word = audit.result.as_ref().map(|result| result.verdict.word);
        if word == Some(VerdictWord::Inconclusive) {
            status = status.and(Status::Inconclusive);
        }
    }
    status
}

fn table(report: &AuditReport) -> String {
    let rows = report.audits.iter().map(|audit| {
        let result = audit.result.as_ref();
        let verdict = result.map_or("-".to_owned(), |result| {
            let word = result.verdict.word.word();
            match &result.verdict.property {
                Some(property) => format!("{word} {}", visible(property)),
                None => word.to_owned(),
            }
        });
        let states = result.and_then(|result| {
            let counts = result.counts.filter(|_| result.is_whole())?;
            Some(grouped(counts.distinct))
        });
        [
            audit.configuration.clone(),
            audit.status.word().to_owned(),
            verdict,
            audit.basis_of_verdict().map_or("-", Basis::word).to_owned(),
            states.unwrap_or_else(|| "-".to_owned()),
        ]
    });
    let header = [
        "CONFIGURATION",
        "STATUS",
        "VERDICT",
        "HOW IT IS KNOWN",
        "STATES",
    ];
    let mut text = String::new();
    for (number, line) in output::table(header, rows, 4..5).into_iter().enumerate() {
        let audit = number.checked_sub(1).and_then(|row| report.audits.get(row));
        let _ = match audit.map(|audit| audit.status) {
            None => writeln!(text, "{}", line.bold()),
            Some(Audited::Valid) => writeln!(text, "{line}"),
            Some(Audited::Stale) => writeln!(text, "{}", line.yellow()),
            Some(Audited::Invalid) => writeln!(text, "{}", line.red()),
        };
    }
    text
}

fn claims(report: &AuditReport) -> String {
    let mut text = String::new();
    for audit in &report.audits {
        let _ = writeln!(text, "\n{}", audit.configuration);
        for claim in &audit.claims {
            let Claim { basis, claim, how } = claim;
            let how = visible(how);
            let _ = writeln!(text, "    {claim}: {}: {how}", basis.word());
        }
    }
    text
}

fn faults(report: &AuditReport) -> String {
    let mut text = String::new();
    let of_audits = report.audits.iter().flat_map(|audit| &audit.faults);
    for fault in report.faults.iter().chain(of_audits) {
        let _ = writeln!(text, "\n{}", visible(&fault.to_string()));
    }
    for audit in &report.audits {
        if let Some(reason) = &audit.stale_reason {
            let _ = writeln!(
                text,
                "    {} may be stale: {}",
                audit.configuration,
                visible(reason)
            );
        }
    }
    text
}

fn summary(report: &AuditReport, repeated: u64, elapsed: Duration) -> String {
    let count = |wanted: &dyn Fn(&Audit) -> bool| {
        report.audits.iter().filter(|audit| wanted(audit)).count()
    };
    let parts = |words: &[(usize, &str)]| {
        let parts = words.iter().filter(|(number, _)| *number > 0);
        let parts: Vec<String> = parts
            .map(|(number, word)| format!("{number} {word}"))
            .collect();
        parts.join(", ")
    };
    let status = |wanted: Audited| count(&|audit| audit.status == wanted);
    let known = |wanted: Basis| count(&|audit| audit.basis_of_verdict() == Some(wanted));
    let statuses = parts(&[
        (status(Audited::Valid), "valid"),
        (status(Audited::Stale), "stale"),
        (status(Audited::Invalid), "invalid"),
    ]);
    let bases = parts(&[
        (known(Basis::Recomputed), "recomputed"),
        (known(Basis::CrossChecked), "cross-checked with TLC"),
        (known(Basis::Asserted), "only asserted"),
        (known(Basis::NotChecked), "not checked"),
    ]);
    let bundles = match report.audits.len() {
        1 => "1 bundle".to_owned(),
        number => format!("{number} bundles"),
    };
    let seconds = elapsed.as_secs_f64();
    let mut text = format!("\n{bundles}: {statuses}, in {seconds:.2} s\n");
    if !bases.is_empty() {
        let _ = writeln!(text, "Verdicts: {bases}");
    }
    if repeated > 0 {
        let _ = writeln!(text, "Run again: {repeated}");
    }
    let unverified = count(&|audit| audit.signatures.iter().any(|by| !by.verified));
    if unverified > 0 {
        let _ = writeln!(
            text,
            "Signatures of {unverified} bundles were not verified: their keys were not given"
        );
    }
    text
}

/// What `plumb evidence verify --json` prints; `schemas/evidence-verify.schema.json` describes it.
#[derive(Serialize)]
struct VerifyJson<'a> {
    plumb: &'static str,
    folder: &'a str,
    status: Audited,
    bundles: Vec<BundleJson<'a>>,
    faults: &'a [Fault],
    repeated: u64,
}

#[derive(Serialize)]
struct BundleJson<'a> {
    model: &'a str,
    configuration: &'a str,
    status: Audited,
    verdict: Option<VerdictWord>,
    property: Option<&'a str>,
    claims: &'a [Claim],
    faults: &'a [Fault],
    signatures: &'a [SignedBy],
    stale_reason: Option<&'a str>,
}

fn json<'a>(folder: &'a str, report: &'a AuditReport, repeated: u64) -> VerifyJson<'a> {
    let bundles = report.audits.iter().map(|audit| {
        let verdict = audit.result.as_ref().map(|result| &result.verdict);
        BundleJson {
            model: &audit.model,
            configuration: &audit.configuration,
            status: audit.status,
            verdict: verdict.map(|verdict| verdict.word),
            property: verdict.and_then(|verdict| verdict.property.as_deref()),
            claims: &audit.claims,
            faults: &audit.faults,
            signatures: &audit.signatures,
            stale_reason: audit.stale_reason.as_deref(),
        }
    });
    VerifyJson {
        plumb: env!("CARGO_PKG_VERSION"),
        folder,
        status: report.status(),
        bundles: bundles.collect(),
        faults: &report.faults,
        repeated,
    }
}
