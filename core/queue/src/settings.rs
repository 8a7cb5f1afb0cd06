//! What a repository may wish of its queue: the member `work_queue` of `.github/workflows/aw.json`
//! (section 5.7).
//!
//! These are preferences and never authority: whoever proposes a policy applies them to one that was
//! approved, and what they do not name stays as it was approved. They cannot name a workflow, a
//! principal, a repository or a limit of bytes.
//!
//! ```
//! use plumb_queue::settings::Settings;
//!
//! let file = br#"{"work_queue": {"concurrency": 4, "issues": true}}"#;
//! let settings = Settings::parse(file)?;
//! assert_eq!(settings.label(), Some("work"));
//! assert!(Settings::parse(br#"{"work_queue": {"speed": 9}}"#).is_err());
//! # Ok::<(), plumb_queue::Rejection>(())
//! ```

use std::collections::BTreeMap;

use plumb_canonical::Value;

use crate::code::Code;
use crate::reject::{Rejection, ensure};
use crate::wire::macros::record;
use crate::wire::policy::{
    Authorization, ClassWeights, PoolPolicy, QueuePolicy, Reconciliation, Retry, WorkerProfile,
};
use crate::wire::scalar::{
    Bounded, ClaimBound, Count, FairnessKey, PoolName, ProfileName, Repository, Weight,
};
use crate::wire::{Limits, Mode, Wire, WireError, closed};

/// The pool and the profile of the default policy, and the pool that others inherit from.
const DEFAULT: &str = "default";
/// The label of issues that show Work, if no other is wished.
const LABEL: &str = "work";
/// The longest label, in bytes.
const LONGEST_LABEL: usize = 33;

record! {
    /// How often a Work is attempted, and how long it waits in between.
    RetrySettings, PolicyInvalid {
        /// Claims, the first one included.
        max_attempts: Option<Bounded<1, 16>>,
        /// Seconds.
        backoff_seconds: Option<Bounded<1, 3600>>,
    }
}

record! {
    /// A pool; what it leaves out is as in the approved default pool.
    PoolSettings, PolicyInvalid {
        /// How many Claims may be open, and how many Dispatches unreleased.
        concurrency: Option<Count>,
        /// How many Claims of one account may be open; 0 is no limit.
        per_account_limit: Option<Bounded<0, 4096>>,
        /// Attempts.
        retry: Option<RetrySettings>,
    }
}

/// Whether Work is shown as issues, and under which label.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Issues {
    /// `false`, `true`: with the label `work`.
    Shown(bool),
    /// With this label, or `work` if it is left out.
    Labelled(Option<String>),
}

impl Wire for Issues {
    fn read(value: &Value<'_>, code: Code) -> Result<Self, WireError> {
        if let Some(shown) = value.as_bool() {
            return Ok(Self::Shown(shown));
        }
        let members = closed(value, code, "issues", &["label"])?;
        let Some(label) = members.get("label") else {
            return Ok(Self::Labelled(None));
        };
        let text = label.as_str().filter(|label| {
            // Control characters are refused everywhere.
            (1..=LONGEST_LABEL).contains(&label.len())
        });
        match text {
            Some(text) => Ok(Self::Labelled(Some(text.to_owned()))),
            None => {
                let expected = format!("a label of 1 to {LONGEST_LABEL} bytes");
                Err(WireError::expected(code, expected, label).within("label"))
            }
        }
    }

    fn write(&self) -> Value<'_> {
        match self {
            Self::Shown(shown) => Value::Bool(*shown),
            Self::Labelled(label) => crate::identity::object(
                label
                    .iter()
                    .map(|label| ("label", Value::from(label.as_str()))),
            ),
        }
    }
}

record! {
    /// What is wished; everything may be left out.
    Settings, PolicyInvalid {
        /// How the class is chosen.
        mode: Option<Mode>,
        /// The shares of the classes.
        class_weights: Option<ClassWeights>,
        /// The shares of the accounts, at most 1024 with the default account, whose weight is 1.
        accounting_weights: Option<BTreeMap<FairnessKey, Weight>>,
        /// How many Claims of the default pool may be open, and how many Dispatches unreleased.
        concurrency: Option<Count>,
        /// How many Works of a pool may be pending.
        pending_limit: Option<Count>,
        /// Attempts in the default pool.
        retry: Option<RetrySettings>,
        /// More pools, at most 64.
        pools: Option<BTreeMap<PoolName, PoolSettings>>,
        /// Whether Work is shown as issues; if left out, it is not.
        issues: Option<Issues>,
    }
}

