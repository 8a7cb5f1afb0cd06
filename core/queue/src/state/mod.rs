//! What a log means: the state after its last commit.
//!
//! A [`State`] is a value that commits are applied to, in place: what a commit costs is what it
//! touches, however long the history is. One that turns out to be wrong half-way is undone, and leaves
//! the state as it was; so is one that is only tried. Sums and ordered indexes (free capacity, the reserve of the byte envelope, Works
//! in the order in which they came) are kept along with the records that they sum up; nothing is
//! ever counted anew.

pub mod records;
mod table;

use std::sync::Arc;

use plumb_canonical::Digest;

use crate::identity::GrantIds;
use crate::schedule::contest::{Clocks, Rules};
use crate::wire::policy::{PoolPolicy, QueuePolicy, WorkerProfile};
use crate::wire::scalar::{
    ClaimHandle, ClaimId, CommitId, Decimal, DispatchId, Epoch, FairnessKey, Generation, GraphId,
    ObservationId, PoolName, Priority, ProfileName, Repository, RequestId, Timestamp, WorkId,
};
use crate::wire::{GateKey, Identity};
use table::{OrderedTable, Table};

use records::{
    Barrier, ClaimRecord, DeploymentRecord, DispatchRecord, GateRecord, GraphRecord, Position,
    Receipt, WorkRecord, WorkState,
};

/// Where an available Work waits: by pool, class, account, and age.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Slot {
    pub(crate) pool: PoolName,
    pub(crate) priority: Priority,
    pub(crate) key: FairnessKey,
    pub(crate) position: Position,
}

/// The installed policy, and what follows from it.
#[derive(Debug)]
pub struct Installed {
    /// Its epoch.
    pub epoch: Epoch,
    /// The policy.
    pub policy: QueuePolicy,
    /// Its profiles, shared with the Dispatches that froze them.
    pub(crate) profiles: std::collections::BTreeMap<(PoolName, ProfileName), Arc<WorkerProfile>>,
    pub(crate) rules: Rules,
}

impl Installed {
    pub(crate) fn new(epoch: Epoch, policy: QueuePolicy) -> Self {
        let profiles = policy.pools.iter().flat_map(|(pool, settings)| {
            let profiles = settings.profiles.iter();
            profiles
                .map(|(name, profile)| ((pool.clone(), name.clone()), Arc::new(profile.clone())))
        });
        Self {
            epoch,
            profiles: profiles.collect(),
            rules: Rules::new(&policy),
            policy,
        }
    }

    /// The settings of a pool.
    #[must_use]
    pub fn pool(&self, pool: &PoolName) -> Option<&PoolPolicy> {
        self.policy.pools.get(pool)
    }
}

/// Running sums.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    /// Bytes of the canonical lines, newlines included.
    pub ledger: u64,
    /// Bytes that must stay free to bring everything to an end (section 9).
    pub reserve: u64,
    /// Works that have not ended, or whose delivery is open.
    pub pending: u64,
    /// Dispatches that hold a native slot.
    pub unreleased: u64,
    /// Claims ever granted.
    pub claims: u64,
}

/// The state after a commit. [`State::default`] is the state before the first.
#[derive(Clone, Debug, Default)]
pub struct State {
    pub(crate) repository: Option<Repository>,
    pub(crate) tip: Option<CommitId>,
    /// How many commits there were.
    pub(crate) ordinal: u64,
    pub(crate) last_at: Timestamp,
    pub(crate) installed: Option<Arc<Installed>>,
    pub(crate) seen_epochs: Table<Epoch, ()>,
    pub(crate) generation: Option<Generation>,
    pub(crate) seen_generations: Table<Generation, ()>,
    pub(crate) admission_paused: bool,
    pub(crate) grants_paused: bool,
    pub(crate) totals: Totals,

