//! Whole state graphs, TLC's and Plumb's, held against each other state by state and step by step.
//!
//! Equal counts can hide two errors that cancel each other; equal graphs cannot. What is compared:
//!
//! * the states inside the constraint, and which of them are initial;
//! * the steps between them, as (state, action name, state), and how often each is generated;
//! * how many generated successors the constraint cuts off. TLC does not dump those: their number
//!   is what is left of `generated` without the initial states and the dumped steps.
//!
//! TLC's dump is read as a stream. Every state in it goes through the model's own reading of TLA+
//! values to its canonical bytes, so states are compared exactly, by bytes and not by fingerprint;
//! one that the model cannot read, or would print differently, is itself a difference.

mod build;
mod comparison;
mod differences;
mod pair;
mod paths;
mod show;
mod states;

pub use comparison::{
    ActionCount, Count, Difference, DifferenceKind, GraphComparison, NearestStep, PathStep,
    ShownState, Side, Sides, StepDifference,
};

use std::io::{BufReader, Read};

use plumb_checker::ConfiguredModel;
use plumb_tla::tlc::TlcReport;

use build::Terms;
use differences::Differences;
use pair::GraphPair;
use show::Show;

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
    Unreadable(String),
}

/// Explores the model, reads TLC's `dump`, and compares the two.
pub(crate) fn compare(
    model: &dyn ConfiguredModel,
    report: &TlcReport,
    dump: impl Read,
    limit: u64,
    observe: &dyn Fn(Event<'_>),
    stop: &dyn Fn() -> bool,
) -> Result<GraphComparison, GraphError> {
    let terms = Terms {
        limit,
        observe,
        stop,
    };
    let mut pair = GraphPair::new(model.actions());
    build::explore(&mut pair, model, &terms)?;
    build::read(
        &mut pair,
        model,
        BufReader::with_capacity(1 << 18, dump),
        &terms,
    )?;
    pair.tlc.outside = cut_by_tlc(report, pair.tlc.steps.len() as u64)?;
    pair.finish();
    Ok(compare_pair(model, &pair))
}

/// The successors that TLC generated and did not dump.
fn cut_by_tlc(report: &TlcReport, dumped: u64) -> Result<u64, GraphError> {
    let generated = report.generated.zip(report.initial_generated);
    generated
        .and_then(|(all, initial)| all.checked_sub(initial)?.checked_sub(dumped))
        .ok_or_else(|| {
            let message = "its steps are more than TLC says it generated";
            GraphError::Unreadable(message.to_owned())
        })
}

/// Compares two graphs that are complete and in order.
fn compare_pair(model: &dyn ConfiguredModel, pair: &GraphPair) -> GraphComparison {
    let found = Differences::between(pair);
    let examples = found.examples(pair);
    GraphComparison {
        states: found.states,
        initial: found.initial,
        steps: found.steps,
        multiplicities: found.multiplicities,
        actions: pair
            .actions
            .iter()
            .zip(found.actions)
            .map(|(action, Sides { tlc, plumb })| ActionCount {
                action: action.clone(),
                tlc,
                plumb,
            })
            .collect(),
        outside: found.outside,
        differences: Show { model, pair }.differences(&examples),
    }
}

#[cfg(test)]
mod tests;
