//! Making commits: from a request to the commit that answers it, or to the answer that was given
//! before (section 4).
//!
//! Nothing is written here. [`prepare`] makes a candidate on a state, applies it in full and undoes it, so
//! that what is handed to a store is known to be accepted by every reader.

use plumb_canonical::{MAX_LINE_BYTES, Reader, Value};

use crate::code::{Code, Reason};
use crate::identity::{bootstrap_epoch, commit_id, fingerprint};
use crate::reject::{Rejection, ensure, refuse};
use crate::schedule::plan::{Plan, PlanRequest, plan};
use crate::state::State;
use crate::state::records::ClaimState;
use crate::wire::commit::{Budget, Finish, Parameters};
use crate::wire::evidence::Observation;
use crate::wire::operation::{Policy, Work};
use crate::wire::scalar::{Bounded, CommitId, Epoch, RequestId, Timestamp};
use crate::wire::{
    Actor, Dependency, Limits, Operation, PoolPolicy, QueueCommit, QueuePolicy, QueueRequest,
    RequestKind, Wire,
};

/// Who asks, and when.
#[derive(Clone, Debug)]
pub struct Asker {
    /// The request's id; asking again with it is asking for the same answer.
    pub request: RequestId,
    /// By whom.
    pub actor: Actor,
    /// When. A commit is never earlier than the one before it.
    pub at: Timestamp,
}

/// What is asked for.
#[derive(Clone, Debug)]
pub enum Intent {
    /// Admit these Works. On an empty log the policy is installed first, under a derived epoch.
    Submit {
        /// The Works.
        works: Vec<Work>,
        /// The policy for a log that is empty.
        bootstrap: Option<Box<QueuePolicy>>,
    },
    /// Grant what is due, after these Observations.
    DispatchNext {
        /// What was seen just now.
        observations: Vec<Observation>,
        /// What may be used.
        budget: Budget,
    },
    /// End a Claim with these operations.
    Finish {
        /// Which, and how.
        finish: Finish,
        /// What that means.
        operations: Vec<Operation>,
    },
    /// Anything else.
    Operations {
        /// What it is.
        kind: RequestKind,
        /// What it says.
        operations: Vec<Operation>,
    },
}

/// What comes of a request.
#[derive(Clone, Debug)]
pub enum Prepared {
    /// A commit to be written; it is known that replay accepts it.
    Candidate(Box<QueueCommit>),
    /// The request was answered before, by this commit; nothing is to be written.
    Recovered(CommitId),
    /// There is nothing to write.
    Nothing(Nothing),
}

/// Why there is nothing to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Nothing {
    /// `already_submitted`: every Work is in the log with the same content, also while admission is
    /// paused.
    AlreadySubmitted,
    /// `already_completed`: the Claim was completed before, by another request.
    AlreadyCompleted,
    /// `already_cancelled`: what would be cancelled is cancelled.
    AlreadyCancelled,
    /// Nothing is due; the planner's reason.
    NothingDue(Reason),
}

impl Nothing {
    /// The protocol's word for it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::AlreadySubmitted => "already_submitted",
            Self::AlreadyCompleted => "already_completed",
            Self::AlreadyCancelled => "already_cancelled",
            Self::NothingDue(reason) => reason.as_str(),
        }
    }
}

