//! What was wrong with a text, and where.

use std::fmt::{self, Display, Formatter};

/// A place in a text, both counted from 1; the column counts characters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Position {
    /// The line.
    pub line: u32,
    /// The character within the line.
    pub column: u32,
}

impl Position {
    /// The place of the byte `at` of `text` (its end if there is no such byte).
    pub(crate) fn locate(text: &str, at: usize) -> Position {
        let before = &text.as_bytes()[..at.min(text.len())];
        let line_start = before
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |found| found + 1);
        let lines = before[..line_start]
            .iter()
            .filter(|byte| **byte == b'\n')
            .count();
        // Every character has exactly one byte that does not continue another.
        let characters = before[line_start..]
            .iter()
            .filter(|byte| (**byte & 0xc0) != 0x80)
            .count();
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX - 1) + 1;
        Position {
            line: count(lines),
            column: count(characters),
        }
    }
}

impl Display for Position {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        write!(out, "line {}, column {}", self.line, self.column)
    }
}

/// A text that is no TLA+ value or state.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}, column {column}: expected {expected}, found {found}")]
pub struct ParseError {
    /// The line, counted from 1.
    pub line: u32,
    /// The character within the line, counted from 1.
    pub column: u32,
    /// What could have stood there.
    pub expected: String,
    /// What stands there.
    pub found: String,
}

impl ParseError {
    /// The place of the error.
    #[must_use]
    pub fn position(&self) -> Position {
        Position {
            line: self.line,
            column: self.column,
        }
    }
}

/// Names what stands at the byte `at` of `text`, for an error message.
pub(crate) fn describe(text: &str, at: usize) -> String {
    const LONGEST: usize = 40;
    let Some(rest) = text.get(at..) else {
        return "a broken character".to_owned();
    };
    let Some(first) = rest.chars().next() else {
        return "the end of the text".to_owned();
    };
    if first == '\n' || first == '\r' {
        return "the end of the line".to_owned();
    }
    if first.is_control() {
        return format!("the control character U+{:04X}", u32::from(first));
    }
    if is_invisible(first) {
        return format!("the invisible character U+{:04X}", u32::from(first));
    }
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    if is_word(first) {
        let word: String = rest
            .chars()
            .take_while(|c| is_word(*c))
            .take(LONGEST + 1)
            .collect();
        return match word.char_indices().nth(LONGEST) {
            Some((end, _)) => format!("`{}…`", &word[..end]),
            None => format!("`{word}`"),
        };
    }
    for symbol in [
        "(*", "*)", "\\*", "<<", ">>", "|->", "->", "<-", ":>", "@@", "..", "/\\", "\\/", "==",
    ] {
        if rest.starts_with(symbol) {
            return format!("`{symbol}`");
        }
    }
    format!("`{first}`")
}

/// Whether printing the character would show nothing, or turn the text around.
fn is_invisible(character: char) -> bool {
    matches!(character, '\u{a0}' | '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202f}')
        || matches!(character, '\u{2060}'..='\u{206f}' | '\u{feff}')
}
