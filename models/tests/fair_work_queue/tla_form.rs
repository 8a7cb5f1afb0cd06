//! States as TLA+ prints them, and what a state that is none is told.

use plumb_checker::CheckedModel;
use plumb_models::FairWorkQueue;
use plumb_tla::{Value, parse_state};

use crate::harness::walk::ends;
use crate::setting::Setting;

const ONE: Setting = Setting::of([1, 1, 1, 1, 1, 1, 1, 8]);

/// The initial state with one work and one group.
const INITIAL: &str = r#"/\ log = <<[id |-> 1, ops |-> <<[claim |-> 1, group |-> 0, kind |-> "Work", value |-> 0]>>, previous |-> 0, request |-> 0]>>
/\ head = 1
/\ pending = <<[base |-> 0, ops |-> <<>>, phase |-> "idle", retries |-> 0, source |-> <<>>]>>
/\ worker = <<"waiting">>
/\ intents = <<"none">>
/\ handled = {}
/\ authorized = {}
/\ completed = {}
/\ effects = <<>>
/\ projection = [ca |-> {}, charges |-> <<0, 0>>, cp |-> <<0, 0>>, cs |-> <<"absent">>, cv |-> 0, external |-> <<"unknown", "unknown">>, ka |-> <<{}, {}>>, kp |-> <<<<0, 0>>, <<0, 0>>>>, kv |-> <<0, 0>>, members |-> <<<<>>>>, owner |-> <<0>>, pos |-> <<2>>, raw |-> <<"unavailable", "unavailable">>, reads |-> <<0, 0>>, results |-> {}, run |-> <<"absent">>, ws |-> <<"available">>]
/\ checkpoint = [prefix |-> <<>>, state |-> [ca |-> {}, charges |-> <<0, 0>>, cp |-> <<0, 0>>, cs |-> <<"absent">>, cv |-> 0, external |-> <<"unknown", "unknown">>, ka |-> <<{}, {}>>, kp |-> <<<<0, 0>>, <<0, 0>>>>, kv |-> <<0, 0>>, members |-> <<<<>>>>, owner |-> <<0>>, pos |-> <<0>>, raw |-> <<"unavailable", "unavailable">>, reads |-> <<0, 0>>, results |-> {}, run |-> <<"absent">>, ws |-> <<"absent">>]]
/\ checkpointPending = [base |-> 0, phase |-> "idle", source |-> <<>>]
/\ checkpointConflicts = 0"#;

#[test]
fn the_initial_state_prints_as_the_document_spells_it() {
    let model = ONE.model();
    let state = stateright::Model::init_states(&model).remove(0);
    assert_eq!(model.to_tla(&state).to_string(), INITIAL);
    let parsed = model.parse_tla(&parse_state(INITIAL).unwrap());
    assert_eq!(parsed, Ok(state));
}

/// The one state that a behaviour with these actions ends in.
fn after(model: &FairWorkQueue, actions: &[&str]) -> plumb_tla::State {
    let ends = ends(model, actions);
    assert_eq!(ends.len(), 1, "{actions:?}");
    model.to_tla(&ends[0])
}

#[test]
fn operations_print_as_the_document_spells_them() {
    let model = ONE.model();
    let finished = after(
        &model,
        &[
            "Prepare",
            "Push",
            "Launch",
            "Bind",
            "BeginFinalize",
            "Finalize",
            "Terminate",
            "Release",
        ],
    );
    let log = finished.get("log").unwrap().as_tuple().unwrap();
    let expected = [
        r#"[claim |-> 1, group |-> 0, kind |-> "Work", value |-> 0]"#,
        r#"[claim |-> 1, group |-> 1, kind |-> "Claim", value |-> 0]"#,
        r#"[claim |-> 0, group |-> 1, kind |-> "Started", value |-> 0]"#,
        r#"[claim |-> 0, group |-> 1, kind |-> "Bound", value |-> 0]"#,
        r#"[claim |-> 1, group |-> 1, kind |-> "Close", value |-> "cancelled"]"#,
        r#"[claim |-> 0, group |-> 1, kind |-> "Terminated", value |-> 0]"#,
        r#"[claim |-> 0, group |-> 1, kind |-> "Release", value |-> 0]"#,
    ];
    for (index, (record, expected)) in log.iter().zip(expected).enumerate() {
        let request = i64::from(index == 1);
        let previous = index as i64;
        let record = record.to_string();
        let id = previous + 1;
        assert_eq!(
            record,
            format!(
                "[id |-> {id}, ops |-> <<{expected}>>, previous |-> {previous}, \
                 request |-> {request}]"
            )
        );
    }
    assert_eq!(log.len(), expected.len());
    let pending = &finished.get("pending").unwrap().as_tuple().unwrap()[0];
    assert_eq!(
        pending.field("ops").unwrap().to_string(),
        format!("<<{}>>", expected[1])
    );
    let source = pending.field("source").and_then(Value::as_tuple);
    assert_eq!(source, Some(&log[..1]), "the log as it was");
}

