//! That the Claims, Dispatches and receipts of a snapshot tell the same story.

use std::collections::BTreeMap;

use super::snapshot::Snapshot;
use crate::code::Reason;
use crate::identity::{GrantIds, fingerprints};
use crate::reject::{Rejection, ensure};
use crate::state::State;
use crate::state::records::{ClaimState, DispatchRecord, DispatchState, Receipt, WorkState};
use crate::wire::scalar::{ClaimId, CommitId, DispatchId, Repository};
use crate::wire::{RequestKind, Wire};

impl Snapshot {
    pub(super) fn check_claims(&self) -> Result<(), Rejection> {
        for (id, record) in &self.claims {
            let claim = &record.claim;
            let dispatch = self.dispatches.get(&claim.dispatch_id);
            let place = dispatch.and_then(|it| it.claims.get(claim.handle.position() - 1));
            let is_derived =
                dispatch.is_some_and(|it| GrantIds::new(&it.request).has_made_claim(id));
            ensure!(
                *id == claim.claim_id && place == Some(id) && is_derived,
                CheckpointInvalid,
                "Claim {id} is not {} of its Dispatch",
                claim.handle
            );
            let owned = self.works.get(&claim.work_id).map(|work| &work.state);
            let is_consistent = match (record.state, owned) {
                (_, None) => false,
                (ClaimState::Open, Some(state)) => {
                    matches!(state, WorkState::Claimed { claim } if claim == id)
                }
                (ClaimState::Completed, Some(state)) => {
                    matches!(state, WorkState::Completed { claim, .. } if claim == id)
                }
                (ClaimState::Cancelled, Some(_)) => true,
            };
            ensure!(
                is_consistent,
                CheckpointInvalid,
                "Claim {id} is {}, and its Work says otherwise",
                record.state
            );
        }
        Ok(())
    }

    pub(super) fn check_dispatches(&self, repository: &Repository) -> Result<(), Rejection> {
        let receipts = self.requests.iter();
        let receipts: BTreeMap<_, _> = receipts.map(|it| (&it.request_id, it)).collect();
        for (id, dispatch) in &self.dispatches {
            let is_known = |(index, claim): (usize, &ClaimId)| {
                let claim = self.claims.get(claim);
                claim.is_some_and(|claim| {
                    claim.claim.dispatch_id == *id && claim.claim.handle.position() == index + 1
                })
            };
            ensure!(
                !dispatch.claims.is_empty() && dispatch.claims.iter().enumerate().all(is_known),
                CheckpointInvalid,
                "Dispatch {id} has Claims that are not its own"
            );
            let receipt = receipts.get(&dispatch.request);
            ensure!(
                receipt.is_some_and(|receipt| {
                    receipt.id == dispatch.commit && receipt.epoch == dispatch.epoch
                }) && GrantIds::new(&dispatch.request).has_made_dispatch(id),
                CheckpointInvalid,
                "Dispatch {id} was not made by request {}",
                dispatch.request
            );
            self.check_launch(id, dispatch, repository)?;
            if let Some(release) = &dispatch.release {
                let is_open = |claim: &ClaimId| {
                    let claim = self.claims.get(claim);
                    claim.is_some_and(|claim| claim.state == ClaimState::Open)
                };
                ensure!(
                    release.dispatch_id == *id && !dispatch.claims.iter().any(is_open),
                    CheckpointInvalid,
                    "Dispatch {id} is released and has open Claims, or another was"
                );
                continue;
            }
            let pool = self.policy.pools.get(&dispatch.pool);
            ensure!(
                pool.is_some_and(|it| dispatch.writes <= it.reconciliation.max_attempts.get() + 4),
                CheckpointInvalid,
                "Dispatch {id} holds a slot of a pool that does not exist, or was written too often"
            );
            ensure!(
                dispatch.epoch == self.epoch,
                CheckpointInvalid,
                "Dispatch {id} holds a slot of epoch {}, which has ended",
                dispatch.epoch
            );
        }
        Ok(())
    }

    /// That each receipt explains the Claims that it granted, and no Claim is without explanation.
    pub(super) fn check_explanations(&self) -> Result<(), Rejection> {
        let mut explained = 0;
        for receipt in &self.requests {
            let ids = GrantIds::new(&receipt.request_id);
            for (position, explanation) in (1..).zip(&receipt.claim_explanations) {
                let claim = self.claims.get(&ids.claim(position));
                ensure!(
                    claim.is_some_and(|it| {
                        it.claim.work_id == explanation.work_id
                            && it.claim.observations == explanation.observations
                            && explanation.reason == Reason::Selected
                    }),
                    CheckpointInvalid,
                    "request {} did not grant Work {}",
                    receipt.request_id,
                    explanation.work_id
                );
                explained += 1;
            }
        }
        ensure!(
            explained == self.claims.len(),
            CheckpointInvalid,
            "{explained} of {} Claims are explained",
            self.claims.len()
        );
        Ok(())
    }

