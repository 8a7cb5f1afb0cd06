//! Forgers of counterexamples.

use plumb_attest::fault::Code;
use plumb_attest::record::TraceRecord;
use plumb_replay::trace::TraceItem;
use plumb_tla::State;

use crate::bundles::{Parts, honest, items, trace_texts};
use crate::forgeries::Caught::As;
use crate::forgeries::Forgery;

/// Writes another trace into the bundle, with all that depends on it.
fn with_items(parts: &mut Parts, items: &[TraceItem]) {
    let (trace, text) = trace_texts(items);
    let states = items.len() as u64 - 2;
    parts.attachments.trace = Some(trace);
    parts.attachments.trace_text = Some(text);
    if let Some(record) = &mut parts.result.trace {
        record.states = states;
    }
}

/// Numbers the steps anew.
fn numbered(items: Vec<TraceItem>) -> Vec<TraceItem> {
    let mut number = 0;
    let renumber = |item| match item {
        TraceItem::Step(mut step) => {
            number += 1;
            step.number = number;
            TraceItem::Step(step)
        }
        item => item,
    };
    items.into_iter().map(renumber).collect()
}

/// Forgeries of traces, and of what results say of them.
pub(crate) const OF_TRACES: &[Forgery] = &[
    (
        "a counterexample is longer than its search is deep",
        "violated",
        As(Code::Inconsistent),
        |parts| {
            let counts = parts.result.counts.as_mut().unwrap();
            (counts.depth, counts.distinct) = (Some(1), 1);
            parts.result.levels.truncate(1);
        },
    ),
    (
        "variables are left out of a trace",
        "violated",
        As(Code::Trace),
        |parts| {
            let items = items(parts).into_iter().map(|item| match item {
                TraceItem::Step(mut step) => {
                    let some = step.state.iter().take(1);
                    step.state = State::new(some.map(|(name, value)| (name, value.clone())));
                    TraceItem::Step(step)
                }
                item => item,
            });
            with_items(parts, &items.collect::<Vec<_>>());
        },
    ),
    (
        "a trace that nobody names",
        "exhausted",
        As(Code::Trace),
        |parts| {
            let other = &honest()["violated"];
            parts.attachments = other.attachments.clone();
        },
    ),
    (
        "the trace of another configuration",
        "violated",
        As(Code::Trace),
        |parts| {
            let other = &honest()["witness"];
            parts.attachments.trace.clone_from(&other.attachments.trace);
            parts
                .attachments
                .trace_text
                .clone_from(&other.attachments.trace_text);
            parts.result.trace.clone_from(&other.result.trace);
        },
    ),
    (
        "the trace without its last step",
        "violated",
        As(Code::Trace),
        |parts| {
            let mut items = items(parts);
            items.remove(items.len() - 2);
            with_items(parts, &items);
        },
    ),
    (
        "the trace without a step in its middle",
        "violated",
        As(Code::Trace),
        |parts| {
            let mut items = items(parts);
            items.remove(3);
            with_items(parts, &numbered(items));
        },
    ),
    ("two steps swapped", "violated", As(Code::Trace), |parts| {
        let mut items = items(parts);
        items.swap(3, 4);
        with_items(parts, &numbered(items));
    }),
    ("another last state", "violated", As(Code::Trace), |parts| {
        let mut items = items(parts);
        let before = items[2].clone();
        let last = items.len() - 2;
        if let (TraceItem::Step(step), TraceItem::Step(before)) = (&mut items[last], before) {
            step.state = before.state;
        }
        with_items(parts, &items);
    }),
    (
        "a longer way to the same violation",
        "violated",
        As(Code::Expectation),
        |parts| {
            // A step that changes nothing is one of every behaviour.
            let mut items = items(parts);
            let mut again = items[1].clone();
            if let TraceItem::Step(step) = &mut again {
                step.label = plumb_replay::trace::RecordedLabel::Unlabelled;
            }
            items.insert(2, again);
            with_items(parts, &numbered(items));
        },
    ),
    (
        "the text of another trace",
        "violated",
        As(Code::Trace),
        |parts| {
            let text = parts.attachments.trace_text.as_mut().unwrap();
            *text = text.replacen("State 1", "State 9", 1);
        },
    ),
    (
        "a lasso that goes back elsewhere",
        "lasso",
        As(Code::Trace),
        |parts| {
            let trace = parts.result.trace.as_mut().unwrap();
            trace.back_to = Some(if trace.back_to == Some(1) { 2 } else { 1 });
        },
    ),
    (
        "a lasso that does not go back",
        "lasso",
        As(Code::Inconsistent),
        |parts| {
            parts.result.trace.as_mut().unwrap().back_to = None;
        },
    ),
    (
        "a trace of an exhausted search",
        "exhausted",
        As(Code::Inconsistent),
        |parts| {
            let states = 1;
            let (back_to, sha256) = (None, "0".repeat(64));
            parts.result.trace = Some(TraceRecord {
                back_to,
                sha256,
                states,
            });
        },
    ),
];
