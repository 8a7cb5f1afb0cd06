//! The `specs/` folder: where it is found, what its registry may say, and what a filter selects.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::fs;
use std::path::{Path, PathBuf};

use plumb_checker::specs::{EmbeddedSpecs, NeverTaken, Registered, Specs, SpecsError, SpecsSource};
use plumb_checker::{ExpectedVerdict, Purpose};
use tempfile::TempDir;

/// A registry of one entry, whose lines a test replaces.
const REGISTRY: &str = "# A comment.
[[configuration]]
name = \"Small\"
model = \"gauge\"
purpose = \"bound\"
expect = { verdict = \"exhausted\", distinct = 3, generated = 5, depth = 2 }
source = \"a document\"
";

const BUILT_IN: EmbeddedSpecs = EmbeddedSpecs(&[
    (
        "registry.toml",
        "[[configuration]]\nname = \"BuiltIn\"\nmodel = \"gauge\"\npurpose = \"bound\"\nexpect = { verdict = \"exhausted\" }\nsource = \"here\"\n",
    ),
    ("gauge/BuiltIn.cfg", "SPECIFICATION Spec\n"),
]);

/// A `specs/` folder in a new directory, with this registry.
fn folder(registry: &str) -> TempDir {
    let directory = TempDir::new().unwrap();
    let specs = directory.path().join("specs");
    fs::create_dir(&specs).unwrap();
    fs::write(specs.join("registry.toml"), registry).unwrap();
    directory
}

fn open(registry: &str) -> Result<Specs, SpecsError> {
    let directory = folder(registry);
    let folder = directory.path().join("specs");
    Specs::open(Some(&folder), Path::new("."), EmbeddedSpecs::default())
}

/// Entries of the same model with these names, the last `big` of them marked so.
fn many(names: &[&str], big: usize) -> Specs {
    let mut registry = String::new();
    for (index, name) in names.iter().enumerate() {
        let is_big = index + big >= names.len();
        registry += &format!(
            "[[configuration]]\nname = \"{name}\"\nmodel = \"gauge\"\npurpose = \"bound\"\n\
             expect = {{ verdict = \"exhausted\" }}\nsource = \"here\"\nbig = {is_big}\n"
        );
    }
    open(&registry).unwrap()
}

fn names(entries: &[&Registered]) -> Vec<String> {
    entries.iter().map(|entry| entry.name.clone()).collect()
}

fn select(specs: &Specs, filters: &[&str]) -> Result<Vec<String>, SpecsError> {
    let filters: Vec<String> = filters.iter().map(|filter| (*filter).to_owned()).collect();
    specs.select(&filters).map(|selected| names(&selected))
}

#[test]
fn an_entry_says_what_is_registered() {
    let specs = open(REGISTRY).unwrap();
    let [entry] = specs.configurations() else {
        panic!("one entry");
    };
    assert_eq!(
        (entry.name.as_str(), entry.model.as_str()),
        ("Small", "gauge")
    );
    assert_eq!(entry.purpose, Purpose::Bound);
    assert_eq!(entry.expect.verdict, ExpectedVerdict::Exhausted);
    assert_eq!(entry.expect.distinct, Some(3));
    assert_eq!(entry.expect.generated, Some(5));
    assert_eq!(entry.expect.depth, Some(2));
    assert_eq!(entry.expect.trace, None);
    assert!(!entry.big);
    assert!(open("").unwrap().configurations().is_empty());
}

#[test]
fn what_is_no_registry_is_told_by_its_place() {
    for (right, wrong, line, column, message) in [
        ("name = \"Small\"", "name = \"Small", 3, 14, "basic string"),
        (
            "model = \"gauge\"",
            "model = 3",
            4,
            9,
            "invalid type: integer",
        ),
        (
            "model = \"gauge\"",
            "modle = \"gauge\"",
            4,
            1,
            "unknown field `modle`",
        ),
        ("model = \"gauge\"\n", "", 2, 1, "missing field `model`"),
        ("\"bound\"", "\"bond\"", 5, 11, "unknown variant `bond`"),
        (
            "distinct = 3",
            "distinct = -3",
            6,
            46,
            "invalid value: integer `-3`",
        ),
        (
            "distinct = 3",
            "distnct = 3",
            6,
            35,
            "unknown field `distnct`",
        ),
        (
            "verdict = \"exhausted\", ",
            "",
            6,
            10,
            "missing field `verdict`",
        ),
        (
            "\"exhausted\"",
            "\"inconclusive\"",
            6,
            22,
            "unknown variant `inconclusive`",
        ),
        (
            "[[configuration]]",
            "[[configurations]]",
            2,
            3,
            "unknown field `configurations`",
        ),
        ("source = \"a document\"", "source = \"ü\" ü", 7, 14, ""),
        (
            "source = \"a document\"",
            "source = \"a\"\nsource = \"b\"",
            8,
            1,
            "duplicate key",
        ),
        (
            "source = \"a document\"",
            "source = \"a\"\nbig = 1",
            8,
            7,
            "invalid type: integer `1`",
        ),
        (
            "source = \"a document\"",
            "source = \"a\"\nnever_taken = [{ action = \"A\" }]",
            8,
            16,
            "missing field `reason`",
        ),
    ] {
        let text = REGISTRY.replace(right, wrong);
        assert_ne!(text, REGISTRY);
        let error = open(&text).unwrap_err();
        let SpecsError::Malformed {
            path,
            line: found_line,
            column: found_column,
            message: found,
        } = &error
        else {
            panic!("{wrong}: {error}");
        };
        assert!(found.contains(message), "{wrong}: {found}");
        assert_eq!(
            (*found_line, *found_column),
            (line, column),
            "{wrong}: {found}"
        );
        assert!(path.ends_with("registry.toml"));
        assert!(
            error
                .to_string()
                .starts_with(&format!("{path}:{line}:{column}: "))
        );
    }
}

#[test]
fn an_entry_that_contradicts_itself_or_another_is_told_by_its_name() {
    let exhausted = "{ verdict = \"exhausted\", distinct = 3, generated = 5, depth = 2 }";
    let control = REGISTRY.replace("bound", "control");
    let violated = |expect: &str| control.replace(exhausted, expect);
    for (text, message) in [
        (format!("{REGISTRY}{REGISTRY}"), "it is registered twice"),
        (
            REGISTRY.replace("distinct = 3", "trace = 3"),
            "an exhausted search has no trace",
        ),
        (
            REGISTRY.replace("distinct = 3", "property = \"P\""),
            "an exhausted search has no violated property",
        ),
        (
            REGISTRY.replace("distinct = 3", "conjunct = \"P\""),
            "an exhausted search has no violated property",
        ),
        (
            violated("{ verdict = \"violated\", trace = 3 }"),
            "the violated property is not named",
        ),
        (
            violated("{ verdict = \"assumption\", conjunct = \"K\" }"),
            "the violated property is not named",
        ),
        (
            violated("{ verdict = \"violated\", property = \"P\", distinct = 3 }"),
            "counts at a violation depend on the order of successors",
        ),
        (
            violated("{ verdict = \"violated\", property = \"P\", generated = 3 }"),
            "counts at a violation depend on the order of successors",
        ),
        (
            violated("{ verdict = \"violated\", property = \"P\", depth = 3 }"),
            "counts at a violation depend on the order of successors",
        ),
        (
            violated("{ verdict = \"assumption\", property = \"P\", trace = 3 }"),
            "a false assumption has no trace",
        ),
        (control.clone(), "a control is a defect that must be found"),
        (
            REGISTRY.replace("bound", "witness"),
            "a witness is to be violated",
        ),
        (
            violated("{ verdict = \"assumption\", property = \"P\" }")
                .replace("control", "witness"),
            "a witness is to be violated",
        ),
        (
            violated("{ verdict = \"violated\", property = \"P\" }").replace("control", "bound"),
            "a bound is to be exhausted",
        ),
    ] {
        let error = open(&text).unwrap_err();
        let SpecsError::Inconsistent {
            name,
            message: found,
            ..
        } = &error
        else {
            panic!("{message}: {error}");
        };
        assert_eq!(
            (name.as_str(), found.as_str()),
            ("Small", message),
            "{text}"
        );
        assert!(
            error
                .to_string()
                .ends_with(&format!("configuration Small: {message}"))
        );
    }
    for expect in [
        "{ verdict = \"violated\", property = \"P\", conjunct = \"Q\", trace = 3 }",
        "{ verdict = \"assumption\", property = \"P\", conjunct = \"Q\" }",
    ] {
        assert!(open(&violated(expect)).is_ok(), "{expect}");
    }
}

#[test]
fn names_cannot_lead_out_of_the_folder() {
    for name in [
        "../Small",
        "a/b",
        "",
        ".",
        "..",
        "Small.cfg",
        "C:",
        "a\\\\b",
        "Groß",
        "a b",
    ] {
        for field in ["Small", "gauge"] {
            let text = REGISTRY.replace(&format!("\"{field}\""), &format!("\"{name}\""));
            let error = open(&text).unwrap_err();
            assert!(
                matches!(error, SpecsError::Inconsistent { .. }),
                "{name}: {error}"
            );
        }
    }
    assert!(open(&REGISTRY.replace("Small", "Small-2_b")).is_ok());
}

#[test]
fn without_a_filter_all_but_the_big_ones_are_selected() {
    let specs = many(&["One", "Two", "Three"], 1);
    assert_eq!(select(&specs, &[]).unwrap(), ["One", "Two"]);
    assert_eq!(select(&specs, &["Three"]).unwrap(), ["Three"]);
    assert_eq!(select(&specs, &["T*"]).unwrap(), ["Two", "Three"]);
    assert_eq!(select(&specs, &["gauge"]).unwrap(), ["One", "Two", "Three"]);
}

#[test]
fn filters_select_in_the_registrys_order_and_each_entry_once() {
    let specs = many(&["ScopeSingle", "BrokenScope", "ScopeMixed", "Other"], 0);
    for (filters, selected) in [
        (
            vec!["ScopeMixed", "ScopeSingle"],
            vec!["ScopeSingle", "ScopeMixed"],
        ),
        (vec!["Scope*"], vec!["ScopeSingle", "ScopeMixed"]),
        (
            vec!["*Scope*", "BrokenScope"],
            vec!["ScopeSingle", "BrokenScope", "ScopeMixed"],
        ),
        (vec!["{Other,Broken*}"], vec!["BrokenScope", "Other"]),
        (vec!["Scope[SM]*"], vec!["ScopeSingle", "ScopeMixed"]),
        (vec!["O????"], vec!["Other"]),
        (
            vec!["gauge", "Other"],
            vec!["ScopeSingle", "BrokenScope", "ScopeMixed", "Other"],
        ),
    ] {
        assert_eq!(select(&specs, &filters).unwrap(), selected, "{filters:?}");
    }
}

#[test]
fn a_filter_that_matches_nothing_is_an_error_with_the_nearest_names_first() {
    let specs = many(&["ScopeSingle", "BrokenScope", "ScopeMixed"], 0);
    for (filters, wrong, nearest) in [
        (vec!["ScopeMxed"], "ScopeMxed", "ScopeMixed"),
        (vec!["scopesingle"], "scopesingle", "ScopeSingle"),
        (vec!["gauge", "gage"], "gage", "gauge"),
        (vec!["ScopeSingle", "Brken*"], "Brken*", "BrokenScope"),
        (vec![""], "", "gauge"),
        (vec!["broken*"], "broken*", "BrokenScope"),
    ] {
        let error = select(&specs, &filters).unwrap_err();
        let SpecsError::NoMatch { filter, known } = error else {
            panic!("{filters:?}: {error}");
        };
        assert_eq!(filter, wrong);
        assert_eq!(known.len(), 4, "every name, the model's too");
        assert_eq!(known[0], nearest, "{known:?}");
    }
}

#[test]
fn what_is_no_glob_is_an_error() {
    let specs = many(&["One"], 0);
    for filter in ["[", "One[", "{a", "[z-a]"] {
        let error = select(&specs, &[filter]).unwrap_err();
        assert!(matches!(&error, SpecsError::BadGlob { filter: found, .. } if found == filter));
        assert!(
            error.to_string().contains("is not a valid glob: "),
            "{error}"
        );
    }
}

#[test]
fn one_configuration_is_found_by_exactly_its_name() {
    let specs = many(&["One", "Two"], 2);
    assert_eq!(specs.find("Two").unwrap().name, "Two");
    for name in ["T*", "two", "gauge", ""] {
        assert!(
            matches!(specs.find(name), Err(SpecsError::NoMatch { .. })),
            "{name}"
        );
    }
}

#[test]
fn the_folder_that_is_given_wins_then_the_nearest_then_the_one_built_in() {
    let outer = folder(&REGISTRY.replace("Small", "Outer"));
    let inner = outer.path().join("work");
    fs::create_dir_all(inner.join("specs")).unwrap();
    let deep = inner.join("deep/er");
    fs::create_dir_all(&deep).unwrap();
    let given = folder(&REGISTRY.replace("Small", "Given"));
    let given = given.path().join("specs");
    let found = |folder: Option<&Path>, working: &Path| {
        let specs = Specs::open(folder, working, BUILT_IN).unwrap();
        (
            specs.configurations()[0].name.clone(),
            specs.source().clone(),
        )
    };
    let up = |path: &str| SpecsSource::Folder(PathBuf::from(path));

    // A folder without a registry is passed over.
    assert_eq!(
        found(None, &deep),
        ("Outer".to_owned(), up("../../../specs"))
    );
    fs::write(
        inner.join("specs/registry.toml"),
        REGISTRY.replace("Small", "Inner"),
    )
    .unwrap();
    assert_eq!(found(None, &deep), ("Inner".to_owned(), up("../../specs")));
    assert_eq!(found(None, &inner), ("Inner".to_owned(), up("specs")));
    assert_eq!(
        found(None, &inner.join("specs")),
        ("Inner".to_owned(), up("../specs"))
    );
    assert_eq!(found(None, outer.path()), ("Outer".to_owned(), up("specs")));

    let source = SpecsSource::Folder(given.clone());
    assert_eq!(found(Some(&given), &deep), ("Given".to_owned(), source));

    let nowhere = TempDir::new().unwrap();
    let built_in = ("BuiltIn".to_owned(), SpecsSource::Embedded);
    assert_eq!(found(None, nowhere.path()), built_in);
    assert_eq!(SpecsSource::Embedded.to_string(), "built in");
}

#[test]
fn a_given_folder_without_a_registry_is_an_error_and_not_passed_over() {
    let empty = TempDir::new().unwrap();
    let error = Specs::open(Some(empty.path()), Path::new("."), BUILT_IN).unwrap_err();
    assert!(matches!(error, SpecsError::Unreadable { .. }));
    assert!(error.to_string().contains("registry.toml"), "{error}");
    let nothing = Specs::open(Some(&empty.path().join("no")), Path::new("."), BUILT_IN);
    assert!(matches!(nothing, Err(SpecsError::Unreadable { .. })));
}

#[test]
fn files_are_read_from_the_folder_that_was_found() {
    let directory = folder(REGISTRY);
    let gauge = directory.path().join("specs/gauge");
    fs::create_dir(&gauge).unwrap();
    fs::write(gauge.join("Small.cfg"), "SPECIFICATION Spec\n").unwrap();
    fs::write(gauge.join("Latin.cfg"), b"SPECIFICATION \xff\n").unwrap();
    let working = directory.path().join("specs/gauge");
    let specs = Specs::open(None, &working, BUILT_IN).unwrap();
    assert_eq!(
        specs.text("gauge/Small.cfg").unwrap(),
        "SPECIFICATION Spec\n"
    );
    assert_eq!(specs.path("gauge/Small.cfg"), "../../specs/gauge/Small.cfg");
    for missing in ["gauge/Other.cfg", "gauge/Latin.cfg"] {
        let error = specs.text(missing).unwrap_err();
        assert!(matches!(error, SpecsError::Unreadable { .. }), "{error}");
        assert!(error.to_string().contains(missing));
    }
}

#[test]
fn files_that_are_built_in_are_named_as_such() {
    let nowhere = TempDir::new().unwrap();
    let specs = Specs::open(None, nowhere.path(), BUILT_IN).unwrap();
    assert_eq!(
        specs.text("gauge/BuiltIn.cfg").unwrap(),
        "SPECIFICATION Spec\n"
    );
    let error = specs.text("gauge/Other.cfg").unwrap_err();
    assert_eq!(
        error.to_string(),
        "cannot read specs/gauge/Other.cfg (built in): it is not among the built-in specifications"
    );
    // A program of a team's own may carry none.
    let none = Specs::open(None, nowhere.path(), EmbeddedSpecs::default()).unwrap_err();
    assert!(matches!(none, SpecsError::Unreadable { .. }));
    let malformed = EmbeddedSpecs(&[("registry.toml", "\nname = ")]);
    let error = Specs::open(None, nowhere.path(), malformed).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("specs/registry.toml (built in):2:"),
        "{error}"
    );
}

#[test]
fn actions_that_are_never_taken_are_listed_with_a_reason() {
    let text = format!("{REGISTRY}never_taken = [{{ action = \"Go\", reason = \"no\" }}]\n");
    let specs = open(&text).unwrap();
    let expected = NeverTaken {
        action: "Go".to_owned(),
        reason: "no".to_owned(),
    };
    assert_eq!(specs.configurations()[0].never_taken, [expected]);
}
