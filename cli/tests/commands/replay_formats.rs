//! `plumb replay`: traces in the formats of other tools, of real models, from end to end.

use std::fs;
use std::path::Path;

use plumb_tla::Value;
use serde_json::json;

use crate::program::{empty_folder, plumb, plumb_in, run};
use crate::replay::{replay, traces};

/// Configurations with a counterexample of each kind, and of models with all kinds of values.
const COUNTEREXAMPLES: [&str; 6] = [
    "MixedClaimDAGWitness",
    "LifecycleMixedDAGWitness",
    "DAGJoinWitness",
    "RecoveryWitness",
    "StrictServiceStarvation",
    "UnfairServiceStarvation",
];

/// The file is accepted as a behaviour of the configuration and ends in what a check finds.
fn assert_accepted(folder: &Path, name: &str, format: &str) {
    let found = replay(folder, &format!("t --config {name} --json"));
    assert_eq!(found.status, 0, "{name}: {}", found.out);
    let trace = &traces(&found)[0];
    let expected = plumb(&format!("trace {name} --format json")).json();
    assert_eq!(trace["format"], format, "{name}");
    assert_eq!(trace["ends_in"], expected["property"], "{name}: {trace:#}");
    assert_eq!(trace["steps"], expected["trace"], "{name}");
}

/// A file in which a value is another one is refused, and not for being unreadable.
fn assert_refused(folder: &Path, name: &str) {
    let found = replay(folder, &format!("t --config {name} --json"));
    assert_eq!(found.status, 1, "{name}: {}", found.out);
    assert_eq!(traces(&found)[0]["outcome"], "refused", "{name}");
}

#[test]
fn an_itf_trace_is_replayed() {
    let folder = empty_folder();
    let path = folder.path().join("t");
    for name in COUNTEREXAMPLES {
        let arguments = format!("trace {name} --format itf --out t");
        assert_eq!(run(plumb_in(&folder, &arguments)).status, 0);
        assert_accepted(folder.path(), name, "itf");
        let mut text: serde_json::Value =
            serde_json::from_slice(&fs::read(&path).unwrap()).unwrap();
        let states = text["states"].as_array_mut().unwrap();
        if states.len() == 2 {
            continue;
        }
        // Without its second state.
        states.remove(1);
        for (index, state) in states.iter_mut().enumerate() {
            if let Some(number) = state.pointer_mut("/#meta/index") {
                *number = index.into();
            }
        }
        if let Some(back) = text.get_mut("loop") {
            *back = (back.as_u64().unwrap() - 1).into();
        }
        fs::write(&path, text.to_string()).unwrap();
        assert_refused(folder.path(), name);
    }
}

/// A value as TLC's JSON dump tells it.
fn dumped(value: &Value) -> serde_json::Value {
    let all = |values: &mut dyn Iterator<Item = &Value>| values.map(dumped).collect::<Vec<_>>();
    match value {
        Value::Bool(truth) => json!(truth),
        Value::Int(number) => json!(number),
        Value::Str(text) | Value::Model(text) => json!(text),
        Value::Set(items) => all(&mut items.iter()).into(),
        Value::Tuple(items) => all(&mut items.iter()).into(),
        Value::Record(fields) => fields
            .iter()
            .map(|(name, value)| (name.clone(), dumped(value)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
        Value::Function(pairs) => pairs
            .iter()
            .map(|(key, value)| (key.to_string(), dumped(value)))
            .collect::<serde_json::Map<_, _>>()
            .into(),
    }
}

/// The counterexample of a configuration as a JSON dump of TLC's.
fn dump(name: &str) -> serde_json::Value {
    let trace = plumb(&format!("trace {name} --format json")).json();
    let steps = trace["steps"].as_array().unwrap();
    let state = |index: usize| {
        let variables = steps[index]["state"].as_object().unwrap();
        let variables = variables.iter().map(|(variable, value)| {
            let value: Value = value.as_str().unwrap().parse().unwrap();
            (variable.clone(), dumped(&value))
        });
        let variables: serde_json::Map<_, _> = variables.collect();
        json!([index + 1, variables])
    };
    let action = |step: &serde_json::Value| json!({ "name": step["action"]["name"] });
    let mut actions: Vec<_> = (1..steps.len())
        .map(|index| json!([state(index - 1), action(&steps[index]), state(index)]))
        .collect();
    let last = steps.len() - 1;
    let lasso = &trace["lasso"];
    if lasso["stuttering"] == true {
        actions.push(json!([state(last), { "name": "Stuttering" }, state(last)]));
    } else if let Some(number) = lasso["back_to"].as_u64() {
        let back = state(number as usize - 1);
        actions.push(json!([state(last), action(lasso), back]));
    }
    let states: Vec<_> = (0..steps.len()).map(state).collect();
    json!({ "counterexample": { "action": actions, "state": states } })
}

#[test]
fn a_json_dump_of_tlc_is_replayed() {
    let folder = empty_folder();
    let path = folder.path().join("t");
    for name in COUNTEREXAMPLES {
        let dump = dump(name);
        fs::write(&path, dump.to_string()).unwrap();
        assert_accepted(folder.path(), name, "tlc-json");
        if dump["counterexample"]["action"].as_array().unwrap().len() == 2 {
            continue;
        }
        let mut refused = dump.clone();
        let first = refused["counterexample"]["action"][0]
            .as_array_mut()
            .unwrap();
        first[1]["name"] = json!("Nobody");
        let changed = first[0].clone();
        // The first step changes nothing, and the second begins where it ended.
        first[2][1] = changed[1].clone();
        refused["counterexample"]["action"][1][0][1] = changed[1].clone();
        refused["counterexample"]["state"][1][1] = changed[1].clone();
        fs::write(&path, refused.to_string()).unwrap();
        assert_refused(folder.path(), name);
    }
}
