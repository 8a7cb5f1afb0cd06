//! What can be said of a request without the state: its form, its fingerprint, what its actor's role
//! and its kind may carry, and that its parameters are its operations (sections 2 and 4).

use plumb_canonical::{Digest, Value};

use crate::identity::fingerprints;
use crate::reject::{Rejection, ensure};
use crate::wire::commit::{Outcome, Parameters};
use crate::wire::operation::OperationKind as Op;
use crate::wire::{Operation, QueueCommit, RequestKind as Kind, Role};

/// Which roles may make a request of this kind (section 2.2).
fn roles(kind: Kind) -> &'static [Role] {
    use Role::{Administrator, Dispatcher, Producer, Projector, Reconciler, Worker};
    match kind {
        Kind::Policy | Kind::Control | Kind::Checkpoint => &[Administrator],
        Kind::Deployment => &[Administrator, Producer, Dispatcher],
        Kind::Submit => &[Administrator, Producer, Dispatcher, Worker],
        Kind::DispatchNext => &[Administrator, Dispatcher, Worker],
        Kind::Finish => &[Worker],
        Kind::Observe => &[Administrator, Dispatcher, Worker, Reconciler],
        Kind::Dispatch => &[Dispatcher, Worker, Reconciler],
        Kind::Release | Kind::Result | Kind::DeliveryFailure | Kind::CancelClaim => &[Reconciler],
        Kind::CancelWork => &[Administrator, Producer, Reconciler],
        Kind::IssueLink => &[Projector],
    }
}

/// Which operations a request of this kind may carry (section 2.2).
fn operations(kind: Kind) -> &'static [Op] {
    match kind {
        Kind::Policy => &[Op::Policy],
        Kind::Deployment => &[Op::Deployment],
        Kind::Control => &[Op::Control, Op::WorkPriority],
        Kind::Submit => &[Op::Policy, Op::Work],
        Kind::DispatchNext => &[Op::Observation, Op::Claim],
        Kind::Finish => &[Op::Completion, Op::ClaimCancellation, Op::WorkCancellation],
        Kind::Observe => &[Op::Observation],
        Kind::Dispatch => &[Op::Dispatch],
        Kind::Release => &[Op::ClaimCancellation, Op::WorkCancellation, Op::Release],
        Kind::Result => &[Op::Result],
        Kind::DeliveryFailure => &[Op::DeliveryFailure],
        Kind::CancelWork => &[Op::WorkCancellation],
        Kind::CancelClaim => &[Op::ClaimCancellation, Op::WorkCancellation],
        Kind::Checkpoint => &[Op::Checkpoint],
        Kind::IssueLink => &[Op::IssueLink, Op::IssueComment],
    }
}

/// Which roles may say this at all: the second, independent gate (section 2.2).
fn speakers(operation: Op) -> &'static [Role] {
    use Role::{Administrator, Dispatcher, Producer, Projector, Reconciler, Worker};
    match operation {
        Op::Policy | Op::Deployment => &[Administrator, Producer, Dispatcher],
        Op::Control | Op::Checkpoint | Op::WorkPriority => &[Administrator],
        Op::Work => &[Producer, Dispatcher, Worker, Administrator],
        Op::Claim => &[Dispatcher, Administrator, Worker],
        Op::Completion => &[Worker],
        Op::Result | Op::DeliveryFailure | Op::Release => &[Reconciler],
        Op::Observation => &[Reconciler, Dispatcher, Administrator, Worker],
        Op::Dispatch => &[Dispatcher, Worker, Reconciler],
        Op::ClaimCancellation => &[Worker, Reconciler],
        Op::WorkCancellation => &[Producer, Administrator, Reconciler, Worker],
        Op::IssueLink | Op::IssueComment => &[Projector],
    }
}

/// Checks a request in the order of section 13: form, fingerprint, roles, parameters. Returns the
/// digest of the parameters.
pub(super) fn check(value: &Value<'_>, commit: &QueueCommit) -> Result<Digest, Rejection> {
    check_actor(commit)?;
    let parameters = check_fingerprint(value, commit)?;
    check_roles(commit)?;
    check_shape(commit)?;
    check_parameters(value, commit)?;
    Ok(parameters)
}

fn check_actor(commit: &QueueCommit) -> Result<(), Rejection> {
    let actor = &commit.actor;
    ensure!(
        actor.run_id.is_some() == actor.run_attempt.is_some(),
        RequestInvalid,
        "an actor's run_id and run_attempt come together"
    );
    if actor.role == Role::Worker {
        ensure!(
            actor.workflow.is_some() && actor.dispatch_id.is_some() && actor.run_id.is_some(),
            RequestInvalid,
            "a worker names its workflow, its run and its dispatch_id"
        );
        let attempt = actor
            .run_attempt
            .map_or(0, crate::wire::scalar::Bounded::get);
        ensure!(
            attempt == 1,
            RerunNotAuthorized,
            "a worker's run is its first attempt, and this is attempt {attempt}"
        );
    }
    Ok(())
}

