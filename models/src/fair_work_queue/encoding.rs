//! The canonical bytes of a state: the log, what is not a function of it, and all else where it
//! stands apart.

use std::sync::Arc;

use super::bytes::{Sink, Source};
use super::constants::Constants;
use super::ledger::Ledger;
use super::state::{
    Apart, Checkpoint, CheckpointPending, Effect, GroupState, Intents, Pending, State,
};
use super::vocabulary::{CheckpointPhase, Delivery, Intent, PendingPhase, Worker};
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
    let bit = |bit: u8, set: bool| if set { bit } else { 0 };
    sink.byte(bit(form::CHECKPOINT, !no_checkpoint) | bit(form::APART, apart.is_some()));
    sink.ledger(ledger);
    for group in groups {
        let GroupState { pending, worker } = *group;
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
    for first in (0..constants.claims()).step_by(4) {
        let four = constants.all_claims().skip(first).take(4).enumerate();
        sink.byte(four.fold(0, |byte, (place, claim)| {
            byte | (intents.get(claim).index() as u8) << (2 * place)
        }));
    }
    sink.count(effects.len());
    for effect in effects {
        let verified = effect.delivery == Delivery::Verified;
        let foreign = constants.group_of(effect.claim) != effect.group;
        let claim = effect.claim.index() as u8;
        sink.byte(claim | bit(VERIFIED, verified) | bit(FOREIGN, foreign));
        if foreign {
            sink.numbered(effect.group);
        }
    }
    if !no_checkpoint {
        sink.finite(checkpoint_pending.phase);
        sink.integer(checkpoint_pending.base);
        sink.integer(*checkpoint_conflicts);
    }
    if let Some(apart) = apart {
        encode_apart(&mut sink, apart);
    }
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
        let packed = source.byte()?;
        let base = source.integer()?;
        let retries = match packed >> 4 {
            MANY_RETRIES => source
                .integer()
                .filter(|retries| !(0..i64::from(MANY_RETRIES)).contains(retries))?,
            few => i64::from(few),
        };
        groups.push(GroupState {
            pending: Pending {
                phase: PendingPhase::at(usize::from(packed & 3))?,
                base,
                retries,
            },
            worker: Worker::at(usize::from(packed >> 2 & 3))?,
        });
    }
    let intents = intents(&mut source)?;
    let effects = effects(&mut source)?;
    let (checkpoint_pending, checkpoint_conflicts) = if form & form::CHECKPOINT == 0 {
        let pending = CheckpointPending {
            phase: CheckpointPhase::Idle,
            base: 0,
        };
        (pending, 0)
    } else {
        let pending = CheckpointPending {
            phase: source.finite()?,
            base: source.integer()?,
        };
        let conflicts = source.integer()?;
        if is_initial(pending, conflicts) {
            return None;
        }
        (pending, conflicts)
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
        state.apart = Some(Box::new(apart(&mut source)?));
        state.settle(constants);
        // What is a function of the rest is not written.
        state.apart.as_ref()?;
    }
    source.bytes.is_empty().then_some(state)
}

fn intents(source: &mut Source<'_>) -> Option<Intents> {
    let mut intents = Intents::NONE;
    let mut byte = 0;
    for (place, claim) in source.constants.all_claims().enumerate() {
        if place % 4 == 0 {
            // What is left of the byte before stands for nothing.
            byte = (byte == 0).then(|| source.byte())??;
        }
        intents.set(claim, Intent::at(usize::from(byte & 3))?);
        byte >>= 2;
    }
    (byte == 0).then_some(intents)
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
