//! The lines of an output, one at a time, in one buffer.

use std::borrow::Cow;
use std::io::{BufRead, Read};

use super::TlcOutputError;

/// No line, message or state of TLC's is longer; what is, was not printed by TLC and would fill the
/// memory.
pub(super) const MAX_ITEM: usize = 16 << 20;

pub(super) struct Lines<R> {
    input: R,
    buffer: Vec<u8>,
    number: u64,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(input: R) -> Lines<R> {
        Lines {
            input,
            buffer: Vec::new(),
            number: 0,
        }
    }

    /// The number of the line read last, counted from 1; 0 before the first one.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// The next line without its end.
    pub(super) fn next(&mut self) -> Result<Option<&str>, TlcOutputError> {
        if !self.read()? {
            return Ok(None);
        }
        match std::str::from_utf8(&self.buffer) {
            Ok(text) => Ok(Some(text)),
            Err(_) => Err(TlcOutputError::line_of(
                self.number,
                "UTF-8 text",
                "something else",
            )),
        }
    }

    /// Puts the lines up to the next empty one into `text`, in place of what it holds. Says whether
    /// there was an empty one.
    pub(super) fn paragraph(&mut self, text: &mut String) -> Result<bool, TlcOutputError> {
        text.clear();
        while let Some(line) = self.next()? {
            let begins = line.as_bytes().first();
            if !begins.is_some_and(u8::is_ascii_graphic) && line.trim().is_empty() {
                return Ok(true);
            }
            if text.len() + line.len() > MAX_ITEM {
                let expected = format!("a state of at most {MAX_ITEM} bytes");
                return Err(TlcOutputError::line_of(
                    self.number,
                    expected,
                    "a longer one",
                ));
            }
            text.push_str(line);
            text.push('\n');
        }
        Ok(false)
    }

    /// The next line without its end; what is no UTF-8 in it is replaced.
    pub(super) fn next_lossy(&mut self) -> Result<Option<Cow<'_, str>>, TlcOutputError> {
        Ok(if self.read()? {
            Some(match std::str::from_utf8(&self.buffer) {
                Ok(line) => Cow::Borrowed(line),
                Err(_) => String::from_utf8_lossy(&self.buffer),
            })
        } else {
            None
        })
    }

    fn read(&mut self) -> Result<bool, TlcOutputError> {
        self.buffer.clear();
        self.number += 1;
        let line = self.number;
        let mut limited = (&mut self.input).take(MAX_ITEM as u64);
        let length = limited
            .read_until(b'\n', &mut self.buffer)
            .map_err(|source| TlcOutputError::Io { line, source })?;
        if length == 0 {
            self.number -= 1;
            return Ok(false);
        }
        if self.buffer.last() == Some(&b'\n') {
            self.buffer.pop();
            if self.buffer.last() == Some(&b'\r') {
                self.buffer.pop();
            }
        } else if length == MAX_ITEM {
            let expected = format!("a line of less than {MAX_ITEM} bytes");
            return Err(TlcOutputError::line_of(line, expected, "a longer one"));
        }
        if self.buffer.contains(&0) {
            return Err(TlcOutputError::line_of(line, "text", "a NUL character"));
        }
        Ok(true)
    }
}
