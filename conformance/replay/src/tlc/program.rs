//! Which TLC and which Java would run.

use std::process::Command;

use sha2::{Digest, Sha256};

use super::{Sources, TlcError, UNAVAILABLE, io_error, reason, write_files};

/// The TLC and the Java that runs are made with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlcProgram {
    /// The SHA-256 of the jar, in lower-case hexadecimal.
    pub jar_sha256: String,
    /// The first line of what Java says of itself, if it says anything.
    pub java: Option<String>,
}

/// Finds TLC, and fetches it if need be.
///
/// # Errors
///
/// It cannot be had on this machine.
pub fn program() -> Result<TlcProgram, TlcError> {
    let folder = write_files(&Sources {
        module: "None".to_owned(),
        ..Sources::default()
    })?;
    let mut command = Command::new("bash");
    command.args(["tlc", "--jar"]).current_dir(folder.path());
    let output = command.output().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => TlcError::Unavailable(
            "TLC is run by a bash script, and there is no bash on the PATH".to_owned(),
        ),
        _ => io_error("run the script for TLC")(error),
    })?;
    let said = String::from_utf8_lossy(&output.stderr);
    if output.status.code() == Some(UNAVAILABLE) || !output.status.success() {
        return Err(TlcError::Unavailable(reason(&said)));
    }
    let path = String::from_utf8_lossy(&output.stdout);
    let jar = std::fs::read(path.trim()).map_err(io_error("read TLC's jar"))?;
    let digest = Sha256::digest(jar);
    let jar_sha256 = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    let home =
        std::env::var_os("JAVA_HOME").map(|home| std::path::Path::new(&home).join("bin/java"));
    let java = home.filter(|java| java.is_file());
    let java = java.unwrap_or_else(|| "java".into());
    let java = Command::new(java).arg("-version").output();
    let java = java.ok().and_then(|said| {
        // It goes to standard error, and always did.
        version_line(&String::from_utf8_lossy(&said.stderr)).map(str::to_owned)
    });
    Ok(TlcProgram { jar_sha256, java })
}

/// The line in which Java says its version. Notes on options from the environment may come first.
fn version_line(said: &str) -> Option<&str> {
    said.lines().find(|line| line.contains(" version \""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_version_of_java_is_found_after_notes_on_options() {
        let version = "openjdk version \"17.0.15\" 2025-04-15";
        for before in ["", "NOTE: Picked up JDK_JAVA_OPTIONS: -Xmx1g\n"] {
            let said = format!("{before}{version}\nOpenJDK Runtime Environment\n");
            assert_eq!(version_line(&said), Some(version));
        }
        assert_eq!(version_line("no such file\n"), None);
    }
}
