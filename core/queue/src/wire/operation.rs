//! The seventeen operations (section 2.4).

use plumb_canonical::{Digest, Object, Value};

use super::commit::Actor;
use super::evidence::{Dependency, Effects, Evidence, Observation, Resource, RunBinding};
use super::macros::{record, words};
use super::policy::{QueuePolicy, WorkerProfile};
use super::scalar::{
    ClaimHandle, ClaimId, CommitId, Decimal, DispatchId, Epoch, FairnessKey, FirstAttempt,
    Generation, GraphId, Identity, Json, NodeKey, ObservationId, PoolName, Principal, Priority,
    ProfileName, ReasonCode, Revision, Timestamp, WorkId,
};
use super::{Member, Wire, WireError, closed, object};
use crate::code::Code;

record! {
    /// Installs a policy under a new epoch.
    Policy, PolicyInvalid, tag "Policy" {
        /// The epoch that begins.
        epoch: Epoch,
        /// The policy.
        policy: QueuePolicy,
    }
}

record! {
    /// Replaces a deployed revision, or switches one on or off.
    Deployment, DeploymentInvalid, tag "Deployment" {
        /// The pool.
        pool: PoolName,
        /// The profile of the policy.
        worker_profile: ProfileName,
        /// The current revision, as the proposer saw it.
        expected_ref: Identity,
        /// Its contract.
        expected_contract: Digest,
        /// The profile with the revision that this is about.
        profile: WorkerProfile,
        /// Whether that revision may run.
        available: bool,
        /// Whether it becomes the current one; if absent, yes.
        activate: Option<bool>,
        /// Why.
        reason: ReasonCode,
    }
}

/// Changes what is true of the whole queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Control {
    /// What, and to what.
    pub setting: Setting,
    /// Why.
    pub reason: ReasonCode,
}

/// A setting of the whole queue.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Setting {
    /// Whether new Work is refused.
    AdmissionPaused(bool),
    /// Whether Claims and launches are refused.
    GrantsPaused(bool),
    /// The generation of credentials with which Observations must be made.
    CredentialGeneration(Generation),
}

impl Wire for Control {
    fn read(value: &Value<'_>, _: Code) -> Result<Self, WireError> {
        let code = Code::ControlInvalid;
        let object = closed(
            value,
            code,
            "Control",
            &["kind", "control", "value", "reason"],
        )?;
        let missing = Value::Null;
        let setting = object.get("value").unwrap_or(&missing);
        let control = object.get("control").and_then(Value::as_str);
        let setting = match control {
            Some("admission_paused") => Wire::read(setting, code).map(Setting::AdmissionPaused),
            Some("grants_paused") => Wire::read(setting, code).map(Setting::GrantsPaused),
            Some("credential_generation") => {
                Wire::read(setting, code).map(Setting::CredentialGeneration)
            }
            _ => {
                let expected = "admission_paused, grants_paused or credential_generation";
                let found = object.get("control").unwrap_or(&missing);
                return Err(WireError::expected(code, expected, found).within("control"));
            }
        };
        let reason = Member::read_member(object.get("reason"), code);
        Ok(Self {
            setting: setting.map_err(|error| error.within("value"))?,
            reason: reason.map_err(|error: WireError| error.within("reason"))?,
        })
    }

    fn write(&self) -> Value<'_> {
        let (control, value) = match &self.setting {
            Setting::AdmissionPaused(paused) => ("admission_paused", paused.write()),
            Setting::GrantsPaused(paused) => ("grants_paused", paused.write()),
            Setting::CredentialGeneration(generation) => {
                ("credential_generation", generation.write())
            }
        };
        let mut object = Object::new();
        object.insert("kind", Value::from("Control"));
        object.insert("control", Value::from(control));
        object.insert("value", value);
        object.insert("reason", self.reason.write());
        object.into()
    }
}

words! {
    /// Why a failed Work may be done once more.
    ReplacementDisposition {
        /// Doing it twice is as good as once.
        Idempotent = "idempotent",
        /// What it did was undone.
        Compensated = "compensated",
        /// Somebody looked.
        Inspection = "inspection",
    }
}

record! {
    /// The failed Work that this one stands in for.
    Replacement, ReplacementInvalid {
        /// The failed one.
        work_id: WorkId,
        /// Why it may be done once more.
        disposition: ReplacementDisposition,
        /// What shows that.
        evidence: Evidence,
    }
}

