//! Recorded behaviours, held against a model step by step.
//!
//! A behaviour is accepted when its first state is an initial state and each next state is the
//! result of an enabled action of the configured model, or the same as before. Where a step has the
//! name of one of the model's actions, it must be by that action, with those parameters if there are
//! any. The last state, and only that, may lie outside the constraint: a search drops it there.
//!
//! | recorded | what is done |
//! |---|---|
//! | whole states, exactly | each is read as the model's own and compared with the successors |
//! | some of the variables | *all* states that agree with what is there are kept, up to a bound |
//! | values told less exactly | likewise: states agree that would be told the same |
//!
//! Invariants and step properties are evaluated on the way. What was recorded as a counterexample
//! must end in the violation that it was recorded for, and not meet another one before; a behaviour
//! that goes on for ever must close, and for a temporal property it must be fair and violate it.
//!
//! A [`Replayer`] takes [`TraceItem`](crate::trace::TraceItem)s one at a time and keeps nothing of
//! what is past, unless told to: only lassos need their history.
//!
//! * `behaviour`: one step after the other; `ending`: how it ends; `history`: the way to the states;
//!   `rounds`: the ways of a lasso through them;
//! * `told`: recorded values against the model's;
//! * `refusal`: why a step is none, and what would have been one; `outcome`: what comes out;
//! * `listing`: dumped states and graphs, which are no behaviours;
//! * `manifest`: what recordings were made of.

mod behaviour;
mod ending;
mod history;
mod listing;
mod manifest;
mod outcome;
mod refusal;
mod rounds;
pub(crate) mod told;

pub use behaviour::{ReplayOptions, Replayer};
pub use ending::HistoryNeeded;
pub use listing::{Listed, replay_dot, replay_dump};
pub use manifest::{MANIFEST, Manifest, ManifestError, digest};
pub use outcome::{
    AllowedAndRecorded, EndsIn, MOST_ENABLED, MOST_VIOLATIONS, Nearest, Outcome, Refusal, Replayed,
    ViolationOnTheWay, Why,
};
