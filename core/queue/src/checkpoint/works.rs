//! That the Works of a snapshot are what they say they are, and depend on each other in no circle.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::snapshot::Snapshot;
use crate::identity::work_id;
use crate::reject::{Rejection, ensure};
use crate::state::State;
use crate::state::records::{Barrier, ClaimState, GraphRecord, WorkState};
use crate::wire::Dependency;
use crate::wire::operation::Work;
use crate::wire::scalar::{CommitId, WorkId};

impl Snapshot {
    pub(super) fn check_works(&self) -> Result<(), Rejection> {
        let mut positions = BTreeSet::new();
        let mut granted: BTreeMap<&WorkId, u64> = BTreeMap::new();
        let commits: BTreeSet<_> = self.requests.iter().map(|it| &it.id).collect();
        for claim in self.claims.values() {
            *granted.entry(&claim.claim.work_id).or_default() += 1;
        }
        for (id, record) in &self.works {
            let work = &record.work;
            let is_known = |dependency: &Dependency| match dependency {
                Dependency::Work(parent) => self.works.contains_key(parent),
                Dependency::Gate { .. } => true,
            };
            ensure!(
                *id == work.work_id && *id == work_id(&work.graph_id, &work.node_key),
                CheckpointInvalid,
                "Work {id} is of another node"
            );
            ensure!(
                work.depends_on.iter().all(is_known),
                CheckpointInvalid,
                "Work {id} has a parent that is not there"
            );
            ensure!(
                record.position.ordinal < self.transactions && positions.insert(record.position),
                CheckpointInvalid,
                "Work {id} has a place that is not its own"
            );
            if record.is_pending() {
                let pool = self.policy.pools.get(&work.pool);
                let is_ruled = pool.is_some_and(|pool| {
                    let profile = pool.profiles.get(&work.worker_profile);
                    let max = pool.retry.max_attempts.get();
                    let is_available = matches!(record.state, WorkState::Available);
                    profile.is_some_and(|it| it.trust_domain == work.batch_trust_domain)
                        && (record.attempts < max || (record.attempts == max && !is_available))
                });
                ensure!(
                    is_ruled
                        && self
                            .policy
                            .accounting_weights
                            .contains_key(&work.fairness_key),
                    CheckpointInvalid,
                    "Work {id} has not ended, and the policy does not know its pool, profile or account, \
                     or gives it fewer attempts"
                );
            }
            let granted = granted.get(id).copied().unwrap_or_default();
            ensure!(
                record.attempts == granted,
                CheckpointInvalid,
                "Work {id} was granted {granted} times, and attempted {} times",
                record.attempts
            );
            ensure!(
                record.issue.as_ref().is_none_or(|link| link.work_id == *id),
                CheckpointInvalid,
                "Work {id} is shown by the link of another"
            );
            Self::check_barrier(&commits, id, &record.state)?;
            let (claim, state) = match &record.state {
                WorkState::Claimed { claim } => (claim, ClaimState::Open),
                WorkState::Completed { claim, .. } => (claim, ClaimState::Completed),
                WorkState::Available | WorkState::Cancelled { .. } => continue,
            };
            let owner = self.claims.get(claim);
            ensure!(
                owner.is_some_and(|owner| owner.claim.work_id == *id && owner.state == state),
                CheckpointInvalid,
                "Work {id} is {} by a Claim that does not say so",
                record.state.name()
            );
        }
        Ok(())
    }

    /// That what completed a Work, and decided its delivery, is in the history and about this Work.
    fn check_barrier(
        commits: &BTreeSet<&CommitId>,
        id: &WorkId,
        state: &WorkState,
    ) -> Result<(), Rejection> {
        let WorkState::Completed {
            claim,
            completion,
            barrier,
            ..
        } = state
        else {
            return Ok(());
        };
        let is_known = |commit: &CommitId| commits.contains(commit);
        let is_right = match barrier {
            Barrier::Pending => true,
            Barrier::Verified { commit, result } => {
                is_known(commit)
                    && result.work_id == *id
                    && result.claim_id == *claim
                    && result.completion_id == *completion
            }
            Barrier::Failed(failure) => {
                failure.work_id == *id
                    && failure.claim_id == *claim
                    && failure.completion_id == *completion
            }
        };
        ensure!(
            is_right && is_known(completion),
            CheckpointInvalid,
            "Work {id} was completed, or its delivery decided, by something else"
        );
        Ok(())
    }

    /// That no Work waits for itself.
    pub(super) fn check_graphs(&self) -> Result<(), Rejection> {
        let mut waiting: BTreeMap<&WorkId, usize> = BTreeMap::new();
        let mut children: BTreeMap<&WorkId, Vec<&WorkId>> = BTreeMap::new();
        for (id, record) in &self.works {
            let mut parents = 0;
            for dependency in &record.work.depends_on {
                if let Dependency::Work(parent) = dependency {
                    parents += 1;
                    children.entry(parent).or_default().push(id);
                }
            }
            waiting.insert(id, parents);
        }
        let free = waiting.iter().filter(|(_, parents)| **parents == 0);
        let mut free: Vec<&WorkId> = free.map(|(id, _)| *id).collect();
        let mut left = self.works.len();
        while let Some(id) = free.pop() {
            left -= 1;
            for child in children.remove(id).unwrap_or_default() {
                if let Some(parents) = waiting.get_mut(child) {
                    *parents -= 1;
                    if *parents == 0 {
                        free.push(child);
                    }
                }
            }
        }
        ensure!(
            left == 0,
            CheckpointInvalid,
            "{left} Works depend on each other in a circle, or on such"
        );
        Ok(())
    }
}

/// Counts a Work in its graph.
pub(super) fn restore_graph(state: &mut State, work: &Work) -> Result<(), Rejection> {
    let mut graph = match state.graphs.get(&work.graph_id) {
        Some(graph) => GraphRecord::clone(graph),
        None => GraphRecord {
            pool: work.pool.clone(),
            nodes: 0,
            gates: Vec::new(),
        },
    };
    ensure!(
        graph.pool == work.pool,
        CheckpointInvalid,
        "graph {} is in two pools",
        work.graph_id
    );
    graph.nodes += 1;
    for dependency in &work.depends_on {
        if let Dependency::Gate {
            resource,
            condition,
        } = dependency
        {
            let gate = resource.gate(*condition);
            if !graph.gates.contains(&gate) {
                graph.gates.push(gate);
            }
        }
    }
    state.graphs.insert(work.graph_id.clone(), Arc::new(graph));
    Ok(())
}