    /// That what is known of a launch fits how far the Dispatch has come, and the profile that was
    /// frozen.
    fn check_launch(
        &self,
        id: &DispatchId,
        dispatch: &DispatchRecord,
        repository: &Repository,
    ) -> Result<(), Rejection> {
        ensure!(
            (dispatch.state == DispatchState::Bound) == dispatch.run.is_some(),
            CheckpointInvalid,
            "Dispatch {id} is {}, and its run says otherwise",
            dispatch.state
        );
        let is_reserved = dispatch.state == DispatchState::Reserved;
        let frozen = &dispatch.profile.principal;
        ensure!(
            is_reserved == dispatch.sender.is_none()
                && is_reserved == (dispatch.writes == 0)
                && (is_reserved || dispatch.principal.is_some())
                && (frozen.is_none() || dispatch.principal == *frozen)
                && dispatch.claims.len() as u64 <= dispatch.profile.max_claims.get(),
            CheckpointInvalid,
            "Dispatch {id} is {}, and who launched it says otherwise",
            dispatch.state
        );
        if let Some(run) = &dispatch.run {
            ensure!(
                run.repository == *repository
                    && run.workflow == dispatch.profile.workflow
                    && run.git_ref == dispatch.profile.git_ref
                    && dispatch.principal.as_ref() == Some(&run.principal),
                CheckpointInvalid,
                "run {} is not of the profile of Dispatch {id}",
                run.run_id
            );
        }
        Ok(())
    }

    /// The receipts, which must be a chain.
    pub(super) fn restore_receipts(&self, state: &mut State) -> Result<(), Rejection> {
        let mut last: Option<&CommitId> = None;
        for (ordinal, receipt) in (0..).zip(&self.requests) {
            let request_id = &receipt.request_id;
            let before = receipt.previous.0.as_ref().or(receipt.prior_tip.as_ref());
            ensure!(
                before == last
                    && !state.commits.contains_key(&receipt.id)
                    && !state.receipts.contains_key(request_id),
                CheckpointInvalid,
                "the receipt of request {request_id} does not follow the one before it"
            );
            let is_root = receipt.kind == RequestKind::Checkpoint;
            ensure!(
                is_root == receipt.prior_tip.is_some()
                    && (receipt.previous.0.is_none() == (is_root || ordinal == 0))
                    && self.seen_epochs.contains(&receipt.epoch)
                    && receipt.at <= self.last_at
                    && state.repository.as_ref() == Some(&receipt.actor.repository),
                CheckpointInvalid,
                "the receipt of request {request_id} is of another queue, epoch, place or time"
            );
            check_answer(receipt)?;
            last = Some(&receipt.id);
            state.commits.insert(receipt.id.clone(), ());
            state.receipts.insert(request_id.clone(), receipt.clone());
            state.history.insert(ordinal, request_id.clone());
        }
        ensure!(
            self.requests.len() as u64 == self.transactions,
            CheckpointInvalid,
            "{} receipts of {} commits",
            self.requests.len(),
            self.transactions
        );
        state.tip = last.cloned();
        Ok(())
    }
}

/// That what is remembered of a grant is what was asked for, and of nothing else.
fn check_answer(receipt: &Receipt) -> Result<(), Rejection> {
    let grants = receipt.kind == RequestKind::DispatchNext;
    let is_right = match &receipt.dispatch_parameters {
        None => !grants,
        Some(budget) => {
            let (fingerprint, parameters) =
                fingerprints(&receipt.actor.write(), receipt.kind, &budget.write());
            grants && fingerprint == receipt.fingerprint && parameters == receipt.parameters_digest
        }
    };
    ensure!(
        is_right
            && grants != receipt.claim_explanations.is_empty()
            && (1..=256).contains(&receipt.events)
            && receipt.claim_explanations.len() as u64 <= receipt.events,
        CheckpointInvalid,
        "the receipt of request {} does not say what a {} request asked for, or what came of it",
        receipt.request_id,
        receipt.kind
    );
    Ok(())
}
