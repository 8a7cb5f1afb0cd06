use plumb_checker::Verdict;

use super::*;
use crate::walk::{back_to, check, configure, stuttering, tlc_holds, tlc_lasso, walk};

const CFG: &str = "\\* Everything at once.
SPECIFICATION FairSpec
PROPERTIES Returns Slow
INVARIANT Small
PROPERTY Passes Returns";

#[test]
fn each_property_gets_a_cfg_of_its_own() {
    let cfg = plumb_tla::parse_cfg(CFG).unwrap();
    let model = configure(&cfg).unwrap();
    let alone = one_by_one(&configure, &cfg, model.as_ref()).unwrap();
    let cfgs: Vec<_> = alone
        .iter()
        .map(|alone| (alone.property, alone.cfg.as_str()))
        .collect();
    assert_eq!(
        cfgs,
        [
            ("Returns", "SPECIFICATION FairSpec\nPROPERTY Returns\n"),
            ("Passes", "SPECIFICATION FairSpec\nPROPERTY Passes\n"),
        ]
    );
    for alone in &alone {
        let properties: Vec<_> = alone.model.properties().iter().map(|p| p.name).collect();
        assert_eq!(properties, [alone.property]);
        assert_eq!(alone.model.fairness().len(), 1);
    }
    assert_eq!(
        without_temporal(&cfg, model.as_ref()).to_string(),
        "SPECIFICATION FairSpec\nPROPERTY Slow\nINVARIANT Small\n"
    );
}

#[test]
fn constants_and_the_rest_are_kept() {
    // Not of the model, whose configuring is not at stake.
    let text = "SPECIFICATION Spec CONSTANTS A <- B C = {1, 2} PROPERTY Returns INVARIANT Small";
    let cfg = plumb_tla::parse_cfg(text).unwrap();
    let model = walk("SPECIFICATION Spec PROPERTY Returns");
    let ignoring = |cfg: &Cfg| {
        let mut cfg = cfg.clone();
        cfg.constants.clear();
        configure(&cfg)
    };
    let alone = one_by_one(&ignoring, &cfg, model.as_ref()).unwrap();
    assert_eq!(
        alone[0].cfg,
        "SPECIFICATION Spec\nCONSTANTS\n  A <- B\n  C = {1, 2}\nPROPERTY Returns\n"
    );
}

#[test]
fn a_cfg_without_temporal_properties_has_none_to_compare() {
    let cfg = plumb_tla::parse_cfg("SPECIFICATION Spec INVARIANT Small PROPERTY Slow").unwrap();
    let model = configure(&cfg).unwrap();
    assert!(
        one_by_one(&configure, &cfg, model.as_ref())
            .unwrap()
            .is_empty()
    );
}

/// The rows of a property of `Spec`, where TLC reports `tlc` and Plumb its own finding, changed.
fn rows_of(property: &str, tlc: &TlcReport, change: impl Fn(&mut Report)) -> Vec<String> {
    let cfg = plumb_tla::parse_cfg(&format!("SPECIFICATION Spec PROPERTY {property}")).unwrap();
    let model = configure(&cfg).unwrap();
    let alone = one_by_one(&configure, &cfg, model.as_ref()).unwrap();
    let mut plumb = check(alone[0].model.as_ref());
    change(&mut plumb);
    let answers = Answers::read(&alone[0], tlc, &plumb);
    let text = |side: &Option<String>| side.clone().unwrap_or_else(|| "-".to_owned());
    answers
        .rows()
        .map(|row| {
            let word = row.agree.reason().unwrap_or(row.agree.word()).to_owned();
            format!(
                "{}: {} / {}: {word}",
                row.what,
                text(&row.tlc),
                text(&row.plumb)
            )
        })
        .collect()
}

fn unchanged(_: &mut Report) {}

fn holds(plumb: &mut Report) {
    plumb.verdict = Verdict::Exhausted;
}

#[test]
fn two_accepted_lassos_are_equal_whatever_their_lengths() {
    let tlc = tlc_lasso(&[0, 1, 2], &back_to(2));
    assert_eq!(
        rows_of("Returns", &tlc, unchanged),
        [
            "temporal Returns: violated / violated: equal",
            "lasso Returns: a fair violation / a fair violation: equal"
        ]
    );
}

#[test]
fn a_lasso_that_is_not_accepted_is_a_difference() {
    // It goes round through the state that `Passes` wants.
    let tlc = tlc_lasso(&[0, 1, 2], &back_to(2));
    assert_eq!(
        rows_of("Passes", &tlc, unchanged),
        [
            "temporal Passes: violated / violated: equal",
            "lasso Passes: refused: it is no violation of Passes: it satisfies the property / a fair violation: different"
        ]
    );
    let no_step = tlc_lasso(&[0, 1, 2], &back_to(1));
    assert_eq!(
        rows_of("Returns", &no_step, unchanged)[1],
        "lasso Returns: refused: no action leads from state 3 back to state 1 / a fair violation: \
         different"
    );
}

#[test]
fn plumb_must_accept_what_it_found_itself() {
    let tlc = tlc_lasso(&[0, 1], &stuttering(2));
    let found = rows_of("Returns", &tlc, |plumb| plumb.lasso = None);
    assert_eq!(
        found[1],
        "lasso Returns: a fair violation / refused: it was recorded for Returns, and does not say how it goes on: different"
    );
    let found = rows_of("Returns", &tlc_holds(), |plumb| plumb.lasso = None);
    assert_eq!(
        found[1],
        "lasso Returns: - / refused: it was recorded for Returns, and does not say how it goes on: different"
    );
}

#[test]
fn a_property_that_holds_for_one_side_only_is_different() {
    assert_eq!(
        rows_of("Returns", &tlc_holds(), unchanged),
        [
            "temporal Returns: holds / violated: different",
            "lasso Returns: - / a fair violation: only Plumb finds the property violated"
        ]
    );
    let refused = tlc_lasso(&[0, 1], &back_to(1));
    assert_eq!(
        rows_of("Returns", &refused, holds),
        [
            "temporal Returns: violated / holds: different",
            "lasso Returns: refused: no action leads from state 2 back to state 1 / -: only TLC \
             finds the property violated"
        ]
    );
    // The judge accepts what the search says does not exist: one of the two is wrong.
    let accepted = tlc_lasso(&[0, 1], &stuttering(2));
    let found = rows_of("Returns", &accepted, holds);
    assert_eq!(found[1], "lasso Returns: a fair violation / -: different");
}

#[test]
fn a_property_that_holds_for_both_has_no_lasso() {
    assert_eq!(
        rows_of("Returns", &tlc_holds(), holds),
        ["temporal Returns: holds / holds: equal"]
    );
}

#[test]
fn a_violation_of_another_kind_is_a_difference() {
    let mut tlc = tlc_lasso(&[0, 1], &stuttering(2));
    tlc.verdict = TlcVerdict::Violated {
        kind: ViolationKind::Step,
        name: None,
    };
    assert_eq!(
        rows_of("Returns", &tlc, unchanged)[0],
        "temporal Returns: violated as step property / violated: different"
    );
    // A property that is no formula of behaviours for TLC: it ends in the initial state.
    let initial = tlc_lasso(&[0], "");
    assert_eq!(
        rows_of("Returns", &initial, unchanged)[1],
        "lasso Returns: refused: it was recorded for Returns, and does not say how it goes on / a fair violation: different"
    );
}
