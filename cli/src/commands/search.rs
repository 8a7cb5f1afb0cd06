//! Running one search for a command: options, progress, and what its end means.

use std::path::Path;
use std::sync::{Arc, Mutex};

use plumb_checker::{
    Checkpoint, CheckpointError, Outcome, Progress, Report, SearchOptions, Verdict,
};

use crate::arguments::{CheckpointArguments, Engine, SearchArguments};
use crate::error::CliError;
use crate::exit::Status;
use crate::interrupt::Interrupt;
use crate::output;
use crate::progress;
use crate::workspace::Configuration;

/// A finished search, held against its expectation.
pub(crate) struct Finished {
    pub(crate) report: Report,
    pub(crate) outcome: Outcome,
}

impl Finished {
    /// What the search means for the exit status.
    pub(crate) fn status(&self) -> Status {
        match (&self.outcome, &self.report.verdict) {
            (_, Verdict::Error { .. }) => Status::Failed,
            (_, Verdict::Inconclusive(_)) => Status::Inconclusive,
            (Outcome::AsExpected, _) | (Outcome::None, Verdict::Exhausted) => Status::Expected,
            (Outcome::Unexpected(_) | Outcome::None, _) => Status::Different,
        }
    }
}

impl SearchArguments {
    /// The options of a search.
    pub(crate) fn options(&self) -> SearchOptions {
        let default = SearchOptions::default();
        SearchOptions {
            threads: self.threads.unwrap_or(default.threads),
            max_states: self.max_states,
            max_time: self.max_time,
            max_memory: self.memory.map(|size| size.as_u64()),
            level_memory: self
                .level_memory
                .map_or(default.level_memory, |size| size.as_u64()),
            temporary: self.temporary.clone(),
            deadlock: self.deadlock,
            ..default
        }
    }

    /// Refuses what the chosen engine cannot do.
    pub(crate) fn refuse_unsupported(&self, engine: Engine) -> Result<(), CliError> {
        if engine == Engine::Stateright && self.memory.is_some() {
            return Err(CliError::usage(
                "--memory needs --engine plumb: stateright's checker keeps no account of memory",
                None,
            ));
        }
        Ok(())
    }
}

impl CheckpointArguments {
    /// The folder of the checkpoint, if there is to be one.
    pub(crate) fn folder(&self) -> Option<&Path> {
        self.checkpoint.as_deref().or(self.resume.as_deref())
    }

    /// The checkpoint that a search of these configurations writes to, or goes on from.
    pub(crate) fn open(
        &self,
        configurations: &[Configuration],
        engine: Engine,
        options: &SearchOptions,
    ) -> Result<Option<Arc<Mutex<Checkpoint>>>, CliError> {
        let Some(folder) = self.folder() else {
            return Ok(None);
        };
        if engine != Engine::Plumb {
            let message = "--checkpoint and --resume need --engine plumb";
            return Err(CliError::usage(message, None));
        }
        let [configuration] = configurations else {
            return Err(CliError::usage(
                format!(
                    "a checkpoint is of one search: expected one configuration, found {}",
                    configurations.len()
                ),
                None,
            ));
        };
        let failed = |error: CheckpointError| {
            let hint = match &error {
                CheckpointError::Occupied { .. } => {
                    Some("`--resume` goes on from it; or choose another folder")
                }
                CheckpointError::Missing { .. } => Some("`--checkpoint` begins a new search"),
                CheckpointError::Other { .. } | CheckpointError::Damaged { .. } => {
                    Some("begin anew, with `--checkpoint` and another folder")
                }
                _ => None,
            };
            CliError::usage(error.to_string(), hint.map(str::to_owned))
        };
        let identity = configuration
            .model
            .search_identity(options)
            .map_err(failed)?;
        let checkpoint = if self.resume.is_some() {
            let progress = Arc::new(Progress::default());
            progress::watched_search(&configuration.name, &progress, None, || {
                Checkpoint::resume_watched(folder, identity, &progress)
            })
        } else {
            Checkpoint::create(folder, identity)
        };
        let mut checkpoint = checkpoint.map_err(failed)?;
        if let Some(interval) = self.checkpoint_every {
            checkpoint = checkpoint.every(interval);
        }
        if let Some((levels, states)) = checkpoint.found() {
            output::note(&format!(
                "{}: going on from {levels} levels with {} states",
                configuration.name,
                output::grouped(states)
            ));
        }
        Ok(Some(Arc::new(Mutex::new(checkpoint))))
    }
}

/// Explores one configuration.
pub(crate) fn explore(
    configuration: &Configuration,
    engine: Engine,
    options: &SearchOptions,
    interrupt: &Interrupt,
) -> Finished {
    let progress = Arc::new(Progress::with_stop_flag(interrupt.flag()));
    let expectation = configuration.registered.as_ref().map(|entry| &entry.expect);
    let expected = expectation.and_then(|expect| expect.distinct);
    let report =
        progress::watched_search(&configuration.name, &progress, expected, || match engine {
            Engine::Plumb => configuration.model.check(options, &progress),
            Engine::Stateright => configuration
                .model
                .check_with_stateright(options, &progress),
        });
    let outcome = expectation.map_or(Outcome::None, |expect| expect.judge(&report));
    Finished { report, outcome }
}

/// One line that says how a search ended, beyond its verdict's word.
pub(crate) fn explanation(finished: &Finished) -> Option<String> {
    match (&finished.report.verdict, &finished.outcome) {
        (Verdict::Inconclusive(reason), _) => Some(reason.to_string()),
        (Verdict::Error { message, state }, _) => Some(match state {
            Some(state) => format!("{message}; in the state\n{state}"),
            None => message.clone(),
        }),
        (_, Outcome::Unexpected(differences)) => Some(differences.join("; ")),
        (_, Outcome::AsExpected | Outcome::None) => None,
    }
}
