//! The canonical bytes of a state: eight for all variables but the epoch, then the epoch.

use super::state::State;
use crate::finite::Map;
use crate::packing::{Packer, Unpacker};

/// Bytes of everything but the epoch.
const FIXED: usize = 8;

/// The first byte of an epoch that one byte does not hold: eight bytes follow it.
const LONG: u8 = u8::MAX;

pub(super) fn encode(state: &State, bytes: &mut Vec<u8>) {
    let State {
        epoch,
        admission_paused,
        grants_paused,
        admitted,
        assignment,
        markers,
        sends,
        phase,
        binding,
        terminal,
        released,
        status,
        effects,
        results,
        failures,
        replacements,
        violation,
        verification_attempts,
    } = state;
    let mut packer = Packer::new();
    packer.flag(*admission_paused);
    packer.flag(*grants_paused);
    packer.flag(*admitted);
    packer.finite(*assignment);
    packer.subset(*markers);
    sends.iter().for_each(|(_, sends)| packer.finite(sends));
    phase.iter().for_each(|(_, phase)| packer.finite(phase));
    binding
        .iter()
        .for_each(|(_, binding)| packer.finite(binding));
    packer.subset(*terminal);
    packer.subset(*released);
    status.iter().for_each(|(_, status)| packer.finite(status));
    packer.subset(*effects);
    packer.subset(*results);
    packer.subset(*failures);
    packer.subset(*replacements);
    packer.finite(*violation);
    let attempts = verification_attempts.iter();
    attempts.for_each(|(_, attempts)| packer.finite(attempts));
    bytes.extend(packer.into_bytes::<FIXED>());
    match u8::try_from(*epoch) {
        Ok(short) if short != LONG => bytes.push(short),
        _ => {
            bytes.push(LONG);
            bytes.extend(epoch.to_be_bytes());
        }
    }
}

pub(super) fn decode(bytes: &[u8]) -> Option<State> {
    let (fixed, epoch) = bytes.split_first_chunk::<FIXED>()?;
    let epoch = match epoch {
        [short] if *short != LONG => i64::from(*short),
        [LONG, long @ ..] => {
            let epoch = i64::from_be_bytes(long.try_into().ok()?);
            // One that fits into a byte is written as one.
            if (0..i64::from(LONG)).contains(&epoch) {
                return None;
            }
            epoch
        }
        _ => return None,
    };
    let mut unpacker = Unpacker::new(*fixed);
    let state = State {
        epoch,
        admission_paused: unpacker.flag(),
        grants_paused: unpacker.flag(),
        admitted: unpacker.flag(),
        assignment: unpacker.finite()?,
        markers: unpacker.subset()?,
        sends: Map::try_from_fn(|_| unpacker.finite().ok_or(())).ok()?,
        phase: Map::try_from_fn(|_| unpacker.finite().ok_or(())).ok()?,
        binding: Map::try_from_fn(|_| unpacker.finite().ok_or(())).ok()?,
        terminal: unpacker.subset()?,
        released: unpacker.subset()?,
        status: Map::try_from_fn(|_| unpacker.finite().ok_or(())).ok()?,
        effects: unpacker.subset()?,
        results: unpacker.subset()?,
        failures: unpacker.subset()?,
        replacements: unpacker.subset()?,
        violation: unpacker.finite()?,
        verification_attempts: Map::try_from_fn(|_| unpacker.finite().ok_or(())).ok()?,
    };
    unpacker.is_finished().then_some(state)
}
