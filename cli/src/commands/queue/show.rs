//! What a log says, for people and for programs.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use owo_colors::OwoColorize;
use plumb_queue::explain::explain as explanation;
use plumb_queue::state::State;
use plumb_queue::state::records::WorkRecord;
use plumb_queue::wire::operation::OperationKind;
use plumb_queue::wire::scalar::{RequestId, Timestamp, WorkId};
use plumb_queue::writer::room_for_grant;
use serde_json::{Value, json};

use super::arguments::{ExplainArguments, LogArguments, TraceArguments};
use super::read::Source;
use crate::error::CliError;
use crate::exit::Status;
use crate::output::{self, grouped};

/// Prints a table with a bold header, or one JSON object.
fn print<const N: usize>(header: [&str; N], rows: Vec<[String; N]>) -> Result<(), CliError> {
    let mut text = String::new();
    for (number, line) in output::table(header, rows, 0..0).into_iter().enumerate() {
        let _ = if number == 0 {
            writeln!(text, "{}", line.bold())
        } else {
            writeln!(text, "{line}")
        };
    }
    output::print(&text)
}

fn tip(state: &State) -> &str {
    state.tip().map_or("none", |tip| tip.as_str())
}

fn epoch(state: &State) -> &str {
    state
        .installed()
        .map_or("none", |installed| installed.epoch.as_str())
}

/// An id that is a digest is shown by its beginning, where nothing else has to be found by it.
fn short(id: &str) -> String {
    id.chars().take(16).collect()
}

/// `plumb queue replay`.
pub(crate) fn replay(arguments: &LogArguments) -> Result<Status, CliError> {
    let source = Source::open(&arguments.log)?;
    let state = source.state()?;
    if arguments.json {
        output::print_json(&json!({
            "commits": state.ordinal(), "tip": tip(&state), "policy_epoch": epoch(&state),
            "bytes": source.len(),
        }))?;
        return Ok(Status::Expected);
    }
    let commits = grouped(state.ordinal());
    let bytes = grouped(source.len() as u64);
    output::print(&format!(
        "{commits} commits, {bytes} bytes: the log holds.\nTip {}, epoch {}.\n",
        tip(&state),
        epoch(&state)
    ))?;
    Ok(Status::Expected)
}

/// Works by what became of them.
fn counts(state: &State) -> BTreeMap<String, u64> {
    let mut counts = BTreeMap::new();
    for (_, work) in state.works() {
        let name = match work.state.barrier_name() {
            "none" => work.state.name().to_owned(),
            barrier => format!("{}, {barrier}", work.state.name()),
        };
        *counts.entry(name).or_default() += 1;
    }
    counts
}

