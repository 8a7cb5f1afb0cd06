//! RaceFound: invariant MutualExclusion is violated, 5 states.
//!
//! Written by `plumb trace --as-test`. The test holds as long as this is a behaviour of the model
//! that violates the property. When the model is mended, it fails at the first step that is no
//! longer possible: then it has done its work, or is turned round.

use std::error::Error;

use plumb_checker::Encoded;
use plumb_tla::{parse_cfg, parse_state};

/// The model.
const MODEL: &str = "naive-lock";

/// The configuration.
const CFG: &str = r"\* Looking and taking are two steps, and another worker may come between them.
SPECIFICATION Spec
CONSTANTS
  Workers = 2
  Atomic = FALSE
INVARIANTS
  TypeOK
  MutualExclusion
";

/// What it violates.
const PROPERTY: &str = "MutualExclusion";

/// Each state, with the action that leads to it; none leads to the first.
#[rustfmt::skip]
const STEPS: &[(&str, &str)] = &[
    ("", r#"/\ phase = <<"away", "away">>"#),
    ("Look(2)", r#"/\ phase = <<"away", "looked">>"#),
    ("Look(1)", r#"/\ phase = <<"looked", "looked">>"#),
    ("Take(2)", r#"/\ phase = <<"looked", "holding">>"#),
    ("Take(1)", r#"/\ phase = <<"holding", "holding">>"#),
];

const FOREIGN: &str = "the model does not know its own state";

#[test]
fn the_trace_of_race_found_is_still_there() -> Result<(), Box<dyn Error>> {
    let registry = crate::registry();
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
    let last = behaviour.pop().ok_or("there is no state")?;
    let before = behaviour.pop();
    let violated = model.violated(before.as_deref(), &last).ok_or(FOREIGN)?;
    let mut violated = violated.iter().map(|violated| violated.property);
    assert!(violated.any(|name| name == PROPERTY), "{PROPERTY} holds");
    Ok(())
}
