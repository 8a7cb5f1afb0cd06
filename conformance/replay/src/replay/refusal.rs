//! Why a step is none of the model, and what would have been one.

use plumb_checker::{ActionLabel, ConfiguredModel, Encoded};
use plumb_tla::{State, Value, difference};

use super::outcome::{AllowedAndRecorded, MOST_ENABLED, Nearest, Refusal, Why};
use super::told::tells;
use crate::trace::{Fidelity, RecordedStep};

/// Of so many states before, what they allow is looked at.
const MOST_STATES: usize = 100;

/// What a step is said to be by.
#[derive(Clone, Copy, Debug)]
pub(super) enum Wanted<'s> {
    /// Any action, or none at all.
    Any,
    /// This action of the model.
    Action {
        name: &'s str,
        parameters: Option<&'s [Value]>,
    },
}

impl Wanted<'_> {
    /// Whether a step by this action is what is wanted.
    pub(super) fn fits(&self, action: &ActionLabel, fidelity: Fidelity) -> bool {
        match self {
            Self::Any => true,
            Self::Action { name, parameters } => {
                *name == action.name
                    && parameters.is_none_or(|told| {
                        told.len() == action.parameters.len()
                            && (told.iter().zip(&action.parameters))
                                .all(|(told, parameter)| tells(told, parameter, fidelity))
                    })
            }
        }
    }
}

/// What is known of a step that was refused.
pub(super) struct Refused<'a> {
    pub(super) model: &'a dyn ConfiguredModel,
    pub(super) fidelity: Fidelity,
    pub(super) step: &'a RecordedStep,
    pub(super) wanted: Wanted<'a>,
    /// The number of the state before, and the states that it can be, those outside the constraint
    /// left out; nothing for the first step.
    pub(super) before: Option<(u64, Vec<Encoded>)>,
    /// Why the recorded state is no state of the model, if it is none.
    pub(super) strange: Option<String>,
}

/// Something that the model allows.
struct Allowed {
    action: Option<ActionLabel>,
    state: State,
    /// The recorded variables that it has otherwise.
    variables: Vec<String>,
}

impl Refused<'_> {
    pub(super) fn explain(&self) -> Refusal {
        let allowed = self.allowed();
        let (why, mut reason) = self.reason(&allowed);
        if let Some(strange) = &self.strange {
            reason = format!("{reason}; it is no state of the model: {strange}");
        }
        let mut enabled: Vec<String> = Vec::new();
        for action in allowed.iter().filter_map(|allowed| allowed.action.as_ref()) {
            let action = action.to_string();
            if !enabled.contains(&action) {
                enabled.push(action);
            }
        }
        let enabled_left_out = enabled.len().saturating_sub(MOST_ENABLED);
        enabled.truncate(MOST_ENABLED);
        Refusal {
            step: self.step.number,
            line: self.step.line,
            why,
            reason,
            nearest: self.nearest(allowed),
            enabled,
            enabled_left_out,
        }
    }

    fn allowed(&self) -> Vec<Allowed> {
        let allow = |action, state: &[u8]| {
            let state = self.model.render(state)?;
            let differs = |(name, told): &(&str, &Value)| {
                let known = state.get(name);
                !known.is_some_and(|known| tells(told, known, self.fidelity))
            };
            let variables = self.step.state.iter().filter(differs);
            let variables = variables.map(|(name, _)| name.to_owned()).collect();
            Some(Allowed {
                action,
                state,
                variables,
            })
        };
        let Some((_, before)) = &self.before else {
            let states = self.model.initial_states();
            return states
                .iter()
                .filter_map(|state| allow(None, state))
                .collect();
        };
        let states = before.iter().take(MOST_STATES);
        states
            .filter_map(|state| self.model.successors(state))
            .flatten()
            .filter_map(|step| allow(Some(step.action), &step.state))
            .collect()
    }

    fn reason(&self, allowed: &[Allowed]) -> (Why, String) {
        let Some((before, states)) = &self.before else {
            let reason = "no initial state of the model is like it";
            return (Why::NoSuchInitialState, reason.to_owned());
        };
        if states.is_empty() {
            let constraints = self.model.constraints();
            let names: Vec<&str> = constraints.iter().map(|(name, _)| *name).collect();
            let names = names.join(" and ");
            let reason =
                format!("state {before} is outside the constraint {names}, where a behaviour ends");
            return (Why::OutsideConstraint, reason);
        }
        let there: Vec<&ActionLabel> = allowed
            .iter()
            .filter(|allowed| allowed.variables.is_empty())
            .filter_map(|allowed| allowed.action.as_ref())
            .collect();
        let Wanted::Action { name, .. } = self.wanted else {
            let reason = format!("no action leads from state {before} to it");
            return (Why::NoActionLeadsThere, reason);
        };
        if let Some(other) = there.iter().find(|action| action.name == name) {
            let reason = format!("{name} leads there with other parameters: {other}");
            return (Why::OtherParameters, reason);
        }
        let instead = match there.first() {
            Some(other) => format!("; {other} leads there"),
            None => String::new(),
        };
        let actions = allowed.iter().filter_map(|allowed| allowed.action.as_ref());
        if { actions }.any(|action| action.name == name) {
            let reason = format!("{name} leads elsewhere from state {before}{instead}");
            (Why::LeadsElsewhere, reason)
        } else {
            let reason = format!("{name} is not enabled in state {before}{instead}");
            (Why::NotEnabled, reason)
        }
    }

    /// The first of those that differ in the fewest variables, and in the fewest places of them.
    fn nearest(&self, allowed: Vec<Allowed>) -> Option<Nearest> {
        let fewest = allowed.iter().map(|one| one.variables.len()).min()?;
        let nearest = allowed
            .into_iter()
            .filter(|one| one.variables.len() == fewest);
        let told = nearest.map(|one| (self.differences(&one), one));
        let (differences, nearest) = { told }.min_by_key(|(differences, _)| differences.len())?;
        Some(Nearest {
            action: nearest.action.map(|action| action.to_string()),
            variables: nearest.variables,
            differences,
        })
    }

    fn differences(&self, allowed: &Allowed) -> Vec<AllowedAndRecorded> {
        let part = |state: &State| {
            let names = allowed.variables.iter();
            State::new(names.filter_map(|name| Some((name.as_str(), state.get(name)?.clone()))))
        };
        let found = difference(&part(&allowed.state), &part(&self.step.state)).into_iter();
        let text = |value: Option<Value>| value.map(|value| value.to_string());
        found
            .map(|part| AllowedAndRecorded {
                path: part.path,
                allowed: text(part.before),
                recorded: text(part.after),
                element: part.element,
            })
            .collect()
    }
}
