//! States as TLA+ prints them, and what a state that is none is told.

use plumb_checker::CheckedModel;
use plumb_models::{ClaimScopedWorker, QueueLifecycle};
use plumb_tla::parse_state;

use crate::setting::{claim_scope, lifecycle};

/// A state of three Claims in which every invariant holds.
pub(crate) const WORKER: &str = r#"/\ phase = "terminal"
/\ intents = <<"completed", "cancelled", "none">>
/\ outputs = <<1, -1, 3>>
/\ log = <<[claim |-> 1, kind |-> "Completion"], [claim |-> 2, kind |-> "ClaimCancellation"], [claim |-> 1, kind |-> "Result"]>>
/\ effects = {[claim |-> 1, raw_handle |-> 1]}
/\ verified = {1}
/\ admitted = {}
/\ rejected = {0, 4}"#;

/// A state of two groups in which every invariant holds.
pub(crate) const QUEUE: &str = r#"/\ epoch = 1
/\ admissionPaused = TRUE
/\ grantsPaused = FALSE
/\ admitted = TRUE
/\ assignment = [X |-> <<"a", "c">>, Y |-> <<"b">>]
/\ markers = {"X"}
/\ sends = [X |-> 1, Y |-> 0]
/\ phase = [X |-> "bound", Y |-> "reserved"]
/\ binding = [X |-> 1, Y |-> 0]
/\ terminal = {"X"}
/\ released = {"Y"}
/\ status = [a |-> "completed", b |-> "cancelled", blocked |-> "waiting", c |-> "completed", join |-> "waiting"]
/\ effects = {"a"}
/\ results = {"a"}
/\ failures = {"c"}
/\ replacements = {}
/\ violation = "none"
/\ verificationAttempts = [a |-> 0, b |-> 0, c |-> 2]"#;

fn assert_reads_and_prints<M: CheckedModel>(model: &M, text: &str) -> M::State {
    let state = model.parse_tla(&parse_state(text).unwrap()).unwrap();
    assert_eq!(model.to_tla(&state).to_string(), text);
    state
}

#[test]
fn states_print_as_the_documents_spell_them() {
    assert_reads_and_prints(&claim_scope("Spec", 3), WORKER);
    assert_reads_and_prints(&lifecycle("none", 2, 1), QUEUE);
    let single: ClaimScopedWorker = claim_scope("Spec", 1);
    let state = single.to_tla(&plumb_models::claim_scope::State::INITIAL);
    assert_eq!(
        state.to_string(),
        "/\\ phase = \"agent\"\n/\\ intents = <<\"none\">>\n/\\ outputs = <<-1>>\n/\\ log = <<>>\n\
         /\\ effects = {}\n/\\ verified = {}\n/\\ admitted = {}\n/\\ rejected = {}"
    );
}

/// The error for a text in which `old` is replaced by `new`.
fn refusal<M: CheckedModel>(model: &M, text: &str, old: &str, new: &str) -> String {
    assert!(text.contains(old), "{old} is to be replaced");
    let state = parse_state(&text.replacen(old, new, 1)).unwrap();
    model.parse_tla(&state).unwrap_err().to_string()
}

