//! State vectors as trees of pairs.
//!
//! A state is a vector of component numbers. Halved again and again, it is a binary tree; every
//! inner node but the root is a pair of numbers that a table numbers in turn, so that a state is
//! the pair at its root: eight bytes, however many components it has. Halves repeat much more often
//! than states do, and a successor that changes one component needs only the nodes above it
//! (A. Laarman, J. van de Pol, M. Weber, "Parallel Recursive State Compression for Free", 2011).

use super::key_set::Full;
use super::pair_table::{PairTable, pair, parts};

/// An inner node: where its number and those of its halves stand among the values of a tree.
#[derive(Clone, Copy, Debug)]
struct Node {
    left: usize,
    right: usize,
    /// The components below, by number modulo 64.
    below: Changed,
}

/// A set of components, by number modulo 64: those that may differ.
pub(crate) type Changed = u64;

/// The set of one component.
pub(crate) fn only(component: usize) -> Changed {
    1 << (component % 64)
}

/// The form of the trees of one model.
#[derive(Clone, Debug)]
pub(crate) struct Shape {
    components: usize,
    /// Inner nodes, halves before wholes; the last one is the root.
    nodes: Vec<Node>,
}

impl Shape {
    pub(crate) fn of(components: usize) -> Self {
        let mut shape = Self {
            components,
            nodes: Vec::new(),
        };
        shape.divide(0, components);
        shape
    }

    /// Adds the nodes of a range of components: where its number stands, and what is below.
    fn divide(&mut self, start: usize, end: usize) -> (usize, Changed) {
        if end - start == 1 {
            return (start, only(start));
        }
        let middle = start + (end - start).div_ceil(2);
        let (left, below_left) = self.divide(start, middle);
        let (right, below_right) = self.divide(middle, end);
        let below = below_left | below_right;
        self.nodes.push(Node { left, right, below });
        (self.components + self.nodes.len() - 1, below)
    }

    /// Tables that the trees need: one for each inner node but the root.
    pub(crate) fn tables(&self) -> usize {
        self.nodes.len().saturating_sub(1)
    }

    /// Values of a tree: the components, and the inner nodes but the root.
    pub(crate) fn values(&self) -> usize {
        self.components + self.tables()
    }
}

/// A table of a tree is full; which one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FullTable(usize, Full);

/// The tables of a model's trees.
pub(crate) struct Trees {
    shape: Shape,
    tables: Vec<PairTable>,
}

impl Trees {
    pub(crate) fn new(components: usize) -> Self {
        let shape = Shape::of(components);
        Self {
            tables: (0..shape.tables()).map(|_| PairTable::new()).collect(),
            shape,
        }
    }

    pub(crate) fn shape(&self) -> &Shape {
        &self.shape
    }

    /// The root of the tree whose components stand at the front of `values`; of the nodes behind
    /// them only those above `changed` components are computed.
    pub(crate) fn root(&self, values: &mut [u32], changed: Changed) -> Result<u64, FullTable> {
        let components = self.shape.components;
        for (index, table) in self.tables.iter().enumerate() {
            let node = self.shape.nodes[index];
            if node.below & changed != 0 {
                let halves = pair(values[node.left], values[node.right]);
                let number = table.number(halves);
                values[components + index] = number.map_err(|full| FullTable(index, full))?;
            }
        }
        Ok(match self.shape.nodes.last() {
            Some(root) => pair(values[root.left], values[root.right]),
            None => u64::from(values[0]),
        })
    }

    /// The values of the tree with this root: components, then nodes.
    pub(crate) fn values(&self, root: u64, values: &mut [u32]) {
        let Some((top, nodes)) = self.shape.nodes.split_last() else {
            values[0] = root as u32;
            return;
        };
        (values[top.left], values[top.right]) = parts(root);
        for (index, node) in nodes.iter().enumerate().rev() {
            let halves = self.tables[index].pair(values[self.shape.components + index]);
            (values[node.left], values[node.right]) = parts(halves);
        }
    }

    /// The number of a pair of one table.
    pub(crate) fn pair_number(&self, table: usize, pair: u64) -> Result<u32, FullTable> {
        let number = self.tables[table].number(pair);
        number.map_err(|full| FullTable(table, full))
    }

    /// Whether both halves of a pair are known: of the pair of one table, or of a root, if `table`
    /// is the number of tables; `has` tells which numbers a component's values have.
    pub(crate) fn knows(&self, table: usize, pair: u64, has: impl Fn(usize, u32) -> bool) -> bool {
        let components = self.shape.components;
        let Some(node) = self.shape.nodes.get(table) else {
            return has(0, pair as u32);
        };
        let (left, right) = parts(pair);
        let known = |place: usize, number: u32| match place.checked_sub(components) {
            None => has(place, number),
            Some(table) => number < self.tables[table].len(),
        };
        known(node.left, left) && known(node.right, right)
    }

    pub(crate) fn grow(&mut self, FullTable(table, full): FullTable) {
        self.tables[table].grow(full);
    }

    pub(crate) fn tables(&self) -> &[PairTable] {
        &self.tables
    }

    /// Bytes allocated.
    pub(crate) fn memory(&self) -> u64 {
        self.tables.iter().map(PairTable::memory).sum()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use proptest::prelude::*;

    use super::*;

    fn root(trees: &mut Trees, values: &mut [u32], changed: Changed) -> u64 {
        loop {
            match trees.root(values, changed) {
                Ok(root) => return root,
                Err(full) => trees.grow(full),
            }
        }
    }

    proptest! {
        #[test]
        fn a_root_stands_for_one_vector(
            components in 1..9_usize,
            vectors in proptest::collection::vec(proptest::array::uniform9(0..4_u32), 1..200),
        ) {
            let mut trees = Trees::new(components);
            let mut roots = BTreeMap::new();
            for vector in vectors {
                let vector = &vector[..components];
                let mut values = vec![0; trees.shape().values()];
                values[..components].copy_from_slice(vector);
                let root = root(&mut trees, &mut values, Changed::MAX);
                let known = roots.entry(root).or_insert_with(|| vector.to_vec());
                prop_assert_eq!(known.as_slice(), vector);
                let mut back = vec![9; values.len()];
                trees.values(root, &mut back);
                prop_assert_eq!(back, values);
            }
            let distinct: BTreeSet<_> = roots.values().collect();
            prop_assert_eq!(distinct.len(), roots.len());
        }

        #[test]
        fn only_the_nodes_above_a_change_are_needed(
            components in 2..70_usize,
            change in 0..70_usize,
        ) {
            let mut trees = Trees::new(components);
            let mut values = vec![1; trees.shape().values()];
            root(&mut trees, &mut values, Changed::MAX);
            let change = change % components;
            values[change] = 2;
            let quick = root(&mut trees, &mut values, only(change));
            let whole = root(&mut trees, &mut values, Changed::MAX);
            prop_assert_eq!(quick, whole);
        }
    }
}
