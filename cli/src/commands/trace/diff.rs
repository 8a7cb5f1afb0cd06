//! `plumb trace diff`: where two recorded traces part.

use std::fmt::Write as _;
use std::path::Path;

use owo_colors::OwoColorize;
use plumb_replay::parting::{Compared, Parting, PartingKind, compare_traces};
use plumb_replay::trace::{self, Ending, RecordedLabel, RecordedStep, TraceError};
use serde::Serialize;

use crate::arguments::TraceDiffArguments;
use crate::error::CliError;
use crate::exit::Status;
use crate::output;

/// Says where the two files part.
pub(super) fn run(arguments: &TraceDiffArguments) -> Result<Status, CliError> {
    let unreadable = |error: TraceError| CliError::usage(error.to_string(), None);
    let open = |path: &Path| trace::open(path, None).map_err(unreadable);
    let (first, second) = (open(&arguments.first)?, open(&arguments.second)?);
    let found = compare_traces(first, second).map_err(unreadable)?;
    if arguments.json {
        output::print_json(&json(arguments, &found))?;
    } else {
        output::print(&text(arguments, &found))?;
    }
    Ok(match found.parting {
        None => Status::Expected,
        Some(_) => Status::Different,
    })
}

fn counted(number: u64, what: &str) -> String {
    match number {
        1 => format!("1 {what}"),
        number => format!("{} {what}s", output::grouped(number)),
    }
}

fn text(arguments: &TraceDiffArguments, found: &Compared) -> String {
    let (first, second) = (arguments.first.display(), arguments.second.display());
    let Some(parting) = &found.parting else {
        let behaviours = match found.behaviours {
            1 => String::new(),
            number => format!(" in {}", counted(number, "behaviour")),
        };
        let states = counted(found.states, "state");
        return format!("{first} and {second} tell the same: {states}{behaviours}\n");
    };
    let Parting {
        behaviour,
        state,
        difference,
    } = parting;
    let within = if *behaviour > 1 {
        format!(" of behaviour {behaviour}")
    } else {
        String::new()
    };
    let mut text = String::new();
    let sides = |text: &mut String, one: &str, other: &str| {
        let _ = writeln!(text, "  {first}: {one}\n  {second}: {other}");
    };
    match difference {
        PartingKind::Step {
            first: one,
            second: other,
            actions,
            variables,
        } => {
            let heading = format!("They part at state {state}{within}.");
            let _ = writeln!(text, "{}", heading.bold());
            let what = |step: &RecordedStep| place(step) + &label(&step.label);
            sides(&mut text, &what(one), &what(other));
            if *actions {
                text.push_str("  The actions differ.\n");
            }
            for variable in variables {
                let _ = writeln!(text, "  {variable}");
            }
        }
        PartingKind::Length {
            first_goes_on,
            ending: last,
        } => {
            let (longer, shorter) = longer(arguments, *first_goes_on);
            let heading = format!("They part after state {state}{within}.");
            let ends = match last {
                Ending::Open => "ends there".to_owned(),
                last => format!("ends there and goes on for ever ({})", ending(last)),
            };
            let _ = writeln!(
                text,
                "{}\n  {shorter} {ends}, {longer} has another state",
                heading.bold()
            );
        }
        PartingKind::Ending {
            first: one,
            second: other,
        } => {
            let heading = format!("They part after state {state}{within}, the last one.");
            let _ = writeln!(text, "{}", heading.bold());
            sides(&mut text, &ending(one), &ending(other));
        }
        PartingKind::Behaviours { first_goes_on } => {
            let (longer, shorter) = longer(arguments, *first_goes_on);
            let heading = format!("They part after {}.", counted(*behaviour, "behaviour"));
            let _ = writeln!(
                text,
                "{}\n  {shorter} has no other, {longer} has",
                heading.bold()
            );
        }
    }
    text
}

