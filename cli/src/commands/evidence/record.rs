//! Recording bundles while configurations are checked.

use std::path::{Path, PathBuf};
use std::time::Instant;
use std::{fmt, fs};

use plumb_attest::bundle::{Attachments, Bundle, RESULT, RUN, SourceTexts, TLC_LOG};
use plumb_attest::folder::read_bundle;
use plumb_attest::freshness::SemanticRecord;
use plumb_attest::record::{
    CheckpointRecord, FileRecord, PlumbTool, RUN_FORMAT, ResultRecord, RunRecord, TlcTool,
    VerdictWord,
};
use plumb_attest::store::{Store, Written};
use plumb_attest::verify::{integrity, log_differences};
use plumb_checker::Registry;
use plumb_checker::specs::Registered;
use plumb_replay::TlcError;
use plumb_replay::tlc::{self, TlcOptions, TlcProgram};
use plumb_sources::Sources;

use super::machine;
use crate::arguments::{CheckArguments, Engine};
use crate::commands::recording::{self, Written as Format};
use crate::commands::search::Finished;
use crate::error::CliError;
use crate::interrupt::Interrupt;
use crate::output;
use crate::workspace::{Configuration, Workspace};

/// Records a bundle for each configuration that was checked.
pub(crate) struct Recorder<'w> {
    workspace: &'w Workspace<'w>,
    store: Store,
    sources: Option<Sources>,
    /// Whether they are those of the working tree, and not those that were built in.
    sources_lie_here: bool,
    plumb: PlumbTool,
    tlc: Option<TlcProgram>,
    arguments: &'w CheckArguments,
    threads: u64,
    recorded: Recorded,
}

/// What became of the bundles of a command.
#[derive(Clone, Debug, Default, serde::Serialize)]
pub(crate) struct Recorded {
    /// The folder of all bundles.
    pub(crate) folder: String,
    /// There was none before.
    pub(crate) new: u64,
    /// They took the place of others.
    pub(crate) replaced: u64,
    /// They say the same as before, and were not written.
    pub(crate) unchanged: u64,
}

impl fmt::Display for Recorded {
    /// One line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            folder,
            new,
            replaced,
            unchanged,
        } = self;
        write!(
            f,
            "Evidence in {folder}: {new} new, {replaced} replaced, {unchanged} unchanged"
        )
    }
}

/// The sources of one configuration, as they were before it was checked.
pub(crate) struct Before {
    texts: SourceTexts,
    semantic: SemanticRecord,
    started: String,
}

impl<'w> Recorder<'w> {
    /// A recorder for this command, if evidence is to be recorded.
    pub(crate) fn open(
        registry: &Registry,
        workspace: &'w Workspace<'w>,
        arguments: &'w CheckArguments,
        threads: usize,
    ) -> Result<Option<Self>, CliError> {
        let Some(folder) = &arguments.record.evidence else {
            return Ok(None);
        };
        let refused = [
            (
                arguments.choice.model.is_some(),
                "evidence is of registered configurations only",
            ),
            (
                arguments.engine != Engine::Plumb,
                "evidence needs --engine plumb",
            ),
            (
                arguments.search.deadlock,
                "evidence is of what the cfg asks for: --deadlock would add to it",
            ),
            (
                folder.exists() && !folder.is_dir(),
                "evidence is a folder, and a file lies in its place",
            ),
        ];
        if let Some((_, message)) = refused.into_iter().find(|(wrong, _)| *wrong) {
            return Err(CliError::usage(message, None));
        }
        let sources = super::sources(registry, workspace)?;
        let others = super::built_from_others(registry, sources.as_ref())?;
        if !others.is_empty() {
            return Err(CliError::usage(
                format!(
                    "this program was built from other sources than those that lie here: {}",
                    first_few(&others)
                ),
                Some(
                    "build it again: its verdicts are of the sources it was built from".to_owned(),
                ),
            ));
        }
        let tlc = match arguments.record.tlc {
            true => Some(tlc::program().map_err(|error| {
                CliError::failed(error.to_string(), Some("leave --tlc out".to_owned()))
            })?),
            false => None,
        };
        let store = Store::open(folder).map_err(|error| unwritten(&error))?;
        let root = workspace.project();
        Ok(Some(Self {
            plumb: machine::plumb(registry, root.as_deref(), folder),
            workspace,
            store,
            sources,
            sources_lie_here: super::sources_lie_here(workspace),
            tlc,
            arguments,
            threads: threads as u64,
            recorded: Recorded {
                folder: folder.display().to_string(),
                ..Recorded::default()
            },
        }))
    }

    /// What became of the bundles so far.
    pub(crate) fn recorded(&self) -> Recorded {
        self.recorded.clone()
    }

