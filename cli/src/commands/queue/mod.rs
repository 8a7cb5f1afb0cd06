//! `plumb queue`: logs of the QueueCommit protocol, read, explained, and a whole life to watch.

mod arguments;
mod demo;
mod read;
mod show;

use std::io::{self, BufRead, Write};

pub(crate) use arguments::QueueCommand;

use crate::error::CliError;
use crate::exit::Status;
use crate::output;

/// Runs one of the commands.
pub(crate) fn run(command: &QueueCommand) -> Result<Status, CliError> {
    match command {
        QueueCommand::Replay(arguments) => show::replay(arguments),
        QueueCommand::Stats(arguments) => show::stats(arguments),
        QueueCommand::State(arguments) => show::state(arguments),
        QueueCommand::Inspect(arguments) => show::inspect(arguments),
        QueueCommand::Explain(arguments) => show::explain(arguments),
        QueueCommand::Trace(arguments) => show::trace(arguments),
        QueueCommand::Compact(arguments) => compact(arguments),
        QueueCommand::Demo(arguments) => demo::run(arguments),
        QueueCommand::Probe => probe(),
    }
}

/// Writes a log in canonical form. A log that replay refuses is not written.
fn compact(arguments: &arguments::CompactArguments) -> Result<Status, CliError> {
    let source = read::Source::open(&arguments.log)?;
    let log = source.log()?;
    log.replay(|_, _| {})
        .map_err(|error| source.refused(&error))?;
    let text = log.compact().map_err(|error| source.refused(&error))?;
    match &arguments.output {
        Some(path) => output::write_file(path, text.as_bytes())?,
        None => output::print(&text)?,
    }
    Ok(Status::Expected)
}

/// Answers each line of standard input with one of standard output.
fn probe() -> Result<Status, CliError> {
    let mut out = io::stdout().lock();
    for line in io::stdin().lock().split(b'\n') {
        let line = line.map_err(|error| {
            CliError::usage(format!("cannot read standard input: {error}"), None)
        })?;
        let mut answer = plumb_queue::probe::answer(&line);
        answer.push('\n');
        if let Err(error) = out.write_all(answer.as_bytes()).and_then(|()| out.flush()) {
            output::settle(Err(error))?;
            break;
        }
    }
    Ok(Status::Expected)
}
