//! `manifest.json`: an in-toto Statement that lists every other file of the bundle.
//!
//! The format is [in-toto's Statement v1](https://github.com/in-toto/attestation/blob/main/spec/v1/statement.md);
//! the predicate is ours. One signature over this file binds the whole bundle.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::record::{FileRecord, ResultRecord, VerdictWord};

/// The `_type` of a statement.
pub const STATEMENT_TYPE: &str = "https://in-toto.io/Statement/v1";
/// The type of our predicate.
pub const PREDICATE_TYPE: &str = "urn:plumb:evidence:1";

/// An in-toto Statement with our predicate.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Statement {
    /// [`STATEMENT_TYPE`].
    #[serde(rename = "_type")]
    pub statement_type: String,
    /// What was checked, and how it ended, by which files.
    pub predicate: Predicate,
    /// [`PREDICATE_TYPE`].
    #[serde(rename = "predicateType")]
    pub predicate_type: String,
    /// What the statement is about: module, cfg, and the model's Rust sources.
    pub subject: Vec<SubjectDigest>,
}

/// Something that the statement is about.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct SubjectDigest {
    /// Digests by algorithm: `sha256` of a file; `dirHash` of a folder, the SHA-256 of the sorted
    /// lines that `sha256sum` prints of its files.
    pub digest: BTreeMap<String, String>,
    /// Its path in the project.
    pub name: String,
}

/// What the statement says: the type [`PREDICATE_TYPE`].
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Predicate {
    /// The configuration's name.
    pub configuration: String,
    /// Every file of the bundle but this one, `SHA256SUMS` and the signature, by path.
    pub files: Vec<FileRecord>,
    /// The model's name.
    pub model: String,
    /// The semantic digest of what was checked.
    pub semantic: String,
    /// How the check ended.
    pub verdict: VerdictWord,
}

impl Statement {
    /// The statement about a result. `files` are all others of the bundle; `rust` is the place of
    /// the model's sources and their directory digest.
    pub(crate) fn of(
        result: &ResultRecord,
        files: Vec<FileRecord>,
        rust: Option<(&str, &str)>,
    ) -> Self {
        let digest = |algorithm: &str, digest: &str| {
            BTreeMap::from([(algorithm.to_owned(), digest.to_owned())])
        };
        let (model, semantic) = (&result.model, &result.semantic);
        let mut subject = vec![
            SubjectDigest {
                digest: digest("sha256", &semantic.module),
                name: format!("specs/{model}/{}.tla", result.module),
            },
            SubjectDigest {
                digest: digest("sha256", &semantic.cfg),
                name: format!("specs/{model}/{}.cfg", result.configuration),
            },
        ];
        subject.extend(rust.map(|(place, hash)| SubjectDigest {
            digest: digest("dirHash", hash),
            name: place.to_owned(),
        }));
        Self {
            statement_type: STATEMENT_TYPE.to_owned(),
            predicate: Predicate {
                configuration: result.configuration.clone(),
                files,
                model: model.clone(),
                semantic: semantic.digest.clone(),
                verdict: result.verdict.word,
            },
            predicate_type: PREDICATE_TYPE.to_owned(),
            subject,
        }
    }

    /// The Rust sources among the subjects: their place and directory digest.
    pub(crate) fn rust(&self) -> Option<(&str, &str)> {
        let subject = self.subject.get(2)?;
        Some((&subject.name, subject.digest.get("dirHash")?))
    }
}
