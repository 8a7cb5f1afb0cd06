//! Breadth-first exploration by levels, on all cores, with a result that no timing can change.

mod counterexample;
mod expand;
pub(crate) mod store;
mod violation;

use std::num::NonZeroUsize;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};

use rayon::ThreadPool;
use rayon::iter::{IntoParallelIterator, ParallelIterator};

use crate::model::CheckedModel;
use crate::model_panic;
use crate::progress::Progress;
use crate::report::{ActionLabel, Lasso, PropertyKind, Report, StopReason, TraceStep, Verdict};
use crate::selection::Selection;
use crate::temporal::{self, Behaviour, GraphError, StateGraph};
use expand::{Expander, Tally};
use store::{Level, StateStore};
use violation::{Violation, What};

/// How a check runs; none of it changes what a finished check finds.
#[derive(Clone, Debug)]
pub struct SearchOptions {
    /// Worker threads.
    pub threads: NonZeroUsize,
    /// Stop at the first level boundary at which this many distinct states are known.
    pub max_states: Option<u64>,
    /// Stop after this time.
    pub max_time: Option<Duration>,
    /// Stop when store and frontier take more bytes than this.
    pub max_memory: Option<u64>,
    /// Report states without any successor, even if the cfg does not ask for it.
    pub deadlock: bool,
}

impl Default for SearchOptions {
    /// All cores and no budget.
    fn default() -> Self {
        Self {
            threads: std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN),
            max_states: None,
            max_time: None,
            max_memory: None,
            deadlock: false,
        }
    }
}

/// Levels up to this size are expanded on the calling thread: waking workers costs more.
const SMALL_LEVEL: usize = 64;

struct Search<'a, M: CheckedModel> {
    expander: Expander<'a, M>,
    options: &'a SearchOptions,
    progress: &'a Progress,
    pool: Option<ThreadPool>,
    start: Instant,
    store: StateStore,
    tally: Tally,
    levels: Vec<u64>,
    /// The sum of `levels`: of a million of them, too long to add up at each.
    distinct: u64,
    peak_memory: u64,
}

/// How a search ended.
struct End {
    verdict: Verdict,
    queue: u64,
    trace: Vec<TraceStep>,
    lasso: Option<(Lasso, Option<ActionLabel>)>,
}

impl End {
    fn without_trace(verdict: Verdict, queue: u64) -> Self {
        Self {
            verdict,
            queue,
            trace: Vec::new(),
            lasso: None,
        }
    }

    fn error(message: String) -> Self {
        let state = None;
        Self::without_trace(Verdict::Error { message, state }, 0)
    }
}

/// Explores `model` as `selection` asks.
pub(crate) fn check<M: CheckedModel>(
    model: &M,
    selection: &Selection<M>,
    options: &SearchOptions,
    progress: &Progress,
) -> Report {
    let mut search = Search {
        expander: Expander {
            model,
            selection,
            deadlock: options.deadlock || selection.deadlock,
        },
        options,
        progress,
        pool: None,
        start: Instant::now(),
        store: StateStore::new(),
        tally: Tally::new(M::ACTIONS.len()),
        levels: Vec::new(),
        distinct: 0,
        peak_memory: 0,
    };
    let End {
        mut verdict,
        queue,
        mut trace,
        lasso,
    } = search.run();
    let named = M::ACTIONS
        .iter()
        .copied()
        .zip(search.tally.actions.iter().copied());
    let actions = model_panic::catch(|| {
        named
            .enumerate()
            .filter(|(index, (_, count))| *count > 0 || model.has_action(*index))
            .map(|(_, action)| action)
            .collect()
    });
    let actions = actions.unwrap_or_else(|message| {
        trace.clear();
        verdict = Verdict::Error {
            message,
            state: None,
        };
        Vec::new()
    });
    Report {
        verdict,
        distinct: search.distinct,
        generated: search.tally.generated,
        outside: search.tally.outside,
        queue,
        levels: search.levels,
        actions,
        trace,
        lasso,
        memory: search.peak_memory,
        elapsed: search.start.elapsed(),
    }
}

