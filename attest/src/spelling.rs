//! JSON with exactly one spelling.
//!
//! Two bundles of the same result must be the same bytes, and no byte of a bundle may be changed
//! unseen. So there is one way to write a document: keys sorted by their bytes, two blanks for each
//! level, lists of plain values on one line, integers only, no escape where none is needed, and a
//! line feed at the end. What reads as the same and is written otherwise is refused.

use std::collections::BTreeMap;
use std::fmt;

use serde::de::{DeserializeOwned, Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::Value;
use serde_json::error::Category;

/// Why a document is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpellingError {
    /// It is no JSON, or has a key twice, or a number that is no integer.
    #[error("line {line}, column {column}: {message}")]
    NotJson {
        /// The line, counted from 1.
        line: usize,
        /// The column, counted from 1.
        column: usize,
        /// What is wrong.
        message: String,
    },
    /// It is JSON, and written otherwise than it would be here.
    #[error("line {line} is spelled otherwise than Plumb writes it")]
    Spelled {
        /// The first line that differs, counted from 1.
        line: usize,
    },
    /// It has not the members that it should have.
    #[error("{0}")]
    Members(String),
}

/// Writes a document.
///
/// ```
/// use plumb_attest::spelling;
/// let text = spelling::write(&serde_json::json!({ "b": [1, 2], "a": { "name": "x\n" } }));
/// assert_eq!(text, "{\n  \"a\": {\n    \"name\": \"x\\n\"\n  },\n  \"b\": [1, 2]\n}\n");
/// ```
///
/// # Panics
///
/// If the value has a key that is no string, or a number that is no integer: a defect of its type.
#[must_use]
#[expect(
    clippy::expect_used,
    reason = "documents have string keys and integers: a defect of their types otherwise"
)]
pub fn write<T: Serialize>(document: &T) -> String {
    let value = serde_json::to_value(document).expect("a document has string keys");
    let mut text = String::new();
    write_value(&value, 0, &mut text);
    text.push('\n');
    text
}

fn write_value(value: &Value, depth: usize, text: &mut String) {
    let line = |text: &mut String, depth: usize| {
        text.push('\n');
        text.extend(std::iter::repeat_n("  ", depth));
    };
    match value {
        Value::Null => text.push_str("null"),
        Value::Bool(true) => text.push_str("true"),
        Value::Bool(false) => text.push_str("false"),
        Value::Number(number) => {
            assert!(!number.is_f64(), "a document has integers only");
            text.push_str(&number.to_string());
        }
        Value::String(string) => write_string(string, text),
        Value::Array(items) => {
            let plain = items
                .iter()
                .all(|item| !item.is_array() && !item.is_object());
            text.push('[');
            for (index, item) in items.iter().enumerate() {
                match (index, plain) {
                    (0, true) => {}
                    (_, true) => text.push_str(", "),
                    (0, false) => line(text, depth + 1),
                    (_, false) => {
                        text.push(',');
                        line(text, depth + 1);
                    }
                }
                write_value(item, depth + 1, text);
            }
            if !plain {
                line(text, depth);
            }
            text.push(']');
        }
        Value::Object(members) => {
            // Sorted here, whatever the library's map does.
            let members: BTreeMap<&String, &Value> = members.iter().collect();
            text.push('{');
            for (index, (key, member)) in members.iter().enumerate() {
                if index > 0 {
                    text.push(',');
                }
                line(text, depth + 1);
                write_string(key, text);
                text.push_str(": ");
                write_value(member, depth + 1, text);
            }
            if !members.is_empty() {
                line(text, depth);
            }
            text.push('}');
        }
    }
}

fn write_string(string: &str, text: &mut String) {
    text.push('"');
    for c in string.chars() {
        match c {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            '\t' => text.push_str("\\t"),
            c if c < ' ' || c == '\u{7f}' => {
                text.push_str(&format!("\\u{:04x}", u32::from(c)));
            }
            c => text.push(c),
        }
    }
    text.push('"');
}

/// Reads a document that is written as [`write()`] writes it.
///
/// # Errors
///
/// It is not: the first difference is told.
pub fn read<T: DeserializeOwned + Serialize>(bytes: &[u8]) -> Result<T, SpellingError> {
    // What is large has to be the right document, before its every value is kept to find out more.
    const LARGE: usize = 1 << 20;
    if bytes.len() > LARGE {
        let document: Result<T, _> = serde_json::from_slice(bytes);
        document.map_err(|error| match error.classify() {
            Category::Data => SpellingError::Members(error.to_string()),
            _ => not_json(&error),
        })?;
    }
    let strict: Strict = serde_json::from_slice(bytes).map_err(|error| not_json(&error))?;
    same(bytes, &write(&strict.0))?;
    let document: T = serde_json::from_value(strict.0)
        .map_err(|error| SpellingError::Members(error.to_string()))?;
    // A member that may be left out is also a way to write the same in two ways.
    same(bytes, &write(&document))?;
    Ok(document)
}

