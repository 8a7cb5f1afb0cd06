//! Resources of the host, and what is known about them and about runs (section 2.5).

use plumb_canonical::{Object, Value};

use super::macros::{record, words};
use super::scalar::{
    Conclusion, Count, Decimal, FirstAttempt, Identity, Principal, ReasonCode, Repository,
    Timestamp, WorkId,
};
use super::{Wire, WireError, closed, object};
use crate::code::Code;

words! {
    /// What a [`Resource`] is.
    ResourceKind {
        /// An issue.
        Issue = "issue",
        /// A pull request.
        PullRequest = "pull_request",
    }
}

record! {
    /// An issue or a pull request of the host.
    Resource, ResourceInvalid {
        /// Which of the two.
        kind: ResourceKind,
        /// The host; github.com is the only one.
        host: Identity,
        /// The repository's name. It is for people: a rename keeps the identity.
        repository: Repository,
        /// The repository's id.
        repository_id: Decimal,
        /// The resource's id.
        resource_id: Decimal,
        /// The resource's number, for people.
        number: Decimal,
    }
}

impl Resource {
    /// True if both are the same resource, whatever it is called now.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        self.host == other.host
            && self.repository_id == other.repository_id
            && self.resource_id == other.resource_id
            && self.kind == other.kind
    }

    /// The gate that waits for a condition of this resource.
    #[must_use]
    pub fn gate(&self, condition: Condition) -> GateKey {
        let object = Object::from_members([
            ("condition", condition.write()),
            ("host", self.host.write()),
            ("kind", self.kind.write()),
            ("repository_id", self.repository_id.write()),
            ("resource_id", self.resource_id.write()),
        ]);
        // The keys are five different ones.
        GateKey(object.unwrap_or_default().to_canonical().into())
    }
}

/// A gate: a condition of a resource, as canonical text (section 4).
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct GateKey(std::sync::Arc<str>);

impl GateKey {
    pub(crate) fn from_text(text: &str) -> Self {
        Self(text.into())
    }

    /// The canonical text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for GateKey {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

words! {
    /// What a Work can wait for.
    Condition {
        /// The issue was closed as completed.
        Completed = "completed",
        /// The issue was closed for whatever reason.
        Closed = "closed",
        /// The pull request was merged.
        Merged = "merged",
    }
}

impl Condition {
    /// Reads one that fits the kind of resource.
    pub(crate) fn read_for(value: &Value<'_>, kind: ResourceKind) -> Result<Self, WireError> {
        let condition = Self::read(value, Code::ConditionInvalid)?;
        if condition.fits(kind) {
            return Ok(condition);
        }
        let expected = match kind {
            ResourceKind::Issue => "completed or closed",
            ResourceKind::PullRequest => "merged",
        };
        Err(WireError::expected(Code::ConditionInvalid, expected, value))
    }

    /// True if resources of this kind can be in that condition.
    #[must_use]
    pub fn fits(self, kind: ResourceKind) -> bool {
        (self == Self::Merged) == (kind == ResourceKind::PullRequest)
    }
}

/// What a Work depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Dependency {
    /// The verified result of another Work.
    Work(WorkId),
    /// A condition of a resource of the host.
    Gate {
        /// The resource.
        resource: Resource,
        /// The condition, which fits the kind of resource.
        condition: Condition,
    },
}

impl Dependency {
    /// The resource of a gate.
    #[must_use]
    pub fn resource(&self) -> Option<&Resource> {
        match self {
            Self::Work(_) => None,
            Self::Gate { resource, .. } => Some(resource),
        }
    }
}

impl Wire for Dependency {
    fn read(value: &Value<'_>, _: Code) -> Result<Self, WireError> {
        let code = Code::WorkInvalid;
        let kind = object(value, code)?
            .get("kind")
            .and_then(Value::as_str)
            .unwrap_or_default();
        if kind == "work" {
            let members = closed(value, code, "dependency", &["kind", "work_id"])?;
            let work_id = super::Member::read_member(members.get("work_id"), code);
            return work_id
                .map(Self::Work)
                .map_err(|error| error.within("work_id"));
        }
        let kind = ResourceKind::read(&Value::from(kind), code).map_err(|_| {
            let expected = "a dependency of kind work, issue or pull_request";
            WireError::expected(code, expected, value)
        })?;
        let members = closed(
            value,
            code,
            "dependency",
            &["kind", "resource", "condition"],
        )?;
        let missing = Value::Null;
        let resource = members.get("resource").unwrap_or(&missing);
        let resource = Resource::read(resource, code).map_err(|error| error.within("resource"))?;
        if resource.kind != kind {
            let rule = "the resource is of another kind than the dependency";
            return Err(WireError::rule(Code::ResourceInvalid, rule).within("resource"));
        }
        let condition = members.get("condition").unwrap_or(&missing);
        let condition = Condition::read_for(condition, kind);
        let condition = condition.map_err(|error| error.within("condition"))?;
        Ok(Self::Gate {
            resource,
            condition,
        })
    }

