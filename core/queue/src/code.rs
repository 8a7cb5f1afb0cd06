//! The codes of the protocol: part of its surface, unlike the words around them (section 13).

use crate::wire::macros::{names, words};

names! {
    /// Why something is refused.
    Code {
        /// `ledger_invalid`: The log is not a chain of commits that can be read (sections 3 and 5.1).
        LedgerInvalid = "ledger_invalid",
        /// `ledger_foreign`: A commit names another queue repository (section 2.1).
        LedgerForeign = "ledger_foreign",
        /// `ledger_limit`: The byte envelope has no room for this commit (section 9).
        LedgerLimit = "ledger_limit",
        /// `ledger_nonextending`: A log that was read again does not extend what was read before (section 11.5).
        LedgerNonextending = "ledger_nonextending",
        /// `unsupported_protocol`: The log is of another protocol (section 11.7).
        UnsupportedProtocol = "unsupported_protocol",
        /// `unsupported_backend`: The host cannot store a queue (section 11).
        UnsupportedBackend = "unsupported_backend",
        /// `queue_missing`: The host has no queue (section 11.1).
        QueueMissing = "queue_missing",
        /// `branch_invalid`: The branch does not hold a queue as section 11.1 wants it.
        BranchInvalid = "branch_invalid",
        /// `resource_limit`: Too deep, too long or too large (section 3).
        ResourceLimit = "resource_limit",
        /// `duplicate_key`: An object has a key twice (section 3).
        DuplicateKey = "duplicate_key",
        /// `invalid_unicode`: Half of a surrogate pair (section 3).
        InvalidUnicode = "invalid_unicode",
        /// `invalid_utf8`: Not UTF-8 (section 3).
        InvalidUtf8 = "invalid_utf8",
        /// `noncanonical_number`: A number that is no plain integer (section 3).
        NoncanonicalNumber = "noncanonical_number",
        /// `invalid_json`: Not JSON (section 3).
        InvalidJson = "invalid_json",
        /// `identity_invalid`: Not an Identity, or not the derived one (sections 1 and 4).
        IdentityInvalid = "identity_invalid",
        /// `timestamp_invalid`: Not a Timestamp (section 1).
        TimestampInvalid = "timestamp_invalid",
        /// `request_fingerprint`: The fingerprint is not that of the request (section 4).
        RequestFingerprint = "request_fingerprint",
        /// `request_invalid`: The request is ill-formed, or its parameters are not its operations (section 2).
        RequestInvalid = "request_invalid",
        /// `reason_invalid`: Not a ReasonCode (section 1).
        ReasonInvalid = "reason_invalid",
        /// `request_reuse`: The request id is taken by another request (section 4).
        RequestReuse = "request_reuse",
        /// `policy_missing`: The log begins without a Policy (section 5.2).
        PolicyMissing = "policy_missing",
        /// `policy_invalid`: A policy breaks a rule of section 5.7.
        PolicyInvalid = "policy_invalid",
        /// `policy_epoch_invalid`: The epoch is not the installed one, or was used before (sections 5.3 and 5.6).
        PolicyEpochInvalid = "policy_epoch_invalid",
        /// `policy_not_quiescent`: A new Policy while there is work under way (section 5.2).
        PolicyNotQuiescent = "policy_not_quiescent",
        /// `operation_limit`: More operations than the policy allows (section 5.3).
        OperationLimit = "operation_limit",
        /// `actor_unauthorized`: The actor's role may not make this request (section 2.2).
        ActorUnauthorized = "actor_unauthorized",
        /// `unauthorized_operation`: The role or the request may not carry this operation (section 2.2).
        UnauthorizedOperation = "unauthorized_operation",
        /// `admission_unauthorized`: The actor may not submit or cancel such Work (section 7).
        AdmissionUnauthorized = "admission_unauthorized",
        /// `admission_paused`: Admission is paused (section 7).
        AdmissionPaused = "admission_paused",
        /// `work_invalid`: A Work breaks a rule of sections 2.4 and 7.
        WorkInvalid = "work_invalid",
        /// `work_conflict`: The Work exists with another content (section 7).
        WorkConflict = "work_conflict",
        /// `node_conflict`: A node occurs twice in one submission (section 7).
        NodeConflict = "node_conflict",
        /// `payload_limit`: The payload is too large (section 7).
        PayloadLimit = "payload_limit",
        /// `assignment_limit`: The Work could never be assigned: too large (section 7).
        AssignmentLimit = "assignment_limit",
        /// `assignment_invalid`: An Assignment is ill-formed (section 2.5).
        AssignmentInvalid = "assignment_invalid",
        /// `assignment_immutable`: A Dispatch is changed in what is fixed when it is made (section 8.1).
        AssignmentImmutable = "assignment_immutable",
        /// `graph_limit`: The graph has too many nodes or a node too many predecessors (section 7).
        GraphLimit = "graph_limit",
        /// `graph_pool_conflict`: One graph in two pools (section 7).
        GraphPoolConflict = "graph_pool_conflict",
        /// `pending_limit`: Too many Works are pending in the pool (section 7).
        PendingLimit = "pending_limit",
        /// `dependency_missing`: A parent exists neither in the log nor in the commit (section 7).
        DependencyMissing = "dependency_missing",
        /// `dependency_cycle`: Works depend on each other in a circle (section 7).
        DependencyCycle = "dependency_cycle",
        /// `dependency_duplicate`: A dependency is named twice (section 7).
        DependencyDuplicate = "dependency_duplicate",
        /// `resource_invalid`: A Resource is ill-formed (section 2.5).
        ResourceInvalid = "resource_invalid",
        /// `resource_unauthorized`: The pool does not allow the Resource's repository (section 2.5).
        ResourceUnauthorized = "resource_unauthorized",
        /// `condition_invalid`: The condition does not fit the resource (section 2.5).
        ConditionInvalid = "condition_invalid",
        /// `observation_invalid`: An Observation breaks a rule of section 8.11.
        ObservationInvalid = "observation_invalid",
        /// `observation_conflict`: The observation id is taken by another Observation (section 8.11).
        ObservationConflict = "observation_conflict",
        /// `observation_limit`: Too many Observations of one gate in one epoch (section 8.11).
        ObservationLimit = "observation_limit",
        /// `evidence_invalid`: Evidence is ill-formed, or not about this (sections 2.5 and 8.1).
        EvidenceInvalid = "evidence_invalid",
        /// `evidence_limit`: Evidence is too large (section 8.1).
        EvidenceLimit = "evidence_limit",
        /// `selection_invalid`: The Claims are not those that the scheduler chooses (section 5.4).
        SelectionInvalid = "selection_invalid",
        /// `packing_invalid`: The Claims are chosen rightly and packed wrongly (section 5.4).
        PackingInvalid = "packing_invalid",
        /// `claim_conflict`: The Claim exists, or has an owner already (section 6.8).
        ClaimConflict = "claim_conflict",
        /// `claim_missing`: There is no such Claim (section 8).
        ClaimMissing = "claim_missing",
        /// `claim_scope_invalid`: The Claim does not belong to that Dispatch or Work (section 8.9).
        ClaimScopeInvalid = "claim_scope_invalid",
        /// `claim_scope_required`: The Claim must be named, because the Dispatch had several (section 8.9).
        ClaimScopeRequired = "claim_scope_required",
        /// `claim_ineffective`: The Claim is no longer open (section 8.3).
        ClaimIneffective = "claim_ineffective",
        /// `claim_effects_unauthorized`: Effects are not allowed now (section 8.9).
        ClaimEffectsUnauthorized = "claim_effects_unauthorized",
        /// `child_entitlement`: A worker may not do this for its Claim (sections 7 and 8.15).
        ChildEntitlement = "child_entitlement",
        /// `ownership_terminal`: The Work has ended (section 8).
        OwnershipTerminal = "ownership_terminal",
        /// `ownership_unauthorized`: The actor does not own it (section 8).
        OwnershipUnauthorized = "ownership_unauthorized",
        /// `cancellation_conflict`: The cancellation does not name the current owner (section 8.5).
        CancellationConflict = "cancellation_conflict",
        /// `retry_invalid`: The retry would come too early (section 8.4).
        RetryInvalid = "retry_invalid",
        /// `retry_exhausted`: A Work is left available after its last attempt (section 5.5).
        RetryExhausted = "retry_exhausted",
        /// `dispatch_invalid`: The Dispatch cannot go to that state, or not in that form (section 8.1).
        DispatchInvalid = "dispatch_invalid",
        /// `dispatch_missing`: There is no such Dispatch (section 8.1).
        DispatchMissing = "dispatch_missing",
        /// `launch_started`: The launch was started before (section 8.1).
        LaunchStarted = "launch_started",
        /// `run_binding_conflict`: Another run is bound, or the run is bound elsewhere (section 8.1).
        RunBindingConflict = "run_binding_conflict",
        /// `rerun_not_authorized`: The run is not its first attempt (sections 8.1 and 11.8).
        RerunNotAuthorized = "rerun_not_authorized",
        /// `run_ref_mismatch`: The run's repository, workflow or ref is not the profile's (section 8.1).
        RunRefMismatch = "run_ref_mismatch",
        /// `run_principal_mismatch`: The run's principal is not the profile's (section 8.1).
        RunPrincipalMismatch = "run_principal_mismatch",
        /// `reconciliation_limit`: The Dispatch has been written too often (section 8.1).
        ReconciliationLimit = "reconciliation_limit",
        /// `reconciliation_invalid`: The evidence of reconciliation does not show that it was tried often enough (section 8.1).
        ReconciliationInvalid = "reconciliation_invalid",
        /// `reconciliation_pending`: Delivery may not be given up yet (section 8.8).
        ReconciliationPending = "reconciliation_pending",
        /// `nonlaunch_evidence_required`: Only evidence that nothing was launched will do (sections 8.1 and 8.2).
        NonlaunchEvidenceRequired = "nonlaunch_evidence_required",
        /// `terminal_evidence_required`: Only evidence that the run ended will do (sections 8.2 and 8.8).
        TerminalEvidenceRequired = "terminal_evidence_required",
        /// `release_open_claims`: The Dispatch still has open Claims (section 8.2).
        ReleaseOpenClaims = "release_open_claims",
        /// `result_invalid`: A Result is ill-formed or too large (section 8.7).
        ResultInvalid = "result_invalid",
        /// `delivery_barrier_conflict`: Delivery was decided otherwise (section 8.8).
        DeliveryBarrierConflict = "delivery_barrier_conflict",
        /// `delivery_evidence_required`: Only verified receipts will do (sections 8.7 and 8.8).
        DeliveryEvidenceRequired = "delivery_evidence_required",
        /// `replacement_invalid`: The Work may not replace that one (section 7).
        ReplacementInvalid = "replacement_invalid",
        /// `control_invalid`: A Control is ill-formed (section 2.4).
        ControlInvalid = "control_invalid",
        /// `credential_generation_reused`: The generation was used before (section 5.6).
        CredentialGenerationReused = "credential_generation_reused",
        /// `priority_conflict`: The priority is not the expected one, or the Work not available (section 8.6).
        PriorityConflict = "priority_conflict",
        /// `deployment_invalid`: A Deployment is not possible (section 8.13).
        DeploymentInvalid = "deployment_invalid",
        /// `deployment_conflict`: The deployment is not the expected one, or the revision known otherwise (section 8.13).
        DeploymentConflict = "deployment_conflict",
        /// `checkpoint_invalid`: A Checkpoint does not restore (section 10).
        CheckpointInvalid = "checkpoint_invalid",
        /// `issue_binding_invalid`: An IssueLink or IssueComment is ill-formed (section 8.14).
        IssueBindingInvalid = "issue_binding_invalid",
        /// `issue_binding_conflict`: The Work has another link, or the comment is known (section 8.14).
        IssueBindingConflict = "issue_binding_conflict",
        /// `projection_unauthorized`: No ProjectorRule allows this actor that (section 8.14).
        ProjectionUnauthorized = "projection_unauthorized",
        /// `pool_invalid`: There is no such pool (section 5.7).
        PoolInvalid = "pool_invalid",
        /// `remediation_verifier_required`: The host has no verifier of remediation (section 12.7).
        RemediationVerifierRequired = "remediation_verifier_required",
        /// `delivery_verifier_required`: The host has no verifier of delivery (section 12.7).
        DeliveryVerifierRequired = "delivery_verifier_required",
        /// `nonlaunch_verifier_required`: The host has no verifier of non-launch (section 12.7).
        NonlaunchVerifierRequired = "nonlaunch_verifier_required",
    }
}

