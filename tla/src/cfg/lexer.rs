//! Words, numbers, strings and symbols of a configuration file.

use std::fmt::{self, Display, Formatter};

use super::CfgError;
use crate::error::{Position, describe};

/// A statement's keyword.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Keyword {
    Specification,
    Constants,
    Invariants,
    Properties,
    Constraints,
    CheckDeadlock,
    /// One that TLC knows and Plumb refuses, with the reason.
    Refused(&'static str),
}

const NO_SPECIFICATION: &str = "which says less than SPECIFICATION: no fairness";
const UNSOUND: &str = "which makes TLC take different states for one, unsound for liveness";
const OTHER_STEPS: &str = "which leaves out steps that the Rust model would take";
const PRINT_ONLY: &str = "which changes what TLC prints, so that its trace no longer shows states";
const NO_MEANING: &str = "which has no meaning in Plumb";

/// Every keyword of TLC. The first of two spellings is the one that Plumb writes.
pub(super) const KEYWORDS: [(&str, Keyword); 27] = [
    ("SPECIFICATION", Keyword::Specification),
    ("CONSTANTS", Keyword::Constants),
    ("CONSTANT", Keyword::Constants),
    ("INVARIANTS", Keyword::Invariants),
    ("INVARIANT", Keyword::Invariants),
    ("PROPERTIES", Keyword::Properties),
    ("PROPERTY", Keyword::Properties),
    ("CONSTRAINTS", Keyword::Constraints),
    ("CONSTRAINT", Keyword::Constraints),
    ("CHECK_DEADLOCK", Keyword::CheckDeadlock),
    ("INIT", Keyword::Refused(NO_SPECIFICATION)),
    ("NEXT", Keyword::Refused(NO_SPECIFICATION)),
    ("SYMMETRY", Keyword::Refused(UNSOUND)),
    ("VIEW", Keyword::Refused(UNSOUND)),
    ("ALIAS", Keyword::Refused(PRINT_ONLY)),
    ("ACTION_CONSTRAINT", Keyword::Refused(OTHER_STEPS)),
    ("ACTION_CONSTRAINTS", Keyword::Refused(OTHER_STEPS)),
    ("POSTCONDITION", Keyword::Refused(NO_MEANING)),
    ("POSTCONDITIONS", Keyword::Refused(NO_MEANING)),
    ("TYPE", Keyword::Refused(NO_MEANING)),
    ("TYPE_CONSTRAINT", Keyword::Refused(NO_MEANING)),
    ("_PERIODIC", Keyword::Refused(NO_MEANING)),
    ("_POSSIBLE", Keyword::Refused(NO_MEANING)),
    ("_POSSIBLES", Keyword::Refused(NO_MEANING)),
    ("_RL_REWARD", Keyword::Refused(NO_MEANING)),
    ("_RL_REWARDS", Keyword::Refused(NO_MEANING)),
    ("_REWARD", Keyword::Refused(NO_MEANING)),
];

/// The supported keyword that `word` is most likely a slip of, if any.
pub(super) fn nearest_keyword(word: &str) -> Option<&'static str> {
    let upper = word.to_ascii_uppercase();
    let supported = KEYWORDS
        .iter()
        .filter(|(_, kind)| !matches!(kind, Keyword::Refused(_)));
    let nearest = supported
        .map(|(text, _)| (distance(&upper, text), *text))
        .min()?;
    // Names are rarely within two slips of a keyword, and short ones not at all.
    (nearest.0 <= 2).then_some(nearest.1)
}

/// How many letters to insert, remove or replace to turn one word into the other.
fn distance(a: &str, b: &str) -> usize {
    const FAR: usize = 3;
    if a.len().abs_diff(b.len()) >= FAR {
        return FAR;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, left) in a.bytes().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, right) in b.bytes().enumerate() {
            let replaced = diagonal + usize::from(left != right);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

/// One piece of a configuration file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Token {
    Keyword(&'static str, Keyword),
    Name(String),
    Integer(i64),
    Str(String),
    Symbol(&'static str),
    End,
}

impl Display for Token {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Token::Keyword(text, _) => write!(out, "the keyword {text}"),
            Token::Name(name) => write!(out, "`{name}`"),
            Token::Integer(number) => write!(out, "`{number}`"),
            Token::Str(_) => out.write_str("a string"),
            Token::Symbol(text) => write!(out, "`{text}`"),
            Token::End => out.write_str("the end of the file"),
        }
    }
}

/// All that may stand between names; longer ones first where one begins with the other.
const SYMBOLS: [&str; 16] = [
    "<-", "<<", ">>", "|->", ":>", "@@", "..", "=", "{", "}", ",", "[", "]", "(", ")", "-",
];

