//! Plumb's own traces: JSON Lines.

use std::collections::HashSet;
use std::fmt;
use std::io::{BufRead, Read, Write};

use plumb_checker::PropertyKind;
use plumb_tla::{State, Value};
use serde::de::{Error as _, MapAccess, Visitor};
use serde::ser::SerializeMap;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::error::Category;

use super::error::{Fault, TraceError};
use super::reader;
use super::{Ending, Fidelity, Header, RecordedLabel, RecordedStep, RecordedViolation, TraceItem};

/// What the first line says that the file is.
pub(super) const NAME: &str = "plumb-trace";

/// The version of the format that is written, and the only one that is read.
pub(super) const VERSION: u64 = 1;

/// No line is longer; what is, would fill the memory.
const MAX_LINE: u64 = 16 << 20;

/// What every header has, whatever its version.
#[derive(Deserialize)]
struct Head {
    format: String,
    version: u64,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct HeaderLine {
    format: String,
    version: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    model: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    configuration: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    module: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    module_sha256: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cfg_sha256: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    seed: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    violation: Option<Violation>,
    #[serde(default)]
    fidelity: Told,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Violation {
    kind: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    property: Option<String>,
}

#[derive(Clone, Copy, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Told {
    #[default]
    Exact,
    NamesAsStrings,
    Projected,
}

/// What a kind of property is called in a file.
pub(super) fn name_of_kind(kind: PropertyKind) -> &'static str {
    match kind {
        PropertyKind::Invariant => "invariant",
        PropertyKind::Step => "step",
        PropertyKind::Temporal => "temporal",
        PropertyKind::Assumption => "assumption",
        PropertyKind::Deadlock => "deadlock",
    }
}

/// The kind of property that is called so in a file.
pub(super) fn kind_of_name(name: &str) -> Option<PropertyKind> {
    let kinds = [
        PropertyKind::Invariant,
        PropertyKind::Step,
        PropertyKind::Temporal,
        PropertyKind::Assumption,
        PropertyKind::Deadlock,
    ];
    kinds.into_iter().find(|kind| name_of_kind(*kind) == name)
}

/// A line after the header: a step or the end.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Line {
    step: Option<u64>,
    initial: Option<bool>,
    action: Option<String>,
    parameters: Option<Vec<String>>,
    state: Option<Variables>,
    end: Option<End>,
    back_to: Option<u64>,
    steps: Option<u64>,
}

#[derive(Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum End {
    Open,
    Stuttering,
    Lasso,
}

/// The variables in the order of the file, none of them twice.
struct Variables(Vec<(String, String)>);

impl<'de> Deserialize<'de> for Variables {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Variables, D::Error> {
        struct InOrder;
        impl<'de> Visitor<'de> for InOrder {
            type Value = Variables;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("variables with their values as strings")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Variables, A::Error> {
                let mut variables: Vec<(String, String)> = Vec::new();
                let mut known = HashSet::new();
                while let Some((name, value)) = map.next_entry::<String, String>()? {
                    if !known.insert(name.clone()) {
                        return Err(A::Error::custom(format!("variable `{name}` twice")));
                    }
                    variables.push((name, value));
                }
                Ok(Variables(variables))
            }
        }
        deserializer.deserialize_map(InOrder)
    }
}

/// Reads Plumb's traces.
pub(super) struct Source<R> {
    input: R,
    buffer: Vec<u8>,
    line: u64,
    /// The number of the last step; none between behaviours.
    steps: Option<u64>,
}

impl<R: BufRead> Source<R> {
    pub(super) fn new(input: R) -> Source<R> {
        Source {
            input,
            buffer: Vec::new(),
            line: 0,
            steps: None,
        }
    }

