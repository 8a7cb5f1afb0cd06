//! The grammar of `plumb trace` and `plumb simulate`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum};

use super::{SearchArguments, SingleChoice};

#[derive(Args, Debug)]
#[command(
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true,
    disable_help_subcommand = true
)]
pub(crate) struct TraceArguments {
    #[command(subcommand)]
    pub(crate) command: Option<TraceCommand>,

    #[command(flatten)]
    pub(crate) choice: SingleChoice,

    #[command(flatten)]
    pub(crate) search: SearchArguments,

    /// The form to write it in [default: text, or plumb with --out]
    #[arg(long, value_enum)]
    pub(crate) format: Option<TraceFormat>,

    /// Write it to this file, whole or not at all, and not to standard output
    #[arg(long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,

    /// Print every variable of every state, not only what changed
    #[arg(long)]
    pub(crate) full: bool,

    /// Write a Rust test that holds as long as the model behaves so
    #[arg(long, conflicts_with_all = ["format", "full"])]
    pub(crate) as_test: bool,

    /// The function that returns the registry, in the test [default: the one named `registry` in
    /// the crate that has the model]
    #[arg(long, value_name = "PATH", requires = "as_test", value_parser = parse_path)]
    pub(crate) registry: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum TraceCommand {
    /// Find where two recorded traces part
    #[command(after_help = "\
Reads every format that `plumb replay` reads. Exit status: 0 if they tell the same, 1 if they part,
2 if one cannot be read.

Examples:
  plumb trace diff before.jsonl after.jsonl
  plumb trace diff plumb.itf.json tlc.out --json")]
    Diff(TraceDiffArguments),
}

#[derive(Args, Debug)]
pub(crate) struct TraceDiffArguments {
    /// A recorded trace
    #[arg(value_name = "A")]
    pub(crate) first: PathBuf,

    /// Another one
    #[arg(value_name = "B")]
    pub(crate) second: PathBuf,

    /// Print one JSON object on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum TraceFormat {
    /// Numbered states in TLA+ notation
    Text,
    /// One JSON object
    Json,
    /// A page to look at, complete in itself
    Html,
    /// Plumb's own format, which `plumb replay` reads
    Plumb,
    /// The Informal Trace Format, which Apalache and Quint read
    Itf,
    /// As TLC prints it
    Tlc,
}

#[derive(Args, Debug)]
pub(crate) struct SimulateArguments {
    #[command(flatten)]
    pub(crate) choice: SingleChoice,

    /// End each walk after this many steps
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = parse_depth)]
    pub(crate) depth: usize,

    /// Take this many walks; the first violation ends them
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) num: u64,

    /// The seed of the first walk; each one after it has the next number [default: chance]
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,

    /// Write each walk to a file of its own in this folder, named after configuration and seed
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,

    /// Report states without any successor, even if the cfg does not ask for it
    #[arg(long)]
    pub(crate) deadlock: bool,

    /// Print one JSON object on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

/// A walk is kept in memory as a whole.
const DEEPEST: usize = 1_000_000;

fn parse_depth(text: &str) -> Result<usize, String> {
    let number: Option<usize> = text.parse().ok();
    number
        .filter(|number| (1..=DEEPEST).contains(number))
        .ok_or_else(|| format!("expected a number of steps from 1 to {DEEPEST}"))
}

/// A path of Rust: it becomes part of a program.
fn parse_path(text: &str) -> Result<String, String> {
    let name = |part: &str| {
        let mut letters = part.chars();
        letters
            .next()
            .is_some_and(|first| first.is_alphabetic() || first == '_')
            && letters.all(|letter| letter.is_alphanumeric() || letter == '_')
    };
    let path = text.strip_prefix("::").unwrap_or(text);
    if path.split("::").all(name) {
        Ok(text.to_owned())
    } else {
        Err("expected the path of a function, such as `crate::registry`".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_of_a_registry_is_a_path_and_nothing_else() {
        for right in ["registry", "crate::registry", "::my_crate::models::all"] {
            assert_eq!(parse_path(right).as_deref(), Ok(right));
        }
        for wrong in ["", "::", "a b", "a::", "1a", "a();b", "a::{b}"] {
            assert!(parse_path(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn a_walk_has_a_step_and_not_too_many() {
        assert_eq!(parse_depth("1"), Ok(1));
        for wrong in ["0", "-1", "1000001", "deep", ""] {
            assert!(parse_depth(wrong).is_err(), "{wrong:?}");
        }
    }
}
