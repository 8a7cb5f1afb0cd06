//! States as TLC lists them.

use std::io::BufRead;

use super::TlcOutputError;
use super::lines::Lines;
use crate::state::{State, StateReader};

/// Reads the states that TLC listed with `-dump FILE`, with their numbers, one by one in the order
/// of the file and in constant memory. After an error there are no further states.
///
/// Numbers and order depend on TLC's threads: compare dumps as sorted sets of states.
///
/// ```
/// use plumb_tla::tlc::read_dump;
///
/// let dump = "State 1:\n/\\ x = 1\n/\\ y = {}\n\nState 2:\n/\\ x = 2\n/\\ y = {}\n\n";
/// let states = read_dump(dump.as_bytes()).collect::<Result<Vec<_>, _>>()?;
/// assert_eq!(states[1].0, 2);
/// assert_eq!(states[1].1.get("x"), Some(&plumb_tla::Value::int(2)));
/// # Ok::<(), plumb_tla::tlc::TlcOutputError>(())
/// ```
pub fn read_dump<R: BufRead>(input: R) -> DumpedStates<R> {
    DumpedStates {
        lines: Lines::new(input),
        states: StateReader::default(),
        text: String::new(),
        done: false,
    }
}

/// The states of a dump; made by [`read_dump`].
pub struct DumpedStates<R> {
    lines: Lines<R>,
    states: StateReader,
    /// The text of the state last read.
    text: String,
    done: bool,
}

impl<R> std::fmt::Debug for DumpedStates<R> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("DumpedStates").finish_non_exhaustive()
    }
}

impl<R: BufRead> Iterator for DumpedStates<R> {
    type Item = Result<(u64, State), TlcOutputError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let item = self.read().transpose();
        self.done = !matches!(item, Some(Ok(_)));
        item
    }
}

impl<R: BufRead> DumpedStates<R> {
    fn read(&mut self) -> Result<Option<(u64, State)>, TlcOutputError> {
        let number = loop {
            let line_number = self.lines.number() + 1;
            let Some(line) = self.lines.next()? else {
                return Ok(None);
            };
            if !line.trim().is_empty() {
                let number = line
                    .strip_prefix("State ")
                    .and_then(|rest| rest.strip_suffix(':'));
                break number
                    .and_then(|number| number.parse().ok())
                    .ok_or_else(|| {
                        TlcOutputError::at(line_number, line, 0, "a line such as `State 1:`")
                    })?;
            }
        };
        let first = self.lines.number() + 1;
        if !self.lines.paragraph(&mut self.text)? {
            let expected = "the rest of the state and an empty line";
            let line = self.lines.number() + 1;
            return Err(TlcOutputError::line_of(
                line,
                expected,
                "the end of the file",
            ));
        }
        let text = &self.text;
        let state = self.states.read(text);
        let state = state.map_err(|error| TlcOutputError::within(first, error.locate(text)))?;
        Ok(Some((number, state)))
    }
}
