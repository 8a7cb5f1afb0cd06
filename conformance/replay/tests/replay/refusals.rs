//! Why a step is refused, where, and what the model would have allowed.

use plumb_replay::replay::{Outcome, Refusal, ReplayOptions, Replayed, Why};
use plumb_replay::trace::RecordedLabel;

use crate::behaviours::{Behaviour, registered};

fn refusal(replayed: Replayed) -> Box<Refusal> {
    match replayed.outcome {
        Outcome::Refused(refusal) => refusal,
        other => panic!("{other:?}"),
    }
}

fn sender() -> (Box<dyn plumb_checker::ConfiguredModel>, Behaviour) {
    let model = registered("lifecycle/BrokenLifecycleSender");
    let behaviour = Behaviour::counterexample(model.as_ref());
    (model, behaviour)
}

#[test]
fn a_first_state_that_is_no_initial_state() {
    let (model, mut behaviour) = sender();
    behaviour.set(0, "admitted", "TRUE");
    let refusal = refusal(behaviour.replay(model.as_ref()));
    assert_eq!(
        (refusal.why, refusal.step, refusal.line),
        (Why::NoSuchInitialState, 1, 10)
    );
    let nearest = refusal.nearest.unwrap();
    assert_eq!(nearest.action, None);
    assert_eq!(nearest.variables, ["admitted"]);
    let differences: Vec<_> = nearest
        .differences
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        differences,
        ["admitted: the model has FALSE, recorded is TRUE"]
    );
}

#[test]
fn a_value_that_no_action_gives() {
    let (model, mut behaviour) = sender();
    behaviour.unlabel();
    behaviour.set(4, "sends", "[X |-> 2, Y |-> 0]");
    let refusal = refusal(behaviour.replay(model.as_ref()));
    assert_eq!(
        (refusal.why, refusal.step, refusal.line),
        (Why::NoActionLeadsThere, 5, 50)
    );
    assert_eq!(refusal.reason, "no action leads from state 4 to it");
    let nearest = refusal.nearest.unwrap();
    assert_eq!(nearest.action.as_deref(), Some("Send(\"X\")"));
    assert_eq!(nearest.variables, ["sends"]);
    assert_eq!(
        nearest.differences[0].to_string(),
        "sends.X: the model has 1, recorded is 2"
    );
    assert!(refusal.enabled.contains(&"Send(\"X\")".to_owned()));
}

#[test]
fn a_value_that_no_state_has() {
    let (model, mut behaviour) = sender();
    behaviour.set(2, "phase", "[X |-> \"sleepy\", Y |-> \"idle\"]");
    let refusal = refusal(behaviour.replay(model.as_ref()));
    assert_eq!(refusal.step, 3);
    assert!(
        refusal
            .reason
            .contains("it is no state of the model: phase"),
        "{}",
        refusal.reason
    );
    assert!(refusal.reason.contains("sleepy"), "{}", refusal.reason);
    assert!(
        refusal
            .nearest
            .unwrap()
            .variables
            .contains(&"phase".to_owned())
    );
}

#[test]
fn the_name_and_the_parameters_must_fit() {
    let (model, behaviour) = sender();
    let with = |name: &str, parameters: Option<&[&str]>| {
        let mut behaviour = behaviour.clone();
        behaviour.label(4, name, parameters);
        behaviour.replay(model.as_ref())
    };
    assert!(with("Send", None).is_accepted());
    assert!(with("Send", Some(&["\"X\""])).is_accepted());
    let table = [
        ("Send", Some(&["\"Y\""][..]), Why::OtherParameters),
        ("Send", Some(&[][..]), Why::OtherParameters),
        ("Admit", None, Why::NotEnabled),
        ("Control", None, Why::LeadsElsewhere),
    ];
    for (name, parameters, why) in table {
        let refusal = refusal(with(name, parameters));
        assert_eq!(
            (refusal.why, refusal.step),
            (why, 5),
            "{name}: {}",
            refusal.reason
        );
        assert!(refusal.reason.contains("Send(\"X\")"), "{}", refusal.reason);
    }
}

