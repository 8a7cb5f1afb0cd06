//! All that one state, and the step to it, violate: for behaviours that somebody else found.

use crate::model::CheckedModel;
use crate::report::PropertyKind;
use crate::selection::Selection;

/// A property that does not hold in a state, or on the step to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ViolatedProperty {
    /// The property as the cfg names it.
    pub property: &'static str,
    /// [`PropertyKind::Invariant`] or [`PropertyKind::Step`].
    pub kind: PropertyKind,
    /// The first false conjunct, if the property is a conjunction.
    pub conjunct: Option<&'static str>,
}

impl<M: CheckedModel> Selection<M> {
    /// Every invariant that is false in `state`, and every step property that does not allow the
    /// step from `before` to it, in the cfg's order. A step that changes nothing is always allowed.
    pub(crate) fn violated(
        &self,
        model: &M,
        before: Option<&M::State>,
        state: &M::State,
    ) -> Vec<ViolatedProperty> {
        let mut found = Vec::new();
        for invariant in &self.invariants {
            let mut leaves = invariant.leaves.iter();
            let holds =
                |leaf: &&crate::selection::Leaf<M>| !leaf.holds(model, state, self.components);
            if let Some(leaf) = leaves.find(holds) {
                let violated = ViolatedProperty {
                    property: invariant.name,
                    kind: PropertyKind::Invariant,
                    conjunct: invariant.is_conjunction.then_some(leaf.name),
                };
                found.push((invariant.order, violated));
            }
        }
        if let Some(before) = before.filter(|before| *before != state) {
            for (order, step) in &self.steps {
                if !(step.predicate).holds(model, before, state, self.components) {
                    let violated = ViolatedProperty {
                        property: step.name,
                        kind: PropertyKind::Step,
                        conjunct: None,
                    };
                    found.push((*order, violated));
                }
            }
        }
        found.sort_by_key(|(order, _)| *order);
        found.into_iter().map(|(_, violated)| violated).collect()
    }
}
