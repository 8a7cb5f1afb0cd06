//! The reader: one pass over the text, which reports the first fault it meets.

use std::borrow::Cow;

use crate::fault::{Fault, FaultKind};
use crate::target::{Target, Text, Tree};
use crate::value::{Integer, Value};
use crate::write::first_special;

/// The greatest depth of a value; the root's is 0 (section 3, rule 6).
pub const MAX_DEPTH: usize = 64;
/// The greatest length of an array (section 3, rule 6).
pub const MAX_ELEMENTS: usize = 16_384;
/// The largest log, in bytes: 80 MiB (section 3, rule 7).
pub const MAX_LOG_BYTES: usize = 80 << 20;
/// The largest line of a log, in bytes: 8 MiB (section 3, rule 7).
pub const MAX_LINE_BYTES: usize = 8 << 20;

/// How much of the text a fault quotes, in characters.
const LONGEST_QUOTE: usize = 60;

/// Reads one value that is the whole of a text of at most [`MAX_LOG_BYTES`].
///
/// # Errors
///
/// The first [`Fault`] of the text.
pub fn parse(text: &str) -> Result<Value<'_>, Fault> {
    Reader::default().read_str(text)
}

/// Reads one value and writes it canonically.
///
/// # Errors
///
/// As [`Reader::read`], for at most [`MAX_LOG_BYTES`].
pub fn canonicalize(bytes: &[u8]) -> Result<String, Fault> {
    let reader = Reader::default();
    let text = reader.text(bytes)?;
    // Most texts are canonical already, or nearly.
    let mut target = Text::with_capacity(text.len());
    reader.read_into(text, &mut target)?;
    Ok(target.finish())
}

/// How a text is to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reader {
    max_bytes: usize,
    max_elements: usize,
}

impl Default for Reader {
    /// Reads up to [`MAX_LOG_BYTES`].
    fn default() -> Self {
        Self {
            max_bytes: MAX_LOG_BYTES,
            max_elements: MAX_ELEMENTS,
        }
    }
}

impl Reader {
    /// Reads texts of up to this many bytes.
    #[must_use]
    pub fn with_max_bytes(max_bytes: usize) -> Self {
        Self {
            max_bytes,
            ..Self::default()
        }
    }

    /// The same reader with no other bound to the length of arrays than the bytes of the text: for what
    /// was compressed inside a value, which section 3 does not speak of.
    #[must_use]
    pub fn with_any_elements(self) -> Self {
        Self {
            max_elements: usize::MAX,
            ..self
        }
    }

    /// Reads one value that is the whole text; space may stand around it.
    ///
    /// # Errors
    ///
    /// The text is larger than this reader allows, or else is not UTF-8, or else the first [`Fault`]
    /// in the order of the text.
    pub fn read(self, bytes: &[u8]) -> Result<Value<'_>, Fault> {
        self.read_into(self.text(bytes)?, &mut Tree)
    }

    /// As [`read`](Self::read), for what is known to be UTF-8.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    pub fn read_str(self, text: &str) -> Result<Value<'_>, Fault> {
        self.check_size(text.as_bytes())?;
        self.read_into(text, &mut Tree)
    }

    /// Bytes that are neither too many nor anything but UTF-8.
    fn text(self, bytes: &[u8]) -> Result<&str, Fault> {
        self.check_size(bytes)?;
        std::str::from_utf8(bytes).map_err(|error| {
            let offset = error.valid_up_to();
            // There is a byte that made it invalid.
            let byte = bytes.get(offset).copied().unwrap_or_default();
            Fault::new(FaultKind::Utf8 { byte }, bytes, offset)
        })
    }

    fn read_into<'a, T: Target<'a>>(
        self,
        text: &'a str,
        target: &mut T,
    ) -> Result<T::Value, Fault> {
        let mut cursor = Cursor {
            text,
            at: 0,
            max_elements: self.max_elements,
        };
        let value = cursor.document(target);
        value.map_err(|Stop { kind, at }| Fault::new(*kind, text.as_bytes(), at))
    }

    fn check_size(self, bytes: &[u8]) -> Result<(), Fault> {
        if bytes.len() <= self.max_bytes {
            return Ok(());
        }
        let kind = FaultKind::Bytes {
            bytes: bytes.len(),
            limit: self.max_bytes,
        };
        Err(Fault::new(kind, bytes, self.max_bytes))
    }
}

