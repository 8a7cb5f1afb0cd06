//! Values, as far as canonical JSON tells them apart.

use std::borrow::Cow;
use std::fmt;

use crate::digest::Digest;
use crate::object::Object;

/// An integer that every reader of JSON holds exactly: from −(2⁵³−1) to 2⁵³−1 (section 3).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Integer(i64);

/// A number that is no [`Integer`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected an integer from -(2^53-1) to 2^53-1")]
pub struct IntegerError;

impl Integer {
    /// The largest: 2⁵³−1.
    pub const MAX: Self = Self((1 << 53) - 1);
    /// The smallest: −(2⁵³−1).
    pub const MIN: Self = Self(-Self::MAX.0);

    /// The integer, if it is in range.
    #[must_use]
    pub const fn new(number: i64) -> Option<Self> {
        if number < Self::MIN.0 || number > Self::MAX.0 {
            return None;
        }
        Some(Self(number))
    }

    /// The number.
    #[must_use]
    pub const fn get(self) -> i64 {
        self.0
    }
}

impl fmt::Display for Integer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl From<u32> for Integer {
    fn from(number: u32) -> Self {
        Self(i64::from(number))
    }
}

impl TryFrom<u64> for Integer {
    type Error = IntegerError;

    fn try_from(number: u64) -> Result<Self, IntegerError> {
        let number = i64::try_from(number).map_err(|_| IntegerError)?;
        Self::new(number).ok_or(IntegerError)
    }
}

impl TryFrom<f64> for Integer {
    type Error = IntegerError;

    /// A float of the host that has an integral value is that integer; minus zero, which JSON would
    /// write with a sign, is not (section 3, rule 3).
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the range is checked before"
    )]
    fn try_from(number: f64) -> Result<Self, IntegerError> {
        let minus_zero = number == 0.0 && number.is_sign_negative();
        // False of NaN; the bound is exact, and so is every float within it.
        let in_range = number.abs() <= 9_007_199_254_740_991.0;
        if minus_zero || !in_range || number.fract() != 0.0 {
            return Err(IntegerError);
        }
        Ok(Self(number as i64))
    }
}

/// What sort of value this is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `null`
    Null,
    /// `true` or `false`
    Bool,
    /// An integer.
    Integer,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Null => "null",
            Self::Bool => "a boolean",
            Self::Integer => "an integer",
            Self::String => "a string",
            Self::Array => "an array",
            Self::Object => "an object",
        })
    }
}

/// A JSON value. Strings are borrowed from the text that was read where that is possible.
///
/// Two values are equal exactly if their canonical texts are. A value that was read is nested at
/// most [`MAX_DEPTH`](crate::MAX_DEPTH) deep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value<'a> {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// An integer.
    Integer(Integer),
    /// A string.
    String(Cow<'a, str>),
    /// An array.
    Array(Vec<Value<'a>>),
    /// An object.
    Object(Object<'a>),
}

impl<'a> Value<'a> {
    /// What sort of value it is.
    #[must_use]
    pub fn kind(&self) -> Kind {
        match self {
            Self::Null => Kind::Null,
            Self::Bool(_) => Kind::Bool,
            Self::Integer(_) => Kind::Integer,
            Self::String(_) => Kind::String,
            Self::Array(_) => Kind::Array,
            Self::Object(_) => Kind::Object,
        }
    }

    /// A string's text.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// An integer's number.
    #[must_use]
    pub fn as_integer(&self) -> Option<Integer> {
        match self {
            Self::Integer(number) => Some(*number),
            _ => None,
        }
    }

    /// A truth value.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Self::Bool(truth) => Some(*truth),
            _ => None,
        }
    }

    /// An array's elements.
    #[must_use]
    pub fn as_array(&self) -> Option<&[Value<'a>]> {
        match self {
            Self::Array(elements) => Some(elements),
            _ => None,
        }
    }

    /// An object's members.
    #[must_use]
    pub fn as_object(&self) -> Option<&Object<'a>> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }

    /// The member of this name, if this is an object that has it.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Value<'a>> {
        self.as_object()?.get(key)
    }

    /// The same value, borrowing nothing.
    #[must_use]
    pub fn into_owned(self) -> Value<'static> {
        match self {
            Self::Null => Value::Null,
            Self::Bool(truth) => Value::Bool(truth),
            Self::Integer(number) => Value::Integer(number),
            Self::String(text) => Value::String(Cow::Owned(text.into_owned())),
            Self::Array(elements) => {
                Value::Array(elements.into_iter().map(Value::into_owned).collect())
            }
            Self::Object(object) => Value::Object(object.into_owned()),
        }
    }

    /// The SHA-256 of the canonical text (section 4).
    #[must_use]
    pub fn digest(&self) -> Digest {
        Digest::of(self.to_canonical().as_bytes())
    }
}

impl From<bool> for Value<'_> {
    fn from(truth: bool) -> Self {
        Self::Bool(truth)
    }
}

impl From<Integer> for Value<'_> {
    fn from(number: Integer) -> Self {
        Self::Integer(number)
    }
}

impl From<u32> for Value<'_> {
    fn from(number: u32) -> Self {
        Self::Integer(number.into())
    }
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Self {
        Self::String(Cow::Borrowed(text))
    }
}

impl From<String> for Value<'_> {
    fn from(text: String) -> Self {
        Self::String(Cow::Owned(text))
    }
}

impl<'a> From<Vec<Value<'a>>> for Value<'a> {
    fn from(elements: Vec<Value<'a>>) -> Self {
        Self::Array(elements)
    }
}

impl<'a> From<Object<'a>> for Value<'a> {
    fn from(object: Object<'a>) -> Self {
        Self::Object(object)
    }
}
