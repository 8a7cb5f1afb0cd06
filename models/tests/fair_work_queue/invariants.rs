//! Each invariant is false where it should be: histories in which all hold but for one thing, and
//! states with one value changed.
//!
//! Shared design, models/fair-work-queue.md, section 9.

use std::sync::Arc;

use plumb_checker::CheckedModel;
use plumb_models::FairWorkQueue;
use plumb_models::fair_work_queue::Operation::{
    Bound, Claim as Claims, Close, Release, Result, Started, Terminated,
};
use plumb_models::fair_work_queue::Outcome::{Cancelled, Completed};
use plumb_models::fair_work_queue::{
    Claim, Delivery, Effect, Group, Ledger, Log, Numbered, Operation, RawStatus, Record, Resource,
    State,
};
use plumb_tla::{State as TlaState, Value};

use crate::harness::walk::violated;
use crate::setting::Setting;

/// Two works, two groups, batches of two.
const TWO: Setting = Setting::of([2, 2, 2, 2, 2, 2, 1, 20]);

fn group(number: i64) -> Group {
    Group::numbered(number).unwrap()
}

fn claim(number: i64) -> Claim {
    Claim::numbered(number).unwrap()
}

fn effect(of: i64, number: i64, delivery: Delivery) -> Effect {
    Effect {
        group: group(of),
        claim: claim(number),
        delivery,
    }
}

/// The initial state with these records added to its log, each a request where it claims, and with
/// these effects.
fn state(model: &FairWorkQueue, records: &[&[Operation]], effects: &[Effect]) -> State {
    let constants = model.constants();
    let mut log = Log::opening(constants);
    for operations in records {
        let request = match operations[0] {
            Claims(group, _) => Some(group),
            _ => None,
        };
        let previous = log.len() as i64;
        log.append(Record {
            id: previous + 1,
            previous,
            request,
            operations,
        });
    }
    State {
        ledger: Arc::new(Ledger::of(constants, &log)),
        effects: effects.to_vec(),
        ..stateright::Model::init_states(model).remove(0)
    }
}

/// A group works through its batch: Claim 1 is completed and has its Result, Claim 2 is cancelled.
fn history() -> Vec<Vec<Operation>> {
    let one = group(1);
    vec![
        vec![Claims(one, claim(1)), Claims(one, claim(2))],
        vec![Started(one)],
        vec![Bound(one)],
        vec![Close(one, claim(1), Completed)],
        vec![Result(one, claim(1))],
        vec![Close(one, claim(2), Cancelled)],
        vec![Terminated(one)],
        vec![Release(one)],
    ]
}

fn delivered() -> Vec<Effect> {
    vec![effect(1, 1, Delivery::Verified)]
}

/// What is violated after a history and these effects.
fn violated_after(
    setting: Setting,
    history: &[Vec<Operation>],
    effects: &[Effect],
) -> Vec<&'static str> {
    let model = setting.model();
    let records: Vec<&[Operation]> = history.iter().map(Vec::as_slice).collect();
    violated(&model, &state(&model, &records, effects))
}

/// What is violated after the history with some of its records replaced.
fn violated_with(changes: &[(usize, Vec<Operation>)]) -> Vec<&'static str> {
    let mut history = history();
    for (record, operations) in changes {
        history[*record].clone_from(operations);
    }
    violated_after(TWO, &history, &delivered())
}

#[test]
fn all_hold_after_an_orderly_history() {
    for length in 0..=history().len() {
        let effects = if length < 4 { Vec::new() } else { delivered() };
        let found = violated_after(TWO, &history()[..length], &effects);
        assert_eq!(found, [""; 0], "after {length} records");
    }
}

