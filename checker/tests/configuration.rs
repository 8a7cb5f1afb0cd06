//! From a cfg to a configured model: every way in which that can fail, and where it points.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use plumb_checker::{
    CheckedModel, ConfigurationError, ConfiguredModel, Constraint, Invariant, NotAState, Progress,
    PropertyKind, Reader, Registry, SearchOptions, StepProperty, Verdict,
};
use plumb_tla::{CfgError, State, Value, parse_cfg};

/// A model with one constant of each kind; its only state is what they are.
#[derive(Clone, Debug)]
struct Dial {
    limit: i64,
    count: u32,
    open: bool,
    mode: &'static str,
    start: u8,
}

impl Dial {
    fn settings(&self) -> Value {
        let (count, start) = (i64::from(self.count), i64::from(self.start));
        Value::tuple([
            Value::int(self.limit),
            Value::int(count),
            Value::bool(self.open),
            Value::str(self.mode),
            Value::int(start),
        ])
    }
}

impl stateright::Model for Dial {
    type State = ();
    type Action = ();

    fn init_states(&self) -> Vec<()> {
        vec![()]
    }

    fn actions(&self, (): &(), _: &mut Vec<()>) {}

    fn next_state(&self, (): &(), (): ()) -> Option<()> {
        None
    }
}

impl CheckedModel for Dial {
    const NAME: &'static str = "dial";
    const MODULE: &'static str = "Dial";
    const VARIABLES: &'static [&'static str] = &["at"];
    const ACTIONS: &'static [&'static str] = &["Turn"];

    fn configure(cfg: &mut Reader<'_>) -> Result<Self, ConfigurationError> {
        let turning = cfg.specification(&[("Spec", false), ("TurningSpec", true)])?;
        let dial = Self {
            limit: cfg.integer("Limit")?,
            count: cfg.count("Count", 1)?,
            open: cfg.boolean("Open")?,
            mode: cfg.choice("Mode", &[("slow", "slow"), ("fast", "fast")])?,
            start: cfg.operator("Start", &[("Zero", 0), ("One", 1)])?,
        };
        if dial.limit % 2 == 1 && turning {
            return Err(cfg.refuse("Limit", "an even integer"));
        }
        Ok(dial)
    }

    fn action_index(&self, (): &()) -> usize {
        0
    }

    fn action_parameters(&self, (): &()) -> Vec<Value> {
        Vec::new()
    }

    fn invariants() -> Vec<Invariant<Self>> {
        vec![
            Invariant::state("TypeOK", "types", |_, ()| true),
            Invariant::state("Low", "low", |dial, ()| dial.limit < 100),
        ]
    }

    fn step_properties() -> Vec<StepProperty<Self>> {
        vec![StepProperty::step("Steady", "steady", |_, (), ()| true)]
    }

    fn constraints() -> Vec<Constraint<Self>> {
        vec![Constraint::state("Near", "near", |_, ()| true)]
    }

    fn encode(&self, (): &(), _: &mut Vec<u8>) {}

    fn decode(&self, bytes: &[u8]) -> Option<()> {
        bytes.is_empty().then_some(())
    }

    fn to_tla(&self, (): &()) -> State {
        State::new([("at", self.settings())])
    }

    fn parse_tla(&self, state: &State) -> Result<(), NotAState> {
        let at = state.get("at");
        if at == Some(&self.settings()) {
            Ok(())
        } else {
            Err(NotAState::new("at", self.settings().to_string(), at))
        }
    }
}

fn configure(text: &str) -> Result<Box<dyn ConfiguredModel>, ConfigurationError> {
    let registry = Registry::new().with::<Dial>();
    let dial = registry.find("dial").unwrap();
    dial.configure(&parse_cfg(text)?)
}

fn error(text: &str) -> ConfigurationError {
    match configure(text) {
        Ok(_) => panic!("it was accepted: {text}"),
        Err(error) => error,
    }
}

/// A cfg that is right, one statement a line.
const RIGHT: &str = "SPECIFICATION Spec
CONSTANT Limit = 3
CONSTANT Count = 2
CONSTANT Open = TRUE
CONSTANT Mode = \"fast\"
CONSTANT Start <- One
INVARIANT TypeOK
PROPERTY Steady
CONSTRAINT Near
";

#[test]
fn a_right_cfg_configures_the_model() {
    let model = configure(RIGHT).unwrap();
    assert_eq!(
        (model.name(), model.module(), model.specification()),
        ("dial", "Dial", "Spec")
    );
    assert_eq!(
        (model.variables(), model.actions()),
        (["at"].as_slice(), vec!["Turn"])
    );
    let constants: Vec<_> = model
        .constants()
        .iter()
        .map(|(n, v)| (n.as_str(), v.as_str()))
        .collect();
    let expected = [
        ("Limit", "3"),
        ("Count", "2"),
        ("Open", "TRUE"),
        ("Mode", "\"fast\""),
        ("Start", "One"),
    ];
    assert_eq!(constants, expected);
    assert_eq!(model.constraints(), [("Near", "near")]);
    let report = model.check(&SearchOptions::default(), &Progress::default());
    assert_eq!(report.verdict, Verdict::Exhausted);
}

