//! Where the behaviours of these tests come from.

use plumb_checker::{
    ActionLabel, ConfiguredModel, Lasso, Progress, Report, SearchOptions, Verdict,
};
use plumb_models::registry;
use plumb_replay::replay::{HistoryNeeded, ReplayOptions, Replayed, Replayer};
use plumb_replay::trace::{Ending, Header, RecordedLabel, RecordedStep, RecordedViolation};
use plumb_tla::{State, Value};

/// The text of a built-in cfg.
pub(crate) fn cfg(path: &str) -> String {
    let specs = concat!(env!("CARGO_MANIFEST_DIR"), "/../../specs");
    std::fs::read_to_string(format!("{specs}/{path}.cfg")).unwrap()
}

/// A model with a cfg of this text.
pub(crate) fn model(name: &str, cfg: &str) -> Box<dyn ConfiguredModel> {
    let cfg = plumb_tla::parse_cfg(cfg).unwrap();
    registry().find(name).unwrap().configure(&cfg).unwrap()
}

/// The model of a registered configuration, `model/name`.
pub(crate) fn registered(path: &str) -> Box<dyn ConfiguredModel> {
    let (name, _) = path.split_once('/').unwrap();
    model(name, &cfg(path))
}

/// A whole behaviour.
#[derive(Clone, Debug)]
pub(crate) struct Behaviour {
    pub(crate) header: Header,
    pub(crate) steps: Vec<RecordedStep>,
    pub(crate) ending: Ending,
}

fn label(action: Option<&ActionLabel>) -> RecordedLabel {
    match action {
        None => RecordedLabel::Initial,
        Some(action) => RecordedLabel::Action {
            name: action.name.to_owned(),
            parameters: Some(action.parameters.clone()),
        },
    }
}

impl Behaviour {
    /// The counterexample of a report.
    pub(crate) fn of(report: &Report) -> Self {
        let violation = match &report.verdict {
            Verdict::Violated { property, kind, .. } => Some(RecordedViolation {
                kind: *kind,
                property: Some(property.clone()),
            }),
            _ => None,
        };
        let steps = report
            .trace
            .iter()
            .zip(1..)
            .map(|(step, number)| RecordedStep {
                number,
                line: number * 10,
                label: label(step.action.as_ref()),
                state: step.state.clone(),
            });
        Self {
            header: Header {
                violation,
                ..Header::default()
            },
            steps: steps.collect(),
            ending: match &report.lasso {
                None => Ending::Open,
                Some((Lasso::Stuttering, _)) => Ending::Stuttering,
                Some((Lasso::BackTo(number), action)) => {
                    Ending::BackTo(*number as u64, label(action.as_ref()))
                }
            },
        }
    }

    /// The counterexample that a check of the model finds.
    pub(crate) fn counterexample(model: &dyn ConfiguredModel) -> Self {
        let report = model.check(&SearchOptions::default(), &Progress::default());
        assert!(!report.trace.is_empty(), "{:?}", report.verdict);
        Self::of(&report)
    }

    /// So many steps of the model: at each one the successor that `choose` picks of so many.
    pub(crate) fn walk(
        model: &dyn ConfiguredModel,
        length: usize,
        mut choose: impl FnMut(usize) -> usize,
    ) -> Self {
        let mut state = model.initial_states().swap_remove(0);
        let mut steps = Vec::new();
        let mut action = None;
        for number in 1..=length as u64 {
            steps.push(RecordedStep {
                number,
                line: number * 10,
                label: label(action.as_ref()),
                state: model.render(&state).unwrap(),
            });
            let mut successors = model.successors(&state).unwrap();
            if successors.is_empty() || model.within_constraint(&state) == Some(false) {
                break;
            }
            let next = successors.swap_remove(choose(successors.len()));
            action = Some(next.action);
            state = next.state;
        }
        Self {
            header: Header::default(),
            steps,
            ending: Ending::Open,
        }
    }

    /// What a replay with these options makes of it, with its history if that is needed.
    pub(crate) fn replay_with(
        &self,
        model: &dyn ConfiguredModel,
        options: &ReplayOptions,
    ) -> Replayed {
        let run = |options| {
            let mut replayer = Replayer::new(model, self.header.clone(), options);
            for step in &self.steps {
                replayer.step(step);
            }
            replayer.end(&self.ending)
        };
        run(options.clone()).unwrap_or_else(|HistoryNeeded| {
            let keep_history = true;
            let options = ReplayOptions {
                keep_history,
                ..options.clone()
            };
            run(options).unwrap()
        })
    }

    pub(crate) fn replay(&self, model: &dyn ConfiguredModel) -> Replayed {
        self.replay_with(model, &ReplayOptions::default())
    }

    /// Changes what is recorded of a variable in the state of this index.
    pub(crate) fn set(&mut self, index: usize, variable: &str, value: &str) {
        let value: Value = value.parse().unwrap();
        let state = &mut self.steps[index].state;
        assert_ne!(state.get(variable), Some(&value));
        let values = state.iter().map(|(name, old)| {
            let value = if name == variable { &value } else { old };
            (name.to_owned(), value.clone())
        });
        *state = State::new(values.collect::<Vec<_>>());
    }

    /// Leaves all but these variables out of every state.
    pub(crate) fn keep(&mut self, variables: &[&str]) {
        for step in &mut self.steps {
            let kept = step
                .state
                .iter()
                .filter(|(name, _)| variables.contains(name));
            step.state = State::new(kept.map(|(name, value)| (name.to_owned(), value.clone())));
        }
    }

    /// Leaves out the labels.
    pub(crate) fn unlabel(&mut self) {
        for step in &mut self.steps {
            step.label = RecordedLabel::Unlabelled;
        }
    }

    /// Gives the step of this index this label.
    pub(crate) fn label(&mut self, index: usize, name: &str, parameters: Option<&[&str]>) {
        let values = |texts: &[&str]| texts.iter().map(|text| text.parse().unwrap()).collect();
        self.steps[index].label = RecordedLabel::Action {
            name: name.to_owned(),
            parameters: parameters.map(values),
        };
    }
}
