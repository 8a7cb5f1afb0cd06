//! Reads values as TLC prints them.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

use super::Value;
use crate::error::{ParseError, Position, describe};

/// How deep values may be nested. Deeper ones are refused, so that no text can exhaust the stack.
const MAX_DEPTH: u32 = 200;

/// How many elements the intervals of one text may have together; TLC's own limit for one set.
const MAX_INTERVAL_ELEMENTS: u64 = 1_000_000;

/// Words that mean something else in TLA+ than a model value of that name.
const RESERVED: [&str; 12] = [
    "ASSUME", "BOOLEAN", "CHOOSE", "CONSTANT", "DOMAIN", "ELSE", "ENABLED", "IF", "LET", "STRING",
    "SUBSET", "UNION",
];

impl FromStr for Value {
    type Err = ParseError;

    /// Reads one value, in any notation in which TLC prints it, over any number of lines.
    fn from_str(text: &str) -> Result<Value, ParseError> {
        let mut scanner = Scanner::new(text);
        let result = scanner.value().and_then(|value| {
            scanner.space();
            scanner.end("the end of the value").map(|()| value)
        });
        result.map_err(|failure| failure.locate(text))
    }
}

/// Reads values with commas between them, such as the arguments of an action; possibly none.
///
/// ```
/// use plumb_tla::{Value, parse_values};
///
/// let arguments = parse_values(r#"1,[kind |-> "Work"], p1"#)?;
/// assert_eq!((&arguments[0], &arguments[2]), (&Value::int(1), &Value::model("p1")));
/// assert!(parse_values("")?.is_empty());
/// # Ok::<(), plumb_tla::ParseError>(())
/// ```
///
/// # Errors
///
/// When the text is anything else.
pub fn parse_values(text: &str) -> Result<Vec<Value>, ParseError> {
    let mut scanner = Scanner::new(text);
    scanner.list().map_err(|failure| failure.locate(text))
}

/// An error on its way out: the place is still a byte offset.
#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) at: usize,
    pub(crate) expected: Cow<'static, str>,
    pub(crate) found: String,
}

impl Failure {
    pub(crate) fn locate(self, text: &str) -> ParseError {
        let Position { line, column } = Position::locate(text, self.at);
        ParseError {
            line,
            column,
            expected: self.expected.into_owned(),
            found: self.found,
        }
    }
}

pub(crate) type Scan<T> = Result<T, Box<Failure>>;

/// A position in a text, and the rules that read from there.
pub(crate) struct Scanner<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    depth: u32,
    interval_elements: u64,
}

impl<'a> Scanner<'a> {
    pub(crate) fn new(text: &'a str) -> Scanner<'a> {
        Scanner {
            text,
            bytes: text.as_bytes(),
            at: 0,
            depth: 0,
            interval_elements: 0,
        }
    }

    /// An error at `at` about what stands there.
    #[cold]
    pub(crate) fn failure(
        &self,
        at: usize,
        expected: impl Into<Cow<'static, str>>,
    ) -> Box<Failure> {
        self.failure_found(at, expected, describe(self.text, at))
    }

    #[cold]
    fn failure_found(
        &self,
        at: usize,
        expected: impl Into<Cow<'static, str>>,
        found: impl Into<String>,
    ) -> Box<Failure> {
        Box::new(Failure {
            at,
            expected: expected.into(),
            found: found.into(),
        })
    }

    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// Goes on at `at`, which is the end of a value that is known.
    pub(crate) fn skip_to(&mut self, at: usize) {
        self.at = at;
    }

    /// How many elements the intervals had that were read.
    pub(crate) fn interval_elements(&self) -> u64 {
        self.interval_elements
    }

    #[inline]
    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Skips spaces and line ends.
    #[inline]
    pub(crate) fn space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.peek() {
            self.at += 1;
        }
    }

    pub(crate) fn is_at_end(&self) -> bool {
        self.at >= self.bytes.len()
    }

    pub(crate) fn end(&self, expected: &'static str) -> Scan<()> {
        if self.is_at_end() {
            Ok(())
        } else {
            Err(self.failure(self.at, expected))
        }
    }

    /// Takes `symbol` if it comes next.
    #[inline]
    pub(crate) fn take(&mut self, symbol: &str) -> bool {
        let found = self.bytes[self.at..].starts_with(symbol.as_bytes());
        if found {
            self.at += symbol.len();
        }
        found
    }

    #[inline]
    pub(crate) fn expect(&mut self, symbol: &str, expected: &'static str) -> Scan<()> {
        if self.take(symbol) {
            Ok(())
        } else {
            Err(self.failure(self.at, expected))
        }
    }

