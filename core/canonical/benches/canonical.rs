//! How fast texts are read and written: `cargo bench -p plumb-canonical`.
//!
//! Prints the figures of the crate's README: megabytes (10⁶ bytes) a second on one core, the best of
//! five runs over 80 MiB of lines such as a log has.

#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::Instant;

use plumb_canonical::{Digest, MAX_LOG_BYTES, canonicalize, parse};

fn main() {
    let canonical = text(false);
    let shuffled = text(true);
    assert_eq!(canonicalize(canonical.as_bytes()).unwrap(), canonical);
    for (name, text) in [
        ("canonical text", &canonical),
        ("other key order", &shuffled),
    ] {
        measure(&format!("read, {name}"), text.len(), || {
            black_box(parse(black_box(text)).unwrap());
        });
        measure(&format!("canonicalize, {name}"), text.len(), || {
            black_box(canonicalize(black_box(text.as_bytes())).unwrap());
        });
    }
    measure("SHA-256", canonical.len(), || {
        black_box(Digest::of(black_box(canonical.as_bytes())));
    });
}

fn measure(name: &str, bytes: usize, mut run: impl FnMut()) {
    let times = (0..5).map(|_| {
        let start = Instant::now();
        run();
        start.elapsed()
    });
    let best = times.min().unwrap();
    let rate = bytes as f64 / best.as_secs_f64() / 1e6;
    println!(
        "{name:<32} {rate:>7.0} MB/s   {:>6.0} ms",
        best.as_secs_f64() * 1e3
    );
}

/// Records such as a submit has, of 80 MiB together.
fn text(shuffled: bool) -> String {
    let mut text = String::with_capacity(MAX_LOG_BYTES);
    text.push('[');
    let mut outer = 0;
    loop {
        let mut chunk = String::from("[");
        for inner in 0..100 {
            let number = outer * 100 + inner;
            let (first, last) = (
                format!(r#""batch_trust_domain":"default","depends_on":[],"enqueued":{number}"#),
                r#""worker_profile":"default""#.to_owned(),
            );
            let (first, last) = if shuffled {
                (last, first)
            } else {
                (first, last)
            };
            let middle = format!(
                r#""fairness_key":"","graph_id":"{number:064x}","kind":"Work","node_key":"root","payload":{{"prompt":"read the file\nand say what it does","retries":3}},"pool":"default","priority":3"#
            );
            write!(
                chunk,
                "{}{{{first},{middle},{last}}}",
                if inner > 0 { "," } else { "" }
            )
            .unwrap();
        }
        chunk.push(']');
        if text.len() + chunk.len() + 2 > MAX_LOG_BYTES {
            break;
        }
        if outer > 0 {
            text.push(',');
        }
        text.push_str(&chunk);
        outer += 1;
    }
    text.push(']');
    text
}
