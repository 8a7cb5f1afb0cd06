//! Conjuncts that could be dropped without any difference to a search, and why.

use crate::harness::mutation::Redundant;

const ONE_LOG: &str = "every other log gets a version of its own, so that a version is one log";

pub(crate) const REDUNDANT: &[Redundant] = &[
    Redundant {
        action: "PushDispatch",
        conjunct: 2,
        says: "source = log",
        reason: ONE_LOG,
    },
    Redundant {
        action: "Activate",
        conjunct: 1,
        says: "c \\notin deadRuns",
        reason: "a run that ends fails the workers that wait for it, and ends only once",
    },
    Redundant {
        action: "Activate",
        conjunct: 2,
        says: "the Claim is effective",
        reason: "the winner of a work that has not ended is an active Claim, which is effective",
    },
    Redundant {
        action: "Activate",
        conjunct: 3,
        says: "the Claim is the winner",
        reason: "an effective Claim is the winner by definition",
    },
    Redundant {
        action: "PushWorker",
        conjunct: 2,
        says: "source = log",
        reason: ONE_LOG,
    },
    Redundant {
        action: "VerifyCompletion",
        conjunct: 1,
        says: "the Completion is in the log",
        reason: "the only Completion of the work in the log is in the log",
    },
    Redundant {
        action: "VerifyCompletion",
        conjunct: 2,
        says: "it is the only Completion of the work in the log",
        reason: "no log has two that end one work: none is added to a work that has ended, and \
                 every log is made by adding to another",
    },
    Redundant {
        action: "PushMaintenance",
        conjunct: 2,
        says: "source = log",
        reason: ONE_LOG,
    },
];
