//! Conditions on the constants are decided once, before any state is generated.

use plumb_checker::{PropertyKind, Verdict};

use crate::graph::{Fault, Graph};
use crate::summary::nodes;

fn assumption(name: &str, conjunct: Option<&str>) -> Verdict {
    Verdict::Assumption {
        name: name.to_owned(),
        conjunct: conjunct.map(str::to_owned),
    }
}

#[test]
fn a_false_one_ends_the_check_before_the_first_state() {
    let graph = Graph::path(3).falsifies("Assumed").violates("A", [0]);
    let report = graph.faulty(Fault::InitStates).check("INVARIANT A");
    assert_eq!(report.verdict, assumption("Assumed", None));
    assert_eq!((report.generated, report.distinct, report.queue), (0, 0, 0));
    assert!(report.levels.is_empty() && report.trace.is_empty());
}

#[test]
fn an_invariant_over_constants_alone_is_one() {
    let graph = Graph::path(3).falsifies("K");
    assert_eq!(graph.check("INVARIANT K").verdict, assumption("K", None));
    assert_eq!(graph.check("INVARIANT L").verdict, Verdict::Exhausted);
    assert_eq!(
        graph.check("INVARIANT A").verdict,
        Verdict::Exhausted,
        "nobody asked for K"
    );
}

#[test]
fn a_conjunction_of_constants_is_one_and_names_the_false_conjunct() {
    let graph = Graph::path(3).falsifies("L");
    let verdict = graph.check("INVARIANT Constants").verdict;
    assert_eq!(verdict, assumption("Constants", Some("L")));
    let verdict = graph.falsifies("K").check("INVARIANT Constants").verdict;
    assert_eq!(
        verdict,
        assumption("Constants", Some("K")),
        "the first that is false"
    );
}

#[test]
fn a_constant_conjunct_beside_state_conjuncts_is_violated_in_the_initial_state() {
    let graph = Graph::path(3).falsifies("K");
    let report = graph.check("INVARIANT Mixed");
    let expected = Verdict::Violated {
        property: "Mixed".to_owned(),
        kind: PropertyKind::Invariant,
        conjunct: Some("K".to_owned()),
    };
    assert_eq!(report.verdict, expected);
    assert_eq!(nodes(&report), [0]);
}

#[test]
fn the_models_own_come_first_and_then_those_of_the_cfg_in_its_order() {
    let graph = Graph::path(3).falsifies("K").falsifies("L");
    assert_eq!(graph.check("INVARIANT L K").verdict, assumption("L", None));
    assert_eq!(
        graph.check("INVARIANT A Constants L").verdict.property(),
        Some("Constants")
    );
    let graph = graph.falsifies("Assumed");
    assert_eq!(
        graph.check("INVARIANT L K").verdict,
        assumption("Assumed", None)
    );
}

#[test]
fn they_are_described_as_what_they_are() {
    let model = Graph::path(1).configure("INVARIANT Constants A PROPERTY P INVARIANT Nested");
    let kinds: Vec<_> = model
        .properties()
        .iter()
        .map(|p| (p.name, p.kind))
        .collect();
    assert_eq!(
        kinds,
        [
            ("Constants", PropertyKind::Assumption),
            ("A", PropertyKind::Invariant),
            ("P", PropertyKind::Step),
            ("Nested", PropertyKind::Invariant),
        ]
    );
    let conjuncts = |index: usize| {
        let conjuncts = &model.properties()[index].conjuncts;
        conjuncts.iter().map(|(name, _)| *name).collect::<Vec<_>>()
    };
    assert_eq!(conjuncts(0), ["K", "L"]);
    assert!(conjuncts(1).is_empty());
    assert_eq!(
        conjuncts(3),
        ["C", "A", "B"],
        "resolved down to its predicates"
    );
}
