//! Running TLC: by the repository's own script, in a private temporary folder.

mod process;
mod program;

use std::fs::{self, File};
use std::io;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::Duration;

use plumb_checker::StopReason;
use plumb_tla::tlc::{TlcOutputError, TlcReport, TlcVerdict, read_report};
use tempfile::TempDir;

use process::{Ended, Line, Output};
pub use program::{TlcProgram, program};

/// The script that gets, checks and runs TLC; built in, so that an installed program needs no
/// checkout of the repository.
const SCRIPT: &str = include_str!("../../../../scripts/tlc");

/// The script's exit status for "TLC cannot be had or run here".
const UNAVAILABLE: i32 = 4;

/// The files that TLC gets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sources {
    /// The module's name.
    pub module: String,
    /// The text of the module.
    pub text: String,
    /// The text of the configuration.
    pub cfg: String,
    /// Other modules that the module extends or instantiates: names and texts. TLC brings its
    /// standard modules itself.
    pub others: Vec<(String, String)>,
}

/// How TLC runs.
#[derive(Clone, Copy, Debug, Default)]
pub struct TlcOptions {
    /// Dump the state graph.
    pub graph: bool,
    /// Give up after this time.
    pub max_time: Option<Duration>,
}

/// What a run of TLC produced.
#[derive(Debug)]
pub struct TlcRun {
    /// What its output says.
    pub report: TlcReport,
    /// All that it printed on standard output.
    pub log: String,
    /// How long it took, the start of its Java machine included.
    pub elapsed: Duration,
    graph: Option<PathBuf>,
    /// Holds the dumped graph, and goes away with it.
    _folder: TempDir,
}

impl TlcRun {
    /// The dumped state graph, if one was asked for and TLC wrote it.
    ///
    /// # Errors
    ///
    /// There is none, or it cannot be read.
    pub fn open_graph(&self) -> Result<File, TlcError> {
        let missing = || io::Error::new(io::ErrorKind::NotFound, "no graph was asked for");
        let path = self.graph.as_ref().ok_or_else(missing);
        path.and_then(File::open).map_err(|error| TlcError::Io {
            what: "open the state graph that TLC dumped",
            error,
        })
    }
}

/// Why TLC gave no verdict.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TlcError {
    /// TLC cannot be had or run on this machine.
    #[error("{0}")]
    Unavailable(String),
    /// TLC refused the module or the configuration.
    #[error("TLC refused its input: {message}")]
    Refused {
        /// What it says.
        message: String,
        /// All that it printed.
        log: String,
    },
    /// TLC failed, or ended without a verdict.
    #[error("TLC failed ({}): {message}", status(*.exit))]
    Crashed {
        /// Its exit status; none if it was killed.
        exit: Option<i32>,
        /// What it says.
        message: String,
        /// All that it printed.
        log: String,
    },
    /// TLC's output is not what a TLC is known to print.
    #[error("the output of TLC cannot be read: {error}")]
    Unreadable {
        /// What could not be read.
        #[source]
        error: TlcOutputError,
        /// All that it printed.
        log: String,
    },
    /// The state graph that TLC dumped is not what a TLC is known to dump.
    #[error("the state graph that TLC dumped cannot be read: {0}")]
    UnreadableGraph(String),
    /// TLC was ended before it was done.
    #[error("TLC: {0}")]
    Stopped(StopReason),
    /// A module's name is no name, so that it cannot become a file's.
    #[error("{0:?} is not the name of a module")]
    ModuleName(String),
    /// Something with the files or the process.
    #[error("cannot {what}: {error}")]
    Io {
        /// What was tried.
        what: &'static str,
        /// The system's reason.
        #[source]
        error: io::Error,
    },
}

fn status(exit: Option<i32>) -> String {
    exit.map_or_else(
        || "killed".to_owned(),
        |status| format!("exit status {status}"),
    )
}

