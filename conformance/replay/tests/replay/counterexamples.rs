//! What a check finds, a replay accepts, and it ends in what was found.

use plumb_checker::specs::Specs;
use plumb_checker::{ConfiguredModel, PropertyKind};
use plumb_models::registry;
use plumb_replay::replay::{Outcome, ReplayOptions, Why};
use plumb_replay::trace::{Ending, RecordedLabel, RecordedViolation};

use crate::behaviours::{Behaviour, cfg, model, registered};

#[test]
fn every_registered_counterexample_is_a_behaviour_that_ends_in_its_violation() {
    let specs = Specs::open(None, "/".as_ref(), registry().specs()).unwrap();
    let mut replayed = 0;
    for entry in specs.configurations() {
        let Some(property) = &entry.expect.property else {
            continue;
        };
        let model = registered(&format!("{}/{}", entry.model, entry.name));
        let report = model.check(&Default::default(), &Default::default());
        if report.trace.is_empty() {
            continue; // an assumption
        }
        let behaviour = Behaviour::of(&report);
        let found = behaviour.replay(model.as_ref());
        assert!(found.is_accepted(), "{}: {found:?}", entry.name);
        let ends_in = found.ends_in.unwrap();
        assert_eq!(&ends_in.property, property, "{}", entry.name);
        assert_eq!(Some(ends_in.kind), report.verdict.kind(), "{}", entry.name);
        assert_eq!(found.steps, report.trace.len() as u64);
        assert_eq!(found.lasso, report.lasso.is_some());
        assert_eq!(found.candidates, 1);
        let taken: u64 = found.actions.values().sum();
        let closed = behaviour.steps.len() as u64 - 1;
        assert_eq!((taken, found.stuttering), (closed, 0), "{}", entry.name);
        replayed += 1;
    }
    assert!(replayed >= 40, "{replayed}");
}

#[test]
fn without_its_last_step_a_counterexample_ends_too_early() {
    let model = registered("lifecycle/BrokenLifecycleSender");
    let mut behaviour = Behaviour::counterexample(model.as_ref());
    behaviour.steps.pop();
    let Outcome::Refused(refusal) = behaviour.replay(model.as_ref()).outcome else {
        panic!()
    };
    assert_eq!((refusal.why, refusal.step), (Why::OtherViolation, 5));
    let reason = "it was recorded for the violation of OneSender, which holds to the end";
    assert_eq!(refusal.reason, reason);
}

/// A control that checks another invariant, too.
fn with_type_ok() -> Box<dyn ConfiguredModel> {
    let cfg = cfg("lifecycle/BrokenLifecycleSender") + "\nINVARIANT TypeOK\n";
    model("lifecycle", &cfg)
}

#[test]
fn a_counterexample_must_end_in_the_violation_that_it_was_recorded_for() {
    let model = with_type_ok();
    let mut behaviour = Behaviour::counterexample(model.as_ref());
    let ends = |behaviour: &Behaviour| match behaviour.replay(model.as_ref()).outcome {
        Outcome::Accepted => "accepted".to_owned(),
        Outcome::Refused(refusal) => format!("{:?}: {}", refusal.why, refusal.reason),
        other => panic!("{other:?}"),
    };
    let recorded = |kind, name: Option<&str>| {
        let property = name.map(str::to_owned);
        Some(RecordedViolation { kind, property })
    };
    let table = [
        (PropertyKind::Invariant, None, "accepted"),
        (PropertyKind::Invariant, Some("OneSender"), "accepted"),
        (
            PropertyKind::Invariant,
            Some("TypeOK"),
            "OtherViolation: it was recorded for TypeOK, which holds, and ends in the violation of \
             OneSender",
        ),
        (
            PropertyKind::Invariant,
            Some("NoSuch"),
            "OtherViolation: it was recorded for NoSuch, which the configuration does not check",
        ),
        (
            PropertyKind::Step,
            None,
            "OtherViolation: it was recorded for the violation of a step property, and none is",
        ),
        (
            PropertyKind::Deadlock,
            None,
            "OtherViolation: it was recorded for a deadlock, and actions are enabled in its last \
             state",
        ),
        (
            PropertyKind::Temporal,
            None,
            "OtherViolation: it was recorded for the violation of a temporal property, and none is",
        ),
    ];
    for (kind, name, expected) in table {
        behaviour.header.violation = recorded(kind, name);
        assert_eq!(ends(&behaviour), expected);
    }
    behaviour.header.violation = None;
    let found = behaviour.replay(model.as_ref());
    assert!(found.is_accepted());
    assert_eq!(found.ends_in.unwrap().property, "OneSender");
}

