//! Whether a variable is some value in TLA+, found out without making the value of every log.
//!
//! Logs are most of what a state shows: a plan and a checkpoint each have one of their own.

use plumb_tla::Value;

use super::constants::Constants;
use super::log::{Log, Operation, Record};
use super::state::State;
use super::tla::{number_or_zero, operands, variable};
use super::vocabulary::Group;

pub(super) fn variable_is(
    constants: &Constants,
    state: &State,
    index: usize,
    value: &Value,
) -> bool {
    match index {
        0 => is_log(value, state.log()),
        2 => is_each(value, constants.all_groups(), |value, group| {
            is_pending(value, constants, state, group)
        }),
        _ => variable(constants, state, index) == *value,
    }
}

/// A field, and whether a value is what it should have.
type Field<'a> = (&'static str, &'a dyn Fn(&Value) -> bool);

/// Whether the value is a record with just these fields, each of which is as it should be.
fn is_record<const N: usize>(value: &Value, fields: [Field<'_>; N]) -> bool {
    value.as_record().is_some_and(|record| {
        record.len() == N && { fields }
            .iter()
            .all(|(name, is)| record.get(*name).is_some_and(is))
    })
}

/// Whether the value is a sequence of these things.
fn is_each<T>(
    value: &Value,
    things: impl IntoIterator<Item = T>,
    is: impl Fn(&Value, T) -> bool,
) -> bool {
    let mut things = things.into_iter();
    value.as_tuple().is_some_and(|values| {
        { values.iter() }.all(|value| things.next().is_some_and(|thing| is(value, thing)))
            && things.next().is_none()
    })
}

fn is_integer(value: &Value, number: i64) -> bool {
    value.as_int() == Some(number)
}

fn is_pending(value: &Value, constants: &Constants, state: &State, group: Group) -> bool {
    let pending = state.pending(group);
    is_record(
        value,
        [
            ("phase", &|value| {
                value.as_str() == Some(pending.phase.name())
            }),
            ("base", &|value| is_integer(value, pending.base)),
            ("retries", &|value| is_integer(value, pending.retries)),
            ("source", &|value| is_log(value, &state.source(group))),
            ("ops", &|value| {
                is_plan(value, &state.operations(constants, group))
            }),
        ],
    )
}

fn is_log(value: &Value, log: &Log) -> bool {
    is_each(value, log.records(), |value, record: Record<'_>| {
        is_record(
            value,
            [
                ("id", &|value| is_integer(value, record.id)),
                ("previous", &|value| is_integer(value, record.previous)),
                ("request", &|value| *value == number_or_zero(record.request)),
                ("ops", &|value| is_plan(value, record.operations)),
            ],
        )
    })
}

fn is_plan(value: &Value, operations: &[Operation]) -> bool {
    is_each(value, operations, |value, operation| {
        let [group, claim, operand] = operands(*operation);
        is_record(
            value,
            [
                ("kind", &|value| {
                    value.as_str() == Some(operation.kind().name())
                }),
                ("group", &|value| *value == group),
                ("claim", &|value| *value == claim),
                ("value", &|value| *value == operand),
            ],
        )
    })
}
