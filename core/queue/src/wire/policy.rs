//! What an administrator decides (sections 2.5 and 5.7).

use std::collections::BTreeMap;

use plumb_canonical::{Digest, Value};

use super::evidence::Resource;
use super::macros::{record, words};
use super::scalar::{
    Bounded, ClaimBound, Count, FairnessKey, Identity, PoolName, Principal, Priority, ProfileName,
    Repository, Weight,
};
use super::{Wire, WireError};
use crate::code::Code;
use crate::reject::{Rejection, ensure};

record! {
    /// How a Work is run.
    WorkerProfile, PolicyInvalid {
        /// The path of the compiled workflow.
        workflow: Identity,
        /// The revision or ref of it.
        git_ref "ref": Identity,
        /// Who runs it; may be left open under authorization `aw` only.
        principal: Option<Principal>,
        /// Only Work of this domain is batched here.
        trust_domain: Identity,
        /// What its credentials reach.
        credential_scope: Identity,
        /// What its effects reach.
        effect_scope: Identity,
        /// How many Claims one Dispatch may have.
        max_claims: ClaimBound,
        /// Whether Claims of different accounts may share a Dispatch.
        share_keys: bool,
        /// The contract of the compiled worker; such a profile is contract-marked, and follows
        /// deployments (section 8.13).
        logical_contract: Option<Digest>,
    }
}

record! {
    /// How often a Work is attempted, and how long it waits in between.
    Retry, PolicyInvalid {
        /// Claims, the first one included.
        max_attempts: Bounded<1, 16>,
        /// Milliseconds.
        backoff_ms: Bounded<1, 3_600_000>,
    }
}

record! {
    /// How long it is tried to find out what became of a launch or a delivery.
    Reconciliation, PolicyInvalid {
        /// Attempts.
        max_attempts: Bounded<1, 64>,
        /// Milliseconds.
        deadline_ms: Bounded<1, 3_600_000>,
    }
}

record! {
    /// A pool: Work that shares capacity and clocks.
    PoolPolicy, PolicyInvalid {
        /// The profile for Work that names none.
        default_profile: ProfileName,
        /// The profiles, at most 256.
        profiles: BTreeMap<ProfileName, WorkerProfile>,
        /// How many Claims may be open.
        logical_limit: Count,
        /// How many Dispatches may be unreleased.
        native_limit: Count,
        /// How many Claims of one account may be open; 0 or absent is no limit.
        per_account_limit: Option<Bounded<0, 4096>>,
        /// The repositories whose resources may be waited for.
        allowed_repositories: Vec<Repository>,
        /// How old an Observation may be, in milliseconds.
        max_observation_age_ms: Bounded<1, 3_600_000>,
        /// Attempts of a Work.
        retry: Retry,
        /// Attempts to find out.
        reconciliation: Reconciliation,
    }
}

record! {
    /// What a producer may submit.
    ProducerRule, PolicyInvalid {
        /// To these pools,
        pools: Vec<PoolName>,
        /// with these priorities,
        priorities: Vec<Priority>,
        /// for these accounts.
        fairness_keys: Vec<FairnessKey>,
    }
}

words! {
    /// What becomes of a backing issue.
    CompletionPolicy {
        /// It is closed when the result is there.
        CloseOnResult = "close-on-result",
    }
}

record! {
    /// Who may show Work as issues.
    ProjectorRule, PolicyInvalid {
        /// Who,
        principal: Principal,
        /// with this workflow
        workflow: Identity,
        /// at this ref,
        git_ref "ref": Identity,
        /// for these pools,
        pools: Vec<PoolName>,
        /// in these repositories,
        repositories: Vec<Repository>,
        /// as these issues.
        backing_issues: Option<Vec<Resource>>,
        /// What becomes of the issue.
        completion_policy: Option<CompletionPolicy>,
    }
}

record! {
    /// Sizes, in bytes where nothing else is said.
    Limits, PolicyInvalid {
        /// The log, for admissions.
        ledger_bytes: Bounded<1, { 64 << 20 }>,
        /// Beyond that, for bringing things to an end.
        recovery_bytes: Bounded<1, { 16 << 20 }>,
        /// A payload.
        payload_bytes: Bounded<1, { 16 << 10 }>,
        /// Nodes of a graph, gates included; a number.
        graph_nodes: Count,
        /// Dependencies of a Work; a number.
        predecessors: Bounded<1, 64>,
        /// Works of a pool that have not ended; a number.
        pending_nodes: Count,
        /// Operations of a commit; a number.
        operations: Bounded<1, 256>,
        /// An Assignment.
        assignment_bytes: Bounded<1, { 48 << 10 }>,
        /// A descriptor of a result.
        result_bytes: Bounded<1, { 4 << 10 }>,
        /// Evidence.
        evidence_bytes: Bounded<1, { 1 << 10 }>,
        /// Observations of one gate in one epoch; a number.
        observation_writes: Count,
    }
}

words! {
    /// Who vouches for the profiles.
    Authorization {
        /// The compiled workflows of the queue repository: no producer rules, one trust domain.
        Aw = "aw",
    }
}

words! {
    /// How the class is chosen (section 6.3).
    Mode {
        /// By weighted stride.
        WeightedPriority = "weighted-priority",
        /// The most urgent one that is eligible.
        StrictPriority = "strict-priority",
    }
}

