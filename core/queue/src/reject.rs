//! Rejections: the protocol's code, and a sentence with the values that clashed.

use std::borrow::Cow;

use crate::code::Code;
use crate::wire::WireError;

/// Why a commit, a log or a request is refused.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{code}: {message}")]
pub struct Rejection {
    /// The protocol's code.
    pub code: Code,
    /// A sentence for people.
    pub message: Cow<'static, str>,
}

impl Rejection {
    pub(crate) fn new(code: Code, message: impl Into<Cow<'static, str>>) -> Self {
        Self {
            code,
            message: message.into(),
        }
    }

    /// The same rejection, said of something.
    pub(crate) fn of(self, subject: impl std::fmt::Display) -> Self {
        Self {
            code: self.code,
            message: format!("{subject}: {}", self.message).into(),
        }
    }
}

impl From<WireError> for Rejection {
    fn from(error: WireError) -> Self {
        Self::new(error.code, error.to_string())
    }
}

/// Refuses unless the condition holds; the rest is a code and a message as for `format!`.
macro_rules! ensure {
    ($condition:expr, $code:ident, $($message:tt)+) => {
        // Written so that a negated comparison is no lint.
        match $condition {
            true => {}
            false => return Err($crate::reject::Rejection::new(
                $crate::code::Code::$code,
                format!($($message)+),
            )),
        }
    };
}

/// Refuses; takes a code and a message as for `format!`.
macro_rules! refuse {
    ($code:ident, $($message:tt)+) => {
        return Err($crate::reject::Rejection::new(
            $crate::code::Code::$code,
            format!($($message)+),
        ))
    };
}

pub(crate) use {ensure, refuse};

/// A text from the log that is fit to be shown in a sentence: short, and without control characters.
pub(crate) fn shown(text: &str) -> String {
    const LONGEST: usize = 80;
    let clean = |character: char| {
        if character.is_control() {
            '\u{fffd}'
        } else {
            character
        }
    };
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => text[..end].chars().map(clean).chain(['…']).collect(),
        None => text.chars().map(clean).collect(),
    }
}
