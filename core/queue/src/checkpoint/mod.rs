//! Checkpoints: one commit that stands for all before it (section 10).
//!
//! A checkpoint holds the whole state as JSON. What was asked for and answered is kept, too, so that a
//! request that is made again is answered as it was before; these receipts are compressed on the
//! wire. The digest is of the logical state, in which they are not, so another compressor's bytes
//! mean the same.
//!
//! The protocol names the members of a snapshot and of a receipt, and not all of what is inside of
//! them. Where it is silent, the form is that of [`form`] and of the records of
//! [`state`](crate::state).
//!
//! | module | |
//! |---|---|
//! | [`snapshot`] | a state as a value, and back |
//! | [`form`] | its form as JSON |
//! | `works`, `grants` | what is checked before it is believed |
//! | `clocks` | clocks as JSON |

mod clocks;
pub mod form;
mod grants;
pub mod snapshot;
mod works;

use std::io::{Read as _, Write as _};
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use plumb_canonical::{Digest, Object, Reader, Value};

use crate::code::Code;
use crate::identity::{checkpoint_request_id, commit_id};
use crate::reject::{Rejection, ensure};
use crate::replay::Facts;
use crate::state::State;
use crate::state::records::Receipt;
use crate::wire::commit::{CheckpointParameters, Parameters};
use crate::wire::operation::Checkpoint;
use crate::wire::scalar::{Json, Revision, Timestamp};
use crate::wire::{Actor, Operation, OrNull, QueueCommit, QueueRequest, RequestKind, Wire};
use crate::writer::read_back;
use snapshot::Snapshot;

/// The largest size of receipts once they are inflated: 64 MiB.
pub const MAX_INFLATED_BYTES: u64 = 64 << 20;

/// The logical member that holds the receipts, and the one on the wire.
const RECEIPTS: (&str, &str) = ("requests", "requests_compressed");

/// The checkpoint of a state.
///
/// `log` is the text whose state it is, and `git` the Git commit that holds it: what is left behind
/// can be found again. The commit becomes the only line of the new log.
///
/// # Errors
///
/// `checkpoint_invalid` if the state is that of an empty log; `resource_limit` if the line would be
/// longer than a line may be, or something in it deeper.
pub fn checkpoint(
    state: &State,
    log: &[u8],
    git: Revision,
    actor: Actor,
    at: Timestamp,
) -> Result<QueueCommit, Rejection> {
    let (Some(tip), Some(installed)) = (state.tip(), state.installed()) else {
        return Err(invalid("an empty log has nothing to be a checkpoint of"));
    };
    let snapshot = Snapshot::of(state)?;
    let logical = snapshot.write().into_owned();
    let state_sha256 = logical.digest();
    let Value::Object(mut wire) = logical else {
        return Err(invalid("a snapshot is an object"));
    };
    let receipts = wire
        .remove(RECEIPTS.0)
        .unwrap_or(Value::Null)
        .to_canonical();
    wire.insert(RECEIPTS.1, Value::from(compress(receipts.as_bytes())?));
    let parameters = CheckpointParameters {
        prior_git_sha: git.clone(),
        prior_tip: tip.clone(),
        history_sha256: Digest::of(log),
        state_sha256,
    };
    let request = checkpoint_request_id(tip, &git);
    let mut commit = QueueCommit {
        id: commit_id(Some(tip), &request),
        previous: None,
        policy_epoch: installed.epoch.clone(),
        at: at.max(state.last_at()),
        operations: vec![Operation::Checkpoint(Checkpoint {
            prior_git_sha: git,
            prior_tip: tip.clone(),
            history_sha256: parameters.history_sha256,
            state_sha256,
            state: Json::new(wire),
        })],
        request: QueueRequest {
            id: request,
            kind: RequestKind::Checkpoint,
            parameters: Parameters::Checkpoint(parameters),
            fingerprint: state_sha256,
        },
        actor,
        trace: None,
    };
    commit.sign();
    read_back(&commit.write().to_canonical())?;
    Ok(commit)
}

