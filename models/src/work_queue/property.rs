//! The nineteen conjuncts of `Safety`, the four witnesses, the three step properties, the bound.
//!
//! Shared design, models/work-queue.md, sections 4.5 and 5. Every invariant is one over each
//! component with the shared part; one that looks at the shared part alone holds for all others.

use plumb_checker::{Constraint, Invariant, StepProperty};
use stateright::Property;

use super::WorkQueue;
use super::fact::{Fact, FactSet, Intent};
use super::sequence::Sequence;
use super::state::{Part, Proposal, Shared, State, WorkerState};
use super::vocabulary::{
    DispatcherPhase, Kind, Maintenance, MaintenancePhase, Work, WorkStatus, Worker, WorkerPhase,
};

/// An invariant, for this checker and for stateright's, which knows only predicates over whole
/// states.
type Guarantee = (Invariant<WorkQueue>, Property<WorkQueue>);

/// An invariant over each component, in both forms.
macro_rules! guarantee {
    ($name:literal, $meaning:literal, $holds:path) => {
        (
            Invariant::component($name, $meaning, $holds),
            Property::always($name, |model: &WorkQueue, state: &State| {
                (0..model.constants.parts()).all(|component| $holds(model, state, component))
            }),
        )
    };
}

/// What the model guarantees.
pub(super) fn guarantees() -> Vec<Guarantee> {
    vec![
        guarantee!(
            "TypeOK",
            "versions are natural numbers, and nobody has retried more often than allowed",
            type_ok
        ),
        guarantee!(
            "ValidLog",
            "what a fact of the log is about is in the log too, each work is ended at most once, \
             and a completed one by its first active Claim",
            valid_log
        ),
        guarantee!(
            "SnapshotValidity",
            "a prepared log that is not out of date keeps every fact and is valid; a compacted one \
             adds none",
            snapshot_validity
        ),
        guarantee!(
            "SnapshotVersions",
            "nobody has seen a version of the log that is still to come",
            snapshot_versions
        ),
        guarantee!(
            "ActivationSnapshotValidity",
            "a worker was activated only when its Claim was the winner",
            activation_snapshot_validity
        ),
        guarantee!(
            "Serialization",
            "what a dispatcher has written down is what its agent has staged",
            serialization
        ),
        guarantee!(
            "CandidateDerivation",
            "every prepared log follows from the log that it was made from",
            candidate_derivation
        ),
        guarantee!(
            "TerminalHistoryValid",
            "what is kept of an ended work are facts about it, one of which ends it",
            terminal_history_valid
        ),
        guarantee!(
            "TerminalPersistence",
            "the fact that ended a work stays in the log",
            terminal_persistence
        ),
        guarantee!(
            "TerminalFreeze",
            "the facts about an ended work are those from when it ended",
            terminal_freeze
        ),
        guarantee!(
            "SingleCompletionPerWorker",
            "no worker has more than one Completion",
            single_completion_per_worker
        ),
        guarantee!(
            "SingleEffectiveClaim",
            "no work has more than one active Claim that is its winner",
            single_effective_claim
        ),
        guarantee!(
            "AuthorizationSoundness",
            "every verified Completion is in the log",
            authorization_soundness
        ),
        guarantee!(
            "EffectSoundness",
            "every Completion that had its effect was verified",
            effect_soundness
        ),
        guarantee!(
            "WorkerOrigin",
            "a worker publishes its own Completion, if it has finished, or the cancellation of its \
             own Claim; a committed one has finished, and its Completion is in the log and not \
             verified yet",
            worker_origin
        ),
        guarantee!(
            "FinishRequired",
            "a worker whose Completion was verified has finished",
            finish_required
        ),
        guarantee!(
            "LifecycleAccounting",
            "each worker's Completion is verified at most once and has its effect at most once, \
             not before it is verified; and the worker's phase says so",
            lifecycle_accounting
        ),
        guarantee!(
            "SingleAuthorization",
            "at most one Completion is verified for each work",
            single_authorization
        ),
        guarantee!(
            "SingleEffect",
            "each work has at most one effect",
            single_effect
        ),
    ]
}

