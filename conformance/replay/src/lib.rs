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
//! | `distinct`, `generated`, `depth` | of exhausted searches | the size of the state graph |
//! | `trace` | of a violation | how many states the shortest counterexample has |
//! | `graph` | of exhausted searches, when asked for | every state and every step, see [`graph`] |
//!
//! At a violation the counts depend on the order of successors, so they are shown and not
//! compared. A TLC that is missing, crashes or prints what nobody understands is an error and
//! never agreement; so is a search that was stopped.
//!
//! ```no_run
//! use plumb_replay::{CompareOptions, Sources, compare};
//! # fn registry() -> plumb_checker::Registry { unimplemented!() }
//! let cfg = std::fs::read_to_string("specs/lifecycle/LifecycleRecurring.cfg")?;
//! let entry = *registry().find("lifecycle").ok_or("no such model")?;
//! let model = entry.configure(&plumb_tla::parse_cfg(&cfg)?)?;
//! let sources = Sources {
//!     module: model.module().to_owned(),
//!     text: std::fs::read_to_string("specs/lifecycle/QueueLifecycle.tla")?,
//!     cfg,
//!     others: Vec::new(),
//! };
//!
//! let options = CompareOptions {
//!     graph: true,
//!     ..CompareOptions::default()
//! };
//! let found = compare(model.as_ref(), &sources, &options)?;
//! for row in found.differences() {
//!     println!("{}: TLC {:?}, Plumb {:?}", row.what, row.tlc, row.plumb);
//! }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Where things are
//!
//! * `compare`: the order of events; `rows`: which answers have a common meaning;
//! * `comparison`: what comes out, as a value and as JSON; `error`: why nothing came out;
//! * [`tlc`]: running TLC in a folder of its own, by the script that people run, too;
//! * [`graph`]: whole state graphs, and the shortest way to where they part.

mod compare;
mod comparison;
mod error;
pub mod graph;
mod rows;
pub mod tlc;

pub use compare::{CompareOptions, Event, compare};
pub use comparison::{Agreement, Comparison, Row};
pub use error::CompareError;
pub use graph::GraphComparison;
pub use tlc::{Sources, TlcError};
