//! Who takes a step: every action of every model has been thought of.

#![allow(clippy::unwrap_used)]
use plumb_models::registry;
use plumb_tla::{Value, parse_cfg};

/// Actions that nobody in particular takes.
const NOBODYS: [&str; 4] = [
    "DuplicateRecord",
    "UnsafeLateClaim",
    "BrokenPRObservation",
    "BrokenProjection",
];

/// Models in which there is no telling who acts.
const WITHOUT_ACTORS: [&str; 2] = ["service", "projection"];

#[test]
fn every_action_has_an_actor_or_is_known_to_have_none() {
    let registry = registry();
    for (model, cfg) in [
        (
            "claim-scope",
            include_str!("../../specs/claim-scope/ClaimScopeSingle.cfg"),
        ),
        (
            "lifecycle",
            include_str!("../../specs/lifecycle/LifecyclePacked.cfg"),
        ),
        (
            "service",
            include_str!("../../specs/service/ServiceFixed.cfg"),
        ),
        (
            "projection",
            include_str!("../../specs/projection/IssueExisting.cfg"),
        ),
        (
            "fair-work-queue",
            include_str!("../../specs/fair-work-queue/FairBatch.cfg"),
        ),
        (
            "work-queue",
            include_str!("../../specs/work-queue/WorkQueue.cfg"),
        ),
    ] {
        let model_entry = registry.find(model).unwrap();
        let configured = model_entry.configure(&parse_cfg(cfg).unwrap()).unwrap();
        for action in configured.actions() {
            let actor = configured.actor(action, &[Value::int(1)]);
            let none = NOBODYS.contains(&action) || WITHOUT_ACTORS.contains(&model);
            assert_eq!(actor.is_none(), none, "{model}: {action}: {actor:?}");
        }
        assert_eq!(
            configured.actor("NoSuchAction", &[Value::int(1)]),
            None,
            "{model}"
        );
    }
}

#[test]
fn an_actor_is_named_by_the_first_parameter() {
    let registry = registry();
    let cfg = parse_cfg(include_str!("../../specs/lifecycle/LifecyclePacked.cfg")).unwrap();
    let lifecycle = registry.find("lifecycle").unwrap().configure(&cfg).unwrap();
    let actor = lifecycle.actor("Mark", &[Value::str("X")]);
    assert_eq!(actor.as_deref(), Some("group X"));
    // Traces of older TLCs have no parameters.
    assert_eq!(lifecycle.actor("Mark", &[]), None);
}
