//! Between a model's states and the numbers that the store keeps of them.

use super::store::StateStore;
use crate::composition::Composition;
use crate::model::CheckedModel;

/// How states become component values and back.
pub(crate) struct Codec<'a, M: CheckedModel> {
    pub(crate) model: &'a M,
    /// What the model says of its components, if that is used.
    pub(crate) composition: Option<Composition<M>>,
    pub(crate) components: usize,
}

/// The values of a state's components, back to back.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Values {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Values {
    pub(crate) fn get(&self, component: usize) -> &[u8] {
        let start = match component {
            0 => 0,
            component => self.ends[component - 1],
        };
        &self.bytes[start..self.ends[component]]
    }

    fn clear(&mut self) {
        self.bytes.clear();
        self.ends.clear();
    }

    fn push(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        write(&mut self.bytes);
        self.ends.push(self.bytes.len());
    }
}

impl<'a, M: CheckedModel> Codec<'a, M> {
    /// A codec that uses the components that the model names.
    pub(crate) fn with_components(model: &'a M) -> Self {
        let composition = M::composition();
        let components = composition.map_or(1, |composition| (composition.count)(model));
        match composition {
            Some(composition) if components > 1 => Self {
                model,
                composition: Some(composition),
                components,
            },
            _ => Self::whole(model),
        }
    }

    /// A codec that takes states as a whole.
    pub(crate) fn whole(model: &'a M) -> Self {
        Self {
            model,
            composition: None,
            components: 1,
        }
    }

    /// Writes the values of a state.
    pub(crate) fn values(&self, state: &M::State, values: &mut Values) {
        values.clear();
        match self.composition {
            None => values.push(|bytes| self.model.encode(state, bytes)),
            Some(composition) => {
                for component in 0..self.components {
                    values.push(|bytes| (composition.encode)(self.model, state, component, bytes));
                }
            }
        }
    }

    /// The state that has these values.
    pub(crate) fn state(&self, values: &Values) -> Option<M::State> {
        match self.composition {
            None => self.model.decode(values.get(0)),
            Some(composition) => {
                let parts: Vec<&[u8]> = (0..self.components).map(|part| values.get(part)).collect();
                (composition.decode)(self.model, &parts)
            }
        }
    }

    /// Reads the values that the numbers at the front of `numbers` stand for.
    pub(crate) fn read(&self, store: &StateStore, numbers: &[u32], values: &mut Values) {
        values.clear();
        for (table, number) in store.values.iter().zip(numbers) {
            values.push(|bytes| table.read(*number, bytes));
        }
    }

    /// Adds a state to the store: its root and the number of its shared part, and whether it is
    /// new.
    pub(crate) fn insert(
        &self,
        store: &StateStore,
        values: &Values,
        numbers: &mut Vec<u32>,
    ) -> (u64, u32, bool) {
        numbers.clear();
        let mut new_value = false;
        for (component, table) in store.values.iter().enumerate() {
            let (number, new) = table.number(values.get(component));
            numbers.push(number);
            new_value |= new;
        }
        // Room for the inner nodes of the tree.
        numbers.resize(2 * self.components, 0);
        let shared = numbers[0];
        let (root, new) = store.insert(numbers, new_value);
        (root, shared, new)
    }

    /// The canonical encoding of a state.
    pub(crate) fn encoding(&self, state: &M::State) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.model.encode(state, &mut bytes);
        bytes
    }
}
