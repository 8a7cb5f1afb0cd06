//! Publishing into a store that is slow, lossy, or used by somebody else; launching on a host that is.

#![allow(clippy::unwrap_used, clippy::panic)]

mod common;

use std::cell::RefCell;
use std::rc::Rc;

use common::*;
use plumb_queue::Code;
use plumb_queue::host::{Host as _, HostFault, SimulatedForge};
use plumb_queue::operate::{Operator, Outcome};
use plumb_queue::store::{
    Append, MemoryStore, NoSuchVersion, PublishError, Published, Queue, Since, Store, StoreFault,
};
use plumb_queue::wire::commit::Budget;
use plumb_queue::wire::operation::Work;
use plumb_queue::wire::scalar::{DispatchId, RequestId, Timestamp};
use plumb_queue::wire::{Actor, Wire};
use plumb_queue::writer::{Asker, Intent, Nothing};
use serde_json::Value;

/// A store that several queues use.
#[derive(Clone)]
struct Shared(Rc<RefCell<MemoryStore>>);

impl Store for Shared {
    type Version = u64;
    type Error = NoSuchVersion;

    fn version(&mut self) -> Result<Option<u64>, NoSuchVersion> {
        self.0.borrow_mut().version()
    }

    fn read(&mut self, version: &u64) -> Result<String, NoSuchVersion> {
        self.0.borrow_mut().read(version)
    }

    fn since(&mut self, version: &u64) -> Result<Since<u64>, NoSuchVersion> {
        self.0.borrow_mut().since(version)
    }

    fn append(&mut self, expected: Option<&u64>, line: &str) -> Result<Append<u64>, NoSuchVersion> {
        self.0.borrow_mut().append(expected, line)
    }

    fn replace(&mut self, expected: &u64, line: &str) -> Result<Append<u64>, NoSuchVersion> {
        self.0.borrow_mut().replace(expected, line)
    }
}

fn store() -> Shared {
    Shared(Rc::new(RefCell::new(MemoryStore::new(Chain::new().text()))))
}

fn read<T: Wire>(value: &Value) -> T {
    let value = plumb_canonical::parse(&canonical(value))
        .unwrap()
        .into_owned();
    T::read(&value, Code::RequestInvalid).unwrap()
}

fn ask(id: &str, actor: &Value) -> Asker {
    let actor: Actor = read(actor);
    Asker {
        request: RequestId::new(id).unwrap(),
        actor,
        at: Timestamp::new(5000).unwrap(),
    }
}

fn submit(node: &str) -> Intent {
    Intent::Submit {
        works: vec![read::<Work>(&work("g", node))],
        bootstrap: None,
    }
}

#[test]
fn two_writers_both_get_their_commits_in() {
    let store = store();
    let (mut first, mut second) = (
        Queue::open(store.clone()).unwrap(),
        Queue::open(store.clone()).unwrap(),
    );
    let producer = actor("producer");
    assert!(matches!(
        first
            .publish(&ask("a", &producer), &submit("a"), |_| {})
            .unwrap(),
        Published::Now(_)
    ));
    let mut pauses = Vec::new();
    let published = second.publish(&ask("b", &producer), &submit("b"), |pause| {
        pauses.push(pause.as_millis());
    });
    assert!(matches!(published.unwrap(), Published::Now(_)));
    assert_eq!(pauses, [50]);
    assert_eq!(second.state().works().count(), 2);
}

