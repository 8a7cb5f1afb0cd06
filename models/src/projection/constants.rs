//! The constants of the model and the choice of a defect.
//!
//! Shared design, models/projection.md, section 1 and the table of registered configurations.

use plumb_checker::{ConfigurationError, Reader};

/// Where the issue comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TargetMode {
    /// It is there before the projector is.
    Existing,
    /// The projector creates it.
    Created,
}

/// A deliberate defect of the protocol; each is to be caught by one invariant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Defect {
    /// An existing issue is admitted, and written to, without a grant.
    UnownedAdmission,
    /// An issue is closed because its payload says so.
    PayloadClose,
    /// A creation of unknown outcome is attempted again.
    RetryUncertain,
}

/// The values of the constant `TargetMode`.
const TARGET_MODES: &[(&str, TargetMode)] = &[
    ("existing", TargetMode::Existing),
    ("created", TargetMode::Created),
];

/// The values of the constant `Broken`.
const BROKEN: &[(&str, Option<Defect>)] = &[
    ("none", None),
    ("unowned-admission", Some(Defect::UnownedAdmission)),
    ("payload-close", Some(Defect::PayloadClose)),
    ("retry-uncertain", Some(Defect::RetryUncertain)),
];

/// The constants of the module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Constants {
    /// Where the issue comes from.
    pub(super) target_mode: TargetMode,
    /// Whether the projector was granted an existing issue.
    pub(super) target_grant: bool,
    /// The policy at the start: whether issues are closed.
    pub(super) initial_close_policy: bool,
    /// Whether the issue is a pull request, which nothing closes.
    pub(super) is_pull_request: bool,
    /// The defect, if there is one.
    broken: Option<Defect>,
}

impl Constants {
    /// Reads the constants from a cfg.
    pub(super) fn read(cfg: &mut Reader<'_>) -> Result<Self, ConfigurationError> {
        Ok(Self {
            target_mode: cfg.choice("TargetMode", TARGET_MODES)?,
            target_grant: cfg.boolean("TargetGrant")?,
            initial_close_policy: cfg.boolean("InitialClosePolicy")?,
            is_pull_request: cfg.boolean("IsPullRequest")?,
            broken: cfg.choice("Broken", BROKEN)?,
        })
    }

    /// Whether the model has this defect.
    pub(super) fn has(&self, defect: Defect) -> bool {
        self.broken == Some(defect)
    }

    /// Whether the issue is there before the projector is.
    pub(super) fn existing(&self) -> bool {
        self.target_mode == TargetMode::Existing
    }

    /// Whether the projector creates the issue.
    pub(super) fn created(&self) -> bool {
        self.target_mode == TargetMode::Created
    }
}
