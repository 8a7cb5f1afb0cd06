//! Holds a model against TLC: verdicts, counts, traces and whole state graphs.

mod compare;
mod comparison;
mod error;
pub mod graph;
pub mod tlc;

pub use compare::{CompareOptions, Event, compare};
pub use comparison::{Agreement, Comparison, Row};
pub use error::CompareError;
pub use graph::GraphComparison;
pub use tlc::{Sources, TlcError};
