//! The recorded behaviours of the repository, damaged: each is refused at exactly the step where it
//! ceases to be one of the model. Whether it does, an independent check tells, by the successor
//! relation alone; a damage that yields another behaviour of the model is counted, not passed over.

use std::fs;
use std::path::{Path, PathBuf};

use plumb_checker::ConfiguredModel;
use plumb_replay::replay::Outcome;
use plumb_replay::trace::{Ending, RecordedLabel, RecordedStep, TraceItem, open};
use plumb_tla::{State, Value};

use crate::behaviours::{Behaviour, registered};

/// Every recorded behaviour, with the configuration that its folder names.
fn recorded() -> Vec<(PathBuf, Box<dyn ConfiguredModel>, Behaviour)> {
    let traces = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../traces");
    let folders = |folder: &Path| {
        let entries = fs::read_dir(folder)
            .unwrap()
            .map(|entry| entry.unwrap().path());
        let mut entries: Vec<PathBuf> = entries.collect();
        entries.sort();
        entries
    };
    let mut found = Vec::new();
    for model in folders(&traces).into_iter().filter(|path| path.is_dir()) {
        for configuration in folders(&model) {
            let name = |path: &Path| path.file_name().unwrap().to_str().unwrap().to_owned();
            let path = format!("{}/{}", name(&model), name(&configuration));
            for file in folders(&configuration) {
                let mut behaviour = Behaviour {
                    header: Default::default(),
                    steps: Vec::new(),
                    ending: Ending::Open,
                };
                for item in open(&file, None).unwrap() {
                    match item.unwrap() {
                        TraceItem::Header(header) => behaviour.header = header,
                        TraceItem::Step(step) => behaviour.steps.push(step),
                        TraceItem::End(ending) => behaviour.ending = ending,
                    }
                }
                found.push((file, registered(&path), behaviour));
            }
        }
    }
    found
}

/// The index of the first state that does not follow from the one before, by the initial states and
/// the successors of the model and nothing else; the check begins at `from`, where all is well before.
fn ceases(model: &dyn ConfiguredModel, steps: &[RecordedStep], from: usize) -> Option<usize> {
    let actions = model.actions();
    (from..steps.len()).find(|&index| {
        let Some(before) = index.checked_sub(1) else {
            let initial = model.initial_states();
            return !initial
                .iter()
                .any(|state| model.render(state).unwrap() == steps[0].state);
        };
        let before = model.parse(&steps[before].state).unwrap();
        if model.within_constraint(&before) == Some(false) {
            return true;
        }
        let step = &steps[index];
        let wanted = match &step.label {
            RecordedLabel::Action { name, .. } if actions.contains(&name.as_str()) => Some(name),
            _ => None,
        };
        let arguments = match &step.label {
            RecordedLabel::Action { parameters, .. } => parameters.as_ref(),
            _ => None,
        };
        let stays = wanted.is_none() && model.render(&before).unwrap() == step.state;
        let successors = model.successors(&before).unwrap();
        let reached = successors.iter().any(|successor| {
            model.render(&successor.state).unwrap() == step.state
                && wanted.is_none_or(|name| name == successor.action.name)
                && arguments
                    .is_none_or(|told| wanted.is_none() || *told == successor.action.parameters)
        });
        !stays && !reached
    })
}

/// How often a kind of damage was refused, and how often it gave another behaviour of the model.
#[derive(Debug, Default)]
struct Counts {
    refused: usize,
    legal: usize,
}

impl Counts {
    /// Holds the replay of damaged steps against the independent check. The damage is at `place`
    /// at the earliest, and shows at the step after it at the latest.
    fn take(
        &mut self,
        what: &str,
        model: &dyn ConfiguredModel,
        steps: Vec<RecordedStep>,
        place: usize,
        latest: usize,
    ) {
        let ceases = ceases(model, &steps, place);
        let damaged = Behaviour {
            header: Default::default(),
            steps,
            ending: Ending::Open,
        };
        let outcome = damaged.replay(model).outcome;
        match ceases {
            None => {
                self.legal += 1;
                assert!(matches!(outcome, Outcome::Accepted), "{what}: {outcome:?}");
            }
            Some(index) => {
                self.refused += 1;
                assert!((place..=latest).contains(&index), "{what}: {index}");
                let Outcome::Refused(refusal) = outcome else {
                    panic!("{what}: {outcome:?}")
                };
                assert_eq!(
                    refusal.step, damaged.steps[index].number,
                    "{what}: {refusal:?}"
                );
            }
        }
    }
}

