//! The seven invariants.
//!
//! Shared design, models/projection.md, section 4.

use plumb_checker::Invariant;

use super::IssueProjection;
use super::state::{Coordination, Journal, State};

/// What the model guarantees.
pub(super) fn guarantees() -> Vec<Invariant<IssueProjection>> {
    vec![
        Invariant::state(
            "TypeOK",
            "attempts and writes are natural numbers, and what people wrote is untouched",
            type_ok,
        ),
        Invariant::state(
            "AdmissionAuthority",
            "an admission was authorized, for an issue that is created or was granted",
            admission_authority,
        ),
        Invariant::state(
            "TargetBindingAuthority",
            "a bound target was admitted with authority, and bound to a granted issue or to one \
             that the projector created with a receipt",
            target_binding_authority,
        ),
        Invariant::state(
            "ProjectionAuthority",
            "nothing was written without authority, the summary included",
            projection_authority,
        ),
        Invariant::state(
            "SingleCreation",
            "a creation is attempted at most once",
            single_creation,
        ),
        Invariant::state(
            "UncertainCreationFence",
            "a creation of unknown outcome keeps its coordination, its single attempt, and the \
             target unbound",
            uncertain_creation_fence,
        ),
        Invariant::state(
            "ClosureAuthority",
            "a closed issue was closed with authority: bound, verified, no pull request, and \
             admitted under a policy that closes",
            closure_authority,
        ),
    ]
}

/// All but the signs of numbers is so by the Rust types.
fn type_ok(_: &IssueProjection, state: &State) -> bool {
    let numbers = [
        state.create_attempts,
        state.native_writes,
        state.unauthorized_writes,
    ];
    numbers.iter().all(|number| *number >= 0)
}

fn admission_authority(model: &IssueProjection, state: &State) -> bool {
    let constants = &model.constants;
    !state.admitted || state.admission_authorized && (constants.created() || constants.target_grant)
}

fn target_binding_authority(model: &IssueProjection, state: &State) -> bool {
    let constants = &model.constants;
    let granted = constants.existing() && constants.target_grant;
    let created = constants.created() && state.created_by_projector && state.receipt;
    !state.bound || state.admitted && state.admission_authorized && (granted || created)
}

fn projection_authority(_: &IssueProjection, state: &State) -> bool {
    state.unauthorized_writes == 0 && (!state.summary_projected || state.summary_authorized)
}

fn single_creation(_: &IssueProjection, state: &State) -> bool {
    state.create_attempts <= 1
}

fn uncertain_creation_fence(_: &IssueProjection, state: &State) -> bool {
    state.journal != Journal::Uncertain
        || state.coordination == Coordination::Held
            && state.create_attempts == 1
            && !state.receipt
            && !state.bound
}

fn closure_authority(model: &IssueProjection, state: &State) -> bool {
    !state.issue_closed
        || state.closure_authorized
            && state.result_verified
            && !model.constants.is_pull_request
            && state.admission_close
            && state.bound
}
