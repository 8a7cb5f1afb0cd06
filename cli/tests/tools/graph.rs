//! `plumb graph`.

use std::collections::BTreeSet;

use super::{plumb, stderr, stdout};

#[test]
fn the_graph_has_a_node_for_each_distinct_state_and_an_edge_for_each_generated_successor() {
    let folder = tempfile::tempdir().unwrap();
    let dot = stdout(&plumb(folder.path(), &["graph", "ClaimScopeSingle"]), 0);
    let edges = dot.lines().filter(|line| line.contains(" -> ")).count();
    let nodes: BTreeSet<&str> = dot
        .lines()
        .filter(|line| line.contains("[label=") && !line.contains(" -> "))
        .map(|line| line.split_whitespace().next().unwrap())
        .collect();
    // The published figures: every generated state but the initial one is a successor.
    assert_eq!((nodes.len(), edges), (144, 316));
    assert_eq!(dot.matches("style=bold").count(), 1, "the initial state");
    assert!(dot.starts_with("digraph \"ClaimScopeSingle\" {\n") && dot.ends_with("}\n"));
    assert!(dot.contains(r#"[label="StageOutput(0)"]"#));
    assert_eq!(
        dot,
        stdout(&plumb(folder.path(), &["graph", "ClaimScopeSingle"]), 0)
    );
}

#[test]
fn a_graph_that_nobody_can_look_at_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let error = stderr(&plumb(folder.path(), &["graph", "LifecyclePacked"]), 2);
    assert!(
        error.contains("LifecyclePacked has more than 1000 states"),
        "{error}"
    );
    // A search without end is refused as well, and does not run for ever.
    let error = stderr(&plumb(folder.path(), &["graph", "IssueBrokenRetry"]), 2);
    assert!(error.contains("more than 1000 states"), "{error}");
}
