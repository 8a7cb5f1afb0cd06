//! Writing ITF: as its description demands it.

use std::borrow::Borrow;
use std::collections::BTreeMap;
use std::io::Write;

use plumb_tla::{State, Value};
use serde_json::{Map, Value as Json, json};

use super::META;
use crate::trace::error::TraceError;
use crate::trace::plumb::name_of_kind;
use crate::trace::{Ending, Header, RecordedLabel, RecordedStep, TraceItem, out_of_order};

/// Writes one behaviour as ITF, a state a line.
///
/// Model values are written as strings, since the format has nothing else for them, and where the
/// behaviour goes back to an earlier state, it does not say by which action.
///
/// # Errors
///
/// When it cannot be written, the items are not one behaviour, a state has other variables than the
/// first, or a model value and a string of the same name are elements of one set or arguments of one
/// function, where they would become the same.
pub fn write_itf<W: Write, I: Borrow<TraceItem>>(
    mut out: W,
    items: impl IntoIterator<Item = I>,
) -> Result<W, TraceError> {
    let mut header = None;
    let mut first: Option<State> = None;
    let mut steps = None;
    let mut ended = false;
    for item in items {
        let item = item.borrow();
        match (steps, item) {
            (None, TraceItem::Header(told)) if !ended => {
                header = Some(told.clone());
                steps = Some(0);
            }
            (Some(before), TraceItem::Step(step)) if step.number == before + 1 => {
                match &first {
                    None => head(&mut out, header.take().unwrap_or_default(), &step.state)?,
                    Some(first) if first.has_variables_of(&step.state) => {
                        out.write_all(b",\n")?;
                    }
                    Some(_) => {
                        return Err(unwritable(
                            "the variables of the first state in each of them",
                            &format!("others in state {}", step.number),
                        ));
                    }
                }
                serde_json::to_writer(&mut out, &state(step)?).map_err(std::io::Error::from)?;
                first.get_or_insert_with(|| step.state.clone());
                steps = Some(step.number);
            }
            (Some(count @ 1..), TraceItem::End(ending)) => {
                let back_to = match ending {
                    Ending::Open => None,
                    Ending::Stuttering => Some(count),
                    Ending::BackTo(state, _) if (1..=count).contains(state) => Some(*state),
                    Ending::BackTo(state, _) => {
                        let expected = format!("a way back to one of the {count} states");
                        let found = format!("one to state {state}");
                        return Err(unwritable(&expected, &found));
                    }
                };
                out.write_all(b"\n]")?;
                if let Some(state) = back_to {
                    write!(out, ",\"loop\":{}", state - 1)?;
                }
                out.write_all(b"}\n")?;
                steps = None;
                ended = true;
            }
            (_, TraceItem::Header(_)) if ended => {
                return Err(unwritable("one behaviour in an ITF trace", "another one"));
            }
            (steps, item) => return Err(out_of_order(steps, item)),
        }
    }
    if !ended {
        return Err(unwritable("a whole behaviour", "one without its end"));
    }
    out.flush()?;
    Ok(out)
}

fn unwritable(expected: &str, found: &str) -> TraceError {
    TraceError::Unwritable {
        expected: expected.to_owned(),
        found: found.to_owned(),
    }
}

/// All that stands before the states.
fn head(out: &mut impl Write, header: Header, state: &State) -> Result<(), TraceError> {
    let mut meta = Map::new();
    let mut put = |name: &str, text: Option<String>| {
        if let Some(text) = text {
            meta.insert(name.to_owned(), Json::String(text));
        }
    };
    put("format", Some("ITF".to_owned()));
    put(
        "format-description",
        Some("https://apalache-mc.org/docs/adr/015adr-trace.html".to_owned()),
    );
    put("description", header.tool.clone());
    let (kind, property) = match header.violation {
        Some(violation) => (Some(violation.kind), violation.property),
        None => (None, None),
    };
    let told = [
        header.model,
        header.configuration,
        header.module,
        header.module_digest,
        header.cfg_digest,
        header.tool,
        header.seed.map(|seed| seed.to_string()),
        kind.map(|kind| name_of_kind(kind).to_owned()),
        property,
    ];
    for (name, text) in META.into_iter().zip(told) {
        put(name, text);
    }
    let names: Vec<&str> = state.iter().map(|(name, _)| name).collect();
    let (meta, names) = (Json::Object(meta), json!(names));
    writeln!(out, "{{\"#meta\":{meta},\"vars\":{names},\"states\":[")?;
    Ok(())
}

