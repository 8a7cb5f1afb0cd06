//! The actions with their parameters, and their candidates in enumeration order.
//!
//! Shared design, models/fair-work-queue.md, sections 7, 10, 11 and 12.

use plumb_tla::Value;

use super::constants::{Constants, Specification};
use super::vocabulary::{Claim, Group, Outcome, RawStatus, Resource, Work};
use crate::actor;
use crate::finite::Finite;
use crate::numbered::Numbered;

/// The names of the actions, in enumeration order.
pub(super) const NAMES: &[&str] = &[
    "Prepare",
    "Push",
    "Retry",
    "Launch",
    "Bind",
    "FinishIntent",
    "BeginFinalize",
    "Finalize",
    "Effect",
    "VerifyDelivery",
    "PublishResult",
    "RepairResult",
    "Terminate",
    "Crash",
    "Recover",
    "Release",
    "Observe",
    "BrokenSelect",
    "BrokenEffect",
    "BrokenHandle",
    "BrokenPush",
    "BrokenRelease",
    "BrokenDependency",
    "BrokenResult",
    "BrokenExternal",
    "BrokenPRObservation",
    "BrokenProjection",
    "PrepareCheckpoint",
    "RetryCheckpoint",
    "PublishCheckpoint",
];

/// An action with its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// A group plans Claims.
    Prepare(Group),
    /// A plan that is up to date goes on record.
    Push(Group),
    /// A plan that is late is made anew, or given up.
    Retry(Group),
    /// A group's run is launched.
    Launch(Group),
    /// A group's run is bound to its worker, and the agent begins.
    Bind(Group),
    /// An agent declares a Claim completed or cancelled.
    FinishIntent(Group, Claim, Outcome),
    /// An agent is done.
    BeginFinalize(Group),
    /// The host closes a Claim: completed if the agent declared it, cancelled otherwise.
    Finalize(Group, Claim),
    /// The host carries out the effect of a completed Claim.
    Effect(Group, Claim),
    /// The delivery of an effect is verified.
    VerifyDelivery(Group, Claim),
    /// The Result of a delivered Claim is published.
    PublishResult(Group, Claim),
    /// The same after the worker's end.
    RepairResult(Group, Claim),
    /// A worker ends: every Claim is closed.
    Terminate(Group),
    /// A worker ends, whatever is open.
    Crash(Group),
    /// After the end an open Claim is cancelled.
    Recover(Group, Claim),
    /// A group's native slot is given back.
    Release(Group),
    /// A host says something of a resource.
    Observe(Resource, RawStatus),
    /// Defect: a group plans the last eligible work instead of the next.
    BrokenSelect(Group),
    /// Defect: a Claim that is not completed has an effect, on the authority of another.
    BrokenEffect(Group, Claim),
    /// Defect: a group completes a Claim of another.
    BrokenHandle(Group, Claim),
    /// Defect: a late plan goes on record all the same, on the log that it was made on.
    BrokenPush(Group),
    /// Defect: a slot is given back when one of a batch's Claims is completed.
    BrokenRelease(Group),
    /// Defect: a group plans a work whose predecessors have no Results.
    BrokenDependency(Group, Work),
    /// Defect: a Result is published without a verified effect.
    BrokenResult(Group, Claim),
    /// Defect: a group plans a work whose resources are not ready.
    BrokenExternal(Group, Work),
    /// Defect: a Pull Request that was closed is taken for merged.
    BrokenPrObservation,
    /// Defect: the cache says that work 1 is completed.
    BrokenProjection,
    /// The writer of checkpoints prepares one.
    PrepareCheckpoint,
    /// A checkpoint that is late is prepared anew.
    RetryCheckpoint,
    /// A checkpoint that is up to date goes on record.
    PublishCheckpoint,
}

