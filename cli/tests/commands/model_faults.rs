//! A model whose code is wrong: it panics, or it is not what its TLA+ module says.
//!
//! The models of this repository should do neither, so these tests bring a registry of their own.
//! The program over it is this test's own executable: [`faulty`] starts it again, with
//! [`the_program_over_a_faulty_model`] as the only test, which runs the command line.

use std::env;

use plumb_checker::specs::EmbeddedSpecs;
use plumb_checker::{CheckedModel, ConfigurationError, Invariant, NotAState, Reader, Registry};
use plumb_tla::{State as TlaState, Value};
use stateright::Model;

use crate::program::{Run, empty_folder, run, settled};

/// Where the model panics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    None,
    Initial,
    Successors,
    Invariant,
    Rendering,
}

const FAULTS: &[(&str, Fault)] = &[
    ("none", Fault::None),
    ("initial", Fault::Initial),
    ("successors", Fault::Successors),
    ("invariant", Fault::Invariant),
    ("rendering", Fault::Rendering),
];

/// A counter that climbs to 5 and, at 3, goes wrong.
#[derive(Clone, Debug)]
struct Counter(Fault);

impl Counter {
    fn panic_at(&self, fault: Fault, n: i64) {
        assert!(!(self.0 == fault && n == 3), "{n} is too much for me");
    }
}

impl Model for Counter {
    type State = i64;
    type Action = ();

    fn init_states(&self) -> Vec<i64> {
        self.panic_at(Fault::Initial, 3);
        vec![0]
    }

    fn actions(&self, _: &i64, actions: &mut Vec<()>) {
        actions.push(());
    }

    fn next_state(&self, n: &i64, (): ()) -> Option<i64> {
        self.panic_at(Fault::Successors, *n);
        (*n < 5).then_some(n + 1)
    }
}

impl CheckedModel for Counter {
    const NAME: &'static str = "counter";
    const MODULE: &'static str = "Counter";
    const VARIABLES: &'static [&'static str] = &["n"];
    const ACTIONS: &'static [&'static str] = &["Climb"];

    fn configure(cfg: &mut Reader<'_>) -> Result<Self, ConfigurationError> {
        cfg.specification(&[("Spec", ())])?;
        Ok(Self(cfg.choice("Fault", FAULTS)?))
    }

    fn action_index(&self, (): &()) -> usize {
        0
    }

    fn action_parameters(&self, (): &()) -> Vec<Value> {
        Vec::new()
    }

    fn invariants() -> Vec<Invariant<Self>> {
        vec![
            Invariant::state("Positive", "n is not negative", |model: &Self, n| {
                model.panic_at(Fault::Invariant, *n);
                *n >= 0
            }),
            Invariant::state("BelowFour", "n is less than four", |_, n| *n < 4),
        ]
    }

    fn encode(&self, n: &i64, bytes: &mut Vec<u8>) {
        bytes.extend(n.to_be_bytes());
    }

    fn decode(&self, bytes: &[u8]) -> Option<i64> {
        Some(i64::from_be_bytes(bytes.try_into().ok()?))
    }

    fn to_tla(&self, n: &i64) -> TlaState {
        self.panic_at(Fault::Rendering, *n);
        TlaState::new([("n", Value::int(*n))])
    }

    fn parse_tla(&self, state: &TlaState) -> Result<i64, NotAState> {
        let n = state.get("n");
        n.and_then(Value::as_int)
            .ok_or_else(|| NotAState::new("n", "an integer", n))
    }
}

/// The module is not the same model: it also falls, from 4 back to 0.
const MODULE: &str = "\
---- MODULE Counter ----
EXTENDS Naturals
CONSTANT Fault
VARIABLE n
Init == n = 0
Climb == \\/ n < 5 /\\ n' = n + 1
         \\/ n = 4 /\\ n' = 0
Next == Climb
Spec == Init /\\ [][Next]_n
Positive == n >= 0
BelowFour == n < 4
====
";

