//! Published outcomes, and that a model comes out as published under any number of threads.

use plumb_checker::{CheckedModel, Lasso, PropertyKind, Report, Verdict};

use super::{check, configured};

/// What a document's table says of a configuration.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Expected {
    /// All of it is searched, and everything holds.
    Exhausted {
        /// Different states.
        distinct: u64,
        /// Ways to states, if published.
        generated: Option<u64>,
        /// Breadth-first levels.
        depth: usize,
    },
    /// An invariant is violated by a shortest trace of so many states.
    Violated(&'static str, usize),
    /// A step property is violated by a shortest trace of so many states.
    ViolatedStep(&'static str, usize),
    /// A temporal property is violated by a behaviour that in the end takes so many steps again and
    /// again, none if it stutters.
    Starved(&'static str, usize),
    /// An assumption over the constants is false.
    Assumption(&'static str),
}

/// Checks a configuration with 1, 2 and 8 threads.
pub(crate) fn assert_as_published<M: CheckedModel>(name: &str, cfg: &str, expected: Expected) {
    let model = configured::<M>(cfg);
    let report = check(&*model, 1);
    assert_expected(name, &report, expected);
    for threads in [2, 8] {
        let other = check(&*model, threads);
        assert_eq!(figures(&report), figures(&other), "{name} with {threads}");
    }
}

/// A report says what is published.
pub(crate) fn assert_expected(name: &str, report: &Report, expected: Expected) {
    match expected {
        Expected::Exhausted {
            distinct,
            generated,
            depth,
        } => {
            assert_eq!(report.verdict, Verdict::Exhausted, "{name}");
            let generated = generated.unwrap_or(report.generated);
            assert_eq!(
                (report.distinct, report.generated, report.depth()),
                (distinct, generated, depth),
                "{name}"
            );
        }
        Expected::Violated(property, trace) => {
            let violated = (report.verdict.property(), report.verdict.kind());
            let kind = Some(PropertyKind::Invariant);
            assert_eq!(violated, (Some(property), kind), "{name}");
            assert_eq!(report.trace.len(), trace, "{name}");
        }
        Expected::ViolatedStep(property, trace) => {
            let violated = (report.verdict.property(), report.verdict.kind());
            let kind = Some(PropertyKind::Step);
            assert_eq!(violated, (Some(property), kind), "{name}");
            assert_eq!(report.trace.len(), trace, "{name}");
        }
        Expected::Starved(property, steps) => {
            let violated = (report.verdict.property(), report.verdict.kind());
            let kind = Some(PropertyKind::Temporal);
            assert_eq!(violated, (Some(property), kind), "{name}");
            assert_eq!(loop_length(report), Some(steps), "{name}");
        }
        Expected::Assumption(property) => {
            let violated = (report.verdict.property(), report.verdict.kind());
            let kind = Some(PropertyKind::Assumption);
            assert_eq!(violated, (Some(property), kind), "{name}");
            assert_eq!((report.distinct, report.generated), (0, 0), "{name}");
        }
    }
}

/// How many steps the counterexample repeats for ever.
fn loop_length(report: &Report) -> Option<usize> {
    match report.lasso.as_ref()?.0 {
        Lasso::Stuttering => Some(0),
        Lasso::BackTo(number) => Some(report.trace.len() + 1 - number),
    }
}

/// All of a report that must not depend on timing.
pub(crate) fn figures(report: &Report) -> impl PartialEq + std::fmt::Debug + use<> {
    (
        (
            report.verdict.clone(),
            report.trace.clone(),
            report.lasso.clone(),
        ),
        (
            report.distinct,
            report.generated,
            report.outside,
            report.queue,
        ),
        (report.levels.clone(), report.actions.clone()),
    )
}
