//! One line: a commit that is read is written as it was, and applying it does nothing but accept or
//! refuse.

#![no_main]

use libfuzzer_sys::fuzz_target;
use plumb_queue::Code;
use plumb_queue::state::State;
use plumb_queue::wire::{QueueCommit, Wire};

fuzz_target!(|bytes: &[u8]| {
    let Ok(value) = plumb_canonical::Reader::default().read(bytes) else {
        return;
    };
    if let Ok(commit) = QueueCommit::read(&value, Code::RequestInvalid) {
        let written = commit.write();
        assert_eq!(QueueCommit::read(&written, Code::RequestInvalid), Ok(commit.clone()));
    }
    let _ = State::default().apply(&value);
});
