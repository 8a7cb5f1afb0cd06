//! JUnit reports and annotations.

use std::path::Path;

use plumb_replay::replay::Outcome;

use super::Replay;
use super::text::{name, sentence};
use super::trial::Trial;
use crate::commands::annotations::Annotation;
use crate::commands::junit;
use crate::error::CliError;
use crate::exit::Status;

/// The suite of traces that say nowhere whose they are.
const UNKNOWN: &str = "unknown";

/// Writes one test case for each trace, in suites by model.
pub(super) fn write_junit(path: &Path, replay: &Replay) -> Result<(), CliError> {
    let cases = replay.trials.iter().map(|trial| {
        let configuration = trial.configuration.as_ref();
        let model = configuration.map_or(UNKNOWN, |one| one.model.name());
        let mut case = junit::test_case(&name(trial), trial.status(), &message(trial), word(trial));
        case.set_classname(configuration.map_or(UNKNOWN, |one| &*one.name));
        case.add_property(("steps", trial.replayed.steps.to_string().as_str()));
        if let Some(ends_in) = &trial.replayed.ends_in {
            case.add_property(("ends_in", ends_in.property.as_str()));
        }
        (model, case)
    });
    junit::write_cases(path, "plumb replay", cases)
}

/// An annotation for each trace; those that are as they should be are not printed.
pub(super) fn annotations(replay: &Replay) -> Vec<Annotation> {
    let annotation = |trial: &Trial| Annotation {
        status: trial.status(),
        file: Some(trial.file.clone()),
        line: trial.line(),
        title: format!("plumb replay: {}", word(trial)),
        message: message(trial),
    };
    replay.trials.iter().map(annotation).collect()
}

/// Everything that is not as it should be, in sentences.
fn message(trial: &Trial) -> String {
    let mut sentences = vec![sentence(trial)];
    let stale = trial.stale.iter();
    sentences.extend(stale.map(|stale| format!("stale: {stale}")));
    let violations = trial.replayed.violations.iter();
    sentences.extend(
        violations
            .map(|violation| format!("step {} violates {}", violation.step, violation.property)),
    );
    sentences.join("\n")
}

/// The outcome in a word.
pub(super) fn word(trial: &Trial) -> &'static str {
    match (&trial.replayed.outcome, trial.status()) {
        (Outcome::Accepted, Status::Expected) => "accepted",
        (Outcome::Accepted, _) if !trial.stale.is_empty() => "stale",
        (Outcome::Accepted, _) => "violated",
        (Outcome::Refused(_), _) => "refused",
        (Outcome::Unreadable { .. }, _) => "unreadable",
        (Outcome::Undecided { .. }, _) => "undecided",
        (Outcome::Failed { .. }, _) => "failed",
    }
}
