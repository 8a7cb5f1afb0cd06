//! What a state is made of, and how it is believed: every relation in it is checked again.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use plumb_canonical::Digest;

use super::works::restore_graph;
use crate::code::Code;
use crate::reject::{Rejection, ensure, refuse};
use crate::schedule::contest::Clocks;
use crate::state::records::{
    ClaimRecord, DeploymentRecord, DispatchRecord, GateRecord, Receipt, WorkRecord,
};
use crate::state::{Installed, State};
use crate::wire::scalar::{
    ClaimId, Decimal, DispatchId, Epoch, Generation, ObservationId, PoolName, ProfileName,
    Repository, Timestamp, WorkId,
};
use crate::wire::{GateKey, QueuePolicy, Wire, WorkerProfile};

/// The whole state. Its form as JSON is that of a checkpoint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// The installed policy,
    pub policy: QueuePolicy,
    /// and its epoch.
    pub epoch: Epoch,
    /// Every epoch there was.
    pub seen_epochs: BTreeSet<Epoch>,
    /// The generation of credentials,
    pub credential_generation: Generation,
    /// and every one there was.
    pub seen_generations: BTreeSet<Generation>,
    /// Whether admission is paused.
    pub admission_paused: bool,
    /// Whether grants are.
    pub grants_paused: bool,
    /// Works.
    pub works: BTreeMap<WorkId, Arc<WorkRecord>>,
    /// Claims.
    pub claims: BTreeMap<ClaimId, Arc<ClaimRecord>>,
    /// Dispatches.
    pub dispatches: BTreeMap<DispatchId, Arc<DispatchRecord>>,
    /// Deployments.
    pub deployments: BTreeMap<PoolName, BTreeMap<ProfileName, Arc<DeploymentRecord>>>,
    /// The last Observations.
    pub gates: BTreeMap<GateKey, Arc<GateRecord>>,
    /// All Observations, by id, as digests.
    pub observation_ids: BTreeMap<ObservationId, Digest>,
    /// The clocks of each pool.
    pub clocks: BTreeMap<PoolName, Arc<Clocks>>,
    /// Comments on issues.
    pub issue_comments: BTreeMap<WorkId, Vec<Decimal>>,
    /// Receipts, in the order of the chain.
    pub requests: Vec<Arc<Receipt>>,
    /// Bytes of the log.
    pub ledger_bytes: u64,
    /// Commits so far.
    pub transactions: u64,
    /// The time of the last commit.
    pub last_at: Timestamp,
}

impl Snapshot {
    /// The snapshot of a state.
    ///
    /// # Errors
    ///
    /// `checkpoint_invalid`: the state is that of an empty log.
    pub fn of(state: &State) -> Result<Self, Rejection> {
        let (Some(installed), Some(generation)) = (state.installed(), state.generation()) else {
            refuse!(CheckpointInvalid, "an empty log has no state");
        };
        let mut deployments: BTreeMap<_, BTreeMap<_, _>> = BTreeMap::new();
        for ((pool, profile), deployment) in state.deployments.iter() {
            let pool = deployments.entry(pool.clone()).or_default();
            pool.insert(profile.clone(), deployment.clone());
        }
        let mut issue_comments: BTreeMap<_, Vec<_>> = BTreeMap::new();
        let comments: BTreeSet<_> = state.comments.keys().collect();
        for (work, comment) in comments {
            issue_comments
                .entry(work.clone())
                .or_default()
                .push(comment.clone());
        }
        let requests = state.history.values();
        let requests = requests.filter_map(|request| state.receipts.get(request).cloned());
        Ok(Self {
            policy: installed.policy.clone(),
            epoch: installed.epoch.clone(),
            seen_epochs: state.seen_epochs.keys().cloned().collect(),
            credential_generation: generation.clone(),
            seen_generations: state.seen_generations.keys().cloned().collect(),
            admission_paused: state.admission_paused,
            grants_paused: state.grants_paused,
            works: collect(state.works.iter()),
            claims: collect(state.claims.iter()),
            dispatches: collect(state.dispatches.iter()),
            deployments,
            gates: collect(state.gates.iter()),
            observation_ids: collect(state.observations.iter()),
            clocks: collect(state.clocks.iter()),
            issue_comments,
            requests: requests.collect(),
            ledger_bytes: state.totals.ledger,
            transactions: state.ordinal,
            last_at: state.last_at,
        })
    }

