//! The actions with their parameters, and their candidates in enumeration order.
//!
//! Shared design, models/work-queue.md, sections 4.4, 4.6 and 6.

use plumb_tla::Value;

use super::constants::{Constants, Specification};
use super::fact::{Fact, Intent};
use super::state::Part;
use super::tla::{fact_value, intent_value};
use super::vocabulary::{Claim, Dispatcher, Maintenance, Worker};
use crate::actor;
use crate::finite::Finite;
use crate::numbered::Numbered;

/// The names of the actions, in enumeration order.
pub(super) const NAMES: &[&str] = &[
    "Stage",
    "PrepareDispatch",
    "PushDispatch",
    "RetryDispatch",
    "Activate",
    "EndAgent",
    "PrepareWorker",
    "PushWorker",
    "RetryWorker",
    "VerifyCompletion",
    "ExternalEffect",
    "RunTerminates",
    "PrepareMaintenance",
    "PushMaintenance",
    "RetryMaintenance",
    "DuplicateRecord",
    "UnsafeStalePush",
    "UnsafeLateClaim",
    "StageIntent",
];

/// An action with its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// A dispatcher adds an intent to its batch.
    Stage(Dispatcher, Intent),
    /// A dispatcher makes a log with its batch.
    PrepareDispatch(Dispatcher),
    /// A dispatcher publishes its log.
    PushDispatch(Dispatcher),
    /// A dispatcher makes its log anew, or gives up.
    RetryDispatch(Dispatcher),
    /// A worker whose Claim is the winner begins.
    Activate(Worker),
    /// A worker's agent ends, with the work done or not.
    EndAgent(Worker, bool),
    /// A worker makes a log with the outcome.
    PrepareWorker(Worker),
    /// A worker publishes its log.
    PushWorker(Worker),
    /// A worker makes its log anew, or gives up.
    RetryWorker(Worker),
    /// A worker finds its Completion in the log, and no other.
    VerifyCompletion(Worker),
    /// A worker's Completion has its effect.
    ExternalEffect(Worker),
    /// The run of a Claim ends, and its workers with it.
    RunTerminates(Claim),
    /// A maintained log is made.
    PrepareMaintenance(Maintenance),
    /// A maintained log is published.
    PushMaintenance(Maintenance),
    /// A maintained log is made anew, or given up.
    RetryMaintenance(Maintenance),
    /// A fact of the log is written once more.
    DuplicateRecord(Fact),
    /// Defect: a dispatcher publishes its log although another one was published.
    UnsafeStalePush(Dispatcher),
    /// Defect: a Claim on a completed work goes on record.
    UnsafeLateClaim(Claim),
    /// Defect: a dispatcher adds an intent to its batch, out of turn perhaps.
    StageIntent(Dispatcher, Intent),
}

impl Action {
    /// Position of the action's name in [`NAMES`].
    pub(super) fn index(self) -> usize {
        match self {
            Self::Stage(..) => 0,
            Self::PrepareDispatch(_) => 1,
            Self::PushDispatch(_) => 2,
            Self::RetryDispatch(_) => 3,
            Self::Activate(_) => 4,
            Self::EndAgent(..) => 5,
            Self::PrepareWorker(_) => 6,
            Self::PushWorker(_) => 7,
            Self::RetryWorker(_) => 8,
            Self::VerifyCompletion(_) => 9,
            Self::ExternalEffect(_) => 10,
            Self::RunTerminates(_) => 11,
            Self::PrepareMaintenance(_) => 12,
            Self::PushMaintenance(_) => 13,
            Self::RetryMaintenance(_) => 14,
            Self::DuplicateRecord(_) => 15,
            Self::UnsafeStalePush(_) => 16,
            Self::UnsafeLateClaim(_) => 17,
            Self::StageIntent(..) => 18,
        }
    }

    /// The parameters as TLA+ values.
    pub(super) fn parameters(self, constants: &Constants) -> Vec<Value> {
        match self {
            Self::Stage(dispatcher, intent) | Self::StageIntent(dispatcher, intent) => {
                vec![dispatcher.to_value(), intent_value(constants, intent)]
            }
            Self::PrepareDispatch(dispatcher)
            | Self::PushDispatch(dispatcher)
            | Self::RetryDispatch(dispatcher)
            | Self::UnsafeStalePush(dispatcher) => vec![dispatcher.to_value()],
            Self::EndAgent(worker, finish) => vec![worker.to_value(), Value::bool(finish)],
            Self::Activate(worker)
            | Self::PrepareWorker(worker)
            | Self::PushWorker(worker)
            | Self::RetryWorker(worker)
            | Self::VerifyCompletion(worker)
            | Self::ExternalEffect(worker) => vec![worker.to_value()],
            Self::RunTerminates(claim) | Self::UnsafeLateClaim(claim) => vec![claim.to_value()],
            Self::PrepareMaintenance(kind)
            | Self::PushMaintenance(kind)
            | Self::RetryMaintenance(kind) => vec![kind.to_value()],
            Self::DuplicateRecord(fact) => vec![fact_value(constants, fact)],
        }
    }

