//! Standard output: a closed pipe is the reader's choice, everything else that fails is an error.

use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use comfy_table::{CellAlignment, ContentArrangement, Table, presets};
use serde::Serialize;

pub(crate) use plumb_attest::report::grouped;

use crate::error::CliError;

/// Writes `text` to standard output; colours are left out where they do not belong.
///
/// # Errors
///
/// Standard output cannot be written, a closed pipe excepted.
pub(crate) fn print(text: &str) -> Result<(), CliError> {
    let mut out = anstream::stdout().lock();
    settle(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// Writes one JSON object and a newline to standard output.
///
/// # Errors
///
/// Standard output cannot be written, a closed pipe excepted.
pub(crate) fn print_json(object: &impl Serialize) -> Result<(), CliError> {
    let text = json_line(object)?;
    let mut out = io::stdout().lock();
    settle(out.write_all(text.as_bytes()).and_then(|()| out.flush()))
}

/// One JSON object and a newline.
///
/// # Errors
///
/// The object is none.
pub(crate) fn json_line(object: &impl Serialize) -> Result<String, CliError> {
    let text = serde_json::to_string(object);
    let text = text.map_err(|error| CliError::output(&error.into()))?;
    Ok(text + "\n")
}

/// Writes a file so that it is complete or as it was before: to a temporary file beside it, which
/// is then renamed. Only a process that is killed in between leaves that one behind, and its name,
/// `.plumb-XXXXXX.partial`, says what it is. A link is followed; a pipe or a device, which must not be replaced by a file,
/// is written to as it is.
///
/// # Errors
///
/// The file or its folder cannot be written.
pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> Result<(), CliError> {
    let write = || {
        let before = fs::metadata(path).ok();
        if before.as_ref().is_some_and(|before| !before.is_file()) {
            return File::options().write(true).open(path)?.write_all(bytes);
        }
        let target = match before {
            Some(_) => path.canonicalize()?,
            None => path.to_path_buf(),
        };
        let folder = target.parent().filter(|folder| *folder != Path::new(""));
        let folder = folder.unwrap_or(Path::new("."));
        let mut file = tempfile::Builder::new();
        file.prefix(".plumb-").suffix(".partial");
        // As a plain file would be made, for which the user's mask applies, or as it was.
        file.permissions(
            before.map_or(Permissions::from_mode(0o666), |before| before.permissions()),
        );
        let mut file = file.tempfile_in(folder)?;
        file.write_all(bytes)?;
        file.as_file().sync_all()?;
        file.persist(&target).map_err(|error| error.error)?;
        File::open(folder)?.sync_all()
    };
    write().map_err(|error| CliError::unwritable(path, &error))
}

/// Writes a file that is not there yet, and whole or not at all. Whether it was not there; a file
/// that is, or appears meanwhile, stays as it is.
///
/// # Errors
///
/// The file or its folder cannot be written.
pub(crate) fn write_new_file(path: &Path, bytes: &[u8]) -> Result<bool, CliError> {
    let write = || {
        let folder = path.parent().filter(|folder| *folder != Path::new(""));
        let mut file = tempfile::Builder::new();
        file.permissions(Permissions::from_mode(0o666));
        let mut file = file.tempfile_in(folder.unwrap_or(Path::new(".")))?;
        file.write_all(bytes)?;
        match file.persist_noclobber(path) {
            Ok(_) => Ok(true),
            Err(error) if error.error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            Err(error) => Err(error.error),
        }
    };
    write().map_err(|error| CliError::unwritable(path, &error))
}

/// Writes a line to standard error. If that cannot be written there is nobody left to tell, and it
/// is no reason to fail.
pub(crate) fn note(text: &str) {
    let _ = writeln!(anstream::stderr(), "{text}");
}

/// What came of writing to standard output.
pub(crate) fn settle(result: io::Result<()>) -> Result<(), CliError> {
    match result {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(CliError::output(&error)),
        _ => Ok(()),
    }
}

/// The lines of a table without borders, its header first; the columns in `numeric` are aligned to
/// the right. Nothing is wrapped: a line as long as its content can be searched and cut by tools.
pub(crate) fn table<const N: usize>(
    header: [&str; N],
    rows: impl IntoIterator<Item = [String; N]>,
    numeric: std::ops::Range<usize>,
) -> Vec<String> {
    let mut table = Table::new();
    table
        .load_style(presets::NOTHING)
        .set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(header);
    table.add_rows(rows);
    for index in numeric {
        if let Some(column) = table.column_mut(index) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
        .lines()
        // Each line begins with the padding of its first cell.
        .map(|line| line.trim_end().trim_start_matches(' ').to_owned())
        .collect()
}

/// A text of unknown origin as it can be shown on one line of a terminal: characters that could move
/// the cursor, colour what follows, or turn its direction are spelled out.
pub(crate) fn visible(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if is_control(c) {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    shown
}

/// Whether a character is not itself seen, but changes how others are: control characters, and those
/// of Unicode that turn the direction of text.
pub(crate) fn is_control(c: char) -> bool {
    let turns = matches!(c, '\u{61c}' | '\u{200e}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}');
    c.is_control() || turns
}
