//! The state in TLA+, and back.
//!
//! Shared design, models/work-queue.md, sections 3.1 and 4.1.

use plumb_checker::NotAState;
use plumb_tla::{State as TlaState, Value};

use super::constants::{Constants, Description};
use super::fact::{Fact, FactSet, Intent};
use super::sequence::Sequence;
use super::state::{
    Activation, DispatcherState, MaintenanceState, Proposal, Shared, State, WorkerState,
};
use super::vocabulary::{Claim, Kind};
use crate::changes::bits;
use crate::finite::Finite;
use crate::numbered::{NumberSet, Numbered};
use crate::reading::{Place, Variables};

/// The module's variables, in the order of the shared design.
pub(super) const VARIABLES: &[&str] = &[
    "log",
    "head",
    "dispatch",
    "workers",
    "compact",
    "recovery",
    "deadRuns",
    "terminalHistory",
    "authorizations",
    "effects",
];

/// The fields of a fact and of an intent.
const FIELDS: [&str; 5] = ["kind", "work", "claim", "attempt", "enqueued"];

/// The fields of an intent but its kind, as numbers. A resubmission is told from the submission of
/// its work by the number that it was enqueued with.
fn numbers(constants: &Constants, intent: Intent) -> (Kind, [i64; 4]) {
    let resubmitted = constants.resubmitted(intent);
    let fact = match resubmitted {
        Some(work) => constants.work(work),
        None => constants.fact_of(intent).unwrap_or(Fact(0)),
    };
    let Description {
        kind,
        work,
        claim,
        attempt,
    } = constants.describe(fact);
    let enqueued = match (kind, resubmitted) {
        (Kind::Work, None) => work.number(),
        (_, None) => 0,
        (_, Some(work)) => work.number() + constants.works as i64,
    };
    let claim = claim.map_or(0, Numbered::number);
    let attempt = attempt.map_or(0, Numbered::number);
    (kind, [work.number(), claim, attempt, enqueued])
}

pub(super) fn intent_value(constants: &Constants, intent: Intent) -> Value {
    let (kind, numbers) = numbers(constants, intent);
    let values = std::iter::once(kind.to_value()).chain(numbers.map(Value::int));
    Value::record(FIELDS.into_iter().zip(values))
}

pub(super) fn fact_value(constants: &Constants, fact: Fact) -> Value {
    intent_value(constants, fact.into())
}

pub(super) fn to_tla(constants: &Constants, state: &State) -> TlaState {
    let values = (0..).map(|index| variable(constants, state, index));
    TlaState::new(VARIABLES.iter().copied().zip(values))
}

/// The variable at a position of [`VARIABLES`].
pub(super) fn variable(constants: &Constants, state: &State, index: usize) -> Value {
    let State {
        shared,
        dispatchers,
        workers,
        compact,
        recovery,
    } = state;
    let value = |fact| fact_value(constants, fact);
    let log = |log: &Sequence<Fact>| Value::tuple(log.iter().map(value));
    let facts = |facts: &FactSet| Value::set(facts.iter().map(value));
    let proposal = |proposal: &Proposal| {
        [
            ("base", Value::int(proposal.base)),
            ("source", log(&proposal.source)),
            ("candidate", log(&proposal.candidate)),
            ("retries", Value::int(proposal.retries)),
        ]
    };
    let dispatcher = |dispatcher: &DispatcherState| {
        let batch = dispatcher.local.iter();
        let batch = Value::tuple(batch.map(|intent| intent_value(constants, intent)));
        let own = [
            ("phase", dispatcher.phase.to_value()),
            ("local", batch.clone()),
            ("serialized", batch),
        ];
        Value::record(own.into_iter().chain(proposal(&dispatcher.proposal)))
    };
    let worker = |worker: &WorkerState| {
        let own = [
            ("phase", worker.phase.to_value()),
            ("finish", Value::bool(worker.finish)),
            ("activation", activation(worker.activation)),
        ];
        Value::record(own.into_iter().chain(proposal(&worker.proposal)))
    };
    let maintenance = |maintenance: &MaintenanceState| {
        let own = [
            ("phase", maintenance.phase.to_value()),
            ("observedRuns", maintenance.observed_runs.to_value()),
        ];
        Value::record(own.into_iter().chain(proposal(&maintenance.proposal)))
    };
    match index {
        0 => log(&shared.log),
        1 => Value::int(shared.head),
        2 => Value::tuple(dispatchers.iter().map(dispatcher)),
        3 => Value::tuple(workers.iter().map(worker)),
        4 => maintenance(compact),
        5 => maintenance(recovery),
        6 => shared.dead_runs.to_value(),
        7 => Value::tuple(shared.terminal_history.iter().map(facts)),
        8 => log(&shared.authorizations),
        _ => log(&shared.effects),
    }
}

