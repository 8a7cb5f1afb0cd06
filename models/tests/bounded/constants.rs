//! Constants at and beyond their usual values, the specifications' actions, and what a faulty cfg is
//! told.

use plumb_checker::{CheckedModel, Progress, SearchOptions, Verdict};
use plumb_models::lifecycle::Assignment;
use plumb_models::{ClaimScopedWorker, QueueLifecycle};

use crate::setting::{claim_scope, lifecycle};
use crate::walk::ends;

fn error(model: &str, cfg: &str) -> String {
    let cfg = plumb_tla::parse_cfg(cfg).unwrap();
    let registry = plumb_models::registry();
    match registry.find(model).unwrap().configure(&cfg) {
        Ok(_) => panic!("the cfg is accepted"),
        Err(error) => {
            let position = error.position();
            position.map_or_else(|| error.to_string(), |at| format!("{at}: {error}"))
        }
    }
}

#[test]
fn a_faulty_cfg_is_told_what_the_model_takes() {
    assert_eq!(
        error("claim-scope", "SPECIFICATION Spec\nCONSTANT ClaimCount = 2"),
        "line 2, column 23: constant ClaimCount: expected 1 or 3, found 2"
    );
    assert_eq!(
        error(
            "claim-scope",
            "SPECIFICATION BrokenSpec CONSTANT ClaimCount = 1"
        ),
        "line 1, column 15: unknown specification BrokenSpec: expected one of Spec, BrokenMissingScopeSpec, \
         BrokenForeignScopeSpec, BrokenLastOpenScopeSpec, BrokenCancelledOutputSpec, \
         BrokenMixedDAGSpec"
    );
    let lifecycle = |constants: &str| {
        error(
            "lifecycle",
            &format!("SPECIFICATION Spec\nCONSTANTS {constants}"),
        )
    };
    assert_eq!(
        lifecycle("GroupBudget = 1 EpochBound = 1"),
        "constant Broken has no value: expected one of \"none\", \"unauthenticated-activation\", \
         \"conflicting-binding\", \"conflict-release\", \"pause-preempts\", \
         \"result-after-failure\", \"skip-prefix\", \"ambiguous-release\", \"unsafe-replacement\", \
         \"rerun-effects\", \"second-sender\", \"early-delivery-failure\""
    );
    assert!(
        lifecycle("GroupBudget = TRUE EpochBound = 1 Broken = \"none\"").starts_with(
            "line 2, column 25: constant GroupBudget: expected an integer, found TRUE"
        )
    );
}

fn action_names<M: CheckedModel>(model: &M) -> Vec<&'static str> {
    let names = M::ACTIONS.iter().enumerate();
    names
        .filter(|(index, _)| model.has_action(*index))
        .map(|(_, name)| *name)
        .collect()
}

#[test]
fn a_specification_has_its_own_actions_only() {
    let sound = &ClaimScopedWorker::ACTIONS[..11];
    assert_eq!(action_names(&claim_scope("Spec", 3)), sound);
    for (specification, added) in [
        ("BrokenMissingScopeSpec", "BrokenScope"),
        ("BrokenForeignScopeSpec", "BrokenScope"),
        ("BrokenLastOpenScopeSpec", "BrokenLastOpenScope"),
        ("BrokenCancelledOutputSpec", "BrokenCancelledEffect"),
        ("BrokenMixedDAGSpec", "BrokenDAGAdmission"),
    ] {
        let names = action_names(&claim_scope(specification, 1));
        assert_eq!(names, [sound, &[added]].concat(), "{specification}");
    }

    let all = QueueLifecycle::ACTIONS;
    let without = |absent: &[&str]| -> Vec<_> {
        all.iter()
            .copied()
            .filter(|name| !absent.contains(name))
            .collect()
    };
    for (broken, absent) in [
        ("none", &["UnauthenticatedActivation", "Preempt"] as &[_]),
        ("unauthenticated-activation", &["Preempt"]),
        ("pause-preempts", &["UnauthenticatedActivation"]),
        ("second-sender", &["UnauthenticatedActivation", "Preempt"]),
    ] {
        assert_eq!(
            action_names(&lifecycle(broken, 1, 1)),
            without(absent),
            "{broken}"
        );
    }
}

#[test]
fn only_a_group_budget_of_one_means_one_group() {
    for (budget, packing) in [
        (1, Assignment::First),
        (2, Assignment::Packed),
        (0, Assignment::Packed),
        (-1, Assignment::Packed),
        (7, Assignment::Packed),
    ] {
        let granted = ends(&lifecycle("none", budget, 1), &["Admit", "Grant"]);
        assert_eq!(granted.len(), 1);
        assert_eq!(granted[0].assignment, packing, "{budget}");
    }
    let skipped = ends(&lifecycle("skip-prefix", 1, 1), &["Admit", "Grant"]);
    assert_eq!(skipped[0].assignment, Assignment::Skipped);
    let not_skipped = ends(&lifecycle("skip-prefix", 2, 1), &["Admit", "Grant"]);
    assert_eq!(
        not_skipped[0].assignment,
        Assignment::Packed,
        "with two groups b has its own"
    );
}

#[test]
fn an_epoch_bound_below_one_excludes_the_initial_state() {
    let check = |bound: i64, max_states| {
        let cfg = format!(
            "SPECIFICATION Spec CONSTANTS GroupBudget = 1 EpochBound = {bound} Broken = \"none\" \
             INVARIANT TypeOK"
        );
        let registry = plumb_models::registry();
        let model = registry.find("lifecycle").unwrap();
        let model = model
            .configure(&plumb_tla::parse_cfg(&cfg).unwrap())
            .unwrap();
        let options = SearchOptions {
            max_states,
            ..SearchOptions::default()
        };
        model.check(&options, &Progress::default())
    };
    for bound in [0, -1, i64::MIN] {
        let report = check(bound, None);
        assert_eq!(report.verdict.property(), Some("TypeOK"));
        assert_eq!((report.trace.len(), report.distinct), (1, 1));
    }
    let third = check(3, None);
    assert_eq!(third.verdict, Verdict::Exhausted);
    // Each epoch has the states of the second one of two, since nothing but the epoch is kept.
    assert_eq!(
        third.distinct,
        check(2, None).distinct + check(1, None).distinct
    );
    let long = check(i64::MAX, Some(70_000));
    assert!(
        matches!(long.verdict, Verdict::Inconclusive(_)),
        "epochs beyond a byte are reached"
    );
}
