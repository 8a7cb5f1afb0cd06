//! The `specs/` folder: TLA+ modules, cfg files, and the registry of configurations.
//!
//! It is found in this order: the folder that the caller names; the nearest parent of the working
//! directory with a `specs/registry.toml`; the copy that is built into the program.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::{Path, PathBuf};

use globset::{GlobBuilder, GlobMatcher};
use plumb_sources::SourceTable;
use serde::{Deserialize, Serialize};

use crate::expectation::{Expectation, Purpose};
use crate::report::{Report, Verdict};

/// The registry's file name in a `specs/` folder.
pub const REGISTRY: &str = "registry.toml";

/// A `specs/` folder built into a program: paths relative to it, and their texts.
#[derive(Clone, Copy, Debug, Default)]
pub struct EmbeddedSpecs(pub &'static [(&'static str, &'static str)]);

/// Where the specifications came from; shown and recorded with every result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SpecsSource {
    /// The copy built into the program.
    Embedded,
    /// A folder.
    Folder(PathBuf),
}

impl fmt::Display for SpecsSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Embedded => f.write_str("built in"),
            Self::Folder(folder) => write!(f, "{}", folder.display()),
        }
    }
}

/// Why the `specs/` folder cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SpecsError {
    /// A file cannot be read.
    #[error("cannot read {path}: {error}")]
    Unreadable {
        /// The file.
        path: String,
        /// The system's reason.
        error: std::io::Error,
    },
    /// The registry is not in its format.
    #[error("{path}:{line}:{column}: {message}")]
    Malformed {
        /// The registry file.
        path: String,
        /// Line of the fault, from 1.
        line: usize,
        /// Column of the fault in characters, from 1.
        column: usize,
        /// What is wrong.
        message: String,
    },
    /// An entry of the registry contradicts itself or another one.
    #[error("{path}: configuration {name}: {message}")]
    Inconsistent {
        /// The registry file.
        path: String,
        /// The entry.
        name: String,
        /// What is wrong.
        message: String,
    },
    /// A filter selects no configuration.
    #[error("{filter:?} matches no registered configuration and no model")]
    NoMatch {
        /// The filter as given.
        filter: String,
        /// The registered names, nearest first.
        known: Vec<String>,
    },
    /// A filter is not a glob.
    #[error("{filter:?} is not a valid glob: {message}")]
    BadGlob {
        /// The filter as given.
        filter: String,
        /// What is wrong.
        message: String,
    },
}

/// One entry of the registry.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Registered {
    /// The configuration's name; its cfg is `<model>/<name>.cfg`.
    pub name: String,
    /// The model's folder.
    pub model: String,
    /// Why it is registered.
    pub purpose: Purpose,
    /// What the check must find.
    pub expect: Expectation,
    /// Where the expected figures are published.
    pub source: String,
    /// A search so large that it runs only when named.
    #[serde(default)]
    pub big: bool,
    /// Actions that an exhausted search never takes, and why that is as it should be.
    #[serde(default)]
    pub never_taken: Vec<NeverTaken>,
    /// Levels and actions of the search when the expectation was last changed by command; they are
    /// not expected, but a later change can be told from them.
    pub recorded: Option<Recorded>,
    /// Why the expectation was changed, in the order of the changes.
    #[serde(default)]
    pub reasons: Vec<String>,
}

impl Registered {
    /// The one entry of a registry that consists of nothing else; none if the text is no such
    /// registry.
    #[must_use]
    pub fn alone(text: &str) -> Option<Self> {
        let file = parse_registry(REGISTRY, text).ok()?;
        let [entry] = <[Self; 1]>::try_from(file.configuration).ok()?;
        file.sources.is_none().then_some(entry)
    }
}

/// The finer figures of a search.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Recorded {
    /// New states of each level.
    pub levels: Vec<u64>,
    /// Generated successors of each action.
    pub actions: BTreeMap<String, u64>,
}

impl Recorded {
    /// The finer figures of `report`.
    #[must_use]
    pub fn of(report: &Report) -> Self {
        let actions = report
            .actions
            .iter()
            .map(|(name, count)| ((*name).to_owned(), *count));
        Self {
            levels: report.levels.clone(),
            actions: actions.collect(),
        }
    }
}

/// An action that the bounds of a configuration exclude.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct NeverTaken {
    /// The action's name.
    pub action: String,
    /// Why it cannot happen within these bounds.
    pub reason: String,
}

/// Actions that an exhausted search did not take: a check says nothing about what never happens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vacuity {
    /// Actions that were never taken, each with the registry's reason if it has one.
    pub never_taken: Vec<(&'static str, Option<String>)>,
    /// Actions that the registry lists as never taken, and that were.
    pub taken_after_all: Vec<String>,
}

