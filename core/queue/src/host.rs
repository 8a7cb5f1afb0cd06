//! Where workers run, and a host that only pretends (section 12).

use std::collections::{BTreeMap, VecDeque};

use crate::wire::evidence::{Observation, ResourceState, RunEvent, StateReason};
use crate::wire::policy::WorkerProfile;
use crate::wire::scalar::{Bounded, ClaimHandle, Decimal, DispatchId, Principal, Repository};
use crate::wire::{GateKey, Resource, RunBinding};

/// What a host says to a launch. There is never a second try (section 12.1).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Launched {
    /// This run was made.
    Launched(RunBinding),
    /// The host refused, and nothing runs.
    Refused(String),
    /// Nobody knows: the answer was lost or made no sense.
    Unknown,
}

/// A run as the host tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Run {
    /// What it is.
    pub binding: RunBinding,
    /// How it ended, once it has.
    pub conclusion: Option<String>,
}

/// A resource as the host tells it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResourceReading {
    /// Whether it is open.
    pub state: ResourceState,
    /// Why it is closed.
    pub reason: Option<StateReason>,
    /// Whether it is merged, if it can be.
    pub merged: Option<bool>,
}

/// Why a host does not answer a question. Questions may be asked again.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HostError {
    /// It answered with this status.
    #[error("the host answered with status {0}")]
    Status(u16),
    /// There is no such thing.
    #[error("the host knows no {0}")]
    Unknown(String),
}

/// Where workers run.
pub trait Host {
    /// Launches the run of a Dispatch, with this Assignment.
    fn launch(
        &mut self,
        dispatch: &DispatchId,
        profile: &WorkerProfile,
        assignment: &str,
    ) -> Launched;

    /// The runs that were made for a Dispatch. More than one is a conflict.
    ///
    /// # Errors
    ///
    /// The host does not answer.
    fn runs(&mut self, dispatch: &DispatchId) -> Result<Vec<Run>, HostError>;

    /// A resource, as it is now.
    ///
    /// # Errors
    ///
    /// The host does not answer.
    fn resource(&mut self, resource: &Resource) -> Result<ResourceReading, HostError>;

    /// The receipts of the effects of a Claim, by a run.
    ///
    /// # Errors
    ///
    /// The host does not answer.
    fn receipts(&mut self, run: &Decimal, handle: ClaimHandle) -> Result<Vec<String>, HostError>;
}

/// What goes wrong with a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HostFault {
    /// A run is made, and the answer is lost.
    LostResponse,
    /// The host answers with a status of 5xx, and makes no run.
    ServerError,
    /// Two runs are made.
    DuplicateRun,
    /// A run is made, the answer is lost, and the run shows only when it is asked for a second time.
    LateActivation,
    /// The answer names a run, and another one says that it is the Dispatch's.
    ConflictingActivation,
    /// The host refuses.
    Refusal,
}

/// A forge that exists in memory only.
#[derive(Clone, Debug)]
pub struct SimulatedForge {
    repository: Repository,
    principal: Principal,
    next_run: u64,
    faults: VecDeque<HostFault>,
    runs: BTreeMap<DispatchId, Vec<Run>>,
    hidden: BTreeMap<DispatchId, Run>,
    resources: BTreeMap<GateKey, ResourceReading>,
    receipts: BTreeMap<(Decimal, ClaimHandle), Vec<String>>,
    launches: BTreeMap<DispatchId, u32>,
}

impl SimulatedForge {
    /// A forge with this repository, whose runs are this principal's unless the profile names one.
    #[must_use]
    pub fn new(repository: Repository, principal: Principal) -> Self {
        Self {
            repository,
            principal,
            next_run: 9000,
            faults: VecDeque::new(),
            runs: BTreeMap::new(),
            hidden: BTreeMap::new(),
            resources: BTreeMap::new(),
            receipts: BTreeMap::new(),
            launches: BTreeMap::new(),
        }
    }