#[test]
fn every_error_points_at_the_line_and_column_it_is_about() {
    for (right, wrong, line, column, message) in [
        (
            "SPECIFICATION Spec",
            "SPECIFICATION Sepc",
            1,
            15,
            "unknown specification Sepc: expected one of Spec, TurningSpec",
        ),
        (
            "CONSTANT Limit = 3",
            "CONSTANT Limit = TRUE",
            2,
            18,
            "constant Limit: expected an integer, found TRUE",
        ),
        (
            "CONSTANT Limit = 3",
            "CONSTANT Limit <- One",
            2,
            19,
            "constant Limit: expected an integer, found the operator One",
        ),
        (
            "CONSTANT Count = 2",
            "CONSTANT\n  Count = 0",
            4,
            11,
            "constant Count: expected an integer of at least 1, found 0",
        ),
        (
            "CONSTANT Count = 2",
            "CONSTANT Count = -7",
            3,
            18,
            "constant Count: expected an integer of at least 1, found -7",
        ),
        (
            "CONSTANT Count = 2",
            "CONSTANT Count = 4294967296",
            3,
            18,
            "constant Count: expected an integer of at most 4294967295, found 4294967296",
        ),
        (
            "CONSTANT Open = TRUE",
            "CONSTANT Open = 1",
            4,
            17,
            "constant Open: expected TRUE or FALSE, found 1",
        ),
        (
            "\"fast\"",
            "\"quick\"",
            5,
            17,
            "constant Mode: expected one of \"slow\", \"fast\", found \"quick\"",
        ),
        (
            "\"fast\"",
            "fast",
            5,
            17,
            "constant Mode: expected one of \"slow\", \"fast\", found fast",
        ),
        (
            "Start <- One",
            "Start <- Two",
            6,
            19,
            "unknown operator Two: expected one of Zero, One",
        ),
        (
            "Start <- One",
            "Start = 1",
            6,
            18,
            "constant Start: expected `Start <- …` with one of Zero, One, found 1",
        ),
        (
            "INVARIANT TypeOK",
            "INVARIANT TypeOK Typo",
            7,
            18,
            "unknown invariant Typo: expected one of TypeOK, Low",
        ),
        (
            "INVARIANT TypeOK",
            "INVARIANT Steady",
            7,
            11,
            "unknown invariant Steady: expected one of TypeOK, Low",
        ),
        (
            "PROPERTY Steady",
            "PROPERTY Typo",
            8,
            10,
            "unknown property Typo: expected Steady",
        ),
        (
            "PROPERTY Steady",
            "PROPERTY Low",
            8,
            10,
            "unknown property Low: expected Steady",
        ),
        (
            "CONSTRAINT Near",
            "CONSTRAINT Nigh",
            9,
            12,
            "unknown constraint Nigh: expected Near",
        ),
        (
            "CONSTRAINT Near",
            "CONSTANT Extra = 1",
            9,
            10,
            "unknown constant Extra: expected one of Limit, Count, Open, Mode, Start",
        ),
        (
            "CONSTRAINT Near",
            "VIEW Near",
            9,
            1,
            "line 9, column 1: expected a statement that Plumb checks, found VIEW, which makes TLC take different states for one, unsound for liveness",
        ),
    ] {
        let text = RIGHT.replace(right, wrong);
        assert_ne!(text, RIGHT);
        let error = error(&text);
        let position = error.position().unwrap();
        assert_eq!(
            (position.line, position.column),
            (line, column),
            "{wrong}: {error}"
        );
        let text = error.to_string();
        // The place is told by whoever knows the file's name.
        let text = text.strip_prefix(&format!("{position}: ")).unwrap_or(&text);
        let message = message
            .strip_prefix(&format!("{position}: "))
            .unwrap_or(message);
        assert_eq!(text, message);
    }
}

#[test]
fn what_is_missing_has_no_place_and_a_hint() {
    for (right, message, hint) in [
        (
            "SPECIFICATION Spec",
            "the configuration names no SPECIFICATION: expected one of Spec, TurningSpec",
            "add a line such as `SPECIFICATION Spec`",
        ),
        (
            "CONSTANT Limit = 3",
            "constant Limit has no value: expected an integer",
            "add a line such as `CONSTANT Limit = …`",
        ),
        (
            "CONSTANT Open = TRUE",
            "constant Open has no value: expected TRUE or FALSE",
            "add a line such as `CONSTANT Open = …`",
        ),
        (
            "CONSTANT Mode = \"fast\"",
            "constant Mode has no value: expected one of \"slow\", \"fast\"",
            "add a line such as `CONSTANT Mode = …`",
        ),
    ] {
        let error = error(&RIGHT.replace(right, ""));
        assert_eq!(error.to_string(), message);
        assert_eq!(error.hint().as_deref(), Some(hint));
        assert_eq!(error.position(), None);
    }
    let operator = error(&RIGHT.replace("CONSTANT Start <- One", ""));
    assert!(
        matches!(&operator, ConfigurationError::MissingConstant { name, .. } if name == "Start")
    );
    assert!(
        operator
            .to_string()
            .contains("`Start <- …` with one of Zero, One")
    );
}

