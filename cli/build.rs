//! Tells the program which compiler made it, and for which platform: evidence says so.

use std::process::Command;
use std::{env, io};

fn main() -> io::Result<()> {
    let variable = |name: &str| env::var(name).map_err(io::Error::other);
    let version = Command::new(variable("RUSTC")?).arg("--version").output()?;
    let version = String::from_utf8_lossy(&version.stdout);
    println!("cargo:rustc-env=PLUMB_RUSTC={}", version.trim());
    println!("cargo:rustc-env=PLUMB_TARGET={}", variable("TARGET")?);
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=RUSTC");
    Ok(())
}
