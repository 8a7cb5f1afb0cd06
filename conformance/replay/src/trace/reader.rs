//! Reading a trace of whatever format, and what holds for all of them.

use std::fs::File;
use std::io::{BufRead, BufReader, Cursor, Read};
use std::path::Path;

use super::document::Document;
use super::error::{Fault, TraceError};
use super::format::{self, Format};
use super::{Ending, TraceItem, itf, plumb, tlc, tlc_json};

/// What the reader of one format does.
pub(super) trait Source {
    /// The next item, or nothing at the end of the file.
    fn next(&mut self) -> Result<Option<TraceItem>, Box<Fault>>;

    /// The line that is being read, or 0 where the format has none to speak of.
    fn line(&self) -> u64;
}

/// Opens a trace; the format is found out by looking if it is not given.
///
/// ```no_run
/// use plumb_replay::trace::{TraceItem, open};
///
/// for item in open("traces/lifecycle/LifecyclePacked/walk.trace".as_ref(), None)? {
///     if let TraceItem::Step(step) = item? {
///         println!("{}: {}", step.number, step.state);
///     }
/// }
/// # Ok::<(), plumb_replay::trace::TraceError>(())
/// ```
///
/// # Errors
///
/// When the file cannot be read, begins like none of the formats, or holds no behaviour at all
/// ([`TraceError::NotABehaviour`]). What is wrong further on, the reader says in its place.
pub fn open(path: &Path, format: Option<Format>) -> Result<TraceReader<'static>, TraceError> {
    let file = open_file(path)?;
    read(file, &path.display().to_string(), format)
}

pub(super) fn open_file(path: &Path) -> Result<BufReader<File>, TraceError> {
    let error = |source| TraceError::Io {
        file: path.display().to_string(),
        line: 0,
        source,
    };
    let file = File::open(path).map_err(error)?;
    Ok(BufReader::with_capacity(64 << 10, file))
}

/// The same as [`open`] for an input that `name` stands for in errors.
///
/// # Errors
///
/// As for [`open`].
pub fn read<'a>(
    input: impl BufRead + 'a,
    name: &str,
    format: Option<Format>,
) -> Result<TraceReader<'a>, TraceError> {
    let (format, input) = match format {
        Some(format) => {
            let (begin, input) = format::look(input, name)?;
            (format, Cursor::new(begin).chain(input))
        }
        None => format::recognise(input, name)?,
    };
    let source: Box<dyn Source + 'a> = match format {
        Format::TlcOutput => Box::new(tlc::Output::new(input)),
        Format::TlcSimulation => Box::new(tlc::Simulation::new(input)),
        Format::Plumb => Box::new(plumb::Source::new(input)),
        Format::TlcJson => Box::new(Document::new(input, tlc_json::Source::new())),
        Format::Itf => Box::new(Document::new(input, itf::Source::new())),
        Format::Dump | Format::Dot => {
            let file = name.to_owned();
            return Err(TraceError::NotABehaviour { file, format });
        }
    };
    Ok(TraceReader {
        source,
        name: name.to_owned(),
        format,
        part: Part::Between,
        behaviours: 0,
    })
}

/// Reads a trace item by item; made by [`open`] and [`read`].
///
/// Whatever the format, each behaviour has a header, at least one step, and an end; its states are
/// numbered from 1 without a gap; and there is at least one behaviour. After an error there are no
/// further items.
pub struct TraceReader<'a> {
    source: Box<dyn Source + 'a>,
    name: String,
    format: Format,
    part: Part,
    behaviours: u64,
}

/// How far a trace has been read.
#[derive(Clone, Copy)]
enum Part {
    /// Before a behaviour.
    Between,
    /// Within one, with so many states read.
    Within(u64),
    /// Past an error or the end of the file.
    Done,
}

impl std::fmt::Debug for TraceReader<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_struct("TraceReader")
            .field("name", &self.name)
            .field("format", &self.format)
            .finish_non_exhaustive()
    }
}

impl TraceReader<'_> {
    /// The format that is being read.
    #[must_use]
    pub fn format(&self) -> Format {
        self.format
    }

    /// What stands for the input in errors.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    fn read(&mut self) -> Result<Option<TraceItem>, Box<Fault>> {
        let item = self.source.next()?;
        let line = self.source.line();
        self.part = match (self.part, &item) {
            (Part::Between, Some(TraceItem::Header(_))) => Part::Within(0),
            (Part::Between, None) if self.behaviours > 0 => Part::Done,
            (Part::Between, None) => {
                return Err(Fault::line(0, "a behaviour", "none in the whole file"));
            }
            (Part::Within(steps), Some(TraceItem::Step(step))) => {
                if step.number != steps + 1 {
                    let expected = format!("state {}", steps + 1);
                    let found = format!("state {}", step.number);
                    return Err(Fault::line(step.line, expected, found));
                }
                Part::Within(step.number)
            }
            (Part::Within(0), Some(TraceItem::End(_))) => {
                return Err(Fault::line(line, "a state", "the end of the behaviour"));
            }
            (Part::Within(steps), Some(TraceItem::End(ending))) => {
                if let Ending::BackTo(state, _) = ending
                    && !(1..=steps).contains(state)
                {
                    let expected = format!("a way back to one of the {steps} states");
                    let found = format!("one to state {state}");
                    return Err(Fault::line(line, expected, found));
                }
                self.behaviours += 1;
                Part::Between
            }
            (Part::Within(_), None) => {
                let expected = "the end of the behaviour";
                return Err(Fault::line(line, expected, "the end of the file"));
            }
            (Part::Done, _) => return Ok(None),
            (Part::Between | Part::Within(_), Some(_)) => {
                let expected = "a header, then states, then the end";
                return Err(Fault::line(line, expected, "another order"));
            }
        };
        Ok(item)
    }
}

impl Iterator for TraceReader<'_> {
    type Item = Result<TraceItem, TraceError>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Part::Done = self.part {
            return None;
        }
        self.read()
            .map_err(|fault| {
                self.part = Part::Done;
                fault.named(&self.name)
            })
            .transpose()
    }
}
