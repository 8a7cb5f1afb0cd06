//! Scalars (section 1).

use std::fmt;
use std::sync::Arc;

use plumb_canonical::{Integer, Object, Value};

use super::{Wire, WireError, object};
use crate::code::Code;

/// Text types: a rule, and a code of their own where they have one.
macro_rules! texts {
    ($($(#[$meta:meta])* $name:ident: $valid:ident, $expected:literal $(, $code:ident)?;)*) => {$(
        $(#[$meta])*
        #[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Arc<str>);

        impl $name {
            /// The text as one of these, if it is one.
            #[must_use]
            pub fn new(text: &str) -> Option<Self> {
                $valid(text).then(|| Self(text.into()))
            }

            /// The text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }

            /// A text that is one of these by the way it is made.
            #[allow(dead_code, reason = "not every type is derived")]
            pub(crate) fn derived(text: &str) -> Self {
                debug_assert!($valid(text));
                Self(text.into())
            }
        }

        impl AsRef<str> for $name {
            fn as_ref(&self) -> &str {
                &self.0
            }
        }

        impl std::borrow::Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.0, f)
            }
        }

        impl Wire for $name {
            fn read(value: &Value<'_>, code: Code) -> Result<Self, WireError> {
                let _ = code;
                $(let code = Code::$code;)?
                let text = value.as_str().and_then(Self::new);
                text.ok_or_else(|| WireError::expected(code, $expected, value))
            }

            fn write(&self) -> Value<'_> {
                Value::from(&*self.0)
            }
        }
    )*};
}

texts! {
    /// Any name: 1 to 256 bytes of UTF-8 without C0 controls and DEL.
    Identity: is_identity, "1 to 256 bytes without control characters", IdentityInvalid;
    /// The [`Identity`] of a commit.
    CommitId: is_identity, "1 to 256 bytes without control characters", IdentityInvalid;
    /// The [`Identity`] of a request.
    RequestId: is_identity, "1 to 256 bytes without control characters", IdentityInvalid;
    /// The [`Identity`] of a policy epoch.
    Epoch: is_identity, "1 to 256 bytes without control characters", IdentityInvalid;
    /// The [`Identity`] of a credential generation.
    Generation: is_identity, "1 to 256 bytes without control characters", IdentityInvalid;
    /// The [`Identity`] of a Work.
    WorkId: is_identity, "1 to 256 bytes without control characters", IdentityInvalid;
    /// The [`Identity`] of a graph of Works.
    GraphId: is_identity, "1 to 256 bytes without control characters", IdentityInvalid;
    /// The name of a Work in its graph, an [`Identity`].
    NodeKey: is_identity, "1 to 256 bytes without control characters", IdentityInvalid;
    /// The [`Identity`] of a Claim.
    ClaimId: is_identity, "1 to 256 bytes without control characters", IdentityInvalid;
    /// The [`Identity`] of a Dispatch.
    DispatchId: is_identity, "1 to 256 bytes without control characters", IdentityInvalid;
    /// The [`Identity`] of an Observation.
    ObservationId: is_identity, "1 to 256 bytes without control characters", IdentityInvalid;
    /// The name of a pool, an [`Identity`].
    PoolName: is_identity, "1 to 256 bytes without control characters", IdentityInvalid;
    /// The name of a worker profile, an [`Identity`].
    ProfileName: is_identity, "1 to 256 bytes without control characters", IdentityInvalid;
    /// How a run ended, in the host's words; empty while it has not.
    Conclusion: is_conclusion, "at most 256 bytes without control characters", IdentityInvalid;
    /// A reason that programs can compare: an ASCII letter or digit, then up to 127 of letters, digits
    /// and `_.:-`.
    ReasonCode: is_reason_code, "a letter or digit, then up to 127 of letters, digits and _.:-",
        ReasonInvalid;
    /// A positive number of up to 256 digits without leading zero, as a string.
    Decimal: is_decimal, "a positive decimal number as a string, of at most 256 digits";
    /// Who acts: the decimal id of a host's account, and not its login (section 2.1).
    Principal: is_decimal, "a positive decimal account id as a string, not a login",
        IdentityInvalid;
    /// A Git object id: 40 or 64 lower-case hexadecimal digits.
    Revision: is_revision, "40 or 64 lower-case hexadecimal digits";
    /// A repository: `owner/name`, each of letters, digits and `_.-`.
    Repository: is_repository, "owner/name of letters, digits and _.-";
    /// An account that shares are counted for: at most 128 bytes without C0 controls and DEL. The
    /// empty one is the default account.
    FairnessKey: is_fairness_key, "at most 128 bytes without control characters";
}

fn is_identity(text: &str) -> bool {
    // At most 256 bytes are at most 256 characters.
    (1..=256).contains(&text.len()) && !has_controls(text)
}

fn is_conclusion(text: &str) -> bool {
    text.is_empty() || is_identity(text)
}

fn has_controls(text: &str) -> bool {
    text.bytes().any(|byte| byte < 0x20 || byte == 0x7f)
}

fn is_reason_code(text: &str) -> bool {
    let rest = |byte: u8| byte.is_ascii_alphanumeric() || b"_.:-".contains(&byte);
    text.len() <= 128
        && text
            .bytes()
            .next()
            .is_some_and(|byte| byte.is_ascii_alphanumeric())
        && text.bytes().all(rest)
}

fn is_decimal(text: &str) -> bool {
    (1..=256).contains(&text.len())
        && !text.starts_with('0')
        && text.bytes().all(|byte| byte.is_ascii_digit())
}

fn is_revision(text: &str) -> bool {
    let digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    matches!(text.len(), 40 | 64) && text.bytes().all(digit)
}