impl Vacuity {
    /// The actions that `report` never took; nothing for a search that was not exhausted.
    #[must_use]
    pub fn of(report: &Report, listed: &[NeverTaken]) -> Self {
        // stateright's engine counts no actions, and knows nothing of them.
        if report.verdict != Verdict::Exhausted || report.actions.is_empty() {
            return Self::default();
        }
        let reason = |name: &str| {
            let entry = listed.iter().find(|entry| entry.action == name);
            entry.map(|entry| entry.reason.clone())
        };
        let never = report.actions.iter().filter(|(_, count)| *count == 0);
        let never_taken: Vec<_> = never.map(|(name, _)| (*name, reason(name))).collect();
        let taken_after_all = listed
            .iter()
            .map(|entry| entry.action.clone())
            .filter(|action| never_taken.iter().all(|(name, _)| name != action))
            .collect();
        Self {
            never_taken,
            taken_after_all,
        }
    }

    /// Whether an action was never taken without a reason in the registry.
    #[must_use]
    pub fn has_unlisted(&self) -> bool {
        self.never_taken.iter().any(|(_, reason)| reason.is_none())
    }

    /// What a person should be told, in sentences.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        let unlisted = self
            .never_taken
            .iter()
            .filter(|(_, reason)| reason.is_none());
        let unlisted: Vec<&str> = unlisted.map(|(name, _)| *name).collect();
        let mut warnings = Vec::new();
        if !unlisted.is_empty() {
            let names = unlisted.join(", ");
            warnings.push(format!("never taken, so nothing is checked of it: {names}"));
        }
        if !self.taken_after_all.is_empty() {
            let names = self.taken_after_all.join(", ");
            warnings.push(format!(
                "the registry lists as never taken what is taken: {names}"
            ));
        }
        warnings
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RegistryFile {
    sources: Option<SourceTable>,
    #[serde(default)]
    configuration: Vec<Registered>,
}

/// An open `specs/` folder.
#[derive(Clone, Debug)]
pub struct Specs {
    source: SpecsSource,
    /// Where the source's files are read: the folder as the process sees it, which need not be as
    /// the working directory does.
    root: PathBuf,
    embedded: EmbeddedSpecs,
    sources: Option<SourceTable>,
    configurations: Vec<Registered>,
}

impl Specs {
    /// Opens `folder` if given; otherwise the nearest `specs/` at or above `working`; otherwise
    /// the built-in copy.
    ///
    /// # Errors
    ///
    /// The registry cannot be read, or is not a registry.
    pub fn open(
        folder: Option<&Path>,
        working: &Path,
        embedded: EmbeddedSpecs,
    ) -> Result<Self, SpecsError> {
        // Named as seen from the working directory, so that output does not depend on where the
        // checkout lies.
        let nearest = || {
            let mut seen = PathBuf::new();
            for parent in working.ancestors() {
                let specs = parent.join("specs");
                if specs.join(REGISTRY).is_file() {
                    return Some((seen.join("specs"), specs));
                }
                seen.push("..");
            }
            None
        };
        let given = folder.map(|folder| (folder.to_path_buf(), folder.to_path_buf()));
        let (source, root) = match given.or_else(nearest) {
            Some((name, root)) => (SpecsSource::Folder(name), root),
            None => (SpecsSource::Embedded, PathBuf::new()),
        };
        let mut specs = Self {
            source,
            root,
            embedded,
            sources: None,
            configurations: Vec::new(),
        };
        let text = specs.text(REGISTRY)?;
        let file = parse_registry(&specs.path(REGISTRY), &text)?;
        specs.sources = file.sources;
        specs.configurations = file.configuration;
        Ok(specs)
    }

    /// Where the specifications came from.
    #[must_use]
    pub fn source(&self) -> &SpecsSource {
        &self.source
    }

    /// The folder that is open, as the process sees it; none for the built-in copy.
    #[must_use]
    pub fn folder(&self) -> Option<&Path> {
        match self.source {
            SpecsSource::Folder(_) => Some(&self.root),
            SpecsSource::Embedded => None,
        }
    }

    /// Which sources the verdicts depend on, if the registry says so.
    #[must_use]
    pub fn sources(&self) -> Option<&SourceTable> {
        self.sources.as_ref()
    }

    /// The lines of the registry that are the entry of this name, without what is before and after:
    /// read alone, they are a registry of one configuration. None if there is no such entry, or if
    /// it is not written as a `[[configuration]]` table of its own.
    ///
    /// # Errors
    ///
    /// The registry cannot be read any more.
    pub fn entry_text(&self, name: &str) -> Result<Option<String>, SpecsError> {
        let text = self.text(REGISTRY)?;
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        // A table within an entry belongs to it.
        let is_table = |line: &&str| {
            line.starts_with('[')
                && !line.starts_with("[configuration.")
                && !line.starts_with("[[configuration.")
        };
        let starts = lines.iter().enumerate().filter(|(_, line)| is_table(line));
        for (start, _) in starts {
            let rest = &lines[start + 1..];
            let length = rest.iter().take_while(|line| !is_table(line)).count();
            let mut end = start + 1 + length;
            // Blank lines and comments at the end introduce what comes next.
            while lines[end - 1].trim().is_empty() || lines[end - 1].starts_with('#') {
                end -= 1;
            }
            let part = lines[start..end].concat();
            if !part.contains(name) {
                continue;
            }
            if Registered::alone(&part).is_some_and(|entry| entry.name == name) {
                return Ok(Some(part));
            }
        }
        Ok(None)
    }

