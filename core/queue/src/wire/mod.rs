//! What stands in the log: closed records with their bounds checked once, at the edge (sections 1
//! and 2).
//!
//! A value of one of these types is valid as far as the value alone can tell: an [`Identity`] has at
//! most 256 characters, an absent member is `None` and `null` is refused. What depends on the state
//! of the queue is checked by [`State::advance`](crate::state::State::advance).

pub(crate) mod macros;

pub mod assignment;
pub mod commit;
pub mod evidence;
pub mod operation;
pub mod policy;
pub mod scalar;

pub use assignment::{AssignedClaim, Assignment, FinishIntent, ResultReference};
pub use commit::{Actor, Parameters, QueueCommit, QueueRequest, RequestKind, Role, Trace};
pub use evidence::{
    Condition, Dependency, Effects, Evidence, EvidenceKind, EvidenceSource, GateKey, Resource,
    ResourceKind, RunBinding,
};
pub use operation::Operation;
pub use policy::{
    Limits, Mode, PoolPolicy, ProducerRule, ProjectorRule, QueuePolicy, WorkerProfile,
};
pub use scalar::{
    ClaimHandle, Count, Decimal, FairnessKey, Identity, Json, Priority, ReasonCode, Revision,
    Timestamp,
};

use std::borrow::Cow;
use std::fmt;

use plumb_canonical::{Object, Value};

use crate::code::Code;

/// What is wrong with a value that stands where a record or a scalar is expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}{problem}", path = Place(.path))]
pub struct WireError {
    /// The protocol's code.
    pub code: Code,
    /// Where, as names of members and numbers of elements, from the outside in.
    pub path: Vec<Cow<'static, str>>,
    /// What is wrong.
    pub problem: Problem,
}

/// What is wrong with a value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// Something else is expected there.
    #[error("expected {expected}, found {found}")]
    Expected {
        /// What would have been right.
        expected: Cow<'static, str>,
        /// What is there, cut short.
        found: String,
    },
    /// A member that the record must have is absent.
    #[error("the member is missing")]
    Missing,
    /// A member that the record does not have; records are closed.
    #[error("there is no such member in a {record}")]
    Unknown {
        /// The name of the record.
        record: &'static str,
    },
    /// A rule that spans members.
    #[error("{0}")]
    Rule(Cow<'static, str>),
}

struct Place<'a>(&'a [Cow<'static, str>]);

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, step) in self.0.iter().enumerate() {
            let separator = if index > 0 { "." } else { "" };
            write!(f, "{separator}{}", crate::reject::shown(step))?;
        }
        if self.0.is_empty() {
            Ok(())
        } else {
            f.write_str(": ")
        }
    }
}

impl WireError {
    /// Something else was expected.
    pub(crate) fn expected(
        code: Code,
        expected: impl Into<Cow<'static, str>>,
        found: &Value<'_>,
    ) -> Self {
        let found = match found {
            Value::Array(_) | Value::Object(_) => found.kind().to_string(),
            scalar => crate::reject::shown(&scalar.to_canonical()),
        };
        Self::new(
            code,
            Problem::Expected {
                expected: expected.into(),
                found,
            },
        )
    }

    pub(crate) fn rule(code: Code, rule: impl Into<Cow<'static, str>>) -> Self {
        Self::new(code, Problem::Rule(rule.into()))
    }

    fn new(code: Code, problem: Problem) -> Self {
        Self {
            code,
            path: Vec::new(),
            problem,
        }
    }

    /// The same error, seen from outside.
    pub(crate) fn within(mut self, step: impl Into<Cow<'static, str>>) -> Self {
        self.path.insert(0, step.into());
        self
    }
}

/// A value of the log. `code` is that of the record it stands in, for scalars that have none of their
/// own.
pub trait Wire: Sized {
    /// Reads it.
    ///
    /// # Errors
    ///
    /// The value is something else, or out of bounds.
    fn read(value: &Value<'_>, code: Code) -> Result<Self, WireError>;

    /// Writes it.
    fn write(&self) -> Value<'_>;
}

/// A member of a record: one that must be there, or, as an `Option`, one that may be absent.
pub(crate) trait Member: Sized {
    fn read_member(value: Option<&Value<'_>>, code: Code) -> Result<Self, WireError>;
    fn write_member(&self) -> Option<Value<'_>>;
}

impl<T: Wire> Member for T {
    fn read_member(value: Option<&Value<'_>>, code: Code) -> Result<Self, WireError> {
        T::read(
            value.ok_or_else(|| WireError::new(code, Problem::Missing))?,
            code,
        )
    }

