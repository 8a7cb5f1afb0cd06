//! `plumb man`: the manual pages, from the same source as the help.

use std::path::Path;

use clap::CommandFactory;
use clap_mangen::Man;

use crate::arguments::{Arguments, ManArguments};
use crate::error::CliError;
use crate::exit::Status;
use crate::output;

/// Prints the page of the program, or writes the pages of all commands to a folder.
pub(crate) fn run(arguments: &ManArguments) -> Result<Status, CliError> {
    let mut command = Arguments::command();
    command.build();
    match &arguments.out {
        None => output::print(&String::from_utf8_lossy(&page(command)?))?,
        Some(folder) => {
            std::fs::create_dir_all(folder)
                .map_err(|error| CliError::unwritable(folder, &error))?;
            write_pages(command, folder)?;
        }
    }
    Ok(Status::Expected)
}

fn write_pages(command: clap::Command, folder: &Path) -> Result<(), CliError> {
    let mut open = vec![command];
    while let Some(command) = open.pop() {
        let subcommands = command
            .get_subcommands()
            .filter(|sub| sub.get_name() != "help");
        open.extend(subcommands.cloned());
        // The display name of a subcommand carries the names above it: plumb-expect-update.
        let name = command
            .get_display_name()
            .unwrap_or(command.get_name())
            .to_owned();
        output::write_file(&folder.join(format!("{name}.1")), &page(command)?)?;
    }
    Ok(())
}

fn page(command: clap::Command) -> Result<Vec<u8>, CliError> {
    let mut page = Vec::new();
    Man::new(command)
        .render(&mut page)
        .map_err(|error| CliError::output(&error))?;
    Ok(page)
}
