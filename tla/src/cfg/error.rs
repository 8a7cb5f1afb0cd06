//! What can be wrong with a configuration file.

use super::lexer::nearest_keyword;
use crate::error::Position;

/// A `.cfg` file that says nothing, or nothing that Plumb may take for its meaning.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CfgError {
    /// A word where a statement should begin, or one that looks like a misspelt keyword.
    #[error("{position}: expected a keyword such as CONSTANTS or INVARIANT, found {found}")]
    UnknownKeyword {
        /// Where it stands.
        position: Position,
        /// What stands there.
        found: String,
    },
    /// Something that TLC understands and Plumb does not check.
    #[error("{position}: expected a statement that Plumb checks, found {found}, {reason}")]
    Refused {
        /// Where it stands.
        position: Position,
        /// The keyword, or a description of the construct.
        found: String,
        /// Why it is refused, beginning with "which".
        reason: &'static str,
    },
    /// A value that a configuration file has no notation for.
    #[error(
        "{position}: expected a number, string, truth value, model value or set of these for the \
         constant `{constant}`, found {found}"
    )]
    NoConstantValue {
        /// Where it stands.
        position: Position,
        /// The constant it was to be the value of.
        constant: String,
        /// What stands there.
        found: String,
    },
    /// A statement that may stand once stands twice.
    #[error("{position}: expected {keyword} only once, found it again (first at {first})")]
    RepeatedStatement {
        /// Where the second one stands.
        position: Position,
        /// The keyword.
        keyword: &'static str,
        /// Where the first one stands.
        first: Position,
    },
    /// A constant has two values.
    #[error(
        "{position}: expected one value for the constant `{constant}`, found a second one \
         (first at {first})"
    )]
    RepeatedConstant {
        /// Where the second one stands.
        position: Position,
        /// The constant.
        constant: String,
        /// Where the first one stands.
        first: Position,
    },
    /// A keyword is not followed by any name.
    #[error("{position}: expected at least one name after {keyword}, found {found}")]
    MissingNames {
        /// Where the name should stand.
        position: Position,
        /// The keyword.
        keyword: &'static str,
        /// What stands there.
        found: String,
    },
    /// A comment or string has no end.
    #[error("{position}: expected {closing}, found {found}")]
    Unterminated {
        /// Where it begins.
        position: Position,
        /// What would end it.
        closing: &'static str,
        /// What was found instead.
        found: &'static str,
    },
    /// A character that is no part of the language.
    #[error("{position}: expected a name, a value or a keyword, found {found}")]
    StrayCharacter {
        /// Where it stands.
        position: Position,
        /// The character.
        found: String,
    },
    /// Anything else.
    #[error("{position}: expected {expected}, found {found}")]
    Unexpected {
        /// Where it stands.
        position: Position,
        /// What could have stood there.
        expected: String,
        /// What stands there.
        found: String,
    },
}

impl CfgError {
    /// Where the error is.
    #[must_use]
    pub fn position(&self) -> Position {
        match self {
            CfgError::UnknownKeyword { position, .. }
            | CfgError::Refused { position, .. }
            | CfgError::NoConstantValue { position, .. }
            | CfgError::RepeatedStatement { position, .. }
            | CfgError::RepeatedConstant { position, .. }
            | CfgError::MissingNames { position, .. }
            | CfgError::Unterminated { position, .. }
            | CfgError::StrayCharacter { position, .. }
            | CfgError::Unexpected { position, .. } => *position,
        }
    }

    /// What to do about it, where there is something to say beyond the error itself.
    #[must_use]
    pub fn hint(&self) -> Option<String> {
        match self {
            CfgError::UnknownKeyword { found, .. } => {
                let keyword = nearest_keyword(found.trim_matches('`'))?;
                Some(format!("did you mean {keyword}?"))
            }
            CfgError::Refused { found, .. } if found == "INIT" || found == "NEXT" => {
                Some("name a formula `Init /\\ [][Next]_vars` with SPECIFICATION".to_owned())
            }
            CfgError::Refused { .. } => Some("remove the statement".to_owned()),
            CfgError::NoConstantValue { constant, .. } => Some(format!(
                "define an operator with this value in the module and write `{constant} <- Operator`"
            )),
            CfgError::RepeatedStatement { .. } | CfgError::RepeatedConstant { .. } => {
                Some("keep the one you mean".to_owned())
            }
            CfgError::MissingNames { .. } => {
                Some("name something or remove the keyword".to_owned())
            }
            CfgError::Unexpected { found, .. } if found == "`,`" => {
                Some("names and constants are separated by spaces, not commas".to_owned())
            }
            CfgError::Unexpected { found, .. } if found == "`(`" => {
                Some("a constant operator is given with `<-` and no arguments".to_owned())
            }
            CfgError::Unterminated { .. }
            | CfgError::StrayCharacter { .. }
            | CfgError::Unexpected { .. } => None,
        }
    }
}
