//! Each invariant is false where it should be, and vacuous where nothing is promised.

use plumb_tla::parse_state;

use crate::harness::walk::violated;
use crate::service;

/// A state in the middle of a cycle in which every invariant holds.
const STATE: &str = r#"/\ passes = <<3, 5, 15>>
/\ active = {1, 2, 3}
/\ eligible = {1, 2, 3}
/\ counts = <<2, 1, 1>>
/\ phase = 4
/\ completedCycle = TRUE
/\ cycleCounts = <<5, 3, 2>>
/\ served = <<0, 1, 1>>"#;

fn violated_by(mode: &str, dynamic: bool, old: &str, new: &str) -> Vec<&'static str> {
    assert!(STATE.contains(old), "{old} is to be replaced");
    let model = service(mode, dynamic, true);
    let text = STATE.replacen(old, new, 1);
    let state = parse_state(&text).unwrap();
    let state = plumb_checker::CheckedModel::parse_tla(&model, &state).unwrap();
    violated(&model, &state)
}

#[test]
fn each_invariant_is_false_where_it_should_be() {
    for (old, new, expected) in [
        ("phase = 4", "phase = 4", &[] as &[&str]),
        ("passes = <<3", "passes = <<-1", &["TypeOK"]),
        ("passes = <<3", "passes = <<1000", &[]),
        ("phase = 4", "phase = 10", &["TypeOK"]),
        ("phase = 4", "phase = 0", &[]),
        ("phase = 4", "phase = -1", &["TypeOK"]),
        ("counts = <<2", "counts = <<5", &[]),
        ("counts = <<2", "counts = <<6", &["ServiceDeviation"]),
        ("counts = <<2", "counts = <<-1", &["TypeOK"]),
        (
            "counts = <<2",
            "counts = <<-2",
            &["TypeOK", "ServiceDeviation"],
        ),
        ("1, 1>>", "1, 3>>", &[]),
        ("1, 1>>", "1, 4>>", &["ServiceDeviation"]),
        (
            "counts = <<2",
            "counts = <<11",
            &["TypeOK", "ServiceDeviation"],
        ),
        ("<<5, 3, 2>>", "<<5, 2, 3>>", &["FixedCycleShare"]),
        (
            "<<5, 3, 2>>",
            "<<11, 3, 2>>",
            &["TypeOK", "FixedCycleShare"],
        ),
        (
            "<<5, 3, 2>>",
            "<<5, 3, -1>>",
            &["TypeOK", "FixedCycleShare"],
        ),
    ] {
        for mode in ["weighted", "broken"] {
            let found = violated_by(mode, false, old, new);
            assert_eq!(found, expected, "{mode}: {old} replaced by {new}");
        }
    }
}

#[test]
fn no_share_is_promised_under_strict_priority_or_to_keys_that_change() {
    for (old, new) in [
        ("counts = <<2", "counts = <<6"),
        ("<<5, 3, 2>>", "<<5, 2, 3>>"),
    ] {
        assert_eq!(violated_by("strict", false, old, new), [""; 0]);
        assert_eq!(violated_by("weighted", true, old, new), [""; 0]);
    }
    let before = STATE.replacen("completedCycle = TRUE", "completedCycle = FALSE", 1);
    let before = before.replacen("<<5, 3, 2>>", "<<0, 0, 0>>", 1);
    let model = service("weighted", false, true);
    let state = parse_state(&before).unwrap();
    let state = plumb_checker::CheckedModel::parse_tla(&model, &state).unwrap();
    assert_eq!(violated(&model, &state), [""; 0], "no cycle is completed");
}

#[test]
fn what_is_no_state_is_refused_at_its_place() {
    let model = service("weighted", false, true);
    for (old, new, expected) in [
        (
            "served = <<0",
            "served = <<2",
            "served[1]: expected one of 0, 1, found 2",
        ),
        (
            "passes = <<3, 5, 15>>",
            "passes = <<3, 5>>",
            "passes: expected a function on 1..3, found <<3, 5>>",
        ),
        (
            "eligible = {1, 2, 3}",
            "eligible = {1, 4}",
            "eligible: expected a subset of {1, 2, 3}, found {1, 4}",
        ),
        (
            "phase = 4",
            "phase = \"4\"",
            "phase: expected an integer, found \"4\"",
        ),
    ] {
        let text = STATE.replacen(old, new, 1);
        let state = parse_state(&text).unwrap();
        let error = plumb_checker::CheckedModel::parse_tla(&model, &state).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
}
