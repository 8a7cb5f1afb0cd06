//! The live line on anything longer than a second: what the search did, and how long it may take.

use std::io::{self, IsTerminal};
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use plumb_checker::Progress;

use crate::output::{self, grouped};

/// No line before this: a search that is done by then needs none.
const QUIET: Duration = Duration::from_secs(1);
/// Time between two frames on a terminal.
const FRAME: Duration = Duration::from_millis(200);
/// Time between two log lines where there is no terminal.
const LOG: Duration = Duration::from_secs(30);

/// Runs a search, showing the progress that it makes on standard error.
///
/// `expected` is the number of distinct states that the registry expects, from which the rest is
/// estimated; without it only a lower bound is known.
pub(crate) fn watched_search<T>(
    name: &str,
    progress: &Arc<Progress>,
    expected: Option<u64>,
    work: impl FnOnce() -> T,
) -> T {
    let progress = Arc::clone(progress);
    let stall = Mutex::new(Stall::default());
    let describe = move |elapsed| {
        let mut stall = stall.lock().unwrap_or_else(PoisonError::into_inner);
        let generated = progress.generated.load(Relaxed);
        let stalled = stall.since(generated, elapsed);
        describe(&progress, elapsed, expected, stalled)
    };
    watched(name, describe, work)
}

/// When a count last changed.
#[derive(Default)]
struct Stall {
    count: u64,
    changed: Duration,
}

/// A count that stands still for so long is worth a word.
const STALLED: Duration = Duration::from_secs(20);

impl Stall {
    /// For how long the count has been standing still, if that is long.
    fn since(&mut self, count: u64, now: Duration) -> Option<Duration> {
        if count != self.count {
            self.count = count;
            self.changed = now;
        }
        Some(now.saturating_sub(self.changed)).filter(|still| *still >= STALLED)
    }
}

/// Runs `work`, showing what `describe` says of it, given the time since its start, on standard
/// error.
pub(crate) fn watched<T>(
    name: &str,
    describe: impl Fn(Duration) -> String + Send + 'static,
    work: impl FnOnce() -> T,
) -> T {
    let done = Arc::new((Mutex::new(false), Condvar::new()));
    let watcher = thread::Builder::new().name("progress".into()).spawn({
        let (done, name) = (Arc::clone(&done), name.to_owned());
        move || watch(&name, describe, &done)
    });
    let result = work();
    *done.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
    done.1.notify_all();
    if let Ok(watcher) = watcher {
        // The watcher only prints; if it failed, the result is none the worse.
        let _ = watcher.join();
    }
    result
}

fn watch(
    name: &str,
    describe: impl Fn(Duration) -> String,
    (done, changed): &(Mutex<bool>, Condvar),
) {
    let start = Instant::now();
    let terminal = io::stderr().is_terminal();
    let mut bar: Option<ProgressBar> = None;
    let mut wait = if terminal { QUIET } else { LOG };
    let mut finished = done.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        let (guard, timeout) = changed
            .wait_timeout_while(finished, wait, |finished| !*finished)
            .unwrap_or_else(PoisonError::into_inner);
        finished = guard;
        if !timeout.timed_out() || *finished {
            break;
        }
        let line = describe(start.elapsed());
        if terminal {
            wait = FRAME;
            let bar = bar.get_or_insert_with(|| spinner(name));
            bar.set_message(line);
            bar.tick();
        } else {
            output::note(&format!("{name}: {line}"));
        }
    }
    if let Some(bar) = bar {
        bar.finish_and_clear();
    }
}

fn spinner(name: &str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    let style = ProgressStyle::with_template("{spinner} {prefix}: {wide_msg}");
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
    bar.set_prefix(name.to_owned());
    bar
}

fn describe(
    progress: &Progress,
    elapsed: Duration,
    expected: Option<u64>,
    stalled: Option<Duration>,
) -> String {
    for (what, passage) in [
        ("verifying", &progress.verified),
        ("restoring", &progress.restored),
    ] {
        if let Some((done, total)) = passage.under_way() {
            return describe_passage(what, done, total, progress, elapsed);
        }
    }
    let distinct = progress.distinct.load(Relaxed);
    let generated = progress.generated.load(Relaxed);
    // What a checkpoint brought, and the time that it took, tell nothing of how fast this search is.
    let since = |count: u64, before: &AtomicU64| count.saturating_sub(before.load(Relaxed)) as f64;
    let restored = Duration::from_millis(progress.restored_in.load(Relaxed));
    let seconds = elapsed.saturating_sub(restored).as_secs_f64().max(0.001);
    let rate = since(distinct, &progress.distinct_before) / seconds;
    let generated = since(generated, &progress.generated_before);
    let more = |total: Option<u64>| total?.checked_sub(distinct).filter(|rest| *rest > 0);
    let (word, rest) = match (more(expected), more(progress.estimated_distinct())) {
        (Some(rest), _) => ("about", rest),
        (None, Some(rest)) => ("estimated", rest),
        // What is queued has to be expanded; what that will find, nobody knows.
        (None, None) => ("at least", progress.queue()),
    };
    let rest = if rate > 0.0 { rest as f64 / rate } else { 0.0 };
    let mut text = clock(elapsed);
    if rest >= 1.0 {
        let rest = Duration::from_secs_f64(rest.min(1e9));
        text += &format!(", rest {word} {}", clock(rest));
    }
    if let Some(still) = stalled {
        text += &format!(", stalled: nothing generated for {}", clock(still));
    }
    // A narrow terminal cuts the end off, so what matters most comes first.
    text += &format!(
        "; level {}, {} states, {} generated/s, queue {}, {} MiB",
        progress.level.load(Relaxed),
        grouped(distinct),
        grouped((generated / seconds) as u64),
        grouped(progress.queue()),
        progress.memory.load(Relaxed) >> 20,
    );
    let disk = progress.disk.load(Relaxed) >> 20;
    if disk > 0 {
        text += &format!(", {disk} MiB on disk");
    }
    text
}

