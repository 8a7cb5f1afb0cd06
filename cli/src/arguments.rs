//! The command line's grammar, and its help.

mod evidence;
mod trace;

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use bytesize::ByteSize;
use clap::{Args, Parser, Subcommand, ValueEnum};

pub(crate) use evidence::{
    DiffArguments, EvidenceCommand, ImportArguments, RecordArguments, ReportArguments,
    SignArguments, VerifyArguments,
};
pub(crate) use trace::{
    SimulateArguments, TraceArguments, TraceCommand, TraceDiffArguments, TraceFormat,
};

use crate::commands::annotations::Annotations;

/// Keeps TLA+ models, their Rust twins, traces and evidence in line.
#[derive(Debug, Parser)]
#[command(version, arg_required_else_help = true, max_term_width = 100)]
#[command(after_help = "\
Examples:
  plumb check                          check every registered configuration
  plumb check lifecycle                ... those of one model
  plumb trace BrokenLifecycleSender    show how a negative control fails
  plumb replay                         replay every recorded trace
  plumb compare --graph ClaimScopeSingle   hold the whole state graph against TLC's

Exit status: 0 as expected; 1 something differs or is violated; 2 wrong usage or input;
3 inconclusive; 4 the tool or the machine failed.")]
pub(crate) struct Arguments {
    /// The folder of specifications [default: the nearest `specs` with a registry.toml at or above
    /// the working directory, or else the built-in one]
    #[arg(long, value_name = "DIR", global = true)]
    pub(crate) specs: Option<PathBuf>,

    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Explore configurations and hold the results against their expectations
    #[command(after_help = "\
Examples:
  plumb check                              all but the searches marked as big
  plumb check LifecyclePacked              one configuration
  plumb check 'Broken*' --json             every negative control, for a machine
  plumb check --model lifecycle --cfg my.cfg   a configuration of your own
  plumb check QueueOrdering --checkpoint ck    write down now and then what was found
  plumb check QueueOrdering --resume ck        go on from there
  plumb check --evidence evidence --tlc    record a bundle of evidence for each, with TLC's log
  plumb check ClaimScopeMixed --max-time 2s    stop early; exit status 3")]
    Check(CheckArguments),
    /// List the registered configurations
    #[command(after_help = "\
Examples:
  plumb list
  plumb list claim-scope --json")]
    List(ListArguments),
    /// Explain one configuration: constants, properties in words, expectation and its source
    #[command(after_help = "\
Examples:
  plumb show LifecycleRecurring
  plumb show --model lifecycle --cfg my.cfg")]
    Show(ShowArguments),
    /// Print the counterexample or witness of a configuration, state by state
    #[command(after_help = "\
Examples:
  plumb trace SingleClaimScopeWitness
  plumb trace BrokenLifecycleSender --full     every variable of every state
  plumb trace BrokenLifecycleSender --format html --out sender.html   a page to look at
  plumb trace BrokenLifecycleSender --out sender.jsonl   for `plumb replay` and `plumb trace diff`
  plumb trace BrokenLifecycleSender --as-test --out tests/sender.rs   keep it as a test
  plumb trace diff sender.jsonl other.jsonl    where two recorded traces part")]
    Trace(TraceArguments),
    /// Take random walks through a model, and check its properties on the way
    #[command(after_help = "\
Every way to leave a state is as likely as any other. A walk ends after --depth steps, at rest,
outside the constraint, or with a violation. The same seed gives the same walks, on every machine.
A walk that finds nothing proves nothing: `plumb check` looks at every state.

Examples:
  plumb simulate WorkQueue                     a hundred walks, another hundred each time
  plumb simulate WorkQueue --seed 7 --num 1    one walk, always the same
  plumb simulate FairBatch --depth 32 --num 3 --seed 1 --out walks
  plumb simulate --model lifecycle --cfg my.cfg --json")]
    Simulate(SimulateArguments),
    /// Hold configurations against a real TLC
    #[command(after_help = "\
Needs Java; TLC is the jar that TLA2TOOLS_JAR names, or else TLC 2.15, fetched once with pip.

Examples:
  plumb compare LifecycleRecurring             verdict, counts, depth and trace length
  plumb compare --graph ClaimScopeSingle       also every state and every labelled edge
  plumb compare --graph --model lifecycle --cfg my.cfg")]
    Compare(CompareArguments),
    /// Replay recorded behaviours on their models, step by step
    #[command(after_help = "\
A trace says whose it is, or its folder does: traces/<model>/<configuration>/. Accepted is what
begins in an initial state, takes enabled actions, and ends in the violation that it was recorded
for. If the folder's `manifest` lists the sources that recordings were made of, one whose sources
have changed since is stale, which is status 1.

Examples:
  plumb replay                         every trace of the repository
  plumb replay traces/lifecycle        ... of one model
  plumb replay traces/lifecycle --report page.html      a page to look at
  plumb replay log.itf.json --config LifecyclePacked    could the model have done this?
  plumb replay tlc.txt --model lifecycle --cfg my.cfg   a configuration of your own

Exit status: 0 all are accepted; 1 a step is refused, something is violated before the end, or a
recording is stale; 2 a trace cannot be read, or there is none; 3 undecided, for too many states
agree; 4 the tool failed.")]
    Replay(crate::commands::replay::ReplayArguments),
    /// Audit, sign and report bundles of evidence
    #[command(subcommand)]
    #[command(after_help = "\
A bundle says what was checked, with which sources and tools, and what came of it, so that somebody
who was not there can tell. `plumb check --evidence` records them.

Examples:
  plumb check --evidence evidence      record a bundle for each configuration
  plumb evidence verify                audit those of the repository")]
    Evidence(EvidenceCommand),
    /// Click through a model's states in a browser, with stateright's Explorer
    #[command(after_help = "\
Serves on 127.0.0.1 only, until interrupted.

Examples:
  plumb explore ClaimScopeSingle
  plumb explore ClaimScopeSingle --port 3000")]
    Explore(ExploreArguments),
    /// Draw the state graph of a small configuration
    #[command(after_help = "\
Examples:
  plumb graph ClaimScopeSingle | dot -Tsvg > graph.svg
  plumb graph LifecycleRecurring --max-states 500")]
    Graph(GraphArguments),
    /// Change what the registry expects of a configuration
    #[command(subcommand)]
    Expect(ExpectCommand),
    /// Read and explain the log of a work queue
    #[command(subcommand)]
    #[command(after_help = "\
Examples:
  plumb queue demo                     watch a whole life of a queue
  plumb queue demo --log | plumb queue stats -
  plumb queue explain work-queue.jsonl build    why is it not running?")]
    Queue(crate::commands::queue::QueueCommand),
    /// Print the completions of a shell
    #[command(after_help = "\
Examples:
  plumb completions bash > ~/.local/share/bash-completion/completions/plumb
  plumb completions fish > ~/.config/fish/completions/plumb.fish")]
    Completions(CompletionsArguments),
    /// Write the manual pages
    #[command(after_help = "\
Examples:
  plumb man                 print the page of plumb itself
  plumb man --out man1      write the page of every command to a folder")]
    Man(ManArguments),
}