/// `plumb queue stats`.
pub(crate) fn stats(arguments: &LogArguments) -> Result<Status, CliError> {
    let source = Source::open(&arguments.log)?;
    let log = source.log()?;
    let mut operations: BTreeMap<OperationKind, u64> = BTreeMap::new();
    let state = log
        .replay(|commit, _| {
            for operation in &commit.operations {
                *operations.entry(operation.kind()).or_default() += 1;
            }
        })
        .map_err(|error| source.refused(&error))?;
    let totals = state.totals();
    let limits = state.installed().map(|installed| &installed.policy.limits);
    let ledger_limit = limits.map_or(0, |limits| limits.ledger_bytes.get());
    let recovery = limits.map_or(0, |limits| limits.recovery_bytes.get());
    if arguments.json {
        let operations: serde_json::Map<String, Value> = operations
            .iter()
            .map(|(kind, count)| (kind.to_string(), json!(count)))
            .collect();
        output::print_json(&json!({
            "commits": state.ordinal(), "operations": operations, "works": counts(&state),
            "claims": totals.claims, "unreleased_dispatches": totals.unreleased,
            "ledger_bytes": totals.ledger, "ledger_limit": ledger_limit,
            "reserve_bytes": totals.reserve, "reserve_limit": recovery,
            "room_for_grant": room_for_grant(&state),
        }))?;
        return Ok(Status::Expected);
    }
    let mut rows = vec![["commits".to_owned(), grouped(state.ordinal())]];
    let counted = operations
        .iter()
        .map(|(kind, count)| [format!("- {kind}"), grouped(*count)]);
    rows.extend(counted);
    let works = counts(&state);
    rows.push(["Works".to_owned(), grouped(works.values().sum())]);
    rows.extend(
        works
            .iter()
            .map(|(name, count)| [format!("- {name}"), grouped(*count)]),
    );
    rows.push(["Claims ever granted".to_owned(), grouped(totals.claims)]);
    rows.push([
        "Dispatches not released".to_owned(),
        grouped(totals.unreleased),
    ]);
    let of = |used: u64, limit: u64| format!("{} of {}", grouped(used), grouped(limit));
    rows.push([
        "bytes of the log".to_owned(),
        of(totals.ledger, ledger_limit),
    ]);
    rows.push(["bytes reserved".to_owned(), of(totals.reserve, recovery)]);
    let room = if room_for_grant(&state) {
        "yes"
    } else {
        "no: Works must be cancelled, or a checkpoint made, first"
    };
    rows.push(["room for a grant".to_owned(), room.to_owned()]);
    print(["WHAT", "HOW MUCH"], rows)?;
    Ok(Status::Expected)
}

/// Works in the order in which they came.
fn in_order(state: &State) -> Vec<(&WorkId, &WorkRecord)> {
    let mut works: Vec<_> = state.works().collect();
    works.sort_by_key(|(_, work)| work.position);
    works
}

/// `plumb queue state`.
pub(crate) fn state(arguments: &LogArguments) -> Result<Status, CliError> {
    let state = Source::open(&arguments.log)?.state()?;
    let works = in_order(&state);
    let mut dispatches: Vec<_> = state.dispatches().collect();
    dispatches.sort_by_key(|(id, _)| *id);
    if arguments.json {
        let works = works.iter().map(|(id, work)| {
            json!({
                "work_id": id.as_str(), "graph_id": work.work.graph_id.as_str(),
                "node_key": work.work.node_key.as_str(), "pool": work.work.pool.as_str(),
                "priority": work.priority.get(), "fairness_key": work.work.fairness_key.as_str(),
                "state": work.state.name(), "barrier": work.state.barrier_name(),
                "attempts": work.attempts, "retry_not_before": work.retry_not_before.get(),
            })
        });
        let works: Vec<_> = works.collect();
        let dispatches = dispatches.iter().map(|(id, dispatch)| {
            json!({
                "dispatch_id": id.as_str(), "pool": dispatch.pool.as_str(),
                "state": dispatch.state.as_str(), "released": dispatch.release.is_some(),
                "claims": dispatch.claims.len(),
                "run_id": dispatch.run.as_ref().map(|run| run.run_id.as_str()),
            })
        });
        output::print_json(&json!({
            "tip": tip(&state), "policy_epoch": epoch(&state),
            "admission_paused": state.admission_paused(), "grants_paused": state.grants_paused(),
            "works": works, "dispatches": dispatches.collect::<Vec<_>>(),
        }))?;
        return Ok(Status::Expected);
    }
    let rows = works.iter().map(|(id, work)| {
        [
            short(id.as_str()),
            work.work.node_key.to_string(),
            work.work.pool.to_string(),
            work.priority.to_string(),
            format!("\"{}\"", work.work.fairness_key),
            work.state.name().to_owned(),
            work.state.barrier_name().to_owned(),
            work.attempts.to_string(),
        ]
    });
    let header = [
        "WORK", "NODE", "POOL", "PRIORITY", "ACCOUNT", "STATE", "BARRIER", "ATTEMPTS",
    ];
    print(header, rows.collect())?;
    if !dispatches.is_empty() {
        output::print("\n")?;
        let rows = dispatches.iter().map(|(id, dispatch)| {
            [
                id.to_string(),
                dispatch.state.to_string(),
                dispatch.claims.len().to_string(),
                dispatch
                    .run
                    .as_ref()
                    .map_or("-".to_owned(), |run| run.run_id.to_string()),
                if dispatch.release.is_some() {
                    "yes"
                } else {
                    "no"
                }
                .to_owned(),
            ]
        });
        print(
            ["DISPATCH", "STATE", "CLAIMS", "RUN", "RELEASED"],
            rows.collect(),
        )?;
    }
    let paused = match (state.admission_paused(), state.grants_paused()) {
        (false, false) => return Ok(Status::Expected),
        (true, false) => "Admission is paused.",
        (false, true) => "Grants are paused.",
        (true, true) => "Admission and grants are paused.",
    };
    output::print(&format!("\n{paused}\n"))?;
    Ok(Status::Expected)
}

