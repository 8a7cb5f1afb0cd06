//! What can be wrong with a text.

use std::fmt;

use crate::read::{MAX_DEPTH, MAX_ELEMENTS};

/// The protocol's code of a fault (sections 3 and 13).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FaultCode {
    /// `invalid_utf8`: the text is not UTF-8.
    InvalidUtf8,
    /// `duplicate_key`: an object has a key twice.
    DuplicateKey,
    /// `noncanonical_number`: a number that is no plain integer within ±(2⁵³−1).
    NoncanonicalNumber,
    /// `invalid_unicode`: an escaped surrogate that is not one of a pair.
    InvalidUnicode,
    /// `resource_limit`: too deep, too long or too large.
    ResourceLimit,
    /// `invalid_json`: not JSON.
    InvalidJson,
}

impl FaultCode {
    /// Every code.
    pub const ALL: [Self; 6] = [
        Self::InvalidUtf8,
        Self::DuplicateKey,
        Self::NoncanonicalNumber,
        Self::InvalidUnicode,
        Self::ResourceLimit,
        Self::InvalidJson,
    ];

    /// The code as the protocol spells it.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::InvalidUtf8 => "invalid_utf8",
            Self::DuplicateKey => "duplicate_key",
            Self::NoncanonicalNumber => "noncanonical_number",
            Self::InvalidUnicode => "invalid_unicode",
            Self::ResourceLimit => "resource_limit",
            Self::InvalidJson => "invalid_json",
        }
    }
}

impl fmt::Display for FaultCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// What is wrong, in words with the values at hand. What is quoted from the text is cut short.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FaultKind {
    /// A byte that does not belong in UTF-8.
    #[error("expected UTF-8 text, found the byte 0x{byte:02x}")]
    Utf8 {
        /// The byte.
        byte: u8,
    },
    /// A second member of the same name.
    #[error("the key \"{key}\" occurs a second time in this object")]
    DuplicateKey {
        /// The key, after decoding.
        key: String,
    },
    /// A number that the protocol does not accept.
    #[error(
        "expected an integer from -(2^53-1) to 2^53-1 without fraction, exponent, leading zero, plus sign or minus zero, found {text}"
    )]
    Number {
        /// The number as it is written.
        text: String,
    },
    /// Half of a surrogate pair.
    #[error("the escape \\u{unit:04x} is half of a surrogate pair and its other half is missing")]
    Surrogate {
        /// The UTF-16 code unit.
        unit: u16,
    },
    /// A value inside too many others.
    #[error("a value is nested deeper than {MAX_DEPTH} levels")]
    Depth,
    /// An array with too many elements.
    #[error("an array has more than {MAX_ELEMENTS} elements")]
    Elements,
    /// A text that is too large.
    #[error("a text of {bytes} bytes is larger than the {limit} that are allowed here")]
    Bytes {
        /// The size of the text.
        bytes: usize,
        /// The largest that its reader allows.
        limit: usize,
    },
    /// Something else stands where the grammar of JSON demands this.
    #[error("expected {expected}, found {found}")]
    Syntax {
        /// What would have been right.
        expected: &'static str,
        /// The character that stands there, or that the text ends.
        found: String,
    },
}

impl FaultKind {
    /// The protocol's code.
    #[must_use]
    pub fn code(&self) -> FaultCode {
        match self {
            Self::Utf8 { .. } => FaultCode::InvalidUtf8,
            Self::DuplicateKey { .. } => FaultCode::DuplicateKey,
            Self::Number { .. } => FaultCode::NoncanonicalNumber,
            Self::Surrogate { .. } => FaultCode::InvalidUnicode,
            Self::Depth | Self::Elements | Self::Bytes { .. } => FaultCode::ResourceLimit,
            Self::Syntax { .. } => FaultCode::InvalidJson,
        }
    }
}

/// What is wrong with a text, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {kind}")]
pub struct Fault {
    kind: FaultKind,
    offset: usize,
    line: usize,
    column: usize,
}

impl Fault {
    /// A fault at a byte offset of a text, which may stop being UTF-8 there.
    pub(crate) fn new(kind: FaultKind, text: &[u8], offset: usize) -> Self {
        let before = &text[..offset.min(text.len())];
        let start = before.iter().rposition(|byte| *byte == b'\n');
        let start = start.map_or(0, |newline| newline + 1);
        // A character has one byte that does not continue another.
        let starts_character = |byte: &&u8| **byte & 0xC0 != 0x80;
        Self {
            kind,
            offset,
            line: before.iter().filter(|byte| **byte == b'\n').count() + 1,
            column: before[start..].iter().filter(starts_character).count() + 1,
        }
    }

    /// What is wrong.
    #[must_use]
    pub fn kind(&self) -> &FaultKind {
        &self.kind
    }

    /// The protocol's code.
    #[must_use]
    pub fn code(&self) -> FaultCode {
        self.kind.code()
    }

    /// Where, in bytes from the start of the text.
    #[must_use]
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// Where: the line, the first being 1.
    #[must_use]
    pub fn line(&self) -> usize {
        self.line
    }

    /// Where: the column in characters, the first being 1.
    #[must_use]
    pub fn column(&self) -> usize {
        self.column
    }
}