/// Numbers the steps as a file would have to.
fn renumber(steps: &mut [RecordedStep]) {
    for (step, number) in steps.iter_mut().zip(1..) {
        step.number = number;
    }
}

fn with(state: &State, variable: &str, value: &Value) -> State {
    let values = state.iter().map(|(name, old)| {
        let value = if name == variable { value } else { old };
        (name.to_owned(), value.clone())
    });
    State::new(values.collect::<Vec<_>>())
}

#[test]
fn the_recorded_behaviours_are_behaviours() {
    let recorded = recorded();
    assert!(recorded.len() >= 34, "{}", recorded.len());
    for (file, model, behaviour) in &recorded {
        let found = behaviour.replay(model.as_ref());
        assert!(found.is_accepted(), "{}: {found:?}", file.display());
        assert_eq!(
            ceases(model.as_ref(), &behaviour.steps, 0),
            None,
            "{}",
            file.display()
        );
    }
}

#[test]
fn a_changed_value_is_found() {
    let mut counts = Counts::default();
    for (file, model, behaviour) in &recorded() {
        let steps = &behaviour.steps;
        for place in 0..steps.len() {
            // A few of the variables, others at each step, with a value that they have elsewhere.
            let variables: Vec<&str> = steps[place].state.iter().map(|(name, _)| name).collect();
            for turn in 0..3 {
                let variable = variables[(place * 3 + turn) % variables.len()];
                let now = steps[place].state.get(variable);
                let mut others = steps.iter().filter_map(|step| step.state.get(variable));
                let other = others.find(|other| Some(*other) != now).cloned();
                let other = other.unwrap_or_else(|| Value::str("something else"));
                let mut damaged = steps.clone();
                damaged[place].state = with(&damaged[place].state, variable, &other);
                let what = format!("{}: {variable} of {}", file.display(), place + 1);
                counts.take(&what, model.as_ref(), damaged, place, place + 1);
            }
        }
    }
    println!("changed values: {counts:?}");
    assert!(counts.refused > 1000, "{counts:?}");
    assert!(counts.legal * 20 < counts.refused, "{counts:?}");
}

#[test]
fn a_dropped_step_is_found() {
    let mut counts = Counts::default();
    for (file, model, behaviour) in &recorded() {
        // Without its last step it is a shorter behaviour.
        for place in 0..behaviour.steps.len() - 1 {
            let mut damaged = behaviour.steps.clone();
            damaged.remove(place);
            renumber(&mut damaged);
            let what = format!("{}: without {}", file.display(), place + 1);
            counts.take(&what, model.as_ref(), damaged, place, place);
        }
    }
    println!("dropped steps: {counts:?}");
    assert!(counts.refused > 300, "{counts:?}");
    // Steps that change nothing, of which simulations have many.
    assert!(counts.legal > 0, "{counts:?}");
}

#[test]
fn swapped_steps_are_found() {
    let mut counts = Counts::default();
    for (file, model, behaviour) in &recorded() {
        for place in 0..behaviour.steps.len() - 1 {
            let mut damaged = behaviour.steps.clone();
            damaged.swap(place, place + 1);
            renumber(&mut damaged);
            let what = format!("{}: {} before {}", file.display(), place + 2, place + 1);
            counts.take(&what, model.as_ref(), damaged, place, place + 2);
        }
    }
    println!("swapped steps: {counts:?}");
    assert!(counts.refused > 300, "{counts:?}");
    assert!(counts.legal > 0, "{counts:?}");
}

#[test]
fn a_renamed_action_is_found() {
    let mut counts = Counts::default();
    for (file, model, behaviour) in &recorded() {
        let actions = model.actions();
        for place in 1..behaviour.steps.len() {
            let name = match &behaviour.steps[place].label {
                RecordedLabel::Action { name, .. } => name.clone(),
                // Simulations of TLC 2.15 name nothing: an action is named that may be the wrong one.
                _ => String::new(),
            };
            let others = actions.iter().filter(|other| **other != name);
            let other = others.cycle().nth(place).unwrap();
            let mut damaged = behaviour.steps.clone();
            damaged[place].label = RecordedLabel::Action {
                name: (*other).to_owned(),
                parameters: None,
            };
            let what = format!("{}: {} by {other}", file.display(), place + 1);
            counts.take(&what, model.as_ref(), damaged, place, place);
        }
    }
    println!("renamed actions: {counts:?}");
    // Where nothing was named, the name may be right.
    assert!(counts.refused > 300, "{counts:?}");
}
