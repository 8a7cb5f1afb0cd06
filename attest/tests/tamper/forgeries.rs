//! Forgers who put everything together again, all digests included.

use plumb_attest::fault::Code;
use plumb_attest::record::{CheckpointRecord, Judge, NeverTaken, VerdictWord};
use plumb_attest::verify::{Audit, Basis, Status, repeat};
use plumb_checker::{PropertyKind, Purpose};

use crate::bundles::{Parts, audit, audit_in, honest};
use crate::forgeries_of_logs::OF_LOGS;
use crate::forgeries_of_traces::OF_TRACES;

/// What has to become of a forgery.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Caught {
    /// It is a fault of this kind.
    As(Code),
    /// Nobody could tell but by repeating the check: this claim is only asserted.
    Asserted(&'static str),
}

use Caught::{As, Asserted};

pub(crate) type Forgery = (&'static str, &'static str, Caught, fn(&mut Parts));

const FORGERIES: &[Forgery] = &[
    (
        "a violation is called exhausted",
        "violated",
        As(Code::Inconsistent),
        |parts| {
            parts.result.verdict.word = VerdictWord::Exhausted;
        },
    ),
    (
        "a violation is dressed as exhausted",
        "violated",
        As(Code::Expectation),
        |parts| {
            let verdict = &mut parts.result.verdict;
            verdict.word = VerdictWord::Exhausted;
            (verdict.property, verdict.kind, verdict.conjunct) = (None, None, None);
            parts.result.trace = None;
            parts.attachments.trace = None;
            parts.attachments.trace_text = None;
            if let Some(counts) = &mut parts.result.counts {
                counts.queue = 0;
            }
        },
    ),
    (
        "an exhausted search is called violated",
        "exhausted",
        As(Code::Inconsistent),
        |parts| {
            parts.result.verdict.word = VerdictWord::Violated;
            parts.result.verdict.property = Some("TypeOK".to_owned());
            parts.result.verdict.kind = Some(PropertyKind::Invariant);
        },
    ),
    (
        "another property is violated",
        "violated",
        As(Code::Inconsistent),
        |parts| {
            parts.result.verdict.property = Some("Nonsense".to_owned());
        },
    ),
    (
        "another conjunct is violated",
        "violated",
        As(Code::Trace),
        |parts| {
            parts.result.verdict.conjunct = Some("Nonsense".to_owned());
        },
    ),
    (
        "another kind of property is violated",
        "violated",
        As(Code::Inconsistent),
        |parts| {
            parts.result.verdict.kind = Some(PropertyKind::Step);
        },
    ),
    (
        "another assumption is false",
        "assumption",
        As(Code::Inconsistent),
        |parts| {
            parts.result.verdict.property = Some("TypeOK".to_owned());
        },
    ),
    (
        "one count is another",
        "exhausted",
        As(Code::Inconsistent),
        |parts| {
            parts.result.counts.as_mut().unwrap().distinct += 1;
        },
    ),
    (
        "counts and levels are others",
        "exhausted",
        As(Code::Expectation),
        |parts| {
            let counts = parts.result.counts.as_mut().unwrap();
            (counts.distinct, counts.generated) = (counts.distinct + 1, counts.generated + 1);
            parts.result.levels[1] += 1;
            *parts.result.actions.values_mut().next().unwrap() += 1;
        },
    ),
    (
        "states are left",
        "exhausted",
        As(Code::Inconsistent),
        |parts| {
            parts.result.counts.as_mut().unwrap().queue = 1;
        },
    ),
    (
        "the depth is another",
        "exhausted",
        As(Code::Inconsistent),
        |parts| {
            parts.result.counts.as_mut().unwrap().depth = Some(7);
        },
    ),
    (
        "a level moves to another",
        "exhausted",
        As(Code::Inconsistent),
        |parts| {
            parts.result.levels[0] -= 1;
        },
    ),
    (
        "states move from one level to another",
        "cross-checked",
        Asserted("levels and actions"),
        |parts| {
            parts.result.levels[2] += 1;
            parts.result.levels[3] -= 1;
        },
    ),
    (
        "steps move from one action to another",
        "cross-checked",
        Asserted("levels and actions"),
        |parts| {
            let mut counts = parts.result.actions.values_mut();
            *counts.next().unwrap() += 1;
            *counts.next().unwrap() -= 1;
        },
    ),
    (
        "an action was taken after all",
        "exhausted",
        As(Code::Inconsistent),
        |parts| {
            parts.result.never_taken.clear();
        },
    ),
    (
        "a reason is invented",
        "exhausted",
        As(Code::Inconsistent),
        |parts| {
            parts.result.never_taken[0].reason = Some("so it is".to_owned());
        },
    ),
    (
        "an action is never taken that was",
        "cross-checked",
        As(Code::Inconsistent),
        |parts| {
            let action = parts.result.actions.keys().next().unwrap().clone();
            parts.result.never_taken.push(NeverTaken {
                action,
                reason: None,
            });
        },
    ),
    (
        "an action that was taken has the count 0",
        "cross-checked",
        As(Code::Inconsistent),
        |parts| {
            *parts.result.actions.values_mut().next().unwrap() = 0;
        },
    ),
    (
        "a constant has another value",
        "exhausted",
        As(Code::Inconsistent),
        |parts| {
            parts.result.constants[0].value = "99".to_owned();
        },
    ),
    (
        "a property was checked that was not",
        "exhausted",
        As(Code::Inconsistent),
        |parts| {
            let mut more = parts.result.properties[0].clone();
            more.name = "Everything".to_owned();
            parts.result.properties.push(more);
        },
    ),
    (
        "states are outside of no constraint",
        "cross-checked",
        As(Code::Inconsistent),
        |parts| {
            parts.result.counts.as_mut().unwrap().outside = Some(1);
        },
    ),
    (
        "an action has another name",
        "cross-checked",
        As(Code::Inconsistent),
        |parts| {
            let (_, count) = parts.result.actions.pop_first().unwrap();
            parts.result.actions.insert("Invented".to_owned(), count);
        },
    ),
    (
        "an action is said to be never taken before a violation",
        "lasso",
        As(Code::Inconsistent),
        |parts| {
            parts.result.never_taken.push(NeverTaken {
                action: "Grant".to_owned(),
                reason: Some("forged".to_owned()),
            });
        },
    ),
    (
        "the entry has a remark that the registry has not",
        "exhausted",
        As(Code::Stale),
        |parts| parts.sources.entry.push_str("# looked at by somebody\n"),
    ),
    (
        "a search took longer than there was time",
        "exhausted",
        As(Code::Schema),
        |parts| parts.run.milliseconds = 1_000_000_000,
    ),
    (
        "a time that is none",
        "exhausted",
        As(Code::Schema),
        |parts| parts.run.started = "2026-01-01".to_owned(),
    ),
    (
        "a constraint is left out or invented",
        "exhausted",
        As(Code::Inconsistent),
        |parts| {
            parts.result.constraints.push("Bound".to_owned());
        },
    ),
    (
        "another specification",
        "exhausted",
        As(Code::Inconsistent),
        |parts| {
            parts.result.specification = "Other".to_owned();
        },
    ),
    (
        "deadlock was reported",
        "exhausted",
        As(Code::Inconsistent),
        |parts| {
            parts.result.deadlock = true;
        },
    ),
    ("another purpose", "violated", As(Code::Sources), |parts| {
        parts.result.purpose = Purpose::Witness;
    }),
    (
        "another module name",
        "exhausted",
        As(Code::Inconsistent),
        |parts| {
            parts.result.module = "Other".to_owned();
        },
    ),
    (
        "it says that it was not expected",
        "exhausted",
        As(Code::Inconsistent),
        |parts| {
            parts.result.expectation.outcome = "unexpected".to_owned();
        },
    ),
    (
        "a looser expectation",
        "exhausted",
        As(Code::Stale),
        |parts| {
            let text = &mut parts.sources.entry;
            *text = text.replace("distinct = 30, ", "");
        },
    ),
    (
        "another module with right digests",
        "exhausted",
        As(Code::Stale),
        |parts| {
            parts.sources.module.push_str("\n\\* more\n");
        },
    ),
    (
        "another cfg with right digests",
        "exhausted",
        As(Code::Stale),
        |parts| {
            parts.sources.cfg.push_str("\n\\* more\n");
        },
    ),
    (
        "other Rust sources",
        "exhausted",
        As(Code::Stale),
        |parts| {
            parts.result.semantic.model = Some("0".repeat(64));
        },
    ),
    ("another explorer", "exhausted", As(Code::Stale), |parts| {
        parts.result.semantic.engine = Some("0".repeat(64));
    }),
    ("other versions", "exhausted", As(Code::Stale), |parts| {
        parts.result.semantic.locked = Some("0".repeat(64));
    }),
    (
        "no Rust sources at all",
        "exhausted",
        As(Code::Stale),
        |parts| {
            parts.result.semantic.model = None;
            parts.attachments.rust = None;
        },
    ),
    ("no trace", "violated", As(Code::Inconsistent), |parts| {
        parts.result.trace = None;
        parts.attachments.trace = None;
        parts.attachments.trace_text = None;
    }),
    (
        "TLC counted otherwise",
        "cross-checked",
        As(Code::TlcLog),
        |parts| {
            let log = parts.attachments.tlc_log.as_mut().unwrap();
            *log = log.replace("144 distinct", "145 distinct");
        },
    ),
    (
        "TLC had not ended",
        "cross-checked",
        As(Code::TlcLog),
        |parts| {
            let log = parts.attachments.tlc_log.as_mut().unwrap();
            *log = log.replace("Model checking completed. No error has been found.", "");
        },
    ),
    (
        "TLC's log is of another module",
        "cross-checked",
        As(Code::TlcLog),
        |parts| {
            let log = parts.attachments.tlc_log.as_mut().unwrap();
            *log = log.replace("ClaimScopedWorker", "OtherModule");
        },
    ),
    (
        "TLC's log is of another search",
        "exhausted",
        As(Code::TlcLog),
        |parts| {
            let other = &honest()["cross-checked"];
            parts
                .attachments
                .tlc_log
                .clone_from(&other.attachments.tlc_log);
            parts.run.tlc.clone_from(&other.run.tlc);
        },
    ),
    ("TLC failed", "cross-checked", As(Code::TlcLog), |parts| {
        parts.run.tlc.as_mut().unwrap().exit = Some(255);
    }),
    (
        "a log, and no TLC that ran",
        "cross-checked",
        As(Code::TlcLog),
        |parts| {
            parts.run.tlc = None;
        },
    ),
    (
        "TLC ran, and there is no log",
        "cross-checked",
        As(Code::MissingFile),
        |parts| {
            parts.attachments.tlc_log = None;
        },
    ),
    (
        "no log and no TLC",
        "cross-checked",
        Asserted("verdict"),
        |parts| {
            parts.attachments.tlc_log = None;
            parts.run.tlc = None;
        },
    ),
    (
        "TLC is said to have judged",
        "exhausted",
        As(Code::Inconsistent),
        |parts| {
            parts.result.judge = Judge::Tlc;
        },
    ),
    (
        "a checkpoint of a search that ended",
        "exhausted",
        As(Code::Inconsistent),
        |parts| {
            parts.result.checkpoint = Some(CheckpointRecord {
                files: Vec::new(),
                resumed: false,
            });
        },
    ),
    (
        "an unfinished search is called exhausted",
        "inconclusive",
        As(Code::Inconsistent),
        |parts| {
            parts.result.verdict.word = VerdictWord::Exhausted;
            parts.result.verdict.reason = None;
        },
    ),
    (
        "an unfinished search is dressed as exhausted",
        "inconclusive",
        As(Code::Expectation),
        |parts| {
            parts.result.verdict.word = VerdictWord::Exhausted;
            parts.result.verdict.reason = None;
            parts.result.counts.as_mut().unwrap().queue = 0;
        },
    ),
    (
        "the set-up failed",
        "exhausted",
        As(Code::NoVerdict),
        |parts| {
            parts.result.verdict.word = VerdictWord::Error;
            parts.result.verdict.reason = Some("the set-up failed".to_owned());
            parts.result.counts = None;
            parts.result.levels.clear();
            parts.result.actions.clear();
            parts.result.never_taken.clear();
        },
    ),
    (
        "it ended before it began",
        "exhausted",
        As(Code::Schema),
        |parts| {
            parts.run.ended = "2025-01-01T00:00:00Z".to_owned();
        },
    ),
    ("another format", "exhausted", As(Code::Schema), |parts| {
        parts.result.format = "plumb-evidence-result/2".to_owned();
    }),
    (
        "another format of the run",
        "exhausted",
        As(Code::Schema),
        |parts| {
            parts.run.format = "plumb-evidence-run/0".to_owned();
        },
    ),
    (
        "a level so large that the sum overflows",
        "exhausted",
        As(Code::Inconsistent),
        |parts| {
            parts.result.levels[0] = u64::MAX;
            parts.result.levels[1] = u64::MAX;
        },
    ),
    ("times and machine", "exhausted", Asserted("run"), |parts| {
        parts.run.machine = "a faster one".to_owned();
    }),
];