/// A fault whose line and column nobody has counted yet. It is boxed so that results stay small.
struct Stop {
    kind: Box<FaultKind>,
    at: usize,
}

struct Cursor<'a> {
    text: &'a str,
    at: usize,
    max_elements: usize,
}

impl<'a> Cursor<'a> {
    fn document<T: Target<'a>>(&mut self, target: &mut T) -> Result<T::Value, Stop> {
        let value = self.value(target, 0)?;
        self.space();
        match self.peek() {
            None => Ok(value),
            Some(_) => Err(self.unexpected("the end of the text")),
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn space(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    /// Recurses into arrays and objects, at most [`MAX_DEPTH`] deep.
    fn value<T: Target<'a>>(&mut self, target: &mut T, depth: usize) -> Result<T::Value, Stop> {
        self.space();
        let first = self.peek();
        if depth > MAX_DEPTH && first.is_some() {
            return Err(self.stop(FaultKind::Depth, self.at));
        }
        let scalar = match first {
            Some(b'{') => return self.object(target, depth),
            Some(b'[') => return self.array(target, depth),
            Some(b'"') => Value::String(self.string()?),
            Some(b'0'..=b'9' | b'-' | b'+') => Value::Integer(self.number()?),
            Some(b't') => self.word("true", Value::Bool(true))?,
            Some(b'f') => self.word("false", Value::Bool(false))?,
            Some(b'n') => self.word("null", Value::Null)?,
            _ => return Err(self.unexpected("a value")),
        };
        Ok(target.scalar(scalar))
    }

    fn word(&mut self, word: &'static str, value: Value<'a>) -> Result<Value<'a>, Stop> {
        if self.text.as_bytes()[self.at..].starts_with(word.as_bytes()) {
            self.at += word.len();
            return Ok(value);
        }
        Err(self.unexpected("a value"))
    }

