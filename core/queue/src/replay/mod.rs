//! Replay: what a commit makes of the state, or why it is refused (section 5).
//!
//! [`State::advance`] is a pure function: it looks at nothing but the state and the commit. It makes
//! every choice again that the writer of the commit made, and refuses the commit if any differs.
//!
//! Checks come in the order of section 13, so that a commit with two faults is refused for the same
//! one everywhere: repository, request id, request (form, fingerprint, roles, parameters), authority
//! of workers, genesis and policy, epoch, number of operations, the operations in order, graphs,
//! Claims, exhausted retries, byte envelope.
//!
//! | module | operations |
//! |---|---|
//! | `request` | none: what can be said of a request without the state |
//! | `authority` | none: what workers may do, and whether evidence is about what it should be |
//! | `settings` | Policy, Control, Deployment, WorkPriority |
//! | `admission` | Work, and graphs |
//! | `claims` | Claim |
//! | `launch` | Dispatch, Release |
//! | `delivery` | Completion, Result, DeliveryFailure |
//! | `cancellation` | ClaimCancellation, WorkCancellation |
//! | `observing` | Observation |
//! | `issues` | IssueLink, IssueComment |
//! | `envelope` | none: section 9 |

mod admission;
mod authority;
mod cancellation;
mod claims;
mod delivery;
mod envelope;
mod issues;
mod launch;
mod observing;
mod request;
mod settings;

pub use authority::authorize_effects;

use std::sync::Arc;

use plumb_canonical::{Digest, Value};

use crate::code::Code;
use crate::reject::{Rejection, ensure, shown};
use crate::state::State;
use crate::state::records::{ClaimExplanation, Position, Receipt};
use crate::wire::commit::Parameters;
use crate::wire::scalar::{Timestamp, WorkId};
use crate::wire::{Actor, Operation, OrNull, QueueCommit, RequestKind, Wire};

/// What is known of the text of a commit.
#[derive(Clone, Copy)]
pub(crate) struct Facts {
    /// The length of its canonical line.
    pub(crate) bytes: u64,
    /// The digest of its request's parameters.
    pub(crate) parameters: Digest,
}

/// A commit while it is applied.
struct Step<'c> {
    commit: &'c QueueCommit,
    actor: Arc<Actor>,
    /// The state as the operations so far have made it.
    state: State,
    /// The commit's place in the chain.
    ordinal: u64,
    /// For a worker that acts for a Claim of its own: the Work.
    parent: Option<WorkId>,
    /// Works that this commit admits.
    admitted: Vec<WorkId>,
    /// Works that it makes available again.
    freed: Vec<WorkId>,
    /// Why each of its Claims is due.
    explanations: Vec<ClaimExplanation>,
}

impl<'c> Step<'c> {
    fn new(state: State, commit: &'c QueueCommit) -> Self {
        Self {
            commit,
            actor: Arc::new(commit.actor.clone()),
            ordinal: state.ordinal,
            state,
            parent: None,
            admitted: Vec::new(),
            freed: Vec::new(),
            explanations: Vec::new(),
        }
    }
}

impl Step<'_> {
    fn at(&self) -> Timestamp {
        self.commit.at
    }

    fn position(&self, index: usize) -> Position {
        Position {
            ordinal: self.ordinal,
            index: index as u64,
        }
    }
}

impl State {
    /// The state after this commit, which is given as it was read; this state is copied.
    ///
    /// # Errors
    ///
    /// The commit is refused, and why.
    pub fn apply(&self, value: &Value<'_>) -> Result<State, Rejection> {
        let mut next = self.clone();
        next.advance(value)?;
        Ok(next)
    }

    /// Applies a commit, which is given as it was read, in place.
    ///
    /// # Errors
    ///
    /// The commit is refused, and why. The state is as it was.
    pub fn advance(&mut self, value: &Value<'_>) -> Result<QueueCommit, Rejection> {
        let (commit, facts) = self.check(value)?;
        // A Checkpoint is a root, and replaces what it stands for.
        if commit.request.kind == RequestKind::Checkpoint {
            *self = crate::checkpoint::restore(&commit, facts)?;
            return Ok(commit);
        }
        self.attempt(&commit, true, |step| step.run(facts))?;
        Ok(commit)
    }

