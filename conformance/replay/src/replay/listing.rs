//! States and graphs that TLC dumped: no behaviours, and held against the model all the same.

use std::collections::HashMap;
use std::io::BufRead;

use ahash::RandomState;
use plumb_checker::{ConfiguredModel, Encoded, Successor, model_panic};
use plumb_tla::tlc::{DotItem, read_dot, read_dump};
use plumb_tla::{State, Value};

use super::behaviour::refusal;
use super::outcome::{Outcome, Replayed, Why};
use super::refusal::{Refused, Wanted};
use crate::reading::read_state;
use crate::trace::{Fidelity, RecordedLabel, RecordedStep};

/// A list of states or a graph, held against a model.
#[derive(Clone, Debug)]
pub struct Listed {
    /// What came of it; the steps are the states that are listed.
    pub replayed: Replayed,
    /// Edges of the graph, if it is one.
    pub edges: Option<u64>,
    /// Its initial states.
    pub initial: Option<u64>,
}

/// Holds the states that TLC listed with `-dump FILE` against the model, in constant memory: each is
/// a state of the model, satisfies the invariants, and lies within the constraint.
pub fn replay_dump(model: &dyn ConfiguredModel, input: impl BufRead) -> Listed {
    let mut replayed = Replayed::new();
    for item in read_dump(input) {
        let (number, state) = match item {
            Ok(item) => item,
            Err(error) => {
                replayed.outcome = unreadable(error.line(), error.to_string());
                break;
            }
        };
        replayed.steps += 1;
        if replayed.is_accepted() {
            let looked = model_panic::catch(|| look_at(model, number, &state).map(|_| ()));
            if let Err(outcome) = looked.unwrap_or_else(|message| Err(failed(number, message))) {
                replayed.outcome = outcome;
            }
        }
    }
    finish(replayed, None, None)
}

/// Holds a graph that TLC dumped with `-dump dot,actionlabels FILE` against the model: its states as
/// those of [`replay_dump`], its initial ones are initial states, and each edge is a step by the
/// action that it names.
pub fn replay_dot(model: &dyn ConfiguredModel, input: impl BufRead) -> Listed {
    let mut graph = Graph {
        model,
        replayed: Replayed::new(),
        initial: 0,
        nodes: HashMap::default(),
        labels: Vec::new(),
        edges: Vec::new(),
    };
    let looked = model_panic::catch(|| graph.read(input).and_then(|()| graph.follow_edges()));
    let steps = graph.replayed.steps;
    if let Err(outcome) = looked.unwrap_or_else(|message| Err(failed(steps, message))) {
        graph.replayed.outcome = outcome;
    }
    let edges = graph.edges.len() as u64;
    finish(graph.replayed, Some(edges), Some(graph.initial))
}

fn finish(mut replayed: Replayed, edges: Option<u64>, initial: Option<u64>) -> Listed {
    if replayed.steps == 0 && replayed.is_accepted() {
        replayed.outcome = unreadable(0, "it lists no states".to_owned());
    }
    Listed {
        replayed,
        edges,
        initial,
    }
}

fn unreadable(line: u64, message: String) -> Outcome {
    Outcome::Unreadable { line, message }
}

fn failed(step: u64, message: String) -> Outcome {
    Outcome::Failed { step, message }
}

/// The listed state as the model has it, if it is one that a search may list.
fn look_at(model: &dyn ConfiguredModel, number: u64, state: &State) -> Result<Encoded, Outcome> {
    let variables = model.variables();
    let mut names = state.iter().map(|(name, _)| name);
    if let Some(unknown) = names.find(|name| !variables.contains(name)) {
        let name = model.name();
        let message = format!("state {number}: the model {name} has no variable {unknown}");
        return Err(unreadable(0, message));
    }
    let refused = |why, reason| refusal(number, 0, why, reason);
    let encoded = read_state(model, state).map_err(|reason| {
        refused(
            Why::NoSuchState,
            format!("it is no state of the model: {reason}"),
        )
    })?;
    let violated = model.violated(None, &encoded).unwrap_or_default();
    if let Some(violated) = violated.first() {
        let reason = format!("{} {} is violated", violated.kind, violated.property);
        return Err(refused(Why::OtherViolation, reason));
    }
    if model.within_constraint(&encoded) == Some(false) {
        let reason = "it lies outside the constraint, and a search does not list it".to_owned();
        return Err(refused(Why::OutsideConstraint, reason));
    }
    Ok(encoded)
}

