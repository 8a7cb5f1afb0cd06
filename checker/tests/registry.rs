//! What a program may register: models of different names, with tables that make sense.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use plumb_checker::{
    CheckedModel, ConfigurationError, Constraint, Invariant, NotAState, Reader, Registry,
    StepProperty,
};
use plumb_tla::{State, Value, parse_cfg};

/// A parameter of [`Careless`] that makes it a model of another name, without a fault.
const OTHER: u8 = 100;

/// A model that reads nothing of its cfg, and whose tables are given by the parameter.
#[derive(Clone)]
struct Careless<const FAULT: u8>;

impl<const FAULT: u8> stateright::Model for Careless<FAULT> {
    type State = ();
    type Action = ();

    fn init_states(&self) -> Vec<()> {
        Vec::new()
    }

    fn actions(&self, (): &(), _: &mut Vec<()>) {}

    fn next_state(&self, (): &(), (): ()) -> Option<()> {
        None
    }
}

impl<const FAULT: u8> CheckedModel for Careless<FAULT> {
    const NAME: &'static str = match FAULT {
        OTHER => "other",
        _ => "careless",
    };
    const MODULE: &'static str = "Careless";
    const VARIABLES: &'static [&'static str] = &[];
    const ACTIONS: &'static [&'static str] = match FAULT {
        1 => &["Go", "Stop", "Go"],
        _ => &["Go", "Stop"],
    };

    fn configure(_: &mut Reader<'_>) -> Result<Self, ConfigurationError> {
        Ok(Self)
    }

    fn action_index(&self, (): &()) -> usize {
        0
    }

    fn action_parameters(&self, (): &()) -> Vec<Value> {
        Vec::new()
    }

    fn invariants() -> Vec<Invariant<Self>> {
        let mut table = vec![
            Invariant::state("A", "", |_, ()| true),
            Invariant::all("Both", "", &["A", "Inner"]),
            Invariant::all("Inner", "", &["A"]),
        ];
        match FAULT {
            2 => table.push(Invariant::state("A", "", |_, ()| false)),
            3 => table.push(Invariant::all("Other", "", &["A", "Missing"])),
            4 => table.push(Invariant::all("Self", "", &["Self"])),
            5 => {
                table.push(Invariant::all("One", "", &["A", "Two"]));
                table.push(Invariant::all("Two", "", &["Both", "One"]));
            }
            6 => table.push(Invariant::all("Nothing", "", &[])),
            _ => {}
        }
        table
    }

    fn step_properties() -> Vec<StepProperty<Self>> {
        let step = |name| StepProperty::step(name, "", |_: &Self, (): &(), (): &()| true);
        match FAULT {
            7 => vec![step("A")],
            8 => vec![step("P"), step("P")],
            _ => vec![step("P")],
        }
    }

    fn constraints() -> Vec<Constraint<Self>> {
        let constraint = |name| Constraint::state(name, "", |_: &Self, (): &()| true);
        match FAULT {
            9 => vec![constraint("Near"), constraint("Near")],
            // An operator of the module can serve as both.
            _ => vec![constraint("Near"), constraint("A")],
        }
    }

    fn encode(&self, (): &(), _: &mut Vec<u8>) {}

    fn decode(&self, _: &[u8]) -> Option<()> {
        Some(())
    }

    fn to_tla(&self, (): &()) -> State {
        State::new::<&str>([])
    }

    fn parse_tla(&self, _: &State) -> Result<(), NotAState> {
        Ok(())
    }
}

fn registration<const FAULT: u8>() -> Option<String> {
    let registered = std::panic::catch_unwind(|| Registry::new().with::<Careless<FAULT>>());
    let payload = registered.err()?;
    payload.downcast_ref::<String>().cloned()
}

#[test]
fn defects_of_a_models_tables_are_found_when_it_is_registered() {
    assert_eq!(registration::<0>(), None);
    let told = |fault: &str| Some(format!("the model careless: {fault}"));
    assert_eq!(registration::<1>(), told("Go is defined twice"));
    assert_eq!(registration::<2>(), told("A is defined twice"));
    assert_eq!(
        registration::<3>(),
        told("Other names Missing, which is no invariant")
    );
    assert_eq!(
        registration::<4>(),
        told("the conjunction Self contains itself")
    );
    assert_eq!(
        registration::<5>(),
        told("the conjunction One contains itself")
    );
    assert_eq!(
        registration::<6>(),
        told("the conjunction Nothing has no conjuncts")
    );
    assert_eq!(registration::<7>(), told("A is defined twice"));
    assert_eq!(registration::<8>(), told("P is defined twice"));
    assert_eq!(registration::<9>(), told("Near is defined twice"));
}

#[test]
#[should_panic(expected = "two models are named careless")]
fn two_models_of_one_name_are_a_defect_of_the_program() {
    let registry = Registry::new().with::<Careless<0>>();
    let _ = registry.with::<Careless<OTHER>>().with::<Careless<0>>();
}

#[test]
fn models_are_found_by_name_in_the_order_in_which_they_were_added() {
    let registry = Registry::new().with::<Careless<OTHER>>();
    let registry = registry.with::<Careless<0>>();
    let names: Vec<_> = registry.models().iter().map(|entry| entry.name).collect();
    assert_eq!(names, ["other", "careless"]);
    assert_eq!(registry.find("careless").unwrap().module, "Careless");
    assert!(registry.find("Careless").is_none());
    assert!(registry.specs().0.is_empty());
}

#[test]
fn nothing_of_a_cfg_is_ignored_even_by_a_model_that_asks_for_nothing() {
    let registry = Registry::new().with::<Careless<0>>();
    let careless = registry.find("careless").unwrap();
    let error = |text| careless.configure(&parse_cfg(text).unwrap()).err().unwrap();
    assert_eq!(
        error("SPECIFICATION Spec").to_string(),
        "unknown specification Spec: expected none, the model has no such thing"
    );
    assert_eq!(
        error("CONSTANT N = 1").to_string(),
        "unknown constant N: expected none, the model has no such thing"
    );
    assert!(
        careless
            .configure(&parse_cfg("INVARIANT A CONSTRAINT A").unwrap())
            .is_ok()
    );
}
