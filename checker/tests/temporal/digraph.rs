//! A model that is a small graph, with predicates, a formula and fairness given by the test.

use std::sync::{Arc, Mutex, PoisonError};

use plumb_checker::{
    CheckedModel, ConfigurationError, ConfiguredModel, Fairness, Formula, NotAState, Progress,
    Reader, Registry, Report, SearchOptions, TemporalProperty,
};
use plumb_tla::{State, Value};

/// The names of the actions.
pub(crate) const ACTIONS: [&str; 3] = ["A", "B", "C"];

/// A temporal formula over the predicates of a [`Case`], by number.
#[derive(Clone, Debug)]
pub(crate) enum Shape {
    Predicate(usize),
    Not(Box<Self>),
    All(Vec<Self>),
    Implies(Box<Self>, Box<Self>),
    Always(Box<Self>),
    Eventually(Box<Self>),
    LeadsTo(Box<Self>, Box<Self>),
}

impl Shape {
    pub(crate) fn infinitely_often(predicate: usize) -> Self {
        Self::Always(Box::new(Self::Eventually(Box::new(Self::Predicate(
            predicate,
        )))))
    }

    pub(crate) fn in_the_end(predicate: usize) -> Self {
        Self::Eventually(Box::new(Self::Always(Box::new(Self::Predicate(predicate)))))
    }

    pub(crate) fn leads_to(premise: usize, goal: usize) -> Self {
        Self::LeadsTo(
            Box::new(Self::Predicate(premise)),
            Box::new(Self::Predicate(goal)),
        )
    }

    pub(crate) fn implies(self, conclusion: Self) -> Self {
        Self::Implies(Box::new(self), Box::new(conclusion))
    }

    fn formula(&self) -> Formula<Digraph> {
        let boxed = |inner: &Self| Box::new(inner.formula());
        match self {
            Self::Predicate(number) => {
                let number = *number;
                Formula::state(format!("p{number}"), move |model: &Digraph, state: &u8| {
                    model.0.predicates[number].contains(state)
                })
            }
            Self::Not(inner) => Formula::Not(boxed(inner)),
            Self::All(conjuncts) => Formula::all(conjuncts.iter().map(Self::formula)),
            Self::Implies(premise, conclusion) => {
                Formula::Implies(boxed(premise), boxed(conclusion))
            }
            Self::Always(inner) => Formula::Always(boxed(inner)),
            Self::Eventually(inner) => Formula::Eventually(boxed(inner)),
            Self::LeadsTo(premise, goal) => Formula::LeadsTo(boxed(premise), boxed(goal)),
        }
    }
}

/// What a test writes down.
#[derive(Clone, Debug)]
pub(crate) struct Case {
    pub(crate) initial: Vec<u8>,
    /// (source, action, target); the action's parameter is its target modulo 2.
    pub(crate) edges: Vec<(u8, usize, u8)>,
    /// The states in which each predicate holds.
    pub(crate) predicates: Vec<Vec<u8>>,
    pub(crate) fairness: Vec<Fairness>,
    pub(crate) formula: Shape,
}

/// The model of a [`Case`].
#[derive(Clone, Debug)]
pub(crate) struct Digraph(Arc<Case>);

/// The cases, which a cfg names by number.
static CASES: Mutex<Vec<Arc<Case>>> = Mutex::new(Vec::new());

impl Case {
    /// The model, with its property chosen.
    pub(crate) fn configure(&self) -> Box<dyn ConfiguredModel> {
        self.configure_with("PROPERTY Live")
            .expect("the property can be decided")
    }

    /// The model with these statements in its cfg.
    pub(crate) fn configure_with(
        &self,
        statements: &str,
    ) -> Result<Box<dyn ConfiguredModel>, ConfigurationError> {
        let number = {
            let mut cases = CASES.lock().unwrap_or_else(PoisonError::into_inner);
            cases.push(Arc::new(self.clone()));
            cases.len() - 1
        };
        let cfg = format!("SPECIFICATION Spec CONSTANT Case = {number} {statements}");
        let cfg = plumb_tla::parse_cfg(&cfg).expect("it is a cfg");
        let registry = Registry::new().with::<Digraph>();
        registry.models()[0].configure(&cfg)
    }

    /// The report of a check with this many threads.
    pub(crate) fn check(&self, threads: usize) -> Report {
        let options = SearchOptions {
            threads: threads.try_into().expect("not zero"),
            ..SearchOptions::default()
        };
        self.configure().check(&options, &Progress::default())
    }
}

impl stateright::Model for Digraph {
    type State = u8;
    type Action = (usize, u8);

    fn init_states(&self) -> Vec<u8> {
        self.0.initial.clone()
    }

    fn actions(&self, state: &u8, actions: &mut Vec<(usize, u8)>) {
        let out = self.0.edges.iter().filter(|(source, ..)| source == state);
        actions.extend(out.map(|(_, action, target)| (*action, *target)));
    }

    fn next_state(&self, _: &u8, (_, target): (usize, u8)) -> Option<u8> {
        Some(target)
    }
}

impl CheckedModel for Digraph {
    const NAME: &'static str = "digraph";
    const MODULE: &'static str = "Digraph";
    const VARIABLES: &'static [&'static str] = &["at"];
    const ACTIONS: &'static [&'static str] = &ACTIONS;

    fn configure(cfg: &mut Reader<'_>) -> Result<Self, ConfigurationError> {
        cfg.specification(&[("Spec", ())])?;
        let number = cfg.integer("Case")? as usize;
        let cases = CASES.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(Self(Arc::clone(&cases[number])))
    }

    fn action_index(&self, (action, _): &(usize, u8)) -> usize {
        *action
    }

    fn action_parameters(&self, (_, target): &(usize, u8)) -> Vec<Value> {
        vec![Value::int(i64::from(target % 2))]
    }

    fn temporal_properties() -> Vec<TemporalProperty<Self>> {
        vec![TemporalProperty {
            name: "Live",
            meaning: "the formula of the case",
            formula: |model| model.0.formula.formula(),
        }]
    }

    fn constraints() -> Vec<plumb_checker::Constraint<Self>> {
        vec![plumb_checker::Constraint::state(
            "Small",
            "states below 3",
            |_, state| *state < 3,
        )]
    }

    fn fairness(&self) -> Vec<Fairness> {
        self.0.fairness.clone()
    }

    fn encode(&self, state: &u8, bytes: &mut Vec<u8>) {
        bytes.push(*state);
    }

    fn decode(&self, bytes: &[u8]) -> Option<u8> {
        match bytes {
            [state] => Some(*state),
            _ => None,
        }
    }

    fn to_tla(&self, state: &u8) -> State {
        State::new([("at", Value::int(i64::from(*state)))])
    }

    fn parse_tla(&self, state: &State) -> Result<u8, NotAState> {
        let at = state.get("at");
        let number = at
            .and_then(Value::as_int)
            .and_then(|number| u8::try_from(number).ok());
        number.ok_or_else(|| NotAState::new("at", "a small number", at))
    }
}

/// The states of a report's trace.
pub(crate) fn states(report: &Report) -> Vec<u8> {
    let at = |step: &plumb_checker::TraceStep| {
        step.state
            .get("at")
            .and_then(Value::as_int)
            .and_then(|n| u8::try_from(n).ok())
    };
    report.trace.iter().filter_map(at).collect()
}
