//! A check, run again.

use crate::bundle::RESULT;
use crate::fault::{Code, Fault};
use crate::record::ResultRecord;
use crate::spelling;
use crate::verify::{Audit, Basis, Claim, Status};

/// Adds to an audit that the check was run again, with this result: byte for byte it has to be the
/// one of the bundle. What only the bundle said is then recomputed.
pub fn repeat(audit: &mut Audit, again: &ResultRecord) {
    let text = spelling::write(again);
    if audit.bundle.file(RESULT) == Some(text.as_bytes()) {
        let claims = audit.claims.iter_mut();
        for claim in claims.filter(|claim| claim.claim != "run" && claim.claim != "signature") {
            if matches!(claim.basis, Basis::Asserted | Basis::CrossChecked) {
                let how = match claim.basis {
                    Basis::CrossChecked => {
                        "the check was run again here; and TLC's log says the same"
                    }
                    _ => "the check was run again here, with the same result",
                };
                claim.basis = Basis::Recomputed;
                how.clone_into(&mut claim.how);
            }
        }
        audit.claims.push(Claim {
            basis: Basis::Recomputed,
            claim: "repetition",
            how: "result.json is the same, byte for byte".to_owned(),
        });
        return;
    }
    let place = super::integrity::path(&audit.path, RESULT);
    let message = match &audit.result {
        Some(before) => format!(
            "run again, the check gives another result: {}",
            differing_members(before, again).join(", ")
        ),
        None => "run again, the check gives a result, and here is none".to_owned(),
    };
    audit
        .faults
        .push(Fault::new(Code::Repetition, place, message));
    audit.faults.sort();
    audit.status = Status::Invalid;
}

/// The members of `result.json` that differ.
fn differing_members(before: &ResultRecord, again: &ResultRecord) -> Vec<String> {
    let members = |record: &ResultRecord| match serde_json::to_value(record) {
        Ok(serde_json::Value::Object(members)) => members,
        _ => serde_json::Map::new(),
    };
    let (before, again) = (members(before), members(again));
    let keys = before
        .keys()
        .filter(|key| before.get(*key) != again.get(*key));
    keys.cloned().collect()
}
