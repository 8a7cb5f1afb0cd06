//! Processes around a shared number, with steps that a seed decides: a model with local steps for
//! every seed.

use plumb_checker::{
    CheckedModel, Components, Composition, ConfigurationError, ConfiguredModel, Constraint,
    Invariant, LocalSteps, NotAState, Reader, Registry, StepProperty,
};
use plumb_tla::{State as TlaState, Value};

/// The model, with its constants.
#[derive(Clone, Debug)]
pub(crate) struct Cluster {
    seed: u64,
    /// Values of the shared number.
    shared: u64,
    /// Values of a process.
    own: u64,
    processes: usize,
    /// One in so many places violates something, panics, or is outside.
    rarity: u64,
    /// Whether a step of the first process spoils the second one's value: then it is not local.
    spoils: bool,
}

/// A state: the shared number and the processes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct State {
    shared: u8,
    processes: Vec<u8>,
}

/// A step: whose it is, and which of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Action {
    component: usize,
    number: u64,
}

impl Cluster {
    /// A number below `limit` that the seed and the question decide.
    fn draw(&self, question: &[u64], limit: u64) -> u64 {
        let mut hash = self.seed ^ 0x9E37_79B9_7F4A_7C15;
        for part in question {
            hash = (hash ^ part).wrapping_mul(0xFF51_AFD7_ED55_8CCD);
            hash ^= hash >> 31;
        }
        hash % limit
    }

    fn rare(&self, question: &[u64]) -> bool {
        self.rarity > 0 && self.draw(question, self.rarity) == 0
    }

    fn own(&self, state: &State, component: usize) -> u64 {
        match component {
            0 => u64::from(state.shared),
            component => u64::from(state.processes[component - 1]),
        }
    }

    fn step(&self, state: &State, action: &Action) -> State {
        let shared = u64::from(state.shared);
        let Action { component, number } = *action;
        let own = self.own(state, component);
        let question = [1, component as u64, number, shared, own];
        let mut after = state.clone();
        if component == 0 {
            after.shared = self.draw(&question, self.shared) as u8;
            for (index, process) in after.processes.iter_mut().enumerate() {
                let reaction = [2, number, shared, index as u64, u64::from(*process)];
                if self.draw(&reaction, 4) == 0 {
                    *process = self.draw(&reaction[1..], self.own) as u8;
                }
            }
        } else {
            after.processes[component - 1] = self.draw(&question, self.own) as u8;
            if self.draw(&question[1..], 3) == 0 {
                after.shared = self.draw(&question[2..], self.shared) as u8;
            }
            if self.spoils && component == 1 && number == 0 {
                after.processes[1] = (after.processes[1] + 1) % self.own as u8;
            }
        }
        after
    }

    fn enabled(&self, state: &State, component: usize) -> impl Iterator<Item = Action> {
        let question = [
            3,
            component as u64,
            state.shared.into(),
            self.own(state, component),
        ];
        let count = self.draw(&question, if component == 0 { 3 } else { 4 });
        (0..count).map(move |number| Action { component, number })
    }
}

impl stateright::Model for Cluster {
    type State = State;
    type Action = Action;

    fn init_states(&self) -> Vec<State> {
        let first = State {
            shared: 0,
            processes: vec![0; self.processes],
        };
        let mut second = first.clone();
        second.processes[0] = 1 % self.own as u8;
        vec![first, second]
    }

    fn actions(&self, state: &State, actions: &mut Vec<Action>) {
        for component in 0..=self.processes {
            actions.extend(self.enabled(state, component));
        }
    }

    fn next_state(&self, state: &State, action: Action) -> Option<State> {
        Some(self.step(state, &action))
    }
}

