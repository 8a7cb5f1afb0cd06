//! What a result is of, by meaning: the semantic digest.

use plumb_checker::specs::{Registered, Specs, SpecsError};
use plumb_sources::Sources;
use serde::{Deserialize, Serialize};

use crate::digest::sha256;
use crate::spelling;

/// Digests of everything that a verdict depends on. Comments and formatting of Rust sources make no
/// difference to them; modules, cfgs and the registry's entry count as they are.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct SemanticRecord {
    /// The SHA-256 of the cfg.
    pub cfg: String,
    /// The digest of all others together: the *semantic digest*.
    pub digest: String,
    /// The digest of the tokens of explorer, TLA+ values, and what models share; none if the
    /// registry does not say where they are.
    pub engine: Option<String>,
    /// The SHA-256 of the registry's entry, written as this crate writes documents.
    pub entry: String,
    /// The digest of the locked versions of what the program is built of.
    pub locked: Option<String>,
    /// The digest of the tokens of the model's Rust sources.
    pub model: Option<String>,
    /// The SHA-256 of the TLA+ module.
    pub module: String,
}

impl SemanticRecord {
    /// The digests of these texts and sources.
    #[must_use]
    pub fn of(entry: &Registered, module: &str, cfg: &str, sources: Option<&Sources>) -> Self {
        let known = sources.filter(|sources| sources.place_of_model(&entry.model).is_some());
        let mut record = Self {
            cfg: sha256(cfg.as_bytes()),
            digest: String::new(),
            engine: known.map(Sources::engine),
            entry: sha256(spelling::write(entry).as_bytes()),
            locked: known.map(Sources::locked),
            model: known.and_then(|sources| sources.model(&entry.model)),
            module: sha256(module.as_bytes()),
        };
        record.digest = record.together();
        record
    }

    /// The digests of what lies in `specs` now.
    ///
    /// # Errors
    ///
    /// Module or cfg cannot be read.
    pub fn now(
        specs: &Specs,
        entry: &Registered,
        module: &str,
        sources: Option<&Sources>,
    ) -> Result<Self, SpecsError> {
        let text = specs.text(&format!("{}/{module}.tla", entry.model))?;
        let cfg = specs.text(&format!("{}/{}.cfg", entry.model, entry.name))?;
        Ok(Self::of(entry, &text, &cfg, sources))
    }

    /// What [`digest`](Self::digest) has to be.
    #[must_use]
    pub fn together(&self) -> String {
        let parts = self.parts();
        let lines: Vec<String> = parts
            .iter()
            .map(|(name, digest)| format!("{name} {}\n", digest.unwrap_or("-")))
            .collect();
        sha256(lines.concat().as_bytes())
    }

    /// In words, which parts differ from `other`.
    #[must_use]
    pub fn differences(&self, other: &Self) -> Vec<&'static str> {
        let words = [
            "the cfg",
            "explorer and shared sources",
            "the registry's entry",
            "versions of dependencies",
            "the model's sources",
            "the module",
        ];
        let (own, others) = (self.parts(), other.parts());
        let pairs = own.into_iter().zip(others).zip(words);
        pairs
            .filter(|((own, other), _)| own.1 != other.1)
            .map(|(_, word)| word)
            .collect()
    }

    fn parts(&self) -> [(&'static str, Option<&str>); 6] {
        [
            ("cfg", Some(&self.cfg)),
            ("engine", self.engine.as_deref()),
            ("entry", Some(&self.entry)),
            ("locked", self.locked.as_deref()),
            ("model", self.model.as_deref()),
            ("module", Some(&self.module)),
        ]
    }
}
