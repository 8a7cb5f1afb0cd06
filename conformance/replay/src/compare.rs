//! The comparison itself: both engines run, and what they say is put side by side.

use std::fmt;
use std::time::Instant;

use plumb_checker::{
    ConfiguredModel, Progress, PropertyKind, Report, SearchOptions, StopReason, Verdict,
};
use plumb_tla::tlc::{TlcReport, TlcVerdict, ViolationKind};

use crate::comparison::{Agreement, Comparison, Row};
use crate::error::CompareError;
use crate::graph::{self, GraphError};
use crate::tlc::{self, Sources, TlcError, TlcOptions, TlcRun};

/// How a comparison runs.
#[derive(Clone)]
pub struct CompareOptions<'a> {
    /// How Plumb's own search runs. Its time limit holds for TLC, too, each engine by itself.
    ///
    /// Deadlock is not reported, because the script tells TLC not to.
    pub search: SearchOptions,
    /// Compare the whole state graphs, where both searches are exhausted.
    pub graph: bool,
    /// The largest state graph that is compared as a whole, in states.
    pub max_graph_states: u64,
    /// Counters of Plumb's search, and the flag that ends either engine.
    pub progress: Option<&'a Progress>,
    /// Is told what is going on.
    pub observe: Option<&'a dyn Fn(Event<'_>)>,
}

impl CompareOptions<'_> {
    /// [`max_graph_states`](Self::max_graph_states) unless set otherwise: with a few dozen bytes
    /// and steps a state, both graphs take some gigabytes at most.
    pub const MAX_GRAPH_STATES: u64 = 5_000_000;
}

impl Default for CompareOptions<'_> {
    /// All cores, no budget, and no state graphs.
    fn default() -> Self {
        Self {
            search: SearchOptions::default(),
            graph: false,
            max_graph_states: Self::MAX_GRAPH_STATES,
            progress: None,
            observe: None,
        }
    }
}

impl fmt::Debug for CompareOptions<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CompareOptions")
            .field("search", &self.search)
            .field("graph", &self.graph)
            .field("max_graph_states", &self.max_graph_states)
            .finish_non_exhaustive()
    }
}

/// What a comparison is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Event<'a> {
    /// Plumb's search begins; the counters of the options' `progress` tell how it goes.
    Searching,
    /// TLC is started.
    RunningTlc,
    /// TLC, or the script that runs it, printed this line.
    TlcSays(&'a str),
    /// So many states of Plumb's graph are expanded.
    Exploring {
        /// The number.
        states: u64,
    },
    /// So many states of TLC's graph are read.
    ReadingGraph {
        /// The number.
        states: u64,
    },
}

/// Holds `model`, configured from `sources.cfg`, against TLC on the same files.
///
/// Plumb's own search runs first: where it stops early or cannot be compared, TLC is not started.
///
/// # Errors
///
/// An engine came to no verdict: it was stopped, it failed, or TLC is not to be had. Whatever is
/// different is a [`Comparison`] and no error.
pub fn compare(
    model: &dyn ConfiguredModel,
    sources: &Sources,
    options: &CompareOptions<'_>,
) -> Result<Comparison, CompareError> {
    let own_progress = Progress::default();
    let progress = options.progress.unwrap_or(&own_progress);
    let stop = || progress.is_stopped();
    let observe = |event: Event<'_>| {
        if let Some(observe) = options.observe {
            observe(event);
        }
    };

    observe(Event::Searching);
    let search = SearchOptions {
        deadlock: false,
        ..options.search.clone()
    };
    let start = Instant::now();
    let plumb = model.check(&search, progress);
    let plumb_seconds = start.elapsed().as_secs_f64();
    let exhausted = match &plumb.verdict {
        Verdict::Exhausted => true,
        Verdict::Violated { .. } | Verdict::Assumption { .. } => false,
        Verdict::Inconclusive(reason) => {
            return Err(CompareError::Inconclusive {
                engine: "Plumb",
                reason: reason.clone(),
            });
        }
        Verdict::Error { message, state } => {
            let place = state
                .as_ref()
                .map(|state| format!(", in the state\n{state}"));
            return Err(CompareError::Model {
                message: format!("{message}{}", place.unwrap_or_default()),
            });
        }
    };
    if options.graph && exhausted && plumb.distinct > options.max_graph_states {
        return Err(CompareError::GraphTooLarge {
            states: plumb.distinct,
            limit: options.max_graph_states,
        });
    }

    observe(Event::RunningTlc);
    let run = tlc::run(
        sources,
        &TlcOptions {
            graph: options.graph && exhausted,
            max_time: options.search.max_time,
        },
        &mut |line| observe(Event::TlcSays(line)),
        &stop,
    )
    .map_err(|error| match error {
        TlcError::Stopped(reason) => CompareError::Inconclusive {
            engine: "TLC",
            reason,
        },
        error => CompareError::Tlc(error),
    })?;

    let mut rows = rows(&plumb, &run.report);
    let mut graph = None;
    if options.graph {
        match compare_graphs(
            model,
            &plumb,
            &run,
            options.max_graph_states,
            &observe,
            &stop,
        )? {
            Ok(found) => {
                rows.push(graph_row(&found));
                graph = Some(found);
            }
            Err(reason) => rows.push(Row {
                what: "graph",
                tlc: None,
                plumb: None,
                agree: Agreement::NotCompared(reason),
            }),
        }
    }
    Ok(Comparison {
        model: model.name().to_owned(),
        module: model.module().to_owned(),
        specification: model.specification().to_owned(),
        rows,
        graph,
        tlc_version: run.report.version.unwrap_or_else(|| "unknown".to_owned()),
        tlc_seconds: run.elapsed.as_secs_f64(),
        plumb_seconds,
        tlc_log: run.log,
    })
}

