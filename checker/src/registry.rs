//! The models that a program knows, by name.

use plumb_sources::{SourceFile, Sources, SourcesError};
use plumb_tla::Cfg;

use crate::configuration::ConfigurationError;
use crate::erased::{Configured, ConfiguredModel};
use crate::model::CheckedModel;
use crate::selection::table_fault;
use crate::specs::EmbeddedSpecs;

/// A model that can be configured from a cfg.
#[derive(Clone, Copy, Debug)]
pub struct ModelEntry {
    /// The model's name: its folder below `specs/`.
    pub name: &'static str,
    /// The TLA+ module.
    pub module: &'static str,
    configure: fn(&Cfg) -> Result<Box<dyn ConfiguredModel>, ConfigurationError>,
}

impl ModelEntry {
    /// The model with the constants and properties of `cfg`.
    ///
    /// # Errors
    ///
    /// A name, constant or value that the model does not have.
    pub fn configure(&self, cfg: &Cfg) -> Result<Box<dyn ConfiguredModel>, ConfigurationError> {
        (self.configure)(cfg)
    }
}

/// The digests of the sources that a program was built from, as [`plumb_sources::embed`] writes
/// them.
#[derive(Clone, Copy, Debug, Default)]
pub struct EmbeddedSources {
    /// Path, digest of the bytes, and digest of the tokens of each file, by path.
    pub files: &'static [(&'static str, &'static str, &'static str)],
    /// Models and where they are.
    pub models: &'static [(&'static str, &'static str)],
    /// The versions of what else the program is built of.
    pub versions: &'static str,
}

impl EmbeddedSources {
    /// The sources as they are worked with.
    ///
    /// # Errors
    ///
    /// A model has no file.
    pub fn sources(&self) -> Result<Sources, SourcesError> {
        let files = self.files.iter().map(|(path, bytes, tokens)| SourceFile {
            path: (*path).into(),
            bytes: (*bytes).into(),
            tokens: (*tokens).into(),
        });
        let models = self.models.iter();
        let models = models.map(|(model, path)| ((*model).to_owned(), (*path).to_owned()));
        Sources::new(files.collect(), models.collect(), self.versions.into())
    }
}

/// The models of a program and the `specs/` folder that it carries inside.
///
/// A team's own checker is a registry and one call: `plumb::run(&registry)`.
#[derive(Clone, Debug, Default)]
pub struct Registry {
    models: Vec<ModelEntry>,
    specs: EmbeddedSpecs,
    sources: Option<EmbeddedSources>,
}

impl Registry {
    /// A registry without models.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a model.
    ///
    /// # Panics
    ///
    /// If another model has the same name, if two properties, constraints or actions of the model
    /// do, or if a conjunction in its table of invariants has no conjuncts, names one that is not
    /// there, or contains itself. All of them are defects of the program, found at its start.
    #[must_use]
    #[expect(
        clippy::panic,
        reason = "a defect of the program that no input can cause"
    )]
    pub fn with<M: CheckedModel>(mut self) -> Self {
        if self.find(M::NAME).is_some() {
            panic!("two models are named {}", M::NAME);
        }
        if let Some(fault) = table_fault::<M>() {
            panic!("the model {}: {fault}", M::NAME);
        }
        self.models.push(ModelEntry {
            name: M::NAME,
            module: M::MODULE,
            configure: |cfg| Ok(Box::new(Configured::<M>::from_cfg(cfg)?)),
        });
        self
    }

    /// Sets the `specs/` folder that is built into the program.
    #[must_use]
    pub fn with_specs(mut self, specs: EmbeddedSpecs) -> Self {
        self.specs = specs;
        self
    }

    /// Says which sources the program was built from: then evidence can be refused where it would
    /// be of others.
    #[must_use]
    pub fn with_sources(mut self, sources: EmbeddedSources) -> Self {
        self.sources = Some(sources);
        self
    }

    /// The models in the order in which they were added.
    #[must_use]
    pub fn models(&self) -> &[ModelEntry] {
        &self.models
    }

    /// The model of this name.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&ModelEntry> {
        self.models.iter().find(|entry| entry.name == name)
    }

    /// The built-in `specs/` folder.
    #[must_use]
    pub fn specs(&self) -> EmbeddedSpecs {
        self.specs
    }

    /// The sources that the program was built from, if it knows them.
    #[must_use]
    pub fn sources(&self) -> Option<EmbeddedSources> {
        self.sources
    }
}
