//! Planning a `dispatch_next`: how many Works are granted, and in which Dispatches (section 6.8).
//!
//! Works are granted in the order of the contest and packed into the earliest Dispatch of this plan
//! that can take them. The first one that cannot be packed ends the plan: nothing that ranks lower
//! overtakes it.

use std::sync::Arc;

use plumb_canonical::Value;

use super::contest::{Clocks, Contest, Turn};
use super::eligibility::{Caller, execution_profile, observations, why_not};
use crate::code::Reason;
use crate::identity::GrantIds;
use crate::state::records::{Barrier, WorkRecord, WorkState};
use crate::state::{Slot, State};
use crate::wire::commit::Budget;
use crate::wire::operation::Claim;
use crate::wire::policy::{PoolPolicy, WorkerProfile};
use crate::wire::scalar::{
    ClaimHandle, CommitId, DispatchId, FairnessKey, Identity, Json, PoolName, ProfileName,
    RequestId, Timestamp, WorkId,
};
use crate::wire::{AssignedClaim, Assignment, Dependency, ResultReference, Wire};

/// What is to be planned.
#[derive(Clone, Copy, Debug)]
pub struct PlanRequest<'a> {
    /// What may be used.
    pub budget: &'a Budget,
    /// The request, from which the ids are made.
    pub request: &'a RequestId,
    /// The commit that will hold the Claims.
    pub commit: &'a CommitId,
    /// How many Observations it has before them; they are in the state already.
    pub leading: usize,
    /// Its time.
    pub at: Timestamp,
}

/// One granted Work.
#[derive(Clone, Debug, PartialEq)]
pub struct Grant {
    /// The operation.
    pub claim: Claim,
    /// How it won: its class and account, and their passes.
    pub turn: Turn<WorkId>,
}

/// One Dispatch of a plan.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// Its id.
    pub dispatch_id: DispatchId,
    /// Its profile's name,
    pub worker_profile: ProfileName,
    /// and the profile.
    pub profile: Arc<WorkerProfile>,
    /// The length of its Assignment, in bytes.
    pub bytes: usize,
    /// How many Claims it has.
    pub claims: usize,
    domain: Identity,
    key: FairnessKey,
}

/// What the planner decides.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The Works that are granted, in order.
    pub grants: Vec<Grant>,
    /// Their Dispatches.
    pub groups: Vec<Group>,
    /// Why there are no more.
    pub reason: Reason,
    /// Whose turn it would have been, if somebody's but for this reason.
    pub next: Option<Turn<WorkId>>,
    /// The pool's clocks afterwards.
    pub clocks: Clocks,
}

/// Plans a `dispatch_next` on the state after the commit's Observations.
///
/// The pool must be one of the policy; otherwise there is no work.
#[must_use]
pub fn plan(state: &State, request: PlanRequest<'_>) -> Plan {
    let budget = request.budget;
    let clocks = state.clocks(&budget.pool);
    let Some((installed, pool)) = state
        .installed
        .as_deref()
        .and_then(|installed| Some((installed, installed.pool(&budget.pool)?)))
    else {
        return Plan::nothing(Reason::NoWork, clocks);
    };
    let operations = installed.policy.limits.operations.get();
    let left = operations.saturating_sub(request.leading as u64);
    let mut plan = Plan::nothing(Reason::OperationBudgetBlocked, clocks);
    if left == 0 {
        return plan;
    }
    if let Some(reason) = closed(state, &budget.pool, pool, 0) {
        plan.reason = reason;
        return plan;
    }
    let mut packer = Packer {
        state,
        request,
        pool,
        ids: GrantIds::new(request.request),
        base: Base::new(state, request),
        max_bytes: budget
            .max_bytes
            .get()
            .min(installed.policy.limits.assignment_bytes.get()),
    };
    let caller = Caller {
        worker_profiles: budget.worker_profiles.as_deref(),
        at: request.at,
    };
    let (mut contest, waiting) =
        candidates(state, &budget.pool, caller, &installed.rules, &plan.clocks);
    plan.reason = loop {
        let granted = plan.grants.len() as u64;
        if granted >= budget.max_claims.get() {
            break Reason::ClaimBudgetReached;
        }
        if granted >= left {
            break Reason::OperationBudgetReached;
        }
        if let Some(reason) = closed(state, &budget.pool, pool, granted) {
            break reason;
        }
        let Some(turn) = contest.peek() else {
            break match (waiting > granted, granted) {
                (true, _) => Reason::NoEligibleWork,
                (false, 0) => Reason::NoWork,
                (false, _) => Reason::PrefixComplete,
            };
        };
        if let Err(reason) = packer.pack(&mut plan, &turn) {
            plan.next = Some(turn);
            break reason;
        }
        contest.take(&turn);
        if packer.is_account_full(&plan, &turn.key) {
            contest.drop_account(&turn.key);
        }
    };
    plan.clocks = contest.into_clocks();
    plan
}

