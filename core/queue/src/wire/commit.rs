//! The envelope: commits, requests and actors (sections 2.1 to 2.3).

use plumb_canonical::{Digest, Object, Value};

use super::macros::{record, words};
use super::operation::Operation;
use super::scalar::{
    Bounded, ClaimHandle, CommitId, Count, Decimal, DispatchId, Epoch, Identity, PoolName,
    Principal, ProfileName, Repository, RequestId, Revision, Timestamp,
};
use super::{Member, OrNull, Wire, WireError, closed};
use crate::code::Code;

words! {
    /// In which role an actor acts (section 2.2).
    Role {
        /// Decides policy and controls.
        Administrator = "administrator",
        /// Submits work.
        Producer = "producer",
        /// Grants and launches.
        Dispatcher = "dispatcher",
        /// Runs.
        Worker = "worker",
        /// Finds out what became of launches and deliveries.
        Reconciler = "reconciler",
        /// Shows work as issues.
        Projector = "projector",
    }
}

words! {
    /// What is asked for (section 2.2).
    RequestKind {
        /// Install a policy.
        Policy = "policy",
        /// Change settings and priorities.
        Control = "control",
        /// Admit Work.
        Submit = "submit",
        /// Grant Work.
        DispatchNext = "dispatch_next",
        /// End a Claim.
        Finish = "finish",
        /// Note Observations.
        Observe = "observe",
        /// Move a Dispatch on.
        Dispatch = "dispatch",
        /// Give a native slot back.
        Release = "release",
        /// Verify effects.
        Result = "result",
        /// Give up verifying them.
        DeliveryFailure = "delivery_failure",
        /// End Work.
        CancelWork = "cancel_work",
        /// Take Work from its Dispatch.
        CancelClaim = "cancel_claim",
        /// Show Work as an issue.
        IssueLink = "issue_link",
        /// Replace the history.
        Checkpoint = "checkpoint",
        /// Change a deployment.
        Deployment = "deployment",
    }
}

record! {
    /// Who acts, and from where.
    Actor, RequestInvalid {
        /// In which role.
        role: Role,
        /// Who.
        principal: Principal,
        /// The queue repository.
        repository: Repository,
        /// The workflow that runs.
        workflow: Option<Identity>,
        /// Its run.
        run_id: Option<Decimal>,
        /// The run's attempt.
        run_attempt: Option<Count>,
        /// The Dispatch that the run is.
        dispatch_id: Option<DispatchId>,
        /// The Claim that it acts for.
        claim_handle: Option<ClaimHandle>,
    }
}

record! {
    /// Diagnostics: no part of any decision.
    Trace, RequestInvalid {
        /// A trace.
        trace_id: Option<Identity>,
        /// A span of it.
        span_id: Option<Identity>,
        /// Which attempt of the publisher this was.
        publisher_attempt: Option<Count>,
    }
}

words! {
    /// How a worker ends its Claim.
    Outcome {
        /// Done.
        Completed = "completed",
        /// Not done.
        Cancelled = "cancelled",
    }
}

record! {
    /// What a `dispatch_next` may use (section 2.3).
    Budget, RequestInvalid {
        /// The pool.
        pool: PoolName,
        /// Claims.
        max_claims: Bounded<1, 256>,
        /// Dispatches.
        max_dispatches: Bounded<1, 256>,
        /// Bytes of each Assignment.
        max_bytes: Bounded<1, 49_152>,
        /// The profiles that the caller may schedule. `None` is no restriction; an empty list allows
        /// nothing.
        worker_profiles: Option<Vec<ProfileName>>,
    }
}

record! {
    /// The Claim that is ended, and how.
    Finish, RequestInvalid {
        /// The Dispatch.
        dispatch_id: DispatchId,
        /// The Claim in it.
        claim_handle: ClaimHandle,
        /// How.
        outcome: Outcome,
    }
}

record! {
    /// What a checkpoint stands for.
    CheckpointParameters, RequestInvalid {
        /// The Git commit that held the log.
        prior_git_sha: Revision,
        /// Its last commit.
        prior_tip: CommitId,
        /// The SHA-256 of the log.
        history_sha256: Digest,
        /// The SHA-256 of the logical state.
        state_sha256: Digest,
    }
}

/// The parameters of a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Parameters {
    /// Of a submit: the commit's Work operations.
    Nodes,
    /// Of most others: the commit's operations.
    Operations,
    /// Of a dispatch_next.
    DispatchNext(Budget),
    /// Of a finish.
    Finish(Finish),
    /// Of a checkpoint.
    Checkpoint(CheckpointParameters),
}

/// A typed request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueRequest {
    /// Chosen by the requester; the same id is the same request.
    pub id: RequestId,
    /// What is asked for.
    pub kind: RequestKind,
    /// With which parameters.
    pub parameters: Parameters,
    /// Of actor, kind and parameters (section 4).
    pub fingerprint: Digest,
}

/// One line of the log.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueueCommit {
    /// Its id.
    pub id: CommitId,
    /// The commit before it, if there is one.
    pub previous: Option<CommitId>,
    /// What was asked for.
    pub request: QueueRequest,
    /// By whom.
    pub actor: Actor,
    /// Under which policy.
    pub policy_epoch: Epoch,
    /// When.
    pub at: Timestamp,
    /// What happened, 1 to 256.
    pub operations: Vec<Operation>,
    /// Diagnostics.
    pub trace: Option<Trace>,
}

