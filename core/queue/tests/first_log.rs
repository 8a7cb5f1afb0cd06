//! The log of the crate's first example is what it says it is.

#![allow(clippy::unwrap_used, clippy::redundant_closure_for_method_calls)]

mod common;

use common::{Chain, work};

#[test]
fn the_example_log_is_the_first_two_commits_of_a_queue() {
    let mut chain = Chain::new();
    chain.push(chain.submit(vec![work("g", "a")], 2000));
    if std::env::var_os("UPDATE_LOGS").is_some() {
        std::fs::write("tests/logs/first.jsonl", chain.text()).unwrap();
    }
    assert_eq!(chain.text(), include_str!("logs/first.jsonl"));
}
