//! Whole lives against a store in memory and a host that only pretends, with faults.

#![allow(clippy::unwrap_used)]

use plumb_queue::demo::{Event, demo};
use plumb_queue::log::{Log, replay};

#[test]
fn the_demonstration_goes_through_a_whole_life() {
    let mut kinds = Vec::new();
    let log = demo(&mut |event| {
        if let Event::Committed(commit) = event {
            kinds.push(commit.request.kind.to_string());
        }
    })
    .unwrap();
    let expected = "submit dispatch_next dispatch dispatch dispatch finish finish result result release \
                    dispatch_next dispatch dispatch finish result release";
    assert_eq!(kinds.join(" "), expected);
    let state = replay(log.as_bytes()).unwrap();
    assert!(state.is_quiescent());
    assert_eq!(state.totals().claims, 3);
    assert_eq!(state.totals().reserve, 0);
    // It is canonical, and the same each time.
    assert_eq!(Log::read(log.as_bytes()).unwrap().compact().unwrap(), log);
    assert_eq!(demo(&mut |_| {}).unwrap(), log);
}
