//! Laws of reading and writing, on random values and random text.

#![allow(clippy::unwrap_used)]

use plumb_canonical::{Digest, Integer, Object, Reader, Value, canonicalize, parse};
use proptest::prelude::*;

/// Characters that are special somewhere, and some that are not.
fn text() -> impl Strategy<Value = String> {
    let special =
        "\"\\/\u{0}\u{8}\t\n\u{b}\u{c}\r\u{1f} \u{7f}\u{80}é\u{2028}\u{e000}\u{ffff}\u{10000}abz";
    let characters: Vec<char> = special.chars().collect();
    prop::collection::vec(prop::sample::select(characters), 0..20)
        .prop_map(|characters| characters.into_iter().collect())
}

fn value() -> impl Strategy<Value = Value<'static>> {
    let integer = (Integer::MIN.get()..=Integer::MAX.get())
        .prop_map(|number| Value::Integer(Integer::new(number).unwrap()));
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        integer,
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(5, 60, 8, |inner| {
        let members = prop::collection::btree_map(text(), inner.clone(), 0..8);
        prop_oneof![
            prop::collection::vec(inner, 0..8).prop_map(Value::from),
            members.prop_map(|members| Object::from_members(members).unwrap().into()),
        ]
    })
}

/// The same value in another layout: space, members in reverse, every character escaped.
fn disguise(value: &Value<'_>, text: &mut String) {
    let string = |string: &str, text: &mut String| {
        text.push('"');
        for unit in string.encode_utf16() {
            text.push_str(&format!("\\u{unit:04X}"));
        }
        text.push('"');
    };
    text.push_str(" \t");
    match value {
        Value::String(content) => string(content, text),
        Value::Array(elements) => {
            text.push('[');
            for (index, element) in elements.iter().enumerate() {
                text.push_str(if index > 0 { " ," } else { "" });
                disguise(element, text);
            }
            text.push(']');
        }
        Value::Object(object) => {
            text.push('{');
            let members: Vec<_> = object.iter().collect();
            for (index, (key, member)) in members.iter().rev().enumerate() {
                text.push_str(if index > 0 { ",\r\n" } else { "" });
                string(key, text);
                text.push(':');
                disguise(member, text);
            }
            text.push('}');
        }
        scalar => text.push_str(&scalar.to_canonical()),
    }
    text.push(' ');
}

/// What serde_json makes of a text, for what both accept.
fn same(ours: &Value<'_>, theirs: &serde_json::Value) -> bool {
    match (ours, theirs) {
        (Value::Null, serde_json::Value::Null) => true,
        (Value::Bool(ours), serde_json::Value::Bool(theirs)) => ours == theirs,
        (Value::Integer(ours), serde_json::Value::Number(theirs)) => {
            Some(ours.get()) == theirs.as_i64()
        }
        (Value::String(ours), serde_json::Value::String(theirs)) => ours == theirs,
        (Value::Array(ours), serde_json::Value::Array(theirs)) => {
            ours.len() == theirs.len()
                && ours
                    .iter()
                    .zip(theirs)
                    .all(|(ours, theirs)| same(ours, theirs))
        }
        (Value::Object(ours), serde_json::Value::Object(theirs)) => {
            ours.len() == theirs.len()
                && ours
                    .iter()
                    .all(|(key, ours)| theirs.get(key).is_some_and(|theirs| same(ours, theirs)))
        }
        _ => false,
    }
}

