//! A behaviour that somebody else found, followed state by state.
//!
//! [`ConfiguredModel`](crate::ConfiguredModel) answers questions about single states, which it has
//! to decode for each of them. Where a behaviour goes on from the very state that it came to, a
//! [`Follower`] keeps the state, and of the successor only shows what may have changed.

use plumb_tla::State as TlaState;

use crate::erased::{Configured, Encoded, label};
use crate::model::CheckedModel;
use crate::report::ActionLabel;
use crate::violated::ViolatedProperty;

/// Which steps are asked for.
#[derive(Clone, Copy)]
pub enum Asked<'a> {
    /// Those by any action, or by none: the state may stay as it is.
    Any,
    /// Those by the action of this name whose label is accepted.
    Action(&'a str, &'a dyn Fn(&ActionLabel) -> bool),
}

impl std::fmt::Debug for Asked<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Any => f.write_str("Any"),
            Self::Action(name, _) => f.debug_tuple("Action").field(name).finish(),
        }
    }
}

/// A step that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Followed {
    /// The names of the actions that it can be by, in enumeration order; none if the state only
    /// stays as it is.
    pub actions: Vec<&'static str>,
    /// The state that it leads to.
    pub state: Encoded,
    /// What that state or the step to it violates, in the cfg's order.
    pub violated: Vec<ViolatedProperty>,
}

/// A state of a behaviour, from which it goes on.
pub trait Follower {
    /// Goes on to the one state that is `recorded` in TLA+, by the steps that are asked for.
    ///
    /// Nothing comes of it, and nothing changes, if there is no such state; if the state before is
    /// outside the constraint; and if two different states look the same in TLA+.
    fn follow(&mut self, recorded: &TlaState, asked: Asked<'_>) -> Option<Followed>;
}

/// A state of `model` with its form in TLA+.
pub(crate) struct Following<'m, M: CheckedModel> {
    model: &'m Configured<M>,
    state: M::State,
    shown: TlaState,
    /// Where each variable of the model stands in `shown`.
    positions: Vec<usize>,
}

impl<'m, M: CheckedModel> Following<'m, M> {
    /// Nothing if `shown` has not just the variables of the model, or there are too many.
    pub(crate) fn new(model: &'m Configured<M>, state: M::State, shown: &TlaState) -> Option<Self> {
        let positions = positions::<M>(shown)?;
        Some(Self {
            model,
            state,
            shown: shown.clone(),
            positions,
        })
    }

    /// The variables whose recorded values are not those of the state before, as bits.
    fn recorded_changes(&self, recorded: &TlaState) -> u64 {
        let changed = |position: &usize| !recorded.agrees_at(*position, &self.shown);
        let changed = (0..).zip(self.positions.iter().map(changed));
        changed.fold(0, |bits, (index, changed)| {
            bits | u64::from(changed) << index
        })
    }

    /// Whether `state` is `recorded` in TLA+, in which the variables of `changes` are other ones than
    /// in the state before.
    fn is_recorded(&self, state: &M::State, recorded: &TlaState, changes: u64) -> bool {
        let model = &self.model.model;
        let Some(may_differ) = model.changed_variables(&self.state, state) else {
            return model.to_tla(state) == *recorded;
        };
        if changes & !may_differ != 0 {
            return false;
        }
        let mut indices = self.positions.iter().enumerate();
        indices.all(|(index, position)| {
            may_differ >> index & 1 == 0
                || recorded
                    .at(*position)
                    .is_some_and(|value| model.variable_is(state, index, value))
        })
    }
}

/// Where each variable of the model stands in a state.
fn positions<M: CheckedModel>(shown: &TlaState) -> Option<Vec<usize>> {
    let fits = shown.len() == M::VARIABLES.len() && shown.len() <= u64::BITS as usize;
    let positions = M::VARIABLES.iter().map(|name| shown.position(name));
    fits.then(|| positions.collect())?
}

impl<M: CheckedModel> Follower for Following<'_, M> {
    fn follow(&mut self, recorded: &TlaState, asked: Asked<'_>) -> Option<Followed> {
        let Configured {
            model, selection, ..
        } = self.model;
        if !selection.within_constraint(model, &self.state) {
            return None;
        }
        if !recorded.shares_variables_of(&self.shown) {
            // It may be only the order that is another.
            self.shown = recorded.with_values_of(&self.shown)?;
            self.positions = positions::<M>(recorded)?;
        }
        let changes = self.recorded_changes(recorded);
        let mut found: Option<M::State> = None;
        let mut is_ambiguous = false;
        let mut actions = Vec::new();
        model.successors(&self.state, |action, target| {
            let name = M::ACTIONS[model.action_index(&action)];
            let is_asked = match asked {
                Asked::Any => true,
                Asked::Action(wanted, accepts) => wanted == name && accepts(&label(model, &action)),
            };
            let fits = is_asked
                && match &found {
                    Some(known) if *known == target => true,
                    Some(_) => {
                        is_ambiguous |= self.is_recorded(&target, recorded, changes);
                        false
                    }
                    None => self.is_recorded(&target, recorded, changes),
                };
            if fits {
                found = Some(target);
                actions.push(name);
            }
        });
        if changes == 0 && matches!(asked, Asked::Any) {
            is_ambiguous |= found.as_ref().is_some_and(|known| *known != self.state);
            found.get_or_insert_with(|| self.state.clone());
        }
        let state = found.filter(|_| !is_ambiguous)?;
        debug_assert!(
            model.to_tla(&state) == *recorded,
            "changed_variables or variable_to_tla of {} is wrong",
            M::NAME
        );
        let followed = Followed {
            actions,
            state: self.model.encode(&state),
            violated: selection.violated(model, Some(&self.state), &state),
        };
        self.state = state;
        self.shown = recorded.clone();
        Some(followed)
    }
}
