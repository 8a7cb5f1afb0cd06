//! Total maps from a finite type, as arrays.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;
use std::ops::{Index, IndexMut};

use super::Finite;

/// A value for each element of a finite type with `N` elements.
///
/// ```
/// use plumb_models::finite::Map;
/// use plumb_models::lifecycle::{Group, Phase};
///
/// let mut phase = Map::<Group, Phase, 2>::all(Phase::Idle);
/// phase[Group::Y] = Phase::Reserved;
/// assert_eq!(phase[Group::X], Phase::Idle);
/// ```
pub struct Map<E, V, const N: usize> {
    values: [V; N],
    elements: PhantomData<E>,
}

impl<E: Finite, V: Copy, const N: usize> Map<E, V, N> {
    /// The map that gives `value` for every element.
    #[must_use]
    pub const fn all(value: V) -> Self {
        const { assert!(N == E::ALL.len(), "a map has a value for each element") };
        Self {
            values: [value; N],
            elements: PhantomData,
        }
    }

    /// The map that gives `value(element)` for each element.
    ///
    /// # Errors
    ///
    /// The first error of `value`, in the order of [`Finite::ALL`].
    pub fn try_from_fn<X>(value: impl FnMut(E) -> Result<V, X>) -> Result<Self, X> {
        const { assert!(N == E::ALL.len(), "a map has a value for each element") };
        let values: Vec<V> = E::ALL
            .iter()
            .copied()
            .map(value)
            .collect::<Result<_, X>>()?;
        Ok(Self {
            values: std::array::from_fn(|index| values[index]),
            elements: PhantomData,
        })
    }

    /// The elements with their values, in the order of [`Finite::ALL`].
    pub fn iter(&self) -> impl Iterator<Item = (E, V)> {
        E::ALL.iter().copied().zip(self.values)
    }
}

// By hand: a derived implementation would ask the same of `E`, which is not stored.

impl<E, V: Copy, const N: usize> Clone for Map<E, V, N> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E, V: Copy, const N: usize> Copy for Map<E, V, N> {}

impl<E, V: PartialEq, const N: usize> PartialEq for Map<E, V, N> {
    fn eq(&self, other: &Self) -> bool {
        self.values == other.values
    }
}

impl<E, V: Eq, const N: usize> Eq for Map<E, V, N> {}

impl<E, V: Hash, const N: usize> Hash for Map<E, V, N> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.values.hash(state);
    }
}

impl<E: Finite, V: Copy + fmt::Debug, const N: usize> fmt::Debug for Map<E, V, N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_map().entries(self.iter()).finish()
    }
}

impl<E: Finite, V, const N: usize> Index<E> for Map<E, V, N> {
    type Output = V;

    fn index(&self, element: E) -> &V {
        &self.values[element.index()]
    }
}

impl<E: Finite, V, const N: usize> IndexMut<E> for Map<E, V, N> {
    fn index_mut(&mut self, element: E) -> &mut V {
        &mut self.values[element.index()]
    }
}
