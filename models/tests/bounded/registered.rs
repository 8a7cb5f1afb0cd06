//! Every registered configuration meets its published expectation, under any number of threads and
//! under stateright's own checker; every negative control passes once its defect is removed.

use std::num::NonZeroUsize;
use std::sync::Arc;

use plumb_checker::specs::Registered;
use plumb_checker::{ExpectedVerdict, Outcome, Progress, Purpose, Report, SearchOptions, Verdict};
use plumb_tla::{Binding, Cfg, Value};

use crate::setting::{cfg, configured, registered, specs};

fn with_threads(threads: usize) -> SearchOptions {
    SearchOptions {
        threads: NonZeroUsize::new(threads).unwrap(),
        ..SearchOptions::default()
    }
}

fn assert_expected(entry: &Registered, report: &Report) {
    let outcome = entry.expect.judge(report);
    assert_eq!(outcome, Outcome::AsExpected, "{}", entry.name);
}

/// All of a report that must not depend on timing.
fn figures(report: &Report) -> impl PartialEq + std::fmt::Debug + use<> {
    (
        (report.verdict.clone(), report.trace.clone()),
        (
            report.distinct,
            report.generated,
            report.outside,
            report.queue,
        ),
        (report.levels.clone(), report.actions.clone()),
    )
}

#[test]
fn every_registered_configuration_is_as_expected_with_any_number_of_threads() {
    let specs = specs();
    let entries = registered(&specs);
    assert_eq!(
        entries.len(),
        25,
        "nine and sixteen in the documents' tables"
    );
    for entry in entries {
        let model = configured(entry, &cfg(&specs, entry));
        let report = model.check(&with_threads(1), &Progress::default());
        assert_expected(entry, &report);
        for threads in [2, 8] {
            let other = model.check(&with_threads(threads), &Progress::default());
            assert_eq!(
                figures(&report),
                figures(&other),
                "{} with {threads}",
                entry.name
            );
        }
    }
}

#[test]
fn stateright_counts_the_same_where_the_search_is_exhausted() {
    let specs = specs();
    let exhausted = |entry: &&Registered| entry.expect.verdict == ExpectedVerdict::Exhausted;
    let entries: Vec<_> = registered(&specs).into_iter().filter(exhausted).collect();
    assert_eq!(entries.len(), 4, "two of each model");
    for entry in entries {
        let model = configured(entry, &cfg(&specs, entry));
        let progress = Arc::new(Progress::default());
        let report = model.check_with_stateright(&with_threads(2), &progress);
        assert_expected(entry, &report);
        assert!(
            entry
                .expect
                .distinct
                .is_some_and(|distinct| distinct == report.distinct)
        );
    }
}

#[test]
fn every_negative_control_passes_without_its_defect() {
    let specs = specs();
    let control = |entry: &&Registered| entry.purpose == Purpose::Control;
    let entries: Vec<_> = registered(&specs).into_iter().filter(control).collect();
    assert_eq!(entries.len(), 16, "five and eleven defects");
    for entry in entries {
        let mut cfg = cfg(&specs, entry);
        remove_defect(&mut cfg);
        let report = configured(entry, &cfg).check(&with_threads(2), &Progress::default());
        assert_eq!(report.verdict, Verdict::Exhausted, "{}", entry.name);
    }
}

/// Makes a control's specification the sound one, and its constant `Broken`, if it has one, "none".
fn remove_defect(cfg: &mut Cfg) {
    let before = cfg.clone();
    cfg.specification.as_mut().unwrap().value = "Spec".to_owned();
    for constant in &mut cfg.constants {
        if constant.name.value == "Broken"
            && let Binding::Value(value) = &mut constant.binding
        {
            value.value = Value::str("none");
        }
    }
    assert_ne!(*cfg, before, "there was a defect");
}
