//! The writer: one text for each value.

use crate::object::Object;
use crate::value::{Integer, Value};

/// What canonical text is written to.
pub(crate) trait Sink {
    fn text(&mut self, text: &str);
    fn integer(&mut self, number: Integer);
}

/// Text in memory.
impl Sink for String {
    fn text(&mut self, text: &str) {
        self.push_str(text);
    }

    fn integer(&mut self, number: Integer) {
        let mut digits = [0_u8; 20];
        let mut start = digits.len();
        let mut rest = number.get().unsigned_abs();
        loop {
            start -= 1;
            // One decimal digit always fits.
            digits[start] = b'0' + u8::try_from(rest % 10).unwrap_or_default();
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        if number.get() < 0 {
            self.push('-');
        }
        // Digits are ASCII.
        self.push_str(std::str::from_utf8(&digits[start..]).unwrap_or_default());
    }
}

/// Only its length.
struct Length(usize);

impl Sink for Length {
    fn text(&mut self, text: &str) {
        self.0 += text.len();
    }

    fn integer(&mut self, number: Integer) {
        let digits = number.get().unsigned_abs().checked_ilog10();
        // A u32 of at most 15.
        self.0 += digits.map_or(1, |digits| digits as usize + 1);
        self.0 += usize::from(number.get() < 0);
    }
}

impl Value<'_> {
    /// The canonical text (section 3).
    #[must_use]
    pub fn to_canonical(&self) -> String {
        let mut text = String::new();
        self.write_canonical(&mut text);
        text
    }

    /// Appends the canonical text.
    pub fn write_canonical(&self, text: &mut String) {
        write_value(self, text);
    }

    /// The length of the canonical text in bytes.
    #[must_use]
    pub fn canonical_len(&self) -> usize {
        let mut length = Length(0);
        write_value(self, &mut length);
        length.0
    }
}

impl Object<'_> {
    /// The canonical text (section 3).
    #[must_use]
    pub fn to_canonical(&self) -> String {
        let mut text = String::new();
        write_object(self, &mut text);
        text
    }

    /// The length of the canonical text in bytes.
    #[must_use]
    pub fn canonical_len(&self) -> usize {
        let mut length = Length(0);
        write_object(self, &mut length);
        length.0
    }
}

/// Recurses as deep as the value is nested, which its reader has bounded.
pub(crate) fn write_value<S: Sink>(value: &Value<'_>, sink: &mut S) {
    match value {
        Value::Null => sink.text("null"),
        Value::Bool(true) => sink.text("true"),
        Value::Bool(false) => sink.text("false"),
        Value::Integer(number) => sink.integer(*number),
        Value::String(text) => write_string(text, sink),
        Value::Array(elements) => {
            sink.text("[");
            for (index, element) in elements.iter().enumerate() {
                if index > 0 {
                    sink.text(",");
                }
                write_value(element, sink);
            }
            sink.text("]");
        }
        Value::Object(object) => write_object(object, sink),
    }
}

fn write_object<S: Sink>(object: &Object<'_>, sink: &mut S) {
    sink.text("{");
    for (index, (key, member)) in object.members().iter().enumerate() {
        if index > 0 {
            sink.text(",");
        }
        write_string(key, sink);
        sink.text(":");
        write_value(member, sink);
    }
    sink.text("}");
}

pub(crate) fn write_string<S: Sink>(text: &str, sink: &mut S) {
    sink.text("\"");
    let mut rest = text;
    while let Some(index) = first_special(rest.as_bytes()) {
        // What is special is a character of one byte.
        sink.text(&rest[..index]);
        sink.text(ESCAPES[usize::from(escape_index(rest.as_bytes()[index]))]);
        rest = &rest[index + 1..];
    }
    sink.text(rest);
    sink.text("\"");
}

/// The index of the first byte that must be escaped, and that ends plain text when it is read.
pub(crate) fn first_special(bytes: &[u8]) -> Option<usize> {
    const ONES: u64 = u64::from_ne_bytes([1; 8]);
    const HIGHS: u64 = u64::from_ne_bytes([0x80; 8]);
    // Eight bytes at a time: the high bit of a byte of `found` is set if that byte is special. A
    // borrow can set it above a special byte too, but never where there is none at all.
    let mut index = 0;
    while let Some(chunk) = bytes[index..].first_chunk::<8>() {
        let word = u64::from_le_bytes(*chunk);
        let below_space = word.wrapping_sub(ONES * 0x20) & !word;
        let quote = word ^ (ONES * u64::from(b'"'));
        let quote = quote.wrapping_sub(ONES) & !quote;
        let backslash = word ^ (ONES * u64::from(b'\\'));
        let backslash = backslash.wrapping_sub(ONES) & !backslash;
        let found = (below_space | quote | backslash) & HIGHS;
        if found != 0 {
            // The lowest one is never set by a borrow.
            return Some(index + found.trailing_zeros() as usize / 8);
        }
        index += 8;
    }
    let special = |byte: &u8| *byte < 0x20 || *byte == b'"' || *byte == b'\\';
    let rest = bytes[index..].iter().position(special);
    rest.map(|offset| index + offset)
}

/// Which of [`ESCAPES`] belongs to a special byte.
fn escape_index(byte: u8) -> u8 {
    match byte {
        b'"' => 32,
        b'\\' => 33,
        control => control & 0x1F,
    }
}

const ESCAPES: [&str; 34] = [
    "\\u0000", "\\u0001", "\\u0002", "\\u0003", "\\u0004", "\\u0005", "\\u0006", "\\u0007", "\\b",
    "\\t", "\\n", "\\u000b", "\\f", "\\r", "\\u000e", "\\u000f", "\\u0010", "\\u0011", "\\u0012",
    "\\u0013", "\\u0014", "\\u0015", "\\u0016", "\\u0017", "\\u0018", "\\u0019", "\\u001a",
    "\\u001b", "\\u001c", "\\u001d", "\\u001e", "\\u001f", "\\\"", "\\\\",
];
