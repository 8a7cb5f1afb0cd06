//! The `plumb` command: the models of this repository, and the library's one call.

use std::process::ExitCode;

/// Models make and drop states by the million, from several threads.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    plumb::run(&plumb_models::registry())
}
