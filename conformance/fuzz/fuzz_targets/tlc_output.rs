//! What TLC prints while it runs.

#![no_main]

use libfuzzer_sys::fuzz_target;
use plumb_replay::trace::Format;

#[path = "../rewritten.rs"]
mod rewritten;

fuzz_target!(|bytes: &[u8]| rewritten::check(bytes, Format::TlcOutput));