impl Settings {
    /// Reads the text of `aw.json`. A file without `work_queue` wishes nothing; its other members are
    /// none of the queue's.
    ///
    /// # Errors
    ///
    /// `policy_invalid`, or the code of the scalar that is wrong. The file is read as strictly as a
    /// log: an unknown member, an explicit null, a key twice and every control character of Unicode are
    /// refused.
    pub fn parse(bytes: &[u8]) -> Result<Self, Rejection> {
        let code = Code::PolicyInvalid;
        let invalid = |message: String| Rejection::new(code, message);
        let value = plumb_canonical::Reader::default()
            .read(bytes)
            .map_err(|fault| invalid(fault.to_string()))?;
        let file = crate::wire::object(&value, code)?;
        let nothing = Value::Object(plumb_canonical::Object::new());
        let wishes = file.get("work_queue").unwrap_or(&nothing);
        ensure!(
            !has_controls(wishes),
            PolicyInvalid,
            "work_queue has a control character"
        );
        let settings = Self::read(wishes, code).map_err(|error| error.within("work_queue"))?;
        settings.check()?;
        Ok(settings)
    }

    fn check(&self) -> Result<(), Rejection> {
        if let Some(weights) = &self.accounting_weights {
            let default = weights.get("").map(|weight| weight.get());
            let count = weights.len() + usize::from(default.is_none());
            ensure!(
                count <= 1024 && default.is_none_or(|weight| weight == 1),
                PolicyInvalid,
                "there may be 1024 accounts, the default one included, and that has the weight 1"
            );
        }
        let pools = self.pools.as_ref().map_or(0, BTreeMap::len);
        ensure!(pools <= 64, PolicyInvalid, "{pools} pools are more than 64");
        Ok(())
    }

    /// The label of issues that show Work; none if it is not shown.
    #[must_use]
    pub fn label(&self) -> Option<&str> {
        match self.issues.as_ref()? {
            Issues::Shown(false) => None,
            Issues::Shown(true) | Issues::Labelled(None) => Some(LABEL),
            Issues::Labelled(Some(label)) => Some(label),
        }
    }

    /// The policy that comes of these wishes and one that was approved, for a queue in this
    /// repository. Every run has one Claim, whatever was approved.
    ///
    /// # Errors
    ///
    /// `policy_invalid`: the approved policy has no pool `default`, or what comes of it breaks a rule
    /// of section 5.7.
    pub fn apply(
        &self,
        approved: &QueuePolicy,
        repository: &Repository,
    ) -> Result<QueuePolicy, Rejection> {
        let mut policy = approved.clone();
        let Some((name, default)) = approved.pools.get_key_value(DEFAULT) else {
            return Err(Rejection::new(
                Code::PolicyInvalid,
                "the approved policy has no default pool",
            ));
        };
        policy.mode = self.mode.unwrap_or(policy.mode);
        policy.class_weights = self.class_weights.unwrap_or(policy.class_weights);
        if let Some(weights) = &self.accounting_weights {
            policy.accounting_weights.clone_from(weights);
            let account = FairnessKey::default_account();
            if let (false, Some(one)) = (weights.contains_key(""), Weight::new(1)) {
                policy.accounting_weights.insert(account, one);
            }
        }
        let pending = self.pending_limit;
        policy.limits.pending_nodes = pending.unwrap_or(policy.limits.pending_nodes);
        let general = PoolSettings {
            concurrency: self.concurrency,
            per_account_limit: None,
            retry: self.retry.clone(),
        };
        policy.pools.insert(name.clone(), general.pool(default));
        for (name, settings) in self.pools.iter().flatten() {
            // Of the default pool itself more may be said than in general.
            let base = match name.as_str() == DEFAULT {
                true => general.pool(default),
                false => default.clone(),
            };
            policy.pools.insert(name.clone(), settings.pool(&base));
        }
        for pool in policy.pools.values_mut() {
            for profile in pool.profiles.values_mut() {
                single(profile);
            }
        }
        policy.check(repository)?;
        Ok(policy)
    }
}

