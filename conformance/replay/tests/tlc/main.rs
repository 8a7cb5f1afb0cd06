//! The comparison with the real TLC.
//!
//! These tests need Java, and on their first run Python with pip. Where there is none they fail,
//! because nothing was compared; with `PLUMB_SKIP_TLC=1` they say that they are skipped instead.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod driver;
mod ferry;
mod gauge;
mod graphs;
mod models;
mod mutants;
mod recordings;
mod registered;
mod temporal;
mod whole;

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// A Java machine takes several cores and much memory, so only so many tests run one at a time.
const MACHINES: usize = 2;

static RUNNING: Mutex<usize> = Mutex::new(0);
static ENDED: Condvar = Condvar::new();

/// The right to run TLC, until it is dropped.
struct Turn;

/// Waits until TLC may be run; nothing if the user renounced the tests with TLC.
fn turn() -> Option<Turn> {
    if std::env::var_os("PLUMB_SKIP_TLC").is_some_and(|value| value == "1") {
        eprintln!("skipped, nothing was compared: PLUMB_SKIP_TLC is set");
        return None;
    }
    let mut running = lock();
    while *running >= MACHINES {
        running = ENDED.wait(running).unwrap_or_else(PoisonError::into_inner);
    }
    *running += 1;
    Some(Turn)
}

impl Drop for Turn {
    fn drop(&mut self) {
        *lock() -= 1;
        ENDED.notify_one();
    }
}

fn lock() -> MutexGuard<'static, usize> {
    RUNNING.lock().unwrap_or_else(PoisonError::into_inner)
}
