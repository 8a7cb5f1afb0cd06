//! The actions: candidates in enumeration order, guards, updates.
//!
//! Shared design, models/projection.md, section 3. A guard has one entry for each conjunct of its
//! definition there, in that order; a named predicate that is itself a conjunction has one for each
//! of its own. Alternatives and implications are one entry.

use plumb_checker::Guard;

use super::IssueProjection;
use super::constants::{Constants, Defect};
use super::state::{Coordination, Journal, State};

/// The names of the actions, in enumeration order.
pub(super) const NAMES: &[&str] = &[
    "Admit",
    "ExpandPolicy",
    "LoseProjectorAuthority",
    "UseForeignContext",
    "PrepareCreation",
    "CreateWithReceipt",
    "CreateWithLostReceipt",
    "BindCreatedIssue",
    "BindExistingIssue",
    "ProjectSummary",
    "VerifyResult",
    "CloseIssue",
    "UnsafeAdmission",
    "UnsafeProjectUnowned",
    "UnsafeCloseFromPayload",
    "UnsafeRetryUncertainCreation",
];

/// What is foreign about a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Foreign {
    /// It belongs to another Claim.
    Claim,
    /// It belongs to another principal.
    Principal,
}

/// An action; none has parameters in the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// The target is admitted, under the policy of this moment.
    Admit,
    /// The policy comes to close issues, too late for what is admitted.
    ExpandPolicy,
    /// The projector is uninstalled, for good.
    LoseProjectorAuthority,
    /// The context becomes foreign, for good and once; in what way is no parameter in the module.
    UseForeignContext(Foreign),
    /// The intent to create an issue goes on record.
    PrepareCreation,
    /// The issue is created, and the receipt comes back.
    CreateWithReceipt,
    /// The issue is created, and the receipt is lost.
    CreateWithLostReceipt,
    /// The target is bound to the issue that was created for it.
    BindCreatedIssue,
    /// The target is bound to the issue that was there.
    BindExistingIssue,
    /// The summary is written to the issue.
    ProjectSummary,
    /// The Result is verified.
    VerifyResult,
    /// The issue is closed.
    CloseIssue,
    /// Defect: an issue that was not granted is admitted.
    UnsafeAdmission,
    /// Defect: an issue that was not granted is written to.
    UnsafeProjectUnowned,
    /// Defect: the issue is closed because its payload says so.
    UnsafeCloseFromPayload,
    /// Defect: a creation of unknown outcome is attempted again.
    UnsafeRetryUncertainCreation,
}

impl Action {
    /// Position of the action's name in [`NAMES`].
    pub(super) fn index(self) -> usize {
        match self {
            Self::Admit => 0,
            Self::ExpandPolicy => 1,
            Self::LoseProjectorAuthority => 2,
            Self::UseForeignContext(_) => 3,
            Self::PrepareCreation => 4,
            Self::CreateWithReceipt => 5,
            Self::CreateWithLostReceipt => 6,
            Self::BindCreatedIssue => 7,
            Self::BindExistingIssue => 8,
            Self::ProjectSummary => 9,
            Self::VerifyResult => 10,
            Self::CloseIssue => 11,
            Self::UnsafeAdmission => 12,
            Self::UnsafeProjectUnowned => 13,
            Self::UnsafeCloseFromPayload => 14,
            Self::UnsafeRetryUncertainCreation => 15,
        }
    }
}

/// Every action instance, in enumeration order; those of a defect only where it is chosen.
pub(super) fn candidates(constants: &Constants) -> Vec<Action> {
    let mut all = vec![
        Action::Admit,
        Action::ExpandPolicy,
        Action::LoseProjectorAuthority,
        Action::UseForeignContext(Foreign::Claim),
        Action::UseForeignContext(Foreign::Principal),
        Action::PrepareCreation,
        Action::CreateWithReceipt,
        Action::CreateWithLostReceipt,
        Action::BindCreatedIssue,
        Action::BindExistingIssue,
        Action::ProjectSummary,
        Action::VerifyResult,
        Action::CloseIssue,
    ];
    if constants.has(Defect::UnownedAdmission) {
        all.extend([Action::UnsafeAdmission, Action::UnsafeProjectUnowned]);
    }
    if constants.has(Defect::PayloadClose) {
        all.push(Action::UnsafeCloseFromPayload);
    }
    if constants.has(Defect::RetryUncertain) {
        all.push(Action::UnsafeRetryUncertainCreation);
    }
    all
}

