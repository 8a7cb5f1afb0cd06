//! Behaviours that TLC wrote while simulating.

use std::io::BufRead;

use super::TlcOutputError;
use super::label::StepLabel;
use super::lines::Lines;
use super::report::TlcStep;
use crate::state::StateReader;

/// Reads one behaviour that TLC wrote with `-simulate file=FILE`: a module with a definition
/// `STATE_k` for each state.
///
/// The first step is [`StepLabel::Initial`]. TLC 2.15 does not write the actions (steps are
/// [`StepLabel::Unlabelled`]), repeats self-loops and may end with a state outside the constraint.
///
/// # Errors
///
/// When the input is not such a file, or ends before the line that closes it.
pub fn read_simulation(input: impl BufRead) -> Result<Vec<TlcStep>, TlcOutputError> {
    let mut lines = Lines::new(input);
    let mut states = StateReader::default();
    let mut steps: Vec<TlcStep> = Vec::new();
    let mut label = StepLabel::Unlabelled;

    match lines.next()? {
        Some(line) if line.starts_with("----") && line.contains(" MODULE ") => {}
        Some(line) => return Err(TlcOutputError::at(1, line, 0, "a module's first line")),
        None => {
            return Err(TlcOutputError::line_of(
                1,
                "a module",
                "the end of the file",
            ));
        }
    }
    loop {
        let number = lines.number() + 1;
        let Some(line) = lines.next()? else {
            let expected = "a state or the module's last line";
            return Err(TlcOutputError::line_of(
                number,
                expected,
                "the end of the file",
            ));
        };
        if line.trim().is_empty() {
            continue;
        }
        if line.starts_with("====") {
            return Ok(steps);
        }
        if let Some(comment) = line.strip_prefix("\\*") {
            let read = StepLabel::read(comment.trim());
            label = read.ok_or_else(|| TlcOutputError::at(number, line, 0, "an action's label"))?;
            continue;
        }
        let expected = steps.len() as u64 + 1;
        let head = line
            .trim_end()
            .strip_prefix("STATE_")
            .and_then(|rest| rest.strip_suffix("=="));
        if head.and_then(|head| head.trim_end().parse().ok()) != Some(expected) {
            let expected = format!("`STATE_{expected} ==`");
            return Err(TlcOutputError::at(number, line, 0, &expected));
        }
        let mut text = String::new();
        while let Some(line) = lines.next()? {
            if line.trim().is_empty() {
                break;
            }
            text.push_str(line);
            text.push('\n');
        }
        let state = states.read(&text);
        let state =
            state.map_err(|error| TlcOutputError::within(number + 1, error.locate(&text)))?;
        let reached = std::mem::replace(&mut label, StepLabel::Unlabelled);
        let label = if steps.is_empty() {
            StepLabel::Initial
        } else {
            reached
        };
        steps.push(TlcStep {
            number: expected,
            label,
            state: Some(state),
        });
    }
}
