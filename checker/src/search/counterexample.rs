//! The least shortest behaviour that ends in a violation, rebuilt from the levels.
//!
//! Each level is scanned once, from the last to the first, for the least state that has the state
//! behind it as a successor. That costs about as much as the search did, and saves it from storing
//! a parent for every state.

use rayon::ThreadPool;
use rayon::iter::{IndexedParallelIterator, IntoParallelIterator, ParallelIterator};

use super::SMALL_LEVEL;
use super::expand::Expander;
use super::store::{Level, StateStore};
use super::violation::{Violation, What};
use crate::model::CheckedModel;
use crate::model_panic;

/// Why there is no behaviour for a violation: nothing else can be wrong with a model that encodes
/// and decodes its states.
pub(super) const OTHER_SUCCESSORS: &str =
    "the model gives a state other successors than it gave it before";

/// The encoded states of the behaviour, from an initial state to the violation.
pub(crate) fn rebuild<M: CheckedModel>(
    expander: &Expander<'_, M>,
    store: &mut StateStore,
    pool: Option<&ThreadPool>,
    violation: &Violation,
) -> Result<Vec<Vec<u8>>, String> {
    let mut behaviour = vec![violation.state.clone()];
    if let What::Step { .. } = violation.what {
        behaviour.push(violation.source.clone());
    }
    // Length of the behaviour that is still missing in front.
    let mut missing = violation.length - behaviour.len();
    for (number, level) in store.levels_backwards() {
        if number > missing {
            continue;
        }
        let target = &behaviour[behaviour.len() - 1];
        // A panic comes after every predecessor, and is told only if there is none.
        let leading = |index| {
            let found = model_panic::catch(|| leading_to(expander, &level, index, target));
            found.transpose()
        };
        let predecessor = match pool {
            Some(pool) if level.len() > SMALL_LEVEL => pool.install(|| {
                let indices = (0..level.len()).into_par_iter().with_min_len(256);
                indices.filter_map(leading).min()
            }),
            _ => (0..level.len()).filter_map(leading).min(),
        };
        // Every state of a level was found from the one before.
        let predecessor = predecessor.ok_or(OTHER_SUCCESSORS)??;
        behaviour.push(predecessor.to_vec());
        missing -= 1;
    }
    behaviour.reverse();
    Ok(behaviour)
}

/// The state at `index`, if it has `target` as a successor.
fn leading_to<'l, M: CheckedModel>(
    expander: &Expander<'_, M>,
    level: &'l Level,
    index: usize,
    target: &[u8],
) -> Option<&'l [u8]> {
    let source = level.get(index);
    let state = expander.model.decode(source)?;
    let mut found = false;
    let mut bytes = Vec::new();
    expander.model.successors(&state, |_, next| {
        if !found {
            bytes.clear();
            expander.model.encode(&next, &mut bytes);
            found = bytes == target;
        }
    });
    found.then_some(source)
}
