//! Plumb's command line as a library: a team's own checker is a registry and one call.
//!
//! ```no_run
//! use std::process::ExitCode;
//!
//! fn main() -> ExitCode {
//!     // Here the models of this repository; a team registers its own:
//!     // `Registry::new().with::<MyModel>().with_specs(EmbeddedSpecs(MY_SPECS))`.
//!     plumb::run(&plumb_models::registry())
//! }
//! ```
//!
//! `examples/own-model` in the repository is such a program. Every command reads configurations
//! from a `specs/` folder: the one that `--specs` names, or else the nearest parent of the working
//! directory that has a `specs/registry.toml`, or else the copy that the registry carries.
//!
//! # Layout
//!
//! * `arguments`: the command line's grammar and its help;
//! * `exit`: what the exit status means;
//! * `commands`: one module for each command;
//! * `workspace`: from a name or a file to a configured model;
//! * `error`: errors that name file, line and column, and what to do;
//! * `page`: behaviours as HTML;
//! * `output`, `progress`, `interrupt`: standard output, the live line, and signals.

mod arguments;
mod commands;
mod error;
pub mod exit;
mod interrupt;
mod output;
mod page;
mod progress;
mod workspace;

use std::ffi::OsString;
use std::panic::AssertUnwindSafe;
use std::process::ExitCode;

use clap::Parser;
use plumb_checker::{Registry, model_panic};

use arguments::{Arguments, Command, ExpectCommand};
use error::CliError;
use exit::Status;

/// Runs the command line of this process over the models of `registry`.
///
/// The exit status is described in [`exit`].
#[must_use]
pub fn run(registry: &Registry) -> ExitCode {
    run_with(registry, std::env::args_os()).into()
}

/// [`run`] with these arguments, the first of which is the program's name.
///
/// ```
/// use plumb::exit::Status;
/// let status = plumb::run_with(&plumb_models::registry(), ["plumb", "show", "NoSuch"]);
/// assert_eq!(status, Status::Usage);
/// ```
pub fn run_with(
    registry: &Registry,
    arguments: impl IntoIterator<Item = impl Into<OsString> + Clone>,
) -> Status {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) if error.use_stderr() => {
            // If standard error cannot be written there is nobody left to tell.
            let _ = error.print();
            return Status::Usage;
        }
        // Help and version.
        Err(help) => return end(output::settle(help.print()).map(|()| Status::Expected)),
    };
    model_panic::install_hook();
    // A defect of Plumb itself ends with the status for "the tool failed", not with Rust's 101.
    let outcome = std::panic::catch_unwind(AssertUnwindSafe(|| dispatch(registry, &arguments)));
    outcome.map_or(Status::Failed, end)
}

/// The status of a command; an error is reported.
fn end(result: Result<Status, CliError>) -> Status {
    result.unwrap_or_else(|error| {
        error.report();
        error.status()
    })
}

fn dispatch(registry: &Registry, arguments: &Arguments) -> Result<Status, CliError> {
    let specs = arguments.specs.as_deref();
    match &arguments.command {
        Command::Check(arguments) => commands::check::run(registry, specs, arguments),
        Command::List(arguments) => commands::list::run(registry, specs, arguments),
        Command::Show(arguments) => commands::show::run(registry, specs, arguments),
        Command::Trace(arguments) => commands::trace::run(registry, specs, arguments),
        Command::Simulate(arguments) => commands::simulate::run(registry, specs, arguments),
        Command::Compare(arguments) => commands::compare::run(registry, specs, arguments),
        Command::Replay(arguments) => commands::replay::run(registry, specs, arguments),
        Command::Explore(arguments) => commands::explore::run(registry, specs, arguments),
        Command::Graph(arguments) => commands::graph::run(registry, specs, arguments),
        Command::Expect(ExpectCommand::Update(arguments)) => {
            commands::expect::run(registry, specs, arguments)
        }
        Command::Evidence(command) => commands::evidence::run(registry, specs, command),
        Command::Queue(command) => commands::queue::run(command),
        Command::Completions(arguments) => commands::completions::run(arguments),
        Command::Man(arguments) => commands::man::run(arguments),
    }
}
