//! A log: if it holds, its compacted form does, and means the same.

#![no_main]

use libfuzzer_sys::fuzz_target;
use plumb_queue::log::{Log, replay};

fuzz_target!(|bytes: &[u8]| {
    let Ok(log) = Log::read(bytes) else { return };
    let Ok(state) = log.replay(|_, _| {}) else {
        return;
    };
    let Ok(text) = log.compact() else {
        panic!("a log that was read cannot be written");
    };
    let Ok(again) = replay(text.as_bytes()) else {
        panic!("a log that holds does not when it is compacted");
    };
    assert_eq!(again.tip(), state.tip());
    assert_eq!(again.totals(), state.totals());
});