/// The variables that differ, as bits.
pub(super) fn changed(before: &State, after: &State) -> u64 {
    let (shared, shared_after) = (&before.shared, &after.shared);
    bits([
        shared.log != shared_after.log,
        shared.head != shared_after.head,
        before.dispatchers != after.dispatchers,
        before.workers != after.workers,
        before.compact != after.compact,
        before.recovery != after.recovery,
        shared.dead_runs != shared_after.dead_runs,
        shared.terminal_history != shared_after.terminal_history,
        shared.authorizations != shared_after.authorizations,
        shared.effects != shared_after.effects,
    ])
}

fn activation(activation: Activation) -> Value {
    Value::record([
        ("ready", Value::bool(activation.ready)),
        ("head", Value::int(activation.head)),
        ("admitted", Value::bool(activation.admitted)),
    ])
}

type Parsed<T> = Result<T, NotAState>;

/// Reads values in a model with these constants.
#[derive(Clone, Copy, Debug)]
struct Parser<'a> {
    constants: &'a Constants,
}

pub(super) fn parse_tla(constants: &Constants, state: &TlaState) -> Parsed<State> {
    let parser = Parser { constants };
    let variables = Variables::of(state, VARIABLES)?;
    let function = |variable, length| variables.place(variable).function_on(length);
    let histories = function("terminalHistory", constants.works)?;
    let dispatchers = function("dispatch", constants.dispatchers)?;
    let workers = function("workers", constants.workers)?;
    Ok(State {
        shared: Shared {
            log: parser.log(&variables.place("log"))?,
            head: variables.place("head").integer()?,
            terminal_history: each(&histories, |place| {
                each(&place.elements()?, |place| parser.fact(place))
            })?,
            dead_runs: parser.claims(&variables.place("deadRuns"))?,
            authorizations: parser.completions(&variables.place("authorizations"))?,
            effects: parser.completions(&variables.place("effects"))?,
        },
        dispatchers: each(&dispatchers, |place| parser.dispatcher(place))?,
        workers: each(&workers, |place| parser.worker(place))?,
        compact: parser.maintenance(&variables.place("compact"))?,
        recovery: parser.maintenance(&variables.place("recovery"))?,
    })
}