#[test]
fn a_lost_answer_is_looked_for_before_anything_is_written_again() {
    let store = store();
    let mut queue = Queue::open(store.clone()).unwrap();
    store.0.borrow_mut().script([StoreFault::LostAnswer]);
    let asker = ask("a", &actor("producer"));
    let published = queue.publish(&asker, &submit("a"), |_| {}).unwrap();
    assert!(
        matches!(published, Published::Recovered(_)),
        "{published:?}"
    );
    assert_eq!(store.0.borrow().log().lines().count(), 2);
    // A lost request is made again.
    store.0.borrow_mut().script([StoreFault::LostRequest]);
    let published = queue
        .publish(&ask("b", &actor("producer")), &submit("b"), |_| {})
        .unwrap();
    assert!(matches!(published, Published::Now(_)), "{published:?}");
    assert_eq!(store.0.borrow().log().lines().count(), 3);
    // The last of five attempts arrives, and its answer is lost.
    store.0.borrow_mut().script([StoreFault::LostRequest; 4]);
    store.0.borrow_mut().script([StoreFault::LostAnswer]);
    let mut pauses = Vec::new();
    let published = queue.publish(&ask("c", &actor("producer")), &submit("c"), |pause| {
        pauses.push(pause.as_millis());
    });
    assert!(matches!(published.unwrap(), Published::Recovered(_)));
    assert_eq!(pauses, [50, 100, 200, 400]);
    store.0.borrow_mut().script([StoreFault::LostRequest; 5]);
    let published = queue.publish(&ask("d", &actor("producer")), &submit("d"), |_| {});
    assert!(matches!(published, Err(PublishError::Contended)));
}

#[test]
fn the_same_request_has_the_same_answer_and_another_one_may_not_use_its_id() {
    let mut queue = Queue::open(store()).unwrap();
    let asker = ask("a", &actor("producer"));
    let Published::Now(commit) = queue.publish(&asker, &submit("a"), |_| {}).unwrap() else {
        panic!()
    };
    assert_eq!(
        queue.publish(&asker, &submit("a"), |_| {}).unwrap(),
        Published::Recovered(commit.id)
    );
    let reuse = queue.publish(&asker, &submit("b"), |_| {});
    assert!(
        matches!(reuse, Err(PublishError::Rejected(error)) if error.code == Code::RequestReuse)
    );
    let other = queue.publish(&ask("a", &actor("administrator")), &submit("a"), |_| {});
    assert!(
        matches!(other, Err(PublishError::Rejected(error)) if error.code == Code::RequestReuse)
    );
    // Another request for what is there writes nothing.
    let same = queue
        .publish(&ask("other", &actor("producer")), &submit("a"), |_| {})
        .unwrap();
    assert_eq!(same, Published::Nothing(Nothing::AlreadySubmitted));
}

#[test]
fn what_has_ended_in_that_way_needs_no_commit() {
    let chain = scenario();
    let log = |commits: usize| {
        let lines = chain.commits[..commits].iter();
        lines
            .map(|commit| canonical(commit) + "\n")
            .collect::<String>()
    };
    let dispatch = dispatch_id("r3", 1);
    let worker = worker(&dispatch, "900");
    let answer = |commits: usize, actor: &Value, intent: &Intent| {
        let mut queue = Queue::open(MemoryStore::new(log(commits))).unwrap();
        match queue.publish(&ask("again", actor), intent, |_| {}) {
            Ok(Published::Nothing(nothing)) => nothing.as_str().to_owned(),
            Ok(_) => "written".to_owned(),
            Err(PublishError::Rejected(error)) => error.code.as_str().to_owned(),
            Err(error) => panic!("{error}"),
        }
    };
    let finish = |handle: &str, outcome: &str, operation: Value| Intent::Finish {
        finish: read(&serde_json::json!({
            "dispatch_id": dispatch, "claim_handle": handle, "outcome": outcome,
        })),
        operations: vec![read(&operation)],
    };
    let completed = finish("h1", "completed", completion("r3", 1, "a"));
    assert_eq!(answer(6, &worker, &completed), "written");
    assert_eq!(answer(7, &worker, &completed), "already_completed");
    let other = with(worker.clone(), serde_json::json!({"dispatch_id": "d"}));
    assert_eq!(answer(7, &other, &completed), "ownership_unauthorized");
    let unclaimed = chain.commits[8]["operations"][0].clone();
    let unclaimed = finish("h2", "cancelled", unclaimed);
    assert_eq!(answer(8, &worker, &unclaimed), "retry_invalid");
    assert_eq!(answer(9, &worker, &unclaimed), "already_cancelled");
    let cancels = |nodes: &[&str]| Intent::Operations {
        kind: plumb_queue::wire::RequestKind::CancelWork,
        operations: nodes.iter().map(|node| read(&cancel(node))).collect(),
    };
    let admin = actor("administrator");
    assert_eq!(answer(11, &admin, &cancels(&["b"])), "written");
    assert_eq!(answer(12, &admin, &cancels(&["b"])), "already_cancelled");
    // What is only partly so is refused as ever.
    assert_eq!(
        answer(12, &admin, &cancels(&["b", "d"])),
        "ownership_terminal"
    );
    assert_eq!(answer(12, &admin, &cancels(&["a"])), "ownership_terminal");
}

