//! What an audit allows to be said of a bundle, in sentences for people who were not there.
//!
//! No sentence says more than the verdict: a search says something of the states within its bounds,
//! and a bundle in which something is wrong says nothing.

use plumb_checker::{PropertyKind, Purpose};

use crate::record::{ResultRecord, VerdictWord};
use crate::verify::{Audit, Status};

/// The claim of a bundle in a sentence or two.
#[must_use]
pub fn claim(audit: &Audit) -> String {
    let Some(result) = &audit.result else {
        return "Nothing is claimed: the result cannot be read.".to_owned();
    };
    match audit.status {
        Status::Invalid => "Nothing is claimed: something is wrong with this bundle.".to_owned(),
        Status::Stale => format!(
            "Of sources that have changed since, and not of those of now: {}",
            sentence(result)
        ),
        Status::Valid => sentence(result),
    }
}

/// What a result says, if it is to be believed.
#[must_use]
pub fn sentence(result: &ResultRecord) -> String {
    let verdict = &result.verdict;
    let named = match (&verdict.property, verdict.kind) {
        (Some(property), Some(kind)) => format!("the {kind} {property}"),
        (None, Some(kind)) => format!("a {kind} that is not named"),
        (_, None) => "nothing".to_owned(),
    };
    match verdict.word {
        VerdictWord::Exhausted => exhausted(result),
        VerdictWord::Violated => {
            let states = result.trace.as_ref().map_or(0, |trace| trace.states);
            let shown = match result.trace.as_ref().map(|trace| trace.back_to) {
                Some(Some(back_to)) => {
                    format!(
                        "a behaviour of {states} states that goes back to state {back_to} for ever"
                    )
                }
                Some(None) if states == 1 => "an initial state".to_owned(),
                Some(None) => format!("a behaviour of {states} states"),
                None => "a behaviour that is not here".to_owned(),
            };
            let conjunct = verdict.conjunct.as_ref();
            let conjunct = conjunct.map(|conjunct| format!(" (its conjunct {conjunct})"));
            let conjunct = conjunct.unwrap_or_default();
            match result.purpose {
                Purpose::Control => {
                    format!("The deliberate defect is found: {shown} violates {named}{conjunct}.")
                }
                Purpose::Witness => {
                    format!("It can happen: {shown} violates {named}{conjunct}, which denies it.")
                }
                Purpose::Bound => {
                    format!("What should hold does not: {shown} violates {named}{conjunct}.")
                }
            }
        }
        VerdictWord::Assumption => match result.purpose {
            Purpose::Control => format!(
                "The deliberate defect is found: {named} is false of the constants, before any state."
            ),
            Purpose::Bound | Purpose::Witness => {
                format!(
                    "What should hold does not: {named} is false of the constants, so that no state was looked at."
                )
            }
        },
        VerdictWord::Inconclusive => format!(
            "Nothing is shown: the search did not come to its end{}.",
            because(verdict.reason.as_deref())
        ),
        VerdictWord::Error => format!(
            "Nothing is shown: the check failed{}.",
            because(verdict.reason.as_deref())
        ),
    }
}

fn because(reason: Option<&str>) -> String {
    reason.map_or_else(String::new, |reason| format!(" ({reason})"))
}

fn exhausted(result: &ResultRecord) -> String {
    let names = |wanted: PropertyKind| {
        let properties = result.properties.iter();
        let names: Vec<&str> = properties
            .filter(|property| property.kind == wanted)
            .map(|property| property.name.as_str())
            .collect();
        names.join(", ")
    };
    let mut said = Vec::new();
    for (kind, subject) in [
        (
            PropertyKind::Invariant,
            "No reachable state within these bounds violates",
        ),
        (PropertyKind::Step, "No step within these bounds violates"),
        (
            PropertyKind::Temporal,
            "No fair behaviour within these bounds violates",
        ),
        (PropertyKind::Assumption, "The constants do not violate"),
    ] {
        let names = names(kind);
        if !names.is_empty() {
            said.push(format!("{subject} {names}"));
        }
    }
    if result.deadlock {
        said.push("Every reachable state within these bounds has a successor".to_owned());
    }
    if said.is_empty() {
        said.push(
            "All states within these bounds were looked at, and no property was asked for"
                .to_owned(),
        );
    }
    let states = result.counts.map_or(0, |counts| counts.distinct);
    format!("{}; {} states, complete.", said.join(". "), grouped(states))
}

/// A number with commas between groups of three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// The bounds in a sentence: the constants with their values.
#[must_use]
pub fn bounds(result: &ResultRecord) -> String {
    if result.constants.is_empty() {
        return "There are no constants.".to_owned();
    }
    let constants = result.constants.iter();
    let constants: Vec<String> = constants
        .map(|constant| format!("{} is {}", constant.name, constant.value))
        .collect();
    let mut text = format!("{}.", constants.join(", "));
    if !result.constraints.is_empty() {
        let names = result.constraints.join(", ");
        text.push_str(&format!(
            " States outside {names} were checked and not gone on from."
        ));
    }
    text
}

/// What a purpose means beside a positive result.
#[must_use]
pub fn role(purpose: Purpose) -> &'static str {
    match purpose {
        Purpose::Bound => "positive result",
        Purpose::Control => "control: a defect that the properties must find",
        Purpose::Witness => "witness: that what is checked is not empty",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped_by_three() {
        let numbers = [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (59_444_361, "59,444,361"),
        ];
        for (number, text) in numbers {
            assert_eq!(grouped(number), text);
        }
    }
}
