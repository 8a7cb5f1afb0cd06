//! An engine of the QueueCommit protocol, version 3: a work queue whose log decides everything.
//!
//! The queue is a log. Each line of it is a commit: who asked for what, under which policy, when, and
//! what happened. Nothing else is stored. Who wants to know the state of the queue replays the log,
//! and everybody comes to the same state, because replay makes every decision again and refuses a log
//! in which one was made otherwise. So a worker cannot be given work out of turn, and nothing is done
//! twice, whoever writes to the log.
//!
//! # The words
//!
//! A *Work* is a piece of work with a payload that the queue does not look into. It can depend on other
//! Works, and on issues and pull requests of the host. A *Claim* grants a Work to a *Dispatch*, which
//! is one run of a worker; a Dispatch has up to 16 Claims. A *Completion* says that a worker has
//! finished with a Claim; a *Result* that its effects were verified, and only then may children of the
//! Work begin. A *Release* gives the slot of a run back, once it is certain that nothing runs.
//!
//! # From a log to an answer
//!
//! ```
//! use plumb_queue::log::Log;
//!
//! let log = include_str!("../tests/logs/first.jsonl");
//! let log = Log::read(log.as_bytes())?;
//! let state = log.replay(|commit, state| {
//!     println!("{} {}: {} open", commit.at, commit.request.kind, state.totals().pending);
//! })?;
//! assert_eq!(state.totals().pending, 1);
//! # Ok::<(), plumb_queue::log::LogError>(())
//! ```
//!
//! # Where things are
//!
//! | module | what it answers |
//! |---|---|
//! | [`wire`] | what may stand in a log (sections 1 and 2) |
//! | [`identity`] | how ids are made (section 4) |
//! | [`log`] | lines, their order, and replay of them all (sections 3 and 5.1) |
//! | [`state`] | what a log means |
//! | `replay`, by [`State::advance`](state::State::advance) | what one commit makes of it, or why it is refused (sections 5, 7, 8, 9) |
//! | [`schedule`] | which Work comes next, and into which Dispatch (section 6) |
//! | [`checkpoint`](mod@checkpoint) | one commit that stands for all before it (section 10) |
//! | [`settings`] | what a repository may wish of its policy (the end of section 5.7) |
//! | [`writer`] | from a request to the commit that answers it, and what the byte envelope has room for |
//! | [`store`] | where a log is kept, and how a request gets into it |
//! | [`host`], [`operate`] | where workers run, and how they are launched at most once (section 12) |
//! | [`mod@explain`], [`probe`], [`mod@demo`] | answers for people, for other implementations, and a whole life to watch |
//!
//! Every rejection has the protocol's [`Code`], and a sentence with the values that clashed.
//!
//! # Where the protocol is silent
//!
//! The readings that were chosen, each the one that refuses what might be unsafe and otherwise accepts:
//!
//! * Form: a fault of form has the code of the record it is in (`work_invalid` in a Work), but for
//!   Identity, Timestamp, ReasonCode and conditions, which have codes of their own.
//! * A line whose `version` is not 3 is `unsupported_protocol`.
//! * FairnessKey: its control characters are those of Identity, C0 and DEL.
//! * The `ref` of profiles, runs and evidence is any Identity, not only a Revision.
//! * Time: a commit may be earlier than the one before it; writers here never write such a one.
//! * A Policy after the first may name the epoch it replaces, or its own.
//! * A Work that exists with the same content may be submitted again, and nothing changes; one that
//!   stands twice in the same submission is `node_conflict`. A Work of the same node with another content
//!   has the same id, and is `work_conflict`.
//! * Rules for producers bind administrators and dispatchers, too, when they submit.
//! * A child inherits the priority that its parent has now.
//! * Parents may be of another graph.
//! * Eligibility tests parents first, then gates, each in the order in which the Work names them; the
//!   Observations of a Claim are in that order, too.
//! * A Claim of the right Work in the wrong Dispatch or place is `packing_invalid`; a Work or Claim
//!   granted twice is `claim_conflict`; every other difference is `selection_invalid`.
//! * Launching while grants are paused is `dispatch_invalid`.
//! * A Dispatch may become `uncertain` and `unresolved` again, within its budget of writes.
//! * Once a Dispatch is started, naming another sender or principal is `assignment_immutable`.
//! * A run's repository is the queue repository.
//! * Evidence that names a run names its attempt, too.
//! * A conclusion may be empty; then the run has not ended.
//! * A policy may name an allowed repository twice.
//! * A Dispatch whose run was never known cannot be released; it must be bound first.
//! * Cancelling Work that has ended is `ownership_terminal`.
//! * A link of a Work to an issue is made once, and saying it again is a conflict.
//! * A Work whose delivery failed may be replaced more than once: the first replacement may fail, too.
//! * A worker that observes must be the bound run of its Dispatch, as for everything else it does.
//! * A claim_handle that names no Claim, or is left out of several, is refused as in section 8.9, also
//!   where a child is submitted.
//! * After a checkpoint the bytes of the log are those of the checkpoint's line and what follows it.
//! * A snapshot has the members that section 10 names, and a receipt exactly those. Sets are objects whose
//!   members are true; pauses are named as their Controls; `stats` counts transactions and events, which are
//!   operations; a `claim_explanation` has the members of the decision's `next` in section 6.8; a receipt's
//!   `previous` is null where there is none.
//! * The receipts inside a checkpoint may be more than an array may have elements: they are bounded by
//!   their bytes.
//! * A pool in the settings inherits from the default pool as it was approved, not as the same settings
//!   change it.
//! * The worst case of an Assignment reserves `result_bytes` for the descriptor of a parent without
//!   result, and 512 bytes for the id of its commit.

#![deny(missing_docs)]

pub mod checkpoint;
pub mod code;
pub mod demo;
pub mod explain;
pub mod host;
pub mod identity;
pub mod log;
pub mod operate;
pub mod probe;
mod reject;
mod replay;
pub mod schedule;
pub mod settings;
pub mod state;
pub mod store;
pub mod wire;
pub mod writer;

pub use code::{Code, Reason};
pub use reject::Rejection;
pub use replay::authorize_effects;
