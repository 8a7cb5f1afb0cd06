//! What is compared of a report: everything that must be the same for every repetition.

use plumb_checker::{Report, Verdict};
use plumb_tla::{State, Value};

use crate::graph::Node;

/// A report without its times and bytes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Summary {
    pub(crate) verdict: Verdict,
    pub(crate) distinct: u64,
    pub(crate) generated: u64,
    pub(crate) outside: u64,
    pub(crate) queue: u64,
    pub(crate) levels: Vec<u64>,
    pub(crate) actions: Vec<(&'static str, u64)>,
    /// The label of the step that led to each state, and the state.
    pub(crate) trace: Vec<(Option<String>, Node)>,
}

/// What is compared of `report`.
pub(crate) fn summary(report: &Report) -> Summary {
    let steps = report.trace.iter().map(|step| {
        let label = step.action.as_ref().map(ToString::to_string);
        (label, node(&step.state))
    });
    Summary {
        verdict: report.verdict.clone(),
        distinct: report.distinct,
        generated: report.generated,
        outside: report.outside,
        queue: report.queue,
        levels: report.levels.clone(),
        actions: report.actions.clone(),
        trace: steps.collect(),
    }
}

/// The states of a report's counterexample.
pub(crate) fn nodes(report: &Report) -> Vec<Node> {
    report.trace.iter().map(|step| node(&step.state)).collect()
}

/// The state of a graph that has these values.
pub(crate) fn node(state: &State) -> Node {
    let number = state.get("node").and_then(Value::as_int).unwrap();
    Node::try_from(number).unwrap()
}
