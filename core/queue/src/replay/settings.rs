//! What administrators decide: Policy, Control, Deployment, WorkPriority (sections 5.2, 5.6, 8.6,
//! 8.10, 8.13).

use std::sync::Arc;

use crate::reject::{Rejection, ensure, refuse};
use crate::state::Installed;
use crate::state::records::{DeploymentRecord, GateRecord, Revision, WorkState};
use crate::wire::operation::{Control, Deployment, Policy, Setting, WorkPriority};
use crate::wire::scalar::Generation;
use crate::wire::{Operation, RequestKind, Role};

use super::Step;

/// The generation of credentials that a queue begins with (section 5.6).
const INITIAL_GENERATION: &str = "initial";

impl Step<'_> {
    /// Section 5.2: how a log begins, and when a policy may be replaced.
    pub(super) fn check_policy(&self) -> Result<(), Rejection> {
        let commit = self.commit;
        let has_policy = matches!(commit.operations.first(), Some(Operation::Policy(_)));
        let (kind, role) = (commit.request.kind, commit.actor.role);
        if self.state.installed.is_none() {
            ensure!(
                has_policy,
                PolicyMissing,
                "a log begins with a Policy, and this one with a {kind} request"
            );
            let may_begin = match kind {
                RequestKind::Policy => role == Role::Administrator,
                _ => matches!(role, Role::Producer | Role::Dispatcher),
            };
            ensure!(
                may_begin,
                ActorUnauthorized,
                "a {role} may not begin a log with a {kind}"
            );
            return Ok(());
        }
        if !has_policy {
            return Ok(());
        }
        ensure!(
            kind == RequestKind::Policy,
            PolicyInvalid,
            "only the first submit of a log carries a Policy"
        );
        ensure!(
            self.state.is_quiescent(),
            PolicyNotQuiescent,
            "{} Works have not ended and {} Dispatches are not released",
            self.state.totals.pending,
            self.state.totals.unreleased
        );
        Ok(())
    }

    /// Section 5.3: every commit is made under the installed epoch.
    pub(super) fn check_epoch(&self) -> Result<(), Rejection> {
        let named = &self.commit.policy_epoch;
        let new = match self.commit.operations.first() {
            Some(Operation::Policy(policy)) => Some(&policy.epoch),
            _ => None,
        };
        let installed = self.state.installed().map(|installed| &installed.epoch);
        // A Policy may be said to be made under the old epoch or under its own; the protocol leaves
        // it open.
        ensure!(
            installed == Some(named) || new == Some(named),
            PolicyEpochInvalid,
            "the commit is made under epoch {named}, and the installed one is {}",
            installed.map_or("none", |epoch| epoch.as_str())
        );
        Ok(())
    }

    pub(super) fn check_operation_limit(&self) -> Result<(), Rejection> {
        let limits = match (self.commit.operations.first(), self.state.installed()) {
            (_, Some(installed)) => &installed.policy.limits,
            (Some(Operation::Policy(policy)), None) => &policy.policy.limits,
            // A log begins with a Policy.
            _ => return Ok(()),
        };
        let (count, limit) = (self.commit.operations.len() as u64, limits.operations.get());
        ensure!(
            count <= limit,
            OperationLimit,
            "{count} operations, and {limit} are allowed"
        );
        Ok(())
    }

    pub(super) fn policy(&mut self, operation: &Policy) -> Result<(), Rejection> {
        let (epoch, policy) = (&operation.epoch, &operation.policy);
        ensure!(
            !self.state.seen_epochs.contains_key(epoch),
            PolicyEpochInvalid,
            "epoch {epoch} was used before"
        );
        policy.check(&self.commit.actor.repository)?;
        let state = &mut self.state;
        let installed = Arc::new(Installed::new(epoch.clone(), policy.clone()));
        state.clocks.clear();
        state.deployments.clear();
        for ((pool, name), profile) in &installed.profiles {
            if policy.is_aw() && profile.logical_contract.is_some() {
                let revision = Revision {
                    profile: profile.clone(),
                    available: true,
                };
                let deployment = DeploymentRecord {
                    current: profile.git_ref.clone(),
                    revisions: vec![revision],
                };
                state
                    .deployments
                    .insert((pool.clone(), name.clone()), Arc::new(deployment));
            }
        }
        // What was seen stays seen; only the counting begins anew.
        let gates: Vec<_> = state
            .gates
            .iter()
            .map(|(gate, seen)| (gate.clone(), seen.clone()))
            .collect();
        for (gate, seen) in gates {
            let seen = GateRecord {
                observation: seen.observation.clone(),
                writes: 0,
            };
            state.gates.insert(gate, Arc::new(seen));
        }
        state.seen_epochs.insert(epoch.clone(), ());
        state.installed = Some(installed);
        if state.generation.is_none() {
            let generation = Generation::derived(INITIAL_GENERATION);
            state.seen_generations.insert(generation.clone(), ());
            state.generation = Some(generation);
        }
        // From the first commit on the queue has a repository, which evidence is compared with.
        let repository = &self.commit.actor.repository;
        state.repository.get_or_insert_with(|| repository.clone());
        Ok(())
    }

    pub(super) fn control(&mut self, control: &Control) -> Result<(), Rejection> {
        match &control.setting {
            Setting::AdmissionPaused(paused) => self.state.admission_paused = *paused,
            Setting::GrantsPaused(paused) => self.state.grants_paused = *paused,
            Setting::CredentialGeneration(generation) => {
                ensure!(
                    !self.state.seen_generations.contains_key(generation),
                    CredentialGenerationReused,
                    "generation {generation} was used before"
                );
                self.state.seen_generations.insert(generation.clone(), ());
                self.state.generation = Some(generation.clone());
            }
        }
        Ok(())
    }

    pub(super) fn work_priority(&mut self, operation: &WorkPriority) -> Result<(), Rejection> {
        let id = &operation.work_id;
        let Some(work) = self.state.work(id) else {
            refuse!(WorkInvalid, "there is no Work {id}");
        };
        ensure!(
            matches!(work.state, WorkState::Available),
            PriorityConflict,
            "Work {id} is {}, and only available Work changes its priority",
            work.state.name()
        );
        ensure!(
            work.priority == operation.expected_priority,
            PriorityConflict,
            "Work {id} has priority {}, and {} was expected",
            work.priority,
            operation.expected_priority
        );
        let mut work = work.clone();
        work.priority = operation.priority;
        self.state.put_work(id, work);
        Ok(())
    }

    pub(super) fn deployment(&mut self, operation: &Deployment) -> Result<(), Rejection> {
        let (pool, name) = (&operation.pool, &operation.worker_profile);
        let Some(deployment) = self.state.deployment(pool, name).cloned() else {
            refuse!(
                DeploymentInvalid,
                "pool {pool} has no contract-marked profile {name} under authorization aw"
            );
        };
        let mut deployment = deployment;
        let current = deployment
            .revisions
            .iter()
            .find(|revision| revision.profile.git_ref == deployment.current)
            .map(|revision| revision.profile.clone());
        let expected = current.filter(|current| {
            current.git_ref == operation.expected_ref
                && current.logical_contract == Some(operation.expected_contract)
        });
        let Some(current) = expected else {
            refuse!(
                DeploymentConflict,
                "the current revision is {}, and not {} with the expected contract",
                deployment.current,
                operation.expected_ref
            );
        };
        let mut same = operation.profile.clone();
        same.git_ref.clone_from(&current.git_ref);
        same.logical_contract = current.logical_contract;
        ensure!(
            same == *current && operation.profile.logical_contract.is_some(),
            DeploymentInvalid,
            "a deployment changes nothing of a profile but its ref and its contract"
        );
        let git_ref = &operation.profile.git_ref;
        let activate = operation.activate.unwrap_or(true);
        let known = deployment
            .revisions
            .iter_mut()
            .find(|it| it.profile.git_ref == *git_ref);
        match known {
            Some(known) => {
                ensure!(
                    *known.profile == operation.profile,
                    DeploymentConflict,
                    "revision {git_ref} is known with another contract"
                );
                known.available = operation.available;
            }
            None => {
                ensure!(
                    activate,
                    DeploymentInvalid,
                    "revision {git_ref} is not known, so it cannot be switched on or off"
                );
                let profile = Arc::new(operation.profile.clone());
                deployment.revisions.push(Revision {
                    profile,
                    available: operation.available,
                });
            }
        }
        if activate {
            deployment.current.clone_from(git_ref);
        }
        self.state
            .deployments
            .insert((pool.clone(), name.clone()), Arc::new(deployment));
        Ok(())
    }
}