record! {
    /// Admits a piece of work.
    Work, WorkInvalid, tag "Work" {
        /// Derived from the graph and the node (section 4).
        work_id: WorkId,
        /// Its graph.
        graph_id: GraphId,
        /// Its name in the graph.
        node_key: NodeKey,
        /// Its pool.
        pool: PoolName,
        /// How urgent it is.
        priority: Priority,
        /// Whose share it uses.
        fairness_key: FairnessKey,
        /// How it is run.
        worker_profile: ProfileName,
        /// What it may be batched with.
        batch_trust_domain: Identity,
        /// What is to be done; the queue does not look into it.
        payload: Json,
        /// What must come first.
        depends_on: Vec<Dependency>,
        /// When its producer made it.
        enqueued: Timestamp,
        /// What it is about.
        subject: Option<Resource>,
        /// The issue that shows it.
        backing_issue: Option<Resource>,
        /// The failed Work it stands in for.
        replacement_of: Option<Replacement>,
        /// The contract that its worker must have.
        logical_contract: Option<Digest>,
        /// The revision that must run it.
        execution_ref: Option<Revision>,
    }
}

record! {
    /// Grants a Work to a Dispatch.
    Claim, SelectionInvalid, tag "Claim" {
        /// The Work.
        work_id: WorkId,
        /// Derived (section 4).
        claim_id: ClaimId,
        /// Derived (section 4).
        dispatch_id: DispatchId,
        /// Its place in the Dispatch.
        handle: ClaimHandle,
        /// The Observations that made the Work's gates ready.
        observations: Vec<ObservationId>,
    }
}

record! {
    /// The worker says that it has finished.
    Completion, RequestInvalid, tag "Completion" {
        /// The Work.
        work_id: WorkId,
        /// The Claim.
        claim_id: ClaimId,
        /// The Dispatch.
        dispatch_id: DispatchId,
        /// The Claim's place in it.
        claim_handle: ClaimHandle,
        /// The run.
        run_id: Decimal,
        /// Its attempt.
        run_attempt: FirstAttempt,
    }
}

record! {
    /// The effects were verified.
    ResultOperation, ResultInvalid, tag "Result" {
        /// The Work.
        work_id: WorkId,
        /// The Claim.
        claim_id: ClaimId,
        /// The commit that completed it.
        completion_id: CommitId,
        /// What children get of it.
        descriptor: Json,
        /// What shows it.
        evidence: Evidence,
    }
}

record! {
    /// The effects cannot be verified.
    DeliveryFailure, ResultInvalid, tag "DeliveryFailure" {
        /// The Work.
        work_id: WorkId,
        /// The Claim.
        claim_id: ClaimId,
        /// The commit that completed it.
        completion_id: CommitId,
        /// Why.
        reason: ReasonCode,
        /// What is known about the effects.
        disposition: Effects,
        /// What shows it.
        evidence: Evidence,
    }
}

record! {
    /// Takes a Work from its Dispatch.
    ClaimCancellation, RequestInvalid, tag "ClaimCancellation" {
        /// The Work.
        work_id: WorkId,
        /// The Claim.
        claim_id: ClaimId,
        /// Why.
        reason: ReasonCode,
        /// When it may be granted again.
        retry_not_before: Timestamp,
    }
}

record! {
    /// Ends a Work without completing it.
    WorkCancellation, RequestInvalid, tag "WorkCancellation" {
        /// The Work.
        work_id: WorkId,
        /// Why.
        reason: ReasonCode,
        /// Only if this is the current owner.
        claim_id: Option<ClaimId>,
    }
}

record! {
    /// Changes how urgent a Work is.
    WorkPriority, RequestInvalid, tag "WorkPriority" {
        /// The Work.
        work_id: WorkId,
        /// The new priority.
        priority: Priority,
        /// Only if this is the present one.
        expected_priority: Priority,
        /// Why.
        reason: ReasonCode,
    }
}

words! {
    /// How far a Dispatch has come (section 8.1).
    DispatchStep {
        /// It is about to be launched.
        Started = "started",
        /// Its run is known.
        Bound = "bound",
        /// The host refused.
        Rejected = "rejected",
        /// The answer was lost.
        Uncertain = "uncertain",
        /// It was tried to find out, often enough.
        Unresolved = "unresolved",
    }
}

