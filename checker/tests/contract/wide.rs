//! Graphs with thousands of states in a level, which several threads expand at once.

use crate::graph::{Graph, Node};

/// A small generator of numbers: the same ones everywhere, and nothing more is asked of it.
pub(crate) struct Numbers(pub(crate) u64);

impl Numbers {
    /// A number below `limit`.
    pub(crate) fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (mixed ^ (mixed >> 31)) % limit
    }

    /// One of the states of a range.
    pub(crate) fn node(&mut self, from: Node, count: Node) -> Node {
        from + self.below(u64::from(count)) as Node
    }
}

/// How many states a level of [`wide`] has, at most, but for the first.
pub(crate) const WIDTH: Node = 3000;

/// Where level `number` of [`wide`] begins; the first is number 1, with the state 0 alone.
pub(crate) fn start(number: Node) -> Node {
    if number == 1 {
        0
    } else {
        1 + (number - 2) * WIDTH
    }
}

/// One initial state, and `levels` levels of up to [`WIDTH`] states with random steps from each
/// level into the next, back, and within. Encodings are shuffled, and differ in length.
pub(crate) fn wide(levels: Node, seed: u64) -> Graph {
    let mut numbers = Numbers(seed);
    let mut graph = Graph::new([0], (1..=WIDTH).map(|node| (0, node)));
    for level in 2..=levels {
        for source in start(level)..start(level + 1) {
            for _ in 0..4 {
                let action = numbers.below(2) as usize;
                let target = match numbers.below(8) {
                    0 => numbers.node(start(level), WIDTH),
                    1 => numbers.node(0, start(level)),
                    _ if level < levels => numbers.node(start(level + 1), WIDTH),
                    _ => source,
                };
                graph.edges.push((source, action, target));
            }
        }
    }
    let last = start(levels + 1);
    for node in 0..last {
        let mut bytes = vec![(numbers.below(200)) as u8; numbers.below(4) as usize];
        bytes.extend(node.to_le_bytes());
        graph = graph.encoded(node, &bytes);
    }
    graph
}
