//! `plumb queue demo`: a whole life, each commit as it happens.

use owo_colors::OwoColorize;
use plumb_queue::demo::{Event, demo};
use plumb_queue::wire::Operation;

use super::arguments::DemoArguments;
use crate::error::CliError;
use crate::exit::Status;
use crate::output;

/// Runs the demonstration.
pub(crate) fn run(arguments: &DemoArguments) -> Result<Status, CliError> {
    let mut printed = Ok(());
    let log = demo(&mut |event| {
        if arguments.log || printed.is_err() {
            return;
        }
        printed = output::print(&match event {
            Event::Said(words) => format!("\n{words}\n"),
            Event::Committed(commit) => {
                let said: Vec<String> = commit.operations.iter().map(words).collect();
                let kind = format!("{:<13}", commit.request.kind.as_str());
                let role = commit.actor.role.as_str();
                format!(
                    "  {}  {} by {role:<10}  {}\n",
                    commit.at,
                    kind.bold(),
                    said.join(", ")
                )
            }
        });
    });
    printed?;
    let log =
        log.map_err(|error| CliError::failed(format!("the demonstration failed: {error}"), None))?;
    if arguments.log {
        output::print(&log)?;
    }
    Ok(Status::Expected)
}

/// An operation in a word or two.
fn words(operation: &Operation) -> String {
    match operation {
        Operation::Dispatch(dispatch) => format!("Dispatch {}", dispatch.state),
        operation => operation.kind().to_string(),
    }
}
