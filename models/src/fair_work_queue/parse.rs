//! The state that has some TLA+ values.
//!
//! All thirteen variables are read, whatever the specification: a state of any of them, and also
//! one that no behaviour reaches, is a state. Those that are functions of others are then dropped.

use std::sync::Arc;

use plumb_checker::NotAState;
use plumb_tla::State as TlaState;

use super::constants::Constants;
use super::ledger::Ledger;
use super::log::{Kind, Log, Operation, Record};
use super::projection::{ClaimTable, Clocks, Members, Projection, ResourceEntry, WorkEntry};
use super::state::{
    Apart, Checkpoint, CheckpointPending, Effect, GroupState, Intents, Pending, State,
};
use super::tla::{PROJECTION, TAKEN_FOR_READY, VARIABLES};
use super::vocabulary::{Claim, Group, Resource};
use crate::finite::{Finite, Map};
use crate::numbered::{NumberSet, Numbered};
use crate::reading::{Place, Variables};

type Parsed<T> = Result<T, NotAState>;

/// Reads values in a model with these constants.
#[derive(Clone, Copy, Debug)]
struct Parser<'a> {
    constants: &'a Constants,
}

pub(super) fn parse_tla(constants: &Constants, state: &TlaState) -> Parsed<State> {
    let parser = Parser { constants };
    let variables = Variables::of(state, VARIABLES)?;
    let log = parser.log(&variables.place("log"))?;

    let (mut groups, mut sources, mut operations) = (Vec::new(), Vec::new(), Vec::new());
    let workers = variables.place("worker").function_on(constants.groups)?;
    let pending = variables.place("pending").function_on(constants.groups)?;
    for (place, worker) in pending.iter().zip(workers) {
        let [phase, base, source, ops, retries] =
            place.record(["phase", "base", "source", "ops", "retries"])?;
        groups.push(GroupState {
            pending: Pending {
                phase: phase.finite()?,
                base: base.integer()?,
                retries: retries.integer()?,
            },
            worker: worker.finite()?,
        });
        sources.push(parser.log(&source)?);
        operations.push(parser.operations(&ops)?);
    }
    let [phase, base, checkpoint_source] = variables
        .place("checkpointPending")
        .record(["phase", "base", "source"])?;
    let checkpoint_pending = CheckpointPending {
        phase: phase.finite()?,
        base: base.integer()?,
    };
    let [prefix, checkpoint_state] = variables.place("checkpoint").record(["prefix", "state"])?;
    let claims = |variable: &str| parser.claims(&variables.place(variable));
    let apart = Apart {
        head: variables.place("head").integer()?,
        sources,
        operations,
        handled: claims("handled")?,
        authorized: claims("authorized")?,
        completed: claims("completed")?,
        projection: parser.projection(&variables.place("projection"))?,
        checkpoint: Checkpoint {
            prefix: parser.log(&prefix)?,
            state: parser.projection(&checkpoint_state)?,
        },
        checkpoint_source: parser.log(&checkpoint_source)?,
    };
    let mut state = State {
        ledger: Arc::new(Ledger::of(constants, &log)),
        groups,
        intents: parser.intents(&variables.place("intents"))?,
        effects: parser.effects(&variables.place("effects"))?,
        checkpoint_pending,
        checkpoint_conflicts: variables.place("checkpointConflicts").integer()?,
        apart: Some(Box::new(apart)),
    };
    state.settle(constants);
    Ok(state)
}

/// A function on `1..count` with values of a finite type.
fn each<E: Finite>(place: &Place<'_>, count: usize) -> Parsed<Vec<E>> {
    let results = place.function_on(count)?;
    results.iter().map(Place::finite).collect()
}

/// A function on 1 and 2.
fn each_of<'a, E: Finite, V: Copy>(
    place: &Place<'a>,
    read: impl Fn(&Place<'a>) -> Parsed<V>,
) -> Parsed<Map<E, V, 2>> {
    let results = place.function_on(2)?;
    Map::try_from_fn(|element: E| read(&results[element.index()]))
}

