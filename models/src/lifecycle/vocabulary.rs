//! Claims, groups, and the values that the variables take.
//!
//! Shared design, models/lifecycle.md, sections 2 and 3.

use plumb_tla::Value;

use crate::finite::{Finite, finite_names};

/// A Claim that can be assigned.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Root {
    /// The first in the queue, of profile X.
    A,
    /// The second, of profile Y.
    B,
    /// The third, of profile X.
    C,
}

finite_names!(Root { A = "a", B = "b", C = "c" });

impl Root {
    /// The native dispatch that carries this root.
    #[must_use]
    pub const fn group(self) -> Group {
        match self {
            Self::A | Self::C => Group::X,
            Self::B => Group::Y,
        }
    }

    /// The root among all Claims.
    #[must_use]
    pub const fn claim(self) -> Claim {
        match self {
            Self::A => Claim::A,
            Self::B => Claim::B,
            Self::C => Claim::C,
        }
    }
}

/// A Claim that waits for Results of roots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Successor {
    /// Needs the Results of a and c.
    Join,
    /// Needs the Result of b.
    Blocked,
}

finite_names!(Successor { Join = "join", Blocked = "blocked" });

impl Successor {
    /// The roots whose Results it needs.
    #[must_use]
    pub const fn predecessors(self) -> &'static [Root] {
        match self {
            Self::Join => &[Root::A, Root::C],
            Self::Blocked => &[Root::B],
        }
    }

    /// The successor among all Claims.
    #[must_use]
    pub const fn claim(self) -> Claim {
        match self {
            Self::Join => Claim::Join,
            Self::Blocked => Claim::Blocked,
        }
    }
}

/// A Claim: a root or a successor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Claim {
    /// The root a.
    A,
    /// The root b.
    B,
    /// The root c.
    C,
    /// The successor of a and c.
    Join,
    /// The successor of b.
    Blocked,
}

finite_names!(Claim {
    A = "a",
    B = "b",
    C = "c",
    Join = "join",
    Blocked = "blocked",
});

/// A native dispatch, and the profile class of the roots that it carries.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Group {
    /// Carries a and c.
    X,
    /// Carries b.
    Y,
}

finite_names!(Group { X = "X", Y = "Y" });

/// How far a group's launch is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Nothing is assigned to it.
    Idle,
    /// A grant reserved its slot.
    Reserved,
    /// The intent to launch is on record.
    Marked,
    /// It was sent, and no answer is known.
    Uncertain,
    /// Its activation was checked.
    Bound,
    /// A second authentic activation contradicts the first.
    Conflict,
}

finite_names!(Phase {
    Idle = "idle",
    Reserved = "reserved",
    Marked = "marked",
    Uncertain = "uncertain",
    Bound = "bound",
    Conflict = "conflict",
});

/// What became of a Claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// Not assigned, or not ready.
    Waiting,
    /// Assigned, and being worked on.
    Open,
    /// Finished.
    Completed,
    /// Given up.
    Cancelled,
    /// A successor whose predecessors have Results.
    Ready,
}

finite_names!(Status {
    Waiting = "waiting",
    Open = "open",
    Completed = "completed",
    Cancelled = "cancelled",
    Ready = "ready",
});

/// How an agent finishes a Claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FinishOutcome {
    /// The work is done.
    Completed,
    /// The work is given up.
    Cancelled,
}

finite_names!(FinishOutcome {
    Completed = "completed",
    Cancelled = "cancelled",
});

impl FinishOutcome {
    /// The status that the Claim gets.
    #[must_use]
    pub const fn status(self) -> Status {
        match self {
            Self::Completed => Status::Completed,
            Self::Cancelled => Status::Cancelled,
        }
    }
}

/// What is known of the effect of a root that failed, when it is replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Disposition {
    /// There is none.
    None,
    /// It was made good.
    Remediated,
    /// Nothing is known of it.
    Unknown,
}

finite_names!(Disposition {
    None = "none",
    Remediated = "remediated",
    Unknown = "unknown",
});

/// A step that the protocol forbids and that was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Violation {
    /// No such step.
    None,
    /// A group was bound without a checked activation.
    Unauthenticated,
    /// An effect was entered by a second attempt.
    Rerun,
    /// A group that may have been launched was released without evidence of its end.
    UnprovedRelease,
    /// A root was replaced although nothing is known of its effect.
    UnsafeReplacement,
    /// A pause cancelled work under way.
    Preempted,
}

finite_names!(Violation {
    None = "none",
    Unauthenticated = "unauthenticated",
    Rerun = "rerun",
    UnprovedRelease = "unproved-release",
    UnsafeReplacement = "unsafe-replacement",
    Preempted = "preempted",
});

/// A count that the model needs to tell only up to two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Count {
    /// None.
    Zero,
    /// One.
    One,
    /// Two, the most there is.
    Two,
}

impl Count {
    /// One more, as far as it goes.
    #[must_use]
    pub const fn next(self) -> Self {
        match self {
            Self::Zero => Self::One,
            Self::One | Self::Two => Self::Two,
        }
    }
}

impl Finite for Count {
    const ALL: &'static [Self] = &[Self::Zero, Self::One, Self::Two];

    fn index(self) -> usize {
        self as usize
    }

    fn to_value(self) -> Value {
        Value::int(self as i64)
    }
}

/// The roots that each group carries, in the order of the queue.
///
/// A grant assigns to both groups at once, so the four assignments that can come about are one
/// value each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Assignment {
    /// Nothing is granted.
    Empty,
    /// X carries a: one dispatch, and the packing stops at b.
    First,
    /// X carries a and c, Y carries b.
    Packed,
    /// X carries a and c, and b was passed over; only a defect assigns so.
    Skipped,
}

impl Assignment {
    /// The roots of a group, in order.
    #[must_use]
    pub const fn members(self, group: Group) -> &'static [Root] {
        match (self, group) {
            (Self::Empty, _) | (Self::First | Self::Skipped, Group::Y) => &[],
            (Self::First, Group::X) => &[Root::A],
            (Self::Packed | Self::Skipped, Group::X) => &[Root::A, Root::C],
            (Self::Packed, Group::Y) => &[Root::B],
        }
    }

    /// Whether a group carries the root.
    #[must_use]
    pub fn contains(self, root: Root) -> bool {
        self.members(root.group()).contains(&root)
    }
}

impl Finite for Assignment {
    const ALL: &'static [Self] = &[Self::Empty, Self::First, Self::Packed, Self::Skipped];

    fn index(self) -> usize {
        self as usize
    }

    fn to_value(self) -> Value {
        Value::function(Group::ALL.iter().map(|group| {
            let members = self.members(*group).iter().map(|root| root.to_value());
            (group.to_value(), Value::tuple(members))
        }))
    }
}