/// The weights of the five classes, most urgent first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClassWeights(pub [Weight; 5]);

impl Wire for ClassWeights {
    fn read(value: &Value<'_>, code: Code) -> Result<Self, WireError> {
        let weights: Vec<Weight> = Wire::read(value, code)?;
        let weights = weights.try_into();
        weights
            .map(Self)
            .map_err(|_| WireError::expected(code, "exactly five weights", value))
    }

    fn write(&self) -> Value<'_> {
        Value::Array(self.0.iter().map(Wire::write).collect())
    }
}

record! {
    /// Everything that an administrator decides about a queue.
    QueuePolicy, PolicyInvalid {
        /// Who vouches for the profiles.
        authorization: Option<Authorization>,
        /// How the class is chosen.
        mode: Mode,
        /// The shares of the classes.
        class_weights: ClassWeights,
        /// The shares of the accounts, at most 1024; the default account is one, of weight 1.
        accounting_weights: BTreeMap<FairnessKey, Weight>,
        /// What each producer may submit.
        producers: BTreeMap<Principal, ProducerRule>,
        /// Who may show Work as issues, at most 256.
        projectors: Option<Vec<ProjectorRule>>,
        /// The pools, 1 to 64.
        pools: BTreeMap<PoolName, PoolPolicy>,
        /// Sizes.
        limits: Limits,
    }
}

impl QueuePolicy {
    /// True under authorization `aw`.
    #[must_use]
    pub fn is_aw(&self) -> bool {
        self.authorization == Some(Authorization::Aw)
    }

    /// The rules of section 5.7 that span members, and that of section 5.6 on scopes of effects, for
    /// a queue in this repository.
    ///
    /// # Errors
    ///
    /// `policy_invalid`, with the rule that is broken.
    pub fn check(&self, repository: &Repository) -> Result<(), Rejection> {
        let accounts = self.accounting_weights.len();
        ensure!(
            accounts <= 1024,
            PolicyInvalid,
            "{accounts} accounts are more than 1024"
        );
        let default = self.accounting_weights.get("").map(|weight| weight.get());
        ensure!(
            default == Some(1),
            PolicyInvalid,
            "the default account \"\" must have the weight 1"
        );
        let pools = self.pools.len();
        ensure!(
            (1..=64).contains(&pools),
            PolicyInvalid,
            "{pools} pools are not 1 to 64"
        );
        for (name, pool) in &self.pools {
            self.check_pool(pool, repository)
                .map_err(|error| error.of(format!("pool {name}")))?;
        }
        let projectors = self.projectors.as_deref().unwrap_or_default();
        let count = projectors.len();
        ensure!(
            count <= 256,
            PolicyInvalid,
            "{count} projectors are more than 256"
        );
        for rule in projectors {
            let (pools, repositories) = (rule.pools.len(), rule.repositories.len());
            ensure!(
                (1..=256).contains(&pools) && (1..=256).contains(&repositories),
                PolicyInvalid,
                "a projector's {pools} pools and {repositories} repositories must be 1 to 256 each"
            );
        }
        ensure!(
            !self.is_aw() || self.producers.is_empty(),
            PolicyInvalid,
            "under authorization aw there are no rules for producers"
        );
        Ok(())
    }

    fn check_pool(&self, pool: &PoolPolicy, repository: &Repository) -> Result<(), Rejection> {
        let profiles = pool.profiles.len();
        ensure!(
            (1..=256).contains(&profiles),
            PolicyInvalid,
            "{profiles} profiles are not 1 to 256"
        );
        ensure!(
            pool.profiles.contains_key(&pool.default_profile),
            PolicyInvalid,
            "there is no default profile {}",
            pool.default_profile
        );
        for (name, profile) in &pool.profiles {
            self.check_profile(profile, repository)
                .map_err(|error| error.of(format!("profile {name}")))?;
        }
        Ok(())
    }

    fn check_profile(
        &self,
        profile: &WorkerProfile,
        repository: &Repository,
    ) -> Result<(), Rejection> {
        let workflow = profile.workflow.as_str();
        let file = workflow.strip_prefix(".github/workflows/");
        let name = file.and_then(|file| file.strip_suffix(".lock.yml"));
        ensure!(
            name.is_some_and(|name| !name.is_empty()) && !workflow.contains(".."),
            PolicyInvalid,
            "the workflow {workflow} is not .github/workflows/NAME.lock.yml"
        );
        let (operations, claims) = (self.limits.operations.get(), profile.max_claims.get());
        ensure!(
            operations > 2 * claims,
            PolicyInvalid,
            "{operations} operations are fewer than the {} that ending {claims} Claims can take",
            2 * claims + 1
        );
        if !self.is_aw() {
            ensure!(
                profile.principal.is_some(),
                PolicyInvalid,
                "the principal may be left open under authorization aw only"
            );
            return Ok(());
        }
        ensure!(
            profile.trust_domain.as_str() == "default"
                && profile.credential_scope.as_str() == "repository",
            PolicyInvalid,
            "under authorization aw the trust domain is default and the credential scope repository"
        );
        ensure!(
            profile.effect_scope.as_str() == repository.as_str(),
            PolicyInvalid,
            "under authorization aw the effect scope {} must be the queue repository {repository}",
            profile.effect_scope
        );
        Ok(())
    }
}
