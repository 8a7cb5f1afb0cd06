//! The thirteen variables, which of them are functions of the others, and what they are when they
//! are not.
//!
//! Shared design, models/fair-work-queue.md, sections 6 and 13. Behaviours of the sound
//! specification keep most variables functions of a few: the head is the length of the log, a
//! plan's source is the log as it was, the projection is what the log amounts to, and so on. A
//! state has those few, and all the others only where at least one of them is something else
//! ([`Apart`]). So every state has one form, under every specification, and no variable is ever
//! forgotten.

use std::borrow::Cow;
use std::sync::Arc;

use super::constants::Constants;
use super::ledger::Ledger;
use super::log::{Log, Operation};
use super::projection::Projection;
use super::schedule;
use super::vocabulary::{
    CheckpointPhase, Claim, ClaimStatus, Delivery, Group, Intent, PendingPhase, Worker,
};
use crate::numbered::{NumberSet, Numbered};

/// What a group planned: `pending`, without source and operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Pending {
    /// How far the plan is.
    pub phase: PendingPhase,
    /// The head that it was made on.
    pub base: i64,
    /// How often it was made anew.
    pub retries: i64,
}

/// A group's part of the state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct GroupState {
    /// What it planned.
    pub pending: Pending,
    /// How far its worker is.
    pub worker: Worker,
}

/// What agents declared the Claims to be: `intents`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Intents {
    completed: NumberSet<Claim>,
    cancelled: NumberSet<Claim>,
}

impl Intents {
    /// Nothing was declared.
    pub const NONE: Self = Self {
        completed: NumberSet::EMPTY,
        cancelled: NumberSet::EMPTY,
    };

    /// What a Claim was declared to be.
    #[must_use]
    pub fn get(&self, claim: Claim) -> Intent {
        if self.completed.contains(claim) {
            Intent::Completed
        } else if self.cancelled.contains(claim) {
            Intent::Cancelled
        } else {
            Intent::None
        }
    }

    /// A Claim is declared to be something.
    pub fn set(&mut self, claim: Claim, intent: Intent) {
        self.completed.remove(claim);
        self.cancelled.remove(claim);
        match intent {
            Intent::None => {}
            Intent::Completed => self.completed.insert(claim),
            Intent::Cancelled => self.cancelled.insert(claim),
        }
    }
}

/// An effect on the outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Effect {
    /// Who had it.
    pub group: Group,
    /// For which Claim.
    pub claim: Claim,
    /// Whether its delivery was verified.
    pub delivery: Delivery,
}

/// A checkpoint that is being made: `checkpointPending`, without source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CheckpointPending {
    /// How far it is.
    pub phase: CheckpointPhase,
    /// The head that it was prepared on.
    pub base: i64,
}

/// A published checkpoint.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Checkpoint {
    /// The part of the log that it covers.
    pub prefix: Log,
    /// What that part amounts to.
    pub state: Projection,
}

/// The variables, or parts of them, that are functions of the others in every behaviour of the
/// sound specification.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Apart {
    /// The id of the last record.
    pub head: i64,
    /// The log that each group's plan was made on.
    pub sources: Vec<Log>,
    /// Each group's plan.
    pub operations: Vec<Vec<Operation>>,
    /// Claims that were closed or recovered.
    pub handled: NumberSet<Claim>,
    /// Claims that may have effects.
    pub authorized: NumberSet<Claim>,
    /// Claims that were completed.
    pub completed: NumberSet<Claim>,
    /// The cache of what the log amounts to.
    pub projection: Projection,
    /// The published checkpoint.
    pub checkpoint: Checkpoint,
    /// The log that the checkpoint was prepared on.
    pub checkpoint_source: Log,
}