#[test]
fn a_claim_must_be_whose_turn_it_is_and_the_groups_own() {
    let (one, two) = (group(1), group(2));
    // The second work before the first.
    let swapped = vec![Claims(one, claim(2)), Claims(one, claim(1))];
    assert_eq!(
        violated_with(&[(0, swapped)]),
        ["DecisionValidity", "DefaultFIFO"]
    );
    // The Claim of another group.
    let foreign = vec![vec![Claims(one, claim(3))]];
    assert_eq!(
        violated_after(TWO, &foreign, &[]),
        ["DecisionValidity", "AssignmentIntegrity"]
    );
    // A Claim that was cancelled is made again: its work is free, but the Claim is used up.
    let mut again = history();
    again.truncate(6);
    again.push(vec![Claims(one, claim(2))]);
    assert_eq!(
        violated_after(TWO, &again, &delivered()),
        [
            "DecisionValidity",
            "ClaimChargeCount",
            "RequestOnce",
            "AssignmentIntegrity"
        ]
    );
    // Another group may claim it.
    again[6] = vec![Claims(two, claim(4))];
    assert_eq!(violated_after(TWO, &again, &delivered()), [""; 0]);
}

#[test]
fn a_claim_needs_results_and_ready_resources() {
    let one = group(1);
    let both = vec![vec![Claims(one, claim(1)), Claims(one, claim(2))]];
    assert_eq!(
        violated_after(TWO.edges("Chain"), &both, &[]),
        ["DecisionValidity", "DependencyAuthorization", "DefaultFIFO"]
    );
    let observed = |resource: Resource, raw: RawStatus| {
        vec![Operation::Observe {
            resource,
            raw,
            taken_for_ready: false,
        }]
    };
    let closed = observed(Resource::Issue, RawStatus::ClosedCompleted);
    let merged = observed(Resource::PullRequest, RawStatus::Merged);
    let reopened = observed(Resource::Issue, RawStatus::Open);
    let waiting = TWO.external("GitHub");
    let claimed = both[0].clone();
    let ready = [closed.clone(), merged.clone(), claimed.clone()];
    assert_eq!(violated_after(waiting, &ready, &[]), [""; 0]);
    let then_reopened = [
        closed.clone(),
        merged.clone(),
        claimed.clone(),
        reopened.clone(),
    ];
    assert_eq!(violated_after(waiting, &then_reopened, &[]), [""; 0]);
    for too_early in [
        vec![closed.clone(), claimed.clone(), merged.clone()],
        vec![closed, reopened, merged, claimed],
    ] {
        assert_eq!(
            violated_after(waiting, &too_early, &[]),
            ["DecisionValidity", "ExternalAuthorization", "DefaultFIFO"]
        );
    }
}

#[test]
fn strict_mode_passes_over_no_class() {
    let one = group(1);
    let second = vec![vec![Claims(one, claim(2))]];
    assert_eq!(
        violated_after(TWO.mode("strict"), &second, &[]),
        ["DecisionValidity", "StrictPriority"]
    );
    // Of two classes without a share yet the first comes first in weighted mode, too.
    assert_eq!(
        violated_after(TWO.mode("weighted"), &second, &[]),
        ["DecisionValidity"]
    );
}

#[test]
fn a_claim_is_closed_by_its_group_while_open_and_in_time() {
    let (one, two) = (group(1), group(2));
    let authority = "ClaimClosureAuthority";
    let effects = delivered();
    let closings = [
        // By another group.
        (5, Close(two, claim(2), Cancelled)),
        // A second time.
        (5, Close(one, claim(1), Completed)),
        // Completed after the end.
        (7, Close(one, claim(2), Completed)),
    ];
    for (length, close) in closings {
        let mut history = history()[..length].to_vec();
        // The last of them finds Claim 2 open after the end.
        if length == 7 {
            history.remove(5);
        }
        history.push(vec![close]);
        assert_eq!(
            violated_after(TWO, &history, &effects),
            [authority],
            "{close:?}"
        );
    }
    // Before the run is bound.
    let mut early = history()[..2].to_vec();
    early.push(vec![Close(one, claim(1), Cancelled)]);
    assert_eq!(violated_after(TWO, &early, &[]), [authority]);
    // Not a member: the Claim of a group that claimed nothing is not open either.
    let mut stranger = history()[..3].to_vec();
    stranger.push(vec![Close(two, claim(3), Cancelled)]);
    let found = violated_after(TWO, &stranger, &[]);
    assert!(found.contains(&authority), "{found:?}");
    // Cancelled after the end is in time.
    let mut late = history()[..7].to_vec();
    late.remove(5);
    late.push(vec![Close(one, claim(2), Cancelled)]);
    assert_eq!(violated_after(TWO, &late, &effects), [""; 0]);
}

