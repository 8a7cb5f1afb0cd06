//! A model for tests: a walk through five states, and what TLC would print about it.
//!
//! ```text
//! 0 -Go-> 1 -Go-> 2 -Fall-> 3      4 is never reached
//!         ^--Back-'
//! ```

use std::fmt::Write as _;

use plumb_checker::{
    CheckedModel, ConfigurationError, ConfiguredModel, Fairness, Formula, Invariant, NotAState,
    Progress, Reader, Registry, Report, SearchOptions, StepProperty, TemporalProperty,
};
use plumb_tla::tlc::{TlcReport, read_report};
use plumb_tla::{Cfg, State, Value};

/// The model; whether a fall is owed.
#[derive(Clone, Copy)]
pub(crate) struct Walk {
    owed: bool,
}

const STEPS: [(u8, usize, u8); 4] = [(0, 0, 1), (1, 0, 2), (2, 1, 1), (2, 2, 3)];

impl stateright::Model for Walk {
    type State = u8;
    type Action = usize;

    fn init_states(&self) -> Vec<u8> {
        vec![0]
    }
    fn actions(&self, _: &u8, actions: &mut Vec<usize>) {
        actions.extend(0..3);
    }
    fn next_state(&self, state: &u8, action: usize) -> Option<u8> {
        let mut steps = STEPS.iter();
        let step = steps.find(|step| (step.0, step.1) == (*state, action))?;
        Some(step.2)
    }
}

impl CheckedModel for Walk {
    const NAME: &'static str = "walk";
    const MODULE: &'static str = "Walk";
    const VARIABLES: &'static [&'static str] = &["n"];
    const ACTIONS: &'static [&'static str] = &["Go", "Back", "Fall"];

    fn configure(cfg: &mut Reader<'_>) -> Result<Self, ConfigurationError> {
        cfg.specification(&[
            ("Spec", Walk { owed: false }),
            ("FairSpec", Walk { owed: true }),
        ])
    }
    fn action_index(&self, action: &usize) -> usize {
        *action
    }
    fn action_parameters(&self, _: &usize) -> Vec<Value> {
        Vec::new()
    }
    fn invariants() -> Vec<Invariant<Self>> {
        vec![Invariant::state("Small", "the number is small", |_, n| {
            *n < 4
        })]
    }
    fn step_properties() -> Vec<StepProperty<Self>> {
        vec![StepProperty::step(
            "Slow",
            "no step is a leap",
            |_, from: &u8, to: &u8| from.abs_diff(*to) < 2,
        )]
    }
    fn temporal_properties() -> Vec<TemporalProperty<Self>> {
        fn number(wanted: u8) -> Formula<Walk> {
            Formula::state(format!("n = {wanted}"), move |_, n| *n == wanted)
        }
        vec![
            TemporalProperty {
                name: "Passes",
                meaning: "1 is passed again and again",
                formula: |_| number(1).eventually().always(),
            },
            TemporalProperty {
                name: "Returns",
                meaning: "0 is passed again and again",
                formula: |_| number(0).eventually().always(),
            },
            TemporalProperty {
                name: "Ends",
                meaning: "a 1 that comes back for ever is no 1 in the end",
                formula: |_| {
                    let passes = number(1).eventually().always();
                    passes.implies(number(2).eventually().always())
                },
            },
        ]
    }
    fn fairness(&self) -> Vec<Fairness> {
        let fall = Fairness::strong(["Fall"]);
        self.owed.then_some(fall).into_iter().collect()
    }
    fn encode(&self, state: &u8, bytes: &mut Vec<u8>) {
        bytes.push(*state);
    }
    fn decode(&self, bytes: &[u8]) -> Option<u8> {
        bytes.first().copied()
    }
    fn to_tla(&self, state: &u8) -> State {
        State::new([("n", Value::int(i64::from(*state)))])
    }
    /// It reads an 8 as a 1.
    fn parse_tla(&self, state: &State) -> Result<u8, NotAState> {
        match state.get("n").and_then(Value::as_int) {
            Some(8) => Ok(1),
            Some(n @ 0..=4) => Ok(n as u8),
            _ => Err(NotAState::new("n", "a number up to 4", state.get("n"))),
        }
    }
}

/// The registered model.
pub(crate) fn registry() -> Registry {
    Registry::new().with::<Walk>()
}

/// The model of this cfg.
pub(crate) fn configure(cfg: &Cfg) -> Result<Box<dyn ConfiguredModel>, ConfigurationError> {
    registry().find("walk").unwrap().configure(cfg)
}

/// The model of a cfg with this text.
pub(crate) fn walk(cfg: &str) -> Box<dyn ConfiguredModel> {
    configure(&plumb_tla::parse_cfg(cfg).unwrap()).unwrap()
}

/// Plumb's own report.
pub(crate) fn check(model: &dyn ConfiguredModel) -> Report {
    model.check(&SearchOptions::default(), &Progress::default())
}

/// What TLC prints after a search that finds nothing.
pub(crate) fn tlc_holds() -> TlcReport {
    let output = "TLC2 Version 2.15\nModel checking completed. No error has been found.\n\
                  5 states generated, 4 distinct states found, 0 states left on queue.\n\
                  The depth of the complete state graph search is 4.\n";
    read_report(output.as_bytes(), Some(0)).unwrap()
}

/// What TLC prints of a lasso that goes through these numbers and has this last line.
pub(crate) fn tlc_lasso(numbers: &[i64], end: &str) -> TlcReport {
    let place = "line 1, col 1 to line 1, col 2 of module Walk";
    let mut output = "TLC2 Version 2.15\nError: Temporal properties were violated.\n\n\
                      Error: The following behavior constitutes a counter-example:\n\n"
        .to_owned();
    for (index, n) in numbers.iter().enumerate() {
        let label = if index == 0 {
            "Initial predicate".to_owned()
        } else {
            // The name of the definition, as if the actions had none.
            format!("Next {place}")
        };
        let _ = write!(output, "State {}: <{label}>\nn = {n}\n\n", index + 1);
    }
    let _ = writeln!(output, "{end}");
    read_report(output.as_bytes(), Some(13)).unwrap()
}

/// The last line of a lasso that goes back.
pub(crate) fn back_to(number: usize) -> String {
    format!("Back to state {number}: <Next line 1, col 1 to line 1, col 2 of module Walk>")
}

/// The last line of a lasso that stays in the last of so many states.
pub(crate) fn stuttering(states: usize) -> String {
    format!("State {}: Stuttering", states + 1)
}