const SPECS: EmbeddedSpecs = EmbeddedSpecs(&[
    (
        "registry.toml",
        r#"
[[configuration]]
name = "Panics"
model = "counter"
purpose = "bound"
expect = { verdict = "exhausted" }
source = "this test"

[[configuration]]
name = "PanicsInitially"
model = "counter"
purpose = "bound"
expect = { verdict = "exhausted" }
source = "this test"

[[configuration]]
name = "PanicsInInvariant"
model = "counter"
purpose = "bound"
expect = { verdict = "exhausted" }
source = "this test"

[[configuration]]
name = "PanicsInTrace"
model = "counter"
purpose = "control"
expect = { verdict = "violated", property = "BelowFour" }
source = "this test"

[[configuration]]
name = "Differs"
model = "counter"
purpose = "bound"
expect = { verdict = "exhausted", distinct = 7 }
source = "this test"
"#,
    ),
    ("counter/Counter.tla", MODULE),
    (
        "counter/Panics.cfg",
        "SPECIFICATION Spec CONSTANT Fault = \"successors\"",
    ),
    (
        "counter/PanicsInitially.cfg",
        "SPECIFICATION Spec CONSTANT Fault = \"initial\"",
    ),
    (
        "counter/PanicsInInvariant.cfg",
        "SPECIFICATION Spec CONSTANT Fault = \"invariant\" INVARIANT Positive",
    ),
    (
        "counter/PanicsInTrace.cfg",
        "SPECIFICATION Spec CONSTANT Fault = \"rendering\" INVARIANT BelowFour",
    ),
    (
        "counter/Differs.cfg",
        "SPECIFICATION Spec CONSTANT Fault = \"none\"",
    ),
]);

/// The arguments of the program that [`the_program_over_a_faulty_model`] is.
const ARGUMENTS: &str = "PLUMB_TEST_ARGUMENTS";

/// Runs `plumb` over the faulty model, outside the repository.
pub(crate) fn faulty(arguments: &str) -> Run {
    let folder = empty_folder();
    let mut command = settled(env::current_exe().unwrap());
    command
        .args(["--exact", "model_faults::the_program_over_a_faulty_model"])
        .args(["--ignored", "--nocapture", "--quiet"])
        .env(ARGUMENTS, arguments)
        .current_dir(&folder);
    let mut run = run(command);
    // What the test harness says before it starts the test.
    let heading = "\nrunning 1 test\n";
    run.out = run
        .out
        .strip_prefix(heading)
        .expect("the harness begins so")
        .to_owned();
    run
}

#[test]
#[ignore = "no test: the program that the other tests here run"]
fn the_program_over_a_faulty_model() {
    let Ok(arguments) = env::var(ARGUMENTS) else {
        return;
    };
    let registry = Registry::new().with::<Counter>().with_specs(SPECS);
    let arguments = ["plumb"].into_iter().chain(arguments.split_whitespace());
    let status = plumb::run_with(&registry, arguments);
    std::process::exit(status.code().into());
}

#[test]
fn a_panic_in_a_model_is_reported_with_its_state() {
    for name in ["Panics", "PanicsInInvariant"] {
        let run = faulty(&format!("check {name}"));
        assert_eq!(run.status, 4, "{run:?}");
        assert_eq!(
            run.err, "",
            "the panic is in the report, and not printed besides"
        );
        let report = format!("\n{name}: the model panicked: 3 is too much for me (");
        assert!(run.out.contains(&report), "{}", run.out);
        assert!(
            run.out.contains("); in the state\n    /\\ n = 3\n"),
            "{}",
            run.out
        );
        assert!(
            run.out.contains("1 configuration: 1 in error"),
            "{}",
            run.out
        );
    }
}

#[test]
fn a_panic_before_any_state_is_reported_without_one() {
    let run = faulty("check PanicsInitially");
    assert_eq!(run.status, 4, "{run:?}");
    assert!(
        run.out.contains("the model panicked: 3 is too much for me"),
        "{}",
        run.out
    );
}

#[test]
fn a_panic_while_the_trace_is_made_is_reported() {
    for command in ["check", "trace"] {
        let run = faulty(&format!("{command} PanicsInTrace"));
        assert_eq!(run.status, 4, "{run:?}");
        let all = run.out + &run.err;
        assert!(
            all.contains("BelowFour is violated, but it cannot be shown"),
            "{all}"
        );
    }
}

#[test]
fn a_panic_is_an_error_in_the_json() {
    let run = faulty("check Panics Differs --json");
    assert_eq!(run.status, 4, "{run:?}");
    let json = run.json();
    let found = &json["configurations"][0];
    assert_eq!(found["verdict"], "error");
    assert_eq!(found["outcome"], "none");
    let message = found["message"].as_str().unwrap();
    assert!(
        message.contains("3 is too much for me") && message.contains("/\\ n = 3"),
        "{message}"
    );
    assert_eq!(
        json["configurations"][1]["outcome"], "unexpected",
        "the rest is still run"
    );
}
