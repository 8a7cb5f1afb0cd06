//! Infinite behaviours that an engine shows as counterexamples, replayed on the Rust model.

use plumb_checker::{ConfiguredModel, Lasso, Report};
use plumb_tla::State as TlaState;
use plumb_tla::tlc::{StepLabel, TlcReport};

use crate::comparison::{Judgement, LassoReplay};
use crate::reading::read_state;

/// How a behaviour goes on after its last state.
enum End {
    /// From the state of this number on, again and again.
    BackTo(u64),
    /// By staying there.
    Stuttering,
    /// Nobody says.
    Open,
}

/// Replays the behaviour that TLC shows against `property`.
pub(crate) fn replay_tlc(
    model: &dyn ConfiguredModel,
    property: &str,
    report: &TlcReport,
) -> LassoReplay {
    let states = report.trace.iter().filter_map(|step| step.state.as_ref());
    let end = match report.trace.last().map(|step| &step.label) {
        Some(StepLabel::BackTo(number, _)) => End::BackTo(*number),
        Some(StepLabel::Stuttering) => End::Stuttering,
        _ => End::Open,
    };
    replay(model, property, states, &end)
}

/// Replays the behaviour that Plumb's own check shows against `property`: whoever judges TLC's
/// must find nothing wrong with it.
pub(crate) fn replay_plumb(
    model: &dyn ConfiguredModel,
    property: &str,
    report: &Report,
) -> LassoReplay {
    let states = report.trace.iter().map(|step| &step.state);
    let end = match &report.lasso {
        Some((Lasso::BackTo(number), _)) => End::BackTo(*number as u64),
        Some((Lasso::Stuttering, _)) => End::Stuttering,
        None => End::Open,
    };
    replay(model, property, states, &end)
}

fn replay<'s>(
    model: &dyn ConfiguredModel,
    property: &str,
    states: impl Iterator<Item = &'s TlaState>,
    end: &End,
) -> LassoReplay {
    let states: Vec<_> = states.collect();
    let judged = read_lasso(model, &states, end)
        .and_then(|(states, back_to)| model.judge_lasso(property, &states, back_to));
    LassoReplay {
        states: states.len(),
        back_to: match end {
            End::BackTo(number) => Some(*number),
            End::Stuttering | End::Open => None,
        },
        judgement: match judged {
            Ok(conjunct) => Judgement::Violates(conjunct),
            Err(reason) => Judgement::Refused(reason),
        },
    }
}

/// The states as the model has them, and the index of the one to which the last one goes back.
fn read_lasso(
    model: &dyn ConfiguredModel,
    states: &[&TlaState],
    end: &End,
) -> Result<(Vec<Vec<u8>>, usize), String> {
    if states.is_empty() {
        return Err("it has no states".to_owned());
    }
    let back_to = match end {
        End::BackTo(number) => usize::try_from(*number)
            .ok()
            .and_then(|number| number.checked_sub(1))
            .ok_or_else(|| format!("it goes back to state {number}"))?,
        End::Stuttering => states.len() - 1,
        End::Open => return Err("it does not say how it goes on".to_owned()),
    };
    let read = |(index, state): (usize, &&TlaState)| {
        read_state(model, state)
            .map_err(|reason| format!("its state {} is none of the model: {reason}", index + 1))
    };
    let states: Result<_, _> = states.iter().enumerate().map(read).collect();
    Ok((states?, back_to))
}

#[cfg(test)]
mod tests;