impl<M: CheckedModel> Search<'_, M> {
    fn run(&mut self) -> End {
        match model_panic::catch(|| {
            self.expander
                .selection
                .failed_assumption(self.expander.model)
        }) {
            Ok(None) => {}
            Ok(Some(verdict)) => return End::without_trace(verdict, 0),
            Err(message) => return End::error(message),
        }
        if self.options.threads.get() > 1 {
            // Without a pool (the system refuses threads) one thread does all of it.
            self.pool = rayon::ThreadPoolBuilder::new()
                .num_threads(self.options.threads.get())
                .build()
                .ok();
        }
        self.expander.initial(&self.store, &mut self.tally);
        loop {
            let level = self.close_level();
            if let Some(end) = self.end_of_level(&level) {
                return end;
            }
            let (tally, expanded) = self.expand_level(&level);
            self.tally.absorb(tally);
            if let Some(reason) = self.tally.stop.take() {
                return self.stopped_inside(&level, expanded, reason);
            }
        }
    }

    /// Closes the level that was discovered and publishes the counts.
    fn close_level(&mut self) -> Level {
        let level = self.store.close_level();
        if !level.is_empty() {
            self.levels.push(level.len() as u64);
            self.distinct += level.len() as u64;
        }
        let memory = self.store.memory() + level.memory();
        self.peak_memory = self.peak_memory.max(memory);
        let progress = self.progress;
        progress.level.store(self.levels.len() as u64, Relaxed);
        progress.level_end.store(self.distinct, Relaxed);
        progress.distinct.store(self.distinct, Relaxed);
        progress.level_size.store(level.len() as u64, Relaxed);
        progress.expanded.store(0, Relaxed);
        progress.generated.store(self.tally.generated, Relaxed);
        progress.memory.store(memory, Relaxed);
        level
    }

    /// The end of the search, if it ends before `level` is expanded.
    fn end_of_level(&mut self, level: &Level) -> Option<End> {
        let queue = level.len() as u64;
        if let Some((verdict, trace)) = self.found() {
            return Some(End {
                verdict,
                queue,
                trace,
                lasso: None,
            });
        }
        if level.is_empty() {
            return Some(self.check_temporal());
        }
        let reason = match self.options.max_states {
            Some(limit) if self.distinct >= limit => Some(StopReason::States(limit)),
            _ => self.reason_to_stop(),
        };
        reason.map(|reason| End::without_trace(Verdict::Inconclusive(reason), queue))
    }

    /// The end of a search that explored everything: what remains are the temporal properties,
    /// decided on the complete graph.
    fn check_temporal(&mut self) -> End {
        let selection = self.expander.selection;
        if selection.temporal.is_empty() {
            return End::without_trace(Verdict::Exhausted, 0);
        }
        let decided = model_panic::catch(|| self.decide_temporal());
        match decided {
            Ok(Ok(None)) => End::without_trace(Verdict::Exhausted, 0),
            Ok(Ok(Some(end))) => end,
            Ok(Err(GraphError::Stopped)) => {
                let reason = self.reason_to_stop().unwrap_or(StopReason::Interrupted);
                End::without_trace(Verdict::Inconclusive(reason), 0)
            }
            Ok(Err(GraphError::TooManyConditions)) => {
                let message = "there are more than 64 fairness conditions".to_owned();
                End::error(message)
            }
            Ok(Err(GraphError::Model(message))) | Err(message) => End::error(message),
        }
    }

    fn decide_temporal(&mut self) -> Result<Option<End>, GraphError> {
        let Expander {
            model, selection, ..
        } = self.expander;
        let store = std::mem::replace(&mut self.store, StateStore::new()).freeze();
        let fairness = model.fairness();
        let stop = || self.reason_to_stop().is_some();
        let pool = self.pool.as_ref();
        let graph = StateGraph::build(model, &fairness, store, pool, &stop)?;
        let memory = graph.memory();
        self.progress.memory.store(memory, Relaxed);
        self.peak_memory = self.peak_memory.max(memory);
        for property in &selection.temporal {
            for conjunct in &property.conjuncts {
                if self.reason_to_stop().is_some() {
                    return Err(GraphError::Stopped);
                }
                let pool = self.pool.as_ref();
                if let Some(behaviour) = temporal::violation(model, &graph, conjunct, pool) {
                    let single = property.conjuncts.len() == 1;
                    let verdict = Verdict::Violated {
                        property: property.name.to_owned(),
                        kind: PropertyKind::Temporal,
                        conjunct: (!single).then(|| conjunct.conjunct.clone()),
                    };
                    return self.lasso_end(verdict, &graph, &behaviour).map(Some);
                }
            }
        }
        Ok(None)
    }

    fn lasso_end(
        &self,
        verdict: Verdict,
        graph: &StateGraph,
        behaviour: &Behaviour,
    ) -> Result<End, GraphError> {
        let ranks = behaviour.stem.iter().chain(&behaviour.round);
        let states: Vec<Vec<u8>> = ranks.map(|rank| graph.bytes(*rank).to_vec()).collect();
        let entry = behaviour.stem.len();
        let lasso = if behaviour.round.is_empty() {
            (Lasso::Stuttering, None)
        } else {
            let last = states
                .last()
                .and_then(|last| self.expander.model.decode(last));
            let closing =
                last.and_then(|last| self.expander.action_between(&last, &states[entry - 1]));
            (Lasso::BackTo(entry), closing)
        };
        let trace = self.expander.label(&states).map_err(GraphError::Model)?;
        Ok(End {
            verdict,
            queue: 0,
            trace,
            lasso: Some(lasso),
        })
    }

    /// The end of a search that was stopped while it expanded `level`.
    fn stopped_inside(&mut self, level: &Level, expanded: usize, reason: StopReason) -> End {
        let discovered = self.close_level();
        let queue = (level.len() - expanded + discovered.len()) as u64;
        if let Some((verdict, trace)) = self.found() {
            return End {
                verdict,
                queue,
                trace,
                lasso: None,
            };
        }
        End::without_trace(Verdict::Inconclusive(reason), queue)
    }

    /// The fault or violation that was found, with its trace.
    fn found(&mut self) -> Option<(Verdict, Vec<TraceStep>)> {
        if let Some(fault) = self.tally.fault.take() {
            let state = fault.state.and_then(|bytes| self.expander.render(&bytes));
            return Some((
                Verdict::Error {
                    message: fault.message,
                    state,
                },
                Vec::new(),
            ));
        }
        let violation = self.tally.violation.take()?;
        let rebuilt = model_panic::catch(|| {
            let pool = self.pool.as_ref();
            let states =
                counterexample::rebuild(&self.expander, &mut self.store, pool, &violation)?;
            self.expander.label(&states)
        });
        let verdict = self.expander.describe(&violation);
        Some(match rebuilt {
            Ok(Ok(trace)) => (verdict, trace),
            Err(message) | Ok(Err(message)) => {
                let property = verdict.property().unwrap_or_default();
                let message = format!("{property} is violated, but it cannot be shown: {message}");
                let state = self.expander.render(&violation.state);
                (Verdict::Error { message, state }, Vec::new())
            }
        })
    }

    fn reason_to_stop(&self) -> Option<StopReason> {
        if self.progress.is_stopped() {
            return Some(StopReason::Interrupted);
        }
        if let Some(limit) = self
            .options
            .max_time
            .filter(|limit| self.start.elapsed() >= *limit)
        {
            return Some(StopReason::Time(limit));
        }
        let used = self.progress.memory.load(Relaxed);
        self.options
            .max_memory
            .filter(|limit| used > *limit)
            .map(StopReason::Memory)
    }

    /// Expands the states of `level`; the second part is how many were expanded before a stop.
    fn expand_level(&self, level: &Level) -> (Tally, usize) {
        let depth = self.levels.len();
        let workers = self
            .pool
            .as_ref()
            .map_or(1, ThreadPool::current_num_threads);
        let chunk = (level.len() / (workers * 16)).clamp(SMALL_LEVEL, 2048);
        let chunks = level.len().div_ceil(chunk);
        let expand_chunk = |number: usize| {
            let mut tally = Tally::new(M::ACTIONS.len());
            tally.stop = self.reason_to_stop();
            if tally.stop.is_some() {
                return (tally, 0);
            }
            let range = number * chunk..level.len().min((number + 1) * chunk);
            let expanded = range.len();
            for index in range {
                self.expander
                    .expand(level.get(index), depth, &self.store, &mut tally);
            }
            self.progress.generated.fetch_add(tally.generated, Relaxed);
            self.progress.distinct.fetch_add(tally.discovered, Relaxed);
            self.progress.expanded.fetch_add(expanded as u64, Relaxed);
            self.progress
                .memory
                .store(self.store.memory() + level.memory(), Relaxed);
            (tally, expanded)
        };
        let merge = |mut left: (Tally, usize), right: (Tally, usize)| {
            left.0.absorb(right.0);
            (left.0, left.1 + right.1)
        };
        let nothing = || (Tally::new(M::ACTIONS.len()), 0);
        match &self.pool {
            Some(pool) if chunks > 1 => pool.install(|| {
                (0..chunks)
                    .into_par_iter()
                    .map(expand_chunk)
                    .reduce(nothing, merge)
            }),
            _ => (0..chunks).map(expand_chunk).fold(nothing(), merge),
        }
    }
}

