//! Values of TLA+, in one normal form, so that equality of `Value`s is equality of TLA+ values.

use std::collections::{BTreeMap, BTreeSet};

mod known;
mod parse;
mod pretty;
mod print;

pub(crate) use known::KnownValues;
pub use parse::parse_values;
pub(crate) use parse::{Failure, Scanner};
pub use pretty::{DEFAULT_WIDTH, PrettyValue};
pub(crate) use pretty::{Place, write_value};
pub(crate) use print::is_identifier;

/// A TLA+ value as TLC computes it.
///
/// In TLA+ a sequence is a function over `1..n` and a record is a function over strings; TLC prints
/// the same value now in one notation, now in the other. The constructors ([`Value::function`],
/// [`Value::record`]) and the parser therefore always choose the same variant for the same value:
/// whatever has the domain `1..n` (the empty function included) is a [`Tuple`](Value::Tuple), any
/// other function over strings is a [`Record`](Value::Record), the rest are
/// [`Function`](Value::Function)s. Building the variants by hand skips this, so prefer the
/// constructors for those three.
///
/// ```
/// use plumb_tla::Value;
///
/// let queue: Value = r#"<<[kind |-> "Work", at |-> 3]>>"#.parse()?;
/// let same: Value = r#"(1 :> ("at" :> 3 @@ "kind" :> "Work"))"#.parse()?;
/// assert_eq!(queue, same);
/// assert_eq!(queue.apply(&Value::int(1)).and_then(|work| work.field("at")), Some(&Value::int(3)));
/// # Ok::<(), plumb_tla::ParseError>(())
/// ```
///
/// The order of `Value`s (variants in the order below, then contents) is Plumb's own: it makes
/// printing and reports deterministic and has no meaning in TLA+.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Value {
    /// `TRUE` or `FALSE`.
    Bool(bool),
    /// An integer. TLC itself stops at 32 bits.
    Int(i64),
    /// A string, without its quotes and escapes.
    Str(String),
    /// A model value: a constant that is equal only to itself, printed as a bare word.
    Model(String),
    /// A finite set.
    Set(BTreeSet<Value>),
    /// A sequence or tuple; its first element has the index 1.
    Tuple(Vec<Value>),
    /// A function from a non-empty set of strings.
    Record(BTreeMap<String, Value>),
    /// A function whose domain is neither `1..n` nor a set of strings.
    Function(BTreeMap<Value, Value>),
}

impl Value {
    /// A string.
    #[must_use]
    pub fn str(text: impl Into<String>) -> Value {
        Value::Str(text.into())
    }

    /// An integer.
    #[must_use]
    pub fn int(number: impl Into<i64>) -> Value {
        Value::Int(number.into())
    }

    /// `TRUE` or `FALSE`.
    #[must_use]
    pub fn bool(truth: bool) -> Value {
        Value::Bool(truth)
    }

    /// A model value. The name should be an identifier, and no word with a meaning of its own such
    /// as `TRUE`, or the printed value is not read back as a model value.
    #[must_use]
    pub fn model(name: impl Into<String>) -> Value {
        Value::Model(name.into())
    }

    /// A set; repeated elements count once.
    #[must_use]
    pub fn set(items: impl IntoIterator<Item = Value>) -> Value {
        Value::Set(items.into_iter().collect())
    }

    /// A tuple or sequence.
    #[must_use]
    pub fn tuple(items: impl IntoIterator<Item = Value>) -> Value {
        Value::Tuple(items.into_iter().collect())
    }

    /// A record. Of a repeated field the last one counts; a record without fields is the empty
    /// function and hence the empty tuple.
    #[must_use]
    pub fn record<K: Into<String>>(fields: impl IntoIterator<Item = (K, Value)>) -> Value {
        let fields: BTreeMap<String, Value> = fields
            .into_iter()
            .map(|(name, value)| (name.into(), value))
            .collect();
        if fields.is_empty() {
            Value::Tuple(Vec::new())
        } else {
            Value::Record(fields)
        }
    }

