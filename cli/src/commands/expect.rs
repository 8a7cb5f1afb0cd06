//! `plumb expect update`: an intended change of what a configuration is expected to find.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use plumb_checker::specs::{REGISTRY, Recorded, Registered, SpecsSource};
use plumb_checker::{Expectation, ExpectedVerdict, Registry, Report, Verdict};
use toml_edit::{Array, ArrayOfTables, DocumentMut, InlineTable, Item, Table, Value, value};

use super::list::sentence;
use super::search;
use crate::arguments::{Engine, ExpectUpdateArguments, SingleChoice};
use crate::error::CliError;
use crate::exit::Status;
use crate::interrupt::Interrupt;
use crate::output::{self, grouped};
use crate::workspace::Workspace;

/// Explores the configuration, shows old and new figures, and writes the new ones.
pub(crate) fn run(
    registry: &Registry,
    specs: Option<&Path>,
    arguments: &ExpectUpdateArguments,
) -> Result<Status, CliError> {
    let reason = arguments.reason.trim();
    if reason.is_empty() {
        return Err(CliError::usage(
            "the reason is empty: say why the figures change",
            None,
        ));
    }
    let workspace = Workspace::open(registry, specs)?;
    let SpecsSource::Folder(folder) = workspace.specs.source() else {
        return Err(CliError::usage(
            "the built-in specifications cannot be changed",
            Some("run it below a folder with specs/registry.toml, or name one with --specs".into()),
        ));
    };
    let entry = workspace.specs.find(&arguments.name)?;
    let choice = SingleChoice {
        name: Some(entry.name.clone()),
        model: None,
        cfg: None,
    };
    let configuration = workspace.configuration(&choice)?;
    let options = arguments.search.options();
    let interrupt = Interrupt::listen();
    let finished = search::explore(&configuration, Engine::Plumb, &options, &interrupt);
    let Some(found) = expectation(&finished.report, &entry.expect) else {
        let why = search::explanation(&finished).unwrap_or_default();
        return Err(CliError::new(
            format!("{}: nothing can be expected of this: {why}", entry.name),
            finished.status(),
        ));
    };
    let recorded = Recorded::of(&finished.report);
    output::print(&changes(entry, &found, &recorded))?;
    if arguments.dry_run {
        return Ok(Status::Expected);
    }
    let path = folder.join(REGISTRY);
    let text = workspace.specs.text(REGISTRY)?;
    let changed = rewritten(&text, &entry.name, &found, &recorded, reason)
        .map_err(|why| CliError::failed(format!("{}: {why}", path.display()), None))?;
    output::write_file(&path, changed.as_bytes())?;
    output::print(&format!("Written to {}.\n", path.display()))?;
    Ok(Status::Expected)
}

/// What a report makes to be expected, as far as it is figures that `before` has an opinion on.
fn expectation(report: &Report, before: &Expectation) -> Option<Expectation> {
    let mut found = Expectation {
        verdict: ExpectedVerdict::Exhausted,
        property: None,
        conjunct: None,
        distinct: None,
        generated: None,
        depth: None,
        trace: None,
    };
    match &report.verdict {
        Verdict::Exhausted => {
            found.distinct = Some(report.distinct);
            found.generated = Some(report.generated);
            found.depth = Some(report.depth() as u64);
        }
        Verdict::Violated {
            property, conjunct, ..
        } => {
            found.verdict = ExpectedVerdict::Violated;
            found.property = Some(property.clone());
            found.conjunct = conjunct.clone().filter(|_| before.conjunct.is_some());
            // The length of a lasso is not the property's but the search's.
            found.trace = report.lasso.is_none().then_some(report.trace.len() as u64);
        }
        Verdict::Assumption { name, .. } => {
            found.verdict = ExpectedVerdict::Assumption;
            found.property = Some(name.clone());
        }
        Verdict::Inconclusive(_) | Verdict::Error { .. } => return None,
    }
    Some(found)
}

/// Old and new side by side: the expectation, and the levels and actions that moved.
fn changes(entry: &Registered, found: &Expectation, recorded: &Recorded) -> String {
    let mut text = format!("{}\n", entry.name);
    let _ = writeln!(text, "  expected before  {}", sentence(&entry.expect));
    let _ = writeln!(text, "  expected now     {}", sentence(found));
    let Some(before) = &entry.recorded else {
        text.push_str("  levels and actions: none were recorded before; they are from now on\n");
        return text;
    };
    let depth = before.levels.len().max(recorded.levels.len());
    for level in 0..depth {
        let (old, new) = (before.levels.get(level), recorded.levels.get(level));
        if old != new {
            moved(&mut text, &format!("level {}", level + 1), old, new);
        }
    }
    let names = before.actions.keys().chain(recorded.actions.keys());
    let names: std::collections::BTreeSet<&String> = names.collect();
    for name in names {
        let (old, new) = (before.actions.get(name), recorded.actions.get(name));
        if old != new {
            moved(&mut text, name, old, new);
        }
    }
    if before == recorded {
        text.push_str("  no level and no action moved\n");
    }
    text
}

