//! A graph that is one path of a million states, ending in a cycle of a hundred thousand: whatever
//! recursed over it would overflow.

use plumb_checker::{
    CheckedModel, ConfigurationError, Fairness, Formula, Lasso, NotAState, Progress, Reader,
    Registry, SearchOptions, TemporalProperty, Verdict,
};
use plumb_tla::{State, Value};

const LENGTH: u32 = 1_000_000;
const END: u32 = LENGTH + 100_000;

/// Counts up to [`END`], and instead of reaching it goes back to [`LENGTH`].
#[derive(Clone, Debug)]
struct Path;

impl stateright::Model for Path {
    type State = u32;
    type Action = ();

    fn init_states(&self) -> Vec<u32> {
        vec![0]
    }

    fn actions(&self, _: &u32, actions: &mut Vec<()>) {
        actions.push(());
    }

    fn next_state(&self, state: &u32, (): ()) -> Option<u32> {
        Some(if state + 1 == END { LENGTH } else { state + 1 })
    }
}

impl CheckedModel for Path {
    const NAME: &'static str = "path";
    const MODULE: &'static str = "Path";
    const VARIABLES: &'static [&'static str] = &["at"];
    const ACTIONS: &'static [&'static str] = &["Step"];

    fn configure(cfg: &mut Reader<'_>) -> Result<Self, ConfigurationError> {
        cfg.specification(&[("Spec", ())])?;
        Ok(Self)
    }

    fn action_index(&self, (): &()) -> usize {
        0
    }

    fn action_parameters(&self, (): &()) -> Vec<Value> {
        Vec::new()
    }

    fn temporal_properties() -> Vec<TemporalProperty<Self>> {
        vec![
            TemporalProperty {
                name: "Arrives",
                meaning: "the last state is visited again and again",
                formula: |_| {
                    Formula::state("last", |_, at| *at == END - 1)
                        .eventually()
                        .always()
                },
            },
            TemporalProperty {
                name: "Rests",
                meaning: "it stays in the last state in the end",
                formula: |_| {
                    Formula::state("last", |_, at| *at == END - 1)
                        .always()
                        .eventually()
                },
            },
        ]
    }

    fn fairness(&self) -> Vec<Fairness> {
        vec![Fairness::weak(["Step"])]
    }

    fn encode(&self, state: &u32, bytes: &mut Vec<u8>) {
        bytes.extend(state.to_be_bytes());
    }

    fn decode(&self, bytes: &[u8]) -> Option<u32> {
        Some(u32::from_be_bytes(bytes.try_into().ok()?))
    }

    fn to_tla(&self, state: &u32) -> State {
        State::new([("at", Value::int(*state))])
    }

    fn parse_tla(&self, state: &State) -> Result<u32, NotAState> {
        let at = state.get("at");
        let number = at
            .and_then(Value::as_int)
            .and_then(|number| u32::try_from(number).ok());
        number.ok_or_else(|| NotAState::new("at", "a number", at))
    }
}

#[test]
fn a_path_of_a_million_states_is_decided_without_recursion() {
    let check = |property: &str| {
        let cfg = format!("SPECIFICATION Spec PROPERTY {property}");
        let cfg = plumb_tla::parse_cfg(&cfg).unwrap();
        let registry = Registry::new().with::<Path>();
        let model = registry.models()[0].configure(&cfg).unwrap();
        model.check(&SearchOptions::default(), &Progress::default())
    };
    assert_eq!(check("Arrives").verdict, Verdict::Exhausted);
    let report = check("Rests");
    assert_eq!(report.verdict.property(), Some("Rests"));
    assert_eq!(report.trace.len(), END as usize);
    assert!(
        matches!(report.lasso, Some((Lasso::BackTo(number), Some(_))) if number == LENGTH as usize + 1)
    );
}
