//! The laws of components and local steps.

use plumb_checker::{CheckedModel, StepPredicate};
use plumb_checker::{Components, Predicate};
use plumb_models::WorkQueue;
use plumb_models::work_queue::{Maintenance, Part};

use crate::harness::components::Locality;
use crate::setting::{Setting, dispatcher, worker};
use crate::spaces::{settings, states};

#[test]
fn steps_and_properties_are_local_to_components() {
    for setting in settings() {
        let model = setting.model();
        let states = states(&model, 300);
        let mut locality = Locality::of(&model);
        for state in &states {
            locality.hold(state);
        }
        locality.hold_mixtures(&states, 500);
        locality.assert_tested();
    }
}

#[test]
fn every_step_of_a_space_that_is_searched_to_its_end_is_local() {
    for numbers in [[1, 2, 2, 1, 0, 3, 3], [1, 1, 1, 2, 1, 2, 2]] {
        let model = Setting::of(numbers).model();
        let mut locality = Locality::of(&model);
        for state in states(&model, usize::MAX) {
            locality.hold(&state);
        }
        locality.assert_tested();
    }
}

#[test]
fn components_are_numbered_as_the_document_of_the_model_says() {
    let model = Setting::of([1, 2, 3, 2, 1, 3, 4]).model();
    let parts = [
        Part::Shared,
        Part::Dispatcher(dispatcher(1)),
        Part::Dispatcher(dispatcher(2)),
        Part::Worker(worker(1)),
        Part::Worker(worker(2)),
        Part::Worker(worker(3)),
        Part::Maintenance(Maintenance::Compact),
        Part::Maintenance(Maintenance::Recovery),
    ];
    assert_eq!(model.component_count(), parts.len());
    for (number, part) in parts.into_iter().enumerate() {
        assert_eq!(model.constants().part(number), part);
        assert_eq!(model.constants().number_of(part), number);
    }
}

#[test]
fn no_state_has_other_components() {
    let model = Setting::of([1, 2, 2, 1, 1, 4, 5]).model();
    let state = states(&model, 2_000).pop().unwrap();
    let parts: Vec<Vec<u8>> = (0..model.component_count())
        .map(|component| {
            let mut bytes = Vec::new();
            model.encode_component(&state, component, &mut bytes);
            bytes
        })
        .collect();
    let slices = |parts: &[Vec<u8>]| -> bool {
        let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
        model.decode_components(&parts).is_some()
    };
    assert!(slices(&parts));
    assert!(!slices(&parts[1..]) && !slices(&[&parts[..], &parts[..1]].concat()));
    for component in 0..parts.len() {
        let with = |bytes: Vec<u8>| {
            let mut changed = parts.clone();
            changed[component] = bytes;
            slices(&changed)
        };
        assert!(!with(vec![]), "nothing is no component");
        assert!(
            !with([&parts[component][..], &[0]].concat()),
            "one byte more"
        );
        let cut = &parts[component][..parts[component].len() - 1];
        assert!(!with(cut.to_vec()), "one byte less");
    }
    // One state's boundaries are not another's: the last byte of one, given to the next.
    let mut shifted = parts.clone();
    let last = shifted[1].pop().unwrap();
    shifted[2].insert(0, last);
    assert!(!slices(&shifted));
}

#[test]
fn every_property_is_by_component() {
    for invariant in WorkQueue::invariants() {
        match invariant.predicate {
            Predicate::Component(_) => {}
            Predicate::All(_) => assert_eq!(invariant.name, "Safety"),
            other => panic!("{} is {other:?}", invariant.name),
        }
    }
    for property in WorkQueue::step_properties() {
        assert!(matches!(property.predicate, StepPredicate::Component(_)));
    }
}
