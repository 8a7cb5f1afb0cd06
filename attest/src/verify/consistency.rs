//! Whether the parts of a result can be true together.

use jiff::Timestamp;
use plumb_checker::specs::Registered;
use plumb_checker::{Figures, Outcome, PropertyKind};

use crate::record::{
    Judge, NeverTaken, OutcomeRecord, RESULT_FORMAT, RUN_FORMAT, ResultRecord, RunRecord,
    VerdictWord,
};

/// What is contradictory in a result by itself, in sentences.
///
/// `initial` is the number of initial states that the configured model has, repeats included, if it
/// could be configured.
pub(super) fn contradictions(result: &ResultRecord, initial: Option<u64>) -> Vec<String> {
    let mut found = Vec::new();
    let mut check = |holds: bool, message: &str| {
        if !holds {
            found.push(message.to_owned());
        }
    };
    let verdict = &result.verdict;
    let word = verdict.word;
    let failed = matches!(word, VerdictWord::Violated | VerdictWord::Assumption);
    check(
        verdict.kind.is_some() == failed,
        "a kind of property belongs to a violation, and to nothing else",
    );
    check(
        (word == VerdictWord::Assumption) == (verdict.kind == Some(PropertyKind::Assumption)),
        "a false assumption and a violated property are different verdicts",
    );
    check(
        failed || (verdict.property.is_none() && verdict.conjunct.is_none()),
        "a property is named as violated, and the verdict is another one",
    );
    let nameless = result.judge == Judge::Tlc && failed;
    check(
        !failed || verdict.property.is_some() || nameless,
        "the violated property is not named",
    );
    check(
        matches!(word, VerdictWord::Inconclusive | VerdictWord::Error) == verdict.reason.is_some(),
        "a reason belongs to a check that did not end, and to nothing else",
    );
    check(
        result.judge == Judge::Plumb || verdict.conjunct.is_none(),
        "TLC names no parts of properties",
    );
    if let Some(property) = &verdict.property {
        let named = |other: &crate::record::Property| {
            other.name == *property && Some(other.kind) == verdict.kind
        };
        check(
            verdict.kind == Some(PropertyKind::Deadlock) || result.properties.iter().any(named),
            "the violated property is none of those that were checked",
        );
    }
    let trace = result.trace.as_ref();
    check(
        trace.is_none() || word == VerdictWord::Violated,
        "a trace belongs to a violated property, and to nothing else",
    );
    check(
        trace.is_some() || word != VerdictWord::Violated,
        "a property is violated, and there is no trace that shows it",
    );
    check(
        trace.is_none_or(|trace| {
            trace.back_to.is_some() == (verdict.kind == Some(PropertyKind::Temporal))
                && trace
                    .back_to
                    .is_none_or(|back_to| (1..=trace.states).contains(&back_to))
        }),
        "an infinite behaviour violates a temporal property, and goes back to one of its states",
    );
    check(
        result.checkpoint.is_none() || word == VerdictWord::Inconclusive,
        "a checkpoint belongs to a search that did not end",
    );
    check(
        result.never_taken.is_empty() || word == VerdictWord::Exhausted,
        "only an exhausted search says that an action is never taken",
    );
    let explored = !matches!(word, VerdictWord::Assumption | VerdictWord::Error);
    check(
        result.counts.is_some() || !explored,
        "there are no counts of a search that took place",
    );
    counts(result, initial, &mut check);
    found
}

fn counts(result: &ResultRecord, initial: Option<u64>, check: &mut dyn FnMut(bool, &str)) {
    let Some(counts) = &result.counts else {
        check(
            result.levels.is_empty() && result.actions.is_empty(),
            "there are levels or actions, and no counts",
        );
        return;
    };
    // A sum that is too large for its type is none that can be right.
    let sum = |numbers: &[u64]| {
        numbers
            .iter()
            .try_fold(0u64, |sum, next| sum.checked_add(*next))
    };
    let whole = result.is_whole();
    check(
        !whole || counts.queue == 0,
        "the search is said to be whole, and states are left on the queue",
    );
    check(
        counts.distinct <= counts.generated && counts.queue <= counts.distinct,
        "more states are distinct than generated, or more are left than were found",
    );
    if result.judge == Judge::Tlc {
        check(
            result.levels.is_empty() && result.actions.is_empty() && counts.outside.is_none(),
            "TLC says nothing of levels, of actions, or of states outside the constraint",
        );
        return;
    }
    check(
        counts.depth == Some(result.levels.len() as u64),
        "the depth is not the number of levels",
    );
    check(
        !result.levels.contains(&0),
        "a level without a new state is none",
    );
    let interrupted = result.verdict.word == VerdictWord::Error;
    check(
        interrupted || sum(&result.levels) == Some(counts.distinct),
        "the levels do not add up to the distinct states",
    );
    check(
        counts.outside.is_some_and(|outside| {
            outside
                .checked_add(counts.distinct)
                .is_some_and(|all| all <= counts.generated)
        }),
        "there are more states inside and outside the constraint than were generated",
    );
    check(
        !result.constraints.is_empty() || counts.outside == Some(0),
        "there is no constraint, and states are outside of one",
    );
    let found = result
        .trace
        .as_ref()
        .filter(|trace| trace.back_to.is_none());
    check(
        found.is_none_or(|trace| trace.states <= result.levels.len() as u64 + 1),
        "a shortest counterexample is longer than the search is deep",
    );
    check(!result.actions.is_empty(), "the actions are not counted");
    if let Some(initial) = initial
        && !interrupted
    {
        let steps = sum(&result.actions.values().copied().collect::<Vec<_>>());
        let all = steps.and_then(|steps| steps.checked_add(initial));
        check(
            all == Some(counts.generated),
            "initial states and counts of actions do not add up to the generated states",
        );
    }
}

