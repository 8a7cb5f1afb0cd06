//! TLC's states in the model's own encoding.

use plumb_checker::{ConfiguredModel, Encoded};
use plumb_tla::{State as TlaState, difference};

/// The encoding of one of TLC's states, or why it is none of the model's.
///
/// Only a state that the model prints just so again is taken for one of its own: a model that
/// overlooked part of the state would otherwise hide differences in it.
pub(crate) fn read_state(model: &dyn ConfiguredModel, state: &TlaState) -> Result<Encoded, String> {
    let bytes = model.parse(state).map_err(|error| error.to_string())?;
    match model.render(&bytes) {
        Some(again) if again == *state => Ok(bytes),
        Some(again) => {
            let changes: Vec<_> = difference(state, &again)
                .iter()
                .map(ToString::to_string)
                .collect();
            Err(format!(
                "the model takes it for another state: {}",
                changes.join("; ")
            ))
        }
        None => Err("the model cannot decode what it reads it as".to_owned()),
    }
}
