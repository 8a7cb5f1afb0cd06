//! Observations of what Works wait for (section 8.11).

use std::sync::Arc;

use plumb_canonical::Digest;

use crate::reject::{Rejection, ensure};
use crate::state::records::GateRecord;
use crate::wire::evidence::{GateState, Observation, ResourceState, StateReason};
use crate::wire::{Condition, Wire};

use super::Step;
use super::admission::check_host;

impl Step<'_> {
    pub(super) fn observation(&mut self, observation: &Observation) -> Result<(), Rejection> {
        let text = observation.write().to_canonical();
        let digest = Digest::of(text.as_bytes());
        let id = &observation.observation_id;
        if let Some(known) = self.state.observations.get(id) {
            ensure!(
                *known == digest,
                ObservationConflict,
                "Observation {id} exists with another content"
            );
            return Ok(());
        }
        let Some(installed) = self.state.installed.clone() else {
            return Ok(());
        };
        let limits = &installed.policy.limits;
        let resource = &observation.resource;
        check_host(resource)?;
        let mut pools = installed.policy.pools.values();
        ensure!(
            pools.any(|pool| pool.allowed_repositories.contains(&resource.repository)),
            ResourceUnauthorized,
            "no pool allows the repository {}",
            resource.repository
        );
        ensure!(
            observation.condition.fits(resource.kind),
            ConditionInvalid,
            "a {} cannot be {}",
            resource.kind,
            observation.condition
        );
        let (bytes, limit) = (text.len() as u64, limits.evidence_bytes.get());
        ensure!(
            bytes <= limit,
            EvidenceLimit,
            "an Observation of {bytes} bytes, and {limit} are allowed"
        );
        let at = self.at();
        ensure!(
            observation.observed_at <= at,
            ObservationInvalid,
            "observed at {}, after the commit's time {at}",
            observation.observed_at
        );
        let current = self.state.generation.as_ref();
        ensure!(
            current == Some(&observation.credential_generation),
            ObservationInvalid,
            "observed with generation {}, and the current one is {}",
            observation.credential_generation,
            current.map_or("none", |generation| generation.as_str())
        );
        ensure!(
            observation.state != GateState::Ready || shows_ready(observation),
            ObservationInvalid,
            "that the gate is ready is not what was read"
        );
        let gate = observation.gate();
        let (mut writes, mut last) = (0, None);
        if let Some(seen) = self.state.gate(&gate) {
            writes = seen.writes;
            last = Some(seen.observation.observed_at);
        }
        ensure!(
            last.is_none_or(|last| last <= observation.observed_at),
            ObservationInvalid,
            "observed at {}, before the last time this gate was",
            observation.observed_at
        );
        writes += 1;
        let limit = limits.observation_writes.get();
        ensure!(
            writes <= limit,
            ObservationLimit,
            "the gate is observed {writes} times, and {limit} are allowed"
        );
        let record = GateRecord {
            observation: Arc::new(observation.clone()),
            writes,
        };
        self.state.gates.insert(gate, Arc::new(record));
        self.state.observations.insert(id.clone(), digest);
        Ok(())
    }
}

/// That what was read shows that the condition holds.
fn shows_ready(observation: &Observation) -> bool {
    let is_closed = observation.resource_state == Some(ResourceState::Closed);
    let holds = match observation.condition {
        Condition::Completed => {
            is_closed && observation.state_reason == Some(StateReason::Completed)
        }
        Condition::Closed => is_closed,
        Condition::Merged => observation.merged == Some(true),
    };
    holds && observation.read_status.as_str() == "ok"
}
