//! A counterexample as the page shows it.

use plumb_checker::{Lasso, Outcome, PropertyKind};
use plumb_replay::replay::digest;

use crate::commands::search::{self, Finished};
use crate::error::CliError;
use crate::page::{Behaviour, Finding, ShownEnding, ShownStep, ShownViolation};
use crate::workspace::{Configuration, Workspace};

/// The counterexample of a finished search.
pub(super) fn counterexample(
    workspace: &Workspace<'_>,
    configuration: &Configuration,
    finished: &Finished,
) -> Result<Behaviour, CliError> {
    let model = configuration.model.as_ref();
    let report = &finished.report;
    let verdict = &report.verdict;
    let steps = (1..).zip(&report.trace).map(|(number, step)| {
        let action = step.action.as_ref();
        ShownStep {
            number,
            action: action.map(ToString::to_string),
            actor: action.and_then(|action| model.actor(action.name, &action.parameters)),
            state: step.state.clone(),
        }
    });
    let violation = verdict.property().map(|property| {
        let kind = verdict.kind().unwrap_or(PropertyKind::Invariant);
        ShownViolation::of(model, kind, property, verdict.conjunct())
    });
    let remark = match (&finished.outcome, search::explanation(finished)) {
        (_, Some(explanation)) => Some(format!("Unexpected: {explanation}.")),
        (Outcome::AsExpected, None) => Some(
            "As expected: the registry names this violation, so finding it is how the \
             configuration passes."
                .to_owned(),
        ),
        (_, None) => None,
    };
    let findings = remark.map(|text| Finding {
        step: None,
        bad: false,
        text,
    });
    let states = match report.trace.len() {
        1 => "1 state".to_owned(),
        number => format!("{number} states"),
    };
    Ok(Behaviour {
        name: configuration.name.clone(),
        lead: format!(
            "{} of {states}; model {}, module {}",
            match report.lasso {
                None => "A shortest counterexample",
                Some(_) => "An endless counterexample",
            },
            model.name(),
            model.module()
        ),
        facts: facts(workspace, configuration)?,
        steps: steps.collect(),
        ending: match &report.lasso {
            None => ShownEnding::Open,
            Some((Lasso::Stuttering, _)) => ShownEnding::Stuttering,
            Some((Lasso::BackTo(number), action)) => {
                let by = action.as_ref().map(ToString::to_string);
                ShownEnding::BackTo(*number as u64, by)
            }
        },
        violation,
        findings: findings.into_iter().collect(),
    })
}

/// Where the behaviour comes from.
fn facts(
    workspace: &Workspace<'_>,
    configuration: &Configuration,
) -> Result<Vec<(String, String)>, CliError> {
    let model = configuration.model.as_ref();
    let constants = model.constants().iter();
    let constants: Vec<String> = constants
        .map(|(name, value)| format!("{name} = {value}"))
        .collect();
    let properties = model.properties().iter().map(|property| property.name);
    let list = |items: Vec<&str>| match &items[..] {
        [] => "none".to_owned(),
        items => items.join(", "),
    };
    let facts = [
        ("Model", model.name().to_owned()),
        ("Specification", model.specification().to_owned()),
        (
            "Constants",
            list(constants.iter().map(String::as_str).collect()),
        ),
        ("Properties", list(properties.collect())),
        ("Configuration", configuration.path.clone()),
        ("SHA-256 of the cfg", digest(configuration.text.as_bytes())),
        (
            "SHA-256 of the module",
            digest(workspace.module(model)?.as_bytes()),
        ),
    ];
    let facts = facts.map(|(name, value)| (name.to_owned(), value));
    Ok(facts.to_vec())
}
