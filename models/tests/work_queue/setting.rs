//! Constants as the document's table has them, and short names for what logs are made of.

use plumb_models::WorkQueue;
use plumb_models::numbered::Numbered;
use plumb_models::work_queue::{
    Action, Claim, Dispatcher, Fact, FactSet, Intent, Sequence, State, Work, Worker,
};

use crate::harness;

/// A specification and the constants W, C, A, D, R, H and L.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setting {
    pub(crate) specification: &'static str,
    pub(crate) numbers: [i64; 7],
}

impl Setting {
    /// The sound specification.
    pub(crate) const fn of(numbers: [i64; 7]) -> Self {
        Self {
            specification: "Spec",
            numbers,
        }
    }

    pub(crate) const fn specified(self, specification: &'static str) -> Self {
        Self {
            specification,
            ..self
        }
    }

    /// The cfg text, without properties and constraints.
    pub(crate) fn cfg(&self) -> String {
        let [works, claims, workers, dispatchers, retries, head, log] = self.numbers;
        format!(
            "SPECIFICATION {}\nCONSTANTS WorkCount = {works} ClaimCount = {claims} \
             WorkerCount = {workers} DispatcherCount = {dispatchers} RetryLimit = {retries} \
             MaxHead = {head} MaxLog = {log}",
            self.specification
        )
    }

    pub(crate) fn model(&self) -> WorkQueue {
        harness::model(&self.cfg())
    }
}

pub(crate) fn work(number: i64) -> Work {
    Work::numbered(number).unwrap()
}

pub(crate) fn claim(number: i64) -> Claim {
    Claim::numbered(number).unwrap()
}

pub(crate) fn worker(number: i64) -> Worker {
    Worker::numbered(number).unwrap()
}

pub(crate) fn dispatcher(number: i64) -> Dispatcher {
    Dispatcher::numbered(number).unwrap()
}

/// A fact by kind and identity, or a resubmission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Say {
    Work(i64),
    Claim(i64),
    CancelClaim(i64),
    CancelWork(i64),
    Complete(i64),
    Resubmit(i64),
}

impl Say {
    pub(crate) fn intent(self, model: &WorkQueue) -> Intent {
        match self {
            Self::Resubmit(number) => model.constants().resubmission(work(number)),
            _ => self.fact(model).into(),
        }
    }

    pub(crate) fn fact(self, model: &WorkQueue) -> Fact {
        let constants = model.constants();
        match self {
            Self::Work(number) => constants.work(work(number)),
            Self::Claim(number) => constants.claim(claim(number)),
            Self::CancelClaim(number) => constants.claim_cancellation(claim(number)),
            Self::CancelWork(number) => constants.work_cancellation(work(number)),
            Self::Complete(number) => constants.completion(worker(number)),
            Self::Resubmit(_) => panic!("a resubmission is no fact"),
        }
    }
}

pub(crate) fn log(model: &WorkQueue, said: &[Say]) -> Sequence<Fact> {
    said.iter().map(|say| say.fact(model)).collect()
}

pub(crate) fn batch(model: &WorkQueue, said: &[Say]) -> Sequence<Intent> {
    said.iter().map(|say| say.intent(model)).collect()
}

pub(crate) fn facts(model: &WorkQueue, said: &[Say]) -> FactSet {
    said.iter().map(|say| say.fact(model)).collect()
}

pub(crate) fn initial(model: &WorkQueue) -> State {
    stateright::Model::init_states(model).remove(0)
}

pub(crate) fn stage(model: &WorkQueue, number: i64, say: Say) -> Action {
    Action::Stage(dispatcher(number), say.intent(model))
}

/// The state after some actions, each of which is enabled when its turn comes.
pub(crate) fn after(model: &WorkQueue, from: &State, actions: &[Action]) -> State {
    actions.iter().fold(from.clone(), |state, action| {
        let next = stateright::Model::next_state(model, &state, *action);
        next.unwrap_or_else(|| panic!("{action:?} is not enabled in {state:?}"))
    })
}

/// The initial state, but with a log that was committed at once.
pub(crate) fn with_log(model: &WorkQueue, said: &[Say]) -> State {
    let mut state = initial(model);
    model.commit(&mut state.shared, log(model, said));
    state
}
