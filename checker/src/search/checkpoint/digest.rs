//! SHA-256 digests of files, as they are written and as they are found.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;

use sha2::{Digest, Sha256};

use super::error::CheckpointError;

/// The length of a file and its SHA-256 digest.
pub(super) fn digest(path: &Path) -> Result<(u64, String), CheckpointError> {
    let read = || -> io::Result<(u64, String)> {
        let mut hash = Hashing::new(io::sink());
        io::copy(&mut File::open(path)?, &mut hash)?;
        Ok(hash.finish())
    };
    read().map_err(CheckpointError::io("read", path))
}

/// A digest in hexadecimal digits.
pub(super) fn hex(digest: &[u8]) -> String {
    use std::fmt::Write as _;
    digest.iter().fold(String::new(), |mut hex, byte| {
        // Writing to a string does not fail.
        let _ = write!(hex, "{byte:02x}");
        hex
    })
}

/// A writer that hashes and counts what goes through it.
pub(super) struct Hashing<W> {
    pub(super) inner: W,
    hash: Sha256,
    bytes: u64,
}

impl<W: Write> Hashing<W> {
    pub(super) fn new(inner: W) -> Self {
        Self {
            inner,
            hash: Sha256::new(),
            bytes: 0,
        }
    }

    /// The length of what went through, and its digest.
    pub(super) fn finish(self) -> (u64, String) {
        (self.bytes, hex(&self.hash.finalize()))
    }
}

impl<W: Write> Write for Hashing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.inner.write(bytes)?;
        self.hash.update(&bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.inner.flush()
    }
}