    /// A function, given by argument and result, in its normal form: a tuple when the domain is
    /// `1..n` or empty, a record when it consists of strings. Of a repeated argument the last one
    /// counts.
    #[must_use]
    pub fn function(pairs: impl IntoIterator<Item = (Value, Value)>) -> Value {
        let pairs: BTreeMap<Value, Value> = pairs.into_iter().collect();
        // Keys of one kind are neighbours in the map, so each test stops at its first misfit.
        if (1i64..)
            .zip(pairs.keys())
            .all(|(index, key)| *key == Value::Int(index))
        {
            return Value::Tuple(pairs.into_values().collect());
        }
        if !pairs.keys().all(|key| matches!(key, Value::Str(_))) {
            return Value::Function(pairs);
        }
        let named = pairs.into_iter().filter_map(|(key, value)| match key {
            Value::Str(name) => Some((name, value)),
            _ => None,
        });
        Value::Record(named.collect())
    }

    /// The truth value, if this is one.
    #[must_use]
    pub fn as_bool(&self) -> Option<bool> {
        match self {
            Value::Bool(truth) => Some(*truth),
            _ => None,
        }
    }

    /// The number, if this is an integer.
    #[must_use]
    pub fn as_int(&self) -> Option<i64> {
        match self {
            Value::Int(number) => Some(*number),
            _ => None,
        }
    }

    /// The text, if this is a string (a model value is none).
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Value::Str(text) => Some(text),
            _ => None,
        }
    }

    /// The name, if this is a model value.
    #[must_use]
    pub fn as_model(&self) -> Option<&str> {
        match self {
            Value::Model(name) => Some(name),
            _ => None,
        }
    }

    /// The elements, if this is a set.
    #[must_use]
    pub fn as_set(&self) -> Option<&BTreeSet<Value>> {
        match self {
            Value::Set(items) => Some(items),
            _ => None,
        }
    }

    /// The elements, if this is a tuple or sequence.
    #[must_use]
    pub fn as_tuple(&self) -> Option<&[Value]> {
        match self {
            Value::Tuple(items) => Some(items),
            _ => None,
        }
    }

    /// The fields, if this is a record. A record that may have no fields at all is a tuple when it
    /// is empty.
    #[must_use]
    pub fn as_record(&self) -> Option<&BTreeMap<String, Value>> {
        match self {
            Value::Record(fields) => Some(fields),
            _ => None,
        }
    }

    /// The pairs, if this is a function that is neither a tuple nor a record.
    #[must_use]
    pub fn as_function(&self) -> Option<&BTreeMap<Value, Value>> {
        match self {
            Value::Function(pairs) => Some(pairs),
            _ => None,
        }
    }

    /// The field of a record.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&Value> {
        self.as_record().and_then(|fields| fields.get(name))
    }

    /// The result of a tuple, record or function for an argument of its domain.
    #[must_use]
    pub fn apply(&self, argument: &Value) -> Option<&Value> {
        match (self, argument) {
            (Value::Tuple(items), Value::Int(index)) => {
                items.get(usize::try_from(index.checked_sub(1)?).ok()?)
            }
            (Value::Record(fields), Value::Str(name)) => fields.get(name),
            (Value::Function(pairs), _) => pairs.get(argument),
            _ => None,
        }
    }

    /// What kind of value this is, with its article, for error messages: "an integer", "a set".
    #[must_use]
    pub fn type_name(&self) -> &'static str {
        match self {
            Value::Bool(_) => "a truth value",
            Value::Int(_) => "an integer",
            Value::Str(_) => "a string",
            Value::Model(_) => "a model value",
            Value::Set(_) => "a set",
            Value::Tuple(_) => "a tuple",
            Value::Record(_) => "a record",
            Value::Function(_) => "a function",
        }
    }
}

impl From<bool> for Value {
    fn from(truth: bool) -> Value {
        Value::Bool(truth)
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Value {
        Value::Int(number)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::str(text)
    }
}

impl From<String> for Value {
    fn from(text: String) -> Value {
        Value::Str(text)
    }
}
