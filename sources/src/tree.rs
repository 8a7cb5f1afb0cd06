//! Many files, and what parts of them belong to.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{fs, io};

use serde::Deserialize;
use sha2::{Digest, Sha256};

use crate::locked::{self, LockError};
use crate::tokens::{NotRust, token_digest};

/// Lower-case hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Which sources a program's verdicts depend on; the table `[sources]` of a `specs/registry.toml`.
///
/// Paths are relative to the folder that `specs/` lies in, with slashes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SourceTable {
    /// Folders of crates: of each, every `.rs` file below `src` counts, and what its `Cargo.toml`
    /// has under `[dependencies]`.
    pub crates: Vec<String>,
    /// The lock file that these crates are built with.
    pub lock: String,
    /// For a model, by its name, the file or folder that has it and nothing else.
    #[serde(default)]
    pub models: BTreeMap<String, String>,
}

/// One source file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Its path as the table would name it.
    pub path: Cow<'static, str>,
    /// The SHA-256 of its bytes.
    pub bytes: Cow<'static, str>,
    /// The digest of its tokens.
    pub tokens: Cow<'static, str>,
}

/// Why sources cannot be digested.
#[derive(Debug, thiserror::Error)]
pub enum SourcesError {
    /// A file or folder cannot be read.
    #[error("cannot read {path}: {error}")]
    Unreadable {
        /// Its path.
        path: String,
        /// The system's reason.
        #[source]
        error: io::Error,
    },
    /// A file is not Rust.
    #[error("{path}: {error}")]
    NotRust {
        /// Its path.
        path: String,
        /// Where it is not.
        #[source]
        error: NotRust,
    },
    /// Manifests or lock file do not say which versions are used.
    #[error(transparent)]
    Lock(#[from] LockError),
    /// The table gives a model a place that has no source.
    #[error("no source file is, or is below, {path}, where the model {model} should be")]
    NoModel {
        /// The model.
        model: String,
        /// The place.
        path: String,
    },
}

/// The digests of all source files of a table, and the versions of what else they need.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources {
    files: Vec<SourceFile>,
    models: BTreeMap<String, String>,
    locked: Cow<'static, str>,
}

impl Sources {
    /// Reads all files that the table names below `root`.
    ///
    /// # Errors
    ///
    /// One of them cannot be read, or is not what it should be.
    pub fn read(root: &Path, table: &SourceTable) -> Result<Self, SourcesError> {
        let text = |path: &str| {
            let read = fs::read_to_string(root.join(path));
            read.map_err(|error| SourcesError::Unreadable {
                path: path.to_owned(),
                error,
            })
        };
        let mut files = Vec::new();
        let mut manifests = Vec::new();
        for folder in &table.crates {
            let mut paths = Vec::new();
            let source = format!("{folder}/src");
            collect(root, &source, &mut paths).map_err(|error| SourcesError::Unreadable {
                path: source,
                error,
            })?;
            for path in paths {
                let text = text(&path)?;
                let tokens = token_digest(&text).map_err(|error| SourcesError::NotRust {
                    path: path.clone(),
                    error,
                })?;
                files.push(SourceFile {
                    path: path.into(),
                    bytes: hex(&Sha256::digest(text.as_bytes())).into(),
                    tokens: tokens.into(),
                });
            }
            let manifest = format!("{folder}/Cargo.toml");
            manifests.push((manifest.clone(), text(&manifest)?));
        }
        files.sort_by(|one, other| one.path.cmp(&other.path));
        let lock = text(&table.lock)?;
        let locked = locked::versions(&manifests, (&table.lock, &lock))?.into();
        Self::new(files, table.models.clone(), locked)
    }

    /// Whether the files that the table names below `root` are still the ones that were read, byte for
    /// byte, and need the same versions; if not, which one is not, or is new, or cannot be read.
    /// Quicker than reading them anew.
    #[must_use]
    pub fn changed(&self, root: &Path, table: &SourceTable) -> Option<String> {
        let same = |file: &&SourceFile| {
            let bytes = fs::read(root.join(&*file.path));
            bytes.is_ok_and(|bytes| hex(&Sha256::digest(bytes)) == *file.bytes)
        };
        if let Some(file) = self.files.iter().find(|file| !same(file)) {
            return Some(file.path.to_string());
        }
        let mut manifests = Vec::new();
        for folder in &table.crates {
            let mut paths = Vec::new();
            let source = format!("{folder}/src");
            if collect(root, &source, &mut paths).is_err() {
                return Some(source);
            }
            let known = |path: &String| self.files.iter().any(|file| *file.path == **path);
            if let Some(new) = paths.into_iter().find(|path| !known(path)) {
                return Some(new);
            }
            let manifest = format!("{folder}/Cargo.toml");
            match fs::read_to_string(root.join(&manifest)) {
                Ok(text) => manifests.push((manifest, text)),
                Err(_) => return Some(manifest),
            }
        }
        let lock = fs::read_to_string(root.join(&table.lock)).ok();
        let locked = lock.and_then(|lock| locked::versions(&manifests, (&table.lock, &lock)).ok());
        (locked.as_deref() != Some(&*self.locked)).then(|| table.lock.clone())
    }

