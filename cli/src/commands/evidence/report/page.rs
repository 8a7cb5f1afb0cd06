//! What the page and the summary say, part by part; their templates say how.

use std::borrow::Cow;
use std::collections::BTreeMap;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use minijinja::value::Serde;
use minijinja::{Environment, Value, context};
use plumb_attest::bundle::module_path;
use plumb_attest::fault::Fault;
use plumb_attest::folder::Scope;
use plumb_attest::record::{Judge, ResultRecord, RunRecord};
use plumb_attest::report::{self, Overview};
use plumb_attest::verify::{Audit, Basis, Status as Audited};
use plumb_checker::{PropertyDescription, Purpose, Registry};
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::super::record::first_few;
use super::super::verify::AuditOf;
use crate::error::CliError;
use crate::output::{grouped, is_control};
use crate::workspace::Workspace;

/// The page in HTML.
pub(super) const PAGE: &str = include_str!("report.html");
const STYLE: &str = include_str!("report.css");
/// The summary in Markdown.
pub(super) const SUMMARY: &str = include_str!("report.md");

#[derive(Serialize)]
pub(super) struct Page<'a> {
    title: &'static str,
    plumb: &'static str,
    tone: &'static str,
    headline: String,
    counts: Vec<String>,
    /// What this program was built from otherwise than it lies here.
    built_from_others: Option<String>,
    tools: Vec<ToolPart>,
    faults: &'a [Fault],
    models: Vec<ModelPart<'a>>,
}

/// A tool that bundles name, and how many do.
#[derive(Serialize)]
struct ToolPart {
    tool: String,
    bundles: usize,
}

#[derive(Serialize)]
struct ModelPart<'a> {
    name: &'a str,
    /// What the model's README says that it does not model.
    omitted: Option<String>,
    /// What its properties mean, each once.
    properties: Vec<PropertyPart<'a>>,
    /// What its constants mean, each once.
    constants: Vec<ConstantPart>,
    /// What stands beside positive results, with the names of those that have the same.
    guards: Vec<(Vec<&'a str>, GuardsPart)>,
    bundles: Vec<BundlePart<'a>>,
}

#[derive(Serialize)]
struct BundlePart<'a> {
    name: &'a str,
    status: &'static str,
    tone: &'static str,
    role: &'static str,
    role_word: &'static str,
    claim: String,
    known: &'static str,
    guards: Option<GuardsPart>,
    constants: Vec<ConstantPart>,
    constraints: Vec<ConstraintPart>,
    properties: Vec<PropertyPart<'a>>,
    never_taken: Vec<NeverPart<'a>>,
    stale_reason: Option<&'a str>,
    faults: &'a [Fault],
    claims: Vec<ClaimPart<'a>>,
    tools: Vec<(&'static str, String)>,
    digest: Option<&'a str>,
    place: String,
    files: Vec<&'a str>,
    #[serde(skip)]
    order: u8,
}

/// Controls and witnesses beside a positive result.
#[derive(Clone, PartialEq, Eq, Serialize)]
struct GuardsPart {
    /// By property the controls that it finds.
    controls: Vec<(String, Vec<String>)>,
    witnesses: Vec<String>,
    without: Vec<String>,
}

#[derive(Clone, PartialEq, Eq, Serialize)]
struct ConstantPart {
    name: String,
    value: String,
    meaning: Option<String>,
    definition: Option<String>,
}

#[derive(Serialize)]
struct ConstraintPart {
    name: String,
    definition: Option<String>,
}

#[derive(Clone, PartialEq, Eq, Serialize)]
struct PropertyPart<'a> {
    name: &'a str,
    kind: String,
    meaning: Option<&'static str>,
    /// Of a conjunction its parts, with their meanings.
    parts: Vec<(&'static str, &'static str)>,
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
    pub(super) fn of(
        registry: &Registry,
        workspace: &Workspace<'_>,
        audited: &'a AuditOf,
        place: &str,
    ) -> Self {
        let audits = &audited.report.audits;
        let mut models: Vec<ModelPart<'_>> = Vec::new();
        for audit in audits {
            let bundle = BundlePart::of(registry, audited, audit, place);
            match models.iter_mut().find(|model| model.name == audit.model) {
                Some(model) => model.bundles.push(bundle),
                None => models.push(ModelPart {
                    name: &audit.model,
                    omitted: omitted(workspace, &audit.model),
                    properties: Vec::new(),
                    constants: Vec::new(),
                    guards: Vec::new(),
                    bundles: vec![bundle],
                }),
            }
        }
        for model in &mut models {
            // Positive results first, then what guards them.
            model.bundles.sort_by_key(|bundle| bundle.order);
            model.gather();
        }
        let Overview {
            tone,
            headline,
            counts,
        } = report::overview(&audited.report);
        Self {
            title: "What was checked, and what is known of it",
            plumb: concat!("plumb ", env!("CARGO_PKG_VERSION")),
            tone: tone.word(),
            headline,
            counts,
            built_from_others: (!audited.built_from_others.is_empty())
                .then(|| first_few(&audited.built_from_others)),
            tools: tools_of_all(audits),
            faults: &audited.report.faults,
            models,
        }
    }

    /// The text that a template makes of it. The ending of `name` says whether it is HTML.
    pub(super) fn render(&self, name: &str, template: &'static str) -> Result<String, CliError> {
        let style_hash = BASE64_STANDARD.encode(Sha256::digest(STYLE));
        let mut environment = Environment::new();
        environment.add_filter("plain", plain);
        environment.add_filter("unmarked", unmarked);
        let name = name.to_owned();
        let rendered = environment
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
        // No value may turn what follows it around, in HTML either.
        if text.contains(|c| is_control(c) && c != '\n') {
            let shown = text.chars().map(|c| match is_control(c) && c != '\n' {
                true => c.escape_default().to_string(),
                false => c.to_string(),
            });
            text = shown.collect();
        }
        Ok(text)
    }
}

