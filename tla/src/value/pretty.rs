//! A value over several lines, when it is too long for one.

use std::fmt::{self, Display, Formatter, Write};

use super::Value;
use super::print::{is_identifier, write_line, write_string};

/// The width that suits a terminal.
pub const DEFAULT_WIDTH: usize = 100;

const STEP: usize = 2;

impl Value {
    /// The value in TLA+ notation, wrapped so that lines stay within `width` characters where the
    /// value allows it. What is printed is read back as the same value.
    ///
    /// ```
    /// let value: plumb_tla::Value = r#"[kind |-> "Work", targets |-> {1, 2, 3}]"#.parse()?;
    /// assert_eq!(value.pretty(24).to_string(), r#"[
    ///   kind |-> "Work",
    ///   targets |-> {1, 2, 3}
    /// ]"#);
    /// # Ok::<(), plumb_tla::ParseError>(())
    /// ```
    #[must_use]
    pub fn pretty(&self, width: usize) -> PrettyValue<'_> {
        PrettyValue { value: self, width }
    }
}

/// Prints a value over several lines; made by [`Value::pretty`].
#[derive(Clone, Copy, Debug)]
pub struct PrettyValue<'a> {
    value: &'a Value,
    width: usize,
}

impl Display for PrettyValue<'_> {
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        write_value(
            out,
            self.value,
            Place {
                indent: 0,
                column: 0,
                width: self.width,
            },
        )
    }
}

/// Where a value begins: the indentation of the line it stands on and the column reached.
#[derive(Clone, Copy)]
pub(crate) struct Place {
    pub(crate) indent: usize,
    pub(crate) column: usize,
    pub(crate) width: usize,
}

/// Writes `value` from `place` on, breaking it at its brackets only if it does not fit.
pub(crate) fn write_value(out: &mut impl Write, value: &Value, place: Place) -> fmt::Result {
    // One column is left for the comma that may follow.
    let room = place.width.saturating_sub(place.column + 1);
    if fits(value, room) {
        return write_line(out, value);
    }
    match value {
        Value::Set(items) if !items.is_empty() => block(out, place, ["{", ",", "}"], items, item),
        Value::Tuple(items) if !items.is_empty() => {
            block(out, place, ["<<", ",", ">>"], items, item)
        }
        Value::Record(fields) if fields.keys().all(|name| is_identifier(name)) => block(
            out,
            place,
            ["[", ",", "]"],
            fields,
            |out, (name, value), place| {
                write!(out, "{name} |-> ")?;
                let column = place.column + name.chars().count() + 5;
                write_value(out, value, Place { column, ..place })
            },
        ),
        Value::Record(fields) => block(
            out,
            place,
            ["(", " @@", ")"],
            fields,
            |out, (name, value), place| {
                let mut key = String::new();
                write_string(&mut key, name)?;
                write!(out, "{key} :> ")?;
                let column = place.column + key.chars().count() + 4;
                write_value(out, value, Place { column, ..place })
            },
        ),
        Value::Function(pairs) if !pairs.is_empty() => block(
            out,
            place,
            ["(", " @@", ")"],
            pairs,
            |out, (key, value), place| {
                let key = key.to_string();
                write!(out, "{key} :> ")?;
                let column = place.column + key.chars().count() + 4;
                write_value(out, value, Place { column, ..place })
            },
        ),
        _ => write_line(out, value),
    }
}

fn item<W: Write>(out: &mut W, value: &Value, place: Place) -> fmt::Result {
    write_value(out, value, place)
}

/// Writes the items of a compound value, each on a line of its own, one step further in.
fn block<W: Write, T>(
    out: &mut W,
    place: Place,
    [open, separator, close]: [&str; 3],
    items: impl IntoIterator<Item = T>,
    mut write: impl FnMut(&mut W, T, Place) -> fmt::Result,
) -> fmt::Result {
    let indent = place.indent + STEP;
    out.write_str(open)?;
    for (position, item) in items.into_iter().enumerate() {
        if position > 0 {
            out.write_str(separator)?;
        }
        write!(out, "\n{:indent$}", "")?;
        write(
            out,
            item,
            Place {
                indent,
                column: indent,
                width: place.width,
            },
        )?;
    }
    write!(out, "\n{:indent$}{close}", "", indent = place.indent)
}

/// Whether `value` takes at most `room` characters on one line. Looks at no more of it than that.
fn fits(value: &Value, room: usize) -> bool {
    struct Room(usize);
    impl Write for Room {
        fn write_str(&mut self, text: &str) -> fmt::Result {
            self.0 = self.0.checked_sub(text.chars().count()).ok_or(fmt::Error)?;
            Ok(())
        }
    }
    write_line(&mut Room(room), value).is_ok()
}
