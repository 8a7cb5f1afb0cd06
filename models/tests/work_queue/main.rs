//! What the model `WorkQueue` is held to: published figures and traces, the laws of a checked model
//! and of its components, a slow and obvious arbitration, and that every conjunct of every guard is
//! there for a reason.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test may fail by panicking, also in a function that several tests share"
)]

#[path = "../harness/mod.rs"]
mod harness;

mod arbitration;
mod components;
mod constants;
mod invariants;
mod laws;
mod mutation;
mod redundant;
mod reference;
mod registered;
mod setting;
mod spaces;
mod steps;
mod tla_form;