impl Action {
    /// Position of the action's name in [`NAMES`].
    pub(super) fn index(self) -> usize {
        match self {
            Self::Prepare(_) => 0,
            Self::Push(_) => 1,
            Self::Retry(_) => 2,
            Self::Launch(_) => 3,
            Self::Bind(_) => 4,
            Self::FinishIntent(..) => 5,
            Self::BeginFinalize(_) => 6,
            Self::Finalize(..) => 7,
            Self::Effect(..) => 8,
            Self::VerifyDelivery(..) => 9,
            Self::PublishResult(..) => 10,
            Self::RepairResult(..) => 11,
            Self::Terminate(_) => 12,
            Self::Crash(_) => 13,
            Self::Recover(..) => 14,
            Self::Release(_) => 15,
            Self::Observe(..) => 16,
            Self::BrokenSelect(_) => 17,
            Self::BrokenEffect(..) => 18,
            Self::BrokenHandle(..) => 19,
            Self::BrokenPush(_) => 20,
            Self::BrokenRelease(_) => 21,
            Self::BrokenDependency(..) => 22,
            Self::BrokenResult(..) => 23,
            Self::BrokenExternal(..) => 24,
            Self::BrokenPrObservation => 25,
            Self::BrokenProjection => 26,
            Self::PrepareCheckpoint => 27,
            Self::RetryCheckpoint => 28,
            Self::PublishCheckpoint => 29,
        }
    }

    /// The parameters as TLA+ values.
    pub(super) fn parameters(self) -> Vec<Value> {
        match self {
            Self::Prepare(group)
            | Self::Push(group)
            | Self::Retry(group)
            | Self::Launch(group)
            | Self::Bind(group)
            | Self::BeginFinalize(group)
            | Self::Terminate(group)
            | Self::Crash(group)
            | Self::Release(group)
            | Self::BrokenSelect(group)
            | Self::BrokenPush(group)
            | Self::BrokenRelease(group) => vec![group.to_value()],
            Self::FinishIntent(group, claim, outcome) => {
                vec![group.to_value(), claim.to_value(), outcome.to_value()]
            }
            Self::Finalize(group, claim)
            | Self::Effect(group, claim)
            | Self::VerifyDelivery(group, claim)
            | Self::PublishResult(group, claim)
            | Self::RepairResult(group, claim)
            | Self::Recover(group, claim)
            | Self::BrokenEffect(group, claim)
            | Self::BrokenHandle(group, claim)
            | Self::BrokenResult(group, claim) => vec![group.to_value(), claim.to_value()],
            Self::BrokenDependency(group, work) | Self::BrokenExternal(group, work) => {
                vec![group.to_value(), work.to_value()]
            }
            Self::Observe(resource, raw) => vec![resource.to_value(), raw.to_value()],
            Self::BrokenPrObservation
            | Self::BrokenProjection
            | Self::PrepareCheckpoint
            | Self::RetryCheckpoint
            | Self::PublishCheckpoint => Vec::new(),
        }
    }

    /// Whether the action may make a variable something else than the function of others that it
    /// is under the sound specification.
    pub(super) fn sets_apart(self) -> bool {
        matches!(
            self,
            Self::BrokenSelect(_)
                | Self::BrokenDependency(..)
                | Self::BrokenExternal(..)
                | Self::BrokenPush(_)
                | Self::BrokenProjection
        )
    }
}

/// Collects candidates, action by action.
struct Candidates<'a> {
    constants: &'a Constants,
    all: Vec<Action>,
}

impl Candidates<'_> {
    fn each_group(&mut self, action: fn(Group) -> Action) {
        self.all.extend(self.constants.all_groups().map(action));
    }

    /// Of each group and each Claim, its own or not.
    fn each_claim(&mut self, action: fn(Group, Claim) -> Action) {
        for group in self.constants.all_groups() {
            let claims = self.constants.all_claims();
            self.all.extend(claims.map(|claim| action(group, claim)));
        }
    }

    fn each_work(&mut self, action: fn(Group, Work) -> Action) {
        for group in self.constants.all_groups() {
            let works = self.constants.all_works();
            self.all.extend(works.map(|work| action(group, work)));
        }
    }

    fn each_intent(&mut self, outcomes: &[Outcome]) {
        for group in self.constants.all_groups() {
            for claim in self.constants.all_claims() {
                let intents = outcomes.iter();
                self.all
                    .extend(intents.map(|outcome| Action::FinishIntent(group, claim, *outcome)));
            }
        }
    }
}