/// Runs TLC on `sources` and reads what it prints.
///
/// `watch` gets each line as it comes; where `stop` begins to return true, TLC and its Java
/// machine are ended.
///
/// # Errors
///
/// TLC cannot be run, was stopped, or came to no verdict. A violation is a verdict.
pub fn run(
    sources: &Sources,
    options: &TlcOptions,
    watch: &mut dyn FnMut(&str),
    stop: &dyn Fn() -> bool,
) -> Result<TlcRun, TlcError> {
    let folder = write_files(sources)?;
    let mut command = Command::new("bash");
    command.arg("tlc");
    if options.graph {
        // TLC adds ".dot".
        command.args(["-dump", "dot,actionlabels", "graph"]);
    }
    command
        .arg("-config")
        .arg(format!("{}.cfg", sources.module))
        .arg(format!("{}.tla", sources.module))
        .current_dir(folder.path())
        .stdin(Stdio::null());
    let Output {
        ended,
        stdout,
        stderr,
        elapsed,
    } = process::run(
        command,
        options.max_time,
        &mut |line| match line {
            Line::Out(text) | Line::Note(text) => watch(text),
        },
        stop,
    )
    .map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => TlcError::Unavailable(
            "TLC is run by a bash script, and there is no bash on the PATH".to_owned(),
        ),
        _ => io_error("run TLC")(error),
    })?;
    let exit = match ended {
        Ended::Exit(exit) => exit,
        Ended::Stopped => return Err(TlcError::Stopped(StopReason::Interrupted)),
        Ended::OutOfTime(limit) => return Err(TlcError::Stopped(StopReason::Time(limit))),
    };
    let (report, log) = judge(exit, stdout, &stderr)?;
    Ok(TlcRun {
        report,
        log,
        elapsed,
        graph: options.graph.then(|| folder.path().join("graph.dot")),
        _folder: folder,
    })
}

/// Makes a verdict, or an error, of what one run left behind.
fn judge(exit: Option<i32>, stdout: String, stderr: &str) -> Result<(TlcReport, String), TlcError> {
    if exit == Some(UNAVAILABLE) {
        return Err(TlcError::Unavailable(reason(stderr)));
    }
    let report = match read_report(stdout.as_bytes(), exit) {
        Ok(report) => report,
        Err(error) => return Err(TlcError::Unreadable { error, log: stdout }),
    };
    let crashed = |message: &str, log| TlcError::Crashed {
        exit,
        message: message.trim().to_owned(),
        log,
    };
    if report.version.is_none() {
        // TLC names itself before anything else: this was the script or Java.
        let message = match (stderr.trim(), stdout.trim()) {
            ("", "") => "it printed nothing",
            ("", said) | (said, _) => said,
        }
        .to_owned();
        return Err(crashed(&message, stdout));
    }
    match &report.verdict {
        TlcVerdict::Success | TlcVerdict::Violated { .. } | TlcVerdict::Assumption { .. } => {
            Ok((report, stdout))
        }
        TlcVerdict::Usage { message } => Err(TlcError::Refused {
            message: message.trim().to_owned(),
            log: stdout,
        }),
        TlcVerdict::Error { message } => Err(crashed(message, stdout)),
        TlcVerdict::Unfinished if stderr.trim().is_empty() => {
            Err(crashed("it ended without a verdict", stdout))
        }
        TlcVerdict::Unfinished => Err(crashed(stderr, stdout)),
    }
}

fn io_error(what: &'static str) -> impl Fn(io::Error) -> TlcError {
    move |error| TlcError::Io { what, error }
}

