//! Behaviours of which not everything was recorded.

use plumb_replay::replay::{Outcome, ReplayOptions, Why};
use plumb_replay::trace::Fidelity;
use plumb_tla::{State, Value};

use crate::behaviours::{Behaviour, registered};

#[test]
fn all_states_that_agree_are_kept() {
    let model = registered("lifecycle/BrokenLifecycleSender");
    let mut behaviour = Behaviour::counterexample(model.as_ref());
    behaviour.keep(&["phase", "sends"]);
    behaviour.unlabel();
    let found = behaviour.replay(model.as_ref());
    assert!(found.is_accepted(), "{found:?}");
    assert!(found.candidates > 1, "{found:?}");
    assert_eq!(found.ends_in.unwrap().property, "OneSender");
}

/// Against brute force: the candidates are just the states on walks that look like this.
#[test]
fn the_states_that_agree_are_those_of_all_walks_that_look_the_same() {
    let model = registered("lifecycle/LifecycleRecurring");
    let mut behaviour = Behaviour::walk(model.as_ref(), 8, |count| count / 2);
    behaviour.keep(&["epoch", "admitted"]);
    behaviour.unlabel();
    let looks = |state: &[u8], recorded: &State| {
        let state = model.render(state).unwrap();
        recorded
            .iter()
            .all(|(name, value)| state.get(name) == Some(value))
    };
    let mut walks: Vec<Vec<u8>> = model.initial_states();
    let mut largest = 1;
    for step in &behaviour.steps[1..] {
        let mut next = Vec::new();
        for state in &walks {
            let successors = model.successors(state).unwrap().into_iter();
            let after = successors.map(|step| step.state).chain([state.clone()]);
            next.extend(after.filter(|after| looks(after, &step.state)));
        }
        next.sort();
        next.dedup();
        walks = next;
        largest = largest.max(walks.len());
    }
    let found = behaviour.replay(model.as_ref());
    assert!(found.is_accepted());
    assert!(largest > 3);
    assert_eq!(found.candidates, largest);
}

#[test]
fn a_bound_that_is_hit_decides_nothing() {
    let model = registered("lifecycle/LifecycleRecurring");
    let mut behaviour = Behaviour::walk(model.as_ref(), 8, |count| count / 2);
    behaviour.keep(&["epoch"]);
    behaviour.unlabel();
    let all = behaviour.replay(model.as_ref());
    let replay = |max_candidates| {
        let options = ReplayOptions {
            max_candidates,
            ..ReplayOptions::default()
        };
        behaviour.replay_with(model.as_ref(), &options).outcome
    };
    assert!(matches!(replay(all.candidates), Outcome::Accepted));
    let undecided = replay(all.candidates - 1);
    assert!(
        matches!(undecided, Outcome::Undecided { .. }),
        "{undecided:?}"
    );
}

#[test]
fn what_is_there_must_fit() {
    let model = registered("lifecycle/BrokenLifecycleSender");
    let mut behaviour = Behaviour::counterexample(model.as_ref());
    behaviour.keep(&["phase", "sends"]);
    behaviour.set(4, "sends", "[X |-> 2, Y |-> 0]");
    let Outcome::Refused(refusal) = behaviour.replay(model.as_ref()).outcome else {
        panic!()
    };
    assert_eq!((refusal.why, refusal.step), (Why::LeadsElsewhere, 5));
    assert_eq!(refusal.nearest.unwrap().variables, ["sends"]);
}

#[test]
fn a_lasso_of_which_not_everything_was_recorded_closes_on_one_of_its_ways() {
    let model = registered("service/UnfairServiceStarvation");
    let mut behaviour = Behaviour::counterexample(model.as_ref());
    let variables = model.variables();
    behaviour.keep(&variables[..variables.len() - 1]);
    let found = behaviour.replay(model.as_ref());
    assert!(found.is_accepted(), "{found:?}");
    assert_eq!(found.ends_in.unwrap().property, "EventualService");
}

/// As TLC's JSON dump tells values.
fn told(value: &Value) -> Value {
    match value {
        // In an order that is not ours.
        Value::Set(items) => Value::tuple(items.iter().rev().map(told)),
        Value::Tuple(items) => Value::tuple(items.iter().map(told)),
        Value::Record(fields) => Value::record(
            fields
                .iter()
                .map(|(name, value)| (name.clone(), told(value))),
        ),
        Value::Function(pairs) => Value::record(
            pairs
                .iter()
                .map(|(key, value)| (key.to_string(), told(value))),
        ),
        Value::Model(name) => Value::str(name.clone()),
        other => other.clone(),
    }
}

#[test]
fn values_that_are_told_less_exactly_stand_for_all_that_would_be_told_the_same() {
    for path in [
        "lifecycle/LifecycleMixedDAGWitness",
        "work-queue/RecoveryWitness",
        "fair-work-queue/DAGJoinWitness",
        "service/StrictServiceStarvation",
    ] {
        let model = registered(path);
        let mut behaviour = Behaviour::counterexample(model.as_ref());
        let exact = behaviour.replay(model.as_ref());
        behaviour.header.fidelity = Fidelity::Projected;
        for step in &mut behaviour.steps {
            let values = step
                .state
                .iter()
                .map(|(name, value)| (name.to_owned(), told(value)));
            step.state = State::new(values.collect::<Vec<_>>());
        }
        // Parameters, too.
        for step in &mut behaviour.steps {
            if let plumb_replay::trace::RecordedLabel::Action {
                parameters: Some(parameters),
                ..
            } = &mut step.label
            {
                *parameters = parameters.iter().map(told).collect();
            }
        }
        let found = behaviour.replay(model.as_ref());
        assert!(found.is_accepted(), "{path}: {:?}", found.outcome);
        assert_eq!(found.ends_in, exact.ends_in, "{path}");
        assert_eq!(found.candidates, 1, "{path}");
    }
}