/// A number from 1 to `count`, or 0.
fn number_or_zero<T: Numbered>(place: &Place<'_>, count: usize) -> Parsed<Option<T>> {
    let number = place.integer()?;
    if number == 0 {
        return Ok(None);
    }
    let found = T::numbered(number).filter(|thing| thing.index() < count);
    match found {
        Some(thing) => Ok(Some(thing)),
        None => Err(place.refuse(format!("a number from 0 to {count}"))),
    }
}

/// A number from 1 to `count`.
fn number<T: Numbered>(place: &Place<'_>, count: usize) -> Parsed<T> {
    match number_or_zero(place, count)? {
        Some(thing) => Ok(thing),
        None => Err(place.refuse(format!("a number from 1 to {count}"))),
    }
}

fn zero(place: &Place<'_>) -> Parsed<()> {
    match place.integer() {
        Ok(0) => Ok(()),
        _ => Err(place.refuse("0")),
    }
}

fn number_set<T: Numbered>(place: &Place<'_>, count: usize) -> Parsed<NumberSet<T>> {
    let elements = place.elements()?;
    elements
        .iter()
        .map(|element| number(element, count))
        .collect()
}

impl Parser<'_> {
    fn group(self, place: &Place<'_>) -> Parsed<Group> {
        number(place, self.constants.groups)
    }

    fn claim(self, place: &Place<'_>) -> Parsed<Claim> {
        number(place, self.constants.claims())
    }

    fn claims(self, place: &Place<'_>) -> Parsed<NumberSet<Claim>> {
        number_set(place, self.constants.claims())
    }

    fn intents(self, place: &Place<'_>) -> Parsed<Intents> {
        let declared = place.function_on(self.constants.claims())?;
        let mut intents = Intents::NONE;
        for (claim, intent) in self.constants.all_claims().zip(declared) {
            intents.set(claim, intent.finite()?);
        }
        Ok(intents)
    }

    fn claim_table(self, place: &Place<'_>) -> Parsed<ClaimTable> {
        let statuses = place.function_on(self.constants.claims())?;
        let mut claims = ClaimTable::EMPTY;
        for (claim, status) in self.constants.all_claims().zip(statuses) {
            claims.set(claim, status.finite()?);
        }
        Ok(claims)
    }

    fn members(self, place: &Place<'_>) -> Parsed<Members> {
        let groups = place.function_on(self.constants.groups)?;
        let mut members = Members::default();
        for (group, place) in self.constants.all_groups().zip(groups) {
            for claim in place.sequence()? {
                members.add(group, self.claim(&claim)?);
            }
        }
        Ok(members)
    }

    fn effects(self, place: &Place<'_>) -> Parsed<Vec<Effect>> {
        let effects = place.sequence()?;
        let effect = |place: &Place<'_>| {
            let parts = place.function_on(3)?;
            Ok(Effect {
                group: self.group(&parts[0])?,
                claim: self.claim(&parts[1])?,
                delivery: parts[2].finite()?,
            })
        };
        effects.iter().map(effect).collect()
    }

    fn log(self, place: &Place<'_>) -> Parsed<Log> {
        let mut log = Log::default();
        for place in place.sequence()? {
            let [id, previous, request, ops] =
                place.record(["id", "previous", "request", "ops"])?;
            log.append(Record {
                id: id.integer()?,
                previous: previous.integer()?,
                request: number_or_zero(&request, self.constants.groups)?,
                operations: &self.operations(&ops)?,
            });
        }
        Ok(log)
    }

    fn operations(self, place: &Place<'_>) -> Parsed<Vec<Operation>> {
        let operations = place.sequence()?;
        operations
            .iter()
            .map(|place| self.operation(place))
            .collect()
    }

    /// An operation; what its kind does not use must be 0.
    fn operation(self, place: &Place<'_>) -> Parsed<Operation> {
        let [kind, group, claim, value] = place.record(["kind", "group", "claim", "value"])?;
        let of_group = |step: fn(Group) -> Operation| {
            zero(&claim)?;
            zero(&value)?;
            Ok(step(self.group(&group)?))
        };
        let of_claim = |step: fn(Group, Claim) -> Operation| {
            zero(&value)?;
            Ok(step(self.group(&group)?, self.claim(&claim)?))
        };
        match kind.finite::<Kind>()? {
            Kind::Work => {
                zero(&group)?;
                zero(&value)?;
                Ok(Operation::Work(number(&claim, self.constants.works)?))
            }
            Kind::Claim => of_claim(Operation::Claim),
            Kind::Started => of_group(Operation::Started),
            Kind::Bound => of_group(Operation::Bound),
            Kind::Terminated => of_group(Operation::Terminated),
            Kind::Release => of_group(Operation::Release),
            Kind::Close => {
                let (group, claim) = (self.group(&group)?, self.claim(&claim)?);
                Ok(Operation::Close(group, claim, value.finite()?))
            }
            Kind::Result => of_claim(Operation::Result),
            Kind::Observe => observation(&group, &claim, &value),
            Kind::Checkpoint => {
                zero(&group)?;
                zero(&claim)?;
                zero(&value)?;
                Ok(Operation::Checkpoint)
            }
        }
    }

    fn projection(self, place: &Place<'_>) -> Parsed<Projection> {
        let constants = self.constants;
        let [
            ws,
            pos,
            owner,
            cs,
            members,
            run,
            cp,
            kp,
            cv,
            kv,
            ca,
            ka,
            charges,
            results,
            external,
            raw,
            reads,
        ] = place.record(PROJECTION)?;
        let pos = pos.function_on(constants.works)?;
        let owner = owner.function_on(constants.works)?;
        let ws = ws.function_on(constants.works)?;
        let works = ws.iter().zip(&pos).zip(&owner).map(|((ws, pos), owner)| {
            Ok(WorkEntry {
                status: ws.finite()?,
                position: pos.integer()?,
                owner: number_or_zero(owner, constants.claims())?,
            })
        });
        Ok(Projection {
            works: works.collect::<Parsed<_>>()?,
            claims: self.claim_table(&cs)?,
            members: self.members(&members)?,
            runs: each(&run, constants.groups)?,
            clocks: Clocks {
                class_passes: each_of(&cp, Place::integer)?,
                key_passes: each_of(&kp, |keys| each_of(keys, Place::integer))?,
                class_time: cv.integer()?,
                key_times: each_of(&kv, Place::integer)?,
                active_classes: ca.subset()?,
                active_keys: each_of(&ka, Place::subset)?,
            },
            charges: each_of(&charges, Place::integer)?,
            results: number_set(&results, constants.works)?,
            resources: resources(&external, &raw, &reads)?,
        })
    }
}

fn observation(group: &Place<'_>, resource: &Place<'_>, raw: &Place<'_>) -> Parsed<Operation> {
    let taken_for_ready = match group.integer()? {
        0 => false,
        TAKEN_FOR_READY => true,
        _ => return Err(group.refuse(format!("0 or {TAKEN_FOR_READY}"))),
    };
    Ok(Operation::Observe {
        resource: resource.finite()?,
        raw: raw.finite()?,
        taken_for_ready,
    })
}

fn resources(
    external: &Place<'_>,
    raw: &Place<'_>,
    reads: &Place<'_>,
) -> Parsed<Map<Resource, ResourceEntry, 2>> {
    let count = Resource::ALL.len();
    let external = external.function_on(count)?;
    let raw = raw.function_on(count)?;
    let reads = reads.function_on(count)?;
    Map::try_from_fn(|resource: Resource| {
        Ok(ResourceEntry {
            readiness: external[resource.index()].finite()?,
            raw: raw[resource.index()].finite()?,
            reads: reads[resource.index()].integer()?,
        })
    })
}
