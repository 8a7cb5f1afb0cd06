//! The records that a [`State`](super::State) is made of. They have a form of their own as JSON, in
//! which a checkpoint holds them.

use std::sync::Arc;

use plumb_canonical::{Digest, Value};

use crate::code::Code;
use crate::identity::object;
use crate::wire::commit::Budget;
use crate::wire::macros::{record, words};
use crate::wire::operation::{Claim, DeliveryFailure, IssueLink, Release, ResultOperation, Work};
use crate::wire::policy::WorkerProfile;
use crate::wire::scalar::{
    Bounded, ClaimId, CommitId, DispatchId, Epoch, Identity, PoolName, Principal, Priority,
    ProfileName, RequestId, Timestamp,
};
use crate::wire::{Actor, GateKey, Member, RequestKind, RunBinding, Wire, WireError, closed};

/// A count that JSON can hold.
pub type Number = Bounded<0, { (1 << 53) - 1 }>;

/// When a Work came: the commit's place in the chain, and the operation's in the commit. Works are
/// served in this order, and keep their place when they are attempted again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Position {
    /// The commit, counted from 0.
    pub ordinal: u64,
    /// The operation, counted from 0.
    pub index: u64,
}

impl Wire for Position {
    fn read(value: &Value<'_>, code: Code) -> Result<Self, WireError> {
        let numbers: Vec<Number> = Wire::read(value, code)?;
        match numbers[..] {
            [ordinal, index] => Ok(Self {
                ordinal: ordinal.get(),
                index: index.get(),
            }),
            _ => Err(WireError::expected(
                code,
                "a commit's and an operation's number",
                value,
            )),
        }
    }

    fn write(&self) -> Value<'_> {
        let number = crate::wire::scalar::number;
        Value::Array(vec![number(self.ordinal), number(self.index)])
    }
}

impl Wire for u64 {
    fn read(value: &Value<'_>, code: Code) -> Result<Self, WireError> {
        Number::read(value, code).map(Number::get)
    }

    fn write(&self) -> Value<'_> {
        crate::wire::scalar::number(*self)
    }
}

/// What is known of the effects of a completed Work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Barrier {
    /// Nothing yet.
    Pending,
    /// They were verified.
    Verified {
        /// The commit that says so.
        commit: CommitId,
        /// What it says.
        result: Arc<ResultOperation>,
    },
    /// They cannot be verified.
    Failed(Arc<DeliveryFailure>),
}

/// How far a Work has come.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WorkState {
    /// It waits for a grant.
    Available,
    /// It has an owner.
    Claimed {
        /// The open Claim.
        claim: ClaimId,
    },
    /// Its worker has finished.
    Completed {
        /// The Claim that was open.
        claim: ClaimId,
        /// The commit.
        completion: CommitId,
        /// Its time.
        at: Timestamp,
        /// What is known of its effects.
        barrier: Barrier,
    },
    /// It ended otherwise.
    Cancelled {
        /// When.
        at: Timestamp,
    },
}

impl WorkState {
    /// The state's name, as the projection of section 14 has it.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Available => "available",
            Self::Claimed { .. } => "claimed",
            Self::Completed { .. } => "completed",
            Self::Cancelled { .. } => "cancelled",
        }
    }

    /// The barrier's name, as the projection of section 14 has it.
    #[must_use]
    pub fn barrier_name(&self) -> &'static str {
        match self {
            Self::Completed { barrier, .. } => match barrier {
                Barrier::Pending => "pending",
                Barrier::Verified { .. } => "verified",
                Barrier::Failed(_) => "failed",
            },
            _ => "none",
        }
    }
}

impl Wire for WorkState {
    fn read(value: &Value<'_>, code: Code) -> Result<Self, WireError> {
        let state = value.get("state").and_then(Value::as_str);
        let barrier = value.get("barrier").and_then(Value::as_str);
        let known: &[&str] = match (state.unwrap_or_default(), barrier.unwrap_or_default()) {
            ("claimed", _) => &["state", "claim"],
            ("cancelled", _) => &["state", "at"],
            ("completed", "verified") => &[
                "state",
                "claim",
                "completion",
                "at",
                "barrier",
                "commit",
                "operation",
            ],
            ("completed", "failed") => {
                &["state", "claim", "completion", "at", "barrier", "operation"]
            }
            ("completed", _) => &["state", "claim", "completion", "at", "barrier"],
            _ => &["state"],
        };
        let object = closed(value, code, "state of a Work", known)?;
        fn member<T: Wire>(
            object: &plumb_canonical::Object<'_>,
            name: &'static str,
        ) -> Result<T, WireError> {
            let value = Member::read_member(object.get(name), Code::CheckpointInvalid);
            value.map_err(|error: WireError| error.within(name))
        }
        Ok(match state.unwrap_or_default() {
            "available" => Self::Available,
            "claimed" => Self::Claimed {
                claim: member(object, "claim")?,
            },
            "cancelled" => Self::Cancelled {
                at: member(object, "at")?,
            },
            "completed" => Self::Completed {
                claim: member(object, "claim")?,
                completion: member(object, "completion")?,
                at: member(object, "at")?,
                barrier: match barrier.unwrap_or_default() {
                    "pending" => Barrier::Pending,
                    "verified" => Barrier::Verified {
                        commit: member(object, "commit")?,
                        result: member(object, "operation")?,
                    },
                    "failed" => Barrier::Failed(member(object, "operation")?),
                    _ => return Err(WireError::expected(code, "a barrier", value)),
                },
            },
            _ => return Err(WireError::expected(code, "a state of a Work", value)),
        })
    }

