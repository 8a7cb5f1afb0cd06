//! Values: what is read, what is printed, and what is refused.

#![allow(clippy::panic, clippy::unwrap_used, clippy::expect_used)]

use plumb_tla::Value;

fn read(text: &str) -> Value {
    text.parse()
        .unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn error(text: &str) -> String {
    text.parse::<Value>().expect_err(text).to_string()
}

#[test]
fn every_notation_is_read() {
    let int = |number: i64| Value::int(number);
    let cases: Vec<(&str, Value)> = vec![
        ("TRUE", Value::bool(true)),
        ("FALSE", Value::bool(false)),
        ("0", int(0)),
        ("-17", int(-17)),
        ("9223372036854775807", int(i64::MAX)),
        ("-9223372036854775808", int(i64::MIN)),
        ("007", int(7)),
        (r#""""#, Value::str("")),
        (r#""a b""#, Value::str("a b")),
        (r#""\"\\\n\t\r\f""#, Value::str("\"\\\n\t\r\u{c}")),
        ("\"é→\"", Value::str("é→")),
        ("p1", Value::model("p1")),
        ("TRUEISH", Value::model("TRUEISH")),
        ("_x", Value::model("_x")),
        ("1st", Value::model("1st")),
        ("{}", Value::set([])),
        ("{ }", Value::set([])),
        ("{2, 1, 2}", Value::set([int(1), int(2)])),
        (
            "{{}, {{}}}",
            Value::set([Value::set([]), Value::set([Value::set([])])]),
        ),
        ("1..3", Value::set([int(1), int(2), int(3)])),
        ("-1 .. 0", Value::set([int(-1), int(0)])),
        ("3..1", Value::set([])),
        (
            "{1..2, 5..5}",
            Value::set([Value::set([int(1), int(2)]), Value::set([int(5)])]),
        ),
        ("<<>>", Value::tuple([])),
        ("<< >>", Value::tuple([])),
        (
            "<<1, <<p>>>>",
            Value::tuple([int(1), Value::tuple([Value::model("p")])]),
        ),
        ("<< 1,\n   2 >>", Value::tuple([int(1), int(2)])),
        ("[a |-> 1]", Value::record([("a", int(1))])),
        (
            "[ b |-> 2,\r\n  a |-> 1 ]",
            Value::record([("a", int(1)), ("b", int(2))]),
        ),
        ("[a|->1]", Value::record([("a", int(1))])),
        (
            "[work-1 |-> 1, a b |-> 2]",
            Value::record([("work-1", int(1)), ("a b", int(2))]),
        ),
        (r#"["a, b" |-> 1]"#, Value::record([("a, b", int(1))])),
        ("[]", Value::tuple([])),
        ("()", Value::tuple([])),
        ("(3 :> 1)", Value::function([(int(3), int(1))])),
        (
            "(p1 :> \"a\" @@ p2 :> {})",
            Value::function([
                (Value::model("p1"), Value::str("a")),
                (Value::model("p2"), Value::set([])),
            ]),
        ),
        // One value, one variant.
        ("(2 :> 20 @@ 1 :> 10)", Value::tuple([int(10), int(20)])),
        (r#"("x" :> 1)"#, Value::record([("x", int(1))])),
        ("  1  \n", int(1)),
    ];
    for (text, value) in cases {
        assert_eq!(read(text), value, "{text}");
    }
}

#[test]
fn values_are_printed_as_tlc_prints_them() {
    let as_they_are = [
        "TRUE",
        "-5",
        r#""q \" \\ \n\t\r\f""#,
        "p1",
        "{}",
        "{1, 2}",
        "<<>>",
        "<<p1, 0, {\"signed\"}>>",
        r#"[by |-> (1 :> "none" @@ 5 :> "none"), ok |-> TRUE, rounds |-> 0]"#,
        r#"("a b" :> 1 @@ "x" :> 2)"#,
        "(-1 :> {<<>>} @@ 2 :> {<<>>})",
    ];
    for text in as_they_are {
        assert_eq!(read(text).to_string(), text);
    }
    assert_eq!(
        read("{2, 1, {}, <<>>, \"b\", \"a\", m, TRUE}").to_string(),
        r#"{TRUE, 1, 2, "a", "b", m, {}, <<>>}"#
    );
    assert_eq!(Value::function([]).to_string(), "<<>>");
}

#[test]
fn a_function_takes_its_normal_form() {
    let int = |number: i64| Value::int(number);
    assert_eq!(Value::function([]), Value::Tuple(vec![]));
    assert_eq!(Value::record::<String>([]), Value::Tuple(vec![]));
    assert_eq!(
        Value::function([(int(1), int(5))]),
        Value::Tuple(vec![int(5)])
    );
    assert!(matches!(
        Value::function([(int(0), int(5)), (int(1), int(5))]),
        Value::Function(_)
    ));
    assert!(matches!(
        Value::function([(int(1), int(5)), (Value::str("a"), int(1))]),
        Value::Function(_)
    ));
    assert!(matches!(
        Value::function([(Value::str("a"), int(1))]),
        Value::Record(_)
    ));
    assert_eq!(
        Value::function([(int(1), int(5)), (int(1), int(6))]),
        Value::Tuple(vec![int(6)])
    );
}

#[test]
fn parts_of_values_are_reached() {
    let value =
        read(r#"[queue |-> <<p1, p2>>, by |-> (5 :> "van"), open |-> TRUE, n |-> 3, s |-> {1}]"#);
    assert_eq!(value.field("n").and_then(Value::as_int), Some(3));
    assert_eq!(value.field("open").and_then(Value::as_bool), Some(true));
    assert_eq!(value.apply(&Value::str("n")), Some(&Value::int(3)));
    assert_eq!(value.field("missing"), None);
    let queue = value.field("queue").unwrap();
    assert_eq!(queue.as_tuple().map(<[Value]>::len), Some(2));
    assert_eq!(
        queue.apply(&Value::int(2)).and_then(Value::as_model),
        Some("p2")
    );
    for outside in [0, 3, -1, i64::MIN, i64::MAX] {
        assert_eq!(queue.apply(&Value::int(outside)), None);
    }
    assert_eq!(queue.apply(&Value::str("1")), None);
    let by = value.field("by").unwrap();
    assert_eq!(
        by.apply(&Value::int(5)).and_then(Value::as_str),
        Some("van")
    );
    assert_eq!(
        by.as_function().map(std::collections::BTreeMap::len),
        Some(1)
    );
    assert_eq!(
        value
            .field("s")
            .and_then(Value::as_set)
            .map(std::collections::BTreeSet::len),
        Some(1)
    );
    assert_eq!(
        value.as_record().map(std::collections::BTreeMap::len),
        Some(5)
    );
    assert_eq!(Value::from("a").as_int(), None);
    assert_eq!(Value::model("a").as_str(), None);

    let names = [
        "TRUE",
        "1",
        "\"\"",
        "m",
        "{}",
        "<<>>",
        "[a |-> 1]",
        "(0 :> 1)",
    ]
    .map(|text| read(text).type_name());
    assert_eq!(
        names,
        [
            "a truth value",
            "an integer",
            "a string",
            "a model value",
            "a set",
            "a tuple",
            "a record",
            "a function"
        ]
    );
}

#[test]
fn what_is_no_value_is_refused_with_its_place() {
    let texts = [
        "",
        "  ",
        "1 2",
        "{1, }",
        "{1 2}",
        "{1",
        "<<1>",
        "<1>",
        "[a |-> 1",
        "[a -> 1]",
        "[{} |-> 1]",
        "[a |-> 1, a |-> 2]",
        "(1 -> 2)",
        "(1 :> 2 @@ 1 :> 3)",
        "(1)",
        "\"abc",
        "\"ab\nc\"",
        "\"a\\q\"",
        "\"a\0\"",
        "\0",
        "-",
        "--1",
        "9223372036854775808",
        "-9223372036854775809",
        "1..",
        "1..x",
        "1..1000001",
        "-9223372036854775808..9223372036854775807",
        "SUBSET {1}",
        "x'",
        "<<1,\n  <<é, >>>>",
        "\"é\" §",
        "{a, b}}",
        "\u{feff}1",
        "a.b",
        "a_very_long_word_that_stands_where_nothing_should_stand_at_all b_very_long_word_that_stands_where_nothing_should_stand_at_all",
    ];
    let report: String = texts
        .iter()
        .map(|text| format!("{text:?}\n    {}\n", error(text)))
        .collect();
    insta::assert_snapshot!("values_refused", report);
}

#[test]
fn nesting_has_a_limit() {
    for (open, close) in [("{", "}"), ("<<", ">>"), ("[a |-> ", "]"), ("(0 :> ", ")")] {
        let nested = |depth: usize| format!("{}1{}", open.repeat(depth), close.repeat(depth));
        assert_eq!(read(&nested(200)).to_string(), nested(200));
        assert!(
            error(&nested(201))
                .ends_with("expected values nested at most 200 deep, found one nested deeper")
        );
        assert!(error(&open.repeat(1_000_000)).contains("200 deep"));
    }
}

#[test]
fn intervals_have_a_limit_together() {
    assert_eq!(
        read("1..1000000")
            .as_set()
            .map(std::collections::BTreeSet::len),
        Some(1_000_000)
    );
    let many = format!("{{{}}}", ["1..100000"; 11].join(", "));
    assert!(error(&many).contains("intervals of together at most 1000000 elements"));
}

#[test]
fn long_values_are_wrapped() {
    let text = r#"[by |-> (1 :> "none" @@ 5 :> "none"), log |-> {<<p1, 0, {"signed"}>>, <<p2, 1, {"sealed", "signed"}>>}, ok |-> TRUE]"#;
    let value = read(text);
    assert_eq!(value.pretty(200).to_string(), text);
    insta::assert_snapshot!(value.pretty(40), @r#"
    [
      by |-> (1 :> "none" @@ 5 :> "none"),
      log |-> {
        <<p1, 0, {"signed"}>>,
        <<p2, 1, {"sealed", "signed"}>>
      },
      ok |-> TRUE
    ]
    "#);
    for width in 0..130 {
        assert_eq!(read(&value.pretty(width).to_string()), value);
    }
}