fn not_json(error: &serde_json::Error) -> SpellingError {
    let said = error.to_string();
    let message = said.rfind(" at line ").map_or(&*said, |end| &said[..end]);
    SpellingError::NotJson {
        line: error.line(),
        column: error.column(),
        message: message.to_owned(),
    }
}

fn same(bytes: &[u8], text: &str) -> Result<(), SpellingError> {
    if bytes == text.as_bytes() {
        return Ok(());
    }
    let until = bytes.iter().zip(text.as_bytes());
    let until = until.take_while(|(one, other)| one == other);
    let line = 1 + until.filter(|(byte, _)| **byte == b'\n').count();
    Err(SpellingError::Spelled { line })
}

/// Any JSON value without a repeated key and without fractions.
struct Strict(Value);

impl<'de> Deserialize<'de> for Strict {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Whole;
        impl<'de> Visitor<'de> for Whole {
            type Value = Strict;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON value")
            }
            fn visit_unit<E>(self) -> Result<Strict, E> {
                Ok(Strict(Value::Null))
            }
            fn visit_bool<E>(self, value: bool) -> Result<Strict, E> {
                Ok(Strict(value.into()))
            }
            fn visit_u64<E>(self, value: u64) -> Result<Strict, E> {
                Ok(Strict(value.into()))
            }
            fn visit_i64<E>(self, value: i64) -> Result<Strict, E> {
                Ok(Strict(value.into()))
            }
            fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Strict, E> {
                Err(E::custom(format!("{value} is no integer of 64 bits")))
            }
            fn visit_str<E>(self, value: &str) -> Result<Strict, E> {
                Ok(Strict(value.into()))
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Strict, A::Error> {
                let mut list = Vec::new();
                while let Some(Strict(item)) = items.next_element()? {
                    list.push(item);
                }
                Ok(Strict(list.into()))
            }
            fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Strict, A::Error> {
                let mut map = serde_json::Map::new();
                while let Some((key, Strict(value))) = members.next_entry::<String, Strict>()? {
                    if map.contains_key(&key) {
                        return Err(A::Error::custom(format!("the key {key:?} comes twice")));
                    }
                    map.insert(key, value);
                }
                Ok(Strict(map.into()))
            }
        }
        deserializer.deserialize_any(Whole)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_value(text: &str) -> Result<Value, String> {
        read(text.as_bytes()).map_err(|error: SpellingError| error.to_string())
    }

    #[test]
    fn another_spelling_is_refused_with_its_line() {
        for text in [
            "{\n  \"a\": 1,\n  \"b\":  2\n}\n",
            "{\n  \"a\": 1,\n  \"b\": 2\n}",
            "{\n  \"b\": 1,\n  \"a\": 2\n}\n",
            "[1,2]\n",
            "\"\\u0041\"\n",
            "\"\\/\"\n",
            "-0\n",
            "01\n",
            "1.0\n",
            "1e3\n",
            "18446744073709551616\n",
            "\u{feff}1\n",
        ] {
            assert!(read_value(text).is_err(), "{text:?}");
        }
        let two = read_value("{\n  \"a\": 1,\n  \"b\":  2\n}\n").unwrap_err();
        assert_eq!(two, "line 3 is spelled otherwise than Plumb writes it");
    }

    #[test]
    fn a_key_that_comes_twice_is_refused_at_any_depth() {
        let error = read_value("[\n  {\n    \"a\": 1,\n    \"a\": 1\n  }\n]\n").unwrap_err();
        assert!(error.starts_with("line "), "{error}");
        assert!(error.ends_with("the key \"a\" comes twice"), "{error}");
    }

    #[test]
    fn deep_nesting_is_refused_and_not_followed() {
        let deep = "[".repeat(100_000) + &"]".repeat(100_000);
        assert!(read_value(&deep).is_err());
    }

    proptest::proptest! {
        #[test]
        fn what_is_written_is_read(strings: Vec<String>, numbers: Vec<i64>, nested: bool) {
            let mut value = serde_json::json!({ "strings": strings, "numbers": numbers, "": null });
            if nested {
                value = serde_json::json!([value, [[]], {}]);
            }
            let text = write(&value);
            proptest::prop_assert_eq!(read::<Value>(text.as_bytes()).unwrap(), value);
        }
    }
}
