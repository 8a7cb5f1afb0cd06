//! Violations, ordered so that the least one does not depend on who found it first.

/// What is violated, by index into the selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// An invariant, and the first of its leaves that is false.
    Invariant { index: usize, leaf: usize },
    /// A step property.
    Step { index: usize },
    /// The state has no successor.
    Deadlock,
}

/// A violation found while one level was expanded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Violation {
    pub(crate) what: What,
    /// States of the shortest behaviour that shows it.
    pub(crate) length: usize,
    /// Place of the property in the cfg; a deadlock comes last.
    pub(crate) order: usize,
    /// The violating state; for a step the state it leads to.
    pub(crate) state: Vec<u8>,
    /// For a step the state it leaves, otherwise empty.
    pub(crate) source: Vec<u8>,
}

impl Violation {
    /// The contract's order: the shortest, then the property's place in the cfg, then the bytes of
    /// the state. Several steps into one state are told apart by the state they leave.
    fn rank(&self) -> (usize, usize, &[u8], &[u8]) {
        (self.length, self.order, &self.state, &self.source)
    }
}

/// Keeps the lesser of two violations in `least`.
pub(crate) fn keep_least(least: &mut Option<Violation>, other: Violation) {
    match least {
        Some(known) if known.rank() <= other.rank() => {}
        _ => *least = Some(other),
    }
}