/// Makes the commit that answers a request.
///
/// # Errors
///
/// `request_reuse` if the id was used for something else; otherwise the code for which replay would
/// refuse the commit. `resource_limit`: its line would be too long or too deep to be read. A submit is
/// refused with `ledger_limit`, too, if it would leave no room for the grant of a Work that is admitted
/// already: see [`room_for_grant`].
pub fn prepare(state: &mut State, asker: &Asker, intent: Intent) -> Result<Prepared, Rejection> {
    let (kind, parameters, operations) = match &intent {
        Intent::Submit { works, .. } => {
            let works = works.iter().cloned().map(Operation::Work).collect();
            (RequestKind::Submit, Parameters::Nodes, works)
        }
        Intent::DispatchNext {
            observations,
            budget,
        } => {
            let observations = observations
                .iter()
                .cloned()
                .map(Operation::Observation)
                .collect();
            (
                RequestKind::DispatchNext,
                Parameters::DispatchNext(budget.clone()),
                observations,
            )
        }
        Intent::Finish { finish, operations } => (
            RequestKind::Finish,
            Parameters::Finish(finish.clone()),
            operations.clone(),
        ),
        Intent::Operations { kind, operations } => {
            (*kind, Parameters::Operations, operations.clone())
        }
    };
    let mut commit = draft(state, asker, kind, parameters, operations);
    if let Some(earlier) = state.receipt(&asker.request) {
        // The fingerprint says all but who the actor is, which it says too.
        ensure!(
            earlier.fingerprint == commit.request.fingerprint && *earlier.actor == asker.actor,
            RequestReuse,
            "request {} was answered by commit {} and asked for something else then",
            asker.request,
            earlier.id
        );
        return Ok(Prepared::Recovered(earlier.id.clone()));
    }
    match intent {
        Intent::Submit { works, bootstrap } => {
            let is_known = |work: &Work| {
                state
                    .work(&work.work_id)
                    .is_some_and(|known| *known.work == *work)
            };
            if !works.is_empty() && works.iter().all(is_known) {
                return Ok(Prepared::Nothing(Nothing::AlreadySubmitted));
            }
            if let (None, Some(policy)) = (state.tip(), bootstrap) {
                let epoch = bootstrap_epoch(&asker.request);
                commit.policy_epoch = epoch.clone();
                let policy = Policy {
                    epoch,
                    policy: *policy,
                };
                commit.operations.insert(0, Operation::Policy(policy));
            }
        }
        Intent::DispatchNext {
            observations,
            budget,
        } => {
            let plan = plan_after(state, asker, &commit, observations.len(), &budget)?;
            if plan.grants.is_empty() {
                return Ok(Prepared::Nothing(Nothing::NothingDue(plan.reason)));
            }
            let claims = plan
                .grants
                .into_iter()
                .map(|grant| Operation::Claim(grant.claim));
            commit.operations.extend(claims);
        }
        Intent::Finish { .. } | Intent::Operations { .. } => {
            if let Some(nothing) = already(state, &commit) {
                return Ok(Prepared::Nothing(nothing));
            }
        }
    }
    let is_submit = commit.request.kind == RequestKind::Submit;
    let line = commit.write().to_canonical();
    state.preview(&read_back(&line)?, |next| match is_submit {
        true => check_room(next),
        false => Ok(()),
    })?;
    Ok(Prepared::Candidate(Box::new(commit)))
}

/// The answer where everything that a commit would end has ended in that way.
fn already(state: &State, commit: &QueueCommit) -> Option<Nothing> {
    let kind = commit.request.kind;
    let ends = [
        RequestKind::Finish,
        RequestKind::CancelWork,
        RequestKind::CancelClaim,
    ];
    if !ends.contains(&kind) {
        return None;
    }
    let ended = |operation: &Operation| {
        let (id, work) = match operation {
            Operation::Completion(it) => (&it.claim_id, &it.work_id),
            Operation::ClaimCancellation(it) => (&it.claim_id, &it.work_id),
            Operation::WorkCancellation(it) => {
                let is_cancelled = state.work(&it.work_id)?.state.name() == "cancelled";
                return is_cancelled.then_some(Nothing::AlreadyCancelled);
            }
            _ => return None,
        };
        let record = state.claim(id).filter(|it| it.claim.work_id == *work)?;
        // Only the run that a Claim was given to is told what became of it.
        let is_owner = commit.actor.dispatch_id.as_ref() == Some(&record.claim.dispatch_id);
        match (operation, record.state) {
            _ if kind == RequestKind::Finish && !is_owner => None,
            (Operation::Completion(_), ClaimState::Completed) => Some(Nothing::AlreadyCompleted),
            (Operation::ClaimCancellation(_), ClaimState::Cancelled) => {
                Some(Nothing::AlreadyCancelled)
            }
            _ => None,
        }
    };
    let first = commit.operations.first().and_then(ended)?;
    let mut rest = commit.operations.iter();
    rest.all(|it| ended(it) == Some(first)).then_some(first)
}

