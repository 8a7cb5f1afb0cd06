//! The Informal Trace Format of Apalache and Quint.
//!
//! | TLA+ | written | read, too |
//! |---|---|---|
//! | integer | `{"#bigint": "7"}` | `7` |
//! | string | `"a"` | |
//! | model value | `"a"`: the format has no model values | |
//! | truth value | `true` | |
//! | set | `{"#set": […]}`, in the order of [`Value`](plumb_tla::Value)s | in any order |
//! | tuple or sequence | `[…]` if its elements are of one kind, else `{"#tup": […]}` | |
//! | record | `{"name": …}`, or `{"#map": […]}` where a name begins with `#` | |
//! | other function | `{"#map": [[argument, result], …]}` | |
//! | variant | | `{"tag": "T", "value": …}`, the record that it is |
//!
//! Because strings stand for model values, too, what is read has
//! [`Fidelity::NamesAsStrings`](super::Fidelity::NamesAsStrings). `{"#unserializable": …}` is
//! refused. States are counted from 1, as everywhere in Plumb, and from 0 in the file.
//!
//! A `loop` back to the last state means that the behaviour stays there, which is
//! [`Ending::Stuttering`](super::Ending::Stuttering).
//!
//! The name of the action is read from Quint's `mbt::actionTaken`, and written to and read from the
//! state's `#meta`, as `action` and, in TLA+ notation, `parameters`; further facts about the trace
//! are in the `#meta` of the whole under names that begin with `plumb-`. Quint's
//! `mbt::nondetPicks` are skipped: they are no arguments of the action. What was violated Quint does
//! not name.

mod read;
mod write;

pub(super) use read::Source;
pub use write::write_itf;

/// The members of the `#meta` of a trace that tell a header, in this order: model, configuration,
/// module, digests of module and cfg, tool, seed, kind and name of what was violated.
const META: [&str; 9] = [
    "plumb-model",
    "plumb-configuration",
    "plumb-module",
    "plumb-module-sha256",
    "plumb-cfg-sha256",
    "plumb-tool",
    "plumb-seed",
    "plumb-violation-kind",
    "plumb-violation-property",
];