    fn write(&self) -> Value<'_> {
        let mut members = vec![("state", Value::from(self.name()))];
        match self {
            Self::Available => {}
            Self::Claimed { claim } => members.push(("claim", claim.write())),
            Self::Cancelled { at } => members.push(("at", at.write())),
            Self::Completed {
                claim,
                completion,
                at,
                barrier,
            } => {
                members.push(("claim", claim.write()));
                members.push(("completion", completion.write()));
                members.push(("at", at.write()));
                members.push(("barrier", Value::from(self.barrier_name())));
                match barrier {
                    Barrier::Pending => {}
                    Barrier::Verified { commit, result } => {
                        members.push(("commit", commit.write()));
                        members.push(("operation", result.write()));
                    }
                    Barrier::Failed(failure) => members.push(("operation", failure.write())),
                }
            }
        }
        object(members)
    }
}

record! {
    /// A Work, and what became of it.
    WorkRecord, CheckpointInvalid {
        /// As it was admitted.
        work: Arc<Work>,
        /// When.
        position: Position,
        /// By whom.
        creator: Arc<Actor>,
        /// How urgent it is now.
        priority: Priority,
        /// How often it was granted.
        attempts: u64,
        /// How far it has come.
        state: WorkState,
        /// When it may be granted again.
        retry_not_before: Timestamp,
        /// The contract of its worker when it was admitted; frozen for Work that names no revision.
        admission_contract: Option<Digest>,
        /// The issue that shows it.
        issue: Option<Arc<IssueLink>>,
    }
}

impl WorkRecord {
    /// True until it is cancelled, or completed with its delivery decided.
    #[must_use]
    pub fn is_pending(&self) -> bool {
        match &self.state {
            WorkState::Available | WorkState::Claimed { .. } => true,
            WorkState::Completed { barrier, .. } => *barrier == Barrier::Pending,
            WorkState::Cancelled { .. } => false,
        }
    }
}

words! {
    /// How far a Claim has come.
    ClaimState {
        /// It owns its Work.
        Open = "open",
        /// Its worker has finished.
        Completed = "completed",
        /// It was taken away.
        Cancelled = "cancelled",
    }
}

record! {
    /// A Claim, and what became of it.
    ClaimRecord, CheckpointInvalid {
        /// As it was granted.
        claim: Arc<Claim>,
        /// How far it has come.
        state: ClaimState,
    }
}

words! {
    /// How far a Dispatch has come (section 8.1).
    DispatchState {
        /// Its Claims are granted.
        Reserved = "reserved",
        /// It is being launched.
        Started = "started",
        /// Its run is known.
        Bound = "bound",
        /// The host refused it.
        Rejected = "rejected",
        /// The answer was lost.
        Uncertain = "uncertain",
        /// It could not be found out.
        Unresolved = "unresolved",
    }
}

record! {
    /// A Dispatch, and what became of it.
    DispatchRecord, CheckpointInvalid {
        /// Its pool.
        pool: PoolName,
        /// Its profile's name,
        worker_profile: ProfileName,
        /// and the profile as it was then.
        profile: Arc<WorkerProfile>,
        /// The commit that granted it,
        commit: CommitId,
        /// its request,
        request: RequestId,
        /// and its epoch.
        epoch: Epoch,
        /// Its Claims; the first has the handle h1.
        claims: Vec<ClaimId>,
        /// How far it has come.
        state: DispatchState,
        /// Who launched it.
        sender: Option<Arc<Actor>>,
        /// As whom it runs.
        principal: Option<Principal>,
        /// Its run.
        run: Option<Arc<RunBinding>>,
        /// How often it was written.
        writes: u64,
        /// What gave its slot back.
        release: Option<Arc<Release>>,
    }
}

record! {
    /// A graph of Works.
    GraphRecord, CheckpointInvalid {
        /// The pool of all of them.
        pool: PoolName,
        /// How many there are.
        nodes: u64,
        /// The gates they wait for.
        gates: Vec<GateKey>,
    }
}

impl Wire for GateKey {
    fn read(value: &Value<'_>, code: Code) -> Result<Self, WireError> {
        let text = value
            .as_str()
            .ok_or_else(|| WireError::expected(code, "a gate", value))?;
        Ok(Self::from_text(text))
    }

    fn write(&self) -> Value<'_> {
        Value::from(self.as_str())
    }
}

record! {
    /// A revision of a deployed profile.
    Revision, CheckpointInvalid {
        /// The profile with this revision.
        profile: Arc<WorkerProfile>,
        /// Whether it may run.
        available: bool,
    }
}

record! {
    /// A contract-marked profile, and the revisions that have been deployed (section 8.13).
    DeploymentRecord, CheckpointInvalid {
        /// The ref of the current revision.
        current: Identity,
        /// Every revision ever recorded.
        revisions: Vec<Revision>,
    }
}

record! {
    /// The last thing seen of a gate.
    GateRecord, CheckpointInvalid {
        /// What was seen.
        observation: Arc<crate::wire::evidence::Observation>,
        /// How often it was written in this epoch.
        writes: u64,
    }
}

record! {
    /// What is remembered of a request, so that the same request is answered the same way again.
    Receipt, CheckpointInvalid {
        /// The commit that answered it.
        id: CommitId,
        /// The commit before that.
        previous: Option<CommitId>,
        /// What was asked for,
        kind: RequestKind,
        /// and its fingerprint.
        fingerprint: Digest,
        /// Of a dispatch_next, its budget.
        dispatch_parameters: Option<Budget>,
        /// By whom.
        actor: Arc<Actor>,
        /// Under which policy.
        epoch: Epoch,
        /// When.
        at: Timestamp,
        /// The Dispatches that it made.
        dispatches: Vec<DispatchId>,
        /// How many operations it had.
        events: u64,
        /// Of a checkpoint, the commit that was the last one before it.
        prior_tip: Option<CommitId>,
    }
}