impl CheckedModel for Cluster {
    const NAME: &'static str = "cluster";
    const MODULE: &'static str = "Cluster";
    const VARIABLES: &'static [&'static str] = &["shared", "processes"];
    const ACTIONS: &'static [&'static str] = &["Shared", "First", "Second", "Third"];

    fn configure(cfg: &mut Reader<'_>) -> Result<Self, ConfigurationError> {
        cfg.specification(&[("Spec", ())])?;
        let mut constant = |name| Ok::<u64, ConfigurationError>(cfg.integer(name)? as u64);
        Ok(Self {
            seed: constant("Seed")?,
            shared: constant("Shared")?,
            own: constant("Own")?,
            processes: constant("Processes")? as usize,
            rarity: constant("Rarity")?,
            spoils: constant("Spoils")? == 1,
        })
    }

    fn action_index(&self, action: &Action) -> usize {
        match action.component {
            0 => 0,
            _ => 1 + action.number as usize,
        }
    }

    fn action_parameters(&self, action: &Action) -> Vec<Value> {
        vec![
            Value::int(action.component as i64),
            Value::int(action.number as i64),
        ]
    }

    fn invariants() -> Vec<Invariant<Self>> {
        vec![
            Invariant::component("Own", "nothing rare of a process", |m, s: &State, part| {
                !m.rare(&[4, part as u64, s.shared.into(), m.own(s, part)])
            }),
            Invariant::component(
                "OfShared",
                "nothing rare of the shared",
                |m, s: &State, part| part > 0 || !m.rare(&[5, s.shared.into()]),
            ),
            Invariant::component("Fragile", "it panics rarely", |m, s: &State, part| {
                assert!(!m.rare(&[6, part as u64, m.own(s, part)]), "a rare place");
                true
            }),
            Invariant::state("Whole", "nothing rare of the state", |m, s: &State| {
                let processes = s.processes.iter().map(|own| u64::from(*own));
                let question: Vec<u64> = processes.chain([7, s.shared.into()]).collect();
                !m.rare(&question)
            }),
            Invariant::all("Safety", "all by component", &["OfShared", "Own"]),
        ]
    }

    fn step_properties() -> Vec<StepProperty<Self>> {
        vec![StepProperty::component(
            "Calm",
            "nothing rare happens to a component",
            |m, before, after, part| {
                let (from, to) = (m.own(before, part), m.own(after, part));
                from == to || !m.rare(&[8, part as u64, before.shared.into(), from, to])
            },
        )]
    }

    fn constraints() -> Vec<Constraint<Self>> {
        vec![
            Constraint::shared(
                "Near",
                "one in five shared numbers is far",
                |m, s: &State| s.shared == 0 || m.draw(&[9, s.shared.into()], 5) != 0,
            ),
            Constraint::state("NearAsAWhole", "the same, as a whole", |m, s: &State| {
                s.shared == 0 || m.draw(&[9, s.shared.into()], 5) != 0
            }),
        ]
    }

    fn composition() -> Option<Composition<Self>> {
        Some(Composition::of_local_steps())
    }

    fn encode(&self, state: &State, bytes: &mut Vec<u8>) {
        // In another order than the components have.
        bytes.extend(&state.processes);
        bytes.push(state.shared);
    }

    fn decode(&self, bytes: &[u8]) -> Option<State> {
        let (shared, processes) = bytes.split_last()?;
        (processes.len() == self.processes).then(|| State {
            shared: *shared,
            processes: processes.to_vec(),
        })
    }

    fn to_tla(&self, state: &State) -> TlaState {
        let processes = state.processes.iter().map(|own| Value::int(*own));
        TlaState::new([
            ("shared", Value::int(state.shared)),
            ("processes", Value::tuple(processes)),
        ])
    }

    fn parse_tla(&self, _: &TlaState) -> Result<State, NotAState> {
        Err(NotAState::new("shared", "no text", None))
    }
}

impl Components for Cluster {
    fn component_count(&self) -> usize {
        self.processes + 1
    }

    fn encode_component(&self, state: &State, component: usize, bytes: &mut Vec<u8>) {
        let own = self.own(state, component);
        // Values of different lengths.
        bytes.extend(std::iter::repeat_n(own as u8, 1 + own as usize % 3));
    }

    fn decode_components(&self, components: &[&[u8]]) -> Option<State> {
        let values: Option<Vec<u8>> = components.iter().map(|c| c.first().copied()).collect();
        let (shared, processes) = values?.split_first().map(|(s, p)| (*s, p.to_vec()))?;
        Some(State { shared, processes })
    }
}

impl LocalSteps for Cluster {
    fn component_successors(
        &self,
        state: &State,
        component: usize,
        sink: &mut dyn FnMut(Action, State),
    ) {
        for action in self.enabled(state, component) {
            let after = self.step(state, &action);
            sink(action, after);
        }
    }
}

/// A cluster with these constants and this further text of its cfg.
pub(crate) fn cluster(
    [seed, shared, own, processes, rarity]: [u64; 5],
    spoils: bool,
    cfg: &str,
) -> Box<dyn ConfiguredModel> {
    let spoils = u8::from(spoils);
    let text = format!(
        "SPECIFICATION Spec CONSTANTS Seed = {seed} Shared = {shared} Own = {own} \
         Processes = {processes} Rarity = {rarity} Spoils = {spoils} {cfg}"
    );
    let registry = Registry::new().with::<Cluster>();
    let cfg = plumb_tla::parse_cfg(&text).unwrap();
    registry.find("cluster").unwrap().configure(&cfg).unwrap()
}

/// One that takes a moment: some hundred thousand states.
pub(crate) fn large(seed: u64, cfg: &str) -> Box<dyn ConfiguredModel> {
    cluster([seed, 30, 8, 5, 0], false, cfg)
}

/// One that takes longer than starting a process, and not much: some ten thousand states.
pub(crate) fn medium(seed: u64, cfg: &str) -> Box<dyn ConfiguredModel> {
    cluster([seed, 16, 6, 4, 0], false, cfg)
}