impl ModelPart<'_> {
    /// Takes out of the bundles what is told once for the model.
    fn gather(&mut self) {
        for bundle in &self.bundles {
            for property in &bundle.properties {
                let known = self.properties.iter().any(|it| it.name == property.name);
                if property.meaning.is_some() && !known {
                    self.properties.push(property.clone());
                }
            }
            for constant in &bundle.constants {
                let known = self.constants.iter().any(|it| it.name == constant.name);
                if constant.meaning.is_some() && !known {
                    self.constants.push(constant.clone());
                }
            }
            if let Some(guards) = &bundle.guards {
                match self.guards.iter_mut().find(|(_, same)| same == guards) {
                    Some((names, _)) => names.push(bundle.name),
                    None => self.guards.push((vec![bundle.name], guards.clone())),
                }
            }
        }
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
            c if is_control(c) => shown.extend(c.escape_default()),
            c => shown.push(c),
        }
    }
    shown
}

/// A text in Markdown without its marks for emphasis and code.
fn unmarked(text: &str) -> String {
    text.replace(['*', '`'], "")
}

impl<'a> BundlePart<'a> {
    fn of(registry: &Registry, audited: &AuditOf, audit: &'a Audit, place: &str) -> Self {
        // A bundle in which something is wrong says nothing.
        let claimed = |audit: &'a Audit| audit.status != Audited::Invalid;
        let result = audit.result.as_ref().filter(|_| claimed(audit));
        let run = audit.run.as_ref().filter(|_| claimed(audit));
        let claims: &[_] = if claimed(audit) { &audit.claims } else { &[] };
        let purpose = result.map(|result| result.purpose);
        let place = match audit.path.is_empty() {
            true => place.to_owned(),
            false => format!("{place}/{}", audit.path),
        };
        let unfinished = report::is_unfinished(audit);
        Self {
            name: &audit.configuration,
            status: match unfinished && audit.status == Audited::Valid {
                true => "unfinished",
                false => audit.status.word(),
            },
            tone: report::tone(audit).word(),
            role: match unfinished {
                true => "search without an end",
                false => purpose.map_or("", role),
            },
            role_word: match purpose {
                None => "",
                Some(Purpose::Bound) => "bound",
                Some(Purpose::Control) => "control",
                Some(Purpose::Witness) => "witness",
            },
            claim: report::claim(audit),
            known: match audit.basis_of_verdict() {
                Some(basis) if claimed(audit) => basis.word(),
                _ => "-",
            },
            // A bundle by itself does not say what there is beside it.
            guards: (audited.scope != Scope::Bundle)
                .then(|| report::guards(registry, &audited.report.audits, audit))
                .flatten()
                .map(GuardsPart::of),
            constants: result.map_or_else(Vec::new, |result| constants(audit, result)),
            constraints: result.map_or_else(Vec::new, |result| constraints(audit, result)),
            properties: result.map_or_else(Vec::new, |result| {
                properties(&report::descriptions(registry, audit), result)
            }),
            never_taken: result.map_or_else(Vec::new, |result| {
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
            claims: claims
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
            tools: tools(result, run),
            digest: result.map(|result| result.semantic.digest.as_str()),
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

/// What a purpose means beside a positive result.
fn role(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Bound => "positive result",
        Purpose::Control => "control: a defect that the properties must find",
        Purpose::Witness => "witness: that what is checked is not empty",
    }
}

impl GuardsPart {
    fn of(guards: report::Guards) -> Self {
        let mut controls: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for guard in guards.controls {
            let found = controls.entry(guard.property).or_default();
            found.push(guard.configuration);
        }
        Self {
            controls: controls.into_iter().collect(),
            witnesses: guards.witnesses,
            without: guards.without,
        }
    }
}

/// The text of the bundle's copy of the module.
fn module<'a>(audit: &'a Audit, result: &ResultRecord) -> Cow<'a, str> {
    let module = audit.bundle.file(&module_path(result));
    String::from_utf8_lossy(module.unwrap_or_default())
}

fn constants(audit: &Audit, result: &ResultRecord) -> Vec<ConstantPart> {
    let bounds = report::bounds(result, &module(audit, result)).into_iter();
    let parts = bounds.map(|bound| ConstantPart {
        name: bound.name,
        value: bound.value,
        meaning: bound.meaning,
        definition: bound.definition,
    });
    parts.collect()
}

fn constraints(audit: &Audit, result: &ResultRecord) -> Vec<ConstraintPart> {
    let constraints = report::constraints(result, &module(audit, result)).into_iter();
    let parts = constraints.map(|constraint| ConstraintPart {
        name: constraint.name,
        definition: constraint.definition,
    });
    parts.collect()
}

/// What was checked, with what the model says that it means.
fn properties<'a>(
    descriptions: &[PropertyDescription],
    result: &'a ResultRecord,
) -> Vec<PropertyPart<'a>> {
    let properties = result.properties.iter();
    properties
        .map(|property| {
            let mut known = descriptions.iter();
            let known = known.find(|known| known.name == property.name);
            PropertyPart {
                name: &property.name,
                kind: property.kind.to_string(),
                meaning: known.map(|known| known.meaning),
                parts: known.map_or_else(Vec::new, |known| known.conjuncts.clone()),
            }
        })
        .collect()
}

