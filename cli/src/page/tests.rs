//! What the page says, and that nothing it is given can become markup.

use plumb_tla::Value;

use super::*;

fn step(number: u64, action: Option<&str>, actor: Option<&str>, n: i64) -> ShownStep {
    ShownStep {
        number,
        action: action.map(str::to_owned),
        actor: actor.map(str::to_owned),
        state: State::new([("n", Value::int(n)), ("nn", Value::int(0))]),
    }
}

fn behaviour(actors: bool) -> Behaviour {
    let actor = |name| actors.then_some(name);
    Behaviour {
        name: "Counter".to_owned(),
        steps: vec![
            step(1, None, None, 0),
            step(2, Some("Up(1)"), actor("worker 1"), 1),
            step(3, Some("Tick"), None, 1),
        ],
        ..Behaviour::default()
    }
}

#[test]
fn a_step_shows_what_changed_and_only_that_is_marked() {
    let trace = Trace::of("", &behaviour(false));
    assert_eq!(trace.steps[0].summary, "The state as a whole.");
    assert_eq!(trace.steps[1].summary, "n changes.");
    assert_eq!(trace.steps[2].summary, "Nothing changes.");
    let changed = |step: &Step| -> Vec<usize> {
        let variables = step.variables.iter();
        variables.map(|variable| variable.changes.len()).collect()
    };
    // What changes in n is no change of nn.
    assert_eq!(changed(&trace.steps[1]), [1, 0]);
    assert_eq!(changed(&trace.steps[2]), [0, 0]);
}

#[test]
fn actors_have_lanes_and_steps_of_nobody_one_of_their_own() {
    assert!(Trace::of("", &behaviour(false)).lanes.is_empty());
    let trace = Trace::of("", &behaviour(true));
    assert_eq!(trace.lanes, ["worker 1", NOBODY]);
    let lanes: Vec<_> = trace.steps.iter().map(|step| step.lane).collect();
    assert_eq!(lanes, [None, Some(0), Some(1)]);
}

#[test]
fn a_lasso_marks_its_loop_and_links_back() {
    let lasso = Behaviour {
        ending: ShownEnding::BackTo(2, Some("Down".to_owned())),
        ..behaviour(false)
    };
    let trace = Trace::of("", &lasso);
    let looped: Vec<_> = trace.steps.iter().map(|step| step.looped).collect();
    assert_eq!(looped, [false, true, true]);
    let page = render("Counter", &[lasso]).unwrap();
    assert!(page.contains("And so for ever: back to state 2 by Down."));
    assert!(page.contains("<a href=\"#step-2\">To that state</a>"));
}

#[test]
fn a_violated_invariant_is_marked_in_the_last_state_and_spelled_out() {
    let violated = Behaviour {
        violation: Some(ShownViolation {
            kind: PropertyKind::Invariant,
            property: "Safety".to_owned(),
            meaning: "All is well.".to_owned(),
            conjunct: Some(("Small".to_owned(), "N is small.".to_owned())),
        }),
        ..behaviour(false)
    };
    let trace = Trace::of("", &violated);
    let bad: Vec<_> = trace.steps.iter().map(|step| step.bad).collect();
    assert_eq!(bad, [None, None, Some("violated here")]);
    let page = render("Counter", &[violated]).unwrap();
    for part in [
        "The invariant Safety is violated",
        "<p>All is well.</p>",
        "<code>Small</code>: N is small.",
    ] {
        assert!(page.contains(part), "{part}");
    }
}

#[test]
fn a_behaviour_of_one_state_is_a_page_too() {
    let mut alone = behaviour(false);
    alone.steps.truncate(1);
    alone.violation = Some(ShownViolation {
        kind: PropertyKind::Invariant,
        property: "Safety".to_owned(),
        meaning: String::new(),
        conjunct: None,
    });
    let page = render("Counter", &[alone]).unwrap();
    assert_eq!(page.matches("<section class=\"step").count(), 1);
    assert!(page.contains("id=\"step-1\"") && page.contains("violated here"));
    assert!(!page.contains("What changed</th>"));
}

#[test]
fn a_refused_step_is_marked_where_it_is_and_is_the_headline() {
    let refused = Behaviour {
        findings: vec![
            Finding {
                step: None,
                bad: false,
                text: "Two steps were inferred.".to_owned(),
            },
            Finding {
                step: Some(2),
                bad: true,
                text: "State 2 is no successor of state 1.".to_owned(),
            },
        ],
        ..behaviour(false)
    };
    let trace = Trace::of("", &refused);
    assert!(trace.bad);
    assert_eq!(trace.headline, "State 2 is no successor of state 1.");
    assert_eq!(trace.remarks, ["Two steps were inferred."]);
    assert_eq!(trace.steps[1].bad, Some("refused here"));
    assert_eq!(trace.steps[1].findings.len(), 1);
}

#[test]
fn of_several_behaviours_each_has_names_of_its_own() {
    let page = render("Two", &[behaviour(true), behaviour(true)]).unwrap();
    for id in ["behaviour-1-step-3", "behaviour-2-step-3"] {
        assert_eq!(page.matches(&format!(" id=\"{id}\"")).count(), 1, "{id}");
        assert!(page.contains(&format!(" href=\"#{id}\"")), "{id}");
    }
    assert!(page.contains("href=\"#behaviour-2-trace\""));
}

#[test]
fn nothing_that_is_shown_can_become_markup() {
    let hostile =
        "</script><script>alert(1)</script><img src=x onerror=alert(1)>\"'&{{ 123456 * 3 }}";
    let text = || hostile.to_owned();
    let step = |number| ShownStep {
        number,
        action: Some(text()),
        actor: Some(text()),
        state: State::new([(hostile, Value::str(format!("{hostile}{number}")))]),
    };
    let finding = |step| Finding {
        step,
        bad: true,
        text: format!("{hostile} {step:?}"),
    };
    let behaviour = Behaviour {
        name: text(),
        lead: text(),
        facts: vec![(text(), text())],
        steps: vec![step(1), step(2)],
        ending: ShownEnding::BackTo(1, Some(text())),
        violation: Some(ShownViolation {
            kind: PropertyKind::Temporal,
            property: text(),
            meaning: text(),
            conjunct: Some((text(), text())),
        }),
        findings: vec![finding(None), finding(Some(2))],
    };
    let page = render(hostile, &[behaviour.clone(), behaviour]).unwrap();
    assert!(!page.contains("<img"), "{page}");
    assert_eq!(page.matches("<script").count(), 1);
    assert_eq!(page.matches("</script").count(), 1);
    assert!(!page.contains("370368"), "a value was taken for a template");
    assert!(page.contains("&lt;script&gt;alert(1)"));
}

#[test]
fn the_page_loads_nothing_and_its_policy_allows_nothing_but_its_own_style_and_script() {
    let page = render("Counter", &[behaviour(true)]).unwrap();
    for source in [STYLE, SCRIPT] {
        assert!(
            page.contains(&format!(">{source}</")),
            "written as it is hashed"
        );
        assert!(page.contains(&source_hash(source)));
    }
    assert!(page.contains("default-src &#x27;none&#x27;") || page.contains("default-src 'none'"));
    for loading in [
        "http:", "https:", "url(", "@import", "src=", " style=", " onclick",
    ] {
        assert!(!page.contains(loading), "{loading}");
    }
}
