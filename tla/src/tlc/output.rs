//! What one run of TLC prints, item by item.

use std::borrow::Cow;
use std::io::BufRead;

use super::TlcOutputError;
use super::counts::Progress;
use super::lines::Lines;
use super::meaning::LineReader;
use super::report::LocatedStep;

/// Something that TLC says while it runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum OutputItem {
    /// What follows `TLC2 Version`.
    Version(String),
    /// A module was understood. The last one before the search begins is the one that is checked.
    Module(String),
    /// The seed of a random simulation.
    Seed(u64),
    /// How many initial states there are.
    InitialStates {
        /// With repeats.
        generated: u64,
        /// Without.
        distinct: Option<u64>,
    },
    /// How many states a simulation has generated.
    Generated(u64),
    /// How far the run has come.
    Progress(Progress),
    /// The closing line.
    Totals {
        /// How many states were generated.
        generated: u64,
        /// How many different ones were found.
        distinct: u64,
        /// How many were left to be expanded; not said of a depth-first search.
        queue: Option<u64>,
    },
    /// How many breadth-first levels there are.
    Depth(u64),
    /// TLC found no error, or has gone on after those that it found.
    Completed,
    /// An error message, unless it only introduces a behaviour.
    Error(String),
    /// A warning.
    Warning(String),
    /// A line in which the parser of TLA+ complains.
    Complaint(String),
    /// A step of a behaviour. The number 1 begins another one.
    Step(LocatedStep),
}

/// Reads what one run of TLC printed, as text or with `-tool`, item by item and in constant memory:
/// what [`read_report`](super::read_report) makes a report of. Several behaviours may follow each
/// other, as TLC prints them with `-continue`; each comes after the error that it belongs to. Lines
/// that mean nothing are skipped. After an error there are no further items.
///
/// ```
/// use plumb_tla::tlc::{OutputItem, read_output};
///
/// let output = "Error: Invariant Small is violated.
/// Error: The behavior up to this point is:
/// State 1: <Initial predicate>
/// x = 1
///
/// State 2: <Grow line 7, col 9 to line 7, col 18 of module M>
/// x = 2
///
/// ";
/// let items = read_output(output.as_bytes()).collect::<Result<Vec<_>, _>>()?;
/// let [OutputItem::Error(message), OutputItem::Step(first), OutputItem::Step(second)] = &items[..]
/// else { panic!() };
/// assert_eq!(message, "Invariant Small is violated.");
/// assert_eq!((first.line, second.line), (3, 6));
/// assert_eq!(second.step.label.action(), Some("Grow"));
/// # Ok::<(), plumb_tla::tlc::TlcOutputError>(())
/// ```
pub fn read_output<R: BufRead>(input: R) -> OutputItems<R> {
    OutputItems {
        lines: Lines::new(input),
        reader: LineReader::default(),
        done: false,
    }
}

/// The items of an output; made by [`read_output`].
pub struct OutputItems<R> {
    lines: Lines<R>,
    reader: LineReader,
    done: bool,
}

impl<R> std::fmt::Debug for OutputItems<R> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("OutputItems").finish_non_exhaustive()
    }
}

impl<R: BufRead> OutputItems<R> {
    /// The number of the line read last, counted from 1; 0 before the first one.
    pub fn line(&self) -> u64 {
        self.lines.number()
    }
}

impl<R: BufRead> Iterator for OutputItems<R> {
    type Item = Result<OutputItem, TlcOutputError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(item) = self.reader.items.pop_front() {
                return Some(Ok(item));
            }
            if self.done {
                return None;
            }
            if let Err(error) = self.read_line() {
                self.done = true;
                self.reader.items.clear();
                return Some(Err(error));
            }
        }
    }
}

impl<R: BufRead> OutputItems<R> {
    /// Reads one line, which may hold an item or several, or the end of the output.
    fn read_line(&mut self) -> Result<(), TlcOutputError> {
        let number = self.lines.number() + 1;
        if let Some(line) = self.lines.next_lossy()? {
            self.reader.damaged = matches!(line, Cow::Owned(_));
            return self.reader.line(number, &line);
        }
        self.done = true;
        self.reader.end(number)
    }
}