#[test]
fn a_label_that_is_no_action_is_counted_and_the_action_found_out() {
    let (model, mut behaviour) = sender();
    let before = behaviour.replay(model.as_ref()).actions;
    behaviour.label(1, "Next", None);
    behaviour.label(2, "Next", None);
    behaviour.label(4, "Wrapped", None);
    let found = behaviour.replay(model.as_ref());
    assert!(found.is_accepted());
    let inferred: Vec<_> = found.inferred.into_iter().collect();
    assert_eq!(
        inferred,
        [("Next".to_owned(), 2), ("Wrapped".to_owned(), 1)]
    );
    assert_eq!(found.actions, before);
    let options = ReplayOptions {
        only_known_labels: true,
        ..ReplayOptions::default()
    };
    let Outcome::Unreadable { line, message } =
        behaviour.replay_with(model.as_ref(), &options).outcome
    else {
        panic!()
    };
    assert_eq!(line, 20);
    assert!(
        message.starts_with("unknown action Next: expected one of "),
        "{message}"
    );
}

#[test]
fn a_variable_that_the_model_does_not_have_is_unreadable() {
    let (model, mut behaviour) = sender();
    let state = &behaviour.steps[3].state;
    let more = state
        .iter()
        .map(|(name, value)| (name.to_owned(), value.clone()));
    let more = more.chain([("mood".to_owned(), plumb_tla::Value::int(1))]);
    behaviour.steps[3].state = plumb_tla::State::new(more.collect::<Vec<_>>());
    let Outcome::Unreadable { line, message } = behaviour.replay(model.as_ref()).outcome else {
        panic!()
    };
    assert_eq!(line, 40);
    assert!(message.contains("has no variable mood"), "{message}");
}

#[test]
fn a_behaviour_without_states_is_unreadable() {
    let (model, mut behaviour) = sender();
    behaviour.steps.clear();
    let found = behaviour.replay(model.as_ref());
    assert!(matches!(found.outcome, Outcome::Unreadable { .. }));
}

#[test]
fn nothing_may_change_without_a_name_only() {
    let (model, mut behaviour) = sender();
    let mut same = behaviour.steps[2].clone();
    same.label = RecordedLabel::Unlabelled;
    behaviour.steps.insert(3, same);
    for (step, number) in behaviour.steps.iter_mut().zip(1..) {
        step.number = number;
    }
    let found = behaviour.replay(model.as_ref());
    assert!(found.is_accepted(), "{found:?}");
    assert_eq!(found.stuttering, 1);
    behaviour.label(3, "Mark", None);
    let refusal = refusal(behaviour.replay(model.as_ref()));
    assert_eq!((refusal.why, refusal.step), (Why::LeadsElsewhere, 4));
}

#[test]
fn only_the_last_state_may_lie_outside_the_constraint() {
    let model = registered("fair-work-queue/FairDAGGitHub");
    assert!(!model.constraints().is_empty());
    // The walk ends outside, since that is where it stops.
    let behaviour = Behaviour::walk(model.as_ref(), 1000, |count| count - 1);
    let found = behaviour.replay(model.as_ref());
    assert!(found.is_accepted(), "{found:?}");
    assert!(found.outside_constraint);
    let mut longer = behaviour;
    let mut last = longer.steps.last().unwrap().clone();
    last.label = RecordedLabel::Unlabelled;
    last.number += 1;
    longer.steps.push(last);
    let refusal = refusal(longer.replay(model.as_ref()));
    assert_eq!(refusal.why, Why::OutsideConstraint);
    assert_eq!(refusal.step, longer.steps.len() as u64);
}

#[test]
fn a_deadlock_is_a_state_without_successors() {
    let model = registered("claim-scope/ClaimScopeSingle");
    // Nothing is staged twice: the walk runs into an end.
    let mut behaviour = Behaviour::walk(model.as_ref(), 1000, |count| count - 1);
    behaviour.header.violation = Some(plumb_replay::trace::RecordedViolation {
        kind: plumb_checker::PropertyKind::Deadlock,
        property: None,
    });
    let found = behaviour.replay(model.as_ref());
    assert!(found.is_accepted(), "{found:?}");
    assert_eq!(found.ends_in.unwrap().property, "Deadlock");
    behaviour.steps.pop();
    let refusal = refusal(behaviour.replay(model.as_ref()));
    assert_eq!(refusal.why, Why::OtherViolation);
}
