//! A million levels of one state each: the shape that wastes no memory and tests patience.

use std::time::{Duration, Instant};

use plumb_checker::{
    CheckedModel, ConfigurationError, Invariant, NotAState, Progress, Reader, Registry, Verdict,
};
use plumb_tla::{State, Value};

use crate::graph::threads;

const LENGTH: i64 = 1_000_000;

/// Counts to its limit, one at a time.
#[derive(Clone)]
struct Path {
    limit: i64,
}

impl stateright::Model for Path {
    type State = i64;
    type Action = ();

    fn init_states(&self) -> Vec<i64> {
        vec![1]
    }

    fn actions(&self, _: &i64, actions: &mut Vec<()>) {
        actions.push(());
    }

    fn next_state(&self, number: &i64, (): ()) -> Option<i64> {
        (*number < self.limit).then_some(number + 1)
    }
}

impl CheckedModel for Path {
    const NAME: &'static str = "path";
    const MODULE: &'static str = "Path";
    const VARIABLES: &'static [&'static str] = &["number"];
    const ACTIONS: &'static [&'static str] = &["Next"];

    fn configure(cfg: &mut Reader<'_>) -> Result<Self, ConfigurationError> {
        cfg.specification(&[("Spec", ())])?;
        let limit = cfg.integer("Limit")?;
        Ok(Self { limit })
    }

    fn action_index(&self, (): &()) -> usize {
        0
    }

    fn action_parameters(&self, (): &()) -> Vec<Value> {
        Vec::new()
    }

    fn invariants() -> Vec<Invariant<Self>> {
        vec![Invariant::state(
            "Short",
            "the end is not reached",
            |path, number| *number < path.limit,
        )]
    }

    fn encode(&self, number: &i64, bytes: &mut Vec<u8>) {
        bytes.extend(number.to_be_bytes());
    }

    fn decode(&self, bytes: &[u8]) -> Option<i64> {
        Some(i64::from_be_bytes(bytes.try_into().ok()?))
    }

    fn to_tla(&self, number: &i64) -> State {
        State::new([("number", Value::int(*number))])
    }

    fn parse_tla(&self, state: &State) -> Result<i64, NotAState> {
        let value = state.get("number");
        let number = value.and_then(Value::as_int);
        number.ok_or_else(|| NotAState::new("number", "an integer", value))
    }
}

/// Generous to a slow machine, and far below what anything quadratic would take.
const PATIENCE: Duration = Duration::from_secs(60);

#[test]
fn a_path_of_a_million_states_is_explored_and_its_counterexample_rebuilt() {
    let registry = Registry::new().with::<Path>();
    let cfg = format!("SPECIFICATION Spec CONSTANT Limit = {LENGTH}");
    let path = registry.find("path").unwrap();
    for workers in [1, 8] {
        let start = Instant::now();
        let model = path
            .configure(&plumb_tla::parse_cfg(&cfg).unwrap())
            .unwrap();
        let report = model.check(&threads(workers), &Progress::default());
        assert_eq!(report.verdict, Verdict::Exhausted);
        assert_eq!(report.depth() as i64, LENGTH);
        let explored = start.elapsed();

        let cfg = format!("{cfg} INVARIANT Short");
        let model = path
            .configure(&plumb_tla::parse_cfg(&cfg).unwrap())
            .unwrap();
        let report = model.check(&threads(workers), &Progress::default());
        assert_eq!(report.verdict.property(), Some("Short"));
        assert_eq!(report.trace.len() as i64, LENGTH);
        for (number, step) in (1..).zip(&report.trace) {
            assert_eq!(
                step.state.get("number").and_then(Value::as_int),
                Some(number)
            );
            assert_eq!(step.action.is_some(), number > 1);
        }
        let both = start.elapsed();
        println!("{workers} threads: explored in {explored:?}, with a counterexample {both:?}");
        assert!(both < PATIENCE, "{both:?} under {workers} threads");
    }
}
