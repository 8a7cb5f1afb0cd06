//! Holds a model against TLC: verdicts, counts, traces and whole state graphs.
//!
//! A model exists twice, as a TLA+ module and in Rust, and nothing but a comparison keeps the two
//! the same. [`compare`] runs both engines on one configuration, Plumb's explorer on the Rust
//! model and TLC on the module, and puts side by side what they say:
//!
//! | row | compared | meaning |
//! |---|---|---|
//! | `verdict` | always | `exhausted`, `violated` or `assumption` |
//! | `kind`, `property` | of a violation | what sort of property is violated, and its name |
//! | `distinct`, `generated`, `depth` | of whole searches | the size of the state graph |
//! | `trace` | of a violation by a finite trace | how many states the shortest one has |
//! | `temporal NAME` | of whole searches | whether that temporal property holds, checked alone |
//! | `lasso NAME` | where it is violated for both | whether both counterexamples really are some |
//! | `graph` | of whole searches, when asked for | every state and every step, see [`graph`] |
//!
//! At a violation the counts depend on the order of successors, so they are shown and not
//! compared. A TLC that is missing, crashes or prints what nobody understands is an error and
//! never agreement; so is a search that was stopped.
//!
//! # Temporal properties
//!
//! TLC does not say which temporal property is violated, and its counterexample is not the shortest
//! one. So TLC runs once without the temporal properties, for the counts and the graph, and then
//! once for each of them, with a cfg that names nothing else and keeps specification and constants;
//! Plumb checks the same cfgs. Where a property is violated for both, TLC's infinite behaviour is
//! replayed on the Rust model: it must begin in an initial state, take steps of the model, be fair,
//! and violate the property there, too. Lengths are not compared. If anything else is violated,
//! there is no whole state graph to decide them on, and they are not compared.
//!
//! ```no_run
//! use plumb_replay::{CompareOptions, Sources, compare};
//! # fn registry() -> plumb_checker::Registry { unimplemented!() }
//! let cfg = std::fs::read_to_string("specs/lifecycle/LifecycleRecurring.cfg")?;
//! let entry = *registry().find("lifecycle").ok_or("no such model")?;
//! let sources = Sources {
//!     module: entry.module.to_owned(),
//!     text: std::fs::read_to_string("specs/lifecycle/QueueLifecycle.tla")?,
//!     cfg,
//!     others: Vec::new(),
//! };
//!
//! let options = CompareOptions {
//!     graph: true,
//!     ..CompareOptions::default()
//! };
//! let found = compare(&entry, &sources, &options)?;
//! for row in found.differences() {
//!     println!("{}: TLC {:?}, Plumb {:?}", row.what, row.tlc, row.plumb);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where things are
//!
//! * `compare`: the order of events; `rows`: which answers have a common meaning;
//! * `temporal`: one temporal property at a time; `lasso`: infinite behaviours, replayed;
//! * `reading`: TLC's states in the model's own encoding;
//! * `comparison`: what comes out, as a value and as JSON; `error`: why nothing came out;
//! * [`tlc`]: running TLC in a folder of its own, by the script that people run, too;
//! * [`replay`]: recorded behaviours, step by step; [`trace`]: what they are read as;
//! * [`parting`]: where two recorded traces part;
//! * [`graph`]: whole state graphs, and the shortest way to where they part.

mod compare;
mod comparison;
mod error;
pub mod graph;
mod lasso;
pub mod parting;
mod reading;
pub mod replay;
mod rows;
mod temporal;
pub mod tlc;
pub mod trace;
#[cfg(test)]
mod walk;

pub use compare::{CompareOptions, Event, compare};
pub use comparison::{Agreement, Comparison, Judgement, LassoReplay, Row, TemporalComparison};
pub use error::CompareError;
pub use graph::GraphComparison;
pub use tlc::{Sources, TlcError};
