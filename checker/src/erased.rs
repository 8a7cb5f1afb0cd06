//! A configured model without its types: what commands, traces and comparisons work with.

use std::net::SocketAddr;
use std::sync::Arc;

use plumb_tla::{Binding, Cfg, State as TlaState, Value};

use crate::configuration::{ConfigurationError, Reader};
use crate::follower::{Follower, Following};
use crate::model::{CheckedModel, NotAState};
use crate::progress::Progress;
use crate::report::{ActionLabel, Report, Verdict};
use crate::search::checkpoint::{CheckpointError, SearchIdentity};
use crate::search::{self, SearchOptions};
use crate::selection::{PropertyDescription, Selection};
use crate::stateright_engine;
use crate::stateright_explorer;
use crate::temporal::{self, LassoStep, LassoSummary, ObservedLasso, Violating, judge};
use crate::violated::ViolatedProperty;

/// A state in its model's canonical encoding. Equal bytes mean equal states.
pub type Encoded = Vec<u8>;

/// One way to leave a state.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Successor {
    /// The action instance.
    pub action: ActionLabel,
    /// The state it leads to.
    pub state: Encoded,
}

/// A model with the constants and properties of one cfg, behind an object-safe interface.
///
/// States cross it in their canonical encoding: compare them as bytes, show them with
/// [`render`](Self::render). Methods that take an encoded state return nothing for bytes that
/// encode no state of the model.
pub trait ConfiguredModel: Send + Sync {
    /// The model's name: its folder below `specs/`.
    fn name(&self) -> &'static str;

    /// The name of the TLA+ module.
    fn module(&self) -> &'static str;

