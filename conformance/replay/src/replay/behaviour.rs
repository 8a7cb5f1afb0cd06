//! One recorded step after the other.

use std::collections::{BTreeMap, BTreeSet};

use plumb_checker::{
    ActionLabel, Asked, ConfiguredModel, Encoded, Followed, Follower, PropertyKind,
    ViolatedProperty, model_panic,
};
use plumb_tla::State;

use super::history::{History, Reached};
use super::outcome::{MOST_VIOLATIONS, Outcome, Refusal, Replayed, ViolationOnTheWay, Why};
use super::refusal::{Refused, Wanted};
use super::told::agrees;
use crate::reading::read_state;
use crate::trace::{Fidelity, Header, RecordedLabel, RecordedStep};

/// How a replay goes about its work.
#[derive(Clone, Debug)]
pub struct ReplayOptions {
    /// So many states may agree with a recorded one, and so many pairs of states with the round of a
    /// lasso; if there are more, nothing is decided.
    pub max_candidates: usize,
    /// Whether a label that names no action of the model is an error. It is for recordings that only
    /// ever name actions; a checker may print the name of any definition.
    pub only_known_labels: bool,
    /// Whether all states are kept to the end, which a lasso needs.
    pub keep_history: bool,
    /// Whether the checker went on after a violation and printed others before this one. Then what
    /// is violated on the way was told before, and only the end counts.
    pub went_on: bool,
}

impl Default for ReplayOptions {
    fn default() -> Self {
        Self {
            max_candidates: 10_000,
            only_known_labels: false,
            keep_history: false,
            went_on: false,
        }
    }
}

/// So many different labels that name no action are counted one by one.
const MOST_LABELS: usize = 20;

/// Holds one behaviour against a model, step by step.
pub struct Replayer<'m> {
    pub(super) model: &'m dyn ConfiguredModel,
    pub(super) options: ReplayOptions,
    pub(super) header: Header,
    pub(super) replayed: Replayed,
    /// The names of the model's actions.
    actions: Vec<&'static str>,
    /// Sorted.
    initial: Vec<Encoded>,
    constrained: bool,
    /// Whether there is anything to be evaluated in states and on steps.
    evaluated: bool,
    /// A recorded state, and whether it had every variable of the model.
    layout: Option<(State, bool)>,
    /// The states that agree with the last recorded one.
    pub(super) current: Vec<Reached>,
    /// Goes on from the last recorded state, if it is told exactly and the model offers it.
    follower: Option<Box<dyn Follower + 'm>>,
    pub(super) history: History,
    /// What is violated in the last state or on the step to it, whichever of the states it is.
    pub(super) certain: Vec<ViolatedProperty>,
    /// What is violated there for some of them.
    pub(super) possible: Vec<ViolatedProperty>,
    /// Number and line of the last recorded state.
    pub(super) last: (u64, u64),
}

impl std::fmt::Debug for Replayer<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = f.debug_struct("Replayer");
        shown.field("model", &self.model.name());
        shown
            .field("replayed", &self.replayed)
            .finish_non_exhaustive()
    }
}

impl<'m> Replayer<'m> {
    /// A replay of the behaviour that `header` announces.
    #[must_use]
    pub fn new(model: &'m dyn ConfiguredModel, header: Header, options: ReplayOptions) -> Self {
        let mut replayed = Replayed::new();
        let initial = model_panic::catch(|| {
            let mut initial = model.initial_states();
            initial.sort();
            initial.dedup();
            initial
        });
        let initial = initial.unwrap_or_else(|message| {
            replayed.outcome = Outcome::Failed { step: 0, message };
            Vec::new()
        });
        let safety = [PropertyKind::Invariant, PropertyKind::Step];
        let mut properties = model.properties().iter();
        Self {
            model,
            options,
            header,
            replayed,
            actions: model.actions(),
            initial,
            constrained: !model.constraints().is_empty(),
            evaluated: properties.any(|property| safety.contains(&property.kind)),
            layout: None,
            current: Vec::new(),
            follower: None,
            history: History::default(),
            certain: Vec::new(),
            possible: Vec::new(),
            last: (0, 0),
        }
    }

