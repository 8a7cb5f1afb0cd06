//! What a running search tells whoever watches it, and how it is asked to stop.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Bytes that are gone through, and how many there are.
#[derive(Debug, Default)]
pub struct Passage {
    /// Bytes that are done with.
    pub done: AtomicU64,
    /// All of them; 0 before the passage begins.
    pub total: AtomicU64,
}

impl Passage {
    /// What is done and what there is, unless the passage has not begun or is at its end.
    #[must_use]
    pub fn under_way(&self) -> Option<(u64, u64)> {
        let [done, total] = [&self.done, &self.total].map(|bytes| bytes.load(Ordering::Relaxed));
        (done < total).then_some((done, total))
    }
}

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
    /// Bytes of the visited set and of the levels in memory.
    pub memory: AtomicU64,
    /// Bytes of the levels on disk.
    pub disk: AtomicU64,
    /// States of each level that is known as a whole.
    pub levels: Mutex<Vec<u64>>,
    /// The verification of a checkpoint, before a search goes on from it.
    pub verified: Passage,
    /// The restoring of a checkpoint, with which a search begins that goes on from it.
    pub restored: Passage,
    /// Milliseconds that the restoring took.
    pub restored_in: AtomicU64,
    /// States that were generated before the search went on from a checkpoint.
    pub generated_before: AtomicU64,
    /// Distinct states that were found before the search went on from a checkpoint.
    pub distinct_before: AtomicU64,
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

    /// An estimate of how many states the search will have found in the end, if the sizes of its
    /// levels allow one.
    ///
    /// Breadth-first levels first grow and then shrink, and the factor from one level to the next
    /// falls steadily, by much the same factor itself: the last three levels that are known as a
    /// whole tell both, and give all further ones. As long as the factor does not fall there is no
    /// telling, and as long as levels grow the answer is rough.
    #[must_use]
    pub fn estimated_distinct(&self) -> Option<u64> {
        let levels = self.levels.lock().unwrap_or_else(PoisonError::into_inner);
        let [.., before, last, newest] = levels[..] else {
            return None;
        };
        let factor = |from: u64, to: u64| to as f64 / from as f64;
        let mut growth = factor(last, newest);
        let bend = growth / factor(before, last);
        // A hundred levels more, and still no end: that is no estimate.
        let mut size = newest as f64;
        let mut sum = levels.iter().sum::<u64>() as f64;
        for _ in 0..100 {
            growth *= bend;
            size *= growth;
            if size < 1.0 {
                return Some(sum as u64);
            }
            sum += size;
        }
        None
    }

    /// Found states that wait for their expansion.
    #[must_use]
    pub fn queue(&self) -> u64 {
        let get = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let next_level = get(&self.distinct).saturating_sub(get(&self.level_end));
        get(&self.level_size).saturating_sub(get(&self.expanded)) + next_level
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn estimate(levels: &[u64]) -> Option<u64> {
        let progress = Progress::default();
        *progress.levels.lock().unwrap() = levels.to_vec();
        progress.estimated_distinct()
    }

    #[test]
    fn a_passage_is_under_way_between_its_beginning_and_its_end() {
        let passage = Passage::default();
        assert_eq!(passage.under_way(), None);
        passage.total.store(9, Ordering::Relaxed);
        assert_eq!(passage.under_way(), Some((0, 9)));
        passage.done.store(9, Ordering::Relaxed);
        assert_eq!(passage.under_way(), None);
    }

    #[test]
    fn levels_that_bend_have_an_end_and_others_none() {
        assert_eq!(estimate(&[1, 10]), None);
        assert_eq!(estimate(&[1, 10, 100]), None);
        assert_eq!(estimate(&[1, 10, 200]), None);
        // 1, 64, 1024, 4096, 4096, 1024, 64, 1: each factor a quarter of the one before.
        let all = [1, 64, 1024, 4096, 4096, 1024, 64, 1];
        let sum = all.iter().sum();
        for known in 3..=all.len() {
            assert_eq!(estimate(&all[..known]), Some(sum), "{known}");
        }
    }
}
