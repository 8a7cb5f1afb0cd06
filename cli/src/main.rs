//! The `plumb` command: the models of this repository, and the library's one call.

use std::process::ExitCode;

fn main() -> ExitCode {
    plumb::run(&plumb_models::registry())
}
