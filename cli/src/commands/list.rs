//! `plumb list`: the registered configurations and what is expected of them.

use std::fmt::Write as _;
use std::path::Path;

use owo_colors::OwoColorize;
use plumb_checker::specs::Registered;
use plumb_checker::{Expectation, ExpectedVerdict, Purpose, Registry};
use serde::Serialize;

use crate::arguments::ListArguments;
use crate::error::CliError;
use crate::exit::Status;
use crate::output::{self, grouped};
use crate::workspace::Workspace;

/// Lists the configurations that the filters select; all of them without a filter.
pub(crate) fn run(
    registry: &Registry,
    specs: Option<&Path>,
    arguments: &ListArguments,
) -> Result<Status, CliError> {
    let workspace = Workspace::open(registry, specs)?;
    let entries = if arguments.filters.is_empty() {
        workspace.specs.configurations().iter().collect()
    } else {
        workspace.specs.select(&arguments.filters)?
    };
    if arguments.json {
        output::print_json(&ListJson {
            plumb: env!("CARGO_PKG_VERSION"),
            specs: workspace.specs.source().to_string(),
            configurations: entries.iter().map(|entry| EntryJson::new(entry)).collect(),
        })?;
        return Ok(Status::Expected);
    }
    let rows = entries.iter().map(|entry| {
        let mut expected = sentence(&entry.expect);
        if entry.big {
            expected.push_str(" (big: runs only when named)");
        }
        [
            entry.name.clone(),
            entry.model.clone(),
            purpose(entry.purpose).to_owned(),
            expected,
        ]
    });
    let mut text = String::new();
    let header = ["CONFIGURATION", "MODEL", "PURPOSE", "EXPECTED"];
    for (number, line) in output::table(header, rows, 0..0).into_iter().enumerate() {
        let _ = if number == 0 {
            writeln!(text, "{}", line.bold())
        } else {
            writeln!(text, "{line}")
        };
    }
    let _ = writeln!(text, "\nSpecifications: {}", workspace.specs.source());
    output::print(&text)?;
    Ok(Status::Expected)
}

/// A purpose's word.
pub(crate) fn purpose(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Bound => "bound",
        Purpose::Control => "control",
        Purpose::Witness => "witness",
    }
}

/// An expectation in words.
pub(crate) fn sentence(expect: &Expectation) -> String {
    let property = expect.property.as_deref().unwrap_or("a property");
    let mut text = match expect.verdict {
        ExpectedVerdict::Exhausted => "exhausted".to_owned(),
        ExpectedVerdict::Violated => format!("{property} violated"),
        ExpectedVerdict::Assumption => format!("assumption {property} false"),
    };
    if let Some(conjunct) = &expect.conjunct {
        let _ = write!(text, " (its conjunct {conjunct})");
    }
    let figures = [
        ("distinct", expect.distinct),
        ("generated", expect.generated),
        ("depth", expect.depth),
        ("trace", expect.trace),
    ];
    let figures: Vec<String> = figures
        .into_iter()
        .filter_map(|(what, figure)| Some((what, figure?)))
        .map(|(what, figure)| match what {
            "distinct" | "generated" => format!("{} {what}", grouped(figure)),
            _ => format!("{what} {figure}"),
        })
        .collect();
    if !figures.is_empty() {
        let _ = write!(text, ": {}", figures.join(", "));
    }
    text
}

#[derive(Serialize)]
struct ListJson<'a> {
    plumb: &'static str,
    specs: String,
    configurations: Vec<EntryJson<'a>>,
}

/// A registry entry as JSON, in `list` and `show` alike.
#[derive(Serialize)]
pub(crate) struct EntryJson<'a> {
    name: &'a str,
    model: &'a str,
    purpose: Purpose,
    big: bool,
    expect: &'a Expectation,
    source: &'a str,
}

impl<'a> EntryJson<'a> {
    /// The entry's JSON form.
    pub(crate) fn new(entry: &'a Registered) -> Self {
        Self {
            name: &entry.name,
            model: &entry.model,
            purpose: entry.purpose,
            big: entry.big,
            expect: &entry.expect,
            source: &entry.source,
        }
    }
}