    /// The chosen configurations. Of those that cannot be set up, that is recorded, and the reasons
    /// are returned.
    pub(crate) fn configurations(
        &mut self,
    ) -> Result<(Vec<Configuration>, Vec<CliError>), CliError> {
        let each = self
            .workspace
            .each_registered(&self.arguments.choice.filters)?;
        let (mut configurations, mut failures) = (Vec::new(), Vec::new());
        for (entry, configured) in each {
            match configured {
                Ok(configuration) => configurations.push(configuration),
                Err(error) => {
                    self.record_failure(&entry, &error)?;
                    failures.push(error);
                }
            }
        }
        Ok((configurations, failures))
    }

    /// Takes copies of what a configuration is made of, before it is checked.
    pub(crate) fn before(&self, entry: &Registered, module: &str) -> Result<Before, CliError> {
        let texts = texts(self.workspace, entry, module)?;
        let sources = self.sources.as_ref();
        Ok(Before {
            semantic: SemanticRecord::of(entry, &texts.module, &texts.cfg, sources),
            texts,
            started: machine::now(),
        })
    }

    /// Records what was found. Whether TLC, if it ran, says the same.
    pub(crate) fn record(
        &mut self,
        configuration: &Configuration,
        before: &Before,
        finished: &Finished,
        interrupt: &Interrupt,
    ) -> Result<bool, CliError> {
        let Some(entry) = &configuration.registered else {
            return Ok(true); // refused when the recorder was opened
        };
        let model = configuration.model.as_ref();
        let (mut result, mut attachments) =
            found(self.workspace, configuration, finished, &before.semantic)?;
        result.checkpoint = self.checkpoint(&result)?;
        attachments.rust = rust(self.sources.as_ref(), &entry.model);
        let mut run = self.run(before, finished);
        let mut agreed = true;
        if self.tlc.is_some() && !entry.big {
            self.ask_tlc(
                model.module(),
                &before.texts,
                &mut run,
                &mut attachments,
                interrupt,
            )?;
        }
        if attachments.tlc_log.is_none() {
            self.keep_log(entry, &result, &mut run, &mut attachments);
        }
        if let Some(log) = &attachments.tlc_log {
            let differences = log_differences(log.as_bytes(), &result, &run);
            agreed = differences.is_empty();
            for difference in differences {
                output::note(&format!("{}: {difference}", entry.name));
            }
        }
        self.write(entry, model.module(), before, &result, &run, &attachments)?;
        Ok(agreed)
    }

    /// Records that a configuration could not even be set up.
    fn record_failure(&mut self, entry: &Registered, error: &CliError) -> Result<(), CliError> {
        let module = self.workspace.module_name(&entry.model).unwrap_or("none");
        let text = |path: String| self.workspace.specs.text(&path).unwrap_or_default();
        let texts = SourceTexts {
            module: text(format!("{}/{module}.tla", entry.model)),
            cfg: text(format!("{}/{}.cfg", entry.model, entry.name)),
            entry: entry_text(self.workspace, entry)?,
        };
        let semantic = SemanticRecord::of(entry, &texts.module, &texts.cfg, self.sources.as_ref());
        let reason = format!("the set-up failed: {error}");
        let result = ResultRecord::failed(entry, module, semantic.clone(), &reason);
        let now = machine::now();
        let run = RunRecord {
            milliseconds: 0,
            started: now.clone(),
            ended: now.clone(),
            ..self.run_frame()
        };
        let attachments = Attachments {
            rust: rust(self.sources.as_ref(), &entry.model),
            ..Attachments::default()
        };
        let bundle = Bundle::assemble(&result, &run, &texts, &attachments);
        self.put(entry, &bundle)
    }

    fn write(
        &mut self,
        entry: &Registered,
        module: &str,
        before: &Before,
        result: &ResultRecord,
        run: &RunRecord,
        attachments: &Attachments,
    ) -> Result<(), CliError> {
        let drifted = |what: &str| {
            CliError::failed(
                format!(
                    "{}: {what} changed while it was checked: nothing was recorded",
                    entry.name
                ),
                None,
            )
        };
        let now = texts(self.workspace, entry, module)?;
        if now != before.texts {
            return Err(drifted("module, cfg or registry entry"));
        }
        if self.sources_lie_here
            && let Some(sources) = &self.sources
            && let (Some(table), Some(root)) =
                (self.workspace.specs.sources(), self.workspace.project())
            && let Some(path) = sources.changed(&root, table)
        {
            return Err(drifted(&path));
        }
        let bundle = Bundle::assemble(result, run, &before.texts, attachments);
        self.put(entry, &bundle)
    }

