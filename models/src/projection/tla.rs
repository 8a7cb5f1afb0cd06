//! The state in TLA+, and back.

use plumb_checker::NotAState;
use plumb_tla::{State as TlaState, Value};

use super::state::{HUMAN_TEXT, State};
use crate::finite::Finite;
use crate::reading::{Place, Variables};

/// The module's variables, in the order of the shared design's table.
pub(super) const VARIABLES: &[&str] = &[
    "projectorInstalled",
    "policyClose",
    "admitted",
    "admissionAuthorized",
    "admissionClose",
    "originalClaim",
    "principalMatches",
    "issueExists",
    "createdByProjector",
    "receipt",
    "bound",
    "journal",
    "coordination",
    "createAttempts",
    "resultVerified",
    "summaryProjected",
    "summaryAuthorized",
    "issueClosed",
    "closureAuthorized",
    "nativeWrites",
    "unauthorizedWrites",
    "humanText",
];

pub(super) fn to_tla(state: &State) -> TlaState {
    TlaState::new([
        ("projectorInstalled", Value::bool(state.projector_installed)),
        ("policyClose", Value::bool(state.policy_close)),
        ("admitted", Value::bool(state.admitted)),
        (
            "admissionAuthorized",
            Value::bool(state.admission_authorized),
        ),
        ("admissionClose", Value::bool(state.admission_close)),
        ("originalClaim", Value::bool(state.original_claim)),
        ("principalMatches", Value::bool(state.principal_matches)),
        ("issueExists", Value::bool(state.issue_exists)),
        (
            "createdByProjector",
            Value::bool(state.created_by_projector),
        ),
        ("receipt", Value::bool(state.receipt)),
        ("bound", Value::bool(state.bound)),
        ("journal", state.journal.to_value()),
        ("coordination", state.coordination.to_value()),
        ("createAttempts", Value::int(state.create_attempts)),
        ("resultVerified", Value::bool(state.result_verified)),
        ("summaryProjected", Value::bool(state.summary_projected)),
        ("summaryAuthorized", Value::bool(state.summary_authorized)),
        ("issueClosed", Value::bool(state.issue_closed)),
        ("closureAuthorized", Value::bool(state.closure_authorized)),
        ("nativeWrites", Value::int(state.native_writes)),
        ("unauthorizedWrites", Value::int(state.unauthorized_writes)),
        ("humanText", Value::str(HUMAN_TEXT)),
    ])
}

pub(super) fn parse_tla(state: &TlaState) -> Result<State, NotAState> {
    let variables = Variables::of(state, VARIABLES)?;
    let place = |variable: &str| -> Place<'_> { variables.place(variable) };
    if state.get("humanText") != Some(&Value::str(HUMAN_TEXT)) {
        return Err(place("humanText").refuse(Value::str(HUMAN_TEXT).to_string()));
    }
    Ok(State {
        projector_installed: place("projectorInstalled").boolean()?,
        policy_close: place("policyClose").boolean()?,
        admitted: place("admitted").boolean()?,
        admission_authorized: place("admissionAuthorized").boolean()?,
        admission_close: place("admissionClose").boolean()?,
        original_claim: place("originalClaim").boolean()?,
        principal_matches: place("principalMatches").boolean()?,
        issue_exists: place("issueExists").boolean()?,
        created_by_projector: place("createdByProjector").boolean()?,
        receipt: place("receipt").boolean()?,
        bound: place("bound").boolean()?,
        journal: place("journal").finite()?,
        coordination: place("coordination").finite()?,
        create_attempts: place("createAttempts").integer()?,
        result_verified: place("resultVerified").boolean()?,
        summary_projected: place("summaryProjected").boolean()?,
        summary_authorized: place("summaryAuthorized").boolean()?,
        issue_closed: place("issueClosed").boolean()?,
        closure_authorized: place("closureAuthorized").boolean()?,
        native_writes: place("nativeWrites").integer()?,
        unauthorized_writes: place("unauthorizedWrites").integer()?,
    })
}