    /// Lets the next launches go wrong, in this order; later ones go well.
    pub fn script(&mut self, faults: impl IntoIterator<Item = HostFault>) {
        self.faults.extend(faults);
    }

    /// Sets what is read of a resource.
    pub fn set_resource(&mut self, observation: &Observation, reading: ResourceReading) {
        self.resources.insert(observation.gate(), reading);
    }

    /// A run has this effect for a Claim.
    pub fn effect(&mut self, run: &Decimal, handle: ClaimHandle, receipt: &str) {
        self.receipts
            .entry((run.clone(), handle))
            .or_default()
            .push(receipt.to_owned());
    }

    /// The runs of a Dispatch end.
    pub fn end(&mut self, dispatch: &DispatchId, conclusion: &str) {
        for run in self.runs.get_mut(dispatch).into_iter().flatten() {
            run.conclusion.get_or_insert_with(|| conclusion.to_owned());
        }
    }

    /// How often a Dispatch was launched: never more than once, if its launcher keeps the rules.
    #[must_use]
    pub fn launches(&self, dispatch: &DispatchId) -> u32 {
        self.launches.get(dispatch).copied().unwrap_or_default()
    }

    fn new_run(&mut self, profile: &WorkerProfile) -> Option<Run> {
        self.next_run += 1;
        Some(Run {
            binding: RunBinding {
                run_id: Decimal::new(&self.next_run.to_string())?,
                run_attempt: Bounded::new(1)?,
                repository: self.repository.clone(),
                workflow: profile.workflow.clone(),
                git_ref: profile.git_ref.clone(),
                principal: profile
                    .principal
                    .clone()
                    .unwrap_or_else(|| self.principal.clone()),
                event: RunEvent::WorkflowDispatch,
            },
            conclusion: None,
        })
    }
}

impl Host for SimulatedForge {
    fn launch(&mut self, dispatch: &DispatchId, profile: &WorkerProfile, _: &str) -> Launched {
        *self.launches.entry(dispatch.clone()).or_default() += 1;
        let fault = self.faults.pop_front();
        match fault {
            Some(HostFault::ServerError) => return Launched::Unknown,
            Some(HostFault::Refusal) => return Launched::Refused("422".to_owned()),
            _ => {}
        }
        let Some(run) = self.new_run(profile) else {
            return Launched::Unknown;
        };
        if fault == Some(HostFault::LateActivation) {
            self.hidden.insert(dispatch.clone(), run);
            return Launched::Unknown;
        }
        let second = match fault {
            Some(HostFault::DuplicateRun | HostFault::ConflictingActivation) => {
                self.new_run(profile)
            }
            _ => None,
        };
        let runs = self.runs.entry(dispatch.clone()).or_default();
        runs.push(run.clone());
        runs.extend(second);
        match fault {
            Some(HostFault::LostResponse) => Launched::Unknown,
            _ => Launched::Launched(run.binding),
        }
    }

    fn runs(&mut self, dispatch: &DispatchId) -> Result<Vec<Run>, HostError> {
        let runs = self.runs.entry(dispatch.clone()).or_default();
        let seen = runs.clone();
        // What is late shows the next time.
        runs.extend(self.hidden.remove(dispatch));
        Ok(seen)
    }

    fn resource(&mut self, resource: &Resource) -> Result<ResourceReading, HostError> {
        let gate = crate::wire::Condition::ALL
            .iter()
            .map(|condition| resource.gate(*condition));
        let reading = gate.filter_map(|gate| self.resources.get(&gate)).next();
        reading
            .cloned()
            .ok_or_else(|| HostError::Unknown(format!("issue {}", resource.number)))
    }

    fn receipts(&mut self, run: &Decimal, handle: ClaimHandle) -> Result<Vec<String>, HostError> {
        Ok(self
            .receipts
            .get(&(run.clone(), handle))
            .cloned()
            .unwrap_or_default())
    }
}
