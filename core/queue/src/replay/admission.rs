//! Admission: Works and their graphs (section 7).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crate::identity::work_id;
use crate::reject::{Rejection, ensure, refuse};
use crate::schedule::plan::worst_case_bytes;
use crate::state::records::{Barrier, GraphRecord, WorkRecord, WorkState};
use crate::wire::operation::{Replacement, Work};
use crate::wire::policy::{PoolPolicy, QueuePolicy};
use crate::wire::scalar::{FairnessKey, PoolName, Principal, Priority, Timestamp, WorkId};
use crate::wire::{Dependency, Resource};

use super::Step;

/// The one host whose resources a queue knows (section 2.5).
const HOST: &str = "github.com";

/// Section 2.5: a Resource is of the one host, and of a repository that the pool allows.
pub(super) fn check_resource(resource: &Resource, pool: &PoolPolicy) -> Result<(), Rejection> {
    check_host(resource)?;
    ensure!(
        pool.allowed_repositories.contains(&resource.repository),
        ResourceUnauthorized,
        "the pool does not allow the repository {}",
        resource.repository
    );
    Ok(())
}

pub(super) fn check_host(resource: &Resource) -> Result<(), Rejection> {
    ensure!(
        resource.host.as_str() == HOST,
        ResourceInvalid,
        "the host is {}, and only {HOST} is known",
        resource.host
    );
    Ok(())
}

/// Section 7: whether a producer may submit, and cancel, Work of this kind.
pub(super) fn check_entitlement(
    policy: &QueuePolicy,
    principal: &Principal,
    pool: &PoolName,
    priority: Priority,
    key: &FairnessKey,
) -> Result<(), Rejection> {
    ensure!(
        policy.accounting_weights.contains_key(key),
        AdmissionUnauthorized,
        "the account \"{key}\" has no weight in the policy"
    );
    if policy.is_aw() {
        return Ok(());
    }
    let rule = policy.producers.get(principal);
    let is_entitled = rule.is_some_and(|rule| {
        rule.pools.contains(pool)
            && rule.priorities.contains(&priority)
            && rule.fairness_keys.contains(key)
    });
    ensure!(
        is_entitled,
        AdmissionUnauthorized,
        "no rule lets principal {principal} submit to pool {pool} with priority {priority} for the \
         account \"{key}\""
    );
    Ok(())
}