/// What every reader will see of a line: a commit that nobody could read would end the log.
///
/// # Errors
///
/// `resource_limit`: the line is too long, or something in it too deep.
pub(crate) fn read_back(line: &str) -> Result<Value<'_>, Rejection> {
    let value = Reader::with_max_bytes(MAX_LINE_BYTES).read_str(line);
    value.map_err(|fault| {
        let message = format!(
            "nobody could read a commit of {} bytes: {fault}",
            line.len()
        );
        Rejection::new(fault.code().into(), message)
    })
}

/// A commit with its envelope and fingerprint.
fn draft(
    state: &State,
    asker: &Asker,
    kind: RequestKind,
    parameters: Parameters,
    operations: Vec<Operation>,
) -> QueueCommit {
    let epoch = state.installed().map(|installed| installed.epoch.clone());
    let first = match operations.first() {
        Some(Operation::Policy(policy)) => Some(policy.epoch.clone()),
        _ => None,
    };
    let mut commit = QueueCommit {
        id: commit_id(state.tip(), &asker.request),
        previous: state.tip().cloned(),
        request: QueueRequest {
            id: asker.request.clone(),
            kind,
            parameters,
            fingerprint: plumb_canonical::Digest::of(b""),
        },
        actor: asker.actor.clone(),
        // An empty log has no epoch; replay refuses what is not a Policy then.
        policy_epoch: epoch.or(first).unwrap_or_else(|| Epoch::derived("none")),
        at: asker.at.max(state.last_at()),
        operations,
        trace: None,
    };
    commit.request.fingerprint = fingerprint(
        &commit.actor.write(),
        commit.request.kind,
        &commit.parameters(),
    );
    commit
}

/// Plans on the state after the commit's Observations.
fn plan_after(
    state: &mut State,
    asker: &Asker,
    commit: &QueueCommit,
    leading: usize,
    budget: &Budget,
) -> Result<Plan, Rejection> {
    let known = state
        .installed()
        .is_some_and(|it| it.pool(&budget.pool).is_some());
    ensure!(known, PoolInvalid, "the policy has no pool {}", budget.pool);
    let request = PlanRequest {
        budget,
        request: &asker.request,
        commit: &commit.id,
        leading,
        at: commit.at,
    };
    match leading {
        0 => Ok(plan(state, request)),
        _ => state.observe(commit, |state| plan(state, request)),
    }
}

/// How many resources may be read anew before a grant, of as many as the caller offers to (section
/// 8.12): one operation is left for a Claim; none where nothing could be granted anyway.
///
/// # Errors
///
/// `ledger_invalid`: more than 255 are offered.
pub fn refresh_budget(state: &State, offered: u64) -> Result<u64, Rejection> {
    ensure!(offered <= 255, LedgerInvalid, "{offered} is not 0 to 255");
    let Some(installed) = state.installed() else {
        return Ok(0);
    };
    let limits = &installed.policy.limits;
    if state.grants_paused() || state.totals().ledger >= limits.ledger_bytes.get() {
        return Ok(0);
    }
    Ok(offered.min(limits.operations.get() - 1))
}

/// What the byte envelope (section 9) leaves for grants.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Headroom {
    /// Bytes that must stay free to bring everything to an end.
    pub reserve: u64,
    /// How much that may grow by admissions and grants.
    pub free: u64,
    /// What the grant of one Work in a Dispatch of its own adds to the reserve.
    pub grant: u64,
    /// How many Claims the planner would make with the given budget.
    pub due: u64,
    /// The largest number of Claims, up to that, of which a commit fits; 0 if none does.
    pub max_claims: u64,
    /// Why the planner stops.
    pub reason: Reason,
}

