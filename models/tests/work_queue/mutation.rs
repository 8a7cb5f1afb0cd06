//! Every conjunct of every guard makes a difference in some state space, or it is known why not.

use plumb_models::WorkQueue;

use crate::harness::mutation::{Conjuncts, guarded};
use crate::redundant::REDUNDANT;
use crate::spaces::{settings, states};

guarded!(WorkQueue);

/// Enough for all but one of the spaces of small constants.
const LIMIT: usize = 9_000;

#[test]
fn every_conjunct_matters_or_is_known_to_be_redundant() {
    let mut conjuncts = Conjuncts::default();
    for setting in settings() {
        let model = setting.model();
        conjuncts.explore(&model, &states(&model, LIMIT));
    }
    conjuncts.assert_redundant::<WorkQueue>(REDUNDANT);
}