/// One state of the model.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// The log, with what it amounts to.
    pub ledger: Arc<Ledger>,
    /// What each group planned, and how far its worker is.
    pub groups: Vec<GroupState>,
    /// What agents declared the Claims to be.
    pub intents: Intents,
    /// The effects, in order.
    pub effects: Vec<Effect>,
    /// The checkpoint that is being made.
    pub checkpoint_pending: CheckpointPending,
    /// How often a checkpoint came too late.
    pub checkpoint_conflicts: i64,
    /// All other variables, if at least one of them is not the function of these that it should be.
    pub apart: Option<Box<Apart>>,
}

/// As many records as a base says.
pub(super) fn records(base: i64) -> usize {
    usize::try_from(base).unwrap_or(0)
}

impl State {
    /// The one initial state.
    pub(super) fn initial(constants: &Constants) -> Self {
        let group = GroupState {
            pending: Pending {
                phase: PendingPhase::Idle,
                base: 0,
                retries: 0,
            },
            worker: Worker::Waiting,
        };
        Self {
            ledger: Arc::new(Ledger::of(constants, &Log::opening(constants))),
            groups: vec![group; constants.groups],
            intents: Intents::NONE,
            effects: Vec::new(),
            checkpoint_pending: CheckpointPending {
                phase: CheckpointPhase::Idle,
                base: 0,
            },
            checkpoint_conflicts: 0,
            apart: None,
        }
    }

    /// The log.
    #[must_use]
    pub fn log(&self) -> &Log {
        self.ledger.log()
    }

    /// What a group planned.
    #[must_use]
    pub fn pending(&self, group: Group) -> Pending {
        self.groups[group.index()].pending
    }

    /// How far a group's worker is.
    #[must_use]
    pub fn worker(&self, group: Group) -> Worker {
        self.groups[group.index()].worker
    }

    /// What an agent declared a Claim to be.
    #[must_use]
    pub fn intent(&self, claim: Claim) -> Intent {
        self.intents.get(claim)
    }

    /// The id of the last record.
    #[must_use]
    pub fn head(&self) -> i64 {
        match &self.apart {
            Some(apart) => apart.head,
            None => self.derived_head(),
        }
    }

    /// The cache of what the log amounts to.
    #[must_use]
    pub fn projection(&self) -> &Projection {
        match &self.apart {
            Some(apart) => &apart.projection,
            None => self.ledger.projection(),
        }
    }

    /// The Claims that were closed or recovered.
    #[must_use]
    pub fn handled(&self) -> NumberSet<Claim> {
        match &self.apart {
            Some(apart) => apart.handled,
            None => self.ledger.history().closed(),
        }
    }

    /// The Claims that may have effects.
    #[must_use]
    pub fn authorized(&self) -> NumberSet<Claim> {
        match &self.apart {
            Some(apart) => apart.authorized,
            None => self.ledger.projection().claims.completed(),
        }
    }

    /// The Claims that were completed.
    #[must_use]
    pub fn completed(&self) -> NumberSet<Claim> {
        match &self.apart {
            Some(apart) => apart.completed,
            None => self.ledger.projection().claims.completed(),
        }
    }

    /// Whether a Claim was closed or recovered.
    #[must_use]
    pub fn is_handled(&self, claim: Claim) -> bool {
        self.handled().contains(claim)
    }

    /// Whether a Claim may have effects.
    #[must_use]
    pub fn is_authorized(&self, claim: Claim) -> bool {
        match &self.apart {
            Some(apart) => apart.authorized.contains(claim),
            None => self.ledger.projection().claim(claim) == ClaimStatus::Completed,
        }
    }

    /// Whether a Claim was completed.
    #[must_use]
    pub fn is_completed(&self, claim: Claim) -> bool {
        match &self.apart {
            Some(apart) => apart.completed.contains(claim),
            None => self.ledger.projection().claim(claim) == ClaimStatus::Completed,
        }
    }

    /// Whether a group's plan was made on just this log.
    #[must_use]
    pub fn source_is_log(&self, group: Group) -> bool {
        match &self.apart {
            Some(apart) => apart.sources[group.index()] == *self.log(),
            None => records(self.pending(group).base) >= self.log().len(),
        }
    }

