//! stateright's Explorer over a configured model: states and steps to click through.

use std::net::SocketAddr;
use std::sync::Arc;

use stateright::{Model, Property};

use crate::erased::label;
use crate::model::CheckedModel;
use crate::selection::Selection;

/// How many invariants the Explorer can list; the properties of stateright are plain functions,
/// so there is one function for each place in the list.
pub(crate) const LISTED: usize = 32;

/// A model with the invariants of its cfg as stateright's properties.
struct Explored<M: CheckedModel> {
    model: M,
    selection: Arc<Selection<M>>,
}

impl<M: CheckedModel> Model for Explored<M> {
    type State = M::State;
    type Action = M::Action;

    fn init_states(&self) -> Vec<M::State> {
        self.model.init_states()
    }

    fn actions(&self, state: &M::State, actions: &mut Vec<M::Action>) {
        self.model.actions(state, actions);
    }

    fn next_state(&self, state: &M::State, action: M::Action) -> Option<M::State> {
        self.model.next_state(state, action)
    }

    fn format_action(&self, action: &M::Action) -> String {
        label(&self.model, action).to_string()
    }

    fn format_step(&self, state: &M::State, action: M::Action) -> Option<String> {
        let next = self.model.next_state(state, action)?;
        Some(self.model.to_tla(&next).pretty(80).to_string())
    }

    fn within_boundary(&self, state: &M::State) -> bool {
        self.selection.within_constraint(&self.model, state)
    }

    fn properties(&self) -> Vec<Property<Self>> {
        let names = self
            .selection
            .invariants
            .iter()
            .map(|invariant| invariant.name);
        names
            .zip(by_place())
            .map(|(name, holds)| Property::always(name, holds))
            .collect()
    }
}

type Holds<M> = fn(&Explored<M>, &<M as Model>::State) -> bool;

/// The functions "the invariant at place N holds", for each N below [`LISTED`].
fn by_place<M: CheckedModel>() -> [Holds<M>; LISTED] {
    fn nth<M: CheckedModel, const N: usize>(explored: &Explored<M>, state: &M::State) -> bool {
        let invariant = explored.selection.invariants.get(N);
        invariant.is_none_or(|invariant| {
            invariant
                .leaves
                .iter()
                .all(|leaf| leaf.holds(&explored.model, state, explored.selection.components))
        })
    }
    macro_rules! places {
        ($($n:literal)*) => { [$(nth::<M, $n>),*] };
    }
    places!(0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 31)
}

/// Serves the Explorer at `address`; it does not return, and panics if the address is taken.
pub(crate) fn serve<M: CheckedModel>(
    model: &M,
    selection: &Arc<Selection<M>>,
    address: SocketAddr,
) {
    let explored = Explored {
        model: model.clone(),
        selection: Arc::clone(selection),
    };
    explored.checker().serve(address);
}