#[test]
fn a_violation_before_the_end_is_told_and_no_end_of_a_counterexample() {
    let model = registered("lifecycle/BrokenLifecycleSender");
    let mut behaviour = Behaviour::counterexample(model.as_ref());
    let mut last = behaviour.steps.last().unwrap().clone();
    last.number += 1;
    last.label = RecordedLabel::Unlabelled;
    behaviour.steps.push(last);
    let Outcome::Refused(refusal) = behaviour.replay(model.as_ref()).outcome else {
        panic!()
    };
    assert_eq!((refusal.why, refusal.step), (Why::OtherViolation, 6));
    behaviour.header.violation = None;
    let found = behaviour.replay(model.as_ref());
    assert!(found.is_accepted());
    let told: Vec<_> = found
        .violations
        .iter()
        .map(|one| (one.step, &*one.property))
        .collect();
    assert_eq!(told, [(6, "OneSender")]);
    assert_eq!(found.stuttering, 1);
}

#[test]
fn a_lasso_must_close() {
    let model = registered("service/StrictServiceStarvation");
    let mut behaviour = Behaviour::counterexample(model.as_ref());
    let Ending::BackTo(number, label) = behaviour.ending.clone() else {
        panic!("{:?}", behaviour.ending)
    };
    let refused = |behaviour: &Behaviour| match behaviour.replay(model.as_ref()).outcome {
        Outcome::Refused(refusal) => refusal,
        other => panic!("{other:?}"),
    };
    behaviour.ending = Ending::BackTo(number + 1, label.clone());
    let refusal = refused(&behaviour);
    assert_eq!(refusal.why, Why::LassoDoesNotClose);
    assert_eq!(refusal.step, behaviour.steps.len() as u64);
    behaviour.ending = Ending::Open;
    let refusal = refused(&behaviour);
    assert_eq!(refusal.why, Why::OtherViolation);
    let expected = "it was recorded for EventualService, and does not say how it goes on";
    assert_eq!(refusal.reason, expected);
    behaviour.ending = Ending::Stuttering;
    let refusal = refused(&behaviour);
    assert_eq!(refusal.why, Why::OtherViolation);
    assert!(refusal.reason.contains("it is not fair"), "{refusal:?}");
    behaviour.ending = Ending::BackTo(99, label);
    let found = behaviour.replay(model.as_ref());
    assert!(matches!(found.outcome, Outcome::Unreadable { .. }));
}

#[test]
fn a_temporal_property_without_a_name_is_any_that_is_violated() {
    let model = registered("service/UnfairServiceStarvation");
    let mut behaviour = Behaviour::counterexample(model.as_ref());
    behaviour.header.violation.as_mut().unwrap().property = None;
    let found = behaviour.replay(model.as_ref());
    assert_eq!(found.ends_in.unwrap().property, "EventualService");
    behaviour.header.violation = None;
    let found = behaviour.replay(model.as_ref());
    assert_eq!(found.ends_in.unwrap().property, "EventualService");
}

#[test]
fn a_lasso_without_its_history_is_not_judged() {
    use plumb_replay::replay::{HistoryNeeded, Replayer};
    let model = registered("service/StrictServiceStarvation");
    let behaviour = Behaviour::counterexample(model.as_ref());
    let options = ReplayOptions::default();
    let mut replayer = Replayer::new(model.as_ref(), behaviour.header.clone(), options);
    for step in &behaviour.steps {
        replayer.step(step);
    }
    assert_eq!(replayer.end(&behaviour.ending).unwrap_err(), HistoryNeeded);
}
