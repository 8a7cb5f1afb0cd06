//! A counterexample as a Rust test, which holds as long as the model behaves so.

use std::fmt::Write as _;

use plumb_checker::{Lasso, PropertyKind};

use super::headline;
use crate::commands::search::Finished;
use crate::error::CliError;
use crate::workspace::Configuration;

/// The program; `registry` is the path of the function that returns the models.
pub(super) fn program(
    configuration: &Configuration,
    finished: &Finished,
    registry: Option<&str>,
) -> Result<String, CliError> {
    let report = &finished.report;
    let model = configuration.model.as_ref();
    let (Some(property), Some(kind)) = (report.verdict.property(), report.verdict.kind()) else {
        let message = format!("{} has no violation to test", configuration.name);
        return Err(CliError::usage(message, None));
    };
    let registry = match registry {
        Some(path) => path.to_owned(),
        None => format!("{}::registry", model.home()),
    };
    let mut steps = String::new();
    for step in &report.trace {
        let action = step.action.as_ref();
        let action = action.map_or_else(String::new, ToString::to_string);
        let state = step.state.pretty(88).to_string();
        let state = state.trim_end();
        let _ = writeln!(steps, "    ({}, {}),", literal(&action), literal(state));
    }
    let ending = match (&report.lasso, kind) {
        (Some((lasso, _)), _) => {
            let back_to = match lasso {
                Lasso::BackTo(number) => number - 1,
                Lasso::Stuttering => report.trace.len() - 1,
            };
            format!(
                "\n    // It goes on for ever, from the state at index {back_to}.\n    \
                 model.judge_lasso(PROPERTY, &behaviour, {back_to})?;\n"
            )
        }
        (None, PropertyKind::Deadlock) => "
    let ways = model.successors(&last).ok_or(FOREIGN)?;
    assert!(ways.is_empty(), \"the last state has a way out\");
"
        .to_owned(),
        (None, _) => "
    let before = behaviour.pop();
    let violated = model.violated(before.as_deref(), &last).ok_or(FOREIGN)?;
    let mut violated = violated.iter().map(|violated| violated.property);
    assert!(violated.any(|name| name == PROPERTY), \"{PROPERTY} holds\");
"
        .to_owned(),
    };
    // What is taken off the behaviour, and what the test has no use for.
    let last = match (&report.lasso, kind) {
        (Some(_), _) => "",
        (None, _) => "    let last = behaviour.pop().ok_or(\"there is no state\")?;\n",
    };
    let property_constant = if report.lasso.is_none() && kind == PropertyKind::Deadlock {
        String::new()
    } else {
        format!(
            "\n/// What it violates.\nconst PROPERTY: &str = {};\n",
            literal(property)
        )
    };
    let (ending, last) = match last {
        "" => (ending, last),
        last => (ending.trim_start_matches('\n').to_owned(), last),
    };
    let name = &configuration.name;
    Ok(format!(
        "//! {headline}.
//!
//! Written by `plumb trace --as-test`. The test holds as long as this is a behaviour of the model
//! that violates the property. When the model is mended, it fails at the first step that is no
//! longer possible: then it has done its work, or is turned round.

use std::error::Error;

use plumb_checker::Encoded;
use plumb_tla::{{parse_cfg, parse_state}};

/// The model.
const MODEL: &str = {model};

/// The configuration.
const CFG: &str = {cfg};
{property_constant}
/// Each state, with the action that leads to it; none leads to the first.
#[rustfmt::skip]
const STEPS: &[(&str, &str)] = &[
{steps}];

const FOREIGN: &str = \"the model does not know its own state\";

#[test]
fn {function}() -> Result<(), Box<dyn Error>> {{
    let registry = {registry}();
    let entry = registry.find(MODEL).ok_or(\"there is no such model\")?;
    let model = entry.configure(&parse_cfg(CFG)?)?;
    let mut behaviour: Vec<Encoded> = Vec::new();
    for (number, (action, values)) in (1..).zip(STEPS) {{
        let state = model.parse(&parse_state(values)?)?;
        let possible = match behaviour.last() {{
            None => model.initial_states().contains(&state),
            Some(before) => {{
                let mut ways = model.successors(before).ok_or(FOREIGN)?.into_iter();
                ways.any(|way| way.state == state && way.action.to_string() == *action)
            }}
        }};
        assert!(possible, \"state {{number}} cannot be reached so: {{action}}\");
        behaviour.push(state);
    }}
{last}{ending}    Ok(())
}}
",
        headline = headline(configuration, finished),
        cfg = literal(&configuration.text),
        function = identifier(name),
        model = literal(model.name()),
    ))
}

/// A string literal of Rust, raw where that is easier to read.
fn literal(text: &str) -> String {
    let plain = !text.contains(['"', '\\', '\n']);
    // A raw literal can hold neither of these as they are.
    if plain
        || text.contains(|letter: char| letter.is_control() && letter != '\n' && letter != '\t')
    {
        return format!("{text:?}");
    }
    let mut hashes = String::new();
    while text.contains(&format!("\"{hashes}")) {
        hashes.push('#');
    }
    format!("r{hashes}\"{text}\"{hashes}")
}

/// A name for the test: words of the configuration's name, joined by `_`.
fn identifier(name: &str) -> String {
    let mut found = String::new();
    let mut before = '_';
    for letter in name.chars() {
        if letter.is_ascii_uppercase() && (before.is_ascii_lowercase() || before.is_ascii_digit()) {
            found.push('_');
        }
        if letter.is_ascii_alphanumeric() {
            found.push(letter.to_ascii_lowercase());
        } else if before != '_' && !found.ends_with('_') {
            found.push('_');
        }
        before = letter;
    }
    let found = found.trim_matches('_');
    format!("the_trace_of_{found}_is_still_there")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_hold_any_text() {
        assert_eq!(literal("plain"), r#""plain""#);
        assert_eq!(literal(""), r#""""#);
        assert_eq!(literal("a \"b\""), "r#\"a \"b\"\"#");
        assert_eq!(literal("a \"#b"), "r##\"a \"#b\"##");
        assert_eq!(literal("a\nb"), "r\"a\nb\"");
        assert_eq!(literal("a\r\n\"b"), r#""a\r\n\"b""#);
    }

    #[test]
    fn names_of_tests_are_identifiers() {
        let cases = [
            ("RaceFound", "race_found"),
            ("BrokenDAGCycle", "broken_dagcycle"),
            ("my own-cfg 2", "my_own_cfg_2"),
            ("--", ""),
        ];
        for (name, words) in cases {
            assert_eq!(
                identifier(name),
                format!("the_trace_of_{words}_is_still_there")
            );
        }
    }
}
