//! Broken modes and specifications, explored whole.
//!
//! A registered control ends at its violation, so most of its graph is never compared. The cfg
//! files of `tests/whole/` leave the violated invariant out.

use std::collections::BTreeSet;

use plumb_models::registry;

use crate::models::{Case, all_agree, whole};

fn cases(model: &str) -> Vec<Case> {
    whole(model)
        .iter()
        .map(|file| {
            let cfg = std::fs::read_to_string(file).unwrap();
            let name = file.file_stem().unwrap().to_string_lossy();
            Case::new(&registry(), model, &name, &cfg).unwrap()
        })
        .collect()
}

#[test]
fn every_broken_mode_of_lifecycle() {
    let cases = cases("lifecycle");
    let value = |case: &Case, wanted: &str| {
        let mut constants = case.model.constants().iter();
        let found = constants.find(|(name, _)| name == wanted);
        found.map(|(_, value)| value.clone()).unwrap()
    };
    let modes: BTreeSet<_> = cases.iter().map(|case| value(case, "Broken")).collect();
    assert_eq!(modes.len(), 11, "one for each defect");
    all_agree(&cases, |case, found| {
        let graph = found.graph.as_ref().expect("both searches are exhausted");
        let own = match value(case, "Broken").as_str() {
            "\"unauthenticated-activation\"" => Some("UnauthenticatedActivation"),
            "\"pause-preempts\"" => Some("Preempt"),
            _ => None,
        };
        if let Some(own) = own {
            let taken = graph
                .actions
                .iter()
                .any(|action| action.action == own && action.tlc > 0);
            assert!(taken, "{}: no {own}", case.name);
        }
    });
}

#[test]
fn every_broken_specification_of_claim_scope() {
    let cases = cases("claim-scope");
    let specifications: BTreeSet<_> = cases
        .iter()
        .map(|case| case.model.specification().to_owned())
        .collect();
    assert_eq!(specifications.len(), 5, "one for each defect");
    all_agree(&cases, |case, found| {
        let graph = found.graph.as_ref().expect("both searches are exhausted");
        let names = graph.actions.iter();
        let broken = names.filter(|action| action.action.starts_with("Broken") && action.tlc > 0);
        assert_eq!(broken.count(), 1, "{}", case.name);
    });
}
