//! The form of a snapshot as JSON (section 10). What a state keeps together in one record stands there
//! in several members, each by the id of what it is about.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use plumb_canonical::{Digest, Value};

use super::snapshot::Snapshot;
use crate::code::Code;
use crate::schedule::contest::Clocks;
use crate::state::records::{
    Barrier, ClaimRecord, DeploymentRecord, DispatchRecord, GateRecord, Position, Receipt,
    WorkRecord, WorkState,
};
use crate::wire::macros::{record, words};
use crate::wire::operation::{IssueLink, Work};
use crate::wire::scalar::{
    ClaimId, CommitId, Decimal, DispatchId, Epoch, Generation, ObservationId, PoolName, Priority,
    ProfileName, Timestamp, WorkId,
};
use crate::wire::{Actor, GateKey, Operation, QueuePolicy, Wire, WireError};

record! {
    /// The members of a snapshot. Sets that can be long are objects, because arrays have at most
    /// 16,384 elements.
    Members, CheckpointInvalid {
        /// The installed policy,
        policy: QueuePolicy,
        /// and its epoch.
        epoch: Epoch,
        /// Every epoch there was.
        seen_epochs: BTreeMap<Epoch, Seen>,
        /// Every generation of credentials there was,
        seen_generations: BTreeMap<Generation, Seen>,
        /// and the present one.
        credential_generation: Generation,
        /// Whether admission is paused.
        admission_paused: bool,
        /// Whether grants are.
        grants_paused: bool,
        /// Works, with position and attempts.
        works: BTreeMap<WorkId, Admitted>,
        /// Claims.
        claims: BTreeMap<ClaimId, Arc<ClaimRecord>>,
        /// Dispatches, with the frozen profile and the count of their writes.
        dispatches: BTreeMap<DispatchId, Arc<DispatchRecord>>,
        /// Deployments.
        deployments: BTreeMap<PoolName, BTreeMap<ProfileName, Arc<DeploymentRecord>>>,
        /// The last Observation of each gate,
        observations: BTreeMap<GateKey, Arc<crate::wire::evidence::Observation>>,
        /// and how often each was written in this epoch.
        observation_writes: BTreeMap<GateKey, u64>,
        /// All Observations, by id, as digests.
        observation_ids: BTreeMap<ObservationId, Digest>,
        /// The clocks of each pool.
        clocks: BTreeMap<PoolName, Arc<Clocks>>,
        /// What decided the delivery of Works.
        terminal_barriers: BTreeMap<WorkId, TerminalBarrier>,
        /// When Works were cancelled.
        cancellations: BTreeMap<WorkId, Timestamp>,
        /// When Works were completed.
        completion_times: BTreeMap<WorkId, Timestamp>,
        /// Who submitted each Work.
        work_creators: BTreeMap<WorkId, Arc<Actor>>,
        /// The issues that show Works,
        issue_links: BTreeMap<WorkId, Arc<IssueLink>>,
        /// and comments on them.
        issue_comments: BTreeMap<WorkId, Vec<Decimal>>,
        /// Receipts, in the order of the chain.
        requests: Vec<Arc<Receipt>>,
        /// Bytes of the log.
        ledger_bytes: u64,
        /// Counts.
        stats: Stats,
        /// The time of the last commit.
        last_at: Timestamp,
    }
}

record! {
    /// What there was.
    Stats, CheckpointInvalid {
        /// Commits, those before an earlier checkpoint included.
        transactions: u64,
        /// Their operations.
        events: u64,
    }
}

words! {
    /// How far a Work has come.
    Progress {
        /// It waits for a grant.
        Available = "available",
        /// It has an owner.
        Claimed = "claimed",
        /// Its worker has finished.
        Completed = "completed",
        /// It ended otherwise.
        Cancelled = "cancelled",
    }
}

record! {
    /// A Work, and how far it has come.
    Admitted, CheckpointInvalid {
        /// As it was admitted.
        work: Arc<Work>,
        /// When.
        position: Position,
        /// How urgent it is now.
        priority: Priority,
        /// How often it was granted.
        attempts: u64,
        /// How far it has come.
        state: Progress,
        /// The Claim that owns it, or completed it.
        claim_id: Option<ClaimId>,
        /// The commit that completed it.
        completion_id: Option<CommitId>,
        /// When it may be granted again.
        retry_not_before: Timestamp,
        /// The contract of its worker when it was admitted.
        admission_contract: Option<Digest>,
    }
}

record! {
    /// What decided the delivery of a Work.
    TerminalBarrier, CheckpointInvalid {
        /// The Result or the DeliveryFailure.
        operation: Operation,
        /// The commit of a Result, to which children refer.
        commit_id: Option<CommitId>,
    }
}

