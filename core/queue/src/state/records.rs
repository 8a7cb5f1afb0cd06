//! The records that a [`State`](super::State) is made of. Those that a checkpoint holds as they are
//! have a form as JSON.

use std::sync::Arc;

use num_bigint::BigUint;
use plumb_canonical::{Digest, Value};

use crate::code::{Code, Reason};
use crate::wire::commit::Budget;
use crate::wire::macros::{record, words};
use crate::wire::operation::{Claim, DeliveryFailure, IssueLink, Release, ResultOperation, Work};
use crate::wire::policy::WorkerProfile;
use crate::wire::scalar::{
    Bounded, ClaimId, CommitId, Epoch, Identity, ObservationId, PoolName, Principal, Priority,
    ProfileName, RequestId, Timestamp, WorkId,
};
use crate::wire::{Actor, GateKey, OrNull, RequestKind, RunBinding, Wire, WireError};

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

/// A Work, and what became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkRecord {
    /// As it was admitted.
    pub work: Arc<Work>,
    /// When.
    pub position: Position,
    /// By whom.
    pub creator: Arc<Actor>,
    /// How urgent it is now.
    pub priority: Priority,
    /// How often it was granted.
    pub attempts: u64,
    /// How far it has come.
    pub state: WorkState,
    /// When it may be granted again.
    pub retry_not_before: Timestamp,
    /// The contract of its worker when it was admitted; frozen for Work that names no revision.
    pub admission_contract: Option<Digest>,
    /// The issue that shows it.
    pub issue: Option<Arc<IssueLink>>,
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

/// A graph of Works.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GraphRecord {
    /// The pool of all of them.
    pub pool: PoolName,
    /// How many there are.
    pub nodes: u64,
    /// The gates they wait for.
    pub gates: Vec<GateKey>,
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

/// The last thing seen of a gate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GateRecord {
    /// What was seen.
    pub observation: Arc<crate::wire::evidence::Observation>,
    /// How often it was written in this epoch.
    pub writes: u64,
}

record! {
    /// Why it was the turn of a Work that was granted.
    ClaimExplanation, CheckpointInvalid {
        /// The Work.
        work_id: WorkId,
        /// The planner's reason.
        reason: Reason,
        /// The Observations that its gates rested on.
        observations: Vec<ObservationId>,
        /// The pass with which its class was chosen; none in strict mode.
        class_pass: Option<BigUint>,
        /// The pass with which its account was chosen.
        key_pass: BigUint,
    }
}

record! {
    /// What is remembered of a request, so that the same request is answered the same way again.
    Receipt, CheckpointInvalid {
        /// The commit that answered it.
        id: CommitId,
        /// The commit before that; null of the first.
        previous: OrNull<CommitId>,
        /// The request.
        request_id: RequestId,
        /// What was asked for,
        kind: RequestKind,
        /// and its fingerprint.
        fingerprint: Digest,
        /// The digest of what was asked for in detail.
        parameters_digest: Digest,
        /// Of a dispatch_next, its budget.
        dispatch_parameters: Option<Budget>,
        /// By whom.
        actor: Arc<Actor>,
        /// Under which policy.
        epoch: Epoch,
        /// When.
        at: Timestamp,
        /// How many operations it had.
        events: u64,
        /// Why each of its Claims was due, in their order.
        claim_explanations: Vec<ClaimExplanation>,
        /// Of a checkpoint, the commit that was the last one before it.
        prior_tip: Option<CommitId>,
    }
}