impl PoolSettings {
    /// A pool that is as `base` where nothing else is wished.
    fn pool(&self, base: &PoolPolicy) -> PoolPolicy {
        let mut pool = base.clone();
        if let Some(concurrency) = self.concurrency {
            (pool.logical_limit, pool.native_limit) = (concurrency, concurrency);
        }
        pool.per_account_limit = self.per_account_limit.or(pool.per_account_limit);
        if let Some(retry) = &self.retry {
            pool.retry.max_attempts = retry.max_attempts.unwrap_or(pool.retry.max_attempts);
            let backoff = retry.backoff_seconds;
            let backoff = backoff.and_then(|seconds| Bounded::new(seconds.get() * 1000));
            pool.retry.backoff_ms = backoff.unwrap_or(pool.retry.backoff_ms);
        }
        pool
    }
}

/// One Claim for each run.
fn single(profile: &mut WorkerProfile) {
    profile.max_claims = ONE_CLAIM;
    profile.share_keys = false;
}

const ONE_CLAIM: ClaimBound = constant(1);

/// A number that is within its bounds, which is known when this is compiled.
const fn constant<const MIN: u64, const MAX: u64>(number: u64) -> Bounded<MIN, MAX> {
    match Bounded::new(number) {
        Some(number) => number,
        None => unreachable!(),
    }
}

/// The default policy of section 5.7, under authorization `aw`: one pool `default` with this profile,
/// whose Works may wait for resources of these repositories.
#[must_use]
pub fn default_policy(
    mut profile: WorkerProfile,
    allowed_repositories: Vec<Repository>,
) -> QueuePolicy {
    single(&mut profile);
    let name = ProfileName::derived(DEFAULT);
    let pool = PoolPolicy {
        default_profile: name.clone(),
        profiles: BTreeMap::from([(name, profile)]),
        logical_limit: const { constant(16) },
        native_limit: const { constant(16) },
        per_account_limit: None,
        allowed_repositories,
        max_observation_age_ms: const { constant(60_000) },
        retry: Retry {
            max_attempts: const { constant(3) },
            backoff_ms: const { constant(30_000) },
        },
        reconciliation: Reconciliation {
            max_attempts: const { constant(5) },
            deadline_ms: const { constant(300_000) },
        },
    };
    QueuePolicy {
        authorization: Some(Authorization::Aw),
        mode: Mode::WeightedPriority,
        class_weights: ClassWeights(
            const {
                [
                    constant(8),
                    constant(4),
                    constant(2),
                    constant(1),
                    constant(1),
                ]
            },
        ),
        accounting_weights: BTreeMap::from([(
            FairnessKey::default_account(),
            const { constant(1) },
        )]),
        producers: BTreeMap::new(),
        projectors: None,
        pools: BTreeMap::from([(PoolName::derived(DEFAULT), pool)]),
        // The ceilings.
        limits: Limits {
            ledger_bytes: const { constant(64 << 20) },
            recovery_bytes: const { constant(16 << 20) },
            payload_bytes: const { constant(16 << 10) },
            graph_nodes: const { constant(4096) },
            predecessors: const { constant(64) },
            pending_nodes: const { constant(4096) },
            operations: const { constant(256) },
            assignment_bytes: const { constant(48 << 10) },
            result_bytes: const { constant(4 << 10) },
            evidence_bytes: const { constant(1 << 10) },
            observation_writes: const { constant(4096) },
        },
    }
}

/// True if a text in this value has a control character of Unicode, C1 included. Values that were read
/// are at most 64 deep.
fn has_controls(value: &Value<'_>) -> bool {
    let in_text = |text: &str| text.chars().any(char::is_control);
    match value {
        Value::String(text) => in_text(text),
        Value::Array(elements) => elements.iter().any(has_controls),
        Value::Object(members) => members
            .iter()
            .any(|(key, member)| in_text(key) || has_controls(member)),
        Value::Null | Value::Bool(_) | Value::Integer(_) => false,
    }
}