/// What of the actions that were never taken is not what counts and registry make it.
pub(super) fn never_taken(result: &ResultRecord, entry: &Registered) -> Vec<String> {
    if result.verdict.word != VerdictWord::Exhausted || result.judge == Judge::Tlc {
        return Vec::new();
    }
    let never = result.actions.iter().filter(|(_, count)| **count == 0);
    let never: Vec<&String> = never.map(|(name, _)| name).collect();
    let reason = |action: &str| {
        let listed = entry.never_taken.iter();
        let mut listed = listed.filter(|listed| listed.action == action);
        listed.next().map(|listed| listed.reason.clone())
    };
    let mut wanted: Vec<NeverTaken> = never
        .into_iter()
        .map(|action| NeverTaken {
            reason: reason(action),
            action: action.clone(),
        })
        .collect();
    let mut found = result.never_taken.clone();
    let by_name = |one: &NeverTaken, other: &NeverTaken| one.action.cmp(&other.action);
    wanted.sort_by(by_name);
    found.sort_by(by_name);
    if wanted == found {
        Vec::new()
    } else {
        vec!["the list of actions never taken is not what counts and registry make it".to_owned()]
    }
}

/// The result against the expectation of the registry's entry, as it has to be recorded.
pub(crate) fn outcome(result: &ResultRecord, entry: &Registered) -> OutcomeRecord {
    let counts = result.counts.as_ref();
    let verdict = &result.verdict;
    let trace = result.trace.as_ref();
    // TLC's way into a cycle is not the shortest; and it does not always tell the depth.
    let by_tlc = result.judge == Judge::Tlc;
    let figures = Figures {
        verdict: verdict.word.word(),
        property: verdict.property.as_deref(),
        conjunct: verdict.conjunct.as_deref(),
        distinct: Some(counts.map_or(0, |counts| counts.distinct)),
        generated: Some(counts.map_or(0, |counts| counts.generated)),
        depth: match counts {
            Some(counts) => counts.depth,
            None => Some(0),
        },
        trace: match trace {
            Some(trace) if by_tlc && trace.back_to.is_some() => None,
            Some(trace) => Some(trace.states),
            None => Some(0),
        },
    };
    let mut expected = entry.expect.clone();
    if by_tlc {
        // TLC names neither conjuncts nor temporal properties.
        expected.conjunct = None;
        if verdict.property.is_none() && verdict.kind == Some(PropertyKind::Temporal) {
            expected.property = None;
        }
    }
    let outcome: Outcome = expected.judge_figures(&figures);
    OutcomeRecord::of(&outcome)
}

/// What is wrong with the times of a run. They are rounded to seconds.
fn times(run: &RunRecord) -> Option<String> {
    const ROUNDING: u64 = 2_000;
    let time = |text: &str| -> Option<Timestamp> {
        let time: Timestamp = text.parse().ok()?;
        (time.to_string() == text).then_some(time)
    };
    let (Some(started), Some(ended)) = (time(&run.started), time(&run.ended)) else {
        return Some("expected times in UTC, such as 2026-11-30T12:00:00Z".to_owned());
    };
    let Ok(whole) = u64::try_from(ended.duration_since(started).as_millis()) else {
        return Some("it ended before it began".to_owned());
    };
    // TLC's time may be of an earlier run, whose log was kept.
    let search = run.milliseconds;
    (search > whole.saturating_add(ROUNDING))
        .then(|| format!("a search of {search} ms does not fit between its start and its end"))
}

/// What is wrong with the formats and with the record of the run.
pub(super) fn formats(
    result: Option<&ResultRecord>,
    run: Option<&RunRecord>,
) -> Vec<(bool, String)> {
    let mut found = Vec::new();
    if let Some(result) = result
        && result.format != RESULT_FORMAT
    {
        let format = result.format.escape_debug();
        found.push((
            true,
            format!("expected the format {RESULT_FORMAT}, found {format}"),
        ));
    }
    if let Some(run) = run {
        if run.format != RUN_FORMAT {
            let format = run.format.escape_debug();
            found.push((
                false,
                format!("expected the format {RUN_FORMAT}, found {format}"),
            ));
        }
        found.extend(times(run).map(|message| (false, message)));
    }
    found
}
