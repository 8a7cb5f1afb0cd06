//! Infinite behaviours that an engine shows as counterexamples, replayed on the Rust model.

use plumb_checker::{ConfiguredModel, Lasso, PropertyKind, Report};
use plumb_tla::State as TlaState;
use plumb_tla::tlc::{StepLabel, TlcReport};

use crate::comparison::{Judgement, LassoReplay};
use crate::replay::{Outcome, ReplayOptions, Replayed, Replayer, Why};
use crate::trace::{Ending, Header, RecordedLabel, RecordedStep, RecordedViolation, recorded};

/// Replays the behaviour that TLC shows against `property`.
pub(crate) fn replay_tlc(
    model: &dyn ConfiguredModel,
    property: &str,
    report: &TlcReport,
) -> LassoReplay {
    let states = { report.trace.iter() }.filter_map(|step| {
        let state = step.state.as_ref()?;
        Some((recorded(step.label.clone()), state))
    });
    let ending = match report.trace.last().map(|step| &step.label) {
        Some(StepLabel::BackTo(number, label)) => {
            Ending::BackTo(*number, recorded((**label).clone()))
        }
        Some(StepLabel::Stuttering) => Ending::Stuttering,
        _ => Ending::Open,
    };
    replay(model, property, states, &ending)
}

/// Replays the behaviour that Plumb's own check shows against `property`: whoever judges TLC's
/// must find nothing wrong with it.
pub(crate) fn replay_plumb(
    model: &dyn ConfiguredModel,
    property: &str,
    report: &Report,
) -> LassoReplay {
    let label = |action: Option<&plumb_checker::ActionLabel>| match action {
        None => RecordedLabel::Unlabelled,
        Some(action) => RecordedLabel::Action {
            name: action.name.to_owned(),
            parameters: Some(action.parameters.clone()),
        },
    };
    let states = report.trace.iter();
    let states = states.map(|step| (label(step.action.as_ref()), &step.state));
    let ending = match &report.lasso {
        Some((Lasso::BackTo(number), by)) => Ending::BackTo(*number as u64, label(by.as_ref())),
        Some((Lasso::Stuttering, _)) => Ending::Stuttering,
        None => Ending::Open,
    };
    replay(model, property, states, &ending)
}

fn replay<'s>(
    model: &dyn ConfiguredModel,
    property: &str,
    states: impl Iterator<Item = (RecordedLabel, &'s TlaState)>,
    ending: &Ending,
) -> LassoReplay {
    let violation = RecordedViolation {
        kind: PropertyKind::Temporal,
        property: Some(property.to_owned()),
    };
    let header = Header {
        violation: Some(violation),
        ..Header::default()
    };
    let options = ReplayOptions {
        keep_history: true,
        ..ReplayOptions::default()
    };
    let mut replayer = Replayer::new(model, header, options);
    let mut count = 0;
    for (label, state) in states {
        count += 1;
        replayer.step(&RecordedStep {
            number: count as u64,
            line: 0,
            label,
            state: state.clone(),
        });
    }
    LassoReplay {
        states: count,
        back_to: match ending {
            Ending::BackTo(number, _) => Some(*number),
            Ending::Stuttering | Ending::Open => None,
        },
        judgement: match replayer.end(ending) {
            Ok(replayed) => judgement(replayed),
            Err(needed) => Judgement::Refused(format!("{needed:?}")),
        },
    }
}

fn judgement(replayed: Replayed) -> Judgement {
    let at = |step: u64, reason: String| Judgement::Refused(format!("state {step}: {reason}"));
    match replayed.outcome {
        Outcome::Accepted => {
            let conjunct = replayed.ends_in.and_then(|ends_in| ends_in.conjunct);
            let missing = || Judgement::Refused("it satisfies the property".to_owned());
            conjunct.map_or_else(missing, Judgement::Violates)
        }
        Outcome::Refused(refusal) => match refusal.why {
            Why::OtherViolation | Why::LassoDoesNotClose => Judgement::Refused(refusal.reason),
            _ => at(refusal.step, refusal.reason),
        },
        Outcome::Unreadable { message, .. } => Judgement::Refused(message),
        Outcome::Undecided { step, reason } => at(step, reason),
        Outcome::Failed { step, message } => at(step, message),
    }
}

#[cfg(test)]
mod tests;