#[test]
fn a_slot_is_given_back_after_the_end_with_nothing_open() {
    let one = group(1);
    let authority = "RunReleaseAuthority";
    let mut bound = history()[..6].to_vec();
    bound.push(vec![Release(one)]);
    assert_eq!(violated_after(TWO, &bound, &delivered()), [authority]);
    let mut open = history();
    open.remove(5);
    assert_eq!(violated_after(TWO, &open, &delivered()), [authority]);
}

#[test]
fn a_result_is_published_once_by_the_group_that_completed_it() {
    let (one, two) = (group(1), group(2));
    let authority = "ResultAuthority";
    let publish = |length: usize, result: Operation| {
        let mut history = history()[..length].to_vec();
        history.push(vec![result]);
        violated_after(TWO, &history, &delivered())
    };
    assert_eq!(publish(5, Result(one, claim(1))), [authority], "twice");
    assert_eq!(publish(4, Result(two, claim(1))), [authority], "by another");
    assert_eq!(
        publish(6, Result(one, claim(2))),
        [authority, "ResultEffectSoundness"],
        "of a cancelled Claim"
    );
    for length in [6, 7, 8] {
        let mut late = history()[..length].to_vec();
        late.remove(4);
        late.push(vec![Result(one, claim(1))]);
        assert_eq!(violated_after(TWO, &late, &delivered()), [""; 0]);
    }
    // With the run started again, which no behaviour does.
    let mut started = history()[..4].to_vec();
    started.push(vec![Started(one)]);
    started.push(vec![Result(one, claim(1))]);
    assert_eq!(violated_after(TWO, &started, &delivered()), [authority]);
}

#[test]
fn effects_are_of_completed_claims_by_their_group_and_single() {
    let verified = Delivery::Verified;
    for (effects, expected) in [
        (vec![], vec!["ResultEffectSoundness"]),
        (
            vec![effect(1, 1, Delivery::Pending)],
            vec!["ResultEffectSoundness"],
        ),
        (
            vec![effect(2, 1, verified)],
            vec!["ResultEffectSoundness", "EffectAuthorization"],
        ),
        (
            vec![effect(1, 1, verified), effect(1, 2, verified)],
            vec!["EffectAuthorization"],
        ),
        (
            vec![effect(1, 1, Delivery::Pending), effect(1, 1, verified)],
            vec!["NoDuplicateEffects"],
        ),
    ] {
        let found = violated_after(TWO, &history(), &effects);
        assert_eq!(found, expected, "{effects:?}");
    }
}

#[test]
fn limits_are_kept() {
    let (one, two) = (group(1), group(2));
    let both = [vec![Claims(one, claim(1))], vec![Claims(two, claim(4))]];
    assert_eq!(violated_after(TWO, &both, &[]), [""; 0]);
    let limited = |claims, runs, keys| Setting::of([2, 2, 2, claims, runs, keys, 1, 20]);
    // The second Claim was not whose turn it was: nothing was eligible.
    let refused = ["DecisionValidity", "Capacity", "DefaultFIFO"];
    assert_eq!(violated_after(limited(1, 2, 2), &both, &[]), refused);
    assert_eq!(violated_after(limited(2, 2, 1), &both, &[]), refused);
    assert_eq!(violated_after(limited(2, 1, 2), &both, &[]), ["Capacity"]);
    // In the other modes each work has its own key here.
    let by_key = limited(2, 2, 1).mode("weighted");
    assert_eq!(violated_after(by_key, &both, &[]), [""; 0]);
    let batch = [vec![Claims(one, claim(1)), Claims(one, claim(2))]];
    let single = Setting::of([2, 2, 1, 2, 2, 2, 1, 20]);
    assert_eq!(violated_after(single, &batch, &[]), ["AssignmentIntegrity"]);
}

#[test]
fn what_a_host_said_is_what_counts() {
    let taken_for_ready = vec![Operation::Observe {
        resource: Resource::PullRequest,
        raw: RawStatus::ClosedUnmerged,
        taken_for_ready: true,
    }];
    let history = [taken_for_ready];
    let waiting = TWO.external("GitHub");
    assert_eq!(violated_after(waiting, &history, &[]), ["ExternalTruth"]);
    // Nobody waits for it.
    assert_eq!(violated_after(TWO, &history, &[]), [""; 0]);
}