    pub(crate) commits: Table<CommitId, ()>,
    pub(crate) receipts: Table<RequestId, Arc<Receipt>>,
    pub(crate) history: OrderedTable<u64, RequestId>,

    pub(crate) works: Table<WorkId, Arc<WorkRecord>>,
    pub(crate) graphs: Table<GraphId, Arc<GraphRecord>>,
    pub(crate) claims: Table<ClaimId, Arc<ClaimRecord>>,
    pub(crate) dispatches: Table<DispatchId, Arc<DispatchRecord>>,
    pub(crate) runs: Table<Decimal, DispatchId>,
    pub(crate) deployments: Table<(PoolName, ProfileName), Arc<DeploymentRecord>>,
    pub(crate) gates: Table<GateKey, Arc<GateRecord>>,
    pub(crate) observations: Table<ObservationId, Digest>,
    pub(crate) clocks: Table<PoolName, Arc<Clocks>>,
    pub(crate) comments: Table<(WorkId, Decimal), ()>,

    // Indexes.
    pub(crate) available: OrderedTable<Slot, WorkId>,
    pub(crate) pool_pending: Table<PoolName, u64>,
    pub(crate) pool_claims: Table<PoolName, u64>,
    pub(crate) account_claims: Table<(PoolName, FairnessKey), u64>,
    pub(crate) pool_native: Table<PoolName, u64>,

    /// What was true when a commit was begun that has not ended.
    pub(crate) before: Option<Box<Before>>,
}

/// What a commit can change beside tables.
#[derive(Clone, Debug)]
pub(crate) struct Before {
    repository: Option<Repository>,
    tip: Option<CommitId>,
    ordinal: u64,
    last_at: Timestamp,
    installed: Option<Arc<Installed>>,
    generation: Option<Generation>,
    admission_paused: bool,
    grants_paused: bool,
    totals: Totals,
}

/// Commits that are begun and undone.
impl State {
    /// Begins a commit.
    pub(crate) fn begin(&mut self) {
        self.before = Some(Box::new(Before {
            repository: self.repository.clone(),
            tip: self.tip.clone(),
            ordinal: self.ordinal,
            last_at: self.last_at,
            installed: self.installed.clone(),
            generation: self.generation.clone(),
            admission_paused: self.admission_paused,
            grants_paused: self.grants_paused,
            totals: self.totals,
        }));
        self.seen_epochs.begin();
        self.seen_generations.begin();
        self.commits.begin();
        self.receipts.begin();
        self.history.begin();
        self.works.begin();
        self.graphs.begin();
        self.claims.begin();
        self.dispatches.begin();
        self.runs.begin();
        self.deployments.begin();
        self.gates.begin();
        self.observations.begin();
        self.clocks.begin();
        self.comments.begin();
        self.available.begin();
        self.pool_pending.begin();
        self.pool_claims.begin();
        self.account_claims.begin();
        self.pool_native.begin();
    }

    /// Ends it; its changes are kept or undone.
    pub(crate) fn end(&mut self, keep: bool) {
        self.seen_epochs.end(keep);
        self.seen_generations.end(keep);
        self.commits.end(keep);
        self.receipts.end(keep);
        self.history.end(keep);
        self.works.end(keep);
        self.graphs.end(keep);
        self.claims.end(keep);
        self.dispatches.end(keep);
        self.runs.end(keep);
        self.deployments.end(keep);
        self.gates.end(keep);
        self.observations.end(keep);
        self.clocks.end(keep);
        self.comments.end(keep);
        self.available.end(keep);
        self.pool_pending.end(keep);
        self.pool_claims.end(keep);
        self.account_claims.end(keep);
        self.pool_native.end(keep);
        let Some(before) = self.before.take().filter(|_| !keep) else {
            return;
        };
        self.repository = before.repository;
        self.tip = before.tip;
        self.ordinal = before.ordinal;
        self.last_at = before.last_at;
        self.installed = before.installed;
        self.generation = before.generation;
        self.admission_paused = before.admission_paused;
        self.grants_paused = before.grants_paused;
        self.totals = before.totals;
    }
}