fn is_repository(text: &str) -> bool {
    let name = |text: &str| {
        let part = |byte: u8| byte.is_ascii_alphanumeric() || b"_.-".contains(&byte);
        !text.is_empty() && text.bytes().all(part)
    };
    text.len() <= 256
        && text
            .split_once('/')
            .is_some_and(|(owner, repository)| name(owner) && name(repository))
}

fn is_fairness_key(text: &str) -> bool {
    text.len() <= 128 && !has_controls(text)
}

impl FairnessKey {
    /// The default account, whose weight is always 1.
    #[must_use]
    pub fn default_account() -> Self {
        Self(Arc::from(""))
    }

    /// True of the default account.
    #[must_use]
    pub fn is_default_account(&self) -> bool {
        self.0.is_empty()
    }
}

/// A whole number from `MIN` to `MAX`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Bounded<const MIN: u64, const MAX: u64>(u64);

impl<const MIN: u64, const MAX: u64> Bounded<MIN, MAX> {
    /// The number, if it is within the bounds.
    #[must_use]
    pub const fn new(number: u64) -> Option<Self> {
        if number < MIN || number > MAX {
            return None;
        }
        Some(Self(number))
    }

    /// The number.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }
}

impl<const MIN: u64, const MAX: u64> fmt::Display for Bounded<MIN, MAX> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl<const MIN: u64, const MAX: u64> Wire for Bounded<MIN, MAX> {
    fn read(value: &Value<'_>, code: Code) -> Result<Self, WireError> {
        let number = value
            .as_integer()
            .and_then(|number| u64::try_from(number.get()).ok());
        let number = number.and_then(Self::new);
        number.ok_or_else(|| {
            WireError::expected(code, format!("an integer from {MIN} to {MAX}"), value)
        })
    }

    fn write(&self) -> Value<'_> {
        number(self.0)
    }
}

/// A number of the wire. All of its bounds are far below 2⁵³.
pub(crate) fn number(number: u64) -> Value<'static> {
    Value::Integer(Integer::try_from(number).unwrap_or(Integer::MAX))
}

/// A share: 1 to 1000.
pub type Weight = Bounded<1, 1000>;
/// How many Claims one Dispatch may have: 1 to 16.
pub type ClaimBound = Bounded<1, 16>;
/// A count: 1 to 4096.
pub type Count = Bounded<1, 4096>;
/// The first attempt of a run; there is never another (section 12.1).
pub type FirstAttempt = Bounded<1, 1>;

/// How urgent a Work is: 1 to 5, and 1 is the most urgent.
pub type Priority = Bounded<1, 5>;

/// A point in time: milliseconds since the epoch of Unix, at most 2⁵³−1.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(u64);

impl Timestamp {
    /// The last one: 2⁵³−1.
    pub const MAX: Self = Self((1 << 53) - 1);

    /// The time of this many milliseconds.
    #[must_use]
    pub const fn new(milliseconds: u64) -> Option<Self> {
        if milliseconds > Self::MAX.0 {
            return None;
        }
        Some(Self(milliseconds))
    }

    /// Milliseconds since the epoch of Unix.
    #[must_use]
    pub const fn get(self) -> u64 {
        self.0
    }

    /// This many milliseconds later, or the last time there is.
    #[must_use]
    pub fn after(self, milliseconds: u64) -> Self {
        Self(self.0.saturating_add(milliseconds)).min(Self::MAX)
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.0, f)
    }
}

impl Wire for Timestamp {
    fn read(value: &Value<'_>, _: Code) -> Result<Self, WireError> {
        let time = value
            .as_integer()
            .and_then(|number| u64::try_from(number.get()).ok());
        let expected = "milliseconds from 0 to 2^53-1";
        let time = time.and_then(Self::new);
        time.ok_or_else(|| WireError::expected(Code::TimestampInvalid, expected, value))
    }

    fn write(&self) -> Value<'_> {
        number(self.0)
    }
}

/// The name of a Claim inside its Dispatch, and nowhere else: `h1` to `h16`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClaimHandle(u8);

impl ClaimHandle {
    /// The handle of the Claim at this position, counted from 1; there are 16.
    #[must_use]
    pub fn new(position: usize) -> Option<Self> {
        let position = u8::try_from(position).ok()?;
        (1..=16).contains(&position).then_some(Self(position))
    }

    /// The position, counted from 1.
    #[must_use]
    pub fn position(self) -> usize {
        self.0.into()
    }
}

impl fmt::Display for ClaimHandle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "h{}", self.0)
    }
}

impl Wire for ClaimHandle {
    fn read(value: &Value<'_>, code: Code) -> Result<Self, WireError> {
        let handle = value.as_str().and_then(|text| {
            let digits = text.strip_prefix('h')?;
            let plain = is_decimal(digits);
            Self::new(digits.parse().ok().filter(|_| plain)?)
        });
        handle.ok_or_else(|| WireError::expected(code, "a claim handle, h1 to h16", value))
    }

    fn write(&self) -> Value<'_> {
        Value::from(self.to_string())
    }
}

/// An object that the protocol carries without looking into it; shared, not copied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Json {
    object: Arc<Object<'static>>,
    bytes: usize,
}

impl Json {
    /// This object.
    #[must_use]
    pub fn new(object: Object<'static>) -> Self {
        Self {
            bytes: object.canonical_len(),
            object: Arc::new(object),
        }
    }

    /// The object.
    #[must_use]
    pub fn object(&self) -> &Object<'static> {
        &self.object
    }

    /// The length of its canonical text in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

impl Wire for Json {
    fn read(value: &Value<'_>, code: Code) -> Result<Self, WireError> {
        Ok(Self::new(object(value, code)?.clone().into_owned()))
    }

    fn write(&self) -> Value<'_> {
        Value::Object(Object::clone(&self.object))
    }
}
