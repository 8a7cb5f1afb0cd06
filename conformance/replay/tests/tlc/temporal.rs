//! Temporal properties: the real TLC's answers and lassos against the Rust model's.

use plumb_replay::{
    CompareOptions, Comparison, Judgement, LassoReplay, TemporalComparison, compare,
};

use crate::ferry::ferry;
use crate::turn;

fn compared(specification: &str, moorable: bool, defect: &str, further: &str) -> Comparison {
    let (model, sources) = ferry(specification, moorable, defect, further);
    let options = CompareOptions {
        graph: true,
        ..CompareOptions::default()
    };
    compare(&model, &sources, &options).unwrap()
}

fn agreed(specification: &str, moorable: bool, further: &str) -> Comparison {
    let found = compared(specification, moorable, "none", further);
    assert!(found.agrees(), "{:#?}", found.rows);
    found
}

/// Both answers of the row and whether they are the same, where it is compared.
fn row<'a>(found: &'a Comparison, what: &str) -> (&'a str, &'a str, &'a str) {
    let Some(row) = found.row(what) else {
        return ("", "", "no such row");
    };
    let text = |side: &'a Option<String>| side.as_deref().unwrap_or_default();
    (text(&row.tlc), text(&row.plumb), row.agree.word())
}

fn what(found: &Comparison) -> Vec<&str> {
    found.rows.iter().map(|row| row.what.as_str()).collect()
}

fn property<'a>(found: &'a Comparison, name: &str) -> &'a TemporalComparison {
    let mut properties = found.temporal.iter();
    properties
        .find(|property| property.property == name)
        .unwrap()
}

fn tlc_lasso<'a>(found: &'a Comparison, name: &str) -> &'a LassoReplay {
    property(found, name).tlc_lasso.as_ref().unwrap()
}

const VIOLATION: (&str, &str, &str) = ("a fair violation", "a fair violation", "equal");

#[test]
fn several_properties_are_compared_one_at_a_time() {
    let Some(_turn) = turn() else { return };
    let further = "INVARIANT Afloat\nPROPERTIES Met Moors Staying Visits\nPROPERTY Carried";
    let found = agreed("Spec", true, further);
    assert_eq!(
        what(&found),
        [
            "verdict",
            "kind",
            "property",
            "distinct",
            "generated",
            "depth",
            "trace",
            "temporal Met",
            "temporal Moors",
            "lasso Moors",
            "temporal Visits",
            "lasso Visits",
            "temporal Carried",
            "lasso Carried",
            "graph"
        ]
    );
    assert_eq!(row(&found, "verdict"), ("violated", "violated", "equal"));
    let kind = "temporal property";
    assert_eq!(row(&found, "kind"), (kind, kind, "equal"));
    // The first of the cfg that is violated.
    assert_eq!(row(&found, "property"), ("Moors", "Moors", "equal"));
    // The whole graph was explored, whatever the temporal properties say.
    for count in ["distinct", "generated", "depth"] {
        assert_eq!(row(&found, count).2, "equal", "{count}");
    }
    assert_eq!(row(&found, "trace").2, "not_compared");
    assert_eq!(row(&found, "graph").2, "equal");
    assert!(found.graph.as_ref().unwrap().is_equal());

    assert_eq!(row(&found, "temporal Met"), ("holds", "holds", "equal"));
    let met = property(&found, "Met");
    assert!(met.tlc_lasso.is_none() && met.plumb_lasso.is_none());
    for name in ["Moors", "Visits", "Carried"] {
        assert_eq!(row(&found, &format!("lasso {name}")), VIOLATION, "{name}");
    }
    // Nothing but crossing for ever violates the one, nothing but staying on the left the other.
    assert!(tlc_lasso(&found, "Moors").back_to.is_some());
    let visits = tlc_lasso(&found, "Visits");
    assert_eq!(visits.back_to, None);
    let conjunct = "[]<>(side = \"right\")".to_owned();
    assert_eq!(visits.judgement, Judgement::Violates(conjunct));

    // Every run of TLC got a cfg of its own.
    let met_alone = "SPECIFICATION Spec\nCONSTANTS\n  Crowd = 2\n  Moorable = TRUE\n  \
                     Defect = \"none\"\nPROPERTY Met\n";
    assert_eq!(met.cfg, met_alone);
    assert!(found.tlc_log.contains("No error has been found"));
    assert!(!found.tlc_log.contains("temporal propert"));
    assert!(
        property(&found, "Moors")
            .tlc_log
            .contains("Temporal properties were violated")
    );
    let alone: f64 = found
        .temporal
        .iter()
        .map(|property| property.tlc_seconds)
        .sum();
    assert!(found.tlc_seconds > alone && alone > 0.0);
}

#[test]
fn where_everything_holds_the_searches_are_exhausted() {
    let Some(_turn) = turn() else { return };
    let found = agreed("Spec", false, "PROPERTIES Carried Visits Met");
    assert_eq!(row(&found, "verdict"), ("exhausted", "exhausted", "equal"));
    assert!(found.row("property").is_none() && found.row("trace").is_none());
    for name in ["Carried", "Visits", "Met"] {
        let name = format!("temporal {name}");
        assert_eq!(row(&found, &name), ("holds", "holds", "equal"));
    }
}

