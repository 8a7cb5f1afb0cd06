//! The laws of `CheckedModel`: on every reachable state, and on what random bytes and random values
//! make of reachable states.

use std::collections::HashSet;

use plumb_checker::CheckedModel;
use plumb_tla::{State as TlaState, Value};
use proptest::prelude::*;

pub(crate) fn encoded<M: CheckedModel>(model: &M, state: &M::State) -> Vec<u8> {
    let mut bytes = Vec::new();
    model.encode(state, &mut bytes);
    bytes
}

/// In one pass and in two the successors are the same, in the same order.
fn assert_one_pass_equals_two<M: CheckedModel>(model: &M, state: &M::State) {
    let mut in_one = Vec::new();
    model.successors(state, |action, target| in_one.push((action, target)));
    let mut actions = Vec::new();
    model.actions(state, &mut actions);
    let in_two: Vec<_> = actions
        .into_iter()
        .filter_map(|action| Some((action.clone(), model.next_state(state, action)?)))
        .collect();
    assert_eq!(in_one, in_two, "successors of {state:?}");
    for (action, _) in &in_one {
        assert!(model.has_action(model.action_index(action)), "{action:?}");
    }
}

/// Holds every one of `states` to the laws.
pub(crate) fn assert_laws<M: CheckedModel>(model: &M, states: &[M::State]) {
    let mut encodings = HashSet::new();
    for state in states {
        assert_one_pass_equals_two(model, state);
        let bytes = encoded(model, state);
        assert_eq!(model.decode(&bytes).as_ref(), Some(state), "{bytes:?}");
        assert!(
            encodings.insert(bytes),
            "two states share the encoding of {state:?}"
        );
        let values = model.to_tla(state);
        assert_eq!(model.parse_tla(&values).as_ref(), Ok(state), "{values}");
        let variables: Vec<_> = values.iter().map(|(name, _)| name).collect();
        assert_eq!(variables, M::VARIABLES);
        assert_changes_are_named(model, state, &values);
    }
}

/// Each variable alone is as in the whole state, and no successor has another value of a variable
/// that is said to be unchanged.
fn assert_changes_are_named<M: CheckedModel>(model: &M, state: &M::State, values: &TlaState) {
    for (index, name) in M::VARIABLES.iter().enumerate() {
        let value = model.variable_to_tla(state, index);
        assert_eq!(Some(&value), values.get(name), "{name} of {state:?}");
        assert!(
            model.variable_is(state, index, &value),
            "{name} of {state:?}"
        );
    }
    model.successors(state, |action, target| {
        let Some(changed) = model.changed_variables(state, &target) else {
            return;
        };
        let after = model.to_tla(&target);
        for (index, name) in M::VARIABLES.iter().enumerate() {
            assert!(
                changed >> index & 1 == 1 || values.get(name) == after.get(name),
                "{action:?} changes {name} and does not say so: {values} to {after}"
            );
            let (Some(value), Some(other)) = (values.get(name), after.get(name)) else {
                continue;
            };
            let same = value == other;
            assert_eq!(model.variable_is(state, index, other), same, "{name}");
            assert_eq!(model.variable_is(&target, index, value), same, "{name}");
        }
    });
}

/// Bytes that are taken for a state are exactly the encoding of that state.
fn decoded_canonically<M: CheckedModel>(model: &M, bytes: &[u8]) -> Option<M::State> {
    let state = model.decode(bytes)?;
    assert_eq!(encoded(model, &state), bytes, "{state:?}");
    Some(state)
}

/// Values that are taken for a state are exactly that state's.
fn parsed_strictly<M: CheckedModel>(model: &M, values: &TlaState) -> Option<M::State> {
    match model.parse_tla(values) {
        Ok(state) => {
            assert_eq!(model.to_tla(&state), *values, "{state:?}");
            let bytes = encoded(model, &state);
            assert_eq!(model.decode(&bytes).as_ref(), Some(&state), "{bytes:?}");
            Some(state)
        }
        Err(error) => {
            assert!(!error.place.is_empty() && !error.expected.is_empty());
            None
        }
    }
}

/// Every property of a state is decided and all its successors computed, reachable or not; none of
/// it panics.
fn assert_usable<M: CheckedModel>(model: &M, state: &M::State) {
    super::walk::violated(model, state);
    for constraint in M::constraints() {
        constraint.predicate.holds(model, state);
    }
    model.successors(state, |_, target| {
        encoded(model, &target);
    });
}

/// What is done to the encoding of a state.
#[derive(Clone, Debug)]
enum Damage {
    Flip { byte: usize, bit: u8 },
    Set { byte: usize, value: u8 },
    Cut { length: usize },
    Remove { byte: usize },
    Insert { byte: usize, value: u8 },
    Extend { with: Vec<u8> },
}

