//! `plumb evidence`: bundles that a stranger can audit.

mod diff;
mod import;
mod machine;
mod record;
mod repetition;
mod report;
mod sign;
mod verify;

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

use plumb_attest::folder::LARGEST_FILE;
use plumb_checker::Registry;
use plumb_sources::Sources;

pub(crate) use record::{Recorded, Recorder};

use crate::arguments::EvidenceCommand;
use crate::error::CliError;
use crate::exit::Status;
use crate::workspace::Workspace;

/// Runs a subcommand.
pub(crate) fn run(
    registry: &Registry,
    specs: Option<&Path>,
    command: &EvidenceCommand,
) -> Result<Status, CliError> {
    match command {
        EvidenceCommand::Verify(arguments) => verify::run(registry, specs, arguments),
        EvidenceCommand::Report(arguments) => report::run(registry, specs, arguments),
        EvidenceCommand::Diff(arguments) => diff::run(arguments),
        EvidenceCommand::ImportTlc(arguments) => import::run(registry, specs, arguments),
        EvidenceCommand::Sign(arguments) => sign::run(registry, specs, arguments),
    }
}

/// The folder that is meant: the given one, or `evidence` beside the specifications.
fn folder(workspace: &Workspace<'_>, given: Option<&Path>) -> Result<PathBuf, CliError> {
    if let Some(given) = given {
        return Ok(given.to_owned());
    }
    match workspace.project() {
        Some(project) => Ok(project.join("evidence")),
        None => Err(CliError::usage(
            "no folder of evidence is named, and there is no folder of specifications that one could \
             lie beside",
            None,
        )),
    }
}

/// The Rust sources that verdicts are of: those of the working tree, or if there are none those
/// that the program was built from.
fn sources(registry: &Registry, workspace: &Workspace<'_>) -> Result<Option<Sources>, CliError> {
    let usage = |error: plumb_sources::SourcesError| CliError::usage(error.to_string(), None);
    let built_in = match registry.sources() {
        Some(embedded) => Some(embedded.sources().map_err(usage)?),
        None => None,
    };
    let (Some(table), Some(root)) = (workspace.specs.sources(), workspace.project()) else {
        return Ok(built_in);
    };
    // Where the specifications alone were copied, the program's own sources are all there is.
    if !sources_lie_here(workspace) && built_in.is_some() {
        return Ok(built_in);
    }
    Sources::read(&root, table).map(Some).map_err(usage)
}

/// Whether there are Rust sources beside the specifications, as the registry says.
fn sources_lie_here(workspace: &Workspace<'_>) -> bool {
    let (Some(table), Some(root)) = (workspace.specs.sources(), workspace.project()) else {
        return false;
    };
    table.crates.iter().any(|folder| root.join(folder).is_dir())
}

/// The files whose meaning differs between the working tree and what the program was built from.
fn built_from_others(
    registry: &Registry,
    sources: Option<&Sources>,
) -> Result<Vec<String>, CliError> {
    let (Some(embedded), Some(sources)) = (registry.sources(), sources) else {
        return Ok(Vec::new());
    };
    let embedded = embedded.sources();
    let embedded = embedded.map_err(|error| CliError::usage(error.to_string(), None))?;
    let mut differences = sources.differences(&embedded);
    if differences.is_empty() && embedded.versions() != sources.versions() {
        differences.push("the lock file".to_owned());
    }
    Ok(differences)
}

/// A file that the user named. What is longer than a file of a bundle may be is refused.
fn read_bytes(path: &Path) -> Result<Vec<u8>, CliError> {
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(LARGEST_FILE + 1).read_to_end(&mut bytes))
        .map_err(|error| CliError::unreadable(path, &error))?;
    if bytes.len() as u64 > LARGEST_FILE {
        let limit = LARGEST_FILE >> 20;
        let message = format!("{}: expected at most {limit} MiB", path.display());
        return Err(CliError::usage(message, None));
    }
    Ok(bytes)
}

/// The text of a file that the user named.
fn read_text(path: &Path) -> Result<String, CliError> {
    String::from_utf8(read_bytes(path)?).map_err(|error| CliError::not_text(path, &error))
}