    /// The state of this snapshot, of a queue in this repository.
    ///
    /// # Errors
    ///
    /// `checkpoint_invalid`: something in it contradicts something else.
    pub fn restore(self, repository: &Repository) -> Result<State, Rejection> {
        self.policy.check(repository).map_err(|error| Rejection {
            code: Code::CheckpointInvalid,
            ..error
        })?;
        ensure!(
            self.seen_epochs.contains(&self.epoch)
                && self.seen_generations.contains(&self.credential_generation),
            CheckpointInvalid,
            "the epoch or the generation of credentials was never seen"
        );
        self.check_works()?;
        self.check_graphs()?;
        self.check_claims()?;
        self.check_dispatches(repository)?;
        self.check_explanations()?;
        self.check_deployments()?;
        for pool in self.clocks.keys().chain(self.deployments.keys()) {
            ensure!(
                self.policy.pools.contains_key(pool),
                CheckpointInvalid,
                "there is no pool {pool}"
            );
        }
        for (gate, seen) in &self.gates {
            let observation = &seen.observation;
            let digest = observation.write().digest();
            ensure!(
                observation.gate() == *gate
                    && self.observation_ids.get(&observation.observation_id) == Some(&digest),
                CheckpointInvalid,
                "the Observation of the gate {} is of another",
                gate.as_str()
            );
            ensure!(
                self.seen_generations
                    .contains(&observation.credential_generation)
                    && seen.writes <= self.policy.limits.observation_writes.get(),
                CheckpointInvalid,
                "the gate {} was observed with an unknown generation, or too often",
                gate.as_str()
            );
        }
        for work in self.issue_comments.keys() {
            ensure!(
                self.works.get(work).is_some_and(|it| it.issue.is_some()),
                CheckpointInvalid,
                "there are comments on Work {work}, which is not shown as an issue"
            );
        }
        let mut state = State {
            repository: Some(repository.clone()),
            installed: Some(Arc::new(Installed::new(
                self.epoch.clone(),
                self.policy.clone(),
            ))),
            generation: Some(self.credential_generation.clone()),
            admission_paused: self.admission_paused,
            grants_paused: self.grants_paused,
            ordinal: self.transactions,
            last_at: self.last_at,
            ..State::default()
        };
        state.totals.ledger = self.ledger_bytes;
        self.restore_receipts(&mut state)?;
        for epoch in self.seen_epochs {
            state.seen_epochs.insert(epoch, ());
        }
        for generation in self.seen_generations {
            state.seen_generations.insert(generation, ());
        }
        for (id, work) in &self.works {
            restore_graph(&mut state, &work.work)?;
            state.put_work(id, WorkRecord::clone(work));
        }
        state.totals.claims = self.claims.len() as u64;
        for (id, claim) in self.claims {
            state.claims.insert(id, claim);
        }
        for (id, dispatch) in &self.dispatches {
            if let Some(run) = &dispatch.run {
                let other = state.runs.get(&run.run_id);
                ensure!(
                    other.is_none(),
                    CheckpointInvalid,
                    "run {} is bound twice",
                    run.run_id
                );
                state.runs.insert(run.run_id.clone(), id.clone());
            }
            state.put_dispatch(id, DispatchRecord::clone(dispatch));
        }
        for (pool, profiles) in self.deployments {
            for (profile, deployment) in profiles {
                ensure!(
                    State::revision(&deployment, deployment.current.as_str()).is_some(),
                    CheckpointInvalid,
                    "the current revision {} is not known",
                    deployment.current
                );
                state
                    .deployments
                    .insert((pool.clone(), profile), deployment);
            }
        }
        for (gate, seen) in self.gates {
            state.gates.insert(gate, seen);
        }
        for (id, digest) in self.observation_ids {
            state.observations.insert(id, digest);
        }
        for (pool, clocks) in self.clocks {
            let is_possible = state.installed().is_some_and(|it| it.rules.allow(&clocks));
            ensure!(
                is_possible,
                CheckpointInvalid,
                "the clocks of pool {pool} cannot have come about under the policy"
            );
            state.clocks.insert(pool, clocks);
        }
        for (work, comments) in self.issue_comments {
            for comment in comments {
                state.comments.insert((work.clone(), comment), ());
            }
        }
        Ok(state)
    }

    /// That deployments are of the contract-marked profiles of the policy, all of them.
    fn check_deployments(&self) -> Result<(), Rejection> {
        for (name, pool) in &self.policy.pools {
            let deployed = self.deployments.get(name);
            for (profile, settings) in &pool.profiles {
                let is_marked = self.policy.is_aw() && settings.logical_contract.is_some();
                let deployment = deployed.and_then(|it| it.get(profile));
                ensure!(
                    deployment.is_some() == is_marked,
                    CheckpointInvalid,
                    "pool {name} has a deployment of profile {profile} that it should not have, or none"
                );
                let mut refs = BTreeSet::new();
                for revision in deployment.into_iter().flat_map(|it| &it.revisions) {
                    let mut same = WorkerProfile::clone(&revision.profile);
                    same.git_ref.clone_from(&settings.git_ref);
                    same.logical_contract = settings.logical_contract;
                    ensure!(
                        same == *settings
                            && revision.profile.logical_contract.is_some()
                            && refs.insert(&revision.profile.git_ref),
                        CheckpointInvalid,
                        "revision {} of profile {profile} is there twice, or of another profile",
                        revision.profile.git_ref
                    );
                }
            }
            let mut names = deployed.into_iter().flat_map(BTreeMap::keys);
            ensure!(
                names.all(|profile| pool.profiles.contains_key(profile)),
                CheckpointInvalid,
                "pool {name} has a deployment of a profile that does not exist"
            );
        }
        Ok(())
    }
}

fn collect<'a, K: Ord + Clone + 'a, V: Clone + 'a>(
    entries: impl Iterator<Item = (&'a K, &'a V)>,
) -> BTreeMap<K, V> {
    entries
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect()
}
