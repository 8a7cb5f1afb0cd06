//! The constants of the model and the choice of a defect.
//!
//! Shared design, models/lifecycle.md, sections 1 and 8.

use plumb_checker::{ConfigurationError, Reader};

use super::vocabulary::Assignment;

/// A deliberate defect of the protocol; each is to be caught by one invariant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Defect {
    /// A group in doubt is bound without a checked activation.
    UnauthenticatedActivation,
    /// A second activation in conflict overwrites the first.
    ConflictingBinding,
    /// A group in conflict is released on earlier evidence of its end.
    ConflictRelease,
    /// Pausing grants cancels a, although it is being worked on.
    PausePreempts,
    /// A Result is accepted after the failure was recorded.
    ResultAfterFailure,
    /// A grant of one dispatch passes over b and takes c.
    SkipPrefix,
    /// A group in doubt is released without evidence of its end.
    AmbiguousRelease,
    /// A failed root is replaced although nothing is known of its effect.
    UnsafeReplacement,
    /// An effect is entered by a second attempt.
    RerunEffects,
    /// A group in doubt is sent once more.
    SecondSender,
    /// A failure is recorded before the attempts at verification are used up.
    EarlyDeliveryFailure,
}

/// The values of the constant `Broken`.
const BROKEN: &[(&str, Option<Defect>)] = &[
    ("none", None),
    (
        "unauthenticated-activation",
        Some(Defect::UnauthenticatedActivation),
    ),
    ("conflicting-binding", Some(Defect::ConflictingBinding)),
    ("conflict-release", Some(Defect::ConflictRelease)),
    ("pause-preempts", Some(Defect::PausePreempts)),
    ("result-after-failure", Some(Defect::ResultAfterFailure)),
    ("skip-prefix", Some(Defect::SkipPrefix)),
    ("ambiguous-release", Some(Defect::AmbiguousRelease)),
    ("unsafe-replacement", Some(Defect::UnsafeReplacement)),
    ("rerun-effects", Some(Defect::RerunEffects)),
    ("second-sender", Some(Defect::SecondSender)),
    ("early-delivery-failure", Some(Defect::EarlyDeliveryFailure)),
];

/// The constants of the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Constants {
    /// Whether a grant may create one native dispatch only; any budget but 1 means two.
    pub(super) single_group: bool,
    /// The highest epoch; below 1 not even the initial state is of its type.
    pub(super) epoch_bound: i64,
    /// The chosen defect, if any.
    pub(super) broken: Option<Defect>,
}

impl Constants {
    pub(super) fn read(cfg: &mut Reader<'_>) -> Result<Self, ConfigurationError> {
        Ok(Self {
            single_group: cfg.integer("GroupBudget")? == 1,
            epoch_bound: cfg.integer("EpochBound")?,
            broken: cfg.choice("Broken", BROKEN)?,
        })
    }

    pub(super) fn has(&self, defect: Defect) -> bool {
        self.broken == Some(defect)
    }

    /// The packing oracle: a fair prefix of the queue a, b, c with profiles X, Y, X. With one
    /// dispatch it stops at b, which would need a second one, and does not skip ahead to c.
    pub(super) fn packing(&self) -> Assignment {
        if self.single_group {
            Assignment::First
        } else {
            Assignment::Packed
        }
    }
}