    /// Whether nothing that comes can change the outcome any more.
    #[must_use]
    pub fn is_decided(&self) -> bool {
        !self.replayed.is_accepted()
    }

    /// Takes the next state. After a step that is refused the others are only counted.
    pub fn step(&mut self, step: &RecordedStep) {
        self.replayed.steps += 1;
        if self.is_decided() {
            return;
        }
        let followed = model_panic::catch(|| self.follow(step));
        let number = step.number;
        match followed {
            Ok(Ok(())) => self.last = (step.number, step.line),
            Ok(Err(outcome)) => self.replayed.outcome = outcome,
            Err(message) => {
                let step = number;
                self.replayed.outcome = Outcome::Failed { step, message };
            }
        }
    }

    fn is_first(&self) -> bool {
        self.replayed.steps == 1
    }

    fn follow(&mut self, step: &RecordedStep) -> Result<(), Outcome> {
        self.pass_violations()?;
        let whole = self.has_all_variables(step)?;
        let wanted = self.wanted(step)?;
        let exact = whole && self.header.fidelity == Fidelity::Exact;
        if exact && let Some(followed) = self.follow_on(step, wanted) {
            self.note_followed(step.number, followed);
            return Ok(());
        }
        let mut taken = BTreeSet::new();
        let reached = if exact {
            self.reach_exactly(step, wanted, &mut taken)?
        } else {
            self.reach_all(step, wanted, &mut taken)?
        };
        if reached.is_empty() {
            return Err(self.refused(step, wanted, None));
        }
        let first = self.is_first();
        self.count_actions(taken.is_empty() && !first, &taken);
        self.replayed.candidates = self.replayed.candidates.max(reached.len());
        self.evaluate(&reached)?;
        self.follower = match &*reached {
            [one] if exact => self.model.follower(&one.state, &step.state),
            _ => None,
        };
        self.arrive(step.number, reached);
        Ok(())
    }

    /// Counts a step by the action that it must have been by, and one that may be by none.
    fn count_actions(&mut self, stutters: bool, taken: &BTreeSet<&'static str>) {
        self.replayed.stuttering += u64::from(stutters);
        let mut names = taken.iter();
        if let (Some(name), None) = (names.next(), names.next()) {
            *self.replayed.actions.entry(name).or_default() += 1;
        }
    }

    fn arrive(&mut self, number: u64, reached: Vec<Reached>) {
        if self.options.keep_history {
            self.history.push(number, &reached);
        }
        self.current = reached;
    }

    /// The step from the last recorded state to this one, if it is found without reading the state.
    /// Whether it is none, and why, is for those to say who read it.
    fn follow_on(&mut self, step: &RecordedStep, wanted: Wanted<'_>) -> Option<Followed> {
        let fidelity = self.header.fidelity;
        let accepts = |action: &ActionLabel| wanted.fits(action, fidelity);
        let asked = match wanted {
            Wanted::Any => Asked::Any,
            Wanted::Action { name, .. } => Asked::Action(name, &accepts),
        };
        self.follower.as_mut()?.follow(&step.state, asked)
    }

    fn note_followed(&mut self, number: u64, followed: Followed) {
        let Followed {
            actions,
            state,
            violated,
        } = followed;
        let taken: BTreeSet<&'static str> = actions.into_iter().collect();
        self.count_actions(taken.is_empty(), &taken);
        self.possible.clone_from(&violated);
        self.certain = violated;
        let from = vec![0];
        self.arrive(number, vec![Reached { state, from }]);
    }