/// What stands at each of several places.
fn each<'a, T, C: FromIterator<T>>(
    places: &[Place<'a>],
    read: impl Fn(&Place<'a>) -> Parsed<T>,
) -> Parsed<C> {
    places.iter().map(read).collect()
}

impl Parser<'_> {
    /// The fact or intent of these fields, among those that `is_one` accepts.
    fn intent(
        self,
        place: &Place<'_>,
        expected: &str,
        is_one: impl Fn(Intent) -> bool,
    ) -> Parsed<Intent> {
        let [kind, work, claim, attempt, enqueued] = place.record(FIELDS)?;
        let numbers = [
            work.integer()?,
            claim.integer()?,
            attempt.integer()?,
            enqueued.integer()?,
        ];
        let found = (kind.finite()?, numbers);
        let constants = self.constants;
        let facts = constants.all_facts().map(Intent::from);
        let mut all = facts.chain(constants.all_intents());
        all.find(|intent| is_one(*intent) && self::numbers(constants, *intent) == found)
            .ok_or_else(|| place.refuse(expected))
    }

    fn fact_that(
        self,
        place: &Place<'_>,
        expected: &str,
        is_one: impl Fn(Fact) -> bool,
    ) -> Parsed<Fact> {
        let fact_of = |intent| self.constants.fact_of(intent);
        let intent = self.intent(place, expected, |intent| {
            fact_of(intent).is_some_and(&is_one)
        })?;
        fact_of(intent).ok_or_else(|| place.refuse(expected))
    }

    fn fact(self, place: &Place<'_>) -> Parsed<Fact> {
        self.fact_that(place, "a fact of these constants", |_| true)
    }

    fn log(self, place: &Place<'_>) -> Parsed<Sequence<Fact>> {
        each(&place.sequence()?, |place| self.fact(place))
    }

    fn completions(self, place: &Place<'_>) -> Parsed<Sequence<Fact>> {
        each(&place.sequence()?, |place| {
            let is_one = |fact| self.constants.is_completion(fact);
            self.fact_that(place, "a Completion of these constants", is_one)
        })
    }

    fn batch(self, place: &Place<'_>) -> Parsed<Sequence<Intent>> {
        each(&place.sequence()?, |place| {
            let is_one = |intent| self.constants.is_intent(intent);
            self.intent(place, "an intent of these constants", is_one)
        })
    }

    fn claims(self, place: &Place<'_>) -> Parsed<NumberSet<Claim>> {
        let count = self.constants.claims;
        each(&place.elements()?, |place| {
            let claim = Claim::numbered(place.integer()?);
            let claim = claim.filter(|claim| claim.index() < count);
            claim.ok_or_else(|| place.refuse(format!("a number from 1 to {count}")))
        })
    }

    fn proposal(self, [base, source, candidate, retries]: [Place<'_>; 4]) -> Parsed<Proposal> {
        Ok(Proposal {
            base: base.integer()?,
            source: self.log(&source)?,
            candidate: self.log(&candidate)?,
            retries: retries.integer()?,
        })
    }

    fn dispatcher(self, place: &Place<'_>) -> Parsed<DispatcherState> {
        let [phase, local, serialized, base, source, candidate, retries] = place.record([
            "phase",
            "local",
            "serialized",
            "base",
            "source",
            "candidate",
            "retries",
        ])?;
        let batch = self.batch(&local)?;
        if self.batch(&serialized)? != batch {
            return Err(serialized.refuse("the same as local"));
        }
        Ok(DispatcherState {
            phase: phase.finite()?,
            local: batch,
            proposal: self.proposal([base, source, candidate, retries])?,
        })
    }

    fn worker(self, place: &Place<'_>) -> Parsed<WorkerState> {
        let [phase, finish, base, source, candidate, retries, activation] = place.record([
            "phase",
            "finish",
            "base",
            "source",
            "candidate",
            "retries",
            "activation",
        ])?;
        let [ready, head, admitted] = activation.record(["ready", "head", "admitted"])?;
        Ok(WorkerState {
            phase: phase.finite()?,
            finish: finish.boolean()?,
            proposal: self.proposal([base, source, candidate, retries])?,
            activation: Activation {
                ready: ready.boolean()?,
                head: head.integer()?,
                admitted: admitted.boolean()?,
            },
        })
    }

    fn maintenance(self, place: &Place<'_>) -> Parsed<MaintenanceState> {
        let [phase, base, source, candidate, observed_runs, retries] = place.record([
            "phase",
            "base",
            "source",
            "candidate",
            "observedRuns",
            "retries",
        ])?;
        Ok(MaintenanceState {
            phase: phase.finite()?,
            proposal: self.proposal([base, source, candidate, retries])?,
            observed_runs: self.claims(&observed_runs)?,
        })
    }
}
