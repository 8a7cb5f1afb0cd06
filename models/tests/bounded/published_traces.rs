//! The shortest traces that the documents publish, action by action.
//!
//! Shared design: models/claim-scope.md, sections 5 and 6; models/lifecycle.md, sections 5, 8 and 9.

use plumb_checker::{CheckedModel, Progress, SearchOptions};
use plumb_models::{ClaimScopedWorker, QueueLifecycle};

use crate::setting::{cfg, configured, model, registered, specs};
use crate::walk::{ends, holds};

/// The actions of the document lead to a violation, and the counterexample found has as many.
fn assert_published<M: CheckedModel>(configuration: &str, property: &str, actions: &str) {
    let specs = specs();
    let entries = registered(&specs);
    let entry = entries.iter().find(|entry| entry.name == configuration);
    let entry = entry.expect("it is registered");
    let cfg = cfg(&specs, entry);
    let names: Vec<_> = actions.split_whitespace().collect();

    let text = specs
        .text(&format!("{}/{configuration}.cfg", entry.model))
        .unwrap();
    let (definitions, _) = text.split_once("INVARIANT").expect("it checks something");
    let plain: M = model(definitions);
    let ends = ends(&plain, &names);
    assert!(
        !ends.is_empty(),
        "{configuration}: {actions} is no behaviour"
    );
    let violated = |state| !holds(&plain, property, state);
    assert!(
        ends.iter().any(violated),
        "{configuration}: {actions} violates nothing"
    );

    let report = configured(entry, &cfg).check(&SearchOptions::default(), &Progress::default());
    assert_eq!(report.verdict.property(), Some(property), "{configuration}");
    assert_eq!(report.trace.len(), names.len() + 1, "{configuration}");
}

#[test]
fn claim_scope_traces_are_behaviours_and_shortest() {
    for (configuration, property, actions) in [
        ("BrokenMissingClaimScope", "OutputScope", "BrokenScope"),
        ("BrokenForeignClaimScope", "OutputScope", "BrokenScope"),
        (
            "BrokenLastOpenClaimScope",
            "OutputScope",
            "BeginFinalize Finalize Finalize BrokenLastOpenScope",
        ),
        (
            "BrokenCancelledClaimOutput",
            "EffectAuthorization",
            "StageOutput BeginFinalize Finalize BrokenCancelledEffect",
        ),
        (
            "BrokenMixedDAGAdmission",
            "DAGAuthorization",
            "BeginFinalize Finalize BrokenDAGAdmission",
        ),
        (
            "SingleClaimScopeWitness",
            "NoAutomaticScope",
            "StageOutput FinishIntent BeginFinalize Finalize Effect",
        ),
        (
            "MixedClaimDAGWitness",
            "NoMixedDAGProgress",
            "StageOutput StageOutput StageOutput FinishIntent FinishIntent FinishIntent \
             BeginFinalize Finalize Finalize Finalize Effect Effect Terminate \
             VerifyDelivery VerifyDelivery PublishResult PublishResult Admit",
        ),
    ] {
        assert_published::<ClaimScopedWorker>(configuration, property, actions);
    }
}

#[test]
fn lifecycle_traces_are_behaviours_and_shortest() {
    for (configuration, property, actions) in [
        ("BrokenLifecyclePrefix", "FairPrefixPacking", "Admit Grant"),
        (
            "BrokenLifecycleControl",
            "ControlNotPreemption",
            "Admit Grant Control Preempt",
        ),
        (
            "BrokenLifecycleSender",
            "OneSender",
            "Admit Grant Mark Send Send",
        ),
        (
            "BrokenLifecycleActivation",
            "BindingAuthority",
            "Admit Grant Mark Send UnauthenticatedActivation",
        ),
        (
            "BrokenLifecycleRelease",
            "ReservationAuthority",
            "Admit Grant Mark Send Release",
        ),
        (
            "BrokenLifecycleBinding",
            "BindingAuthority",
            "Admit Grant Mark Send Activate ConflictingActivation",
        ),
        (
            "BrokenLifecycleRerun",
            "AttemptOneEffects",
            "Admit Grant Mark Send Activate Finish Effect",
        ),
        (
            "BrokenLifecycleConflictRelease",
            "ReservationAuthority",
            "Admit Grant Mark Send Activate TerminalEvidence ConflictingActivation Release",
        ),
        (
            "BrokenLifecycleVerificationBudget",
            "DeliveryFailureBudget",
            "Admit Grant Mark Send Activate TerminalEvidence Finish DeliveryFailure",
        ),
        (
            "BrokenLifecycleReplacement",
            "ReplacementSafety",
            "Admit Grant Mark Send Activate TerminalEvidence Finish VerifyDelivery \
             VerifyDelivery DeliveryFailure Replace",
        ),
        (
            "BrokenLifecycleDelivery",
            "DeliveryExclusivity",
            "Admit Grant Mark Send Activate TerminalEvidence Finish Effect VerifyDelivery \
             VerifyDelivery DeliveryFailure Result",
        ),
        (
            "LifecycleActivationWitness",
            "NoActivationRecoveryWitness",
            "Admit Grant Mark Send Activate",
        ),
        (
            "LifecycleConflictWitness",
            "NoConflictReservationWitness",
            "Admit Grant Mark Send Activate ConflictingActivation",
        ),
        (
            "LifecycleMixedDAGWitness",
            "NoMixedLifecycleWitness",
            "Admit Grant Mark Control Control Send Activate Finish Finish Effect Effect \
             Result Result Release Successor",
        ),
    ] {
        assert_published::<QueueLifecycle>(configuration, property, actions);
    }
}
