//! The trace of a bundle, replayed on the model.

use plumb_checker::{ConfiguredModel, PropertyKind};
use plumb_replay::replay::{Outcome, ReplayOptions, Replayed, Replayer};
use plumb_replay::trace::{
    Ending, Format, Header, RecordedViolation, TraceItem, read, write_tlc_text,
};

use crate::bundle::{Bundle, TRACE, TRACE_TEXT};
use crate::digest::sha256;
use crate::fault::{Code, Fault};
use crate::record::{Judge, ResultRecord};
use crate::verify::integrity::path;

/// What is wrong with the trace; nothing if the model takes every step of it and it ends in the
/// violation that the result names. Without a model only what the files say is compared.
pub(super) fn faults(
    bundle: &Bundle,
    name: &str,
    result: &ResultRecord,
    model: Option<&dyn ConfiguredModel>,
) -> Vec<Fault> {
    let mut faults = Vec::new();
    let mut fault = |file: &str, message: String| {
        faults.push(Fault::new(Code::Trace, path(name, file), message));
    };
    let (trace, text) = (bundle.file(TRACE), bundle.file(TRACE_TEXT));
    let (record, trace, text) = match (&result.trace, trace, text) {
        (None, None, None) => return faults,
        (Some(record), Some(trace), Some(text)) => (record, trace, text),
        (Some(_), _, _) => {
            fault(
                TRACE,
                "the result has a trace, and a file of it is missing".to_owned(),
            );
            return faults;
        }
        (None, _, _) => {
            fault(TRACE, "the result has no trace, and here is one".to_owned());
            return faults;
        }
    };
    if sha256(trace) != record.sha256 {
        let message = "it has not the digest that the result names".to_owned();
        fault(TRACE, message);
    }
    let items = match items(trace) {
        Ok(items) => items,
        Err(message) => {
            fault(TRACE, message);
            return faults;
        }
    };
    let written = write_tlc_text(Vec::new(), &items);
    if written.as_deref().ok() != Some(text) {
        let message = format!("it does not say the same as {TRACE}");
        fault(TRACE_TEXT, message);
    }
    let (Some(TraceItem::Header(header)), Some(TraceItem::End(ending))) =
        (items.first(), items.last())
    else {
        fault(
            TRACE,
            "expected one behaviour from its header to its end".to_owned(),
        );
        return faults;
    };
    let steps = items.len() - 2;
    if let Some(message) = header_fault(header, result) {
        fault(TRACE, message);
    }
    let back_to = match ending {
        Ending::Open => None,
        Ending::Stuttering => Some(steps as u64),
        Ending::BackTo(number, _) => Some(*number),
    };
    if steps as u64 != record.states || back_to != record.back_to {
        let message = format!(
            "the result says {} states and {}, and it has {steps} and {}",
            record.states,
            ends(record.back_to),
            ends(back_to)
        );
        fault(TRACE, message);
    }
    if let Some(model) = model {
        // TLC prints names of definitions that are no actions, too.
        let only_known_labels = result.judge == Judge::Plumb;
        let complete = |item: &TraceItem| match item {
            TraceItem::Step(step) => {
                let mut variables = model.variables().iter();
                variables.all(|name| step.state.get(name).is_some())
            }
            _ => true,
        };
        if only_known_labels && !items.iter().all(complete) {
            fault(
                TRACE,
                "a state has not all variables of the model".to_owned(),
            );
        }
        let replayed = replay(model, header, &items, ending, only_known_labels);
        if let Some(message) = replay_fault(&replayed, result) {
            fault(TRACE, message);
        }
    }
    faults
}

fn ends(back_to: Option<u64>) -> String {
    match back_to {
        Some(state) => format!("a way back to state {state}"),
        None => "an end".to_owned(),
    }
}

/// The items of the one behaviour in a trace file.
fn items(trace: &[u8]) -> Result<Vec<TraceItem>, String> {
    let items = read(trace, "", Some(Format::Plumb));
    let items = items.and_then(Iterator::collect::<Result<Vec<_>, _>>);
    let items = items.map_err(|error| error.to_string().trim_start_matches(": ").to_owned())?;
    let headers = items
        .iter()
        .filter(|item| matches!(item, TraceItem::Header(_)));
    match headers.count() {
        1 => Ok(items),
        found => Err(format!("expected one behaviour, found {found}")),
    }
}

fn header_fault(header: &Header, result: &ResultRecord) -> Option<String> {
    let violation = RecordedViolation {
        // A result with a trace has a kind, or was refused before.
        kind: result.verdict.kind.unwrap_or(PropertyKind::Invariant),
        property: result.verdict.property.clone(),
    };
    let wanted = Header {
        model: Some(result.model.clone()),
        configuration: Some(result.configuration.clone()),
        module: Some(result.module.clone()),
        module_digest: Some(result.semantic.module.clone()),
        cfg_digest: Some(result.semantic.cfg.clone()),
        violation: Some(violation),
        tool: header.tool.clone(),
        ..Header::default()
    };
    (*header != wanted).then(|| {
        "its header does not name the model, configuration, sources and violation of the result"
            .to_owned()
    })
}

fn replay(
    model: &dyn ConfiguredModel,
    header: &Header,
    items: &[TraceItem],
    ending: &Ending,
    only_known_labels: bool,
) -> Replayed {
    let options = ReplayOptions {
        only_known_labels,
        keep_history: true,
        ..ReplayOptions::default()
    };
    let mut replayer = Replayer::new(model, header.clone(), options);
    for item in items {
        if let TraceItem::Step(step) = item {
            replayer.step(step);
        }
    }
    // The history was kept.
    let ended = replayer.end(ending);
    ended.unwrap_or_else(|_| Replayed::unreadable(0, "its end cannot be decided"))
}

fn replay_fault(replayed: &Replayed, result: &ResultRecord) -> Option<String> {
    match &replayed.outcome {
        Outcome::Accepted => {}
        Outcome::Refused(refusal) => {
            return Some(format!(
                "the model does not take the step to state {}: {}",
                refusal.step, refusal.reason
            ));
        }
        Outcome::Unreadable { message, .. } => return Some(message.clone()),
        Outcome::Undecided { reason, .. } => return Some(reason.clone()),
        Outcome::Failed { message, .. } => return Some(format!("the model failed: {message}")),
    }
    let verdict = &result.verdict;
    let Some(ends_in) = &replayed.ends_in else {
        return Some("its end violates nothing".to_owned());
    };
    // TLC names no conjuncts, and of temporal properties nothing.
    let by_tlc = result.judge == Judge::Tlc;
    let same = match &verdict.property {
        Some(property) => ends_in.property == *property,
        None => by_tlc,
    } && Some(ends_in.kind) == verdict.kind
        && (by_tlc || ends_in.conjunct == verdict.conjunct);
    (!same).then(|| {
        let conjunct = |conjunct: &Option<String>| match conjunct {
            Some(conjunct) => format!(" (its conjunct {conjunct})"),
            None => String::new(),
        };
        format!(
            "it ends in a violation of {}{}, and the result says {}{}",
            ends_in.property,
            conjunct(&ends_in.conjunct),
            verdict.property.as_deref().unwrap_or("nothing"),
            conjunct(&verdict.conjunct)
        )
    })
}