    /// The module's variables, in declared order.
    fn variables(&self) -> &'static [&'static str];

    /// The actions of the configured specification, in enumeration order.
    fn actions(&self) -> Vec<&'static str>;

    /// The specification that the cfg names.
    fn specification(&self) -> &str;

    /// The constants of the cfg as they are written there, in its order.
    fn constants(&self) -> &[(String, String)];

    /// The properties that the cfg chose, in its order.
    fn properties(&self) -> &[PropertyDescription];

    /// The constraints that the cfg chose: name and meaning.
    fn constraints(&self) -> Vec<(&'static str, &'static str)>;

    /// Explores the model with Plumb's own engine.
    fn check(&self, options: &SearchOptions, progress: &Progress) -> Report;

    /// What a checkpoint of a search with these options is of.
    ///
    /// # Errors
    ///
    /// The program's own file, of which the identity has a digest, cannot be read.
    fn search_identity(&self, options: &SearchOptions) -> Result<SearchIdentity, CheckpointError>;

    /// Explores the model with stateright's breadth-first checker, as a second opinion.
    ///
    /// It checks no step properties and drops states outside the constraint unchecked; where that
    /// leaves something open, the verdict is `inconclusive` and says so.
    fn check_with_stateright(&self, options: &SearchOptions, progress: &Arc<Progress>) -> Report;

    /// Serves stateright's Explorer over the model at `address`, until the process ends.
    ///
    /// It checks no step properties and no temporal ones, lists at most 32 invariants, and leaves
    /// states outside the constraint out. Files in a folder `ui` of the working directory would
    /// replace its pages.
    ///
    /// # Panics
    ///
    /// If the address cannot be listened on.
    fn serve_explorer(&self, address: SocketAddr);

    /// The fairness conditions of the configured specification, in TLA+ notation.
    fn fairness(&self) -> Vec<String>;

    /// The initial states, repeats included.
    fn initial_states(&self) -> Vec<Encoded>;

    /// Every way to leave the state, in enumeration order.
    fn successors(&self, state: &[u8]) -> Option<Vec<Successor>>;

    /// The action instances that lead from one state to the other, in enumeration order. That
    /// nothing changes is among them only if an action says so.
    fn steps_between(&self, from: &[u8], to: &[u8]) -> Option<Vec<ActionLabel>> {
        let steps = self.successors(from)?.into_iter();
        let there = steps.filter(|step| step.state == to);
        Some(there.map(|step| step.action).collect())
    }

    /// Every invariant of the cfg that is false in `state`, and every step property that the step
    /// from `before` to it breaks, in the cfg's order.
    fn violated(&self, before: Option<&[u8]>, state: &[u8]) -> Option<Vec<ViolatedProperty>>;

    /// Follows a behaviour on from `state`, which is `shown` in TLA+. A model need not offer it:
    /// [`steps_between`](Self::steps_between) tells the same, one state at a time.
    fn follower<'m>(&'m self, state: &[u8], shown: &TlaState) -> Option<Box<dyn Follower + 'm>> {
        let _ = (state, shown);
        None
    }

    /// Whether the state is inside every chosen constraint.
    fn within_constraint(&self, state: &[u8]) -> Option<bool>;

    /// Whether the cfg asks for a report of states without any successor.
    fn reports_deadlock(&self) -> bool {
        false
    }

    /// The verdict on the constants, if they violate an assumption: then no behaviour counts.
    fn false_assumption(&self) -> Option<Verdict> {
        None
    }

    /// Who takes a step of this action, if the model says so: see [`CheckedModel::actor`].
    fn actor(&self, action: &str, parameters: &[Value]) -> Option<String> {
        let _ = (action, parameters);
        None
    }

    /// The name of the crate that the model's type is defined in.
    fn home(&self) -> &'static str {
        "crate"
    }

    /// The state's variables as TLA+ values.
    fn render(&self, state: &[u8]) -> Option<TlaState>;

    /// The state as the Rust model prints it.
    fn render_in_rust(&self, state: &[u8]) -> Option<String>;

    /// The encoding of the state that has these values.
    ///
    /// # Errors
    ///
    /// The values are not a state of the model.
    fn parse(&self, state: &TlaState) -> Result<Encoded, NotAState>;

    /// Holds an infinite behaviour against a temporal property of the cfg: the states of `states`
    /// in their order, and then from the one at index `back_to` on again and again. A behaviour
    /// that stutters for ever goes back to its last state.
    ///
    /// It is a counterexample if it begins in an initial state, if each step is one of the model
    /// or stutters, if it is fair, and if it violates the property; the conjunct that it violates
    /// is returned. Any fair violation counts, not only the one that a check would report.
    ///
    /// # Errors
    ///
    /// In a sentence, why it is no counterexample.
    fn judge_lasso(
        &self,
        property: &str,
        states: &[Encoded],
        back_to: usize,
    ) -> Result<String, String>;

    /// What the step from one state of a behaviour to the next means for the temporal property. Whether
    /// it is a step of the model is not asked.
    ///
    /// # Errors
    ///
    /// The configuration has no such property, or one of the states is none of the model.
    fn lasso_step(&self, property: &str, state: &[u8], next: &[u8]) -> Result<LassoStep, String>;

    /// Whether a behaviour is a counterexample to the temporal property, whose steps add up to
    /// `summary`, those that repeat for ever with the way back; the conjunct that it violates is
    /// returned. It is [`judge_lasso`](Self::judge_lasso) for those who know the steps.
    ///
    /// # Errors
    ///
    /// In a sentence, why it is none.
    fn judge_lasso_summary(&self, property: &str, summary: &LassoSummary)
    -> Result<String, String>;
}

pub(crate) struct Configured<M: CheckedModel> {
    pub(crate) model: M,
    pub(crate) selection: Arc<Selection<M>>,
    specification: String,
    constants: Vec<(String, String)>,
}

impl<M: CheckedModel> Configured<M> {
    pub(crate) fn from_cfg(cfg: &Cfg) -> Result<Self, ConfigurationError> {
        let mut reader = Reader::new(cfg);
        let model = M::configure(&mut reader)?;
        reader.finish()?;
        let written = cfg.constants.iter().map(|constant| {
            let value = match &constant.binding {
                Binding::Value(value) => value.value.to_string(),
                Binding::Operator(operator) => operator.value.clone(),
            };
            (constant.name.value.clone(), value)
        });
        Ok(Self {
            selection: Arc::new(Selection::from_cfg(cfg, &model)?),
            specification: cfg
                .specification
                .as_ref()
                .map_or_else(String::new, |name| name.value.clone()),
            constants: written.collect(),
            model,
        })
    }

