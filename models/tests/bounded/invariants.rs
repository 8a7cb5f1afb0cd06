//! Each invariant is false where it should be: one state in which all hold, and what one changed
//! value does to which of them. The explorations alone would not notice an invariant that is always
//! true.

use plumb_checker::{CheckedModel, Predicate};
use plumb_tla::parse_state;

use crate::setting::{claim_scope, lifecycle};
use crate::tla_form::{QUEUE, WORKER};

/// The guarantees that are false in a state; witnesses, which deny, are left out.
fn violated<M: CheckedModel>(model: &M, text: &str) -> Vec<&'static str> {
    let state = model.parse_tla(&parse_state(text).unwrap()).unwrap();
    let invariants = M::invariants().into_iter();
    invariants
        .filter(|invariant| !invariant.meaning.starts_with("denied"))
        .filter(|invariant| match invariant.predicate {
            Predicate::State(holds) => !holds(model, &state),
            Predicate::Constant(holds) => !holds(model),
            Predicate::Component(_) | Predicate::All(_) => false,
        })
        .map(|invariant| invariant.name)
        .collect()
}

fn assert_violated<M: CheckedModel>(
    model: &M,
    base: &str,
    changes: &[(&str, &str, &[&'static str])],
) {
    assert_eq!(
        violated(model, base),
        [""; 0],
        "in the unchanged state all hold"
    );
    for (old, new, expected) in changes {
        assert!(base.contains(old), "{old} is to be replaced");
        let text = base.replacen(old, new, 1);
        assert_eq!(violated(model, &text), *expected, "{old} replaced by {new}");
    }
}

#[test]
fn each_invariant_of_claim_scope_is_false_where_it_should_be() {
    let log = r#"<<[claim |-> 1, kind |-> "Completion"], [claim |-> 2, kind |-> "ClaimCancellation"], [claim |-> 1, kind |-> "Result"]>>"#;
    let cancelled_too = r#"<<[claim |-> 1, kind |-> "Completion"], [claim |-> 1, kind |-> "ClaimCancellation"], [claim |-> 1, kind |-> "Result"]>>"#;
    let completed_twice = r#"<<[claim |-> 1, kind |-> "Completion"], [claim |-> 1, kind |-> "Completion"], [claim |-> 1, kind |-> "Result"]>>"#;
    let two_results = r#"<<[claim |-> 1, kind |-> "Completion"], [claim |-> 1, kind |-> "Result"], [claim |-> 1, kind |-> "Result"]>>"#;
    let both_results = r#"<<[claim |-> 1, kind |-> "Completion"], [claim |-> 2, kind |-> "Result"], [claim |-> 1, kind |-> "Result"]>>"#;
    assert_violated(
        &claim_scope("Spec", 3),
        WORKER,
        &[
            ("<<1, -1, 3>>", "<<2, -1, 3>>", &["OutputScope"]),
            ("<<1, -1, 3>>", "<<-1, -1, 0>>", &["OutputScope"]),
            ("<<1, -1, 3>>", "<<1, -1, 4>>", &["OutputScope"]),
            (
                "{[claim |-> 1,",
                "{[claim |-> 2, raw_handle |-> 2], [claim |-> 1,",
                &["EffectAuthorization"],
            ),
            (
                "raw_handle |-> 1",
                "raw_handle |-> 0",
                &["EffectAuthorization"],
            ),
            (
                "raw_handle |-> 1",
                "raw_handle |-> 2",
                &["EffectAuthorization"],
            ),
            (
                r#""Completion""#,
                r#""ClaimCancellation""#,
                &["EffectAuthorization", "ResultAuthority"],
            ),
            (log, cancelled_too, &["ClosureIntegrity"]),
            (log, completed_twice, &["ClosureIntegrity"]),
            (log, two_results, &["ResultAuthority"]),
            (log, both_results, &["ResultAuthority"]),
            ("verified = {1}", "verified = {}", &["ResultAuthority"]),
            ("verified = {1}", "verified = {1, 3}", &["ResultAuthority"]),
            (
                "{[claim |-> 1, raw_handle |-> 1]}",
                "{}",
                &["ResultAuthority"],
            ),
            ("admitted = {}", "admitted = {4}", &["DAGAuthorization"]),
            ("admitted = {}", "admitted = {5}", &["DAGAuthorization"]),
            (
                "admitted = {}",
                "admitted = {2}",
                &["TypeOK", "DAGAuthorization"],
            ),
        ],
    );
}

#[test]
fn numbers_of_three_claims_are_of_no_type_in_a_model_of_one() {
    let single = r#"/\ phase = "finalizing"
/\ intents = <<"completed">>
/\ outputs = <<0>>
/\ log = <<[claim |-> 1, kind |-> "Completion"]>>
/\ effects = {[claim |-> 1, raw_handle |-> 0]}
/\ verified = {1}
/\ admitted = {}
/\ rejected = {2}"#;
    assert_violated(
        &claim_scope("Spec", 1),
        single,
        &[
            (
                "{[claim |-> 1, raw_handle |-> 0]}",
                "{[claim |-> 1, raw_handle |-> 0], [claim |-> 1, raw_handle |-> 1]}",
                &["EffectAuthorization"],
            ),
            ("<<0>>", "<<3>>", &["TypeOK", "OutputScope"]),
            (
                "raw_handle |-> 0",
                "raw_handle |-> 4",
                &["TypeOK", "EffectAuthorization"],
            ),
            (
                "log = <<",
                "log = <<[claim |-> 2, kind |-> \"ClaimCancellation\"], ",
                &["TypeOK"],
            ),
            (
                "effects = {",
                "effects = {[claim |-> 3, raw_handle |-> 1], ",
                &["TypeOK", "EffectAuthorization"],
            ),
            (
                "verified = {1}",
                "verified = {1, 2}",
                &["TypeOK", "ResultAuthority"],
            ),
            (
                "admitted = {}",
                "admitted = {5}",
                &["TypeOK", "DAGAuthorization"],
            ),
            ("rejected = {2}", "rejected = {3}", &["TypeOK"]),
        ],
    );
}

#[test]
fn each_invariant_of_lifecycle_is_false_where_it_should_be() {
    let packed = r#"[X |-> <<"a", "c">>, Y |-> <<"b">>]"#;
    let violation = r#"violation = "none""#;
    assert_violated(
        &lifecycle("none", 2, 1),
        QUEUE,
        &[
            ("epoch = 1", "epoch = 2", &["TypeOK"]),
            ("epoch = 1", "epoch = 0", &["TypeOK"]),
            (packed, "[X |-> <<>>, Y |-> <<>>]", &[]),
            (
                packed,
                r#"[X |-> <<"a">>, Y |-> <<>>]"#,
                &["FairPrefixPacking"],
            ),
            (
                packed,
                r#"[X |-> <<"a", "c">>, Y |-> <<>>]"#,
                &["FairPrefixPacking"],
            ),
            ("sends = [X |-> 1", "sends = [X |-> 2", &["OneSender"]),
            (r#"markers = {"X"}"#, "markers = {}", &["OneSender"]),
            ("sends = [X |-> 1", "sends = [X |-> 0", &[]),
            (
                "binding = [X |-> 1",
                "binding = [X |-> 2",
                &["BindingAuthority"],
            ),
            (
                violation,
                r#"violation = "unauthenticated""#,
                &["BindingAuthority"],
            ),
            (violation, r#"violation = "rerun""#, &["AttemptOneEffects"]),
            (
                violation,
                r#"violation = "preempted""#,
                &["ControlNotPreemption"],
            ),
            (
                violation,
                r#"violation = "unsafe-replacement""#,
                &["ReplacementSafety"],
            ),
            (violation, r#"violation = "unproved-release""#, &[]),
            (
                r#"markers = {"X"}"#,
                r#"markers = {"X", "Y"}"#,
                &["ReservationAuthority"],
            ),
            (
                "sends = [X |-> 1, Y |-> 0]",
                "sends = [X |-> 1, Y |-> 1]",
                &["OneSender", "ReservationAuthority"],
            ),
            (
                r#"Y |-> "reserved""#,
                r#"Y |-> "conflict""#,
                &["ReservationAuthority"],
            ),
            (r#"released = {"Y"}"#, r#"released = {"X", "Y"}"#, &[]),
            (
                r#"failures = {"c"}"#,
                r#"failures = {"a", "c"}"#,
                &["DeliveryExclusivity", "DeliveryFailureBudget"],
            ),
            ("c |-> 2]", "c |-> 1]", &["DeliveryFailureBudget"]),
            (
                r#"terminal = {"X"}"#,
                "terminal = {}",
                &["DeliveryFailureBudget"],
            ),
            (
                r#"results = {"a"}"#,
                r#"results = {"a", "c"}"#,
                &["DeliveryExclusivity", "ResultSoundness"],
            ),
            (
                r#"[a |-> "completed""#,
                r#"[a |-> "open""#,
                &["ResultSoundness"],
            ),
            (r#"effects = {"a"}"#, "effects = {}", &["ResultSoundness"]),
            ("replacements = {}", r#"replacements = {"c"}"#, &[]),
            (
                "replacements = {}",
                r#"replacements = {"a"}"#,
                &["ReplacementSafety"],
            ),
            (
                r#"join |-> "waiting""#,
                r#"join |-> "ready""#,
                &["DAGBarrier"],
            ),
            (
                r#"blocked |-> "waiting""#,
                r#"blocked |-> "ready""#,
                &["DAGBarrier"],
            ),
        ],
    );
}