words! {
    /// Why the planner stops, and why a Work is not chosen. These are answers, not errors.
    Reason {
        /// `no_work`: The pool has no available Work.
        NoWork = "no_work",
        /// `no_eligible_work`: The pool has available Work, and none of it is eligible.
        NoEligibleWork = "no_eligible_work",
        /// `selected`: A Work was chosen.
        Selected = "selected",
        /// `grants_paused`: Grants are paused.
        GrantsPaused = "grants_paused",
        /// `worker_not_approved`: The caller may not schedule this profile.
        WorkerNotApproved = "worker_not_approved",
        /// `worker_unavailable`: The revision that would execute it is switched off or unknown.
        WorkerUnavailable = "worker_unavailable",
        /// `worker_incompatible`: The current revision has another contract.
        WorkerIncompatible = "worker_incompatible",
        /// `capacity_blocked`: The pool has as many open Claims as it may have.
        CapacityBlocked = "capacity_blocked",
        /// `account_capacity_blocked`: The account has as many open Claims as it may have.
        AccountCapacityBlocked = "account_capacity_blocked",
        /// `native_capacity_blocked`: The pool has as many unreleased Dispatches as it may have.
        NativeCapacityBlocked = "native_capacity_blocked",
        /// `dispatch_budget_blocked`: The request allows no further Dispatch.
        DispatchBudgetBlocked = "dispatch_budget_blocked",
        /// `assignment_bytes_blocked`: The Assignment would be too large.
        AssignmentBytesBlocked = "assignment_bytes_blocked",
        /// `operation_budget_blocked`: The leading Observations leave no operation for a Claim.
        OperationBudgetBlocked = "operation_budget_blocked",
        /// `operation_budget_reached`: The commit has as many operations as it may have.
        OperationBudgetReached = "operation_budget_reached",
        /// `claim_budget_reached`: The request's Claims are all used.
        ClaimBudgetReached = "claim_budget_reached",
        /// `prefix_complete`: Everything that was available is granted.
        PrefixComplete = "prefix_complete",
        /// `retry_exhausted`: It has no attempt left.
        RetryExhausted = "retry_exhausted",
        /// `retry_delayed`: Its next attempt is not due.
        RetryDelayed = "retry_delayed",
        /// `dependency_failed`: A parent is missing or cancelled.
        DependencyFailed = "dependency_failed",
        /// `dependency_delivery_failed`: A parent's delivery failed.
        DependencyDeliveryFailed = "dependency_delivery_failed",
        /// `dependency_result_unavailable`: A parent has no verified result yet.
        DependencyResultUnavailable = "dependency_result_unavailable",
        /// `dependency_external_waiting`: An external gate is not ready.
        DependencyExternalWaiting = "dependency_external_waiting",
        /// `external_unavailable`: An external gate was never observed, or with unknown outcome.
        ExternalUnavailable = "external_unavailable",
        /// `observation_stale`: The observation of an external gate is too old, or not of this credential generation.
        ObservationStale = "observation_stale",
    }
}

impl From<plumb_canonical::FaultCode> for Code {
    fn from(code: plumb_canonical::FaultCode) -> Self {
        use plumb_canonical::FaultCode;
        match code {
            FaultCode::InvalidUtf8 => Self::InvalidUtf8,
            FaultCode::DuplicateKey => Self::DuplicateKey,
            FaultCode::NoncanonicalNumber => Self::NoncanonicalNumber,
            FaultCode::InvalidUnicode => Self::InvalidUnicode,
            FaultCode::ResourceLimit => Self::ResourceLimit,
            FaultCode::InvalidJson => Self::InvalidJson,
        }
    }
}