/// Cuts the text into tokens, one at a time.
pub(super) struct Lexer<'a> {
    text: &'a str,
    at: usize,
    line: u32,
    line_start: usize,
    /// The place reached in the line, in bytes and characters, so that columns are counted once.
    counted: (usize, u32),
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Lexer<'a> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        Lexer {
            text,
            at: 0,
            line: 1,
            line_start: 0,
            counted: (0, 0),
        }
    }

    fn position(&mut self) -> Position {
        if self.counted.0 < self.line_start {
            self.counted = (self.line_start, 0);
        }
        let between = self.text.get(self.counted.0..self.at).unwrap_or_default();
        let characters = u32::try_from(between.chars().count()).unwrap_or(u32::MAX);
        self.counted = (self.at, self.counted.1.saturating_add(characters));
        Position {
            line: self.line,
            column: self.counted.1.saturating_add(1),
        }
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// Moves on by one byte that is no part of a longer character, or within one.
    fn skip(&mut self, byte: u8) {
        self.at += 1;
        if byte == b'\n' {
            self.line = self.line.saturating_add(1);
            self.line_start = self.at;
        }
    }

    fn skip_space_and_comments(&mut self) -> Result<(), CfgError> {
        loop {
            let rest = self.rest();
            match rest.as_bytes() {
                [byte @ (b' ' | b'\t' | b'\r' | b'\n' | 0x0c), ..] => self.skip(*byte),
                [b'\\', b'*', ..] => self.at += rest.find('\n').unwrap_or(rest.len()),
                [b'(', b'*', ..] => self.skip_comment()?,
                _ => return Ok(()),
            }
        }
    }

    fn skip_comment(&mut self) -> Result<(), CfgError> {
        let position = self.position();
        let mut depth = 0u32;
        let bytes = self.text.as_bytes();
        loop {
            match bytes.get(self.at..).unwrap_or_default() {
                [b'(', b'*', ..] => {
                    depth += 1;
                    self.at += 2;
                }
                [b'*', b')', ..] => {
                    depth -= 1;
                    self.at += 2;
                    if depth == 0 {
                        return Ok(());
                    }
                }
                [byte, ..] => self.skip(*byte),
                [] => {
                    let found = "a comment that is still open at the end of the file";
                    return Err(CfgError::Unterminated {
                        position,
                        closing: "`*)`",
                        found,
                    });
                }
            }
        }
    }

    /// The next token and where it begins.
    pub(super) fn next(&mut self) -> Result<(Token, Position), CfgError> {
        self.skip_space_and_comments()?;
        let position = self.position();
        let rest = self.rest();
        let Some(first) = rest.bytes().next() else {
            return Ok((Token::End, position));
        };
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        let token = if is_word(&first) {
            let length = rest.bytes().take_while(is_word).count();
            self.at += length;
            self.word(&rest[..length], position)?
        } else if first == b'-' && rest.as_bytes().get(1).is_some_and(u8::is_ascii_digit) {
            let length = 1 + rest.bytes().skip(1).take_while(u8::is_ascii_digit).count();
            self.at += length;
            integer(&rest[..length], position)?
        } else if first == b'"' {
            self.string(position)?
        } else if let Some(symbol) = SYMBOLS.iter().find(|symbol| rest.starts_with(**symbol)) {
            self.at += symbol.len();
            Token::Symbol(symbol)
        } else {
            let found = describe(self.text, self.at);
            return Err(CfgError::StrayCharacter { position, found });
        };
        Ok((token, position))
    }

    fn word(&self, word: &str, position: Position) -> Result<Token, CfgError> {
        if word.bytes().all(|byte| byte.is_ascii_digit()) {
            return integer(word, position);
        }
        let keyword = KEYWORDS.iter().find(|(text, _)| *text == word);
        Ok(keyword.map_or_else(
            || Token::Name(word.to_owned()),
            |(text, keyword)| Token::Keyword(text, *keyword),
        ))
    }

    fn string(&mut self, position: Position) -> Result<Token, CfgError> {
        let bytes = self.text.as_bytes();
        let mut end = self.at + 1;
        loop {
            match bytes.get(end) {
                Some(b'"') => break,
                Some(b'\\') if bytes.get(end + 1).is_some_and(|byte| *byte != b'\n') => end += 2,
                Some(b'\n') | None => {
                    let found = "a string that is not closed on its line";
                    return Err(CfgError::Unterminated {
                        position,
                        closing: "a closing `\"`",
                        found,
                    });
                }
                Some(_) => end += 1,
            }
        }
        let literal = self.text.get(self.at..=end).unwrap_or_default();
        match literal.parse() {
            Ok(crate::Value::Str(text)) => {
                self.at = end + 1;
                Ok(Token::Str(text))
            }
            Ok(_) => Err(CfgError::StrayCharacter {
                position,
                found: describe(literal, 0),
            }),
            Err(error) => Err(CfgError::Unexpected {
                position: Position {
                    column: position.column + error.column - 1,
                    ..position
                },
                expected: error.expected,
                found: error.found,
            }),
        }
    }
}

fn integer(digits: &str, position: Position) -> Result<Token, CfgError> {
    digits
        .parse()
        .map(Token::Integer)
        .map_err(|_| CfgError::Unexpected {
            position,
            expected: "an integer of at most 64 bits".to_owned(),
            found: "a larger one".to_owned(),
        })
}