#[test]
fn what_is_no_state_of_the_worker_is_refused_at_its_place() {
    let model = claim_scope("Spec", 3);
    for (old, new, expected) in [
        (
            r#""terminal""#,
            r#""done""#,
            r#"phase: expected one of "agent", "finalizing", "terminal", found "done""#,
        ),
        (
            "<<1, -1, 3>>",
            "<<1, 7, 3>>",
            "outputs[2]: expected one of -1, 0, 1, 2, 3, 4, found 7",
        ),
        (
            "<<1, -1, 3>>",
            "<<1, -1>>",
            "outputs: expected a function on 1..3, found <<1, -1>>",
        ),
        (
            "[claim |-> 2, kind |-> \"ClaimCancellation\"]",
            "[claim |-> 2, kind |-> \"Cancellation\"]",
            "log[2].kind: expected one of \"Completion\", \"ClaimCancellation\", \"Result\", found \
             \"Cancellation\"",
        ),
        (
            "[claim |-> 2, kind |-> \"ClaimCancellation\"]",
            "[claim |-> 2]",
            "log[2]: expected a record with the fields kind, claim, found [claim |-> 2]",
        ),
        (
            "raw_handle |-> 1",
            "raw_handle |-> -1",
            "effects.raw_handle: expected one of 0, 1, 2, 3, 4, found -1",
        ),
        (
            "{0, 4}",
            "{0, 5}",
            "rejected: expected a subset of {0, 1, 2, 3, 4}, found {0, 5}",
        ),
        (
            "/\\ verified = {1}",
            "",
            "verified: expected a value, found nothing",
        ),
        (
            "/\\ verified = {1}",
            "/\\ verified = {1} /\\ extra = 1",
            "extra: expected no such variable (the module has phase, intents, outputs, log, \
             effects, verified, admitted, rejected), found 1",
        ),
    ] {
        assert_eq!(refusal(&model, WORKER, old, new), expected);
    }
    let result = "[claim |-> 1, kind |-> \"Result\"]";
    let five = [result; 5].join(", ");
    let too_long = refusal(&model, WORKER, result, &five);
    assert!(too_long.starts_with("log: expected a sequence of at most 6, found <<"));
    let of_three = refusal(&claim_scope("Spec", 1), WORKER, "{0, 4}", "{0, 4}");
    assert!(of_three.starts_with("intents: expected a function on 1..1"));
}

#[test]
fn what_is_no_state_of_the_queue_is_refused_at_its_place() {
    let model: QueueLifecycle = lifecycle("none", 2, 1);
    for (old, new, expected) in [
        (
            r#"X |-> "bound""#,
            r#"X |-> "launched""#,
            "phase.X: expected one of \"idle\", \"reserved\", \"marked\", \"uncertain\", \
             \"bound\", \"conflict\", found \"launched\"",
        ),
        (
            "sends = [X |-> 1, Y |-> 0]",
            "sends = [X |-> 1]",
            "sends: expected a function on {\"X\", \"Y\"}, found [X |-> 1]",
        ),
        (
            "sends = [X |-> 1, Y |-> 0]",
            "sends = [X |-> 3, Y |-> 0]",
            "sends.X: expected one of 0, 1, 2, found 3",
        ),
        (
            r#"[X |-> <<"a", "c">>, Y |-> <<"b">>]"#,
            r#"[X |-> <<"c", "a">>, Y |-> <<"b">>]"#,
            "assignment: expected one of [X |-> <<>>, Y |-> <<>>], [X |-> <<\"a\">>, Y |-> <<>>], \
             [X |-> <<\"a\", \"c\">>, Y |-> <<\"b\">>], [X |-> <<\"a\", \"c\">>, Y |-> <<>>], \
             found [X |-> <<\"c\", \"a\">>, Y |-> <<\"b\">>]",
        ),
        (
            r#"markers = {"X"}"#,
            r#"markers = {"Z"}"#,
            "markers: expected a subset of {\"X\", \"Y\"}, found {\"Z\"}",
        ),
        (
            "admitted = TRUE",
            "admitted = 1",
            "admitted: expected TRUE or FALSE, found 1",
        ),
        (
            "epoch = 1",
            "epoch = \"1\"",
            "epoch: expected an integer, found \"1\"",
        ),
    ] {
        assert_eq!(refusal(&model, QUEUE, old, new), expected);
    }
}

#[test]
fn an_epoch_out_of_bounds_is_a_state_whose_type_is_wrong() {
    let model = lifecycle("none", 2, 1);
    for epoch in ["0", "-7", "2", "254", "255", "4000000000"] {
        let text = QUEUE.replacen("epoch = 1", &format!("epoch = {epoch}"), 1);
        let state = assert_reads_and_prints(&model, &text);
        assert!(!crate::walk::holds(&model, "TypeOK", &state), "{epoch}");
        let mut bytes = Vec::new();
        model.encode(&state, &mut bytes);
        assert_eq!(model.decode(&bytes), Some(state));
    }
}
