//! `plumb evidence verify`: the audit.

use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use owo_colors::OwoColorize;
use plumb_attest::fault::Fault;
use plumb_attest::folder::{Scope, read_evidence};
use plumb_attest::record::VerdictWord;
use plumb_attest::signature::{PublicKey, SignedBy};
use plumb_attest::verify::{Audit, AuditReport, Auditor, Basis, Claim, Status as Audited};
use plumb_checker::Registry;
use plumb_sources::Sources;
use serde::Serialize;

use super::record::first_few;
use super::repetition::{LeftOut, Repetition, mistaken_for_folder, repeat_all};
use crate::arguments::VerifyArguments;
use crate::error::CliError;
use crate::exit::Status;
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
    let mut audited = audit(
        registry,
        &workspace,
        arguments.folder.as_deref(),
        &arguments.public_key,
    )?;
    let mut repetition = None;
    if let Some(limit) = arguments.repeat {
        repetition = Some(repeat_all(&workspace, &mut audited, limit)?);
    }
    let repetition = repetition.as_ref();
    let report = &audited.report;
    let mut status = exit_status(report, arguments.allow_stale);
    if repetition.is_some_and(|repetition| repetition.interrupted) {
        status = status.and(Status::Inconclusive);
    }
    note_on_program(&audited.built_from_others);
    if arguments.json {
        output::print_json(&json(&audited, repetition))?;
        return Ok(status);
    }
    let mut text = table(report);
    if arguments.claims {
        text.push_str(&claims(report));
    }
    text.push_str(&faults(report));
    text.push_str(&summary(report, repetition, start.elapsed()));
    output::print(&text)?;
    Ok(status)
}

/// Says that the models of this program are not those that lie here, if so.
pub(super) fn note_on_program(built_from_others: &[String]) {
    if !built_from_others.is_empty() {
        output::note(&format!(
            "this program was built from other sources than those that lie here ({}): traces were \
             replayed on the models that it was built from",
            first_few(built_from_others)
        ));
    }
}

/// An audit and what it was made with.
pub(super) struct AuditOf {
    pub(super) report: AuditReport,
    pub(super) sources: Option<Sources>,
    pub(super) built_from_others: Vec<String>,
    pub(super) folder: String,
    /// What the folder is.
    pub(super) scope: Scope,
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
    let collection = read_evidence(&folder).map_err(|error| {
        let hint = mistaken_for_folder(&folder).or_else(|| named(workspace, &folder));
        CliError::unreadable(&folder, &error).with_hint(hint)
    })?;
    // Whoever names no folder means all evidence, and less must not pass for it.
    if given.is_none() && collection.scope != Scope::All {
        return Err(CliError::usage(
            format!(
                "{}: expected the folder of all evidence, and it is of one model or one bundle",
                folder.display()
            ),
            Some("name the folder, if that is what you want".to_owned()),
        ));
    }
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
    let scope = collection.scope;
    let report = auditor.audit(collection);
    Ok(AuditOf {
        report,
        sources,
        built_from_others,
        folder: folder.display().to_string(),
        scope,
    })
}

/// The hint for who gives the name of a configuration in the place of a folder.
fn named(workspace: &Workspace<'_>, folder: &Path) -> Option<String> {
    let entry = workspace.specs.find(folder.to_str()?).ok()?;
    Some(format!(
        "a bundle is named by its folder, such as evidence/{}/{}",
        entry.model, entry.name
    ))
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
            let counts = result
                .counts
                .filter(|_| result.verdict.word == VerdictWord::Exhausted)?;
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

fn summary(report: &AuditReport, repetition: Option<&Repetition>, elapsed: Duration) -> String {
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
    let bundles = |number: usize| match number {
        1 => "1 bundle".to_owned(),
        number => format!("{number} bundles"),
    };
    let all = bundles(report.audits.len());
    let seconds = elapsed.as_secs_f64();
    let mut text = match statuses.is_empty() {
        true => format!("\n{all}, in {seconds:.2} s\n"),
        false => format!("\n{all}: {statuses}, in {seconds:.2} s\n"),
    };
    if !bases.is_empty() {
        let _ = writeln!(text, "Verdicts: {bases}");
    }
    if let Some(repetition) = repetition {
        text.push_str(&run_again(repetition));
    }
    let unverified = count(&|audit| audit.signatures.iter().any(|by| !by.verified));
    if unverified > 0 {
        let _ = writeln!(
            text,
            "Signatures not verified, since their keys were not given: those of {}",
            bundles(unverified)
        );
    }
    text
}

/// What was run again, and by reason what was not.
fn run_again(repetition: &Repetition) -> String {
    let Repetition {
        repeated,
        left_out,
        interrupted,
    } = repetition;
    let mut text = format!("Run again: {repeated}");
    if *interrupted {
        text.push_str(", and then interrupted");
    }
    text.push('\n');
    let mut reasons: Vec<(&str, Vec<String>)> = Vec::new();
    for left_out in left_out {
        let name = left_out.configuration.clone();
        match reasons
            .iter_mut()
            .find(|(reason, _)| *reason == left_out.reason)
        {
            Some((_, names)) => names.push(name),
            None => reasons.push((&left_out.reason, vec![name])),
        }
    }
    for (reason, names) in reasons {
        let _ = writeln!(text, "Not run again, {reason}: {}", first_few(&names));
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
    not_repeated: &'a [LeftOut],
    interrupted: bool,
    built_from_others: &'a [String],
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

fn json<'a>(audited: &'a AuditOf, repetition: Option<&'a Repetition>) -> VerifyJson<'a> {
    let report = &audited.report;
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
        folder: &audited.folder,
        status: report.status(),
        bundles: bundles.collect(),
        faults: &report.faults,
        repeated: repetition.map_or(0, |repetition| repetition.repeated),
        not_repeated: repetition.map_or(&[], |repetition| &repetition.left_out),
        interrupted: repetition.is_some_and(|repetition| repetition.interrupted),
        built_from_others: &audited.built_from_others,
    }
}