    fn array<T: Target<'a>>(&mut self, target: &mut T, depth: usize) -> Result<T::Value, Stop> {
        self.at += 1;
        let mut elements = target.start_array();
        let mut count = 0;
        self.space();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(target.end_array(elements));
        }
        loop {
            if count == self.max_elements {
                self.space();
                return Err(self.stop(FaultKind::Elements, self.at));
            }
            target.before_element(count);
            let element = self.value(target, depth + 1)?;
            target.element(&mut elements, element);
            count += 1;
            self.space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => break,
                _ => return Err(self.unexpected("',' or ']'")),
            }
        }
        self.at += 1;
        Ok(target.end_array(elements))
    }

    fn object<T: Target<'a>>(&mut self, target: &mut T, depth: usize) -> Result<T::Value, Stop> {
        self.at += 1;
        let mut members = target.start_object();
        self.space();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(target.end_object(members));
        }
        loop {
            self.space();
            let start = self.at;
            if self.peek() != Some(b'"') {
                return Err(self.unexpected("a key in quotes"));
            }
            let key = self.string()?;
            if let Err(duplicate) = target.key(&mut members, key) {
                let key = quote(&duplicate);
                return Err(self.stop(FaultKind::DuplicateKey { key }, start));
            }
            self.space();
            if self.peek() != Some(b':') {
                return Err(self.unexpected("':'"));
            }
            self.at += 1;
            let value = self.value(target, depth + 1)?;
            target.member(&mut members, value);
            self.space();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b'}') => break,
                _ => return Err(self.unexpected("',' or '}'")),
            }
        }
        self.at += 1;
        Ok(target.end_object(members))
    }

    fn number(&mut self) -> Result<Integer, Stop> {
        let start = self.at;
        let rest = &self.text.as_bytes()[start..];
        let part = |byte: &u8| !matches!(byte, b'0'..=b'9' | b'-' | b'+' | b'.' | b'e' | b'E');
        let end = rest.iter().position(part).unwrap_or(rest.len());
        let text = &self.text[start..start + end];
        if let Some(number) = plain_integer(text) {
            self.at += end;
            return Ok(number);
        }
        if is_number(text) {
            let text = quote(text);
            return Err(self.stop(FaultKind::Number { text }, start));
        }
        Err(self.unexpected("a value"))
    }

    /// A string; the cursor is at its opening quote.
    fn string(&mut self) -> Result<Cow<'a, str>, Stop> {
        self.at += 1;
        let start = self.at;
        self.plain();
        if self.peek() == Some(b'"') {
            let text = &self.text[start..self.at];
            self.at += 1;
            return Ok(Cow::Borrowed(text));
        }
        let mut decoded = String::from(&self.text[start..self.at]);
        loop {
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    return Ok(Cow::Owned(decoded));
                }
                Some(b'\\') => decoded.push(self.escape()?),
                Some(_) => return Err(self.unexpected("an escape for a control character")),
                None => return Err(self.unexpected("the end of a string")),
            }
            let start = self.at;
            self.plain();
            decoded.push_str(&self.text[start..self.at]);
        }
    }

    /// Goes on to the next byte that is not plain text of a string.
    fn plain(&mut self) {
        let rest = &self.text.as_bytes()[self.at..];
        self.at += first_special(rest).unwrap_or(rest.len());
    }

    fn escape(&mut self) -> Result<char, Stop> {
        let start = self.at;
        self.at += 1;
        let decoded = match self.peek() {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode(start),
            _ => return Err(self.unexpected("one of \" \\ / b f n r t u after '\\'")),
        };
        self.at += 1;
        Ok(decoded)
    }

    /// A `\u` escape that begins at `start`, or two that are a surrogate pair; the cursor is at `u`.
    fn unicode(&mut self, start: usize) -> Result<char, Stop> {
        let unit = self.code_unit()?;
        if let Some(character) = char::from_u32(u32::from(unit)) {
            return Ok(character);
        }
        let lone = |cursor: &Self| cursor.stop(FaultKind::Surrogate { unit }, start);
        let is_high = unit < 0xDC00;
        if !is_high || !self.text[self.at..].starts_with("\\u") {
            return Err(lone(self));
        }
        self.at += 1;
        let second = self.code_unit()?;
        match char::decode_utf16([unit, second]).next() {
            Some(Ok(character)) => Ok(character),
            _ => Err(lone(self)),
        }
    }

    /// Four hexadecimal digits after `u`.
    fn code_unit(&mut self) -> Result<u16, Stop> {
        self.at += 1;
        let mut unit = 0;
        for _ in 0..4 {
            let digit = match self.peek() {
                Some(digit @ b'0'..=b'9') => digit - b'0',
                Some(digit @ b'a'..=b'f') => digit - b'a' + 10,
                Some(digit @ b'A'..=b'F') => digit - b'A' + 10,
                _ => return Err(self.unexpected("four hexadecimal digits after \\u")),
            };
            unit = unit << 4 | u16::from(digit);
            self.at += 1;
        }
        Ok(unit)
    }

    #[cold]
    fn stop(&self, kind: FaultKind, at: usize) -> Stop {
        Stop {
            kind: Box::new(kind),
            at,
        }
    }

    #[cold]
    fn unexpected(&self, expected: &'static str) -> Stop {
        let found = match self
            .text
            .get(self.at..)
            .and_then(|rest| rest.chars().next())
        {
            None => "the end of the text".to_owned(),
            Some(character) => format!("{character:?}"),
        };
        self.stop(FaultKind::Syntax { expected, found }, self.at)
    }
}

/// The number of a text that is written as the protocol writes it.
fn plain_integer(text: &str) -> Option<Integer> {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let negative = digits.len() < text.len();
    // 16 digits hold 2^53-1, and no overflow is possible.
    if digits.is_empty() || digits.len() > 16 || (digits.starts_with('0') && text != "0") {
        return None;
    }
    let mut number = 0;
    for digit in digits.bytes() {
        if !digit.is_ascii_digit() {
            return None;
        }
        number = number * 10 + i64::from(digit - b'0');
    }
    Integer::new(if negative { -number } else { number })
}

/// True of a number in JSON's grammar, also with a plus sign or leading zeros.
fn is_number(text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let unsigned = |text: &str| text.strip_prefix(['-', '+']).unwrap_or(text).to_owned();
    let text = unsigned(text);
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(unsigned(exponent))),
        None => (&*text, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    digits(whole) && fraction.is_none_or(digits) && exponent.as_deref().is_none_or(digits)
}

/// A text that is fit to be shown: short.
fn quote(text: &str) -> String {
    match text.char_indices().nth(LONGEST_QUOTE) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