/// The tools that bundles name, with how many name each.
fn tools_of_all(audits: &[Audit]) -> Vec<ToolPart> {
    let mut tools: BTreeMap<String, usize> = BTreeMap::new();
    let in_order = audits
        .iter()
        .filter(|audit| audit.status != Audited::Invalid);
    for run in in_order.filter_map(|audit| audit.run.as_ref()) {
        *tools.entry(plumb_in_words(run)).or_default() += 1;
        if let Some(tlc) = tlc_in_words(run) {
            *tools.entry(tlc).or_default() += 1;
        }
    }
    let tools = tools.into_iter();
    tools
        .map(|(tool, bundles)| ToolPart { tool, bundles })
        .collect()
}

fn plumb_in_words(run: &RunRecord) -> String {
    let plumb = &run.plumb;
    format!("Plumb {}, {}, {}", plumb.version, plumb.rustc, plumb.target)
}

fn tlc_in_words(run: &RunRecord) -> Option<String> {
    let tlc = run.tlc.as_ref()?;
    let java = tlc.java.as_deref().unwrap_or("an unknown Java");
    let jar = tlc.jar_sha256.as_ref();
    let jar = jar.map_or_else(String::new, |digest| format!(", jar with SHA-256 {digest}"));
    Some(format!("TLC {}, on {java}{jar}", tlc.version))
}

fn tools(result: Option<&ResultRecord>, run: Option<&RunRecord>) -> Vec<(&'static str, String)> {
    let mut rows = Vec::new();
    if let Some(run) = run {
        rows.push(("Plumb", plumb_in_words(run)));
        if let Some(commit) = &run.plumb.commit {
            let dirty = match run.plumb.dirty {
                Some(true) => ", with changes that were not committed",
                _ => "",
            };
            rows.push(("commit", format!("{commit}{dirty}")));
        }
        rows.extend(tlc_in_words(run).map(|tlc| ("TLC", tlc)));
        rows.push(("command", run.command.join(" ")));
        // Of a run that Plumb did not start, the record has the import's time and machine.
        let imported = result.is_some_and(|result| result.judge == Judge::Tlc);
        if imported {
            rows.push(("imported", format!("{}, on {}", run.ended, run.machine)));
        } else {
            let threads = match run.threads {
                1 => "1 thread".to_owned(),
                threads => format!("{threads} threads"),
            };
            rows.push(("machine", format!("{}, {threads}", run.machine)));
            let time = grouped(run.milliseconds);
            rows.push((
                "time",
                format!("{} to {}, search of {time} ms", run.started, run.ended),
            ));
        }
    }
    if let Some(result) = result {
        let semantic = &result.semantic;
        rows.push(("semantic digest", semantic.digest.clone()));
        rows.push(("module, SHA-256", semantic.module.clone()));
        rows.push(("cfg, SHA-256", semantic.cfg.clone()));
        let model = semantic.model.clone();
        rows.extend(model.map(|digest| ("model's sources", digest)));
        let engine = semantic.engine.clone();
        rows.extend(engine.map(|digest| ("explorer's sources", digest)));
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
