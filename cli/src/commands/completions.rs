//! `plumb completions`: what a shell needs to complete the command line.

use clap::CommandFactory;

use crate::arguments::{Arguments, CompletionsArguments};
use crate::error::CliError;
use crate::exit::Status;
use crate::output;

/// Prints the completions of a shell.
pub(crate) fn run(arguments: &CompletionsArguments) -> Result<Status, CliError> {
    let mut script = Vec::new();
    let mut command = Arguments::command();
    let name = command.get_name().to_owned();
    clap_complete::generate(arguments.shell, &mut command, name, &mut script);
    output::print(&String::from_utf8_lossy(&script))?;
    Ok(Status::Expected)
}