    /// Applies a commit, looks at the state that it makes, and undoes it.
    ///
    /// # Errors
    ///
    /// The commit is refused, or what was seen is.
    pub(crate) fn preview<T>(
        &mut self,
        value: &Value<'_>,
        look: impl FnOnce(&State) -> Result<T, Rejection>,
    ) -> Result<T, Rejection> {
        let (commit, facts) = self.check(value)?;
        self.attempt(&commit, false, |step| {
            step.run(facts)?;
            look(&step.state)
        })
    }

    /// Looks at the state after the Observations of a commit under construction, on which its Claims
    /// are planned, and undoes them.
    ///
    /// # Errors
    ///
    /// The first Observation that is refused.
    pub(crate) fn observe<T>(
        &mut self,
        commit: &QueueCommit,
        look: impl FnOnce(&State) -> T,
    ) -> Result<T, Rejection> {
        self.attempt(commit, false, |step| {
            for operation in &commit.operations {
                if let Operation::Observation(observation) = operation {
                    step.observation(observation)?;
                }
            }
            Ok(look(&step.state))
        })
    }

    /// Begins a commit, and ends it; it is kept if it is to be, and nothing was refused.
    fn attempt<T>(
        &mut self,
        commit: &QueueCommit,
        keep: bool,
        run: impl FnOnce(&mut Step<'_>) -> Result<T, Rejection>,
    ) -> Result<T, Rejection> {
        let mut step = Step::new(std::mem::take(self), commit);
        step.state.begin();
        let result = run(&mut step);
        *self = step.state;
        self.end(keep && result.is_ok());
        result
    }

    /// What can be said of a commit before its operations are looked at.
    fn check(&self, value: &Value<'_>) -> Result<(QueueCommit, Facts), Rejection> {
        self.check_repository(value)?;
        self.check_request_id(value)?;
        let commit = QueueCommit::read(value, Code::RequestInvalid)?;
        let parameters = request::check(value, &commit)?;
        let facts = Facts {
            bytes: value.canonical_len() as u64 + 1,
            parameters,
        };
        if commit.request.kind == RequestKind::Checkpoint {
            ensure!(
                self.tip.is_none(),
                CheckpointInvalid,
                "a checkpoint is the first commit of its log, and {} comes before it",
                self.tip.as_ref().map_or("nothing", |tip| tip.as_str())
            );
            return Ok((commit, facts));
        }
        ensure!(
            commit.previous == self.tip && !self.commits.contains_key(&commit.id),
            LedgerInvalid,
            "commit {} names {} as the one before it, and the last one is {}",
            commit.id,
            commit
                .previous
                .as_ref()
                .map_or("none", |previous| previous.as_str()),
            self.tip.as_ref().map_or("none", |tip| tip.as_str())
        );
        Ok((commit, facts))
    }

    fn check_repository(&self, value: &Value<'_>) -> Result<(), Rejection> {
        let actor = value.get("actor").and_then(|actor| actor.get("repository"));
        // An actor without one is refused for its form.
        if let (Some(queue), Some(actor)) = (&self.repository, actor.and_then(Value::as_str)) {
            ensure!(
                queue.as_str() == actor,
                LedgerForeign,
                "the actor's repository is {}, and the queue's is {queue}",
                shown(actor)
            );
        }
        Ok(())
    }

    fn check_request_id(&self, value: &Value<'_>) -> Result<(), Rejection> {
        let id = value.get("request").and_then(|request| request.get("id"));
        if let Some(id) = id.and_then(Value::as_str)
            && let Some(receipt) = self.receipts.get(id)
        {
            return Err(Rejection::new(
                Code::RequestReuse,
                format!(
                    "request {} was answered by commit {}",
                    shown(id),
                    receipt.id
                ),
            ));
        }
        Ok(())
    }
}

impl Step<'_> {
    /// Everything that depends on the state, in the order of section 13.
    fn run(&mut self, facts: Facts) -> Result<(), Rejection> {
        self.authorize_worker()?;
        self.check_policy()?;
        self.check_epoch()?;
        self.check_operation_limit()?;
        for (index, operation) in self.commit.operations.iter().enumerate() {
            self.operation(index, operation)
                .map_err(|error| error.of(format!("operation {index}, {}", operation.kind())))?;
        }
        self.check_graphs()?;
        self.claims()?;
        self.check_retries()?;
        self.record(facts);
        self.check_envelope()
    }

