//! The canonical bytes of a state: six for the variables of fixed size, then one for each entry of
//! the log.

use super::ClaimScopedWorker;
use super::log::{Entry, Kind, Log};
use super::state::State;
use super::vocabulary::Claim;
use crate::finite::{Finite, Map};
use crate::packing::{Packer, Unpacker};

/// Bytes of everything but the log.
const FIXED: usize = 6;

pub(super) fn encode(state: &State, bytes: &mut Vec<u8>) {
    let State {
        phase,
        intents,
        outputs,
        log,
        effects,
        verified,
        admitted,
        rejected,
    } = state;
    let mut packer = Packer::new();
    packer.finite(*phase);
    intents.iter().for_each(|(_, intent)| packer.finite(intent));
    outputs.iter().for_each(|(_, output)| packer.finite(output));
    effects
        .iter()
        .for_each(|(_, handles)| packer.subset(handles));
    packer.subset(*verified);
    packer.subset(*admitted);
    packer.subset(*rejected);
    bytes.extend(packer.into_bytes::<FIXED>());
    bytes.extend(log.iter().map(entry_byte));
}

pub(super) fn decode(model: &ClaimScopedWorker, bytes: &[u8]) -> Option<State> {
    let (fixed, entries) = bytes.split_first_chunk::<FIXED>()?;
    let mut unpacker = Unpacker::new(*fixed);
    let mut state = State {
        phase: unpacker.finite()?,
        intents: Map::try_from_fn(|_| unpacker.finite().ok_or(())).ok()?,
        outputs: Map::try_from_fn(|_| unpacker.finite().ok_or(())).ok()?,
        log: Log::EMPTY,
        effects: Map::try_from_fn(|_| unpacker.subset().ok_or(())).ok()?,
        verified: unpacker.subset()?,
        admitted: unpacker.subset()?,
        rejected: unpacker.subset()?,
    };
    for byte in entries {
        let Entry { kind, claim } = entry(*byte)?;
        state.log.append(kind, claim).then_some(())?;
    }
    (unpacker.is_finished() && model.has_only_assigned(&state)).then_some(state)
}

fn entry_byte(entry: Entry) -> u8 {
    (entry.kind.index() * Claim::ALL.len() + entry.claim.index()) as u8
}

fn entry(byte: u8) -> Option<Entry> {
    let byte = usize::from(byte);
    Some(Entry {
        kind: Kind::at(byte / Claim::ALL.len())?,
        claim: Claim::at(byte % Claim::ALL.len())?,
    })
}
