//! A child process whose output is read as it comes, and which is ended when asked.

use std::io::{self, BufRead, BufReader, Read};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// How often whoever may want to stop the process is asked.
const BEAT: Duration = Duration::from_millis(20);

/// How long a process may take to end after it was asked to, before it is asked less kindly; and
/// how long its streams may stay open and silent when it has ended.
const PATIENCE: Duration = Duration::from_millis(if cfg!(test) { 1000 } else { 5000 });

/// A line of the process's output.
pub(super) enum Line<'a> {
    /// From standard output.
    Out(&'a str),
    /// From standard error.
    Note(&'a str),
}

/// How the process ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Ended {
    /// By itself, with this status; none if a signal ended it that was not ours.
    Exit(Option<i32>),
    /// Because somebody asked for it.
    Stopped,
    /// Because this time was up.
    OutOfTime(Duration),
}

/// What a process left behind.
pub(super) struct Output {
    pub(super) ended: Ended,
    pub(super) stdout: String,
    pub(super) stderr: String,
    pub(super) elapsed: Duration,
}

#[derive(Clone, Copy)]
enum Stream {
    Out,
    Error,
}

type Received = (Stream, Vec<u8>);

/// Runs `command` to its end, or until `stop` returns true or `max_time` is over.
pub(super) fn run(
    mut command: Command,
    max_time: Option<Duration>,
    watch: &mut dyn FnMut(Line<'_>),
    stop: &dyn Fn() -> bool,
) -> io::Result<Output> {
    let start = Instant::now();
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    own_group(&mut command);
    let mut running = Running(command.spawn()?);
    let (sender, receiver) = channel();
    forward(running.0.stdout.take(), Stream::Out, sender.clone());
    forward(running.0.stderr.take(), Stream::Error, sender);

    let mut output = Output {
        ended: Ended::Exit(None),
        stdout: String::new(),
        stderr: String::new(),
        elapsed: Duration::ZERO,
    };
    let reason = loop {
        if stop() {
            break Some(Ended::Stopped);
        }
        if let Some(limit) = max_time.filter(|limit| start.elapsed() >= *limit) {
            break Some(Ended::OutOfTime(limit));
        }
        match receiver.recv_timeout(BEAT) {
            Ok(line) => output.take(line, watch),
            Err(end) => {
                if end == RecvTimeoutError::Disconnected {
                    std::thread::sleep(BEAT);
                }
                if let Some(status) = running.0.try_wait()? {
                    drain(&receiver, &mut output, watch);
                    output.ended = Ended::Exit(status.code());
                    break None;
                }
            }
        }
    };
    if let Some(reason) = reason {
        running.end()?;
        output.ended = reason;
    }
    output.elapsed = start.elapsed();
    Ok(output)
}

/// What the process still wrote before it ended: up to the end of both streams, or, if somebody
/// else holds one open, until nothing has come for a while.
fn drain(receiver: &Receiver<Received>, output: &mut Output, watch: &mut dyn FnMut(Line<'_>)) {
    while let Ok(line) = receiver.recv_timeout(PATIENCE) {
        output.take(line, watch);
    }
}

impl Output {
    fn take(&mut self, (stream, line): Received, watch: &mut dyn FnMut(Line<'_>)) {
        let text = String::from_utf8_lossy(&line);
        let shown = text.trim_end_matches(['\n', '\r']);
        match stream {
            Stream::Out => {
                self.stdout.push_str(&text);
                watch(Line::Out(shown));
            }
            Stream::Error => {
                self.stderr.push_str(&text);
                watch(Line::Note(shown));
            }
        }
    }
}

/// Reads lines in a thread of their own, so that a silent process can still be stopped.
fn forward(from: Option<impl Read + Send + 'static>, stream: Stream, to: Sender<Received>) {
    let Some(from) = from else { return };
    std::thread::spawn(move || {
        let mut reader = BufReader::new(from);
        loop {
            let mut line = Vec::new();
            match reader.read_until(b'\n', &mut line) {
                Ok(0) | Err(_) => return,
                Ok(_) => {
                    if to.send((stream, line)).is_err() {
                        return;
                    }
                }
            }
        }
    });
}

/// A running process; whatever happens here, it does not outlive this value.
struct Running(Child);

impl Running {
    /// Waits for the end, or until `stop`.
    fn wait(&mut self, stop: &dyn Fn() -> bool) -> io::Result<Option<ExitStatus>> {
        while !stop() {
            if let Some(status) = self.0.try_wait()? {
                return Ok(Some(status));
            }
            std::thread::sleep(BEAT);
        }
        Ok(None)
    }

    /// Ends the process: asks it twice, then kills it. The script hands the first request on to
    /// its Java machine, and makes the second one a kill.
    fn end(&mut self) -> io::Result<()> {
        for _ in 0..2 {
            if self.0.try_wait()?.is_some() {
                return Ok(());
            }
            terminate(&self.0);
            let asked = Instant::now();
            if self.wait(&|| asked.elapsed() >= PATIENCE)?.is_some() {
                return Ok(());
            }
        }
        self.0.kill()?;
        self.0.wait().map(|_| ())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // Nobody is left to tell.
        let _ = self.end();
    }
}

/// Puts the process into a group of its own, so that the keyboard's interrupt reaches only us and
/// a request to end reaches all of it.
#[cfg(unix)]
fn own_group(command: &mut Command) {
    use std::os::unix::process::CommandExt as _;
    command.process_group(0);
}

#[cfg(not(unix))]
fn own_group(_: &mut Command) {}

/// Asks the process's group to end. The shell does it, because its built-in `kill` is there
/// wherever the script runs.
fn terminate(child: &Child) {
    let group = format!("kill -s TERM -- -{}", child.id());
    let _ = Command::new("bash")
        .args(["-c", &group])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status();
}

#[cfg(test)]
#[cfg(unix)]
mod tests {
    use std::cell::Cell;

    use super::*;

    fn bash(script: &str) -> Command {
        let mut command = Command::new("bash");
        command.args(["-c", script]).stdin(Stdio::null());
        command
    }

    /// Whether a process of this number is still there.
    fn is_alive(pid: &str) -> bool {
        bash(&format!("kill -0 {pid}"))
            .stderr(Stdio::null())
            .status()
            .unwrap()
            .success()
    }

    fn wait_for_end(pid: &str) {
        let start = Instant::now();
        while is_alive(pid) {
            assert!(
                start.elapsed() < Duration::from_secs(10),
                "{pid} is still there"
            );
            std::thread::sleep(BEAT);
        }
    }

    #[test]
    fn both_streams_and_the_status_are_kept() {
        let mut seen = Vec::new();
        let script = "echo one; echo note >&2; printf two; exit 3";
        let mut watch = |line: Line<'_>| {
            seen.push(match line {
                Line::Out(text) => format!("out {text}"),
                Line::Note(text) => format!("note {text}"),
            });
        };
        let output = run(bash(script), None, &mut watch, &|| false).unwrap();
        assert_eq!(output.ended, Ended::Exit(Some(3)));
        assert_eq!(
            (output.stdout.as_str(), output.stderr.as_str()),
            ("one\ntwo", "note\n")
        );
        seen.sort();
        assert_eq!(seen, ["note note", "out one", "out two"]);
    }

    #[test]
    fn much_output_neither_blocks_nor_gets_lost() {
        let script = "for ((i = 0; i < 20000; i++)); do echo line $i; echo note $i >&2; done";
        let output = run(bash(script), None, &mut |_| {}, &|| false).unwrap();
        assert_eq!(output.stdout.lines().count(), 20000);
        assert_eq!(output.stderr.lines().last(), Some("note 19999"));
    }

    #[test]
    fn a_process_killed_from_outside_has_no_status() {
        let output = run(bash("kill -KILL $$"), None, &mut |_| {}, &|| false).unwrap();
        assert_eq!(output.ended, Ended::Exit(None));
    }

    #[test]
    fn stopping_ends_the_children_too() {
        let child = Cell::new(String::new());
        let mut watch = |line: Line<'_>| {
            if let Line::Out(text) = line {
                child.set(text.to_owned());
            }
        };
        let said = || {
            let text = child.take();
            let any = !text.is_empty();
            child.set(text);
            any
        };
        let script = "sleep 600 & echo $!; wait";
        let output = run(bash(script), None, &mut watch, &said).unwrap();
        assert_eq!(output.ended, Ended::Stopped);
        wait_for_end(&child.take());
    }

    #[test]
    fn a_deaf_process_is_killed() {
        let script = "trap '' TERM; while :; do sleep 1; done";
        let limit = Duration::from_millis(200);
        let output = run(bash(script), Some(limit), &mut |_| {}, &|| false).unwrap();
        assert_eq!(output.ended, Ended::OutOfTime(limit));
        assert!(output.elapsed < Duration::from_secs(10));
    }

    #[test]
    fn a_grandchild_that_holds_the_pipe_is_not_waited_for_long() {
        let script = "sleep 600 & echo $!; exit 0";
        let output = run(bash(script), None, &mut |_| {}, &|| false).unwrap();
        assert_eq!(output.ended, Ended::Exit(Some(0)));
        let left = output.stdout.trim().to_owned();
        assert!(bash(&format!("kill {left}")).status().unwrap().success());
    }

    #[test]
    fn a_missing_program_is_not_found() {
        let missing = Command::new("plumb-no-such-program");
        let error = run(missing, None, &mut |_| {}, &|| false).err().unwrap();
        assert_eq!(error.kind(), io::ErrorKind::NotFound);
    }
}
