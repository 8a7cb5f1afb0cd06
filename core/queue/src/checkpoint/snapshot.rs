//! The logical state of section 10, and how it is believed: every relation in it is checked again.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use plumb_canonical::Digest;

use crate::code::Code;
use crate::identity::{GrantIds, work_id};
use crate::reject::{Rejection, ensure, refuse};
use crate::schedule::contest::Clocks;
use crate::state::records::{
    Barrier, ClaimRecord, ClaimState, DeploymentRecord, DispatchRecord, DispatchState, GateRecord,
    GraphRecord, Receipt, WorkRecord, WorkState,
};
use crate::state::{Installed, State};
use crate::wire::macros::record;
use crate::wire::scalar::{
    ClaimId, CommitId, Decimal, DispatchId, Epoch, Generation, ObservationId, PoolName,
    ProfileName, Repository, RequestId, Timestamp, WorkId,
};
use crate::wire::{Dependency, GateKey, QueuePolicy, RequestKind, Wire, WorkerProfile};

record! {
    /// A receipt, and the request that it is of.
    Answered, CheckpointInvalid {
        /// The request.
        request_id: RequestId,
        /// What is remembered.
        receipt: Arc<Receipt>,
    }
}

record! {
    /// The whole state. Sets that can be long are objects, because arrays have at most 16,384 elements.
    Snapshot, CheckpointInvalid {
        /// The installed policy,
        policy: QueuePolicy,
        /// and its epoch.
        epoch: Epoch,
        /// Every epoch there was.
        seen_epochs: BTreeMap<Epoch, bool>,
        /// The generation of credentials,
        credential_generation: Generation,
        /// and every one there was.
        seen_generations: BTreeMap<Generation, bool>,
        /// Whether admission is paused.
        admission_paused: bool,
        /// Whether grants are.
        grants_paused: bool,
        /// Works.
        works: BTreeMap<WorkId, Arc<WorkRecord>>,
        /// Claims.
        claims: BTreeMap<ClaimId, Arc<ClaimRecord>>,
        /// Dispatches.
        dispatches: BTreeMap<DispatchId, Arc<DispatchRecord>>,
        /// Deployments.
        deployments: BTreeMap<PoolName, BTreeMap<ProfileName, Arc<DeploymentRecord>>>,
        /// The last Observations.
        observations: BTreeMap<GateKey, Arc<GateRecord>>,
        /// All Observations, by id, as digests.
        observation_ids: BTreeMap<ObservationId, Digest>,
        /// The clocks of each pool.
        clocks: BTreeMap<PoolName, Arc<Clocks>>,
        /// Comments on issues.
        issue_comments: BTreeMap<WorkId, Vec<Decimal>>,
        /// Receipts, in the order of the chain.
        requests: Vec<Answered>,
        /// Bytes of the log.
        ledger_bytes: u64,
        /// Commits so far.
        transactions: u64,
        /// The time of the last commit.
        last_at: Timestamp,
    }
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
        let requests = state.history.values().filter_map(|request_id| {
            let receipt = state.receipts.get(request_id)?.clone();
            Some(Answered {
                request_id: request_id.clone(),
                receipt,
            })
        });
        Ok(Self {
            policy: installed.policy.clone(),
            epoch: installed.epoch.clone(),
            seen_epochs: state
                .seen_epochs
                .keys()
                .map(|epoch| (epoch.clone(), true))
                .collect(),
            credential_generation: generation.clone(),
            seen_generations: state
                .seen_generations
                .keys()
                .map(|it| (it.clone(), true))
                .collect(),
            admission_paused: state.admission_paused,
            grants_paused: state.grants_paused,
            works: collect(state.works.iter()),
            claims: collect(state.claims.iter()),
            dispatches: collect(state.dispatches.iter()),
            deployments,
            observations: collect(state.gates.iter()),
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
            self.seen_epochs.contains_key(&self.epoch)
                && self
                    .seen_generations
                    .contains_key(&self.credential_generation),
            CheckpointInvalid,
            "the epoch or the generation of credentials was never seen"
        );
        self.check_works()?;
        self.check_graphs()?;
        self.check_claims()?;
        self.check_dispatches(repository)?;
        self.check_deployments()?;
        for pool in self.clocks.keys().chain(self.deployments.keys()) {
            ensure!(
                self.policy.pools.contains_key(pool),
                CheckpointInvalid,
                "there is no pool {pool}"
            );
        }
        for (gate, seen) in &self.observations {
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
                    .contains_key(&observation.credential_generation)
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
        for epoch in self.seen_epochs.into_keys() {
            state.seen_epochs.insert(epoch, ());
        }
        for generation in self.seen_generations.into_keys() {
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
        for (gate, seen) in self.observations {
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

    fn check_works(&self) -> Result<(), Rejection> {
        let mut positions = BTreeSet::new();
        let mut granted: BTreeMap<&WorkId, u64> = BTreeMap::new();
        let commits: BTreeSet<_> = self.requests.iter().map(|it| &it.receipt.id).collect();
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
    fn check_graphs(&self) -> Result<(), Rejection> {
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

    fn check_claims(&self) -> Result<(), Rejection> {
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

    fn check_dispatches(&self, repository: &Repository) -> Result<(), Rejection> {
        let receipts = self.requests.iter();
        let receipts: BTreeMap<_, _> = receipts.map(|it| (&it.request_id, &it.receipt)).collect();
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
                    receipt.id == dispatch.commit
                        && receipt.epoch == dispatch.epoch
                        && receipt.dispatches.contains(id)
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
        for Answered { receipt, .. } in &self.requests {
            ensure!(
                receipt
                    .dispatches
                    .iter()
                    .all(|id| self.dispatches.contains_key(id)),
                CheckpointInvalid,
                "commit {} made a Dispatch that is not there",
                receipt.id
            );
        }
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

    /// The receipts, which must be a chain.
    fn restore_receipts(&self, state: &mut State) -> Result<(), Rejection> {
        let mut last: Option<&CommitId> = None;
        for (
            ordinal,
            Answered {
                request_id,
                receipt,
            },
        ) in (0..).zip(&self.requests)
        {
            let before = receipt.previous.as_ref().or(receipt.prior_tip.as_ref());
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
                    && (receipt.previous.is_none() == (is_root || ordinal == 0))
                    && self.seen_epochs.contains_key(&receipt.epoch)
                    && receipt.at <= self.last_at
                    && state.repository.as_ref() == Some(&receipt.actor.repository),
                CheckpointInvalid,
                "the receipt of request {request_id} is of another queue, epoch, place or time"
            );
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

fn collect<'a, K: Ord + Clone + 'a, V: Clone + 'a>(
    entries: impl Iterator<Item = (&'a K, &'a V)>,
) -> BTreeMap<K, V> {
    entries
        .map(|(key, value)| (key.clone(), value.clone()))
        .collect()
}

fn restore_graph(state: &mut State, work: &crate::wire::operation::Work) -> Result<(), Rejection> {
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