    /// How behaviours look that violate each conjunct of a temporal property.
    fn conjuncts(&self, property: &str) -> Result<&[Violating<M>], String> {
        let mut chosen = self.selection.temporal.iter();
        let chosen = chosen.find(|chosen| chosen.name == property);
        let missing = || format!("{property} is no temporal property of the configuration");
        chosen.map(|chosen| &*chosen.conjuncts).ok_or_else(missing)
    }

    pub(crate) fn encode(&self, state: &M::State) -> Encoded {
        let mut bytes = Encoded::new();
        self.model.encode(state, &mut bytes);
        bytes
    }
}

/// The label of an action instance.
pub(crate) fn label<M: CheckedModel>(model: &M, action: &M::Action) -> ActionLabel {
    ActionLabel {
        name: M::ACTIONS[model.action_index(action)],
        parameters: model.action_parameters(action),
    }
}

impl<M: CheckedModel> ConfiguredModel for Configured<M> {
    fn name(&self) -> &'static str {
        M::NAME
    }

    fn module(&self) -> &'static str {
        M::MODULE
    }

    fn variables(&self) -> &'static [&'static str] {
        M::VARIABLES
    }

    fn actions(&self) -> Vec<&'static str> {
        let part =
            |(index, name): (usize, &&'static str)| self.model.has_action(index).then_some(*name);
        M::ACTIONS.iter().enumerate().filter_map(part).collect()
    }

    fn specification(&self) -> &str {
        &self.specification
    }

    fn constants(&self) -> &[(String, String)] {
        &self.constants
    }

    fn properties(&self) -> &[PropertyDescription] {
        &self.selection.descriptions
    }

    fn constraints(&self) -> Vec<(&'static str, &'static str)> {
        let constraints = self.selection.constraints.iter();
        constraints
            .map(|constraint| (constraint.name, constraint.meaning))
            .collect()
    }

    fn check(&self, options: &SearchOptions, progress: &Progress) -> Report {
        search::check(&self.model, &self.selection, options, progress)
    }

    fn search_identity(&self, options: &SearchOptions) -> Result<SearchIdentity, CheckpointError> {
        let mut lines = vec![format!("specification {}", self.specification)];
        let constants = self.constants.iter();
        lines.extend(constants.map(|(name, value)| format!("constant {name} = {value}")));
        let properties = self.selection.descriptions.iter();
        lines.extend(properties.map(|property| format!("property {}", property.name)));
        let constraints = self.selection.constraints.iter();
        lines.extend(constraints.map(|constraint| format!("constraint {}", constraint.name)));
        let deadlock = self.selection.deadlock || options.deadlock;
        lines.push(format!("check deadlock {deadlock}"));
        SearchIdentity::of(M::NAME, lines.join("\n"))
    }

    fn check_with_stateright(&self, options: &SearchOptions, progress: &Arc<Progress>) -> Report {
        stateright_engine::check(&self.model, &self.selection, options, progress)
    }

    fn serve_explorer(&self, address: SocketAddr) {
        stateright_explorer::serve(&self.model, &self.selection, address);
    }

    fn fairness(&self) -> Vec<String> {
        self.model
            .fairness()
            .iter()
            .map(ToString::to_string)
            .collect()
    }

    fn initial_states(&self) -> Vec<Encoded> {
        self.model
            .init_states()
            .iter()
            .map(|state| self.encode(state))
            .collect()
    }

    fn successors(&self, state: &[u8]) -> Option<Vec<Successor>> {
        let state = self.model.decode(state)?;
        let mut successors = Vec::new();
        self.model.successors(&state, |action, target| {
            let state = self.encode(&target);
            successors.push(Successor {
                action: label(&self.model, &action),
                state,
            });
        });
        Some(successors)
    }

    fn steps_between(&self, from: &[u8], to: &[u8]) -> Option<Vec<ActionLabel>> {
        // Compared as they are: successors need not be encoded for it.
        let (from, to) = (self.model.decode(from)?, self.model.decode(to)?);
        let mut found = Vec::new();
        self.model.successors(&from, |action, target| {
            if target == to {
                found.push(label(&self.model, &action));
            }
        });
        Some(found)
    }

    fn violated(&self, before: Option<&[u8]>, state: &[u8]) -> Option<Vec<ViolatedProperty>> {
        let before = match before {
            Some(before) => Some(self.model.decode(before)?),
            None => None,
        };
        let state = self.model.decode(state)?;
        Some(
            self.selection
                .violated(&self.model, before.as_ref(), &state),
        )
    }

    fn follower<'m>(&'m self, state: &[u8], shown: &TlaState) -> Option<Box<dyn Follower + 'm>> {
        let state = self.model.decode(state)?;
        // Else every successor would be shown in full, to no advantage.
        self.model.changed_variables(&state, &state)?;
        Some(Box::new(Following::new(self, state, shown)?))
    }

    fn within_constraint(&self, state: &[u8]) -> Option<bool> {
        Some(
            self.selection
                .within_constraint(&self.model, &self.model.decode(state)?),
        )
    }

    fn reports_deadlock(&self) -> bool {
        self.selection.deadlock
    }

    fn false_assumption(&self) -> Option<Verdict> {
        self.selection.failed_assumption(&self.model)
    }

    fn actor(&self, action: &str, parameters: &[Value]) -> Option<String> {
        M::actor(action, parameters)
    }

    fn home(&self) -> &'static str {
        let path = std::any::type_name::<M>();
        path.split("::").next().unwrap_or(path)
    }

    fn render(&self, state: &[u8]) -> Option<TlaState> {
        Some(self.model.to_tla(&self.model.decode(state)?))
    }

    fn render_in_rust(&self, state: &[u8]) -> Option<String> {
        Some(format!("{:?}", self.model.decode(state)?))
    }

    fn parse(&self, state: &TlaState) -> Result<Encoded, NotAState> {
        Ok(self.encode(&self.model.parse_tla(state)?))
    }

    fn judge_lasso(
        &self,
        property: &str,
        states: &[Encoded],
        back_to: usize,
    ) -> Result<String, String> {
        let conjuncts = self.conjuncts(property)?;
        if back_to >= states.len() {
            return Err(format!(
                "it goes back to state {}, and has {}",
                back_to + 1,
                states.len()
            ));
        }
        let decoded: Option<Vec<M::State>> = states
            .iter()
            .map(|state| self.model.decode(state))
            .collect();
        let Some(decoded) = decoded else {
            return Err("one of its states is no state of the model".to_owned());
        };
        if !self.model.init_states().contains(&decoded[0]) {
            return Err("it does not begin in an initial state".to_owned());
        }
        for (index, state) in decoded.iter().enumerate() {
            let next = decoded.get(index + 1).unwrap_or(&decoded[back_to]);
            let mut possible = state == next;
            self.model
                .successors(state, |_, target| possible |= target == *next);
            if !possible {
                return Err(format!(
                    "the step out of state {} is none of the model",
                    index + 1
                ));
            }
        }
        let lasso = ObservedLasso {
            states: decoded,
            back_to,
        };
        judge(&self.model, &self.model.fairness(), conjuncts, &lasso)
    }

    fn lasso_step(&self, property: &str, state: &[u8], next: &[u8]) -> Result<LassoStep, String> {
        let conjuncts = self.conjuncts(property)?;
        let decode = |state: &[u8]| {
            let state = self.model.decode(state);
            state.ok_or_else(|| "one of its states is no state of the model".to_owned())
        };
        let (state, next) = (decode(state)?, decode(next)?);
        let fairness = self.model.fairness();
        Ok(temporal::step(
            &self.model,
            &fairness,
            conjuncts,
            &state,
            &next,
        ))
    }

    fn judge_lasso_summary(
        &self,
        property: &str,
        summary: &LassoSummary,
    ) -> Result<String, String> {
        temporal::judge_summary(&self.model.fairness(), self.conjuncts(property)?, summary)
    }
}
