//! State graphs.

#![no_main]

use libfuzzer_sys::fuzz_target;
use plumb_tla::read_dot;

fuzz_target!(|bytes: &[u8]| {
    let mut items = read_dot(bytes);
    while let Some(item) = items.next() {
        if item.is_err() {
            assert!(items.next().is_none());
        }
    }
});