fn longer(arguments: &TraceDiffArguments, first: bool) -> (String, String) {
    let (one, other) = (arguments.first.display(), arguments.second.display());
    if first {
        (one.to_string(), other.to_string())
    } else {
        (other.to_string(), one.to_string())
    }
}

fn place(step: &RecordedStep) -> String {
    match step.line {
        0 => String::new(),
        line => format!("line {line}, "),
    }
}

fn label(label: &RecordedLabel) -> String {
    match label {
        RecordedLabel::Initial => "the initial state".to_owned(),
        RecordedLabel::Unlabelled => "by an action that is not told".to_owned(),
        RecordedLabel::Action { name, parameters } => {
            let parameters = parameters.iter().flatten().map(ToString::to_string);
            let parameters: Vec<String> = parameters.collect();
            match &parameters[..] {
                [] => name.clone(),
                parameters => format!("{name}({})", parameters.join(", ")),
            }
        }
    }
}

fn ending(ending: &Ending) -> String {
    match ending {
        Ending::Open => "nothing follows".to_owned(),
        Ending::Stuttering => "stutters for ever".to_owned(),
        Ending::BackTo(number, RecordedLabel::Action { name, .. }) => {
            format!("back to state {number} by {name}")
        }
        Ending::BackTo(number, _) => format!("back to state {number}"),
    }
}

/// What `plumb trace diff --json` prints; `schemas/trace-diff.schema.json` describes it.
#[derive(Serialize)]
struct DiffJson {
    plumb: &'static str,
    first: String,
    second: String,
    same: bool,
    behaviours: u64,
    states: u64,
    parting: Option<PartingJson>,
}

#[derive(Serialize)]
struct PartingJson {
    what: &'static str,
    behaviour: u64,
    state: u64,
    actions_differ: bool,
    first: String,
    second: String,
    variables: Vec<VariableJson>,
}

#[derive(Serialize)]
struct VariableJson {
    path: String,
    first: Option<String>,
    second: Option<String>,
}

fn json(arguments: &TraceDiffArguments, found: &Compared) -> DiffJson {
    DiffJson {
        plumb: env!("CARGO_PKG_VERSION"),
        first: arguments.first.display().to_string(),
        second: arguments.second.display().to_string(),
        same: found.parting.is_none(),
        behaviours: found.behaviours,
        states: found.states,
        parting: found.parting.as_ref().map(parting_json),
    }
}

fn parting_json(parting: &Parting) -> PartingJson {
    let goes_on = |first_goes_on: bool, on: &str, ends: &str| {
        let (first, second) = if first_goes_on {
            (on, ends)
        } else {
            (ends, on)
        };
        (first.to_owned(), second.to_owned())
    };
    let (what, (first, second)) = match &parting.difference {
        PartingKind::Step { first, second, .. } => {
            ("step", (label(&first.label), label(&second.label)))
        }
        PartingKind::Length {
            first_goes_on,
            ending: last,
        } => {
            let ends = match last {
                Ending::Open => "ends".to_owned(),
                last => ending(last),
            };
            (
                "length",
                goes_on(*first_goes_on, "has another state", &ends),
            )
        }
        PartingKind::Ending { first, second } => ("ending", (ending(first), ending(second))),
        PartingKind::Behaviours { first_goes_on } => (
            "behaviours",
            goes_on(*first_goes_on, "has another", "has no other"),
        ),
    };
    let (actions_differ, variables) = match &parting.difference {
        PartingKind::Step {
            actions, variables, ..
        } => (*actions, &variables[..]),
        _ => (false, &[][..]),
    };
    PartingJson {
        what,
        behaviour: parting.behaviour,
        state: parting.state,
        actions_differ,
        first,
        second,
        variables: variables
            .iter()
            .map(|difference| VariableJson {
                path: difference.path.clone(),
                first: difference.before.as_ref().map(ToString::to_string),
                second: difference.after.as_ref().map(ToString::to_string),
            })
            .collect(),
    }
}