impl<M: CheckedModel> Expander<'_, M> {
    /// The steps of a behaviour, each labelled with the first action that makes it.
    fn label(&self, states: &[Vec<u8>]) -> Result<Vec<TraceStep>, String> {
        let mut steps = Vec::with_capacity(states.len());
        let mut previous: Option<M::State> = None;
        for bytes in states {
            let Some(state) = self.model.decode(bytes) else {
                return Err("the model cannot decode a state that it encoded".to_owned());
            };
            let action = match &previous {
                None => None,
                Some(source) => {
                    let action = self.action_between(source, bytes);
                    Some(action.ok_or(counterexample::OTHER_SUCCESSORS)?)
                }
            };
            steps.push(TraceStep {
                action,
                state: self.model.to_tla(&state),
            });
            previous = Some(state);
        }
        Ok(steps)
    }

    fn action_between(&self, source: &M::State, target: &[u8]) -> Option<ActionLabel> {
        let mut label = None;
        let mut bytes = Vec::new();
        self.model.successors(source, |action, state| {
            if label.is_none() {
                bytes.clear();
                self.model.encode(&state, &mut bytes);
                if bytes == target {
                    label = Some(crate::erased::label(self.model, &action));
                }
            }
        });
        label
    }

    fn describe(&self, violation: &Violation) -> Verdict {
        let (property, kind) = match violation.what {
            What::Invariant { index, leaf } => {
                return self.selection.invariants[index].violated(leaf);
            }
            What::Step { index } => (self.selection.steps[index].1.name, PropertyKind::Step),
            What::Deadlock => ("Deadlock", PropertyKind::Deadlock),
        };
        Verdict::Violated {
            property: property.to_owned(),
            kind,
            conjunct: None,
        }
    }
}
