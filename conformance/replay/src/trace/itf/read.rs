//! Reading ITF: as it is written by any tool.

use std::collections::{BTreeMap, HashSet, VecDeque};
use std::io::Read;

use plumb_tla::{State, Value, parse_values};
use struson::reader::ValueType;

use super::META;
use crate::trace::document::Pieces;
use crate::trace::error::Fault;
use crate::trace::json::{Json, Place, plain, require_no_nul};
use crate::trace::plumb::kind_of_name;
use crate::trace::{
    Ending, Fidelity, Header, RecordedLabel, RecordedStep, RecordedViolation, TraceItem,
};

/// Reads one ITF trace.
pub(in crate::trace) struct Source {
    part: Part,
    ready: VecDeque<TraceItem>,
    header: Header,
    /// How many states there were so far.
    steps: u64,
    /// The index of the state that the behaviour goes back to.
    back_to: Option<(Place, i64)>,
    met: HashSet<String>,
}

#[derive(Clone, Copy, PartialEq)]
enum Part {
    Before,
    States,
    Outermost,
}

impl Source {
    pub(in crate::trace) fn new() -> Source {
        Source {
            part: Part::Before,
            ready: VecDeque::new(),
            header: Header {
                fidelity: Fidelity::NamesAsStrings,
                ..Header::default()
            },
            steps: 0,
            back_to: None,
            met: HashSet::new(),
        }
    }

    /// A member of the outermost object.
    fn member<R: Read>(&mut self, json: &mut Json<R>) -> Result<(), Box<Fault>> {
        let place = json.place();
        let name = json.name()?;
        match name.as_str() {
            "#meta" => self.meta(json)?,
            "states" => {
                json.begin_array("the states")?;
                self.part = Part::States;
                let header = self.header.clone();
                self.ready.push_back(TraceItem::Header(header));
            }
            "loop" => {
                let place = json.place();
                if json.peek()? == ValueType::Null {
                    json.skip()?;
                } else {
                    let index = json.integer("the index of a state")?;
                    self.back_to = Some((place, index));
                }
            }
            _ => {
                json.skip()?;
                return Ok(());
            }
        }
        if !self.met.insert(name.clone()) {
            return Err(place.fault("each member once", format!("`{name}` again")));
        }
        Ok(())
    }

    /// What the trace says of itself.
    fn meta<R: Read>(&mut self, json: &mut Json<R>) -> Result<(), Box<Fault>> {
        let mut told: BTreeMap<String, (Place, String)> = BTreeMap::new();
        let mut description = None;
        json.begin_object("facts about the trace")?;
        while json.has_next()? {
            let name = json.name()?;
            let place = json.place();
            if json.peek()? != ValueType::String {
                json.skip()?;
            } else if META.contains(&name.as_str()) {
                told.insert(name, (place, json.string("a fact")?));
            } else if name == "description" {
                description = Some(json.string("a description")?);
            } else {
                json.skip()?;
            }
        }
        json.end_object("the end of the facts")?;

        let mut take = |at: usize| told.remove(META[at]);
        let text = |told: Option<(Place, String)>| told.map(|(_, text)| text);
        let seed = take(6).map(|(place, text)| {
            let wrong = |_| place.fault("a seed", format!("`{text}`"));
            text.parse().map_err(wrong)
        });
        let property = text(take(8));
        let violation = take(7).map(|(place, name)| {
            let kind = kind_of_name(&name);
            let kind = kind.ok_or_else(|| place.fault("what was violated", format!("`{name}`")));
            kind.map(|kind| RecordedViolation { kind, property })
        });
        self.header = Header {
            model: text(take(0)),
            configuration: text(take(1)),
            module: text(take(2)),
            module_digest: text(take(3)),
            cfg_digest: text(take(4)),
            tool: text(take(5)).or(description),
            seed: seed.transpose()?,
            violation: violation.transpose()?,
            fidelity: Fidelity::NamesAsStrings,
        };
        Ok(())
    }

