//! What changed between two states, as small as it can be said.

use std::collections::BTreeSet;
use std::fmt::{self, Display, Formatter};

use super::State;
use crate::value::{Value, is_identifier};

/// One part of a state that differs between two states.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Difference {
    /// Where: a variable, and from there on fields, indices and arguments, such as
    /// `pending[1].phase`.
    pub path: String,
    /// What was there, if anything.
    pub before: Option<Value>,
    /// What is there, if anything.
    pub after: Option<Value>,
    /// Whether `before` or `after` is an element of the set at `path`, not the value at `path`.
    pub element: bool,
}

impl Display for Difference {
    /// One line: `path: old → new`, or `path: added new`, or `path: removed old`.
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        let Difference {
            path,
            before,
            after,
            element,
        } = self;
        let of_set = if *element { "element " } else { "" };
        match (before, after) {
            (Some(before), Some(after)) => write!(out, "{path}: {before} → {after}"),
            (None, Some(after)) => write!(out, "{path}: added {of_set}{after}"),
            (Some(before), None) => write!(out, "{path}: removed {of_set}{before}"),
            (None, None) => write!(out, "{path}: unchanged"),
        }
    }
}

/// The smallest parts in which two states differ, in the order of the variables of `before`, then
/// of the values' own order. Equal states give none.
///
/// Records and functions are compared by field and argument, sets by element. Sequences are
/// compared by index after what they have in common at both ends, so that taking the first
/// element off a queue is one removal.
///
/// ```
/// use plumb_tla::{difference, parse_state};
///
/// let before = parse_state(r#"/\ queue = <<"a", "b">> /\ job = [phase |-> "new", n |-> 1]"#)?;
/// let after = parse_state(r#"/\ queue = <<"b">> /\ job = [phase |-> "done", n |-> 1]"#)?;
/// let lines: Vec<String> = difference(&before, &after).iter().map(ToString::to_string).collect();
/// assert_eq!(lines, [r#"queue[1]: removed "a""#, r#"job.phase: "new" → "done""#]);
/// # Ok::<(), plumb_tla::ParseError>(())
/// ```
#[must_use]
pub fn difference(before: &State, after: &State) -> Vec<Difference> {
    let mut found = Vec::new();
    for (name, old) in before.iter() {
        compare_parts(&mut found, name.to_owned(), Some(old), after.get(name));
    }
    for (name, new) in after.iter() {
        if before.get(name).is_none() {
            compare_parts(&mut found, name.to_owned(), None, Some(new));
        }
    }
    found
}

fn compare_parts(
    found: &mut Vec<Difference>,
    path: String,
    before: Option<&Value>,
    after: Option<&Value>,
) {
    match (before, after) {
        (Some(before), Some(after)) if before == after => {}
        (Some(Value::Record(before)), Some(Value::Record(after))) => {
            let names: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
            for name in names {
                compare_parts(
                    found,
                    field_path(&path, name),
                    before.get(name),
                    after.get(name),
                );
            }
        }
        (Some(Value::Function(before)), Some(Value::Function(after))) => {
            let keys: BTreeSet<&Value> = before.keys().chain(after.keys()).collect();
            for key in keys {
                compare_parts(
                    found,
                    format!("{path}[{key}]"),
                    before.get(key),
                    after.get(key),
                );
            }
        }
        (Some(Value::Tuple(before)), Some(Value::Tuple(after))) => {
            compare_tuples(found, &path, before, after);
        }
        (Some(Value::Set(before)), Some(Value::Set(after))) => {
            let element = |before, after| Difference {
                path: path.clone(),
                before,
                after,
                element: true,
            };
            found.extend(
                before
                    .difference(after)
                    .map(|gone| element(Some(gone.clone()), None)),
            );
            found.extend(
                after
                    .difference(before)
                    .map(|new| element(None, Some(new.clone()))),
            );
        }
        (None, None) => {}
        _ => found.push(Difference {
            path,
            before: before.cloned(),
            after: after.cloned(),
            element: false,
        }),
    }
}

fn field_path(path: &str, name: &str) -> String {
    if is_identifier(name) {
        format!("{path}.{name}")
    } else {
        format!("{path}[{}]", Value::str(name))
    }
}

fn compare_tuples(found: &mut Vec<Difference>, path: &str, before: &[Value], after: &[Value]) {
    let same = |pair: &(&Value, &Value)| pair.0 == pair.1;
    let start = before.iter().zip(after).take_while(same).count();
    let (before, after) = (&before[start..], &after[start..]);
    let end = if before.len() == after.len() {
        0
    } else {
        before
            .iter()
            .rev()
            .zip(after.iter().rev())
            .take_while(same)
            .count()
    };
    let (before, after) = (&before[..before.len() - end], &after[..after.len() - end]);
    for position in 0..before.len().max(after.len()) {
        let path = format!("{path}[{}]", start + position + 1);
        compare_parts(found, path, before.get(position), after.get(position));
    }
}