/// The graphs held against each other, or why they cannot be.
fn compare_graphs(
    model: &dyn ConfiguredModel,
    plumb: &Report,
    run: &TlcRun,
    limit: u64,
    observe: &dyn Fn(Event<'_>),
    stop: &dyn Fn() -> bool,
) -> Result<Result<graph::GraphComparison, String>, CompareError> {
    let exhausted =
        |side: &str| format!("{side}'s search ended early, so its graph has a part only");
    if plumb.verdict != Verdict::Exhausted {
        return Ok(Err(exhausted("Plumb")));
    }
    if run.report.verdict != TlcVerdict::Success {
        return Ok(Err(exhausted("TLC")));
    }
    let file = run.open_graph()?;
    let found = graph::compare(model, &run.report, file, limit, observe, stop);
    match found {
        Ok(found) => Ok(Ok(found)),
        Err(GraphError::TooLarge { side, limit }) => {
            Ok(Err(format!("{side}'s graph has more than {limit} states")))
        }
        Err(GraphError::Stopped) => Err(CompareError::Inconclusive {
            engine: "the comparison of the graphs",
            reason: StopReason::Interrupted,
        }),
        Err(GraphError::Model(message)) => Err(CompareError::Model { message }),
        Err(GraphError::Unreadable(message)) => {
            Err(CompareError::Tlc(TlcError::UnreadableGraph(message)))
        }
    }
}

fn graph_row(graph: &graph::GraphComparison) -> Row {
    let side = |states: u64, steps: u64| Some(format!("{states} states, {steps} different steps"));
    let (states, steps) = (graph.states, graph.steps);
    Row {
        what: "graph",
        tlc: side(states.both + states.tlc_only, steps.both + steps.tlc_only),
        plumb: side(
            states.both + states.plumb_only,
            steps.both + steps.plumb_only,
        ),
        agree: Agreement::of(graph.is_equal()),
    }
}

/// Verdicts, counts and traces side by side. A row is left out where neither side has anything.
fn rows(plumb: &Report, tlc: &TlcReport) -> Vec<Row> {
    let found = Findings::of_tlc(tlc);
    let own = Findings::of_plumb(plumb);
    let mut rows = vec![Row {
        what: "verdict",
        tlc: Some(found.verdict.to_owned()),
        plumb: Some(own.verdict.to_owned()),
        agree: Agreement::of(found.verdict == own.verdict),
    }];
    let mut compare = |what, tlc: Option<String>, plumb: Option<String>, obstacle: Option<&str>| {
        if tlc.is_none() && plumb.is_none() {
            return;
        }
        let agree = match (obstacle, &tlc, &plumb) {
            (Some(reason), _, _) => Agreement::NotCompared(reason.to_owned()),
            (None, Some(tlc), Some(plumb)) => Agreement::of(tlc == plumb),
            (None, None, _) => Agreement::NotCompared("TLC does not say".to_owned()),
            (None, _, None) => Agreement::NotCompared("Plumb does not say".to_owned()),
        };
        rows.push(Row {
            what,
            tlc,
            plumb,
            agree,
        });
    };
    // What depends on the verdict has a common meaning only where the verdicts are the same.
    let other = (found.verdict != own.verdict).then_some("the verdicts differ");
    let kind = found.kind.map(str::to_owned);
    let own_kind = own.kind.map(|kind| kind.to_string());
    compare("kind", kind, own_kind, other);
    let nameless = found
        .property
        .is_none()
        .then_some("TLC prints no name for it");
    compare("property", found.property, own.property, other.or(nameless));
    let partial = (own.verdict != "exhausted")
        .then_some("counts at a violation depend on the order of successors");
    let count = |count: u64| Some(count.to_string());
    let counts = [
        ("distinct", tlc.distinct, plumb.distinct),
        ("generated", tlc.generated, plumb.generated),
        ("depth", tlc.depth, plumb.depth() as u64),
    ];
    if own.verdict != "assumption" || found.verdict != "assumption" {
        for (what, tlc, plumb) in counts {
            compare(what, tlc.and_then(count), count(plumb), other.or(partial));
        }
    }
    let lasso = (found.kind == Some("temporal property"))
        .then_some("TLC's way into a cycle is not the shortest");
    let length = |states: usize| (states > 0).then(|| states.to_string());
    compare(
        "trace",
        length(found.trace),
        length(plumb.trace.len()),
        other.or(lasso),
    );
    rows
}

/// What one engine found, in words that both share.
struct Findings<K> {
    verdict: &'static str,
    kind: Option<K>,
    property: Option<String>,
    trace: usize,
}

impl Findings<PropertyKind> {
    fn of_plumb(report: &Report) -> Self {
        Self {
            verdict: report.verdict.word(),
            kind: report.verdict.kind(),
            property: report.verdict.property().map(str::to_owned),
            trace: report.trace.len(),
        }
    }
}

impl Findings<&'static str> {
    fn of_tlc(report: &TlcReport) -> Self {
        let (verdict, kind, property) = match &report.verdict {
            TlcVerdict::Success => ("exhausted", None, None),
            TlcVerdict::Violated { kind, name } => ("violated", Some(word(*kind)), name.clone()),
            TlcVerdict::Assumption { name } => ("assumption", Some("assumption"), name.clone()),
            // The driver makes errors of these; here they agree with nothing.
            TlcVerdict::Error { .. } | TlcVerdict::Usage { .. } | TlcVerdict::Unfinished => {
                ("error", None, None)
            }
        };
        Self {
            verdict,
            kind,
            property,
            trace: report
                .trace
                .iter()
                .filter(|step| step.state.is_some())
                .count(),
        }
    }
}

