//! What TLC printed, against the result.

use plumb_checker::PropertyKind;
use plumb_tla::tlc::{TlcReport, TlcVerdict, ViolationKind, read_report};

use crate::record::{Judge, ResultRecord, RunRecord, VerdictRecord, VerdictWord};

/// TLC's log, read.
pub(crate) struct TlcFindings {
    /// Its version.
    pub(crate) version: String,
    pub(crate) verdict: VerdictRecord,
    pub(crate) report: TlcReport,
}

/// Reads what TLC printed; `exit` is its exit status.
///
/// # Errors
///
/// In a sentence, why it says nothing.
pub(crate) fn read_log(log: &[u8], exit: Option<i32>) -> Result<TlcFindings, String> {
    let text = String::from_utf8_lossy(log);
    let starts = text
        .lines()
        .filter(|line| line.starts_with("TLC2 Version "));
    if starts.count() > 1 {
        return Err("it is of more than one run of TLC".to_owned());
    }
    if text.contains("TLC threw an unexpected exception") {
        return Err("TLC failed: it threw an unexpected exception".to_owned());
    }
    let report = read_report(log, exit).map_err(|error| error.to_string())?;
    let Some(version) = report.version.clone() else {
        return Err("it is not what TLC prints: it names no version of TLC".to_owned());
    };
    let mut verdict = VerdictRecord {
        word: VerdictWord::Exhausted,
        property: None,
        kind: None,
        conjunct: None,
        reason: None,
    };
    match &report.verdict {
        TlcVerdict::Success => {}
        TlcVerdict::Violated { kind, name } => {
            verdict.word = VerdictWord::Violated;
            verdict.property.clone_from(name);
            verdict.kind = Some(match kind {
                ViolationKind::Invariant => PropertyKind::Invariant,
                ViolationKind::Step => PropertyKind::Step,
                ViolationKind::Temporal => PropertyKind::Temporal,
                ViolationKind::Deadlock => PropertyKind::Deadlock,
                ViolationKind::Assert => return Err("an assertion in the module failed".to_owned()),
            });
        }
        TlcVerdict::Assumption { name } => {
            verdict.word = VerdictWord::Assumption;
            verdict.property.clone_from(name);
            verdict.kind = Some(PropertyKind::Assumption);
        }
        TlcVerdict::Error { message } | TlcVerdict::Usage { message } => {
            return Err(format!("TLC failed: {}", message.trim()));
        }
        TlcVerdict::Unfinished => return Err("TLC did not come to its end".to_owned()),
    }
    // What TLC ends with after each kind of violation. After a false assumption it is 10, or 151 as
    // after an error; an unknown status contradicts nothing.
    let usual: &[i32] = match verdict.kind {
        None => &[0],
        Some(PropertyKind::Assumption) => &[10, 151],
        Some(PropertyKind::Deadlock) => &[11],
        Some(PropertyKind::Invariant) => &[12],
        Some(PropertyKind::Step) => &[12, 13],
        Some(PropertyKind::Temporal) => &[13],
    };
    if let Some(exit) = exit.filter(|exit| !usual.contains(exit)) {
        return Err(format!(
            "TLC's exit status is said to be {exit}, and after what is printed it is {}",
            usual[0]
        ));
    }
    Ok(TlcFindings {
        version,
        verdict,
        report,
    })
}

/// Whether TLC says that it parsed a module. A log names no cfg.
pub(crate) fn is_of_module(log: &[u8], module: &str) -> bool {
    let text = String::from_utf8_lossy(log);
    let mut parsed = text
        .lines()
        .filter_map(|line| line.strip_prefix("Semantic processing of module "));
    parsed.any(|parsed| parsed.trim_end() == module)
}

/// What a log confirms of a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Confirmed {
    /// The verdict, and the property if TLC names it.
    pub(crate) verdict: bool,
    /// Distinct and generated states and the depth.
    pub(crate) counts: bool,
    /// How many states the counterexample has.
    pub(crate) length: bool,
}

/// What TLC's log says otherwise than the result, in sentences.
#[must_use]
pub fn log_differences(log: &[u8], result: &ResultRecord, run: &RunRecord) -> Vec<String> {
    compare(log, result, Some(run)).err().unwrap_or_default()
}

/// Holds a log against the result: what it confirms, or, in sentences, what it says otherwise.
pub(super) fn compare(
    log: &[u8],
    result: &ResultRecord,
    run: Option<&RunRecord>,
) -> Result<Confirmed, Vec<String>> {
    let Some(tool) = run.and_then(|run| run.tlc.as_ref()) else {
        return Err(vec!["the record of the run names no TLC".to_owned()]);
    };
    let found = read_log(log, tool.exit).map_err(|message| vec![message])?;
    let mut differences = Vec::new();
    let mut same = |what: &str, tlc: String, recorded: String| {
        if tlc != recorded {
            differences.push(format!("{what}: TLC says {tlc}, the result {recorded}"));
        }
    };
    same("version", found.version.clone(), tool.version.clone());
    if !is_of_module(log, &result.module) {
        same("module", "nothing".to_owned(), result.module.clone());
    }
    let (theirs, ours) = (&found.verdict, &result.verdict);
    same(
        "verdict",
        theirs.word.word().to_owned(),
        ours.word.word().to_owned(),
    );
    if theirs.word != ours.word {
        return Err(differences);
    }
    let kind = |kind: Option<PropertyKind>| kind.map_or("none".to_owned(), |kind| kind.to_string());
    same("kind", kind(theirs.kind), kind(ours.kind));
    if let Some(theirs) = &theirs.property {
        let ours = ours.property.clone().unwrap_or_else(|| "none".to_owned());
        same("property", theirs.clone(), ours);
    }
    // Of invariants TLC does not say that it checked them, and of temporal properties it does.
    let temporal = result.properties.iter();
    let temporal = temporal.filter(|property| property.kind == PropertyKind::Temporal);
    if ours.word == VerdictWord::Exhausted
        && temporal.count() > 0
        && !String::from_utf8_lossy(log).contains("emporal properties for the ")
    {
        let message = "it does not say that temporal properties were checked, and the result does";
        differences.push(message.to_owned());
        return Err(differences);
    }
    let mut confirmed = Confirmed {
        // Of a temporal property TLC says only that one is violated.
        verdict: theirs.property.is_some() || ours.property.is_none(),
        ..Confirmed::default()
    };
    if let Some(counts) = &result.counts
        && (ours.word == VerdictWord::Exhausted || result.judge == Judge::Tlc)
    {
        let number = |number: Option<u64>| number.map_or("nothing".to_owned(), |n| n.to_string());
        let report = &found.report;
        same(
            "distinct",
            number(report.distinct),
            counts.distinct.to_string(),
        );
        same(
            "generated",
            number(report.generated),
            counts.generated.to_string(),
        );
        same("queue", number(report.queue), counts.queue.to_string());
        if report.depth.is_some() {
            same("depth", number(report.depth), number(counts.depth));
        }
        confirmed.counts = report.depth.is_some();
    }
    let states = found
        .report
        .trace
        .iter()
        .filter(|step| step.state.is_some());
    let states = states.count() as u64;
    if let Some(trace) = &result.trace
        && trace.back_to.is_none()
    {
        same(
            "length of the trace",
            states.to_string(),
            trace.states.to_string(),
        );
        confirmed.length = true;
    }
    if differences.is_empty() {
        Ok(confirmed)
    } else {
        Err(differences)
    }
}
