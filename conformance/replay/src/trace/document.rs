//! A JSON file, read piece by piece up to its end.

use std::io::Read;

use super::TraceItem;
use super::error::Fault;
use super::json::Json;
use super::reader;

/// What one format makes of the pieces.
pub(super) trait Pieces<R: Read> {
    /// Reads on by one piece; says whether there is more.
    fn read(&mut self, json: &mut Json<R>) -> Result<bool, Box<Fault>>;

    /// The first item that was read and not yet taken.
    fn take(&mut self) -> Option<TraceItem>;
}

/// A file that holds one JSON value.
pub(super) struct Document<R: Read, P> {
    /// None past the end of the file.
    json: Option<Json<R>>,
    pieces: P,
    /// The line last looked at.
    line: u64,
}

impl<R: Read, P: Pieces<R>> Document<R, P> {
    pub(super) fn new(input: R, pieces: P) -> Self {
        Self {
            json: Some(Json::new(input)),
            pieces,
            line: 0,
        }
    }
}

impl<R: Read, P: Pieces<R>> reader::Source for Document<R, P> {
    fn next(&mut self) -> Result<Option<TraceItem>, Box<Fault>> {
        loop {
            if let Some(item) = self.pieces.take() {
                return Ok(Some(item));
            }
            let Some(mut json) = self.json.take() else {
                return Ok(None);
            };
            self.line = json.place().line;
            json.begin_item();
            if self.pieces.read(&mut json)? {
                self.json = Some(json);
            } else {
                json.end()?;
            }
        }
    }

    fn line(&self) -> u64 {
        self.line
    }
}
