//! Which format a file has, found out by looking at how it begins.

use std::borrow::Cow;
use std::fmt::{self, Display, Formatter};
use std::io::{self, BufRead, Chain, Cursor, Read};
use std::path::Path;
use std::str::FromStr;

use super::error::{Fault, TraceError};

/// The formats that are told apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// What TLC prints while it runs, as text or with `-tool`.
    TlcOutput,
    /// A file of `-simulate file=FILE`.
    TlcSimulation,
    /// A file of `-dumpTrace json FILE`.
    TlcJson,
    /// A listing of states, `-dump FILE`. It holds no behaviour: see [`plumb_tla::read_dump`].
    Dump,
    /// A state graph, `-dump dot,actionlabels FILE`. It holds no single behaviour: see
    /// [`plumb_tla::read_dot`].
    Dot,
    /// The Informal Trace Format of Apalache and Quint.
    Itf,
    /// Plumb's own JSON Lines.
    Plumb,
}

impl Format {
    /// All formats.
    pub const ALL: [Format; 7] = [
        Format::TlcOutput,
        Format::TlcSimulation,
        Format::TlcJson,
        Format::Dump,
        Format::Dot,
        Format::Itf,
        Format::Plumb,
    ];

    /// The name by which a user asks for the format, which is read back by [`FromStr`].
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Format::TlcOutput => "tlc",
            Format::TlcSimulation => "tlc-simulation",
            Format::TlcJson => "tlc-json",
            Format::Dump => "tlc-dump",
            Format::Dot => "tlc-dot",
            Format::Itf => "itf",
            Format::Plumb => "plumb",
        }
    }

    /// Whether a file of this format holds behaviours.
    #[must_use]
    pub fn holds_behaviours(self) -> bool {
        !matches!(self, Format::Dump | Format::Dot)
    }
}

impl Display for Format {
    /// What a file of this format is, with its article.
    fn fmt(&self, out: &mut Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Format::TlcOutput => "output of TLC",
            Format::TlcSimulation => "a behaviour simulated by TLC",
            Format::TlcJson => "a JSON trace of TLC",
            Format::Dump => "a listing of states dumped by TLC",
            Format::Dot => "a state graph dumped by TLC",
            Format::Itf => "an ITF trace",
            Format::Plumb => "a Plumb trace",
        })
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(name: &str) -> Result<Format, String> {
        let known = Format::ALL.iter().find(|format| format.name() == name);
        known.copied().ok_or_else(|| {
            let names: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
            format!("expected one of {}, found `{name}`", names.join(", "))
        })
    }
}

/// How much of a file is looked at.
const LOOKED_AT: usize = 64 << 10;

/// An input whose beginning was looked at and is read again.
pub type Looked<R> = Chain<Cursor<Vec<u8>>, R>;

/// Finds out the format of `input`, which `name` stands for in errors. The input that comes back
/// holds all of it, except a byte order mark.
///
/// # Errors
///
/// When the input cannot be read, or begins like none of the formats.
pub fn recognise<R: BufRead>(input: R, name: &str) -> Result<(Format, Looked<R>), TraceError> {
    let (begin, input) = look(input, name)?;
    match of_beginning(&begin) {
        Ok(format) => Ok((format, Cursor::new(begin).chain(input))),
        Err(fault) => Err(fault.named(name)),
    }
}

/// Finds out the format of a file.
///
/// # Errors
///
/// As for [`recognise`].
pub fn recognise_file(path: &Path) -> Result<Format, TraceError> {
    let file = super::reader::open_file(path)?;
    Ok(recognise(file, &path.display().to_string())?.0)
}

/// The beginning of `input` without a byte order mark, and the rest.
pub(super) fn look<R: BufRead>(mut input: R, name: &str) -> Result<(Vec<u8>, R), TraceError> {
    let mut begin = Vec::new();
    let read = |input: &mut R, begin: &mut Vec<u8>| -> io::Result<()> {
        input.take(LOOKED_AT as u64).read_to_end(begin)?;
        Ok(())
    };
    read(&mut input, &mut begin).map_err(|source| TraceError::Io {
        file: name.to_owned(),
        line: 0,
        source,
    })?;
    if begin.starts_with(b"\xef\xbb\xbf") {
        begin.drain(..3);
    }
    if begin.starts_with(b"\xff\xfe") || begin.starts_with(b"\xfe\xff") {
        return Err(Fault::line(1, "UTF-8 text", "UTF-16 text").named(name));
    }
    Ok((begin, input))
}

const EXPECTED: &str = "a trace: output of TLC, a TLC simulation file, a JSON trace of TLC, an ITF \
                        trace or a Plumb trace";

fn of_beginning(bytes: &[u8]) -> Result<Format, Box<Fault>> {
    // The usual case is told much faster.
    let text = match std::str::from_utf8(bytes) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => String::from_utf8_lossy(bytes),
    };
    let lines = || (1u64..).zip(text.lines());
    let Some((number, first)) = lines().find(|(_, line)| !line.trim().is_empty()) else {
        let found = if bytes.len() < LOOKED_AT {
            "an empty file"
        } else {
            "nothing but spaces"
        };
        return Err(Fault::line(1, EXPECTED, found));
    };
    if first.trim_start().starts_with('{') {
        return of_json(&text).ok_or_else(|| {
            Fault::line(
                number,
                EXPECTED,
                "JSON without `format`, `counterexample` or `states`",
            )
        });
    }
    if first.starts_with("----") && first.contains(" MODULE ") {
        return Ok(Format::TlcSimulation);
    }
    if first.starts_with("strict digraph ") || first.starts_with("digraph ") {
        return Ok(Format::Dot);
    }
    let number_in = |line: &str| -> Option<bool> {
        let (state, label) = line.strip_prefix("State ")?.split_once(':')?;
        state.parse::<u64>().ok()?;
        Some(!label.trim().is_empty())
    };
    if number_in(first) == Some(false) {
        return Ok(Format::Dump);
    }
    let of_tlc = |line: &str| {
        ["TLC2 Version ", "Error: ", "@!@!@STARTMSG "]
            .iter()
            .any(|begin| line.starts_with(begin))
            || number_in(line).is_some()
    };
    if lines().any(|(_, line)| of_tlc(line)) {
        return Ok(Format::TlcOutput);
    }
    let found = match text.find(|c: char| c.is_control() && !c.is_whitespace()) {
        Some(_) => "no text".to_owned(),
        None => format!("`{}`", first.trim().chars().take(40).collect::<String>()),
    };
    Err(Fault::line(number, EXPECTED, found))
}

/// Which format of JSON it is: by the keys that only one of them has, whichever comes first.
fn of_json(text: &str) -> Option<Format> {
    const KEYS: [(&str, Format); 5] = [
        ("\"format\"", Format::Plumb),
        ("\"counterexample\"", Format::TlcJson),
        ("\"states\"", Format::Itf),
        ("\"#meta\"", Format::Itf),
        ("\"params\"", Format::Itf),
    ];
    let found = KEYS.map(|(key, format)| Some((text.find(key)?, format)));
    let first = found.into_iter().flatten().min_by_key(|(at, _)| *at);
    first.map(|(_, format)| format)
}