    /// The letters, digits and underscores from here on, possibly none.
    #[inline]
    fn word(&mut self) -> &'a str {
        let start = self.at;
        while let Some(b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'_') = self.peek() {
            self.at += 1;
        }
        &self.text[start..self.at]
    }

    /// A name.
    pub(crate) fn identifier(&mut self, expected: &'static str) -> Scan<&'a str> {
        let start = self.at;
        let word = self.word();
        if word.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(self.failure(start, expected));
        }
        Ok(word)
    }

    /// One value. Leading spaces are skipped.
    pub(crate) fn value(&mut self) -> Scan<Value> {
        self.space();
        match self.peek() {
            Some(b'"') => self.string().map(Value::Str),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b'a'..=b'z' | b'A'..=b'Z' | b'_') => self.named(),
            Some(b'{') => self.nested(Self::set),
            Some(b'<') => self.nested(Self::tuple),
            Some(b'[') => self.nested(Self::record),
            Some(b'(') => self.nested(Self::function),
            _ => Err(self.failure(self.at, "a value")),
        }
    }

    /// All the values that are left, with commas between them.
    fn list(&mut self) -> Scan<Vec<Value>> {
        let mut values = Vec::new();
        self.space();
        if self.is_at_end() {
            return Ok(values);
        }
        loop {
            values.push(self.value()?);
            self.space();
            if self.is_at_end() {
                return Ok(values);
            }
            self.expect(",", "`,` or the end")?;
        }
    }

    fn nested(&mut self, rule: fn(&mut Self) -> Scan<Value>) -> Scan<Value> {
        if self.depth == MAX_DEPTH {
            let expected = format!("values nested at most {MAX_DEPTH} deep");
            return Err(self.failure_found(self.at, expected, "one nested deeper"));
        }
        self.depth += 1;
        let value = rule(self)?;
        self.depth -= 1;
        Ok(value)
    }

    fn named(&mut self) -> Scan<Value> {
        let start = self.at;
        Ok(match self.word() {
            "TRUE" => Value::Bool(true),
            "FALSE" => Value::Bool(false),
            word if RESERVED.contains(&word) => {
                let found = format!("the reserved word `{word}`");
                return Err(self.failure_found(start, "a value", found));
            }
            word => Value::Model(word.to_owned()),
        })
    }

    fn number(&mut self) -> Scan<Value> {
        let start = self.at;
        let first = self.integer()?;
        let Some(first) = first else {
            // A name may begin with a digit.
            return Ok(Value::Model(self.text[start..self.at].to_owned()));
        };
        let after = self.at;
        if let Some(b' ') = self.peek() {
            self.space();
        }
        if !self.take("..") {
            self.at = after;
            return Ok(Value::Int(first));
        }
        self.space();
        let bound = self.at;
        match self.integer()? {
            Some(last) => self.interval(start, first, last),
            None => Err(self.failure(bound, "the upper end of an interval")),
        }
    }

    /// An integer, or nothing where a word that begins with digits stands.
    #[inline]
    fn integer(&mut self) -> Scan<Option<i64>> {
        let start = self.at;
        let negative = self.take("-");
        let digits = self.at;
        // Negative numbers reach one further, hence the sum of negated digits.
        let mut sum = Some(0i64);
        while let Some(digit @ b'0'..=b'9') = self.peek() {
            sum = sum
                .and_then(|sum| sum.checked_mul(10))
                .and_then(|sum| sum.checked_sub(i64::from(digit - b'0')));
            self.at += 1;
        }
        if let Some(b'a'..=b'z' | b'A'..=b'Z' | b'_') = self.peek()
            && !negative
        {
            self.word();
            return Ok(None);
        }
        if self.at == digits {
            return Err(self.failure(digits, "a digit"));
        }
        match sum.and_then(|sum| {
            if negative {
                Some(sum)
            } else {
                sum.checked_neg()
            }
        }) {
            Some(number) => Ok(Some(number)),
            None => Err(self.failure_found(start, "an integer of at most 64 bits", "a larger one")),
        }
    }

    fn interval(&mut self, start: usize, first: i64, last: i64) -> Scan<Value> {
        let too_many = || {
            let expected =
                format!("intervals of together at most {MAX_INTERVAL_ELEMENTS} elements");
            self.failure_found(start, expected, "a larger one")
        };
        if first <= last {
            let count = first.abs_diff(last).checked_add(1);
            let total = count.and_then(|count| self.interval_elements.checked_add(count));
            match total {
                Some(total) if total <= MAX_INTERVAL_ELEMENTS => self.interval_elements = total,
                _ => return Err(too_many()),
            }
        }
        Ok(Value::Set((first..=last).map(Value::Int).collect()))
    }

    fn string(&mut self) -> Scan<String> {
        let start = self.at;
        self.at += 1;
        let mut text = String::new();
        let mut plain = self.at;
        loop {
            match self.peek() {
                Some(b'"') => {
                    text.push_str(&self.text[plain..self.at]);
                    self.at += 1;
                    return Ok(text);
                }
                Some(b'\\') => {
                    text.push_str(&self.text[plain..self.at]);
                    text.push(match self.bytes.get(self.at + 1) {
                        Some(b'"') => '"',
                        Some(b'\\') => '\\',
                        Some(b'n') => '\n',
                        Some(b't') => '\t',
                        Some(b'r') => '\r',
                        Some(b'f') => '\u{c}',
                        _ => {
                            let expected = "one of \" \\ n t r f after the backslash";
                            return Err(self.failure(self.at + 1, expected));
                        }
                    });
                    self.at += 2;
                    plain = self.at;
                }
                Some(0) => return Err(self.failure(self.at, "no NUL character in a string")),
                Some(b'\n') | None => {
                    let found = "a string that is not closed on its line";
                    return Err(self.failure_found(start, "a closing `\"`", found));
                }
                Some(_) => self.at += 1,
            }
        }
    }

    fn set(&mut self) -> Scan<Value> {
        self.at += 1;
        let items = self.items("}", "`,` or `}`")?;
        Ok(Value::Set(BTreeSet::from_iter(items)))
    }

    fn tuple(&mut self) -> Scan<Value> {
        self.expect("<<", "a value")?;
        self.items(">>", "`,` or `>>`").map(Value::Tuple)
    }

    fn items(&mut self, close: &str, expected: &'static str) -> Scan<Vec<Value>> {
        let mut items = Vec::new();
        self.space();
        if self.take(close) {
            return Ok(items);
        }
        loop {
            items.push(self.value()?);
            self.space();
            if self.take(close) {
                return Ok(items);
            }
            self.expect(",", expected)?;
        }
    }

    fn record(&mut self) -> Scan<Value> {
        let start = self.at;
        self.at += 1;
        let mut fields = Vec::new();
        self.space();
        if self.take("]") {
            return Ok(Value::Tuple(Vec::new()));
        }
        loop {
            self.space();
            let name = self.field_name()?;
            fields.push((name, self.value()?));
            self.space();
            if self.take("]") {
                break;
            }
            self.expect(",", "`,` or `]`")?;
        }
        let count = fields.len();
        let fields = BTreeMap::from_iter(fields);
        if fields.len() < count {
            return Err(self.failure_found(
                start,
                "each field once",
                "a record with a repeated one",
            ));
        }
        Ok(Value::Record(fields))
    }

    /// A field's name up to and with the arrow behind it. TLC prints a function over strings as a
    /// record even where they are no identifiers, and without quotes.
    fn field_name(&mut self) -> Scan<String> {
        let start = self.at;
        if self.peek() == Some(b'"') {
            let name = self.string()?;
            self.space();
            self.expect("|->", "`|->`")?;
            return Ok(name);
        }
        let word = self.word();
        let end = self.at;
        self.space();
        if !word.is_empty() && self.take("|->") {
            return Ok(word.to_owned());
        }
        let stop = |byte: &u8| *byte < b' ' || b",[]{}()\"".contains(byte);
        let rest = &self.text[start..];
        let length = rest
            .bytes()
            .position(|byte| stop(&byte))
            .unwrap_or(rest.len());
        match rest[..length].find("|->") {
            Some(arrow) if !rest[..arrow].trim().is_empty() => {
                self.at = start + arrow + 3;
                Ok(rest[..arrow].trim_end().to_owned())
            }
            _ if word.is_empty() => Err(self.failure(start, "a field's name")),
            _ => {
                self.at = end;
                self.space();
                Err(self.failure(self.at, "`|->`"))
            }
        }
    }

    fn function(&mut self) -> Scan<Value> {
        let start = self.at;
        self.at += 1;
        let mut pairs = Vec::new();
        self.space();
        if self.take(")") {
            return Ok(Value::Tuple(Vec::new()));
        }
        loop {
            let key = self.value()?;
            self.space();
            self.expect(":>", "`:>`")?;
            pairs.push((key, self.value()?));
            self.space();
            if self.take(")") {
                break;
            }
            self.expect("@@", "`@@` or `)`")?;
        }
        let count = pairs.len();
        let pairs = BTreeMap::from_iter(pairs);
        if pairs.len() < count {
            let found = "a function with a repeated one";
            return Err(self.failure_found(start, "each argument once", found));
        }
        Ok(Value::function(pairs))
    }
}
