//! What TLC prints: reports of runs, dumped states, state graphs and simulated behaviours.
//!
//! All readers take the output of TLC 2.15 and of the builds of 2026, and read from any
//! [`BufRead`](std::io::BufRead); all but whole reports are read item by item in constant memory.
//!
//! | output | reader |
//! |---|---|
//! | what TLC prints while it runs, as text or with `-tool` | [`read_report`]; item by item [`read_output`] |
//! | `-dump dot,actionlabels FILE` | [`read_dot`] |
//! | `-dump FILE` | [`read_dump`] |
//! | `-simulate file=FILE` | [`read_simulation`]; step by step [`simulated_steps`] |

mod counts;
mod dot;
mod dump;
mod error;
mod fact;
mod label;
mod lines;
mod meaning;
mod output;
mod report;
mod simulation;
mod verdict;

pub use counts::Progress;
pub use dot::{DotItem, DotItems, read_dot};
pub use dump::{DumpedStates, read_dump};
pub use error::TlcOutputError;
pub use label::StepLabel;
pub use output::{OutputItem, OutputItems, read_output};
pub use report::{LocatedStep, TlcReport, TlcStep, read_report};
pub use simulation::{SimulatedSteps, read_simulation, simulated_steps};
pub use verdict::{TlcVerdict, ViolationKind};
