//! What liveness checkers are known to get wrong, each as a tiny graph.

use plumb_checker::{ConfigurationError, Fairness, Lasso, StopReason, Verdict};

use crate::digraph::{Case, Shape, states};

/// The states of a lasso, and how it goes on.
type ExpectedLasso = (&'static [u8], Lasso);

const A: usize = 0;
const B: usize = 1;

/// A graph from state 0, predicate 0 holding in `goal`.
fn case(edges: &[(u8, usize, u8)], goal: &[u8], fairness: &[Fairness], formula: Shape) -> Case {
    Case {
        initial: vec![0],
        edges: edges.to_vec(),
        predicates: vec![goal.to_vec(), vec![0], Vec::new()],
        fairness: fairness.to_vec(),
        formula,
    }
}

/// `initially ~> goal`: every behaviour gets there.
fn reached() -> Shape {
    Shape::leads_to(1, 0)
}

fn often() -> Shape {
    Shape::infinitely_often(0)
}

fn weak() -> Fairness {
    Fairness::weak(["A", "B", "C"])
}

#[test]
fn each_trap_has_its_verdict() {
    use Lasso::{BackTo, Stuttering};
    let weak_a = || Fairness::weak(["A"]);
    let strong_a = || Fairness::strong(["A"]);
    let table: Vec<(&str, Case, Option<ExpectedLasso>)> = vec![
        (
            "a cycle that never meets the goal, beside a way to it",
            case(
                &[(0, A, 1), (1, A, 0), (1, B, 2)],
                &[2],
                &[weak()],
                reached(),
            ),
            Some((&[0, 1], BackTo(1))),
        ),
        (
            "a join reached with and without the goal",
            case(
                &[(0, A, 1), (0, B, 2), (1, A, 3), (2, A, 3)],
                &[1],
                &[weak()],
                reached(),
            ),
            Some((&[0, 2, 3], Stuttering)),
        ),
        (
            "a join behind the goal on both ways",
            case(
                &[(0, A, 1), (0, B, 2), (1, A, 3), (2, A, 3)],
                &[1, 2],
                &[weak()],
                reached(),
            ),
            None,
        ),
        (
            "without fairness nothing need ever happen",
            case(&[(0, A, 1)], &[1], &[], reached()),
            Some((&[0], Stuttering)),
        ),
        (
            "weak fairness of the only step makes it happen",
            case(&[(0, A, 1)], &[1], &[weak()], reached()),
            None,
        ),
        (
            "the end of the model short of the goal is a stuttering end",
            case(&[(0, A, 1)], &[2], &[weak()], reached()),
            Some((&[0, 1], Stuttering)),
        ),
        (
            "a self-loop changes nothing: it neither enables nor pays fairness",
            case(&[(0, A, 0)], &[1], &[weak_a()], reached()),
            Some((&[0], Stuttering)),
        ),
        (
            "a self-loop beside the step does not excuse the step",
            case(&[(0, A, 0), (0, A, 1)], &[1], &[weak_a()], reached()),
            None,
        ),
        (
            "enabled again and again but not always: weak fairness owes nothing",
            case(
                &[(0, B, 1), (1, B, 0), (0, A, 2)],
                &[2],
                &[weak_a(), weak()],
                reached(),
            ),
            Some((&[0, 1], BackTo(1))),
        ),
        (
            "enabled again and again: strong fairness takes it",
            case(
                &[(0, B, 1), (1, B, 0), (0, A, 2)],
                &[2],
                &[strong_a(), weak()],
                reached(),
            ),
            None,
        ),
        (
            "strong fairness does not force what is left behind for ever",
            case(
                &[(0, A, 2), (0, B, 1), (1, B, 3), (3, B, 1)],
                &[2],
                &[strong_a(), weak()],
                reached(),
            ),
            Some((&[0, 1, 3], BackTo(2))),
        ),
        (
            "a fair cycle outside of where the property can fail",
            case(
                &[(0, A, 1), (1, A, 2), (2, A, 1), (0, B, 0)],
                &[1, 2],
                &[weak()],
                Shape::in_the_end(0),
            ),
            None,
        ),
        (
            "an unfair cycle inside, left by the step that is owed",
            case(
                &[(0, B, 1), (1, B, 0), (0, A, 2), (1, A, 2)],
                &[2],
                &[weak_a()],
                reached(),
            ),
            None,
        ),
        (
            "a goal that is lost again",
            case(&[(0, A, 1), (1, A, 0)], &[1], &[], Shape::in_the_end(0)),
            Some((&[0], Stuttering)),
        ),
        (
            "a cycle through the goal meets it again and again, if it goes on",
            case(&[(0, A, 1), (1, A, 0)], &[1], &[weak()], often()),
            None,
        ),
        (
            "an implication whose premise fails in the end",
            case(
                &[(0, A, 1), (1, A, 0)],
                &[1],
                &[],
                Shape::in_the_end(0).implies(often()),
            ),
            None,
        ),
        (
            "the goal is met where the premise is: nothing is owed after",
            case(&[(0, A, 1)], &[0], &[], reached()),
            None,
        ),
        (
            "no state ever has the premise",
            case(&[(0, A, 1)], &[], &[], Shape::leads_to(2, 0)),
            None,
        ),
        (
            "the premise comes back after the goal",
            case(
                &[(0, A, 1), (1, A, 2), (2, A, 0)],
                &[1],
                &[Fairness::weak(["B"])],
                reached(),
            ),
            Some((&[0], Stuttering)),
        ),
    ];
    for (about, case, expected) in table {
        for threads in [1, 4] {
            let report = case.check(threads);
            match (&expected, &report.lasso) {
                (None, None) => assert_eq!(report.verdict, Verdict::Exhausted, "{about}"),
                (Some((path, lasso)), Some((found, _))) => {
                    assert_eq!(report.verdict.property(), Some("Live"), "{about}");
                    assert_eq!((&states(&report)[..], found), (*path, lasso), "{about}");
                }
                (_, found) => panic!("{about}: {:?} with {found:?}", report.verdict),
            }
        }
    }
}

#[test]
fn the_violated_conjunct_is_named() {
    let formula = Shape::All(vec![reached(), Shape::infinitely_often(2)]);
    let report = case(&[(0, A, 1)], &[1], &[weak()], formula).check(2);
    assert_eq!(report.verdict.conjunct(), Some("[]<>(p2)"));
}

#[test]
fn a_formula_outside_the_grammar_is_an_error_that_names_it() {
    let eventually = Shape::Eventually(Box::new(Shape::Predicate(0)));
    let nested = Shape::Always(Box::new(Shape::infinitely_often(0)));
    let table = [
        (eventually.clone(), "<>(p0)"),
        (Shape::Predicate(1), "p1"),
        (Shape::Always(Box::new(Shape::Predicate(0))), "[](p0)"),
        (nested, "[]([]<>(p0))"),
        (Shape::in_the_end(0).implies(eventually), "<>(p0)"),
        (
            Shape::LeadsTo(Box::new(often()), Box::new(Shape::Predicate(0))),
            "[]<>(p0)",
        ),
        (Shape::in_the_end(0).implies(reached()), "(p1) ~> (p0)"),
        (
            Shape::All(vec![often(), Shape::Not(Box::new(reached()))]),
            "(p1) ~> (p0)",
        ),
    ];
    for (shape, named) in table {
        let case = case(&[], &[], &[], shape);
        match case.configure_with("PROPERTY Live").map(|_| ()) {
            Err(ConfigurationError::UndecidableFormula {
                name,
                formula,
                position,
            }) => {
                assert_eq!((name.as_str(), formula.as_str()), ("Live", named));
                assert_eq!(position.line, 1);
            }
            other => panic!("{named}: {other:?}"),
        }
    }
}

#[test]
fn a_constraint_together_with_a_temporal_property_is_refused() {
    let case = case(&[], &[], &[], often());
    let error = case
        .configure_with("PROPERTY Live CONSTRAINT Small")
        .map(|_| ())
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "temporal property Live cannot be decided under the constraint Small"
    );
    assert!(error.hint().is_some());
    assert!(case.configure_with("CONSTRAINT Small").is_ok());
}