#[test]
fn what_is_owed_too_weakly_is_violated_by_a_loop() {
    let Some(_turn) = turn() else { return };
    // The ferry comes and goes, and nobody has to board.
    let found = agreed("WeakSpec", false, "PROPERTIES Visits Met Carried");
    assert_eq!(row(&found, "temporal Visits"), ("holds", "holds", "equal"));
    for name in ["Met", "Carried"] {
        assert_eq!(row(&found, &format!("lasso {name}")), VIOLATION, "{name}");
        assert!(tlc_lasso(&found, name).back_to.is_some(), "{name}");
    }
}

#[test]
fn what_is_owed_to_anybody_may_always_go_to_the_other() {
    let Some(_turn) = turn() else { return };
    let found = agreed("SharedSpec", false, "PROPERTY Met");
    assert_eq!(row(&found, "lasso Met"), VIOLATION);
    assert!(tlc_lasso(&found, "Met").back_to.is_some());
}

#[test]
fn without_fairness_nothing_need_happen() {
    let Some(_turn) = turn() else { return };
    let found = agreed("UnfairSpec", false, "PROPERTY Visits");
    assert_eq!(row(&found, "lasso Visits"), VIOLATION);
    assert_eq!(tlc_lasso(&found, "Visits").back_to, None);
    let plumb = property(&found, "Visits").plumb_lasso.as_ref().unwrap();
    assert_eq!((plumb.states, plumb.back_to), (1, None));
}

#[test]
fn beside_a_violated_invariant_no_temporal_property_is_compared() {
    let Some(_turn) = turn() else { return };
    let found = agreed("UnfairSpec", false, "PROPERTY Visits\nINVARIANT Together");
    let names = ("Together", "Together", "equal");
    assert_eq!(row(&found, "property"), names);
    assert_eq!(row(&found, "trace"), ("4", "4", "equal"));
    let visits = found.row("temporal Visits").unwrap();
    let reason = visits.agree.reason().unwrap();
    assert!(reason.starts_with("something else is violated"), "{reason}");
    assert!(found.temporal.is_empty());
    let graph = found.row("graph").unwrap();
    assert!(graph.agree.reason().unwrap().contains("ended early"));
}

/// Twins that are wrong about what is fair, about the formula, or about the states.
#[test]
fn a_wrong_twin_is_found_different() {
    const FAIR: &str = "a fair violation";
    let table = [
        // Defect, specification, moorable, property; then for TLC and for Plumb the answer, and
        // what the Rust model makes of the lasso.
        (
            ("no-fairness", "Spec", false, "Visits"),
            ("holds", ""),
            ("violated", FAIR),
        ),
        (
            ("weaker", "Spec", false, "Met"),
            ("holds", ""),
            ("violated", FAIR),
        ),
        (
            ("stronger", "WeakSpec", false, "Met"),
            (
                "violated",
                "refused: it is no violation of Met: it is not fair: SF_vars(Board) for each",
            ),
            ("holds", ""),
        ),
        (
            ("stronger", "UnfairSpec", true, "Moors"),
            (
                "violated",
                "refused: it is no violation of Moors: it is not fair: WF_vars(Cross)",
            ),
            ("violated", FAIR),
        ),
        (
            ("other-operators", "Spec", false, "Visits"),
            ("holds", ""),
            ("violated", FAIR),
        ),
        (
            ("other-predicate", "UnfairSpec", false, "Visits"),
            (
                "violated",
                "refused: it is no violation of Visits: it satisfies the property",
            ),
            ("violated", FAIR),
        ),
        (
            ("one-way", "Spec", true, "Moors"),
            ("violated", "refused: state #: "),
            ("violated", FAIR),
        ),
        (
            ("other-initial", "UnfairSpec", false, "Visits"),
            (
                "violated",
                "refused: state #: no initial state of the model is like it",
            ),
            ("violated", FAIR),
        ),
        (
            ("unreadable", "Spec", true, "Visits"),
            (
                "violated",
                "; it is no state of the model: moored: expected a ferry",
            ),
            ("violated", "; it is no state of the model: "),
        ),
        (
            ("misread", "Spec", true, "Visits"),
            (
                "violated",
                "; it is no state of the model: the model takes it for another state: moored",
            ),
            ("violated", "; it is no state of the model: "),
        ),
    ];
    for ((defect, specification, moorable, name), tlc, plumb) in table {
        let Some(_turn) = turn() else { return };
        let (model, sources) = ferry(specification, moorable, defect, &format!("PROPERTY {name}"));
        let found = compare(&model, &sources, &CompareOptions::default()).unwrap();
        assert!(!found.agrees(), "{defect}: {:#?}", found.rows);
        let (tlc_word, plumb_word, _) = row(&found, &format!("temporal {name}"));
        assert_eq!((tlc_word, plumb_word), (tlc.0, plumb.0), "{defect}");
        let (tlc_lasso, plumb_lasso, agreement) = row(&found, &format!("lasso {name}"));
        // Where in its behaviour TLC meets what is wrong is its own affair.
        let tells = |text: &str, part: &str| {
            let text = text.replace(|c: char| c.is_ascii_digit(), "#");
            text.contains(part) && text.is_empty() == part.is_empty()
        };
        assert!(tells(tlc_lasso, tlc.1), "{defect}: {tlc_lasso}");
        assert!(tells(plumb_lasso, plumb.1), "{defect}: {plumb_lasso}");
        let both = tlc.0 == plumb.0;
        let expected = if both { "different" } else { "not_compared" };
        assert_eq!(agreement, expected, "{defect}");
    }
}
