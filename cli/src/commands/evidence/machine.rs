//! What a run was made with: tools, machine and times.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use jiff::{Timestamp, Unit};
use plumb_attest::record::PlumbTool;
use plumb_checker::Registry;

/// The program, and the commit of the project at `root`.
pub(super) fn plumb(registry: &Registry, root: Option<&Path>, evidence: &Path) -> PlumbTool {
    let git = |arguments: &[&str]| {
        let mut command = Command::new("git");
        command.arg("-C").arg(root?).args(arguments);
        let output = command.stdin(Stdio::null()).stderr(Stdio::null()).output();
        let output = output.ok().filter(|output| output.status.success())?;
        String::from_utf8(output.stdout).ok()
    };
    let commit = git(&["rev-parse", "HEAD"]).map(|commit| commit.trim().to_owned());
    // The evidence that is being written does not count.
    let without = evidence.file_name().unwrap_or_default().to_string_lossy();
    let without = format!(":(exclude){without}");
    let dirty = git(&["status", "--porcelain", "--", ".", &without]);
    let sources = registry.sources();
    let sources = sources.and_then(|sources| sources.sources().ok());
    PlumbTool {
        dirty: dirty.map(|changes| !changes.trim().is_empty()),
        commit,
        rustc: env!("PLUMB_RUSTC").to_owned(),
        sources: sources.map(|sources| sources.whole()),
        target: env!("PLUMB_TARGET").to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
    }
}

/// Processor, memory and system, in words.
pub(super) fn machine() -> String {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let processor = fs::read_to_string("/proc/cpuinfo").ok().and_then(|text| {
        let line = text.lines().find(|line| line.starts_with("model name"))?;
        Some(line.split_once(':')?.1.trim().to_owned())
    });
    let memory = fs::read_to_string("/proc/meminfo").ok().and_then(|text| {
        let kibibytes = figure(&text, "MemTotal:")?;
        Some(format!(", {} GiB", kibibytes.div_ceil(1 << 20)))
    });
    format!(
        "{cores} × {}{}, {}",
        processor.unwrap_or_else(|| std::env::consts::ARCH.to_owned()),
        memory.unwrap_or_default(),
        std::env::consts::OS
    )
}

/// The largest memory of this process until now, in bytes.
pub(super) fn peak_memory() -> Option<u64> {
    let text = fs::read_to_string("/proc/self/status").ok()?;
    Some(figure(&text, "VmHWM:")? << 10)
}

/// The number behind a name, in KiB.
fn figure(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

/// Now, in UTC, to the second.
pub(super) fn now() -> String {
    let now = Timestamp::now();
    now.round(Unit::Second).unwrap_or(now).to_string()
}

/// The program's arguments, with paths as the project at `root` sees them.
pub(super) fn command(root: Option<&Path>) -> Vec<String> {
    let root = root.and_then(|root| root.canonicalize().ok());
    let plain = |argument: String| {
        let (option, value) = match argument.split_once('=') {
            Some((option, value)) if option.starts_with('-') => (format!("{option}="), value),
            _ => (String::new(), argument.as_str()),
        };
        let path = Path::new(value);
        if !path.is_absolute() {
            return argument;
        }
        let within = root.as_ref().and_then(|root| path.strip_prefix(root).ok());
        let shown = within.unwrap_or_else(|| path.file_name().map_or(path, Path::new));
        format!("{option}{}", shown.display())
    };
    let arguments = std::env::args_os().skip(1);
    let arguments = arguments.map(|argument| plain(argument.to_string_lossy().into_owned()));
    std::iter::once("plumb".to_owned())
        .chain(arguments)
        .collect()
}
