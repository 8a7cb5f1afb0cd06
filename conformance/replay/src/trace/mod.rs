//! Recorded behaviours, whoever wrote them down.
//!
//! Checkers print behaviours in many forms; all readers here turn them into the same stream of
//! [`TraceItem`]s: a [`Header`] that says what the file says of itself, then a [`RecordedStep`] for
//! each state, then how the behaviour [goes on](Ending). Streams are read item by item, so that a
//! trace of gigabytes needs no more memory than one of its states.
//!
//! [`open`] finds out the [`Format`] by looking; [`PlumbWriter`], [`write_itf`] and
//! [`write_tlc_text`] write. What each format can tell, Plumb's own format, the limits and the speed
//! are described in `conformance/replay/TRACES.md`.
//!
//! # Where things are
//!
//! * `format`: which format a file has; `reader`: what holds of all of them; `error`: what was wrong;
//! * `tlc`, `tlc_json`, [`itf`], `plumb`: the formats; `tlc_text`: behaviours as TLC prints them;
//! * `json`, `document`: JSON, read piece by piece.

mod document;
mod error;
mod format;
pub mod itf;
mod json;
mod plumb;
mod reader;
mod tlc;
mod tlc_json;
mod tlc_text;

use plumb_checker::PropertyKind;
use plumb_tla::{State, Value};

pub use error::TraceError;
pub use format::{Format, Looked, recognise, recognise_file};
pub use itf::write_itf;
pub use plumb::PlumbWriter;
pub use reader::{TraceReader, open, read};
pub(crate) use tlc::recorded;
pub use tlc_text::write_tlc_text;

/// What a trace consists of, in this order: one header, steps, one ending. A file that holds several
/// behaviours has a header for each.
#[derive(Clone, Debug, PartialEq)]
pub enum TraceItem {
    /// A behaviour begins.
    Header(Header),
    /// Its next state.
    Step(RecordedStep),
    /// It ends.
    End(Ending),
}

/// What a file says of the behaviour in it. Nothing of this is believed before it is checked.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// The model, as its folder below `specs/` is named.
    pub model: Option<String>,
    /// The registered configuration.
    pub configuration: Option<String>,
    /// The TLA+ module.
    pub module: Option<String>,
    /// SHA-256 of the module's text when the behaviour was recorded, in lower-case hexadecimal.
    pub module_digest: Option<String>,
    /// The same of the cfg.
    pub cfg_digest: Option<String>,
    /// Who recorded it: `plumb 0.1.0`, `TLC2 Version 2.15 …`.
    pub tool: Option<String>,
    /// The seed of a random walk.
    pub seed: Option<u64>,
    /// What it was recorded for, if it is a counterexample.
    pub violation: Option<RecordedViolation>,
    /// How exactly the file tells values.
    pub fidelity: Fidelity,
}

/// The violation that a counterexample was recorded for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RecordedViolation {
    /// How the property is checked.
    pub kind: PropertyKind,
    /// Its name, if the tool says it: TLC 2.15 does not name temporal properties.
    pub property: Option<String>,
}

/// How exactly a format tells values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Fidelity {
    /// Values are told as they are.
    #[default]
    Exact,
    /// Values are told as they are, but a string may also stand for the model value of that name:
    /// ITF.
    NamesAsStrings,
    /// Sets arrive as sequences, functions as records, model values as strings: TLC's JSON dump.
    /// Such a value stands for all those that would be told the same.
    Projected,
}

/// One state of a recorded behaviour.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordedStep {
    /// The state's number as the file gives it, or else its position, counted from 1.
    pub number: u64,
    /// The line on which it begins, counted from 1; 0 where the format has none to speak of.
    pub line: u64,
    /// How the state was reached.
    pub label: RecordedLabel,
    /// The values of the variables that were recorded; others may be missing.
    pub state: State,
}

/// How a recorded state was reached, as the file says.
#[derive(Clone, Debug, PartialEq)]
pub enum RecordedLabel {
    /// It is the first one.
    Initial,
    /// By what the file calls so. It need not be an action of the model: TLC prints the name of
    /// whatever definition it reaches from the next-state relation.
    Action {
        /// The name.
        name: String,
        /// The arguments, if the file has them.
        parameters: Option<Vec<Value>>,
    },
    /// The file does not say.
    Unlabelled,
}

/// How a recorded behaviour goes on after its last state.
#[derive(Clone, Debug, PartialEq)]
pub enum Ending {
    /// Nothing is said.
    Open,
    /// It stays in the last state for ever.
    Stuttering,
    /// It goes back to the state of this number, again and again, by what the label says.
    BackTo(u64, RecordedLabel),
}

/// The error about an item that cannot come next; `steps` counts those of the behaviour that has
/// begun.
fn out_of_order(steps: Option<u64>, item: &TraceItem) -> TraceError {
    let expected = match steps {
        None => "a header".to_owned(),
        Some(0) => "state 1".to_owned(),
        Some(steps) => format!("state {} or the end", steps + 1),
    };
    let found = match item {
        TraceItem::Header(_) => "a header".to_owned(),
        TraceItem::Step(step) => format!("state {}", step.number),
        TraceItem::End(_) => "the end".to_owned(),
    };
    TraceError::Unwritable { expected, found }
}
