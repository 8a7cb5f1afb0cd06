//! `plumb evidence import-tlc`: a bundle of a run that Plumb did not start.

use std::path::Path;

use plumb_attest::bundle::{Attachments, Bundle, SourceTexts};
use plumb_attest::freshness::SemanticRecord;
use plumb_attest::import::import;
use plumb_attest::record::{RUN_FORMAT, RunRecord, TlcTool};
use plumb_attest::store::{Store, Written};
use plumb_checker::Registry;

use super::{machine, record};
use crate::arguments::ImportArguments;
use crate::error::CliError;
use crate::exit::Status;
use crate::output;
use crate::workspace::Workspace;

/// Reads the log, and writes the bundle.
pub(super) fn run(
    registry: &Registry,
    specs: Option<&Path>,
    arguments: &ImportArguments,
) -> Result<Status, CliError> {
    let workspace = Workspace::open(registry, specs)?;
    let stem = |path: &Path| {
        path.file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    };
    let (module, name) = (stem(&arguments.module), stem(&arguments.cfg));
    let entry = workspace.specs.find(&name)?;
    let model = registry.find(&entry.model);
    let Some(model) = model.filter(|model| model.module == module) else {
        return Err(CliError::usage(
            format!(
                "{}: expected the module of {}, of which {name} is a configuration",
                arguments.module.display(),
                entry.model
            ),
            None,
        ));
    };
    let texts = SourceTexts {
        module: super::read_text(&arguments.module)?,
        cfg: super::read_text(&arguments.cfg)?,
        entry: record::entry_text(&workspace, entry)?,
    };
    let configured = plumb_tla::parse_cfg(&texts.cfg)
        .map_err(Into::into)
        .and_then(|cfg| model.configure(&cfg))
        .map_err(|error| {
            let path = arguments.cfg.display().to_string();
            CliError::configuration(&path, &texts.cfg, &error)
        })?;
    let sources = super::sources(registry, &workspace)?;
    let semantic = SemanticRecord::of(entry, &texts.module, &texts.cfg, sources.as_ref());
    let log = super::read_text(&arguments.log)?;
    let imported = import(&log, arguments.exit, entry, configured.as_ref(), semantic)
        .map_err(|error| CliError::usage(format!("{}: {error}", arguments.log.display()), None))?;
    let jar_sha256 = jar_digest(&arguments.jar)?;
    let root = workspace.project();
    let now = machine::now();
    let run = RunRecord {
        command: machine::command(root.as_deref()),
        ended: now.clone(),
        format: RUN_FORMAT.to_owned(),
        machine: machine::machine(),
        milliseconds: 0,
        peak_memory: machine::peak_memory(),
        plumb: machine::plumb(registry, root.as_deref(), &arguments.evidence),
        started: now,
        threads: 1,
        tlc: Some(TlcTool {
            exit: imported.exit,
            java: None,
            jar_sha256: Some(jar_sha256),
            version: imported.version,
        }),
        tlc_milliseconds: None,
    };
    let (trace, trace_text) = imported.trace.unzip();
    let attachments = Attachments {
        trace,
        trace_text,
        tlc_log: Some(record::without_places(&log)),
        rust: record::rust(sources.as_ref(), &entry.model),
    };
    let bundle = Bundle::assemble(&imported.result, &run, &texts, &attachments);
    let unwritten =
        |error: plumb_attest::store::StoreError| CliError::failed(error.to_string(), None);
    let store = Store::open(&arguments.evidence).map_err(unwritten)?;
    let written = store
        .write(&entry.model, &entry.name, &bundle)
        .map_err(unwritten)?;
    for difference in &imported.result.expectation.differences {
        output::note(&format!(
            "{}: the registry expects otherwise: {difference}",
            entry.name
        ));
    }
    let written = match written {
        Written::New => "",
        Written::Replaced => " It took the place of the bundle that was there.",
        Written::Unchanged => " The bundle that is there says the same, and was left as it is.",
    };
    let place = store.place(&entry.model, &entry.name);
    let verdict = imported.result.verdict.word.word();
    output::print(&format!(
        "{}: {verdict}, as TLC says; nothing of it was checked here.{written} See `plumb evidence verify {}`\n",
        entry.name,
        place.display()
    ))?;
    Ok(Status::Expected)
}

/// The SHA-256 of a jar of TLC.
fn jar_digest(jar: &Path) -> Result<String, CliError> {
    // An archive begins so, and has the names of its files in the clear.
    const ARCHIVE: &[u8] = b"PK\x03\x04";
    const TLC: &[u8] = b"tlc2/TLC.class";
    let bytes = super::read_bytes(jar)?;
    let names_tlc = bytes.windows(TLC.len()).any(|window| window == TLC);
    if !bytes.starts_with(ARCHIVE) || !names_tlc {
        let message = format!(
            "{}: expected a jar with tlc2/TLC.class in it",
            jar.display()
        );
        return Err(CliError::usage(message, None));
    }
    Ok(plumb_attest::sha256(&bytes))
}
