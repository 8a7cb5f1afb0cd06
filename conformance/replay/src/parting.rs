//! Where two recorded traces part.
//!
//! Both are read step by step, so that traces of any length need no memory. What one of them does not
//! say is no difference: a step without a label agrees with any, a label without parameters with one
//! that has some, and values are the same if a file tells one as the other: TLC's JSON dump does not tell
//! sets from sequences. What the two files say of themselves, their headers, is not compared.

use plumb_tla::{Difference, State, difference};

use crate::replay::told::tells;
use crate::trace::{Ending, Fidelity, RecordedLabel, RecordedStep, TraceItem};

/// The first place at which two traces differ.
#[derive(Clone, Debug, PartialEq)]
pub struct Parting {
    /// The behaviour, counted from 1: a file may have several.
    pub behaviour: u64,
    /// The state, by its position counted from 1; for endings the last one.
    pub state: u64,
    /// What differs there.
    pub difference: PartingKind,
}

/// What differs where two traces part.
#[derive(Clone, Debug, PartialEq)]
pub enum PartingKind {
    /// The states, or how they were reached.
    Step {
        /// The state of the first trace.
        first: Box<RecordedStep>,
        /// The state of the second.
        second: Box<RecordedStep>,
        /// Whether they were reached by different actions.
        actions: bool,
        /// The parts of variables that differ, as if the second state came after the first.
        variables: Vec<Difference>,
    },
    /// One of them has no further state.
    Length {
        /// Whether it is the first one that has.
        first_goes_on: bool,
        /// How the other one goes on after its last state.
        ending: Ending,
    },
    /// How they go on after the last state.
    Ending {
        /// How the first trace goes on.
        first: Ending,
        /// How the second does.
        second: Ending,
    },
    /// One of them has no further behaviour.
    Behaviours {
        /// Whether it is the first one that has.
        first_goes_on: bool,
    },
}

/// What a comparison of two traces found.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// The number of behaviours that were read of both.
    pub behaviours: u64,
    /// The number of states that were read of both.
    pub states: u64,
    /// Where they part; nowhere if they tell the same.
    pub parting: Option<Parting>,
}

/// Reads two traces side by side until they part.
///
/// # Errors
///
/// Those of the readers.
pub fn compare_traces<E>(
    first: impl IntoIterator<Item = Result<TraceItem, E>>,
    second: impl IntoIterator<Item = Result<TraceItem, E>>,
) -> Result<Compared, E> {
    let (mut first, mut second) = (first.into_iter(), second.into_iter());
    let mut found = Compared {
        behaviours: 0,
        states: 0,
        parting: None,
    };
    let mut state = 0;
    let mut told = (Fidelity::Exact, Fidelity::Exact);
    loop {
        let (one, other) = (first.next().transpose()?, second.next().transpose()?);
        let difference = match (one, other) {
            (None, None) => break,
            (Some(TraceItem::Header(one)), Some(TraceItem::Header(other))) => {
                told = (one.fidelity, other.fidelity);
                found.behaviours += 1;
                state = 0;
                None
            }
            (Some(TraceItem::Step(one)), Some(TraceItem::Step(other))) => {
                state += 1;
                found.states += 1;
                steps(one, other, told)
            }
            (Some(TraceItem::End(one)), Some(TraceItem::End(other))) => {
                (!same_ending(&one, &other, state)).then_some(PartingKind::Ending {
                    first: one,
                    second: other,
                })
            }
            (Some(TraceItem::Step(_)), other) => Some(PartingKind::Length {
                first_goes_on: true,
                ending: ending(other),
            }),
            (one, Some(TraceItem::Step(_))) => Some(PartingKind::Length {
                first_goes_on: false,
                ending: ending(one),
            }),
            (one, _) => Some(PartingKind::Behaviours {
                first_goes_on: matches!(one, Some(TraceItem::Header(_))),
            }),
        };
        if let Some(difference) = difference {
            found.parting = Some(Parting {
                behaviour: found.behaviours,
                state,
                difference,
            });
            break;
        }
    }
    Ok(found)
}