/// What stops every grant of a pool, before any Work is looked at.
fn closed(state: &State, name: &PoolName, pool: &PoolPolicy, granted: u64) -> Option<Reason> {
    if state.grants_paused() {
        return Some(Reason::GrantsPaused);
    }
    let open = state.open_claims(name) + granted;
    (open >= pool.logical_limit.get()).then_some(Reason::CapacityBlocked)
}

/// The contest among the eligible Works of a pool, and how many are available.
fn candidates<'r>(
    state: &State,
    pool: &PoolName,
    caller: Caller<'_>,
    rules: &'r super::contest::Rules,
    clocks: &Clocks,
) -> (Contest<'r, WorkId>, u64) {
    let mut waiting = 0;
    let eligible = state
        .available(pool)
        .filter_map(|(slot, id): (&Slot, &WorkId)| {
            waiting += 1;
            let work = state.work(id)?;
            let is_eligible = why_not(state, work, caller).is_none();
            is_eligible.then(|| (slot.priority, slot.key.clone(), id.clone()))
        });
    let contest = Contest::new(rules, clocks.clone(), eligible.collect::<Vec<_>>());
    (contest, waiting)
}

impl Plan {
    fn nothing(reason: Reason, clocks: Clocks) -> Self {
        Self {
            grants: Vec::new(),
            groups: Vec::new(),
            reason,
            next: None,
            clocks,
        }
    }
}

/// Packs winners into Dispatches.
struct Packer<'a> {
    state: &'a State,
    request: PlanRequest<'a>,
    pool: &'a PoolPolicy,
    ids: GrantIds,
    base: Base,
    max_bytes: u64,
}

impl Packer<'_> {
    fn pack(&mut self, plan: &mut Plan, turn: &Turn<WorkId>) -> Result<(), Reason> {
        // Eligible Works exist and have a profile.
        let work = self
            .state
            .work(&turn.work)
            .ok_or(Reason::WorkerUnavailable)?;
        let profile = execution_profile(self.state, work)?;
        let claim_id = self.ids.claim(plan.grants.len() + 1);
        let payload = assigned_bytes(self.state, work, claim_id.as_str().len());
        let fits = |group: &Group| {
            group.worker_profile == work.work.worker_profile
                && group.profile == profile
                && (group.claims as u64) < profile.max_claims.get()
                && group.domain == work.work.batch_trust_domain
                && (profile.share_keys || group.key == work.work.fairness_key)
                && self.with_claim(group.bytes, group.claims, payload) as u64 <= self.max_bytes
        };
        let index = match plan.groups.iter().position(fits) {
            Some(index) => index,
            None => {
                self.open(plan, work, profile, payload)?;
                plan.groups.len() - 1
            }
        };
        let group = &mut plan.groups[index];
        group.bytes = self.with_claim(group.bytes, group.claims, payload);
        group.claims += 1;
        // A group has at most as many Claims as its profile allows, and there are handles for 16.
        let handle = ClaimHandle::new(group.claims).ok_or(Reason::DispatchBudgetBlocked)?;
        let claim = Claim {
            work_id: turn.work.clone(),
            claim_id,
            dispatch_id: group.dispatch_id.clone(),
            handle,
            observations: observations(self.state, work),
        };
        plan.grants.push(Grant {
            claim,
            turn: turn.clone(),
        });
        Ok(())
    }

    fn open(
        &self,
        plan: &mut Plan,
        work: &WorkRecord,
        profile: Arc<WorkerProfile>,
        payload: usize,
    ) -> Result<(), Reason> {
        let opened = plan.groups.len() as u64;
        if opened >= self.request.budget.max_dispatches.get() {
            return Err(Reason::DispatchBudgetBlocked);
        }
        let native = self.state.native_reservations(&self.request.budget.pool) + opened;
        if native >= self.pool.native_limit.get() {
            return Err(Reason::NativeCapacityBlocked);
        }
        let dispatch_id = self.ids.dispatch(plan.groups.len() + 1);
        let name = &work.work.worker_profile;
        let bytes = self.base.bytes(dispatch_id.as_str(), name);
        if self.with_claim(bytes, 0, payload) as u64 > self.max_bytes {
            return Err(Reason::AssignmentBytesBlocked);
        }
        plan.groups.push(Group {
            dispatch_id,
            worker_profile: name.clone(),
            profile,
            bytes,
            claims: 0,
            domain: work.work.batch_trust_domain.clone(),
            key: work.work.fairness_key.clone(),
        });
        Ok(())
    }

    /// The length of an Assignment with one Claim more.
    fn with_claim(&self, bytes: usize, claims: usize, payload: usize) -> usize {
        let comma = usize::from(claims > 0);
        let handle = if claims + 1 < 10 { 2 } else { 3 };
        bytes + comma + payload + handle
    }

    /// True if the account has as many open Claims as it may have, those of the plan included.
    fn is_account_full(&self, plan: &Plan, key: &FairnessKey) -> bool {
        let limit = self
            .pool
            .per_account_limit
            .map_or(0, crate::wire::scalar::Bounded::get);
        if limit == 0 {
            return false;
        }
        let granted = plan
            .grants
            .iter()
            .filter(|grant| grant.turn.key == *key)
            .count() as u64;
        self.state
            .account_open_claims(&self.request.budget.pool, key)
            + granted
            >= limit
    }
}

