//! One question, one answer, each a line of JSON: so that another implementation can be compared.
//!
//! | action | members of the question | members of the answer |
//! |---|---|---|
//! | `canonical` | `text` | `canonical`, `sha256` |
//! | `fingerprint` | `actor`, `kind`, `parameters` | `fingerprint` |
//! | `work_id` | `graph_id`, `node_key` | `work_id` |
//! | `replay` | `log` | `prefixes`: the projection of section 14 after each commit |
//! | `plan` | `mode`, `class_weights`, `accounting_weights`, `nodes`, `max_claims`, `max_dispatches`, `profile_max`, `share_keys` | `order`, `reason` |
//! | `headroom` | `log` | `reserve`, `free`, `grant`, `due`, `max_claims`, `reason` |
//!
//! Every answer has `ok`; one that is not has `code` and `message`.

use std::sync::Arc;

use plumb_canonical::{Object, Reader, Value};

use crate::code::Code;
use crate::identity::{fingerprint, object, work_id};
use crate::log::{Log, LogError};
use crate::reject::Rejection;
use crate::schedule::plan::{PlanRequest, next, plan};
use crate::state::records::{Position, WorkRecord, WorkState};
use crate::state::{Installed, State};
use crate::wire::commit::Budget;
use crate::wire::operation::Work;
use crate::wire::scalar::{
    Bounded, CommitId, Epoch, FairnessKey, GraphId, Json, NodeKey, PoolName, Priority, ProfileName,
    RequestId, Timestamp, number,
};
use crate::wire::{Actor, Identity, QueuePolicy, RequestKind, Wire, WireError};
use crate::writer::{Asker, headroom};

/// The pool that answers are about.
const POOL: &str = "default";

/// Answers one line; the answer has no newline. A line that is not UTF-8 is answered, too.
#[must_use]
pub fn answer(line: impl AsRef<[u8]>) -> String {
    let answered = Reader::with_max_bytes(usize::MAX)
        .read(line.as_ref())
        .map_err(|fault| failure(fault.code().into(), fault.to_string()))
        .and_then(|question| ask(&question));
    let answer = match answered {
        Ok(mut members) => {
            members.insert("ok", Value::Bool(true));
            Value::Object(members)
        }
        Err(Failure { code, message }) => object([
            ("ok", Value::Bool(false)),
            ("code", Value::from(code.as_str())),
            ("message", Value::from(message)),
        ]),
    };
    answer.to_canonical()
}

struct Failure {
    code: Code,
    message: String,
}

fn failure(code: Code, message: impl Into<String>) -> Failure {
    Failure {
        code,
        message: message.into(),
    }
}

impl From<Rejection> for Failure {
    fn from(rejection: Rejection) -> Self {
        failure(rejection.code, rejection.message)
    }
}

impl From<WireError> for Failure {
    fn from(error: WireError) -> Self {
        failure(error.code, error.to_string())
    }
}

impl From<LogError> for Failure {
    fn from(error: LogError) -> Self {
        failure(error.code, error.to_string())
    }
}

type Answer = Object<'static>;

fn members<'a>(members: impl IntoIterator<Item = (&'static str, Value<'a>)>) -> Answer {
    let mut answer = Object::new();
    for (name, value) in members {
        answer.insert(name, value.into_owned());
    }
    answer
}

fn ask(question: &Value<'_>) -> Result<Answer, Failure> {
    match question.get("action").and_then(Value::as_str) {
        Some("canonical") => {
            let text = text(question, "text")?;
            let canonical = plumb_canonical::canonicalize(text.as_bytes())
                .map_err(|fault| failure(fault.code().into(), fault.to_string()))?;
            let sha256 = plumb_canonical::Digest::of(canonical.as_bytes()).to_string();
            Ok(members([
                ("canonical", Value::from(canonical)),
                ("sha256", Value::from(sha256)),
            ]))
        }
        Some("fingerprint") => {
            let kind: RequestKind = read(question, "kind")?;
            let digest = fingerprint(get(question, "actor")?, kind, get(question, "parameters")?);
            Ok(members([("fingerprint", Value::from(digest.to_string()))]))
        }
        Some("work_id") => {
            let (graph, node): (GraphId, NodeKey) =
                (read(question, "graph_id")?, read(question, "node_key")?);
            Ok(members([("work_id", work_id(&graph, &node).write())]))
        }
        Some("replay") => {
            let mut prefixes = Vec::new();
            Log::read(text(question, "log")?.as_bytes())?
                .replay(|commit, state| prefixes.push(projection(state, commit.at)))?;
            Ok(members([("prefixes", Value::Array(prefixes))]))
        }
        Some("plan") => plan_of(question),
        Some("headroom") => headroom_of(text(question, "log")?),
        _ => Err(failure(
            Code::RequestInvalid,
            "expected an action: canonical, fingerprint, work_id, replay, plan or headroom",
        )),
    }
}