    /// Reads the next line that is not empty into the buffer; says whether there is one.
    fn fill(&mut self) -> Result<bool, Box<Fault>> {
        loop {
            self.buffer.clear();
            self.line += 1;
            let line = self.line;
            let mut limited = (&mut self.input).take(MAX_LINE);
            let length = limited
                .read_until(b'\n', &mut self.buffer)
                .map_err(|source| Fault::Io { line, source })?;
            if length == 0 {
                return Ok(false);
            }
            if length as u64 == MAX_LINE && self.buffer.last() != Some(&b'\n') {
                let expected = format!("a line of less than {MAX_LINE} bytes");
                return Err(Fault::line(line, expected, "a longer one"));
            }
            if !self.buffer.trim_ascii().is_empty() {
                return Ok(true);
            }
        }
    }

    fn json<'de, T: Deserialize<'de>>(&'de self, expected: &str) -> Result<T, Box<Fault>> {
        serde_json::from_slice(&self.buffer).map_err(|error| {
            let found = match error.classify() {
                Category::Eof => "the end of the line".to_owned(),
                Category::Syntax => format!("no JSON: {}", without_place(&error)),
                Category::Data | Category::Io => without_place(&error),
            };
            Box::new(Fault::Format {
                line: self.line,
                column: Some(error.column() as u64).filter(|column| *column > 0),
                expected: expected.to_owned(),
                found,
            })
        })
    }

    fn header(&self) -> Result<Header, Box<Fault>> {
        const EXPECTED: &str = "the header of a Plumb trace";
        let head: Head = self.json(EXPECTED)?;
        let line = self.line;
        if head.format != NAME {
            let found = format!("`{}`", head.format);
            return Err(Fault::line(line, format!("the format `{NAME}`"), found));
        }
        if head.version != VERSION {
            let found = head.version;
            return Err(Box::new(Fault::Version { line, found }));
        }
        let header: HeaderLine = self.json(EXPECTED)?;
        let violation = header.violation.map(|violation| {
            let Violation {
                kind: name,
                property,
            } = violation;
            match kind_of_name(&name) {
                Some(kind) => Ok(RecordedViolation { kind, property }),
                None => {
                    let expected = "the kind of what was violated: invariant, step, temporal, \
                                    assumption or deadlock";
                    Err(Fault::line(line, expected, format!("`{name}`")))
                }
            }
        });
        Ok(Header {
            model: header.model,
            configuration: header.configuration,
            module: header.module,
            module_digest: header.module_sha256,
            cfg_digest: header.cfg_sha256,
            tool: header.tool,
            seed: header.seed,
            violation: violation.transpose()?,
            fidelity: match header.fidelity {
                Told::Exact => Fidelity::Exact,
                Told::NamesAsStrings => Fidelity::NamesAsStrings,
                Told::Projected => Fidelity::Projected,
            },
        })
    }

    /// A line within a behaviour, of which `before` steps have been read.
    fn step_or_end(&mut self, before: u64) -> Result<TraceItem, Box<Fault>> {
        let line: Line = self.json("a step or the end of the behaviour")?;
        let wrong = |expected: &str, found: &str| Err(Fault::line(self.line, expected, found));
        let label = self.label(line.initial, line.action, line.parameters)?;
        match (line.step, line.end) {
            (Some(number), None) => {
                let Some(Variables(variables)) = line.state else {
                    return wrong("the step's `state`", "none");
                };
                if line.back_to.is_some() || line.steps.is_some() {
                    return wrong("a step or the end of the behaviour", "a mixture");
                }
                let values = variables
                    .into_iter()
                    .map(|(name, text)| Ok((self.value(&text, &name)?, name)))
                    .map(|pair| pair.map(|(value, name)| (name, value)));
                let state = State::new(values.collect::<Result<Vec<_>, Box<Fault>>>()?);
                self.steps = Some(before + 1);
                Ok(TraceItem::Step(RecordedStep {
                    number,
                    line: self.line,
                    label,
                    state,
                }))
            }
            (None, Some(end)) => {
                if line.state.is_some() {
                    return wrong("a step or the end of the behaviour", "a mixture");
                }
                if line.steps != Some(before) {
                    let found = line
                        .steps
                        .map_or("none".to_owned(), |steps| steps.to_string());
                    return wrong(
                        &format!("`steps` to be {before}, as many as there are"),
                        &found,
                    );
                }
                let unlabelled = label == RecordedLabel::Unlabelled;
                let ending = match (end, line.back_to) {
                    (End::Lasso, Some(state)) => Ending::BackTo(state, label),
                    (End::Lasso, None) => return wrong("`back_to` of the lasso", "none"),
                    (End::Open, None) if unlabelled => Ending::Open,
                    (End::Stuttering, None) if unlabelled => Ending::Stuttering,
                    _ => return wrong("`back_to` and `action` in a lasso only", "one elsewhere"),
                };
                self.steps = None;
                Ok(TraceItem::End(ending))
            }
            _ => wrong("either `step` or `end`", "both or neither"),
        }
    }