/// Who takes a step: all others are a group's.
pub(super) fn actor(action: &str, parameters: &[Value]) -> Option<String> {
    match action {
        "Observe" => Some("host".to_owned()),
        "PrepareCheckpoint" | "RetryCheckpoint" | "PublishCheckpoint" => {
            Some("checkpoint writer".to_owned())
        }
        "BrokenPRObservation" | "BrokenProjection" => None,
        name if NAMES.contains(&name) => actor::numbered("group", parameters),
        _ => None,
    }
}

/// Every action instance of a specification, in enumeration order.
pub(super) fn candidates(constants: &Constants, specification: Specification) -> Vec<Action> {
    let mut candidates = Candidates {
        constants,
        all: Vec::new(),
    };
    candidates.each_group(Action::Prepare);
    candidates.each_group(Action::Push);
    candidates.each_group(Action::Retry);
    match specification {
        Specification::Checkpoint => candidates.all.extend([
            Action::PrepareCheckpoint,
            Action::RetryCheckpoint,
            Action::PublishCheckpoint,
        ]),
        Specification::JoinWitness => way_to_a_join(&mut candidates),
        _ => {
            runs(&mut candidates);
            defect(&mut candidates, specification);
        }
    }
    candidates.all
}

/// What follows on a group's plan.
fn runs(candidates: &mut Candidates<'_>) {
    candidates.each_group(Action::Launch);
    candidates.each_group(Action::Bind);
    candidates.each_intent(Outcome::ALL);
    candidates.each_group(Action::BeginFinalize);
    candidates.each_claim(Action::Finalize);
    candidates.each_claim(Action::Effect);
    candidates.each_claim(Action::VerifyDelivery);
    candidates.each_claim(Action::PublishResult);
    candidates.each_claim(Action::RepairResult);
    candidates.each_group(Action::Terminate);
    candidates.each_group(Action::Crash);
    candidates.each_claim(Action::Recover);
    candidates.each_group(Action::Release);
    for resource in candidates.constants.resources().iter() {
        let statuses = resource.statuses().into_iter();
        let observed = statuses.map(|raw| Action::Observe(resource, raw));
        candidates.all.extend(observed);
    }
}

/// The same where everything succeeds: no crash, no repair, no recovery, no observation.
fn way_to_a_join(candidates: &mut Candidates<'_>) {
    candidates.each_group(Action::Launch);
    candidates.each_group(Action::Bind);
    candidates.each_intent(&[Outcome::Completed]);
    candidates.each_group(Action::BeginFinalize);
    candidates.each_claim(Action::Finalize);
    candidates.each_claim(Action::Effect);
    candidates.each_claim(Action::VerifyDelivery);
    candidates.each_claim(Action::PublishResult);
    candidates.each_group(Action::Terminate);
    candidates.each_group(Action::Release);
}

/// What must not be there.
fn defect(candidates: &mut Candidates<'_>, specification: Specification) {
    match specification {
        Specification::Spec | Specification::JoinWitness | Specification::Checkpoint => {}
        Specification::BrokenSelection => candidates.each_group(Action::BrokenSelect),
        Specification::BrokenEffects => candidates.each_claim(Action::BrokenEffect),
        Specification::BrokenHandle => candidates.each_claim(Action::BrokenHandle),
        Specification::BrokenCas => candidates.each_group(Action::BrokenPush),
        Specification::BrokenRelease => candidates.each_group(Action::BrokenRelease),
        Specification::BrokenDependency => candidates.each_work(Action::BrokenDependency),
        Specification::BrokenResult => candidates.each_claim(Action::BrokenResult),
        Specification::BrokenExternal => candidates.each_work(Action::BrokenExternal),
        Specification::BrokenPr => candidates.all.push(Action::BrokenPrObservation),
        Specification::BrokenProjection => candidates.all.push(Action::BrokenProjection),
    }
}
