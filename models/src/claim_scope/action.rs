//! The actions: candidates in enumeration order, guards, updates.
//!
//! Shared design, models/claim-scope.md, sections 3 and 5.

use plumb_checker::Guard;
use plumb_tla::Value;

use super::log::Kind;
use super::state::{Intent, Phase, State};
use super::vocabulary::{Claim, Domains, RawHandle, Work};
use super::{ClaimScopedWorker, Specification};
use crate::finite::{Finite, Subset};

/// The names of the actions, in enumeration order; the broken ones come last.
pub(super) const NAMES: &[&str] = &[
    "StageOutput",
    "FinishIntent",
    "BeginFinalize",
    "Terminate",
    "Crash",
    "Finalize",
    "Effect",
    "VerifyDelivery",
    "PublishResult",
    "Recover",
    "Admit",
    "BrokenScope",
    "BrokenLastOpenScope",
    "BrokenCancelledEffect",
    "BrokenDAGAdmission",
];

/// An action with its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Action {
    /// The agent stages an output under a raw handle. One that names no assigned Claim is rejected
    /// and put on record, which is a step of its own even if it is there already.
    StageOutput(RawHandle),
    /// The agent declares a Claim completed or cancelled, under a raw handle likewise.
    FinishIntent(RawHandle, Intent),
    /// The agent is done.
    BeginFinalize,
    /// The host is done: every Claim is closed.
    Terminate,
    /// Agent and host stop, whatever is open.
    Crash,
    /// The host closes a Claim: completed if the agent declared it, cancelled otherwise.
    Finalize(Claim),
    /// The host carries out the output of a completed Claim.
    Effect(Claim),
    /// The delivery of a Claim's effect is verified; also after the end.
    VerifyDelivery(Claim),
    /// A verified Claim's Result is published; also after the end.
    PublishResult(Claim),
    /// After the end an open Claim is cancelled, whatever the agent declared.
    Recover(Claim),
    /// A work whose predecessors have Results is admitted.
    Admit(Work),
    /// Defect: an output under a handle that names no Claim goes to Claim 1.
    BrokenScope(RawHandle),
    /// Defect: an omitted handle is taken to name the only Claim that is still open.
    BrokenLastOpenScope,
    /// Defect: the output of a cancelled Claim is carried out.
    BrokenCancelledEffect(Claim),
    /// Defect: a closed predecessor is taken for one with a Result.
    BrokenDagAdmission(Work),
}

impl Action {
    /// Position of the action's name in [`NAMES`].
    pub(super) fn index(self) -> usize {
        match self {
            Self::StageOutput(_) => 0,
            Self::FinishIntent(..) => 1,
            Self::BeginFinalize => 2,
            Self::Terminate => 3,
            Self::Crash => 4,
            Self::Finalize(_) => 5,
            Self::Effect(_) => 6,
            Self::VerifyDelivery(_) => 7,
            Self::PublishResult(_) => 8,
            Self::Recover(_) => 9,
            Self::Admit(_) => 10,
            Self::BrokenScope(_) => 11,
            Self::BrokenLastOpenScope => 12,
            Self::BrokenCancelledEffect(_) => 13,
            Self::BrokenDagAdmission(_) => 14,
        }
    }

    /// The parameters as TLA+ values.
    pub(super) fn parameters(self) -> Vec<Value> {
        match self {
            Self::StageOutput(raw) | Self::BrokenScope(raw) => vec![raw.to_value()],
            Self::FinishIntent(raw, intent) => vec![raw.to_value(), Value::str(intent.name())],
            Self::BeginFinalize | Self::Terminate | Self::Crash | Self::BrokenLastOpenScope => {
                Vec::new()
            }
            Self::Finalize(claim)
            | Self::Effect(claim)
            | Self::VerifyDelivery(claim)
            | Self::PublishResult(claim)
            | Self::Recover(claim)
            | Self::BrokenCancelledEffect(claim) => vec![claim.to_value()],
            Self::Admit(work) | Self::BrokenDagAdmission(work) => vec![work.to_value()],
        }
    }
}

