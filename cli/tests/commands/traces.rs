//! `plumb trace`.

use crate::program::{folder_with, lifecycle, plumb, plumb_in, run};

#[test]
fn a_trace_shows_each_action_and_what_changed() {
    let run = plumb("trace SingleClaimScopeWitness");
    assert_eq!((run.status, &*run.err), (0, ""));
    insta::assert_snapshot!(run.out);
}

#[test]
fn a_full_trace_shows_every_variable_of_every_state() {
    let run = plumb("trace BrokenMissingClaimScope --full");
    assert_eq!((run.status, &*run.err), (0, ""));
    insta::assert_snapshot!(run.out);
}

#[test]
fn long_values_are_wrapped_and_differences_go_into_them() {
    insta::assert_snapshot!(plumb("trace BrokenLifecycleSender").out);
}

#[test]
fn a_trace_as_json_has_all_states_and_names_what_changed() {
    let run = plumb("trace BrokenMissingClaimScope --format json");
    assert_eq!((run.status, &*run.err), (0, ""));
    insta::assert_json_snapshot!(run.json());
}

#[test]
fn json_and_text_tell_the_same_behaviour() {
    for name in ["MixedClaimDAGWitness", "BrokenLifecycleDelivery"] {
        let text = plumb(&format!("trace {name} --full")).out;
        let json = plumb(&format!("trace {name} --format json")).json();
        let steps = json["steps"].as_array().unwrap();
        assert_eq!(text.matches("\nState ").count(), steps.len());
        assert_eq!(json["trace"], steps.len());
        for step in steps {
            let number = step["number"].as_u64().unwrap();
            let label = match step["action"].as_object() {
                None => "initial state".to_owned(),
                Some(action) => {
                    let parameters = action["parameters"].as_array().unwrap();
                    let parameters: Vec<_> = parameters
                        .iter()
                        .map(|value| value.as_str().unwrap())
                        .collect();
                    let name = action["name"].as_str().unwrap();
                    if parameters.is_empty() {
                        name.to_owned()
                    } else {
                        format!("{name}({})", parameters.join(", "))
                    }
                }
            };
            assert!(
                text.contains(&format!("\nState {number}: {label}\n")),
                "{number}: {label}"
            );
        }
    }
}

#[test]
fn the_trace_of_the_registry_is_the_one_that_check_counts() {
    let checked = plumb("check claim-scope lifecycle --json").json();
    for found in checked["configurations"].as_array().unwrap() {
        let Some(length) = found["trace"].as_u64() else {
            continue;
        };
        let name = found["name"].as_str().unwrap();
        let trace = plumb(&format!("trace {name} --format json")).json();
        assert_eq!(trace["trace"], length, "{name}");
        assert_eq!(trace["property"], found["property"], "{name}");
    }
}

#[test]
fn without_a_counterexample_the_search_explains_itself() {
    let run = plumb("trace LifecycleRecurring");
    assert_eq!((run.status, &*run.out), (2, ""));
    insta::assert_snapshot!("trace_of_nothing", run.err);
}

#[test]
fn a_trace_of_ones_own_cfg_is_named_after_the_file() {
    let cfg = lifecycle(1).replace("none", "skip-prefix") + "INVARIANT FairPrefixPacking\n";
    let cfg = cfg.replace("GroupBudget = 2", "GroupBudget = 1");
    let folder = folder_with(&[("mine.cfg", &cfg)]);
    let run = run(plumb_in(&folder, "trace --model lifecycle --cfg mine.cfg"));
    assert_eq!(run.status, 1, "{run:?}");
    let first = run.out.lines().next();
    assert_eq!(
        first,
        Some("mine: invariant FairPrefixPacking is violated, 3 states")
    );
}
