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