/// The line of a checkpoint that is gone through.
fn describe_passage(
    what: &str,
    done: u64,
    total: u64,
    progress: &Progress,
    elapsed: Duration,
) -> String {
    let mut text = clock(elapsed);
    if done > 0 {
        let rest = elapsed.as_secs_f64() * (total - done) as f64 / done as f64;
        text += &format!(
            ", rest about {}",
            clock(Duration::from_secs_f64(rest.min(1e9)))
        );
    }
    text += &format!(
        "; {what} the checkpoint, {} of {} MiB",
        grouped(done >> 20),
        grouped(total.div_ceil(1 << 20)),
    );
    let memory = progress.memory.load(Relaxed) >> 20;
    if memory > 0 {
        text += &format!("; {memory} MiB in memory");
    }
    text
}

fn clock(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds / 3600 {
        0 => format!("{}:{:02}", seconds / 60, seconds % 60),
        hours => format!("{hours}:{:02}:{:02}", seconds / 60 % 60, seconds % 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_says_what_is_done_and_estimates_the_rest() {
        let progress = Progress::default();
        progress.level.store(7, Relaxed);
        progress.distinct.store(1_000, Relaxed);
        progress.level_end.store(900, Relaxed);
        progress.level_size.store(500, Relaxed);
        progress.expanded.store(300, Relaxed);
        progress.generated.store(20_000, Relaxed);
        progress.memory.store(5 << 20, Relaxed);
        let line = describe(&progress, Duration::from_secs(10), Some(7_000), None);
        assert_eq!(
            line,
            "0:10, rest about 1:00; level 7, 1,000 states, 2,000 generated/s, queue 300, 5 MiB"
        );
        let line = describe(&progress, Duration::from_secs(10), None, None);
        assert!(line.starts_with("0:10, rest at least 0:03; "), "{line}");
        *progress.levels.lock().unwrap() = vec![1, 64, 1024];
        progress.disk.store(3 << 20, Relaxed);
        let line = describe(&progress, Duration::from_secs(10), None, None);
        assert!(line.starts_with("0:10, rest estimated 1:33; "), "{line}");
        assert!(line.ends_with(", 5 MiB, 3 MiB on disk"), "{line}");
        assert_eq!(clock(Duration::from_secs(3_725)), "1:02:05");
    }

    #[test]
    fn a_checkpoint_is_said_to_be_verified_and_restored_and_how_far_that_is() {
        let progress = Progress::default();
        progress.verified.total.store(900 << 20, Relaxed);
        let line = describe(&progress, Duration::ZERO, None, None);
        assert_eq!(line, "0:00; verifying the checkpoint, 0 of 900 MiB");
        progress.verified.done.store(900 << 20, Relaxed);
        progress.restored.total.store((900 << 20) + 1, Relaxed);
        progress.restored.done.store(300 << 20, Relaxed);
        progress.memory.store(7 << 20, Relaxed);
        let stalled = Some(Duration::from_secs(30));
        let line = describe(&progress, Duration::from_secs(30), Some(5), stalled);
        assert_eq!(
            line,
            "0:30, rest about 1:00; restoring the checkpoint, 300 of 901 MiB; 7 MiB in memory"
        );
    }

    #[test]
    fn what_a_checkpoint_brought_does_not_make_a_search_fast() {
        let progress = Progress::default();
        progress.restored_in.store(10_000, Relaxed);
        progress.distinct_before.store(1_000_000, Relaxed);
        progress.generated_before.store(9_000_000, Relaxed);
        progress.distinct.store(1_000_500, Relaxed);
        progress.generated.store(9_002_000, Relaxed);
        let line = describe(&progress, Duration::from_secs(20), Some(1_003_500), None);
        assert!(line.starts_with("0:20, rest about 1:00; "), "{line}");
        assert!(line.contains(", 200 generated/s, "), "{line}");
    }

    #[test]
    fn a_search_that_generates_nothing_for_long_is_said_to_be_stalled() {
        let mut stall = Stall::default();
        let at = Duration::from_secs;
        assert_eq!(stall.since(5, at(30)), None);
        assert_eq!(stall.since(5, at(49)), None);
        assert_eq!(stall.since(5, at(52)), Some(at(22)));
        let line = describe(&Progress::default(), at(52), None, Some(at(22)));
        assert!(
            line.starts_with("0:52, stalled: nothing generated for 0:22; "),
            "{line}"
        );
        assert_eq!(stall.since(6, at(53)), None);
    }
}
