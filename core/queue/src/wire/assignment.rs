//! What passes between the queue and a run, and never stands in the log (section 2.5).

use std::collections::BTreeSet;

use plumb_canonical::Value;

use super::commit::Outcome;
use super::macros::record;
use super::scalar::{
    Bounded, ClaimHandle, ClaimId, CommitId, DispatchId, Epoch, Json, PoolName, ProfileName,
    RequestId, WorkId,
};
use super::{Wire, WireError};
use crate::code::Code;

/// The largest Assignment: 48 KiB of canonical text.
pub const MAX_ASSIGNMENT_BYTES: usize = 48 << 10;
/// The largest FinishIntent: 1024 bytes.
pub const MAX_INTENT_BYTES: usize = 1024;

record! {
    /// The result of a parent.
    ResultReference, AssignmentInvalid {
        /// The parent.
        work_id: WorkId,
        /// The commit that verified it.
        result_commit_id: CommitId,
        /// What it says.
        descriptor: Json,
    }
}

record! {
    /// One Claim of an Assignment.
    AssignedClaim, AssignmentInvalid {
        /// Its place.
        handle: ClaimHandle,
        /// Its id.
        claim_id: ClaimId,
        /// The Work.
        work_id: WorkId,
        /// The Work's payload.
        work: Json,
        /// The results of the Work's parents.
        result_refs: Vec<ResultReference>,
    }
}

record! {
    /// What a run is launched with.
    Assignment, AssignmentInvalid {
        /// 3.
        version: Bounded<3, 3>,
        /// The Dispatch that the run is.
        dispatch_id: DispatchId,
        /// The request that made it.
        request_id: RequestId,
        /// The commit that made it.
        commit_id: CommitId,
        /// Under which policy.
        policy_epoch: Epoch,
        /// The pool.
        pool: PoolName,
        /// The profile.
        worker_profile: ProfileName,
        /// The Claims, 1 to 16.
        claims: Vec<AssignedClaim>,
    }
}

impl Assignment {
    /// Reads the text that a run was launched with.
    ///
    /// # Errors
    ///
    /// `assignment_invalid`: it is not an Assignment, is larger than [`MAX_ASSIGNMENT_BYTES`], has not
    /// 1 to 16 Claims, or has a handle, Claim or Work twice.
    pub fn parse(text: &str) -> Result<Self, WireError> {
        let code = Code::AssignmentInvalid;
        let value = plumb_canonical::parse(text)
            .map_err(|fault| WireError::rule(code, fault.to_string()))?;
        let bytes = value.canonical_len();
        if bytes > MAX_ASSIGNMENT_BYTES {
            let rule = format!("{bytes} bytes are more than {MAX_ASSIGNMENT_BYTES}");
            return Err(WireError::rule(code, rule));
        }
        let assignment = Self::read(&value, code)?;
        let claims = &assignment.claims;
        let distinct = |count: usize| count == claims.len();
        if !(1..=16).contains(&claims.len())
            || !distinct(
                claims
                    .iter()
                    .map(|claim| claim.handle)
                    .collect::<BTreeSet<_>>()
                    .len(),
            )
            || !distinct(
                claims
                    .iter()
                    .map(|claim| &claim.claim_id)
                    .collect::<BTreeSet<_>>()
                    .len(),
            )
            || !distinct(
                claims
                    .iter()
                    .map(|claim| &claim.work_id)
                    .collect::<BTreeSet<_>>()
                    .len(),
            )
        {
            let rule = "an Assignment has 1 to 16 Claims of different handles, ids and Works";
            return Err(WireError::rule(code, rule).within("claims"));
        }
        Ok(assignment)
    }
}

record! {
    /// What an agent that nobody trusts may say.
    FinishIntent, RequestInvalid {
        /// The Claim; may be left out if the Dispatch had one only (section 8.9).
        claim_handle: Option<ClaimHandle>,
        /// How it ends.
        outcome: Outcome,
    }
}

impl FinishIntent {
    /// Reads an agent's words.
    ///
    /// # Errors
    ///
    /// `request_invalid`: they are longer than [`MAX_INTENT_BYTES`], or not a FinishIntent.
    pub fn parse(bytes: &[u8]) -> Result<Self, WireError> {
        let code = Code::RequestInvalid;
        let value: Value<'_> = plumb_canonical::Reader::with_max_bytes(MAX_INTENT_BYTES)
            .read(bytes)
            .map_err(|fault| WireError::rule(code, fault.to_string()))?;
        Self::read(&value, code)
    }
}
