//! The canonical bytes of a state: two for sets and bits, then the numbers.

use super::constants::Key;
use super::state::State;
use crate::finite::Map;
use crate::integers::{put_integer, take_integer};
use crate::packing::{Packer, Unpacker};

/// Bytes of sets and bits.
const FIXED: usize = 2;

pub(super) fn encode(state: &State, bytes: &mut Vec<u8>) {
    let State {
        passes,
        active,
        eligible,
        counts,
        phase,
        completed_cycle,
        cycle_counts,
        served,
    } = state;
    let mut packer = Packer::new();
    packer.subset(*active);
    packer.subset(*eligible);
    packer.flag(*completed_cycle);
    served.iter().for_each(|(_, bit)| packer.finite(bit));
    bytes.extend(packer.into_bytes::<FIXED>());
    put_integer(*phase, bytes);
    for numbers in [passes, counts, cycle_counts] {
        numbers
            .iter()
            .for_each(|(_, number)| put_integer(number, bytes));
    }
}

pub(super) fn decode(bytes: &[u8]) -> Option<State> {
    let (fixed, mut numbers) = bytes.split_first_chunk::<FIXED>()?;
    let mut unpacker = Unpacker::new(*fixed);
    let active = unpacker.subset()?;
    let eligible = unpacker.subset()?;
    let completed_cycle = unpacker.flag();
    let served = Map::try_from_fn(|_| unpacker.finite().ok_or(())).ok()?;
    let phase = take_integer(&mut numbers)?;
    let mut of_each_key = || Map::try_from_fn(|_: Key| take_integer(&mut numbers).ok_or(())).ok();
    let state = State {
        passes: of_each_key()?,
        active,
        eligible,
        counts: of_each_key()?,
        phase,
        completed_cycle,
        cycle_counts: of_each_key()?,
        served,
    };
    (unpacker.is_finished() && numbers.is_empty()).then_some(state)
}