    fn state<R: Read>(&mut self, json: &mut Json<R>) -> Result<RecordedStep, Box<Fault>> {
        let place = json.place();
        let mut names = HashSet::new();
        let mut variables = Vec::new();
        let (mut action, mut taken) = (None, None);
        json.begin_object("a state")?;
        while json.has_next()? {
            let at = json.place();
            let name = json.name()?;
            if !names.insert(name.clone()) {
                return Err(at.fault("each variable once", format!("`{name}` again")));
            }
            match name.as_str() {
                "#meta" => action = self.state_meta(json)?,
                "mbt::actionTaken" => taken = Some(json.string("the name of an action")?),
                "mbt::nondetPicks" => json.skip()?,
                _ if name.starts_with('#') => {
                    return Err(at.fault("a variable", format!("`{name}`")));
                }
                _ => variables.push((name, value(json, 0)?)),
            }
        }
        json.end_object("the end of the state")?;
        if variables.is_empty() {
            return Err(place.fault("a variable", "none in the state"));
        }
        self.steps += 1;
        let taken = taken
            .filter(|name| !name.is_empty())
            .map(|name| RecordedLabel::Action {
                name,
                parameters: None,
            });
        let label = match action.or(taken) {
            _ if self.steps == 1 => RecordedLabel::Initial,
            Some(label) => label,
            None => RecordedLabel::Unlabelled,
        };
        Ok(RecordedStep {
            number: self.steps,
            line: place.line,
            label,
            state: State::new(variables),
        })
    }

    /// What a state says of itself: its index, which must be right if it is there, and how it was
    /// reached.
    fn state_meta<R: Read>(&self, json: &mut Json<R>) -> Result<Option<RecordedLabel>, Box<Fault>> {
        let (mut name, mut parameters) = (None, None);
        json.begin_object("facts about the state")?;
        while json.has_next()? {
            let member = json.name()?;
            let place = json.place();
            match (member.as_str(), json.peek()?) {
                ("index", ValueType::Number) => {
                    let index = json.integer("the index of the state")?;
                    if u64::try_from(index) != Ok(self.steps) {
                        let expected = format!("a state with the index {}", self.steps);
                        return Err(place.fault(expected, index.to_string()));
                    }
                }
                ("action", ValueType::String) => name = Some(json.string("an action")?),
                ("parameters", ValueType::String) => {
                    let text = json.string("the parameters")?;
                    let read = parse_values(&text);
                    let read = read.map_err(|error| {
                        let expected = format!("{} in the parameters", error.expected);
                        let found = format!("{} at their {}", error.found, error.position());
                        place.fault(expected, found)
                    });
                    parameters = Some(read?);
                }
                _ => json.skip()?,
            }
        }
        json.end_object("the end of the facts")?;
        Ok(name.map(|name| RecordedLabel::Action { name, parameters }))
    }

    /// All of the file has been read.
    fn finish(&mut self, end: Place) -> Result<(), Box<Fault>> {
        if !self.met.contains("states") {
            return Err(end.fault("the member `states`", "the end of the trace"));
        }
        let ending = match self.back_to {
            None => Ending::Open,
            Some((place, index)) => match u64::try_from(index) {
                Ok(index) if index + 1 == self.steps => Ending::Stuttering,
                Ok(index) if index < self.steps => {
                    Ending::BackTo(index + 1, RecordedLabel::Unlabelled)
                }
                _ => {
                    let expected = format!("the index of one of the {} states", self.steps);
                    return Err(place.fault(expected, index.to_string()));
                }
            },
        };
        self.ready.push_back(TraceItem::End(ending));
        Ok(())
    }
}

