//! Going on from state to state finds what reading every state finds.

use std::collections::BTreeSet;

use plumb_checker::{ActionLabel, Asked, ConfiguredModel};
use plumb_tla::State;

use crate::behaviours::registered;

const CONFIGURATIONS: [&str; 7] = [
    "work-queue/WorkQueue",
    "fair-work-queue/FairBatch",
    "fair-work-queue/FairDAGGitHub",
    "fair-work-queue/FairCheckpoint",
    "claim-scope/ClaimScopeMixed",
    "service/ServiceDynamic",
    "lifecycle/LifecyclePacked",
];

/// The state that is told, if it can come next by such a step: found by reading it.
fn read(
    model: &dyn ConfiguredModel,
    before: &[u8],
    told: &State,
    asked: Option<&ActionLabel>,
) -> Option<(Vec<u8>, BTreeSet<&'static str>)> {
    let state = model.parse(told).ok()?;
    if model.render(&state)? != *told || model.within_constraint(before) != Some(true) {
        return None;
    }
    let mut steps = model.steps_between(before, &state)?;
    steps.retain(|step| asked.is_none_or(|asked| step == asked));
    let stays = asked.is_none() && before == state;
    let names: BTreeSet<_> = steps.iter().map(|step| step.name).collect();
    (stays || !names.is_empty()).then_some((state, names))
}

/// What following makes of it is the same; whether the model offers it.
fn assert_same(
    model: &dyn ConfiguredModel,
    before: &[u8],
    told: &State,
    asked: Option<&ActionLabel>,
) -> bool {
    let shown = model.render(before).unwrap();
    let Some(mut follower) = model.follower(before, &shown) else {
        return false;
    };
    let accepts = |label: &ActionLabel| Some(label) == asked;
    let wanted = match asked {
        None => Asked::Any,
        Some(label) => Asked::Action(label.name, &accepts),
    };
    let followed = follower.follow(told, wanted);
    let expected = read(model, before, told, asked);
    let found = followed.as_ref().map(|followed| {
        let names: BTreeSet<_> = followed.actions.iter().copied().collect();
        (followed.state.clone(), names)
    });
    assert_eq!(found, expected, "{shown}\n\n{told}\n\n{asked:?}");
    if let Some(followed) = followed {
        let violated = model.violated(Some(before), &followed.state);
        assert_eq!(Some(followed.violated), violated);
    }
    true
}

/// The state with one variable as in the other.
fn mixed(state: &State, other: &State, name: &str) -> State {
    State::new(state.iter().map(|(variable, value)| {
        let value = if variable == name {
            other.get(variable).unwrap_or(value)
        } else {
            value
        };
        (variable, value.clone())
    }))
}

#[test]
fn following_finds_what_reading_finds() {
    let mut offered = BTreeSet::new();
    for path in CONFIGURATIONS {
        let model = registered(path);
        let model = model.as_ref();
        let mut state = model.initial_states().remove(0);
        for step in 0..24 {
            let successors = model.successors(&state).unwrap();
            let shown: Vec<State> = { successors.iter() }
                .map(|successor| model.render(&successor.state).unwrap())
                .collect();
            for (index, (successor, told)) in successors.iter().zip(&shown).enumerate() {
                if assert_same(model, &state, told, None) {
                    offered.insert(model.name());
                }
                assert_same(model, &state, told, Some(&successor.action));
                // By another action, in another order of the variables, and with one variable of
                // another successor.
                let other = (index + 1) % successors.len();
                assert_same(model, &state, told, Some(&successors[other].action));
                let turned: Vec<_> = { told.iter() }
                    .map(|(name, value)| (name.to_owned(), value.clone()))
                    .collect();
                let turned = State::new(turned.into_iter().rev());
                assert_same(model, &state, &turned, None);
                for name in model.variables() {
                    let mixture = mixed(told, &shown[other], name);
                    assert_same(model, &state, &mixture, None);
                    assert_same(model, &state, &mixture, Some(&successor.action));
                }
            }
            assert_same(model, &state, &model.render(&state).unwrap(), None);
            let Some(next) = successors.get(step * 7 % successors.len().max(1)) else {
                break;
            };
            state = next.state.clone();
        }
    }
    assert_eq!(
        offered.into_iter().collect::<Vec<_>>(),
        ["fair-work-queue", "lifecycle", "work-queue"]
    );
}

/// A follower that found nothing is where it was.
#[test]
fn a_step_that_is_none_leaves_the_follower_where_it_is() {
    let model = registered("lifecycle/LifecyclePacked");
    let initial = model.initial_states().remove(0);
    let shown = model.render(&initial).unwrap();
    let mut follower = model.follower(&initial, &shown).unwrap();
    let wrong = mixed(
        &shown,
        &State::new([("epoch", plumb_tla::Value::int(9))]),
        "epoch",
    );
    assert!(follower.follow(&wrong, Asked::Any).is_none());
    let partial = State::new([("epoch", plumb_tla::Value::int(1))]);
    assert!(follower.follow(&partial, Asked::Any).is_none());
    let mut state = initial;
    for _ in 0..5 {
        let next = model.successors(&state).unwrap().remove(0);
        let told = model.render(&next.state).unwrap();
        let followed = follower.follow(&told, Asked::Any).unwrap();
        assert_eq!(followed.state, next.state);
        state = next.state;
    }
    assert!(model.follower(&[1, 2, 3], &shown).is_none());
    assert!(model.follower(&state, &partial).is_none());
}
