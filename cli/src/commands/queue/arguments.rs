//! The grammar of `plumb queue`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

#[derive(Debug, Subcommand)]
pub(crate) enum QueueCommand {
    /// Replay a log, and say whether it holds
    Replay(LogArguments),
    /// Count what is in a log, and what the byte envelope leaves
    Stats(LogArguments),
    /// Show the Works and Dispatches of a log
    State(LogArguments),
    /// Show the commits of a log, one line each
    Inspect(LogArguments),
    /// Say why a Work is not running, and what would change that
    Explain(ExplainArguments),
    /// Show what became of a request
    Trace(TraceArguments),
    /// Write a log in canonical form: in order, each commit once
    Compact(CompactArguments),
    /// Watch a whole life of a queue, in memory
    Demo(DemoArguments),
    /// Answer questions, one line of JSON each, on standard input
    Probe,
}

#[derive(Args, Debug)]
pub(crate) struct LogArguments {
    /// The log; - is standard input
    #[arg(value_name = "LOG")]
    pub(crate) log: PathBuf,

    /// Print one JSON object on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct ExplainArguments {
    /// The log; - is standard input
    #[arg(value_name = "LOG")]
    pub(crate) log: PathBuf,

    /// The id of a Work, the beginning of one, or its node key
    #[arg(value_name = "WORK")]
    pub(crate) work: String,

    /// The time, in milliseconds since the epoch of Unix [default: that of the last commit]
    #[arg(long, value_name = "MS")]
    pub(crate) at: Option<u64>,

    /// Print one JSON object on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct TraceArguments {
    /// The log; - is standard input
    #[arg(value_name = "LOG")]
    pub(crate) log: PathBuf,

    /// The id of a request
    #[arg(value_name = "REQUEST")]
    pub(crate) request: String,

    /// Print one JSON object on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct CompactArguments {
    /// The log; - is standard input
    #[arg(value_name = "LOG")]
    pub(crate) log: PathBuf,

    /// Write to this file, which may be the log itself
    #[arg(long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct DemoArguments {
    /// Print the log that comes of it, and nothing else
    #[arg(long)]
    pub(crate) log: bool,
}
