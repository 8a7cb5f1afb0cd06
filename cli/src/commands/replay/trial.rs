//! One file, replayed.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{SyncSender, sync_channel};
use std::thread;

use plumb_checker::PropertyKind;
use plumb_replay::replay::{
    HistoryNeeded, Outcome, ReplayOptions, Replayed, Replayer, replay_dot, replay_dump,
};
use plumb_replay::trace::{Format, Header, TraceError, TraceItem, read, recognise};

use super::files::TraceFile;
use super::subject::Subjects;
use crate::exit::Status;
use crate::interrupt::Interrupt;
use crate::workspace::Configuration;

/// A behaviour, or a listing, and what came of it.
pub(super) struct Trial {
    pub(super) file: String,
    /// Counted from 1: a file may hold several behaviours.
    pub(super) behaviour: u64,
    pub(super) format: Option<Format>,
    pub(super) configuration: Option<Rc<Configuration>>,
    pub(super) replayed: Replayed,
    /// Why the recording is not of what lies there now, in sentences.
    pub(super) stale: Vec<String>,
    /// Edges of a graph.
    pub(super) edges: Option<u64>,
}

impl Trial {
    pub(super) fn status(&self) -> Status {
        match &self.replayed.outcome {
            Outcome::Accepted if self.stale.is_empty() && self.replayed.violations.is_empty() => {
                Status::Expected
            }
            Outcome::Accepted | Outcome::Refused(_) => Status::Different,
            Outcome::Unreadable { .. } => Status::Usage,
            Outcome::Undecided { .. } => Status::Inconclusive,
            Outcome::Failed { .. } => Status::Failed,
        }
    }

    /// Whether a step was refused.
    pub(super) fn is_refused(&self) -> bool {
        matches!(self.replayed.outcome, Outcome::Refused(_))
    }

    /// Whether it is a listing or a graph, and no behaviour.
    pub(super) fn is_listing(&self) -> bool {
        self.format.is_some_and(|format| !format.holds_behaviours())
    }

    /// The line at fault, if one can be named.
    pub(super) fn line(&self) -> Option<u64> {
        let line = match &self.replayed.outcome {
            Outcome::Refused(refusal) => refusal.line,
            Outcome::Unreadable { line, .. } => *line,
            _ => 0,
        };
        (line > 0).then_some(line)
    }

    /// What cannot be read.
    fn unreadable(file: &Path, behaviour: u64, line: u64, message: String) -> Self {
        Self {
            file: file.display().to_string(),
            behaviour,
            format: None,
            configuration: None,
            replayed: Replayed::unreadable(line, message),
            stale: Vec::new(),
            edges: None,
        }
    }

    /// A recording that is listed and not there.
    pub(super) fn missing(file: &Path) -> Self {
        let message = "the manifest lists it, and it is not there".to_owned();
        Self::unreadable(file, 1, 0, message)
    }
}

/// An input that counts what is read, and ends when the user asks for the end.
struct Watched<R> {
    input: R,
    read: Arc<AtomicU64>,
    interrupt: Interrupt,
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.interrupt.is_set() {
            // Not the kind `Interrupted`, which asks for another attempt.
            return Err(io::Error::other("interrupted"));
        }
        let count = self.input.read(buffer)?;
        self.read.fetch_add(count as u64, Ordering::Relaxed);
        Ok(count)
    }
}

/// So many items are handed over at a time, and so many times at most before they are taken.
const BATCH: usize = 64;
const BATCHES: usize = 4;

/// Reads the items of a trace and sends them, until nobody takes them any more.
fn send_items(
    input: impl BufRead,
    name: &str,
    format: Format,
    sender: &SyncSender<Vec<Result<TraceItem, TraceError>>>,
) {
    let mut items = match read(input, name, Some(format)) {
        Ok(items) => items,
        Err(error) => {
            // If nobody takes it any more, nobody asks.
            let _ = sender.send(vec![Err(error)]);
            return;
        }
    };
    loop {
        let batch: Vec<_> = items.by_ref().take(BATCH).collect();
        if batch.is_empty() || sender.send(batch).is_err() {
            return;
        }
    }
}

/// Replays files.
pub(super) struct Replays<'w> {
    pub(super) subjects: Subjects<'w>,
    pub(super) format: Option<Format>,
    pub(super) max_candidates: usize,
    pub(super) interrupt: Interrupt,
    /// Bytes read of the file at hand.
    pub(super) read: Arc<AtomicU64>,
}

