//! Section 3 of the protocol: what is read, what is refused, and with which code and place.

use plumb_canonical::{
    FaultCode, FaultKind, Integer, MAX_ELEMENTS, Reader, Value, canonicalize, parse,
};

/// Accepted texts and their canonical form.
const ACCEPTED: &[(&str, &str)] = &[
    // Layout is free.
    (
        " { \"b\" : [ 1 , 2 ] ,\r\n\t\"a\" : null } ",
        r#"{"a":null,"b":[1,2]}"#,
    ),
    ("true", "true"),
    (" false ", "false"),
    (r#""""#, r#""""#),
    ("[]", "[]"),
    ("{}", "{}"),
    // Integers, up to both bounds.
    (
        "[0,-1,9007199254740991,-9007199254740991]",
        "[0,-1,9007199254740991,-9007199254740991]",
    ),
    // Needless escapes are undone, and the needed ones written shortest.
    (r#""\u0041\/\u00e9""#, r#""A/é""#),
    (
        r#""\u0008\u0009\u000a\u000c\u000d\u0022\u005c""#,
        r#""\b\t\n\f\r\"\\""#,
    ),
    (r#""\u0000\u001F\u007f""#, "\"\\u0000\\u001f\u{7f}\""),
    (r#""\u2028\u2029<>&""#, "\"\u{2028}\u{2029}<>&\""),
    // A surrogate pair is one character; nothing is normalised.
    (r#""\ud83d\uDE00""#, "\"\u{1f600}\""),
    ("\"e\u{301}\"", "\"e\u{301}\""),
    // Keys are sorted by UTF-8 bytes, in which U+E000 comes before U+10000; not so in UTF-16.
    (
        "{\"\u{10000}\":1,\"\u{e000}\":2}",
        "{\"\u{e000}\":2,\"\u{10000}\":1}",
    ),
    (
        r#"{"\ud800\udc00":1,"":2,"\ue000":3}"#,
        "{\"\":2,\"\u{e000}\":3,\"\u{10000}\":1}",
    ),
    (
        r#"{"b":{"d":1,"c":[{"z":1,"y":2}]},"a":3}"#,
        r#"{"a":3,"b":{"c":[{"y":2,"z":1}],"d":1}}"#,
    ),
    (r#"{"a":1,"A":2,"\u0061a":3}"#, r#"{"A":2,"a":1,"aa":3}"#),
];

#[test]
fn accepted_texts_have_one_canonical_form() {
    for (text, canonical) in ACCEPTED {
        assert_eq!(
            canonicalize(text.as_bytes()).as_deref(),
            Ok(*canonical),
            "{text}"
        );
        // Through values, too, and the canonical text is its own.
        let value = parse(text).unwrap();
        assert_eq!(value.to_canonical(), *canonical, "{text}");
        assert_eq!(value.canonical_len(), canonical.len(), "{text}");
        assert_eq!(
            canonicalize(canonical.as_bytes()).as_deref(),
            Ok(*canonical),
            "{text}"
        );
    }
}

/// Refused texts: the code, and the byte offset of the fault.
const REFUSED: &[(&[u8], &str, usize)] = &[
    // Rule 3: numbers.
    (b"1.0", "noncanonical_number", 0),
    (b"[1e3]", "noncanonical_number", 1),
    (b"[1E-3]", "noncanonical_number", 1),
    (b"-0", "noncanonical_number", 0),
    (b"-0.0", "noncanonical_number", 0),
    (b"01", "noncanonical_number", 0),
    (b"-01", "noncanonical_number", 0),
    (b"00", "noncanonical_number", 0),
    (b"+1", "noncanonical_number", 0),
    (b"9007199254740992", "noncanonical_number", 0),
    (b"-9007199254740992", "noncanonical_number", 0),
    (
        b"99999999999999999999999999999999999999",
        "noncanonical_number",
        0,
    ),
    (br#"{"payload":{"deep":[0.5]}}"#, "noncanonical_number", 20),
    // What the rule does not list is not JSON.
    (b"1.", "invalid_json", 0),
    (b".5", "invalid_json", 0),
    (b"-", "invalid_json", 0),
    (b"1e", "invalid_json", 0),
    (b"1-1", "invalid_json", 0),
    (b"NaN", "invalid_json", 0),
    (b"Infinity", "invalid_json", 0),
    // Rule 4: keys, after decoding.
    (br#"{"a":1,"a":2}"#, "duplicate_key", 7),
    (br#"{"a":1,"\u0061":2}"#, "duplicate_key", 7),
    (br#"{"b":1,"a":2,"b":3}"#, "duplicate_key", 13),
    (br#"[{"":1,"":2}]"#, "duplicate_key", 7),
    // Rule 5: Unicode.
    (br#""\ud800""#, "invalid_unicode", 1),
    (br#""\udc00""#, "invalid_unicode", 1),
    (br#""x\ud800\u0041""#, "invalid_unicode", 2),
    (br#""\ud800\ud800""#, "invalid_unicode", 1),
    (br#"{"\udead":1}"#, "invalid_unicode", 2),
    (b"\"\xff\"", "invalid_utf8", 1),
    (b"\"\xc0\x80\"", "invalid_utf8", 1),
    (b"\"\xed\xa0\x80\"", "invalid_utf8", 1),
    (b"\"\xe2\x82", "invalid_utf8", 1),
    // Rule 7 and the grammar.
    (b"", "invalid_json", 0),
    (b"  ", "invalid_json", 2),
    (b"\xef\xbb\xbf1", "invalid_json", 0),
    (b"1 2", "invalid_json", 2),
    (b"{} {}", "invalid_json", 3),
    (b"[1,]", "invalid_json", 3),
    (b"[,1]", "invalid_json", 1),
    (b"[1 2]", "invalid_json", 3),
    (b"[1", "invalid_json", 2),
    (b"{\"a\":1,}", "invalid_json", 7),
    (b"{\"a\" 1}", "invalid_json", 5),
    (b"{\"a\":1 \"b\":2}", "invalid_json", 7),
    (b"{\"a\"", "invalid_json", 4),
    (b"{a:1}", "invalid_json", 1),
    (b"{1:1}", "invalid_json", 1),
    (b"'a'", "invalid_json", 0),
    (b"tru", "invalid_json", 0),
    (b"nulL", "invalid_json", 0),
    (b"\"a", "invalid_json", 2),
    (b"\"a\nb\"", "invalid_json", 2),
    (b"\"\x00\"", "invalid_json", 1),
    (b"\"\\x\"", "invalid_json", 2),
    (b"\"\\u12\"", "invalid_json", 5),
    (b"\"\\", "invalid_json", 2),
    (b"/* c */ 1", "invalid_json", 0),
    (b"\xc2\xa01", "invalid_json", 0),
    // Rule 9: bad UTF-8 anywhere comes first, and then the order of the text.
    (b"[01,\"\xff\"]", "invalid_utf8", 5),
    (br#"[01,"\ud800"]"#, "noncanonical_number", 1),
    (br#"["\ud800",01]"#, "invalid_unicode", 2),
    (br#"{"b":1,"a":1,"a":01}"#, "duplicate_key", 13),
    (br#"{"a":01,"a":1}"#, "noncanonical_number", 5),
    (br#"{"a":{"b":1,"b":2},"a":1}"#, "duplicate_key", 12),
    (br#"[1 "\ud800"]"#, "invalid_json", 3),
];

#[test]
fn refused_texts_have_a_code_and_a_place() {
    for (text, code, offset) in REFUSED {
        let shown = String::from_utf8_lossy(text);
        let streamed = canonicalize(text).unwrap_err();
        let fault = Reader::default().read(text).unwrap_err();
        assert_eq!(fault, streamed, "{shown}");
        assert_eq!(
            (fault.code().as_str(), fault.offset()),
            (*code, *offset),
            "{shown}: {fault}"
        );
    }
}

#[test]
fn every_code_is_raised_by_a_text() {
    for code in FaultCode::ALL {
        // Limits have tests of their own below.
        let is_raised = REFUSED
            .iter()
            .any(|(_, raised, _)| *raised == code.as_str());
        assert!(is_raised || code == FaultCode::ResourceLimit, "{code}");
    }
}

#[test]
fn lines_and_columns_count_characters_from_one() {
    let cases = [
        ("\n\n  [1,x]", (3, 6)),
        ("{\"é\u{1f600}\": x}", (1, 8)),
        ("[1,\r\n2,\r\n]", (3, 1)),
    ];
    for (text, place) in cases {
        let fault = parse(text).unwrap_err();
        assert_eq!((fault.line(), fault.column()), place, "{text:?}: {fault}");
    }
}

#[test]
fn a_scalar_may_stand_in_64_arrays_and_an_empty_array_too() {
    // Rule 6, with its own examples.
    let nested =
        |levels: usize, inner: &str| format!("{}{inner}{}", "[".repeat(levels), "]".repeat(levels));
    assert!(parse(&nested(64, "1")).is_ok());
    assert!(parse(&nested(65, "")).is_ok());
    let too_deep = [
        (nested(65, "1"), 65),
        (nested(66, ""), 65),
        (nested(64, "{\"a\":1}"), 69),
        ("[".repeat(1_000_000), 65),
    ];
    for (text, offset) in too_deep {
        let fault = parse(&text).unwrap_err();
        assert_eq!((fault.kind(), fault.offset()), (&FaultKind::Depth, offset));
        assert_eq!(fault.code().as_str(), "resource_limit");
    }
    let objects = "{\"a\":".repeat(1_000_000);
    assert_eq!(parse(&objects).unwrap_err().kind(), &FaultKind::Depth);
    // The text may end there, and that is another fault.
    assert_eq!(
        parse(&"[".repeat(65)).unwrap_err().code().as_str(),
        "invalid_json"
    );
}

#[test]
fn an_array_has_at_most_16384_elements_and_an_object_any_number_of_members() {
    let array = |length: usize| format!("[{}]", vec!["0"; length].join(","));
    assert!(parse(&array(MAX_ELEMENTS)).is_ok());
    let fault = parse(&array(16_385)).unwrap_err();
    assert_eq!(
        (fault.kind(), fault.offset()),
        (&FaultKind::Elements, 1 + 2 * 16_384)
    );
    assert_eq!(fault.code().as_str(), "resource_limit");
    let reader = Reader::default().with_any_elements();
    assert!(reader.read_str(&array(16_385)).is_ok());
    let members: Vec<_> = (0..20_000)
        .rev()
        .map(|key| format!("\"{key}\":0"))
        .collect();
    let object = format!("{{{}}}", members.join(","));
    let value = parse(&object).unwrap();
    assert_eq!(
        value.as_object().map(plumb_canonical::Object::len),
        Some(20_000)
    );
    assert_eq!(canonicalize(object.as_bytes()), Ok(value.to_canonical()));
    // Duplicates are found among many keys out of order, too.
    let twice = format!("{{{},\"17\":1}}", members.join(","));
    assert_eq!(parse(&twice).unwrap_err().code().as_str(), "duplicate_key");
}

#[test]
fn a_text_longer_than_its_reader_allows_is_refused_before_it_is_read() {
    let reader = Reader::with_max_bytes(4);
    assert!(reader.read(b"1234").is_ok());
    let fault = reader.read(b"\xff2345").unwrap_err();
    assert_eq!(fault.kind(), &FaultKind::Bytes { bytes: 5, limit: 4 });
    assert_eq!(fault.code().as_str(), "resource_limit");
}

#[test]
fn strings_without_escapes_are_borrowed() {
    use std::borrow::Cow;
    let value = parse(r#"["plain","esc\n"]"#).unwrap();
    let Value::Array(elements) = value else {
        panic!()
    };
    assert!(matches!(elements[0], Value::String(Cow::Borrowed("plain"))));
    assert!(matches!(elements[1], Value::String(Cow::Owned(_))));
}

#[test]
fn a_float_of_the_host_is_an_integer_if_it_has_an_integral_value_in_range() {
    let accepted = [
        0.0,
        1.0,
        -1.0,
        9_007_199_254_740_991.0,
        -9_007_199_254_740_991.0,
    ];
    for number in accepted {
        let integer = Integer::try_from(number).unwrap();
        assert_eq!(integer.get() as f64, number);
    }
    let refused = [
        -0.0,
        0.5,
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        9_007_199_254_740_992.0,
        1e300,
    ];
    for number in refused {
        assert!(Integer::try_from(number).is_err(), "{number}");
    }
    assert!(Integer::new(1 << 53).is_none());
    assert!(Integer::try_from(u64::MAX).is_err());
}
