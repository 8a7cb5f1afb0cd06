//! `plumb replay`: hold recorded behaviours against their models.
//!
//! * `arguments`: what can be asked for; `files`: which files are meant;
//! * `subject`: whose behaviour each is; `trial`: one file, replayed;
//! * `text`, `json`, `reports`, `page`: what is told of it.

mod arguments;
mod files;
mod json;
mod page;
mod reports;
mod subject;
mod text;
mod trial;

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bytesize::ByteSize;
use plumb_checker::Registry;

pub(crate) use arguments::ReplayArguments;
use subject::Subjects;
use trial::{Replays, Trial};

use crate::commands::annotations;
use crate::error::CliError;
use crate::exit::Status;
use crate::interrupt::Interrupt;
use crate::output;
use crate::progress;
use crate::workspace::Workspace;

/// What came of all files.
struct Replay {
    trials: Vec<Trial>,
    /// Files that were not replayed because of an interruption.
    not_run: usize,
    elapsed: Duration,
    /// Where the specifications came from.
    specs: String,
}

/// Replays the files that the arguments mean, one after the other.
pub(crate) fn run(
    registry: &Registry,
    specs: Option<&Path>,
    arguments: &ReplayArguments,
) -> Result<Status, CliError> {
    let workspace = Workspace::open(registry, specs)?;
    let found = files::find(&arguments.paths)?;
    let interrupt = Interrupt::listen();
    let read = Arc::new(AtomicU64::new(0));
    let mut replays = Replays {
        subjects: Subjects::new(&workspace, arguments)?,
        format: arguments.format,
        max_candidates: arguments.max_candidates,
        interrupt: interrupt.clone(),
        read: Arc::clone(&read),
    };
    let start = Instant::now();
    let mut trials = Vec::new();
    let mut done = 0;
    for file in &found.files {
        if interrupt.is_set() {
            break;
        }
        let read = Arc::clone(&read);
        let describe = move |elapsed: Duration| {
            let read = ByteSize(read.load(Ordering::Relaxed));
            format!("{read} read ({} s)", elapsed.as_secs())
        };
        let name = file.path.display().to_string();
        trials.extend(progress::watched(&name, describe, || replays.file(file)));
        done += 1;
    }
    trials.extend(found.missing.iter().map(|path| Trial::missing(path)));
    let replay = Replay {
        trials,
        not_run: found.files.len() - done,
        elapsed: start.elapsed(),
        specs: workspace.specs.source().to_string(),
    };
    if let Some(path) = &arguments.junit {
        reports::write_junit(path, &replay)?;
    }
    if let Some(path) = &arguments.report {
        page::write(path, &replay)?;
    }
    if arguments.json {
        output::print_json(&json::json(&replay))?;
    } else {
        output::print(&text::text(&replay))?;
    }
    if arguments.annotations.is_some() {
        annotations::print(&reports::annotations(&replay), arguments.json)?;
    }
    Ok(replay.status())
}

impl Replay {
    fn status(&self) -> Status {
        let statuses = self.trials.iter().map(Trial::status);
        let cut = if self.not_run > 0 {
            Status::Inconclusive
        } else {
            Status::Expected
        };
        statuses.fold(cut, Status::and)
    }

    /// For each model, the actions of the configurations at hand that none of the accepted
    /// behaviours takes, as far as it is known which action was taken.
    fn never_taken(&self) -> BTreeMap<&'static str, Vec<&'static str>> {
        let mut never: BTreeMap<&str, BTreeMap<&str, bool>> = BTreeMap::new();
        for trial in &self.trials {
            let Some(configuration) = &trial.configuration else {
                continue;
            };
            let model = configuration.model.as_ref();
            let taken = never.entry(model.name()).or_default();
            for action in model.actions() {
                let here =
                    trial.replayed.is_accepted() && trial.replayed.actions.contains_key(action);
                *taken.entry(action).or_default() |= here;
            }
        }
        let gaps = never.into_iter().map(|(model, taken)| {
            let gaps = taken.into_iter().filter(|(_, taken)| !taken);
            (model, gaps.map(|(action, _)| action).collect())
        });
        gaps.collect()
    }
}