const COMMIT: [&str; 9] = [
    "version",
    "id",
    "previous",
    "request",
    "actor",
    "policy_epoch",
    "at",
    "operations",
    "trace",
];

fn member<T: Member>(object: &Object<'_>, name: &'static str) -> Result<T, WireError> {
    let value = T::read_member(object.get(name), Code::RequestInvalid);
    value.map_err(|error| error.within(name))
}

impl Wire for QueueCommit {
    fn read(value: &Value<'_>, _: Code) -> Result<Self, WireError> {
        let code = Code::RequestInvalid;
        let object = closed(value, code, "QueueCommit", &COMMIT)?;
        member::<Bounded<3, 3>>(object, "version")?;
        let id = member(object, "id")?;
        let OrNull(previous) = member(object, "previous")?;
        let missing = Value::Null;
        let request = object.get("request").unwrap_or(&missing);
        let request = QueueRequest::read(request, code);
        let commit = Self {
            id,
            previous,
            request: request.map_err(|error| error.within("request"))?,
            actor: member(object, "actor")?,
            policy_epoch: member(object, "policy_epoch")?,
            at: member(object, "at")?,
            operations: member(object, "operations")?,
            trace: member(object, "trace")?,
        };
        let count = commit.operations.len();
        if !(1..=256).contains(&count) {
            let rule = format!("{count} operations are not 1 to 256");
            return Err(WireError::rule(code, rule).within("operations"));
        }
        Ok(commit)
    }

    fn write(&self) -> Value<'_> {
        let mut object = Object::new();
        object.insert("version", Value::from(3));
        object.insert("id", self.id.write());
        object.insert(
            "previous",
            self.previous.as_ref().map_or(Value::Null, Wire::write),
        );
        let mut request = Object::new();
        request.insert("id", self.request.id.write());
        request.insert("kind", self.request.kind.write());
        request.insert("parameters", self.parameters());
        request.insert("fingerprint", self.request.fingerprint.write());
        object.insert("request", request.into());
        object.insert("actor", self.actor.write());
        object.insert("policy_epoch", self.policy_epoch.write());
        object.insert("at", self.at.write());
        object.insert("operations", self.operations.write());
        if let Some(trace) = &self.trace {
            object.insert("trace", trace.write());
        }
        object.into()
    }
}

impl QueueCommit {
    /// Computes the fingerprint of the request (section 4).
    pub fn sign(&mut self) {
        let (actor, parameters) = (self.actor.write(), self.parameters());
        let fingerprint = crate::identity::fingerprint(&actor, self.request.kind, &parameters);
        self.request.fingerprint = fingerprint;
    }

    /// The line that it is in a log, with its newline.
    #[must_use]
    pub fn to_line(&self) -> String {
        let mut line = self.write().to_canonical();
        line.push('\n');
        line
    }

    /// The parameters as they are written.
    #[must_use]
    pub fn parameters(&self) -> Value<'_> {
        let work = |operation: &&Operation| matches!(operation, Operation::Work(_));
        let (name, operations) = match &self.request.parameters {
            Parameters::Nodes => {
                let nodes = self.operations.iter().filter(work).map(Wire::write);
                ("nodes", Value::Array(nodes.collect()))
            }
            Parameters::Operations => ("operations", self.operations.write()),
            Parameters::DispatchNext(budget) => return budget.write(),
            Parameters::Finish(finish) => return finish.write(),
            Parameters::Checkpoint(checkpoint) => return checkpoint.write(),
        };
        let mut object = Object::new();
        object.insert(name, operations);
        object.into()
    }
}

impl QueueRequest {
    /// Reads a request. That `nodes` and `operations` are those of the commit is not checked here.
    fn read(value: &Value<'_>, code: Code) -> Result<Self, WireError> {
        let known = ["id", "kind", "parameters", "fingerprint"];
        let object = closed(value, code, "QueueRequest", &known)?;
        let kind = member(object, "kind")?;
        let missing = Value::Null;
        let parameters = object.get("parameters").unwrap_or(&missing);
        let listed = |name: &'static str, parameters| {
            let object = closed(parameters, code, "list of operations", &[name])?;
            match object.get(name).and_then(Value::as_array).map(<[_]>::len) {
                Some(1..=256) => Ok(()),
                _ => Err(WireError::expected(code, "1 to 256 operations", parameters).within(name)),
            }
        };
        let parameters = match kind {
            RequestKind::Submit => listed("nodes", parameters).map(|()| Parameters::Nodes),
            RequestKind::DispatchNext => Wire::read(parameters, code).map(Parameters::DispatchNext),
            RequestKind::Finish => Wire::read(parameters, code).map(Parameters::Finish),
            RequestKind::Checkpoint => Wire::read(parameters, code).map(Parameters::Checkpoint),
            _ => listed("operations", parameters).map(|()| Parameters::Operations),
        };
        Ok(Self {
            id: member(object, "id")?,
            kind,
            parameters: parameters.map_err(|error| error.within("parameters"))?,
            fingerprint: member(object, "fingerprint")?,
        })
    }
}
