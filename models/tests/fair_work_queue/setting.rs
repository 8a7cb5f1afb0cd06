//! Configurations by the document's shorthand.

use plumb_models::FairWorkQueue;

use crate::harness;

/// A configuration: everything but the choice of properties.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting {
    pub(crate) specification: &'static str,
    /// Works, dispatchers, batch, claim limit, run limit, key limit, retries, longest log.
    pub(crate) numbers: [i64; 8],
    pub(crate) mode: &'static str,
    /// The work edges: "Chain" for `ChainDependencies`.
    pub(crate) edges: &'static str,
    /// The external edges: "No", "GitHub" or "GitHubChild".
    pub(crate) external: &'static str,
}

impl Setting {
    /// The sound specification in default mode, without any edges.
    pub(crate) const fn of(numbers: [i64; 8]) -> Self {
        Self {
            specification: "Spec",
            numbers,
            mode: "default",
            edges: "Independent",
            external: "No",
        }
    }

    pub(crate) const fn specified(self, specification: &'static str) -> Self {
        Self {
            specification,
            ..self
        }
    }

    pub(crate) const fn mode(self, mode: &'static str) -> Self {
        Self { mode, ..self }
    }

    pub(crate) const fn edges(self, edges: &'static str) -> Self {
        Self { edges, ..self }
    }

    pub(crate) const fn external(self, external: &'static str) -> Self {
        Self { external, ..self }
    }

    /// The cfg text, without properties and constraints.
    pub(crate) fn cfg(&self) -> String {
        let [works, groups, batch, claims, runs, keys, retries, log] = self.numbers;
        format!(
            "SPECIFICATION {}\nCONSTANTS WorkCount = {works} DispatcherCount = {groups} \
             MaxBatch = {batch} ClaimLimit = {claims} RunLimit = {runs} KeyLimit = {keys} \
             RetryLimit = {retries} MaxLog = {log} Mode = \"{}\" \
             Dependencies <- {}Dependencies ExternalDependencies <- {}Dependencies",
            self.specification,
            self.mode,
            self.edges,
            if self.external == "No" {
                "NoExternal"
            } else {
                self.external
            }
        )
    }

    pub(crate) fn model(&self) -> FairWorkQueue {
        harness::model(&self.cfg())
    }
}
