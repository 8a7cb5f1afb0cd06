//! The audit: what of a bundle holds, and how that is known.
//!
//! An audit starts from nothing: that a verdict stands in `result.json` is no reason to believe it.
//! Each claim of a bundle ends in one of four [`Basis`]es, and a bundle without a single
//! [`Fault`] may still have claims that nobody but its writer vouches for. The report says which.

mod consistency;
mod examination;
mod integrity;
mod reasons;
mod repeat;
pub(crate) mod tlc;
mod trace;

use std::collections::BTreeMap;

use plumb_checker::Registry;
use plumb_checker::specs::Specs;
use plumb_sources::Sources;
use serde::Serialize;

use crate::bundle::Bundle;
use crate::fault::{Code, Fault};
use crate::folder::{Collection, Found, STALE_REASONS, Scope};
use crate::record::{ResultRecord, RunRecord};
use crate::signature::{PublicKey, SignedBy};
pub(crate) use consistency::outcome;
use examination::Examination;
pub use integrity::integrity;
pub use reasons::{ReasonsError, StaleReasons};
pub use repeat::repeat;
pub use tlc::log_differences;

/// How it is known that a claim is true.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Basis {
    /// It was worked out here, from the files of the bundle and the model of this program.
    Recomputed,
    /// Another tool's log in the bundle says the same.
    CrossChecked,
    /// Only the bundle says so. A repetition could tell.
    Asserted,
    /// It was not looked at, or could not be.
    NotChecked,
}

impl Basis {
    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Recomputed => "recomputed",
            Self::CrossChecked => "cross-checked",
            Self::Asserted => "only asserted",
            Self::NotChecked => "not checked",
        }
    }
}

/// Something that a bundle says.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Claim {
    /// How it is known.
    pub basis: Basis,
    /// What it is about, in a word or two.
    pub claim: &'static str,
    /// How it is known, in a sentence.
    pub how: String,
}

/// The name of the claim that a verdict is.
pub(crate) const VERDICT: &str = "verdict";

/// What an audit comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// Whole, consistent, as expected, and of what lies there now.
    Valid,
    /// As before, but of something that has changed since.
    Stale,
    /// At least one thing is wrong.
    Invalid,
}

impl Status {
    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Valid => "valid",
            Self::Stale => "stale",
            Self::Invalid => "invalid",
        }
    }
}

/// One bundle, audited.
#[derive(Clone, Debug)]
pub struct Audit {
    /// The path of the bundle in the folder that was audited; empty if it is that folder.
    pub path: String,
    /// The folder of the model. Of a bundle by itself, whose folders may have any names, the model
    /// that the result names.
    pub model: String,
    /// The folder of the configuration, or likewise the configuration.
    pub configuration: String,
    /// What it comes to.
    pub status: Status,
    /// What is wrong.
    pub faults: Vec<Fault>,
    /// What it says and how that is known.
    pub claims: Vec<Claim>,
    /// Who signed it.
    pub signatures: Vec<SignedBy>,
    /// Why it may be stale, if a reason is listed and counts.
    pub stale_reason: Option<String>,
    /// The result, if it can be read.
    pub result: Option<ResultRecord>,
    /// The run, if it can be read.
    pub run: Option<RunRecord>,
    /// The files.
    pub bundle: Bundle,
}

impl Audit {
    /// How the verdict itself is known; none if nothing is claimed of it, as of a bundle in which
    /// something is wrong.
    #[must_use]
    pub fn basis_of_verdict(&self) -> Option<Basis> {
        if self.status == Status::Invalid {
            return None;
        }
        let mut claims = self.claims.iter();
        let verdict = claims.find(|claim| claim.claim == VERDICT);
        verdict.map(|claim| claim.basis)
    }
}

/// All bundles of a folder, audited.
#[derive(Clone, Debug)]
pub struct AuditReport {
    /// Each bundle, by model and configuration.
    pub audits: Vec<Audit>,
    /// What belongs to no bundle, and which bundles are missing.
    pub faults: Vec<Fault>,
}

impl AuditReport {
    /// The worst status; the folder itself may be invalid, too.
    #[must_use]
    pub fn status(&self) -> Status {
        let bundles = self.audits.iter().map(|audit| audit.status);
        let worst = bundles.max().unwrap_or(Status::Valid);
        if self.faults.is_empty() {
            worst
        } else {
            Status::Invalid
        }
    }
}

/// What bundles are held against.
#[derive(Clone, Debug)]
pub struct Auditor<'a> {
    /// The models of this program.
    pub registry: &'a Registry,
    /// The specifications that are registered now.
    pub specs: &'a Specs,
    /// The Rust sources that lie there now, or that this program was built from.
    pub sources: Option<&'a Sources>,
    /// Keys of those whose signatures count.
    pub keys: &'a [PublicKey],
}