#[test]
fn a_value_that_the_module_excludes_is_refused_where_it_stands() {
    let text = RIGHT.replace("SPECIFICATION Spec", "SPECIFICATION TurningSpec");
    let refused = error(&text);
    assert_eq!(
        refused.to_string(),
        "constant Limit: expected an even integer, found 3"
    );
    assert_eq!(refused.position().unwrap().line, 2);
    assert!(configure(&text.replace("Limit = 3", "Limit = 4")).is_ok());
}

#[test]
fn a_property_under_the_wrong_keyword_is_told_where_it_belongs() {
    let reversed = error(&RIGHT.replace("PROPERTY Steady", "PROPERTY Low"));
    let hint = "Low is an invariant: list it under INVARIANT";
    assert_eq!(reversed.hint().as_deref(), Some(hint));
    let reversed = error(&RIGHT.replace("INVARIANT TypeOK", "INVARIANT Steady"));
    assert!(reversed.hint().unwrap().contains("list it under PROPERTY"));
    // A name that is nowhere has no such hint.
    assert_eq!(
        error(&RIGHT.replace("PROPERTY Steady", "PROPERTY Typo")).hint(),
        None
    );
    assert_eq!(
        error(&RIGHT.replace("INVARIANT TypeOK", "INVARIANT Near")).hint(),
        None
    );
}

#[test]
fn a_name_that_is_listed_under_both_keywords_is_still_wrong_under_one() {
    for (cfg, line) in [
        ("PROPERTY Low", 10),
        ("INVARIANT Low\nPROPERTY Low", 11),
        ("PROPERTY TypeOK", 10),
        ("INVARIANT Steady", 10),
    ] {
        let error = error(&format!("{RIGHT}{cfg}"));
        assert_eq!(error.position().unwrap().line, line, "{cfg}");
        assert!(error.hint().is_some());
    }
}

#[test]
fn what_is_named_twice_is_checked_once() {
    let text = format!("{RIGHT}INVARIANT Low TypeOK\nPROPERTY Steady\nCONSTRAINT Near Near");
    let model = configure(&text).unwrap();
    let properties: Vec<_> = model
        .properties()
        .iter()
        .map(|p| (p.name, p.kind))
        .collect();
    let expected = [
        ("TypeOK", PropertyKind::Invariant),
        ("Steady", PropertyKind::Step),
        ("Low", PropertyKind::Invariant),
    ];
    assert_eq!(properties, expected);
    assert_eq!(model.constraints().len(), 1);
}

#[test]
fn the_text_itself_can_be_wrong() {
    let syntax = error("SPECIFICATION Spec SPECIFICATION Spec");
    assert!(matches!(
        syntax,
        ConfigurationError::Syntax(CfgError::RepeatedStatement { .. })
    ));
    assert_eq!(syntax.position().unwrap().column, 20);
    assert_eq!(syntax.hint().as_deref(), Some("keep the one you mean"));
}

#[test]
fn a_state_that_is_none_of_the_model_is_told_by_its_place() {
    let model = configure(RIGHT).unwrap();
    let settings = "<<3, 2, TRUE, \"fast\", 1>>";
    let state = State::new([("at", settings.parse().unwrap())]);
    let bytes = model.parse(&state).unwrap();
    assert!(bytes.is_empty());
    assert_eq!(model.render(&bytes), Some(state));
    let error = model
        .parse(&State::new([("at", Value::int(0))]))
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("at: expected {settings}, found 0")
    );
    let error = model
        .parse(&State::new([("on", Value::int(0))]))
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        format!("at: expected {settings}, found nothing")
    );
}

#[test]
fn bytes_that_encode_no_state_give_nothing() {
    let model = configure(RIGHT).unwrap();
    assert_eq!(model.initial_states(), [Vec::<u8>::new()]);
    assert_eq!(model.successors(&[]), Some(Vec::new()));
    assert_eq!(model.within_constraint(&[]), Some(true));
    assert_eq!(model.render_in_rust(&[]).as_deref(), Some("()"));
    assert_eq!(model.successors(&[1]), None);
    assert_eq!(model.within_constraint(&[1]), None);
    assert_eq!(model.render(&[1]), None);
    assert_eq!(model.render_in_rust(&[1]), None);
}