#[test]
fn constants_without_a_dag_are_told() {
    for (edges, works, valid) in [
        ("Cyclic", 1, false),
        ("Cyclic", 2, false),
        ("Cyclic", 3, false),
        ("Forward", 1, false),
        ("Forward", 2, true),
        ("Diamond", 1, true),
        ("Diamond", 3, true),
        ("Diamond", 4, true),
        ("Diamond", 6, true),
        ("Chain", 7, true),
        ("Fork", 5, true),
    ] {
        let setting = Setting::of([works, 1, 1, 1, 1, 1, 1, 5]).edges(edges);
        let found = violated_after(setting, &[], &[]);
        let expected: &[&str] = if valid { &[] } else { &["DAGValidity"] };
        assert_eq!(found, expected, "{edges} of {works}");
    }
}

/// A value with the one at a path of field names and indices replaced.
fn replaced(value: &Value, path: &[&str], new: &Value) -> Value {
    let Some((first, rest)) = path.split_first() else {
        return new.clone();
    };
    match value {
        Value::Record(fields) => {
            assert!(fields.contains_key(*first), "{first} is no field");
            Value::record(fields.iter().map(|(name, field)| {
                let chosen = name == first;
                let field = if chosen {
                    replaced(field, rest, new)
                } else {
                    field.clone()
                };
                (name.clone(), field)
            }))
        }
        Value::Tuple(items) => {
            let index: usize = first.parse().unwrap();
            assert!((1..=items.len()).contains(&index), "{index} is no index");
            Value::tuple((1..).zip(items).map(|(number, item)| {
                if number == index {
                    replaced(item, rest, new)
                } else {
                    item.clone()
                }
            }))
        }
        other => panic!("{other} has no {first}"),
    }
}

/// What is violated when one value of the state after the history is changed.
fn violated_when(path: &str, new: &str) -> Vec<&'static str> {
    let model = TWO.model();
    let history = history();
    let records: Vec<&[Operation]> = history.iter().map(Vec::as_slice).collect();
    let values = model.to_tla(&state(&model, &records, &delivered()));
    let new: Value = new.parse().unwrap();
    let path: Vec<&str> = path.split('.').collect();
    let changed = values.iter().map(|(name, value)| {
        let chosen = name == path[0];
        let value = if chosen {
            replaced(value, &path[1..], &new)
        } else {
            value.clone()
        };
        (name.to_owned(), value)
    });
    let changed = TlaState::new(changed);
    assert_ne!(changed, values, "{path:?} was so before");
    violated(&model, &model.parse_tla(&changed).unwrap())
}