    fn write(&self) -> Value<'_> {
        let mut members = Object::new();
        match self {
            Self::Work(work_id) => {
                members.insert("kind", Value::from("work"));
                members.insert("work_id", work_id.write());
            }
            Self::Gate {
                resource,
                condition,
            } => {
                members.insert("kind", resource.kind.write());
                members.insert("resource", resource.write());
                members.insert("condition", condition.write());
            }
        }
        members.into()
    }
}

words! {
    /// What [`Evidence`] is about.
    EvidenceKind {
        /// Nothing was ever sent.
        Prelaunch = "prelaunch",
        /// The host refused to launch.
        Nonlaunch = "nonlaunch",
        /// The run has ended.
        TerminalRun = "terminal_run",
        /// Effects were delivered.
        Delivery = "delivery",
        /// It was tried to find out.
        Reconciliation = "reconciliation",
    }
}

words! {
    /// Where [`Evidence`] comes from.
    EvidenceSource {
        /// The publisher itself.
        TrustedPublisher = "trusted_publisher",
        /// The host was asked.
        GithubApi = "github_api",
        /// The run announced itself.
        TrustedActivation = "trusted_activation",
        /// Receipts were read again.
        VerifiedReceipts = "verified_receipts",
    }
}

words! {
    /// How much of the effects is known to have taken place.
    Effects {
        /// Nothing.
        None = "none",
        /// A part.
        Partial = "partial",
        /// Nobody knows.
        Unknown = "unknown",
    }
}

words! {
    /// The status of a run that has ended.
    RunStatus {
        /// It has ended.
        Completed = "completed",
    }
}

words! {
    /// The event that starts a run.
    RunEvent {
        /// A dispatch of a workflow.
        WorkflowDispatch = "workflow_dispatch",
    }
}

record! {
    /// What somebody trusted has found out.
    Evidence, EvidenceInvalid {
        /// What it is about.
        kind: EvidenceKind,
        /// Where it comes from.
        source: EvidenceSource,
        /// The repository that was looked at.
        repository: Repository,
        /// The workflow.
        workflow: Identity,
        /// Its ref.
        git_ref "ref": Identity,
        /// Who ran it.
        principal: Principal,
        /// When it was looked at.
        checked_at: Timestamp,
        /// The run.
        run_id: Option<Decimal>,
        /// Its attempt.
        run_attempt: Option<FirstAttempt>,
        /// Its status.
        status: Option<RunStatus>,
        /// How it ended.
        conclusion: Option<Conclusion>,
        /// A receipt of effects.
        receipt: Option<Identity>,
        /// How often it was tried.
        attempts: Option<Count>,
        /// What is known about effects.
        effects: Option<Effects>,
    }
}

record! {
    /// A run, and what it was launched from.
    RunBinding, DispatchInvalid {
        /// The run.
        run_id: Decimal,
        /// Its attempt.
        run_attempt: FirstAttempt,
        /// The repository.
        repository: Repository,
        /// The workflow.
        workflow: Identity,
        /// Its ref.
        git_ref "ref": Identity,
        /// Who ran it.
        principal: Principal,
        /// The event.
        event: RunEvent,
    }
}

words! {
    /// Why an issue was closed or opened.
    StateReason {
        /// Done.
        Completed = "completed",
        /// Given up.
        NotPlanned = "not_planned",
        /// Opened again.
        Reopened = "reopened",
    }
}

words! {
    /// Whether a resource is open.
    ResourceState {
        /// Open.
        Open = "open",
        /// Closed.
        Closed = "closed",
    }
}

words! {
    /// What an Observation says of its gate.
    GateState {
        /// The condition holds.
        Ready = "ready",
        /// Not yet.
        Waiting = "waiting",
        /// It never will.
        Failed = "failed",
        /// It could not be read.
        Unknown = "unknown",
    }
}

record! {
    /// What a reader of the host saw; the payload of the Observation operation.
    Observation, ObservationInvalid, tag "Observation" {
        /// Its id.
        observation_id: super::scalar::ObservationId,
        /// The resource that was read.
        resource: Resource,
        /// The condition that was looked for.
        condition: Condition,
        /// What was seen.
        state: GateState,
        /// When.
        observed_at: Timestamp,
        /// With which generation of credentials.
        credential_generation: super::scalar::Generation,
        /// When the host says that the resource changed.
        source_updated_at: Option<Timestamp>,
        /// `ok`, or why it could not be read.
        read_status: ReasonCode,
        /// Why the issue is closed.
        state_reason: Option<StateReason>,
        /// Whether it is open.
        resource_state: Option<ResourceState>,
        /// Whether the pull request is merged.
        merged: Option<bool>,
        /// The commit that merged it.
        merge_commit: Option<super::scalar::Revision>,
    }
}

impl Observation {
    /// The gate that it is about.
    #[must_use]
    pub fn gate(&self) -> GateKey {
        self.resource.gate(self.condition)
    }
}
