//! States made of components, and steps that each concern only one of them.
//!
//! Many models are a few processes around something that they share: a log with its history, and
//! workers that read it and append to it. The product of their states is huge, while each part
//! takes few values. A model that names its parts is explored in far less memory: each value of a
//! component is kept once, and a state is a handful of small numbers (the *collapse compression*
//! of Holzmann, "State Compression in SPIN", 1997). That is [`Components`].
//!
//! A model whose every step is made by one component, which looks at nothing but itself and the
//! shared part, can say that too, with [`LocalSteps`]. Then the steps of each pair of (shared part,
//! component) are computed once, and all states in which the pair occurs take them from there.
//!
//! Neither changes any result: the tests of the checker and of the models explore the same
//! configurations both ways.

use crate::model::CheckedModel;

/// A model whose states fall apart into components.
///
/// Component 0 is the *shared part*, which every other component may look at.
///
/// # Laws
///
/// [`decode_components`](Self::decode_components) undoes
/// [`encode_component`](Self::encode_component) for all components together, so that equal
/// components mean equal states.
pub trait Components: CheckedModel {
    /// How many components every state has: at least 1, and the same for all states.
    fn component_count(&self) -> usize;

    /// Appends the encoding of one component of `state` to `bytes`.
    fn encode_component(&self, state: &Self::State, component: usize, bytes: &mut Vec<u8>);

    /// The state that has these components, or `None` if no state has.
    fn decode_components(&self, components: &[&[u8]]) -> Option<Self::State>;
}

/// A model whose steps each belong to one component.
///
/// # Laws
///
/// * The steps of all components together are the model's
///   [`successors`](CheckedModel::successors), as a multiset.
/// * A step of component `i > 0` depends on component 0 and component `i` alone (whether it is
///   enabled, and what it does), and changes no other.
/// * Whether a step of component 0 is enabled, and what becomes of component 0, depends on
///   component 0 alone. It may change other components too; what becomes of component `i` depends
///   on component 0 and component `i` alone. Of two such steps from one state, the n-th is the same
///   step in all states with that component 0.
pub trait LocalSteps: Components {
    /// Hands every way of leaving `state` by a step of `component` to `sink`.
    fn component_successors(
        &self,
        state: &Self::State,
        component: usize,
        sink: &mut dyn FnMut(Self::Action, Self::State),
    );
}

type Count<M> = fn(&M) -> usize;
type Encode<M> = fn(&M, &<M as stateright::Model>::State, usize, &mut Vec<u8>);
type Decode<M> = fn(&M, &[&[u8]]) -> Option<<M as stateright::Model>::State>;
type Successors<M> = fn(
    &M,
    &<M as stateright::Model>::State,
    usize,
    &mut dyn FnMut(<M as stateright::Model>::Action, <M as stateright::Model>::State),
);

/// What a model says of the components of its states, as
/// [`CheckedModel::composition`] returns it.
pub struct Composition<M: CheckedModel> {
    pub(crate) count: Count<M>,
    pub(crate) encode: Encode<M>,
    pub(crate) decode: Decode<M>,
    pub(crate) successors: Option<Successors<M>>,
}

impl<M: CheckedModel> std::fmt::Debug for Composition<M> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Composition")
            .field("local_steps", &self.successors.is_some())
            .finish_non_exhaustive()
    }
}

impl<M: CheckedModel> Clone for Composition<M> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<M: CheckedModel> Copy for Composition<M> {}

impl<M: CheckedModel> Composition<M> {
    /// How many components the states of `model` have.
    #[must_use]
    pub fn count(&self, model: &M) -> usize {
        (self.count)(model)
    }
}

impl<M: Components> Composition<M> {
    /// The states have components; steps may concern several of them.
    #[must_use]
    pub fn of_components() -> Self {
        Self {
            count: M::component_count,
            encode: M::encode_component,
            decode: M::decode_components,
            successors: None,
        }
    }
}

impl<M: LocalSteps> Composition<M> {
    /// The states have components, and each step belongs to one of them.
    #[must_use]
    pub fn of_local_steps() -> Self {
        Self {
            successors: Some(M::component_successors),
            ..Self::of_components()
        }
    }
}
