//! A bundle as its files.

use std::collections::BTreeMap;

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::digest::sha256;
use crate::record::{FileRecord, ResultRecord, RunRecord};
use crate::spelling;
use crate::statement::Statement;

/// The file with what must be the same on every repetition.
pub const RESULT: &str = "result.json";
/// The file with what may differ.
pub const RUN: &str = "run.json";
/// The file that lists all others.
pub const MANIFEST: &str = "manifest.json";
/// The file for `sha256sum -c`.
pub const SUMS: &str = "SHA256SUMS";
/// The signature over [`MANIFEST`], in an envelope.
pub const ENVELOPE: &str = "manifest.dsse.json";
/// The counterexample or witness in Plumb's format.
pub const TRACE: &str = "trace.jsonl";
/// The same as TLC would print it.
pub const TRACE_TEXT: &str = "trace.txt";
/// All that TLC printed.
pub const TLC_LOG: &str = "tlc.log";
/// The registry's entry.
pub const ENTRY: &str = "sources/registry.toml";

/// The files of one bundle: paths within it, with slashes, and contents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bundle {
    /// Every file by its path.
    pub files: BTreeMap<String, Vec<u8>>,
}

/// Exact copies of what was checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceTexts {
    /// The TLA+ module.
    pub module: String,
    /// The cfg.
    pub cfg: String,
    /// The lines of the registry that are the configuration's entry.
    pub entry: String,
}

/// What goes into a bundle beside result and run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Attachments {
    /// `trace.jsonl`.
    pub trace: Option<String>,
    /// `trace.txt`.
    pub trace_text: Option<String>,
    /// `tlc.log`.
    pub tlc_log: Option<String>,
    /// The place of the model's Rust sources, and their directory digest.
    pub rust: Option<(String, String)>,
}

impl Bundle {
    /// Puts a bundle together: the same parts always give the same bytes.
    #[must_use]
    pub fn assemble(
        result: &ResultRecord,
        run: &RunRecord,
        sources: &SourceTexts,
        attachments: &Attachments,
    ) -> Self {
        let mut files = BTreeMap::new();
        let mut add = |path: &str, text: &str| {
            files.insert(path.to_owned(), text.as_bytes().to_vec());
        };
        add(RESULT, &spelling::write(result));
        add(RUN, &spelling::write(run));
        add(&module_path(result), &sources.module);
        add(&cfg_path(result), &sources.cfg);
        add(ENTRY, &sources.entry);
        let optional = [
            (TRACE, &attachments.trace),
            (TRACE_TEXT, &attachments.trace_text),
            (TLC_LOG, &attachments.tlc_log),
        ];
        for (path, text) in optional {
            if let Some(text) = text {
                add(path, text);
            }
        }
        let mut bundle = Self { files };
        let rust = attachments.rust.as_ref();
        let rust = rust.map(|(place, hash)| (place.as_str(), hash.as_str()));
        let statement = Statement::of(result, bundle.listed(), rust);
        bundle.put(MANIFEST, spelling::write(&statement));
        let sums = bundle.sums();
        bundle.put(SUMS, sums);
        bundle
    }

    pub(crate) fn put(&mut self, path: &str, text: String) {
        self.files.insert(path.to_owned(), text.into_bytes());
    }

    /// The content of a file.
    #[must_use]
    pub fn file(&self, path: &str) -> Option<&[u8]> {
        self.files.get(path).map(Vec::as_slice)
    }

    /// A document of the bundle; none if it is not there, or is not what it should be.
    #[must_use]
    pub fn document<T: DeserializeOwned + Serialize>(&self, path: &str) -> Option<T> {
        spelling::read(self.file(path)?).ok()
    }

    /// The files that the manifest has to list.
    #[must_use]
    pub fn listed(&self) -> Vec<FileRecord> {
        let files = self.files.iter();
        let files = files.filter(|(path, _)| ![MANIFEST, SUMS, ENVELOPE].contains(&path.as_str()));
        files
            .map(|(path, bytes)| FileRecord {
                path: path.clone(),
                sha256: sha256(bytes),
                size: bytes.len() as u64,
            })
            .collect()
    }

    /// What `SHA256SUMS` has to be: a line for every file but itself and the signature.
    #[must_use]
    pub fn sums(&self) -> String {
        let files = self.files.iter();
        let files = files.filter(|(path, _)| ![SUMS, ENVELOPE].contains(&path.as_str()));
        files
            .map(|(path, bytes)| format!("{}  {path}\n", sha256(bytes)))
            .collect()
    }
}

/// Where the copy of the module is.
#[must_use]
pub fn module_path(result: &ResultRecord) -> String {
    format!("sources/{}.tla", result.module)
}

/// Where the copy of the cfg is.
#[must_use]
pub fn cfg_path(result: &ResultRecord) -> String {
    format!("sources/{}.cfg", result.configuration)
}