    fn put(&mut self, entry: &Registered, bundle: &Bundle) -> Result<(), CliError> {
        let lost = self.lost(entry, bundle);
        let written = self.store.write(&entry.model, &entry.name, bundle);
        match written.map_err(|error| unwritten(&error))? {
            Written::New => self.recorded.new += 1,
            Written::Replaced => self.recorded.replaced += 1,
            Written::Unchanged => self.recorded.unchanged += 1,
        }
        if let Some(lost) = lost {
            output::note(&format!("{}: {lost}", entry.name));
        }
        Ok(())
    }

    /// In a sentence, the verdict that lies there, if the bundle that takes its place has none.
    fn lost(&self, entry: &Registered, after: &Bundle) -> Option<String> {
        let none = [VerdictWord::Inconclusive, VerdictWord::Error];
        let new = verdict(after).filter(|word| none.contains(word))?;
        let before = read_bundle(&self.store.place(&entry.model, &entry.name), "").bundle;
        let old = verdict(&before).filter(|word| !none.contains(word))?;
        let (old, new) = (old.word(), new.word());
        Some(format!(
            "the bundle that was there said {old}, and the one in its place says {new}"
        ))
    }

    fn run_frame(&self) -> RunRecord {
        RunRecord {
            command: machine::command(self.workspace.project().as_deref()),
            ended: String::new(),
            format: RUN_FORMAT.to_owned(),
            machine: machine::machine(),
            milliseconds: 0,
            peak_memory: machine::peak_memory(),
            plumb: self.plumb.clone(),
            started: String::new(),
            threads: self.threads,
            tlc: None,
            tlc_milliseconds: None,
        }
    }

    fn run(&self, before: &Before, finished: &Finished) -> RunRecord {
        RunRecord {
            milliseconds: milliseconds(finished.report.elapsed),
            started: before.started.clone(),
            ended: machine::now(),
            ..self.run_frame()
        }
    }

    /// Runs TLC on the copies, and adds what it printed.
    fn ask_tlc(
        &self,
        module: &str,
        texts: &SourceTexts,
        run: &mut RunRecord,
        attachments: &mut Attachments,
        interrupt: &Interrupt,
    ) -> Result<(), CliError> {
        let Some(program) = &self.tlc else {
            return Ok(());
        };
        let sources = tlc::Sources {
            module: module.to_owned(),
            text: texts.module.clone(),
            cfg: texts.cfg.clone(),
            others: Vec::new(),
        };
        let options = TlcOptions {
            graph: false,
            max_time: Some(self.arguments.record.tlc_max_time),
        };
        let start = Instant::now();
        let found = tlc::run(&sources, &options, &mut |_| {}, &|| interrupt.is_set());
        let found = match found {
            Ok(found) => found,
            Err(TlcError::Stopped(reason)) => {
                output::note(&format!("TLC on {module}: {reason}: its log is left out"));
                return Ok(());
            }
            Err(error) => return Err(CliError::failed(error.to_string(), None)),
        };
        run.tlc = Some(TlcTool {
            exit: found.report.exit,
            java: program.java.clone(),
            jar_sha256: Some(program.jar_sha256.clone()),
            version: found.report.version.clone().unwrap_or_default(),
        });
        run.tlc_milliseconds = Some(milliseconds(start.elapsed()));
        run.ended = machine::now();
        attachments.tlc_log = Some(without_places(&found.log));
        Ok(())
    }

    /// Takes TLC's log over from the bundle that is there, if it is of the same module and cfg and
    /// says what was found now: TLC knows nothing of the Rust sources, which may have changed.
    fn keep_log(
        &self,
        entry: &Registered,
        result: &ResultRecord,
        run: &mut RunRecord,
        attachments: &mut Attachments,
    ) {
        let place = self.store.place(&entry.model, &entry.name);
        let found = read_bundle(&place, "");
        let old = &found.bundle;
        if !found.faults.is_empty() || !integrity(old, "").is_empty() {
            return;
        }
        let before: Option<ResultRecord> = old.document(RESULT);
        let before_run: Option<RunRecord> = old.document(RUN);
        let log = old
            .file(TLC_LOG)
            .and_then(|log| std::str::from_utf8(log).ok());
        let (Some(before), Some(before_run), Some(log)) = (before, before_run, log) else {
            return;
        };
        let sources = |result: &ResultRecord| {
            let semantic = &result.semantic;
            (semantic.module.clone(), semantic.cfg.clone())
        };
        if sources(&before) == sources(result)
            && log_differences(log.as_bytes(), result, &before_run).is_empty()
        {
            run.tlc = before_run.tlc;
            run.tlc_milliseconds = before_run.tlc_milliseconds;
            attachments.tlc_log = Some(log.to_owned());
        }
    }