impl Replays<'_> {
    /// Every behaviour of a file, in its order.
    pub(super) fn file(&mut self, file: &TraceFile) -> Vec<Trial> {
        // What cannot be read twice is replayed with its history from the beginning.
        let again = file.path.is_file();
        if let Some(trials) = self.attempt(file, !again) {
            return trials;
        }
        self.attempt(file, true).unwrap_or_default()
    }

    /// Nothing if the history is needed and was not kept.
    fn attempt(&mut self, file: &TraceFile, keep_history: bool) -> Option<Vec<Trial>> {
        let mut trials = Vec::new();
        match self.read(file, keep_history, &mut trials) {
            Ok(Ok(())) => Some(trials),
            Ok(Err(HistoryNeeded)) => None,
            Err(error) => {
                let behaviour = trials.len() as u64 + 1;
                let line = error.line().unwrap_or_default();
                let name = file.path.display().to_string();
                let message = error.to_string();
                let place = format!("{name}: ");
                let message = message.strip_prefix(&place).unwrap_or(&message).to_owned();
                let mut trial = Trial::unreadable(&file.path, behaviour, line, message);
                if self.interrupt.is_set() {
                    let reason = "interrupted".to_owned();
                    trial.replayed.outcome = Outcome::Undecided { step: 0, reason };
                }
                trials.push(trial);
                Some(trials)
            }
        }
    }

    fn read(
        &mut self,
        file: &TraceFile,
        keep_history: bool,
        trials: &mut Vec<Trial>,
    ) -> Result<Result<(), HistoryNeeded>, TraceError> {
        let name = file.path.display().to_string();
        let opened = File::open(&file.path).map_err(|source| TraceError::Io {
            file: name.clone(),
            line: 0,
            source,
        })?;
        self.read.store(0, Ordering::Relaxed);
        let watched = Watched {
            input: opened,
            read: Arc::clone(&self.read),
            interrupt: self.interrupt.clone(),
        };
        let input = BufReader::with_capacity(64 << 10, watched);
        match self.format {
            Some(format) => self.read_as(format, input, file, keep_history, trials),
            None => {
                let (format, input) = recognise(input, &name)?;
                self.read_as(format, input, file, keep_history, trials)
            }
        }
    }

    fn read_as(
        &mut self,
        format: Format,
        input: impl BufRead + Send,
        file: &TraceFile,
        keep_history: bool,
        trials: &mut Vec<Trial>,
    ) -> Result<Result<(), HistoryNeeded>, TraceError> {
        if !format.holds_behaviours() {
            trials.push(self.listing(format, input, file));
            return Ok(Ok(()));
        }
        let name = file.path.display().to_string();
        // Text is read while the steps before are followed.
        thread::scope(|scope| {
            let (sender, receiver) = sync_channel(BATCHES);
            let reading = name.clone();
            scope.spawn(move || send_items(input, &reading, format, &sender));
            let items = receiver.into_iter().flatten();
            self.behaviours(items, format, file, keep_history, trials)
        })
    }

    /// Replays one behaviour after the other.
    fn behaviours(
        &mut self,
        mut items: impl Iterator<Item = Result<TraceItem, TraceError>>,
        format: Format,
        file: &TraceFile,
        keep_history: bool,
        trials: &mut Vec<Trial>,
    ) -> Result<Result<(), HistoryNeeded>, TraceError> {
        let name = file.path.display().to_string();
        while let Some(item) = items.next().transpose()? {
            let TraceItem::Header(header) = item else {
                continue; // the reader does not let that happen
            };
            let behaviour = trials.len() as u64 + 1;
            let (subject, stale) = match self.subjects.of(file, format, &header) {
                Ok(subject) => (Ok(subject.configuration), subject.stale),
                Err(reason) => (Err(reason), Vec::new()),
            };
            let mut options = self.options(format, &header, keep_history);
            // With -continue, TLC goes through states that it has found fault with before.
            options.went_on = format == Format::TlcOutput && behaviour > 1;
            let replayed = match &subject {
                Ok(configuration) => {
                    let model = configuration.model.as_ref();
                    let mut replayer = Some(Replayer::new(model, header, options));
                    let mut replayed = Replayed::unreadable(0, "it does not end");
                    while let Some(replayer_now) = replayer.as_mut() {
                        match items.next().transpose()? {
                            Some(TraceItem::Step(step)) => replayer_now.step(&step),
                            Some(TraceItem::End(ending)) => {
                                let ended = replayer.take().map(|replayer| replayer.end(&ending));
                                match ended {
                                    Some(Ok(ended)) => replayed = ended,
                                    Some(Err(needed)) => return Ok(Err(needed)),
                                    None => {}
                                }
                            }
                            Some(TraceItem::Header(_)) | None => replayer = None,
                        }
                    }
                    replayed
                }
                Err(reason) => {
                    let mut replayed = Replayed::unreadable(0, reason.clone());
                    while let Some(TraceItem::Step(_)) = items.next().transpose()? {
                        replayed.steps += 1;
                    }
                    replayed
                }
            };
            trials.push(Trial {
                file: name.clone(),
                behaviour,
                format: Some(format),
                configuration: subject.ok(),
                replayed,
                stale,
                edges: None,
            });
        }
        Ok(Ok(()))
    }

    fn options(&self, format: Format, header: &Header, keep_history: bool) -> ReplayOptions {
        let violation = header.violation.as_ref();
        let temporal = violation.is_some_and(|violation| violation.kind == PropertyKind::Temporal);
        ReplayOptions {
            max_candidates: self.max_candidates,
            // TLC prints the names of wrappers, too; Plumb names actions only.
            only_known_labels: format == Format::Plumb,
            keep_history: keep_history || temporal,
            went_on: false,
        }
    }

    fn listing(&mut self, format: Format, input: impl BufRead, file: &TraceFile) -> Trial {
        let mut trial = Trial::unreadable(&file.path, 1, 0, String::new());
        trial.format = Some(format);
        match self.subjects.of(file, format, &Header::default()) {
            Err(message) => trial.replayed = Replayed::unreadable(0, message),
            Ok(subject) => {
                let model = subject.configuration.model.as_ref();
                let listed = if format == Format::Dot {
                    replay_dot(model, input)
                } else {
                    replay_dump(model, input)
                };
                trial.replayed = listed.replayed;
                trial.edges = listed.edges;
                trial.stale = subject.stale;
                trial.configuration = Some(subject.configuration);
                if self.interrupt.is_set() {
                    let reason = "interrupted".to_owned();
                    let step = trial.replayed.steps;
                    trial.replayed.outcome = Outcome::Undecided { step, reason };
                }
            }
        }
        trial
    }
}
