//! `plumb evidence diff`: what changed in meaning.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use plumb_attest::bundle::RESULT;
use plumb_attest::diff::{Change, changes};
use plumb_attest::folder::{Scope, read_evidence};
use plumb_attest::record::ResultRecord;
use plumb_attest::spelling;
use serde::Serialize;

use crate::arguments::DiffArguments;
use crate::error::CliError;
use crate::exit::Status;
use crate::output::{self, visible};

/// Results by model and configuration.
type Results = BTreeMap<(String, String), ResultRecord>;

/// Compares two folders of evidence.
pub(super) fn run(arguments: &DiffArguments) -> Result<Status, CliError> {
    let old = results(&arguments.old)?;
    let new = results(&arguments.new)?;
    let mut differences = Vec::new();
    let mut same = 0;
    let mut keys: Vec<&(String, String)> = old.keys().chain(new.keys()).collect();
    keys.sort();
    keys.dedup();
    for key in keys {
        let (state, changes) = match (old.get(key), new.get(key)) {
            (Some(old), Some(new)) => ("changed", changes(old, new)),
            (Some(_), None) => ("removed", Vec::new()),
            (None, _) => ("added", Vec::new()),
        };
        if state == "changed" && changes.is_empty() {
            same += 1;
            continue;
        }
        let (model, configuration) = key;
        differences.push(Difference {
            model,
            configuration,
            state,
            changes,
        });
    }
    let status = match differences.is_empty() {
        true => Status::Expected,
        false => Status::Different,
    };
    if arguments.json {
        output::print_json(&DiffJson {
            plumb: env!("CARGO_PKG_VERSION"),
            same,
            different: &differences,
        })?;
    } else {
        output::print(&text(&differences, same))?;
    }
    Ok(status)
}

fn results(folder: &Path) -> Result<Results, CliError> {
    let collection = read_evidence(folder).map_err(|error| CliError::unreadable(folder, &error))?;
    let refused = |file: &Path, what: &str| {
        let message = format!("{}: {what}", visible(&file.display().to_string()));
        let hint = "`plumb evidence verify` tells all that is wrong with a bundle";
        CliError::usage(message, Some(hint.to_owned()))
    };
    let of_bundles = collection.bundles.values().map(|found| &found.faults);
    let faults = collection.faults.iter().chain(of_bundles.flatten());
    // What cannot be looked into must not look as if it were not there.
    if let Some(fault) = faults.into_iter().find(|fault| fault.code.hides_content()) {
        return Err(refused(&folder.join(&fault.file), &fault.message));
    }
    if collection.bundles.is_empty() {
        let message = format!("there is no bundle in {}", folder.display());
        return Err(CliError::usage(message, None));
    }
    let scope = collection.scope;
    let mut results = Results::new();
    for ((model, configuration), found) in collection.bundles {
        let place = scope.place(folder, &model, &configuration);
        let file = place.join(RESULT);
        let unreadable = |what: &str| refused(&file, what);
        let Some(bytes) = found.bundle.file(RESULT) else {
            return Err(unreadable(
                "expected the result of a bundle, and it is not there",
            ));
        };
        let result: ResultRecord =
            spelling::read(bytes).map_err(|error| unreadable(&error.to_string()))?;
        // What was named by itself is known by what it says it is.
        let key = match scope {
            Scope::All => (model, configuration),
            Scope::Model | Scope::Bundle => (result.model.clone(), result.configuration.clone()),
        };
        results.insert(key, result);
    }
    Ok(results)
}

fn text(differences: &[Difference<'_>], same: usize) -> String {
    let mut text = String::new();
    for difference in differences {
        let Difference {
            model,
            configuration,
            state,
            changes,
        } = difference;
        let _ = writeln!(
            text,
            "{}/{}: {state}",
            visible(model),
            visible(configuration)
        );
        for change in changes {
            let (what, old, new) = shown(change);
            let _ = match (old, new) {
                (None, None) => writeln!(text, "    {what}: changed"),
                (Some(old), None) => writeln!(text, "    {what}: was {old}, is gone"),
                (None, Some(new)) => writeln!(text, "    {what}: is new, {new}"),
                (Some(old), Some(new)) => writeln!(text, "    {what}: {old} → {new}"),
            };
        }
        text.push('\n');
    }
    let count = |number: usize, of: &str| match number {
        1 => format!("1 configuration {of}"),
        number => format!("{number} configurations {of}"),
    };
    let _ = writeln!(
        text,
        "{}, {same} mean the same",
        count(differences.len(), "changed, added or removed")
    );
    text
}

/// What a result says, as it can be shown.
fn shown(change: &Change) -> (String, Option<String>, Option<String>) {
    let value = |value: &Option<String>| value.as_deref().map(visible);
    (
        visible(&change.what),
        value(&change.old),
        value(&change.new),
    )
}

#[derive(Serialize)]
struct Difference<'a> {
    model: &'a str,
    configuration: &'a str,
    state: &'static str,
    changes: Vec<Change>,
}

/// What `plumb evidence diff --json` prints; `schemas/evidence-diff.schema.json` describes it.
#[derive(Serialize)]
struct DiffJson<'a> {
    plumb: &'static str,
    same: usize,
    different: &'a [Difference<'a>],
}
