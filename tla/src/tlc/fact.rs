//! Lines in which TLC states a fact about its run.

use super::counts::{leading_number, read_progress, read_totals};
use super::output::OutputItem;

/// The fact about the run that the line states: none if it does not state one, and an empty one if
/// nothing need be known of it.
pub(super) fn fact(line: &str) -> Option<Option<OutputItem>> {
    let item = if let Some(version) = line.strip_prefix("TLC2 Version ") {
        Some(OutputItem::Version(version.trim().to_owned()))
    } else if let Some(name) = line.strip_prefix("Semantic processing of module ") {
        Some(OutputItem::Module(name.trim().to_owned()))
    } else if let Some(text) = line.strip_prefix("Running Random Simulation with ") {
        let seed = text.split_once("seed ").map_or("", |(_, seed)| seed);
        leading_number(seed).map(OutputItem::Seed)
    } else if line.starts_with("Model checking completed. No error has been found.") {
        Some(OutputItem::Completed)
    } else if let Some(text) = line.strip_prefix("The depth of the complete state graph search is ")
    {
        leading_number(text).map(OutputItem::Depth)
    } else if let Some(text) = line.strip_prefix("Finished computing initial states: ") {
        let distinct = text
            .split_once(" generated, with ")
            .map_or(text, |(_, rest)| rest);
        leading_number(text).map(|generated| OutputItem::InitialStates {
            generated,
            distinct: leading_number(distinct),
        })
    } else if let Some(text) = line.strip_prefix("The number of states generated: ") {
        leading_number(text).map(OutputItem::Generated)
    } else if let Some(text) = line.strip_prefix("Progress(") {
        read_progress(text).map(OutputItem::Progress)
    } else if let Some((generated, distinct, queue)) = read_totals(line) {
        Some(OutputItem::Totals {
            generated,
            distinct,
            queue,
        })
    } else if line.starts_with("Finished in ") || line.starts_with("Finished checking temporal") {
        None
    } else {
        return None;
    };
    Some(item)
}
