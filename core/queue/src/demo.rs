//! A whole life of a queue, for people to watch: against a store in memory and a host that only
//! pretends.
//!
//! A graph of three Works is submitted, two of them are granted in one Dispatch, whose launch loses its
//! answer; its run is found, its worker finishes, the effects are verified, the slot is released, and
//! then the third Work, which waited for both results, has its turn.

use crate::host::{Host, HostFault, SimulatedForge};
use crate::identity::{independent_graph, work_id};
use crate::operate::{Operator, Outcome};
use crate::reject::Rejection;
use crate::state::records::WorkState;
use crate::store::{MemoryStore, NoSuchVersion, PublishError, Published, Queue};
use crate::wire::commit::{Budget, Finish, Outcome as FinishOutcome};
use crate::wire::evidence::RunStatus;
use crate::wire::operation::{Completion, ResultOperation, Work};
use crate::wire::scalar::{
    ClaimId, Conclusion, Decimal, DispatchId, FairnessKey, Json, PoolName, RequestId, Timestamp,
    WorkId,
};
use crate::wire::{
    Actor, Dependency, Evidence, EvidenceKind, EvidenceSource, Operation, QueueCommit, QueuePolicy,
    RequestKind, Role, Wire, WireError,
};
use crate::writer::{Asker, Intent};

