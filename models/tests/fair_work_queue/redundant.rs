//! Conjuncts that could be dropped without any difference to a search, and why.

use crate::harness::mutation::Redundant;

const SAME_MOMENT: &str = "whoever notes the base notes the source in the same step, and no two \
                           logs of a behaviour have the same head";

const STILL_MEMBER: &str = "only a member's effect, by its own group, is verified; a log that \
                            loses the membership loses the completion, too";

pub(crate) const REDUNDANT: &[Redundant] = &[
    Redundant {
        action: "Push",
        conjunct: 0,
        says: "pending[g].phase = \"prepared\"",
        reason: "a plan whose base is the head is prepared, or was made anew and is empty",
    },
    Redundant {
        action: "Push",
        conjunct: 1,
        says: "base = head",
        reason: SAME_MOMENT,
    },
    Redundant {
        action: "Push",
        conjunct: 2,
        says: "source = log",
        reason: SAME_MOMENT,
    },
    Redundant {
        action: "Push",
        conjunct: 3,
        says: "ops # <<>>",
        reason: "an empty plan is not prepared",
    },
    Redundant {
        action: "Finalize",
        conjunct: 4,
        says: "cs[c] = \"open\"",
        reason: "a Claim that is owned and not handled is open: who completes one handles it",
    },
    Redundant {
        action: "Finalize",
        conjunct: 5,
        says: "owner[work of c] = c",
        reason: "an open Claim owns its work, and no work is claimed while it is claimed",
    },
    Redundant {
        action: "PublishResult",
        conjunct: 2,
        says: "c in members[g]",
        reason: STILL_MEMBER,
    },
    Redundant {
        action: "RepairResult",
        conjunct: 2,
        says: "c in members[g]",
        reason: STILL_MEMBER,
    },
    Redundant {
        action: "PublishCheckpoint",
        conjunct: 0,
        says: "phase = \"prepared\"",
        reason: "no head is 0, the base of one that is idle, and one that is done is itself a later record",
    },
    Redundant {
        action: "PublishCheckpoint",
        conjunct: 1,
        says: "base = head",
        reason: SAME_MOMENT,
    },
    Redundant {
        action: "PublishCheckpoint",
        conjunct: 2,
        says: "source = log",
        reason: SAME_MOMENT,
    },
];
