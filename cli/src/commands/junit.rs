//! JUnit reports: one test case for each configuration that was checked, or whatever else it was.

use std::path::Path;

use plumb_checker::{Outcome, Verdict};
use quick_junit::{NonSuccessKind, Report, TestCase, TestCaseStatus, TestSuite};

use super::search::{self, Finished};
use crate::error::CliError;
use crate::exit::Status;
use crate::output;
use crate::workspace::Configuration;

/// Writes the report of `plumb check`; the file is complete or not there.
pub(crate) fn write(
    path: &Path,
    results: &[(&Configuration, Finished)],
    not_run: &[Configuration],
) -> Result<(), CliError> {
    let cases = results
        .iter()
        .map(|(configuration, finished)| (*configuration, case(configuration, Some(finished))));
    let missing = not_run
        .iter()
        .map(|configuration| (configuration, case(configuration, None)));
    let cases = cases.chain(missing);
    let cases = cases.map(|(configuration, case)| (configuration.model.name(), case));
    write_cases(path, "plumb check", cases)
}

/// Writes a report of these test cases, each of a suite; suites come in the order of their first
/// cases. The file is complete or not there.
pub(super) fn write_cases<'s>(
    path: &Path,
    title: &str,
    cases: impl IntoIterator<Item = (&'s str, TestCase)>,
) -> Result<(), CliError> {
    let mut report = Report::new(title);
    let mut suites: Vec<(&str, TestSuite)> = Vec::new();
    for (suite, case) in cases {
        match suites.iter_mut().find(|(name, _)| *name == suite) {
            Some((_, known)) => {
                known.add_test_case(case);
            }
            None => {
                let mut new = TestSuite::new(suite);
                new.add_test_case(case);
                suites.push((suite, new));
            }
        }
    }
    report.add_test_suites(suites.into_iter().map(|(_, suite)| suite));
    let text = report
        .to_string()
        .map_err(|error| CliError::failed(format!("cannot write JUnit: {error}"), None))?;
    output::write_file(path, text.as_bytes())
}

/// A test case with the outcome that `status` stands for; what is not as expected has a message and
/// a word for its kind.
pub(super) fn test_case(name: &str, status: Status, message: &str, kind: &str) -> TestCase {
    let mut outcome = match status {
        Status::Expected => TestCaseStatus::success(),
        Status::Different => TestCaseStatus::non_success(NonSuccessKind::Failure),
        Status::Usage | Status::Inconclusive | Status::Failed => {
            TestCaseStatus::non_success(NonSuccessKind::Error)
        }
    };
    if status != Status::Expected {
        outcome.set_message(message).set_type(kind);
    }
    TestCase::new(name, outcome)
}

fn case(configuration: &Configuration, finished: Option<&Finished>) -> TestCase {
    let Some(finished) = finished else {
        let message = "not run: interrupted before its turn";
        return test_case(
            &configuration.name,
            Status::Inconclusive,
            message,
            "inconclusive",
        );
    };
    let report = &finished.report;
    let violated = report.verdict.property();
    let violated = violated.map(|name| format!("{name} is violated"));
    let message = search::explanation(finished).or(violated);
    let kind = match (&finished.outcome, &report.verdict) {
        (Outcome::Unexpected(_), _) => "unexpected",
        (_, Verdict::Inconclusive(_)) => "inconclusive",
        (_, Verdict::Error { .. }) => "error",
        _ => "violated",
    };
    let message = message.unwrap_or_default();
    let mut case = test_case(&configuration.name, finished.status(), &message, kind);
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
