//! Behaviours that TLC wrote while simulating.

use std::io::BufRead;

use super::TlcOutputError;
use super::label::StepLabel;
use super::lines::Lines;
use super::report::{LocatedStep, TlcStep};
use crate::state::StateReader;

/// Reads one behaviour that TLC wrote with `-simulate file=FILE`: a module with a definition
/// `STATE_k` for each state.
///
/// The first step is [`StepLabel::Initial`]. TLC 2.15 does not write the actions (steps are
/// [`StepLabel::Unlabelled`]), repeats self-loops and may end with a state outside the constraint.
///
/// # Errors
///
/// When the input is not such a file, or ends before or within the line that closes it.
pub fn read_simulation(input: impl BufRead) -> Result<Vec<TlcStep>, TlcOutputError> {
    simulated_steps(input)
        .map(|step| step.map(|located| located.step))
        .collect()
}

/// The same as [`read_simulation`], step by step and in constant memory. After an error there are no
/// further steps.
pub fn simulated_steps<R: BufRead>(input: R) -> SimulatedSteps<R> {
    SimulatedSteps {
        lines: Lines::new(input),
        states: StateReader::default(),
        text: String::new(),
        begun: false,
        steps: 0,
        done: false,
    }
}

/// The steps of a simulated behaviour; made by [`simulated_steps`].
pub struct SimulatedSteps<R> {
    lines: Lines<R>,
    states: StateReader,
    /// The text of the state last read.
    text: String,
    /// Whether the module's first line has been read.
    begun: bool,
    /// How many there were so far.
    steps: u64,
    done: bool,
}

impl<R> std::fmt::Debug for SimulatedSteps<R> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("SimulatedSteps").finish_non_exhaustive()
    }
}

impl<R: BufRead> Iterator for SimulatedSteps<R> {
    type Item = Result<LocatedStep, TlcOutputError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let item = self.read().transpose();
        self.done = !matches!(item, Some(Ok(_)));
        item
    }
}

impl<R: BufRead> SimulatedSteps<R> {
    /// The number of the line read last, counted from 1; 0 before the first one.
    pub fn line(&self) -> u64 {
        self.lines.number()
    }

    fn read(&mut self) -> Result<Option<LocatedStep>, TlcOutputError> {
        if !self.begun {
            self.head()?;
        }
        let mut label = StepLabel::Unlabelled;
        let mut first = None;
        loop {
            let number = self.lines.number() + 1;
            let Some(line) = self.lines.next()? else {
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
            if line.starts_with('=') {
                closing_row(number, line)?;
                self.rest()?;
                return Ok(None);
            }
            let begin = *first.get_or_insert(number);
            if let Some(comment) = line.strip_prefix("\\*") {
                let read = StepLabel::read(comment.trim());
                label =
                    read.ok_or_else(|| TlcOutputError::at(number, line, 0, "an action's label"))?;
                continue;
            }
            let expected = self.steps + 1;
            let head = line
                .trim_end()
                .strip_prefix("STATE_")
                .and_then(|rest| rest.strip_suffix("=="));
            if head.and_then(|head| head.trim_end().parse().ok()) != Some(expected) {
                let expected = format!("`STATE_{expected} ==`");
                return Err(TlcOutputError::at(number, line, 0, &expected));
            }
            self.lines.paragraph(&mut self.text)?;
            let text = &self.text;
            let state = self.states.read(text);
            let state =
                state.map_err(|error| TlcOutputError::within(number + 1, error.locate(text)))?;
            if self.steps == 0 {
                label = StepLabel::Initial;
            }
            self.steps += 1;
            let step = TlcStep {
                number: self.steps,
                label,
                state: Some(state),
            };
            return Ok(Some(LocatedStep { line: begin, step }));
        }
    }

    /// The module's first line.
    fn head(&mut self) -> Result<(), TlcOutputError> {
        match self.lines.next()? {
            Some(line) if line.starts_with("----") && line.contains(" MODULE ") => {
                self.begun = true;
                Ok(())
            }
            Some(line) => Err(TlcOutputError::at(1, line, 0, "a module's first line")),
            None => Err(TlcOutputError::line_of(
                1,
                "a module",
                "the end of the file",
            )),
        }
    }

    /// What stands behind the module.
    fn rest(&mut self) -> Result<(), TlcOutputError> {
        loop {
            let number = self.lines.number() + 1;
            match self.lines.next()? {
                None => return Ok(()),
                Some(line) if line.trim().is_empty() => {}
                Some(line) => {
                    let expected = "nothing after the module";
                    return Err(TlcOutputError::at(number, line, 0, expected));
                }
            }
        }
    }
}

/// So many `=` close a module, whichever TLC wrote it. A file with fewer was cut there.
const CLOSING_ROW: usize = 49;

fn closing_row(number: u64, line: &str) -> Result<(), TlcOutputError> {
    let row = line.trim_end();
    let length = row.len() - row.trim_start_matches('=').len();
    if length >= CLOSING_ROW && length == row.len() {
        return Ok(());
    }
    let expected = format!("a row of {CLOSING_ROW} `=`, and nothing else in the line");
    Err(TlcOutputError::at(number, row, length, &expected))
}
