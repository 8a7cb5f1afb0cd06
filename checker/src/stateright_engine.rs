//! The same model under stateright's own breadth-first checker: a second opinion on the counts.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use stateright::{Checker, HasDiscoveries, Model, Path, Property};

use crate::erased::label;
use crate::model::CheckedModel;
use crate::model_panic;
use crate::progress::Progress;
use crate::report::{Report, StopReason, TraceStep, Verdict};
use crate::search::SearchOptions;
use crate::selection::Selection;

const INVARIANTS: &str = "every chosen invariant holds";

/// What the model's cfg chose, as stateright can take it: one property over all invariants, since
/// its properties are plain functions that can carry no choice.
struct Chosen<M: CheckedModel> {
    model: M,
    selection: Arc<Selection<M>>,
    run: Arc<Run>,
}

/// What the adapter and its caller share while stateright's threads work.
struct Run {
    start: Instant,
    max_time: Option<Duration>,
    progress: Arc<Progress>,
    /// The first panic of the model's code.
    fault: Mutex<Option<String>>,
    /// Set with `fault`, and cheaper to ask.
    faulty: AtomicBool,
    /// Set once the search was told to run dry.
    stopped: Mutex<Option<StopReason>>,
    /// Set once the search is over: after that the model is asked only to rebuild a path.
    over: AtomicBool,
    /// Set by the first violation. stateright goes on for a block of states and keeps the last
    /// one, whose path is longer; later ones are not told to it.
    violated: AtomicBool,
    /// Successors outside the constraint, which stateright does not count.
    outside: AtomicU64,
    /// Initial states that stateright is not given.
    initial_outside: AtomicU64,
    initial_repeated: AtomicU64,
}

impl Run {
    fn fault(&self) -> Option<String> {
        self.fault
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    fn stopped(&self) -> Option<StopReason> {
        self.stopped
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }

    /// Runs model code; a panic is kept for the verdict and answered with `instead`.
    fn guarded<T>(&self, instead: T, run: impl FnOnce() -> T) -> T {
        model_panic::catch(run).unwrap_or_else(|message| {
            self.fault
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .get_or_insert(message);
            self.faulty.store(true, Relaxed);
            instead
        })
    }

    /// Whether the search must end; stateright has no way to be stopped, so states found after
    /// this get no successors and it runs dry.
    fn must_stop(&self) -> bool {
        if self.over.load(Relaxed) {
            return false;
        }
        if self.faulty.load(Relaxed) {
            return true;
        }
        let reason = if self.progress.is_stopped() {
            StopReason::Interrupted
        } else if let Some(limit) = self.max_time.filter(|limit| self.start.elapsed() >= *limit) {
            StopReason::Time(limit)
        } else {
            return false;
        };
        self.stopped
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .get_or_insert(reason);
        true
    }
}

impl<M: CheckedModel> Model for Chosen<M> {
    type State = M::State;
    type Action = M::Action;

    /// The initial states inside the constraint, each once. stateright expands a repeated one as
    /// often as it is given; and it drops those outside before it numbers them, but not when it
    /// rebuilds a path by these numbers, which then begins in another state.
    fn init_states(&self) -> Vec<M::State> {
        self.run.guarded(Vec::new(), || {
            let mut states = self.model.init_states();
            let all = states.len();
            states.retain(|state| self.selection.within_constraint(&self.model, state));
            let inside = states.len();
            let mut seen = HashSet::new();
            states.retain(|state| seen.insert(state.clone()));
            let run = &self.run;
            run.initial_outside.store((all - inside) as u64, Relaxed);
            let repeated = inside - states.len();
            run.initial_repeated.store(repeated as u64, Relaxed);
            states
        })
    }

    fn actions(&self, state: &M::State, actions: &mut Vec<M::Action>) {
        if !self.run.must_stop() {
            let found = self.run.guarded(Vec::new(), || {
                let mut found = Vec::new();
                self.model.actions(state, &mut found);
                found
            });
            actions.extend(found);
        }
    }

    fn next_state(&self, state: &M::State, action: M::Action) -> Option<M::State> {
        self.run
            .guarded(None, || self.model.next_state(state, action))
    }

    fn within_boundary(&self, state: &M::State) -> bool {
        self.run.progress.generated.fetch_add(1, Relaxed);
        let inside = self.run.guarded(false, || {
            self.selection.within_constraint(&self.model, state)
        });
        if !inside {
            self.run.outside.fetch_add(1, Relaxed);
        }
        inside
    }