impl State {
    /// The last commit; none before the first.
    #[must_use]
    pub fn tip(&self) -> Option<&CommitId> {
        self.tip.as_ref()
    }

    /// How many commits there were, those before a checkpoint included.
    #[must_use]
    pub fn ordinal(&self) -> u64 {
        self.ordinal
    }

    /// The time of the last commit.
    #[must_use]
    pub fn last_at(&self) -> Timestamp {
        self.last_at
    }

    /// The installed policy; none before the first commit.
    #[must_use]
    pub fn installed(&self) -> Option<&Installed> {
        self.installed.as_deref()
    }

    /// The queue repository.
    #[must_use]
    pub fn repository(&self) -> Option<&Repository> {
        self.repository.as_ref()
    }

    /// The generation of credentials with which Observations must be made.
    #[must_use]
    pub fn generation(&self) -> Option<&Generation> {
        self.generation.as_ref()
    }

    /// Whether new Work is refused.
    #[must_use]
    pub fn admission_paused(&self) -> bool {
        self.admission_paused
    }

    /// Whether Claims and launches are refused.
    #[must_use]
    pub fn grants_paused(&self) -> bool {
        self.grants_paused
    }

    /// Running sums.
    #[must_use]
    pub fn totals(&self) -> Totals {
        self.totals
    }

    /// A Work.
    #[must_use]
    pub fn work(&self, id: &WorkId) -> Option<&WorkRecord> {
        self.works.get(id).map(Arc::as_ref)
    }

    /// All Works, in no order.
    pub fn works(&self) -> impl Iterator<Item = (&WorkId, &WorkRecord)> {
        self.works.iter().map(|(id, work)| (id, work.as_ref()))
    }

    /// A Claim.
    #[must_use]
    pub fn claim(&self, id: &ClaimId) -> Option<&ClaimRecord> {
        self.claims.get(id).map(Arc::as_ref)
    }

    /// A Dispatch.
    #[must_use]
    pub fn dispatch(&self, id: &DispatchId) -> Option<&DispatchRecord> {
        self.dispatches.get(id).map(Arc::as_ref)
    }

    /// All Dispatches, in no order.
    pub fn dispatches(&self) -> impl Iterator<Item = (&DispatchId, &DispatchRecord)> {
        self.dispatches
            .iter()
            .map(|(id, dispatch)| (id, dispatch.as_ref()))
    }

    /// What is remembered of a request.
    #[must_use]
    pub fn receipt(&self, request: &RequestId) -> Option<&Receipt> {
        self.receipts.get(request).map(Arc::as_ref)
    }

    /// The Claims that a request was answered with, in the order of their grants.
    pub fn claims_of(&self, request: &RequestId) -> impl Iterator<Item = &ClaimRecord> {
        let ids = GrantIds::new(request);
        let count = self
            .receipt(request)
            .map_or(0, |receipt| receipt.claim_explanations.len());
        (1..=count).filter_map(move |position| self.claim(&ids.claim(position)))
    }

    /// The last thing seen of a gate.
    #[must_use]
    pub fn gate(&self, gate: &GateKey) -> Option<&GateRecord> {
        self.gates.get(gate).map(Arc::as_ref)
    }

    /// The clocks of a pool; those at zero if it never granted anything.
    #[must_use]
    pub fn clocks(&self, pool: &PoolName) -> Clocks {
        self.clocks
            .get(pool)
            .map(|clocks| Clocks::clone(clocks))
            .unwrap_or_default()
    }

    /// How many Claims of a pool are open.
    #[must_use]
    pub fn open_claims(&self, pool: &PoolName) -> u64 {
        self.pool_claims.get(pool).copied().unwrap_or_default()
    }