    fn label(
        &self,
        initial: Option<bool>,
        action: Option<String>,
        parameters: Option<Vec<String>>,
    ) -> Result<RecordedLabel, Box<Fault>> {
        let initial = initial.unwrap_or(false);
        match (action, parameters) {
            (Some(name), parameters) if !initial => {
                let parameters = parameters.map(|texts| {
                    let values = texts.iter().map(|text| self.value(text, "a parameter"));
                    values.collect::<Result<Vec<_>, _>>()
                });
                Ok(RecordedLabel::Action {
                    name,
                    parameters: parameters.transpose()?,
                })
            }
            (None, None) if initial => Ok(RecordedLabel::Initial),
            (None, None) => Ok(RecordedLabel::Unlabelled),
            _ => Err(Fault::line(
                self.line,
                "either `initial` or an `action`, `parameters` with an action only",
                "a mixture",
            )),
        }
    }

    fn value(&self, text: &str, of: &str) -> Result<Value, Box<Fault>> {
        text.parse().map_err(|error: plumb_tla::ParseError| {
            let expected = format!("{} in the value of {of}", error.expected);
            let found = format!("{} at its {}", error.found, error.position());
            Fault::line(self.line, expected, found)
        })
    }
}

impl<R: BufRead> reader::Source for Source<R> {
    fn next(&mut self) -> Result<Option<TraceItem>, Box<Fault>> {
        if !self.fill()? {
            return match self.steps {
                None => Ok(None),
                Some(_) => Err(Fault::line(
                    self.line,
                    "a step or the end of the behaviour",
                    "the end of the file",
                )),
            };
        }
        if let Some(steps) = self.steps {
            return self.step_or_end(steps).map(Some);
        }
        let header = self.header()?;
        self.steps = Some(0);
        Ok(Some(TraceItem::Header(header)))
    }

    fn line(&self) -> u64 {
        self.line
    }
}

/// What `serde_json` says, without the place, which is told apart.
fn without_place(error: &serde_json::Error) -> String {
    let text = error.to_string();
    match text.rfind(" at line ") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}

/// Writes Plumb's traces, item by item. A behaviour that is not closed by its [`TraceItem::End`] is
/// refused by the reader, so that what was cut off is noticed.
///
/// ```
/// use plumb_replay::trace::{
///     Ending, Header, PlumbWriter, RecordedLabel, RecordedStep, TraceItem, read,
/// };
/// use plumb_tla::{State, Value};
///
/// let step = RecordedStep {
///     number: 1,
///     line: 2,
///     label: RecordedLabel::Initial,
///     state: State::new([("turn", Value::model("w1"))]),
/// };
/// let header = Header { model: Some("workers".into()), ..Header::default() };
/// let items = [TraceItem::Header(header), TraceItem::Step(step), TraceItem::End(Ending::Open)];
///
/// let mut writer = PlumbWriter::new(Vec::new());
/// for item in &items {
///     writer.write(item)?;
/// }
/// let text = writer.finish()?;
/// let back = read(&text[..], "memory", None)?.collect::<Result<Vec<_>, _>>()?;
/// assert_eq!(back, items);
/// # Ok::<(), plumb_replay::trace::TraceError>(())
/// ```
#[derive(Debug)]
pub struct PlumbWriter<W> {
    out: W,
    /// The number of the last step; none between behaviours.
    steps: Option<u64>,
}