    /// Whether a checkpoint was prepared on just this log.
    #[must_use]
    pub fn checkpoint_source_is_log(&self) -> bool {
        match &self.apart {
            Some(apart) => apart.checkpoint_source == *self.log(),
            None => records(self.checkpoint_pending.base) >= self.log().len(),
        }
    }

    /// The log that a group's plan was made on.
    #[must_use]
    pub fn source(&self, group: Group) -> Cow<'_, Log> {
        match &self.apart {
            Some(apart) => Cow::Borrowed(&apart.sources[group.index()]),
            None => Cow::Owned(self.derived_source(self.pending(group).base)),
        }
    }

    /// A group's plan.
    #[must_use]
    pub fn operations(&self, constants: &Constants, group: Group) -> Cow<'_, [Operation]> {
        match &self.apart {
            Some(apart) => Cow::Borrowed(&apart.operations[group.index()]),
            None => Cow::Owned(self.derived_operations(constants, group)),
        }
    }

    /// The published checkpoint.
    #[must_use]
    pub fn checkpoint(&self, constants: &Constants) -> Cow<'_, Checkpoint> {
        match &self.apart {
            Some(apart) => Cow::Borrowed(&apart.checkpoint),
            None => Cow::Owned(self.derived_checkpoint(constants)),
        }
    }

    /// The log that the checkpoint was prepared on.
    #[must_use]
    pub fn checkpoint_source(&self) -> Cow<'_, Log> {
        match &self.apart {
            Some(apart) => Cow::Borrowed(&apart.checkpoint_source),
            None => Cow::Owned(self.derived_source(self.checkpoint_pending.base)),
        }
    }

    /// All of the other variables, whether or not they are functions of these.
    #[must_use]
    pub fn all_apart(&self, constants: &Constants) -> Apart {
        match &self.apart {
            Some(apart) => (**apart).clone(),
            None => self.derived(constants),
        }
    }

    /// What the other variables are as functions of these.
    ///
    /// This is section 13's list. It is total: where a base is no length of the log, it counts as
    /// the nearest one.
    #[must_use]
    pub fn derived(&self, constants: &Constants) -> Apart {
        let groups = || constants.all_groups();
        let projection = self.ledger.projection();
        let completed = projection.claims.completed();
        Apart {
            head: self.derived_head(),
            sources: groups()
                .map(|group| self.derived_source(self.pending(group).base))
                .collect(),
            operations: groups()
                .map(|group| self.derived_operations(constants, group))
                .collect(),
            handled: self.ledger.history().closed(),
            authorized: completed,
            completed,
            projection: projection.clone(),
            checkpoint: self.derived_checkpoint(constants),
            checkpoint_source: self.derived_source(self.checkpoint_pending.base),
        }
    }

    fn derived_head(&self) -> i64 {
        self.log().len() as i64
    }

    fn derived_checkpoint(&self, constants: &Constants) -> Checkpoint {
        let prefix = self.log().prefix(self.ledger.history().checkpoint());
        Checkpoint {
            state: Projection::of(constants, &prefix),
            prefix,
        }
    }

    fn derived_source(&self, base: i64) -> Log {
        self.log().prefix(records(base))
    }

    fn derived_operations(&self, constants: &Constants, group: Group) -> Vec<Operation> {
        let base = records(self.pending(group).base);
        let limit = constants.max_batch;
        if base >= self.log().len() {
            return schedule::plan(constants, self.ledger.projection(), group, limit);
        }
        let source = Projection::of(constants, &self.log().prefix(base));
        schedule::plan(constants, &source, group, limit)
    }

    /// Drops the other variables if all of them are functions of these.
    pub(super) fn settle(&mut self, constants: &Constants) {
        if let Some(apart) = &self.apart
            && **apart == self.derived(constants)
        {
            self.apart = None;
        }
    }
}
