//! Works, Claims, groups, resources, classes and keys, and what can become of them.
//!
//! Shared design, models/fair-work-queue.md, sections 1, 2, 3 and 6.

use plumb_tla::Value;

use crate::finite::{Finite, finite_names};
use crate::numbered::numbered;

numbered! {
    /// Something that is to be done.
    Work
}

numbered! {
    /// The right of one group to do one work; the two determine its number.
    Claim
}

numbered! {
    /// A dispatcher with its worker and its native run.
    Group
}

/// Something outside that a work may wait for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Resource {
    /// Resource 1.
    Issue,
    /// Resource 2.
    PullRequest,
}

/// Makes an enumeration of two the numbers 1 and 2.
macro_rules! one_or_two {
    ($type:ident: $first:ident, $second:ident) => {
        impl Finite for $type {
            const ALL: &'static [Self] = &[Self::$first, Self::$second];

            fn index(self) -> usize {
                self as usize
            }

            fn to_value(self) -> Value {
                Value::int(self as i64 + 1)
            }
        }
    };
}

one_or_two!(Resource: Issue, PullRequest);

/// A class of works: what competes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Class {
    /// Class 1.
    One,
    /// Class 2.
    Two,
}

one_or_two!(Class: One, Two);

/// A key of works: what competes within a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Key {
    /// Key 1.
    One,
    /// Key 2.
    Two,
}

one_or_two!(Key: One, Two);

impl Class {
    /// How far a Claim advances the class's clock: class 1 has twice the share of class 2.
    #[must_use]
    pub const fn stride(self) -> i64 {
        match self {
            Self::One => 1,
            Self::Two => 2,
        }
    }
}

impl Key {
    /// How far a Claim advances the key's clock: key 1 has twice the share of key 2.
    #[must_use]
    pub const fn stride(self) -> i64 {
        match self {
            Self::One => 1,
            Self::Two => 2,
        }
    }
}

/// What became of a work.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WorkStatus {
    /// It is not on record yet.
    Absent,
    /// Nobody has it.
    Available,
    /// A Claim has it.
    Claimed,
    /// A Claim completed it.
    Completed,
}

finite_names!(WorkStatus {
    Absent = "absent",
    Available = "available",
    Claimed = "claimed",
    Completed = "completed",
});

/// What became of a Claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClaimStatus {
    /// It was never made.
    Absent,
    /// It is being worked on.
    Open,
    /// Its work is done.
    Completed,
    /// Its work went back to the queue.
    Cancelled,
}

finite_names!(ClaimStatus {
    Absent = "absent",
    Open = "open",
    Completed = "completed",
    Cancelled = "cancelled",
});

/// How far a group's native run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Run {
    /// Nothing was claimed for it.
    Absent,
    /// Claims are made, and a native slot is held for it.
    Reserved,
    /// It was launched.
    Started,
    /// It is bound to its worker.
    Bound,
    /// It has ended, and still holds its slot.
    Terminal,
    /// Its slot was given back.
    Released,
}

finite_names!(Run {
    Absent = "absent",
    Reserved = "reserved",
    Started = "started",
    Bound = "bound",
    Terminal = "terminal",
    Released = "released",
});

impl Run {
    /// Whether the run holds a native slot.
    #[must_use]
    pub const fn holds_slot(self) -> bool {
        match self {
            Self::Reserved | Self::Started | Self::Bound | Self::Terminal => true,
            Self::Absent | Self::Released => false,
        }
    }
}

/// What a host says of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RawStatus {
    /// The host does not answer.
    Unavailable,
    /// The Issue or Pull Request is open.
    Open,
    /// The Issue is closed as completed.
    ClosedCompleted,
    /// The Issue is closed as not planned.
    ClosedUnplanned,
    /// The Pull Request is merged.
    Merged,
    /// The Pull Request is closed without a merge.
    ClosedUnmerged,
}

finite_names!(RawStatus {
    Unavailable = "unavailable",
    Open = "open",
    ClosedCompleted = "closed_completed",
    ClosedUnplanned = "closed_unplanned",
    Merged = "merged",
    ClosedUnmerged = "closed_unmerged",
});

/// What a resource's status means to the works that wait for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Readiness {
    /// Nothing is known.
    Unknown,
    /// It may still get ready.
    Waiting,
    /// They need wait no longer.
    Ready,
    /// It will not get ready by itself.
    Failed,
}

finite_names!(Readiness {
    Unknown = "unknown",
    Waiting = "waiting",
    Ready = "ready",
    Failed = "failed",
});

impl Resource {
    /// The four statuses that its host knows, in enumeration order.
    #[must_use]
    pub const fn statuses(self) -> [RawStatus; 4] {
        match self {
            Self::Issue => [
                RawStatus::Open,
                RawStatus::ClosedCompleted,
                RawStatus::ClosedUnplanned,
                RawStatus::Unavailable,
            ],
            Self::PullRequest => [
                RawStatus::Open,
                RawStatus::Merged,
                RawStatus::ClosedUnmerged,
                RawStatus::Unavailable,
            ],
        }
    }

    /// What a raw status of this resource means.
    #[must_use]
    pub fn normalized(self, raw: RawStatus) -> Readiness {
        match (self, raw) {
            (Self::Issue, RawStatus::ClosedCompleted) | (Self::PullRequest, RawStatus::Merged) => {
                Readiness::Ready
            }
            (_, RawStatus::Unavailable) => Readiness::Unknown,
            (_, RawStatus::Open) => Readiness::Waiting,
            _ => Readiness::Failed,
        }
    }
}

/// How a Claim is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// Its work is done.
    Completed,
    /// Its work goes back to the queue.
    Cancelled,
}

finite_names!(Outcome {
    Completed = "completed",
    Cancelled = "cancelled",
});

/// How far a group's plan is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PendingPhase {
    /// It planned nothing yet.
    Idle,
    /// It has a plan.
    Prepared,
    /// The plan is on record, or there is nothing left to plan.
    Done,
    /// It came too late too often.
    Failed,
}

finite_names!(PendingPhase {
    Idle = "idle",
    Prepared = "prepared",
    Done = "done",
    Failed = "failed",
});

/// How far a group's worker is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Worker {
    /// It has no run yet.
    Waiting,
    /// Its agent works.
    Agent,
    /// Its host closes Claims and carries out effects.
    Finalizing,
    /// It has ended.
    Terminal,
}

finite_names!(Worker {
    Waiting = "waiting",
    Agent = "agent",
    Finalizing = "finalizing",
    Terminal = "terminal",
});

/// What an agent declared a Claim to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Intent {
    /// Nothing.
    None,
    /// To be completed.
    Completed,
    /// To be cancelled.
    Cancelled,
}

finite_names!(Intent {
    None = "none",
    Completed = "completed",
    Cancelled = "cancelled",
});

impl From<Outcome> for Intent {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Completed => Self::Completed,
            Outcome::Cancelled => Self::Cancelled,
        }
    }
}

/// How far a checkpoint is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CheckpointPhase {
    /// Nothing was prepared.
    Idle,
    /// It is prepared.
    Prepared,
    /// It is published.
    Done,
}

finite_names!(CheckpointPhase {
    Idle = "idle",
    Prepared = "prepared",
    Done = "done",
});

/// Whether an effect's delivery was verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Delivery {
    /// Nobody knows whether it arrived.
    Pending,
    /// It arrived.
    Verified,
}

finite_names!(Delivery {
    Pending = "pending",
    Verified = "verified",
});
