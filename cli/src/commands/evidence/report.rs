//! `plumb evidence report`: the page that a reviewer reads.

use std::path::{Component, Path, PathBuf};

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use minijinja::value::Serde;
use minijinja::{Environment, Value, context};
use plumb_attest::bundle::cfg_path;
use plumb_attest::fault::Fault;
use plumb_attest::record::{ResultRecord, RunRecord};
use plumb_attest::report;
use plumb_attest::verify::{Audit, Basis, Status as Audited};
use plumb_checker::{Purpose, Registry};
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::verify::{self, AuditOf};
use crate::arguments::ReportArguments;
use crate::error::CliError;
use crate::exit::Status;
use crate::output::{self, grouped};
use crate::workspace::Workspace;

const PAGE: &str = include_str!("report/report.html");
const STYLE: &str = include_str!("report/report.css");
const SUMMARY: &str = include_str!("report/report.md");

/// Audits the bundles and writes what may be said of them.
pub(super) fn run(
    registry: &Registry,
    specs: Option<&Path>,
    arguments: &ReportArguments,
) -> Result<Status, CliError> {
    let workspace = Workspace::open(registry, specs)?;
    let folder = super::folder(&workspace, arguments.folder.as_deref())?;
    let given = arguments.folder.as_deref();
    let audited = verify::audit(registry, &workspace, given, &arguments.public_key)?;
    let status = verify::exit_status(&audited.report, false);
    if let Some(path) = &arguments.html {
        let place = relative(path, &folder);
        let page = Page::of(registry, &workspace, &audited, &place);
        output::write_file(path, page.render("report.html", PAGE)?.as_bytes())?;
    }
    let page = Page::of(registry, &workspace, &audited, "");
    if let Some(path) = &arguments.markdown {
        output::write_file(path, page.render("report.md", SUMMARY)?.as_bytes())?;
    } else if arguments.html.is_none() {
        output::print(&page.render("report.md", SUMMARY)?)?;
    }
    Ok(status)
}

/// The way from the folder of `page` to `folder`, with slashes.
fn relative(page: &Path, folder: &Path) -> String {
    let whole = |path: &Path| std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let from = whole(page.parent().unwrap_or(Path::new("")));
    let to = whole(folder);
    let parts = |path: &Path| -> Vec<PathBuf> {
        let parts = path.components().filter(|part| *part != Component::CurDir);
        parts.map(|part| PathBuf::from(part.as_os_str())).collect()
    };
    let (from, to) = (parts(&from), parts(&to));
    let common = from
        .iter()
        .zip(&to)
        .take_while(|(one, other)| one == other)
        .count();
    let up = from[common..].iter().map(|_| "..".to_owned());
    let down = to[common..]
        .iter()
        .map(|part| part.to_string_lossy().into_owned());
    let way: Vec<String> = up.chain(down).collect();
    match way.is_empty() {
        true => ".".to_owned(),
        false => way.join("/"),
    }
}

#[derive(Serialize)]
struct Page<'a> {
    title: &'static str,
    tool: &'static str,
    status: &'static str,
    headline: &'static str,
    counts: String,
    faults: &'a [Fault],
    models: Vec<ModelPart<'a>>,
}

#[derive(Serialize)]
struct ModelPart<'a> {
    name: &'a str,
    /// What the model's README says that it does not model.
    omitted: Option<String>,
    bundles: Vec<BundlePart<'a>>,
}

#[derive(Serialize)]
struct BundlePart<'a> {
    name: &'a str,
    status: &'static str,
    role: &'static str,
    role_word: &'static str,
    claim: String,
    known: &'static str,
    bounds: Option<String>,
    properties: Vec<PropertyPart<'a>>,
    never_taken: Vec<NeverPart<'a>>,
    stale_reason: Option<&'a str>,
    faults: &'a [Fault],
    claims: Vec<ClaimPart<'a>>,
    tools: Vec<(&'static str, String)>,
    place: String,
    files: Vec<&'a str>,
    #[serde(skip)]
    order: u8,
}

#[derive(Serialize)]
struct PropertyPart<'a> {
    name: &'a str,
    kind: String,
    meaning: Option<&'static str>,
}

#[derive(Serialize)]
struct NeverPart<'a> {
    action: &'a str,
    reason: &'a str,
}

#[derive(Serialize)]
struct ClaimPart<'a> {
    claim: &'static str,
    basis: &'static str,
    class: &'static str,
    how: &'a str,
}

