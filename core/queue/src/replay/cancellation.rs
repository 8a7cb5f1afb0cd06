//! Taking Work from its Dispatch, and ending it (sections 8.4 and 8.5).

use crate::reject::{Rejection, ensure, refuse};
use crate::state::records::{ClaimState, WorkState};
use crate::wire::commit::Parameters;
use crate::wire::operation::{ClaimCancellation, WorkCancellation};
use crate::wire::scalar::{DispatchId, Timestamp};
use crate::wire::{Operation, RequestKind, Role};

use super::Step;
use super::admission::check_entitlement;

/// Why a worker may end its Work (section 8.5).
const EXHAUSTED: &str = "attempts_exhausted";

impl Step<'_> {
    pub(super) fn claim_cancellation(
        &mut self,
        operation: &ClaimCancellation,
    ) -> Result<(), Rejection> {
        let (id, work_id) = (&operation.claim_id, &operation.work_id);
        let (claim, _) = self.claim_record(id, work_id)?;
        if let Parameters::Finish(finish) = &self.commit.request.parameters {
            ensure!(
                claim.claim.dispatch_id == finish.dispatch_id
                    && claim.claim.handle == finish.claim_handle,
                ClaimScopeInvalid,
                "Claim {id} is not {} of Dispatch {}",
                finish.claim_handle,
                finish.dispatch_id
            );
            self.ensure_owner(&claim)?;
        }
        self.ensure_open(&claim)?;
        let Some(mut work) = self.state.work(work_id).cloned() else {
            return Ok(());
        };
        let pool = self
            .state
            .installed()
            .and_then(|it| it.pool(&work.work.pool));
        let backoff = pool.map_or(0, |pool| pool.retry.backoff_ms.get());
        let origin = self.retry_origin(&claim.claim.dispatch_id);
        ensure!(
            operation.retry_not_before >= origin.after(backoff),
            RetryInvalid,
            "the next attempt at {} is earlier than {origin} and {backoff} ms",
            operation.retry_not_before
        );
        work.state = WorkState::Available;
        work.retry_not_before = operation.retry_not_before;
        self.state.put_work(work_id, work);
        self.close_claim(id, ClaimState::Cancelled);
        self.freed.push(work_id.clone());
        Ok(())
    }

    /// From when on a Work waits: the commit's time, or if this commit releases the Dispatch, when it
    /// was seen that nothing runs any more.
    fn retry_origin(&self, dispatch: &DispatchId) -> Timestamp {
        if self.commit.request.kind != RequestKind::Release {
            return self.at();
        }
        let release = self
            .commit
            .operations
            .iter()
            .find_map(|operation| match operation {
                Operation::Release(release) if release.dispatch_id == *dispatch => Some(release),
                _ => None,
            });
        release.map_or(self.at(), |release| release.evidence.checked_at)
    }

    pub(super) fn work_cancellation(
        &mut self,
        operation: &WorkCancellation,
    ) -> Result<(), Rejection> {
        let id = &operation.work_id;
        let Some(mut work) = self.state.work(id).cloned() else {
            refuse!(WorkInvalid, "there is no Work {id}");
        };
        let owner = match &work.state {
            WorkState::Available => None,
            WorkState::Claimed { claim } => Some(claim.clone()),
            WorkState::Completed { .. } | WorkState::Cancelled { .. } => {
                refuse!(OwnershipTerminal, "Work {id} is {}", work.state.name());
            }
        };
        if let Some(expected) = &operation.claim_id {
            ensure!(
                owner.as_ref() == Some(expected),
                CancellationConflict,
                "Work {id} is owned by {}, and not by {expected}",
                owner.as_ref().map_or("nobody", |owner| owner.as_str())
            );
        }
        self.check_may_cancel(operation)?;
        work.state = WorkState::Cancelled { at: self.at() };
        self.state.put_work(id, work);
        if let Some(owner) = owner {
            self.close_claim(&owner, ClaimState::Cancelled);
        }
        Ok(())
    }

    fn check_may_cancel(&self, operation: &WorkCancellation) -> Result<(), Rejection> {
        let id = &operation.work_id;
        let Some(work) = self.state.work(id) else {
            return Ok(());
        };
        let Some(installed) = self.state.installed() else {
            return Ok(());
        };
        match self.commit.actor.role {
            Role::Producer => check_entitlement(
                &installed.policy,
                &self.commit.actor.principal,
                &work.work.pool,
                work.priority,
                &work.work.fairness_key,
            ),
            Role::Worker => {
                let pool = installed.pool(&work.work.pool);
                let max = pool.map_or(0, |pool| pool.retry.max_attempts.get());
                // A finish cancels its own Claim before, and nothing else.
                let is_own = self.freed.contains(id);
                ensure!(
                    is_own && work.attempts >= max && operation.reason.as_str() == EXHAUSTED,
                    OwnershipUnauthorized,
                    "a worker ends its own Work only, after the last of {max} attempts, for the \
                     reason {EXHAUSTED}"
                );
                Ok(())
            }
            _ => Ok(()),
        }
    }
}
