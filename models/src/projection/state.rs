//! The twenty-two variables, their initial values, and what is derived from them.
//!
//! Shared design, models/projection.md, section 2.

use super::constants::{Constants, TargetMode};
use crate::finite::finite_names;

/// How far the journal of a creation is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Journal {
    /// No creation was prepared.
    None,
    /// The intent to create is on record.
    Intent,
    /// The issue was created, and the receipt came back.
    Receipted,
    /// The issue was created, but the receipt was lost: for the projector, nobody knows.
    Uncertain,
}

finite_names!(Journal {
    None = "none",
    Intent = "intent",
    Receipted = "receipted",
    Uncertain = "uncertain",
});

/// Who may create.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Coordination {
    /// Anybody.
    Free,
    /// The one whose intent is in the journal; it is never given back.
    Held,
}

finite_names!(Coordination {
    Free = "free",
    Held = "held",
});

/// One state of the model.
///
/// The variable `humanText` is missing: no action writes it, and it always is [`HUMAN_TEXT`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// Whether the projector is installed, which is its authority.
    pub projector_installed: bool,
    /// The policy now: whether issues are closed.
    pub policy_close: bool,
    /// Whether the target is admitted.
    pub admitted: bool,
    /// Whether the admission was authorized.
    pub admission_authorized: bool,
    /// The policy as it was at the admission.
    pub admission_close: bool,
    /// Whether the context belongs to the original Claim.
    pub original_claim: bool,
    /// Whether the context belongs to the same principal.
    pub principal_matches: bool,
    /// Whether there is an issue.
    pub issue_exists: bool,
    /// Whether the projector created it.
    pub created_by_projector: bool,
    /// Whether there is a receipt of the creation.
    pub receipt: bool,
    /// Whether the target is bound to the issue.
    pub bound: bool,
    /// How far the journal is.
    pub journal: Journal,
    /// Who may create.
    pub coordination: Coordination,
    /// How often a creation was attempted.
    pub create_attempts: i64,
    /// Whether the Result was verified.
    pub result_verified: bool,
    /// Whether the summary was written.
    pub summary_projected: bool,
    /// Whether writing the summary was authorized.
    pub summary_authorized: bool,
    /// Whether the issue was closed.
    pub issue_closed: bool,
    /// Whether closing it was authorized.
    pub closure_authorized: bool,
    /// Writes to the host.
    pub native_writes: i64,
    /// Those of them that nothing authorized.
    pub unauthorized_writes: i64,
}

/// What a person wrote into the issue: the value of `humanText`, for ever.
pub const HUMAN_TEXT: &str = "human content";

impl State {
    /// The one initial state.
    pub(super) fn initial(constants: &Constants) -> Self {
        Self {
            projector_installed: true,
            policy_close: constants.initial_close_policy,
            admitted: false,
            admission_authorized: false,
            admission_close: false,
            original_claim: true,
            principal_matches: true,
            issue_exists: constants.target_mode == TargetMode::Existing,
            created_by_projector: false,
            receipt: false,
            bound: false,
            journal: Journal::None,
            coordination: Coordination::Free,
            create_attempts: 0,
            result_verified: false,
            summary_projected: false,
            summary_authorized: false,
            issue_closed: false,
            closure_authorized: false,
            native_writes: 0,
            unauthorized_writes: 0,
        }
    }

    /// Whether the projector's hook runs, conjunct by conjunct: it is installed, and the context is
    /// the original Claim's and the same principal's.
    #[must_use]
    pub fn hook(&self) -> [bool; 3] {
        [
            self.projector_installed,
            self.original_claim,
            self.principal_matches,
        ]
    }

    /// What every write needs, conjunct by conjunct: an authorized admission, and the hook.
    #[must_use]
    pub fn base(&self) -> [bool; 5] {
        let [installed, claim, principal] = self.hook();
        [
            self.admitted,
            self.admission_authorized,
            installed,
            claim,
            principal,
        ]
    }
}
