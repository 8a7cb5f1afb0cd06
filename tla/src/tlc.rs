//! What TLC prints: reports of runs, dumped states, state graphs and simulated behaviours.
//!
//! All readers take the output of TLC 2.15 and of the builds of 2026, and read from any
//! [`BufRead`](std::io::BufRead); dumps and graphs are read item by item in constant memory.
//!
//! | output | reader |
//! |---|---|
//! | what TLC prints while it runs, as text or with `-tool` | [`read_report`] |
//! | `-dump dot,actionlabels FILE` | [`read_dot`] |
//! | `-dump FILE` | [`read_dump`] |
//! | `-simulate file=FILE` | [`read_simulation`] |

mod counts;
mod dot;
mod dump;
mod error;
mod label;
mod lines;
mod report;
mod simulation;
mod verdict;

pub use counts::Progress;
pub use dot::{DotItem, DotItems, read_dot};
pub use dump::{DumpedStates, read_dump};
pub use error::TlcOutputError;
pub use label::StepLabel;
pub use report::{TlcReport, TlcStep, read_report};
pub use simulation::read_simulation;
pub use verdict::{TlcVerdict, ViolationKind};