    fn write_member(&self) -> Option<Value<'_>> {
        Some(self.write())
    }
}

impl<T: Wire> Member for Option<T> {
    fn read_member(value: Option<&Value<'_>>, code: Code) -> Result<Self, WireError> {
        value.map(|value| T::read(value, code)).transpose()
    }

    fn write_member(&self) -> Option<Value<'_>> {
        self.as_ref().map(Wire::write)
    }
}

/// A member that must be there and may be null.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OrNull<T>(pub Option<T>);

impl<T: Wire> Wire for OrNull<T> {
    fn read(value: &Value<'_>, code: Code) -> Result<Self, WireError> {
        match value {
            Value::Null => Ok(Self(None)),
            value => T::read(value, code).map(|value| Self(Some(value))),
        }
    }

    fn write(&self) -> Value<'_> {
        self.0.as_ref().map_or(Value::Null, Wire::write)
    }
}

/// The object that a closed record is.
pub(crate) fn closed<'v, 'a>(
    value: &'v Value<'a>,
    code: Code,
    record: &'static str,
    known: &[&str],
) -> Result<&'v Object<'a>, WireError> {
    let object = object(value, code)?;
    for (name, _) in object.iter() {
        if !known.contains(&name) {
            let error = WireError::new(code, Problem::Unknown { record });
            return Err(error.within(name.to_owned()));
        }
    }
    Ok(object)
}

pub(crate) fn object<'v, 'a>(
    value: &'v Value<'a>,
    code: Code,
) -> Result<&'v Object<'a>, WireError> {
    value
        .as_object()
        .ok_or_else(|| WireError::expected(code, "an object", value))
}

impl Wire for bool {
    fn read(value: &Value<'_>, code: Code) -> Result<Self, WireError> {
        value
            .as_bool()
            .ok_or_else(|| WireError::expected(code, "true or false", value))
    }

    fn write(&self) -> Value<'_> {
        Value::Bool(*self)
    }
}

impl Wire for plumb_canonical::Digest {
    fn read(value: &Value<'_>, code: Code) -> Result<Self, WireError> {
        let digest = value.as_str().and_then(|text| text.parse().ok());
        digest.ok_or_else(|| WireError::expected(code, "64 lower-case hexadecimal digits", value))
    }

    fn write(&self) -> Value<'_> {
        Value::from(self.to_string())
    }
}

impl<T: Wire> Wire for Vec<T> {
    fn read(value: &Value<'_>, code: Code) -> Result<Self, WireError> {
        let elements = value.as_array();
        let elements = elements.ok_or_else(|| WireError::expected(code, "an array", value))?;
        let read = |(index, element): (usize, &Value<'_>)| {
            T::read(element, code).map_err(|error| error.within(index.to_string()))
        };
        elements.iter().enumerate().map(read).collect()
    }

    fn write(&self) -> Value<'_> {
        Value::Array(self.iter().map(Wire::write).collect())
    }
}

impl<T: Wire> Wire for std::sync::Arc<T> {
    fn read(value: &Value<'_>, code: Code) -> Result<Self, WireError> {
        T::read(value, code).map(Self::new)
    }

    fn write(&self) -> Value<'_> {
        T::write(self)
    }
}

/// A map: an object whose keys are of a type of their own.
impl<K, T> Wire for std::collections::BTreeMap<K, T>
where
    K: Wire + Ord + AsRef<str>,
    T: Wire,
{
    fn read(value: &Value<'_>, code: Code) -> Result<Self, WireError> {
        let read = |(key, member): (&str, &Value<'_>)| {
            let within = |error: WireError| error.within(key.to_owned());
            let name = K::read(&Value::from(key), code).map_err(within)?;
            Ok((name, T::read(member, code).map_err(within)?))
        };
        object(value, code)?.iter().map(read).collect()
    }

    fn write(&self) -> Value<'_> {
        let mut object = Object::new();
        for (key, member) in self {
            object.insert(key.as_ref(), member.write());
        }
        object.into()
    }
}