impl<'a> Page<'a> {
    /// `place` is the way from the page to the folder of all bundles.
    fn of(
        registry: &Registry,
        workspace: &Workspace<'_>,
        audited: &'a AuditOf,
        place: &str,
    ) -> Self {
        let report = &audited.report;
        let mut models: Vec<ModelPart<'_>> = Vec::new();
        for audit in &report.audits {
            let bundle = BundlePart::of(registry, audit, audited.single, place);
            match models.iter_mut().find(|model| model.name == audit.model) {
                Some(model) => model.bundles.push(bundle),
                None => models.push(ModelPart {
                    name: &audit.model,
                    omitted: omitted(workspace, &audit.model),
                    bundles: vec![bundle],
                }),
            }
        }
        for model in &mut models {
            // Positive results first, then what guards them.
            model.bundles.sort_by_key(|bundle| bundle.order);
        }
        let status = report.status();
        let count = |wanted: Audited| {
            let audits = report.audits.iter();
            audits.filter(|audit| audit.status == wanted).count()
        };
        Self {
            title: "What was checked, and what is known of it",
            tool: concat!("plumb ", env!("CARGO_PKG_VERSION")),
            status: status.word(),
            headline: match status {
                Audited::Valid => "Every bundle is valid.",
                Audited::Stale => "Some bundles are of sources that have changed since.",
                Audited::Invalid => "Something is wrong: see below.",
            },
            counts: format!(
                "{} bundles: {} valid, {} stale, {} invalid.",
                report.audits.len(),
                count(Audited::Valid),
                count(Audited::Stale),
                count(Audited::Invalid)
            ),
            faults: &report.faults,
            models,
        }
    }

    fn render(&self, name: &str, template: &'static str) -> Result<String, CliError> {
        let style_hash = BASE64_STANDARD.encode(Sha256::digest(STYLE));
        let mut environment = Environment::new();
        environment.add_filter("plain", plain);
        let name = name.to_owned();
        let rendered = environment
            // The name's ending says whether values are to be escaped.
            .add_template_owned(name.clone(), template)
            .and_then(|()| environment.get_template(&name))
            .and_then(|template| {
                template.render(context! {
                    style => STYLE,
                    style_hash => format!("sha256-{style_hash}"),
                    ..Value::from(Serde(self))
                })
            });
        let mut text = rendered.map_err(|error| {
            CliError::failed(format!("cannot make the report: {error:#}"), None)
        })?;
        if !text.ends_with('\n') {
            text.push('\n');
        }
        Ok(text)
    }
}

/// A text within a line of Markdown: nothing in it is read as more than text.
fn plain(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' => shown.push(' '),
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '#' | '!' | '&' | '~' => {
                shown.push('\\');
                shown.push(c);
            }
            c if c.is_control() => shown.extend(c.escape_default()),
            c => shown.push(c),
        }
    }
    shown
}

impl<'a> BundlePart<'a> {
    fn of(registry: &Registry, audit: &'a Audit, single: bool, place: &str) -> Self {
        let result = audit.result.as_ref();
        let claimed = result.filter(|_| audit.status != Audited::Invalid);
        let purpose = claimed.map(|result| result.purpose);
        let known = audit.claims.iter().find(|claim| claim.claim == "verdict");
        let place = match (place, single) {
            (place, true) => place.to_owned(),
            (place, false) => format!("{place}/{}/{}", audit.model, audit.configuration),
        };
        Self {
            name: &audit.configuration,
            status: audit.status.word(),
            role: purpose.map_or("", report::role),
            role_word: match purpose {
                None => "",
                Some(Purpose::Bound) => "bound",
                Some(Purpose::Control) => "control",
                Some(Purpose::Witness) => "witness",
            },
            claim: report::claim(audit),
            known: match audit.status {
                Audited::Invalid => "-",
                _ => known.map_or("-", |claim| claim.basis.word()),
            },
            bounds: claimed.map(report::bounds),
            properties: claimed.map_or_else(Vec::new, |result| properties(registry, audit, result)),
            never_taken: claimed.map_or_else(Vec::new, |result| {
                let never = result.never_taken.iter();
                never
                    .map(|never| NeverPart {
                        action: &never.action,
                        reason: never.reason.as_deref().unwrap_or("no reason is listed"),
                    })
                    .collect()
            }),
            stale_reason: audit.stale_reason.as_deref(),
            faults: &audit.faults,
            claims: audit
                .claims
                .iter()
                .map(|claim| ClaimPart {
                    claim: claim.claim,
                    basis: claim.basis.word(),
                    class: match claim.basis {
                        Basis::Recomputed => "recomputed",
                        Basis::CrossChecked => "cross-checked",
                        Basis::Asserted => "asserted",
                        Basis::NotChecked => "not-checked",
                    },
                    how: &claim.how,
                })
                .collect(),
            tools: tools(result, audit.run.as_ref()),
            place,
            files: audit.bundle.files.keys().map(String::as_str).collect(),
            order: match purpose {
                Some(Purpose::Bound) => 0,
                Some(Purpose::Control) => 1,
                Some(Purpose::Witness) => 2,
                None => 3,
            },
        }
    }
}

