//! Listings of states.

#![no_main]

use libfuzzer_sys::fuzz_target;
use plumb_tla::read_dump;

fuzz_target!(|bytes: &[u8]| {
    let mut states = read_dump(bytes);
    let mut written = String::new();
    let mut read = Vec::new();
    for item in states.by_ref() {
        let Ok((number, state)) = item else {
            assert!(states.next().is_none());
            return;
        };
        written += &format!("State {number}:\n{state}\n\n");
        read.push((number, state));
    }
    let again: Result<Vec<_>, _> = read_dump(written.as_bytes()).collect();
    assert_eq!(again.expect("what was written is read"), read);
});
