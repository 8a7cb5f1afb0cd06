//! Breadth-first exploration by levels, on all cores, with a result that no timing can change.

pub(crate) mod checkpoint;
mod codec;
mod counterexample;
mod expand;
mod label;
mod liveness;
mod local;
mod local_expansion;
mod pieces;
pub(crate) mod store;
mod violation;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use rayon::ThreadPool;

use crate::model::CheckedModel;
use crate::model_panic;
use crate::progress::Progress;
use crate::report::{ActionLabel, Lasso, Report, StopReason, TraceStep, Verdict};
use crate::selection::Selection;
use checkpoint::{Boundary, Checkpoint, CheckpointError, Counts, Marks, Restored};
use codec::Codec;
use expand::{Expander, Tally, Work};
use local_expansion::LocalExpansion;
use pieces::Pieces;
use store::block::{BLOCK, Level};
use store::spill::StorageError;
use store::{Discovered, StateStore};

/// How a check runs; none of it changes what a finished check finds.
#[derive(Clone, Debug)]
pub struct SearchOptions {
    /// Worker threads.
    pub threads: NonZeroUsize,
    /// Stop at the first level boundary at which this many distinct states are known.
    pub max_states: Option<u64>,
    /// Stop after this time.
    pub max_time: Option<Duration>,
    /// Stop when the visited set and the levels in memory take more bytes than this. A quarter of
    /// it is for levels; more of them go to disk.
    pub max_memory: Option<u64>,
    /// Bytes of levels that are kept in memory at most; what is beyond goes to disk.
    pub level_memory: u64,
    /// The folder for temporary files with levels; the system's own if there is none.
    pub temporary: Option<PathBuf>,
    /// Where checkpoints are written at the end of levels, and where the search goes on from if
    /// there is one.
    pub checkpoint: Option<Arc<Mutex<Checkpoint>>>,
    /// Use what the model says of the components of its states. Without it a search takes more
    /// time and memory, and finds the same.
    pub components: bool,
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
            level_memory: 256 << 20,
            temporary: None,
            checkpoint: None,
            components: true,
            deadlock: false,
        }
    }
}

