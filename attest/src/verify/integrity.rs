//! Whether the files of a bundle are the files that it says.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::bundle::{Bundle, ENTRY, MANIFEST, RESULT, RUN, SUMS};
use crate::fault::{Code, Fault};
use crate::spelling::{self, SpellingError};
use crate::statement::Statement;

/// Whether every file is listed with its digest and size, and every listed file is there; and
/// whether `SHA256SUMS` is what it has to be. `name` is how faults name the bundle's folder.
#[must_use]
pub fn integrity(bundle: &Bundle, name: &str) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut fault = |code, file: &str, message: String| {
        faults.push(Fault::new(code, path(name, file), message));
    };
    for file in [RESULT, RUN, MANIFEST, SUMS, ENTRY] {
        if bundle.file(file).is_none() {
            let message = "every bundle has this file, and this one has not";
            fault(Code::MissingFile, file, message.to_owned());
        }
    }
    if let Some(found) = bundle.file(SUMS) {
        let wanted = bundle.sums();
        if found != wanted.as_bytes() {
            let line = first_difference(found, wanted.as_bytes());
            let message = format!("line {line} is not what the bundle's files make it");
            fault(Code::Sums, SUMS, message);
        }
    }
    let manifest = match document::<Statement>(bundle, MANIFEST, name) {
        None => return faults,
        Some(Ok(manifest)) => manifest,
        Some(Err(error)) => {
            faults.push(error);
            return faults;
        }
    };
    let listed: BTreeMap<&str, _> = manifest
        .predicate
        .files
        .iter()
        .map(|file| (file.path.as_str(), file))
        .collect();
    let there = bundle.listed();
    for file in &there {
        match listed.get(file.path.as_str()) {
            None => fault(
                Code::ExtraFile,
                &file.path,
                "the manifest does not list it".to_owned(),
            ),
            Some(listed) if listed.size != file.size => fault(
                Code::Digest,
                &file.path,
                format!(
                    "it has {} bytes, and the manifest says {}",
                    file.size, listed.size
                ),
            ),
            Some(listed) if listed.sha256 != file.sha256 => fault(
                Code::Digest,
                &file.path,
                format!(
                    "its SHA-256 is {}, and the manifest says {}",
                    file.sha256, listed.sha256
                ),
            ),
            Some(_) => {}
        }
    }
    let present: BTreeSet<&str> = there.iter().map(|file| file.path.as_str()).collect();
    for path in listed.keys().filter(|path| !present.contains(*path)) {
        // What a hostile manifest lists is shown on one line.
        let shown = path.escape_debug().to_string();
        let message = "the manifest lists it, and it is not there";
        fault(Code::MissingFile, &shown, message.to_owned());
    }
    if listed.len() != manifest.predicate.files.len() {
        let message = "it lists a file twice";
        fault(Code::Manifest, MANIFEST, message.to_owned());
    }
    faults
}

/// How faults name a file of a bundle.
pub(crate) fn path(bundle: &str, file: &str) -> String {
    match bundle {
        "" => file.to_owned(),
        bundle => format!("{bundle}/{file}"),
    }
}

/// A document of the bundle; nothing if it is not there.
pub(crate) fn document<T: DeserializeOwned + Serialize>(
    bundle: &Bundle,
    file: &str,
    name: &str,
) -> Option<Result<T, Fault>> {
    let read = spelling::read(bundle.file(file)?);
    Some(read.map_err(|error| {
        let code = match &error {
            SpellingError::NotJson { .. } | SpellingError::Spelled { .. } => Code::Spelling,
            SpellingError::Members(_) => Code::Schema,
        };
        Fault::new(code, path(name, file), error.to_string())
    }))
}

fn first_difference(one: &[u8], other: &[u8]) -> usize {
    let same = one
        .iter()
        .zip(other)
        .take_while(|(one, other)| one == other);
    1 + same.filter(|(byte, _)| **byte == b'\n').count()
}
