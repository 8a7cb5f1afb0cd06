//! Where a log is kept, and how a request gets into it.
//!
//! A [`Store`] keeps one log and appends to it by compare-and-swap. [`Queue`] reads it, keeps the state
//! of what it has read, and publishes: it makes the commit, tries to append it, and where somebody else
//! was faster, or the answer was lost, it reads again and looks for its request before it tries anew.

use std::time::Duration;

use crate::code::Code;
use crate::log::{Log, LogError};
use crate::reject::Rejection;
use crate::state::State;
use crate::wire::scalar::CommitId;
use crate::wire::{QueueCommit, Wire};
use crate::writer::{Asker, Intent, Nothing, Prepared, prepare};

/// How often a publisher tries (section 11.4).
pub const ATTEMPTS: u32 = 5;

/// What a store says to an append.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Append<V> {
    /// The log is now at this version.
    Appended(V),
    /// It was not at the version that was named, but at this one; nothing was written.
    Conflict(V),
    /// The answer was lost. It may have been written, or not, or will be.
    Unknown,
}

/// What a log has become since a version.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Since<V> {
    /// It is as it was, with these lines after it.
    Extended {
        /// The version now.
        version: V,
        /// The new lines, each with its newline.
        lines: String,
    },
    /// It is another text, as after a checkpoint.
    Rewritten {
        /// The version now.
        version: V,
        /// The whole log.
        log: String,
    },
}

/// A place where one log is kept.
pub trait Store {
    /// What a log is at. Equal versions are equal logs.
    type Version: Clone + PartialEq + std::fmt::Debug;
    /// Why a store cannot be read or written at all.
    type Error: std::error::Error;

    /// The version now; none if there is no log.
    ///
    /// # Errors
    ///
    /// The store cannot be read.
    fn version(&mut self) -> Result<Option<Self::Version>, Self::Error>;

    /// The log at a version.
    ///
    /// # Errors
    ///
    /// The store cannot be read, or has no such version.
    fn read(&mut self, version: &Self::Version) -> Result<String, Self::Error>;

    /// What became of the log since a version.
    ///
    /// # Errors
    ///
    /// The store cannot be read.
    fn since(&mut self, version: &Self::Version) -> Result<Since<Self::Version>, Self::Error>;

    /// Appends a line, if the log is at this version; without one, if there is no log.
    ///
    /// # Errors
    ///
    /// The store cannot be written, and nothing was.
    fn append(
        &mut self,
        expected: Option<&Self::Version>,
        line: &str,
    ) -> Result<Append<Self::Version>, Self::Error>;

    /// Replaces the log by this one line, if it is at this version.
    ///
    /// # Errors
    ///
    /// The store cannot be written, and nothing was.
    fn replace(
        &mut self,
        expected: &Self::Version,
        line: &str,
    ) -> Result<Append<Self::Version>, Self::Error>;
}