/// The length of an Assignment without Claims, in so far as it is the same for all of a plan.
struct Base(usize);

impl Base {
    fn new(state: &State, request: PlanRequest<'_>) -> Self {
        let epoch = state
            .installed()
            .map_or("", |installed| installed.epoch.as_str());
        let texts = [
            request.request.as_str(),
            request.commit.as_str(),
            epoch,
            request.budget.pool.as_str(),
        ];
        Self(EMPTY + texts.into_iter().map(text_bytes).sum::<usize>())
    }

    fn bytes(&self, dispatch: &str, profile: &ProfileName) -> usize {
        self.0 + text_bytes(dispatch) + text_bytes(profile.as_str())
    }
}

/// The length of an Assignment's own text: names and punctuation, without texts and Claims.
const EMPTY: usize = r#"{"claims":[],"commit_id":,"dispatch_id":,"policy_epoch":,"pool":,"request_id":,"version":3,"worker_profile":}"#.len();
/// As much of a Claim.
const EMPTY_CLAIM: usize = r#"{"claim_id":,"handle":"","result_refs":[],"work":,"work_id":}"#.len();
/// As much of the result of a parent.
const EMPTY_RESULT: usize = r#"{"descriptor":,"result_commit_id":,"work_id":}"#.len();

/// The length of a text in an Assignment, quotes and escapes included.
pub(crate) fn text_bytes(text: &str) -> usize {
    Value::from(text).canonical_len()
}

/// The length of a Claim in an Assignment, without its handle.
fn assigned_bytes(state: &State, work: &WorkRecord, claim_id: usize) -> usize {
    let work = &work.work;
    // An eligible Work has only verified parents.
    let results = results_bytes(state, &work.depends_on, |_| 0);
    claim_bytes(&work.work_id, &work.payload, claim_id + 2, results)
}

/// The length of the result of each parent; of those that are not verified `unresolved` says it.
fn results_bytes<'s>(
    state: &'s State,
    depends_on: &'s [Dependency],
    unresolved: impl Fn(&WorkId) -> usize + 's,
) -> impl Iterator<Item = usize> + 's {
    let parents = depends_on.iter().filter_map(|dependency| match dependency {
        Dependency::Work(parent) => Some(parent),
        Dependency::Gate { .. } => None,
    });
    parents.map(
        move |parent| match state.work(parent).map(|parent| &parent.state) {
            Some(WorkState::Completed {
                barrier: Barrier::Verified { commit, result },
                ..
            }) => result_bytes(
                parent,
                text_bytes(commit.as_str()),
                result.descriptor.bytes(),
            ),
            _ => unresolved(parent),
        },
    )
}

