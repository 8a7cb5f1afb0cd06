//! SingleClaimScopeWitness: invariant NoAutomaticScope is violated, 6 states.
//!
//! Written by `plumb trace --as-test`. The test holds as long as this is a behaviour of the model
//! that violates the property. When the model is mended, it fails at the first step that is no
//! longer possible: then it has done its work, or is turned round.

use std::error::Error;

use plumb_checker::Encoded;
use plumb_tla::{parse_cfg, parse_state};

/// The model.
const MODEL: &str = "claim-scope";

/// The configuration.
const CFG: &str = r"\* Wanted to fail: an omitted selector reaches an authorised effect.
SPECIFICATION Spec
CONSTANT ClaimCount = 1
INVARIANT Safety
INVARIANT NoAutomaticScope
";

/// What it violates.
const PROPERTY: &str = "NoAutomaticScope";

/// Each state, with the action that leads to it; none leads to the first.
#[rustfmt::skip]
const STEPS: &[(&str, &str)] = &[
    ("", r#"/\ phase = "agent"
/\ intents = <<"none">>
/\ outputs = <<-1>>
/\ log = <<>>
/\ effects = {}
/\ verified = {}
/\ admitted = {}
/\ rejected = {}"#),
    ("StageOutput(0)", r#"/\ phase = "agent"
/\ intents = <<"none">>
/\ outputs = <<0>>
/\ log = <<>>
/\ effects = {}
/\ verified = {}
/\ admitted = {}
/\ rejected = {}"#),
    (r#"FinishIntent(0, "completed")"#, r#"/\ phase = "agent"
/\ intents = <<"completed">>
/\ outputs = <<0>>
/\ log = <<>>
/\ effects = {}
/\ verified = {}
/\ admitted = {}
/\ rejected = {}"#),
    ("BeginFinalize", r#"/\ phase = "finalizing"
/\ intents = <<"completed">>
/\ outputs = <<0>>
/\ log = <<>>
/\ effects = {}
/\ verified = {}
/\ admitted = {}
/\ rejected = {}"#),
    ("Finalize(1)", r#"/\ phase = "finalizing"
/\ intents = <<"completed">>
/\ outputs = <<0>>
/\ log = <<[claim |-> 1, kind |-> "Completion"]>>
/\ effects = {}
/\ verified = {}
/\ admitted = {}
/\ rejected = {}"#),
    ("Effect(1)", r#"/\ phase = "finalizing"
/\ intents = <<"completed">>
/\ outputs = <<0>>
/\ log = <<[claim |-> 1, kind |-> "Completion"]>>
/\ effects = {[claim |-> 1, raw_handle |-> 0]}
/\ verified = {}
/\ admitted = {}
/\ rejected = {}"#),
];

const FOREIGN: &str = "the model does not know its own state";

#[test]
fn the_trace_of_single_claim_scope_witness_is_still_there() -> Result<(), Box<dyn Error>> {
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
    let last = behaviour.pop().ok_or("there is no state")?;
    let before = behaviour.pop();
    let violated = model.violated(before.as_deref(), &last).ok_or(FOREIGN)?;
    let mut violated = violated.iter().map(|violated| violated.property);
    assert!(violated.any(|name| name == PROPERTY), "{PROPERTY} holds");
    Ok(())
}
