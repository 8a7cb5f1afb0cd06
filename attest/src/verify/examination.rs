//! One bundle under examination: each step adds what is wrong, and how the rest is known.

use std::collections::BTreeSet;

use plumb_checker::specs::Registered;
use plumb_checker::{ConfiguredModel, model_panic};

use super::integrity::{document, integrity, path};
use super::{Auditor, Basis, Claim, VERDICT, consistency, tlc, trace};
use crate::bundle::{
    Bundle, ENTRY, ENVELOPE, MANIFEST, RESULT, RUN, TLC_LOG, TRACE, cfg_path, module_path,
};
use crate::digest::sha256;
use crate::fault::{Code, Fault};
use crate::freshness::SemanticRecord;
use crate::import::import;
use crate::record::{Judge, ResultRecord, RunRecord, Subject, VerdictWord};
use crate::signature::{self, SignedBy};
use crate::spelling;
use crate::statement::{STATEMENT_TYPE, Statement};

#[derive(Default)]
pub(super) struct Documents {
    pub(super) result: Option<ResultRecord>,
    pub(super) run: Option<RunRecord>,
}

/// One bundle under examination.
pub(super) struct Examination<'a> {
    pub(super) auditor: &'a Auditor<'a>,
    /// How faults name its folder.
    pub(super) name: &'a str,
    pub(super) bundle: &'a Bundle,
    pub(super) faults: Vec<Fault>,
    pub(super) claims: Vec<Claim>,
}