/// The word that [`PropertyKind`] prints for what TLC found.
fn word(kind: ViolationKind) -> &'static str {
    match kind {
        ViolationKind::Invariant => "invariant",
        ViolationKind::Step => "step property",
        ViolationKind::Temporal => "temporal property",
        ViolationKind::Deadlock => "absence of deadlock",
        ViolationKind::Assert => "assertion in the module",
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use plumb_checker::TraceStep;
    use plumb_tla::tlc::read_report;
    use plumb_tla::{State, Value};

    use super::*;

    fn plumb(verdict: Verdict, trace: usize) -> Report {
        let step = TraceStep {
            action: None,
            state: State::new([("n", Value::int(0))]),
        };
        Report {
            verdict,
            distinct: 10,
            generated: 20,
            outside: 0,
            queue: 0,
            levels: vec![1, 9],
            actions: Vec::new(),
            trace: vec![step; trace],
            memory: 0,
            elapsed: Duration::ZERO,
        }
    }

    fn violated(property: &str, kind: PropertyKind) -> Verdict {
        Verdict::Violated {
            property: property.to_owned(),
            kind,
            conjunct: None,
        }
    }

    fn tlc(exit: i32, output: &str) -> TlcReport {
        let output = format!("TLC2 Version 2.15\n{output}");
        read_report(output.as_bytes(), Some(exit)).unwrap()
    }

    fn exhausted() -> TlcReport {
        tlc(
            0,
            "Model checking completed. No error has been found.\n\
             20 states generated, 10 distinct states found, 0 states left on queue.\n\
             The depth of the complete state graph search is 2.\n",
        )
    }

    const VIOLATED: &str = "Error: Invariant Small is violated.\n\
         Error: The behavior up to this point is:\n\
         State 1: <Initial predicate>\nn = 0\n\n\
         State 2: <Go line 1, col 1 to line 1, col 2 of module M>\nn = 9\n\n\
         7 states generated, 6 distinct states found, 3 states left on queue.\n\
         The depth of the complete state graph search is 2.\n";

    /// The rows as `what: word`.
    fn words(rows: &[Row]) -> Vec<String> {
        rows.iter()
            .map(|row| format!("{}: {}", row.what, row.agree.word()))
            .collect()
    }

    fn different(rows: &[Row]) -> Vec<&str> {
        rows.iter()
            .filter(|row| row.agree == Agreement::Different)
            .map(|row| row.what)
            .collect()
    }

    #[test]
    fn two_exhausted_searches_compare_their_counts() {
        let rows = rows(&plumb(Verdict::Exhausted, 0), &exhausted());
        assert_eq!(
            words(&rows),
            [
                "verdict: equal",
                "distinct: equal",
                "generated: equal",
                "depth: equal"
            ]
        );
        assert_eq!(rows[1].tlc.as_deref(), Some("10"));
    }

    #[test]
    fn each_count_can_differ() {
        let check = |change: fn(&mut Report)| {
            let mut report = plumb(Verdict::Exhausted, 0);
            change(&mut report);
            different(&rows(&report, &exhausted())).join(" ")
        };
        assert_eq!(check(|report| report.distinct += 1), "distinct");
        assert_eq!(check(|report| report.generated -= 1), "generated");
        assert_eq!(check(|report| report.levels.push(1)), "depth");
    }

    #[test]
    fn at_a_violation_name_kind_and_length_count_and_counts_do_not() {
        let small = violated("Small", PropertyKind::Invariant);
        let rows = rows(&plumb(small, 2), &tlc(12, VIOLATED));
        assert_eq!(
            words(&rows),
            [
                "verdict: equal",
                "kind: equal",
                "property: equal",
                "distinct: not_compared",
                "generated: not_compared",
                "depth: not_compared",
                "trace: equal"
            ]
        );
        let reason = rows[3].agree.reason().unwrap();
        assert_eq!(
            reason,
            "counts at a violation depend on the order of successors"
        );
    }

    #[test]
    fn another_name_kind_or_length_is_a_difference() {
        let check = |name, kind, length| {
            let rows = rows(&plumb(violated(name, kind), length), &tlc(12, VIOLATED));
            different(&rows).join(" ")
        };
        assert_eq!(check("Other", PropertyKind::Invariant, 2), "property");
        assert_eq!(check("Small", PropertyKind::Step, 2), "kind");
        assert_eq!(check("Small", PropertyKind::Invariant, 3), "trace");
    }

    #[test]
    fn different_verdicts_leave_the_rest_uncompared() {
        let rows = rows(&plumb(Verdict::Exhausted, 0), &tlc(12, VIOLATED));
        assert_eq!(different(&rows), ["verdict"]);
        let rest = rows.iter().skip(1);
        assert!(rest.clone().count() > 3);
        for row in rest {
            assert_eq!(
                row.agree.reason(),
                Some("the verdicts differ"),
                "{}",
                row.what
            );
        }
    }

    #[test]
    fn a_false_invariant_over_constants_is_an_assumption() {
        let report = tlc(151, "Error: The invariant of Scoped is equal to FALSE\n");
        let assumption = |name: &str| Verdict::Assumption {
            name: name.to_owned(),
            conjunct: None,
        };
        let rows_of = |name| rows(&plumb(assumption(name), 0), &report);
        assert_eq!(
            words(&rows_of("Scoped")),
            ["verdict: equal", "kind: equal", "property: equal"]
        );
        assert_eq!(different(&rows_of("Other")), ["property"]);
    }

    #[test]
    fn where_tlc_prints_no_name_none_is_compared() {
        let output = "Error: Assumption line 3, col 8 to line 3, col 12 of module M is false.\n";
        let assumption = Verdict::Assumption {
            name: "Sane".to_owned(),
            conjunct: None,
        };
        let rows = rows(&plumb(assumption, 0), &tlc(10, output));
        assert_eq!(words(&rows)[2], "property: not_compared");
        assert!(different(&rows).is_empty());
    }

    #[test]
    fn a_row_in_json() {
        let row = Row {
            what: "depth",
            tlc: None,
            plumb: Some("2".to_owned()),
            agree: Agreement::NotCompared("TLC does not say".to_owned()),
        };
        assert_eq!(
            serde_json::to_value(row).unwrap(),
            serde_json::json!({
                "what": "depth",
                "tlc": null,
                "plumb": "2",
                "agreement": "not_compared",
                "reason": "TLC does not say"
            })
        );
    }
}