#[test]
fn a_log_that_lost_a_commit_is_refused() {
    let store = store();
    let mut queue = Queue::open(store.clone()).unwrap();
    queue
        .publish(&ask("a", &actor("producer")), &submit("a"), |_| {})
        .unwrap();
    let first = Chain::new().text();
    store.0.borrow_mut().replace(&2, &first).unwrap();
    let refused = queue.refresh();
    assert!(
        matches!(refused, Err(PublishError::Rejected(error)) if error.code == Code::LedgerNonextending)
    );
}

#[test]
fn a_log_that_says_something_else_under_the_same_ids_is_refused() {
    let store = store();
    let mut queue = Queue::open(store.clone()).unwrap();
    let mut chain = Chain::new();
    chain.push(chain.submit(vec![work("g", "a")], 2000));
    store.0.borrow_mut().replace(&1, &chain.text()).unwrap();
    queue.refresh().unwrap();
    // The tip has the same id, and something else was asked for.
    let mut other = Chain::new();
    other.push(other.submit(vec![work("g", "b")], 2000));
    other.push(other.submit(vec![work("g", "c")], 3000));
    store.0.borrow_mut().replace(&2, &other.text()).unwrap();
    let refused = queue.refresh();
    assert!(
        matches!(refused, Err(PublishError::Rejected(error)) if error.code == Code::LedgerNonextending)
    );
}

#[test]
fn a_submission_of_nothing_is_no_answer_to_anything() {
    let mut queue = Queue::open(store()).unwrap();
    let nothing = Intent::Submit {
        works: Vec::new(),
        bootstrap: None,
    };
    let refused = queue.publish(&ask("a", &actor("producer")), &nothing, |_| {});
    assert!(
        matches!(refused, Err(PublishError::Rejected(error)) if error.code == Code::RequestInvalid)
    );
}

#[test]
fn a_log_that_became_a_checkpoint_goes_on() {
    let store = store();
    let mut queue = Queue::open(store.clone()).unwrap();
    queue
        .publish(&ask("a", &actor("producer")), &submit("a"), |_| {})
        .unwrap();
    let log = store.0.borrow().log().to_owned();
    let root = plumb_queue::checkpoint::checkpoint(
        queue.state(),
        log.as_bytes(),
        plumb_queue::wire::scalar::Revision::new(REF).unwrap(),
        read(&actor("administrator")),
        Timestamp::new(6000).unwrap(),
    );
    store
        .0
        .borrow_mut()
        .replace(&2, &root.unwrap().to_line())
        .unwrap();
    // Somebody who does not know of it yet publishes, and comes after it.
    let published = queue
        .publish(&ask("b", &actor("producer")), &submit("b"), |_| {})
        .unwrap();
    assert!(matches!(published, Published::Now(_)));
    assert_eq!(store.0.borrow().log().lines().count(), 2);
    assert_eq!(queue.state().works().count(), 2);
}

/// A queue with one granted Dispatch, and a forge.
fn granted() -> (Queue<Shared>, SimulatedForge, DispatchId) {
    let mut queue = Queue::open(store()).unwrap();
    queue
        .publish(&ask("a", &actor("producer")), &submit("a"), |_| {})
        .unwrap();
    let intent = Intent::DispatchNext {
        observations: Vec::new(),
        budget: read::<Budget>(&budget()),
    };
    queue
        .publish(&ask("grant", &actor("dispatcher")), &intent, |_| {})
        .unwrap();
    let forge = SimulatedForge::new(read(&REPOSITORY.into()), read(&WORKER.into()));
    (
        queue,
        forge,
        DispatchId::new(&dispatch_id("grant", 1)).unwrap(),
    )
}

