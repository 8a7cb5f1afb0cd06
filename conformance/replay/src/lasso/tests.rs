use super::*;
use crate::walk::{back_to, check, stuttering, tlc_lasso, walk};

fn replayed(specification: &str, property: &str, numbers: &[i64], end: &str) -> LassoReplay {
    let model = walk(&format!(
        "SPECIFICATION {specification} PROPERTY {property}"
    ));
    replay_tlc(model.as_ref(), property, &tlc_lasso(numbers, end))
}

fn refusal(specification: &str, property: &str, numbers: &[i64], end: &str) -> String {
    let replay = replayed(specification, property, numbers, end);
    assert!(!replay.is_violation());
    match replay.judgement {
        Judgement::Refused(reason) => reason,
        Judgement::Violates(conjunct) => conjunct,
    }
}

#[test]
fn a_loop_and_a_stuttering_end_are_accepted() {
    let found = replayed("Spec", "Returns", &[0, 1, 2], &back_to(2));
    let judgement = Judgement::Violates("[]<>(n = 0)".to_owned());
    let (states, number) = (found.states, found.back_to);
    assert_eq!((states, number, &found.judgement), (3, Some(2), &judgement));
    let found = replayed("Spec", "Returns", &[0, 1], &stuttering(2));
    assert_eq!((found.states, found.back_to), (2, None));
    assert_eq!(found.judgement, judgement);
    // Not the shortest way into the loop.
    assert!(replayed("Spec", "Returns", &[0, 1, 2, 1, 2], &back_to(4)).is_violation());
}

#[test]
fn stuttering_goes_back_to_the_last_state() {
    // Were it to go back to the first state, there would be no such step.
    assert!(replayed("FairSpec", "Returns", &[0, 1, 2, 3], &stuttering(4)).is_violation());
    assert_eq!(
        refusal("FairSpec", "Returns", &[0, 1, 2], &stuttering(3)),
        "it is no violation of Returns: it is not fair: SF_vars(Fall) is enabled and not taken"
    );
}

#[test]
fn what_is_no_behaviour_of_the_model_is_refused() {
    let refusal = |numbers: &[i64], end: &str| refusal("Spec", "Returns", numbers, end);
    assert_eq!(
        refusal(&[0, 1, 2], &back_to(1)),
        "no action leads from state 3 back to state 1"
    );
    assert_eq!(
        refusal(&[0, 2], &stuttering(2)),
        "state 2: no action leads from state 1 to it"
    );
    assert_eq!(
        refusal(&[1, 2], &back_to(1)),
        "state 1: no initial state of the model is like it"
    );
    assert_eq!(
        refusal(&[0, 1, 7], &stuttering(3)),
        "state 3: no action leads from state 2 to it; it is no state of the model: n: expected a \
         number up to 4, found 7"
    );
    assert_eq!(
        refusal(&[0, 8], &stuttering(2)),
        "state 2: no action leads from state 1 to it; it is no state of the model: the model takes it \
         for another state: n: 8 → 1"
    );
}

/// A label that names an action of the model must be right, as in every replay.
#[test]
fn a_step_that_is_said_to_be_by_another_action_is_refused() {
    let mut report = tlc_lasso(&[0, 1, 2], &back_to(2));
    let by = |name: &str| StepLabel::Action {
        name: name.to_owned(),
        parameters: None,
    };
    let model = walk("SPECIFICATION Spec PROPERTY Returns");
    report.trace[2].label = by("Go");
    assert!(replay_tlc(model.as_ref(), "Returns", &report).is_violation());
    report.trace[2].label = by("Fall");
    let replay = replay_tlc(model.as_ref(), "Returns", &report);
    let reason = "state 3: Fall is not enabled in state 2; Go leads there".to_owned();
    assert_eq!(replay.judgement, Judgement::Refused(reason));
}

#[test]
fn what_is_fair_and_violates_nothing_is_refused() {
    assert_eq!(
        refusal("Spec", "Passes", &[0, 1, 2], &back_to(2)),
        "it is no violation of Passes: it satisfies the property"
    );
    assert_eq!(
        refusal("FairSpec", "Returns", &[0, 1, 2], &back_to(2)),
        "it is no violation of Returns: it is not fair: SF_vars(Fall) is enabled and not taken"
    );
}

#[test]
fn what_is_no_lasso_is_refused() {
    let refusal = |numbers: &[i64], end: &str| refusal("Spec", "Returns", numbers, end);
    let open = "it was recorded for Returns, and does not say how it goes on";
    assert_eq!(refusal(&[0, 1], ""), open);
    assert_eq!(refusal(&[], ""), "the behaviour has no states");
    for number in [0, 3] {
        assert_eq!(
            refusal(&[0, 1], &back_to(number)),
            format!("it goes back to state {number}, which it does not have")
        );
    }
}

#[test]
fn a_property_that_the_cfg_does_not_name_is_none() {
    let model = walk("SPECIFICATION Spec PROPERTY Passes");
    let report = tlc_lasso(&[0], &stuttering(1));
    let replay = replay_tlc(model.as_ref(), "Returns", &report);
    let reason = "it is no violation of Returns: Returns is no temporal property of the \
                  configuration"
        .to_owned();
    assert_eq!(replay.judgement, Judgement::Refused(reason));
}

#[test]
fn what_plumb_finds_itself_is_accepted() {
    let replay = |specification: &str, property: &str| {
        let cfg = format!("SPECIFICATION {specification} PROPERTY {property}");
        let model = walk(&cfg);
        replay_plumb(model.as_ref(), property, &check(model.as_ref()))
    };
    let stutters = replay("Spec", "Returns");
    assert!(stutters.is_violation() && stutters.back_to.is_none());
    assert!(replay("FairSpec", "Passes").is_violation());
    let ends = replay("Spec", "Ends");
    assert!(ends.is_violation());
    // A report without a lasso shows nothing.
    let model = walk("SPECIFICATION Spec PROPERTY Returns");
    let mut report = check(model.as_ref());
    report.lasso = None;
    assert!(!replay_plumb(model.as_ref(), "Returns", &report).is_violation());
}

#[test]
fn a_replay_in_json() {
    let found = replayed("Spec", "Returns", &[0, 1, 2], &back_to(2));
    let violates = serde_json::json!({ "violates": "[]<>(n = 0)" });
    assert_eq!(
        serde_json::to_value(found).unwrap(),
        serde_json::json!({ "states": 3, "back_to": 2, "judgement": violates })
    );
    let refused = replayed("Spec", "Returns", &[0], "");
    let json = serde_json::to_value(refused).unwrap();
    assert_eq!(
        json["judgement"],
        serde_json::json!({ "refused": "it was recorded for Returns, and does not say how it goes on" })
    );
}
