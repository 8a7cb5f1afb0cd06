//! TLC's JSON dump of a counterexample, `-dumpTrace json`.
//!
//! It holds one object. Its member `counterexample` has an array `action` of steps, each with the
//! state before it and the state after it, and an array `state` of all states once more; either may
//! come first. The steps tell all there is, except where there is none.

use std::collections::{BTreeMap, VecDeque};
use std::io::Read;

use plumb_tla::{State, Value};
use struson::reader::ValueType;

use super::document::Pieces;
use super::error::Fault;
use super::json::{Json, Place, plain, require_no_nul};
use super::{Ending, Fidelity, Header, RecordedLabel, RecordedStep, TraceItem};

pub(super) struct Source {
    part: Part,
    ready: VecDeque<TraceItem>,
    /// The number of the last state given away, and the state.
    last: Option<(u64, State)>,
    /// The end, once a step has led back.
    ending: Option<Ending>,
    /// The first of the states that are listed, and how many there are.
    listed: Option<(Place, u64, State)>,
    count: u64,
    /// Whether `action` and `state` have been met.
    met: (bool, bool),
}

#[derive(Clone, Copy, PartialEq)]
enum Part {
    Before,
    Actions,
    States,
    Counterexample,
    Outermost,
}

impl Source {
    pub(super) fn new() -> Source {
        Source {
            part: Part::Before,
            ready: VecDeque::new(),
            last: None,
            ending: None,
            listed: None,
            count: 0,
            met: (false, false),
        }
    }

    /// A step: the state before it, what led on, the state after it.
    fn action<R: Read>(&mut self, json: &mut Json<R>) -> Result<(), Box<Fault>> {
        json.begin_array("a step")?;
        json.require_next("the state before the step")?;
        let (place, from, before) = numbered_state(json)?;
        if self.ending.is_some() {
            return Err(place.fault("no step after the one that leads back", "one"));
        }
        match &self.last {
            None => {
                if from != 1 {
                    return Err(place.fault("state 1", format!("state {from}")));
                }
                self.step(place, from, RecordedLabel::Initial, &before);
            }
            Some((number, state)) => {
                if from != *number {
                    let found = format!("state {from}");
                    return Err(place.fault(format!("state {number} again"), found));
                }
                if *state != before {
                    let expected = format!("state {number} as it was after the step before");
                    return Err(place.fault(expected, "another one of this number"));
                }
            }
        }
        json.require_next("the step's action")?;
        let label = action_label(json)?;
        json.require_next("the state after the step")?;
        let (place, to, after) = numbered_state(json)?;
        json.end_array("the end of the step")?;
        if to == from {
            self.ending = Some(Ending::Stuttering);
        } else if to < from {
            self.ending = Some(Ending::BackTo(to, label));
        } else if to == from + 1 {
            self.step(place, to, label, &after);
        } else {
            let found = format!("state {to}");
            return Err(place.fault(format!("at most state {}", from + 1), found));
        }
        Ok(())
    }

    fn step(&mut self, place: Place, number: u64, label: RecordedLabel, state: &State) {
        self.last = Some((number, state.clone()));
        self.ready.push_back(TraceItem::Step(RecordedStep {
            number,
            line: place.line,
            label,
            state: state.clone(),
        }));
    }

    /// All of the file has been read.
    fn finish(&mut self, place: Place) -> Result<(), Box<Fault>> {
        if self.last.is_none()
            && let Some((place, number, state)) = self.listed.take()
        {
            self.step(place, number, RecordedLabel::Initial, &state);
        }
        let Some((steps, _)) = self.last else {
            return Err(place.fault("a state", "none in the whole file"));
        };
        if self.met.1 && self.count != steps {
            let expected = format!("as many states as the steps lead to, {steps}");
            return Err(place.fault(expected, self.count.to_string()));
        }
        let ending = self.ending.take().unwrap_or(Ending::Open);
        self.ready.push_back(TraceItem::End(ending));
        Ok(())
    }
}