/// The conjunction of all guarantees.
pub(super) fn safety() -> Invariant<WorkQueue> {
    Invariant::all(
        "Safety",
        "all nineteen guarantees",
        &[
            "TypeOK",
            "ValidLog",
            "SnapshotValidity",
            "SnapshotVersions",
            "ActivationSnapshotValidity",
            "Serialization",
            "CandidateDerivation",
            "TerminalHistoryValid",
            "TerminalPersistence",
            "TerminalFreeze",
            "SingleCompletionPerWorker",
            "SingleEffectiveClaim",
            "AuthorizationSoundness",
            "EffectSoundness",
            "WorkerOrigin",
            "FinishRequired",
            "LifecycleAccounting",
            "SingleAuthorization",
            "SingleEffect",
        ],
    )
}

/// Claims of unreachability that must be violated.
pub(super) fn witnesses() -> Vec<Invariant<WorkQueue>> {
    vec![
        Invariant::component(
            "NoCompetingClaims",
            "denied, to be reached: two Claims on one work are in the log",
            no_competing_claims,
        ),
        Invariant::component(
            "NoRecoveredOrphan",
            "denied, to be reached: recovery has given up the Claim of an ended run",
            no_recovered_orphan,
        ),
        Invariant::component(
            "NoExternalEffect",
            "denied, to be reached: a Completion has had its effect",
            no_external_effect,
        ),
        Invariant::component(
            "NoOutOfOrderClaim",
            "denied, to be reached: in the log a work is claimed and an older one waits",
            no_out_of_order_claim,
        ),
    ]
}

/// What must hold of every step.
pub(super) fn step_properties() -> Vec<StepProperty<WorkQueue>> {
    vec![
        StepProperty::component(
            "WorkerOneShot",
            "a worker that is done, stopped or failed stays so",
            worker_one_shot,
        ),
        StepProperty::component(
            "QueueSelection",
            "a Claim is staged only on the oldest work that waits, as the dispatcher sees it",
            queue_selection,
        ),
        StepProperty::component(
            "WorkResubmissionNoOp",
            "a work that is there is submitted again without any difference",
            work_resubmission_no_op,
        ),
    ]
}

/// What is searched on from.
pub(super) fn constraints() -> Vec<Constraint<WorkQueue>> {
    vec![Constraint::shared(
        "Bound",
        "the log's version is at most MaxHead, and its length at most MaxLog",
        |model, state: &State| {
            let Shared { log, head, .. } = &state.shared;
            *head <= model.constants.max_head && log.len() as i64 <= model.constants.max_log
        },
    )]
}

impl WorkQueue {
    /// What a component proposes, and whether that is prepared; the shared part proposes nothing.
    fn proposal<'a>(&self, state: &'a State, component: usize) -> Option<(&'a Proposal, bool)> {
        match self.constants.part(component) {
            Part::Shared => None,
            Part::Dispatcher(id) => {
                let dispatcher = state.dispatcher(id);
                let prepared = dispatcher.phase == DispatcherPhase::Prepared;
                Some((&dispatcher.proposal, prepared))
            }
            Part::Worker(id) => {
                let worker = state.worker(id);
                Some((&worker.proposal, worker.phase == WorkerPhase::Prepared))
            }
            Part::Maintenance(kind) => {
                let maintenance = state.maintenance(kind);
                let prepared = maintenance.phase == MaintenancePhase::Prepared;
                Some((&maintenance.proposal, prepared))
            }
        }
    }

    /// Whether a predicate holds for the component, if it is a worker.
    fn if_worker(
        &self,
        state: &State,
        component: usize,
        holds: impl FnOnce(Worker, &WorkerState) -> bool,
    ) -> bool {
        match self.constants.part(component) {
            Part::Worker(id) => holds(id, state.worker(id)),
            Part::Shared | Part::Dispatcher(_) | Part::Maintenance(_) => true,
        }
    }

    /// Whether a predicate holds for each work, what is kept of it, and the facts of the log; it is
    /// asked of the shared part.
    fn for_histories(
        &self,
        state: &State,
        component: usize,
        holds: impl Fn(Work, FactSet, FactSet) -> bool,
    ) -> bool {
        if component != 0 {
            return true;
        }
        let facts = state.shared.log.facts();
        let works = self.constants.all_works();
        let mut histories = works.zip(&state.shared.terminal_history);
        histories.all(|(work, history)| holds(work, *history, facts))
    }
}

