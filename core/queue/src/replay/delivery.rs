//! Completions, and what becomes of their effects (sections 8.3, 8.7, 8.8).

use std::sync::Arc;

use crate::code::Code;
use crate::reject::{Rejection, ensure, refuse};
use crate::state::records::{
    Barrier, ClaimRecord, ClaimState, DispatchRecord, WorkRecord, WorkState,
};
use crate::wire::operation::{Completion, DeliveryFailure, ResultOperation};
use crate::wire::scalar::{ClaimId, CommitId, WorkId};
use crate::wire::{Effects, Evidence, EvidenceKind, EvidenceSource};

use super::Step;
use super::authority::worker_dispatch;
use super::launch::ensure_terminal;

/// A completed Work: the record, and since when.
struct Completed {
    work: WorkRecord,
    dispatch: DispatchRecord,
    since: u64,
}

impl Step<'_> {
    /// A Claim that must exist, and its Dispatch.
    pub(super) fn claim_record(
        &self,
        id: &ClaimId,
        work: &WorkId,
    ) -> Result<(ClaimRecord, &DispatchRecord), Rejection> {
        let Some(claim) = self.state.claim(id) else {
            return Err(Rejection::new(
                Code::ClaimMissing,
                format!("there is no Claim {id}"),
            ));
        };
        ensure!(
            claim.claim.work_id == *work,
            ClaimScopeInvalid,
            "Claim {id} is of Work {}, and not of {work}",
            claim.claim.work_id
        );
        let dispatch = self
            .state
            .dispatch(&claim.claim.dispatch_id)
            .ok_or_else(|| {
                Rejection::new(Code::DispatchMissing, format!("Claim {id} has no Dispatch"))
            })?;
        Ok((claim.clone(), dispatch))
    }

    /// That a Claim still owns its Work.
    pub(super) fn ensure_open(&self, claim: &ClaimRecord) -> Result<(), Rejection> {
        let (id, work) = (&claim.claim.claim_id, &claim.claim.work_id);
        let has_ended = self.state.work(work).is_some_and(|work| {
            matches!(
                work.state,
                WorkState::Completed { .. } | WorkState::Cancelled { .. }
            )
        });
        ensure!(
            claim.state == ClaimState::Open || !has_ended,
            OwnershipTerminal,
            "Work {work} has ended"
        );
        ensure!(
            claim.state == ClaimState::Open,
            ClaimIneffective,
            "Claim {id} is {}, and does not own its Work any more",
            claim.state
        );
        Ok(())
    }

    /// That the actor is the run that a Claim was given to.
    pub(super) fn ensure_owner(&self, claim: &ClaimRecord) -> Result<(), Rejection> {
        let actor = &self.commit.actor;
        ensure!(
            actor.dispatch_id.as_ref() == Some(&claim.claim.dispatch_id),
            OwnershipUnauthorized,
            "the worker is not of Dispatch {}",
            claim.claim.dispatch_id
        );
        if let Err(why) = worker_dispatch(&self.state, actor) {
            refuse!(OwnershipUnauthorized, "{why}");
        }
        ensure!(
            actor
                .claim_handle
                .is_none_or(|handle| handle == claim.claim.handle),
            ClaimScopeInvalid,
            "the worker acts for another Claim than {}",
            claim.claim.handle
        );
        Ok(())
    }

    pub(super) fn completion(&mut self, operation: &Completion) -> Result<(), Rejection> {
        let (claim, _) = self.claim_record(&operation.claim_id, &operation.work_id)?;
        ensure!(
            claim.claim.dispatch_id == operation.dispatch_id
                && claim.claim.handle == operation.claim_handle,
            ClaimScopeInvalid,
            "Claim {} is {} of Dispatch {}",
            operation.claim_id,
            claim.claim.handle,
            claim.claim.dispatch_id
        );
        self.ensure_owner(&claim)?;
        ensure!(
            self.commit.actor.run_id.as_ref() == Some(&operation.run_id),
            OwnershipUnauthorized,
            "the completion is of run {}, and not of the worker's",
            operation.run_id
        );
        self.ensure_open(&claim)?;
        if let Some(mut work) = self.state.work(&operation.work_id).cloned() {
            work.state = WorkState::Completed {
                claim: operation.claim_id.clone(),
                completion: self.commit.id.clone(),
                at: self.at(),
                barrier: Barrier::Pending,
            };
            self.state.put_work(&operation.work_id, work);
        }
        self.close_claim(&operation.claim_id, ClaimState::Completed);
        Ok(())
    }

    /// Ends a Claim; the Work is put in its new state by the caller.
    pub(super) fn close_claim(&mut self, id: &ClaimId, state: ClaimState) {
        if let Some(claim) = self.state.claim(id) {
            let claim = ClaimRecord {
                claim: claim.claim.clone(),
                state,
            };
            self.state.claims.insert(id.clone(), Arc::new(claim));
        }
    }

    /// The Work that a Result or DeliveryFailure is about, completed in exactly that way.
    fn completed(
        &self,
        work_id: &WorkId,
        claim_id: &ClaimId,
        completion_id: &CommitId,
    ) -> Result<Completed, Rejection> {
        let (_, dispatch) = self.claim_record(claim_id, work_id)?;
        let work = self.state.work(work_id);
        let since = work.and_then(|work| match &work.state {
            WorkState::Completed {
                claim,
                completion,
                at,
                ..
            } if claim == claim_id && completion == completion_id => Some(at.get()),
            _ => None,
        });
        match (work, since) {
            (Some(work), Some(since)) => Ok(Completed {
                work: work.clone(),
                dispatch: dispatch.clone(),
                since,
            }),
            _ => Err(Rejection::new(
                Code::ResultInvalid,
                format!(
                    "commit {completion_id} did not complete Work {work_id} by Claim {claim_id}"
                ),
            )),
        }
    }

    pub(super) fn result(&mut self, operation: &ResultOperation) -> Result<(), Rejection> {
        let id = &operation.work_id;
        let Completed {
            mut work, dispatch, ..
        } = self.completed(id, &operation.claim_id, &operation.completion_id)?;
        let bytes = operation.descriptor.bytes() as u64;
        let limit = self
            .state
            .installed()
            .map_or(0, |it| it.policy.limits.result_bytes.get());
        ensure!(
            bytes <= limit,
            ResultInvalid,
            "a descriptor of {bytes} bytes, and {limit} are allowed"
        );
        let evidence = &operation.evidence;
        self.check_evidence(evidence, &dispatch)?;
        ensure!(
            evidence.kind == EvidenceKind::Delivery
                && evidence.source == EvidenceSource::VerifiedReceipts
                && evidence.receipt.is_some(),
            DeliveryEvidenceRequired,
            "a result needs delivery evidence of verified receipts with a receipt, and this is {} of {}",
            evidence.kind,
            evidence.source
        );
        ensure_bound(evidence, &dispatch)?;
        let WorkState::Completed { barrier, .. } = &mut work.state else {
            return Ok(());
        };
        match barrier {
            Barrier::Pending => {}
            Barrier::Verified { result, .. } if **result == *operation => return Ok(()),
            Barrier::Verified { .. } | Barrier::Failed(_) => {
                return Err(decided(id, work.state.barrier_name()));
            }
        }
        *barrier = Barrier::Verified {
            commit: self.commit.id.clone(),
            result: Arc::new(operation.clone()),
        };
        self.state.put_work(id, work);
        Ok(())
    }

    pub(super) fn delivery_failure(
        &mut self,
        operation: &DeliveryFailure,
    ) -> Result<(), Rejection> {
        let id = &operation.work_id;
        let Completed {
            mut work,
            dispatch,
            since,
        } = self.completed(id, &operation.claim_id, &operation.completion_id)?;
        let evidence = &operation.evidence;
        self.check_evidence(evidence, &dispatch)?;
        ensure_terminal(evidence, &dispatch)?;
        let effects = evidence.effects.unwrap_or(Effects::Unknown);
        ensure!(
            operation.disposition == effects,
            EvidenceInvalid,
            "the disposition is {}, and the evidence says {effects}",
            operation.disposition
        );
        ensure!(
            effects != Effects::None || evidence.receipt.is_some(),
            DeliveryEvidenceRequired,
            "that there are no effects is shown by a receipt"
        );
        let WorkState::Completed { barrier, .. } = &mut work.state else {
            return Ok(());
        };
        match barrier {
            Barrier::Pending => {}
            Barrier::Failed(failure) if **failure == *operation => return Ok(()),
            Barrier::Verified { .. } | Barrier::Failed(_) => {
                return Err(decided(id, work.state.barrier_name()));
            }
        }
        let pool = self
            .state
            .installed()
            .and_then(|it| it.pool(&work.work.pool));
        let Some(reconciliation) = pool.map(|pool| &pool.reconciliation) else {
            return Ok(());
        };
        let attempts = evidence
            .attempts
            .map_or(0, crate::wire::scalar::Bounded::get);
        let (age, needed) = (
            self.at().get().saturating_sub(since),
            reconciliation.max_attempts.get(),
        );
        ensure!(
            attempts >= needed || age >= reconciliation.deadline_ms.get(),
            ReconciliationPending,
            "{attempts} of {needed} attempts and {age} of {} ms are not enough to give up",
            reconciliation.deadline_ms
        );
        *barrier = Barrier::Failed(Arc::new(operation.clone()));
        self.state.put_work(id, work);
        Ok(())
    }
}

fn ensure_bound(evidence: &Evidence, dispatch: &DispatchRecord) -> Result<(), Rejection> {
    let run = dispatch.run.as_ref().map(|run| &run.run_id);
    ensure!(
        run.is_some() && evidence.run_id.as_ref() == run,
        EvidenceInvalid,
        "the evidence is about run {}, and the bound one is {}",
        evidence.run_id.as_ref().map_or("none", |run| run.as_str()),
        run.map_or("none", |run| run.as_str())
    );
    Ok(())
}

fn decided(id: &WorkId, barrier: &str) -> Rejection {
    Rejection::new(
        Code::DeliveryBarrierConflict,
        format!("the delivery of Work {id} is decided otherwise: {barrier}"),
    )
}
