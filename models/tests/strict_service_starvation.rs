//! StrictServiceStarvation: temporal property EventualService is violated by its conjunct (<>[](2 \in eligible)) => ([]<>(served[2] = 1)), 20 states.
//!
//! Written by `plumb trace --as-test`. The test holds as long as this is a behaviour of the model
//! that violates the property. When the model is mended, it fails at the first step that is no
//! longer possible: then it has done its work, or is turned round.

use std::error::Error;

use plumb_checker::Encoded;
use plumb_tla::{parse_cfg, parse_state};

/// The model.
const MODEL: &str = "service";

/// The configuration.
const CFG: &str = r#"\* Wanted to fail: strict priority starves the keys behind the first.
SPECIFICATION Spec
CONSTANTS
    Weights <- ReferenceWeights
    Mode = "strict"
    Dynamic = FALSE
    Packable = TRUE
INVARIANT TypeOK
PROPERTY EventualService
"#;

/// What it violates.
const PROPERTY: &str = "EventualService";

/// Each state, with the action that leads to it; none leads to the first.
#[rustfmt::skip]
const STEPS: &[(&str, &str)] = &[
    ("", r"/\ passes = <<0, 0, 0>>
/\ active = {}
/\ eligible = {1, 2, 3}
/\ counts = <<0, 0, 0>>
/\ phase = 0
/\ completedCycle = FALSE
/\ cycleCounts = <<0, 0, 0>>
/\ served = <<0, 0, 0>>"),
    ("Grant", r"/\ passes = <<6, 4, 9>>
/\ active = {1, 2, 3}
/\ eligible = {1, 2, 3}
/\ counts = <<1, 0, 0>>
/\ phase = 1
/\ completedCycle = FALSE
/\ cycleCounts = <<0, 0, 0>>
/\ served = <<1, 0, 0>>"),
    ("Grant", r"/\ passes = <<6, 0, 3>>
/\ active = {1, 2, 3}
/\ eligible = {1, 2, 3}
/\ counts = <<2, 0, 0>>
/\ phase = 2
/\ completedCycle = FALSE
/\ cycleCounts = <<0, 0, 0>>
/\ served = <<0, 0, 0>>"),
    ("Grant", r"/\ passes = <<6, 0, 0>>
/\ active = {1, 2, 3}
/\ eligible = {1, 2, 3}
/\ counts = <<3, 0, 0>>
/\ phase = 3
/\ completedCycle = FALSE
/\ cycleCounts = <<0, 0, 0>>
/\ served = <<1, 0, 0>>"),
    ("Grant", r"/\ passes = <<6, 0, 0>>
/\ active = {1, 2, 3}
/\ eligible = {1, 2, 3}
/\ counts = <<4, 0, 0>>
/\ phase = 4
/\ completedCycle = FALSE
/\ cycleCounts = <<0, 0, 0>>
/\ served = <<0, 0, 0>>"),
    ("Grant", r"/\ passes = <<6, 0, 0>>
/\ active = {1, 2, 3}
/\ eligible = {1, 2, 3}
/\ counts = <<5, 0, 0>>
/\ phase = 5
/\ completedCycle = FALSE
/\ cycleCounts = <<0, 0, 0>>
/\ served = <<1, 0, 0>>"),
    ("Grant", r"/\ passes = <<6, 0, 0>>
/\ active = {1, 2, 3}
/\ eligible = {1, 2, 3}
/\ counts = <<6, 0, 0>>
/\ phase = 6
/\ completedCycle = FALSE
/\ cycleCounts = <<0, 0, 0>>
/\ served = <<0, 0, 0>>"),
    ("Grant", r"/\ passes = <<6, 0, 0>>
/\ active = {1, 2, 3}
/\ eligible = {1, 2, 3}
/\ counts = <<7, 0, 0>>
/\ phase = 7
/\ completedCycle = FALSE
/\ cycleCounts = <<0, 0, 0>>
/\ served = <<1, 0, 0>>"),
    ("Grant", r"/\ passes = <<6, 0, 0>>
/\ active = {1, 2, 3}
/\ eligible = {1, 2, 3}
/\ counts = <<8, 0, 0>>
/\ phase = 8
/\ completedCycle = FALSE
/\ cycleCounts = <<0, 0, 0>>
/\ served = <<0, 0, 0>>"),
    ("Grant", r"/\ passes = <<6, 0, 0>>
/\ active = {1, 2, 3}
/\ eligible = {1, 2, 3}
/\ counts = <<9, 0, 0>>
/\ phase = 9
/\ completedCycle = FALSE
/\ cycleCounts = <<0, 0, 0>>
/\ served = <<1, 0, 0>>"),
    ("Grant", r"/\ passes = <<6, 0, 0>>
/\ active = {1, 2, 3}
/\ eligible = {1, 2, 3}
/\ counts = <<0, 0, 0>>
/\ phase = 0
/\ completedCycle = TRUE
/\ cycleCounts = <<10, 0, 0>>
/\ served = <<0, 0, 0>>"),
    ("Grant", r"/\ passes = <<6, 0, 0>>
/\ active = {1, 2, 3}
/\ eligible = {1, 2, 3}
/\ counts = <<1, 0, 0>>
/\ phase = 1
/\ completedCycle = TRUE
/\ cycleCounts = <<10, 0, 0>>
/\ served = <<1, 0, 0>>"),
    ("Grant", r"/\ passes = <<6, 0, 0>>
/\ active = {1, 2, 3}
/\ eligible = {1, 2, 3}
/\ counts = <<2, 0, 0>>
/\ phase = 2
/\ completedCycle = TRUE
/\ cycleCounts = <<10, 0, 0>>
/\ served = <<0, 0, 0>>"),
    ("Grant", r"/\ passes = <<6, 0, 0>>
/\ active = {1, 2, 3}
/\ eligible = {1, 2, 3}
/\ counts = <<3, 0, 0>>
/\ phase = 3
/\ completedCycle = TRUE
/\ cycleCounts = <<10, 0, 0>>
/\ served = <<1, 0, 0>>"),
    ("Grant", r"/\ passes = <<6, 0, 0>>
/\ active = {1, 2, 3}
/\ eligible = {1, 2, 3}
/\ counts = <<4, 0, 0>>
/\ phase = 4
/\ completedCycle = TRUE
/\ cycleCounts = <<10, 0, 0>>
/\ served = <<0, 0, 0>>"),
    ("Grant", r"/\ passes = <<6, 0, 0>>
/\ active = {1, 2, 3}
/\ eligible = {1, 2, 3}
/\ counts = <<5, 0, 0>>
/\ phase = 5
/\ completedCycle = TRUE
/\ cycleCounts = <<10, 0, 0>>
/\ served = <<1, 0, 0>>"),
    ("Grant", r"/\ passes = <<6, 0, 0>>
/\ active = {1, 2, 3}
/\ eligible = {1, 2, 3}
/\ counts = <<6, 0, 0>>
/\ phase = 6
/\ completedCycle = TRUE
/\ cycleCounts = <<10, 0, 0>>
/\ served = <<0, 0, 0>>"),
    ("Grant", r"/\ passes = <<6, 0, 0>>
/\ active = {1, 2, 3}
/\ eligible = {1, 2, 3}
/\ counts = <<7, 0, 0>>
/\ phase = 7
/\ completedCycle = TRUE
/\ cycleCounts = <<10, 0, 0>>
/\ served = <<1, 0, 0>>"),
    ("Grant", r"/\ passes = <<6, 0, 0>>
/\ active = {1, 2, 3}
/\ eligible = {1, 2, 3}
/\ counts = <<8, 0, 0>>
/\ phase = 8
/\ completedCycle = TRUE
/\ cycleCounts = <<10, 0, 0>>
/\ served = <<0, 0, 0>>"),
    ("Grant", r"/\ passes = <<6, 0, 0>>
/\ active = {1, 2, 3}
/\ eligible = {1, 2, 3}
/\ counts = <<9, 0, 0>>
/\ phase = 9
/\ completedCycle = TRUE
/\ cycleCounts = <<10, 0, 0>>
/\ served = <<1, 0, 0>>"),
];

const FOREIGN: &str = "the model does not know its own state";

#[test]
fn the_trace_of_strict_service_starvation_is_still_there() -> Result<(), Box<dyn Error>> {
    let registry = plumb_models::registry();
    let entry = registry.find(MODEL).ok_or("there is no such model")?;
    let model = entry.configure(&parse_cfg(CFG)?)?;
    let mut behaviour: Vec<Encoded> = Vec::new();
    for (number, (action, values)) in (1..).zip(STEPS) {
        let state = model.parse(&parse_state(values)?)?;
        let possible = match behaviour.last() {
            None => model.initial_states().contains(&state),
            Some(before) => {
                let mut ways = model.successors(before).ok_or(FOREIGN)?.into_iter();
                ways.any(|way| way.state == state && way.action.to_string() == *action)
            }
        };
        assert!(possible, "state {number} cannot be reached so: {action}");
        behaviour.push(state);
    }

    // It goes on for ever, from the state at index 10.
    model.judge_lasso(PROPERTY, &behaviour, 10)?;
    Ok(())
}
