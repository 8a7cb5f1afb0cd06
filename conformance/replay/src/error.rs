//! Why there is no comparison.

use plumb_checker::{ConfigurationError, StopReason};

use crate::tlc::TlcError;

/// Why a model could not be held against TLC. None of these is ever taken for agreement.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompareError {
    /// The cfg does not configure the model.
    #[error(transparent)]
    Configuration(#[from] ConfigurationError),
    /// One of the engines was stopped before its end, by a budget or by the user.
    #[error("{engine}: {reason}")]
    Inconclusive {
        /// The engine that was stopped.
        engine: &'static str,
        /// What stopped it.
        reason: StopReason,
    },
    /// The Rust model's own code failed.
    #[error("the search of the Rust model failed: {message}")]
    Model {
        /// What it said.
        message: String,
    },
    /// The state graph is too large to be held in memory twice.
    #[error("the state graph has {states} states; at most {limit} are compared as a whole")]
    GraphTooLarge {
        /// The states that Plumb found.
        states: u64,
        /// The limit in force.
        limit: u64,
    },
    /// TLC did not come to a verdict.
    #[error(transparent)]
    Tlc(#[from] TlcError),
}
