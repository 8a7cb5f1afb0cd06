//! The least shortest behaviour that ends in a violation, rebuilt from the levels.
//!
//! Each level is scanned once, from the last to the first, for the least state that has the state
//! behind it as a successor. That costs about as much as the search did, and saves it from storing
//! a parent for every state.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::ThreadPool;

use super::codec::Values;
use super::expand::Expander;
use super::store::StateStore;
use super::store::block::Level;
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
    store: &StateStore,
    pool: Option<&ThreadPool>,
    violation: &Violation,
) -> Result<Vec<Vec<u8>>, String> {
    let mut behaviour = vec![violation.state.clone()];
    if let What::Step { .. } = violation.what {
        behaviour.push(violation.source.clone());
    }
    // Length of the behaviour that is still missing in front.
    let missing = violation.length - behaviour.len();
    for level in store.levels()[..missing].iter().rev() {
        let target = &behaviour[behaviour.len() - 1];
        let next = AtomicUsize::new(0);
        let scan = || least_leading_to(expander, store, level, &next, target);
        let found = match pool {
            Some(pool) if level.blocks.len() > 1 => pool.broadcast(|_| scan()),
            _ => vec![scan()],
        };
        // A failure comes after every predecessor, and is told only if there is none.
        let (found, failed): (Vec<_>, Vec<_>) = found.into_iter().partition(Result::is_ok);
        let predecessor = found.into_iter().flatten().flatten().min();
        let failure = failed.into_iter().filter_map(Result::err).min();
        // Every state of a level was found from the one before.
        let predecessor =
            predecessor.ok_or_else(|| failure.unwrap_or_else(|| OTHER_SUCCESSORS.to_owned()))?;
        behaviour.push(predecessor);
    }
    behaviour.reverse();
    Ok(behaviour)
}

/// The least state that has `target` as a successor, among those of the level's blocks from `next`
/// on that this thread gets hold of.
fn least_leading_to<M: CheckedModel>(
    expander: &Expander<'_, M>,
    store: &StateStore,
    level: &Level,
    next: &AtomicUsize,
    target: &[u8],
) -> Result<Option<Vec<u8>>, String> {
    let codec = &expander.codec;
    let (mut roots, mut numbers, mut values) = (Vec::new(), Vec::new(), Values::default());
    let mut bytes = Vec::new();
    let mut least: Option<Vec<u8>> = None;
    let mut failure = None;
    while let Some(block) = level.blocks.get(next.fetch_add(1, Ordering::Relaxed)) {
        block.roots(&mut roots).map_err(|error| error.to_string())?;
        for root in &roots {
            store.numbers(*root, &mut numbers);
            codec.read(store, &numbers, &mut values);
            let leading = model_panic::catch(|| {
                let state = codec.state(&values)?;
                let mut found = false;
                expander.model.successors(&state, |_, next| {
                    if !found {
                        bytes.clear();
                        expander.model.encode(&next, &mut bytes);
                        found = bytes == target;
                    }
                });
                found.then(|| codec.encoding(&state))
            });
            match leading {
                Ok(Some(source)) if least.as_ref().is_none_or(|least| source < *least) => {
                    least = Some(source);
                }
                Ok(_) => {}
                Err(message) => failure = Some(message),
            }
        }
    }
    match (least, failure) {
        (None, Some(message)) => Err(message),
        (least, _) => Ok(least),
    }
}
