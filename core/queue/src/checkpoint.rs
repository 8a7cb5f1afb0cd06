//! Checkpoints (section 10).

use plumb_canonical::Value;

use crate::code::Code;
use crate::reject::Rejection;
use crate::state::State;
use crate::wire::QueueCommit;

/// The state that a checkpoint stands for.
pub(crate) fn restore(_: &Value<'_>, _: &QueueCommit) -> Result<State, Rejection> {
    Err(Rejection::new(Code::CheckpointInvalid, "not yet"))
}
