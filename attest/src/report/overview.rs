//! All bundles in a few lines.

use super::claim::grouped;
use crate::record::{Judge, VerdictWord};
use crate::verify::{Audit, AuditReport, Basis, Status};

/// How good the news is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tone {
    /// All is in order, and something is shown.
    Good,
    /// Nothing is wrong, and something is missing: it is stale, or did not come to its end.
    Lacking,
    /// Something is wrong.
    Bad,
}

impl Tone {
    /// A word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Lacking => "lacking",
            Self::Bad => "bad",
        }
    }
}

/// The tone of one bundle.
#[must_use]
pub fn tone(audit: &Audit) -> Tone {
    match audit.status {
        Status::Invalid => Tone::Bad,
        Status::Stale => Tone::Lacking,
        Status::Valid if is_unfinished(audit) => Tone::Lacking,
        Status::Valid => Tone::Good,
    }
}

/// Whether the bundle is of a search that did not come to its end.
#[must_use]
pub fn is_unfinished(audit: &Audit) -> bool {
    let word = audit.result.as_ref().map(|result| result.verdict.word);
    word == Some(VerdictWord::Inconclusive)
}

/// What a reader is told first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Overview {
    /// How good the news is.
    pub tone: Tone,
    /// The news.
    pub headline: String,
    /// Numbers of bundles, in sentences.
    pub counts: Vec<String>,
}

/// All bundles in a few lines.
#[must_use]
pub fn overview(report: &AuditReport) -> Overview {
    let audits = &report.audits;
    let count = |wanted: &dyn Fn(&Audit) -> bool| {
        let number = audits.iter().filter(|audit| wanted(audit)).count();
        u64::try_from(number).unwrap_or(u64::MAX)
    };
    let status = |wanted: Status| count(&|audit| audit.status == wanted);
    let unfinished = count(&|audit| audit.status != Status::Invalid && is_unfinished(audit));
    let headline = match report.status() {
        Status::Invalid => "Something is wrong: see below.".to_owned(),
        Status::Stale => "Some bundles are of sources that have changed since.".to_owned(),
        Status::Valid => match unfinished {
            0 => "Every bundle is valid.".to_owned(),
            1 => "Every bundle is valid, but one search did not come to its end and shows nothing."
                .to_owned(),
            number => format!(
                "Every bundle is valid, but {} searches did not come to their ends and show nothing.",
                grouped(number)
            ),
        },
    };
    let worst = audits.iter().map(tone).max().unwrap_or(Tone::Good);
    let tone = match report.faults.is_empty() {
        true => worst,
        false => Tone::Bad,
    };
    // What is invalid claims nothing, so that there is nothing to be known.
    let known = |wanted: Basis| {
        count(&|audit| audit.status != Status::Invalid && audit.basis_of_verdict() == Some(wanted))
    };
    let by_tlc = count(&|audit| {
        let judge = audit.result.as_ref().map(|result| result.judge);
        audit.status != Status::Invalid
            && judge == Some(Judge::Tlc)
            && audit.basis_of_verdict() == Some(Basis::Asserted)
    });
    let signed = |verified: bool| {
        count(&|audit| {
            let any = audit.signatures.iter().any(|by| by.verified);
            !audit.signatures.is_empty() && any == verified
        })
    };
    let total = count(&|_| true);
    let mut counts = vec![sentence(
        "Bundles",
        &[
            (total, "in all"),
            (status(Status::Valid), "valid"),
            (status(Status::Stale), "stale"),
            (status(Status::Invalid), "invalid"),
        ],
    )];
    counts.push(sentence(
        "Verdicts",
        &[
            (known(Basis::Recomputed), "recomputed"),
            (known(Basis::CrossChecked), "cross-checked with TLC"),
            (known(Basis::Asserted) - by_tlc, "only asserted"),
            (by_tlc, "asserted by TLC's log alone"),
            (unfinished, "of searches without an end"),
        ],
    ));
    counts.push(sentence(
        "Signatures",
        &[
            (signed(true), "by a key that was given"),
            (
                signed(false),
                "by a key that was not given, and so not verified",
            ),
            (count(&|audit| audit.signatures.is_empty()), "without one"),
        ],
    ));
    Overview {
        tone,
        headline,
        counts,
    }
}

/// The numbers that are not zero.
fn sentence(subject: &str, numbers: &[(u64, &str)]) -> String {
    let numbers = numbers.iter().filter(|(number, _)| *number > 0);
    let numbers: Vec<String> = numbers
        .map(|(number, what)| format!("{} {what}", grouped(*number)))
        .collect();
    match numbers.is_empty() {
        true => format!("{subject}: none."),
        false => format!("{subject}: {}.", numbers.join(", ")),
    }
}
