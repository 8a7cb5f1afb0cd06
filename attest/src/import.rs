//! Evidence of a run of TLC that Plumb did not start.
//!
//! All that there is of such a run is what it printed. So the verdict is TLC's, and nothing that a
//! later audit reads out of the same log is a second opinion: only a counterexample can be, when the
//! model takes it.

use plumb_checker::ConfiguredModel;
use plumb_checker::specs::Registered;
use plumb_replay::trace::{
    Ending, Format, Header, PlumbWriter, RecordedViolation, TraceError, TraceItem, read,
    write_tlc_text,
};

use crate::digest::sha256;
use crate::freshness::SemanticRecord;
use crate::record::{Counts, Judge, ResultRecord, Subject, TraceRecord, VerdictWord};
use crate::verify::outcome;
use crate::verify::tlc::{is_of_module, read_log};

/// Why a log is no evidence.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// It says nothing: it is none of TLC, is cut, or is of a run that failed.
    #[error("{0}")]
    NoVerdict(String),
    /// It is of a run on something else.
    #[error("it does not say that TLC parsed the module {0}: it is the log of another run")]
    OtherModule(String),
    /// Its trace cannot be read, or written.
    #[error("{0}")]
    Trace(#[from] TraceError),
}

/// What a log says.
#[derive(Debug)]
pub struct Imported {
    /// The result, of which TLC is the judge.
    pub result: ResultRecord,
    /// TLC's exit status, as far as it is known.
    pub exit: Option<i32>,
    /// What TLC says of itself.
    pub version: String,
    /// `trace.jsonl` and `trace.txt`, if there is a counterexample.
    pub trace: Option<(String, String)>,
}

/// Reads what TLC printed of a registered configuration. If its exit status is not known, a log
/// that says that no error was found counts as the one of a run that ended with 0.
///
/// # Errors
///
/// The log comes to no verdict, or has a trace that cannot be read.
pub fn import(
    log: &str,
    exit: Option<i32>,
    entry: &Registered,
    model: &dyn ConfiguredModel,
    semantic: SemanticRecord,
) -> Result<Imported, ImportError> {
    const DONE: &str = "Model checking completed. No error has been found.";
    let exit = exit.or_else(|| log.contains(DONE).then_some(0));
    let found = read_log(log.as_bytes(), exit).map_err(ImportError::NoVerdict)?;
    if !is_of_module(log.as_bytes(), model.module()) {
        return Err(ImportError::OtherModule(model.module().to_owned()));
    }
    let report = &found.report;
    let mut result = ResultRecord::failed(entry, model.module(), semantic, "");
    result.set_subject(Subject::of(model));
    result.judge = Judge::Tlc;
    result.verdict = found.verdict.clone();
    if result.verdict.word != VerdictWord::Assumption {
        let (Some(distinct), Some(generated)) = (report.distinct, report.generated) else {
            let message = "it has no closing counts: it is cut".to_owned();
            return Err(ImportError::NoVerdict(message));
        };
        result.counts = Some(Counts {
            depth: report.depth,
            distinct,
            generated,
            outside: None,
            queue: report.queue.unwrap_or(0),
        });
    }
    let mut trace = None;
    if result.verdict.word == VerdictWord::Violated {
        let items = counterexample(log, entry, model, &result)?;
        let states = items.len() as u64 - 2;
        let back_to = match items.last() {
            Some(TraceItem::End(Ending::BackTo(number, _))) => Some(*number),
            Some(TraceItem::End(Ending::Stuttering)) => Some(states),
            _ => None,
        };
        let mut writer = PlumbWriter::new(Vec::new());
        for item in &items {
            writer.write(item)?;
        }
        let text = String::from_utf8_lossy(&writer.finish()?).into_owned();
        let shown = String::from_utf8_lossy(&write_tlc_text(Vec::new(), &items)?).into_owned();
        result.trace = Some(TraceRecord {
            back_to,
            sha256: sha256(text.as_bytes()),
            states,
        });
        trace = Some((text, shown));
    }
    result.expectation = outcome(&result, entry);
    Ok(Imported {
        result,
        exit,
        version: found.version,
        trace,
    })
}

/// The first behaviour in the log, with a header that says what it is of.
fn counterexample(
    log: &str,
    entry: &Registered,
    model: &dyn ConfiguredModel,
    result: &ResultRecord,
) -> Result<Vec<TraceItem>, ImportError> {
    let header = Header {
        model: Some(entry.model.clone()),
        configuration: Some(entry.name.clone()),
        module: Some(model.module().to_owned()),
        module_digest: Some(result.semantic.module.clone()),
        cfg_digest: Some(result.semantic.cfg.clone()),
        tool: Some("TLC".to_owned()),
        violation: result.verdict.kind.map(|kind| RecordedViolation {
            kind,
            property: result.verdict.property.clone(),
        }),
        ..Header::default()
    };
    let mut items = vec![TraceItem::Header(header)];
    for item in read(log.as_bytes(), "its trace", Some(Format::TlcOutput))? {
        match item? {
            TraceItem::Header(_) => {}
            end @ TraceItem::End(_) => {
                items.push(end);
                return Ok(items);
            }
            step @ TraceItem::Step(_) => items.push(step),
        }
    }
    Err(ImportError::NoVerdict(
        "it says that a property is violated, and has no trace of it".to_owned(),
    ))
}
