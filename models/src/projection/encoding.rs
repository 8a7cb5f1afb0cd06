//! The canonical bytes of a state: three for all that is finite, then the three numbers.

use super::state::State;
use crate::integers::{put_integer, take_integer};
use crate::packing::{Packer, Unpacker};

/// Bytes of everything but the numbers.
const FIXED: usize = 3;

pub(super) fn encode(state: &State, bytes: &mut Vec<u8>) {
    let State {
        projector_installed,
        policy_close,
        admitted,
        admission_authorized,
        admission_close,
        original_claim,
        principal_matches,
        issue_exists,
        created_by_projector,
        receipt,
        bound,
        journal,
        coordination,
        create_attempts,
        result_verified,
        summary_projected,
        summary_authorized,
        issue_closed,
        closure_authorized,
        native_writes,
        unauthorized_writes,
    } = state;
    let mut packer = Packer::new();
    packer.flag(*projector_installed);
    packer.flag(*policy_close);
    packer.flag(*admitted);
    packer.flag(*admission_authorized);
    packer.flag(*admission_close);
    packer.flag(*original_claim);
    packer.flag(*principal_matches);
    packer.flag(*issue_exists);
    packer.flag(*created_by_projector);
    packer.flag(*receipt);
    packer.flag(*bound);
    packer.finite(*journal);
    packer.finite(*coordination);
    packer.flag(*result_verified);
    packer.flag(*summary_projected);
    packer.flag(*summary_authorized);
    packer.flag(*issue_closed);
    packer.flag(*closure_authorized);
    bytes.extend(packer.into_bytes::<FIXED>());
    for number in [create_attempts, native_writes, unauthorized_writes] {
        put_integer(*number, bytes);
    }
}

pub(super) fn decode(bytes: &[u8]) -> Option<State> {
    let (fixed, mut numbers) = bytes.split_first_chunk::<FIXED>()?;
    let mut unpacker = Unpacker::new(*fixed);
    let state = State {
        projector_installed: unpacker.flag(),
        policy_close: unpacker.flag(),
        admitted: unpacker.flag(),
        admission_authorized: unpacker.flag(),
        admission_close: unpacker.flag(),
        original_claim: unpacker.flag(),
        principal_matches: unpacker.flag(),
        issue_exists: unpacker.flag(),
        created_by_projector: unpacker.flag(),
        receipt: unpacker.flag(),
        bound: unpacker.flag(),
        journal: unpacker.finite()?,
        coordination: unpacker.finite()?,
        result_verified: unpacker.flag(),
        summary_projected: unpacker.flag(),
        summary_authorized: unpacker.flag(),
        issue_closed: unpacker.flag(),
        closure_authorized: unpacker.flag(),
        create_attempts: take_integer(&mut numbers)?,
        native_writes: take_integer(&mut numbers)?,
        unauthorized_writes: take_integer(&mut numbers)?,
    };
    (unpacker.is_finished() && numbers.is_empty()).then_some(state)
}
