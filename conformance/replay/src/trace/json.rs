//! JSON, read piece by piece.

use std::cell::Cell;
use std::io::{self, Read};
use std::rc::Rc;

use plumb_tla::Value;
use struson::reader::{
    JsonReader, JsonReaderPosition, JsonStreamReader, ReaderError, ReaderSettings, SyntaxErrorKind,
    ValueType,
};

use super::error::Fault;

/// So many bytes may one state take. What is longer was not written by a checker and would fill the
/// memory.
const MAX_ITEM: usize = 16 << 20;

/// So deeply may values be nested, as in TLA+ notation, so that no file can exhaust the stack.
pub(super) const MAX_DEPTH: u32 = 200;

/// A place in the file.
#[derive(Clone, Copy)]
pub(super) struct Place {
    pub(super) line: u64,
    column: u64,
}

impl Place {
    pub(super) fn fault(self, expected: impl Into<String>, found: impl Into<String>) -> Box<Fault> {
        Box::new(Fault::Format {
            line: self.line,
            column: Some(self.column),
            expected: expected.into(),
            found: found.into(),
        })
    }
}

/// A reader of JSON whose errors are [`Fault`]s, and that never holds more than one item.
pub(super) struct Json<R: Read> {
    reader: JsonStreamReader<Budget<R>>,
    left: Rc<Cell<usize>>,
}

impl<R: Read> Json<R> {
    pub(super) fn new(input: R) -> Json<R> {
        let left = Rc::new(Cell::new(MAX_ITEM));
        let budget = Budget {
            input,
            left: Rc::clone(&left),
        };
        let settings = ReaderSettings {
            track_path: false,
            // A value takes at most three levels of JSON.
            max_nesting_depth: Some(3 * MAX_DEPTH + 20),
            ..ReaderSettings::default()
        };
        let reader = JsonStreamReader::new_custom(budget, settings);
        Json { reader, left }
    }

    /// Another item begins.
    pub(super) fn begin_item(&mut self) {
        self.left.set(MAX_ITEM);
    }

    pub(super) fn place(&self) -> Place {
        place(&self.reader.current_position(false))
    }

    /// The kind of the next value.
    pub(super) fn peek(&mut self) -> Result<ValueType, Box<Fault>> {
        Ok(self.reader.peek()?)
    }

    /// Refuses the next value unless it is of this kind.
    fn require(&mut self, kind: ValueType, expected: &str) -> Result<(), Box<Fault>> {
        let found = self.reader.peek()?;
        if found == kind {
            return Ok(());
        }
        Err(self.place().fault(expected, describe(found)))
    }

    pub(super) fn begin_object(&mut self, expected: &str) -> Result<(), Box<Fault>> {
        self.require(ValueType::Object, expected)?;
        Ok(self.reader.begin_object()?)
    }

    pub(super) fn begin_array(&mut self, expected: &str) -> Result<(), Box<Fault>> {
        self.require(ValueType::Array, expected)?;
        Ok(self.reader.begin_array()?)
    }

    /// Whether the array or object has something more.
    pub(super) fn has_next(&mut self) -> Result<bool, Box<Fault>> {
        Ok(self.reader.has_next()?)
    }

    /// Refuses the end of the array.
    pub(super) fn require_next(&mut self, expected: &str) -> Result<(), Box<Fault>> {
        if self.reader.has_next()? {
            return Ok(());
        }
        Err(self.place().fault(expected, "the end of the array"))
    }

    pub(super) fn name(&mut self) -> Result<String, Box<Fault>> {
        Ok(self.reader.next_name_owned()?)
    }

    pub(super) fn end_object(&mut self, expected: &str) -> Result<(), Box<Fault>> {
        if self.reader.has_next()? {
            return Err(self.place().fault(expected, "another member"));
        }
        Ok(self.reader.end_object()?)
    }

    pub(super) fn end_array(&mut self, expected: &str) -> Result<(), Box<Fault>> {
        if self.reader.has_next()? {
            return Err(self.place().fault(expected, "another element"));
        }
        Ok(self.reader.end_array()?)
    }

    pub(super) fn skip(&mut self) -> Result<(), Box<Fault>> {
        Ok(self.reader.skip_value()?)
    }

    /// A string.
    pub(super) fn string(&mut self, expected: &str) -> Result<String, Box<Fault>> {
        self.require(ValueType::String, expected)?;
        Ok(self.reader.next_string()?)
    }

    pub(super) fn integer(&mut self, expected: &str) -> Result<i64, Box<Fault>> {
        self.require(ValueType::Number, expected)?;
        let place = self.place();
        let text = self.reader.next_number_as_str()?;
        let found = || format!("`{}`", text.chars().take(40).collect::<String>());
        text.parse().map_err(|_| place.fault(expected, found()))
    }

    pub(super) fn boolean(&mut self) -> Result<bool, Box<Fault>> {
        Ok(self.reader.next_bool()?)
    }