impl IssueProjection {
    /// The guard of an action, one entry for each conjunct of its definition.
    #[must_use]
    pub fn guard(&self, state: &State, action: Action) -> Guard {
        let constants = &self.constants;
        let [admitted, authorized, installed, claim, principal] = state.base();
        match action {
            Action::Admit => Guard::of([
                !state.admitted,
                state.projector_installed,
                constants.created() || constants.target_grant,
            ]),
            Action::ExpandPolicy => {
                Guard::of([state.admitted, !state.admission_close, !state.policy_close])
            }
            Action::LoseProjectorAuthority => Guard::of([state.projector_installed]),
            Action::UseForeignContext(_) => {
                Guard::of([state.original_claim, state.principal_matches])
            }
            Action::PrepareCreation => Guard::of([
                admitted,
                authorized,
                installed,
                claim,
                principal,
                constants.created(),
                state.journal == Journal::None,
            ]),
            Action::CreateWithReceipt | Action::CreateWithLostReceipt => Guard::of([
                admitted,
                authorized,
                installed,
                claim,
                principal,
                constants.created(),
                state.journal == Journal::Intent,
                state.create_attempts == 0,
                state.coordination == Coordination::Held,
            ]),
            Action::BindCreatedIssue => Guard::of([
                admitted,
                authorized,
                installed,
                claim,
                principal,
                constants.created(),
                state.created_by_projector,
                state.receipt,
                state.journal == Journal::Receipted,
                !state.bound,
            ]),
            Action::BindExistingIssue => Guard::of([
                admitted,
                authorized,
                installed,
                claim,
                principal,
                constants.existing(),
                constants.target_grant,
                state.issue_exists,
                !state.bound,
            ]),
            Action::ProjectSummary => {
                let [bound, exists, granted, ours] = self.reaches_issue(state);
                Guard::of([
                    admitted,
                    authorized,
                    installed,
                    claim,
                    principal,
                    bound,
                    exists,
                    granted,
                    ours,
                    !state.summary_projected,
                ])
            }
            Action::VerifyResult => Guard::of([state.admitted, !state.result_verified]),
            Action::CloseIssue => {
                let [bound, exists, granted, ours] = self.reaches_issue(state);
                Guard::of([
                    admitted,
                    authorized,
                    installed,
                    claim,
                    principal,
                    bound,
                    exists,
                    granted,
                    ours,
                    state.result_verified,
                    !constants.is_pull_request,
                    state.admission_close,
                    !state.issue_closed,
                ])
            }
            Action::UnsafeAdmission => Guard::of([
                !state.admitted,
                constants.existing(),
                !constants.target_grant,
            ]),
            Action::UnsafeProjectUnowned => {
                let [installed, claim, principal] = state.hook();
                Guard::of([
                    state.admitted,
                    !constants.target_grant,
                    installed,
                    claim,
                    principal,
                    state.issue_exists,
                ])
            }
            Action::UnsafeCloseFromPayload => Guard::of([
                state.admitted,
                state.bound,
                state.issue_exists,
                state.result_verified,
                !state.issue_closed,
            ]),
            Action::UnsafeRetryUncertainCreation => {
                Guard::of([state.journal == Journal::Uncertain])
            }
        }
    }

    /// What `canProject` asks beyond `base`, conjunct by conjunct: the target is bound, to an issue
    /// that exists, granted if it was there before, and created with a receipt if it was not.
    fn reaches_issue(&self, state: &State) -> [bool; 4] {
        [
            state.bound,
            state.issue_exists,
            !self.constants.existing() || self.constants.target_grant,
            !self.constants.created() || state.created_by_projector && state.receipt,
        ]
    }

    /// The state after an action whose guard holds.
    ///
    /// The defects count without bound; a number stays at the end of its type, which no search
    /// reaches.
    #[must_use]
    pub fn apply(&self, state: &State, action: Action) -> State {
        let mut next = *state;
        match action {
            Action::Admit | Action::UnsafeAdmission => {
                next.admitted = true;
                next.admission_authorized = true;
                next.admission_close = state.policy_close;
            }
            Action::ExpandPolicy => next.policy_close = true,
            Action::LoseProjectorAuthority => next.projector_installed = false,
            Action::UseForeignContext(Foreign::Claim) => next.original_claim = false,
            Action::UseForeignContext(Foreign::Principal) => next.principal_matches = false,
            Action::PrepareCreation => {
                next.journal = Journal::Intent;
                next.coordination = Coordination::Held;
            }
            Action::CreateWithReceipt => {
                attempt_creation(&mut next);
                next.receipt = true;
                next.journal = Journal::Receipted;
            }
            Action::CreateWithLostReceipt => {
                attempt_creation(&mut next);
                next.receipt = false;
                next.journal = Journal::Uncertain;
            }
            Action::BindCreatedIssue | Action::BindExistingIssue => next.bound = true,
            Action::ProjectSummary => {
                next.summary_projected = true;
                next.summary_authorized = true;
                count(&mut next.native_writes);
            }
            Action::VerifyResult => next.result_verified = true,
            Action::CloseIssue => {
                next.issue_closed = true;
                next.closure_authorized = true;
                count(&mut next.native_writes);
            }
            Action::UnsafeProjectUnowned => {
                count(&mut next.native_writes);
                count(&mut next.unauthorized_writes);
            }
            Action::UnsafeCloseFromPayload => {
                next.issue_closed = true;
                next.closure_authorized = false;
                count(&mut next.native_writes);
                count(&mut next.unauthorized_writes);
            }
            Action::UnsafeRetryUncertainCreation => {
                attempt_creation(&mut next);
                count(&mut next.unauthorized_writes);
            }
        }
        next
    }
}

/// An issue comes to be, by the projector.
fn attempt_creation(next: &mut State) {
    next.issue_exists = true;
    next.created_by_projector = true;
    count(&mut next.create_attempts);
    count(&mut next.native_writes);
}

fn count(number: &mut i64) {
    *number = number.saturating_add(1);
}
