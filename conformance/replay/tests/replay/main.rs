//! Recorded behaviours, held against the models of this repository.
//!
//! Behaviours come from Plumb's own counterexamples and walks; what TLC records is in `traces/` and
//! replayed by the tests of the program.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod behaviours;
mod counterexamples;
mod following;
mod listings;
mod mutations;
mod partial;
mod refusals;