/// `plumb queue inspect`.
pub(crate) fn inspect(arguments: &LogArguments) -> Result<Status, CliError> {
    let source = Source::open(&arguments.log)?;
    let mut rows = Vec::new();
    let mut objects = Vec::new();
    let replayed = source.log()?.replay(|commit, _| {
        let mut kinds: BTreeMap<OperationKind, usize> = BTreeMap::new();
        for operation in &commit.operations {
            *kinds.entry(operation.kind()).or_default() += 1;
        }
        if arguments.json {
            objects.push(json!({
                "id": commit.id.as_str(), "at": commit.at.get(),
                "role": commit.actor.role.as_str(), "principal": commit.actor.principal.as_str(),
                "request_id": commit.request.id.as_str(), "kind": commit.request.kind.as_str(),
                "operations": commit.operations.len(),
            }));
            return;
        }
        let kinds = kinds.iter().map(|(kind, count)| match count {
            1 => kind.to_string(),
            count => format!("{count} {kind}"),
        });
        rows.push([
            commit.id.as_str().chars().take(18).collect(),
            commit.at.to_string(),
            commit.actor.role.to_string(),
            commit.request.kind.to_string(),
            kinds.collect::<Vec<_>>().join(", "),
        ]);
    });
    replayed.map_err(|error| source.refused(&error))?;
    if arguments.json {
        output::print_json(&json!({ "commits": objects }))?;
    } else {
        print(["COMMIT", "AT", "ROLE", "REQUEST", "OPERATIONS"], rows)?;
    }
    Ok(Status::Expected)
}

/// The one Work of this id, beginning of an id, or node key.
fn find<'s>(state: &'s State, name: &str) -> Result<(&'s WorkId, &'s WorkRecord), CliError> {
    let works = in_order(state);
    let exact: Vec<_> = works.iter().filter(|(id, _)| id.as_str() == name).collect();
    let named = works.iter().filter(|(id, work)| {
        work.work.node_key.as_str() == name || (!name.is_empty() && id.as_str().starts_with(name))
    });
    let named: Vec<_> = if exact.is_empty() {
        named.collect()
    } else {
        exact
    };
    match named[..] {
        [one] => Ok(*one),
        [] => Err(CliError::usage(
            format!("there is no Work {name:?}"),
            Some("plumb queue state LOG lists them".to_owned()),
        )),
        [..] => Err(CliError::usage(
            format!("{} Works are called {name:?}", named.len()),
            Some("more of the id says which".to_owned()),
        )),
    }
}

