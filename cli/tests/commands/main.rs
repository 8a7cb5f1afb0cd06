//! The program as its users meet it: every command, every exit status, every kind of error.
//!
//! Most of these run the real binary, outside the repository unless that is the point, so that
//! they see the built-in specifications. What is printed for people is held in snapshots.
//! `CONTRIBUTING.md` says how to update them. Those that need TLC are skipped with
//! `PLUMB_SKIP_TLC=1`, and say so.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod bad_input;
mod budgets;
mod checkpoints;
mod determinism;
mod engines;
mod evidence;
mod evidence_reports;
mod evidence_storage;
mod exit_status;
mod help;
mod interruption;
mod licences;
mod listing;
mod model_faults;
mod pages;
mod program;
mod queue;
mod readme;
mod recordings;
mod replay;
mod replay_formats;
mod replay_reports;
mod replay_sources;
mod schemas;
mod simulations;
mod specs_folder;
mod streams;
mod tables;
mod tlc;
mod traces;
