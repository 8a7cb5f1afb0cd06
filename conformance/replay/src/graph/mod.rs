//! Whole state graphs, TLC's and Plumb's, held against each other state by state and step by step.

mod comparison;

pub use comparison::{
    Count, Difference, DifferenceKind, GraphComparison, NearestStep, PathStep, ShownState, Side,
    Sides, StepDifference,
};

use std::io::Read;

use plumb_checker::ConfiguredModel;
use plumb_tla::tlc::{TlcOutputError, TlcReport};

use crate::Event;

/// Why two graphs were not compared.
#[derive(Debug)]
pub(crate) enum GraphError {
    /// A graph has more states than are wanted in memory.
    TooLarge { side: Side, limit: u64 },
    /// Somebody asked for the end.
    Stopped,
    /// The Rust model contradicts itself.
    Model(String),
    /// TLC's graph cannot be read.
    Unreadable(TlcOutputError),
}

pub(crate) fn compare(
    _model: &dyn ConfiguredModel,
    _report: &TlcReport,
    _file: impl Read,
    _limit: u64,
    _observe: &dyn Fn(Event<'_>),
    _stop: &dyn Fn() -> bool,
) -> Result<GraphComparison, GraphError> {
    Err(GraphError::Stopped)
}
