//! Claims: the planner's choice, made again (section 5.4).

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::code::Reason;
use crate::reject::{Rejection, ensure};
use crate::schedule::plan::{PlanRequest, plan};
use crate::state::records::{
    ClaimExplanation, ClaimRecord, ClaimState, DispatchRecord, DispatchState, WorkState,
};
use crate::wire::Operation;
use crate::wire::commit::Parameters;
use crate::wire::operation::Claim;

use super::Step;

impl Step<'_> {
    /// Checks that the recorded Claims are those that the planner chooses, and grants them.
    pub(super) fn claims(&mut self) -> Result<(), Rejection> {
        let Parameters::DispatchNext(budget) = &self.commit.request.parameters else {
            return Ok(());
        };
        let claims = self
            .commit
            .operations
            .iter()
            .filter_map(|operation| match operation {
                Operation::Claim(claim) => Some(claim),
                _ => None,
            });
        let claims: Vec<&Claim> = claims.collect();
        let known = self
            .state
            .installed()
            .is_some_and(|it| it.pool(&budget.pool).is_some());
        ensure!(known, PoolInvalid, "the policy has no pool {}", budget.pool);
        let mut seen = BTreeSet::new();
        for claim in &claims {
            let is_new =
                seen.insert(&claim.work_id) && !self.state.claims.contains_key(&claim.claim_id);
            ensure!(
                is_new,
                ClaimConflict,
                "Work {} is granted twice",
                claim.work_id
            );
        }
        let request = PlanRequest {
            budget,
            request: &self.commit.request.id,
            commit: &self.commit.id,
            leading: self.commit.operations.len() - claims.len(),
            at: self.at(),
        };
        let plan = plan(&self.state, request);
        let chosen: Vec<&Claim> = plan.grants.iter().map(|grant| &grant.claim).collect();
        compare(&claims, &chosen, plan.reason)?;
        let explanations = plan.grants.iter().map(|grant| ClaimExplanation {
            work_id: grant.claim.work_id.clone(),
            reason: Reason::Selected,
            observations: grant.claim.observations.clone(),
            class_pass: grant.turn.class_pass.clone(),
            key_pass: grant.turn.key_pass.clone(),
        });
        self.explanations = explanations.collect();
        for group in &plan.groups {
            let ids = chosen
                .iter()
                .filter(|claim| claim.dispatch_id == group.dispatch_id);
            let dispatch = DispatchRecord {
                pool: budget.pool.clone(),
                worker_profile: group.worker_profile.clone(),
                profile: group.profile.clone(),
                commit: self.commit.id.clone(),
                request: self.commit.request.id.clone(),
                epoch: self.commit.policy_epoch.clone(),
                claims: ids.map(|claim| claim.claim_id.clone()).collect(),
                state: DispatchState::Reserved,
                sender: None,
                principal: group.profile.principal.clone(),
                run: None,
                writes: 0,
                release: None,
            };
            self.state.put_dispatch(&group.dispatch_id, dispatch);
        }
        for claim in chosen {
            if let Some(mut work) = self.state.work(&claim.work_id).cloned() {
                work.state = WorkState::Claimed {
                    claim: claim.claim_id.clone(),
                };
                work.attempts += 1;
                self.state.put_work(&claim.work_id, work);
            }
            let record = ClaimRecord {
                claim: Arc::new(claim.clone()),
                state: ClaimState::Open,
            };
            self.state
                .claims
                .insert(claim.claim_id.clone(), Arc::new(record));
            self.state.totals.claims += 1;
        }
        self.state
            .clocks
            .insert(budget.pool.clone(), Arc::new(plan.clocks));
        Ok(())
    }
}

fn compare(recorded: &[&Claim], chosen: &[&Claim], reason: Reason) -> Result<(), Rejection> {
    for (index, (recorded, chosen)) in recorded.iter().zip(chosen).enumerate() {
        let position = index + 1;
        ensure!(
            recorded.work_id == chosen.work_id,
            SelectionInvalid,
            "Claim {position} grants Work {}, and it is the turn of {}",
            recorded.work_id,
            chosen.work_id
        );
        ensure!(
            recorded.dispatch_id == chosen.dispatch_id && recorded.handle == chosen.handle,
            PackingInvalid,
            "Claim {position} is {} of Dispatch {}, and belongs into {} of {}",
            recorded.handle,
            recorded.dispatch_id,
            chosen.handle,
            chosen.dispatch_id
        );
        ensure!(
            recorded == chosen,
            SelectionInvalid,
            "Claim {position} should have the id {} and rest on the Observations {:?}",
            chosen.claim_id,
            chosen.observations
        );
    }
    let (recorded, chosen) = (recorded.len(), chosen.len());
    ensure!(
        recorded == chosen,
        SelectionInvalid,
        "{recorded} Claims are recorded, and {chosen} are due ({reason})"
    );
    Ok(())
}