/// How a trace ends whose next item this is, in place of a state.
fn ending(item: Option<TraceItem>) -> Ending {
    match item {
        Some(TraceItem::End(ending)) => ending,
        _ => Ending::Open,
    }
}

fn steps(
    first: RecordedStep,
    second: RecordedStep,
    told: (Fidelity, Fidelity),
) -> Option<PartingKind> {
    let actions = !same_label(&first.label, &second.label);
    let variables = differing(&first.state, &second.state, told);
    (actions || !variables.is_empty()).then(|| PartingKind::Step {
        first: Box::new(first),
        second: Box::new(second),
        actions,
        variables,
    })
}

fn differing(first: &State, second: &State, told: (Fidelity, Fidelity)) -> Vec<Difference> {
    if first == second {
        return Vec::new();
    }
    let alike = |name: &str| match (first.get(name), second.get(name)) {
        (Some(one), Some(other)) => tells(one, other, told.0) || tells(other, one, told.1),
        _ => false,
    };
    let unlike = |state: &State| {
        let variables = state.iter().filter(|(name, _)| !alike(name));
        State::new(variables.map(|(name, value)| (name.to_owned(), value.clone())))
    };
    difference(&unlike(first), &unlike(second))
}

fn same_label(first: &RecordedLabel, second: &RecordedLabel) -> bool {
    match (first, second) {
        (RecordedLabel::Unlabelled, _) | (_, RecordedLabel::Unlabelled) => true,
        (RecordedLabel::Initial, other) | (other, RecordedLabel::Initial) => {
            *other == RecordedLabel::Initial
        }
        (
            RecordedLabel::Action { name, parameters },
            RecordedLabel::Action {
                name: other_name,
                parameters: other_parameters,
            },
        ) => {
            let told = parameters.as_ref().zip(other_parameters.as_ref());
            name == other_name && told.is_none_or(|(one, other)| one == other)
        }
    }
}

