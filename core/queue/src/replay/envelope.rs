//! The byte envelope: what was begun can always be brought to an end (section 9).

use crate::reject::{Rejection, ensure};
use crate::wire::Operation;
use crate::wire::operation::OperationKind as Op;

use super::Step;

impl Step<'_> {
    pub(super) fn check_envelope(&self) -> Result<(), Rejection> {
        let Some(installed) = self.state.installed() else {
            return Ok(());
        };
        let limits = &installed.policy.limits;
        let (ledger, recovery) = (limits.ledger_bytes.get(), limits.recovery_bytes.get());
        let totals = self.state.totals;
        let all = ledger + recovery;
        ensure!(
            totals.ledger <= all,
            LedgerLimit,
            "the log would have {} bytes, and {all} are allowed",
            totals.ledger
        );
        ensure!(
            totals.reserve <= all - totals.ledger,
            LedgerLimit,
            "{} bytes are needed to bring everything to an end, and {} would be left",
            totals.reserve,
            all - totals.ledger
        );
        let has = |kinds: &[Op]| {
            self.commit
                .operations
                .iter()
                .map(Operation::kind)
                .any(|kind| kinds.contains(&kind))
        };
        let admits = has(&[Op::Work, Op::Claim]);
        ensure!(
            totals.ledger <= ledger
                || !(admits || has(&[Op::Observation, Op::IssueLink, Op::IssueComment])),
            LedgerLimit,
            "the log would have {} bytes, and {ledger} are allowed for such commits",
            totals.ledger
        );
        ensure!(
            !admits || totals.reserve <= recovery,
            LedgerLimit,
            "{} bytes would be needed to bring everything to an end, and {recovery} are set aside",
            totals.reserve
        );
        Ok(())
    }
}