/// All but the signs of numbers, and how great retries are, is so by the Rust types.
fn type_ok(model: &WorkQueue, state: &State, component: usize) -> bool {
    let seen = match model.constants.part(component) {
        Part::Shared => state.shared.head,
        Part::Worker(id) => state.worker(id).activation.head,
        Part::Dispatcher(_) | Part::Maintenance(_) => 0,
    };
    let retries = 0..=model.constants.retry_limit;
    let proposal = model.proposal(state, component);
    seen >= 0
        && proposal
            .is_none_or(|(proposal, _)| proposal.base >= 0 && retries.contains(&proposal.retries))
}

fn valid_log(model: &WorkQueue, state: &State, component: usize) -> bool {
    component != 0 || model.constants.is_valid(state.shared.log.facts())
}

fn snapshot_validity(model: &WorkQueue, state: &State, component: usize) -> bool {
    let Shared { log, head, .. } = &state.shared;
    let Some((proposal, true)) = model.proposal(state, component) else {
        return true;
    };
    if proposal.base != *head {
        return true;
    }
    let (facts, candidate) = (log.facts(), proposal.candidate.facts());
    let fits = match model.constants.part(component) {
        Part::Maintenance(Maintenance::Compact) => candidate == facts,
        _ => facts.is_subset(candidate) && model.constants.is_valid(candidate),
    };
    proposal.source == *log && fits
}

fn snapshot_versions(model: &WorkQueue, state: &State, component: usize) -> bool {
    let head = state.shared.head;
    let proposal = model.proposal(state, component);
    proposal.is_none_or(|(proposal, _)| proposal.base <= head)
        && model.if_worker(state, component, |_, worker| {
            !worker.activation.ready || worker.activation.head <= head
        })
}

fn activation_snapshot_validity(model: &WorkQueue, state: &State, component: usize) -> bool {
    model.if_worker(state, component, |_, worker| {
        !worker.activation.ready || worker.activation.admitted
    })
}

/// True by construction: a state has the batch once, for both.
fn serialization(_: &WorkQueue, _: &State, _: usize) -> bool {
    true
}

fn candidate_derivation(model: &WorkQueue, state: &State, component: usize) -> bool {
    let Some((proposal, true)) = model.proposal(state, component) else {
        return true;
    };
    let source = &proposal.source;
    let derived = match model.constants.part(component) {
        Part::Shared => return true,
        Part::Dispatcher(id) => {
            let batch = &state.dispatcher(id).local;
            model.constants.append_batch(source, batch)
        }
        Part::Worker(id) => model.with_outcome(source, id, state.worker(id).finish),
        Part::Maintenance(kind) => {
            let observed = state.maintenance(kind).observed_runs;
            model.maintained(source, kind, observed)
        }
    };
    proposal.candidate == derived
}

fn terminal_history_valid(model: &WorkQueue, state: &State, component: usize) -> bool {
    model.for_histories(state, component, |work, history, _| {
        history.is_empty()
            || model.constants.is_terminal(history, work)
                && history.is_subset(model.constants.about(work))
    })
}