    fn operation(&mut self, index: usize, operation: &Operation) -> Result<(), Rejection> {
        match operation {
            Operation::Policy(policy) => self.policy(policy),
            Operation::Deployment(deployment) => self.deployment(deployment),
            Operation::Control(control) => self.control(control),
            Operation::Work(work) => self.work(index, work),
            // Claims are checked together, when everything else is done.
            Operation::Claim(_) => Ok(()),
            Operation::Completion(completion) => self.completion(completion),
            Operation::Result(result) => self.result(result),
            Operation::DeliveryFailure(failure) => self.delivery_failure(failure),
            Operation::Observation(observation) => self.observation(observation),
            Operation::ClaimCancellation(cancellation) => self.claim_cancellation(cancellation),
            Operation::WorkCancellation(cancellation) => self.work_cancellation(cancellation),
            Operation::WorkPriority(priority) => self.work_priority(priority),
            Operation::Dispatch(dispatch) => self.dispatch(dispatch),
            Operation::Release(release) => self.release(release),
            Operation::IssueLink(link) => self.issue_link(link),
            Operation::IssueComment(comment) => self.issue_comment(comment),
            Operation::Checkpoint(_) => Err(Rejection::new(
                Code::CheckpointInvalid,
                "a checkpoint is a request of its own",
            )),
        }
    }

    /// Section 5.5: no Work is left available that has no attempt left.
    fn check_retries(&self) -> Result<(), Rejection> {
        for id in &self.freed {
            let Some(work) = self.state.work(id) else {
                continue;
            };
            let pool = self
                .state
                .installed()
                .and_then(|it| it.pool(&work.work.pool));
            let max = pool.map_or(0, |pool| pool.retry.max_attempts.get());
            let is_available = work.state.name() == "available";
            ensure!(
                !is_available || work.attempts < max,
                RetryExhausted,
                "Work {id} is available after {} of {max} attempts; it must be cancelled with its \
                 last Claim",
                work.attempts
            );
        }
        Ok(())
    }

    /// Notes the commit itself.
    fn record(&mut self, facts: Facts) {
        let commit = self.commit;
        let receipt = Receipt {
            id: commit.id.clone(),
            previous: OrNull(commit.previous.clone()),
            request_id: commit.request.id.clone(),
            kind: commit.request.kind,
            fingerprint: commit.request.fingerprint,
            parameters_digest: facts.parameters,
            dispatch_parameters: match &commit.request.parameters {
                Parameters::DispatchNext(budget) => Some(budget.clone()),
                _ => None,
            },
            actor: self.actor.clone(),
            epoch: commit.policy_epoch.clone(),
            at: commit.at,
            events: commit.operations.len() as u64,
            claim_explanations: std::mem::take(&mut self.explanations),
            prior_tip: None,
        };
        let state = &mut self.state;
        state
            .repository
            .get_or_insert_with(|| commit.actor.repository.clone());
        state
            .receipts
            .insert(commit.request.id.clone(), Arc::new(receipt));
        state
            .history
            .insert(self.ordinal, commit.request.id.clone());
        state.commits.insert(commit.id.clone(), ());
        state.tip = Some(commit.id.clone());
        state.ordinal = self.ordinal + 1;
        state.last_at = commit.at.max(state.last_at);
        state.totals.ledger += facts.bytes;
    }
}