/// Bytes that resemble JSON.
fn noise() -> impl Strategy<Value = Vec<u8>> {
    let pieces: Vec<&[u8]> = vec![
        b"{",
        b"}",
        b"[",
        b"]",
        b",",
        b":",
        b"\"",
        b"\\",
        b"\\u",
        b"d800",
        b"dc00",
        b"0061",
        b"\"a\"",
        b"\"\\u0061\"",
        b"1",
        b"0",
        b"-",
        b".",
        b"e",
        b"+",
        b"true",
        b"null",
        b" ",
        b"\n",
        b"\xff",
        b"\xc3\xa9",
        b"9007199254740992",
    ];
    prop::collection::vec(prop::sample::select(pieces), 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn what_is_written_is_read_back(value in value()) {
        let text = value.to_canonical();
        prop_assert_eq!(value.canonical_len(), text.len());
        prop_assert_eq!(parse(&text).unwrap(), value.clone());
        prop_assert_eq!(value.digest(), Digest::of(text.as_bytes()));
        prop_assert_eq!(canonicalize(text.as_bytes()).unwrap(), text);
    }

    #[test]
    fn layout_does_not_matter(value in value()) {
        let mut text = String::new();
        disguise(&value, &mut text);
        prop_assert_eq!(parse(&text).unwrap(), value.clone());
        prop_assert_eq!(canonicalize(text.as_bytes()).unwrap(), value.to_canonical());
    }

    #[test]
    fn serde_json_reads_the_same(value in value()) {
        let theirs: serde_json::Value = serde_json::from_str(&value.to_canonical()).unwrap();
        prop_assert!(same(&value, &theirs));
    }

    #[test]
    fn no_bytes_make_a_reader_fail_otherwise_than_with_a_fault_in_the_text(bytes in noise()) {
        let tree = Reader::default().read(&bytes);
        let streamed = canonicalize(&bytes);
        match tree {
            Ok(value) => {
                prop_assert_eq!(streamed.unwrap(), value.to_canonical());
                let theirs: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
                prop_assert!(same(&value, &theirs));
            }
            Err(fault) => {
                prop_assert!(fault.offset() <= bytes.len());
                prop_assert_eq!(streamed.unwrap_err(), fault);
            }
        }
    }

    #[test]
    fn every_prefix_of_a_canonical_text_is_refused(value in value()) {
        let text = value.to_canonical();
        let is_number = matches!(value, Value::Integer(_));
        for end in 0..text.len() {
            prop_assert!(is_number || canonicalize(&text.as_bytes()[..end]).is_err());
        }
    }
}

#[test]
fn digests_are_those_of_the_standard() {
    // FIPS 180-2, appendix B.
    let abc: Digest = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        .parse()
        .unwrap();
    assert_eq!(Digest::of(b"abc"), abc);
    assert_eq!(abc.to_string().parse(), Ok(abc));
    let wrong = [
        "",
        "BA7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
        "00",
        "é",
    ];
    for wrong in wrong {
        assert!(wrong.parse::<Digest>().is_err(), "{wrong}");
    }
    // Section 4: the check value of an independent root.
    let payload = parse(r#"{"b":2,"a":1}"#).unwrap();
    let graph = payload.digest().to_string();
    assert!(
        graph.starts_with("43258cff") && graph.ends_with("2777"),
        "{graph}"
    );
    let work = format!(r#"{{"graph_id":"{graph}","node_key":"root"}}"#);
    let work = Digest::of(work.as_bytes()).to_string();
    assert!(
        work.starts_with("e41927ad") && work.ends_with("d62e"),
        "{work}"
    );
}

#[test]
fn objects_keep_their_order_however_they_are_built() {
    let one = Value::from(1);
    let mut object = Object::from_members([("b", one.clone()), ("a", one.clone())]).unwrap();
    assert_eq!(object.insert("ab", Value::Null), None);
    assert_eq!(object.insert("a", Value::from(2)), Some(one.clone()));
    assert_eq!(object.to_canonical(), r#"{"a":2,"ab":null,"b":1}"#);
    assert_eq!(object.canonical_len(), 23);
    assert_eq!(object.remove("ab"), Some(Value::Null));
    assert_eq!(object.remove("ab"), None);
    assert_eq!(
        object.iter().map(|(key, _)| key).collect::<Vec<_>>(),
        ["a", "b"]
    );
    assert!(Object::from_members([("a", one.clone()), ("a", one)]).is_err());
}