    /// The inventory of the checkpoint that an unfinished search left.
    fn checkpoint(&self, result: &ResultRecord) -> Result<Option<CheckpointRecord>, CliError> {
        let Some(folder) = self.arguments.checkpoint.folder() else {
            return Ok(None);
        };
        if result.verdict.word != plumb_attest::record::VerdictWord::Inconclusive {
            return Ok(None);
        }
        let unreadable = |path: &Path| {
            let path = path.to_owned();
            move |error: std::io::Error| CliError::unreadable(&path, &error)
        };
        let mut files = Vec::new();
        for entry in fs::read_dir(folder).map_err(unreadable(folder))? {
            let path: PathBuf = entry.map_err(unreadable(folder))?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if name == "lock" {
                continue; // holds nothing
            }
            let (sha256, size) = plumb_attest::file_digest(&path).map_err(unreadable(&path))?;
            files.push(FileRecord {
                path: name.into_owned(),
                sha256,
                size,
            });
        }
        files.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(Some(CheckpointRecord {
            files,
            resumed: self.arguments.checkpoint.resume.is_some(),
        }))
    }
}

/// Where the model's Rust sources are, and their directory digest.
pub(super) fn rust(sources: Option<&Sources>, model: &str) -> Option<(String, String)> {
    let sources = sources?;
    let place = sources.place_of_model(model)?.to_owned();
    Some((place, sources.folder_digest(model)?))
}

/// What a check found, as a record, with its trace.
pub(super) fn found(
    workspace: &Workspace<'_>,
    configuration: &Configuration,
    finished: &Finished,
    semantic: &SemanticRecord,
) -> Result<(ResultRecord, Attachments), CliError> {
    let Some(entry) = &configuration.registered else {
        return Err(CliError::usage(
            "evidence is of registered configurations only",
            None,
        ));
    };
    let report = &finished.report;
    let mut attachments = Attachments::default();
    if !report.trace.is_empty() {
        let verdict = &report.verdict;
        let violation = verdict.kind().zip(verdict.property());
        let header = recording::header(workspace, configuration, violation, None)?;
        let items = recording::counterexample(header, &report.trace, report.lasso.as_ref());
        attachments.trace = Some(recording::file(&items, Format::Plumb)?);
        attachments.trace_text = Some(recording::file(&items, Format::Tlc)?);
    }
    let trace = attachments.trace.as_deref();
    let model = configuration.model.as_ref();
    let result = ResultRecord::of_report(entry, model, report, semantic.clone(), trace);
    Ok((result, attachments))
}

fn texts(
    workspace: &Workspace<'_>,
    entry: &Registered,
    module: &str,
) -> Result<SourceTexts, CliError> {
    let text = |path: String| workspace.specs.text(&path).map_err(CliError::from);
    Ok(SourceTexts {
        module: text(format!("{}/{module}.tla", entry.model))?,
        cfg: text(format!("{}/{}.cfg", entry.model, entry.name))?,
        entry: entry_text(workspace, entry)?,
    })
}

pub(super) fn entry_text(
    workspace: &Workspace<'_>,
    entry: &Registered,
) -> Result<String, CliError> {
    workspace.specs.entry_text(&entry.name)?.ok_or_else(|| {
        CliError::usage(
            format!(
                "{}: expected {} to be a [[configuration]] table of its own, which evidence can copy",
                workspace.specs.path(plumb_checker::specs::REGISTRY),
                entry.name
            ),
            None,
        )
    })
}

/// TLC's log without the folders that it read modules from: they are of one machine and one run.
pub(super) fn without_places(log: &str) -> String {
    const PARSING: &str = "Parsing file ";
    let plain = |line: &str| match line.strip_prefix(PARSING) {
        Some(path) => format!("{PARSING}{}", path.rsplit('/').next().unwrap_or(path)),
        None => line.to_owned(),
    };
    log.split_inclusive('\n').map(plain).collect()
}

fn milliseconds(time: std::time::Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

fn verdict(bundle: &Bundle) -> Option<VerdictWord> {
    let result: ResultRecord = bundle.document(RESULT)?;
    Some(result.verdict.word)
}

/// The first of some names, and how many more there are.
pub(super) fn first_few(paths: &[String]) -> String {
    const FEW: usize = 3;
    let shown = paths[..paths.len().min(FEW)].join(", ");
    match paths.len().checked_sub(FEW) {
        None | Some(0) => shown,
        Some(more) => format!("{shown}, and {more} more"),
    }
}

fn unwritten(error: &plumb_attest::store::StoreError) -> CliError {
    CliError::failed(error.to_string(), None)
}
