//! A checker of our own models, with every command that `plumb` has.

mod naive_lock;
#[cfg(test)]
mod race_found;

use std::process::ExitCode;

use naive_lock::NaiveLock;
use plumb_checker::Registry;
use plumb_checker::specs::EmbeddedSpecs;

/// The `specs/` folder, built in so that the program works anywhere.
const SPECS: EmbeddedSpecs = EmbeddedSpecs(&[
    ("registry.toml", include_str!("../specs/registry.toml")),
    (
        "naive-lock/NaiveLock.tla",
        include_str!("../specs/naive-lock/NaiveLock.tla"),
    ),
    (
        "naive-lock/LockHeld.cfg",
        include_str!("../specs/naive-lock/LockHeld.cfg"),
    ),
    (
        "naive-lock/RaceFound.cfg",
        include_str!("../specs/naive-lock/RaceFound.cfg"),
    ),
]);

/// The models of this program.
fn registry() -> Registry {
    Registry::new().with::<NaiveLock>().with_specs(SPECS)
}

fn main() -> ExitCode {
    plumb::run(&registry())
}