fn result_bytes(parent: &WorkId, commit: usize, descriptor: usize) -> usize {
    EMPTY_RESULT + text_bytes(parent.as_str()) + commit + descriptor
}

fn claim_bytes(
    work: &WorkId,
    payload: &Json,
    claim_id: usize,
    results: impl Iterator<Item = usize>,
) -> usize {
    let mut bytes = EMPTY_CLAIM + claim_id + payload.bytes() + text_bytes(work.as_str());
    for (index, result) in results.enumerate() {
        bytes += usize::from(index > 0) + result;
    }
    bytes
}

/// The length that the Assignment of this Work alone could have at worst, whatever its request is and
/// its parents' results are (section 7).
pub(crate) fn worst_case_bytes(
    state: &State,
    epoch: &str,
    work: &crate::wire::operation::Work,
    result_limit: u64,
) -> usize {
    // 256 backslashes, each escaped, in quotes.
    const FAT: usize = 2 * 256 + 2;
    // An id of 70 characters, in quotes.
    const LONG: usize = 70 + 2;
    let result_limit = usize::try_from(result_limit).unwrap_or_default();
    let results = results_bytes(state, &work.depends_on, |parent| {
        result_bytes(parent, FAT, result_limit)
    });
    let claim = claim_bytes(&work.work_id, &work.payload, LONG, results) + "h16".len();
    let texts = [epoch, work.pool.as_str(), work.worker_profile.as_str()];
    EMPTY + 2 * FAT + LONG + texts.into_iter().map(text_bytes).sum::<usize>() + claim
}

/// The Assignment that the run of a Dispatch is launched with; none if there is no such Dispatch.
#[must_use]
pub fn assignment(state: &State, dispatch: &DispatchId) -> Option<Assignment> {
    let record = state.dispatch(dispatch)?;
    let claims = record.claims.iter().map(|id| {
        let claim = &state.claim(id)?.claim;
        let work = state.work(&claim.work_id)?;
        let parents = work
            .work
            .depends_on
            .iter()
            .filter_map(|dependency| match dependency {
                Dependency::Work(parent) => Some(parent),
                Dependency::Gate { .. } => None,
            });
        let results = parents.filter_map(|parent| match &state.work(parent)?.state {
            WorkState::Completed {
                barrier: Barrier::Verified { commit, result },
                ..
            } => Some(ResultReference {
                work_id: parent.clone(),
                result_commit_id: commit.clone(),
                descriptor: result.descriptor.clone(),
            }),
            _ => None,
        });
        Some(AssignedClaim {
            handle: claim.handle,
            claim_id: id.clone(),
            work_id: claim.work_id.clone(),
            work: work.work.payload.clone(),
            result_refs: results.collect(),
        })
    });
    Some(Assignment {
        version: crate::wire::scalar::Bounded::new(3)?,
        dispatch_id: dispatch.clone(),
        request_id: record.request.clone(),
        commit_id: record.commit.clone(),
        policy_epoch: record.epoch.clone(),
        pool: record.pool.clone(),
        worker_profile: record.worker_profile.clone(),
        claims: claims.collect::<Option<_>>()?,
    })
}

/// The canonical text of an Assignment, which is the one input of its run.
#[must_use]
pub fn assignment_text(assignment: &Assignment) -> String {
    assignment.write().to_canonical()
}

/// Who would be granted next in a pool by a caller who may schedule everything, before anything is
/// packed; and the planner's reason, which is [`Reason::Selected`] if somebody would be.
#[must_use]
pub fn next(state: &State, pool: &PoolName, at: Timestamp) -> (Option<Turn<WorkId>>, Reason) {
    let installed = state.installed.as_deref();
    let Some((installed, settings)) = installed.and_then(|it| Some((it, it.pool(pool)?))) else {
        return (None, Reason::NoWork);
    };
    if let Some(reason) = closed(state, pool, settings, 0) {
        return (None, reason);
    }
    let caller = Caller {
        worker_profiles: None,
        at,
    };
    let clocks = state.clocks(pool);
    let (mut contest, waiting) = candidates(state, pool, caller, &installed.rules, &clocks);
    match contest.peek() {
        Some(turn) => (Some(turn), Reason::Selected),
        None if waiting == 0 => (None, Reason::NoWork),
        None => (None, Reason::NoEligibleWork),
    }
}