/// Writes script, modules and configuration into a folder that nobody else can read.
fn write_files(sources: &Sources) -> Result<TempDir, TlcError> {
    let names = sources.others.iter().map(|(name, _)| name);
    for name in names.chain([&sources.module]) {
        // It becomes a file's name: one that leaves the folder must not be followed.
        let starts = name.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_');
        if !starts || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
            return Err(TlcError::ModuleName(name.clone()));
        }
    }
    let folder = tempfile::Builder::new()
        .prefix("plumb-compare.")
        .tempdir()
        .map_err(io_error("make a temporary folder"))?;
    let write = |name: String, text: &str| fs::write(folder.path().join(name), text);
    let written = sources
        .others
        .iter()
        .try_for_each(|(name, text)| write(format!("{name}.tla"), text))
        .and_then(|()| write(format!("{}.tla", sources.module), &sources.text))
        .and_then(|()| write(format!("{}.cfg", sources.module), &sources.cfg))
        .and_then(|()| write("tlc".to_owned(), SCRIPT));
    written.map_err(io_error("write to the temporary folder"))?;
    Ok(folder)
}

/// The script's sentence about why TLC is not available: its last one.
fn reason(stderr: &str) -> String {
    let sentence = stderr
        .lines()
        .rev()
        .find_map(|line| line.strip_prefix("tlc: "));
    sentence.map_or_else(
        || "TLC cannot be run on this machine".to_owned(),
        str::to_owned,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const VERSION: &str = "TLC2 Version 2.15 of Day Month 20??\n";

    fn judged(exit: i32, stdout: &str, stderr: &str) -> Result<TlcReport, String> {
        let judged = judge(Some(exit), stdout.to_owned(), stderr);
        judged
            .map(|(report, _)| report)
            .map_err(|error| error.to_string())
    }

    #[test]
    fn the_script_says_why_tlc_is_not_available() {
        let notes = "tlc: fetching TLC once\npip: no network\ntlc: pip could not download it\n";
        let error = judge(Some(4), String::new(), notes).unwrap_err();
        assert!(
            matches!(&error, TlcError::Unavailable(reason) if reason == "pip could not download it")
        );
    }

    #[test]
    fn a_run_in_which_tlc_never_spoke_is_a_crash() {
        let heap = "Error: Could not create the Java Virtual Machine.";
        assert_eq!(
            judged(1, "", heap),
            Err(format!("TLC failed (exit status 1): {heap}"))
        );
        assert!(judged(0, "", "").is_err(), "nothing is no success");
        assert!(judged(12, "Error: Invariant X is violated.\n", "").is_err());
    }

    #[test]
    fn success_needs_the_status_the_message_and_an_empty_queue() {
        let done = "Model checking completed. No error has been found.\n";
        let empty = "3 states generated, 2 distinct states found, 0 states left on queue.\n";
        let whole = format!("{VERSION}{done}{empty}");
        assert_eq!(judged(0, &whole, "").unwrap().verdict, TlcVerdict::Success);
        assert!(judged(143, &whole, "").is_err());
        assert!(judged(0, &format!("{VERSION}{done}"), "").is_err());
        assert!(judged(0, &format!("{VERSION}{empty}"), "").is_err());
    }

    #[test]
    fn refusal_and_failure_are_told_apart() {
        let refused = format!("{VERSION}Error: The configuration file has a fault.\n");
        assert!(
            judged(151, &refused, "")
                .unwrap_err()
                .starts_with("TLC refused its input: ")
        );
        let failed = format!("{VERSION}Error: Evaluating invariant X failed.\n");
        assert!(
            judged(76, &failed, "")
                .unwrap_err()
                .starts_with("TLC failed (exit status 76): ")
        );
    }

    #[test]
    fn the_name_of_a_module_stays_in_the_folder() {
        for name in ["", "../Evil", "a/b", "-config", ".hidden", "Spaced Out"] {
            let sources = Sources {
                module: name.to_owned(),
                ..Sources::default()
            };
            assert!(
                matches!(write_files(&sources), Err(TlcError::ModuleName(_))),
                "{name:?}"
            );
        }
        let sources = Sources {
            module: "_My_Module2".to_owned(),
            others: vec![("Other".to_owned(), "text".to_owned())],
            ..Sources::default()
        };
        let folder = write_files(&sources).unwrap();
        let mut names: Vec<_> = fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        assert_eq!(
            names,
            ["Other.tla", "_My_Module2.cfg", "_My_Module2.tla", "tlc"]
        );
    }
}
