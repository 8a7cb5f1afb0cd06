//! The variables.
//!
//! Shared design, models/work-queue.md, sections 4.1 and 4.2. A dispatcher's `serialized` is left
//! out: it always equals its `local`.

use super::constants::Constants;
use super::fact::{Fact, FactSet, Intent};
use super::sequence::Sequence;
use super::vocabulary::{
    Claim, Dispatcher, DispatcherPhase, Maintenance, MaintenancePhase, Worker, WorkerPhase,
};
use crate::numbered::{NumberSet, Numbered};

/// One state of the model.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// What all look at.
    pub shared: Shared,
    /// The variable `dispatch`.
    pub dispatchers: Vec<DispatcherState>,
    /// The variable `workers`.
    pub workers: Vec<WorkerState>,
    /// The variable `compact`.
    pub compact: MaintenanceState,
    /// The variable `recovery`.
    pub recovery: MaintenanceState,
}

/// The variables that all look at.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Shared {
    /// The log, which alone decides.
    pub log: Sequence<Fact>,
    /// Its version.
    pub head: i64,
    /// For each work the facts about it when it first was terminal.
    pub terminal_history: Vec<FactSet>,
    /// The Claims whose runs have ended.
    pub dead_runs: NumberSet<Claim>,
    /// The Completions that were verified.
    pub authorizations: Sequence<Fact>,
    /// The Completions that had their effect.
    pub effects: Sequence<Fact>,
}

/// A log that is to replace the one that it was made from. It is kept when nobody needs it any
/// more.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Proposal {
    /// The version of the log that it was made from.
    pub base: i64,
    /// The log that it was made from.
    pub source: Sequence<Fact>,
    /// The log that is to be.
    pub candidate: Sequence<Fact>,
    /// How often it was made anew.
    pub retries: i64,
}

impl Proposal {
    /// Before anything is proposed.
    pub const NONE: Self = Self {
        base: 0,
        source: Sequence::EMPTY,
        candidate: Sequence::EMPTY,
        retries: 0,
    };
}

/// What a dispatcher knows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct DispatcherState {
    /// How far it is.
    pub phase: DispatcherPhase,
    /// The batch that it has staged.
    pub local: Sequence<Intent>,
    /// The log with the batch.
    pub proposal: Proposal,
}

/// What a worker saw when it was activated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Activation {
    /// Whether it was activated.
    pub ready: bool,
    /// The version of the log that it saw.
    pub head: i64,
    /// Whether its Claim was the winner.
    pub admitted: bool,
}

/// What a worker knows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct WorkerState {
    /// How far it is.
    pub phase: WorkerPhase,
    /// Whether its agent has done the work.
    pub finish: bool,
    /// The log with the outcome.
    pub proposal: Proposal,
    /// What it saw when it was activated.
    pub activation: Activation,
}

/// What a kind of maintenance knows.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MaintenanceState {
    /// How far it is.
    pub phase: MaintenancePhase,
    /// The maintained log.
    pub proposal: Proposal,
    /// The ended runs that the log was maintained for.
    pub observed_runs: NumberSet<Claim>,
}

impl MaintenanceState {
    const IDLE: Self = Self {
        phase: MaintenancePhase::Idle,
        proposal: Proposal::NONE,
        observed_runs: NumberSet::EMPTY,
    };
}

impl State {
    /// The one initial state.
    pub(super) fn initial(constants: &Constants) -> Self {
        let dispatcher = DispatcherState {
            phase: DispatcherPhase::Agent,
            local: Sequence::EMPTY,
            proposal: Proposal::NONE,
        };
        let worker = WorkerState {
            phase: WorkerPhase::Waiting,
            finish: false,
            proposal: Proposal::NONE,
            activation: Activation {
                ready: false,
                head: 0,
                admitted: false,
            },
        };
        Self {
            shared: Shared {
                log: Sequence::EMPTY,
                head: 0,
                terminal_history: vec![FactSet::EMPTY; constants.works],
                dead_runs: NumberSet::EMPTY,
                authorizations: Sequence::EMPTY,
                effects: Sequence::EMPTY,
            },
            dispatchers: vec![dispatcher; constants.dispatchers],
            workers: vec![worker; constants.workers],
            compact: MaintenanceState::IDLE,
            recovery: MaintenanceState::IDLE,
        }
    }

    /// What a dispatcher knows.
    #[must_use]
    pub fn dispatcher(&self, dispatcher: Dispatcher) -> &DispatcherState {
        &self.dispatchers[dispatcher.index()]
    }

    /// What a worker knows.
    #[must_use]
    pub fn worker(&self, worker: Worker) -> &WorkerState {
        &self.workers[worker.index()]
    }

    /// What a kind of maintenance knows.
    #[must_use]
    pub fn maintenance(&self, kind: Maintenance) -> &MaintenanceState {
        match kind {
            Maintenance::Compact => &self.compact,
            Maintenance::Recovery => &self.recovery,
        }
    }

    pub(super) fn maintenance_mut(&mut self, kind: Maintenance) -> &mut MaintenanceState {
        match kind {
            Maintenance::Compact => &mut self.compact,
            Maintenance::Recovery => &mut self.recovery,
        }
    }
}

/// A component of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// What all look at: component 0.
    Shared,
    /// A dispatcher: components from 1 on.
    Dispatcher(Dispatcher),
    /// A worker: components after the dispatchers.
    Worker(Worker),
    /// A kind of maintenance: the last two components.
    Maintenance(Maintenance),
}

impl Constants {
    /// How many components a state has.
    #[must_use]
    pub fn parts(&self) -> usize {
        self.dispatchers + self.workers + 3
    }

    /// The component of a number below [`parts`](Self::parts).
    #[must_use]
    pub fn part(&self, number: usize) -> Part {
        let Some(number) = number.checked_sub(1) else {
            return Part::Shared;
        };
        if number < self.dispatchers {
            return Part::Dispatcher(Dispatcher::at(number));
        }
        let number = number - self.dispatchers;
        if number < self.workers {
            return Part::Worker(Worker::at(number));
        }
        Part::Maintenance(if number == self.workers {
            Maintenance::Compact
        } else {
            Maintenance::Recovery
        })
    }

    /// The number of a component.
    #[must_use]
    pub fn number_of(&self, part: Part) -> usize {
        match part {
            Part::Shared => 0,
            Part::Dispatcher(dispatcher) => 1 + dispatcher.index(),
            Part::Worker(worker) => 1 + self.dispatchers + worker.index(),
            Part::Maintenance(Maintenance::Compact) => 1 + self.dispatchers + self.workers,
            Part::Maintenance(Maintenance::Recovery) => 2 + self.dispatchers + self.workers,
        }
    }
}
