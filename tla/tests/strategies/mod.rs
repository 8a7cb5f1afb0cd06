//! Values at random, for the laws of all who read or write them.

use plumb_tla::Value;
use proptest::collection::vec;
use proptest::prelude::*;

/// Any text that a value may hold: all but the NUL character. `#` begins words of ITF.
pub(crate) fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{0,3}",
        "[ -~\n\t\r\u{c}é→𝔘\\\\\"#]{0,8}",
        any::<String>().prop_map(|text| text.replace('\0', "")),
    ]
}

/// A name that is no reserved word.
pub(crate) fn name() -> impl Strategy<Value = String> {
    "[a-z_][A-Za-z0-9_]{0,5}"
}

/// A value that goes so deep, and has up to so many elements at each place.
pub(crate) fn value(depth: u32, most: usize) -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::bool),
        any::<i64>().prop_map(Value::int),
        (0i64..4).prop_map(Value::int),
        text().prop_map(Value::str),
        name().prop_map(Value::model),
    ];
    leaf.prop_recursive(depth, 10 * depth, most as u32, move |inner| {
        let few = 0..most;
        prop_oneof![
            vec(inner.clone(), few.clone()).prop_map(Value::set),
            vec(inner.clone(), few.clone()).prop_map(Value::tuple),
            vec((name(), inner.clone()), few.clone()).prop_map(Value::record),
            vec((text(), inner.clone()), few.clone()).prop_map(Value::record),
            vec((inner.clone(), inner.clone()), few.clone()).prop_map(Value::function),
            vec(((0i64..4).prop_map(Value::int), inner), few).prop_map(Value::function),
        ]
    })
}