fn terminal_persistence(model: &WorkQueue, state: &State, component: usize) -> bool {
    model.for_histories(state, component, |work, history, facts| {
        let ends = model.constants.terminal_of(work);
        history.intersection(ends).is_subset(facts)
    })
}

fn terminal_freeze(model: &WorkQueue, state: &State, component: usize) -> bool {
    model.for_histories(state, component, |work, history, facts| {
        history.is_empty() || history == facts.intersection(model.constants.about(work))
    })
}

/// True by construction: there is one Completion for each worker, and facts form a set.
fn single_completion_per_worker(model: &WorkQueue, state: &State, component: usize) -> bool {
    model.if_worker(state, component, |id, _| {
        let facts = state.shared.log.facts();
        let of_worker = |fact: &Fact| model.constants.describe(*fact).attempt == Some(id);
        facts.iter().filter(of_worker).count() <= 1
    })
}

/// True by construction: a work has one winner at most.
fn single_effective_claim(model: &WorkQueue, state: &State, component: usize) -> bool {
    let facts = state.shared.log.facts();
    let mut works = model.constants.all_works();
    component != 0
        || works.all(|work| {
            let winner = model.constants.winner(facts, work);
            let claim = winner.map(|claim| model.constants.claim(claim));
            let active = model.constants.active(facts, work);
            active.iter().filter(|fact| Some(*fact) == claim).count() <= 1
        })
}

fn authorization_soundness(_: &WorkQueue, state: &State, component: usize) -> bool {
    let Shared {
        log,
        authorizations,
        ..
    } = &state.shared;
    component != 0 || authorizations.facts().is_subset(log.facts())
}

fn effect_soundness(_: &WorkQueue, state: &State, component: usize) -> bool {
    let Shared {
        authorizations,
        effects,
        ..
    } = &state.shared;
    component != 0 || effects.facts().is_subset(authorizations.facts())
}

fn worker_origin(model: &WorkQueue, state: &State, component: usize) -> bool {
    let Shared {
        log,
        head,
        authorizations,
        ..
    } = &state.shared;
    model.if_worker(state, component, |id, worker| {
        let completion = model.constants.completion(id);
        match worker.phase {
            WorkerPhase::Prepared if worker.proposal.base == *head => {
                let claim = model.constants.inbound(id);
                let cancellation = model.constants.claim_cancellation(claim);
                let own = FactSet::from_iter([completion, cancellation]);
                let added = worker.proposal.candidate.facts().minus(log.facts());
                added.is_subset(own) && (worker.finish || !added.contains(completion))
            }
            WorkerPhase::Committed => {
                worker.finish && log.contains(completion) && !authorizations.contains(completion)
            }
            _ => true,
        }
    })
}

fn finish_required(model: &WorkQueue, state: &State, component: usize) -> bool {
    model.if_worker(state, component, |id, worker| {
        let completion = model.constants.completion(id);
        worker.finish || !state.shared.authorizations.contains(completion)
    })
}

fn lifecycle_accounting(model: &WorkQueue, state: &State, component: usize) -> bool {
    model.if_worker(state, component, |id, worker| {
        let completion = model.constants.completion(id);
        let verified = state.shared.authorizations.count(completion);
        let effects = state.shared.effects.count(completion);
        let phase = worker.phase;
        let has_ended = matches!(phase, WorkerPhase::Done | WorkerPhase::Failed);
        verified <= 1
            && effects <= verified
            && (verified != 1 || has_ended || phase == WorkerPhase::Authorized)
            && (effects != 1 || has_ended)
            && (phase != WorkerPhase::Authorized || verified == 1 && effects == 0)
            && (phase != WorkerPhase::Done || effects == 1)
    })
}

/// Whether there is at most one Completion for each work, the same one twice not allowed.
fn one_for_each_work(model: &WorkQueue, completions: &Sequence<Fact>) -> bool {
    let mut works = model.constants.all_works();
    works.all(|work| {
        let of_work = |fact: &Fact| model.constants.describe(*fact).work == work;
        completions.iter().filter(of_work).count() <= 1
    })
}

