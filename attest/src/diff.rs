//! What two results of one configuration differ in, by meaning.
//!
//! Times, tools and machines are no part of a result, so that two runs of the same check differ in
//! nothing.

use serde::Serialize;

use crate::record::ResultRecord;

/// One thing that is otherwise.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Change {
    /// What it is, in a word or two.
    pub what: String,
    /// What it was; nothing if it was not there.
    pub old: Option<String>,
    /// What it is; nothing if it is not there any more.
    pub new: Option<String>,
}

/// The differences between two results, in the order in which a reader asks for them.
#[must_use]
pub fn changes(old: &ResultRecord, new: &ResultRecord) -> Vec<Change> {
    let mut found = Vec::new();
    let mut compare = |what: &str, old: Option<String>, new: Option<String>| {
        if old != new {
            found.push(Change {
                what: what.to_owned(),
                old,
                new,
            });
        }
    };
    compare("verdict", Some(verdict(old)), Some(verdict(new)));
    compare(
        "expectation",
        Some(old.expectation.outcome.clone()),
        Some(new.expectation.outcome.clone()),
    );
    compare("judge", Some(word(&old.judge)), Some(word(&new.judge)));
    compare(
        "purpose",
        Some(word(&old.purpose)),
        Some(word(&new.purpose)),
    );
    compare(
        "specification",
        Some(old.specification.clone()),
        Some(new.specification.clone()),
    );
    let constants = |result: &ResultRecord| -> Vec<(String, String)> {
        let constants = result.constants.iter();
        constants
            .map(|constant| (constant.name.clone(), constant.value.clone()))
            .collect()
    };
    by_name("constant", &constants(old), &constants(new), &mut compare);
    let properties = |result: &ResultRecord| -> Vec<(String, String)> {
        let properties = result.properties.iter();
        properties
            .map(|property| (property.name.clone(), property.kind.to_string()))
            .collect()
    };
    by_name("property", &properties(old), &properties(new), &mut compare);
    compare(
        "constraints",
        Some(old.constraints.join(", ")),
        Some(new.constraints.join(", ")),
    );
    compare(
        "deadlock reported",
        Some(old.deadlock.to_string()),
        Some(new.deadlock.to_string()),
    );
    let (before, after) = (old.counts.as_ref(), new.counts.as_ref());
    let number = |number: Option<u64>| number.map(|number| number.to_string());
    compare(
        "distinct states",
        number(before.map(|counts| counts.distinct)),
        number(after.map(|counts| counts.distinct)),
    );
    compare(
        "generated states",
        number(before.map(|counts| counts.generated)),
        number(after.map(|counts| counts.generated)),
    );
    compare(
        "depth",
        number(before.and_then(|counts| counts.depth)),
        number(after.and_then(|counts| counts.depth)),
    );
    compare(
        "states outside the constraint",
        number(before.and_then(|counts| counts.outside)),
        number(after.and_then(|counts| counts.outside)),
    );
    compare(
        "states left on the queue",
        number(before.map(|counts| counts.queue)),
        number(after.map(|counts| counts.queue)),
    );
    if let Some((level, before, after)) = first_difference(&old.levels, &new.levels) {
        compare(
            &format!("new states of level {level}, the first that differs"),
            number(before),
            number(after),
        );
    }
    let actions = |result: &ResultRecord| -> Vec<(String, String)> {
        let actions = result.actions.iter();
        actions
            .map(|(name, count)| (name.clone(), count.to_string()))
            .collect()
    };
    by_name("steps of", &actions(old), &actions(new), &mut compare);
    let never = |result: &ResultRecord| -> Vec<(String, String)> {
        let never = result.never_taken.iter();
        never
            .map(|never| {
                let reason = never.reason.clone();
                let reason = reason.unwrap_or_else(|| "no reason is listed".to_owned());
                (never.action.clone(), reason)
            })
            .collect()
    };
    by_name("never taken", &never(old), &never(new), &mut compare);
    let length = |result: &ResultRecord| {
        let trace = result.trace.as_ref()?;
        Some(match trace.back_to {
            None => format!("{} states", trace.states),
            Some(back_to) => format!("{} states, then back to state {back_to}", trace.states),
        })
    };
    compare("trace", length(old), length(new));
    let digest = |result: &ResultRecord| Some(result.trace.as_ref()?.sha256.clone());
    if length(old) == length(new) {
        compare("states of the trace", digest(old), digest(new));
    }
    compare(
        "checkpoint",
        old.checkpoint.as_ref().map(|_| digest_of(&old.checkpoint)),
        new.checkpoint.as_ref().map(|_| digest_of(&new.checkpoint)),
    );
    for part in old.semantic.differences(&new.semantic) {
        found.push(Change {
            what: format!("sources: {part}"),
            old: None,
            new: None,
        });
    }
    found
}

fn digest_of(value: &impl Serialize) -> String {
    crate::sha256(crate::spelling::write(value).as_bytes())
}

/// The word that a plain enumeration has in documents.
fn word(value: &impl Serialize) -> String {
    crate::spelling::write(value)
        .trim()
        .trim_matches('"')
        .to_owned()
}

fn verdict(result: &ResultRecord) -> String {
    let verdict = &result.verdict;
    let mut text = verdict.word.word().to_owned();
    if let Some(property) = &verdict.property {
        text.push(' ');
        text.push_str(property);
    }
    if let Some(conjunct) = &verdict.conjunct {
        text.push_str(&format!(" (its conjunct {conjunct})"));
    }
    if let Some(reason) = &verdict.reason {
        text.push_str(&format!(": {reason}"));
    }
    text
}

/// The first level, counted from 1, that is otherwise: as it was, and as it is. What comes after it
/// differs as a consequence.
fn first_difference(old: &[u64], new: &[u64]) -> Option<(usize, Option<u64>, Option<u64>)> {
    let levels = 0..old.len().max(new.len());
    let mut levels =
        levels.map(|level| (level + 1, old.get(level).copied(), new.get(level).copied()));
    levels.find(|(_, before, after)| before != after)
}

/// Takes what is compared, as it was and as it is.
type Comparing<'a> = dyn FnMut(&str, Option<String>, Option<String>) + 'a;

/// Named values, each compared with the other side's of the same name; then their order.
fn by_name(
    what: &str,
    old: &[(String, String)],
    new: &[(String, String)],
    compare: &mut Comparing<'_>,
) {
    let value = |list: &[(String, String)], name: &str| {
        let mut named = list.iter().filter(|(other, _)| other == name);
        named.next().map(|(_, value)| value.clone())
    };
    for (name, before) in old {
        compare(
            &format!("{what} {name}"),
            Some(before.clone()),
            value(new, name),
        );
    }
    for (name, after) in new {
        if value(old, name).is_none() {
            compare(&format!("{what} {name}"), None, Some(after.clone()));
        }
    }
    let names = |list: &[(String, String)]| -> Vec<String> {
        list.iter().map(|(name, _)| name.clone()).collect()
    };
    let (before, after) = (names(old), names(new));
    let sorted = |names: &[String]| {
        let mut sorted = names.to_vec();
        sorted.sort();
        sorted
    };
    if before != after && sorted(&before) == sorted(&after) {
        compare(
            &format!("order, {what}"),
            Some(before.join(", ")),
            Some(after.join(", ")),
        );
    }
}