/// Who takes a step.
pub(super) fn actor(action: &str) -> Option<String> {
    match action {
        "StageOutput"
        | "FinishIntent"
        | "BeginFinalize"
        | "BrokenScope"
        | "BrokenLastOpenScope" => Some("agent".to_owned()),
        "Terminate"
        | "Crash"
        | "Finalize"
        | "Effect"
        | "VerifyDelivery"
        | "PublishResult"
        | "Recover"
        | "BrokenCancelledEffect" => Some("host".to_owned()),
        "Admit" | "BrokenDAGAdmission" => Some("queue".to_owned()),
        _ => None,
    }
}

/// Every action instance of a specification, in enumeration order.
pub(super) fn candidates(domains: &Domains, specification: Specification) -> Vec<Action> {
    let mut all = Vec::new();
    for raw in domains.handles.iter() {
        all.push(Action::StageOutput(raw));
        all.push(Action::FinishIntent(raw, Intent::Completed));
        all.push(Action::FinishIntent(raw, Intent::Cancelled));
    }
    all.extend([Action::BeginFinalize, Action::Terminate, Action::Crash]);
    for claim in domains.claims.iter() {
        all.push(Action::Finalize(claim));
        all.push(Action::Effect(claim));
        all.push(Action::VerifyDelivery(claim));
        all.push(Action::PublishResult(claim));
        all.push(Action::Recover(claim));
    }
    all.extend(domains.works.iter().map(Action::Admit));
    match specification {
        Specification::Spec => {}
        Specification::MissingScope => all.push(Action::BrokenScope(RawHandle::OMITTED)),
        Specification::ForeignScope => all.push(Action::BrokenScope(domains.foreign_handle())),
        Specification::LastOpenScope => all.push(Action::BrokenLastOpenScope),
        Specification::CancelledOutput => {
            all.extend(domains.claims.iter().map(Action::BrokenCancelledEffect));
        }
        Specification::MixedDag => all.extend(domains.works.iter().map(Action::BrokenDagAdmission)),
    }
    all
}

impl ClaimScopedWorker {
    /// The guard of an action, one entry for each conjunct of its definition.
    #[must_use]
    pub fn guard(&self, state: &State, action: Action) -> Guard {
        let in_phase = |phase| state.phase == phase;
        let resolved = |raw| self.domains.scope(raw);
        match action {
            Action::StageOutput(raw) => Guard::of([
                in_phase(Phase::Agent),
                resolved(raw).is_none_or(|claim| state.outputs[claim].is_none()),
            ]),
            Action::FinishIntent(raw, _) => Guard::of([
                in_phase(Phase::Agent),
                resolved(raw).is_none_or(|claim| state.intents[claim].is_none()),
            ]),
            Action::BeginFinalize => Guard::of([in_phase(Phase::Agent)]),
            Action::Terminate => Guard::of([
                in_phase(Phase::Finalizing),
                state.closed() == self.domains.claims,
            ]),
            Action::Crash => Guard::of([in_phase(Phase::Agent) || in_phase(Phase::Finalizing)]),
            Action::Finalize(claim) => {
                Guard::of([in_phase(Phase::Finalizing), !state.closed().contains(claim)])
            }
            Action::Effect(claim) => Guard::of([
                in_phase(Phase::Finalizing),
                state.completed().contains(claim),
                !state.effect_claims().contains(claim),
                state.outputs[claim].is_some(),
                state.outputs[claim].and_then(resolved) == Some(claim),
            ]),
            Action::VerifyDelivery(claim) => Guard::of([
                state.completed().contains(claim),
                state.effect_claims().contains(claim),
                !state.verified.contains(claim),
            ]),
            Action::PublishResult(claim) => Guard::of([
                state.completed().contains(claim),
                state.verified.contains(claim),
                !state.results().contains(claim),
            ]),
            Action::Recover(claim) => {
                Guard::of([in_phase(Phase::Terminal), !state.closed().contains(claim)])
            }
            Action::Admit(work) => Guard::of([
                self.ready(state).contains(work),
                !state.admitted.contains(work),
            ]),
            Action::BrokenScope(raw) => Guard::of([
                in_phase(Phase::Agent),
                self.first_claim()
                    .is_none_or(|claim| state.outputs[claim].is_none()),
                resolved(raw).is_none(),
            ]),
            Action::BrokenLastOpenScope => {
                let open = self.domains.claims.minus(state.closed());
                Guard::of([
                    in_phase(Phase::Finalizing),
                    self.domains.claims.len() > 1,
                    open.len() == 1,
                    open.first()
                        .is_some_and(|claim| state.outputs[claim].is_none()),
                ])
            }
            Action::BrokenCancelledEffect(claim) => Guard::of([
                state.cancelled().contains(claim),
                !state.effect_claims().contains(claim),
                state.outputs[claim].is_some(),
            ]),
            Action::BrokenDagAdmission(work) => {
                let predecessors = self.domains.predecessors(work);
                Guard::of([
                    !state.admitted.contains(work),
                    predecessors.is_subset(state.closed()),
                    !predecessors.is_subset(state.results()),
                ])
            }
        }
    }