impl Step<'_> {
    pub(super) fn work(&mut self, index: usize, work: &Work) -> Result<(), Rejection> {
        let id = &work.work_id;
        let derived = work_id(&work.graph_id, &work.node_key);
        ensure!(
            *id == derived,
            IdentityInvalid,
            "node {} of graph {} has the id {derived}, and not {id}",
            work.node_key,
            work.graph_id
        );
        ensure!(
            !self.admitted.contains(id),
            NodeConflict,
            "node {} of graph {} is submitted twice",
            work.node_key,
            work.graph_id
        );
        if let Some(known) = self.state.work(id) {
            ensure!(
                *known.work == *work,
                WorkConflict,
                "Work {id} exists with another content"
            );
            // A node of an earlier submission, said again.
            return Ok(());
        }
        ensure!(
            !self.state.admission_paused,
            AdmissionPaused,
            "admission is paused, and Work {id} is new"
        );
        let Some(installed) = self.state.installed.clone() else {
            return Ok(());
        };
        let Some(pool) = installed.pool(&work.pool) else {
            refuse!(PoolInvalid, "the policy has no pool {}", work.pool);
        };
        self.check_entitled(work, &installed.policy)?;
        self.check_profile(work, &installed.policy, pool)?;
        let gates = work.depends_on.iter().filter_map(Dependency::resource);
        let named = [&work.subject, &work.backing_issue].into_iter().flatten();
        for resource in named.chain(gates) {
            check_resource(resource, pool)?;
        }
        self.check_sizes(work, &installed.policy)?;
        if let Some(replacement) = &work.replacement_of {
            self.check_replacement(work, replacement)?;
        }
        self.join_graph(work)?;
        let pending = self.state.pending(&work.pool) + 1;
        let limit = installed.policy.limits.pending_nodes.get();
        ensure!(
            pending <= limit,
            PendingLimit,
            "{pending} Works of pool {} would be pending, and {limit} may be",
            work.pool
        );
        let record = WorkRecord {
            position: self.position(index),
            creator: self.actor.clone(),
            priority: work.priority,
            attempts: 0,
            state: WorkState::Available,
            retry_not_before: Timestamp::default(),
            admission_contract: self.admission_contract(work),
            issue: None,
            work: Arc::new(work.clone()),
        };
        self.state.put_work(id, record);
        self.admitted.push(id.clone());
        Ok(())
    }

    /// Unpinned Work freezes the contract that it names, or else the current one.
    fn admission_contract(&self, work: &Work) -> Option<plumb_canonical::Digest> {
        let deployment = self.state.deployment(&work.pool, &work.worker_profile)?;
        let revisions = deployment.revisions.iter();
        let mut current = revisions.filter(|it| it.profile.git_ref == deployment.current);
        work.logical_contract
            .or(current.next()?.profile.logical_contract)
    }

    fn check_entitled(&self, work: &Work, policy: &QueuePolicy) -> Result<(), Rejection> {
        let (pool, key) = (&work.pool, &work.fairness_key);
        if let Some(parent) = self
            .parent
            .as_ref()
            .and_then(|parent| self.state.work(parent))
        {
            let inherits = *pool == parent.work.pool
                && work.priority == parent.priority
                && *key == parent.work.fairness_key;
            ensure!(
                inherits,
                ChildEntitlement,
                "a child has its parent's pool {}, priority {} and account \"{}\"",
                parent.work.pool,
                parent.priority,
                parent.work.fairness_key
            );
            return Ok(());
        }
        check_entitlement(
            policy,
            &self.commit.actor.principal,
            pool,
            work.priority,
            key,
        )
    }

    fn check_profile(
        &self,
        work: &Work,
        policy: &QueuePolicy,
        pool: &PoolPolicy,
    ) -> Result<(), Rejection> {
        let name = &work.worker_profile;
        let Some(profile) = pool.profiles.get(name) else {
            refuse!(WorkInvalid, "pool {} has no profile {name}", work.pool);
        };
        ensure!(
            work.batch_trust_domain == profile.trust_domain,
            WorkInvalid,
            "the trust domain is {}, and that of profile {name} is {}",
            work.batch_trust_domain,
            profile.trust_domain
        );
        let is_marked = policy.is_aw() && profile.logical_contract.is_some();
        ensure!(
            is_marked || (work.execution_ref.is_none() && work.logical_contract.is_none()),
            WorkInvalid,
            "profile {name} is not contract-marked, so a Work cannot name a revision or a contract"
        );
        Ok(())
    }

    fn check_sizes(&self, work: &Work, policy: &QueuePolicy) -> Result<(), Rejection> {
        let limits = &policy.limits;
        let (bytes, limit) = (work.payload.bytes() as u64, limits.payload_bytes.get());
        ensure!(
            bytes <= limit,
            PayloadLimit,
            "a payload of {bytes} bytes, and {limit} are allowed"
        );
        let epoch = self
            .state
            .installed()
            .map_or("", |installed| installed.epoch.as_str());
        let bytes = worst_case_bytes(&self.state, epoch, work, limits.result_bytes.get()) as u64;
        let limit = limits.assignment_bytes.get();
        ensure!(
            bytes <= limit,
            AssignmentLimit,
            "its Assignment could have {bytes} bytes, and {limit} are allowed"
        );
        Ok(())
    }

    fn check_replacement(&self, work: &Work, by: &Replacement) -> Result<(), Rejection> {
        let failed = self.state.work(&by.work_id);
        let failed = failed.and_then(|failed| match &failed.state {
            WorkState::Completed {
                claim,
                barrier: Barrier::Failed(_),
                ..
            } => Some((failed, claim)),
            _ => None,
        });
        let Some((failed, claim)) = failed else {
            refuse!(
                ReplacementInvalid,
                "{} is not a Work whose delivery failed",
                by.work_id
            );
        };
        ensure!(
            failed.work.graph_id == work.graph_id
                && failed.work.pool == work.pool
                && failed.priority == work.priority
                && failed.work.fairness_key == work.fairness_key,
            ReplacementInvalid,
            "a replacement has the graph, pool, priority and account of {}",
            by.work_id
        );
        let dispatch = self
            .state
            .claim(claim)
            .and_then(|it| self.state.dispatch(&it.claim.dispatch_id));
        match dispatch {
            Some(dispatch) => self.check_evidence(&by.evidence, dispatch),
            // A completed Work has its Claim, and a Claim its Dispatch.
            None => Ok(()),
        }
    }

    fn join_graph(&mut self, work: &Work) -> Result<(), Rejection> {
        let mut graph = match self.state.graphs.get(&work.graph_id) {
            Some(graph) => GraphRecord::clone(graph),
            None => GraphRecord {
                pool: work.pool.clone(),
                nodes: 0,
                gates: Vec::new(),
            },
        };
        ensure!(
            graph.pool == work.pool,
            GraphPoolConflict,
            "graph {} is in pool {}, and this node in {}",
            work.graph_id,
            graph.pool,
            work.pool
        );
        graph.nodes += 1;
        self.state
            .graphs
            .insert(work.graph_id.clone(), Arc::new(graph));
        Ok(())
    }

    /// The graphs that this commit touches, when all of its Works are there.
    ///
    /// Works that were there before cannot depend on new ones, so what is wrong is wrong with the new
    /// ones.
    pub(super) fn check_graphs(&mut self) -> Result<(), Rejection> {
        let admitted = std::mem::take(&mut self.admitted);
        for id in &admitted {
            if let Some(work) = self.state.works.get(id).map(|work| work.work.clone()) {
                self.check_edges(&work)
                    .map_err(|error| error.of(format!("Work {id}")))?;
            }
        }
        self.check_acyclic(&admitted)?;
        self.admitted = admitted;
        Ok(())
    }

    fn check_edges(&mut self, work: &Work) -> Result<(), Rejection> {
        let Some(installed) = self.state.installed.clone() else {
            return Ok(());
        };
        let limits = &installed.policy.limits;
        let (count, limit) = (work.depends_on.len() as u64, limits.predecessors.get());
        ensure!(
            count <= limit,
            GraphLimit,
            "{count} dependencies, and {limit} are allowed"
        );
        let mut parents = BTreeSet::new();
        let mut gates = BTreeSet::new();
        for dependency in &work.depends_on {
            match dependency {
                Dependency::Work(parent) => {
                    ensure!(
                        *parent != work.work_id,
                        DependencyCycle,
                        "node {} depends on itself",
                        work.node_key
                    );
                    ensure!(
                        self.state.works.contains_key(parent),
                        DependencyMissing,
                        "its parent {parent} is neither in the log nor in the commit"
                    );
                    ensure!(
                        parents.insert(parent),
                        DependencyDuplicate,
                        "its parent {parent} is named twice"
                    );
                }
                Dependency::Gate {
                    resource,
                    condition,
                } => {
                    let gate = resource.gate(*condition);
                    ensure!(
                        !gates.contains(&gate),
                        DependencyDuplicate,
                        "the gate {} is named twice",
                        gate.as_str()
                    );
                    gates.insert(gate);
                }
            }
        }
        let Some(graph) = self.state.graphs.get(&work.graph_id) else {
            return Ok(());
        };
        let mut graph = GraphRecord::clone(graph);
        let new: Vec<_> = gates
            .into_iter()
            .filter(|gate| !graph.gates.contains(gate))
            .collect();
        let has_new = !new.is_empty();
        graph.gates.extend(new);
        let (nodes, limit) = (
            graph.nodes + graph.gates.len() as u64,
            limits.graph_nodes.get(),
        );
        ensure!(
            nodes <= limit,
            GraphLimit,
            "graph {} has {nodes} nodes, gates included, and {limit} are allowed",
            work.graph_id
        );
        if has_new {
            self.state
                .graphs
                .insert(work.graph_id.clone(), Arc::new(graph));
        }
        Ok(())
    }

    /// Takes Works without parents among the rest away until none is left, or a circle is.
    fn check_acyclic(&self, admitted: &[WorkId]) -> Result<(), Rejection> {
        let new: BTreeSet<&WorkId> = admitted.iter().collect();
        let mut children: BTreeMap<&WorkId, Vec<&WorkId>> = BTreeMap::new();
        let mut parents: BTreeMap<&WorkId, usize> = BTreeMap::new();
        for id in admitted {
            let Some(work) = self.state.work(id) else {
                continue;
            };
            parents.entry(id).or_default();
            for dependency in &work.work.depends_on {
                if let Dependency::Work(parent) = dependency
                    && let Some(parent) = new.get(parent)
                {
                    children.entry(parent).or_default().push(id);
                    *parents.entry(id).or_default() += 1;
                }
            }
        }
        let mut free: Vec<&WorkId> = parents
            .iter()
            .filter(|(_, count)| **count == 0)
            .map(|(id, _)| *id)
            .collect();
        while let Some(id) = free.pop() {
            parents.remove(id);
            for child in children.get(id).into_iter().flatten() {
                if let Some(count) = parents.get_mut(child) {
                    *count -= 1;
                    if *count == 0 {
                        free.push(child);
                    }
                }
            }
        }
        match parents.keys().next() {
            None => Ok(()),
            Some(start) => refuse!(
                DependencyCycle,
                "these nodes depend on each other in a circle: {}",
                self.circle(start, &parents)
            ),
        }
    }

    /// The node keys of a circle, found by going from parent to parent among those that are left.
    fn circle(&self, start: &WorkId, left: &BTreeMap<&WorkId, usize>) -> String {
        let mut path: Vec<&WorkId> = Vec::new();
        let mut at = start;
        loop {
            if let Some(first) = path.iter().position(|id| *id == at) {
                let keys = path[first..].iter().filter_map(|id| self.state.work(id));
                let keys: Vec<_> = keys.map(|work| work.work.node_key.as_str()).collect();
                return keys.join(", ");
            }
            path.push(at);
            let parents = self
                .state
                .work(at)
                .into_iter()
                .flat_map(|work| &work.work.depends_on);
            let mut parents = parents.filter_map(|dependency| match dependency {
                Dependency::Work(parent) => left.get_key_value(parent).map(|(id, _)| *id),
                Dependency::Gate { .. } => None,
            });
            match parents.next() {
                Some(parent) => at = parent,
                // Each that is left has a parent that is left.
                None => return at.to_string(),
            }
        }
    }
}