fn get<'v, 'a>(question: &'v Value<'a>, name: &'static str) -> Result<&'v Value<'a>, Failure> {
    let value = question.get(name);
    value.ok_or_else(|| failure(Code::RequestInvalid, format!("the question has no {name}")))
}

fn text<'v>(question: &'v Value<'_>, name: &'static str) -> Result<&'v str, Failure> {
    let text = get(question, name)?.as_str();
    text.ok_or_else(|| failure(Code::RequestInvalid, format!("{name} is not a text")))
}

fn read<T: Wire>(question: &Value<'_>, name: &'static str) -> Result<T, Failure> {
    let value = T::read(get(question, name)?, Code::RequestInvalid);
    Ok(value.map_err(|error| error.within(name))?)
}

/// The pool of a state that answers are about: that of this name, or the first.
fn pool_of(state: &State) -> Option<PoolName> {
    let pools = &state.installed()?.policy.pools;
    let named = pools.keys().find(|pool| pool.as_str() == POOL);
    named.or(pools.keys().next()).cloned()
}

/// The projection of section 14.
fn projection(state: &State, at: Timestamp) -> Value<'static> {
    let pool = pool_of(state).unwrap_or_else(|| PoolName::derived(POOL));
    let (turn, reason) = next(state, &pool, at);
    let next = turn.and_then(|turn| state.work(&turn.work));
    let next = next.map_or(Value::Null, |work| {
        Value::from(work.work.node_key.to_string())
    });
    let clocks = state.clocks(&pool);
    let class: Option<Priority> = Bounded::new(3);
    let key = class.and_then(|class| clocks.keys.get(&class));
    let key = key.map_or_else(|| "0".to_owned(), |level| level.v.to_string());
    let mut works = Object::new();
    for (id, work) in state.works() {
        let shown = members([
            ("node_key", work.work.node_key.write()),
            ("state", Value::from(work.state.name())),
            ("barrier", Value::from(work.state.barrier_name())),
        ]);
        works.insert(id.as_str().to_owned(), Value::Object(shown));
    }
    let epoch = state
        .installed()
        .map_or("", |installed| installed.epoch.as_str());
    let tip = state.tip().map_or("", |tip| tip.as_str());
    let totals = state.totals();
    Value::Object(members([
        ("tip", Value::from(tip)),
        ("policy_epoch", Value::from(epoch)),
        ("claims", number(totals.claims)),
        ("native_reservations", number(totals.unreleased)),
        ("next_node", next),
        ("reason", Value::from(reason.as_str())),
        ("class_v", Value::from(clocks.classes.v.to_string())),
        ("key_v", Value::from(key)),
        ("works", works.into()),
    ]))
}

fn headroom_of(log: &str) -> Result<Answer, Failure> {
    let mut state = crate::log::replay(log.as_bytes())?;
    let pool = pool_of(&state);
    let budget = pool.and_then(|pool| {
        Some(Budget {
            pool,
            max_claims: Bounded::new(256)?,
            max_dispatches: Bounded::new(256)?,
            max_bytes: Bounded::new(49_152)?,
            worker_profiles: None,
        })
    });
    let budget = budget.ok_or_else(|| failure(Code::PolicyMissing, "the log has no policy"))?;
    let actor = object([
        ("role", Value::from("dispatcher")),
        ("principal", Value::from("1")),
        (
            "repository",
            Value::from(state.repository().map_or("", |it| it.as_str())),
        ),
    ]);
    let asker = Asker {
        request: RequestId::about("headroom", state.tip().map_or("", |tip| tip.as_str())),
        actor: Actor::read(&actor, Code::RequestInvalid)?,
        at: state.last_at(),
    };
    let room = headroom(&mut state, &asker, &budget)?;
    Ok(members([
        ("reserve", number(room.reserve)),
        ("free", number(room.free)),
        ("grant", number(room.grant)),
        ("due", number(room.due)),
        ("max_claims", number(room.max_claims)),
        ("reason", Value::from(room.reason.as_str())),
    ]))
}

/// A policy with nothing in the way of the planner, for weights and profiles that are filled in.
const PLAIN_POLICY: &str = r#"{"mode":"weighted-priority","class_weights":[1,1,1,1,1],
"accounting_weights":{"":1},"producers":{},"pools":{"default":{"default_profile":"default","profiles":{},
"logical_limit":4096,"native_limit":4096,"allowed_repositories":[],"max_observation_age_ms":60000,
"retry":{"max_attempts":3,"backoff_ms":30000},"reconciliation":{"max_attempts":5,"deadline_ms":300000}}},
"limits":{"ledger_bytes":67108864,"recovery_bytes":16777216,"payload_bytes":16384,"graph_nodes":4096,
"predecessors":64,"pending_nodes":4096,"operations":256,"assignment_bytes":49152,"result_bytes":4096,
"evidence_bytes":1024,"observation_writes":4096}}"#;
/// A profile of it.
const PLAIN_PROFILE: &str = r#"{"workflow":".github/workflows/w.lock.yml","ref":"main","principal":"1",
"trust_domain":"default","credential_scope":"repository","effect_scope":"repository","max_claims":1,
"share_keys":false}"#;

