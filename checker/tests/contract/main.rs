//! The meaning of a check, rule by rule, on models that are tables of states and steps.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod assumptions;
mod budgets;
mod constraint;
mod counterexample;
mod counting;
mod deadlock;
mod determinism;
mod graph;
mod panics;
mod path;
mod random;
mod reference;
mod simulation;
mod stateright_engine;
mod steps;
mod summary;
mod wide;
