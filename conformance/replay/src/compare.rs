//! The comparison itself: both engines run, and what they say is put side by side.

use std::fmt;
use std::time::Instant;

use plumb_checker::{ConfiguredModel, Progress, Report, SearchOptions, StopReason, Verdict};
use plumb_tla::tlc::TlcVerdict;

use crate::comparison::{Agreement, Comparison, Row};
use crate::error::CompareError;
use crate::graph::{self, GraphError};
use crate::rows::rows;
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
    /// [`max_graph_states`](Self::max_graph_states) unless set otherwise. With six steps a state,
    /// both graphs of this size together take between one and two gigabytes.
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
