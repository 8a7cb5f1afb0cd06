//! Bytes that resemble logs: nothing that is read makes the reader do anything but accept or refuse.

#![allow(clippy::unwrap_used)]

mod common;

use common::scenario;
use plumb_queue::log::{Log, replay};
use plumb_queue::probe;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_log_with_changed_bytes_is_accepted_or_refused(changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4)) {
        let mut log = scenario().text().into_bytes();
        for (index, byte) in changes {
            let index = index.index(log.len());
            log[index] = byte;
        }
        if let Err(error) = replay(&log) {
            prop_assert!(!error.to_string().is_empty());
        }
    }

    #[test]
    fn a_log_with_moved_pieces_is_accepted_or_refused(pieces in prop::collection::vec((any::<prop::sample::Index>(), 1_usize..200, any::<prop::sample::Index>()), 1..4)) {
        let mut log = scenario().text().into_bytes();
        for (from, length, to) in pieces {
            let from = from.index(log.len());
            let piece: Vec<u8> = log[from..(from + length).min(log.len())].to_vec();
            let to = to.index(log.len());
            log.splice(to..to, piece);
        }
        let _ = Log::read(&log).and_then(|log| log.replay(|_, _| {}));
    }

    #[test]
    fn the_probe_answers_every_line_with_one_line_of_json(line in "\\PC*|\\{\"action\":\"[a-z_]{0,12}\",\"(text|log|nodes|kind)\":(1|\"[^\"]*\"|\\[\\]|\\{\\})\\}") {
        let answer = probe::answer(&line);
        let read: serde_json::Value = serde_json::from_str(&answer).unwrap();
        prop_assert!(read["ok"].is_boolean());
        prop_assert!(read["ok"] == true || read["code"].is_string() && read["message"].is_string());
        prop_assert!(!answer.contains('\n'));
    }
}