impl<R: Read> Pieces<R> for Source {
    /// Reads on by one step or one state, or to the next part.
    fn read(&mut self, json: &mut Json<R>) -> Result<bool, Box<Fault>> {
        match self.part {
            Part::Before => {
                json.begin_object("a JSON trace of TLC")?;
                let header = Header {
                    fidelity: Fidelity::Projected,
                    ..Header::default()
                };
                self.ready.push_back(TraceItem::Header(header));
                self.part = Part::Outermost;
            }
            Part::Outermost => {
                if !json.has_next()? {
                    json.end_object("the end of the trace")?;
                    return self.finish(json.place()).map(|()| false);
                }
                let place = json.place();
                if json.name()? != "counterexample" {
                    json.skip()?;
                } else if self.met == (false, false) {
                    json.begin_object("the counterexample")?;
                    self.part = Part::Counterexample;
                } else {
                    return Err(place.fault("one `counterexample`", "another one"));
                }
            }
            Part::Counterexample => {
                if !json.has_next()? {
                    json.end_object("the end of the counterexample")?;
                    self.part = Part::Outermost;
                    return Ok(true);
                }
                let place = json.place();
                let name = json.name()?;
                match name.as_str() {
                    "action" if !std::mem::replace(&mut self.met.0, true) => {
                        json.begin_array("the steps")?;
                        self.part = Part::Actions;
                    }
                    "state" if !std::mem::replace(&mut self.met.1, true) => {
                        json.begin_array("the states")?;
                        self.part = Part::States;
                    }
                    "action" | "state" => {
                        let found = format!("`{name}` twice");
                        return Err(place.fault("each part of the counterexample once", found));
                    }
                    _ => json.skip()?,
                }
            }
            Part::Actions if json.has_next()? => self.action(json)?,
            Part::Actions => {
                json.end_array("the end of the steps")?;
                self.part = Part::Counterexample;
            }
            Part::States if json.has_next()? => {
                let (place, number, state) = numbered_state(json)?;
                self.count += 1;
                if number != self.count {
                    let found = format!("state {number}");
                    return Err(place.fault(format!("state {}", self.count), found));
                }
                if self.listed.is_none() {
                    self.listed = Some((place, number, state));
                }
            }
            Part::States => {
                json.end_array("the end of the states")?;
                self.part = Part::Counterexample;
            }
        }
        Ok(true)
    }

    fn take(&mut self) -> Option<TraceItem> {
        self.ready.pop_front()
    }
}

/// `[3, {"x": 1}]`
fn numbered_state<R: Read>(json: &mut Json<R>) -> Result<(Place, u64, State), Box<Fault>> {
    let place = json.place();
    json.begin_array("a state with its number")?;
    json.require_next("the state's number")?;
    let number = json.integer("the state's number")?;
    let Ok(number @ 1..) = u64::try_from(number) else {
        return Err(place.fault("a state's number", number.to_string()));
    };
    json.require_next("the state")?;
    json.begin_object("the state")?;
    let variables = members(json, 0)?;
    json.end_array("the end of the state")?;
    if variables.is_empty() {
        return Err(place.fault("a variable", "none in the state"));
    }
    Ok((place, number, State::new(variables)))
}

/// The members of an object that has been begun, none of them twice, in the order of the file.
fn members<R: Read>(json: &mut Json<R>, depth: u32) -> Result<Vec<(String, Value)>, Box<Fault>> {
    let mut members = Vec::new();
    let mut names = std::collections::HashSet::new();
    while json.has_next()? {
        let place = json.place();
        let name = json.name()?;
        if !names.insert(name.clone()) {
            return Err(place.fault("each name once", format!("`{name}` again")));
        }
        require_no_nul(place, &name)?;
        members.push((name, plain(json, depth, compound)?));
    }
    json.end_object("the end of the object")?;
    Ok(members)
}

fn compound<R: Read>(json: &mut Json<R>, kind: ValueType, depth: u32) -> Result<Value, Box<Fault>> {
    if kind == ValueType::Object {
        json.begin_object("a value")?;
        return members(json, depth).map(Value::record);
    }
    json.begin_array("a value")?;
    let mut items = Vec::new();
    while json.has_next()? {
        items.push(plain(json, depth, compound)?);
    }
    json.end_array("the end of the array")?;
    Ok(Value::Tuple(items))
}

/// The name of an action, and its arguments: the parameters' names are in `parameters`, what they
/// stand for in `context`.
fn action_label<R: Read>(json: &mut Json<R>) -> Result<RecordedLabel, Box<Fault>> {
    let place = json.place();
    let (mut name, mut parameters, mut context) = (None, Vec::new(), BTreeMap::new());
    json.begin_object("an action")?;
    while json.has_next()? {
        match json.name()?.as_str() {
            "name" => name = Some(json.string("the action's name")?),
            "parameters" => {
                json.begin_array("the parameters' names")?;
                while json.has_next()? {
                    parameters.push(json.string("a parameter's name")?);
                }
                json.end_array("the end of the parameters")?;
            }
            "context" => {
                json.begin_object("what the parameters stand for")?;
                context = members(json, 0)?.into_iter().collect();
            }
            _ => json.skip()?,
        }
    }
    json.end_object("the end of the action")?;
    let Some(name) = name else {
        return Err(place.fault("the action's `name`", "none"));
    };
    let values: Option<Vec<Value>> = parameters.iter().map(|name| context.remove(name)).collect();
    let parameters = values.filter(|values| !values.is_empty());
    Ok(RecordedLabel::Action { name, parameters })
}