/// Why the demonstration could not go on; every cause is a defect of this crate.
#[derive(Debug, thiserror::Error)]
pub enum DemoError {
    /// Something was refused.
    #[error(transparent)]
    Publish(#[from] PublishError<NoSuchVersion>),
    /// Something was refused before it was published.
    #[error(transparent)]
    Rejected(#[from] Rejection),
    /// A record of the demonstration is ill-formed.
    #[error(transparent)]
    Wire(#[from] WireError),
    /// Something did not happen.
    #[error("{0} did not happen")]
    Missing(&'static str),
}

/// The default policy of section 5.7, but with two Claims in a Dispatch.
const POLICY: &str = r#"{"mode":"weighted-priority","class_weights":[8,4,2,1,1],"accounting_weights":{"":1},
"producers":{"100":{"pools":["default"],"priorities":[1,2,3,4,5],"fairness_keys":[""]}},
"pools":{"default":{"default_profile":"default","profiles":{"default":{
"workflow":".github/workflows/worker.lock.yml","ref":"0123456789012345678901234567890123456789",
"principal":"700","trust_domain":"default","credential_scope":"repository","effect_scope":"acme/app",
"max_claims":2,"share_keys":false}},"logical_limit":16,"native_limit":16,"allowed_repositories":["acme/app"],
"max_observation_age_ms":60000,"retry":{"max_attempts":3,"backoff_ms":30000},
"reconciliation":{"max_attempts":5,"deadline_ms":300000}}},
"limits":{"ledger_bytes":67108864,"recovery_bytes":16777216,"payload_bytes":16384,"graph_nodes":4096,
"predecessors":64,"pending_nodes":4096,"operations":256,"assignment_bytes":49152,"result_bytes":4096,
"evidence_bytes":1024,"observation_writes":4096}}"#;

/// One thing that happened.
#[derive(Clone, Debug)]
pub enum Event {
    /// What is going to be done, in words.
    Said(String),
    /// A commit that was written.
    Committed(Box<QueueCommit>),
}

struct Life<'e> {
    queue: Queue<MemoryStore>,
    forge: SimulatedForge,
    clock: u64,
    seen: u64,
    each: &'e mut dyn FnMut(Event),
}

/// Runs the demonstration, and hands out what happens; the answer is the log that came of it.
///
/// # Errors
///
/// A defect of this crate.
pub fn demo(each: &mut dyn FnMut(Event)) -> Result<String, DemoError> {
    let repository = scalar("acme/queue")?;
    let forge = SimulatedForge::new(repository, scalar("700")?);
    let queue = Queue::open(MemoryStore::default())?;
    let mut life = Life {
        queue,
        forge,
        clock: 1_767_225_600_000,
        seen: 0,
        each,
    };
    let graph = life.submit()?;
    life.say("Two of them depend on nothing. They are granted, and share one Dispatch.");
    let first = life.grant("first")?;
    life.say("The Dispatch is launched, once. The host makes a run, and its answer is lost.");
    life.forge.script([HostFault::LostResponse]);
    life.launch(&first)?;
    life.say(
        "Nobody launches again. The host is asked for the runs of the Dispatch, and there is one.",
    );
    life.reconcile(&first)?;
    life.say("The worker finishes both. Their effects are looked for, and found.");
    life.work(&first)?;
    life.say("The run ends, and gives its slot back.");
    life.release(&first)?;
    life.say("The third has the results that it waited for.");
    let second = life.grant("second")?;
    life.launch(&second)?;
    life.work(&second)?;
    life.release(&second)?;
    let state = life.queue.state();
    let all = state
        .works()
        .all(|(_, work)| work.state.barrier_name() == "verified");
    if !all || !state.is_quiescent() || state.works().count() != graph.len() {
        return Err(DemoError::Missing("the end of every Work"));
    }
    for dispatch in [&first, &second] {
        if life.forge.launches(dispatch) != 1 {
            return Err(DemoError::Missing("one launch of each Dispatch"));
        }
    }
    life.say("Every Work is verified, and nothing is under way.");
    Ok(life.queue.store().log().to_owned())
}

/// A scalar of the demonstration.
fn scalar<T: Wire>(text: &str) -> Result<T, WireError> {
    T::read(
        &plumb_canonical::Value::from(text),
        crate::Code::RequestInvalid,
    )
}

fn bounded<T: Wire>(number: u32) -> Result<T, WireError> {
    T::read(
        &plumb_canonical::Value::from(number),
        crate::Code::RequestInvalid,
    )
}

impl Life<'_> {
    fn say(&mut self, words: &str) {
        (self.each)(Event::Said(words.to_owned()));
    }

    fn now(&mut self) -> Timestamp {
        self.clock += 1000;
        Timestamp::new(self.clock).unwrap_or_default()
    }

    /// Hands out the commits that were written since the last time.
    fn show(&mut self) -> Result<(), DemoError> {
        let log = self.queue.store().log().to_owned();
        let lines = log
            .lines()
            .skip(usize::try_from(self.seen).unwrap_or_default());
        for line in lines {
            let value = plumb_canonical::parse(line)
                .map_err(|_| DemoError::Missing("a line that can be read"))?;
            let commit = QueueCommit::read(&value, crate::Code::LedgerInvalid)?;
            (self.each)(Event::Committed(Box::new(commit)));
            self.seen += 1;
        }
        Ok(())
    }

    fn actor(role: Role) -> Result<Actor, WireError> {
        let is_publisher = matches!(role, Role::Dispatcher | Role::Reconciler);
        Ok(Actor {
            role,
            principal: scalar("100")?,
            repository: scalar("acme/queue")?,
            workflow: is_publisher
                .then(|| scalar(".github/workflows/dispatch.lock.yml"))
                .transpose()?,
            run_id: is_publisher.then(|| scalar("55")).transpose()?,
            run_attempt: is_publisher.then(|| bounded(1)).transpose()?,
            dispatch_id: None,
            claim_handle: None,
        })
    }

    fn publish(&mut self, id: &str, actor: Actor, intent: &Intent) -> Result<(), DemoError> {
        let asker = Asker {
            request: RequestId::about("demo", id),
            actor,
            at: self.now(),
        };
        match self.queue.publish(&asker, intent, |_| {})? {
            Published::Now(_) => self.show(),
            Published::Recovered(_) | Published::Nothing(_) => {
                Err(DemoError::Missing("a request that was new"))
            }
        }
    }

    fn submit(&mut self) -> Result<Vec<WorkId>, DemoError> {
        self.say(
            "The first submit brings the policy along. Three Works, the third after the others.",
        );
        let policy = plumb_canonical::parse(POLICY)
            .map_err(|_| DemoError::Missing("a policy that can be read"))?;
        let policy = QueuePolicy::read(&policy, crate::Code::PolicyInvalid)?;
        let title = plumb_canonical::Object::from_members([("title", "release 1.0".into())]);
        let graph = independent_graph(&Json::new(title.unwrap_or_default()));
        let mut works: Vec<Work> = Vec::new();
        for (name, task) in [("docs", "write"), ("code", "build"), ("release", "publish")] {
            let node_key = scalar(name)?;
            let parents = works
                .iter()
                .map(|work| Dependency::Work(work.work_id.clone()));
            let payload = plumb_canonical::Object::from_members([("task", task.into())]);
            works.push(Work {
                work_id: work_id(&graph, &node_key),
                graph_id: graph.clone(),
                node_key,
                pool: scalar("default")?,
                priority: bounded(3)?,
                fairness_key: FairnessKey::default_account(),
                worker_profile: scalar("default")?,
                batch_trust_domain: scalar("default")?,
                payload: Json::new(payload.unwrap_or_default()),
                depends_on: if name == "release" {
                    parents.collect()
                } else {
                    Vec::new()
                },
                enqueued: Timestamp::new(self.clock).unwrap_or_default(),
                subject: None,
                backing_issue: None,
                replacement_of: None,
                logical_contract: None,
                execution_ref: None,
            });
        }
        let ids = works.iter().map(|work| work.work_id.clone()).collect();
        let intent = Intent::Submit {
            works,
            bootstrap: Some(Box::new(policy)),
        };
        self.publish("submit", Self::actor(Role::Producer)?, &intent)?;
        Ok(ids)
    }

    fn grant(&mut self, id: &str) -> Result<DispatchId, DemoError> {
        let budget = Budget {
            pool: scalar::<PoolName>("default")?,
            max_claims: bounded(16)?,
            max_dispatches: bounded(16)?,
            max_bytes: bounded(49_152)?,
            worker_profiles: None,
        };
        let intent = Intent::DispatchNext {
            observations: Vec::new(),
            budget,
        };
        self.publish(id, Self::actor(Role::Dispatcher)?, &intent)?;
        let request = RequestId::about("demo", id);
        let mut claims = self.queue.state().claims_of(&request);
        let dispatch = claims.next().map(|claim| claim.claim.dispatch_id.clone());
        dispatch.ok_or(DemoError::Missing("a grant"))
    }

    fn operator(&mut self, role: Role) -> Result<Operator, DemoError> {
        Ok(Operator {
            actor: Self::actor(role)?,
            at: self.now(),
            principal: None,
        })
    }

    fn launch(&mut self, dispatch: &DispatchId) -> Result<(), DemoError> {
        let operator = self.operator(Role::Dispatcher)?;
        let outcome = operator.launch(&mut self.queue, &mut self.forge, dispatch, |_| {})?;
        self.show()?;
        match outcome {
            Outcome::Bound(_) | Outcome::Uncertain => Ok(()),
            _ => Err(DemoError::Missing("a launch")),
        }
    }

    fn reconcile(&mut self, dispatch: &DispatchId) -> Result<(), DemoError> {
        let operator = self.operator(Role::Reconciler)?;
        let outcome = operator.reconcile(&mut self.queue, &mut self.forge, dispatch, |_| {})?;
        self.show()?;
        match outcome {
            Outcome::Bound(_) => Ok(()),
            _ => Err(DemoError::Missing("finding the run")),
        }
    }

    /// The worker finishes its Claims and has its effects; then they are verified.
    fn work(&mut self, dispatch: &DispatchId) -> Result<(), DemoError> {
        let record = self.queue.state().dispatch(dispatch).cloned();
        let record = record.ok_or(DemoError::Missing("the Dispatch"))?;
        let run = record.run.clone().ok_or(DemoError::Missing("the run"))?;
        let worker = Actor {
            role: Role::Worker,
            principal: run.principal.clone(),
            workflow: Some(run.workflow.clone()),
            run_id: Some(run.run_id.clone()),
            dispatch_id: Some(dispatch.clone()),
            run_attempt: Some(bounded(1)?),
            claim_handle: None,
            repository: run.repository.clone(),
        };
        for claim in &record.claims {
            self.finish(&worker, claim, &run.run_id)?;
        }
        for claim in &record.claims {
            self.verify(claim, &run.run_id)?;
        }
        Ok(())
    }

    fn finish(&mut self, worker: &Actor, claim: &ClaimId, run: &Decimal) -> Result<(), DemoError> {
        let granted = self
            .queue
            .state()
            .claim(claim)
            .map(|claim| claim.claim.clone());
        let granted = granted.ok_or(DemoError::Missing("the Claim"))?;
        let finish = Finish {
            dispatch_id: granted.dispatch_id.clone(),
            claim_handle: granted.handle,
            outcome: FinishOutcome::Completed,
        };
        let completion = Completion {
            work_id: granted.work_id.clone(),
            claim_id: claim.clone(),
            dispatch_id: granted.dispatch_id.clone(),
            claim_handle: granted.handle,
            run_id: run.clone(),
            run_attempt: bounded(1)?,
        };
        let intent = Intent::Finish {
            finish,
            operations: vec![Operation::Completion(completion)],
        };
        self.publish(&format!("finish {claim}"), worker.clone(), &intent)?;
        self.forge
            .effect(run, granted.handle, &format!("receipt-{}", granted.handle));
        Ok(())
    }

    fn verify(&mut self, claim: &ClaimId, run: &Decimal) -> Result<(), DemoError> {
        let granted = self
            .queue
            .state()
            .claim(claim)
            .map(|claim| claim.claim.clone());
        let granted = granted.ok_or(DemoError::Missing("the Claim"))?;
        let work = self
            .queue
            .state()
            .work(&granted.work_id)
            .map(|work| work.state.clone());
        let Some(WorkState::Completed { completion, .. }) = work else {
            return Err(DemoError::Missing("the completion"));
        };
        let profile = self.queue.state().dispatch(&granted.dispatch_id);
        let profile = profile.map(|dispatch| dispatch.profile.clone());
        let profile = profile.ok_or(DemoError::Missing("the Dispatch"))?;
        let receipts = self.forge.receipts(run, granted.handle).unwrap_or_default();
        let receipt = receipts.first().ok_or(DemoError::Missing("the effect"))?;
        let descriptor =
            plumb_canonical::Object::from_members([("receipt", receipt.as_str().into())]);
        let evidence = Evidence {
            kind: EvidenceKind::Delivery,
            source: EvidenceSource::VerifiedReceipts,
            repository: scalar("acme/queue")?,
            workflow: profile.workflow.clone(),
            git_ref: profile.git_ref.clone(),
            principal: scalar("700")?,
            checked_at: Timestamp::new(self.clock).unwrap_or_default(),
            run_id: Some(run.clone()),
            run_attempt: Some(bounded(1)?),
            status: Some(RunStatus::Completed),
            conclusion: Some(scalar::<Conclusion>("success")?),
            receipt: Some(scalar(receipt)?),
            attempts: None,
            effects: None,
        };
        let result = ResultOperation {
            work_id: granted.work_id.clone(),
            claim_id: claim.clone(),
            completion_id: completion,
            descriptor: Json::new(descriptor.unwrap_or_default().into_owned()),
            evidence,
        };
        let intent = Intent::Operations {
            kind: RequestKind::Result,
            operations: vec![Operation::Result(result)],
        };
        self.publish(
            &format!("verify {claim}"),
            Self::actor(Role::Reconciler)?,
            &intent,
        )
    }

    fn release(&mut self, dispatch: &DispatchId) -> Result<(), DemoError> {
        self.forge.end(dispatch, "success");
        let operator = self.operator(Role::Reconciler)?;
        operator.release(&mut self.queue, &mut self.forge, dispatch, |_| {})?;
        self.show()
    }
}
