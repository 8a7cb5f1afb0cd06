//! The state spaces that laws and mutations are held against: every specification, with constants
//! that let everything happen that it can do.

use plumb_models::WorkQueue;
use plumb_models::work_queue::State;

use crate::harness::walk::reachable;
use crate::setting::Setting;

/// Constants under which the states inside the bound are few.
pub(crate) const SMALL: &[[i64; 7]] = &[
    [1, 1, 1, 1, 1, 2, 3],
    [2, 2, 1, 1, 0, 2, 2],
    [1, 1, 2, 1, 0, 3, 3],
    [2, 3, 1, 1, 0, 1, 3],
    [1, 2, 2, 1, 0, 3, 3],
    [2, 1, 1, 1, 1, 2, 3],
    [1, 1, 1, 2, 1, 2, 2],
    [1, 3, 2, 2, 0, 2, 2],
];

/// Constants that let more happen than can be searched here to the end.
const LARGE: &[[i64; 7]] = &[
    [1, 2, 2, 1, 1, 4, 5],
    [1, 2, 3, 2, 1, 4, 4],
    [2, 2, 2, 2, 1, 2, 4],
    [3, 4, 5, 3, 2, 6, 9],
];

const SPECIFICATIONS: [&str; 4] = [
    "Spec",
    "BrokenCASSpec",
    "BrokenTerminalSpec",
    "BrokenQueueSelectionSpec",
];

/// Every specification with all these constants.
pub(crate) fn settings() -> Vec<Setting> {
    let numbers = SMALL.iter().chain(LARGE);
    numbers
        .flat_map(|numbers| SPECIFICATIONS.map(|name| Setting::of(*numbers).specified(name)))
        .collect()
}

/// The states of a setting inside its bound, breadth first, up to about `limit`.
pub(crate) fn states(model: &WorkQueue, limit: usize) -> Vec<State> {
    reachable(model, &["Bound"], limit)
}