/// Says how much of a budget can be used without leaving the byte envelope. A `dispatch_next` has to
/// grant all that its budget allows, so one that is too large fails as a whole.
///
/// # Errors
///
/// The planner cannot be asked: `pool_invalid`, `policy_missing`.
pub fn headroom(state: &mut State, asker: &Asker, budget: &Budget) -> Result<Headroom, Rejection> {
    let Some((limits, pool)) = state
        .installed()
        .map(|it| (&it.policy.limits, it.pool(&budget.pool)))
    else {
        refuse!(PolicyMissing, "an empty log has no policy");
    };
    let recovery = limits.recovery_bytes.get();
    let grant = pool.map_or(0, |pool| grant_reserve(limits, pool));
    let parameters = Parameters::DispatchNext(budget.clone());
    let draft = draft(
        state,
        asker,
        RequestKind::DispatchNext,
        parameters,
        Vec::new(),
    );
    let plan = plan_after(state, asker, &draft, 0, budget)?;
    let due = plan.grants.len() as u64;
    let mut fitting = 0;
    // The first grants of a plan are the plan of a smaller budget. Larger ones need not need more: a
    // Claim in a Dispatch that is there already needs less than the Work did before.
    for count in (1..=due).rev() {
        let mut candidate = draft.clone();
        let Some(max_claims) = Bounded::new(count) else {
            continue;
        };
        let smaller = Budget {
            max_claims,
            ..budget.clone()
        };
        candidate.request.parameters = Parameters::DispatchNext(smaller);
        candidate.sign();
        let claims = plan
            .grants
            .iter()
            .take(usize::try_from(count).unwrap_or(usize::MAX));
        candidate.operations = claims
            .map(|grant| Operation::Claim(grant.claim.clone()))
            .collect();
        match state.preview(&candidate.write(), |_| Ok(())) {
            Ok(()) => {
                fitting = count;
                break;
            }
            Err(error) if error.code == Code::LedgerLimit => {}
            Err(error) => return Err(error),
        }
    }
    let totals = state.totals();
    Ok(Headroom {
        reserve: totals.reserve,
        free: recovery.saturating_sub(totals.reserve),
        grant,
        due,
        max_claims: fitting,
        reason: plan.reason,
    })
}

/// What the grant of one Work of this pool adds to the reserve: its Dispatch, and the Work's own, which
/// then has one attempt less and an owner.
fn grant_reserve(limits: &Limits, pool: &PoolPolicy) -> u64 {
    let evidence = limits.evidence_bytes.get();
    let writes = pool.reconciliation.max_attempts.get() + 4;
    let dispatch = writes * (2 * evidence + 12_288) + 2 * evidence + COMMIT_BYTES;
    (dispatch + COMMIT_BYTES).saturating_sub(4 * evidence + COMMIT_BYTES)
}

/// What the protocol allows for a commit beside its evidence.
const COMMIT_BYTES: u64 = 8192;

/// What the grant of one Work adds to the log, at most: a commit, and for each gate an Observation
/// and its id.
fn grant_bytes(limits: &Limits, work: &Work) -> u64 {
    const ID: u64 = 2 * 256 + 3;
    let is_gate = |dependency: &&Dependency| matches!(dependency, Dependency::Gate { .. });
    let gates = work.depends_on.iter().filter(is_gate).count() as u64;
    COMMIT_BYTES + gates * (limits.evidence_bytes.get() + ID)
}

/// True if each Work that is available could be granted as far as the byte envelope goes.
///
/// The protocol lets Works be admitted into the room that grants need, up to a point at which no grant
/// fits any more and the queue stands still until Works are cancelled. It also lets them fill the log
/// up to the last byte at which grants are allowed. Writers of this crate do not go there: what is
/// looked at is the reserve and the log, each against its own limit. Grants that are made later use
/// that room, and give it back when they end.
#[must_use]
pub fn room_for_grant(state: &State) -> bool {
    check_room(state).is_ok()
}

fn check_room(state: &State) -> Result<(), Rejection> {
    let Some(installed) = state.installed() else {
        return Ok(());
    };
    let limits = &installed.policy.limits;
    let (ledger, recovery) = (limits.ledger_bytes.get(), limits.recovery_bytes.get());
    let totals = state.totals();
    for (name, pool) in &installed.policy.pools {
        let works = state.available(name);
        let works = works.filter_map(|(_, id)| state.work(id));
        let Some(bytes) = works.map(|it| grant_bytes(limits, &it.work)).max() else {
            continue;
        };
        let reserve = grant_reserve(limits, pool);
        ensure!(
            totals.reserve + reserve <= recovery,
            LedgerLimit,
            "{} bytes would be reserved of {recovery}, and a grant in pool {name} needs {reserve}: no \
             Work of it could be granted any more",
            totals.reserve
        );
        ensure!(
            totals.ledger + bytes <= ledger,
            LedgerLimit,
            "the log would have {} bytes of {ledger}, and a grant in pool {name} needs up to {bytes}: \
             no Work of it could be granted any more",
            totals.ledger
        );
    }
    Ok(())
}
