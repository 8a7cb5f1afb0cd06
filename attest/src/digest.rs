//! SHA-256 as text.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use sha2::{Digest, Sha256};

/// The SHA-256 of `bytes` in lower-case hexadecimal.
#[must_use]
pub fn sha256(bytes: &[u8]) -> String {
    hexadecimal(&Sha256::digest(bytes))
}

/// The SHA-256 and the length of a file of any size.
///
/// # Errors
///
/// It cannot be read.
pub fn file_digest(path: &Path) -> io::Result<(String, u64)> {
    let mut file = File::open(path)?;
    let mut digest = Sha256::new();
    let mut buffer = vec![0; 1 << 20];
    let mut size = 0;
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok((hexadecimal(&digest.finalize()), size)),
            length => {
                digest.update(&buffer[..length]);
                size += length as u64;
            }
        }
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes
        .iter()
        .fold(String::with_capacity(64), |mut text, byte| {
            let _ = write!(text, "{byte:02x}");
            text
        })
}