fn state(step: &RecordedStep) -> Result<Json, TraceError> {
    let mut members = Map::new();
    let mut meta = Map::new();
    meta.insert("index".to_owned(), json!(step.number - 1));
    if let RecordedLabel::Action { name, parameters } = &step.label {
        meta.insert("action".to_owned(), json!(name));
        if let Some(parameters) = parameters {
            let texts: Vec<String> = parameters.iter().map(ToString::to_string).collect();
            meta.insert("parameters".to_owned(), json!(texts.join(", ")));
        }
    }
    members.insert("#meta".to_owned(), Json::Object(meta));
    if step.state.is_empty() {
        return Err(unwritable("a state with a variable", "one without"));
    }
    for (name, value) in step.state.iter() {
        if name.starts_with('#') || name.starts_with("mbt::") {
            let found = format!("the variable `{name}`");
            return Err(unwritable("variables that ITF has no meaning for", &found));
        }
        members.insert(name.to_owned(), expression(value)?);
    }
    Ok(Json::Object(members))
}

fn expression(value: &Value) -> Result<Json, TraceError> {
    let all = |values: &mut dyn Iterator<Item = &Value>| {
        values.map(expression).collect::<Result<Vec<_>, _>>()
    };
    Ok(match value {
        Value::Bool(truth) => json!(truth),
        Value::Int(number) => json!({"#bigint": number.to_string()}),
        Value::Str(text) | Value::Model(text) => json!(text),
        Value::Set(items) => {
            require_distinct(items.iter())?;
            json!({"#set": all(&mut items.iter())?})
        }
        Value::Tuple(items) => {
            let kind = items.first().map(Value::type_name);
            let items_written = all(&mut items.iter())?;
            if items.iter().all(|item| Some(item.type_name()) == kind) {
                Json::Array(items_written)
            } else {
                json!({"#tup": items_written})
            }
        }
        Value::Record(fields) if fields.keys().all(|name| !name.starts_with('#')) => {
            let fields = fields.iter();
            let fields = fields.map(|(name, value)| Ok((name.clone(), expression(value)?)));
            Json::Object(fields.collect::<Result<_, TraceError>>()?)
        }
        Value::Record(fields) => {
            let pairs = fields.iter();
            let pairs = pairs.map(|(name, value)| Ok(json!([name, expression(value)?])));
            json!({"#map": pairs.collect::<Result<Vec<_>, TraceError>>()?})
        }
        Value::Function(pairs) => {
            require_distinct(pairs.keys())?;
            let pairs = pairs.iter();
            let pairs = pairs.map(|(key, value)| Ok(json!([expression(key)?, expression(value)?])));
            json!({"#map": pairs.collect::<Result<Vec<_>, TraceError>>()?})
        }
    })
}

/// Refuses values of which two become the same when model values become strings.
fn require_distinct<'a>(values: impl Iterator<Item = &'a Value>) -> Result<(), TraceError> {
    let mut told: BTreeMap<Value, &Value> = BTreeMap::new();
    for value in values {
        if let Some(other) = told.insert(names_as_strings(value), value) {
            let found = format!("`{other}` and `{value}`");
            return Err(unwritable("values that ITF tells apart", &found));
        }
    }
    Ok(())
}

/// The value as ITF tells it: with strings in place of model values.
fn names_as_strings(value: &Value) -> Value {
    match value {
        Value::Bool(_) | Value::Int(_) | Value::Str(_) => value.clone(),
        Value::Model(name) => Value::Str(name.clone()),
        Value::Set(items) => Value::set(items.iter().map(names_as_strings)),
        Value::Tuple(items) => Value::tuple(items.iter().map(names_as_strings)),
        Value::Record(fields) => Value::record(
            fields
                .iter()
                .map(|(name, value)| (name.clone(), names_as_strings(value))),
        ),
        Value::Function(pairs) => Value::function(
            pairs
                .iter()
                .map(|(key, value)| (names_as_strings(key), names_as_strings(value))),
        ),
    }
}
