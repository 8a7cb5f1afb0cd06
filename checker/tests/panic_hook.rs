//! Panics of a model with and without the hook, which is one for the whole process: hence a
//! program, and one test, of its own.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::sync::atomic::{AtomicUsize, Ordering};

use plumb_checker::{
    CheckedModel, ConfigurationError, Invariant, NotAState, Progress, Reader, Registry,
    SearchOptions, Verdict, model_panic,
};
use plumb_tla::{State, Value};

/// Two levels of a thousand numbers, the second one full of panics of the invariant.
#[derive(Clone)]
struct Fragile;

const LIMIT: u32 = 1000;

impl stateright::Model for Fragile {
    type State = u32;
    type Action = u32;

    fn init_states(&self) -> Vec<u32> {
        (0..LIMIT).collect()
    }

    fn actions(&self, _: &u32, actions: &mut Vec<u32>) {
        actions.extend([1, 2, 3]);
    }

    fn next_state(&self, number: &u32, step: u32) -> Option<u32> {
        (*number < 2 * LIMIT).then_some(number + step * LIMIT)
    }
}

impl CheckedModel for Fragile {
    const NAME: &'static str = "fragile";
    const MODULE: &'static str = "Fragile";
    const VARIABLES: &'static [&'static str] = &["number"];
    const ACTIONS: &'static [&'static str] = &["Add"];

    fn configure(_: &mut Reader<'_>) -> Result<Self, ConfigurationError> {
        Ok(Self)
    }

    fn action_index(&self, _: &u32) -> usize {
        0
    }

    fn action_parameters(&self, step: &u32) -> Vec<Value> {
        vec![Value::int(*step)]
    }

    fn invariants() -> Vec<Invariant<Self>> {
        vec![Invariant::state("Sound", "", |_, number| {
            assert!(*number <= LIMIT + 10 || *number >= 4 * LIMIT, "at {number}");
            true
        })]
    }

    fn encode(&self, number: &u32, bytes: &mut Vec<u8>) {
        bytes.extend(number.to_be_bytes());
    }

    fn decode(&self, bytes: &[u8]) -> Option<u32> {
        Some(u32::from_be_bytes(bytes.try_into().ok()?))
    }

    fn to_tla(&self, number: &u32) -> State {
        State::new([("number", Value::int(*number))])
    }

    fn parse_tla(&self, state: &State) -> Result<u32, NotAState> {
        let value = state.get("number");
        let number = value.and_then(Value::as_int);
        let number = number.and_then(|number| u32::try_from(number).ok());
        number.ok_or_else(|| NotAState::new("number", "a number", value))
    }
}

fn message(workers: usize) -> String {
    let registry = Registry::new().with::<Fragile>();
    let cfg = plumb_tla::parse_cfg("INVARIANT Sound").unwrap();
    let model = registry.find("fragile").unwrap().configure(&cfg).unwrap();
    let options = SearchOptions {
        threads: workers.try_into().unwrap(),
        ..SearchOptions::default()
    };
    let report = model.check(&options, &Progress::default());
    let Verdict::Error { message, state } = report.verdict else {
        panic!("{:?}", report.verdict);
    };
    assert_eq!(
        state,
        Some(State::new([("number", Value::int(LIMIT + 11))]))
    );
    message
}

#[test]
fn a_models_panic_is_silent_and_told_with_its_place_once_the_hook_is_installed() {
    static HEARD: AtomicUsize = AtomicUsize::new(0);
    // Stands for whatever hook a program had before; it counts instead of printing.
    std::panic::set_hook(Box::new(|_| {
        HEARD.fetch_add(1, Ordering::Relaxed);
    }));
    for workers in [1, 4] {
        assert_eq!(
            message(workers),
            "the model panicked: at 1011",
            "without the hook the place is not known"
        );
    }
    assert!(HEARD.swap(0, Ordering::Relaxed) > 0);

    model_panic::install_hook();
    let file = file!();
    let told = message(1);
    assert!(
        told.starts_with(&format!("the model panicked: at 1011 ({file}:")),
        "{told}"
    );
    assert_eq!(message(4), told);
    assert_eq!(HEARD.load(Ordering::Relaxed), 0);

    let elsewhere = std::panic::catch_unwind(|| panic!("not in a model"));
    assert!(elsewhere.is_err());
    assert_eq!(
        HEARD.load(Ordering::Relaxed),
        1,
        "the hook that was there before still hears it"
    );
}
