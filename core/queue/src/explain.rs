//! Why a Work is not running, and what would change that, in words.

use crate::code::Reason;
use crate::schedule::eligibility::{Caller, why_not};
use crate::schedule::plan::next;
use crate::state::State;
use crate::state::records::{Barrier, DispatchState, WorkRecord, WorkState};
use crate::wire::Dependency;
use crate::wire::scalar::{Timestamp, WorkId};

/// An explanation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explanation {
    /// The planner's reason, where there is one.
    pub reason: Option<Reason>,
    /// How it is.
    pub because: String,
    /// What would change that.
    pub remedy: String,
}

/// Explains a Work at a time; none if there is no such Work.
#[must_use]
pub fn explain(state: &State, id: &WorkId, at: Timestamp) -> Option<Explanation> {
    let work = state.work(id)?;
    let (reason, because, remedy) = match &work.state {
        WorkState::Available => return Some(waiting(state, id, work, at)),
        WorkState::Claimed { claim } => owned(state, claim),
        WorkState::Completed {
            barrier: Barrier::Pending,
            completion,
            ..
        } => (
            None,
            format!("its worker finished in commit {completion}, and its effects are not verified"),
            "a Result with verified receipts, or a DeliveryFailure once that was tried long enough"
                .to_owned(),
        ),
        WorkState::Completed {
            barrier: Barrier::Verified { commit, .. },
            ..
        } => (
            None,
            format!("it is done: commit {commit} verified its effects"),
            "nothing has to change".to_owned(),
        ),
        WorkState::Completed {
            barrier: Barrier::Failed(failure),
            ..
        } => (
            None,
            format!(
                "its worker finished, and its effects could not be verified ({}; effects: {})",
                failure.reason, failure.disposition
            ),
            "a Work that replaces it".to_owned(),
        ),
        WorkState::Cancelled { at } => (
            None,
            format!("it was cancelled at {at}"),
            "a new Work; this one has ended".to_owned(),
        ),
    };
    Some(Explanation {
        reason,
        because,
        remedy,
    })
}

fn owned(state: &State, claim: &crate::wire::scalar::ClaimId) -> (Option<Reason>, String, String) {
    let dispatch = state.claim(claim).map(|claim| &claim.claim.dispatch_id);
    let record = dispatch.and_then(|dispatch| state.dispatch(dispatch));
    let (Some(dispatch), Some(record)) = (dispatch, record) else {
        return (
            None,
            "it is granted".to_owned(),
            "nothing has to change".to_owned(),
        );
    };
    let (because, remedy) = match record.state {
        DispatchState::Reserved => (
            "is reserved and not launched yet",
            "a dispatcher launches it",
        ),
        DispatchState::Started => (
            "is being launched",
            "its launcher says what the host answered, or a reconciler finds its run",
        ),
        DispatchState::Bound => ("runs", "its worker finishes"),
        DispatchState::Rejected => (
            "was refused by the host",
            "a reconciler takes the Work from it and releases it",
        ),
        DispatchState::Uncertain => (
            "may run or not: the host's answer was lost",
            "a reconciler finds its run; it is not launched again",
        ),
        DispatchState::Unresolved => (
            "may run or not, and nobody could find out",
            "somebody finds its run; no time frees it",
        ),
    };
    (
        None,
        format!("it is granted, and its Dispatch {dispatch} {because}"),
        remedy.to_owned(),
    )
}

