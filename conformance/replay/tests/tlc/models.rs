//! The built-in models, and comparing many of their configurations at once.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

use plumb_checker::specs::{EmbeddedSpecs, Specs};
use plumb_checker::{ConfiguredModel, ModelEntry, Registry};
use plumb_models::registry;
use plumb_replay::{CompareOptions, Comparison, Sources, compare};

use crate::{MACHINES, turn};

/// The repository's `specs/` folder.
pub(crate) fn specs() -> Specs {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../specs");
    Specs::open(Some(&folder), Path::new("."), EmbeddedSpecs::default()).unwrap()
}

/// One configuration that is to be compared.
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) entry: ModelEntry,
    pub(crate) model: Box<dyn ConfiguredModel>,
    pub(crate) sources: Sources,
}

impl Case {
    /// The case of a cfg's text, if the model is among the registry's.
    pub(crate) fn new(registry: &Registry, model: &str, name: &str, cfg: &str) -> Option<Self> {
        let entry = *registry.find(model)?;
        let parsed = plumb_tla::parse_cfg(cfg).unwrap();
        let configured = entry.configure(&parsed);
        let configured = configured.unwrap_or_else(|error| panic!("{name}: {error}"));
        let module = specs().text(&format!("{model}/{}.tla", entry.module));
        Some(Self {
            name: name.to_owned(),
            entry,
            model: configured,
            sources: Sources {
                module: entry.module.to_owned(),
                text: module.unwrap(),
                cfg: cfg.to_owned(),
                others: Vec::new(),
            },
        })
    }

    /// The case of a registered configuration; none if there is no Rust model of it yet.
    pub(crate) fn registered(name: &str) -> Option<Self> {
        let specs = specs();
        let entry = specs.find(name).unwrap();
        let cfg = specs.text(&format!("{}/{name}.cfg", entry.model)).unwrap();
        Self::new(&registry(), &entry.model, name, &cfg)
    }

    /// The comparison, with the whole graph where there is one.
    pub(crate) fn compare(&self) -> Comparison {
        let options = CompareOptions {
            graph: true,
            ..CompareOptions::default()
        };
        let found = compare(&self.entry, &self.sources, &options);
        found.unwrap_or_else(|error| panic!("{}: {error}", self.name))
    }
}

/// The cfg files of `tests/whole/MODEL/`, in order.
pub(crate) fn whole(model: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("tests/whole")
        .join(model);
    let entries = std::fs::read_dir(folder).unwrap();
    let mut files: Vec<_> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// If the graphs were compared, TLC's labels are the documented actions of the specification, and
/// no others: names of TLC's own would follow them.
fn same_actions(case: &Case, found: &Comparison) {
    let Some(graph) = &found.graph else { return };
    let names: Vec<_> = graph
        .actions
        .iter()
        .map(|action| action.action.as_str())
        .collect();
    assert_eq!(names, case.model.actions(), "{}", case.name);
}

/// Compares all cases, as many at once as there may be machines; prints the times, and fails with
/// all differences together. Does nothing if the tests with TLC are renounced.
pub(crate) fn all_agree(cases: &[Case], further: impl Fn(&Case, &Comparison) + Sync) {
    assert!(!cases.is_empty());
    let next = AtomicUsize::new(0);
    let failures = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..MACHINES {
            scope.spawn(|| {
                while let Some(case) = cases.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let Some(turn) = turn() else { return };
                    let found = case.compare();
                    drop(turn);
                    let agrees = found.agrees();
                    eprintln!(
                        "{}: {}, TLC {:.1} s, Plumb {:.2} s",
                        case.name,
                        if agrees { "agrees" } else { "differs" },
                        found.tlc_seconds,
                        found.plumb_seconds
                    );
                    if agrees {
                        same_actions(case, &found);
                        further(case, &found);
                    } else {
                        let rows: Vec<_> = found.differences().collect();
                        let graph = found.graph.as_ref().map(|graph| &graph.differences);
                        let text = format!("{}: {rows:#?}\n{graph:#?}", case.name);
                        let mut failures = failures.lock().unwrap_or_else(PoisonError::into_inner);
                        failures.push(text);
                    }
                }
            });
        }
    });
    let failures = failures
        .into_inner()
        .unwrap_or_else(PoisonError::into_inner);
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