/// To stutter is to go back to the last state, by no action that anybody could name.
fn same_ending(first: &Ending, second: &Ending, last: u64) -> bool {
    match (first, second) {
        (Ending::BackTo(one, label), Ending::BackTo(other, other_label)) => {
            one == other && same_label(label, other_label)
        }
        (Ending::Stuttering, Ending::BackTo(number, RecordedLabel::Unlabelled))
        | (Ending::BackTo(number, RecordedLabel::Unlabelled), Ending::Stuttering) => {
            *number == last
        }
        (first, second) => first == second,
    }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use plumb_tla::Value;

    use super::*;
    use crate::trace::Header;

    fn label(name: &str, parameter: Option<i64>) -> RecordedLabel {
        RecordedLabel::Action {
            name: name.to_owned(),
            parameters: parameter.map(|parameter| vec![Value::int(parameter)]),
        }
    }

    /// A trace that counts; the labels after the first state.
    fn trace(labels: &[RecordedLabel], values: &[i64], ending: Ending) -> Vec<TraceItem> {
        let all = std::iter::once(&RecordedLabel::Initial).chain(labels);
        let steps = (1..).zip(all.zip(values)).map(|(number, (label, value))| {
            TraceItem::Step(RecordedStep {
                number,
                line: 0,
                label: label.clone(),
                state: State::new([("n", Value::int(*value))]),
            })
        });
        let mut items = vec![TraceItem::Header(Header::default())];
        items.extend(steps);
        items.push(TraceItem::End(ending));
        items
    }

    fn read(items: &[TraceItem]) -> impl Iterator<Item = Result<TraceItem, Infallible>> {
        items.iter().cloned().map(Ok)
    }

    fn compare(first: &[TraceItem], second: &[TraceItem]) -> Option<Parting> {
        let Ok(found) = compare_traces(read(first), read(second));
        found.parting
    }

    fn base() -> Vec<TraceItem> {
        trace(
            &[label("Up", Some(1)), label("Up", Some(2))],
            &[0, 1, 3],
            Ending::Open,
        )
    }

    #[test]
    fn a_trace_tells_the_same_as_itself_whatever_the_headers_say() {
        let mut other = base();
        other[0] = TraceItem::Header(Header {
            tool: Some("another".to_owned()),
            ..Header::default()
        });
        assert_eq!(compare(&base(), &other), None);
    }

    #[test]
    fn what_one_does_not_say_is_no_difference() {
        let silent = trace(
            &[RecordedLabel::Unlabelled, label("Up", None)],
            &[0, 1, 3],
            Ending::Open,
        );
        assert_eq!(compare(&base(), &silent), None);
        assert_eq!(compare(&silent, &base()), None);
    }

    #[test]
    fn values_are_the_same_if_a_file_tells_one_as_the_other() {
        let one_state = |value: Value, fidelity| {
            let header = Header {
                fidelity,
                ..Header::default()
            };
            [
                TraceItem::Header(header),
                TraceItem::Step(RecordedStep {
                    number: 1,
                    line: 0,
                    label: RecordedLabel::Initial,
                    state: State::new([("n", value)]),
                }),
                TraceItem::End(Ending::Open),
            ]
        };
        let set = || Value::set([Value::int(1), Value::int(2)]);
        let array = || Value::tuple([Value::int(2), Value::int(1)]);
        let exact = one_state(set(), Fidelity::Exact);
        let dumped = one_state(array(), Fidelity::Projected);
        assert_eq!(compare(&exact, &dumped), None);
        assert_eq!(compare(&dumped, &exact), None);
        let sequence = one_state(array(), Fidelity::Exact);
        assert!(compare(&exact, &sequence).is_some());
    }

    #[test]
    fn they_part_at_the_first_state_whose_values_differ() {
        let other = trace(
            &[label("Up", Some(1)), label("Up", Some(2))],
            &[0, 2, 4],
            Ending::Open,
        );
        let parting = compare(&base(), &other).unwrap();
        assert_eq!((parting.behaviour, parting.state), (1, 2));
        let PartingKind::Step {
            actions, variables, ..
        } = parting.difference
        else {
            panic!("{parting:?}");
        };
        assert!(!actions);
        assert_eq!(variables[0].to_string(), "n: 1 → 2");
    }

    #[test]
    fn they_part_where_the_actions_or_their_parameters_differ() {
        for second in [label("Down", Some(2)), label("Up", Some(3))] {
            let other = trace(&[label("Up", Some(1)), second], &[0, 1, 3], Ending::Open);
            let parting = compare(&base(), &other).unwrap();
            assert_eq!(parting.state, 3);
            assert!(matches!(
                parting.difference,
                PartingKind::Step { actions: true, ref variables, .. } if variables.is_empty()
            ));
        }
    }

    #[test]
    fn they_part_where_one_ends() {
        let short = trace(&[label("Up", Some(1))], &[0, 1], Ending::Open);
        for (first, second, first_goes_on) in
            [(base(), short.clone(), true), (short, base(), false)]
        {
            let parting = compare(&first, &second).unwrap();
            assert_eq!(parting.state, 2);
            let ending = Ending::Open;
            let expected = PartingKind::Length {
                first_goes_on,
                ending,
            };
            assert_eq!(parting.difference, expected);
        }
    }

    #[test]
    fn they_part_where_they_go_on_differently() {
        let up = || [label("Up", Some(1)), label("Up", Some(2))];
        let end = |ending| trace(&up(), &[0, 1, 3], ending);
        let back = |number| end(Ending::BackTo(number, RecordedLabel::Unlabelled));
        assert_eq!(compare(&end(Ending::Stuttering), &back(3)), None);
        for (first, second) in [
            (base(), end(Ending::Stuttering)),
            (back(1), back(2)),
            (back(1), end(Ending::Stuttering)),
        ] {
            let parting = compare(&first, &second).unwrap();
            assert_eq!(parting.state, 3);
            assert!(matches!(parting.difference, PartingKind::Ending { .. }));
        }
    }

    #[test]
    fn a_file_with_more_behaviours_says_more() {
        let two = [base(), base()].concat();
        let parting = compare(&base(), &two).unwrap();
        assert_eq!(
            parting.difference,
            PartingKind::Behaviours {
                first_goes_on: false
            }
        );
        assert_eq!(compare(&two, &two), None);
    }
}
