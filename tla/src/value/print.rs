//! A value on one line, in TLC's notation.

use std::fmt::{self, Display, Formatter, Write};

use super::Value;

impl Display for Value {
    /// TLA+ notation on one line, sets in the order of [`Value`]; a record with a field that is no
    /// identifier is printed as the function that it is.
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        write_line(out, self)
    }
}

/// Whether `text` can stand as a name: letters, digits and underscores, not digits alone.
pub(crate) fn is_identifier(text: &str) -> bool {
    text.bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        && text.bytes().any(|byte| !byte.is_ascii_digit())
}

/// Writes a string literal with its quotes and escapes.
pub(super) fn write_string(out: &mut impl Write, text: &str) -> fmt::Result {
    out.write_char('"')?;
    let mut plain = 0;
    for (at, byte) in text.bytes().enumerate() {
        let escape = match byte {
            b'"' => "\\\"",
            b'\\' => "\\\\",
            b'\n' => "\\n",
            b'\t' => "\\t",
            b'\r' => "\\r",
            0x0c => "\\f",
            _ => continue,
        };
        out.write_str(&text[plain..at])?;
        out.write_str(escape)?;
        plain = at + 1;
    }
    out.write_str(&text[plain..])?;
    out.write_char('"')
}

/// Writes `value` on one line. Stops with the first error of `out`, which is how [`pretty`]
/// (super::pretty) measures whether a value still fits.
pub(super) fn write_line(out: &mut impl Write, value: &Value) -> fmt::Result {
    match value {
        Value::Bool(true) => out.write_str("TRUE"),
        Value::Bool(false) => out.write_str("FALSE"),
        Value::Int(number) => write!(out, "{number}"),
        Value::Str(text) => write_string(out, text),
        Value::Model(name) => out.write_str(name),
        Value::Set(items) => {
            out.write_char('{')?;
            write_all(out, items, ", ", write_line)?;
            out.write_char('}')
        }
        Value::Tuple(items) => {
            out.write_str("<<")?;
            write_all(out, items, ", ", write_line)?;
            out.write_str(">>")
        }
        Value::Record(fields) if fields.keys().all(|name| is_identifier(name)) => {
            out.write_char('[')?;
            write_all(out, fields, ", ", |out, (name, value)| {
                write!(out, "{name} |-> ")?;
                write_line(out, value)
            })?;
            out.write_char(']')
        }
        Value::Record(fields) => {
            out.write_char('(')?;
            write_all(out, fields, " @@ ", |out, (name, value)| {
                write_string(out, name)?;
                out.write_str(" :> ")?;
                write_line(out, value)
            })?;
            out.write_char(')')
        }
        Value::Function(pairs) if pairs.is_empty() => out.write_str("<<>>"),
        Value::Function(pairs) => {
            out.write_char('(')?;
            write_all(out, pairs, " @@ ", |out, (key, value)| {
                write_line(out, key)?;
                out.write_str(" :> ")?;
                write_line(out, value)
            })?;
            out.write_char(')')
        }
    }
}

fn write_all<W: Write, T>(
    out: &mut W,
    items: impl IntoIterator<Item = T>,
    separator: &str,
    mut write: impl FnMut(&mut W, T) -> fmt::Result,
) -> fmt::Result {
    for (position, item) in items.into_iter().enumerate() {
        if position > 0 {
            out.write_str(separator)?;
        }
        write(out, item)?;
    }
    Ok(())
}
