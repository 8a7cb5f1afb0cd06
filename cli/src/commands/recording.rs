//! Behaviours that Plumb found, written down in its own format.

use plumb_checker::{ActionLabel, Lasso, PropertyKind, TraceStep};
use plumb_replay::replay::digest;
use plumb_replay::trace::{
    Ending, Header, PlumbWriter, RecordedLabel, RecordedStep, RecordedViolation, TraceError,
    TraceItem, write_itf, write_tlc_text,
};
use plumb_tla::State;

use crate::error::CliError;
use crate::workspace::{Configuration, Workspace};

/// What a file says of a behaviour of this configuration.
pub(crate) fn header(
    workspace: &Workspace<'_>,
    configuration: &Configuration,
    violation: Option<(PropertyKind, &str)>,
    seed: Option<u64>,
) -> Result<Header, CliError> {
    let model = configuration.model.as_ref();
    Ok(Header {
        model: Some(model.name().to_owned()),
        // A cfg of the user's own is known by its digest alone.
        configuration: configuration
            .registered
            .as_ref()
            .map(|_| configuration.name.clone()),
        module: Some(model.module().to_owned()),
        module_digest: Some(digest(workspace.module(model)?.as_bytes())),
        cfg_digest: Some(digest(configuration.text.as_bytes())),
        tool: Some(concat!("plumb ", env!("CARGO_PKG_VERSION")).to_owned()),
        seed,
        violation: violation.map(|(kind, property)| RecordedViolation {
            kind,
            property: Some(property.to_owned()),
        }),
        ..Header::default()
    })
}

/// How a state was reached.
fn label(action: Option<&ActionLabel>) -> RecordedLabel {
    match action {
        None => RecordedLabel::Initial,
        Some(action) => RecordedLabel::Action {
            name: action.name.to_owned(),
            parameters: Some(action.parameters.clone()),
        },
    }
}

/// A state of a behaviour, the one of this number.
pub(crate) fn step(number: u64, action: Option<&ActionLabel>, state: State) -> TraceItem {
    TraceItem::Step(RecordedStep {
        number,
        line: 0,
        label: label(action),
        state,
    })
}

/// A counterexample from its first item to its last.
pub(crate) fn counterexample(
    header: Header,
    trace: &[TraceStep],
    lasso: Option<&(Lasso, Option<ActionLabel>)>,
) -> Vec<TraceItem> {
    let mut items = vec![TraceItem::Header(header)];
    let states = (1..).zip(trace);
    items.extend(states.map(|(number, at)| step(number, at.action.as_ref(), at.state.clone())));
    items.push(TraceItem::End(match lasso {
        None => Ending::Open,
        Some((Lasso::Stuttering, _)) => Ending::Stuttering,
        Some((Lasso::BackTo(number), action)) => {
            let by = action.as_ref();
            let by = by.map_or(RecordedLabel::Unlabelled, |action| label(Some(action)));
            Ending::BackTo(*number as u64, by)
        }
    }));
    items
}

/// A format that a behaviour can be written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Written {
    /// Plumb's own.
    Plumb,
    /// The Informal Trace Format.
    Itf,
    /// What TLC prints.
    Tlc,
}

/// The items of one behaviour as a file.
pub(crate) fn file(items: &[TraceItem], format: Written) -> Result<String, CliError> {
    let write = || -> Result<Vec<u8>, TraceError> {
        match format {
            Written::Itf => write_itf(Vec::new(), items),
            Written::Tlc => write_tlc_text(Vec::new(), items),
            Written::Plumb => {
                let mut writer = PlumbWriter::new(Vec::new());
                for item in items {
                    writer.write(item)?;
                }
                writer.finish()
            }
        }
    };
    let written = write().map_err(|error| CliError::failed(error.to_string(), None))?;
    let text = String::from_utf8(written);
    text.map_err(|error| CliError::failed(format!("the trace is no text: {error}"), None))
}