/// What was checked, with what the model says that it means, if the model is still of these sources.
fn properties<'a>(
    registry: &Registry,
    audit: &'a Audit,
    result: &'a ResultRecord,
) -> Vec<PropertyPart<'a>> {
    let text = audit.bundle.file(&cfg_path(result));
    let configured = text
        .and_then(|text| std::str::from_utf8(text).ok())
        .and_then(|text| plumb_tla::parse_cfg(text).ok())
        .and_then(|cfg| registry.find(&result.model)?.configure(&cfg).ok());
    let meaning = |name: &str| {
        let configured = configured.as_ref()?;
        let mut known = configured.properties().iter();
        let known = known.find(|property| property.name == name)?;
        (audit.status == Audited::Valid).then_some(known.meaning)
    };
    let properties = result.properties.iter();
    properties
        .map(|property| PropertyPart {
            name: &property.name,
            kind: property.kind.to_string(),
            meaning: meaning(&property.name),
        })
        .collect()
}

fn tools(result: Option<&ResultRecord>, run: Option<&RunRecord>) -> Vec<(&'static str, String)> {
    let mut rows = Vec::new();
    if let Some(run) = run {
        let plumb = &run.plumb;
        rows.push((
            "Plumb",
            format!("{}, {}, {}", plumb.version, plumb.rustc, plumb.target),
        ));
        if let Some(commit) = &plumb.commit {
            let dirty = match plumb.dirty {
                Some(true) => ", with changes that were not committed",
                _ => "",
            };
            rows.push(("commit", format!("{commit}{dirty}")));
        }
        if let Some(tlc) = &run.tlc {
            let java = tlc.java.as_deref().unwrap_or("an unknown Java");
            rows.push(("TLC", format!("{}, on {java}", tlc.version)));
            rows.extend(
                tlc.jar_sha256
                    .clone()
                    .map(|digest| ("TLC's jar, SHA-256", digest)),
            );
        }
        rows.push(("command", run.command.join(" ")));
        rows.push((
            "machine",
            format!("{}, {} threads", run.machine, run.threads),
        ));
        rows.push((
            "time",
            format!(
                "{} to {}, search of {} ms",
                run.started,
                run.ended,
                grouped(run.milliseconds)
            ),
        ));
    }
    if let Some(result) = result {
        let semantic = &result.semantic;
        rows.push(("semantic digest", semantic.digest.clone()));
        rows.push(("module, SHA-256", semantic.module.clone()));
        rows.push(("cfg, SHA-256", semantic.cfg.clone()));
        rows.extend(
            semantic
                .model
                .clone()
                .map(|digest| ("model's sources", digest)),
        );
        rows.extend(
            semantic
                .engine
                .clone()
                .map(|digest| ("explorer's sources", digest)),
        );
    }
    rows
}

/// What a model's README says under its heading on what is left out.
fn omitted(workspace: &Workspace<'_>, model: &str) -> Option<String> {
    const HEADING: &str = "## What it does not model";
    let known = workspace.module_name(model).is_some();
    let readme = workspace.specs.text(&format!("{model}/README.md"));
    let readme = readme.ok().filter(|_| known)?;
    let (_, rest) = readme.split_once(HEADING)?;
    let section = rest.split("\n## ").next()?;
    // Lines of a paragraph belong together; a list keeps its lines.
    let text = section
        .trim()
        .replace("\n- ", "\u{0}- ")
        .replace("\n\n", "\u{0}\u{0}");
    Some(
        text.replace("\n  ", " ")
            .replace('\n', " ")
            .replace('\u{0}', "\n"),
    )
}
