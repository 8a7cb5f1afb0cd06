//! Why some bundles may be stale.
//!
//! A search of many minutes is not run again for every change of a comment in a cfg. `stale.toml`,
//! beside the bundles, lists such configurations, each with a reason that the report shows.

use std::collections::BTreeMap;

use plumb_checker::specs::Registered;
use serde::Deserialize;

use crate::record::RunRecord;

/// Bundles of shorter runs may not be stale, whatever is listed: they can be made again.
pub(crate) const LONG_RUN_MILLISECONDS: u64 = 120_000;

/// Configurations that may be stale, and why.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StaleReasons {
    reasons: BTreeMap<String, String>,
}

/// A list of reasons that is none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReasonsError {
    /// It is no such file.
    #[error("expected tables [[stale]] with a configuration and a reason: {0}")]
    Malformed(String),
    /// A configuration is listed twice.
    #[error("{0} is listed twice")]
    Twice(String),
    /// A reason is empty.
    #[error("there is no reason for {0}")]
    Empty(String),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    stale: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    configuration: String,
    reason: String,
}

impl StaleReasons {
    /// Reads the list.
    ///
    /// ```
    /// use plumb_attest::verify::StaleReasons;
    /// let text = "[[stale]]\nconfiguration = \"Huge\"\nreason = \"a night long\"\n";
    /// assert!(StaleReasons::parse(text)?.names().eq(["Huge"]));
    /// # Ok::<(), plumb_attest::verify::ReasonsError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// It is no such list, or says something twice or without a reason.
    pub fn parse(text: &str) -> Result<Self, ReasonsError> {
        let file: File = toml::from_str(text)
            .map_err(|error| ReasonsError::Malformed(error.message().to_owned()))?;
        let mut reasons = BTreeMap::new();
        for Entry {
            configuration,
            reason,
        } in file.stale
        {
            if reason.trim().is_empty() {
                return Err(ReasonsError::Empty(configuration));
            }
            if reasons.insert(configuration.clone(), reason).is_some() {
                return Err(ReasonsError::Twice(configuration));
            }
        }
        Ok(Self { reasons })
    }

    /// The configurations that are listed, sorted.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.reasons.keys().map(String::as_str)
    }

    /// The reason for a configuration, if it counts: if it is registered as big, and its run was
    /// long. The run alone could say anything of itself.
    pub(crate) fn that_counts(&self, entry: &Registered, run: &RunRecord) -> Option<String> {
        let long = entry.big && run.milliseconds >= LONG_RUN_MILLISECONDS;
        self.reasons.get(&entry.name).filter(|_| long).cloned()
    }
}
