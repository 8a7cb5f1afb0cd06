//! The canonical bytes of a state: the log, what is not a function of it, and all else where it
//! stands apart.

use std::sync::Arc;

use super::bytes::{Sink, Source};
use super::component::Part;
use super::constants::Constants;
use super::ledger::Ledger;
use super::state::{
    Apart, Checkpoint, CheckpointPending, Effect, GroupState, Intents, Pending, State,
};
use super::vocabulary::{CheckpointPhase, Claim, Delivery, Intent, PendingPhase, Worker};
use crate::finite::Finite;
use crate::numbered::Numbered;

/// Bits of the first byte.
mod form {
    /// Something is known of checkpoints.
    pub(super) const CHECKPOINT: u8 = 1;
    /// Not all other variables are functions of the first.
    pub(super) const APART: u8 = 2;
}

/// The retries that do not fit beside the phases: an integer follows.
const MANY_RETRIES: u8 = 15;

/// The bit of an effect's byte that says that it was verified.
const VERIFIED: u8 = 64;
/// The bit of an effect's byte that says that the Claim is not the group's own: the group follows.
const FOREIGN: u8 = 128;

pub(super) fn encode(constants: &Constants, state: &State, bytes: &mut Vec<u8>) {
    let State {
        ledger,
        groups,
        intents,
        effects,
        checkpoint_pending,
        checkpoint_conflicts,
        apart,
    } = state;
    let mut sink = Sink { constants, bytes };
    let no_checkpoint = is_initial(*checkpoint_pending, *checkpoint_conflicts);
    sink.byte(bit(form::CHECKPOINT, !no_checkpoint) | bit(form::APART, apart.is_some()));
    sink.log(ledger.log());
    groups.iter().for_each(|group| put_group(&mut sink, *group));
    put_intents(&mut sink, *intents, constants.all_claims());
    put_effects(&mut sink, effects);
    if !no_checkpoint {
        put_checkpoint(&mut sink, state);
    }
    if let Some(apart) = apart {
        encode_apart(&mut sink, apart);
    }
}

/// The bytes of one component of a state.
pub(super) fn encode_part(constants: &Constants, state: &State, part: Part, bytes: &mut Vec<u8>) {
    let mut sink = Sink { constants, bytes };
    match part {
        Part::Shared => {
            sink.byte(bit(form::APART, state.apart.is_some()));
            sink.log(state.ledger.log());
            put_effects(&mut sink, &state.effects);
            if let Some(apart) = &state.apart {
                encode_apart(&mut sink, apart);
            }
        }
        Part::Group(group) => {
            put_group(&mut sink, state.groups[group.index()]);
            put_intents(&mut sink, state.intents, constants.claims_of(group));
        }
        Part::Checkpoint => put_checkpoint(&mut sink, state),
    }
}

fn bit(bit: u8, set: bool) -> u8 {
    if set { bit } else { 0 }
}

fn put_group(sink: &mut Sink<'_>, group: GroupState) {
    let GroupState { pending, worker } = group;
    let Pending {
        phase,
        base,
        retries,
    } = pending;
    let few = u8::try_from(retries)
        .unwrap_or(MANY_RETRIES)
        .min(MANY_RETRIES);
    sink.byte(phase.index() as u8 | (worker.index() as u8) << 2 | few << 4);
    sink.integer(base);
    if few == MANY_RETRIES {
        sink.integer(retries);
    }
}

/// What some Claims were declared to be, four to a byte.
fn put_intents(sink: &mut Sink<'_>, intents: Intents, claims: impl Iterator<Item = Claim>) {
    let mut byte = 0;
    let mut place = 0;
    for claim in claims {
        byte |= (intents.get(claim).index() as u8) << (2 * place);
        place += 1;
        if place == 4 {
            sink.byte(byte);
            (byte, place) = (0, 0);
        }
    }
    if place > 0 {
        sink.byte(byte);
    }
}

fn put_effects(sink: &mut Sink<'_>, effects: &[Effect]) {
    sink.count(effects.len());
    for effect in effects {
        let verified = effect.delivery == Delivery::Verified;
        let foreign = sink.constants.group_of(effect.claim) != effect.group;
        let claim = effect.claim.index() as u8;
        sink.byte(claim | bit(VERIFIED, verified) | bit(FOREIGN, foreign));
        if foreign {
            sink.numbered(effect.group);
        }
    }
}

fn put_checkpoint(sink: &mut Sink<'_>, state: &State) {
    sink.finite(state.checkpoint_pending.phase);
    sink.integer(state.checkpoint_pending.base);
    sink.integer(state.checkpoint_conflicts);
}

fn is_initial(pending: CheckpointPending, conflicts: i64) -> bool {
    pending.phase == CheckpointPhase::Idle && pending.base == 0 && conflicts == 0
}

fn encode_apart(sink: &mut Sink<'_>, apart: &Apart) {
    let Apart {
        head,
        sources,
        operations,
        handled,
        authorized,
        completed,
        projection,
        checkpoint,
        checkpoint_source,
    } = apart;
    sink.integer(*head);
    sources.iter().for_each(|source| sink.log(source));
    operations.iter().for_each(|plan| sink.operations(plan));
    sink.number_set(*handled);
    sink.number_set(*authorized);
    sink.number_set(*completed);
    sink.projection(projection);
    sink.log(&checkpoint.prefix);
    sink.projection(&checkpoint.state);
    sink.log(checkpoint_source);
}

