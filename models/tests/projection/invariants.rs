//! Each invariant is false where it should be: states in which all hold, and what one changed value
//! does to which of them.

use plumb_checker::CheckedModel;
use plumb_models::IssueProjection;
use plumb_tla::parse_state;

use crate::harness::walk::violated;
use crate::projection;

/// A created issue, summarised and closed.
const CREATED: &str = r#"/\ projectorInstalled = TRUE
/\ policyClose = TRUE
/\ admitted = TRUE
/\ admissionAuthorized = TRUE
/\ admissionClose = TRUE
/\ originalClaim = TRUE
/\ principalMatches = FALSE
/\ issueExists = TRUE
/\ createdByProjector = TRUE
/\ receipt = TRUE
/\ bound = TRUE
/\ journal = "receipted"
/\ coordination = "held"
/\ createAttempts = 1
/\ resultVerified = TRUE
/\ summaryProjected = TRUE
/\ summaryAuthorized = TRUE
/\ issueClosed = TRUE
/\ closureAuthorized = TRUE
/\ nativeWrites = 3
/\ unauthorizedWrites = 0
/\ humanText = "human content""#;

/// A creation whose receipt was lost.
const UNCERTAIN: &str = r#"/\ projectorInstalled = TRUE
/\ policyClose = TRUE
/\ admitted = TRUE
/\ admissionAuthorized = TRUE
/\ admissionClose = TRUE
/\ originalClaim = TRUE
/\ principalMatches = TRUE
/\ issueExists = TRUE
/\ createdByProjector = TRUE
/\ receipt = FALSE
/\ bound = FALSE
/\ journal = "uncertain"
/\ coordination = "held"
/\ createAttempts = 1
/\ resultVerified = FALSE
/\ summaryProjected = FALSE
/\ summaryAuthorized = FALSE
/\ issueClosed = FALSE
/\ closureAuthorized = FALSE
/\ nativeWrites = 1
/\ unauthorizedWrites = 0
/\ humanText = "human content""#;

fn assert_violated(model: &IssueProjection, base: &str, changes: &[(&str, &str, &[&str])]) {
    for (old, new, expected) in changes {
        assert!(base.contains(old), "{old} is to be replaced");
        let state = parse_state(&base.replacen(old, new, 1)).unwrap();
        let state = model.parse_tla(&state).unwrap();
        assert_eq!(
            violated(model, &state),
            *expected,
            "{old} replaced by {new}"
        );
    }
}

#[test]
fn states_print_as_the_document_spells_them() {
    let model = projection(("created", false, true, false), "none");
    for text in [CREATED, UNCERTAIN] {
        let state = model.parse_tla(&parse_state(text).unwrap()).unwrap();
        assert_eq!(model.to_tla(&state).to_string(), text);
    }
}

#[test]
fn each_invariant_of_a_created_issue_is_false_where_it_should_be() {
    assert_violated(
        &projection(("created", false, true, false), "none"),
        CREATED,
        &[
            ("admitted = TRUE", "admitted = TRUE", &[]),
            ("createAttempts = 1", "createAttempts = -1", &["TypeOK"]),
            (
                "createAttempts = 1",
                "createAttempts = 2",
                &["SingleCreation"],
            ),
            ("nativeWrites = 3", "nativeWrites = -1", &["TypeOK"]),
            ("nativeWrites = 3", "nativeWrites = 9000000000", &[]),
            (
                "unauthorizedWrites = 0",
                "unauthorizedWrites = -3",
                &["TypeOK", "ProjectionAuthority"],
            ),
            (
                "unauthorizedWrites = 0",
                "unauthorizedWrites = 1",
                &["ProjectionAuthority"],
            ),
            (
                "summaryAuthorized = TRUE",
                "summaryAuthorized = FALSE",
                &["ProjectionAuthority"],
            ),
            ("summaryProjected = TRUE", "summaryProjected = FALSE", &[]),
            (
                "admitted = TRUE",
                "admitted = FALSE",
                &["TargetBindingAuthority"],
            ),
            (
                "admissionAuthorized = TRUE",
                "admissionAuthorized = FALSE",
                &["AdmissionAuthority", "TargetBindingAuthority"],
            ),
            (
                "createdByProjector = TRUE",
                "createdByProjector = FALSE",
                &["TargetBindingAuthority"],
            ),
            (
                "receipt = TRUE",
                "receipt = FALSE",
                &["TargetBindingAuthority"],
            ),
            ("bound = TRUE", "bound = FALSE", &["ClosureAuthority"]),
            (
                "closureAuthorized = TRUE",
                "closureAuthorized = FALSE",
                &["ClosureAuthority"],
            ),
            (
                "resultVerified = TRUE",
                "resultVerified = FALSE",
                &["ClosureAuthority"],
            ),
            (
                "admissionClose = TRUE",
                "admissionClose = FALSE",
                &["ClosureAuthority"],
            ),
            ("policyClose = TRUE", "policyClose = FALSE", &[]),
            (
                "journal = \"receipted\"",
                "journal = \"uncertain\"",
                &["UncertainCreationFence"],
            ),
        ],
    );
    assert_violated(
        &projection(("created", false, true, true), "none"),
        CREATED,
        &[("admitted = TRUE", "admitted = TRUE", &["ClosureAuthority"])],
    );
}

#[test]
fn a_creation_in_doubt_is_fenced() {
    assert_violated(
        &projection(("created", false, true, false), "none"),
        UNCERTAIN,
        &[
            ("admitted = TRUE", "admitted = TRUE", &[]),
            (
                "coordination = \"held\"",
                "coordination = \"free\"",
                &["UncertainCreationFence"],
            ),
            (
                "createAttempts = 1",
                "createAttempts = 0",
                &["UncertainCreationFence"],
            ),
            (
                "createAttempts = 1",
                "createAttempts = 2",
                &["SingleCreation", "UncertainCreationFence"],
            ),
            (
                "receipt = FALSE",
                "receipt = TRUE",
                &["UncertainCreationFence"],
            ),
            (
                "bound = FALSE",
                "bound = TRUE",
                &["TargetBindingAuthority", "UncertainCreationFence"],
            ),
        ],
    );
}

#[test]
fn an_issue_that_was_there_needs_a_grant() {
    let changes: [(bool, &[&str]); 2] = [
        (true, &[]),
        (false, &["AdmissionAuthority", "TargetBindingAuthority"]),
    ];
    for (granted, expected) in changes {
        assert_violated(
            &projection(("existing", granted, true, false), "none"),
            CREATED,
            &[
                ("admitted = TRUE", "admitted = TRUE", expected),
                ("receipt = TRUE", "receipt = FALSE", expected),
            ],
        );
    }
}

#[test]
fn what_is_no_state_is_refused_at_its_place() {
    let model = projection(("created", false, true, false), "none");
    for (old, new, expected) in [
        (
            "\"human content\"",
            "\"edited\"",
            "humanText: expected \"human content\", found \"edited\"",
        ),
        (
            "\"receipted\"",
            "\"lost\"",
            "journal: expected one of \"none\", \"intent\", \"receipted\", \"uncertain\", found \
             \"lost\"",
        ),
        (
            "bound = TRUE",
            "bound = 1",
            "bound: expected TRUE or FALSE, found 1",
        ),
    ] {
        let state = parse_state(&CREATED.replacen(old, new, 1)).unwrap();
        let error = model.parse_tla(&state).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
}