    /// What the state before violated, it violated before the end.
    fn pass_violations(&mut self) -> Result<(), Outcome> {
        let (step, line) = self.last;
        let was_recorded_for_one = self.header.violation.is_some();
        if was_recorded_for_one && self.options.went_on {
            return Ok(());
        }
        if let (Some(first), true) = (self.certain.first(), was_recorded_for_one) {
            let kind = first.kind;
            let reason = format!("{kind} {} is violated here, before the end", first.property);
            return Err(refusal(step, line, Why::OtherViolation, reason));
        }
        for violated in &self.certain {
            if self.replayed.violations.len() < MOST_VIOLATIONS {
                self.replayed.violations.push(ViolationOnTheWay {
                    step,
                    property: violated.property.to_owned(),
                    kind: violated.kind,
                    conjunct: violated.conjunct.map(str::to_owned),
                });
            }
        }
        Ok(())
    }

    /// Whether the state has every variable of the model; another variable is an error.
    fn has_all_variables(&mut self, step: &RecordedStep) -> Result<bool, Outcome> {
        if let Some((known, whole)) = &self.layout
            && step.state.has_variables_of(known)
        {
            return Ok(*whole);
        }
        let variables = self.model.variables();
        let mut names = step.state.iter().map(|(name, _)| name);
        if let Some(unknown) = names.find(|name| !variables.contains(name)) {
            let message = format!(
                "state {}: the model {} has no variable {unknown}: expected one of {}",
                step.number,
                self.model.name(),
                variables.join(", ")
            );
            return Err(Outcome::Unreadable {
                line: step.line,
                message,
            });
        }
        let whole = step.state.len() == variables.len();
        self.layout = Some((step.state.clone(), whole));
        Ok(whole)
    }

