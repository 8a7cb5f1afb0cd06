//! Replayed behaviours on one page for people.

use std::path::Path;

use plumb_checker::ConfiguredModel;
use plumb_replay::replay::{Outcome, Refusal};
use plumb_replay::trace::{self, Ending, Header, RecordedLabel, RecordedStep, TraceItem};

use super::Replay;
use super::text::{counted, name, sentence};
use super::trial::Trial;
use crate::error::CliError;
use crate::output;
use crate::page::{self, Behaviour, Finding, ShownEnding, ShownStep, ShownViolation};

/// So many states are shown of all behaviours together: more, no browser and no reader would take.
const MOST_STATES: usize = 5_000;

/// Writes the page.
pub(super) fn write(path: &Path, replay: &Replay) -> Result<(), CliError> {
    let mut room = MOST_STATES;
    let trials = replay.trials.iter();
    let behaviours: Vec<Behaviour> = trials.map(|trial| shown(trial, &mut room)).collect();
    let page = page::render("plumb replay", &behaviours)?;
    output::write_file(path, page.as_bytes())
}

/// A trial as the page shows it. The recording is read once more: replaying it kept nothing.
fn shown(trial: &Trial, room: &mut usize) -> Behaviour {
    let mut shown = Behaviour {
        name: name(trial),
        lead: format!("{}.", sentence(trial)),
        ..Behaviour::default()
    };
    let configuration = trial.configuration.as_ref();
    if let Some(configuration) = configuration {
        let model = configuration.model.as_ref();
        fact(&mut shown, "Model", model.name());
        fact(&mut shown, "Configuration", &configuration.name);
        shown.violation = trial.replayed.ends_in.as_ref().map(|ends_in| {
            let conjunct = ends_in.conjunct.as_deref();
            ShownViolation::of(model, ends_in.kind, &ends_in.property, conjunct)
        });
    }
    if let Some(format) = trial.format {
        fact(&mut shown, "Format", &format.to_string());
    }
    shown.findings = findings(trial);
    let is_readable = !matches!(trial.replayed.outcome, Outcome::Unreadable { .. });
    if is_readable && !trial.is_listing() {
        let model = configuration.map(|configuration| configuration.model.as_ref());
        if let Some(left_out) = read_again(trial, model, room, &mut shown) {
            let bad = false;
            let step = None;
            let text = left_out;
            shown.findings.push(Finding { step, bad, text });
        }
    }
    shown
}

fn fact(shown: &mut Behaviour, name: &str, value: &str) {
    shown.facts.push((name.to_owned(), value.to_owned()));
}

/// What is to be said of a trial.
fn findings(trial: &Trial) -> Vec<Finding> {
    let replayed = &trial.replayed;
    let mut findings = Vec::new();
    let mut say = |step: Option<u64>, bad, text| findings.push(Finding { step, bad, text });
    match &replayed.outcome {
        Outcome::Accepted => {}
        Outcome::Refused(refusal) => say(Some(refusal.step), true, refused(refusal)),
        Outcome::Unreadable { .. } => say(None, true, sentence(trial)),
        Outcome::Undecided { step, .. } | Outcome::Failed { step, .. } => {
            say(Some(*step).filter(|step| *step > 0), true, sentence(trial));
        }
    }
    for stale in &trial.stale {
        say(None, true, format!("Stale: {stale}."));
    }
    for violation in &replayed.violations {
        let text = format!("This violates {} {}.", violation.kind, violation.property);
        say(Some(violation.step), true, text);
    }
    if replayed.outside_constraint {
        let text = "The last state lies outside the constraint: a search would end here.";
        say(None, false, text.to_owned());
    }
    if replayed.candidates > 1 {
        let text = format!(
            "Not everything is recorded: up to {} states agree with what is.",
            output::grouped(replayed.candidates as u64)
        );
        say(None, false, text);
    }
    findings
}

/// Why a step is none, and what would have been one.
fn refused(refusal: &Refusal) -> String {
    let mut text = format!("Refused: {}.", refusal.reason);
    if let Some(nearest) = &refusal.nearest {
        let by = nearest.action.as_deref().unwrap_or("an initial state");
        text += &format!(" The nearest that is allowed: {by}");
        if !nearest.variables.is_empty() {
            text += &format!(", which differs in {}", nearest.variables.join(", "));
        }
        text.push('.');
    }
    if !refusal.enabled.is_empty() {
        text += &format!(" Enabled: {}.", refusal.enabled.join(", "));
    }
    text
}

/// Adds the states to what is shown, up to the step that was refused; what was left out.
fn read_again(
    trial: &Trial,
    model: Option<&dyn ConfiguredModel>,
    room: &mut usize,
    shown: &mut Behaviour,
) -> Option<String> {
    let refused_at = match &trial.replayed.outcome {
        Outcome::Refused(refusal) => refusal.step,
        _ => u64::MAX,
    };
    let items = match trace::open(Path::new(&trial.file), trial.format) {
        Ok(items) => items,
        Err(error) => return Some(format!("Its states cannot be read again: {error}.")),
    };
    let mut behaviour = 0;
    let mut after = 0;
    for item in items {
        let item = match item {
            Ok(item) => item,
            Err(error) => return Some(format!("Its states cannot be read again: {error}.")),
        };
        match item {
            TraceItem::Header(header) => {
                if behaviour == trial.behaviour {
                    break;
                }
                behaviour += 1;
                if behaviour == trial.behaviour {
                    recorded_by(&header, shown);
                }
            }
            _ if behaviour < trial.behaviour => {}
            TraceItem::Step(step) if step.number > refused_at => after += 1,
            TraceItem::Step(step) => {
                if *room == 0 {
                    return Some(format!(
                        "The page shows {} and leaves out the rest.",
                        counted(MOST_STATES as u64, "state", "states")
                    ));
                }
                *room -= 1;
                shown.steps.push(shown_step(step, model));
            }
            TraceItem::End(ending) if after == 0 => {
                shown.ending = match ending {
                    Ending::Open => ShownEnding::Open,
                    Ending::Stuttering => ShownEnding::Stuttering,
                    Ending::BackTo(number, label) => ShownEnding::BackTo(number, told(&label)),
                };
            }
            TraceItem::End(_) => {}
        }
    }
    (after > 0).then(|| {
        format!(
            "{} after the refused one are not shown.",
            counted(after, "state", "states")
        )
    })
}

fn recorded_by(header: &Header, shown: &mut Behaviour) {
    if let Some(tool) = &header.tool {
        fact(shown, "Recorded by", tool);
    }
    if let Some(seed) = header.seed {
        fact(shown, "Seed", &seed.to_string());
    }
}

fn shown_step(step: RecordedStep, model: Option<&dyn ConfiguredModel>) -> ShownStep {
    let actor = match (&step.label, model) {
        (RecordedLabel::Action { name, parameters }, Some(model)) => {
            model.actor(name, parameters.as_deref().unwrap_or_default())
        }
        _ => None,
    };
    ShownStep {
        number: step.number,
        action: told(&step.label),
        actor,
        state: step.state,
    }
}

/// A label as it was recorded.
fn told(label: &RecordedLabel) -> Option<String> {
    let RecordedLabel::Action { name, parameters } = label else {
        return None;
    };
    let parameters = parameters.as_deref().unwrap_or_default();
    if parameters.is_empty() {
        return Some(name.clone());
    }
    let parameters: Vec<String> = parameters.iter().map(ToString::to_string).collect();
    Some(format!("{name}({})", parameters.join(", ")))
}