fn check_fingerprint(value: &Value<'_>, commit: &QueueCommit) -> Result<Digest, Rejection> {
    // The commit was read from this value, so both are there.
    let (missing, kind) = (Value::Null, commit.request.kind);
    let parameters = value
        .get("request")
        .and_then(|request| request.get("parameters"));
    let (computed, parameters) = fingerprints(
        value.get("actor").unwrap_or(&missing),
        kind,
        parameters.unwrap_or(&missing),
    );
    let given = commit.request.fingerprint;
    ensure!(
        computed == given,
        RequestFingerprint,
        "the request has the fingerprint {computed}, and says {given}"
    );
    Ok(parameters)
}

fn check_roles(commit: &QueueCommit) -> Result<(), Rejection> {
    let (kind, role) = (commit.request.kind, commit.actor.role);
    ensure!(
        roles(kind).contains(&role),
        ActorUnauthorized,
        "a {role} may not make a {kind} request"
    );
    for operation in &commit.operations {
        let operation = operation.kind();
        ensure!(
            operations(kind).contains(&operation),
            UnauthorizedOperation,
            "a {kind} request may not carry the operation {operation}"
        );
        ensure!(
            speakers(operation).contains(&role),
            UnauthorizedOperation,
            "a {role} may not carry the operation {operation}"
        );
    }
    Ok(())
}

/// How many operations of which kind, and in which order.
fn check_shape(commit: &QueueCommit) -> Result<(), Rejection> {
    let kinds: Vec<Op> = commit.operations.iter().map(Operation::kind).collect();
    let is_right = match commit.request.kind {
        Kind::Policy | Kind::Checkpoint => kinds.len() == 1,
        Kind::Submit => {
            let works = kinds.strip_prefix(&[Op::Policy]).unwrap_or(&kinds);
            !works.is_empty() && works.iter().all(|kind| *kind == Op::Work)
        }
        Kind::DispatchNext => {
            let claims = kinds.iter().skip_while(|kind| **kind == Op::Observation);
            claims.clone().count() > 0 && claims.clone().all(|kind| *kind == Op::Claim)
        }
        Kind::Finish => matches!(
            kinds[..],
            [Op::Completion | Op::ClaimCancellation]
                | [Op::ClaimCancellation, Op::WorkCancellation]
        ),
        _ => true,
    };
    ensure!(
        is_right,
        RequestInvalid,
        "a {} request may not carry these {} operations in this order",
        commit.request.kind,
        kinds.len()
    );
    Ok(())
}

fn check_parameters(value: &Value<'_>, commit: &QueueCommit) -> Result<(), Rejection> {
    let operations = value
        .get("operations")
        .and_then(Value::as_array)
        .unwrap_or_default();
    let parameters = value
        .get("request")
        .and_then(|request| request.get("parameters"));
    let listed = |name| {
        let listed = parameters.and_then(|parameters| parameters.get(name));
        listed.and_then(Value::as_array).unwrap_or_default()
    };
    let is_right = match &commit.request.parameters {
        Parameters::Nodes => {
            let is_policy = matches!(commit.operations.first(), Some(Operation::Policy(_)));
            listed("nodes") == &operations[usize::from(is_policy)..]
        }
        Parameters::Operations => listed("operations") == operations,
        Parameters::DispatchNext(_) => true,
        Parameters::Finish(finish) => match commit.operations.first() {
            Some(Operation::Completion(completion)) => {
                finish.outcome == Outcome::Completed
                    && completion.dispatch_id == finish.dispatch_id
                    && completion.claim_handle == finish.claim_handle
            }
            // That the Claim is the one with the handle is checked with the state at hand.
            _ => finish.outcome == Outcome::Cancelled,
        },
        Parameters::Checkpoint(given) => match commit.operations.first() {
            Some(Operation::Checkpoint(checkpoint)) => {
                checkpoint.prior_git_sha == given.prior_git_sha
                    && checkpoint.prior_tip == given.prior_tip
                    && checkpoint.history_sha256 == given.history_sha256
                    && checkpoint.state_sha256 == given.state_sha256
            }
            _ => false,
        },
    };
    ensure!(
        is_right,
        RequestInvalid,
        "the parameters of the {} request are not what its operations say",
        commit.request.kind
    );
    Ok(())
}