fn operator(role: &str) -> Operator {
    let at = Timestamp::new(6000).unwrap();
    Operator {
        actor: read(&publisher(role)),
        at,
        principal: None,
    }
}

fn dispatch_state(queue: &Queue<Shared>, dispatch: &DispatchId) -> &'static str {
    queue.state().dispatch(dispatch).unwrap().state.as_str()
}

#[test]
fn every_fault_of_a_host_leaves_at_most_one_launch() {
    let cases = [
        (None, "bound", Some("bound")),
        (Some(HostFault::LostResponse), "uncertain", Some("bound")),
        (Some(HostFault::ServerError), "uncertain", Some("uncertain")),
        (
            Some(HostFault::LateActivation),
            "uncertain",
            Some("uncertain"),
        ),
        (Some(HostFault::DuplicateRun), "bound", Some("bound")),
        (
            Some(HostFault::ConflictingActivation),
            "bound",
            Some("bound"),
        ),
        (Some(HostFault::Refusal), "rejected", None),
    ];
    for (fault, launched, reconciled) in cases {
        let (mut queue, mut forge, dispatch) = granted();
        forge.script(fault);
        let dispatcher = operator("dispatcher");
        dispatcher
            .launch(&mut queue, &mut forge, &dispatch, |_| {})
            .unwrap();
        assert_eq!(dispatch_state(&queue, &dispatch), launched, "{fault:?}");
        // Asking again launches nothing: the line that says so is there.
        let again = dispatcher.launch(&mut queue, &mut forge, &dispatch, |_| {});
        assert!(
            matches!(again, Ok(Outcome::NotOurs)),
            "{fault:?}: {again:?}"
        );
        assert_eq!(forge.launches(&dispatch), 1, "{fault:?}");
        let Some(reconciled) = reconciled else {
            continue;
        };
        let outcome = operator("reconciler")
            .reconcile(&mut queue, &mut forge, &dispatch, |_| {})
            .unwrap();
        assert_eq!(dispatch_state(&queue, &dispatch), reconciled, "{fault:?}");
        let is_conflict = matches!(
            fault,
            Some(HostFault::DuplicateRun | HostFault::ConflictingActivation)
        );
        assert_eq!(outcome == Outcome::Conflict, is_conflict, "{fault:?}");
        if fault == Some(HostFault::LateActivation) {
            let outcome = operator("reconciler")
                .reconcile(&mut queue, &mut forge, &dispatch, |_| {})
                .unwrap();
            assert!(matches!(outcome, Outcome::Bound(_)));
        }
        assert_eq!(forge.launches(&dispatch), 1, "{fault:?}");
    }
}

#[test]
fn a_slot_is_given_back_only_when_nothing_can_run() {
    let (mut queue, mut forge, dispatch) = granted();
    forge.script([HostFault::LostResponse]);
    operator("dispatcher")
        .launch(&mut queue, &mut forge, &dispatch, |_| {})
        .unwrap();
    let early = operator("reconciler").release(&mut queue, &mut forge, &dispatch, |_| {});
    assert!(
        matches!(early, Err(PublishError::Rejected(error)) if error.code == Code::TerminalEvidenceRequired)
    );
    operator("reconciler")
        .reconcile(&mut queue, &mut forge, &dispatch, |_| {})
        .unwrap();
    let running = operator("reconciler").release(&mut queue, &mut forge, &dispatch, |_| {});
    assert!(
        matches!(running, Err(PublishError::Rejected(error)) if error.code == Code::TerminalEvidenceRequired)
    );
    forge.end(&dispatch, "cancelled");
    let open = operator("reconciler").release(&mut queue, &mut forge, &dispatch, |_| {});
    assert!(
        matches!(open, Err(PublishError::Rejected(error)) if error.code == Code::ReleaseOpenClaims)
    );
    assert_eq!(forge.runs(&dispatch).unwrap().len(), 1);
}