fn plain<T: Wire>(text: &str) -> Result<T, Failure> {
    let value = plumb_canonical::parse(text)
        .map_err(|fault| failure(fault.code().into(), fault.to_string()))?;
    Ok(T::read(&value, Code::RequestInvalid)?)
}

/// Plans on a state that holds these nodes and nothing else. They are put there without the checks of
/// admission, so that the byte envelope does not bound their number.
fn plan_of(question: &Value<'_>) -> Result<Answer, Failure> {
    let mut policy: QueuePolicy = plain(PLAIN_POLICY)?;
    policy.mode = read(question, "mode")?;
    policy.class_weights = read(question, "class_weights")?;
    policy.accounting_weights = read(question, "accounting_weights")?;
    let mut profile: crate::wire::WorkerProfile = plain(PLAIN_PROFILE)?;
    profile.max_claims = read(question, "profile_max")?;
    profile.share_keys = read(question, "share_keys")?;
    let nodes = get(question, "nodes")?.as_array();
    let nodes = nodes.ok_or_else(|| failure(Code::RequestInvalid, "nodes is not an array"))?;
    let pool = PoolName::derived(POOL);
    let works = nodes
        .iter()
        .map(|node| work_of(node, &pool))
        .collect::<Result<Vec<_>, _>>()?;
    if let Some(work) = works
        .iter()
        .find(|work| !policy.accounting_weights.contains_key(&work.fairness_key))
    {
        let message = format!("the account \"{}\" has no weight", work.fairness_key);
        return Err(failure(Code::AdmissionUnauthorized, message));
    }
    if let Some(settings) = policy.pools.get_mut(&pool) {
        for work in &works {
            settings
                .profiles
                .insert(work.worker_profile.clone(), profile.clone());
        }
    }
    let installed = Installed::new(Epoch::derived("probe"), policy);
    let mut state = State {
        installed: Some(Arc::new(installed)),
        ..State::default()
    };
    let actor = plain::<Actor>(r#"{"role":"producer","principal":"1","repository":"o/r"}"#)?;
    let actor = Arc::new(actor);
    for (index, work) in (0..).zip(works) {
        let id = work.work_id.clone();
        if state.work(&id).is_some() {
            return Err(failure(
                Code::NodeConflict,
                format!("node {} occurs twice", work.node_key),
            ));
        }
        let record = WorkRecord {
            position: Position { ordinal: 1, index },
            creator: actor.clone(),
            priority: work.priority,
            attempts: 0,
            state: WorkState::Available,
            retry_not_before: Timestamp::default(),
            admission_contract: None,
            issue: None,
            work: Arc::new(work),
        };
        state.put_work(&id, record);
    }
    let budget = Budget {
        pool,
        max_claims: read(question, "max_claims")?,
        max_dispatches: read(question, "max_dispatches")?,
        max_bytes: Bounded::new(49_152).ok_or_else(|| failure(Code::RequestInvalid, "no bytes"))?,
        worker_profiles: None,
    };
    let (request, commit) = (RequestId::derived("probe"), CommitId::derived("probe"));
    let planned = plan(
        &state,
        PlanRequest {
            budget: &budget,
            request: &request,
            commit: &commit,
            leading: 0,
            at: Timestamp::MAX,
        },
    );
    let order = planned
        .grants
        .iter()
        .filter_map(|grant| state.work(&grant.claim.work_id));
    let order = order.map(|work| Value::from(work.work.node_key.to_string()));
    Ok(members([
        ("order", Value::Array(order.collect())),
        ("reason", Value::from(planned.reason.as_str())),
    ]))
}

fn work_of(node: &Value<'_>, pool: &PoolName) -> Result<Work, Failure> {
    let graph = GraphId::derived("probe");
    let node_key: NodeKey = read(node, "key")?;
    let account = match node.get("account") {
        None => FairnessKey::default_account(),
        Some(_) => read(node, "account")?,
    };
    let profile = match node.get("profile") {
        None => ProfileName::derived("default"),
        Some(_) => read(node, "profile")?,
    };
    let enqueued = match node.get("enqueued") {
        None => Timestamp::default(),
        Some(_) => read(node, "enqueued")?,
    };
    Ok(Work {
        work_id: work_id(&graph, &node_key),
        graph_id: graph,
        node_key,
        pool: pool.clone(),
        priority: read(node, "priority")?,
        fairness_key: account,
        worker_profile: profile,
        batch_trust_domain: Identity::derived("default"),
        payload: Json::new(Object::new()),
        depends_on: Vec::new(),
        enqueued,
        subject: None,
        backing_issue: None,
        replacement_of: None,
        logical_contract: None,
        execution_ref: None,
    })
}
