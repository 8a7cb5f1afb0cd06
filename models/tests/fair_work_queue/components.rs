//! The laws of components and local steps.

use plumb_checker::{CheckedModel, Components, Predicate};
use plumb_models::FairWorkQueue;
use plumb_models::fair_work_queue::{Part, State};

use crate::harness::components::Locality;
use crate::setting::Setting;
use crate::spaces::{settings, states};

/// Whether a plan or a checkpoint was made on the log as it is or was: never on one to come.
fn is_possible(state: &State) -> bool {
    let length = state.log().len() as i64;
    let mut bases = state.groups.iter().map(|group| group.pending.base);
    state.checkpoint_pending.base <= length && bases.all(|base| base <= length)
}

#[test]
fn steps_and_properties_are_local_to_components() {
    let mut tested = 0;
    for setting in settings() {
        let model = setting.model();
        if model.component_count() == 1 {
            continue;
        }
        let states = states(&model, 400);
        let mut locality = Locality::of(&model);
        for state in &states {
            locality.hold(state);
        }
        locality.hold_mixtures(&states, 500, is_possible);
        tested += 1;
    }
    assert!(tested > 10, "{tested} settings have components");
}

#[test]
fn every_step_of_a_space_that_is_searched_to_its_end_is_local() {
    let settings = [
        Setting::of([2, 2, 1, 2, 2, 2, 1, 7]),
        Setting::of([2, 2, 2, 2, 2, 2, 1, 6]).edges("Chain"),
        Setting::of([2, 2, 2, 2, 2, 2, 1, 6]).specified("CheckpointSpec"),
    ];
    for setting in settings {
        let model = setting.model();
        let mut locality = Locality::of(&model);
        let states = states(&model, 30_000);
        for state in &states {
            locality.hold(state);
        }
        locality.hold_mixtures(&states, 5_000, is_possible);
        locality.assert_tested();
    }
}

#[test]
fn where_a_defect_is_specified_a_state_is_one_whole() {
    for setting in settings() {
        let model = setting.model();
        let broken = setting.specification.starts_with("Broken");
        assert_eq!(model.component_count() == 1, broken);
        let mut parts = vec![Part::Shared, Part::Checkpoint];
        parts.extend(model.constants().all_groups().map(Part::Group));
        for part in parts {
            assert!(model.component_of(part) < model.component_count());
        }
    }
}

#[test]
fn no_state_has_other_components() {
    let model = Setting::of([2, 2, 1, 2, 2, 2, 1, 8]).model();
    let state = states(&model, 5_000).pop().unwrap();
    let parts: Vec<Vec<u8>> = (0..model.component_count())
        .map(|component| {
            let mut bytes = Vec::new();
            model.encode_component(&state, component, &mut bytes);
            bytes
        })
        .collect();
    assert_eq!(parts.len(), 3);
    let is_state = |parts: &[Vec<u8>]| -> bool {
        let parts: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
        model.decode_components(&parts).is_some()
    };
    assert!(is_state(&parts));
    assert!(!is_state(&parts[1..]) && !is_state(&[&parts[..], &parts[..1]].concat()));
    for component in 0..parts.len() {
        let with = |bytes: Vec<u8>| {
            let mut changed = parts.clone();
            changed[component] = bytes;
            is_state(&changed)
        };
        assert!(!with(vec![]), "nothing is no component");
        let longer = [&parts[component][..], &[0]].concat();
        assert!(!with(longer), "one byte more");
        let cut = &parts[component][..parts[component].len() - 1];
        assert!(!with(cut.to_vec()), "one byte less");
    }
}

#[test]
fn every_invariant_is_by_component() {
    for invariant in FairWorkQueue::invariants() {
        assert!(
            !matches!(invariant.predicate, Predicate::State(_)),
            "{} is over whole states",
            invariant.name
        );
    }
}
