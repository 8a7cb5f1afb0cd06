//! What `plumb replay` says to people.

use std::fmt::Write as _;

use owo_colors::OwoColorize;
use plumb_replay::replay::{Outcome, Refusal, Replayed};

use super::Replay;
use super::reports;
use super::trial::Trial;
use crate::exit::Status;
use crate::output::grouped;

/// So many enabled actions are named in a line.
const MOST_ACTIONS: usize = 8;

/// Everything about all files.
pub(super) fn text(replay: &Replay) -> String {
    let mut text = String::new();
    for trial in &replay.trials {
        let line = format!("{}: {}", name(trial), sentence(trial));
        let _ = match trial.status() {
            Status::Expected => writeln!(text, "{line}"),
            Status::Inconclusive => writeln!(text, "{}", line.yellow()),
            _ => writeln!(text, "{}", line.red()),
        };
        if let Outcome::Refused(refusal) = &trial.replayed.outcome {
            explain(refusal, &mut text);
        }
        for stale in &trial.stale {
            let _ = writeln!(text, "    stale: {stale}");
        }
        remarks(&trial.replayed, &mut text);
    }
    if replay.trials.len() > 1 {
        for (model, actions) in replay.never_taken() {
            if !actions.is_empty() {
                let actions = actions.join(", ");
                let _ = writeln!(text, "\n{model}: no trace takes {actions}");
            }
        }
    }
    text.push_str(&summary(replay));
    let _ = writeln!(text, "Specifications: {}", replay.specs);
    text
}

/// The file, and which of its behaviours if it is not the first.
pub(super) fn name(trial: &Trial) -> String {
    match trial.behaviour {
        0 | 1 => trial.file.clone(),
        number => format!("{}, behaviour {number}", trial.file),
    }
}

pub(super) fn counted(count: u64, one: &str, several: &str) -> String {
    match count {
        1 => format!("1 {one}"),
        _ => format!("{} {several}", grouped(count)),
    }
}

/// What came of it, in a line.
pub(super) fn sentence(trial: &Trial) -> String {
    let replayed = &trial.replayed;
    match &replayed.outcome {
        Outcome::Accepted => match trial.edges {
            Some(edges) => format!(
                "{} and {}, each one of the model; a graph is no behaviour",
                counted(replayed.steps, "state", "states"),
                counted(edges, "edge", "edges")
            ),
            None if trial.is_listing() => format!(
                "{}, each one of the model; a listing is no behaviour",
                counted(replayed.steps, "state", "states")
            ),
            None => format!(
                "{}, each one a step of the model, {}",
                counted(replayed.steps, "step", "steps"),
                end(replayed)
            ),
        },
        Outcome::Refused(refusal) => {
            let line = match refusal.line {
                0 => String::new(),
                line => format!(" (line {line})"),
            };
            let what = if trial.is_listing() { "state" } else { "step" };
            format!(
                "refused at {what} {}{line}: {}",
                refusal.step, refusal.reason
            )
        }
        Outcome::Unreadable { line: 0, message } => message.clone(),
        Outcome::Unreadable { line, message } => {
            let said = format!("line {line}");
            if message.starts_with(&said) {
                message.clone()
            } else {
                format!("{said}: {message}")
            }
        }
        Outcome::Undecided { step: 0, reason } => format!("undecided: {reason}"),
        Outcome::Undecided { step, reason } => format!("undecided at step {step}: {reason}"),
        Outcome::Failed { step, message } => format!("failed at step {step}: {message}"),
    }
}

fn end(replayed: &Replayed) -> String {
    let outside = if replayed.outside_constraint {
        ", outside the constraint"
    } else {
        ""
    };
    let how = match (&replayed.ends_in, replayed.lasso) {
        (Some(ends_in), lasso) => {
            let lasso = if lasso {
                "a lasso that violates "
            } else {
                "the violation of "
            };
            format!("ends in {lasso}{} {}", ends_in.kind, ends_in.property)
        }
        (None, true) => "ends in a lasso that violates nothing".to_owned(),
        (None, false) => "ends in a state that violates nothing".to_owned(),
    };
    format!("{how}{outside}")
}

fn explain(refusal: &Refusal, text: &mut String) {
    if let Some(nearest) = &refusal.nearest {
        let by = nearest.action.as_deref().unwrap_or("an initial state");
        let _ = match nearest.variables.len() {
            0 => writeln!(text, "    nearest allowed: {by}, with the same state"),
            _ => writeln!(
                text,
                "    nearest allowed: {by}, which differs in {}",
                nearest.variables.join(", ")
            ),
        };
        for difference in &nearest.differences {
            let _ = writeln!(text, "      {difference}");
        }
    }
    if !refusal.enabled.is_empty() {
        let shown = refusal.enabled.len().min(MOST_ACTIONS);
        let more = match refusal.enabled.len() - shown + refusal.enabled_left_out {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        let actions = refusal.enabled[..shown].join(", ");
        let _ = writeln!(text, "    enabled: {actions}{more}");
    }
}

/// What is worth a word of an accepted behaviour.
fn remarks(replayed: &Replayed, text: &mut String) {
    for violation in &replayed.violations {
        let _ = writeln!(
            text,
            "    on the way, step {} violates {} {}",
            violation.step, violation.kind, violation.property
        );
    }
    if !replayed.inferred.is_empty() {
        let labels = replayed.inferred.iter();
        let labels: Vec<_> = labels
            .map(|(label, count)| format!("{label} ({count})"))
            .collect();
        let _ = writeln!(
            text,
            "    labels that name no action, which was found out: {}",
            labels.join(", ")
        );
    }
    if replayed.candidates > 1 {
        let _ = writeln!(
            text,
            "    not everything is recorded: up to {} states agree",
            grouped(replayed.candidates as u64)
        );
    }
}

fn summary(replay: &Replay) -> String {
    let count = |status| {
        let trials = replay.trials.iter();
        trials.filter(|trial| trial.status() == status).count()
    };
    let told_as = |wanted: &str| {
        let trials = replay.trials.iter();
        trials
            .filter(|trial| reports::word(trial) == wanted)
            .count()
    };
    let stale = replay.trials.iter().filter(|trial| !trial.stale.is_empty());
    let refused = replay.trials.iter().filter(|trial| trial.is_refused());
    let words = [
        (count(Status::Expected), "accepted"),
        (refused.count(), "refused"),
        (told_as("violated"), "violated"),
        (stale.count(), "stale"),
        (count(Status::Usage), "unreadable"),
        (count(Status::Inconclusive), "undecided"),
        (count(Status::Failed), "failed"),
        (replay.not_run, "not run"),
    ];
    let words = words.iter().filter(|(count, _)| *count > 0);
    let words: Vec<_> = words
        .map(|(count, word)| format!("{count} {word}"))
        .collect();
    let traces = counted(replay.trials.len() as u64, "trace", "traces");
    let steps = replay.trials.iter().map(|trial| trial.replayed.steps).sum();
    format!(
        "\n{traces}, {}: {}, in {:.2} s\n",
        counted(steps, "step", "steps"),
        words.join(", "),
        replay.elapsed.as_secs_f64()
    )
}