impl<R: Read> Pieces<R> for Source {
    /// Reads on by one state or one member; says whether there is more.
    fn read(&mut self, json: &mut Json<R>) -> Result<bool, Box<Fault>> {
        match self.part {
            Part::Before => {
                json.begin_object("an ITF trace")?;
                self.part = Part::Outermost;
            }
            Part::Outermost => {
                if !json.has_next()? {
                    json.end_object("the end of the trace")?;
                    return self.finish(json.place()).map(|()| false);
                }
                self.member(json)?;
            }
            Part::States if json.has_next()? => {
                let step = self.state(json)?;
                self.ready.push_back(TraceItem::Step(step));
            }
            Part::States => {
                json.end_array("the end of the states")?;
                self.part = Part::Outermost;
            }
        }
        Ok(true)
    }

    fn take(&mut self) -> Option<TraceItem> {
        self.ready.pop_front()
    }
}

fn value<R: Read>(json: &mut Json<R>, depth: u32) -> Result<Value, Box<Fault>> {
    plain(json, depth, compound)
}

fn compound<R: Read>(json: &mut Json<R>, kind: ValueType, depth: u32) -> Result<Value, Box<Fault>> {
    if kind == ValueType::Array {
        return elements(json, "a sequence", depth).map(Value::Tuple);
    }
    json.begin_object("a value")?;
    if !json.has_next()? {
        json.end_object("the end of the record")?;
        return Ok(Value::Tuple(Vec::new()));
    }
    let place = json.place();
    let name = json.name()?;
    let value = match name.as_str() {
        "#bigint" => {
            let at = json.place();
            let text = json.string("an integer in quotes")?;
            let number = text.parse().map_err(|_| {
                let found = format!("`{}`", text.chars().take(40).collect::<String>());
                at.fault("an integer of at most 64 bits", found)
            })?;
            Value::Int(number)
        }
        "#tup" => Value::Tuple(elements(json, "the elements of a tuple", depth)?),
        "#set" => Value::set(elements(json, "the elements of a set", depth)?),
        "#map" => map(json, depth)?,
        "#unserializable" => {
            let text = json.string("a text")?;
            let found = text.chars().take(40).collect::<String>();
            let found = format!("one that the tool could not write: `{found}`");
            return Err(place.fault("a value", found));
        }
        _ if name.starts_with('#') => {
            let expected = "a value with #bigint, #tup, #set or #map";
            return Err(place.fault(expected, format!("`{name}`")));
        }
        _ => {
            require_no_nul(place, &name)?;
            return record(json, name, depth);
        }
    };
    json.end_object("the end of the value")?;
    Ok(value)
}

fn elements<R: Read>(
    json: &mut Json<R>,
    expected: &str,
    depth: u32,
) -> Result<Vec<Value>, Box<Fault>> {
    let mut elements = Vec::new();
    json.begin_array(expected)?;
    while json.has_next()? {
        elements.push(value(json, depth)?);
    }
    json.end_array("the end of the elements")?;
    Ok(elements)
}

/// A function, as an array of pairs.
fn map<R: Read>(json: &mut Json<R>, depth: u32) -> Result<Value, Box<Fault>> {
    let mut pairs = BTreeMap::new();
    json.begin_array("the pairs of a function")?;
    while json.has_next()? {
        let place = json.place();
        json.begin_array("an argument with its result")?;
        json.require_next("an argument")?;
        let argument = value(json, depth)?;
        json.require_next("a result")?;
        let result = value(json, depth)?;
        json.end_array("the end of the pair")?;
        if pairs.insert(argument, result).is_some() {
            return Err(place.fault("each argument once", "one again"));
        }
    }
    json.end_array("the end of the pairs")?;
    Ok(Value::function(pairs))
}

/// A record whose first field has this name, which has been read.
fn record<R: Read>(json: &mut Json<R>, first: String, depth: u32) -> Result<Value, Box<Fault>> {
    let mut fields = BTreeMap::new();
    fields.insert(first, value(json, depth)?);
    while json.has_next()? {
        let place = json.place();
        let name = json.name()?;
        if name.starts_with('#') || fields.contains_key(&name) {
            return Err(place.fault("each field once", format!("`{name}`")));
        }
        require_no_nul(place, &name)?;
        fields.insert(name, value(json, depth)?);
    }
    json.end_object("the end of the record")?;
    Ok(Value::Record(fields))
}
