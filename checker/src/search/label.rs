//! How a behaviour and a violation are told: with actions and names in place of bytes and numbers.

use super::counterexample::OTHER_SUCCESSORS;
use super::expand::Expander;
use super::violation::{Violation, What};
use crate::model::CheckedModel;
use crate::report::{ActionLabel, PropertyKind, TraceStep, Verdict};

impl<M: CheckedModel> Expander<'_, M> {
    /// The steps of a behaviour, each labelled with the first action that makes it.
    pub(super) fn label(&self, states: &[Vec<u8>]) -> Result<Vec<TraceStep>, String> {
        let mut steps = Vec::with_capacity(states.len());
        let mut previous: Option<M::State> = None;
        for bytes in states {
            let Some(state) = self.model.decode(bytes) else {
                return Err("the model cannot decode a state that it encoded".to_owned());
            };
            let action = match &previous {
                None => None,
                Some(source) => {
                    let action = self.action_between(source, bytes);
                    Some(action.ok_or(OTHER_SUCCESSORS)?)
                }
            };
            steps.push(TraceStep {
                action,
                state: self.model.to_tla(&state),
            });
            previous = Some(state);
        }
        Ok(steps)
    }

    /// The first action that leads from one state to another.
    pub(super) fn action_between(&self, source: &M::State, target: &[u8]) -> Option<ActionLabel> {
        let mut label = None;
        let mut bytes = Vec::new();
        self.model.successors(source, |action, state| {
            if label.is_none() {
                bytes.clear();
                self.model.encode(&state, &mut bytes);
                if bytes == target {
                    label = Some(crate::erased::label(self.model, &action));
                }
            }
        });
        label
    }

    /// The verdict that a violation gives.
    pub(super) fn describe(&self, violation: &Violation) -> Verdict {
        let (property, kind) = match violation.what {
            What::Invariant { index, leaf } => {
                return self.selection.invariants[index].violated(leaf);
            }
            What::Step { index } => (self.selection.steps[index].1.name, PropertyKind::Step),
            What::Deadlock => ("Deadlock", PropertyKind::Deadlock),
        };
        Verdict::Violated {
            property: property.to_owned(),
            kind,
            conjunct: None,
        }
    }
}