    /// The component whose step it is.
    #[must_use]
    pub fn part(self) -> Part {
        match self {
            Self::Stage(dispatcher, _)
            | Self::PrepareDispatch(dispatcher)
            | Self::PushDispatch(dispatcher)
            | Self::RetryDispatch(dispatcher)
            | Self::UnsafeStalePush(dispatcher)
            | Self::StageIntent(dispatcher, _) => Part::Dispatcher(dispatcher),
            Self::Activate(worker)
            | Self::EndAgent(worker, _)
            | Self::PrepareWorker(worker)
            | Self::PushWorker(worker)
            | Self::RetryWorker(worker)
            | Self::VerifyCompletion(worker)
            | Self::ExternalEffect(worker) => Part::Worker(worker),
            Self::PrepareMaintenance(kind)
            | Self::PushMaintenance(kind)
            | Self::RetryMaintenance(kind) => Part::Maintenance(kind),
            Self::RunTerminates(_) | Self::DuplicateRecord(_) | Self::UnsafeLateClaim(_) => {
                Part::Shared
            }
        }
    }
}

/// Who takes a step; of what simply happens to the log, nobody.
pub(super) fn actor(action: &str, parameters: &[Value]) -> Option<String> {
    match action {
        "Stage" | "PrepareDispatch" | "PushDispatch" | "RetryDispatch" | "UnsafeStalePush"
        | "StageIntent" => actor::numbered("dispatcher", parameters),
        "Activate" | "EndAgent" | "PrepareWorker" | "PushWorker" | "RetryWorker"
        | "VerifyCompletion" | "ExternalEffect" => actor::numbered("worker", parameters),
        "PrepareMaintenance" | "PushMaintenance" | "RetryMaintenance" => {
            actor::numbered("maintenance", parameters)
        }
        "RunTerminates" => Some("host".to_owned()),
        _ => None,
    }
}

/// Every action instance of the specification, in enumeration order; one that TLC counts twice
/// stands there twice.
pub(super) fn candidates(constants: &Constants, specification: Specification) -> Vec<Action> {
    let mut all = Vec::new();
    staging(&mut all, constants, Action::Stage);
    all.extend(constants.all_dispatchers().map(Action::PrepareDispatch));
    all.extend(constants.all_dispatchers().map(Action::PushDispatch));
    all.extend(constants.all_dispatchers().map(Action::RetryDispatch));
    all.extend(constants.all_workers().map(Action::Activate));
    let ends = |worker| [false, true].map(|finish| Action::EndAgent(worker, finish));
    all.extend(constants.all_workers().flat_map(ends));
    all.extend(constants.all_workers().map(Action::PrepareWorker));
    all.extend(constants.all_workers().map(Action::PushWorker));
    all.extend(constants.all_workers().map(Action::RetryWorker));
    all.extend(constants.all_workers().map(Action::VerifyCompletion));
    all.extend(constants.all_workers().map(Action::ExternalEffect));
    all.extend(constants.all_claims().map(Action::RunTerminates));
    let both_kinds = || Maintenance::ALL.iter().copied();
    all.extend(both_kinds().map(Action::PrepareMaintenance));
    all.extend(both_kinds().map(Action::PushMaintenance));
    all.extend(both_kinds().map(Action::RetryMaintenance));
    all.extend(constants.all_facts().map(Action::DuplicateRecord));
    match specification {
        Specification::Spec => {}
        Specification::BrokenCas => {
            all.extend(constants.all_dispatchers().map(Action::UnsafeStalePush));
        }
        Specification::BrokenTerminal => {
            all.extend(constants.all_claims().map(Action::UnsafeLateClaim));
        }
        Specification::BrokenQueueSelection => staging(&mut all, constants, Action::StageIntent),
    }
    all
}

/// Every instance of an action that stages an intent.
///
/// The module asks "not a Claim, or one of the dispatcher's own" before the next state is fixed.
/// TLC goes both ways where both are true, which they are for intents without a Claim at the last
/// dispatcher, the owner of Claim 0.
fn staging(all: &mut Vec<Action>, constants: &Constants, action: fn(Dispatcher, Intent) -> Action) {
    for dispatcher in constants.all_dispatchers() {
        for intent in constants.all_intents() {
            let is_last = dispatcher == constants.last_dispatcher();
            let twice = is_last && constants.claimed(intent).is_none();
            let ways = if twice { 2 } else { 1 };
            all.extend(std::iter::repeat_n(action(dispatcher, intent), ways));
        }
    }
}
