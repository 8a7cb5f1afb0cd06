//! Works, Claims, workers and dispatchers, and what can become of them.
//!
//! Shared design, models/work-queue.md, sections 2, 3 and 4.1.

use crate::finite::finite_names;
use crate::numbered::numbered;

numbered! {
    /// Something that is to be done.
    Work
}

numbered! {
    /// The right to do one work.
    Claim
}

numbered! {
    /// A worker, which makes one attempt at the work of its inbound Claim.
    Worker
}

numbered! {
    /// A dispatcher, which writes one batch of intents.
    Dispatcher
}

/// What a fact says, in the order of canonical logs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// There is a work.
    Work,
    /// A work is claimed.
    Claim,
    /// A Claim is given up.
    ClaimCancellation,
    /// A work is given up.
    WorkCancellation,
    /// A work is done.
    Completion,
}

finite_names!(Kind {
    Work = "Work",
    Claim = "Claim",
    ClaimCancellation = "ClaimCancellation",
    WorkCancellation = "WorkCancellation",
    Completion = "Completion",
});

/// What has become of a work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WorkStatus {
    /// It is not in the log.
    Absent,
    /// It is done.
    Completed,
    /// It is given up.
    Cancelled,
    /// A Claim on it is the winner.
    Claimed,
    /// It waits for a Claim.
    Available,
}

finite_names!(WorkStatus {
    Absent = "absent",
    Completed = "completed",
    Cancelled = "cancelled",
    Claimed = "claimed",
    Available = "available",
});

/// What has become of a Claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClaimStatus {
    /// It is not in the log.
    Absent,
    /// It or its work is given up.
    Cancelled,
    /// It is the winner of its work.
    Effective,
    /// Another Claim is the winner.
    Superseded,
}

finite_names!(ClaimStatus {
    Absent = "absent",
    Cancelled = "cancelled",
    Effective = "effective",
    Superseded = "superseded",
});

/// How far a dispatcher is with its batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DispatcherPhase {
    /// Its agent stages intents.
    Agent,
    /// A log with the batch is ready to be published.
    Prepared,
    /// It was published.
    Done,
    /// It was given up after too many conflicts.
    Failed,
}

finite_names!(DispatcherPhase {
    Agent = "agent",
    Prepared = "prepared",
    Done = "done",
    Failed = "failed",
});

/// How far a worker is with its attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WorkerPhase {
    /// It has not looked at the log yet.
    Waiting,
    /// Its agent is at work.
    Running,
    /// The agent has ended.
    Ready,
    /// A log with the outcome is ready to be published.
    Prepared,
    /// Its Completion was published.
    Committed,
    /// Its Completion was verified.
    Authorized,
    /// The effect has happened.
    Done,
    /// It published that it gives up, or that it had nothing to say.
    Stopped,
    /// Its run ended early, or it met too many conflicts.
    Failed,
}

finite_names!(WorkerPhase {
    Waiting = "waiting",
    Running = "running",
    Ready = "ready",
    Prepared = "prepared",
    Committed = "committed",
    Authorized = "authorized",
    Done = "done",
    Stopped = "stopped",
    Failed = "failed",
});

impl WorkerPhase {
    /// Whether no worker ever leaves this phase.
    #[must_use]
    pub const fn is_final(self) -> bool {
        matches!(self, Self::Done | Self::Stopped | Self::Failed)
    }
}

/// The two kinds of maintenance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Maintenance {
    /// The log is rewritten in canonical order, without duplicates.
    Compact,
    /// Claims of runs that have ended are given up.
    Recovery,
}

finite_names!(Maintenance {
    Compact = "compact",
    Recovery = "recovery",
});

/// How far maintenance is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MaintenancePhase {
    /// It never ran.
    Idle,
    /// A maintained log is ready to be published.
    Prepared,
    /// It was published; there may be a next time.
    Done,
    /// It was given up, for good, after too many conflicts.
    Failed,
}

finite_names!(MaintenancePhase {
    Idle = "idle",
    Prepared = "prepared",
    Done = "done",
    Failed = "failed",
});