#[test]
fn results_effects_observations_and_checkpoints_print_as_spelled() {
    let model = ONE.external("GitHub").specified("BrokenPRSpec").model();
    let observed = after(&model, &["BrokenPRObservation"]);
    let log = observed.get("log").unwrap().to_string();
    let operation =
        r#"[claim |-> 2, group |-> 1, kind |-> "Observe", value |-> "closed_unmerged"]"#;
    assert!(log.contains(operation), "{log}");

    let model = ONE.specified("CheckpointSpec").model();
    let published = after(&model, &["PrepareCheckpoint", "PublishCheckpoint"]);
    let log = published.get("log").unwrap();
    let operation = r#"[claim |-> 0, group |-> 0, kind |-> "Checkpoint", value |-> 0]"#;
    assert!(log.to_string().contains(operation), "{log}");
    let checkpoint = published.get("checkpoint").unwrap();
    assert_eq!(checkpoint.field("prefix"), Some(log));
    assert_eq!(checkpoint.field("state"), published.get("projection"));

    let model = ONE.model();
    let verified = ends(
        &model,
        &[
            "Prepare",
            "Push",
            "Launch",
            "Bind",
            "FinishIntent",
            "BeginFinalize",
            "Finalize",
            "Effect",
            "VerifyDelivery",
            "PublishResult",
        ],
    );
    let values = model.to_tla(&verified[0]);
    let effects = values.get("effects").unwrap().to_string();
    assert_eq!(effects, r#"<<<<1, 1, "verified">>>>"#);
    let log = values.get("log").unwrap().to_string();
    let operation = r#"[claim |-> 1, group |-> 1, kind |-> "Result", value |-> 0]"#;
    assert!(log.contains(operation), "{log}");
}

#[test]
fn what_is_no_state_is_refused_at_its_place() {
    let model = ONE.model();
    for (old, new, expected) in [
        (
            "kind |-> \"Work\"",
            "kind |-> \"work\"",
            "log[1].ops[1].kind: expected one of \"Work\", \"Claim\", \"Started\", \"Bound\", \
             \"Terminated\", \"Release\", \"Close\", \"Result\", \"Observe\", \"Checkpoint\", \
             found \"work\"",
        ),
        (
            "claim |-> 1, group |-> 0",
            "claim |-> 2, group |-> 0",
            "log[1].ops[1].claim: expected a number from 0 to 1, found 2",
        ),
        (
            "claim |-> 1, group |-> 0",
            "claim |-> 0, group |-> 0",
            "log[1].ops[1].claim: expected a number from 1 to 1, found 0",
        ),
        (
            "claim |-> 1, group |-> 0",
            "claim |-> 1, group |-> 1",
            "log[1].ops[1].group: expected 0, found 1",
        ),
        (
            "value |-> 0",
            "value |-> \"completed\"",
            "log[1].ops[1].value: expected 0, found \"completed\"",
        ),
        (
            "request |-> 0",
            "request |-> 2",
            "log[1].request: expected a number from 0 to 1, found 2",
        ),
        (
            "worker = <<\"waiting\">>",
            "worker = <<\"waiting\", \"agent\">>",
            "worker: expected a function on 1..1, found <<\"waiting\", \"agent\">>",
        ),
        (
            "phase |-> \"idle\", retries",
            "phase |-> \"ready\", retries",
            "pending[1].phase: expected one of \"idle\", \"prepared\", \"done\", \"failed\", found \
             \"ready\"",
        ),
        (
            "handled = {}",
            "handled = {2}",
            "handled: expected a number from 0 to 1, found 2",
        ),
        (
            "effects = <<>>",
            "effects = <<<<1, 1, \"sent\">>>>",
            "effects[1][3]: expected one of \"pending\", \"verified\", found \"sent\"",
        ),
        (
            "effects = <<>>",
            "effects = <<<<1, 1>>>>",
            "effects[1]: expected a function on 1..3, found <<1, 1>>",
        ),
        (
            "cp |-> <<0, 0>>",
            "cp |-> <<0, \"0\">>",
            "projection.cp[2]: expected an integer, found \"0\"",
        ),
        ("/\\ head = 1", "", "head: expected a value, found nothing"),
    ] {
        assert!(INITIAL.contains(old), "{old} is to be replaced");
        let state = parse_state(&INITIAL.replacen(old, new, 1)).unwrap();
        let error = model.parse_tla(&state).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
}
