//! The laws of `CheckedModel`, on every reachable state of small configurations and on what random
//! bytes and random values make of reachable states.

use plumb_checker::CheckedModel;
use plumb_models::{ClaimScopedWorker, QueueLifecycle};
use plumb_tla::{State as TlaState, Value};
use proptest::prelude::*;

use crate::harness::laws::{assert_laws, encoded};
use crate::setting::{BROKEN, SPECIFICATIONS, claim_scope, lifecycle};
use crate::walk::reachable;

/// Enough for every configuration but those that would take minutes here.
const LIMIT: usize = 12_000;

#[test]
fn claim_scope_keeps_the_laws() {
    for specification in SPECIFICATIONS {
        for count in [1, 3] {
            let model = claim_scope(specification, count);
            assert_laws(&model, &reachable(&model, LIMIT));
        }
    }
}

#[test]
fn lifecycle_keeps_the_laws() {
    for broken in BROKEN {
        for (groups, epochs) in [(1, 1), (1, 2), (2, 1)] {
            let model = lifecycle(broken, groups, epochs);
            assert_laws(&model, &reachable(&model, LIMIT));
        }
    }
}

/// Bytes that are taken for a state are exactly the encoding of that state.
fn assert_decodes_canonically<M: CheckedModel>(model: &M, bytes: &[u8]) {
    if let Some(state) = model.decode(bytes) {
        assert_eq!(encoded(model, &state), bytes, "{state:?}");
    }
}

/// Values that are taken for a state are exactly that state's.
fn assert_parses_strictly<M: CheckedModel>(model: &M, values: &TlaState) {
    match model.parse_tla(values) {
        Ok(state) => assert_eq!(model.to_tla(&state), *values, "{state:?}"),
        Err(error) => assert!(!error.place.is_empty() && !error.expected.is_empty()),
    }
}

/// What is done to the encoding of a state.
#[derive(Clone, Debug)]
enum Damage {
    Flip { byte: usize, bit: u8 },
    Set { byte: usize, value: u8 },
    Cut { length: usize },
    Extend { with: Vec<u8> },
}

fn damage() -> impl Strategy<Value = Damage> {
    prop_oneof![
        (0..20_usize, 0..8_u8).prop_map(|(byte, bit)| Damage::Flip { byte, bit }),
        (0..20_usize, any::<u8>()).prop_map(|(byte, value)| Damage::Set { byte, value }),
        (0..20_usize).prop_map(|length| Damage::Cut { length }),
        prop::collection::vec(any::<u8>(), 0..10).prop_map(|with| Damage::Extend { with }),
    ]
}

fn damaged(mut bytes: Vec<u8>, damage: &Damage) -> Vec<u8> {
    let length = bytes.len().max(1);
    match damage {
        Damage::Flip { byte, bit } => bytes[byte % length] ^= 1 << bit,
        Damage::Set { byte, value } => bytes[byte % length] = *value,
        Damage::Cut { length } => bytes.truncate(*length),
        Damage::Extend { with } => bytes.extend(with),
    }
    bytes
}

/// A value of the kinds that states are made of.
fn value() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        Just("a"),
        Just("c"),
        Just("X"),
        Just("Y"),
        Just("open"),
        Just("none"),
        Just("bound"),
        Just("kind"),
        Just("claim"),
        Just("raw_handle"),
        Just("Result"),
        Just("terminal"),
    ];
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::bool),
        (-2..7_i64).prop_map(Value::int),
        any::<i64>().prop_map(Value::int),
        text.clone().prop_map(Value::str),
        Just(Value::model("a")),
    ];
    leaf.prop_recursive(3, 16, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::set),
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::tuple),
            prop::collection::vec((text.clone(), inner.clone()), 0..4).prop_map(Value::record),
            prop::collection::vec((inner.clone(), inner), 0..4).prop_map(Value::function),
        ]
    })
}

/// The state with one variable, or a value inside one, replaced, and perhaps one left out.
fn altered(state: &TlaState, variable: usize, inside: Option<usize>, with: &Value) -> TlaState {
    let position = variable % (state.len() + 1);
    TlaState::new(
        state
            .iter()
            .enumerate()
            .filter_map(|(index, (name, value))| {
                if index + 1 == position {
                    let new = inside.map_or_else(|| with.clone(), |at| replaced(value, at, with));
                    Some((name.to_owned(), new))
                } else {
                    // With position 0 the last variable is missing.
                    (position > 0 || index + 1 < state.len())
                        .then(|| (name.to_owned(), value.clone()))
                }
            }),
    )
}

fn replaced(value: &Value, at: usize, with: &Value) -> Value {
    let pick = |index: usize, length: usize, old: &Value| {
        if index == at % length {
            with.clone()
        } else {
            old.clone()
        }
    };
    match value {
        Value::Tuple(items) => Value::tuple(
            items
                .iter()
                .enumerate()
                .map(|(index, item)| pick(index, items.len(), item)),
        ),
        Value::Set(items) => Value::set(
            items
                .iter()
                .enumerate()
                .map(|(index, item)| pick(index, items.len(), item)),
        ),
        Value::Record(fields) => Value::record(
            fields
                .iter()
                .enumerate()
                .map(|(index, (name, field))| (name.clone(), pick(index, fields.len(), field))),
        ),
        _ => with.clone(),
    }
}

/// Some reachable states of a model, kept between the cases of a property.
struct Sample<M: CheckedModel> {
    model: M,
    states: Vec<M::State>,
}

impl<M: CheckedModel> Sample<M> {
    fn of(model: M) -> Self {
        let states = reachable(&model, 2_000);
        Self { model, states }
    }

    fn hold_to_laws(
        &self,
        pick: usize,
        bytes: &[u8],
        damages: &[Damage],
        (variable, inside, value): &(usize, Option<usize>, Value),
    ) {
        assert_decodes_canonically(&self.model, bytes);
        let state = &self.states[pick % self.states.len()];
        let mut bytes = encoded(&self.model, state);
        for damage in damages {
            if bytes.is_empty() {
                break;
            }
            bytes = damaged(bytes, damage);
            assert_decodes_canonically(&self.model, &bytes);
        }
        let values = self.model.to_tla(state);
        assert_parses_strictly(&self.model, &altered(&values, *variable, *inside, value));
    }
}

#[test]
fn damaged_encodings_and_foreign_values_are_refused_or_taken_as_they_are() {
    let single: Sample<ClaimScopedWorker> = Sample::of(claim_scope("Spec", 1));
    let triple = Sample::of(claim_scope("BrokenCancelledOutputSpec", 3));
    let recurring: Sample<QueueLifecycle> = Sample::of(lifecycle("second-sender", 1, 2));
    let packed = Sample::of(lifecycle("none", 2, 1));
    let input = (
        any::<usize>(),
        prop::collection::vec(any::<u8>(), 0..20),
        prop::collection::vec(damage(), 0..4),
        (any::<usize>(), any::<Option<usize>>(), value()),
    );
    let config = ProptestConfig {
        failure_persistence: None,
        ..ProptestConfig::with_cases(4_000)
    };
    let mut runner = proptest::test_runner::TestRunner::new(config);
    let outcome = runner.run(&input, |(pick, bytes, damages, alteration)| {
        single.hold_to_laws(pick, &bytes, &damages, &alteration);
        triple.hold_to_laws(pick, &bytes, &damages, &alteration);
        recurring.hold_to_laws(pick, &bytes, &damages, &alteration);
        packed.hold_to_laws(pick, &bytes, &damages, &alteration);
        Ok(())
    });
    outcome.unwrap();
}