impl<W: Write> PlumbWriter<W> {
    /// A writer that writes each item to `out` at once, so that a buffer is worth while.
    pub fn new(out: W) -> PlumbWriter<W> {
        PlumbWriter { out, steps: None }
    }

    /// Writes an item.
    ///
    /// # Errors
    ///
    /// When it cannot be written, or is not the one that can come next: a header, then steps
    /// numbered from 1, then the end.
    pub fn write(&mut self, item: &TraceItem) -> Result<(), TraceError> {
        match (self.steps, item) {
            (None, TraceItem::Header(header)) => {
                self.line(&header_line(header))?;
                self.steps = Some(0);
            }
            (Some(steps), TraceItem::Step(step)) if step.number == steps + 1 => {
                self.line(&StepOut(step))?;
                self.steps = Some(step.number);
            }
            (Some(steps @ 1..), TraceItem::End(ending)) => {
                self.line(&EndOut(ending, steps))?;
                self.steps = None;
            }
            (steps, item) => return Err(super::out_of_order(steps, item)),
        }
        Ok(())
    }

    fn line(&mut self, line: &impl Serialize) -> Result<(), TraceError> {
        serde_json::to_writer(&mut self.out, line).map_err(std::io::Error::from)?;
        self.out.write_all(b"\n")?;
        Ok(())
    }

    /// Ends the file.
    ///
    /// # Errors
    ///
    /// When the last behaviour has no end, or cannot be written.
    pub fn finish(mut self) -> Result<W, TraceError> {
        if self.steps.is_some() {
            return Err(TraceError::Unwritable {
                expected: "the end of the behaviour".to_owned(),
                found: "the end of the file".to_owned(),
            });
        }
        self.out.flush()?;
        Ok(self.out)
    }
}

fn header_line(header: &Header) -> HeaderLine {
    HeaderLine {
        format: NAME.to_owned(),
        version: VERSION,
        model: header.model.clone(),
        configuration: header.configuration.clone(),
        module: header.module.clone(),
        module_sha256: header.module_digest.clone(),
        cfg_sha256: header.cfg_digest.clone(),
        tool: header.tool.clone(),
        seed: header.seed,
        violation: header.violation.as_ref().map(|violation| Violation {
            kind: name_of_kind(violation.kind).to_owned(),
            property: violation.property.clone(),
        }),
        fidelity: match header.fidelity {
            Fidelity::Exact => Told::Exact,
            Fidelity::NamesAsStrings => Told::NamesAsStrings,
            Fidelity::Projected => Told::Projected,
        },
    }
}

struct StepOut<'a>(&'a RecordedStep);

impl Serialize for StepOut<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("step", &self.0.number)?;
        label_entries(&mut map, &self.0.label)?;
        map.serialize_entry("state", &StateOut(&self.0.state))?;
        map.end()
    }
}

struct EndOut<'a>(&'a Ending, u64);

impl Serialize for EndOut<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match self.0 {
            Ending::Open => map.serialize_entry("end", &End::Open)?,
            Ending::Stuttering => map.serialize_entry("end", &End::Stuttering)?,
            Ending::BackTo(state, label) => {
                map.serialize_entry("end", &End::Lasso)?;
                map.serialize_entry("back_to", state)?;
                label_entries(&mut map, label)?;
            }
        }
        map.serialize_entry("steps", &self.1)?;
        map.end()
    }
}

fn label_entries<M: SerializeMap>(map: &mut M, label: &RecordedLabel) -> Result<(), M::Error> {
    match label {
        RecordedLabel::Initial => map.serialize_entry("initial", &true)?,
        RecordedLabel::Unlabelled => {}
        RecordedLabel::Action { name, parameters } => {
            map.serialize_entry("action", name)?;
            if let Some(parameters) = parameters {
                let texts: Vec<String> = parameters.iter().map(ToString::to_string).collect();
                map.serialize_entry("parameters", &texts)?;
            }
        }
    }
    Ok(())
}

struct StateOut<'a>(&'a State);

impl Serialize for StateOut<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value.to_string())))
    }
}
