//! States: reading, printing, comparing.

#![allow(clippy::panic, clippy::unwrap_used, clippy::expect_used)]

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use plumb_tla::{State, Value, difference, parse_state};

fn read(text: &str) -> State {
    parse_state(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

#[test]
fn states_are_read_in_every_layout() {
    let expected = State::new([
        ("x", Value::int(1)),
        ("queue", Value::tuple([Value::int(2), Value::int(3)])),
    ]);
    for text in [
        "/\\ x = 1\n/\\ queue = <<2, 3>>",
        "/\\ queue = <<2, 3>>\n/\\ x = 1\n\n",
        "/\\ x = 1 /\\ queue = <<2,3>>",
        "/\\ queue = << 2,\n            3 >>\r\n/\\ x = 1\r\n",
        "  /\\x=1\n  /\\queue=(1 :> 2 @@ 2 :> 3)",
    ] {
        assert_eq!(read(text), expected, "{text}");
    }
    assert_eq!(read("x = 1"), State::new([("x", Value::int(1))]));
    assert_eq!(read("/\\ x = 1"), read("x = 1\n"));
}

#[test]
fn the_order_of_variables_is_kept_and_does_not_matter() {
    let one = read("/\\ b = 1\n/\\ a = 2");
    let other = read("/\\ a = 2\n/\\ b = 1");
    assert_eq!(
        one.iter().map(|(name, _)| name).collect::<Vec<_>>(),
        ["b", "a"]
    );
    assert_eq!(one.to_string(), "/\\ b = 1\n/\\ a = 2");
    assert_eq!(one, other);
    assert!(one.cmp(&other).is_eq());
    assert!(one.has_variables_of(&other));
    let hash = |state: &State| {
        let mut hasher = DefaultHasher::new();
        state.hash(&mut hasher);
        hasher.finish()
    };
    assert_eq!(hash(&one), hash(&other));
    for different in [
        "/\\ a = 2\n/\\ b = 2",
        "/\\ a = 2\n/\\ c = 1",
        "a = 2",
        "/\\ a = 2\n/\\ b = 1\n/\\ c = 1",
    ] {
        assert_ne!(one, read(different));
    }
    assert_eq!(format!("{one:?}"), r#"{"b": Int(1), "a": Int(2)}"#);
    assert_eq!((one.len(), one.is_empty()), (2, false));
    assert_eq!((one.get("a"), one.get("c")), (Some(&Value::int(2)), None));
    let last = State::new([
        ("a", Value::int(1)),
        ("b", Value::int(2)),
        ("a", Value::int(3)),
    ]);
    assert_eq!(last.to_string(), "/\\ a = 3\n/\\ b = 2");
}

#[test]
fn what_is_no_state_is_refused_with_its_place() {
    let texts = [
        "",
        "/\\",
        "x",
        "x = ",
        "x = 1 y = 2",
        "x = 1\n/\\ y = 2",
        "/\\ x = 1\n\\/ y = 2",
        "/\\ x = 1\n/\\ x = 2",
        "/\\ x = 1\n/\\ 2 = 2",
        "/\\ x == 1",
        "/\\ x = 1\n/\\ y = {1,\n  2",
        "/\\ x' = 1",
    ];
    let report: String = texts
        .iter()
        .map(|text| format!("{text:?}\n    {}\n", parse_state(text).expect_err(text)))
        .collect();
    insta::assert_snapshot!("states_refused", report);
}

#[test]
fn long_states_are_wrapped() {
    let state = read(
        r#"/\ holder = p2 /\ stats = [rounds |-> 1, by |-> (1 :> "none" @@ 5 :> "van")] /\ log = {<<p1, 0, {"signed"}>>}"#,
    );
    insta::assert_snapshot!(state.pretty(40), @r#"
    /\ holder = p2
    /\ stats = [
         by |-> (1 :> "none" @@ 5 :> "van"),
         rounds |-> 1
       ]
    /\ log = {<<p1, 0, {"signed"}>>}
    "#);
    for width in 0..100 {
        assert_eq!(read(&state.pretty(width).to_string()), state);
    }
}

#[test]
fn only_what_changed_is_a_difference() {
    let cases = [
        ("x = 1", "x = 1", ""),
        ("x = 1", "x = 2", "x: 1 → 2"),
        ("x = 1", "x = \"1\"", "x: 1 → \"1\""),
        ("x = 1", "y = 1", "x: removed 1; y: added 1"),
        (
            "s = {1, 2}",
            "s = {2, 3, 4}",
            "s: removed element 1; s: added element 3; s: added element 4",
        ),
        ("q = <<>>", "q = <<5>>", "q[1]: added 5"),
        ("q = <<1, 2, 3>>", "q = <<2, 3>>", "q[1]: removed 1"),
        ("q = <<1, 2, 3>>", "q = <<1, 3>>", "q[2]: removed 2"),
        ("q = <<1, 2>>", "q = <<1, 2, 3>>", "q[3]: added 3"),
        ("q = <<1, 2, 3>>", "q = <<1, 5, 3>>", "q[2]: 2 → 5"),
        ("q = <<1, 2>>", "q = <<2, 1>>", "q[1]: 1 → 2; q[2]: 2 → 1"),
        ("q = <<1, 1>>", "q = <<1>>", "q[2]: removed 1"),
        (
            "q = <<1, 2>>",
            "q = <<3, 4, 2>>",
            "q[1]: 1 → 3; q[2]: added 4",
        ),
        (
            "r = [a |-> 1, b |-> 2]",
            "r = [b |-> 3, c |-> 4]",
            "r.a: removed 1; r.b: 2 → 3; r.c: added 4",
        ),
        (
            "f = (p1 :> 1 @@ p2 :> 2)",
            "f = (p1 :> 1 @@ p2 :> 3)",
            "f[p2]: 2 → 3",
        ),
        (
            "f = (\"a b\" :> 1)",
            "f = (\"a b\" :> 3)",
            "f[\"a b\"]: 1 → 3",
        ),
        (
            "pending = <<[phase |-> \"new\", marks |-> {}]>>",
            "pending = <<[phase |-> \"old\", marks |-> {1}]>>",
            "pending[1].marks: added element 1; pending[1].phase: \"new\" → \"old\"",
        ),
        ("f = <<>>", "f = (0 :> 1)", "f: <<>> → (0 :> 1)"),
    ];
    for (before, after, expected) in cases {
        let found = difference(&read(before), &read(after));
        let found: Vec<String> = found.iter().map(ToString::to_string).collect();
        assert_eq!(found.join("; "), expected, "{before} to {after}");
    }
}

#[test]
fn differences_follow_the_order_of_the_variables() {
    let before = read("/\\ b = 1 /\\ a = 1");
    let after = read("/\\ a = 2 /\\ b = 2");
    let paths: Vec<String> = difference(&before, &after)
        .into_iter()
        .map(|part| part.path)
        .collect();
    assert_eq!(paths, ["b", "a"]);
}
