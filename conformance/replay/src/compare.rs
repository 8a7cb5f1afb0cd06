//! The comparison itself: both engines run, and what they say is put side by side.

use std::fmt;
use std::time::Instant;

use plumb_checker::{
    ConfigurationError, ConfiguredModel, ModelEntry, Progress, Report, SearchOptions, StopReason,
    Verdict,
};
use plumb_tla::tlc::{TlcReport, TlcVerdict};

use crate::comparison::{Agreement, Comparison, Row, TemporalComparison};
use crate::error::CompareError;
use crate::graph::{self, GraphComparison, GraphError};
use crate::rows::{explored_whole, rows};
use crate::temporal::{self, Alone, Answers, uncompared};
use crate::tlc::{self, Sources, TlcError, TlcOptions, TlcRun};

/// How a comparison runs.
#[derive(Clone)]
pub struct CompareOptions<'a> {
    /// How Plumb's own search runs. Its time limit holds for TLC, too, each search and each run by
    /// itself: a temporal property has one of both of its own.
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
    /// A search of Plumb's begins; the counters of the options' `progress` tell how it goes.
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

/// Holds the model of `entry`, configured from `sources.cfg`, against TLC on the same files.
///
/// Plumb's own checks run first: where one stops early or cannot be compared, TLC is not started.
///
/// # Errors
///
/// The cfg is none of the model, or an engine came to no verdict: it was stopped, it failed, or TLC
/// is not to be had. Whatever is different is a [`Comparison`] and no error.
pub fn compare(
    entry: &ModelEntry,
    sources: &Sources,
    options: &CompareOptions<'_>,
) -> Result<Comparison, CompareError> {
    let own_progress = Progress::default();
    let engines = Engines {
        sources,
        options,
        progress: options.progress.unwrap_or(&own_progress),
    };
    let cfg = plumb_tla::parse_cfg(&sources.cfg).map_err(ConfigurationError::from)?;
    let configured = entry.configure(&cfg)?;
    let model = configured.as_ref();
    let temporal = temporal::one_by_one(&|cfg| entry.configure(cfg), &cfg, model)?;

    let (plumb, plumb_seconds) = engines.search(model)?;
    let whole = explored_whole(&plumb);
    let with_graph = options.graph && whole;
    if with_graph && plumb.distinct > options.max_graph_states {
        return Err(CompareError::GraphTooLarge {
            states: plumb.distinct,
            limit: options.max_graph_states,
        });
    }
    let decided: Vec<_> = if whole {
        let searches = temporal.iter().map(|alone| {
            let (report, seconds) = engines.search(alone.model.as_ref())?;
            Ok((alone, report, seconds))
        });
        searches.collect::<Result<_, CompareError>>()?
    } else {
        Vec::new()
    };

    let run = if temporal.is_empty() {
        engines.tlc(sources.cfg.clone(), with_graph)?
    } else {
        let rest = temporal::without_temporal(&cfg, model);
        engines.tlc(rest.to_string(), with_graph)?
    };
    let mut found = TemporalFindings::default();
    let mut tlc_seconds = run.elapsed.as_secs_f64();
    if whole && run.report.verdict == TlcVerdict::Success {
        for (alone, report, seconds) in decided {
            let run = engines.tlc(alone.cfg.clone(), false)?;
            tlc_seconds += run.elapsed.as_secs_f64();
            found.add(alone, run, &report, seconds);
        }
    } else {
        let rows = temporal.iter().map(|alone| uncompared(alone.property));
        found.rows.extend(rows);
    }

    let violated = found.violated.as_ref();
    let violated = violated.map(|(property, report)| (property.as_str(), report));
    let mut rows = rows(&plumb, &run.report, violated);
    rows.append(&mut found.rows);
    let mut graph = None;
    if options.graph {
        match engines.compare_graphs(model, &plumb, &run)? {
            Ok(found) => {
                rows.push(graph_row(&found));
                graph = Some(found);
            }
            Err(reason) => rows.push(Row {
                what: "graph".to_owned(),
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
        temporal: found.comparisons,
        graph,
        tlc_version: run.report.version.unwrap_or_else(|| "unknown".to_owned()),
        tlc_seconds,
        plumb_seconds,
        tlc_log: run.log,
    })
}

/// What came of the temporal properties.
#[derive(Default)]
struct TemporalFindings {
    comparisons: Vec<TemporalComparison>,
    rows: Vec<Row>,
    /// The first that TLC finds violated, and TLC's report on it.
    violated: Option<(String, TlcReport)>,
}

impl TemporalFindings {
    fn add(&mut self, alone: &Alone, run: TlcRun, plumb: &Report, plumb_seconds: f64) {
        let answers = Answers::read(alone, &run.report, plumb);
        self.rows.extend(answers.rows());
        if answers.violated_for_tlc() && self.violated.is_none() {
            self.violated = Some((alone.property.to_owned(), run.report));
        }
        let (tlc_lasso, plumb_lasso) = answers.into_lassos();
        self.comparisons.push(TemporalComparison {
            property: alone.property.to_owned(),
            cfg: alone.cfg.clone(),
            tlc_lasso,
            plumb_lasso,
            tlc_seconds: run.elapsed.as_secs_f64(),
            plumb_seconds,
            tlc_log: run.log,
        });
    }
}

/// Both engines, as the options want them.
struct Engines<'a> {
    sources: &'a Sources,
    options: &'a CompareOptions<'a>,
    progress: &'a Progress,
}

impl Engines<'_> {
    fn observe(&self, event: Event<'_>) {
        if let Some(observe) = self.options.observe {
            observe(event);
        }
    }

    /// Plumb's report and the seconds that it took.
    fn search(&self, model: &dyn ConfiguredModel) -> Result<(Report, f64), CompareError> {
        self.observe(Event::Searching);
        let search = SearchOptions {
            deadlock: false,
            ..self.options.search.clone()
        };
        let start = Instant::now();
        let report = model.check(&search, self.progress);
        let seconds = start.elapsed().as_secs_f64();
        match &report.verdict {
            Verdict::Exhausted | Verdict::Violated { .. } | Verdict::Assumption { .. } => {
                Ok((report, seconds))
            }
            Verdict::Inconclusive(reason) => Err(CompareError::Inconclusive {
                engine: "Plumb",
                reason: reason.clone(),
            }),
            Verdict::Error { message, state } => {
                let place = state
                    .as_ref()
                    .map(|state| format!(", in the state\n{state}"));
                Err(CompareError::Model {
                    message: format!("{message}{}", place.unwrap_or_default()),
                })
            }
        }
    }

    /// A run of TLC with this cfg.
    fn tlc(&self, cfg: String, graph: bool) -> Result<TlcRun, CompareError> {
        self.observe(Event::RunningTlc);
        let sources = Sources {
            cfg,
            ..self.sources.clone()
        };
        let run = tlc::run(
            &sources,
            &TlcOptions {
                graph,
                max_time: self.options.search.max_time,
            },
            &mut |line| self.observe(Event::TlcSays(line)),
            &|| self.progress.is_stopped(),
        );
        run.map_err(|error| match error {
            TlcError::Stopped(reason) => CompareError::Inconclusive {
                engine: "TLC",
                reason,
            },
            error => CompareError::Tlc(error),
        })
    }

    /// The graphs held against each other, or why they cannot be.
    fn compare_graphs(
        &self,
        model: &dyn ConfiguredModel,
        plumb: &Report,
        run: &TlcRun,
    ) -> Result<Result<GraphComparison, String>, CompareError> {
        let ended_early =
            |side: &str| format!("{side}'s search ended early, so its graph has a part only");
        if !explored_whole(plumb) {
            return Ok(Err(ended_early("Plumb")));
        }
        if run.report.verdict != TlcVerdict::Success {
            return Ok(Err(ended_early("TLC")));
        }
        let found = graph::compare(
            model,
            &run.report,
            run.open_graph()?,
            self.options.max_graph_states,
            &|event| self.observe(event),
            &|| self.progress.is_stopped(),
        );
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
}

fn graph_row(graph: &graph::GraphComparison) -> Row {
    let side = |states: u64, steps: u64| Some(format!("{states} states, {steps} different steps"));
    let (states, steps) = (graph.states, graph.steps);
    Row {
        what: "graph".to_owned(),
        tlc: side(states.both + states.tlc_only, steps.both + steps.tlc_only),
        plumb: side(
            states.both + states.plumb_only,
            steps.both + steps.plumb_only,
        ),
        agree: Agreement::of(graph.is_equal()),
    }
}
