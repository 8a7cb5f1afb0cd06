//! The state in TLA+.
//!
//! Shared design, models/fair-work-queue.md, sections 2, 3 and 6.

use plumb_tla::{State as TlaState, Value};

use super::constants::Constants;
use super::log::{Log, Operation, Record};
use super::projection::Projection;
use super::state::{Effect, State};
use super::vocabulary::{Class, Key, Resource};
use crate::finite::{Finite, Map, Subset};
use crate::numbered::Numbered;

/// The module's variables, in the order of the shared design's table.
pub(super) const VARIABLES: &[&str] = &[
    "log",
    "head",
    "pending",
    "worker",
    "intents",
    "handled",
    "authorized",
    "completed",
    "effects",
    "projection",
    "checkpoint",
    "checkpointPending",
    "checkpointConflicts",
];

pub(super) fn to_tla(constants: &Constants, state: &State) -> TlaState {
    let values = (0..).map(|index| variable(constants, state, index));
    TlaState::new(VARIABLES.iter().copied().zip(values))
}

/// The variable at a position of [`VARIABLES`].
pub(super) fn variable(constants: &Constants, state: &State, index: usize) -> Value {
    match index {
        0 => log(state.log()),
        1 => Value::int(state.head()),
        2 => Value::tuple(constants.all_groups().map(|group| {
            let pending = state.pending(group);
            Value::record([
                ("phase", pending.phase.to_value()),
                ("base", Value::int(pending.base)),
                ("source", log(&state.source(group))),
                ("ops", plan(&state.operations(constants, group))),
                ("retries", Value::int(pending.retries)),
            ])
        })),
        3 => Value::tuple(state.groups.iter().map(|group| group.worker.to_value())),
        4 => {
            let claims = constants.all_claims();
            Value::tuple(claims.map(|claim| state.intent(claim).to_value()))
        }
        5 => state.handled().to_value(),
        6 => state.authorized().to_value(),
        7 => state.completed().to_value(),
        8 => Value::tuple(state.effects.iter().map(effect)),
        9 => projection(constants, state.projection()),
        10 => {
            let checkpoint = state.checkpoint(constants);
            Value::record([
                ("prefix", log(&checkpoint.prefix)),
                ("state", projection(constants, &checkpoint.state)),
            ])
        }
        11 => Value::record([
            ("phase", state.checkpoint_pending.phase.to_value()),
            ("base", Value::int(state.checkpoint_pending.base)),
            ("source", log(&state.checkpoint_source())),
        ]),
        _ => Value::int(state.checkpoint_conflicts),
    }
}

fn each<E: Finite>(values: &[E]) -> Value {
    Value::tuple(values.iter().map(|value| value.to_value()))
}

fn each_of<E: Finite, V: Copy>(map: &Map<E, V, 2>, value: impl Fn(V) -> Value) -> Value {
    Value::tuple(map.iter().map(|(_, of_element)| value(of_element)))
}

pub(super) fn number_or_zero<T: Numbered>(thing: Option<T>) -> Value {
    Value::int(thing.map_or(0, T::number))
}

fn effect(effect: &Effect) -> Value {
    Value::tuple([
        effect.group.to_value(),
        effect.claim.to_value(),
        effect.delivery.to_value(),
    ])
}

fn log(log: &Log) -> Value {
    let record = |record: Record<'_>| {
        Value::record([
            ("id", Value::int(record.id)),
            ("previous", Value::int(record.previous)),
            ("request", number_or_zero(record.request)),
            ("ops", plan(record.operations)),
        ])
    };
    Value::tuple(log.records().map(record))
}

fn plan(operations: &[Operation]) -> Value {
    Value::tuple(
        operations
            .iter()
            .map(|operation| self::operation(*operation)),
    )
}

/// The group that an observation names if it is taken for ready whatever was said.
pub(super) const TAKEN_FOR_READY: i64 = 1;

/// The group, the claim and the value that an operation names.
pub(super) fn operands(operation: Operation) -> [Value; 3] {
    let none = || Value::int(0);
    let (group, claim, value) = match operation {
        Operation::Work(work) => (none(), work.to_value(), none()),
        Operation::Started(group)
        | Operation::Bound(group)
        | Operation::Terminated(group)
        | Operation::Release(group) => (group.to_value(), none(), none()),
        Operation::Claim(group, claim) | Operation::Result(group, claim) => {
            (group.to_value(), claim.to_value(), none())
        }
        Operation::Close(group, claim, outcome) => {
            (group.to_value(), claim.to_value(), outcome.to_value())
        }
        Operation::Observe {
            resource,
            raw,
            taken_for_ready,
        } => {
            let group = if taken_for_ready { TAKEN_FOR_READY } else { 0 };
            (Value::int(group), resource.to_value(), raw.to_value())
        }
        Operation::Checkpoint => (none(), none(), none()),
    };
    [group, claim, value]
}

fn operation(operation: Operation) -> Value {
    let [group, claim, value] = operands(operation);
    Value::record([
        ("kind", operation.kind().to_value()),
        ("group", group),
        ("claim", claim),
        ("value", value),
    ])
}

/// The fields of a projection.
pub(super) const PROJECTION: [&str; 17] = [
    "ws", "pos", "owner", "cs", "members", "run", "cp", "kp", "cv", "kv", "ca", "ka", "charges",
    "results", "external", "raw", "reads",
];

fn projection(constants: &Constants, projection: &Projection) -> Value {
    let works = || projection.works.iter();
    let claims = constants.all_claims();
    let claims = claims.map(|claim| projection.claim(claim).to_value());
    let members = constants.all_groups();
    let members =
        members.map(|group| Value::tuple(projection.members(group).map(Numbered::to_value)));
    let clocks = &projection.clocks;
    let of_keys = |passes: Map<Key, i64, 2>| each_of(&passes, Value::int);
    let resources = |value: fn(Resource, &Projection) -> Value| {
        Value::tuple(
            Resource::ALL
                .iter()
                .map(|resource| value(*resource, projection)),
        )
    };
    let values = [
        Value::tuple(works().map(|work| work.status.to_value())),
        Value::tuple(works().map(|work| Value::int(work.position))),
        Value::tuple(works().map(|work| number_or_zero(work.owner))),
        Value::tuple(claims),
        Value::tuple(members),
        each(&projection.runs),
        each_of::<Class, _>(&clocks.class_passes, Value::int),
        each_of(&clocks.key_passes, of_keys),
        Value::int(clocks.class_time),
        each_of::<Class, _>(&clocks.key_times, Value::int),
        clocks.active_classes.to_value(),
        each_of(&clocks.active_keys, Subset::to_value),
        each_of::<Key, _>(&projection.charges, Value::int),
        projection.results.to_value(),
        resources(|resource, s| s.resources[resource].readiness.to_value()),
        resources(|resource, s| s.resources[resource].raw.to_value()),
        resources(|resource, s| Value::int(s.resources[resource].reads)),
    ];
    Value::record(PROJECTION.into_iter().zip(values))
}
