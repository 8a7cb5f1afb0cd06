//! Every registered configuration meets its published expectation, under any number of threads and
//! under stateright's own checker.

use std::num::NonZeroUsize;
use std::sync::Arc;

use plumb_checker::specs::{Registered, Specs};
use plumb_checker::{
    ConfiguredModel, ExpectedVerdict, Outcome, Progress, Purpose, Report, SearchOptions,
};

fn specs() -> Specs {
    let working = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    Specs::open(None, working, plumb_models::registry().specs()).unwrap()
}

fn ours(specs: &Specs) -> Vec<&Registered> {
    let models = ["claim-scope", "lifecycle"];
    let entries = specs.configurations().iter();
    entries
        .filter(|entry| models.contains(&entry.model.as_str()))
        .collect()
}

fn configured(specs: &Specs, entry: &Registered) -> Box<dyn ConfiguredModel> {
    let text = specs
        .text(&format!("{}/{}.cfg", entry.model, entry.name))
        .unwrap();
    let registry = plumb_models::registry();
    let model = registry
        .find(&entry.model)
        .expect("the registry names a model");
    model
        .configure(&plumb_tla::parse_cfg(&text).unwrap())
        .unwrap()
}

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
    let entries = ours(&specs);
    assert_eq!(entries.len(), 25, "both documents' tables");
    for entry in entries {
        let model = configured(&specs, entry);
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
fn stateright_counts_the_same_states_where_the_search_is_exhausted() {
    let specs = specs();
    let exhausted = |entry: &&Registered| entry.expect.verdict == ExpectedVerdict::Exhausted;
    for entry in ours(&specs).into_iter().filter(exhausted) {
        assert_eq!(entry.purpose, Purpose::Bound, "{}", entry.name);
        let model = configured(&specs, entry);
        let progress = Arc::new(Progress::default());
        let report = model.check_with_stateright(&with_threads(2), &progress);
        assert_expected(entry, &report);
    }
}
