//! Bundles of real checks, and an audit of them.

use std::collections::BTreeMap;

use plumb_attest::bundle::{Attachments, Bundle, SourceTexts};
use plumb_attest::folder::{Collection, Found};
use plumb_attest::freshness::SemanticRecord;
use plumb_attest::import::import;
use plumb_attest::record::{PlumbTool, RUN_FORMAT, ResultRecord, RunRecord, TlcTool};
use plumb_attest::signature::{PrivateKey, PublicKey};
use plumb_attest::verify::{Audit, Auditor};
use plumb_checker::specs::{Registered, Specs};
use plumb_checker::{ConfiguredModel, Lasso, Progress, Report, SearchOptions};
use plumb_replay::trace::{
    Ending, Header, PlumbWriter, RecordedLabel, RecordedStep, RecordedViolation, TraceItem,
    write_tlc_text,
};
use plumb_sources::Sources;

/// What TLC 2.15 printed of ClaimScopeSingle.
pub(crate) const TLC_LOG: &str = include_str!("ClaimScopeSingle.log");

/// What TLC 2.15 printed of SingleClaimScopeWitness.
const TLC_COUNTEREXAMPLE: &str =
    include_str!("../../../traces/claim-scope/SingleClaimScopeWitness/counterexample.txt");

/// A key for tests alone.
pub(crate) const KEY: &str = include_str!("../keys/test-only.pem");

/// All parts of one bundle, so that a forger can change any of them and put it together again.
#[derive(Clone)]
pub(crate) struct Parts {
    pub(crate) result: ResultRecord,
    pub(crate) run: RunRecord,
    pub(crate) sources: SourceTexts,
    pub(crate) attachments: Attachments,
}

impl Parts {
    /// As an honest writer would put them together.
    pub(crate) fn assemble(&self) -> Bundle {
        Bundle::assemble(&self.result, &self.run, &self.sources, &self.attachments)
    }

    /// Makes the digests right again that stand in the result.
    pub(crate) fn settle(&mut self) {
        let semantic = &mut self.result.semantic;
        semantic.module = plumb_attest::sha256(self.sources.module.as_bytes());
        semantic.cfg = plumb_attest::sha256(self.sources.cfg.as_bytes());
        if let Some(entry) = Registered::alone(&self.sources.entry) {
            let text = plumb_attest::spelling::write(&entry);
            semantic.entry = plumb_attest::sha256(text.as_bytes());
        }
        semantic.digest = semantic.together();
        if let (Some(record), Some(trace)) = (&mut self.result.trace, &self.attachments.trace) {
            record.sha256 = plumb_attest::sha256(trace.as_bytes());
        }
    }
}

/// The specifications that are built into the models.
pub(crate) fn specs() -> Specs {
    let nowhere = std::path::Path::new("/");
    Specs::open(None, nowhere, plumb_models::registry().specs()).unwrap()
}

pub(crate) fn sources() -> Sources {
    plumb_models::registry()
        .sources()
        .unwrap()
        .sources()
        .unwrap()
}

/// The items of a counterexample, and the texts of both its files.
pub(crate) fn trace_texts(items: &[TraceItem]) -> (String, String) {
    let mut writer = PlumbWriter::new(Vec::new());
    for item in items {
        writer.write(item).unwrap();
    }
    let text = String::from_utf8(writer.finish().unwrap()).unwrap();
    let shown = String::from_utf8(write_tlc_text(Vec::new(), items).unwrap()).unwrap();
    (text, shown)
}

pub(crate) fn items(result: &Parts) -> Vec<TraceItem> {
    let text = result.attachments.trace.as_ref().unwrap();
    let items = plumb_replay::trace::read(text.as_bytes(), "", None).unwrap();
    items.collect::<Result<_, _>>().unwrap()
}

fn label(action: Option<&plumb_checker::ActionLabel>) -> RecordedLabel {
    action.map_or(RecordedLabel::Initial, |action| RecordedLabel::Action {
        name: action.name.to_owned(),
        parameters: Some(action.parameters.clone()),
    })
}

fn counterexample(
    entry: &Registered,
    model: &dyn ConfiguredModel,
    texts: &SourceTexts,
    report: &Report,
) -> Vec<TraceItem> {
    let header = Header {
        model: Some(entry.model.clone()),
        configuration: Some(entry.name.clone()),
        module: Some(model.module().to_owned()),
        module_digest: Some(plumb_attest::sha256(texts.module.as_bytes())),
        cfg_digest: Some(plumb_attest::sha256(texts.cfg.as_bytes())),
        tool: Some("test".to_owned()),
        violation: report.verdict.kind().map(|kind| RecordedViolation {
            kind,
            property: report.verdict.property().map(str::to_owned),
        }),
        ..Header::default()
    };
    let steps = (1..).zip(&report.trace).map(|(number, step)| {
        TraceItem::Step(RecordedStep {
            number,
            line: 0,
            label: label(step.action.as_ref()),
            state: step.state.clone(),
        })
    });
    let ending = match &report.lasso {
        None => Ending::Open,
        Some((Lasso::Stuttering, _)) => Ending::Stuttering,
        Some((Lasso::BackTo(number), by)) => {
            let by = by.as_ref();
            let by = by.map_or(RecordedLabel::Unlabelled, |by| label(Some(by)));
            Ending::BackTo(*number as u64, by)
        }
    };
    let header = std::iter::once(TraceItem::Header(header));
    header
        .chain(steps)
        .chain([TraceItem::End(ending)])
        .collect()
}

