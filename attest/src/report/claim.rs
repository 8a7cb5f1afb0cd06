//! The claim of one bundle.

use plumb_checker::{PropertyKind, Purpose};

use crate::record::{Judge, ResultRecord, VerdictWord};
use crate::verify::{Audit, Basis, Status};

/// The claim of a bundle in a sentence or two, and who vouches for it if only one does.
#[must_use]
pub fn claim(audit: &Audit) -> String {
    let Some(result) = &audit.result else {
        return "Nothing is claimed: the result cannot be read.".to_owned();
    };
    match audit.status {
        Status::Invalid => "Nothing is claimed: something is wrong with this bundle.".to_owned(),
        Status::Stale => format!(
            "Of sources that have changed since, and not of those of now: {}",
            vouched(audit, result)
        ),
        Status::Valid => vouched(audit, result),
    }
}

/// The sentence, with a word on who says it where nothing else does.
fn vouched(audit: &Audit, result: &ResultRecord) -> String {
    let sentence = sentence(result);
    match (audit.basis_of_verdict(), result.judge) {
        (Some(Basis::Asserted), Judge::Tlc) => format!(
            "TLC says, in a log of a run that Plumb did not start, and nothing else does: {sentence}"
        ),
        (Some(Basis::Asserted), Judge::Plumb) => {
            format!("{sentence} Nothing but the bundle says so.")
        }
        _ => sentence,
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

/// A number with commas between groups of three digits, as people read it.
///
/// ```
/// assert_eq!(plumb_attest::report::grouped(59_444_361), "59,444,361");
/// ```
#[must_use]
pub fn grouped(number: u64) -> String {
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

#[cfg(test)]
mod tests {
    use super::grouped;

    #[test]
    fn numbers_are_grouped_by_three() {
        let numbers = [
            (0, "0"),
            (999, "999"),
            (1000, "1,000"),
            (207_612, "207,612"),
            (u64::MAX, "18,446,744,073,709,551,615"),
        ];
        for (number, text) in numbers {
            assert_eq!(grouped(number), text);
        }
    }
}
