//! The arguments of `plumb replay`.

use std::path::PathBuf;

use clap::Args;
use plumb_replay::trace::Format;

use crate::commands::annotations::Annotations;

#[derive(Args, Debug)]
pub(crate) struct ReplayArguments {
    /// Traces, or folders of them [default: the repository's `traces`]
    #[arg(value_name = "FILE|DIR")]
    pub(crate) paths: Vec<PathBuf>,

    /// The model, for traces that do not say whose they are
    #[arg(long, value_name = "MODEL")]
    pub(crate) model: Option<String>,

    /// The registered configuration of the model
    #[arg(long, value_name = "CONFIG", conflicts_with = "cfg")]
    pub(crate) config: Option<String>,

    /// A cfg file of your own for the model
    #[arg(long, value_name = "FILE", requires = "model")]
    pub(crate) cfg: Option<PathBuf>,

    /// The format of all traces, which is otherwise found out by looking: tlc, tlc-simulation,
    /// tlc-json, tlc-dump, tlc-dot, itf or plumb
    #[arg(long, value_name = "FORMAT")]
    pub(crate) format: Option<Format>,

    /// So many states may agree with a recorded one in which variables are missing, and so many
    /// pairs of states with a lasso; with more, nothing is decided
    #[arg(
        long,
        value_name = "N",
        default_value_t = 10_000,
        value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..)
    )]
    pub(crate) max_candidates: usize,

    /// Write a JUnit report, one test case for each trace
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,

    /// Write one HTML page that shows all behaviours, state by state, and what came of them
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,

    /// Print an annotation for each trace that is not as it should be
    #[arg(long, value_enum, value_name = "FOR")]
    pub(crate) annotations: Option<Annotations>,

    /// Print one JSON object on standard output
    #[arg(long)]
    pub(crate) json: bool,
}
