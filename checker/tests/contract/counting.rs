//! What is counted, and how often.

use plumb_checker::Verdict;

use crate::graph::{Graph, threads};
use crate::summary::nodes;

#[test]
fn every_initial_state_is_generated_and_repeats_are_not_distinct() {
    let report = Graph::new([3, 1, 3, 3, 2], []).check("");
    assert_eq!(report.verdict, Verdict::Exhausted);
    assert_eq!((report.generated, report.distinct), (5, 3));
    assert_eq!(report.levels, [3]);
}

#[test]
fn each_way_to_a_successor_is_generated_repeats_and_self_loops_included() {
    let graph = Graph::new([0], [(0, 1), (0, 1), (0, 0), (1, 1), (1, 0)]);
    let report = graph.steps("Green", [(0, 1), (1, 0)]).check("");
    assert_eq!(report.generated, 1 + 4 + 3);
    assert_eq!(report.distinct, 2);
    assert_eq!(report.actions, [("Red", 5), ("Green", 2)]);
    assert_eq!(report.outside, 0);
}

#[test]
fn an_action_that_next_state_disables_is_no_way_to_a_successor() {
    // Every state of a graph offers one more action than it has edges; `next_state` refuses it.
    let report = Graph::path(3).check("CHECK_DEADLOCK TRUE");
    assert_eq!(report.verdict.property(), Some("Deadlock"));
    assert_eq!(report.generated, 4);
}

#[test]
fn a_model_without_properties_is_explored_whole() {
    let report = Graph::new([0], [(0, 1), (0, 2), (1, 3), (2, 3), (3, 4)]).check("");
    assert_eq!(report.verdict, Verdict::Exhausted);
    assert_eq!((report.distinct, report.generated), (5, 6));
    assert!(report.trace.is_empty());
}

#[test]
fn levels_count_the_states_that_are_new_in_them_and_initial_states_are_level_one() {
    let graph = Graph::new([0, 1], [(0, 2), (1, 2), (1, 3), (2, 0), (3, 4), (4, 5)]);
    let report = graph.check("");
    assert_eq!(report.levels, [2, 2, 1, 1]);
    assert_eq!(report.depth(), 4);
    assert_eq!(report.queue, 0);
}

#[test]
fn a_state_is_in_the_level_of_the_shortest_way_to_it() {
    let report = Graph::new([0], [(0, 1), (1, 2), (2, 3), (0, 3), (3, 4)]).check("INVARIANT A");
    assert_eq!(report.levels, [1, 2, 2]);
}

#[test]
fn a_model_without_initial_states_has_no_levels() {
    let report = Graph::new([], [(0, 1)]).check("INVARIANT A CHECK_DEADLOCK TRUE");
    assert_eq!(report.verdict, Verdict::Exhausted);
    assert_eq!(
        (report.generated, report.distinct, report.depth()),
        (0, 0, 0)
    );
}

#[test]
fn counts_by_action_and_initial_states_add_up_to_generated() {
    let mut graph = Graph::new([0, 0, 7], []);
    let mut next = 1_u32;
    for source in 0..200 {
        for action in 0..3 {
            next = next.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            graph
                .edges
                .push((source, action, (next >> 16) as u16 % 200));
        }
    }
    let report = graph
        .outside([5, 17, 100])
        .check("SPECIFICATION BlueSpec CONSTRAINT Near");
    let taken: u64 = report.actions.iter().map(|(_, count)| count).sum();
    assert_eq!(taken + 3, report.generated);
    assert_eq!(report.levels.iter().sum::<u64>(), report.distinct);
    assert_eq!(taken, report.distinct * 3, "each state has three ways out");
}

#[test]
fn actions_of_another_specification_are_left_out_unless_they_occur() {
    let graph = Graph::path(1);
    assert_eq!(graph.check("").actions, [("Red", 1), ("Green", 0)]);
    let blue = "SPECIFICATION BlueSpec";
    assert_eq!(
        graph.check(blue).actions,
        [("Red", 1), ("Green", 0), ("Blue", 0)]
    );
    let odd = graph.steps("Blue", [(0, 1)]);
    assert_eq!(
        odd.check("").actions,
        [("Red", 1), ("Green", 0), ("Blue", 1)]
    );
}

#[test]
fn states_are_told_apart_by_all_their_bytes() {
    // Every string of up to four out of five letters: prefixes of one another, the empty one too.
    let mut strings = vec![Vec::new()];
    let mut from = 0;
    let mut graph = Graph::new([0], []);
    while strings[from].len() < 4 {
        for letter in 0..5 {
            let target = u16::try_from(strings.len()).unwrap();
            strings.push([strings[from].as_slice(), &[letter]].concat());
            graph.edges.push((u16::try_from(from).unwrap(), 0, target));
        }
        from += 1;
    }
    for (node, bytes) in (0..).zip(&strings) {
        graph = graph.encoded(node, bytes);
    }
    for workers in [1, 2, 8] {
        let report = graph.check_with("", &threads(workers));
        assert_eq!(report.levels, [1, 5, 25, 125, 625]);
        assert_eq!(report.generated, report.distinct);
    }
}

#[test]
fn every_state_of_a_wide_level_is_expanded_once() {
    // One state leads to 20,000, and each of them to the same last one.
    let mut graph = Graph::new([0], []);
    for node in 1..=20_000 {
        graph.edges.push((0, 0, node));
        graph.edges.push((node, 1, 20_001));
    }
    for workers in [1, 2, 8] {
        let report = graph.check_with("INVARIANT A", &threads(workers));
        assert_eq!(report.levels, [1, 20_000, 1]);
        assert_eq!(report.actions, [("Red", 20_000), ("Green", 20_000)]);
        assert_eq!(report.generated, 40_001);
    }
    let last = graph.violates("A", [20_001]).check("INVARIANT A");
    assert_eq!(nodes(&last), [0, 1, 20_001]);
}
