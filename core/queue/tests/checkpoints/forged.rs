//! What contradicts itself is not restored, whatever its digests say.

use plumb_queue::state::State;
use serde_json::{Value, json};

use super::common::*;
use super::{checkpointed, logical_state, make};

/// A checkpoint of the scenario after q8 whose state was changed by `change`, with digests that fit.
fn forged(change: impl FnOnce(&mut Value)) -> Result<State, plumb_queue::log::LogError> {
    let chain = scenario();
    let prefix = Chain {
        commits: chain.commits[..9].to_vec(),
        ..Chain::default()
    };
    let state = replay(&prefix.text()).unwrap();
    let commit: Value = serde_json::from_str(&make(&state, &prefix.text()).to_line()).unwrap();
    let mut logical = logical_state(&commit);
    change(&mut logical);
    replay(&(canonical(&checkpointed(commit, logical)) + "\n"))
}

#[test]
fn what_contradicts_itself_is_not_restored() {
    assert!(forged(|_| {}).is_ok());
    let a = work_id("g", "a");
    let first = claim_id("r3", 1);
    let d = dispatch_id("r3", 1);
    let set = |pointer: String, value: Value| {
        move |state: &mut Value| *state.pointer_mut(&pointer).unwrap() = value
    };
    let set_in = |pointer: &str, name: &str, value: Value| {
        let (pointer, name) = (pointer.to_owned(), name.to_owned());
        move |state: &mut Value| {
            let members = state.pointer_mut(&pointer).unwrap().as_object_mut();
            members.unwrap().insert(name, value);
        }
    };
    let forgeries: Vec<(&str, Box<dyn FnOnce(&mut Value)>)> = vec![
        (
            "an unknown member",
            Box::new(|state| state["more"] = json!(1)),
        ),
        (
            "a policy that breaks a rule",
            Box::new(set("/policy/accounting_weights/".to_owned(), json!(2))),
        ),
        (
            "an epoch that was never seen",
            Box::new(set("/epoch".to_owned(), json!("e"))),
        ),
        (
            "a Work under another id",
            Box::new(set(format!("/works/{a}/work/node_key"), json!("z"))),
        ),
        (
            "a Work of the future",
            Box::new(set(format!("/works/{a}/position"), json!([99, 0]))),
        ),
        (
            "two Works in one place",
            Box::new(set(format!("/works/{a}/position"), json!([1, 1]))),
        ),
        (
            "a Work whose Claim is open",
            Box::new(set(format!("/claims/{first}/state"), json!("open"))),
        ),
        (
            "a Claim without its Work",
            Box::new({
                let a = a.clone();
                move |state| {
                    state["works"].as_object_mut().unwrap().remove(&a);
                }
            }),
        ),
        (
            "a Claim in another place",
            Box::new(set(format!("/claims/{first}/claim/handle"), json!("h2"))),
        ),
        (
            "a Dispatch without its run",
            Box::new({
                let d = d.clone();
                move |state| {
                    state["dispatches"][&d]
                        .as_object_mut()
                        .unwrap()
                        .remove("run");
                }
            }),
        ),
        (
            "a Dispatch without Claims",
            Box::new(set(format!("/dispatches/{d}/claims"), json!([]))),
        ),
        (
            "a Dispatch of no pool",
            Box::new(set(format!("/dispatches/{d}/pool"), json!("p"))),
        ),
        (
            "a Work of no account",
            Box::new(|state| {
                let b = work_id("g", "b");
                state["works"][&b]["work"]["fairness_key"] = json!("zz");
            }),
        ),
        (
            "a broken chain of receipts",
            Box::new(|state| {
                state["requests"].as_array_mut().unwrap().swap(1, 2);
            }),
        ),
        (
            "a missing receipt",
            Box::new(|state| {
                state["requests"].as_array_mut().unwrap().pop();
            }),
        ),
        (
            "a clock that is no number",
            Box::new(set("/clocks/default/classes/v".to_owned(), json!("012"))),
        ),
        (
            "an active competitor without a pass",
            Box::new(set("/clocks/default/classes/pass".to_owned(), json!({}))),
        ),
        (
            "a gate of another Observation",
            Box::new(|state| {
                let seen = state["observation_ids"].as_object_mut().unwrap();
                seen.clear();
            }),
        ),
        (
            "an attempt more than was granted",
            Box::new(set(format!("/works/{a}/attempts"), json!(2))),
        ),
        (
            "a Work that waits with all attempts used up",
            Box::new(|state| {
                let b = work_id("g", "b");
                state["works"][&b]["attempts"] = json!(1);
                state["policy"]["pools"]["default"]["retry"]["max_attempts"] = json!(1);
            }),
        ),
        (
            "a Work of another trust domain",
            Box::new(|state| {
                let d = work_id("g", "d");
                state["works"][&d]["work"]["batch_trust_domain"] = json!("other");
            }),
        ),
        (
            "a state of a Work with another's member",
            Box::new(|state| {
                let d = work_id("g", "d");
                state["works"][&d]["claim_id"] = json!(claim_id("r3", 1));
            }),
        ),
        (
            "Works that depend on each other",
            Box::new(|state| {
                let d = work_id("g", "d");
                let e = work_id("g", "e");
                state["works"][&d]["work"]["depends_on"] = json!([after("g", "e")]);
                state["works"][&e]["work"]["depends_on"] = json!([after("g", "d")]);
            }),
        ),
        (
            "a completion by a commit that never was",
            Box::new(set(format!("/works/{a}/completion_id"), json!("q77"))),
        ),
        (
            "a Result of another commit",
            Box::new(set(
                format!("/terminal_barriers/{a}/commit_id"),
                json!("q77"),
            )),
        ),
        (
            "a Result of another Work",
            Box::new(set(
                format!("/terminal_barriers/{a}/operation/work_id"),
                json!(work_id("g", "b")),
            )),
        ),
        (
            "a Dispatch of another request",
            Box::new(set(format!("/dispatches/{d}/request"), json!("r2"))),
        ),
        (
            "a Dispatch of another commit",
            Box::new(set(format!("/dispatches/{d}/commit"), json!("q2"))),
        ),
        (
            "a Dispatch of another epoch",
            Box::new(set(format!("/dispatches/{d}/epoch"), json!("epoch0"))),
        ),
        (
            "a Dispatch with more writes than there may be",
            Box::new(set(format!("/dispatches/{d}/writes"), json!(10))),
        ),
        (
            "a launch without a write",
            Box::new(set(format!("/dispatches/{d}/writes"), json!(0))),
        ),
        (
            "a launch without a sender",
            Box::new({
                let d = d.clone();
                move |state| {
                    let dispatch = state["dispatches"][&d].as_object_mut().unwrap();
                    dispatch.remove("sender");
                }
            }),
        ),
        (
            "a launch as another principal",
            Box::new(set(format!("/dispatches/{d}/principal"), json!("5"))),
        ),
        (
            "a run of another workflow",
            Box::new(set(format!("/dispatches/{d}/run/workflow"), json!("w"))),
        ),
        (
            "a Claim twice in its Dispatch",
            Box::new(|state| {
                let d = dispatch_id("r3", 1);
                let claims = state["dispatches"][&d]["claims"].as_array_mut().unwrap();
                claims.push(claims[0].clone());
            }),
        ),
        (
            "a Dispatch that is released with an open Claim",
            Box::new(|state| {
                let d = dispatch_id("r3", 1);
                let release = json!({
                    "kind": "Release", "dispatch_id": d, "evidence": terminal("900", 4300),
                });
                state["dispatches"][&d]["release"] = release;
                let c = work_id("g", "c");
                assert_eq!(state["works"][&c]["state"], "claimed");
            }),
        ),
        (
            "Claims that nobody explains",
            Box::new(|state| {
                let receipt = &mut state["requests"][3];
                receipt["claim_explanations"].as_array_mut().unwrap().pop();
            }),
        ),
        (
            "a Claim that is explained and not there",
            Box::new(|state| {
                let explanations = state["requests"][3]["claim_explanations"].as_array_mut();
                let explanations = explanations.unwrap();
                explanations.push(explanations[0].clone());
            }),
        ),
        (
            "an explanation of another Work",
            Box::new(set(
                "/requests/3/claim_explanations/0/work_id".to_owned(),
                json!(work_id("g", "d")),
            )),
        ),
        (
            "an explanation by other Observations",
            Box::new(set(
                "/requests/3/claim_explanations/1/observations".to_owned(),
                json!([]),
            )),
        ),
        (
            "an explanation that is none",
            Box::new(set(
                "/requests/3/claim_explanations/0/reason".to_owned(),
                json!("no_work"),
            )),
        ),
        (
            "a budget that was not asked for",
            Box::new(set(
                "/requests/3/dispatch_parameters/max_claims".to_owned(),
                json!(4),
            )),
        ),
        (
            "a grant whose budget is forgotten",
            Box::new(|state| {
                let receipt = state["requests"][3].as_object_mut().unwrap();
                receipt.remove("dispatch_parameters");
            }),
        ),
        (
            "a budget of what is no grant",
            Box::new(set_in("/requests/2", "dispatch_parameters", budget())),
        ),
        (
            "a digest of other parameters",
            Box::new(set(
                "/requests/3/parameters_digest".to_owned(),
                json!("0".repeat(64)),
            )),
        ),
        (
            "a commit without operations",
            Box::new(|state| {
                state["requests"][2]["events"] = json!(0);
                let events = state["stats"]["events"].as_u64().unwrap();
                state["stats"]["events"] = json!(events - 1);
            }),
        ),
        (
            "another count of operations",
            Box::new(set("/stats/events".to_owned(), json!(99))),
        ),
        (
            "a first commit that does not say that it is the first",
            Box::new(|state| {
                state["requests"][0]
                    .as_object_mut()
                    .unwrap()
                    .remove("previous");
            }),
        ),
        (
            "a Work that nobody submitted",
            Box::new({
                let a = a.clone();
                move |state| {
                    state["work_creators"].as_object_mut().unwrap().remove(&a);
                }
            }),
        ),
        (
            "a Work that was completed at no time",
            Box::new({
                let a = a.clone();
                move |state| {
                    state["completion_times"]
                        .as_object_mut()
                        .unwrap()
                        .remove(&a);
                }
            }),
        ),
        (
            "a Work that was cancelled and completed",
            Box::new(set_in("/cancellations", &a, json!(4000))),
        ),
        (
            "a delivery decided of a Work that is not there",
            Box::new(|state| {
                let a = work_id("g", "a");
                let barriers = state["terminal_barriers"].as_object_mut().unwrap();
                let barrier = barriers[&a].clone();
                barriers.insert("0".repeat(64), barrier);
            }),
        ),
        (
            "a creator of a Work that is not there",
            Box::new(set_in("/work_creators", &"0".repeat(64), actor("producer"))),
        ),
        (
            "a Result whose commit is not known",
            Box::new({
                let a = a.clone();
                move |state| {
                    state["terminal_barriers"][&a]
                        .as_object_mut()
                        .unwrap()
                        .remove("commit_id");
                }
            }),
        ),
        (
            "writes of a gate that was never observed",
            Box::new(set_in("/observation_writes", "{}", json!(1))),
        ),
        (
            "a receipt of an epoch that was never seen",
            Box::new(set("/requests/2/epoch".to_owned(), json!("e"))),
        ),
        (
            "a receipt of the future",
            Box::new(set("/requests/2/at".to_owned(), json!(99_999))),
        ),
        (
            "a receipt of another queue",
            Box::new(set(
                "/requests/2/actor/repository".to_owned(),
                json!("acme/other"),
            )),
        ),
        (
            "a checkpoint in the middle that is none",
            Box::new(|state| {
                let receipt = state["requests"][2].as_object_mut().unwrap();
                let previous = receipt.insert("previous".to_owned(), Value::Null).unwrap();
                receipt.insert("prior_tip".to_owned(), previous);
            }),
        ),
        (
            "a deployment of a profile that is not contract-marked",
            Box::new(|state| {
                let revision = json!({"profile": profile(), "available": true});
                state["deployments"] =
                    json!({"default": {"default": {"current": REF, "revisions": [revision]}}});
            }),
        ),
        (
            "an Observation with another content than was noted",
            Box::new(|state| {
                let gates = state["observations"].as_object_mut().unwrap();
                let gate = gates.values_mut().next().unwrap();
                gate["observed_at"] = json!(2400);
            }),
        ),
        (
            "a generation that was never seen",
            Box::new(|state| {
                state["credential_generation"] = json!("second");
                state["seen_generations"] = json!({"second": true});
            }),
        ),
        (
            "a comment on a Work that is not shown",
            Box::new(set(
                "/issue_comments".to_owned(),
                json!({work_id("g", "a"): ["7"]}),
            )),
        ),
        (
            "a clock of a stranger",
            Box::new(|state| {
                state["clocks"]["default"]["keys"]["3"]["pass"]["stranger"] = json!("9");
            }),
        ),
        (
            "a clock ahead of all who compete",
            Box::new(set("/clocks/default/classes/v".to_owned(), json!("99"))),
        ),
        (
            "a clock at which nobody was chosen",
            Box::new(set("/clocks/default/classes/v".to_owned(), json!("11"))),
        ),
        (
            "accounts that competed in a class that did not",
            Box::new(|state| {
                let keys = state["clocks"]["default"]["keys"].as_object_mut().unwrap();
                let level = keys.remove("3").unwrap();
                keys.insert("2".to_owned(), level);
            }),
        ),
        (
            "clocks of classes in strict mode",
            Box::new(set("/policy/mode".to_owned(), json!("strict-priority"))),
        ),
        (
            "another count of commits",
            Box::new(set("/stats/transactions".to_owned(), json!(99))),
        ),
    ];
    for (what, forge) in forgeries {
        let error = forged(forge).map(|_| ()).expect_err(what);
        assert_eq!(error.code.as_str(), "checkpoint_invalid", "{what}: {error}");
    }
}