fn basis(audit: &Audit, wanted: &str) -> Option<Basis> {
    let mut claims = audit.claims.iter().filter(|claim| claim.claim == wanted);
    claims.next().map(|claim| claim.basis)
}

#[test]
fn every_forgery_is_caught_or_only_asserted() {
    let honest = honest();
    for (what, parts) in &honest {
        let audit = audit(parts);
        assert_eq!(audit.status, Status::Valid, "{what}: {:?}", audit.faults);
    }
    let mut faults = Vec::new();
    let forgeries = || FORGERIES.iter().chain(OF_LOGS).chain(OF_TRACES);
    for (what, of, caught, forge) in forgeries() {
        let before = &honest[of];
        let mut forged = before.clone();
        forge(&mut forged);
        forged.settle();
        // The forger keeps the expectation's outcome right where there is one to be kept.
        let audit = audit(&forged);
        let codes: Vec<Code> = audit.faults.iter().map(|fault| fault.code).collect();
        let right = match caught {
            As(Code::Stale) => audit.status != Status::Valid && codes.contains(&Code::Stale),
            As(code) => audit.status == Status::Invalid && codes.contains(code),
            Asserted(claim) => {
                audit.status == Status::Valid && basis(&audit, claim) == Some(Basis::Asserted)
            }
        };
        if !right {
            faults.push(format!(
                "{what}: expected {caught:?}, found {:?}",
                audit.faults
            ));
        }
        // Whatever it is: the check run again tells it from the true result, if it is in there.
        if forged.result != before.result {
            let mut again = audit;
            repeat(&mut again, &before.result);
            let codes = again.faults.iter().map(|fault| fault.code);
            if !codes.into_iter().any(|code| code == Code::Repetition) {
                faults.push(format!("{what}: a repetition does not tell"));
            }
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let asserted = forgeries().filter(|(_, _, caught, _)| matches!(caught, Asserted(_)));
    let (all, asserted) = (forgeries().count(), asserted.count());
    println!(
        "{all} forgeries with right digests: {} caught, {asserted} told as only asserted",
        all - asserted
    );
}

#[test]
fn a_bundle_in_the_folder_of_another_configuration_is_misplaced() {
    let parts = &honest()["exhausted"];
    let audit = audit_in("service", "ServiceDynamic", parts.assemble(), &[]);
    let codes: Vec<Code> = audit.faults.iter().map(|fault| fault.code).collect();
    assert_eq!(codes, [Code::Misplaced]);
}

#[test]
fn an_honest_repetition_makes_assertions_known() {
    let parts = &honest()["exhausted"];
    let mut audit = audit(parts);
    assert_eq!(basis(&audit, "verdict"), Some(Basis::Asserted));
    repeat(&mut audit, &parts.result);
    assert_eq!(basis(&audit, "verdict"), Some(Basis::Recomputed));
    assert_eq!(basis(&audit, "run"), Some(Basis::Asserted));
    assert_eq!(audit.status, Status::Valid);
}

#[test]
fn how_a_verdict_is_known_depends_on_what_is_there() {
    let wanted = [
        ("exhausted", Basis::Asserted),
        ("cross-checked", Basis::CrossChecked),
        ("violated", Basis::Recomputed),
        ("witness", Basis::Recomputed),
        ("lasso", Basis::Recomputed),
        ("assumption", Basis::Recomputed),
        ("inconclusive", Basis::NotChecked),
    ];
    let honest = honest();
    for (kind, known) in wanted {
        let audit = audit(&honest[kind]);
        assert_eq!(
            basis(&audit, "verdict"),
            Some(known),
            "{kind}: {:?}",
            audit.faults
        );
    }
}
