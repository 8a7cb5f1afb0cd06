//! Configuration files: what is read and what is refused.

#![allow(clippy::panic, clippy::unwrap_used, clippy::expect_used)]

use plumb_tla::cfg::CheckKind;
use plumb_tla::{Binding, Cfg, CfgError, Value, parse_cfg};

fn read(text: &str) -> Cfg {
    parse_cfg(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn constants(text: &str) -> String {
    let cfg = read(text);
    let shown = cfg
        .constants
        .iter()
        .map(|constant| match &constant.binding {
            Binding::Value(value) => format!("{}={}", constant.name.value, value.value),
            Binding::Operator(operator) => format!("{}<-{}", constant.name.value, operator.value),
        });
    shown.collect::<Vec<_>>().join("; ")
}

#[test]
fn a_whole_file_is_read() {
    let text = "\\* a comment\n(* another (* nested *) one *)\nSPECIFICATION Spec\nCONSTANTS\n  Parcels = {p1, p2} Nobody = Nobody\n  Limit <- SmallLimit\nINVARIANTS TypeOK Safety\nPROPERTY Monotone\nINVARIANT\n  Late\nCONSTRAINT Small\nCHECK_DEADLOCK FALSE\nPROPERTIES Live";
    let cfg = read(text);
    let place = |line, column| (line, column);
    let specification = cfg.specification.as_ref().unwrap();
    assert_eq!(specification.value, "Spec");
    assert_eq!(
        place(specification.position.line, specification.position.column),
        (3, 15)
    );
    assert_eq!(
        constants(text),
        "Parcels={p1, p2}; Nobody=Nobody; Limit<-SmallLimit"
    );
    assert_eq!(cfg.constants[1].name.position.column, 22);
    let Binding::Value(nobody) = &cfg.constants[1].binding else {
        panic!()
    };
    assert_eq!(place(nobody.position.line, nobody.position.column), (5, 31));
    let names = |names: &[plumb_tla::Spanned<String>]| {
        names
            .iter()
            .map(|name| name.value.clone())
            .collect::<Vec<_>>()
            .join(" ")
    };
    assert_eq!(names(&cfg.invariants), "TypeOK Safety Late");
    assert_eq!(names(&cfg.properties), "Monotone Live");
    assert_eq!(names(&cfg.constraints), "Small");
    assert_eq!(
        cfg.check_deadlock.as_ref().map(|check| check.value),
        Some(false)
    );
    let checks: Vec<(CheckKind, &str)> = cfg
        .checks()
        .into_iter()
        .map(|(kind, name)| (kind, name.value.as_str()))
        .collect();
    use CheckKind::{Invariant, Property};
    assert_eq!(
        checks,
        [
            (Invariant, "TypeOK"),
            (Invariant, "Safety"),
            (Property, "Monotone"),
            (Invariant, "Late"),
            (Property, "Live")
        ]
    );
    assert!(
        matches!(cfg.constant("Limit"), Some(Binding::Operator(name)) if name.value == "SmallLimit")
    );
    assert_eq!(cfg.constant("Missing"), None);
    insta::assert_snapshot!(cfg, @r"
    SPECIFICATION Spec
    CONSTANTS
      Parcels = {p1, p2}
      Nobody = Nobody
      Limit <- SmallLimit
    INVARIANT TypeOK
    INVARIANT Safety
    PROPERTY Monotone
    INVARIANT Late
    PROPERTY Live
    CONSTRAINT Small
    CHECK_DEADLOCK FALSE
    ");
}

#[test]
fn a_file_may_say_nothing() {
    for text in [
        "",
        "\u{feff}",
        " \r\n\t\r\n",
        "\\* only a comment",
        "(* only *) (* these *)",
        "\\*",
    ] {
        assert_eq!(read(text), Cfg::default(), "{text:?}");
    }
}

#[test]
fn constants_take_every_value_of_the_language() {
    let cases = [
        ("CONSTANT X = 1", "X=1"),
        ("CONSTANT X=-12", "X=-12"),
        (
            "CONSTANT X = \"a \\\"b\\\" \\* no comment\"",
            r#"X="a \"b\" \\* no comment""#,
        ),
        ("CONSTANT X = TRUE Y = FALSE", "X=TRUE; Y=FALSE"),
        ("CONSTANT X = X", "X=X"),
        ("CONSTANT X = 1st", "X=1st"),
        ("CONSTANT X = {}", "X={}"),
        (
            "CONSTANT X = { 1 , \"a\",m, {TRUE,{}} }",
            "X={1, \"a\", m, {{}, TRUE}}",
        ),
        (
            "CONSTANT X = {1, (* two *) 2, \\* three\n 3}",
            "X={1, 2, 3}",
        ),
        ("CONSTANT X <- Y Z = 1", "X<-Y; Z=1"),
        ("CONSTANT X=1 CONSTANTS Y=2 CONSTANT Z=3", "X=1; Y=2; Z=3"),
        ("CONSTANTS\r\n  X = 1\r\n  Y = 2\r\n", "X=1; Y=2"),
    ];
    for (text, expected) in cases {
        let text = text.replace("\\* no", "\\\\* no");
        assert_eq!(
            constants(&text),
            expected.replace("{{}, TRUE}", "{TRUE, {}}"),
            "{text}"
        );
    }
}

#[test]
fn columns_count_characters_and_lines_count_line_ends() {
    let error = parse_cfg("\u{feff}(* é→ü *) SPECIFICATION\r\n  é").unwrap_err();
    assert_eq!(error.position().to_string(), "line 2, column 3");
    let error = parse_cfg("\u{feff}(* é→ü *) ?").unwrap_err();
    assert_eq!(error.position().to_string(), "line 1, column 11");
}

#[test]
fn what_is_not_understood_is_refused_with_place_and_hint() {
    let texts = [
        "Spec",
        "SPECIFICATIONS Spec",
        "invariant TypeOK",
        "SPECIFICATION Spec Other",
        "CHECK_DEADLOCK TRUE FALSE",
        "SPECIFICATION",
        "SPECIFICATION INVARIANT",
        "SPECIFICATION 1",
        "SPECIFICATION TRUE",
        "SPECIFICATION Spec\nSPECIFICATION Spec",
        "INVARIANT",
        "INVARIANTS\nPROPERTY P",
        "INVARIANT A, B",
        "INVARIANT A = 1",
        "INVARIANT A \"b\"",
        "PROPERTY",
        "CONSTRAINT",
        "CONSTANTS",
        "CONSTANTS X",
        "CONSTANTS X Y",
        "CONSTANTS X = 1\nINVARAINTS A",
        "CONSTANTS X =",
        "CONSTANTS X = INVARIANT",
        "CONSTANTS X = 1, Y = 2",
        "CONSTANTS X = 1\n  X <- Y",
        "CONSTANTS X = 1\nCONSTANTS Y = 2 X = 2",
        "CONSTANTS X = <<1, 2>>",
        "CONSTANTS X = {<<1>>}",
        "CONSTANTS X = [a |-> 1]",
        "CONSTANTS X = (1 :> 2)",
        "CONSTANTS X = 1 :> 2",
        "CONSTANTS X = 1..3",
        "CONSTANTS X = {1..3}",
        "CONSTANTS X = {1 2}",
        "CONSTANTS X = {1,}",
        "CONSTANTS X = {1",
        "CONSTANTS X = }",
        "CONSTANTS X = - 1",
        "CONSTANTS X = 9223372036854775808",
        "CONSTANTS X <- 3",
        "CONSTANTS X <- [Naturals]Y",
        "CONSTANTS X(1) = 2",
        "CHECK_DEADLOCK",
        "CHECK_DEADLOCK yes",
        "CHECK_DEADLOCK TRUE\nCHECK_DEADLOCK TRUE",
        "INIT Init",
        "INVARIANT A\nNEXT Next",
        "SYMMETRY Perms",
        "VIEW v",
        "ALIAS a",
        "ACTION_CONSTRAINT A",
        "ACTION_CONSTRAINTS A",
        "POSTCONDITION P",
        "_PERIODIC P",
        "INVARIANT A (* never\nclosed",
        "(* (* *)",
        "CONSTANTS X = \"open\nY = 1",
        "CONSTANTS X = \"é\\q\"",
        "INVARIANT A\0",
        "INVARIANT M!A",
        "INVARIANT é",
        "SPECIFICATION Spec;",
    ];
    let report: String = texts
        .iter()
        .map(|text| {
            let error = parse_cfg(text).expect_err(text);
            let hint = error
                .hint()
                .map(|hint| format!("\n    hint: {hint}"))
                .unwrap_or_default();
            format!("{text:?}\n    {error}{hint}\n")
        })
        .collect();
    insta::assert_snapshot!("cfg_refused", report);
}

#[test]
fn errors_have_kinds_that_a_program_can_tell_apart() {
    let kind = |text: &str| parse_cfg(text).unwrap_err();
    assert!(matches!(kind("VIEW v"), CfgError::Refused { found, .. } if found == "VIEW"));
    assert!(
        matches!(kind("CONSTANT X = <<>>"), CfgError::NoConstantValue { constant, .. } if constant == "X")
    );
    assert!(
        matches!(kind("CONSTANT X = 1 X = 2"), CfgError::RepeatedConstant { first, .. } if first.column == 10)
    );
}

#[test]
fn sets_have_a_limit_of_nesting() {
    let nested = |depth: usize| format!("CONSTANT X = {}{}", "{".repeat(depth), "}".repeat(depth));
    let Some(Binding::Value(deep)) = read(&nested(200)).constant("X").cloned() else {
        panic!()
    };
    assert!(matches!(deep.value, Value::Set(_)));
    let error = parse_cfg(&nested(1_000_000)).unwrap_err();
    assert_eq!(
        error.to_string(),
        "line 1, column 214: expected sets nested at most 200 deep, found `{`"
    );
}

#[test]
fn the_samples_are_read() {
    for (name, properties, constraints) in [
        ("inv", 0, 0),
        ("lasso", 1, 0),
        ("ok", 0, 1),
        ("step", 1, 0),
        ("stutter", 1, 0),
    ] {
        let path = format!(
            "{}/tests/samples/courier/{name}.cfg",
            env!("CARGO_MANIFEST_DIR")
        );
        let cfg = read(&std::fs::read_to_string(path).unwrap());
        assert_eq!(
            (
                cfg.properties.len(),
                cfg.constraints.len(),
                cfg.constants.len()
            ),
            (properties, constraints, 3)
        );
    }
}
