//! Running the program, and making what it prints comparable.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use tempfile::TempDir;

/// The program under test.
pub(crate) const PLUMB: &str = env!("CARGO_BIN_EXE_plumb");

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .parent()
        .unwrap()
        .to_owned()
}

/// A command in a settled environment: what it prints depends on nothing of the machine.
pub(crate) fn settled(program: impl AsRef<OsStr>) -> Command {
    let mut command = Command::new(program);
    for variable in [
        "NO_COLOR",
        "CLICOLOR",
        "CLICOLOR_FORCE",
        "LINES",
        "RUST_LOG",
    ] {
        command.env_remove(variable);
    }
    command
        .env("COLUMNS", "100")
        .env("TERM", "xterm-256color")
        .stdin(Stdio::null());
    command
}

/// The program with these arguments, separated by blanks, in `folder`.
pub(crate) fn plumb_in(folder: impl AsRef<Path>, arguments: &str) -> Command {
    let mut command = settled(PLUMB);
    command
        .args(arguments.split_whitespace())
        .current_dir(folder);
    command
}

/// No run takes nearly as long, not even on a loaded machine: one that does hangs.
const PATIENCE: Duration = Duration::from_secs(600);

/// What one run printed, and how it ended.
#[derive(Debug)]
pub(crate) struct Run {
    pub(crate) status: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Run {
    pub(crate) fn of(output: &Output) -> Self {
        let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
        Self {
            status: output.status.code().expect("it was killed"),
            out: text(&output.stdout),
            err: text(&output.stderr),
        }
    }

    /// Standard output as JSON.
    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| {
            panic!("{error} in {:?}; standard error: {}", self.out, self.err)
        })
    }
}

/// Runs a command to its end.
pub(crate) fn run(command: Command) -> Run {
    let mut command = assert_cmd::Command::from_std(command);
    Run::of(&command.timeout(PATIENCE).output().unwrap())
}

/// Says something straight to standard error, where no test harness keeps it back: above all that
/// something was not tested, and why.
pub(crate) fn tell(text: &str) {
    let _ = std::io::Write::write_all(&mut std::io::stderr(), format!("{text}\n").as_bytes());
}

/// Runs the program with files limited to so many blocks of 512 bytes: writing beyond fails, as it
/// does on a full disk.
pub(crate) fn limited(folder: &Path, blocks: u32, arguments: &str) -> Run {
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec {PLUMB} {arguments}");
    let mut command = settled("sh");
    command.args(["-c", &script]).current_dir(folder);
    run(command)
}

/// Runs the program in an empty folder outside the repository.
pub(crate) fn plumb(arguments: &str) -> Run {
    let folder = empty_folder();
    run(plumb_in(&folder, arguments))
}

/// A folder outside the repository with nothing in it.
pub(crate) fn empty_folder() -> TempDir {
    tempfile::tempdir().unwrap()
}

/// A folder outside the repository with these files.
pub(crate) fn folder_with(files: &[(&str, &str)]) -> TempDir {
    let folder = empty_folder();
    for (path, text) in files {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    folder
}

/// A lifecycle cfg with these constants.
pub(crate) fn lifecycle(epoch_bound: u32) -> String {
    format!(
        "SPECIFICATION Spec\nCONSTANTS\n  GroupBudget = 2\n  EpochBound = {epoch_bound}\n  \
         Broken = \"none\"\nINVARIANT TypeOK\n"
    )
}

/// A bound of the epoch with which the search goes on for longer than any test waits.
pub(crate) const ENDLESS: u32 = 10_000;

/// An entry of a registry; what must be violated is a control.
pub(crate) fn entry(name: &str, model: &str, expect: &str) -> String {
    let purpose = if expect.contains("exhausted") {
        "bound"
    } else {
        "control"
    };
    format!(
        "[[configuration]]\nname = \"{name}\"\nmodel = \"{model}\"\npurpose = \"{purpose}\"\n\
         expect = {{ {expect} }}\nsource = \"this test\"\n\n"
    )
}

/// Replaces every time, and the blanks before it that depend on its length.
pub(crate) fn without_times(text: &str) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        let mut words: Vec<&str> = line.split(' ').collect();
        for index in 1..words.len() {
            if words[index].trim_end_matches([',', ')']) == "s" && is_time(words[index - 1]) {
                words[index - 1] = "?";
            }
        }
        let mut line = words.join(" ");
        // Columns of times are aligned to the right.
        for (wide, narrow) in [
            ("?", " ?"),
            ("TIME", " TIME"),
            ("TLC", " TLC"),
            ("PLUMB", " PLUMB"),
        ] {
            while let Some(place) = line.find(&format!("  {wide}")) {
                line.replace_range(place..place + 2 + wide.len(), narrow);
            }
        }
        lines.push(line);
    }
    let mut text = lines.join("\n");
    text.push('\n');
    text
}

fn is_time(word: &str) -> bool {
    let (whole, part) = word.split_once('.').unwrap_or((word, ""));
    let digits = |text: &str| text.chars().all(|c| c.is_ascii_digit());
    !whole.is_empty() && digits(whole) && digits(part)
}

/// Replaces the numbers after `"seconds":` in JSON.
pub(crate) fn without_seconds(json: &str) -> String {
    let mut parts = json.split("\"seconds\":");
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let rest = part.trim_start_matches(|c: char| c.is_ascii_digit() || "+-.eE".contains(c));
        text.push_str("\"seconds\":?");
        text.push_str(rest);
    }
    text
}
