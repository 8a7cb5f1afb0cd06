//! Differences in words: states and steps in the vocabularies of both sides.

use plumb_checker::ConfiguredModel;
use plumb_tla::{State as TlaState, difference, parse_state};

use super::comparison::{
    Difference, DifferenceKind, NearestStep, PathStep, ShownState, Side, StepDifference,
};
use super::differences::Example;
use super::pair::{GraphPair, Step};
use super::paths::Paths;
use super::states::StateId;

/// Shows what two graphs differ in.
pub(crate) struct Show<'g> {
    pub(crate) model: &'g dyn ConfiguredModel,
    pub(crate) pair: &'g GraphPair,
}

impl Show<'_> {
    /// Each example with a shortest path to it.
    pub(crate) fn differences(&self, examples: &[Example]) -> Vec<Difference> {
        if examples.is_empty() {
            return Vec::new();
        }
        let states = self.pair.states.len();
        let tlc = Paths::new(&self.pair.tlc, states);
        let plumb = Paths::new(&self.pair.plumb, states);
        let path = |side: Side, state| {
            self.path(match side {
                Side::Tlc => tlc.to(state),
                Side::Plumb => plumb.to(state),
            })
        };
        let shown = examples.iter().map(|example| match *example {
            Example::Unreadable { state } => Difference {
                kind: DifferenceKind::Unreadable {
                    reason: self
                        .pair
                        .states
                        .stranger(state)
                        .unwrap_or_default()
                        .to_owned(),
                },
                path: path(Side::Tlc, state),
                step: None,
            },
            Example::InitialState { side, state } => Difference {
                kind: DifferenceKind::InitialState { side },
                path: path(side, state),
                step: None,
            },
            Example::State { side, state } => Difference {
                kind: DifferenceKind::State { side },
                path: path(side, state),
                step: None,
            },
            Example::Step { side, step } => Difference {
                kind: DifferenceKind::Step { side },
                path: path(side, step.source),
                step: Some(StepDifference {
                    step: self.step(step),
                    nearest: self.nearest(side, step),
                }),
            },
            Example::Multiplicity { step, times } => Difference {
                kind: DifferenceKind::Multiplicity { times },
                path: path(Side::Plumb, step.source),
                step: Some(StepDifference {
                    step: self.step(step),
                    nearest: None,
                }),
            },
            Example::Outside { successors } => Difference {
                kind: DifferenceKind::Outside { successors },
                path: Vec::new(),
                step: None,
            },
        });
        shown.collect()
    }

    fn path(&self, path: Vec<(Option<u32>, StateId)>) -> Vec<PathStep> {
        let mut source = None;
        let mut shown = Vec::with_capacity(path.len());
        for (action, target) in path {
            shown.push(match (action, source) {
                (Some(action), Some(source)) => self.step(Step {
                    source,
                    action,
                    target,
                }),
                _ => PathStep {
                    action: None,
                    label: None,
                    state: self.state(target),
                },
            });
            source = Some(target);
        }
        shown
    }

    fn step(&self, step: Step) -> PathStep {
        PathStep {
            action: Some(self.action(step).to_owned()),
            label: self.label(step),
            state: self.state(step.target),
        }
    }

    fn action(&self, step: Step) -> &str {
        &self.pair.actions[step.action as usize]
    }

    /// The action with its parameters, which only the model knows.
    fn label(&self, step: Step) -> Option<String> {
        if self.is_stranger(step.source) || self.is_stranger(step.target) {
            return None;
        }
        let (name, target) = (self.action(step), self.pair.states.bytes(step.target));
        let successors = self.model.successors(self.pair.states.bytes(step.source))?;
        let found = successors
            .iter()
            .find(|successor| successor.action.name == name && successor.state == target)?;
        Some(found.action.to_string())
    }

    fn state(&self, id: StateId) -> ShownState {
        let bytes = self.pair.states.bytes(id);
        if self.is_stranger(id) {
            return ShownState {
                tla: String::from_utf8_lossy(bytes).into_owned(),
                rust: None,
            };
        }
        let tla = self.model.render(bytes).map(|state| state.to_string());
        ShownState {
            tla: tla.unwrap_or_default(),
            rust: self.model.render_in_rust(bytes),
        }
    }

    fn is_stranger(&self, id: StateId) -> bool {
        self.pair.states.stranger(id).is_some()
    }

    fn values(&self, id: StateId) -> Option<TlaState> {
        let bytes = self.pair.states.bytes(id);
        if self.is_stranger(id) {
            parse_state(std::str::from_utf8(bytes).ok()?).ok()
        } else {
            self.model.render(bytes)
        }
    }

    /// The other side's step that comes nearest to `step`, which only `side` has.
    ///
    /// One that `side` does not have either is the likely counterpart, under whatever name. Of
    /// those that both sides have, only steps of the same action can be of interest: they show
    /// what the other side does of it.
    fn nearest(&self, side: Side, step: Step) -> Option<NearestStep> {
        let there = self.pair.graph(side.other()).steps_from(step.source);
        let here = self.pair.graph(side);
        let target = self.values(step.target)?;
        let mut best: Option<(Rank<'_>, Step, Vec<String>)> = None;
        let mut last = None;
        for candidate in there.iter().copied() {
            if last.replace(candidate) == Some(candidate) {
                continue; // a repeat
            }
            let common = here.has_step(candidate);
            if common && candidate.action != step.action {
                continue;
            }
            let Some(values) = self.values(candidate.target) else {
                continue;
            };
            let variables: Vec<String> = difference(&target, &values)
                .iter()
                .map(ToString::to_string)
                .collect();
            let rank = Rank {
                common,
                other_action: candidate.action != step.action,
                differences: variables.len(),
                action: candidate.action,
                target: self.pair.states.bytes(candidate.target),
            };
            if best
                .as_ref()
                .is_none_or(|(known, ..)| rank.key() < known.key())
            {
                best = Some((rank, candidate, variables));
            }
        }
        best.map(|(_, step, variables)| NearestStep {
            step: self.step(step),
            variables,
        })
    }
}

/// How near a step comes to another one.
struct Rank<'b> {
    common: bool,
    other_action: bool,
    differences: usize,
    action: u32,
    target: &'b [u8],
}

impl Rank<'_> {
    /// Counterparts first. A different name counts as much as one different variable, so that the
    /// same step under another name comes before another step of the same name.
    fn key(&self) -> (bool, usize, bool, u32, &[u8]) {
        let distance = self.differences + usize::from(self.other_action);
        (
            self.common,
            distance,
            self.other_action,
            self.action,
            self.target,
        )
    }
}
