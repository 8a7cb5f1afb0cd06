//! What the models are held to: published figures and traces, the laws of a checked model, and that
//! every conjunct of every guard is there for a reason.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may fail by panicking, also in a function that several tests share"
)]

#[allow(
    unused_macros,
    unused_imports,
    reason = "these models' guards are changed in their own way"
)]
#[path = "../harness/mod.rs"]
mod harness;

mod constants;
mod invariants;
mod laws;
mod mutation;
mod published_traces;
mod redundant;
mod registered;
mod setting;
mod tla_form;
mod walk;