fn waiting(state: &State, id: &WorkId, work: &WorkRecord, at: Timestamp) -> Explanation {
    let pool = &work.work.pool;
    let Some(reason) = why_not(
        state,
        work,
        Caller {
            worker_profiles: None,
            at,
        },
    ) else {
        let (turn, reason) = next(state, pool, at);
        let is_next = turn.as_ref().is_some_and(|turn| turn.work == *id);
        let because = match &turn {
            Some(_) if is_next => "it may be granted, and it is its turn".to_owned(),
            Some(turn) => {
                let other = state.work(&turn.work);
                let node = other.map_or("another", |other| other.work.node_key.as_str());
                format!(
                    "it may be granted, and before it comes {node}, of priority {} for the account \
                     \"{}\"",
                    turn.class, turn.key
                )
            }
            None => format!("it may be granted, and its pool may not now: {reason}"),
        };
        let remedy = "a dispatch_next for its pool".to_owned();
        return Explanation {
            reason: Some(reason),
            because,
            remedy,
        };
    };
    let settings = state.installed().and_then(|installed| installed.pool(pool));
    let number = |number: Option<u64>| number.map_or("?".to_owned(), |number| number.to_string());
    let (because, remedy) = match reason {
        Reason::GrantsPaused => (
            "grants are paused".to_owned(),
            "an administrator sets grants_paused to false",
        ),
        Reason::WorkerUnavailable => (
            format!(
                "no revision of profile {} may run it",
                work.work.worker_profile
            ),
            "a Deployment makes its revision available",
        ),
        Reason::WorkerIncompatible => (
            format!(
                "the current revision of profile {} has another contract than the Work was admitted \
                 with",
                work.work.worker_profile
            ),
            "a Deployment of a revision with that contract",
        ),
        Reason::CapacityBlocked => (
            format!(
                "pool {pool} has {} open Claims, and may have {}",
                state.open_claims(pool),
                number(settings.map(|it| it.logical_limit.get()))
            ),
            "a Claim of the pool ends",
        ),
        Reason::AccountCapacityBlocked => (
            format!(
                "the account \"{}\" has {} open Claims in pool {pool}, and may have {}",
                work.work.fairness_key,
                state.account_open_claims(pool, &work.work.fairness_key),
                number(
                    settings
                        .and_then(|it| it.per_account_limit)
                        .map(crate::wire::scalar::Bounded::get)
                )
            ),
            "a Claim of the account ends",
        ),
        Reason::RetryDelayed => (
            format!(
                "its next attempt is due at {}, and it is {at}",
                work.retry_not_before
            ),
            "time passes",
        ),
        Reason::RetryExhausted => (
            format!(
                "it was attempted {} times, and may not be again",
                work.attempts
            ),
            "it is cancelled",
        ),
        _ => {
            return Explanation {
                reason: Some(reason),
                ..dependency(state, work, reason, at)
            };
        }
    };
    Explanation {
        reason: Some(reason),
        because,
        remedy: remedy.to_owned(),
    }
}

/// Which parent or gate it is.
fn dependency(state: &State, work: &WorkRecord, reason: Reason, at: Timestamp) -> Explanation {
    let parent = work
        .work
        .depends_on
        .iter()
        .find_map(|dependency| match dependency {
            Dependency::Work(parent) => {
                let record = state.work(parent);
                let is_verified = matches!(
                    record.map(|record| &record.state),
                    Some(WorkState::Completed {
                        barrier: Barrier::Verified { .. },
                        ..
                    })
                );
                let node = record.map_or(parent.as_str(), |record| record.work.node_key.as_str());
                let how = record.map_or("missing", |record| record.state.name());
                (!is_verified).then(|| (node.to_owned(), how))
            }
            Dependency::Gate { .. } => None,
        });
    let gate = work
        .work
        .depends_on
        .iter()
        .find_map(|dependency| match dependency {
            Dependency::Gate {
                resource,
                condition,
            } => {
                let seen = state
                    .gate(&resource.gate(*condition))
                    .map(|gate| &gate.observation);
                let seen = seen.map_or("was never observed".to_owned(), |seen| {
                    format!(
                        "was {} when it was observed at {}, and it is {at}",
                        seen.state, seen.observed_at
                    )
                });
                Some(format!(
                    "{}#{} must be {condition}; it {seen}",
                    resource.repository, resource.number
                ))
            }
            Dependency::Work(_) => None,
        });
    let (because, remedy) = match (reason, parent, gate) {
        (Reason::DependencyFailed, Some((node, how)), _) => (
            format!("its parent {node} is {how}"),
            "it is cancelled; its parent has no result and never will",
        ),
        (Reason::DependencyDeliveryFailed, Some((node, _)), _) => (
            format!("the effects of its parent {node} could not be verified"),
            "a replacement of the parent, and of this Work to depend on it",
        ),
        (Reason::DependencyResultUnavailable, Some((node, how)), _) => (
            format!("its parent {node} is {how} and has no verified result yet"),
            "the parent is completed and its effects are verified",
        ),
        (Reason::DependencyExternalWaiting, _, Some(gate)) => (gate, "the condition comes true"),
        (_, _, Some(gate)) => (gate, "the gate is observed again"),
        _ => (
            format!("it may not be granted: {reason}"),
            "what it waits for",
        ),
    };
    Explanation {
        reason: Some(reason),
        because,
        remedy: remedy.to_owned(),
    }
}
