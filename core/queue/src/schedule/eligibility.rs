//! Whether a Work may be granted now, and if not, why (section 6.1).

use std::sync::Arc;

use crate::code::Reason;
use crate::state::State;
use crate::state::records::{Barrier, DeploymentRecord, WorkRecord, WorkState};
use crate::wire::evidence::GateState;
use crate::wire::policy::WorkerProfile;
use crate::wire::scalar::{ObservationId, ProfileName, Timestamp};
use crate::wire::{Condition, Dependency, Resource};

/// On whose behalf, and when.
#[derive(Clone, Copy, Debug)]
pub struct Caller<'a> {
    /// The profiles that may be scheduled; `None` is all of them.
    pub worker_profiles: Option<&'a [ProfileName]>,
    /// The time of the commit.
    pub at: Timestamp,
}

/// Why a Work would not be granted now; none if it is eligible. The first test that fails, in the
/// protocol's order, gives the reason.
///
/// A Work that is not available at all has no reason of its own in the protocol; it is
/// [`Reason::NoEligibleWork`].
#[must_use]
pub fn why_not(state: &State, work: &WorkRecord, caller: Caller<'_>) -> Option<Reason> {
    if !matches!(work.state, WorkState::Available) {
        return Some(Reason::NoEligibleWork);
    }
    if state.grants_paused() {
        return Some(Reason::GrantsPaused);
    }
    let pool = &work.work.pool;
    if let Err(reason) = approved(work, caller).and_then(|()| execution_profile(state, work)) {
        return Some(reason);
    }
    let Some(settings) = state.installed().and_then(|installed| installed.pool(pool)) else {
        // A Work that is not terminal has its pool: policies change only when there is none.
        return Some(Reason::WorkerUnavailable);
    };
    if state.open_claims(pool) >= settings.logical_limit.get() {
        return Some(Reason::CapacityBlocked);
    }
    let account = settings
        .per_account_limit
        .map_or(0, crate::wire::scalar::Bounded::get);
    if account > 0 && state.account_open_claims(pool, &work.work.fairness_key) >= account {
        return Some(Reason::AccountCapacityBlocked);
    }
    if work.attempts >= settings.retry.max_attempts.get() {
        return Some(Reason::RetryExhausted);
    }
    if work.retry_not_before > caller.at {
        return Some(Reason::RetryDelayed);
    }
    dependencies(
        state,
        work,
        caller.at,
        settings.max_observation_age_ms.get(),
    )
}

fn approved(work: &WorkRecord, caller: Caller<'_>) -> Result<(), Reason> {
    match caller.worker_profiles {
        Some(profiles) if !profiles.contains(&work.work.worker_profile) => {
            Err(Reason::WorkerNotApproved)
        }
        _ => Ok(()),
    }
}

/// The profile that a Work would run under now (section 8.13): that of the policy, or for a
/// contract-marked one the revision that the Work names, or else the current one if its contract is
/// still that under which the Work was admitted.
///
/// # Errors
///
/// The reason for which there is none.
pub fn execution_profile(state: &State, work: &WorkRecord) -> Result<Arc<WorkerProfile>, Reason> {
    let (pool, name) = (&work.work.pool, &work.work.worker_profile);
    let Some(deployment) = state.deployment(pool, name) else {
        return state
            .profile(pool, name)
            .cloned()
            .ok_or(Reason::WorkerUnavailable);
    };
    let git_ref = match &work.work.execution_ref {
        Some(pinned) => pinned.as_str(),
        None => deployment.current.as_str(),
    };
    let profile = available(deployment, git_ref)?;
    let contract = match &work.work.execution_ref {
        // Pinned Work uses its revision, whatever it says, unless it names a contract too.
        Some(_) => work.work.logical_contract,
        None => work.admission_contract,
    };
    if contract.is_some() && contract != profile.logical_contract {
        return Err(Reason::WorkerIncompatible);
    }
    Ok(profile)
}

fn available(deployment: &DeploymentRecord, git_ref: &str) -> Result<Arc<WorkerProfile>, Reason> {
    match State::revision(deployment, git_ref) {
        Some(revision) if revision.available => Ok(revision.profile.clone()),
        _ => Err(Reason::WorkerUnavailable),
    }
}

/// Parents first, then gates; each in the order in which the Work names them.
fn dependencies(state: &State, work: &WorkRecord, at: Timestamp, max_age: u64) -> Option<Reason> {
    let parents = work
        .work
        .depends_on
        .iter()
        .find_map(|dependency| match dependency {
            Dependency::Work(parent) => parent_reason(state.work(parent)),
            Dependency::Gate { .. } => None,
        });
    parents.or_else(|| {
        work.work
            .depends_on
            .iter()
            .find_map(|dependency| match dependency {
                Dependency::Work(_) => None,
                Dependency::Gate {
                    resource,
                    condition,
                } => gate_reason(state, resource, *condition, at, max_age),
            })
    })
}

fn parent_reason(parent: Option<&WorkRecord>) -> Option<Reason> {
    match parent.map(|parent| &parent.state) {
        None | Some(WorkState::Cancelled { .. }) => Some(Reason::DependencyFailed),
        Some(WorkState::Completed { barrier, .. }) => match barrier {
            Barrier::Verified { .. } => None,
            Barrier::Failed(_) => Some(Reason::DependencyDeliveryFailed),
            Barrier::Pending => Some(Reason::DependencyResultUnavailable),
        },
        Some(WorkState::Available | WorkState::Claimed { .. }) => {
            Some(Reason::DependencyResultUnavailable)
        }
    }
}

fn gate_reason(
    state: &State,
    resource: &Resource,
    condition: Condition,
    at: Timestamp,
    max_age: u64,
) -> Option<Reason> {
    let Some(gate) = state.gate(&resource.gate(condition)) else {
        return Some(Reason::ExternalUnavailable);
    };
    let seen = &gate.observation;
    if seen.state == GateState::Unknown {
        return Some(Reason::ExternalUnavailable);
    }
    // Later than now is as bad as too long ago.
    let age = at.get().checked_sub(seen.observed_at.get());
    let is_fresh = age.is_some_and(|age| age <= max_age);
    if Some(&seen.credential_generation) != state.generation() || !is_fresh {
        return Some(Reason::ObservationStale);
    }
    (seen.state != GateState::Ready).then_some(Reason::DependencyExternalWaiting)
}

/// The Observations that an eligible Work's gates rest on, in the order in which it names the gates.
#[must_use]
pub fn observations(state: &State, work: &WorkRecord) -> Vec<ObservationId> {
    let gates = work
        .work
        .depends_on
        .iter()
        .filter_map(|dependency| match dependency {
            Dependency::Work(_) => None,
            Dependency::Gate {
                resource,
                condition,
            } => state.gate(&resource.gate(*condition)),
        });
    gates
        .map(|gate| gate.observation.observation_id.clone())
        .collect()
}