    /// How many Claims of an account are open in a pool.
    #[must_use]
    pub fn account_open_claims(&self, pool: &PoolName, key: &FairnessKey) -> u64 {
        let account = (pool.clone(), key.clone());
        self.account_claims
            .get(&account)
            .copied()
            .unwrap_or_default()
    }

    /// How many Dispatches of a pool hold a native slot.
    #[must_use]
    pub fn native_reservations(&self, pool: &PoolName) -> u64 {
        self.pool_native.get(pool).copied().unwrap_or_default()
    }

    /// How many Works of a pool have not ended, or have their delivery open.
    #[must_use]
    pub fn pending(&self, pool: &PoolName) -> u64 {
        self.pool_pending.get(pool).copied().unwrap_or_default()
    }

    /// True if nothing is under way, which a new policy demands (section 5.2).
    #[must_use]
    pub fn is_quiescent(&self) -> bool {
        self.totals.pending == 0 && self.totals.unreleased == 0
    }

    /// The available Works of a pool, by class, account, and age.
    pub(crate) fn available(&self, pool: &PoolName) -> impl Iterator<Item = (&Slot, &WorkId)> {
        // Slots of the pool are those from its least one on, while they are of the pool.
        let least = Slot {
            pool: pool.clone(),
            priority: LEAST_PRIORITY,
            key: FairnessKey::default_account(),
            position: Position::default(),
        };
        let pool = pool.clone();
        self.available
            .range(least..)
            .take_while(move |(slot, _)| slot.pool == pool)
    }

    /// The Claim of a Dispatch with this handle.
    pub(crate) fn claim_of(
        &self,
        dispatch: &DispatchRecord,
        handle: ClaimHandle,
    ) -> Option<(ClaimId, &Arc<ClaimRecord>)> {
        let id = dispatch.claims.get(handle.position() - 1)?;
        self.claims.get(id).map(|claim| (id.clone(), claim))
    }

    /// The profile that a pool's name stands for in the installed policy.
    pub(crate) fn profile(
        &self,
        pool: &PoolName,
        name: &ProfileName,
    ) -> Option<&Arc<WorkerProfile>> {
        self.installed
            .as_ref()?
            .profiles
            .get(&(pool.clone(), name.clone()))
    }

    /// Puts a Work in, or in the place of what it was, and keeps the sums.
    pub(crate) fn put_work(&mut self, id: &WorkId, work: WorkRecord) {
        let old = self.works.get(id).cloned();
        if let Some(old) = &old {
            self.count_work(old, -1);
        }
        self.count_work(&work, 1);
        let slot = |work: &WorkRecord| Slot {
            pool: work.work.pool.clone(),
            priority: work.priority,
            key: work.work.fairness_key.clone(),
            position: work.position,
        };
        let is_available = |work: &WorkRecord| matches!(work.state, WorkState::Available);
        if let Some(old) = old.filter(|old| is_available(old)) {
            self.available.remove(&slot(&old));
        }
        if is_available(&work) {
            self.available.insert(slot(&work), id.clone());
        }
        self.works.insert(id.clone(), Arc::new(work));
    }

    fn count_work(&mut self, work: &WorkRecord, sign: i64) {
        self.totals.reserve = add(self.totals.reserve, sign, self.work_reserve(work));
        let pool = &work.work.pool;
        if work.is_pending() {
            self.totals.pending = add(self.totals.pending, sign, 1);
            count(&mut self.pool_pending, pool.clone(), sign);
        }
        if matches!(work.state, WorkState::Claimed { .. }) {
            count(&mut self.pool_claims, pool.clone(), sign);
            let account = (pool.clone(), work.work.fairness_key.clone());
            count(&mut self.account_claims, account, sign);
        }
    }

