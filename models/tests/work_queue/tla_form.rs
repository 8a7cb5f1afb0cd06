//! States as TLA+ prints them, and what a state that is none is told.

use plumb_checker::CheckedModel;
use plumb_models::WorkQueue;
use plumb_models::work_queue::{Action, Maintenance};
use plumb_tla::{State as TlaState, Value, parse_state};

use crate::setting::Say::{self, CancelClaim, CancelWork, Claim, Complete, Resubmit, Work};
use crate::setting::{Setting, after, claim, dispatcher, initial, stage, with_log, worker};

const ONE: Setting = Setting::of([1, 1, 1, 1, 1, 2, 3]);
const TWO: Setting = Setting::of([2, 3, 4, 2, 1, 4, 6]);

/// The initial state with one of everything.
const INITIAL: &str = r#"/\ log = <<>>
/\ head = 0
/\ dispatch = <<[base |-> 0, candidate |-> <<>>, local |-> <<>>, phase |-> "agent", retries |-> 0, serialized |-> <<>>, source |-> <<>>]>>
/\ workers = <<[activation |-> [admitted |-> FALSE, head |-> 0, ready |-> FALSE], base |-> 0, candidate |-> <<>>, finish |-> FALSE, phase |-> "waiting", retries |-> 0, source |-> <<>>]>>
/\ compact = [base |-> 0, candidate |-> <<>>, observedRuns |-> {}, phase |-> "idle", retries |-> 0, source |-> <<>>]
/\ recovery = [base |-> 0, candidate |-> <<>>, observedRuns |-> {}, phase |-> "idle", retries |-> 0, source |-> <<>>]
/\ deadRuns = {}
/\ terminalHistory = <<{}>>
/\ authorizations = <<>>
/\ effects = <<>>"#;

#[test]
fn the_initial_state_prints_as_the_document_spells_it() {
    let model = ONE.model();
    let state = initial(&model);
    assert_eq!(model.to_tla(&state).to_string(), INITIAL);
    let parsed = model.parse_tla(&parse_state(INITIAL).unwrap());
    assert_eq!(parsed, Ok(state));
}

/// What an action's parameters are.
fn parameters(model: &WorkQueue, action: Action) -> String {
    Value::tuple(model.action_parameters(&action)).to_string()
}

#[test]
fn facts_and_intents_print_as_the_document_spells_them() {
    let model = TWO.model();
    for (say, printed) in [
        (
            Work(2),
            r#"attempt |-> 0, claim |-> 0, enqueued |-> 2, kind |-> "Work", work |-> 2"#,
        ),
        (
            Claim(3),
            r#"attempt |-> 0, claim |-> 3, enqueued |-> 0, kind |-> "Claim", work |-> 1"#,
        ),
        (
            CancelClaim(2),
            r#"attempt |-> 0, claim |-> 2, enqueued |-> 0, kind |-> "ClaimCancellation", work |-> 2"#,
        ),
        (
            CancelWork(1),
            r#"attempt |-> 0, claim |-> 0, enqueued |-> 0, kind |-> "WorkCancellation", work |-> 1"#,
        ),
        (
            Complete(4),
            r#"attempt |-> 4, claim |-> 1, enqueued |-> 0, kind |-> "Completion", work |-> 1"#,
        ),
    ] {
        let duplicate = Action::DuplicateRecord(say.fact(&model));
        assert_eq!(parameters(&model, duplicate), format!("<<[{printed}]>>"));
    }
    let resubmission =
        r#"<<2, [attempt |-> 0, claim |-> 0, enqueued |-> 4, kind |-> "Work", work |-> 2]>>"#;
    let stage = stage(&model, 2, Resubmit(2));
    assert_eq!(parameters(&model, stage), resubmission);
}

