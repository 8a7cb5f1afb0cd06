//! A graph of ten million states, in one strongly connected component and in many.
//!
//! Too slow for every day: `cargo test --release -p plumb-checker --test temporal -- --ignored
//! --nocapture ten_million` prints the memory it takes.

#![allow(clippy::unwrap_used)]

use plumb_checker::{
    CheckedModel, ConfigurationError, Fairness, Formula, NotAState, Progress, Reader, Registry,
    Report, SearchOptions, TemporalProperty, Verdict,
};
use plumb_tla::{State, Value};

/// Positions along each side.
const SIDE: u32 = 3_200;

/// A walk over a square: right and down, and from the last column and row back to the first, if the
/// square is a torus.
#[derive(Clone, Debug)]
struct Square {
    torus: bool,
}

impl stateright::Model for Square {
    type State = (u32, u32);
    type Action = bool;

    fn init_states(&self) -> Vec<(u32, u32)> {
        vec![(0, 0)]
    }

    fn actions(&self, _: &(u32, u32), actions: &mut Vec<bool>) {
        actions.extend([false, true]);
    }

    fn next_state(&self, (x, y): &(u32, u32), right: bool) -> Option<(u32, u32)> {
        let step = |at: u32| match at + 1 {
            SIDE if self.torus => Some(0),
            SIDE => None,
            next => Some(next),
        };
        if right {
            Some((step(*x)?, *y))
        } else {
            Some((*x, step(*y)?))
        }
    }
}

impl CheckedModel for Square {
    const NAME: &'static str = "square";
    const MODULE: &'static str = "Square";
    const VARIABLES: &'static [&'static str] = &["x", "y"];
    const ACTIONS: &'static [&'static str] = &["Down", "Right"];

    fn configure(cfg: &mut Reader<'_>) -> Result<Self, ConfigurationError> {
        let torus = cfg.specification(&[("Torus", true), ("Plane", false)])?;
        Ok(Self { torus })
    }

    fn action_index(&self, right: &bool) -> usize {
        usize::from(*right)
    }

    fn action_parameters(&self, _: &bool) -> Vec<Value> {
        Vec::new()
    }

    fn temporal_properties() -> Vec<TemporalProperty<Self>> {
        vec![
            TemporalProperty {
                name: "EndsInCorner",
                meaning: "in the end it stays in the corner",
                formula: |_| {
                    Formula::state("corner", |_, at| *at == (SIDE - 1, SIDE - 1))
                        .always()
                        .eventually()
                },
            },
            TemporalProperty {
                name: "ReturnsToColumn",
                meaning: "the first column again and again",
                formula: |_| {
                    Formula::state("column", |_, (x, _): &(u32, u32)| *x == 0)
                        .eventually()
                        .always()
                },
            },
        ]
    }

    fn fairness(&self) -> Vec<Fairness> {
        vec![Fairness::weak(["Down"]), Fairness::weak(["Right"])]
    }

    fn encode(&self, (x, y): &(u32, u32), bytes: &mut Vec<u8>) {
        bytes.extend((*x as u16).to_be_bytes());
        bytes.extend((*y as u16).to_be_bytes());
    }

    fn decode(&self, bytes: &[u8]) -> Option<(u32, u32)> {
        let [a, b, c, d] = bytes.try_into().ok()?;
        let number = |high, low| u32::from(u16::from_be_bytes([high, low]));
        Some((number(a, b), number(c, d)))
    }

    fn to_tla(&self, (x, y): &(u32, u32)) -> State {
        State::new([("x", Value::int(*x)), ("y", Value::int(*y))])
    }

    fn parse_tla(&self, _: &State) -> Result<(u32, u32), NotAState> {
        Err(NotAState::new("x", "nothing: it is never parsed", None))
    }
}

fn check(cfg: &str) -> Report {
    let cfg = plumb_tla::parse_cfg(cfg).unwrap();
    let registry = Registry::new().with::<Square>();
    let model = registry.models()[0].configure(&cfg).unwrap();
    let report = model.check(&SearchOptions::default(), &Progress::default());
    println!(
        "{} states, {:.1} s, {} MiB",
        report.distinct,
        report.elapsed.as_secs_f64(),
        report.memory >> 20
    );
    assert_eq!(report.distinct, u64::from(SIDE * SIDE));
    report
}

#[test]
#[ignore = "ten million states: for the release build"]
fn ten_million_states_in_as_many_components_are_decided() {
    let report = check("SPECIFICATION Plane PROPERTY EndsInCorner");
    assert_eq!(report.verdict, Verdict::Exhausted);
}

#[test]
#[ignore = "ten million states: for the release build"]
fn ten_million_states_in_one_component_are_decided() {
    let report = check("SPECIFICATION Torus PROPERTY ReturnsToColumn");
    // Both actions are always enabled, so the walk may not go down for ever.
    assert_eq!(report.verdict, Verdict::Exhausted);
    let report = check("SPECIFICATION Torus PROPERTY EndsInCorner");
    assert_eq!(report.verdict.property(), Some("EndsInCorner"));
}