/// `plumb queue explain`.
pub(crate) fn explain(arguments: &ExplainArguments) -> Result<Status, CliError> {
    let state = Source::open(&arguments.log)?.state()?;
    let (id, work) = find(&state, &arguments.work)?;
    let at = match arguments.at {
        None => state.last_at(),
        Some(at) => Timestamp::new(at).ok_or_else(|| {
            CliError::usage(
                format!("--at {at} is later than the last time, 2^53-1"),
                None,
            )
        })?,
    };
    let Some(explained) = explanation(&state, id, at) else {
        return Err(CliError::usage(format!("there is no Work {id}"), None));
    };
    if arguments.json {
        output::print_json(&json!({
            "work_id": id.as_str(), "node_key": work.work.node_key.as_str(), "at": at.get(),
            "state": work.state.name(), "barrier": work.state.barrier_name(),
            "reason": explained.reason.map(plumb_queue::Reason::as_str),
            "because": explained.because, "remedy": explained.remedy,
        }))?;
        return Ok(Status::Expected);
    }
    let mut text = format!("{} ({id})\n", work.work.node_key.as_str().bold());
    let _ = writeln!(text, "  state        {}", work.state.name());
    if let Some(reason) = explained.reason {
        let _ = writeln!(text, "  reason       {reason}");
    }
    let _ = writeln!(text, "  why          {}", explained.because);
    let _ = writeln!(text, "  what helps   {}", explained.remedy);
    output::print(&text)?;
    Ok(Status::Expected)
}

/// `plumb queue trace`.
pub(crate) fn trace(arguments: &TraceArguments) -> Result<Status, CliError> {
    let state = Source::open(&arguments.log)?.state()?;
    let unknown = || {
        CliError::usage(
            format!("there is no request {:?}", arguments.request),
            Some("plumb queue inspect LOG --json lists them".to_owned()),
        )
    };
    let request = RequestId::new(&arguments.request).ok_or_else(unknown)?;
    let receipt = state.receipt(&request).ok_or_else(unknown)?;
    let claims = state.claims_of(&request).filter_map(|claim| {
        let id = &claim.claim.dispatch_id;
        let work = state.work(&claim.claim.work_id);
        Some((id, state.dispatch(id)?, claim, work))
    });
    let claims: Vec<_> = claims.collect();
    if arguments.json {
        let claims = claims.iter().map(|(id, dispatch, claim, work)| {
            json!({
                "dispatch_id": id.as_str(), "dispatch_state": dispatch.state.as_str(),
                "handle": claim.claim.handle.to_string(), "claim_state": claim.state.as_str(),
                "work_id": claim.claim.work_id.as_str(),
                "node_key": work.map(|work| work.work.node_key.as_str()),
                "barrier": work.map(|work| work.state.barrier_name()),
            })
        });
        output::print_json(&json!({
            "request_id": request.as_str(), "kind": receipt.kind.as_str(),
            "commit_id": receipt.id.as_str(), "at": receipt.at.get(),
            "role": receipt.actor.role.as_str(), "principal": receipt.actor.principal.as_str(),
            "fingerprint": receipt.fingerprint.to_string(), "claims": claims.collect::<Vec<_>>(),
        }))?;
        return Ok(Status::Expected);
    }
    output::print(&format!(
        "Request {request}\n  kind         {}\n  by           {} {}\n  at           {}\n  commit       {}\n  \
         fingerprint  {}\n",
        receipt.kind,
        receipt.actor.role,
        receipt.actor.principal,
        receipt.at,
        receipt.id,
        receipt.fingerprint
    ))?;
    if claims.is_empty() {
        return Ok(Status::Expected);
    }
    let rows = claims.iter().map(|(id, dispatch, claim, work)| {
        [
            work.map_or("-".to_owned(), |work| work.work.node_key.to_string()),
            claim.claim.handle.to_string(),
            claim.state.to_string(),
            work.map_or("-", |work| work.state.barrier_name())
                .to_owned(),
            dispatch.state.to_string(),
            id.to_string(),
        ]
    });
    output::print("\n")?;
    print(
        ["NODE", "HANDLE", "CLAIM", "BARRIER", "DISPATCH", "ID"],
        rows.collect(),
    )?;
    Ok(Status::Expected)
}
