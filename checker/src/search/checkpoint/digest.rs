//! SHA-256 digests of files, as they are written and as they are found.

use std::fs::File;
use std::io::{self, Read, Write};
use std::path::Path;

use sha2::{Digest, Sha256};

use super::error::CheckpointError;

/// The length of a file and its SHA-256 digest; `passed` is told of bytes as they are read.
pub(super) fn digest(path: &Path, passed: &dyn Fn(u64)) -> Result<(u64, String), CheckpointError> {
    let read = || -> io::Result<(u64, String)> {
        let mut hash = Hashing::new(io::sink());
        let mut file = File::open(path)?;
        let mut buffer = vec![0; 1 << 18];
        loop {
            match file.read(&mut buffer) {
                Ok(0) => return Ok(hash.finish()),
                Ok(length) => {
                    hash.write_all(&buffer[..length])?;
                    passed(length as u64);
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
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