record! {
    /// Says how far a Dispatch has come.
    Dispatch, DispatchInvalid, tag "Dispatch" {
        /// The Dispatch.
        dispatch_id: DispatchId,
        /// How far.
        state: DispatchStep,
        /// Who launches it.
        sender: Option<Actor>,
        /// As whom.
        credential_principal: Option<Principal>,
        /// The run.
        run: Option<RunBinding>,
        /// What shows it.
        evidence: Option<Evidence>,
        /// Why it is not known.
        reason: Option<ReasonCode>,
    }
}

record! {
    /// Gives a native slot back.
    Release, DispatchInvalid, tag "Release" {
        /// The Dispatch.
        dispatch_id: DispatchId,
        /// What shows that nothing runs.
        evidence: Evidence,
    }
}

record! {
    /// Shows a Work as an issue.
    IssueLink, IssueBindingInvalid, tag "IssueLink" {
        /// The Work.
        work_id: WorkId,
        /// The issue.
        resource: Resource,
        /// The ref of the projector.
        projector_ref: Identity,
        /// The Claim for which it does.
        claim_id: Option<ClaimId>,
    }
}

record! {
    /// Notes a comment on such an issue.
    IssueComment, IssueBindingInvalid, tag "IssueComment" {
        /// The Work.
        work_id: WorkId,
        /// The comment.
        comment_id: Decimal,
        /// The ref of the projector.
        projector_ref: Identity,
        /// The Claim that the comment is about.
        claim_id: Option<ClaimId>,
        /// The Claim under whose authority it was made.
        authority_claim_id: Option<ClaimId>,
    }
}

record! {
    /// Stands for all commits before it (section 10).
    Checkpoint, CheckpointInvalid, tag "Checkpoint" {
        /// The Git commit that held them.
        prior_git_sha: Revision,
        /// The last of them.
        prior_tip: CommitId,
        /// The SHA-256 of the log.
        history_sha256: Digest,
        /// The SHA-256 of the logical state.
        state_sha256: Digest,
        /// The state, with its receipts compressed.
        state: Json,
    }
}

macro_rules! operations {
    ($($(#[$doc:meta])* $variant:ident($type:ty) = $name:literal,)*) => {
        /// One of the things that a commit can say.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub enum Operation {
            $($(#[$doc])* $variant($type),)*
        }

        words! {
            /// The kind of an [`Operation`].
            OperationKind {
                $($(#[$doc])* $variant = $name,)*
            }
        }

        impl Operation {
            /// Its kind.
            #[must_use]
            pub fn kind(&self) -> OperationKind {
                match self {
                    $(Self::$variant(_) => OperationKind::$variant,)*
                }
            }
        }

        impl Wire for Operation {
            fn read(value: &Value<'_>, code: Code) -> Result<Self, WireError> {
                let missing = Value::Null;
                let kind = object(value, code)?.get("kind").unwrap_or(&missing);
                let kind = OperationKind::read(kind, code).map_err(|error| error.within("kind"))?;
                match kind {
                    $(OperationKind::$variant => Wire::read(value, code).map(Self::$variant),)*
                }
            }

            fn write(&self) -> Value<'_> {
                match self {
                    $(Self::$variant(operation) => operation.write(),)*
                }
            }
        }
    };
}

operations! {
    /// Installs a policy.
    Policy(Policy) = "Policy",
    /// Changes a deployment.
    Deployment(Deployment) = "Deployment",
    /// Changes a setting of the queue.
    Control(Control) = "Control",
    /// Admits a Work.
    Work(Work) = "Work",
    /// Grants a Work.
    Claim(Claim) = "Claim",
    /// Finishes a Work.
    Completion(Completion) = "Completion",
    /// Verifies its effects.
    Result(ResultOperation) = "Result",
    /// Gives up verifying them.
    DeliveryFailure(DeliveryFailure) = "DeliveryFailure",
    /// Notes what was seen of a resource.
    Observation(Observation) = "Observation",
    /// Takes a Work from its Dispatch.
    ClaimCancellation(ClaimCancellation) = "ClaimCancellation",
    /// Ends a Work.
    WorkCancellation(WorkCancellation) = "WorkCancellation",
    /// Changes a priority.
    WorkPriority(WorkPriority) = "WorkPriority",
    /// Moves a Dispatch on.
    Dispatch(Dispatch) = "Dispatch",
    /// Gives its slot back.
    Release(Release) = "Release",
    /// Shows a Work as an issue.
    IssueLink(IssueLink) = "IssueLink",
    /// Notes a comment.
    IssueComment(IssueComment) = "IssueComment",
    /// Stands for the history.
    Checkpoint(Checkpoint) = "Checkpoint",
}