    /// Sources whose digests are known already: those that were built into a program.
    ///
    /// # Errors
    ///
    /// A model has no file.
    pub fn new(
        files: Vec<SourceFile>,
        models: BTreeMap<String, String>,
        locked: Cow<'static, str>,
    ) -> Result<Self, SourcesError> {
        let sources = Self {
            files,
            models,
            locked,
        };
        for (model, path) in &sources.models {
            if sources.files_of(path).next().is_none() {
                return Err(SourcesError::NoModel {
                    model: model.clone(),
                    path: path.clone(),
                });
            }
        }
        Ok(sources)
    }

    /// Every file, by path.
    #[must_use]
    pub fn files(&self) -> &[SourceFile] {
        &self.files
    }

    /// The model's files, by path; none if the table does not know the model.
    pub fn files_of_model(&self, model: &str) -> impl Iterator<Item = &SourceFile> {
        let path = self.models.get(model);
        path.into_iter().flat_map(|path| self.files_of(path))
    }

    /// Where the model is, as the table has it.
    #[must_use]
    pub fn place_of_model(&self, model: &str) -> Option<&str> {
        self.models.get(model).map(String::as_str)
    }

    /// The digest of the tokens of a model's files; none if the table does not know the model.
    #[must_use]
    pub fn model(&self, model: &str) -> Option<String> {
        let path = self.models.get(model)?;
        Some(token_list(self.files_of(path)))
    }

    /// The digest of the tokens of all files that belong to no model.
    #[must_use]
    pub fn engine(&self) -> String {
        let of_models: Vec<&SourceFile> = self
            .models
            .values()
            .flat_map(|path| self.files_of(path))
            .collect();
        let engine = self.files.iter();
        token_list(engine.filter(|file| !of_models.contains(file)))
    }

    /// The SHA-256 of the list of locked versions.
    #[must_use]
    pub fn locked(&self) -> String {
        hex(&Sha256::digest(self.locked.as_bytes()))
    }

    /// The list of locked versions: a line `name version checksum` for each package.
    #[must_use]
    pub fn versions(&self) -> &str {
        &self.locked
    }

    /// The digest of a model's folder as it is, comments included: the SHA-256 of the sorted lines
    /// that `sha256sum` prints of its files. None if the table does not know the model.
    #[must_use]
    pub fn folder_digest(&self, model: &str) -> Option<String> {
        let path = self.models.get(model)?;
        Some(listed(
            self.files_of(path).map(|file| (&*file.bytes, &*file.path)),
        ))
    }

    /// The digest of everything: all tokens and all versions.
    #[must_use]
    pub fn whole(&self) -> String {
        let files = token_list(self.files.iter());
        hex(&Sha256::digest(format!("{files}\n{}", self.locked)))
    }

    /// Files whose tokens differ, or that only one side has: their paths, sorted.
    #[must_use]
    pub fn differences(&self, other: &Self) -> Vec<String> {
        let tokens = |sources: &Self| -> BTreeMap<String, String> {
            let files = sources.files.iter();
            files
                .map(|file| (file.path.to_string(), file.tokens.to_string()))
                .collect()
        };
        let (own, others) = (tokens(self), tokens(other));
        let mut paths: Vec<String> = own
            .iter()
            .filter(|(path, tokens)| others.get(*path) != Some(tokens))
            .map(|(path, _)| path.clone())
            .collect();
        paths.extend(
            others
                .keys()
                .filter(|path| !own.contains_key(*path))
                .cloned(),
        );
        paths.sort();
        paths
    }

    fn files_of<'a>(&'a self, path: &'a str) -> impl Iterator<Item = &'a SourceFile> {
        self.files.iter().filter(move |file| {
            let below = file.path.strip_prefix(path);
            below.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        })
    }
}

/// The SHA-256 of lines as `sha256sum` prints them, sorted.
fn listed<'a>(entries: impl Iterator<Item = (&'a str, &'a str)>) -> String {
    let mut lines: Vec<String> = entries
        .map(|(digest, path)| format!("{digest}  {path}\n"))
        .collect();
    lines.sort();
    hex(&Sha256::digest(lines.concat()))
}

fn token_list<'a>(files: impl Iterator<Item = &'a SourceFile>) -> String {
    listed(files.map(|file| (&*file.tokens, &*file.path)))
}

/// The paths of all `.rs` files below `folder`, which is relative to `root`.
fn collect(root: &Path, folder: &str, paths: &mut Vec<String>) -> io::Result<()> {
    for entry in fs::read_dir(root.join(folder))? {
        let entry = entry?;
        let name = entry.file_name();
        let Some(name) = name.to_str() else {
            continue; // no module can have such a name
        };
        let path = format!("{folder}/{name}");
        // A link counts as what it leads to: so does the compiler see it.
        let kind = fs::metadata(entry.path())?;
        if kind.is_dir() {
            collect(root, &path, paths)?;
        } else if PathBuf::from(name)
            .extension()
            .is_some_and(|kind| kind == "rs")
        {
            paths.push(path);
        }
    }
    Ok(())
}