/// The state that a checkpoint stands for; the request has been checked.
///
/// # Errors
///
/// `checkpoint_invalid`: the digest is another, or something in the state contradicts something else.
pub(crate) fn restore(commit: &QueueCommit, facts: Facts) -> Result<State, Rejection> {
    let Some(Operation::Checkpoint(checkpoint)) = commit.operations.first() else {
        return Err(invalid("a checkpoint request carries a Checkpoint"));
    };
    ensure!(
        commit.previous.is_none(),
        CheckpointInvalid,
        "a checkpoint is the first of its log"
    );
    let logical = logical(&checkpoint.state)?;
    let digest = logical.digest();
    ensure!(
        digest == checkpoint.state_sha256,
        CheckpointInvalid,
        "the state has the digest {digest}, and the checkpoint says {}",
        checkpoint.state_sha256
    );
    let snapshot = Snapshot::read(&logical, Code::CheckpointInvalid)
        .map_err(|error| Rejection::new(Code::CheckpointInvalid, error.to_string()))?;
    let mut state = snapshot.restore(&commit.actor.repository)?;
    ensure!(
        state.tip.as_ref() == Some(&checkpoint.prior_tip),
        CheckpointInvalid,
        "the state ends with another commit than {}",
        checkpoint.prior_tip
    );
    let epoch = state.installed().map(|installed| &installed.epoch);
    ensure!(
        epoch == Some(&commit.policy_epoch),
        PolicyEpochInvalid,
        "the checkpoint is made under epoch {}, and the state's is {}",
        commit.policy_epoch,
        epoch.map_or("none", |epoch| epoch.as_str())
    );
    let receipt = Receipt {
        id: commit.id.clone(),
        previous: OrNull(None),
        request_id: commit.request.id.clone(),
        kind: commit.request.kind,
        fingerprint: commit.request.fingerprint,
        parameters_digest: facts.parameters,
        dispatch_parameters: None,
        actor: Arc::new(commit.actor.clone()),
        epoch: commit.policy_epoch.clone(),
        at: commit.at,
        events: 1,
        claim_explanations: Vec::new(),
        prior_tip: Some(checkpoint.prior_tip.clone()),
    };
    let request = &commit.request.id;
    ensure!(
        !state.receipts.contains_key(request) && !state.commits.contains_key(&commit.id),
        RequestReuse,
        "request {request} was answered before the checkpoint"
    );
    state.receipts.insert(request.clone(), Arc::new(receipt));
    state.history.insert(state.ordinal, request.clone());
    state.commits.insert(commit.id.clone(), ());
    state.ordinal += 1;
    state.tip = Some(commit.id.clone());
    state.last_at = state.last_at.max(commit.at);
    state.totals.ledger = facts.bytes;
    check_room(&state)?;
    Ok(state)
}

fn check_room(state: &State) -> Result<(), Rejection> {
    let limits = state.installed().map(|installed| &installed.policy.limits);
    let all = limits.map_or(0, |it| it.ledger_bytes.get() + it.recovery_bytes.get());
    let needed = state.totals.ledger + state.totals.reserve;
    ensure!(
        needed <= all,
        LedgerLimit,
        "{needed} bytes are needed, and {all} are allowed"
    );
    Ok(())
}

/// The state as its digest sees it: with its receipts inflated.
fn logical(state: &Json) -> Result<Value<'static>, Rejection> {
    let mut object = Object::clone(state.object());
    let compressed = match object.remove(RECEIPTS.1) {
        Some(Value::String(text)) if object.get(RECEIPTS.0).is_none() => text,
        _ => return Err(invalid("the state has no compressed receipts")),
    };
    let inflated = inflate(&compressed)?;
    let reader = Reader::with_max_bytes(inflated.len()).with_any_elements();
    let receipts = reader
        .read(&inflated)
        .map_err(|fault| Rejection::new(Code::CheckpointInvalid, fault.to_string()))?;
    object.insert(RECEIPTS.0, receipts.into_owned());
    Ok(object.into())
}

fn compress(bytes: &[u8]) -> Result<String, Rejection> {
    let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
    let written = encoder.write_all(bytes).and_then(|()| encoder.finish());
    // Memory can be written to.
    let compressed =
        written.map_err(|error| Rejection::new(Code::CheckpointInvalid, error.to_string()))?;
    Ok(STANDARD.encode(compressed))
}

/// Inflates, but never beyond [`MAX_INFLATED_BYTES`].
fn inflate(text: &str) -> Result<Vec<u8>, Rejection> {
    let compressed = STANDARD.decode(text).map_err(|error| {
        Rejection::new(
            Code::CheckpointInvalid,
            format!("the receipts are not base64: {error}"),
        )
    })?;
    let mut bytes = Vec::new();
    let mut decoder = DeflateDecoder::new(&*compressed).take(MAX_INFLATED_BYTES + 1);
    decoder.read_to_end(&mut bytes).map_err(|error| {
        Rejection::new(
            Code::CheckpointInvalid,
            format!("the receipts are not DEFLATE: {error}"),
        )
    })?;
    ensure!(
        bytes.len() as u64 <= MAX_INFLATED_BYTES,
        CheckpointInvalid,
        "the receipts inflate to more than {MAX_INFLATED_BYTES} bytes"
    );
    ensure!(
        decoder.into_inner().total_in() == compressed.len() as u64,
        CheckpointInvalid,
        "something follows the receipts"
    );
    Ok(bytes)
}

fn invalid(message: &'static str) -> Rejection {
    Rejection::new(Code::CheckpointInvalid, message)
}
