//! What the tests of the queue's models share: configuring them, checking them against published
//! figures, walking their states, the laws of a checked model, and dropping conjuncts of guards.

#![allow(dead_code, reason = "each test uses a part of it")]

pub(crate) mod components;
pub(crate) mod expectation;
pub(crate) mod laws;
pub(crate) mod mutation;
pub(crate) mod walk;

use std::num::NonZeroUsize;

use plumb_checker::specs::Specs;
use plumb_checker::{CheckedModel, ConfiguredModel, Progress, Reader, Report, SearchOptions};
use plumb_tla::parse_cfg;

/// The model that a cfg text configures.
pub(crate) fn model<M: CheckedModel>(cfg: &str) -> M {
    let cfg = parse_cfg(cfg).unwrap();
    let mut reader = Reader::new(&cfg);
    let model = M::configure(&mut reader).unwrap();
    reader.finish().unwrap();
    model
}

/// The model of this name under a cfg text, with the properties that the text chooses.
pub(crate) fn configured<M: CheckedModel>(cfg: &str) -> Box<dyn ConfiguredModel> {
    let cfg = parse_cfg(cfg).unwrap();
    let registry = plumb_models::registry();
    let model = registry.find(M::NAME).expect("the model is registered");
    model.configure(&cfg).unwrap()
}

/// The cfg file of a registered configuration asks for the same as a document's line, put as a cfg
/// text: the specification, the constants, the constraints and the properties.
pub(crate) fn assert_file_says_the_same<M: CheckedModel>(name: &str, cfg: &str) {
    let working = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    let specs = Specs::open(None, working, plumb_models::registry().specs()).unwrap();
    let file = specs.text(&format!("{}/{name}.cfg", M::NAME)).unwrap();
    let asked = |text: &str| {
        let model = configured::<M>(text);
        let mut constants = model.constants().to_vec();
        constants.sort();
        let properties = model.properties().iter().map(|property| property.name);
        (
            model.specification().to_owned(),
            constants,
            model.constraints(),
            properties.collect::<Vec<_>>(),
        )
    };
    assert_eq!(asked(&file), asked(cfg), "{name}");
}

/// What a faulty cfg is told.
pub(crate) fn configuration_error<M: CheckedModel>(cfg: &str) -> String {
    let cfg = parse_cfg(cfg).unwrap();
    let registry = plumb_models::registry();
    match registry.find(M::NAME).unwrap().configure(&cfg) {
        Ok(_) => panic!("the cfg is accepted"),
        Err(error) => error.to_string(),
    }
}

/// A check on so many threads.
pub(crate) fn check(model: &dyn ConfiguredModel, threads: usize) -> Report {
    let options = SearchOptions {
        threads: NonZeroUsize::new(threads).unwrap(),
        ..SearchOptions::default()
    };
    model.check(&options, &Progress::default())
}

/// The names of the actions that a model's specification has.
pub(crate) fn action_names<M: CheckedModel>(model: &M) -> Vec<&'static str> {
    let names = M::ACTIONS.iter().enumerate();
    names
        .filter(|(index, _)| model.has_action(*index))
        .map(|(_, name)| *name)
        .collect()
}
