//! `plumb evidence sign`: who vouches for a bundle.

use std::path::Path;

use plumb_attest::bundle::{Bundle, ENVELOPE, MANIFEST};
use plumb_attest::fault::Code;
use plumb_attest::signature::{self, PrivateKey};
use plumb_attest::store::Store;
use plumb_checker::Registry;

use super::verify;
use crate::arguments::SignArguments;
use crate::error::CliError;
use crate::exit::Status;
use crate::output;
use crate::workspace::Workspace;

/// Signs every bundle of a folder, or none if one of them is not in order.
pub(super) fn run(
    registry: &Registry,
    specs: Option<&Path>,
    arguments: &SignArguments,
) -> Result<Status, CliError> {
    let workspace = Workspace::open(registry, specs)?;
    let folder = super::folder(&workspace, arguments.folder.as_deref())?;
    let pem = super::read_text(&arguments.key)?;
    let key = PrivateKey::from_pem(&pem)
        .map_err(|error| CliError::usage(format!("{}: {error}", arguments.key.display()), None))?;
    let audited = verify::audit(registry, &workspace, arguments.folder.as_deref(), &[])?;
    // A signature of something older is replaced; what is stale or missing is no reason not to sign
    // the rest.
    let allowed = [Code::NotCovered, Code::Signature, Code::Stale];
    let of_bundles = audited.report.audits.iter().flat_map(|audit| &audit.faults);
    let mut faults = audited.report.faults.iter().chain(of_bundles);
    if let Some(fault) = faults.find(|fault| !allowed.contains(&fault.code)) {
        return Err(refused(&folder.join(&fault.file), &fault.message));
    }
    let mut signed = Vec::new();
    for audit in &audited.report.audits {
        let place = match audit.path.is_empty() {
            true => folder.clone(),
            false => folder.join(&audit.path),
        };
        let envelope = envelope(&place, &audit.bundle, &key)?;
        signed.push((place, envelope));
    }
    for (place, envelope) in &signed {
        Store::write_file(place, ENVELOPE, envelope.as_bytes())
            .map_err(|error| CliError::failed(error.to_string(), None))?;
    }
    let bundles = match signed.len() {
        1 => "1 bundle".to_owned(),
        number => format!("{number} bundles"),
    };
    output::print(&format!("Signed {bundles} by {}\n", key.public().id()))?;
    Ok(Status::Expected)
}

fn envelope(place: &Path, bundle: &Bundle, key: &PrivateKey) -> Result<String, CliError> {
    let refuse = |message: String| refused(place, &message);
    let Some(manifest) = bundle.file(MANIFEST) else {
        return Err(refuse("it has no manifest".to_owned()));
    };
    // An envelope of an older manifest is replaced: its signatures are of something else.
    let kept = bundle
        .file(ENVELOPE)
        .filter(|before| signature::verify(before, manifest, &[]).is_ok());
    signature::sign(manifest, key, kept).map_err(|error| refuse(error.to_string()))
}

/// Nothing is signed that an audit finds a fault in.
fn refused(place: &Path, message: &str) -> CliError {
    let hint = "`plumb evidence verify` tells all that is wrong; nothing was signed".to_owned();
    CliError::usage(format!("{}: {message}", place.display()), Some(hint))
}
