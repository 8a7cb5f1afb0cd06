//! A lock that is taken without care; the same model as `specs/naive-lock/NaiveLock.tla`.

use plumb_checker::{CheckedModel, ConfigurationError, Invariant, NotAState, Reader};
use plumb_tla::{State as TlaState, Value};
use stateright::Model;

/// What a worker is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Phase {
    Away,
    Looked,
    Holding,
}

const PHASES: [(Phase, &str); 3] = [
    (Phase::Away, "away"),
    (Phase::Looked, "looked"),
    (Phase::Holding, "holding"),
];

/// The constants of a configuration.
#[derive(Clone, Debug)]
pub(crate) struct NaiveLock {
    workers: usize,
    atomic: bool,
}

/// The phase of each worker, in their order.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct State(Vec<Phase>);

/// What a worker (counted from 0) does next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    Look(usize),
    Take(usize),
    LookAndTake(usize),
    Release(usize),
}

impl State {
    fn holders(&self) -> usize {
        self.0
            .iter()
            .filter(|phase| **phase == Phase::Holding)
            .count()
    }
}

impl Model for NaiveLock {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        vec![State(vec![Phase::Away; self.workers])]
    }

    fn actions(&self, _: &State, actions: &mut Vec<Action>) {
        for worker in 0..self.workers {
            actions.extend([
                Action::Look(worker),
                Action::Take(worker),
                Action::LookAndTake(worker),
                Action::Release(worker),
            ]);
        }
    }

    fn next_state(&self, state: &State, action: Action) -> Option<State> {
        let free = state.holders() == 0;
        let (worker, enabled, next) = match action {
            Action::Look(worker) => {
                let away = state.0[worker] == Phase::Away;
                (worker, !self.atomic && away && free, Phase::Looked)
            }
            // The bug: nobody looks again.
            Action::Take(worker) => (worker, state.0[worker] == Phase::Looked, Phase::Holding),
            Action::LookAndTake(worker) => {
                let away = state.0[worker] == Phase::Away;
                (worker, self.atomic && away && free, Phase::Holding)
            }
            Action::Release(worker) => (worker, state.0[worker] == Phase::Holding, Phase::Away),
        };
        enabled.then(|| {
            let mut after = state.clone();
            after.0[worker] = next;
            after
        })
    }
}

impl CheckedModel for NaiveLock {
    const NAME: &'static str = "naive-lock";
    const MODULE: &'static str = "NaiveLock";
    const VARIABLES: &'static [&'static str] = &["phase"];
    const ACTIONS: &'static [&'static str] = &["Look", "Take", "LookAndTake", "Release"];

    fn configure(cfg: &mut Reader<'_>) -> Result<Self, ConfigurationError> {
        cfg.specification(&[("Spec", ())])?;
        let workers = cfg.count("Workers", 1)?;
        Ok(Self {
            workers: workers as usize,
            atomic: cfg.boolean("Atomic")?,
        })
    }

    fn action_index(&self, action: &Action) -> usize {
        match action {
            Action::Look(_) => 0,
            Action::Take(_) => 1,
            Action::LookAndTake(_) => 2,
            Action::Release(_) => 3,
        }
    }

    fn action_parameters(&self, action: &Action) -> Vec<Value> {
        let (Action::Look(worker)
        | Action::Take(worker)
        | Action::LookAndTake(worker)
        | Action::Release(worker)) = action;
        vec![Value::int(*worker as i64 + 1)]
    }

    fn actor(_: &str, parameters: &[Value]) -> Option<String> {
        Some(format!("worker {}", parameters.first()?))
    }

    fn invariants() -> Vec<Invariant<Self>> {
        vec![
            Invariant::state(
                "TypeOK",
                "every worker has a phase",
                |model, state: &State| state.0.len() == model.workers,
            ),
            Invariant::state(
                "MutualExclusion",
                "at most one worker holds the lock",
                |_, state: &State| state.holders() <= 1,
            ),
        ]
    }

    fn encode(&self, state: &State, bytes: &mut Vec<u8>) {
        bytes.extend(state.0.iter().map(|phase| *phase as u8));
    }

    fn decode(&self, bytes: &[u8]) -> Option<State> {
        let phase = |byte: &u8| Some(PHASES.get(usize::from(*byte))?.0);
        let phases: Option<Vec<Phase>> = bytes.iter().map(phase).collect();
        phases
            .filter(|phases| phases.len() == self.workers)
            .map(State)
    }

    fn to_tla(&self, state: &State) -> TlaState {
        let phases = state
            .0
            .iter()
            .map(|phase| Value::str(PHASES[*phase as usize].1));
        TlaState::new([("phase", Value::tuple(phases))])
    }

    fn parse_tla(&self, state: &TlaState) -> Result<State, NotAState> {
        let found = state.get("phase");
        let phases = found.and_then(Value::as_tuple).and_then(|phases| {
            let phase = |value: &Value| {
                let name = value.as_str()?;
                PHASES
                    .iter()
                    .find(|(_, known)| *known == name)
                    .map(|(phase, _)| *phase)
            };
            phases.iter().map(phase).collect::<Option<Vec<Phase>>>()
        });
        phases
            .filter(|phases| phases.len() == self.workers)
            .map(State)
            .ok_or_else(|| NotAState::new("phase", "the phase of each worker", found))
    }
}