fn single_authorization(model: &WorkQueue, state: &State, component: usize) -> bool {
    component != 0 || one_for_each_work(model, &state.shared.authorizations)
}

fn single_effect(model: &WorkQueue, state: &State, component: usize) -> bool {
    component != 0 || one_for_each_work(model, &state.shared.effects)
}

fn no_competing_claims(model: &WorkQueue, state: &State, component: usize) -> bool {
    let facts = state.shared.log.facts();
    let claims = |work| facts.intersection(model.constants.claims_on(work));
    let mut works = model.constants.all_works();
    component != 0 || works.all(|work| claims(work).len() < 2)
}

fn no_recovered_orphan(model: &WorkQueue, state: &State, component: usize) -> bool {
    if model.constants.part(component) != Part::Maintenance(Maintenance::Recovery) {
        return true;
    }
    let recovery = &state.recovery;
    let proposal = &recovery.proposal;
    let added = proposal.candidate.facts().minus(proposal.source.facts());
    let published = added.intersection(state.shared.log.facts());
    let mut cancellations = recovery
        .observed_runs
        .iter()
        .map(|claim| model.constants.claim_cancellation(claim));
    recovery.phase != MaintenancePhase::Done
        || !cancellations.any(|cancellation| published.contains(cancellation))
}

fn no_external_effect(_: &WorkQueue, state: &State, component: usize) -> bool {
    component != 0 || state.shared.effects.is_empty()
}

fn no_out_of_order_claim(model: &WorkQueue, state: &State, component: usize) -> bool {
    let constants = &model.constants;
    let facts = state.shared.log.facts();
    let waits = |work: &Work| constants.work_status(facts, *work) == WorkStatus::Available;
    let in_order = |fact: Fact| {
        let claimed = constants.describe(fact);
        let mut waiting = constants.all_works().filter(waits);
        claimed.kind != Kind::Claim || waiting.all(|work| claimed.work <= work)
    };
    component != 0 || facts.iter().all(in_order)
}

fn worker_one_shot(model: &WorkQueue, before: &State, after: &State, component: usize) -> bool {
    model.if_worker(before, component, |id, worker| {
        !worker.phase.is_final() || after.worker(id).phase == worker.phase
    })
}

/// What a dispatcher staged in a step.
struct Staged {
    intent: Intent,
    /// The facts of the log with the batch before.
    before: FactSet,
    /// The facts of the log with the batch after.
    after: FactSet,
}

impl Staged {
    /// Nothing, if the component is no dispatcher or its batch is no longer than before.
    fn of(model: &WorkQueue, before: &State, after: &State, component: usize) -> Option<Self> {
        let Part::Dispatcher(id) = model.constants.part(component) else {
            return None;
        };
        let (old, new) = (&before.dispatcher(id).local, &after.dispatcher(id).local);
        let intent = new.last().filter(|_| new.len() > old.len())?;
        Some(Self {
            intent,
            before: model.constants.view(&before.shared.log, old),
            after: model.constants.view(&after.shared.log, new),
        })
    }
}

fn queue_selection(model: &WorkQueue, before: &State, after: &State, component: usize) -> bool {
    let constants = &model.constants;
    Staged::of(model, before, after, component).is_none_or(|staged| {
        let claim = constants.claimed(staged.intent);
        claim.is_none_or(|claim| Some(constants.work_of(claim)) == constants.oldest(staged.before))
    })
}

fn work_resubmission_no_op(
    model: &WorkQueue,
    before: &State,
    after: &State,
    component: usize,
) -> bool {
    let constants = &model.constants;
    Staged::of(model, before, after, component).is_none_or(|staged| {
        let resubmitted = constants.resubmitted(staged.intent);
        let is_there = |work| staged.before.contains(constants.work(work));
        !resubmitted.is_some_and(is_there) || staged.after == staged.before
    })
}
