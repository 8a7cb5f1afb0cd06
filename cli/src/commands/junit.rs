//! The JUnit report of `plumb check`: one test case for each configuration.

use std::path::Path;

use plumb_checker::{Outcome, Verdict};
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::search::{self, Finished};
use crate::error::CliError;
use crate::exit::Status;
use crate::output;
use crate::workspace::Configuration;

/// Writes the report; the file is complete or not there.
pub(crate) fn write(
    path: &Path,
    results: &[(&Configuration, Finished)],
    not_run: &[Configuration],
) -> Result<(), CliError> {
    let mut report = Report::new("plumb check");
    let mut suites: Vec<(&str, TestSuite)> = Vec::new();
    let cases = results
        .iter()
        .map(|(configuration, finished)| (*configuration, case(configuration, Some(finished))));
    let missing = not_run
        .iter()
        .map(|configuration| (configuration, case(configuration, None)));
    for (configuration, case) in cases.chain(missing) {
        let model = configuration.model.name();
        match suites.iter_mut().find(|(name, _)| *name == model) {
            Some((_, suite)) => {
                suite.add_test_case(case);
            }
            None => {
                let mut suite = TestSuite::new(model);
                suite.add_test_case(case);
                suites.push((model, suite));
            }
        }
    }
    report.add_test_suites(suites.into_iter().map(|(_, suite)| suite));
    let text = report
        .to_string()
        .map_err(|error| CliError::failed(format!("cannot write JUnit: {error}"), None))?;
    output::write_file(path, text.as_bytes())
}

fn case(configuration: &Configuration, finished: Option<&Finished>) -> TestCase {
    let Some(finished) = finished else {
        let mut status = TestCaseStatus::non_success(NonSuccessKind::Error);
        status
            .set_message("not run: interrupted before its turn")
            .set_type("inconclusive");
        return TestCase::new(configuration.name.as_str(), status);
    };
    let report = &finished.report;
    let mut status = match finished.status() {
        Status::Expected => TestCaseStatus::success(),
        Status::Different => TestCaseStatus::non_success(NonSuccessKind::Failure),
        Status::Usage | Status::Inconclusive | Status::Failed => {
            TestCaseStatus::non_success(NonSuccessKind::Error)
        }
    };
    if finished.status() != Status::Expected {
        let violated = report
            .verdict
            .property()
            .map(|name| format!("{name} is violated"));
        let message = search::explanation(finished).or(violated);
        let kind = match (&finished.outcome, &report.verdict) {
            (Outcome::Unexpected(_), _) => "unexpected",
            (_, Verdict::Inconclusive(_)) => "inconclusive",
            (_, Verdict::Error { .. }) => "error",
            _ => "violated",
        };
        status
            .set_message(message.unwrap_or_default())
            .set_type(kind);
    }
    let mut case = TestCase::new(configuration.name.as_str(), status);
    case.set_classname(configuration.model.name())
        .set_time(report.elapsed);
    case.add_property(("verdict", report.verdict.word()));
    case.add_property(("outcome", finished.outcome.word()));
    case.add_property(("distinct", report.distinct.to_string().as_str()));
    case.add_property(("generated", report.generated.to_string().as_str()));
    case.add_property(("depth", report.depth().to_string().as_str()));
    if !report.trace.is_empty() {
        case.set_system_out(super::trace::text(configuration, finished, false));
    }
    case
}
