//! Conjuncts that could be dropped without any difference to a search, and why.

use crate::harness::mutation::Redundant;

const SET_TOGETHER: &str =
    "an admission sets both admitted and admissionAuthorized, and nothing resets either";

pub(crate) const REDUNDANT: &[Redundant] = &[
    Redundant {
        action: "ExpandPolicy",
        conjunct: 1,
        says: "~admissionClose",
        reason: "the policy never stops closing: if it does not close now, it never did",
    },
    Redundant {
        action: "PrepareCreation",
        conjunct: 0,
        says: "admitted",
        reason: SET_TOGETHER,
    },
    Redundant {
        action: "PrepareCreation",
        conjunct: 1,
        says: "admissionAuthorized",
        reason: SET_TOGETHER,
    },
    Redundant {
        action: "CreateWithReceipt",
        conjunct: 0,
        says: "admitted",
        reason: SET_TOGETHER,
    },
    Redundant {
        action: "CreateWithReceipt",
        conjunct: 1,
        says: "admissionAuthorized",
        reason: SET_TOGETHER,
    },
    Redundant {
        action: "CreateWithReceipt",
        conjunct: 5,
        says: "created",
        reason: "the journal holds an intent only where PrepareCreation was enabled",
    },
    Redundant {
        action: "CreateWithReceipt",
        conjunct: 6,
        says: "journal = \"intent\"",
        reason: "coordination is held before an attempt only while the journal has an intent",
    },
    Redundant {
        action: "CreateWithReceipt",
        conjunct: 7,
        says: "createAttempts = 0",
        reason: "both attempts take the intent out of the journal, and none is written twice",
    },
    Redundant {
        action: "CreateWithReceipt",
        conjunct: 8,
        says: "coordination = \"held\"",
        reason: "PrepareCreation, which writes the intent, takes it, and nothing gives it back",
    },
    Redundant {
        action: "CreateWithLostReceipt",
        conjunct: 0,
        says: "admitted",
        reason: SET_TOGETHER,
    },
    Redundant {
        action: "CreateWithLostReceipt",
        conjunct: 1,
        says: "admissionAuthorized",
        reason: SET_TOGETHER,
    },
    Redundant {
        action: "CreateWithLostReceipt",
        conjunct: 5,
        says: "created",
        reason: "the journal holds an intent only where PrepareCreation was enabled",
    },
    Redundant {
        action: "CreateWithLostReceipt",
        conjunct: 6,
        says: "journal = \"intent\"",
        reason: "coordination is held before an attempt only while the journal has an intent",
    },
    Redundant {
        action: "CreateWithLostReceipt",
        conjunct: 7,
        says: "createAttempts = 0",
        reason: "both attempts take the intent out of the journal, and none is written twice",
    },
    Redundant {
        action: "CreateWithLostReceipt",
        conjunct: 8,
        says: "coordination = \"held\"",
        reason: "PrepareCreation, which writes the intent, takes it, and nothing gives it back",
    },
    Redundant {
        action: "BindCreatedIssue",
        conjunct: 0,
        says: "admitted",
        reason: SET_TOGETHER,
    },
    Redundant {
        action: "BindCreatedIssue",
        conjunct: 1,
        says: "admissionAuthorized",
        reason: SET_TOGETHER,
    },
    Redundant {
        action: "BindCreatedIssue",
        conjunct: 5,
        says: "created",
        reason: "only a creation leaves a receipt",
    },
    Redundant {
        action: "BindCreatedIssue",
        conjunct: 6,
        says: "createdByProjector",
        reason: "only a creation leaves a receipt",
    },
    Redundant {
        action: "BindCreatedIssue",
        conjunct: 7,
        says: "receipt",
        reason: "the journal says receipted exactly if there is a receipt",
    },
    Redundant {
        action: "BindCreatedIssue",
        conjunct: 8,
        says: "journal = \"receipted\"",
        reason: "the journal says receipted exactly if there is a receipt",
    },
    Redundant {
        action: "BindExistingIssue",
        conjunct: 0,
        says: "admitted",
        reason: SET_TOGETHER,
    },
    Redundant {
        action: "BindExistingIssue",
        conjunct: 1,
        says: "admissionAuthorized",
        reason: SET_TOGETHER,
    },
    Redundant {
        action: "BindExistingIssue",
        conjunct: 7,
        says: "issueExists",
        reason: "an existing issue is there from the start, and none is removed",
    },
    Redundant {
        action: "ProjectSummary",
        conjunct: 0,
        says: "admitted",
        reason: SET_TOGETHER,
    },
    Redundant {
        action: "ProjectSummary",
        conjunct: 1,
        says: "admissionAuthorized",
        reason: SET_TOGETHER,
    },
    Redundant {
        action: "ProjectSummary",
        conjunct: 6,
        says: "issueExists",
        reason: "a target is bound to an issue that exists, and none is removed",
    },
    Redundant {
        action: "ProjectSummary",
        conjunct: 7,
        says: "existing => TargetGrant",
        reason: "a target that was there is bound only with a grant",
    },
    Redundant {
        action: "ProjectSummary",
        conjunct: 8,
        says: "created => createdByProjector /\\ receipt",
        reason: "a target that is created is bound only with both, and neither is lost",
    },
    Redundant {
        action: "CloseIssue",
        conjunct: 0,
        says: "admitted",
        reason: SET_TOGETHER,
    },
    Redundant {
        action: "CloseIssue",
        conjunct: 1,
        says: "admissionAuthorized",
        reason: SET_TOGETHER,
    },
    Redundant {
        action: "CloseIssue",
        conjunct: 6,
        says: "issueExists",
        reason: "a target is bound to an issue that exists, and none is removed",
    },
    Redundant {
        action: "CloseIssue",
        conjunct: 7,
        says: "existing => TargetGrant",
        reason: "a target that was there is bound only with a grant",
    },
    Redundant {
        action: "CloseIssue",
        conjunct: 8,
        says: "created => createdByProjector /\\ receipt",
        reason: "a target that is created is bound only with both, and neither is lost",
    },
    Redundant {
        action: "UnsafeCloseFromPayload",
        conjunct: 0,
        says: "admitted",
        reason: "only an admitted target is bound",
    },
    Redundant {
        action: "UnsafeCloseFromPayload",
        conjunct: 2,
        says: "issueExists",
        reason: "a target is bound to an issue that exists, and none is removed",
    },
];