impl Auditor<'_> {
    /// Audits every bundle of a folder, and whether they are those of the registered configurations.
    #[must_use]
    pub fn audit(&self, collection: Collection) -> AuditReport {
        let mut faults = collection.faults;
        let reasons = match collection.stale_reasons.as_deref().map(StaleReasons::parse) {
            None => StaleReasons::default(),
            Some(Ok(reasons)) => reasons,
            Some(Err(error)) => {
                faults.push(Fault::new(Code::Schema, STALE_REASONS, error.to_string()));
                StaleReasons::default()
            }
        };
        let scope = collection.scope;
        let folders: Vec<(String, String)> = collection.bundles.keys().cloned().collect();
        let audits = self.audit_each(collection.bundles, scope, &reasons);
        if scope != Scope::Bundle {
            // Of the folder of one model, that model's are all.
            let model = folders.first().map(|(model, _)| model);
            let model = model.filter(|_| scope == Scope::Model);
            let entries = self.specs.configurations().iter();
            for entry in entries.filter(|entry| model.is_none_or(|model| entry.model == *model)) {
                let key = (entry.model.clone(), entry.name.clone());
                if !folders.contains(&key) {
                    let path = scope.path(&entry.model, &entry.name);
                    let message = "the configuration is registered, and there is no bundle of it";
                    faults.push(Fault::new(Code::NotCovered, path, message));
                }
            }
            for name in reasons.names() {
                if folders
                    .iter()
                    .all(|(_, configuration)| configuration != name)
                {
                    let message = format!("there is no bundle of {name}, which may be stale");
                    faults.push(Fault::new(Code::Orphan, STALE_REASONS, message));
                }
            }
        }
        faults.sort();
        AuditReport { audits, faults }
    }

    /// Bundles do not depend on each other, so that all cores can be at work.
    fn audit_each(
        &self,
        bundles: BTreeMap<(String, String), Found>,
        scope: Scope,
        reasons: &StaleReasons,
    ) -> Vec<Audit> {
        let threads = std::thread::available_parallelism().map_or(1, usize::from);
        let waiting = std::sync::Mutex::new(bundles.into_iter());
        let work = || {
            let mut done = Vec::new();
            loop {
                // A panic of a model is caught where it is asked; the lock is never poisoned by it.
                let next = match waiting.lock() {
                    Ok(mut waiting) => waiting.next(),
                    Err(poisoned) => poisoned.into_inner().next(),
                };
                let Some(((model, configuration), found)) = next else {
                    return done;
                };
                done.push(self.audit_one(&model, &configuration, found, scope, reasons));
            }
        };
        let mut audits = std::thread::scope(|scope| {
            let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            let joined = workers.into_iter().map(std::thread::ScopedJoinHandle::join);
            joined
                .flat_map(|done| match done {
                    Ok(done) => done,
                    // A defect of this crate: it must not look like fewer bundles.
                    Err(panic) => std::panic::resume_unwind(panic),
                })
                .collect::<Vec<_>>()
        });
        audits.sort_by(|one, other| {
            (&one.model, &one.configuration).cmp(&(&other.model, &other.configuration))
        });
        audits
    }

    fn audit_one(
        &self,
        model: &str,
        configuration: &str,
        found: Found,
        scope: Scope,
        reasons: &StaleReasons,
    ) -> Audit {
        let name = scope.path(model, configuration);
        let mut examination = Examination {
            auditor: self,
            name: &name,
            bundle: &found.bundle,
            faults: found.faults,
            claims: Vec::new(),
        };
        let documents = examination.documents();
        let mut signatures = Vec::new();
        if let Some(result) = &documents.result {
            if scope != Scope::Bundle {
                examination.placement(result, model, configuration);
            }
            examination.result(result, documents.run.as_ref());
        }
        examination.signatures(&mut signatures);
        let Examination {
            mut faults, claims, ..
        } = examination;
        faults.sort();
        let broken = faults.iter().any(|fault| !fault.code.is_staleness());
        let status = match (broken, faults.is_empty()) {
            (true, _) => Status::Invalid,
            (false, false) => Status::Stale,
            (false, true) => Status::Valid,
        };
        let stale_reason = documents
            .run
            .as_ref()
            .filter(|_| status == Status::Stale)
            .and_then(|run| reasons.that_counts(self.specs.find(configuration).ok()?, run));
        let own = documents.result.as_ref().filter(|_| scope == Scope::Bundle);
        let (model, configuration) = match own {
            Some(result) => (&*result.model, &*result.configuration),
            None => (model, configuration),
        };
        let shown = |name: &str| name.escape_debug().to_string();
        Audit {
            path: name,
            model: shown(model),
            configuration: shown(configuration),
            status,
            faults,
            claims,
            signatures,
            stale_reason,
            result: documents.result,
            run: documents.run,
            bundle: found.bundle,
        }
    }
}
