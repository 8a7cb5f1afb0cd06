//! Behaviours of which not everything was recorded.

use plumb_checker::ConfiguredModel;
use plumb_replay::replay::{Outcome, ReplayOptions, Why};
use plumb_replay::trace::{Ending, Fidelity, RecordedLabel, RecordedStep};
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

/// Against brute force: a lasso closes just if one of its ways does, and it is a violation of the
/// property just if one of those is, as the model judges whole lassos.
#[test]
fn a_lasso_is_accepted_just_if_one_of_all_its_ways_is() {
    let (mut accepted, mut refused, mut most) = (0, 0, 0);
    for path in [
        "service/UnfairServiceStarvation",
        "service/StrictServiceStarvation",
        "service/UnpackableServiceStarvation",
    ] {
        let model = registered(path);
        let whole = Behaviour::counterexample(model.as_ref());
        let variables = model.variables();
        for (only, span) in (0..variables.len()).flat_map(|at| [(at, 1), (at, 2)]) {
            for back_to in 1..=whole.steps.len() as u64 {
                let mut behaviour = whole.clone();
                behaviour.keep(&variables[only..variables.len().min(only + span)]);
                behaviour.unlabel();
                behaviour.ending = Ending::BackTo(back_to, RecordedLabel::Unlabelled);
                let Some(ways) = ways(model.as_ref(), &behaviour) else {
                    continue;
                };
                most = most.max(ways.len());
                let back_to = back_to as usize - 1;
                let expected = ways
                    .iter()
                    .any(|way| model.judge_lasso("EventualService", way, back_to).is_ok());
                let found = behaviour.replay(model.as_ref());
                assert_eq!(
                    found.is_accepted(),
                    expected,
                    "{path} with {span} from {}, back to {back_to}: {:?}",
                    variables[only],
                    found.outcome
                );
                if expected {
                    accepted += 1;
                } else {
                    refused += 1;
                }
            }
        }
    }
    assert!(
        accepted > 10 && refused > 10 && most > 100,
        "{accepted} {refused} {most}"
    );
}

/// Every way through states that agree with what was recorded, unless there are too many.
fn ways(model: &dyn ConfiguredModel, behaviour: &Behaviour) -> Option<Vec<Vec<Vec<u8>>>> {
    let looks = |state: &[u8], recorded: &State| {
        let state = model.render(state).unwrap();
        { recorded.iter() }.all(|(name, value)| state.get(name) == Some(value))
    };
    let first = &behaviour.steps[0].state;
    let initial = model.initial_states().into_iter();
    let mut ways: Vec<Vec<Vec<u8>>> = initial
        .filter(|state| looks(state, first))
        .map(|state| vec![state])
        .collect();
    for step in &behaviour.steps[1..] {
        let mut longer = Vec::new();
        for way in &ways {
            let last = way.last().unwrap();
            let successors = model.successors(last).unwrap().into_iter();
            let mut after: Vec<_> = successors
                .map(|step| step.state)
                .chain([last.clone()])
                .filter(|after| looks(after, &step.state))
                .collect();
            after.sort();
            after.dedup();
            longer.extend(after.into_iter().map(|after| [&way[..], &[after]].concat()));
        }
        if longer.len() > 3_000 {
            return None;
        }
        ways = longer;
    }
    Some(ways)
}

/// Ways multiply from state to state, pairs do not.
#[test]
fn a_lasso_with_more_ways_than_can_be_counted_is_decided() {
    let model = registered("lifecycle/LifecycleRecurring");
    let mut behaviour = Behaviour::walk(model.as_ref(), 8, |count| count / 2);
    behaviour.keep(&["epoch"]);
    behaviour.unlabel();
    let last = behaviour.steps.last().unwrap().clone();
    for _ in 0..40 {
        let number = behaviour.steps.len() as u64 + 1;
        behaviour.steps.push(RecordedStep {
            number,
            ..last.clone()
        });
    }
    behaviour.ending = Ending::BackTo(last.number, RecordedLabel::Unlabelled);
    let replay = |max_candidates| {
        let options = ReplayOptions {
            max_candidates,
            ..ReplayOptions::default()
        };
        behaviour.replay_with(model.as_ref(), &options)
    };
    let found = replay(1_000_000);
    assert!(found.is_accepted(), "{:?}", found.outcome);
    assert!(found.candidates > 20, "{}", found.candidates);
    // Each state stays where it is, and some go on: more pairs than states.
    match replay(found.candidates).outcome {
        Outcome::Undecided { reason, .. } => {
            assert!(reason.contains("pairs of a state"), "{reason}");
        }
        other => panic!("{other:?}"),
    }
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