    /// Every registered configuration, in the registry's order.
    #[must_use]
    pub fn configurations(&self) -> &[Registered] {
        &self.configurations
    }

    /// The text of a file of the folder.
    ///
    /// # Errors
    ///
    /// There is no such file, or it is not UTF-8.
    pub fn text(&self, relative: &str) -> Result<String, SpecsError> {
        let unreadable = |error| SpecsError::Unreadable {
            path: self.path(relative),
            error,
        };
        match &self.source {
            SpecsSource::Folder(_) => {
                std::fs::read_to_string(self.root.join(relative)).map_err(unreadable)
            }
            SpecsSource::Embedded => {
                let mut files = self.embedded.0.iter();
                let found = files.find(|(path, _)| *path == relative);
                found.map(|(_, text)| (*text).to_owned()).ok_or_else(|| {
                    unreadable(std::io::Error::new(
                        std::io::ErrorKind::NotFound,
                        "it is not among the built-in specifications",
                    ))
                })
            }
        }
    }

    /// How messages name a file of the folder.
    #[must_use]
    pub fn path(&self, relative: &str) -> String {
        match &self.source {
            SpecsSource::Folder(folder) => folder.join(relative).display().to_string(),
            SpecsSource::Embedded => format!("specs/{relative} (built in)"),
        }
    }

    /// The configurations that `filters` select, in the registry's order: each filter is the name
    /// of a configuration, of a model, or a glob over names of configurations. Without a filter
    /// these are all that are not marked as big.
    ///
    /// # Errors
    ///
    /// A filter that selects nothing, or is not a glob.
    pub fn select(&self, filters: &[String]) -> Result<Vec<&Registered>, SpecsError> {
        if filters.is_empty() {
            return Ok(self
                .configurations
                .iter()
                .filter(|entry| !entry.big)
                .collect());
        }
        let mut selected = vec![false; self.configurations.len()];
        for filter in filters {
            let glob = glob(filter)?;
            let mut any = false;
            for (entry, selected) in self.configurations.iter().zip(&mut selected) {
                let fits =
                    entry.name == *filter || entry.model == *filter || glob.is_match(&entry.name);
                *selected |= fits;
                any |= fits;
            }
            if !any {
                return Err(SpecsError::NoMatch {
                    filter: filter.clone(),
                    known: self.nearest(filter),
                });
            }
        }
        let chosen = self.configurations.iter().zip(selected);
        Ok(chosen
            .filter(|(_, selected)| *selected)
            .map(|(entry, _)| entry)
            .collect())
    }

    /// The registered configuration of exactly this name.
    ///
    /// # Errors
    ///
    /// There is none.
    pub fn find(&self, name: &str) -> Result<&Registered, SpecsError> {
        self.configurations
            .iter()
            .find(|entry| entry.name == name)
            .ok_or_else(|| SpecsError::NoMatch {
                filter: name.to_owned(),
                known: self.nearest(name),
            })
    }

    /// Names of configurations and models, the ones most like `name` first.
    fn nearest(&self, name: &str) -> Vec<String> {
        let names = self
            .configurations
            .iter()
            .flat_map(|entry| [&entry.name, &entry.model]);
        let names: BTreeSet<&String> = names.collect();
        let mut names: Vec<String> = names.into_iter().cloned().collect();
        names.sort_by_key(|known| strsim::levenshtein(&known.to_lowercase(), &name.to_lowercase()));
        names
    }
}

fn glob(filter: &str) -> Result<GlobMatcher, SpecsError> {
    let glob = GlobBuilder::new(filter)
        .build()
        .map_err(|error| SpecsError::BadGlob {
            filter: filter.to_owned(),
            message: error.kind().to_string(),
        })?;
    Ok(glob.compile_matcher())
}

fn parse_registry(path: &str, text: &str) -> Result<RegistryFile, SpecsError> {
    let file: RegistryFile = toml::from_str(text).map_err(|error| {
        let offset = error.span().map_or(0, |span| span.start);
        let before = text.get(..offset).unwrap_or_default();
        SpecsError::Malformed {
            path: path.to_owned(),
            line: before.matches('\n').count() + 1,
            column: before.chars().rev().take_while(|c| *c != '\n').count() + 1,
            message: error.message().to_owned(),
        }
    })?;
    let mut names = BTreeSet::new();
    for entry in &file.configuration {
        let inconsistent = |message: &str| SpecsError::Inconsistent {
            path: path.to_owned(),
            name: entry.name.clone(),
            message: message.to_owned(),
        };
        if !names.insert(&entry.name) {
            return Err(inconsistent("it is registered twice"));
        }
        if let Some(fault) = entry.expect.fault(entry.purpose) {
            return Err(inconsistent(fault));
        }
        // Names become paths: one that leaves the folder must not be followed.
        let plain = |name: &str| {
            !name.is_empty()
                && name
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || "-_".contains(c))
        };
        if !plain(&entry.name) || !plain(&entry.model) {
            return Err(inconsistent("names have letters, digits, - and _ only"));
        }
    }
    Ok(file)
}
