//! What a running search tells whoever watches it, and how it is asked to stop.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Counters that a search updates as it goes; any thread may read them at any time.
///
/// They are for display: they lag behind the search by a chunk of states.
#[derive(Debug, Default)]
pub struct Progress {
    /// The level being expanded, the initial states being level 1.
    pub level: AtomicU64,
    /// States generated so far.
    pub generated: AtomicU64,
    /// Distinct states found so far.
    pub distinct: AtomicU64,
    /// States of the current level.
    pub level_size: AtomicU64,
    /// How many of them are expanded.
    pub expanded: AtomicU64,
    /// Distinct states found by the end of the current level's discovery.
    pub level_end: AtomicU64,
    /// Bytes of the store and the frontier.
    pub memory: AtomicU64,
    stop: Arc<AtomicBool>,
}

impl Progress {
    /// Counters at zero, with a flag that asks for the end when it is set, by a signal perhaps.
    #[must_use]
    pub fn with_stop_flag(stop: Arc<AtomicBool>) -> Self {
        Self {
            stop,
            ..Self::default()
        }
    }

    /// Asks the search to end as soon as it can, with what it found so far.
    pub fn stop(&self) {
        self.stop.store(true, Ordering::Relaxed);
    }

    /// Whether [`stop`](Self::stop) was called.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Found states that wait for their expansion.
    #[must_use]
    pub fn queue(&self) -> u64 {
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let next_level = get(&self.distinct).saturating_sub(get(&self.level_end));
        get(&self.level_size).saturating_sub(get(&self.expanded)) + next_level
    }
}
