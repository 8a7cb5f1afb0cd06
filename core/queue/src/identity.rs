//! How ids are made: each is a digest of what it identifies (section 4).

use plumb_canonical::{Digest, Hasher, Object, Value};

use crate::wire::scalar::{
    ClaimId, CommitId, DispatchId, Epoch, GraphId, Json, NodeKey, ObservationId, RequestId,
    Revision, Timestamp, WorkId,
};
use crate::wire::{GateKey, RequestKind, Wire};

/// The node key of a Work that is a graph by itself.
pub const ROOT: &str = "root";

/// The fingerprint of a request: the digest of actor, kind and parameters. The request's id, the
/// commit's place and time, its trace and what was chosen are no part of it.
#[must_use]
pub fn fingerprint(actor: &Value<'_>, kind: RequestKind, parameters: &Value<'_>) -> Digest {
    fingerprints(actor, kind, parameters).0
}

/// The fingerprint of a request, and the digest of its parameters alone.
pub(crate) fn fingerprints(
    actor: &Value<'_>,
    kind: RequestKind,
    parameters: &Value<'_>,
) -> (Digest, Digest) {
    let mut text = String::from("{\"actor\":");
    actor.write_canonical(&mut text);
    text.push_str(",\"kind\":");
    kind.write().write_canonical(&mut text);
    text.push_str(",\"parameters\":");
    let before = text.len();
    parameters.write_canonical(&mut text);
    let parameters = Digest::of(&text.as_bytes()[before..]);
    text.push('}');
    (Digest::of(text.as_bytes()), parameters)
}

/// The id of a Work: the digest of its graph and its node.
#[must_use]
pub fn work_id(graph_id: &GraphId, node_key: &NodeKey) -> WorkId {
    let mut text = String::from("{\"graph_id\":");
    graph_id.write().write_canonical(&mut text);
    text.push_str(",\"node_key\":");
    node_key.write().write_canonical(&mut text);
    text.push('}');
    WorkId::derived(&Digest::of(text.as_bytes()).to_string())
}

/// The graph of a Work that is a graph by itself: the digest of its payload. Its node is [`ROOT`].
#[must_use]
pub fn independent_graph(payload: &Json) -> GraphId {
    let text = payload.object().to_canonical();
    GraphId::derived(&Digest::of(text.as_bytes()).to_string())
}

/// `PREFIX` and the digest of these texts, joined by newlines.
fn joined(prefix: &str, texts: &[&str]) -> String {
    let mut hasher = Hasher::new();
    for (index, text) in texts.iter().enumerate() {
        if index > 0 {
            hasher.update(b"\n");
        }
        hasher.update(text.as_bytes());
    }
    format!("{prefix}{}", hasher.finish())
}

/// What the ids of a request's Claims and Dispatches begin with. Hashing it once for a commit is
/// enough.
#[derive(Clone, Debug)]
pub struct GrantIds(String);

impl GrantIds {
    /// Those of this request.
    #[must_use]
    pub fn new(request: &RequestId) -> Self {
        Self(joined("", &[request.as_str()]))
    }

    /// The id of the Claim at this position of the commit's Claims, counted from 1.
    #[must_use]
    pub fn claim(&self, position: usize) -> ClaimId {
        ClaimId::derived(&format!("c_{}_{position}", self.0))
    }

    /// The id of this Dispatch of the commit, counted from 1.
    #[must_use]
    pub fn dispatch(&self, number: usize) -> DispatchId {
        DispatchId::derived(&format!("d_{}_{number}", self.0))
    }

    /// True of the id of some Claim of the commit.
    #[must_use]
    pub(crate) fn has_made_claim(&self, id: &ClaimId) -> bool {
        let number = last_number(id.as_str());
        number.is_some_and(|number| self.claim(number) == *id)
    }

    /// True of the id of some Dispatch of the commit.
    #[must_use]
    pub(crate) fn has_made_dispatch(&self, id: &DispatchId) -> bool {
        let number = last_number(id.as_str());
        number.is_some_and(|number| self.dispatch(number) == *id)
    }
}

/// The number, from 1 to 256, that an id ends with.
fn last_number(id: &str) -> Option<usize> {
    let number = id.rsplit('_').next()?.parse().ok();
    number.filter(|number| (1..=256).contains(number))
}

/// The id that a writer gives the commit of a request on this tip; without a tip, the first commit.
#[must_use]
pub fn commit_id(tip: Option<&CommitId>, request: &RequestId) -> CommitId {
    CommitId::derived(&match tip {
        Some(tip) => joined("q_", &[tip.as_str(), request.as_str()]),
        None => joined("q_", &[request.as_str()]),
    })
}

/// The epoch that begins with a first submit.
#[must_use]
pub fn bootstrap_epoch(request: &RequestId) -> Epoch {
    Epoch::derived(&joined("epoch_", &[request.as_str()]))
}

/// The id of an Observation that a request makes on this tip.
#[must_use]
pub fn observation_id(
    request: &RequestId,
    tip: &CommitId,
    gate: &GateKey,
    at: Timestamp,
) -> ObservationId {
    let at = at.to_string();
    let texts = [request.as_str(), tip.as_str(), gate.as_str(), &at];
    ObservationId::derived(&joined("o_", &texts))
}

/// The id of the request that makes a checkpoint of this tip, whose log this Git commit holds.
#[must_use]
pub fn checkpoint_request_id(tip: &CommitId, git: &Revision) -> RequestId {
    RequestId::derived(&joined("checkpoint_", &[tip.as_str(), git.as_str()]))
}

/// An object with these members, whose names are different.
pub(crate) fn object<'a>(
    members: impl IntoIterator<Item = (&'static str, Value<'a>)>,
) -> Value<'a> {
    let mut object = Object::new();
    for (name, value) in members {
        object.insert(name, value);
    }
    object.into()
}

/// The id of a request of this crate's own operators about something: the same for the same.
#[must_use]
pub(crate) fn request_id(what: &str, subject: &str) -> RequestId {
    RequestId::derived(&joined("r_", &[what, subject]))
}
