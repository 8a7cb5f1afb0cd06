//! The commands around a check: graphs, the Explorer, changed expectations, JUnit, completions and
//! manual pages, each through the real binary.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod completions;
mod expect;
mod explore;
mod graph;
mod junit;

use std::path::Path;
use std::process::{Command, Output};

/// The binary, run in `folder`.
fn plumb(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_plumb"))
        .args(arguments)
        .current_dir(folder)
        .env("NO_COLOR", "1")
        .output()
        .unwrap()
}

/// What it printed, after it ended with this status.
fn stdout(output: &Output, status: i32) -> String {
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(status), "{error}");
    String::from_utf8(output.stdout.clone()).unwrap()
}

/// What it said on standard error, after it ended with this status.
fn stderr(output: &Output, status: i32) -> String {
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(status), "{error}");
    error
}
