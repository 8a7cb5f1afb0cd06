//! `plumb show`: what one configuration checks, in words.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use plumb_checker::{PropertyDescription, Registry};
use serde::Serialize;

use super::list::{EntryJson, purpose, sentence};
use crate::arguments::ShowArguments;
use crate::error::CliError;
use crate::exit::Status;
use crate::output;
use crate::workspace::{Configuration, Workspace};

/// Explains the chosen configuration.
pub(crate) fn run(
    registry: &Registry,
    specs: Option<&Path>,
    arguments: &ShowArguments,
) -> Result<Status, CliError> {
    let workspace = Workspace::open(registry, specs)?;
    let configuration = workspace.configuration(&arguments.choice)?;
    if arguments.json {
        output::print_json(&json(&workspace, &configuration))?;
    } else {
        output::print(&text(&workspace, &configuration))?;
    }
    Ok(Status::Expected)
}

fn text(workspace: &Workspace<'_>, configuration: &Configuration) -> String {
    let model = &configuration.model;
    let mut text = String::new();
    let _ = writeln!(text, "{}", configuration.name);
    let _ = writeln!(
        text,
        "  model          {} (module {})",
        model.name(),
        model.module()
    );
    let _ = writeln!(text, "  cfg            {}", configuration.path);
    let _ = writeln!(text, "  specification  {}", model.specification());
    for (name, value) in model.constants() {
        let _ = writeln!(text, "  constant       {name} = {value}");
    }
    for (name, meaning) in model.constraints() {
        let _ = writeln!(text, "  constraint     {name}: {meaning}");
    }
    let _ = writeln!(text, "  actions        {}", model.actions().join(", "));
    if model.properties().is_empty() {
        let _ = writeln!(text, "\nNo property is checked: the search only counts.");
    } else {
        let _ = writeln!(text, "\nChecked, in this order:");
    }
    for property in model.properties() {
        let PropertyDescription {
            name,
            kind,
            meaning,
            conjuncts,
        } = property;
        let _ = writeln!(text, "  {name} ({kind}): {meaning}");
        for (name, meaning) in conjuncts {
            let _ = writeln!(text, "    - {name}: {meaning}");
        }
    }
    match &configuration.registered {
        None => {
            let _ = writeln!(text, "\nNothing is expected of it: it is not registered.");
        }
        Some(entry) => {
            let _ = writeln!(
                text,
                "\nExpected ({}): {}",
                purpose(entry.purpose),
                sentence(&entry.expect)
            );
            let _ = writeln!(text, "Source: {}", entry.source);
            if entry.big {
                let _ = writeln!(
                    text,
                    "It is big: `plumb check` runs it only when it is named."
                );
            }
        }
    }
    let _ = writeln!(text, "\nSpecifications: {}", workspace.specs.source());
    text
}

#[derive(Serialize)]
struct ShowJson<'a> {
    plumb: &'static str,
    specs: String,
    name: &'a str,
    model: &'static str,
    module: &'static str,
    cfg: &'a str,
    specification: &'a str,
    constants: BTreeMap<&'a str, &'a str>,
    constraints: Vec<Named<'a>>,
    actions: Vec<&'static str>,
    variables: &'static [&'static str],
    properties: Vec<PropertyJson<'a>>,
    registered: Option<EntryJson<'a>>,
}

#[derive(Serialize)]
struct Named<'a> {
    name: &'a str,
    meaning: &'a str,
}

#[derive(Serialize)]
struct PropertyJson<'a> {
    name: &'a str,
    kind: plumb_checker::PropertyKind,
    meaning: &'a str,
    conjuncts: Vec<Named<'a>>,
}

fn json<'a>(workspace: &Workspace<'_>, configuration: &'a Configuration) -> ShowJson<'a> {
    let model = &configuration.model;
    let named = |(name, meaning)| Named { name, meaning };
    ShowJson {
        plumb: env!("CARGO_PKG_VERSION"),
        specs: workspace.specs.source().to_string(),
        name: &configuration.name,
        model: model.name(),
        module: model.module(),
        cfg: &configuration.path,
        specification: model.specification(),
        constants: model
            .constants()
            .iter()
            .map(|(name, value)| (&**name, &**value))
            .collect(),
        constraints: model.constraints().into_iter().map(named).collect(),
        actions: model.actions(),
        variables: model.variables(),
        properties: model
            .properties()
            .iter()
            .map(|property| PropertyJson {
                name: property.name,
                kind: property.kind,
                meaning: property.meaning,
                conjuncts: property.conjuncts.iter().copied().map(named).collect(),
            })
            .collect(),
        registered: configuration.registered.as_ref().map(EntryJson::new),
    }
}