fn damage() -> impl Strategy<Value = Damage> {
    let byte = 0..400_usize;
    prop_oneof![
        (byte.clone(), 0..8_u8).prop_map(|(byte, bit)| Damage::Flip { byte, bit }),
        (byte.clone(), 0..8_u8).prop_map(|(byte, value)| Damage::Set { byte, value }),
        (byte.clone(), any::<u8>()).prop_map(|(byte, value)| Damage::Set { byte, value }),
        byte.clone().prop_map(|length| Damage::Cut { length }),
        byte.clone().prop_map(|byte| Damage::Remove { byte }),
        (byte, any::<u8>()).prop_map(|(byte, value)| Damage::Insert { byte, value }),
        prop::collection::vec(any::<u8>(), 0..10).prop_map(|with| Damage::Extend { with }),
    ]
}

fn damaged(mut bytes: Vec<u8>, damage: &Damage) -> Vec<u8> {
    let length = bytes.len().max(1);
    match damage {
        Damage::Flip { byte, bit } => bytes[byte % length] ^= 1 << bit,
        Damage::Set { byte, value } => bytes[byte % length] = *value,
        Damage::Cut { length: to } => bytes.truncate(to % length),
        Damage::Remove { byte } => {
            bytes.remove(byte % length);
        }
        Damage::Insert { byte, value } => bytes.insert(byte % length, *value),
        Damage::Extend { with } => bytes.extend(with),
    }
    bytes
}

/// A value of the kinds that states are made of, with strings out of `words`.
fn value(words: &'static [&'static str]) -> impl Strategy<Value = Value> {
    let text = prop::sample::select(words);
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

/// Where in a state a value is replaced: the variable, and the way down into its value.
type At = (usize, Vec<usize>);

/// The state with a value replaced, or with one variable missing.
fn altered(state: &TlaState, (variable, inside): &At, with: &Value) -> TlaState {
    let position = variable % (state.len() + 1);
    let kept = state
        .iter()
        .enumerate()
        .filter_map(|(index, (name, value))| {
            if index + 1 == position {
                Some((name.to_owned(), replaced(value, inside, with)))
            } else {
                // With position 0 the last variable is missing.
                (position > 0 || index + 1 < state.len()).then(|| (name.to_owned(), value.clone()))
            }
        });
    TlaState::new(kept)
}

/// The value with one deep inside it replaced.
fn replaced(value: &Value, inside: &[usize], with: &Value) -> Value {
    let Some((at, deeper)) = inside.split_first() else {
        return with.clone();
    };
    let pick = |index: usize, length: usize, old: &Value| {
        if index == at % length {
            replaced(old, deeper, with)
        } else {
            old.clone()
        }
    };
    let in_order = |items: &[&Value]| -> Vec<Value> {
        let items = items.iter().enumerate();
        let length = items.len();
        items
            .map(|(index, item)| pick(index, length, item))
            .collect()
    };
    match value {
        Value::Tuple(items) if !items.is_empty() => {
            Value::tuple(in_order(&items.iter().collect::<Vec<_>>()))
        }
        Value::Set(items) if !items.is_empty() => {
            Value::set(in_order(&items.iter().collect::<Vec<_>>()))
        }
        Value::Record(fields) => {
            let values = in_order(&fields.values().collect::<Vec<_>>());
            Value::record(fields.keys().cloned().zip(values))
        }
        _ => with.clone(),
    }
}

/// Some states of a model, to be damaged.
pub(crate) struct Sample<M: CheckedModel> {
    pub(crate) model: M,
    pub(crate) states: Vec<M::State>,
}

impl<M: CheckedModel> Sample<M> {
    /// Damaged encodings and altered values are refused, or taken exactly as they are; so are
    /// random bytes. Values are altered with strings out of `words`.
    ///
    /// `also` holds for whatever is taken for a state.
    pub(crate) fn assert_strict(
        &self,
        words: &'static [&'static str],
        cases: u32,
        also: impl Fn(&M, &M::State),
    ) {
        let input = (
            any::<usize>(),
            prop::collection::vec(any::<u8>(), 0..40),
            prop::collection::vec(damage(), 1..4),
            (any::<usize>(), prop::collection::vec(any::<usize>(), 0..5)),
            value(words),
        );
        let config = ProptestConfig {
            failure_persistence: None,
            ..ProptestConfig::with_cases(cases)
        };
        let mut runner = proptest::test_runner::TestRunner::new(config);
        let outcome = runner.run(&input, |(pick, random, damages, at, value)| {
            let taken = |state: Option<M::State>| {
                if let Some(state) = state {
                    assert_usable(&self.model, &state);
                    also(&self.model, &state);
                }
            };
            taken(decoded_canonically(&self.model, &random));
            let state = &self.states[pick % self.states.len()];
            let mut bytes = encoded(&self.model, state);
            for damage in &damages {
                if bytes.is_empty() {
                    break;
                }
                bytes = damaged(bytes, damage);
                taken(decoded_canonically(&self.model, &bytes));
            }
            let values = altered(&self.model.to_tla(state), &at, &value);
            taken(parsed_strictly(&self.model, &values));
            Ok(())
        });
        outcome.unwrap();
    }
}
