//! The eighteen variables, their initial values, and what is derived from them.
//!
//! Shared design, models/lifecycle.md, sections 3 and 4.

use super::vocabulary::{
    Assignment, Claim, Count, Group, Phase, Root, Status, Successor, Violation,
};
use crate::finite::{Finite, Map, Subset};

/// One state of the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// The number of the epoch, from 1.
    pub epoch: i64,
    /// Whether admission is paused.
    pub admission_paused: bool,
    /// Whether granting and marking are paused.
    pub grants_paused: bool,
    /// Whether the work of this epoch was admitted.
    pub admitted: bool,
    /// The roots that each group carries.
    pub assignment: Assignment,
    /// Groups whose launch is announced on record: from then on it may have happened.
    pub markers: Subset<Group>,
    /// How often each group was sent.
    pub sends: Map<Group, Count, 2>,
    /// How far each group's launch is.
    pub phase: Map<Group, Phase, 2>,
    /// The activation that each group is bound to: none, the first, or one in conflict with it.
    pub binding: Map<Group, Count, 2>,
    /// Groups with exact evidence of their end.
    pub terminal: Subset<Group>,
    /// Groups whose native slot was given back.
    pub released: Subset<Group>,
    /// What became of each Claim.
    pub status: Map<Claim, Status, 5>,
    /// Roots whose effect took place; also the receipt for it.
    pub effects: Subset<Root>,
    /// Roots with a Result.
    pub results: Subset<Root>,
    /// Roots whose delivery failed.
    pub failures: Subset<Root>,
    /// Failed roots that were replaced.
    pub replacements: Subset<Root>,
    /// The forbidden step that was taken, if any.
    pub violation: Violation,
    /// Attempts at verifying each root's delivery.
    pub verification_attempts: Map<Root, Count, 3>,
}

impl State {
    /// The one initial state.
    pub const INITIAL: Self = Self {
        epoch: 1,
        admission_paused: false,
        grants_paused: false,
        admitted: false,
        assignment: Assignment::Empty,
        markers: Subset::EMPTY,
        sends: Map::all(Count::Zero),
        phase: Map::all(Phase::Idle),
        binding: Map::all(Count::Zero),
        terminal: Subset::EMPTY,
        released: Subset::EMPTY,
        status: Map::all(Status::Waiting),
        effects: Subset::EMPTY,
        results: Subset::EMPTY,
        failures: Subset::EMPTY,
        replacements: Subset::EMPTY,
        violation: Violation::None,
        verification_attempts: Map::all(Count::Zero),
    };

    /// Whether a group carries the root.
    #[must_use]
    pub fn is_assigned(&self, root: Root) -> bool {
        self.assignment.contains(root)
    }

    /// The roots that are assigned.
    #[must_use]
    pub fn assigned(&self) -> Subset<Root> {
        let roots = Root::ALL.iter().copied();
        Subset::of(roots.filter(|root| self.is_assigned(*root)))
    }

    /// A root's status.
    #[must_use]
    pub fn status_of(&self, root: Root) -> Status {
        self.status[root.claim()]
    }

    /// Whether an activation of the group can be trusted, conjunct by conjunct: it was sent, and
    /// is not released.
    #[must_use]
    pub fn trusted_activation(&self, group: Group) -> [bool; 2] {
        [
            self.sends[group] >= Count::One,
            !self.released.contains(group),
        ]
    }

    /// Whether evidence of the group's end can be trusted, conjunct by conjunct: it was sent, and
    /// is bound or in doubt. Release does not matter; conflict does.
    #[must_use]
    pub fn trusted_terminal(&self, group: Group) -> [bool; 2] {
        [
            self.sends[group] >= Count::One,
            matches!(self.phase[group], Phase::Bound | Phase::Uncertain),
        ]
    }

    /// Whether the root's group authorizes it, conjunct by conjunct: it is assigned, and its group
    /// is bound to one activation, not released, and in no conflict.
    #[must_use]
    pub fn authorized(&self, root: Root) -> [bool; 4] {
        let group = root.group();
        [
            self.is_assigned(root),
            self.binding[group] == Count::One,
            !self.released.contains(group),
            self.phase[group] == Phase::Bound,
        ]
    }

    /// Whether the Results that a successor needs are there.
    #[must_use]
    pub fn has_results_for(&self, successor: Successor) -> bool {
        let mut predecessors = successor.predecessors().iter();
        predecessors.all(|root| self.results.contains(*root))
    }
}
