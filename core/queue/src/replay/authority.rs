//! What workers may do for their Claims, and whether evidence is about what it should be.

use crate::reject::{Rejection, ensure, refuse};
use crate::state::State;
use crate::state::records::{Barrier, DispatchRecord, DispatchState, WorkState};
use crate::wire::commit::Parameters;
use crate::wire::scalar::{ClaimHandle, ClaimId, PoolName, Timestamp, WorkId};
use crate::wire::{Actor, Evidence, RequestKind, Role, Wire};

use super::Step;

/// The Claim that a worker acts for. The handle may be left out if the Dispatch had one Claim only
/// (section 8.9).
fn worker_claim(
    state: &State,
    dispatch: &DispatchRecord,
    handle: Option<ClaimHandle>,
) -> Result<(ClaimId, WorkId), Rejection> {
    let handle = match (handle, dispatch.claims.len()) {
        (Some(handle), _) => Some(handle),
        (None, 1) => ClaimHandle::new(1),
        (None, count) => {
            refuse!(
                ClaimScopeRequired,
                "the Dispatch has {count} Claims, and no claim_handle says for which of them"
            );
        }
    };
    let claim = handle.and_then(|handle| state.claim_of(dispatch, handle));
    let Some((id, claim)) = claim else {
        let handle = handle.map_or_else(String::new, |handle| handle.to_string());
        return Err(Rejection::new(
            crate::code::Code::ClaimScopeInvalid,
            format!("the Dispatch has no Claim with the handle {handle}"),
        ));
    };
    Ok((id, claim.claim.work_id.clone()))
}

/// The Dispatch of a worker, if the worker is its bound run and it still holds its slot.
pub(super) fn worker_dispatch<'s>(
    state: &'s State,
    actor: &Actor,
) -> Result<&'s DispatchRecord, &'static str> {
    let dispatch = actor.dispatch_id.as_ref().and_then(|id| state.dispatch(id));
    let dispatch = dispatch.ok_or("there is no such Dispatch")?;
    if dispatch.release.is_some() {
        return Err("the Dispatch is released");
    }
    let run = dispatch
        .run
        .as_ref()
        .filter(|_| dispatch.state == DispatchState::Bound);
    let run = run.ok_or("the Dispatch is not bound to a run")?;
    if actor.run_id.as_ref() != Some(&run.run_id) {
        return Err("the Dispatch is bound to another run");
    }
    if actor.workflow.as_ref() != Some(&run.workflow) {
        return Err("the Dispatch's run is of another workflow");
    }
    if actor.principal != run.principal {
        return Err("the Dispatch's run is another principal's");
    }
    Ok(dispatch)
}

/// The Claim and the Work for which a worker may have effects now (section 8.9): its own, completed,
/// with its delivery open. The state must be fresh. The handle that the worker's actor names may be left
/// out if its Dispatch had one Claim only.
///
/// # Errors
///
/// `ownership_unauthorized`: the actor is not the bound run of its Dispatch. `claim_scope_required`,
/// `claim_scope_invalid`: it is not clear for which Claim. `claim_effects_unauthorized`: that Claim is
/// not completed, or its delivery is decided.
pub fn authorize_effects(state: &State, actor: &Actor) -> Result<(ClaimId, WorkId), Rejection> {
    let dispatch = match worker_dispatch(state, actor) {
        Ok(dispatch) => dispatch,
        Err(why) => refuse!(OwnershipUnauthorized, "{why}"),
    };
    let (claim, work_id) = worker_claim(state, dispatch, actor.claim_handle)?;
    ensure!(
        is_delivering(state, &claim, &work_id),
        ClaimEffectsUnauthorized,
        "Claim {claim} is not completed with its delivery open"
    );
    Ok((claim, work_id))
}

/// True of a Claim that completed its Work, while its delivery is open.
fn is_delivering(state: &State, id: &ClaimId, work: &WorkId) -> bool {
    matches!(
        state.work(work).map(|work| &work.state),
        Some(WorkState::Completed { claim, barrier: Barrier::Pending, .. }) if claim == id
    )
}