/// Why something could not be published.
#[derive(Debug, thiserror::Error)]
pub enum PublishError<E: std::error::Error> {
    /// The request is refused.
    #[error(transparent)]
    Rejected(#[from] Rejection),
    /// The log cannot be read.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The store failed.
    #[error("the store failed: {0}")]
    Store(#[source] E),
    /// Others were always faster, or the store never answered.
    #[error("{ATTEMPTS} attempts to publish were in vain")]
    Contended,
}

/// What was published.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(clippy::large_enum_variant, reason = "it is matched where it is made")]
pub enum Published {
    /// The commit, written just now, by this call and no other.
    Now(QueueCommit),
    /// The request is in the log by an earlier or a lost attempt. Whoever gets this answer may not act
    /// as if it had written it: a launch happens after [`Published::Now`] only (section 12.1).
    Recovered(CommitId),
    /// There was nothing to write.
    Nothing(Nothing),
}

/// A queue in a store.
#[derive(Debug)]
pub struct Queue<S: Store> {
    store: S,
    version: Option<S::Version>,
    state: State,
}

impl<S: Store> Queue<S> {
    /// Opens a queue, and reads it.
    ///
    /// # Errors
    ///
    /// The store or the log cannot be read.
    pub fn open(store: S) -> Result<Self, PublishError<S::Error>> {
        let mut queue = Self {
            store,
            version: None,
            state: State::default(),
        };
        queue.refresh()?;
        Ok(queue)
    }

    /// The state of what was read last.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The store.
    pub fn store(&mut self) -> &mut S {
        &mut self.store
    }

    /// Reads what is new.
    ///
    /// # Errors
    ///
    /// The store or the log cannot be read; `ledger_nonextending` if the log is no longer what was
    /// read before, and no checkpoint of it either (section 11.5).
    pub fn refresh(&mut self) -> Result<(), PublishError<S::Error>> {
        let Some(known) = &self.version else {
            if let Some(version) = self.store.version().map_err(PublishError::Store)? {
                let log = self.store.read(&version).map_err(PublishError::Store)?;
                self.state = crate::log::replay(log.as_bytes())?;
                self.version = Some(version);
            }
            return Ok(());
        };
        match self.store.since(known).map_err(PublishError::Store)? {
            Since::Extended { version, lines } => {
                if let Err(error) = self.extend(&lines) {
                    // What was read is not what the log is; it is read anew the next time.
                    (self.state, self.version) = (State::default(), None);
                    return Err(error);
                }
                self.version = Some(version);
            }
            Since::Rewritten { version, log } => {
                let state = Log::read(log.as_bytes())?.replay(|_, _| {})?;
                check_extends(&self.state, &state)?;
                self.state = state;
                self.version = Some(version);
            }
        }
        Ok(())
    }

    fn extend(&mut self, lines: &str) -> Result<(), PublishError<S::Error>> {
        for (index, text) in lines.split_terminator('\n').enumerate() {
            let line = crate::log::Line {
                number: index + 1,
                text,
            };
            self.state.advance(&line.value()?)?;
        }
        Ok(())
    }

    /// Publishes a request. `pause` waits between attempts; the store is asked again after it.
    ///
    /// # Errors
    ///
    /// The request is refused, or the store fails or is contended.
    pub fn publish(
        &mut self,
        asker: &Asker,
        intent: &Intent,
        mut pause: impl FnMut(Duration),
    ) -> Result<Published, PublishError<S::Error>> {
        for attempt in 0..ATTEMPTS {
            if attempt > 0 {
                pause(delay(attempt - 1));
                self.refresh()?;
            }
            let commit = match prepare(&mut self.state, asker, intent.clone())? {
                Prepared::Candidate(commit) => commit,
                Prepared::Recovered(commit) => return Ok(Published::Recovered(commit)),
                Prepared::Nothing(nothing) => return Ok(Published::Nothing(nothing)),
            };
            let line = commit.to_line();
            let answer = self.store.append(self.version.as_ref(), &line);
            match answer.map_err(PublishError::Store)? {
                Append::Appended(version) => {
                    self.version = Some(version);
                    self.state.advance(&Wire::write(&*commit))?;
                    return Ok(Published::Now(*commit));
                }
                Append::Conflict(_) | Append::Unknown => {}
            }
        }
        // The last attempt may have arrived all the same.
        self.refresh()?;
        match self.state.receipt(&asker.request) {
            Some(receipt) => Ok(Published::Recovered(receipt.id.clone())),
            None => Err(PublishError::Contended),
        }
    }
}

/// How long to wait after this attempt, counted from 0 (section 11.4); the store adds what is random.
fn delay(attempt: u32) -> Duration {
    Duration::from_millis((50 << attempt.min(5)).min(1000))
}

/// Section 11.5: a log that was rewritten still answers every request that was read before as it did,
/// as it does after a checkpoint.
fn check_extends(old: &State, new: &State) -> Result<(), Rejection> {
    let is_kept = |request| old.receipts.get(request) == new.receipts.get(request);
    match (old.tip(), old.history.values().find(|it| !is_kept(*it))) {
        (Some(tip), _) if !new.commits.contains_key(tip) => Err(Rejection::new(
            Code::LedgerNonextending,
            format!("the log was read up to commit {tip}, which it does not have any more"),
        )),
        (_, Some(request)) => Err(Rejection::new(
            Code::LedgerNonextending,
            format!("the log answers request {request} otherwise than when it was read before"),
        )),
        _ => Ok(()),
    }
}

/// A log in memory, with faults that are scripted: for demonstrations and tests of publishers.
#[derive(Clone, Debug, Default)]
pub struct MemoryStore {
    log: String,
    version: u64,
    faults: std::collections::VecDeque<StoreFault>,
}

/// What goes wrong with an append.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreFault {
    /// It is written, and the answer is lost.
    LostAnswer,
    /// It is not written, and the answer is lost.
    LostRequest,
}

/// A memory cannot be unreadable, but a version can be wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no version {0}")]
pub struct NoSuchVersion(pub u64);

impl MemoryStore {
    /// A store that holds this log.
    #[must_use]
    pub fn new(log: String) -> Self {
        let version = u64::from(!log.is_empty());
        Self {
            log,
            version,
            ..Self::default()
        }
    }

    /// Lets the next appends go wrong, in this order.
    pub fn script(&mut self, faults: impl IntoIterator<Item = StoreFault>) {
        self.faults.extend(faults);
    }

    /// The log.
    #[must_use]
    pub fn log(&self) -> &str {
        &self.log
    }

    fn write(&mut self, expected: u64, write: impl FnOnce(&mut String)) -> Append<u64> {
        if self.version != expected {
            return Append::Conflict(self.version);
        }
        let fault = self.faults.pop_front();
        if fault == Some(StoreFault::LostRequest) {
            return Append::Unknown;
        }
        write(&mut self.log);
        self.version += 1;
        match fault {
            Some(_) => Append::Unknown,
            None => Append::Appended(self.version),
        }
    }
}

/// Versions are lengths in disguise: whoever knows an old one gets the whole log.
impl Store for MemoryStore {
    type Version = u64;
    type Error = NoSuchVersion;

    fn version(&mut self) -> Result<Option<u64>, NoSuchVersion> {
        Ok((self.version > 0).then_some(self.version))
    }

    fn read(&mut self, version: &u64) -> Result<String, NoSuchVersion> {
        match *version == self.version {
            true => Ok(self.log.clone()),
            false => Err(NoSuchVersion(*version)),
        }
    }

    fn since(&mut self, version: &u64) -> Result<Since<u64>, NoSuchVersion> {
        match *version == self.version {
            true => Ok(Since::Extended {
                version: *version,
                lines: String::new(),
            }),
            false => Ok(Since::Rewritten {
                version: self.version,
                log: self.log.clone(),
            }),
        }
    }

    fn append(&mut self, expected: Option<&u64>, line: &str) -> Result<Append<u64>, NoSuchVersion> {
        Ok(self.write(expected.copied().unwrap_or_default(), |log| {
            log.push_str(line);
        }))
    }

    fn replace(&mut self, expected: &u64, line: &str) -> Result<Append<u64>, NoSuchVersion> {
        Ok(self.write(*expected, |log| line.clone_into(log)))
    }
}