/// A member that is true: its key is an element of a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen;

impl Wire for Seen {
    fn read(value: &Value<'_>, code: Code) -> Result<Self, WireError> {
        match value {
            Value::Bool(true) => Ok(Self),
            other => Err(WireError::expected(code, "true", other)),
        }
    }

    fn write(&self) -> Value<'_> {
        Value::Bool(true)
    }
}

fn set<K: Ord + Clone>(elements: &BTreeSet<K>) -> BTreeMap<K, Seen> {
    elements.iter().map(|it| (it.clone(), Seen)).collect()
}

impl Wire for Snapshot {
    fn read(value: &Value<'_>, code: Code) -> Result<Self, WireError> {
        let mut members = Members::read(value, code)?;
        let works = std::mem::take(&mut members.works);
        let works = works.into_iter().map(|(id, work)| {
            let work = members.take_work(&id, work);
            let work = work.map_err(|rule| WireError::rule(code, format!("Work {id} {rule}")))?;
            Ok((id, Arc::new(work)))
        });
        let works = works.collect::<Result<_, WireError>>()?;
        let observations = std::mem::take(&mut members.observations);
        let gates = observations.into_iter().map(|(gate, observation)| {
            let writes = members.observation_writes.remove(&gate).unwrap_or_default();
            let seen = GateRecord {
                observation,
                writes,
            };
            (gate, Arc::new(seen))
        });
        let gates = gates.collect();
        members.check_rest(code)?;
        Ok(Self {
            policy: members.policy,
            epoch: members.epoch,
            seen_epochs: members.seen_epochs.into_keys().collect(),
            credential_generation: members.credential_generation,
            seen_generations: members.seen_generations.into_keys().collect(),
            admission_paused: members.admission_paused,
            grants_paused: members.grants_paused,
            works,
            claims: members.claims,
            dispatches: members.dispatches,
            deployments: members.deployments,
            gates,
            observation_ids: members.observation_ids,
            clocks: members.clocks,
            issue_comments: members.issue_comments,
            requests: members.requests,
            ledger_bytes: members.ledger_bytes,
            transactions: members.stats.transactions,
            last_at: members.last_at,
        })
    }

    fn write(&self) -> Value<'_> {
        Members::of(self).write().into_owned()
    }
}

impl Members {
    fn of(snapshot: &Snapshot) -> Self {
        let mut members = Self {
            policy: snapshot.policy.clone(),
            epoch: snapshot.epoch.clone(),
            seen_epochs: set(&snapshot.seen_epochs),
            seen_generations: set(&snapshot.seen_generations),
            credential_generation: snapshot.credential_generation.clone(),
            admission_paused: snapshot.admission_paused,
            grants_paused: snapshot.grants_paused,
            works: BTreeMap::new(),
            claims: snapshot.claims.clone(),
            dispatches: snapshot.dispatches.clone(),
            deployments: snapshot.deployments.clone(),
            observations: BTreeMap::new(),
            observation_writes: BTreeMap::new(),
            observation_ids: snapshot.observation_ids.clone(),
            clocks: snapshot.clocks.clone(),
            terminal_barriers: BTreeMap::new(),
            cancellations: BTreeMap::new(),
            completion_times: BTreeMap::new(),
            work_creators: BTreeMap::new(),
            issue_links: BTreeMap::new(),
            issue_comments: snapshot.issue_comments.clone(),
            requests: snapshot.requests.clone(),
            ledger_bytes: snapshot.ledger_bytes,
            stats: Stats {
                transactions: snapshot.transactions,
                events: events(&snapshot.requests),
            },
            last_at: snapshot.last_at,
        };
        for (id, work) in &snapshot.works {
            members.put_work(id, work);
        }
        for (gate, seen) in &snapshot.gates {
            let observation = seen.observation.clone();
            members.observations.insert(gate.clone(), observation);
            // A new policy begins to count anew.
            if seen.writes > 0 {
                members.observation_writes.insert(gate.clone(), seen.writes);
            }
        }
        members
    }

