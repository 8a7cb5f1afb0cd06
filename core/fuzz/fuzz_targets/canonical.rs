//! The canonical reader: tree and stream agree, and what is written is read back as it was.

#![no_main]

use libfuzzer_sys::fuzz_target;
use plumb_canonical::{Reader, canonicalize, parse};

fuzz_target!(|bytes: &[u8]| {
    let tree = Reader::default().read(bytes);
    let text = canonicalize(bytes);
    match (tree, text) {
        (Ok(value), Ok(text)) => {
            assert_eq!(value.to_canonical(), text);
            assert_eq!(value.canonical_len(), text.len());
            assert_eq!(parse(&text).as_ref(), Ok(&value));
            assert_eq!(canonicalize(text.as_bytes()), Ok(text));
        }
        (Err(fault), Err(other)) => {
            assert_eq!(fault, other);
            assert!(fault.offset() <= bytes.len());
        }
        (tree, text) => panic!("{tree:?} and {text:?}"),
    }
});