    /// Puts a Dispatch in, or in the place of what it was, and keeps the sums.
    pub(crate) fn put_dispatch(&mut self, id: &DispatchId, dispatch: DispatchRecord) {
        if let Some(old) = self.dispatches.get(id).cloned() {
            self.count_dispatch(&old, -1);
        }
        self.count_dispatch(&dispatch, 1);
        self.dispatches.insert(id.clone(), Arc::new(dispatch));
    }

    fn count_dispatch(&mut self, dispatch: &DispatchRecord, sign: i64) {
        if dispatch.release.is_some() {
            return;
        }
        self.totals.reserve = add(self.totals.reserve, sign, self.dispatch_reserve(dispatch));
        self.totals.unreleased = add(self.totals.unreleased, sign, 1);
        count(&mut self.pool_native, dispatch.pool.clone(), sign);
    }

    /// What must stay free to bring a Work to an end (section 9).
    pub(crate) fn work_reserve(&self, work: &WorkRecord) -> u64 {
        let Some(installed) = &self.installed else {
            return 0;
        };
        let Some(pool) = installed.pool(&work.work.pool) else {
            return 0;
        };
        let limits = &installed.policy.limits;
        let (result, evidence) = (limits.result_bytes.get(), limits.evidence_bytes.get());
        let finish = 2 * result + 2 * evidence + 8192;
        let attempts = pool.retry.max_attempts.get().saturating_sub(work.attempts);
        let retries = attempts * (4 * evidence + 8192);
        match &work.state {
            WorkState::Available => retries + finish,
            WorkState::Claimed { .. } => retries + finish + 8192,
            WorkState::Completed {
                barrier: Barrier::Pending,
                ..
            } => finish,
            WorkState::Completed { .. } | WorkState::Cancelled { .. } => 0,
        }
    }

    /// What must stay free to give a native slot back (section 9).
    pub(crate) fn dispatch_reserve(&self, dispatch: &DispatchRecord) -> u64 {
        let Some(installed) = &self.installed else {
            return 0;
        };
        let Some(pool) = installed.pool(&dispatch.pool) else {
            return 0;
        };
        let evidence = installed.policy.limits.evidence_bytes.get();
        let writes = (pool.reconciliation.max_attempts.get() + 4).saturating_sub(dispatch.writes);
        writes * (2 * evidence + 12_288) + 2 * evidence + 8192
    }

    /// The workflow, ref and contract that a Work would run under now, or why there is none.
    pub(crate) fn deployment(
        &self,
        pool: &PoolName,
        profile: &ProfileName,
    ) -> Option<&DeploymentRecord> {
        self.deployments
            .get(&(pool.clone(), profile.clone()))
            .map(Arc::as_ref)
    }

    /// The revisions of a deployment are known by their refs.
    pub(crate) fn revision<'s>(
        deployment: &'s DeploymentRecord,
        git_ref: &str,
    ) -> Option<&'s records::Revision> {
        let is_it = |revision: &&records::Revision| revision.profile.git_ref.as_str() == git_ref;
        deployment.revisions.iter().find(is_it)
    }

    /// The current ref of a deployment.
    #[must_use]
    pub fn current_ref(&self, pool: &PoolName, profile: &ProfileName) -> Option<&Identity> {
        self.deployment(pool, profile)
            .map(|deployment| &deployment.current)
    }
}

/// The most urgent class, which sorts first.
const LEAST_PRIORITY: Priority = match Priority::new(1) {
    Some(priority) => priority,
    // 1 is a priority.
    None => unreachable!(),
};

/// Sums never fall below what was added to them.
fn add(sum: u64, sign: i64, amount: u64) -> u64 {
    if sign < 0 {
        sum.saturating_sub(amount)
    } else {
        sum.saturating_add(amount)
    }
}

fn count<K: Clone + std::hash::Hash + Eq>(counts: &mut Table<K, u64>, key: K, sign: i64) {
    match add(counts.get(&key).copied().unwrap_or_default(), sign, 1) {
        0 => {
            counts.remove(&key);
        }
        count => counts.insert(key, count),
    }
}
