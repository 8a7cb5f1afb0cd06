//! Temporal properties: the classic traps one by one, and thousands of random graphs against a
//! decision that tries everything.

#![allow(
    clippy::expect_used,
    reason = "the graphs of these tests are written down in them"
)]

mod brute_force;
mod deep;
mod digraph;
mod random;
mod resumed;
mod traps;
mod wide;
