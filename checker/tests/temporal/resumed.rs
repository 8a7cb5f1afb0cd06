//! A search with temporal properties that goes on from a checkpoint: the same verdict, behaviour and
//! counts.

use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use plumb_checker::{
    Checkpoint, ConfiguredModel, Progress, Report, SearchIdentity, SearchOptions, Verdict,
};
use proptest::prelude::*;

use crate::digraph::{Case, Shape};
use crate::random::case;

/// A report without its bytes and times.
fn summary(report: &Report) -> String {
    let Report {
        verdict,
        distinct,
        generated,
        outside,
        queue,
        levels,
        actions,
        trace,
        lasso,
        ..
    } = report;
    let counts = [distinct, generated, outside, queue];
    format!("{verdict:?} {counts:?} {levels:?} {actions:?} {trace:?} {lasso:?}")
}

/// The identity of a search; the digest of this program is made once.
fn identity(model: &dyn ConfiguredModel) -> SearchIdentity {
    static ONE: OnceLock<SearchIdentity> = OnceLock::new();
    let options = SearchOptions::default();
    ONE.get_or_init(|| {
        model
            .search_identity(&options)
            .expect("the program is there")
    })
    .clone()
}

/// Goes on from what there is in the folder, or begins, until so many states are known.
fn search(model: &dyn ConfiguredModel, folder: &Path, max_states: Option<u64>) -> Report {
    let checkpoint = if folder.join("checkpoint.json").exists() {
        Checkpoint::resume(folder, identity(model))
    } else {
        Checkpoint::create(folder, identity(model))
    };
    let checkpoint = checkpoint
        .expect("nobody else uses the folder")
        .every(Duration::ZERO);
    let options = SearchOptions {
        max_states,
        checkpoint: Some(Arc::new(Mutex::new(checkpoint))),
        ..SearchOptions::default()
    };
    model.check(&options, &Progress::default())
}

/// Stops a search at each number of states, and goes on each time: what it ends with.
fn in_pieces(model: &dyn ConfiguredModel, states: u64) -> Report {
    let folder = tempfile::tempdir().expect("there is room for it");
    for most in 1..=states {
        search(model, folder.path(), Some(most));
    }
    search(model, folder.path(), None)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn a_search_in_pieces_ends_with_the_behaviour_of_an_undisturbed_one(case in case()) {
        let expected = case.check(2);
        let found = in_pieces(case.configure().as_ref(), 5);
        prop_assert_eq!(summary(&found), summary(&expected));
    }
}

#[test]
fn a_lasso_through_levels_that_were_restored_is_found() {
    // 0 to 19, and from there back to 10.
    let mut edges: Vec<_> = (0..19)
        .map(|at| (at, usize::from(at % 3), at + 1))
        .collect();
    edges.push((19, 2, 10));
    let case = Case {
        initial: vec![0],
        edges,
        predicates: vec![vec![3]],
        fairness: vec![],
        formula: Shape::infinitely_often(0),
    };
    let expected = case.check(2);
    assert!(
        matches!(expected.verdict, Verdict::Violated { .. }),
        "{:?}",
        expected.verdict
    );
    let found = in_pieces(case.configure().as_ref(), 20);
    assert_eq!(summary(&found), summary(&expected));
}
