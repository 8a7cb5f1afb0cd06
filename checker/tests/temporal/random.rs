//! Random small graphs with random fairness, against the brute-force decision.

use plumb_checker::{Fairness, Lasso, PropertyKind, Verdict};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::brute_force::is_violated;
use crate::digraph::{ACTIONS, Case, Shape, states};

const STATES: u8 = 5;

fn long_run() -> impl Strategy<Value = Shape> {
    (any::<bool>(), any::<bool>(), 0_usize..3).prop_map(|(often, negated, predicate)| {
        let inner = Shape::Predicate(predicate);
        let inner = if negated {
            Shape::Not(Box::new(inner))
        } else {
            inner
        };
        if often {
            Shape::Always(Box::new(Shape::Eventually(Box::new(inner))))
        } else {
            Shape::Eventually(Box::new(Shape::Always(Box::new(inner))))
        }
    })
}

fn conjunct() -> impl Strategy<Value = Shape> {
    prop_oneof![
        long_run(),
        long_run().prop_map(|inner| Shape::Not(Box::new(inner))),
        (0_usize..3, 0_usize..3).prop_map(|(premise, goal)| Shape::leads_to(premise, goal)),
        (long_run(), long_run()).prop_map(|(premise, goal)| premise.implies(goal)),
    ]
}

fn formula() -> impl Strategy<Value = Shape> {
    prop_oneof![3 => conjunct(), 1 => vec(conjunct(), 1..3).prop_map(Shape::All)]
}

fn fairness() -> impl Strategy<Value = Fairness> {
    let action = prop::sample::select(ACTIONS.to_vec());
    (any::<bool>(), any::<bool>(), vec(action, 1..3)).prop_map(|(strong, each, actions)| {
        let owed = if strong {
            Fairness::strong(actions)
        } else {
            Fairness::weak(actions)
        };
        if each { owed.for_each() } else { owed }
    })
}

pub(crate) fn case() -> impl Strategy<Value = Case> {
    let predicate = || vec(0..STATES, 0..4);
    (
        vec(0..STATES, 1..3),
        vec((0..STATES, 0..ACTIONS.len(), 0..STATES), 0..9),
        (predicate(), predicate(), predicate()),
        vec(fairness(), 0..3),
        formula(),
    )
        .prop_map(|(initial, edges, predicates, fairness, formula)| Case {
            initial,
            edges,
            predicates: vec![predicates.0, predicates.1, predicates.2],
            fairness,
            formula,
        })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6000))]

    #[test]
    fn the_verdict_is_that_of_trying_everything_and_every_lasso_is_one(case in case()) {
        let report = case.check(1);
        let violated = is_violated(&case);
        if violated {
            prop_assert!(
                matches!(
                    &report.verdict,
                    Verdict::Violated { property, kind: PropertyKind::Temporal, .. } if property == "Live"
                ),
                "{:?}", report.verdict
            );
            let states = states(&report);
            let back_to = match report.lasso {
                Some((Lasso::BackTo(number), _)) => number - 1,
                Some((Lasso::Stuttering, _)) => states.len() - 1,
                None => return Err(TestCaseError::fail("there is no lasso")),
            };
            let encoded: Vec<Vec<u8>> = states.iter().map(|state| vec![*state]).collect();
            let judged = case.configure().judge_lasso("Live", &encoded, back_to);
            prop_assert!(judged.is_ok(), "{judged:?} for {states:?} back to {back_to}");
            // The lasso by itself, as a graph that has no other behaviour, is violated as well:
            // the judge and the search share no code with this.
            prop_assert!(only(&case, &states, back_to), "{states:?} back to {back_to}");
        } else {
            prop_assert_eq!(&report.verdict, &Verdict::Exhausted);
        }
        let many = case.check(8);
        prop_assert_eq!(&many.verdict, &report.verdict);
        prop_assert_eq!(&many.trace, &report.trace);
        prop_assert_eq!(&many.lasso, &report.lasso);
    }
}

/// Whether the behaviour that the lasso describes violates the formula and is fair, decided by
/// hand: its recurring states, and what is enabled in them in the whole graph.
fn only(case: &Case, states: &[u8], back_to: usize) -> bool {
    let round = &states[back_to..];
    let steps: Vec<(u8, u8)> = (0..round.len())
        .map(|index| (round[index], round[(index + 1) % round.len()]))
        .filter(|(from, to)| from != to)
        .collect();
    let fair = case.fairness.iter().all(|owed| {
        let parameters: Vec<Option<u8>> = if owed.each {
            vec![Some(0), Some(1)]
        } else {
            vec![None]
        };
        parameters.into_iter().all(|parameter| {
            let mut edges = case.edges.iter().filter(|(from, action, to)| {
                from != to
                    && owed.actions.contains(&ACTIONS[*action])
                    && parameter.is_none_or(|parameter| to % 2 == parameter)
            });
            let counted: Vec<_> = edges.by_ref().collect();
            let enabled = |state: &u8| counted.iter().any(|(from, ..)| from == state);
            let taken = counted
                .iter()
                .any(|(from, _, to)| steps.contains(&(*from, *to)));
            taken
                || match owed.strength {
                    plumb_checker::Strength::Weak => !round.iter().all(enabled),
                    plumb_checker::Strength::Strong => !round.iter().any(enabled),
                }
        })
    });
    fair && !satisfies(case, &case.formula, states, back_to)
}

/// The truth of a formula on one lasso, by the definition of its operators at each position.
fn satisfies(case: &Case, shape: &Shape, states: &[u8], back_to: usize) -> bool {
    fn at(case: &Case, shape: &Shape, states: &[u8], back_to: usize, place: usize) -> bool {
        // Every position that comes at or after this one.
        let after = || place.min(back_to)..states.len();
        let eval = |shape: &Shape, place: usize| at(case, shape, states, back_to, place);
        match shape {
            Shape::Predicate(number) => case.predicates[*number].contains(&states[place]),
            Shape::Not(inner) => !eval(inner, place),
            Shape::All(parts) => parts.iter().all(|part| eval(part, place)),
            Shape::Implies(premise, conclusion) => !eval(premise, place) || eval(conclusion, place),
            Shape::Always(inner) => after().all(|place| eval(inner, place)),
            Shape::Eventually(inner) => after().any(|place| eval(inner, place)),
            Shape::LeadsTo(premise, goal) => after().all(|place| {
                !eval(premise, place) || eval(&Shape::Eventually(goal.clone()), place)
            }),
        }
    }
    at(case, shape, states, back_to, 0)
}
