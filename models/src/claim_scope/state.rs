//! The eight variables, their initial values, and what is derived from them.
//!
//! Shared design, models/claim-scope.md, section 2.

use plumb_tla::Value;

use super::log::{Kind, Log};
use super::vocabulary::{Claim, RawHandle, Work};
use crate::finite::{Finite, Map, Subset, finite_names};

/// How far the agent and the host are with the assignment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Phase {
    /// The agent stages outputs and declares intents.
    Agent,
    /// The host closes Claims and carries out effects.
    Finalizing,
    /// Neither works any more; facts on record may still be followed up.
    Terminal,
}

finite_names!(Phase {
    Agent = "agent",
    Finalizing = "finalizing",
    Terminal = "terminal",
});

/// What the agent declared a Claim to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Intent {
    /// To be completed.
    Completed,
    /// To be cancelled.
    Cancelled,
}

impl Finite for Option<Intent> {
    const ALL: &'static [Self] = &[None, Some(Intent::Completed), Some(Intent::Cancelled)];

    fn index(self) -> usize {
        match self {
            None => 0,
            Some(Intent::Completed) => 1,
            Some(Intent::Cancelled) => 2,
        }
    }

    fn to_value(self) -> Value {
        Value::str(match self {
            None => "none",
            Some(intent) => intent.name(),
        })
    }
}

impl Intent {
    /// The name that the TLA+ module uses.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Completed => "completed",
            Self::Cancelled => "cancelled",
        }
    }
}

/// One state of the model.
///
/// It is the same type for one and for three Claims; with one, nothing is ever declared or staged
/// for Claims 2 and 3.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct State {
    /// How far agent and host are.
    pub phase: Phase,
    /// What the agent declared each Claim to be, at most once.
    pub intents: Map<Claim, Option<Intent>, 3>,
    /// The raw handle with which each Claim's output was staged, if it was. The handle itself is
    /// kept: staging the only Claim's output by 0 and by its number are different states.
    pub outputs: Map<Claim, Option<RawHandle>, 3>,
    /// What happened to the Claims, in order.
    pub log: Log,
    /// The effects that were carried out: for each Claim, the raw handles of their outputs.
    pub effects: Map<Claim, Subset<RawHandle>, 3>,
    /// Claims whose delivery was verified.
    pub verified: Subset<Claim>,
    /// Successor works that were admitted.
    pub admitted: Subset<Work>,
    /// Raw handles that were rejected.
    pub rejected: Subset<RawHandle>,
}

impl State {
    /// The one initial state.
    pub const INITIAL: Self = Self {
        phase: Phase::Agent,
        intents: Map::all(None),
        outputs: Map::all(None),
        log: Log::EMPTY,
        effects: Map::all(Subset::EMPTY),
        verified: Subset::EMPTY,
        admitted: Subset::EMPTY,
        rejected: Subset::EMPTY,
    };

    /// Claims with a Completion in the log.
    #[must_use]
    pub fn completed(&self) -> Subset<Claim> {
        self.log.claims(Kind::Completion)
    }

    /// Claims with a ClaimCancellation in the log.
    #[must_use]
    pub fn cancelled(&self) -> Subset<Claim> {
        self.log.claims(Kind::ClaimCancellation)
    }

    /// Claims with a Result in the log.
    #[must_use]
    pub fn results(&self) -> Subset<Claim> {
        self.log.claims(Kind::Result)
    }

    /// Claims that are completed or cancelled.
    #[must_use]
    pub fn closed(&self) -> Subset<Claim> {
        self.completed().union(self.cancelled())
    }

    /// Claims with an effect.
    #[must_use]
    pub fn effect_claims(&self) -> Subset<Claim> {
        let with_effect = self
            .effects
            .iter()
            .filter(|(_, handles)| !handles.is_empty());
        Subset::of(with_effect.map(|(claim, _)| claim))
    }
}