impl Examination<'_> {
    fn fault(&mut self, code: Code, file: &str, message: impl Into<String>) {
        let path = match file {
            "" if self.name.is_empty() => ".".to_owned(),
            "" => self.name.to_owned(),
            file => path(self.name, file),
        };
        self.faults.push(Fault::new(code, path, message));
    }

    fn claim(&mut self, claim: &'static str, basis: Basis, how: impl Into<String>) {
        let how = how.into();
        self.claims.push(Claim { basis, claim, how });
    }

    /// Files against manifest and sums; result and run, if they can be read.
    pub(super) fn documents(&mut self) -> Documents {
        let mut faults = integrity(self.bundle, self.name);
        let whole = faults.is_empty() && self.faults.is_empty();
        let mut documents = Documents::default();
        match document::<ResultRecord>(self.bundle, RESULT, self.name) {
            Some(Ok(result)) => documents.result = Some(result),
            Some(Err(fault)) => faults.push(fault),
            None => {}
        }
        match document::<RunRecord>(self.bundle, RUN, self.name) {
            Some(Ok(run)) => documents.run = Some(run),
            Some(Err(fault)) => faults.push(fault),
            None => {}
        }
        self.faults.append(&mut faults);
        let formats = consistency::formats(documents.result.as_ref(), documents.run.as_ref());
        for (of_result, message) in formats {
            self.fault(Code::Schema, if of_result { RESULT } else { RUN }, message);
        }
        let how = "every file is listed, every listed file is there, and all have their digests";
        if whole {
            self.claim("files", Basis::Recomputed, how);
        }
        documents
    }

    pub(super) fn placement(&mut self, result: &ResultRecord, model: &str, configuration: &str) {
        if (result.model.as_str(), result.configuration.as_str()) != (model, configuration) {
            let message = format!(
                "it is the bundle of {}/{}",
                result.model.escape_debug(),
                result.configuration.escape_debug()
            );
            self.fault(Code::Misplaced, "", message);
        }
    }

    pub(super) fn result(&mut self, result: &ResultRecord, run: Option<&RunRecord>) {
        self.manifest(result);
        let fresh = self.freshness(result);
        let stale = fresh == Some(false);
        let entry = self.sources(result, fresh == Some(true));
        let model = self.configured(result, !stale);
        let model = model.as_deref();
        if let Some(model) = model.filter(|_| !stale) {
            self.actions(result, model);
        }
        let initial = model.and_then(|model| {
            let states = model_panic::catch(|| model.initial_states().len() as u64);
            states.ok()
        });
        for message in consistency::contradictions(result, initial) {
            self.fault(Code::Inconsistent, RESULT, message);
        }
        if let Some(entry) = &entry {
            self.expectation(result, entry, stale);
        }
        let before = self.faults.len();
        // What was recorded by another program may be none of this one's behaviours.
        let replaying = model.filter(|_| !stale);
        let mut faults = trace::faults(self.bundle, self.name, result, replaying);
        self.faults.append(&mut faults);
        let replayed = self.faults.len() == before && replaying.is_some();
        let mut confirmed = self.log(result, run);
        if let (Some(entry), Some(model)) = (&entry, replaying)
            && result.judge == Judge::Tlc
        {
            self.imported(result, run, entry, model);
        }
        // Of what is of other sources, nothing is known but what it says itself.
        if stale {
            confirmed = tlc::Confirmed::default();
        }
        let model = model.filter(|_| !stale);
        self.basis(result, run, model, replayed, confirmed);
    }

    /// The manifest has to say what the result makes it say.
    fn manifest(&mut self, result: &ResultRecord) {
        let Some(Ok(statement)) = document::<Statement>(self.bundle, MANIFEST, self.name) else {
            return; // told already
        };
        let wanted = Statement::of(result, self.bundle.listed(), statement.rust());
        if statement.statement_type != STATEMENT_TYPE || statement != wanted {
            let message = "it does not say what result and files make it say";
            self.fault(Code::Manifest, MANIFEST, message);
        }
        self.folder_digest(result, &statement);
        if statement.rust().is_some() != result.semantic.model.is_some() {
            let message = "model's sources are named in one of result and manifest only";
            self.fault(Code::Manifest, MANIFEST, message);
        }
    }

    /// The digest of the folder of the model's Rust sources: other than the semantic digest, it
    /// changes with every comment.
    fn folder_digest(&mut self, result: &ResultRecord, statement: &Statement) {
        let Some((place, hash)) = statement.rust() else {
            return;
        };
        let Some(sources) = self.auditor.sources else {
            return;
        };
        if sources
            .place_of_model(&result.model)
            .is_some_and(|now| now != place)
        {
            let message = "the model's sources lie elsewhere";
            self.fault(Code::Stale, MANIFEST, message);
            return;
        }
        match sources.folder_digest(&result.model) {
            Some(now) if now == hash => {
                let how = "the folder of the model's Rust sources has this digest";
                self.claim("folder of sources", Basis::Recomputed, how);
            }
            _ => {
                let how = "the files in the folder are others than then, if only by a comment";
                self.claim("folder of sources", Basis::Asserted, how);
            }
        }
    }

    /// Whether the result is of what lies there now; nothing if that is not known.
    fn freshness(&mut self, result: &ResultRecord) -> Option<bool> {
        let specs = self.auditor.specs;
        let Ok(entry) = specs.find(&result.configuration).cloned() else {
            let message = "nothing of this name is registered";
            self.fault(Code::Orphan, "", message);
            return None;
        };
        if entry.model != result.model {
            let message = format!("the configuration is registered for {}", entry.model);
            self.fault(Code::Orphan, "", message);
            return None;
        }
        let module = match self.auditor.registry.find(&entry.model) {
            Some(model) => model.module,
            None => {
                let message = format!("this program has no model {}", entry.model);
                self.fault(Code::Orphan, "", message);
                return None;
            }
        };
        let now = SemanticRecord::now(specs, &entry, module, self.auditor.sources);
        let now = match now {
            Ok(now) => now,
            Err(error) => {
                self.fault(Code::Stale, "", error.to_string());
                return Some(false);
            }
        };
        let differences = now.differences(&result.semantic);
        if !differences.is_empty() {
            let message = format!("changed since: {}", differences.join(", "));
            self.fault(Code::Stale, RESULT, message);
            self.claim("sources", Basis::Recomputed, "they are not those of now");
            return Some(false);
        }
        match now.model {
            Some(_) => self.claim(
                "sources",
                Basis::Recomputed,
                "module, cfg, registry entry and Rust sources are those of now",
            ),
            None => self.claim(
                "sources",
                Basis::NotChecked,
                "module, cfg and registry entry are those of now; where the Rust sources are the \
                 registry does not say",
            ),
        }
        Some(true)
    }

    /// What TLC judged has to be what its log makes it, and nothing else.
    fn imported(
        &mut self,
        result: &ResultRecord,
        run: Option<&RunRecord>,
        entry: &Registered,
        model: &dyn ConfiguredModel,
    ) {
        let log = self.bundle.file(TLC_LOG);
        let Some(log) = log.and_then(|log| std::str::from_utf8(log).ok()) else {
            return; // told already
        };
        let exit = run
            .and_then(|run| run.tlc.as_ref())
            .and_then(|tlc| tlc.exit);
        let semantic = result.semantic.clone();
        let Ok(again) = import(log, exit, entry, model, semantic) else {
            return; // what is wrong with the log was told
        };
        if again.result != *result {
            let message = "it is not the result that TLC's log makes";
            self.fault(Code::TlcLog, RESULT, message);
        }
        let trace = again.trace.as_ref().map(|(trace, _)| trace.as_bytes());
        if trace != self.bundle.file(TRACE) {
            self.fault(Code::TlcLog, TRACE, "it is not the trace in TLC's log");
        }
    }

    /// What is counted are the model's actions, each of them.
    fn actions(&mut self, result: &ResultRecord, model: &dyn ConfiguredModel) {
        if result.actions.is_empty() {
            return;
        }
        let known: BTreeSet<&str> = model.actions().into_iter().collect();
        let counted: BTreeSet<&str> = result.actions.keys().map(String::as_str).collect();
        if known != counted {
            let message = "the actions that are counted are not those of the model";
            self.fault(Code::Inconsistent, RESULT, message);
        }
    }

    /// The copies against the digests in the result, and if they are of now against what lies
    /// there; the registry's entry, if it can be read.
    fn sources(&mut self, result: &ResultRecord, fresh: bool) -> Option<Registered> {
        let semantic = &result.semantic;
        if semantic.together() != semantic.digest {
            let message = "the semantic digest is not the one of its parts";
            self.fault(Code::Inconsistent, RESULT, message);
        }
        let copies = [
            (module_path(result), &semantic.module),
            (cfg_path(result), &semantic.cfg),
        ];
        let other = self.bundle.files.keys().filter(|path| {
            let source = path.starts_with("sources/") && *path != ENTRY;
            source && copies.iter().all(|(copy, _)| copy != *path)
        });
        for path in other.cloned().collect::<Vec<_>>() {
            self.fault(Code::ExtraFile, &path, "the result is not of this source");
        }
        for (file, digest) in copies {
            match self.bundle.file(&file) {
                None => {
                    let shown = file.escape_debug().to_string();
                    self.fault(Code::MissingFile, &shown, "the result is of this source");
                }
                Some(bytes) if sha256(bytes) != *digest => {
                    self.fault(Code::Sources, &file, "the result is of another one");
                }
                Some(_) => {}
            }
        }
        let text = std::str::from_utf8(self.bundle.file(ENTRY)?).ok();
        let now = self.auditor.specs.entry_text(&result.configuration);
        if fresh && now.ok().flatten().as_deref() != text {
            let message = "changed since: comments or layout of the entry";
            self.fault(Code::Stale, ENTRY, message);
        }
        let entry = text.and_then(Registered::alone);
        let Some(entry) = entry else {
            let message = "expected one entry of a registry, and nothing else";
            self.fault(Code::Sources, ENTRY, message);
            return None;
        };
        if sha256(spelling::write(&entry).as_bytes()) != semantic.entry {
            self.fault(Code::Sources, ENTRY, "the result is of another entry");
        }
        if (&entry.name, &entry.model) != (&result.configuration, &result.model)
            || entry.purpose != result.purpose
        {
            let message = "it is the entry of another configuration, or of another purpose";
            self.fault(Code::Sources, ENTRY, message);
        }
        Some(entry)
    }

    /// The model with the cfg of the bundle, and whether it says of itself what the result says.
    fn configured(
        &mut self,
        result: &ResultRecord,
        strict: bool,
    ) -> Option<Box<dyn ConfiguredModel>> {
        // A set-up that failed has nothing to say of itself.
        if result.verdict.word == VerdictWord::Error && result.counts.is_none() {
            return None;
        }
        let file = cfg_path(result);
        let text = std::str::from_utf8(self.bundle.file(&file)?).ok()?;
        let model = self.auditor.registry.find(&result.model)?;
        let configured = plumb_tla::parse_cfg(text)
            .map_err(Into::into)
            .and_then(|cfg| model.configure(&cfg));
        match configured {
            Ok(configured) => {
                let subject = Subject::of(configured.as_ref());
                let same = subject.constants == result.constants
                    && subject.constraints == result.constraints
                    && subject.deadlock == result.deadlock
                    && subject.properties == result.properties
                    && subject.specification == result.specification
                    && model.module == result.module;
                if same {
                    let how = "constants, properties and constraints are those of the cfg";
                    self.claim("bounds", Basis::Recomputed, how);
                } else if strict {
                    let message = "constants, properties or constraints are not those of the cfg";
                    self.fault(Code::Inconsistent, RESULT, message);
                }
                Some(configured)
            }
            Err(error) => {
                if strict {
                    self.fault(Code::Sources, &file, error.to_string());
                }
                None
            }
        }
    }

    fn expectation(&mut self, result: &ResultRecord, entry: &Registered, stale: bool) {
        let wanted = consistency::outcome(result, entry);
        if wanted != result.expectation {
            let message = "what it says of the expectation is not what counts and registry make it";
            self.fault(Code::Inconsistent, RESULT, message);
        }
        if wanted.outcome == "unexpected" {
            let message = wanted.differences.join("; ");
            self.fault(Code::Expectation, RESULT, message);
        }
        if wanted.outcome == "as_expected" {
            let source = &entry.source;
            match stale {
                false => {
                    let how = format!("the result is as expected: {source}");
                    self.claim("expectation", Basis::Recomputed, how);
                }
                true => {
                    let how = "the result is as the bundle's own copy of the entry expects";
                    self.claim("expectation", Basis::Asserted, how);
                }
            }
        }
        for message in consistency::never_taken(result, entry) {
            self.fault(Code::Inconsistent, RESULT, message);
        }
        let unlisted = result.never_taken.iter();
        let unlisted = unlisted.filter(|never| never.reason.is_none());
        let unlisted: Vec<&str> = unlisted.map(|never| never.action.as_str()).collect();
        if !unlisted.is_empty() && result.verdict.word == VerdictWord::Exhausted {
            let message = format!(
                "never taken, so nothing was checked of it, and no reason is listed: {}",
                unlisted.join(", ")
            );
            self.fault(Code::Vacuous, RESULT, message);
        }
    }

    fn log(&mut self, result: &ResultRecord, run: Option<&RunRecord>) -> tlc::Confirmed {
        match self.bundle.file(TLC_LOG) {
            Some(log) => match tlc::compare(log, result, run) {
                Ok(confirmed) => return confirmed,
                Err(messages) => {
                    for message in messages {
                        self.fault(Code::TlcLog, TLC_LOG, message);
                    }
                }
            },
            None => {
                if result.judge == Judge::Tlc || run.is_some_and(|run| run.tlc.is_some()) {
                    let message = "TLC ran, and what it printed is not here";
                    self.fault(Code::MissingFile, TLC_LOG, message);
                }
            }
        }
        tlc::Confirmed::default()
    }

    /// How the rest of what the result says is known.
    fn basis(
        &mut self,
        result: &ResultRecord,
        run: Option<&RunRecord>,
        model: Option<&dyn ConfiguredModel>,
        replayed: bool,
        confirmed: tlc::Confirmed,
    ) {
        let by_log = |confirmed: bool| match (result.judge, confirmed) {
            (Judge::Plumb, true) => (Basis::CrossChecked, "TLC's log says the same"),
            (Judge::Tlc, true) => (
                Basis::Asserted,
                "TLC's log says so, and it is all there is: the result was made of it",
            ),
            (_, false) => (Basis::Asserted, "only the bundle says so"),
        };
        let (basis, how) = by_log(confirmed.verdict);
        match result.verdict.word {
            VerdictWord::Exhausted => self.claim(VERDICT, basis, how),
            VerdictWord::Violated if replayed && result.trace.is_some() => {
                let how = "the trace was replayed on the model, and ends in this violation";
                self.claim(VERDICT, Basis::Recomputed, how);
                if result
                    .trace
                    .as_ref()
                    .is_some_and(|trace| trace.back_to.is_none())
                {
                    let (basis, _) = by_log(confirmed.length);
                    let how = match basis {
                        Basis::CrossChecked => "TLC's counterexample has as many states",
                        _ => "only the bundle says that no counterexample is shorter",
                    };
                    self.claim("shortest", basis, how);
                }
            }
            VerdictWord::Violated => self.claim(VERDICT, basis, how),
            VerdictWord::Assumption => {
                let again = model.and_then(ConfiguredModel::false_assumption);
                // TLC does not always name an assumption, and never a part of one.
                let by_tlc = result.judge == Judge::Tlc;
                let same = again.is_some_and(|again| {
                    let (property, conjunct) = (&result.verdict.property, &result.verdict.conjunct);
                    (again.property() == property.as_deref() || by_tlc && property.is_none())
                        && (again.conjunct() == conjunct.as_deref() || by_tlc)
                });
                if same {
                    let how = "the assumption was evaluated here, and is false";
                    self.claim(VERDICT, Basis::Recomputed, how);
                } else if model.is_some() {
                    let message = "the assumption that the result names is not false";
                    self.fault(Code::Inconsistent, RESULT, message);
                } else {
                    self.claim(VERDICT, basis, how);
                }
            }
            VerdictWord::Inconclusive => {
                let how = "the search did not come to its end, so that it shows nothing";
                self.claim(VERDICT, Basis::NotChecked, how);
            }
            VerdictWord::Error => {
                let reason = result.verdict.reason.clone().unwrap_or_default();
                let message = format!("nothing was shown: {reason}");
                self.fault(Code::NoVerdict, RESULT, message);
            }
        }
        if result.counts.is_some() {
            let (basis, how) = by_log(confirmed.counts);
            self.claim("counts", basis, how);
            if result.judge == Judge::Plumb {
                let how = "they add up to the counts; otherwise only the bundle says so, as it does of \
                           states outside the constraints";
                self.claim("levels and actions", Basis::Asserted, how);
            }
        }
        if let Some(checkpoint) = &result.checkpoint {
            let tried = match checkpoint.resumed {
                true => "the search had itself gone on from one",
                false => "going on from it was not tried",
            };
            let how = format!(
                "{} files, named by their digests, that are not in the bundle; {tried}",
                checkpoint.files.len()
            );
            self.claim("checkpoint", Basis::Asserted, how);
        }
        let asked = run.is_some_and(|run| run.command.iter().any(|word| word == "--tlc"));
        if asked && run.is_some_and(|run| run.tlc.is_none()) && result.judge == Judge::Plumb {
            let how = "it was asked for, and nothing that it printed is here";
            self.claim("TLC", Basis::NotChecked, how);
        }
        let how = "times, machine and tools are as the bundle says";
        self.claim("run", Basis::Asserted, how);
    }

    pub(super) fn signatures(&mut self, signatures: &mut Vec<SignedBy>) {
        let keys = self.auditor.keys;
        let Some(manifest) = self.bundle.file(MANIFEST) else {
            return;
        };
        let Some(envelope) = self.bundle.file(ENVELOPE) else {
            if !keys.is_empty() {
                let message = "it is not signed, and keys are given";
                self.fault(Code::Signature, ENVELOPE, message);
            }
            return;
        };
        match signature::verify(envelope, manifest, keys) {
            Ok(signed) => {
                for by in &signed {
                    let (basis, how) = match by.verified {
                        true => (
                            Basis::Recomputed,
                            "the key was given, and the signature is right",
                        ),
                        false => (Basis::NotChecked, "the key was not given: unverified"),
                    };
                    let how = format!("by {}: {how}", by.keyid);
                    self.claim("signature", basis, how);
                }
                *signatures = signed;
            }
            Err(error) => self.fault(Code::Signature, ENVELOPE, error.to_string()),
        }
    }
}