#[test]
fn each_variable_is_held_to_what_it_says() {
    let sound = "ProjectionSoundness";
    for (path, new, expected) in [
        ("head", "8", &["CausalChain"] as &[&str]),
        ("head", "0", &["TypeOK", "CausalChain"]),
        ("log.5.previous", "3", &["CausalChain"]),
        ("log.9.id", "10", &["CausalChain"]),
        ("log.1.previous", "5", &[]),
        ("log.1.id", "-1", &["TypeOK", "CausalChain"]),
        ("log.3.request", "1", &["RequestOnce"]),
        ("log.3.request", "2", &[]),
        ("pending.1.base", "-1", &["TypeOK"]),
        ("pending.1.base", "7", &[]),
        ("pending.2.retries", "-1", &["TypeOK"]),
        ("handled", "{}", &[]),
        ("authorized", "{}", &["EffectAuthorization"]),
        ("authorized", "{1, 2}", &["TypeOK"]),
        ("completed", "{}", &["TypeOK"]),
        ("completed", "{1, 2}", &["TerminalPersistence"]),
        (
            "projection.ws.1",
            "\"claimed\"",
            &[sound, "ResultEffectSoundness"],
        ),
        ("projection.ws.2", "\"claimed\"", &[sound]),
        ("projection.pos.1", "-1", &[sound, "TypeOK"]),
        ("projection.owner.1", "0", &[sound, "ResultEffectSoundness"]),
        ("projection.owner.1", "2", &[sound, "ResultEffectSoundness"]),
        (
            "projection.cs.1",
            "\"cancelled\"",
            &[
                sound,
                "ResultEffectSoundness",
                "EffectAuthorization",
                "TerminalPersistence",
            ],
        ),
        ("projection.cs.2", "\"open\"", &[sound, "Ownership"]),
        (
            "projection.cs.2",
            "\"absent\"",
            &[sound, "ClaimChargeCount", "AssignmentIntegrity"],
        ),
        (
            "projection.cs.4",
            "\"open\"",
            &[sound, "ClaimChargeCount", "Ownership"],
        ),
        (
            "projection.members.1",
            "<<1, 2, 1>>",
            &[sound, "AssignmentIntegrity"],
        ),
        (
            "projection.members.1",
            "<<1, 1>>",
            &[sound, "AssignmentIntegrity"],
        ),
        ("projection.members.1", "<<2, 1>>", &[sound]),
        (
            "projection.members.2",
            "<<2>>",
            &[sound, "AssignmentIntegrity"],
        ),
        ("projection.run.1", "\"absent\"", &[sound]),
        ("projection.cp.2", "-1", &[sound, "TypeOK"]),
        ("projection.kp.2.1", "-1", &[sound, "TypeOK"]),
        ("projection.cv", "-1", &[sound, "TypeOK"]),
        ("projection.kv.1", "-1", &[sound, "TypeOK"]),
        ("projection.ca", "{2}", &[sound]),
        ("projection.ka.2", "{1}", &[sound]),
        ("projection.charges.2", "1", &[sound, "ClaimChargeCount"]),
        (
            "projection.charges.2",
            "-1",
            &[sound, "TypeOK", "ClaimChargeCount"],
        ),
        (
            "projection.results",
            "{1, 2}",
            &[sound, "ResultEffectSoundness"],
        ),
        ("projection.external.1", "\"ready\"", &[sound]),
        ("projection.raw.1", "\"open\"", &[sound]),
        ("projection.reads.1", "2", &[sound]),
        ("projection.reads.1", "3", &[sound, "TypeOK"]),
        ("projection.reads.1", "-1", &[sound, "TypeOK"]),
        ("checkpoint.state.cv", "1", &[sound]),
        ("checkpoint.state.reads.2", "3", &[sound, "TypeOK"]),
        ("checkpointPending.base", "-1", &["TypeOK"]),
        ("checkpointPending.phase", "\"prepared\"", &[]),
        ("checkpointConflicts", "-1", &["TypeOK"]),
    ] {
        assert_eq!(violated_when(path, new), expected, "{path} = {new}");
    }
}

#[test]
fn a_checkpoint_is_of_a_prefix_and_what_it_amounts_to() {
    let model = TWO.model();
    let mut records = history();
    records.truncate(2);
    let records: Vec<&[Operation]> = records.iter().map(Vec::as_slice).collect();
    let values = model.to_tla(&state(&model, &records, &[]));
    let log = values.get("log").unwrap();
    let set = |prefix: &Value, projection: &Value| {
        let changed = values.iter().map(|(name, value)| {
            let value = if name == "checkpoint" {
                Value::record([("prefix", prefix.clone()), ("state", projection.clone())])
            } else {
                value.clone()
            };
            (name.to_owned(), value)
        });
        let state = model.parse_tla(&TlaState::new(changed)).unwrap();
        violated(&model, &state)
    };
    let whole = values.get("projection").unwrap();
    let nothing = values.get("checkpoint").unwrap().field("state").unwrap();
    assert_eq!(set(log, whole), [""; 0]);
    assert_eq!(set(log, nothing), ["ProjectionSoundness"]);
    assert_eq!(set(&Value::tuple([]), nothing), [""; 0]);
    assert_eq!(set(&Value::tuple([]), whole), ["ProjectionSoundness"]);
    // Of the same length, and not a prefix.
    let other = replaced(log, &["3", "ops", "1", "kind"], &Value::str("Bound"));
    let amounts = replaced(whole, &["run", "1"], &Value::str("bound"));
    assert_eq!(set(&other, &amounts), ["ProjectionSoundness"]);
}