/// Levels up to this size are expanded on the calling thread: waking workers costs more.
const SMALL_LEVEL: u64 = 64;
/// Groups of states with the same shared part, in the largest levels.
const MOST_GROUPS: u64 = 256;

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
    /// States of the level before the last one that a stop left unexpanded.
    unexpanded: u64,
    peak_memory: u64,
    /// What the checkpoint has of the store, and since when.
    marks: Marks,
    last_checkpoint: Instant,
    /// The end of the last level that is whole, if there is a checkpoint to write it to.
    boundary: Option<Boundary>,
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
    // The graph that temporal properties are decided on is one of whole states.
    let codec = if options.components && selection.temporal.is_empty() {
        model_panic::catch(|| Codec::with_components(model))
    } else {
        Ok(Codec::whole(model))
    };
    let (codec, broken) = match codec {
        Ok(codec) => (codec, None),
        Err(message) => (Codec::whole(model), Some(message)),
    };
    let folder = options.temporary.clone().unwrap_or_else(std::env::temp_dir);
    let level_budget = match options.max_memory {
        // The rest is for the visited set.
        Some(most) => options.level_memory.min(most / 4),
        None => options.level_memory,
    };
    let mut search = Search {
        store: StateStore::new(codec.components, folder, level_budget),
        expander: Expander {
            model,
            codec,
            selection,
            deadlock: options.deadlock || selection.deadlock,
        },
        options,
        progress,
        pool: None,
        start: Instant::now(),
        tally: Tally::new(M::ACTIONS.len()),
        levels: Vec::new(),
        distinct: 0,
        unexpanded: 0,
        peak_memory: 0,
        marks: Marks::default(),
        last_checkpoint: Instant::now(),
        boundary: None,
    };
    let End {
        mut verdict,
        queue,
        mut trace,
        lasso,
    } = match broken {
        None => search.run(),
        Some(message) => End::error(message),
    };
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
        match self.resume() {
            Ok(Restored::Whole(counts)) => {
                self.take_over(counts);
                self.marks = Marks::of(&self.store);
                self.publish();
                self.publish_restored();
            }
            Ok(Restored::Stopped(counts)) => {
                self.take_over(counts);
                let reason = self.reason_to_stop().unwrap_or(StopReason::Interrupted);
                let queue = self.levels.last().copied().unwrap_or(0);
                return End::without_trace(Verdict::Inconclusive(reason), queue);
            }
            Ok(Restored::Nothing) => {
                let mut work = Work::new(M::ACTIONS.len(), 1);
                self.expander.initial(&self.store, &mut work);
                if let Err(error) = self.close_level(work.tally, vec![work.discovered]) {
                    return End::error(error.to_string());
                }
            }
            Err(error) => return End::error(error.to_string()),
        }
        loop {
            // Of a level without states there is nothing to be kept.
            if self.frontier().len() > 0 {
                self.boundary = self.boundary();
            }
            if let Some(end) = self.end_of_level() {
                return end;
            }
            if let Err(error) = self.write_checkpoint(false) {
                return End::error(error.to_string());
            }
            let (mut tally, discovered) = self.expand_level();
            let stopped = tally.stop.take();
            if let Err(error) = self.close_level(tally, discovered) {
                // What was found of this level is lost. If the checkpoint cannot be written
                // either, the last one is as good as it was, and the first error is the one to tell.
                let _ = self.write_checkpoint(true);
                return End::error(error.to_string());
            }
            if let Some(reason) = stopped {
                return self.stopped_inside(reason);
            }
        }
    }

    /// Fills the store with what a checkpoint holds.
    fn resume(&mut self) -> Result<Restored, CheckpointError> {
        let Some(checkpoint) = &self.options.checkpoint else {
            return Ok(Restored::Nothing);
        };
        let checkpoint = checkpoint.lock().unwrap_or_else(PoisonError::into_inner);
        let (progress, options, start) = (self.progress, self.options, self.start);
        let watch = |store: &StateStore, bytes| {
            progress.restored.done.store(bytes, Relaxed);
            progress.memory.store(store.memory(), Relaxed);
            reason_to_stop(progress, options, start).is_some()
        };
        let all = checkpoint.bytes();
        progress.restored.total.store(all, Relaxed);
        checkpoint::restore(&checkpoint, &mut self.store, &watch)
    }

    fn take_over(&mut self, counts: Counts) {
        self.tally.generated = counts.generated;
        self.tally.outside = counts.outside;
        self.tally.actions = counts.actions;
        self.distinct = counts.levels.iter().sum();
        self.levels = counts.levels;
    }

    /// The end of the level that was just closed, if there is a checkpoint to write it to.
    fn boundary(&self) -> Option<Boundary> {
        self.options.checkpoint.as_ref()?;
        Some(Boundary {
            reached: Marks::of(&self.store),
            generated: self.tally.generated,
            outside: self.tally.outside,
            actions: self.tally.actions.clone(),
        })
    }

    /// Writes a checkpoint of the last level that is whole, if one is due or `now` is wanted.
    fn write_checkpoint(&mut self, now: bool) -> Result<(), CheckpointError> {
        let (Some(checkpoint), Some(boundary)) = (&self.options.checkpoint, &self.boundary) else {
            return Ok(());
        };
        let mut checkpoint = checkpoint.lock().unwrap_or_else(PoisonError::into_inner);
        let due = now || self.last_checkpoint.elapsed() >= checkpoint.interval();
        let levels = boundary.reached.levels();
        if !due || self.marks.levels() == levels {
            return Ok(());
        }
        let counts = Counts {
            generated: boundary.generated,
            outside: boundary.outside,
            actions: boundary.actions.clone(),
            levels: self.levels[..levels].to_vec(),
        };
        checkpoint.write(&self.store, &self.marks, &boundary.reached, counts)?;
        self.marks = boundary.reached.clone();
        self.last_checkpoint = Instant::now();
        Ok(())
    }

    /// The states that are expanded next.
    fn frontier(&self) -> &Level {
        static NONE: Level = Level::EMPTY;
        self.store.levels().last().unwrap_or(&NONE)
    }

    /// Closes the level that was discovered and publishes the counts.
    fn close_level(
        &mut self,
        mut tally: Tally,
        discovered: Vec<Discovered>,
    ) -> Result<(), StorageError> {
        if let Some(error) = tally.storage.take() {
            return Err(error);
        }
        self.tally.absorb(tally);
        let level = Discovered::into_level(discovered, &self.store)?;
        if level.len() > 0 {
            self.levels.push(level.len());
            self.distinct += level.len();
        }
        self.store.close_level(level)?;
        self.publish();
        Ok(())
    }

    fn publish(&mut self) {
        let memory = self.store.memory();
        self.peak_memory = self.peak_memory.max(memory);
        let progress = self.progress;
        let mut levels = progress
            .levels
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let known = levels.len().min(self.levels.len());
        levels.extend(&self.levels[known..]);
        drop(levels);
        progress.level.store(self.levels.len() as u64, Relaxed);
        progress.level_end.store(self.distinct, Relaxed);
        progress.distinct.store(self.distinct, Relaxed);
        progress.level_size.store(self.frontier().len(), Relaxed);
        progress.expanded.store(0, Relaxed);
        progress.generated.store(self.tally.generated, Relaxed);
        progress.memory.store(memory, Relaxed);
        progress.disk.store(self.store.disk(), Relaxed);
    }

    /// Publishes how much of the counts a checkpoint brought.
    fn publish_restored(&self) {
        let (progress, time) = (self.progress, self.start.elapsed());
        progress.distinct_before.store(self.distinct, Relaxed);
        progress
            .generated_before
            .store(self.tally.generated, Relaxed);
        progress.restored_in.store(time.as_millis() as u64, Relaxed);
        let all = progress.restored.total.load(Relaxed);
        progress.restored.done.store(all, Relaxed);
    }

    /// The end of the search, if it ends before the last level is expanded.
    fn end_of_level(&mut self) -> Option<End> {
        let queue = self.frontier().len();
        if let Some((verdict, trace)) = self.found() {
            return Some(End {
                verdict,
                queue,
                trace,
                lasso: None,
            });
        }
        if queue == 0 {
            if !self.expander.selection.temporal.is_empty()
                // The graph takes more time and memory than all that was done so far.
                && let Err(error) = self.write_checkpoint(true)
            {
                return Some(End::error(error.to_string()));
            }
            return Some(self.check_temporal());
        }
        let reason = match self.options.max_states {
            Some(limit) if self.distinct >= limit => Some(StopReason::States(limit)),
            _ => self.reason_to_stop(),
        };
        let reason = reason?;
        if let Err(error) = self.write_checkpoint(true) {
            return Some(End::error(error.to_string()));
        }
        Some(End::without_trace(Verdict::Inconclusive(reason), queue))
    }

    /// The end of a search that was stopped while it expanded a level.
    fn stopped_inside(&mut self, reason: StopReason) -> End {
        let queue = self.unexpanded + self.frontier().len();
        if let Some((verdict, trace)) = self.found() {
            return End {
                verdict,
                queue,
                trace,
                lasso: None,
            };
        }
        // What was found of this level is lost, and no more than that.
        if let Err(error) = self.write_checkpoint(true) {
            return End::error(error.to_string());
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
            let states = counterexample::rebuild(&self.expander, &self.store, pool, &violation)?;
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
        reason_to_stop(self.progress, self.options, self.start)
    }

    /// Expands the states of the last level, and finds the next one.
    fn expand_level(&mut self) -> (Tally, Vec<Discovered>) {
        let level = self.frontier();
        let pool = self.pool.as_ref().filter(|_| level.len() > SMALL_LEVEL);
        let threads = pool.map_or(1, ThreadPool::current_num_threads);
        let share = level.len() / (threads as u64 * 16);
        let pieces = Pieces::of(level, share.clamp(SMALL_LEVEL, BLOCK as u64) as usize);
        let groups = match self.expander.codec.components {
            1 => 1,
            _ => (level.len() >> 16).clamp(1, MOST_GROUPS),
        };
        let work = || self.expand_pieces(&pieces, groups as usize);
        let works = match pool {
            Some(pool) => pool.broadcast(|_| work()),
            None => vec![work()],
        };
        let mut tally = Tally::new(M::ACTIONS.len());
        let mut discovered = Vec::with_capacity(works.len());
        let mut rest = level.len();
        for (work, expanded) in works {
            tally.absorb(work.tally);
            discovered.push(work.discovered);
            rest -= expanded;
        }
        self.unexpanded = rest;
        (tally, discovered)
    }

    /// Expands the pieces of a level that this thread gets hold of, and counts their states.
    fn expand_pieces(&self, pieces: &Pieces<'_>, groups: usize) -> (Work, u64) {
        let depth = self.levels.len();
        let mut work = Work::new(M::ACTIONS.len(), groups);
        let mut local = LocalExpansion::new(&self.expander, &self.store);
        let mut roots = Vec::new();
        let mut expanded = 0;
        loop {
            let piece = match pieces.next(&mut roots) {
                Ok(Some(piece)) => piece,
                Ok(None) => break,
                Err(error) => {
                    work.tally.storage = Some(error);
                    break;
                }
            };
            work.tally.stop = self.reason_to_stop();
            if work.tally.stop.is_some() {
                break;
            }
            // Here and not once a level: one level may be larger than the rest of the numbers.
            if self.store.is_used_up() {
                work.tally.storage = Some(StorageError::UsedUp);
                break;
            }
            let (generated, discovered) = (work.tally.generated, work.tally.discovered);
            match &mut local {
                Some(local) => local.expand(piece, depth, &mut work),
                None => {
                    for root in piece {
                        self.expander.expand(*root, depth, &self.store, &mut work);
                    }
                }
            }
            if work.tally.storage.is_some() {
                break;
            }
            expanded += piece.len() as u64;
            let progress = self.progress;
            let new = |now: u64, before: u64| now - before;
            progress
                .generated
                .fetch_add(new(work.tally.generated, generated), Relaxed);
            progress
                .distinct
                .fetch_add(new(work.tally.discovered, discovered), Relaxed);
            progress.expanded.fetch_add(piece.len() as u64, Relaxed);
            progress.memory.store(self.store.memory(), Relaxed);
            progress.disk.store(self.store.disk(), Relaxed);
        }
        (work, expanded)
    }
}

/// Why a search that began at `start` should not go on.
fn reason_to_stop(
    progress: &Progress,
    options: &SearchOptions,
    start: Instant,
) -> Option<StopReason> {
    if progress.is_stopped() {
        return Some(StopReason::Interrupted);
    }
    let over_time = options.max_time.filter(|limit| start.elapsed() >= *limit);
    if let Some(limit) = over_time {
        return Some(StopReason::Time(limit));
    }
    let used = progress.memory.load(Relaxed);
    let over_memory = options.max_memory.filter(|limit| used > *limit);
    over_memory.map(StopReason::Memory)
}