fn moved(text: &mut String, what: &str, old: Option<&u64>, new: Option<&u64>) {
    let figure = |figure: Option<&u64>| figure.map_or_else(|| "none".to_owned(), |n| grouped(*n));
    let _ = writeln!(text, "  {what}: {} → {}", figure(old), figure(new));
}

/// The registry's text with the entry changed, and everything else as it was.
fn rewritten(
    text: &str,
    name: &str,
    found: &Expectation,
    recorded: &Recorded,
    reason: &str,
) -> Result<String, String> {
    let mut document: DocumentMut = text.parse().map_err(|error| format!("{error}"))?;
    let entries = document
        .get_mut("configuration")
        .and_then(Item::as_array_of_tables_mut)
        .ok_or("there is no list of configurations")?;
    let entry = entry_of(entries, name).ok_or_else(|| format!("{name} is not in it"))?;
    entry["expect"] = value(expect_table(found));
    let mut table = InlineTable::new();
    let levels: Array = recorded
        .levels
        .iter()
        .map(|count| integer(*count))
        .collect();
    table.insert("levels", Value::Array(levels));
    let actions: BTreeMap<&str, Value> = recorded
        .actions
        .iter()
        .map(|(name, count)| (name.as_str(), integer(*count)))
        .collect();
    table.insert("actions", Value::InlineTable(actions.into_iter().collect()));
    entry["recorded"] = value(table);
    let mut reasons = entry
        .get("reasons")
        .and_then(Item::as_array)
        .cloned()
        .unwrap_or_default();
    reasons.push(reason);
    entry["reasons"] = value(reasons);
    Ok(document.to_string())
}

fn entry_of<'t>(entries: &'t mut ArrayOfTables, name: &str) -> Option<&'t mut Table> {
    entries
        .iter_mut()
        .find(|entry| entry.get("name").and_then(Item::as_str) == Some(name))
}

fn expect_table(expect: &Expectation) -> InlineTable {
    let mut table = InlineTable::new();
    let verdict = match expect.verdict {
        ExpectedVerdict::Exhausted => "exhausted",
        ExpectedVerdict::Violated => "violated",
        ExpectedVerdict::Assumption => "assumption",
    };
    table.insert("verdict", verdict.into());
    for (key, text) in [
        ("property", &expect.property),
        ("conjunct", &expect.conjunct),
    ] {
        if let Some(text) = text {
            table.insert(key, text.as_str().into());
        }
    }
    let figures = [
        ("distinct", expect.distinct),
        ("generated", expect.generated),
        ("depth", expect.depth),
        ("trace", expect.trace),
    ];
    for (key, figure) in figures {
        if let Some(figure) = figure {
            table.insert(key, integer(figure));
        }
    }
    table
}

/// A count as TOML has it; no search comes near what does not fit.
fn integer(count: u64) -> Value {
    i64::try_from(count).unwrap_or(i64::MAX).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_entry_changes_and_comments_stay() {
        let text = "# head\n\n[[configuration]]\nname = \"A\" # first\nexpect = { verdict = \
                    \"exhausted\", distinct = 1 }\n\n# between\n[[configuration]]\nname = \"B\"\n";
        let found = Expectation {
            verdict: ExpectedVerdict::Violated,
            property: Some("P".into()),
            conjunct: None,
            distinct: None,
            generated: None,
            depth: None,
            trace: Some(4),
        };
        let recorded = Recorded {
            levels: vec![1, 2],
            actions: BTreeMap::from([("Go".to_owned(), 3)]),
        };
        let changed = rewritten(text, "A", &found, &recorded, "it \"moved\"").unwrap();
        assert_eq!(
            changed,
            "# head\n\n[[configuration]]\nname = \"A\" # first\nexpect = { verdict = \"violated\", \
             property = \"P\", trace = 4 }\nrecorded = { levels = [1, 2], actions = { Go = 3 } }\n\
             reasons = ['it \"moved\"']\n\n# between\n[[configuration]]\nname = \"B\"\n"
        );
        let again = rewritten(&changed, "A", &found, &recorded, "twice").unwrap();
        assert!(
            again.contains("reasons = ['it \"moved\"', \"twice\"]"),
            "{again}"
        );
        assert!(rewritten(text, "C", &found, &recorded, "x").is_err());
    }
}