    /// What the label asks for.
    fn wanted<'s>(&mut self, step: &'s RecordedStep) -> Result<Wanted<'s>, Outcome> {
        if self.is_first() {
            return Ok(Wanted::Any);
        }
        self.wanted_by(&step.label, step.line)
    }

    /// What the label of a step asks for, which is counted if it names no action.
    pub(super) fn wanted_by<'s>(
        &mut self,
        label: &'s RecordedLabel,
        line: u64,
    ) -> Result<Wanted<'s>, Outcome> {
        let RecordedLabel::Action { name, parameters } = label else {
            return Ok(Wanted::Any);
        };
        if self.actions.contains(&name.as_str()) {
            let parameters = parameters.as_deref();
            return Ok(Wanted::Action { name, parameters });
        }
        if self.options.only_known_labels {
            let known = self.actions.join(", ");
            let message = format!("unknown action {name}: expected one of {known}");
            return Err(Outcome::Unreadable { line, message });
        }
        let inferred = &mut self.replayed.inferred;
        let name = if inferred.len() < MOST_LABELS || inferred.contains_key(name) {
            name.as_str()
        } else {
            "…"
        };
        *inferred.entry(name.to_owned()).or_default() += 1;
        Ok(Wanted::Any)
    }

    /// The state itself, if it is one that can come next.
    fn reach_exactly(
        &self,
        step: &RecordedStep,
        wanted: Wanted<'_>,
        taken: &mut BTreeSet<&'static str>,
    ) -> Result<Vec<Reached>, Outcome> {
        let state = read_state(self.model, &step.state)
            .map_err(|strange| self.refused(step, wanted, Some(strange)))?;
        if self.is_first() {
            let found = self.initial.binary_search(&state).is_ok();
            let from = Vec::new();
            return Ok(found
                .then_some(Reached { state, from })
                .into_iter()
                .collect());
        }
        let mut from = Vec::new();
        for (place, before) in self.current.iter().enumerate() {
            if !self.is_inside(&before.state) {
                continue;
            }
            let found = self.steps_between(&before.state, &state, wanted);
            let stays = matches!(wanted, Wanted::Any) && before.state == state;
            if !found.is_empty() || stays {
                from.push(place);
            }
            taken.extend(found.iter().map(|action| action.name));
        }
        let reached = !from.is_empty();
        Ok(reached
            .then_some(Reached { state, from })
            .into_iter()
            .collect())
    }

    /// The wanted actions from one state to another.
    pub(super) fn steps_between(
        &self,
        before: &[u8],
        after: &[u8],
        wanted: Wanted<'_>,
    ) -> Vec<ActionLabel> {
        let mut found = self.model.steps_between(before, after).unwrap_or_default();
        found.retain(|action| wanted.fits(action, self.header.fidelity));
        found
    }

    /// Every state that can come next and agrees with what was recorded.
    fn reach_all(
        &self,
        step: &RecordedStep,
        wanted: Wanted<'_>,
        taken: &mut BTreeSet<&'static str>,
    ) -> Result<Vec<Reached>, Outcome> {
        let fits = |state: &[u8]| {
            let state = self.model.render(state);
            state.is_some_and(|state| agrees(&step.state, &state, self.header.fidelity))
        };
        let mut found: BTreeMap<Encoded, Vec<usize>> = BTreeMap::new();
        if self.is_first() {
            let fitting = self.initial.iter().filter(|state| fits(state));
            found.extend(fitting.map(|state| (state.clone(), Vec::new())));
        }
        for (place, before) in self.current.iter().enumerate() {
            if !self.is_inside(&before.state) {
                continue;
            }
            for successor in self.model.successors(&before.state).unwrap_or_default() {
                if !wanted.fits(&successor.action, self.header.fidelity) || !fits(&successor.state)
                {
                    continue;
                }
                taken.insert(successor.action.name);
                note(&mut found, successor.state, place);
            }
            if matches!(wanted, Wanted::Any) && fits(&before.state) {
                note(&mut found, before.state.clone(), place);
            }
            self.check_bound(step.number, found.len())?;
        }
        self.check_bound(step.number, found.len())?;
        let reached = found.into_iter();
        Ok(reached
            .map(|(state, from)| Reached { state, from })
            .collect())
    }

    fn check_bound(&self, step: u64, found: usize) -> Result<(), Outcome> {
        let limit = self.options.max_candidates;
        if found <= limit {
            return Ok(());
        }
        let reason = format!("more than {limit} states of the model agree with what was recorded");
        Err(Outcome::Undecided { step, reason })
    }

    /// Whether a behaviour can go on from this state.
    pub(super) fn is_inside(&self, state: &[u8]) -> bool {
        !self.constrained || self.model.within_constraint(state) == Some(true)
    }

    /// What the steps to the states violate.
    fn evaluate(&mut self, reached: &[Reached]) -> Result<(), Outcome> {
        self.certain.clear();
        self.possible.clear();
        if !self.evaluated {
            return Ok(());
        }
        let mut is_first = true;
        for Reached { state, from } in reached {
            let before = from.iter().map(|place| Some(&*self.current[*place].state));
            let before = before.chain(from.is_empty().then_some(None));
            for before in before {
                let violated = self.model.violated(before, state).unwrap_or_default();
                if is_first {
                    self.certain.clone_from(&violated);
                    is_first = false;
                } else {
                    self.certain.retain(|one| violated.contains(one));
                }
                for one in violated {
                    if !self.possible.contains(&one) {
                        self.possible.push(one);
                    }
                }
            }
        }
        Ok(())
    }

    fn refused(&self, step: &RecordedStep, wanted: Wanted<'_>, strange: Option<String>) -> Outcome {
        let before = || {
            let states = self.current.iter().map(|reached| &reached.state);
            let inside = states.filter(|state| self.is_inside(state)).cloned();
            (self.last.0, inside.collect())
        };
        let refused = Refused {
            model: self.model,
            fidelity: self.header.fidelity,
            step,
            wanted,
            before: (!self.is_first()).then(before),
            strange,
        };
        Outcome::Refused(Box::new(refused.explain()))
    }
}

/// Notes that a state can be reached from the one at `place`.
fn note(found: &mut BTreeMap<Encoded, Vec<usize>>, state: Encoded, place: usize) {
    let from = found.entry(state).or_default();
    // Places come in ascending order.
    if from.last() != Some(&place) {
        from.push(place);
    }
}

/// A refusal that is not about what the model would have allowed.
pub(super) fn refusal(step: u64, line: u64, why: Why, reason: String) -> Outcome {
    Outcome::Refused(Box::new(Refusal {
        step,
        line,
        why,
        reason,
        nearest: None,
        enabled: Vec::new(),
        enabled_left_out: 0,
    }))
}
