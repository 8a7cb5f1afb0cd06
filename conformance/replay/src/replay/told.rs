//! Whether a recorded value is how a file would tell a value of the model.

use std::collections::BTreeMap;

use plumb_tla::{State, Value};

use crate::trace::Fidelity;

/// Whether every recorded variable has the value that the model's state has.
pub(super) fn agrees(recorded: &State, model: &State, fidelity: Fidelity) -> bool {
    recorded.iter().all(|(name, value)| {
        model
            .get(name)
            .is_some_and(|known| tells(value, known, fidelity))
    })
}

/// Whether `recorded` stands for `model`.
pub(crate) fn tells(recorded: &Value, model: &Value, fidelity: Fidelity) -> bool {
    match fidelity {
        Fidelity::Exact => recorded == model,
        Fidelity::NamesAsStrings => *recorded == names_as_strings(model),
        Fidelity::Projected => projects(recorded, model),
    }
}

/// The value with a string for each model value in it.
fn names_as_strings(value: &Value) -> Value {
    match value {
        Value::Model(name) => Value::str(name.clone()),
        Value::Set(items) => Value::set(items.iter().map(names_as_strings)),
        Value::Tuple(items) => Value::tuple(items.iter().map(names_as_strings)),
        Value::Record(fields) => {
            let fields = fields.iter();
            Value::record(fields.map(|(name, value)| (name.clone(), names_as_strings(value))))
        }
        Value::Function(pairs) => Value::function(
            pairs
                .iter()
                .map(|(key, value)| (names_as_strings(key), names_as_strings(value))),
        ),
        other => other.clone(),
    }
}

/// Whether `recorded` is how TLC's JSON dump tells `model`: sets are arrays in any order, functions
/// are objects whose names are their arguments, model values are strings.
///
/// It goes as deep as the model's value, whose depth is no input.
fn projects(recorded: &Value, model: &Value) -> bool {
    match (model, recorded) {
        (Value::Set(items), Value::Tuple(told)) => is_some_order(told.iter(), items.iter()),
        (Value::Set(items), Value::Set(told)) => is_some_order(told.iter(), items.iter()),
        (Value::Tuple(items), Value::Tuple(told)) => {
            items.len() == told.len()
                && items
                    .iter()
                    .zip(told)
                    .all(|(item, told)| projects(told, item))
        }
        (Value::Record(fields), Value::Record(told)) => {
            let fields = fields.iter().map(|(name, value)| (name.clone(), value));
            are_fields(told, fields)
        }
        (Value::Function(pairs), Value::Record(told)) => {
            let fields = pairs.iter().map(|(key, value)| (as_name(key), value));
            are_fields(told, fields)
        }
        (Value::Model(name), Value::Str(told)) => name == told,
        _ => model == recorded,
    }
}

fn is_some_order<'v>(
    told: impl ExactSizeIterator<Item = &'v Value>,
    items: impl ExactSizeIterator<Item = &'v Value>,
) -> bool {
    if told.len() != items.len() {
        return false;
    }
    let mut left: Vec<&Value> = told.collect();
    for item in items {
        match left.iter().position(|told| projects(told, item)) {
            Some(place) => left.swap_remove(place),
            None => return false,
        };
    }
    true
}

fn are_fields<'v>(
    told: &BTreeMap<String, Value>,
    fields: impl ExactSizeIterator<Item = (String, &'v Value)>,
) -> bool {
    told.len() == fields.len() && { fields }
        .all(|(name, value)| told.get(&name).is_some_and(|told| projects(told, value)))
}

/// An argument of a function as the name of a JSON member.
fn as_name(key: &Value) -> String {
    match key {
        Value::Str(text) => text.clone(),
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn projected(recorded: &str, model: &str) -> bool {
        let value = |text: &str| text.parse::<Value>().unwrap();
        tells(&value(recorded), &value(model), Fidelity::Projected)
    }

    #[test]
    fn an_array_tells_a_sequence_in_its_order_and_a_set_in_any() {
        assert!(projected("<<1, 2>>", "<<1, 2>>"));
        assert!(!projected("<<2, 1>>", "<<1, 2>>"));
        assert!(projected("<<2, 1>>", "{1, 2}"));
        assert!(!projected("<<2, 2>>", "{1, 2}"));
        assert!(!projected("<<1>>", "{1, 2}"));
        assert!(!projected("<<1, 2, 3>>", "{1, 2}"));
        assert!(projected("<<<<3>>, <<2, 1>>>>", "{{1, 2}, {3}}"));
        assert!(projected("<<>>", "{}"));
    }

    #[test]
    fn an_object_tells_a_record_or_a_function_by_the_names_of_its_arguments() {
        assert!(projected("[a |-> 1]", "[a |-> 1]"));
        assert!(!projected("[a |-> 2]", "[a |-> 1]"));
        assert!(!projected("[a |-> 1, b |-> 1]", "[a |-> 1]"));
        assert!(projected("(\"w1\" :> <<1>>)", "(w1 :> {1})"));
        assert!(projected("(\"0\" :> 7)", "(0 :> 7)"));
        assert!(!projected("(\"1\" :> 7)", "(0 :> 7)"));
    }

    #[test]
    fn a_string_tells_a_model_value_and_no_other_kind_is_mistaken() {
        assert!(projected("\"w1\"", "w1"));
        assert!(!projected("\"w2\"", "w1"));
        assert!(!projected("\"1\"", "1"));
        assert!(!projected("1", "TRUE"));
    }

    #[test]
    fn names_may_be_told_as_strings_and_nothing_else_otherwise() {
        let told = |recorded: &str, model: &str| {
            let value = |text: &str| text.parse::<Value>().unwrap();
            tells(&value(recorded), &value(model), Fidelity::NamesAsStrings)
        };
        assert!(told("[w1 |-> {\"w2\"}]", "(w1 :> {w2})"));
        assert!(told("<<1, {\"a\"}>>", "<<1, {\"a\"}>>"));
        assert!(!told("\"w2\"", "w1"));
        assert!(!told("<<\"w1\">>", "{w1}"));
    }

    #[test]
    fn exact_values_are_compared_as_they_are() {
        let value = |text: &str| text.parse::<Value>().unwrap();
        assert!(!tells(&value("<<1>>"), &value("{1}"), Fidelity::Exact));
        assert!(tells(&value("{1}"), &value("{1}"), Fidelity::Exact));
    }
}
