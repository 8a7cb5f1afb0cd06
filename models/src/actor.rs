//! Names of those who act, as pictures of a behaviour show them.

use plumb_tla::Value;

/// `worker 1`: what the thing is, and which one, as the first parameter of an action says.
pub(crate) fn numbered(kind: &str, parameters: &[Value]) -> Option<String> {
    let which = parameters.first()?;
    Some(match which.as_str() {
        Some(name) => format!("{kind} {name}"),
        None => format!("{kind} {which}"),
    })
}
