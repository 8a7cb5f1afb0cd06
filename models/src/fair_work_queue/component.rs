//! The components of a state, and which steps belong to which.
//!
//! Under a specification without a defect everybody looks at the log and what follows from it, at
//! the effects, and at itself. So a state is a shared part (log and effects), one component for
//! each group (its plan, its worker, what its agent declared) and, where checkpoints are made, one
//! for their writer. Observations are steps of the shared part.
//!
//! A defect may break that: a group that does another's work looks at more than itself, and what
//! stands apart ([`Apart`](super::Apart)) concerns all groups at once. Then a state is one whole.

use plumb_checker::{Components, LocalSteps};

use super::FairWorkQueue;
use super::action::Action;
use super::constants::Specification;
use super::encoding;
use super::state::State;
use super::vocabulary::Group;
use crate::numbered::Numbered;

/// A component of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// The log, the effects, and what stands apart.
    Shared,
    /// A group's plan, its worker, and what its agent declared its Claims to be.
    Group(Group),
    /// The checkpoint that is being made.
    Checkpoint,
}

impl Action {
    /// The component whose step it is.
    fn part(self) -> Part {
        match self {
            Self::Prepare(group)
            | Self::Push(group)
            | Self::Retry(group)
            | Self::Launch(group)
            | Self::Bind(group)
            | Self::FinishIntent(group, ..)
            | Self::BeginFinalize(group)
            | Self::Finalize(group, _)
            | Self::Effect(group, _)
            | Self::VerifyDelivery(group, _)
            | Self::PublishResult(group, _)
            | Self::RepairResult(group, _)
            | Self::Terminate(group)
            | Self::Crash(group)
            | Self::Recover(group, _)
            | Self::Release(group)
            | Self::BrokenSelect(group)
            | Self::BrokenEffect(group, _)
            | Self::BrokenHandle(group, _)
            | Self::BrokenPush(group)
            | Self::BrokenRelease(group)
            | Self::BrokenDependency(group, _)
            | Self::BrokenResult(group, _)
            | Self::BrokenExternal(group, _) => Part::Group(group),
            Self::Observe(..) | Self::BrokenPrObservation | Self::BrokenProjection => Part::Shared,
            Self::PrepareCheckpoint | Self::RetryCheckpoint | Self::PublishCheckpoint => {
                Part::Checkpoint
            }
        }
    }
}

impl FairWorkQueue {
    /// Whether states have components.
    fn falls_apart(&self) -> bool {
        let sound = matches!(
            self.specification,
            Specification::Spec | Specification::JoinWitness | Specification::Checkpoint
        );
        sound && self.dropped.is_none()
    }

    fn has_checkpoints(&self) -> bool {
        self.specification == Specification::Checkpoint
    }

    /// The number of the component that something is part of.
    #[must_use]
    pub fn component_of(&self, part: Part) -> usize {
        match part {
            Part::Group(group) if self.falls_apart() => 1 + group.index(),
            Part::Checkpoint if self.falls_apart() && self.has_checkpoints() => {
                1 + self.constants.groups
            }
            Part::Shared | Part::Group(_) | Part::Checkpoint => 0,
        }
    }

    /// The component of this number, where states have components.
    fn part(&self, component: usize) -> Part {
        match component.checked_sub(1) {
            None => Part::Shared,
            Some(index) if index < self.constants.groups => Part::Group(Group::at(index)),
            Some(_) => Part::Checkpoint,
        }
    }
}

impl Components for FairWorkQueue {
    fn component_count(&self) -> usize {
        if self.falls_apart() {
            1 + self.constants.groups + usize::from(self.has_checkpoints())
        } else {
            1
        }
    }

    fn encode_component(&self, state: &State, component: usize, bytes: &mut Vec<u8>) {
        if self.falls_apart() {
            encoding::encode_part(&self.constants, state, self.part(component), bytes);
        } else {
            encoding::encode(&self.constants, state, bytes);
        }
    }

    fn decode_components(&self, components: &[&[u8]]) -> Option<State> {
        if components.len() != self.component_count() {
            return None;
        }
        if self.falls_apart() {
            encoding::decode_parts(&self.constants, components)
        } else {
            encoding::decode(&self.constants, components[0])
        }
    }
}

impl LocalSteps for FairWorkQueue {
    fn component_successors(
        &self,
        state: &State,
        component: usize,
        sink: &mut dyn FnMut(Action, State),
    ) {
        let own = self.candidates.iter().copied();
        for action in own.filter(|action| self.component_of(action.part()) == component) {
            if self.enabled(state, action) {
                sink(action, self.apply(state, action));
            }
        }
    }
}