    fn properties(&self) -> Vec<Property<Self>> {
        vec![
            Property::always(INVARIANTS, |chosen, state| {
                let holds = chosen.run.guarded(true, || {
                    chosen
                        .selection
                        .first_violated(&chosen.model, state)
                        .is_none()
                });
                holds || chosen.run.violated.swap(true, Relaxed)
            }),
            // Never discovered, so that a model without invariants is still explored whole.
            Property::always("explored", |_, _| true),
        ]
    }
}

/// Explores `model` with stateright.
pub(crate) fn check<M: CheckedModel>(
    model: &M,
    selection: &Arc<Selection<M>>,
    options: &SearchOptions,
    progress: &Arc<Progress>,
) -> Report {
    let run = Arc::new(Run {
        start: Instant::now(),
        max_time: options.max_time,
        progress: Arc::clone(progress),
        fault: Mutex::default(),
        faulty: AtomicBool::default(),
        stopped: Mutex::default(),
        over: AtomicBool::default(),
        violated: AtomicBool::default(),
        outside: AtomicU64::default(),
        initial_outside: AtomicU64::default(),
        initial_repeated: AtomicU64::default(),
    });
    let mut report = Report {
        verdict: Verdict::Exhausted,
        distinct: 0,
        generated: 0,
        outside: 0,
        queue: 0,
        levels: Vec::new(),
        actions: Vec::new(),
        trace: Vec::new(),
        lasso: None,
        memory: 0,
        elapsed: Duration::ZERO,
    };
    match model_panic::catch(|| selection.failed_assumption(model)) {
        Err(message) => {
            report.verdict = Verdict::Error {
                message,
                state: None,
            }
        }
        Ok(Some(verdict)) => report.verdict = verdict,
        Ok(None) => explore(model, selection, options, &run, &mut report),
    }
    if let Some(message) = run.fault() {
        report.trace.clear();
        report.verdict = Verdict::Error {
            message,
            state: None,
        };
    }
    report.elapsed = run.start.elapsed();
    report
}

fn explore<M: CheckedModel>(
    model: &M,
    selection: &Arc<Selection<M>>,
    options: &SearchOptions,
    run: &Arc<Run>,
    report: &mut Report,
) {
    let chosen = Chosen {
        model: model.clone(),
        selection: Arc::clone(selection),
        run: Arc::clone(run),
    };
    let mut builder = chosen
        .checker()
        .threads(options.threads.get())
        .finish_when(HasDiscoveries::AnyFailures);
    let limit = options
        .max_states
        .and_then(|limit| usize::try_from(limit).ok());
    if let Some(limit) = limit {
        builder = builder.target_state_count(limit);
    }
    let checker = builder.spawn_bfs().join();
    run.over.store(true, Relaxed);
    report.distinct = checker.unique_state_count() as u64;
    report.outside = run.outside.load(Relaxed) + run.initial_outside.load(Relaxed);
    let not_counted = report.outside + run.initial_repeated.load(Relaxed);
    report.generated = checker.state_count() as u64 + not_counted;
    // stateright rebuilds the path by running the model again, and panics if it runs otherwise.
    let discoveries = run.guarded(HashMap::new(), || checker.discoveries());
    let counterexample = discoveries
        .into_iter()
        .find(|(name, _)| *name == INVARIANTS);
    report.verdict = if let Some((_, path)) = counterexample {
        run.guarded(Verdict::Exhausted, || {
            violation(model, selection, path, &mut report.trace)
        })
    } else if let Some(reason) = run.stopped() {
        Verdict::Inconclusive(reason)
    } else if let Some(limit) = limit.filter(|limit| checker.state_count() >= *limit) {
        Verdict::Inconclusive(StopReason::States(limit as u64))
    } else {
        exhausted(selection, options)
    };
}

/// The verdict for a path to a state that violates an invariant; it fills in the trace.
fn violation<M: CheckedModel>(
    model: &M,
    selection: &Selection<M>,
    path: Path<M::State, M::Action>,
    trace: &mut Vec<TraceStep>,
) -> Verdict {
    let violated = selection.first_violated(model, path.last_state());
    // A path lists each state with the action taken from it; a trace with the one that led to it.
    let mut action = None;
    for (state, taken) in path.into_vec() {
        trace.push(TraceStep {
            action,
            state: model.to_tla(&state),
        });
        action = taken.map(|taken| label(model, &taken));
    }
    match violated {
        Some((index, leaf)) => selection.invariants[index].violated(leaf),
        None => Verdict::Error {
            message: "stateright reported a violation that the model does not have".to_owned(),
            state: None,
        },
    }
}

/// The verdict for a finished search: exhausted only if nothing was left unchecked.
fn exhausted<M: CheckedModel>(selection: &Selection<M>, options: &SearchOptions) -> Verdict {
    let mut unchecked = Vec::new();
    if !selection.steps.is_empty() {
        unchecked.push("step properties");
    }
    if !selection.temporal.is_empty() {
        unchecked.push("temporal properties");
    }
    if !selection.constraints.is_empty() {
        unchecked.push("boundary unchecked (states outside the constraint)");
    }
    if selection.deadlock || options.deadlock {
        unchecked.push("deadlocks");
    }
    if unchecked.is_empty() {
        Verdict::Exhausted
    } else {
        Verdict::Inconclusive(StopReason::Unchecked(unchecked.join(", ")))
    }
}