    fn put_work(&mut self, id: &WorkId, record: &WorkRecord) {
        let (state, claim, completion) = match &record.state {
            WorkState::Available => (Progress::Available, None, None),
            WorkState::Claimed { claim } => (Progress::Claimed, Some(claim), None),
            WorkState::Completed {
                claim, completion, ..
            } => (Progress::Completed, Some(claim), Some(completion)),
            WorkState::Cancelled { .. } => (Progress::Cancelled, None, None),
        };
        match &record.state {
            WorkState::Available | WorkState::Claimed { .. } => {}
            WorkState::Cancelled { at } => {
                self.cancellations.insert(id.clone(), *at);
            }
            WorkState::Completed { at, barrier, .. } => {
                self.completion_times.insert(id.clone(), *at);
                if let Some(barrier) = TerminalBarrier::of(barrier) {
                    self.terminal_barriers.insert(id.clone(), barrier);
                }
            }
        }
        if let Some(link) = &record.issue {
            self.issue_links.insert(id.clone(), link.clone());
        }
        self.work_creators
            .insert(id.clone(), record.creator.clone());
        let admitted = Admitted {
            work: record.work.clone(),
            position: record.position,
            priority: record.priority,
            attempts: record.attempts,
            state,
            claim_id: claim.cloned(),
            completion_id: completion.cloned(),
            retry_not_before: record.retry_not_before,
            admission_contract: record.admission_contract,
        };
        self.works.insert(id.clone(), admitted);
    }

    /// Puts together what stands about a Work in several members, and takes it out of them.
    fn take_work(&mut self, id: &WorkId, admitted: Admitted) -> Result<WorkRecord, &'static str> {
        let creator = self.work_creators.remove(id);
        let state = match (admitted.state, admitted.claim_id, admitted.completion_id) {
            (Progress::Available, None, None) => WorkState::Available,
            (Progress::Claimed, Some(claim), None) => WorkState::Claimed { claim },
            (Progress::Completed, Some(claim), Some(completion)) => {
                let at = self.completion_times.remove(id);
                let barrier = self.terminal_barriers.remove(id);
                WorkState::Completed {
                    claim,
                    completion,
                    at: at.ok_or("is completed at no time")?,
                    barrier: barrier.map_or(Ok(Barrier::Pending), TerminalBarrier::into_barrier)?,
                }
            }
            (Progress::Cancelled, None, None) => {
                let at = self.cancellations.remove(id);
                WorkState::Cancelled {
                    at: at.ok_or("is cancelled at no time")?,
                }
            }
            _ => {
                return Err(
                    "has a claim_id or completion_id that its state should not have, or none",
                );
            }
        };
        Ok(WorkRecord {
            work: admitted.work,
            position: admitted.position,
            creator: creator.ok_or("was submitted by nobody")?,
            priority: admitted.priority,
            attempts: admitted.attempts,
            state,
            retry_not_before: admitted.retry_not_before,
            admission_contract: admitted.admission_contract,
            issue: self.issue_links.remove(id),
        })
    }

    /// That nothing is left of what is about Works and gates, and that the counts are right.
    fn check_rest(&self, code: Code) -> Result<(), WireError> {
        let rest = [
            ("terminal_barriers", self.terminal_barriers.keys().next()),
            ("cancellations", self.cancellations.keys().next()),
            ("completion_times", self.completion_times.keys().next()),
            ("work_creators", self.work_creators.keys().next()),
            ("issue_links", self.issue_links.keys().next()),
        ];
        for (name, work) in rest {
            if let Some(work) = work {
                let rule = format!("there is no Work {work} of which this could be true");
                return Err(WireError::rule(code, rule).within(name));
            }
        }
        if let Some(gate) = self.observation_writes.keys().next() {
            let rule = format!("the gate {} was never observed", gate.as_str());
            return Err(WireError::rule(code, rule).within("observation_writes"));
        }
        let events = events(&self.requests);
        if self.stats.events != events {
            let rule = format!("the receipts are of {events} operations");
            return Err(WireError::rule(code, rule).within("stats"));
        }
        Ok(())
    }
}

fn events(requests: &[Arc<Receipt>]) -> u64 {
    let events = requests.iter().map(|receipt| receipt.events);
    events.fold(0, u64::saturating_add)
}

impl TerminalBarrier {
    fn of(barrier: &Barrier) -> Option<Self> {
        match barrier {
            Barrier::Pending => None,
            Barrier::Verified { commit, result } => Some(Self {
                operation: Operation::Result(Arc::unwrap_or_clone(result.clone())),
                commit_id: Some(commit.clone()),
            }),
            Barrier::Failed(failure) => Some(Self {
                operation: Operation::DeliveryFailure(Arc::unwrap_or_clone(failure.clone())),
                commit_id: None,
            }),
        }
    }

    fn into_barrier(self) -> Result<Barrier, &'static str> {
        match (self.operation, self.commit_id) {
            (Operation::Result(result), Some(commit)) => Ok(Barrier::Verified {
                commit,
                result: Arc::new(result),
            }),
            (Operation::DeliveryFailure(failure), None) => Ok(Barrier::Failed(Arc::new(failure))),
            _ => Err("has a terminal barrier that is none"),
        }
    }
}