#[test]
fn parameters_are_those_of_the_operators() {
    let model = TWO.model();
    for (action, expected) in [
        (Action::PrepareDispatch(dispatcher(2)), "<<2>>"),
        (Action::EndAgent(worker(4), true), "<<4, TRUE>>"),
        (Action::Activate(worker(1)), "<<1>>"),
        (Action::RunTerminates(claim(3)), "<<3>>"),
        (
            Action::PrepareMaintenance(Maintenance::Compact),
            r#"<<"compact">>"#,
        ),
        (
            Action::PushMaintenance(Maintenance::Recovery),
            r#"<<"recovery">>"#,
        ),
        (Action::UnsafeStalePush(dispatcher(1)), "<<1>>"),
        (Action::UnsafeLateClaim(claim(2)), "<<2>>"),
    ] {
        assert_eq!(parameters(&model, action), expected, "{action:?}");
    }
}

#[test]
fn a_state_in_which_much_has_happened_prints_as_spelled() {
    let model = ONE.model();
    let (d, a) = (dispatcher(1), worker(1));
    let steps = [
        stage(&model, 1, Work(1)),
        stage(&model, 1, Claim(1)),
        stage(&model, 1, Resubmit(1)),
        Action::PrepareDispatch(d),
        Action::PushDispatch(d),
        Action::Activate(a),
        Action::EndAgent(a, true),
        Action::PrepareWorker(a),
        Action::PushWorker(a),
        Action::VerifyCompletion(a),
        Action::ExternalEffect(a),
        Action::RunTerminates(claim(1)),
    ];
    let state = model.to_tla(&after(&model, &initial(&model), &steps));
    let value = |name: &str| state.get(name).unwrap().to_string();
    let work = r#"[attempt |-> 0, claim |-> 0, enqueued |-> 1, kind |-> "Work", work |-> 1]"#;
    let claim = r#"[attempt |-> 0, claim |-> 1, enqueued |-> 0, kind |-> "Claim", work |-> 1]"#;
    let again = r#"[attempt |-> 0, claim |-> 0, enqueued |-> 2, kind |-> "Work", work |-> 1]"#;
    let completion =
        r#"[attempt |-> 1, claim |-> 1, enqueued |-> 0, kind |-> "Completion", work |-> 1]"#;
    assert_eq!(value("log"), format!("<<{work}, {claim}, {completion}>>"));
    assert_eq!(value("authorizations"), format!("<<{completion}>>"));
    assert_eq!(value("effects"), format!("<<{completion}>>"));
    assert_eq!(value("deadRuns"), "{1}");
    let batch = format!("<<{work}, {claim}, {again}>>");
    assert_eq!(
        value("dispatch"),
        format!(
            "<<[base |-> 0, candidate |-> <<{work}, {claim}>>, local |-> {batch}, \
             phase |-> \"done\", retries |-> 0, serialized |-> {batch}, source |-> <<>>]>>"
        )
    );
    assert_eq!(
        value("workers"),
        format!(
            "<<[activation |-> [admitted |-> TRUE, head |-> 1, ready |-> TRUE], base |-> 1, \
             candidate |-> <<{work}, {claim}, {completion}>>, finish |-> TRUE, \
             phase |-> \"done\", retries |-> 0, source |-> <<{work}, {claim}>>]>>"
        )
    );
    let facts = format!("<<{{{completion}, {claim}, {work}}}>>");
    let history: Value = facts.parse().unwrap();
    assert_eq!(state.get("terminalHistory"), Some(&history));
}