struct Graph<'m> {
    model: &'m dyn ConfiguredModel,
    replayed: Replayed,
    initial: u64,
    /// By TLC's fingerprint: the position in the file, and the state.
    nodes: HashMap<i64, (u64, Encoded), RandomState>,
    labels: Vec<(String, Option<String>)>,
    edges: Vec<(i64, i64, usize)>,
}

impl Graph<'_> {
    fn read(&mut self, input: impl BufRead) -> Result<(), Outcome> {
        let mut initial = self.model.initial_states();
        initial.sort();
        let mut known: HashMap<(String, Option<String>), usize, RandomState> = HashMap::default();
        for item in read_dot(input) {
            match item.map_err(|error| unreadable(error.line(), error.to_string()))? {
                DotItem::Node {
                    id,
                    state,
                    initial: is_initial,
                } => {
                    self.replayed.steps += 1;
                    let number = self.replayed.steps;
                    let encoded = look_at(self.model, number, &state)?;
                    if is_initial && initial.binary_search(&encoded).is_err() {
                        let reason = "it is drawn as an initial state, and is none".to_owned();
                        return Err(refusal(number, 0, Why::NoSuchInitialState, reason));
                    }
                    self.initial += u64::from(is_initial);
                    self.nodes.insert(id, (number, encoded));
                }
                DotItem::Edge {
                    from,
                    to,
                    label,
                    parameters,
                } => {
                    let next = known.len();
                    let place = *known
                        .entry((label.clone(), parameters.clone()))
                        .or_insert(next);
                    if place == next {
                        self.labels.push((label, parameters));
                    }
                    self.edges.push((from, to, place));
                }
            }
        }
        Ok(())
    }

    fn follow_edges(&mut self) -> Result<(), Outcome> {
        let actions = self.model.actions();
        // TLC writes the edges of a state one after the other.
        let mut leaving: Option<(i64, Vec<Successor>)> = None;
        let edges = std::mem::take(&mut self.edges);
        let followed = edges.iter().try_for_each(|(from, to, label)| {
            let node = |id: &i64| {
                self.nodes.get(id).ok_or_else(|| {
                    let message =
                        format!("an edge joins the state {id}, which is not in the graph");
                    unreadable(0, message)
                })
            };
            let ((before, source), (number, target)) = (node(from)?, node(to)?);
            let (name, arguments) = &self.labels[*label];
            let arguments = arguments.as_deref().map(arguments_of).transpose()?;
            let wanted = if actions.contains(&name.as_str()) {
                let parameters = arguments.as_deref();
                Wanted::Action { name, parameters }
            } else {
                if !name.is_empty() {
                    *self.replayed.inferred.entry(name.clone()).or_default() += 1;
                }
                Wanted::Any
            };
            if leaving.as_ref().is_none_or(|(id, _)| id != from) {
                let successors = self.model.successors(source).unwrap_or_default();
                leaving = Some((*from, successors));
            }
            let steps = leaving.iter().flat_map(|(_, steps)| steps);
            let mut fitting = steps
                .filter(|step| step.state == *target && wanted.fits(&step.action, Fidelity::Exact));
            if let Some(step) = fitting.next() {
                *self.replayed.actions.entry(step.action.name).or_default() += 1;
                return Ok(());
            }
            if matches!(wanted, Wanted::Any) && source == target {
                self.replayed.stuttering += 1;
                return Ok(());
            }
            let step = RecordedStep {
                number: *number,
                line: 0,
                label: RecordedLabel::Unlabelled,
                state: self
                    .model
                    .render(target)
                    .unwrap_or_else(|| State::new::<String>([])),
            };
            let refused = Refused {
                model: self.model,
                fidelity: Fidelity::Exact,
                step: &step,
                wanted,
                before: Some((*before, vec![source.clone()])),
                strange: None,
            };
            Err(Outcome::Refused(Box::new(refused.explain())))
        });
        self.edges = edges;
        followed
    }
}

/// The arguments that TLC prints between parentheses.
fn arguments_of(text: &str) -> Result<Vec<Value>, Outcome> {
    let read: Result<Value, _> = format!("<<{text}>>").parse();
    match read {
        Ok(Value::Tuple(values)) => Ok(values),
        _ => Err(unreadable(
            0,
            format!("expected an action's arguments, found {text}"),
        )),
    }
}