#[derive(Args, Debug)]
pub(crate) struct ExploreArguments {
    #[command(flatten)]
    pub(crate) choice: SingleChoice,

    /// The port to listen on; 0 takes any that is free
    #[arg(long, value_name = "PORT", default_value_t = 0)]
    pub(crate) port: u16,
}

#[derive(Args, Debug)]
pub(crate) struct GraphArguments {
    #[command(flatten)]
    pub(crate) choice: SingleChoice,

    /// The language to write it in
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: GraphFormat,

    /// Refuse graphs with more states than this: nobody can look at them
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub(crate) max_states: usize,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum GraphFormat {
    /// Graphviz
    #[default]
    Dot,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ExpectCommand {
    /// Explore a configuration anew and write what was found into the registry
    #[command(after_help = "\
An expectation says what a check must find; it is changed only where the model was meant to change,
and the reason is kept beside it.

Example:
  plumb expect update LifecyclePacked --reason 'Release now resets the phase'")]
    Update(ExpectUpdateArguments),
}

#[derive(Args, Debug)]
pub(crate) struct ExpectUpdateArguments {
    /// The name of a registered configuration
    #[arg(value_name = "CONFIG")]
    pub(crate) name: String,

    /// Why the figures change
    #[arg(long, value_name = "TEXT", value_parser = clap::builder::NonEmptyStringValueParser::new())]
    pub(crate) reason: String,

    /// Show what would change, and write nothing
    #[arg(long)]
    pub(crate) dry_run: bool,

    #[command(flatten)]
    pub(crate) search: SearchArguments,
}

#[derive(Args, Debug)]
pub(crate) struct CompletionsArguments {
    /// The shell
    #[arg(value_enum)]
    pub(crate) shell: clap_complete::Shell,
}

#[derive(Args, Debug)]
pub(crate) struct ManArguments {
    /// The folder to write all pages to
    #[arg(long, value_name = "DIR")]
    pub(crate) out: Option<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct CheckArguments {
    #[command(flatten)]
    pub(crate) choice: Choice,

    #[command(flatten)]
    pub(crate) search: SearchArguments,

    #[command(flatten)]
    pub(crate) checkpoint: CheckpointArguments,

    #[command(flatten)]
    pub(crate) record: RecordArguments,

    /// The explorer to use
    #[arg(long, value_enum, default_value_t)]
    pub(crate) engine: Engine,

    /// Write a JUnit report, one test case for each configuration
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,

    /// Print one JSON object on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct ListArguments {
    /// Names of configurations, names of models, or globs over names of configurations
    #[arg(value_name = "FILTER")]
    pub(crate) filters: Vec<String>,

    /// Print one JSON object on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct ShowArguments {
    #[command(flatten)]
    pub(crate) choice: SingleChoice,

    /// Print one JSON object on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct CompareArguments {
    #[command(flatten)]
    pub(crate) choice: Choice,

    /// Compare the whole labelled state graphs, for searches that are exhausted
    #[arg(long)]
    pub(crate) graph: bool,

    /// Worker threads of Plumb's search [default: all cores]; TLC always runs with one
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    pub(crate) threads: Option<NonZeroUsize>,

    /// Write a JUnit report, one test case for each configuration
    #[arg(long, value_name = "FILE")]
    pub(crate) junit: Option<PathBuf>,

    /// Print an annotation for each configuration that is not as it should be
    #[arg(long, value_enum, value_name = "FOR")]
    pub(crate) annotations: Option<Annotations>,

    /// Print one JSON object on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

/// Registered configurations, or one of the user's own.
#[derive(Args, Debug)]
pub(crate) struct Choice {
    /// Names of configurations, names of models, or globs over names of configurations
    #[arg(value_name = "FILTER", conflicts_with_all = ["model", "cfg"])]
    pub(crate) filters: Vec<String>,

    /// The model that a cfg file of your own configures
    #[arg(long, value_name = "MODEL", requires = "cfg")]
    pub(crate) model: Option<String>,

    /// A cfg file of your own
    #[arg(long, value_name = "FILE", requires = "model")]
    pub(crate) cfg: Option<PathBuf>,
}

/// One registered configuration, or one of the user's own.
#[derive(Args, Debug)]
pub(crate) struct SingleChoice {
    /// The name of a registered configuration
    #[arg(
        value_name = "CONFIG",
        conflicts_with_all = ["model", "cfg"],
        required_unless_present_all = ["model", "cfg"]
    )]
    pub(crate) name: Option<String>,

    /// The model that a cfg file of your own configures
    #[arg(long, value_name = "MODEL", requires = "cfg")]
    pub(crate) model: Option<String>,

    /// A cfg file of your own
    #[arg(long, value_name = "FILE", requires = "model")]
    pub(crate) cfg: Option<PathBuf>,
}

#[derive(Args, Debug)]
#[command(group = clap::ArgGroup::new("checkpoint_folder").args(["checkpoint", "resume"]))]
pub(crate) struct CheckpointArguments {
    /// Write checkpoints of a new search to this folder, at the ends of levels
    #[arg(long, value_name = "DIR", conflicts_with = "resume")]
    pub(crate) checkpoint: Option<PathBuf>,

    /// Go on from the checkpoint in this folder, and add to it
    #[arg(long, value_name = "DIR")]
    pub(crate) resume: Option<PathBuf>,

    /// Time between two checkpoints at least [default: 60s]
    #[arg(long, value_name = "TIME", value_parser = parse_time, requires = "checkpoint_folder")]
    pub(crate) checkpoint_every: Option<Duration>,
}

#[derive(Args, Debug)]
pub(crate) struct SearchArguments {
    /// Worker threads [default: all cores]; no result depends on it
    #[arg(long, value_name = "N", value_parser = parse_threads)]
    pub(crate) threads: Option<NonZeroUsize>,

    /// Stop each search at the first level boundary with this many distinct states
    #[arg(long, value_name = "N", value_parser = parse_states)]
    pub(crate) max_states: Option<u64>,

    /// Stop each search after this time: `30s`, `10m`, `1h 30m`, or a number of seconds
    #[arg(long, value_name = "TIME", value_parser = parse_time)]
    pub(crate) max_time: Option<Duration>,

    /// Stop each search when its states take more memory than this: `512MiB`, `2GiB`. Levels
    /// that are done with go to disk before that
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub(crate) memory: Option<ByteSize>,

    /// Keep at most so much of the levels in memory, whose states are done with or waiting: what
    /// is beyond goes to a temporary file [default: 256MiB, or a quarter of --memory]
    #[arg(long, value_name = "SIZE", value_parser = parse_size)]
    pub(crate) level_memory: Option<ByteSize>,

    /// The folder for temporary files [default: the system's]
    #[arg(long, value_name = "DIR")]
    pub(crate) temporary: Option<PathBuf>,

    /// Report states without any successor, even if the cfg does not ask for it
    #[arg(long)]
    pub(crate) deadlock: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Engine {
    /// Plumb's own: exact, deterministic, checks everything
    #[default]
    Plumb,
    /// stateright's breadth-first checker, as a second opinion on the counts
    Stateright,
}

/// More threads than this help nobody and may take down the machine.
const MOST_THREADS: usize = 1024;

fn parse_threads(text: &str) -> Result<NonZeroUsize, String> {
    let number: Option<NonZeroUsize> = text.parse().ok();
    number
        .filter(|number| number.get() <= MOST_THREADS)
        .ok_or_else(|| format!("expected a number of threads from 1 to {MOST_THREADS}"))
}

fn parse_states(text: &str) -> Result<u64, String> {
    let number = text.parse();
    number.map_err(|_| "expected a number of states".to_owned())
}

fn parse_size(text: &str) -> Result<ByteSize, String> {
    text.parse()
        .map_err(|_| "expected a size such as `512MiB` or `2GiB`, or a number of bytes".to_owned())
}

pub(crate) fn parse_time(text: &str) -> Result<Duration, String> {
    if let Ok(seconds) = text.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds)
            .map_err(|_| "expected a number of seconds from 0 on".to_owned());
    }
    let span: jiff::SignedDuration = text.parse().map_err(|_| {
        "expected a time such as `30s`, `10m`, `1h 30m`, or a number of seconds".to_owned()
    })?;
    Duration::try_from(span).map_err(|_| "a time cannot be negative".to_owned())
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_grammar_is_coherent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn thread_counts_are_positive_and_sane() {
        for right in ["1", "2", "1024"] {
            assert!(parse_threads(right).is_ok(), "{right:?}");
        }
        for wrong in [
            "0",
            "-1",
            "1025",
            "100000",
            "99999999999999999999",
            "",
            "two",
            "1.5",
        ] {
            assert!(parse_threads(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn sizes_are_bytes_or_units() {
        let bytes = |text| parse_size(text).map(|size| size.as_u64());
        assert_eq!(bytes("4096"), Ok(4096));
        assert_eq!(bytes("1MiB"), Ok(1 << 20));
        assert_eq!(bytes("2 GiB"), Ok(2 << 30));
        for wrong in ["", "lots", "-1", "1 boatload"] {
            assert!(parse_size(wrong).is_err(), "{wrong:?}");
        }
    }

    #[test]
    fn times_are_seconds_or_units() {
        let seconds = |text| parse_time(text).map(|time| time.as_secs_f64());
        assert_eq!(seconds("2"), Ok(2.0));
        assert_eq!(seconds("0.5"), Ok(0.5));
        assert_eq!(seconds("30s"), Ok(30.0));
        assert_eq!(seconds("1h 30m"), Ok(5400.0));
        for wrong in ["", "-1", "-2s", "soon", "1 fortnight", "NaN", "1e300"] {
            assert!(parse_time(wrong).is_err(), "{wrong:?}");
        }
    }
}