impl Step<'_> {
    /// What a worker may request on behalf of its Claim: children and their grants once the Claim is
    /// completed and its delivery is open (sections 7 and 8.15), and Observations while it runs.
    pub(super) fn authorize_worker(&mut self) -> Result<(), Rejection> {
        let actor = &self.commit.actor;
        if actor.role != Role::Worker {
            return Ok(());
        }
        let entitles = match self.commit.request.kind {
            RequestKind::Submit | RequestKind::DispatchNext => true,
            RequestKind::Observe => false,
            // The rest of what workers do names the Dispatch itself.
            _ => return Ok(()),
        };
        let dispatch = match worker_dispatch(&self.state, actor) {
            Ok(dispatch) => dispatch,
            Err(why) if entitles => {
                refuse!(ChildEntitlement, "{why}");
            }
            Err(why) => {
                refuse!(OwnershipUnauthorized, "{why}");
            }
        };
        if !entitles {
            return Ok(());
        }
        let (claim, work_id) = worker_claim(&self.state, dispatch, actor.claim_handle)?;
        ensure!(
            is_delivering(&self.state, &claim, &work_id),
            ChildEntitlement,
            "Work {work_id} is not completed by Claim {claim} with its delivery open"
        );
        if let Parameters::DispatchNext(budget) = &self.commit.request.parameters {
            self.check_child_pool(&budget.pool, &dispatch.pool)?;
        }
        self.parent = Some(work_id);
        Ok(())
    }

    fn check_child_pool(&self, pool: &PoolName, parent: &PoolName) -> Result<(), Rejection> {
        ensure!(
            pool == parent,
            ChildEntitlement,
            "a worker of pool {parent} may not grant in pool {pool}"
        );
        Ok(())
    }

    /// That evidence is within its size, not of the future, and about the profile of a Dispatch.
    pub(super) fn check_evidence(
        &self,
        evidence: &Evidence,
        dispatch: &DispatchRecord,
    ) -> Result<(), Rejection> {
        check_evidence(&self.state, evidence, dispatch, self.at())
    }
}

fn check_evidence(
    state: &State,
    evidence: &Evidence,
    dispatch: &DispatchRecord,
    at: Timestamp,
) -> Result<(), Rejection> {
    let bytes = evidence.write().canonical_len() as u64;
    let limit = state
        .installed()
        .map_or(0, |it| it.policy.limits.evidence_bytes.get());
    ensure!(
        bytes <= limit,
        EvidenceLimit,
        "evidence of {bytes} bytes, and {limit} are allowed"
    );
    ensure!(
        evidence.checked_at <= at,
        EvidenceInvalid,
        "evidence checked at {}, after the commit's time {at}",
        evidence.checked_at
    );
    let profile = &dispatch.profile;
    let is_queue = state
        .repository
        .as_ref()
        .is_none_or(|queue| *queue == evidence.repository);
    ensure!(
        is_queue && evidence.workflow == profile.workflow && evidence.git_ref == profile.git_ref,
        EvidenceInvalid,
        "evidence about {} {} at {}, and the Dispatch's profile is {} at {}",
        evidence.repository,
        evidence.workflow,
        evidence.git_ref,
        profile.workflow,
        profile.git_ref
    );
    let principal = dispatch.principal.as_ref().or(profile.principal.as_ref());
    ensure!(
        principal.is_none_or(|principal| *principal == evidence.principal),
        EvidenceInvalid,
        "evidence about principal {}, and the Dispatch's is {}",
        evidence.principal,
        principal.map_or("open", |principal| principal.as_str())
    );
    ensure!(
        evidence.run_id.is_some() == evidence.run_attempt.is_some(),
        EvidenceInvalid,
        "evidence names a run and its attempt together"
    );
    Ok(())
}
