//! What the model `FairWorkQueue` is held to: published figures, traces and vectors, the laws of a
//! checked model, a slow and obvious scheduler, and that every conjunct of every guard is there for
//! a reason.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may fail by panicking, also in a function that several tests share"
)]

#[path = "../harness/mod.rs"]
mod harness;

mod constants;
mod invariants;
mod laws;
mod mutation;
mod redundant;
mod reference;
mod registered;
mod scheduler;
mod setting;
mod spaces;
mod tla_form;
mod traces;
