//! `plumb evidence` and the evidence of `plumb check`.

use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};

use super::parse_time;

#[derive(Args, Debug)]
pub(crate) struct RecordArguments {
    /// Record a bundle of evidence for each configuration in this folder
    #[arg(long, value_name = "DIR")]
    pub(crate) evidence: Option<PathBuf>,

    /// Also run TLC on the bundle's copies, and keep what it prints
    #[arg(long, requires = "evidence")]
    pub(crate) tlc: bool,

    /// Give up on TLC after this time, and record the bundle without it
    #[arg(
        long,
        value_name = "TIME",
        value_parser = parse_time,
        default_value = "10m",
        requires = "tlc"
    )]
    pub(crate) tlc_max_time: Duration,
}

#[derive(Debug, Subcommand)]
pub(crate) enum EvidenceCommand {
    /// Audit bundles: offline, without TLC or Java
    #[command(after_help = "\
Of each claim the audit says whether it was recomputed here, cross-checked with TLC's log, or is
only asserted by the bundle.

Examples:
  plumb evidence verify                     the repository's bundles
  plumb evidence verify evidence --repeat=2s   ... and run again what ends within two seconds
  plumb evidence verify bundle --claims     one bundle, and how each claim is known
  plumb evidence verify --public-key ci.pub.pem --json

Exit status: 0 all are valid; 1 a bundle is stale or invalid, or one is missing; 2 there is no
evidence; 3 a search did not come to its end, or --repeat was interrupted.")]
    Verify(VerifyArguments),
    /// Write the page that a reviewer reads
    #[command(after_help = "\
For people who were not there and do not know TLA+: what is claimed, within which bounds, what was
not checked, and how each claim is known. The page is complete in itself and needs no network.

Examples:
  plumb evidence report                             a summary in Markdown
  plumb evidence report evidence --html report.html
  plumb evidence report --repeat=10s --html report.html   ... with what can be run again in ten seconds

Exit status: as for `plumb evidence verify`.")]
    Report(ReportArguments),
    /// What changed in meaning between two folders of evidence
    #[command(after_help = "\
Compares results: verdicts, bounds, counts, traces, and what they are of. Times, tools and machines
are no part of them.

Examples:
  plumb evidence diff before/evidence evidence
  plumb evidence diff old/service/ServiceDynamic evidence/service/ServiceDynamic --json

Exit status: 0 nothing differs; 1 something does; 2 a result cannot be read.")]
    Diff(DiffArguments),
    /// Make a bundle of a run of TLC that Plumb did not start
    #[command(after_help = "\
The configuration is the registered one that the cfg is named after. The result is marked as TLC's;
an audit replays its counterexample, and can confirm nothing else.

Example:
  plumb evidence import-tlc tlc.txt --module QueueService.tla --cfg ServiceDynamic.cfg \\
      --jar tla2tools.jar --evidence evidence")]
    #[command(
        override_usage = "plumb evidence import-tlc LOG --module FILE --cfg FILE --jar FILE --evidence DIR"
    )]
    ImportTlc(ImportArguments),
    /// Sign bundles with an Ed25519 key
    #[command(after_help = "\
The signature is over manifest.json, which lists every other file, and lies beside it as a DSSE
envelope. Signatures of other keys are kept.

Examples:
  openssl genpkey -algorithm ed25519 -out key.pem
  openssl pkey -in key.pem -pubout -out key.pub.pem
  plumb evidence sign evidence --key key.pem
  plumb evidence verify evidence --public-key key.pub.pem")]
    Sign(SignArguments),
}

#[derive(Args, Debug)]
pub(crate) struct VerifyArguments {
    /// The folder of all bundles, of a model, or one bundle [default: `evidence` beside the specifications]
    #[arg(value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,

    /// Run the checks again and compare the results, byte for byte; with a time, those that come to
    /// their end within it
    #[arg(long, value_name = "TIME", value_parser = parse_time, num_args = 0..=1, require_equals = true)]
    pub(crate) repeat: Option<Option<Duration>>,

    /// Stale bundles are no fault
    #[arg(long)]
    pub(crate) allow_stale: bool,

    /// A public key whose signature counts: then every bundle has to be signed by one of them
    #[arg(long, value_name = "FILE")]
    pub(crate) public_key: Vec<PathBuf>,

    /// Say how each claim is known
    #[arg(long)]
    pub(crate) claims: bool,

    /// Print one JSON object on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct SignArguments {
    /// The folder of all bundles, of a model, or one bundle [default: `evidence` beside the specifications]
    #[arg(value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,

    /// The private key: PKCS#8 in PEM, as openssl writes it
    #[arg(long, value_name = "FILE")]
    pub(crate) key: PathBuf,
}

#[derive(Args, Debug)]
pub(crate) struct DiffArguments {
    /// The folder of all bundles as it was, or one bundle
    #[arg(value_name = "OLD")]
    pub(crate) old: PathBuf,

    /// The folder of all bundles as it is, or one bundle
    #[arg(value_name = "NEW")]
    pub(crate) new: PathBuf,

    /// Print one JSON object on standard output
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Args, Debug)]
pub(crate) struct ReportArguments {
    /// The folder of all bundles, of a model, or one bundle [default: `evidence` beside the specifications]
    #[arg(value_name = "DIR")]
    pub(crate) folder: Option<PathBuf>,

    /// Write the page to this file; its links to sources and traces are relative to it
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,

    /// Write the summary in Markdown to this file [default: standard output, if no page is asked for]
    #[arg(long, value_name = "FILE")]
    pub(crate) markdown: Option<PathBuf>,

    /// Run the checks again before, so that verdicts are recomputed; with a time, those that come to
    /// their end within it
    #[arg(long, value_name = "TIME", value_parser = parse_time, num_args = 0..=1, require_equals = true)]
    pub(crate) repeat: Option<Option<Duration>>,

    /// A public key whose signature counts: then every bundle has to be signed by one of them
    #[arg(long, value_name = "FILE")]
    pub(crate) public_key: Vec<PathBuf>,
}

#[derive(Args, Debug)]
pub(crate) struct ImportArguments {
    /// What TLC printed on standard output
    #[arg(value_name = "LOG")]
    pub(crate) log: PathBuf,

    /// The module that it read
    #[arg(long, value_name = "FILE")]
    pub(crate) module: PathBuf,

    /// The cfg that it read
    #[arg(long, value_name = "FILE")]
    pub(crate) cfg: PathBuf,

    /// The jar that it ran from
    #[arg(long, value_name = "FILE")]
    pub(crate) jar: PathBuf,

    /// The folder of all bundles
    #[arg(long, value_name = "DIR")]
    pub(crate) evidence: PathBuf,

    /// Its exit status [default: 0 if it says that no error was found, and otherwise unknown]
    #[arg(long, value_name = "N")]
    pub(crate) exit: Option<i32>,
}