pub(super) fn decode(constants: &Constants, bytes: &[u8]) -> Option<State> {
    let mut source = Source { constants, bytes };
    let form = source.byte()?;
    if form & !(form::CHECKPOINT | form::APART) != 0 {
        return None;
    }
    let mut ledger = Ledger::empty(constants);
    source.records(|record| ledger.append(constants, record))?;
    let mut groups = Vec::with_capacity(constants.groups);
    for _ in 0..constants.groups {
        groups.push(group(&mut source)?);
    }
    let mut intents = Intents::NONE;
    take_intents(&mut source, constants.all_claims(), &mut intents)?;
    let effects = effects(&mut source)?;
    let (checkpoint_pending, checkpoint_conflicts) = if form & form::CHECKPOINT == 0 {
        let pending = CheckpointPending {
            phase: CheckpointPhase::Idle,
            base: 0,
        };
        (pending, 0)
    } else {
        let found = checkpoint(&mut source)?;
        if is_initial(found.0, found.1) {
            return None;
        }
        found
    };
    let mut state = State {
        ledger: Arc::new(ledger),
        groups,
        intents,
        effects,
        checkpoint_pending,
        checkpoint_conflicts,
        apart: None,
    };
    if form & form::APART != 0 {
        take_apart(&mut source, &mut state)?;
    }
    source.bytes.is_empty().then_some(state)
}

/// The state that has these components.
pub(super) fn decode_parts(constants: &Constants, parts: &[&[u8]]) -> Option<State> {
    let (shared, others) = parts.split_first()?;
    let mut state = State::initial(constants);
    let mut source = Source {
        constants,
        bytes: shared,
    };
    let form = source.byte()?;
    if form & !form::APART != 0 {
        return None;
    }
    let mut ledger = Ledger::empty(constants);
    source.records(|record| ledger.append(constants, record))?;
    state.ledger = Arc::new(ledger);
    state.effects = effects(&mut source)?;
    let apart_bytes = source.bytes;

    if others.len() < constants.groups || others.len() > constants.groups + 1 {
        return None;
    }
    let (groups, checkpoints) = others.split_at(constants.groups);
    for (number, bytes) in constants.all_groups().zip(groups) {
        let mut source = Source { constants, bytes };
        state.groups[number.index()] = group(&mut source)?;
        take_intents(&mut source, constants.claims_of(number), &mut state.intents)?;
        if !source.bytes.is_empty() {
            return None;
        }
    }
    if let [bytes] = checkpoints {
        let mut source = Source { constants, bytes };
        (state.checkpoint_pending, state.checkpoint_conflicts) = checkpoint(&mut source)?;
        if !source.bytes.is_empty() {
            return None;
        }
    }
    // Whether something stands apart, the other components have a say in.
    let mut source = Source {
        constants,
        bytes: apart_bytes,
    };
    if form & form::APART != 0 {
        take_apart(&mut source, &mut state)?;
    }
    source.bytes.is_empty().then_some(state)
}

fn group(source: &mut Source<'_>) -> Option<GroupState> {
    let packed = source.byte()?;
    let base = source.integer()?;
    let retries = match packed >> 4 {
        MANY_RETRIES => source
            .integer()
            .filter(|retries| !(0..i64::from(MANY_RETRIES)).contains(retries))?,
        few => i64::from(few),
    };
    Some(GroupState {
        pending: Pending {
            phase: PendingPhase::at(usize::from(packed & 3))?,
            base,
            retries,
        },
        worker: Worker::at(usize::from(packed >> 2 & 3))?,
    })
}

fn take_intents(
    source: &mut Source<'_>,
    claims: impl Iterator<Item = Claim>,
    intents: &mut Intents,
) -> Option<()> {
    let mut byte = 0;
    for (place, claim) in claims.enumerate() {
        if place % 4 == 0 {
            // What is left of the byte before stands for nothing.
            byte = (byte == 0).then(|| source.byte())??;
        }
        intents.set(claim, Intent::at(usize::from(byte & 3))?);
        byte >>= 2;
    }
    (byte == 0).then_some(())
}

fn checkpoint(source: &mut Source<'_>) -> Option<(CheckpointPending, i64)> {
    let pending = CheckpointPending {
        phase: source.finite()?,
        base: source.integer()?,
    };
    Some((pending, source.integer()?))
}

/// Reads what stands apart; there has to be something.
fn take_apart(source: &mut Source<'_>, state: &mut State) -> Option<()> {
    state.apart = Some(Box::new(apart(source)?));
    state.settle(source.constants);
    // What is a function of the rest is not written.
    state.apart.as_ref().map(|_| ())
}

fn effects(source: &mut Source<'_>) -> Option<Vec<Effect>> {
    let constants = source.constants;
    let count = source.count()?;
    let effect = |_| {
        let packed = source.byte()?;
        let index = usize::from(packed & !(VERIFIED | FOREIGN));
        let claim = constants.all_claims().nth(index)?;
        let own = constants.group_of(claim);
        let group = if packed & FOREIGN == 0 {
            own
        } else {
            source.group().filter(|group| *group != own)?
        };
        let delivery = if packed & VERIFIED == 0 {
            Delivery::Pending
        } else {
            Delivery::Verified
        };
        Some(Effect {
            group,
            claim,
            delivery,
        })
    };
    (0..count).map(effect).collect()
}

fn apart(source: &mut Source<'_>) -> Option<Apart> {
    let constants = source.constants;
    let groups = || 0..constants.groups;
    let claims = constants.claims();
    Some(Apart {
        head: source.integer()?,
        sources: groups().map(|_| source.log()).collect::<Option<_>>()?,
        operations: groups()
            .map(|_| source.operations())
            .collect::<Option<_>>()?,
        handled: source.number_set(claims)?,
        authorized: source.number_set(claims)?,
        completed: source.number_set(claims)?,
        projection: source.projection()?,
        checkpoint: Checkpoint {
            prefix: source.log()?,
            state: source.projection()?,
        },
        checkpoint_source: source.log()?,
    })
}
