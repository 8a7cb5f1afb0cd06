//! Forgers who let TLC say what it did not say.

use plumb_attest::fault::Code;
use plumb_replay::trace::{RecordedLabel, TraceItem};

use crate::bundles::{Parts, items, trace_texts};
use crate::forgeries::Caught::As;
use crate::forgeries::Forgery;

fn log(parts: &mut Parts) -> &mut String {
    parts.attachments.tlc_log.as_mut().unwrap()
}

/// Forgeries of what TLC printed, and of results that are made of it.
pub(crate) const OF_LOGS: &[Forgery] = &[
    (
        "the logs of two runs are one",
        "cross-checked",
        As(Code::TlcLog),
        |parts| {
            let twice = log(parts).repeat(2);
            *log(parts) = twice;
        },
    ),
    (
        "TLC ended with another status",
        "cross-checked",
        As(Code::TlcLog),
        |parts| parts.run.tlc.as_mut().unwrap().exit = Some(13),
    ),
    (
        "TLC failed after all",
        "cross-checked",
        As(Code::TlcLog),
        |parts| log(parts).push_str("Error: TLC threw an unexpected exception.\n"),
    ),
    (
        "the log of a run that checked no temporal property",
        "exhausted",
        As(Code::TlcLog),
        |parts| {
            // What TLC prints of ServiceFixed if its cfg asks for nothing.
            let text = "TLC2 Version 2.15 of Day Month 20?? (rev: d5b5a7f)\n\
                Semantic processing of module QueueService\n\
                Model checking completed. No error has been found.\n\
                31 states generated, 30 distinct states found, 0 states left on queue.\n\
                The depth of the complete state graph search is 30.\n";
            parts.attachments.tlc_log = Some(text.to_owned());
            let honest = crate::bundles::honest();
            parts.run.tlc.clone_from(&honest["cross-checked"].run.tlc);
        },
    ),
    (
        "TLC is said to have named a conjunct",
        "imported violated",
        As(Code::Inconsistent),
        |parts| parts.result.verdict.conjunct = Some("NoSuchPart".to_owned()),
    ),
    (
        "a step of TLC's counterexample has another name",
        "imported violated",
        As(Code::TlcLog),
        |parts| {
            let mut items = items(parts);
            for item in &mut items {
                if let TraceItem::Step(step) = item
                    && let RecordedLabel::Action { name, .. } = &mut step.label
                {
                    "Approved".clone_into(name);
                }
            }
            let (trace, text) = trace_texts(&items);
            parts.attachments.trace = Some(trace);
            parts.attachments.trace_text = Some(text);
        },
    ),
    (
        "TLC's counts are others in the result",
        "imported",
        As(Code::TlcLog),
        |parts| parts.result.counts.as_mut().unwrap().distinct -= 1,
    ),
    (
        "TLC's log of a search is dressed as one of a violation",
        "imported violated",
        As(Code::TlcLog),
        |parts| {
            let honest = crate::bundles::honest();
            let other = &honest["imported"];
            parts
                .attachments
                .tlc_log
                .clone_from(&other.attachments.tlc_log);
            parts.run.tlc.clone_from(&other.run.tlc);
        },
    ),
];
