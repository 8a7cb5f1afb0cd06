//! The variables that a step may have changed.

use super::state::{State, records};
use crate::changes::bits;

/// The variables that may differ, as bits.
///
/// A source is a part of the log from its beginning, and the plan and the checkpoint on it are
/// functions of it: they are as they were, if that part is.
pub(super) fn changed(before: &State, after: &State) -> u64 {
    if before.apart.is_some() || after.apart.is_some() {
        return u64::MAX;
    }
    let (log, log_after) = (before.log(), after.log());
    let has_new_log = before.ledger != after.ledger;
    let differs_up_to = |records| has_new_log && !log.agrees_up_to(log_after, records);
    let groups = || before.groups.iter().zip(&after.groups);
    let (history, history_after) = (before.ledger.history(), after.ledger.history());
    let (projection, projection_after) = (before.projection(), after.projection());
    let has_completed = projection.claims.completed() != projection_after.claims.completed();
    let (pending, pending_after) = (&before.checkpoint_pending, &after.checkpoint_pending);
    bits([
        has_new_log,
        log.len() != log_after.len(),
        groups().any(|(one, other)| {
            one.pending != other.pending || differs_up_to(records(one.pending.base))
        }),
        groups().any(|(one, other)| one.worker != other.worker),
        before.intents != after.intents,
        history.closed() != history_after.closed(),
        has_completed,
        has_completed,
        before.effects != after.effects,
        has_new_log && projection != projection_after,
        history.checkpoint() != history_after.checkpoint() || differs_up_to(history.checkpoint()),
        pending != pending_after || differs_up_to(records(pending.base)),
        before.checkpoint_conflicts != after.checkpoint_conflicts,
    ])
}