/// Checks a configuration and records it, with a log of TLC if there is one.
pub(crate) fn record(name: &str, options: &SearchOptions, log: Option<&str>) -> Parts {
    let registry = plumb_models::registry();
    let specs = specs();
    let entry = specs.find(name).unwrap().clone();
    let model = registry.find(&entry.model).unwrap();
    let texts = SourceTexts {
        module: specs
            .text(&format!("{}/{}.tla", entry.model, model.module))
            .unwrap(),
        cfg: specs.text(&format!("{}/{name}.cfg", entry.model)).unwrap(),
        entry: specs.entry_text(name).unwrap().unwrap(),
    };
    let cfg = plumb_tla::parse_cfg(&texts.cfg).unwrap();
    let configured = model.configure(&cfg).unwrap();
    let report = configured.check(options, &Progress::default());
    let sources = sources();
    let semantic = SemanticRecord::of(&entry, &texts.module, &texts.cfg, Some(&sources));
    let mut attachments = Attachments {
        tlc_log: log.map(str::to_owned),
        rust: Some((
            sources.place_of_model(&entry.model).unwrap().to_owned(),
            sources.folder_digest(&entry.model).unwrap(),
        )),
        ..Attachments::default()
    };
    if !report.trace.is_empty() {
        let items = counterexample(&entry, configured.as_ref(), &texts, &report);
        let (trace, text) = trace_texts(&items);
        attachments.trace = Some(trace);
        attachments.trace_text = Some(text);
    }
    let trace = attachments.trace.as_deref();
    let result = ResultRecord::of_report(&entry, configured.as_ref(), &report, semantic, trace);
    let run = RunRecord {
        command: vec!["plumb".to_owned(), "check".to_owned(), name.to_owned()],
        ended: "2026-01-01T00:00:01Z".to_owned(),
        format: RUN_FORMAT.to_owned(),
        machine: "a machine".to_owned(),
        milliseconds: 1000,
        peak_memory: Some(1 << 20),
        plumb: PlumbTool {
            commit: None,
            dirty: None,
            rustc: "rustc".to_owned(),
            sources: None,
            target: "target".to_owned(),
            version: "0.1.0".to_owned(),
        },
        started: "2026-01-01T00:00:00Z".to_owned(),
        threads: 1,
        tlc: log.map(|_| TlcTool {
            exit: Some(0),
            jar_sha256: None,
            java: None,
            version: "2.15 of Day Month 20?? (rev: d5b5a7f)".to_owned(),
        }),
        tlc_milliseconds: log.map(|_| 1000),
    };
    Parts {
        result,
        run,
        sources: texts,
        attachments,
    }
}

/// Imports what TLC printed of a configuration in a run of its own.
fn imported(name: &str, log: &str, exit: i32) -> Parts {
    let mut parts = record(name, &SearchOptions::default(), Some(log));
    let (registry, specs) = (plumb_models::registry(), specs());
    let entry = specs.find(name).unwrap();
    let cfg = plumb_tla::parse_cfg(&parts.sources.cfg).unwrap();
    let model = registry
        .find(&entry.model)
        .unwrap()
        .configure(&cfg)
        .unwrap();
    let semantic = parts.result.semantic.clone();
    let imported = import(log, Some(exit), entry, model.as_ref(), semantic).unwrap();
    parts.result = imported.result;
    (parts.attachments.trace, parts.attachments.trace_text) = imported.trace.unzip();
    parts.run.tlc.as_mut().unwrap().exit = Some(exit);
    parts
}

/// The honest bundles that the tests begin with, one of each kind.
pub(crate) fn honest() -> BTreeMap<&'static str, Parts> {
    let whole = SearchOptions::default();
    let budget = SearchOptions {
        max_states: Some(20),
        ..SearchOptions::default()
    };
    BTreeMap::from([
        ("exhausted", record("ServiceFixed", &whole, None)),
        (
            "cross-checked",
            record("ClaimScopeSingle", &whole, Some(TLC_LOG)),
        ),
        ("violated", record("BrokenLastOpenClaimScope", &whole, None)),
        ("witness", record("SingleClaimScopeWitness", &whole, None)),
        ("lasso", record("UnfairServiceStarvation", &whole, None)),
        ("assumption", record("BrokenDAGCycle", &whole, None)),
        ("inconclusive", record("ClaimScopeMixed", &budget, None)),
        ("imported", imported("ClaimScopeSingle", TLC_LOG, 0)),
        (
            "imported violated",
            imported("SingleClaimScopeWitness", TLC_COUNTEREXAMPLE, 12),
        ),
    ])
}

/// Audits one bundle in the folder of this model and configuration.
pub(crate) fn audit_in(
    model: &str,
    configuration: &str,
    bundle: Bundle,
    keys: &[PublicKey],
) -> Audit {
    let (registry, specs, sources) = (plumb_models::registry(), specs(), sources());
    let auditor = Auditor {
        registry: &registry,
        specs: &specs,
        sources: Some(&sources),
        keys,
    };
    let found = Found {
        bundle,
        faults: Vec::new(),
    };
    let key = (model.to_owned(), configuration.to_owned());
    let collection = Collection {
        bundles: BTreeMap::from([(key, found)]),
        ..Collection::default()
    };
    auditor.audit(collection).audits.remove(0)
}

/// Audits a bundle where it belongs.
pub(crate) fn audit(parts: &Parts) -> Audit {
    let result = &parts.result;
    audit_in(&result.model, &result.configuration, parts.assemble(), &[])
}

pub(crate) fn private_key() -> PrivateKey {
    PrivateKey::from_pem(KEY).unwrap()
}
