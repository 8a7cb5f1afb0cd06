//! Conjuncts that could be dropped without any difference to a search, and why.

/// A conjunct that other conjuncts, or what always holds, already imply.
pub(crate) struct Redundant {
    /// The action.
    pub(crate) action: &'static str,
    /// The conjunct's position in the action's guard.
    pub(crate) conjunct: usize,
    /// The conjunct in words, for the reader.
    pub(crate) says: &'static str,
    /// Why it is never the only false one.
    pub(crate) reason: &'static str,
}

/// The redundant conjuncts of `ClaimScopedWorker`.
pub(crate) const CLAIM_SCOPE: &[Redundant] = &[
    Redundant {
        action: "Effect",
        conjunct: 3,
        says: "outputs[c] # -1",
        reason: "the last conjunct is false without an output: no handle, no Claim",
    },
    Redundant {
        action: "PublishResult",
        conjunct: 0,
        says: "c in Completed",
        reason: "only completed Claims are verified, in every specification, and none is reopened",
    },
];

/// The redundant conjuncts of `QueueLifecycle`.
pub(crate) const LIFECYCLE: &[Redundant] = &[
    Redundant {
        action: "Activate",
        conjunct: 0,
        says: "sends[g] >= 1",
        reason: "a group becomes uncertain by Send alone",
    },
    Redundant {
        action: "ConflictingActivation",
        conjunct: 0,
        says: "sends[g] >= 1",
        reason: "a group becomes bound from uncertain alone, hence after Send",
    },
    Redundant {
        action: "ConflictingActivation",
        conjunct: 2,
        says: "binding[g] = 1",
        reason: "whatever makes a group bound sets its binding to 1, and what sets another \
                 binding makes it no longer bound",
    },
    Redundant {
        action: "Finish",
        conjunct: 0,
        says: "c is assigned",
        reason: "an open root is assigned: Grant opens what it assigns, and Repeat resets both",
    },
    Redundant {
        action: "Finish",
        conjunct: 1,
        says: "binding[g] = 1",
        reason: "whatever makes a group bound sets its binding to 1, and what sets another \
                 binding makes it no longer bound",
    },
    Redundant {
        action: "Finish",
        conjunct: 2,
        says: "g is not released",
        reason: "an open root's group is not released: Release cancels what is open, and nothing reopens it",
    },
    Redundant {
        action: "Effect",
        conjunct: 0,
        says: "c is assigned",
        reason: "authorized(c) says it again, and a completed root is assigned: it was open once",
    },
    Redundant {
        action: "Effect",
        conjunct: 2,
        says: "c is assigned, of authorized(c)",
        reason: "the first conjunct says it already",
    },
    Redundant {
        action: "Effect",
        conjunct: 3,
        says: "binding[g] = 1",
        reason: "whatever makes a group bound sets its binding to 1, and what sets another \
                 binding makes it no longer bound",
    },
    Redundant {
        action: "Result",
        conjunct: 0,
        says: "status[c] = completed",
        reason: "a root with an effect is completed, and stays so to the end of the epoch",
    },
    Redundant {
        action: "TerminalEvidence",
        conjunct: 0,
        says: "sends[g] >= 1",
        reason: "a group becomes uncertain by Send, and bound from there",
    },
    Redundant {
        action: "VerifyDelivery",
        conjunct: 0,
        says: "c is assigned",
        reason: "a completed root is assigned: it was open once",
    },
    Redundant {
        action: "DeliveryFailure",
        conjunct: 0,
        says: "c is assigned",
        reason: "a completed root is assigned: it was open once",
    },
    Redundant {
        action: "Release",
        conjunct: 1,
        says: "assignment[g] is not empty",
        reason: "a group that carries nothing stays idle and is never sent: no ground for release holds",
    },
    Redundant {
        action: "Preempt",
        conjunct: 1,
        says: "a is assigned",
        reason: "an open root is assigned: Grant opens what it assigns, and Repeat resets both",
    },
    Redundant {
        action: "Repeat",
        conjunct: 3,
        says: "every assigned Claim is closed",
        reason: "Release cancels what is open, so that a released group has only closed members",
    },
];