    /// The end of the file after the one value in it.
    pub(super) fn end(self) -> Result<(), Box<Fault>> {
        Ok(self.reader.consume_trailing_whitespace()?)
    }
}

/// Reads an array or an object, whichever is said to come next, that stands at that depth.
type Nested<R> = fn(&mut Json<R>, ValueType, u32) -> Result<Value, Box<Fault>>;

/// A value in which JSON means itself; what is in arrays and objects, `nested` reads, given the
/// depth at which it stands.
pub(super) fn plain<R: Read>(
    json: &mut Json<R>,
    depth: u32,
    nested: Nested<R>,
) -> Result<Value, Box<Fault>> {
    match json.peek()? {
        ValueType::Boolean => json.boolean().map(Value::Bool),
        ValueType::String => {
            let place = json.place();
            let text = json.string("a value")?;
            require_no_nul(place, &text)?;
            Ok(Value::Str(text))
        }
        ValueType::Number => json
            .integer("an integer of at most 64 bits")
            .map(Value::Int),
        ValueType::Null => Err(json.place().fault("a value", describe(ValueType::Null))),
        kind @ (ValueType::Array | ValueType::Object) => {
            if depth == MAX_DEPTH {
                let expected = format!("values nested at most {MAX_DEPTH} deep");
                return Err(json.place().fault(expected, "one nested deeper"));
            }
            nested(json, kind, depth + 1)
        }
    }
}

/// Refuses a NUL character, which no TLA+ string holds.
pub(super) fn require_no_nul(place: Place, text: &str) -> Result<(), Box<Fault>> {
    if text.contains('\0') {
        return Err(place.fault("a string without NUL characters", "one with"));
    }
    Ok(())
}

/// What stands there, with its article.
fn describe(kind: ValueType) -> &'static str {
    match kind {
        ValueType::Array => "an array",
        ValueType::Object => "an object",
        ValueType::String => "a string",
        ValueType::Number => "a number",
        ValueType::Boolean => "a truth value",
        ValueType::Null => "null",
    }
}

/// An input of which only so much may be read until more is allowed.
struct Budget<R> {
    input: R,
    left: Rc<Cell<usize>>,
}

/// Why nothing more was read.
#[derive(Debug, thiserror::Error)]
#[error("too long")]
struct TooLong;

impl<R: Read> Read for Budget<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = self.left.get();
        if left == 0 && !buffer.is_empty() {
            return Err(io::Error::other(TooLong));
        }
        let room = buffer.len().min(left);
        let length = self.input.read(&mut buffer[..room])?;
        self.left.set(left - length);
        Ok(length)
    }
}

fn place(position: &JsonReaderPosition) -> Place {
    let (line, column) = match &position.line_pos {
        Some(at) => (at.line + 1, at.column + 1),
        None => (0, 0),
    };
    Place { line, column }
}

impl From<ReaderError> for Box<Fault> {
    fn from(error: ReaderError) -> Box<Fault> {
        match error {
            ReaderError::SyntaxError(error) => {
                let (expected, found) = match error.kind {
                    SyntaxErrorKind::IncompleteDocument => ("JSON", "the end of the file".into()),
                    SyntaxErrorKind::TrailingData => {
                        ("the end of the file", "something else".into())
                    }
                    SyntaxErrorKind::MalformedJson => ("JSON", "something else".into()),
                    kind => ("JSON", in_words(&kind.to_string())),
                };
                place(&error.location).fault(expected, found)
            }
            ReaderError::UnexpectedValueType {
                expected,
                actual,
                location,
            } => place(&location).fault(describe(expected), describe(actual)),
            ReaderError::UnexpectedStructure { location, .. } => {
                place(&location).fault("another value", "none")
            }
            ReaderError::MaxNestingDepthExceeded { location, .. } => place(&location).fault(
                format!("values nested at most {MAX_DEPTH} deep"),
                "one nested deeper",
            ),
            ReaderError::UnsupportedNumberValue { location, .. } => {
                place(&location).fault("an integer of at most 64 bits", "a larger number")
            }
            ReaderError::IoError { error, location } => {
                let at = place(&location);
                let inner = error.get_ref().and_then(|inner| inner.downcast_ref());
                if let Some(TooLong) = inner {
                    let expected = format!("a state of at most {MAX_ITEM} bytes");
                    return at.fault(expected, "a longer one");
                }
                if error.kind() == io::ErrorKind::InvalidData {
                    return at.fault("UTF-8 text", "something else");
                }
                Box::new(Fault::Io {
                    line: at.line,
                    source: error,
                })
            }
            other => Box::new(Fault::Format {
                line: 0,
                column: None,
                expected: "JSON".to_owned(),
                found: other.to_string(),
            }),
        }
    }
}

/// `MissingComma` as `missing comma`.
fn in_words(name: &str) -> String {
    let mut words = String::new();
    for letter in name.chars() {
        if letter.is_uppercase() && !words.is_empty() {
            words.push(' ');
        }
        words.extend(letter.to_lowercase());
    }
    words
}