/// What the state is told in which one text stands for another.
fn error(text: &str, old: &str, new: &str) -> String {
    assert!(text.contains(old), "{old} is to be replaced in {text}");
    let state: TlaState = parse_state(&text.replacen(old, new, 1)).unwrap();
    match ONE.model().parse_tla(&state) {
        Ok(state) => panic!("{new} is accepted: {state:?}"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn what_is_no_state_is_told_where_and_why() {
    let fact = |kind: &str, numbers: [i64; 4]| {
        let [work, claim, attempt, enqueued] = numbers;
        format!(
            "<<[attempt |-> {attempt}, claim |-> {claim}, enqueued |-> {enqueued}, \
             kind |-> \"{kind}\", work |-> {work}]>>"
        )
    };
    let log = |kind, numbers| {
        let log = format!("log = {}", fact(kind, numbers));
        error(INITIAL, "log = <<>>", &log)
    };
    for (kind, numbers) in [
        ("Work", [2, 0, 0, 2]),
        ("Work", [1, 0, 0, 0]),
        ("Claim", [1, 0, 0, 0]),
        ("Claim", [1, 1, 1, 0]),
        ("Completion", [1, 1, 2, 0]),
        ("Completion", [1, 1, i64::MAX, 0]),
        // Only staged, never in a log.
        ("Work", [1, 0, 0, 2]),
    ] {
        let told = log(kind, numbers);
        let expected = "log[1]: expected a fact of these constants, found [";
        assert!(told.starts_with(expected), "{told}");
    }
    assert!(log("Result", [1, 0, 0, 0]).starts_with("log[1].kind: expected one of \"Work\", "));
    let told = error(
        INITIAL,
        "effects = <<>>",
        &format!("effects = {}", fact("Work", [1, 0, 0, 1])),
    );
    assert!(
        told.starts_with("effects[1]: expected a Completion of these constants"),
        "{told}"
    );
    // What may be staged is another matter.
    let cancellation = fact("ClaimCancellation", [1, 1, 0, 0]);
    let told = error(
        INITIAL,
        "local |-> <<>>",
        &format!("local |-> {cancellation}"),
    );
    assert!(
        told.starts_with("dispatch[1].local[1]: expected an intent of these constants"),
        "{told}"
    );
    let submission = fact("Work", [1, 0, 0, 1]);
    let told = error(
        INITIAL,
        "local |-> <<>>",
        &format!("local |-> {submission}"),
    );
    assert_eq!(
        told,
        "dispatch[1].serialized: expected the same as local, found <<>>"
    );
    for (old, new, told) in [
        (
            "deadRuns = {}",
            "deadRuns = {2}",
            "deadRuns: expected a number from 1 to 1, found 2",
        ),
        (
            "deadRuns = {}",
            "deadRuns = {0}",
            "deadRuns: expected a number from 1 to 1, found 0",
        ),
        (
            "terminalHistory = <<{}>>",
            "terminalHistory = <<{}, {}>>",
            "terminalHistory: expected a function on 1..1, found <<{}, {}>>",
        ),
        (
            "head = 0",
            "head = \"0\"",
            "head: expected an integer, found \"0\"",
        ),
        (
            "phase |-> \"waiting\"",
            "phase |-> \"idle\"",
            "workers[1].phase: expected one of \"waiting\", \"running\", \"ready\", \"prepared\", \
             \"committed\", \"authorized\", \"done\", \"stopped\", \"failed\", found \"idle\"",
        ),
        (
            "ready |-> FALSE",
            "ready |-> 0",
            "workers[1].activation.ready: expected TRUE or FALSE, found 0",
        ),
    ] {
        assert_eq!(error(INITIAL, old, new), told);
    }
    assert!(error(INITIAL, "/\\ effects = <<>>", "").starts_with("effects: expected a value"));
}

/// A set of facts that says the same in another order is the same.
#[test]
fn histories_are_sets_and_logs_are_sequences() {
    let model = ONE.model();
    let said: &[Say] = &[Work(1), CancelWork(1)];
    let state = with_log(&model, said);
    let other = with_log(&model, &[CancelWork(1), Work(1)]);
    assert_eq!(state.shared.terminal_history, other.shared.terminal_history);
    let (state, other) = (model.to_tla(&state), model.to_tla(&other));
    assert_eq!(state.get("terminalHistory"), other.get("terminalHistory"));
    assert_ne!(state.get("log"), other.get("log"));
}