#[test]
fn stateright_leaves_temporal_properties_unchecked_and_says_so() {
    let case = case(&[(0, A, 1)], &[1], &[], reached());
    let report = case.configure().check_with_stateright(
        &plumb_checker::SearchOptions::default(),
        &std::sync::Arc::default(),
    );
    match report.verdict {
        Verdict::Inconclusive(StopReason::Unchecked(what)) => {
            assert!(what.contains("temporal"), "{what}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_observed_lasso_is_judged_by_steps_fairness_and_property() {
    let case = case(
        &[(0, B, 1), (1, B, 0), (0, A, 2)],
        &[2],
        &[weak()],
        reached(),
    );
    let model = case.configure();
    let judge = |states: &[u8], back_to| {
        let encoded: Vec<Vec<u8>> = states.iter().map(|state| vec![*state]).collect();
        model.judge_lasso("Live", &encoded, back_to)
    };
    assert_eq!(judge(&[0, 1], 0), Ok("(p1) ~> (p0)".to_owned()));
    assert_eq!(judge(&[0, 1, 0, 1], 2), Ok("(p1) ~> (p0)".to_owned()));
    let refused = [
        (&[0][..], 0, "not fair"),
        (&[1, 0], 0, "initial state"),
        (&[0, 1, 2], 2, "step out of state 2"),
        (&[0, 2], 1, "satisfies the property"),
        (&[0, 1], 2, "goes back to state 3"),
        (&[], 0, "goes back to state 1"),
    ];
    for (states, back_to, why) in refused {
        let error = judge(states, back_to).unwrap_err();
        assert!(error.contains(why), "{states:?}: {error}");
    }
}