    /// The state after an action whose guard holds.
    ///
    /// Where a guard with a dropped conjunct lets an action through that has nothing to act on, or
    /// no room for what it adds, the state stays as it is.
    #[must_use]
    pub fn apply(&self, state: &State, action: Action) -> State {
        let mut next = *state;
        match action {
            Action::StageOutput(raw) => match self.domains.scope(raw) {
                Some(claim) => next.outputs[claim] = Some(raw),
                None => next.rejected.insert(raw),
            },
            Action::FinishIntent(raw, intent) => match self.domains.scope(raw) {
                Some(claim) => next.intents[claim] = Some(intent),
                None => next.rejected.insert(raw),
            },
            Action::BeginFinalize => next.phase = Phase::Finalizing,
            Action::Terminate | Action::Crash => next.phase = Phase::Terminal,
            Action::Finalize(claim) => {
                let kind = match state.intents[claim] {
                    Some(Intent::Completed) => Kind::Completion,
                    Some(Intent::Cancelled) | None => Kind::ClaimCancellation,
                };
                next.log.append(kind, claim);
            }
            Action::Effect(claim) | Action::BrokenCancelledEffect(claim) => {
                if let Some(raw) = state.outputs[claim] {
                    next.effects[claim].insert(raw);
                }
            }
            Action::VerifyDelivery(claim) => next.verified.insert(claim),
            Action::PublishResult(claim) => {
                next.log.append(Kind::Result, claim);
            }
            Action::Recover(claim) => {
                next.log.append(Kind::ClaimCancellation, claim);
            }
            Action::Admit(work) | Action::BrokenDagAdmission(work) => next.admitted.insert(work),
            Action::BrokenScope(raw) => {
                if let Some(claim) = self.first_claim() {
                    next.outputs[claim] = Some(raw);
                }
            }
            Action::BrokenLastOpenScope => {
                if let Some(claim) = self.domains.claims.minus(state.closed()).first() {
                    next.outputs[claim] = Some(RawHandle::OMITTED);
                }
            }
        }
        next
    }

    /// Works all of whose predecessors have Results.
    pub(super) fn ready(&self, state: &State) -> Subset<Work> {
        let results = state.results();
        let ready = self.domains.works.iter();
        Subset::of(ready.filter(|work| self.domains.predecessors(*work).is_subset(results)))
    }

    /// Claim 1, to which a defect books what it cannot resolve.
    fn first_claim(&self) -> Option<Claim> {
        self.domains.claims.first()
    }
}
