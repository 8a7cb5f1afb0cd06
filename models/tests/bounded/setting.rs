//! The registered configurations, and models configured at will.

use plumb_checker::specs::{Registered, Specs};
use plumb_checker::{CheckedModel, ConfiguredModel, Reader};
use plumb_models::{ClaimScopedWorker, QueueLifecycle};
use plumb_tla::{Cfg, parse_cfg};

/// The repository's `specs/` folder.
pub(crate) fn specs() -> Specs {
    let working = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
    Specs::open(None, working, plumb_models::registry().specs()).unwrap()
}

/// The registered configurations of the two models, in the registry's order.
pub(crate) fn registered(specs: &Specs) -> Vec<&Registered> {
    let models = [ClaimScopedWorker::NAME, QueueLifecycle::NAME];
    let entries = specs.configurations().iter();
    entries
        .filter(|entry| models.contains(&entry.model.as_str()))
        .collect()
}

/// The cfg of a registered configuration.
pub(crate) fn cfg(specs: &Specs, entry: &Registered) -> Cfg {
    let text = specs.text(&format!("{}/{}.cfg", entry.model, entry.name));
    parse_cfg(&text.unwrap()).unwrap()
}

/// The model of a registered configuration under some cfg.
pub(crate) fn configured(entry: &Registered, cfg: &Cfg) -> Box<dyn ConfiguredModel> {
    let registry = plumb_models::registry();
    let model = registry.find(&entry.model).expect("the model is there");
    model.configure(cfg).unwrap()
}

/// The model that a cfg text configures.
pub(crate) fn model<M: CheckedModel>(cfg: &str) -> M {
    let cfg = parse_cfg(cfg).unwrap();
    let mut reader = Reader::new(&cfg);
    let model = M::configure(&mut reader).unwrap();
    reader.finish().unwrap();
    model
}

/// The specifications of `ClaimScopedWorker`.
pub(crate) const SPECIFICATIONS: [&str; 6] = [
    "Spec",
    "BrokenMissingScopeSpec",
    "BrokenForeignScopeSpec",
    "BrokenLastOpenScopeSpec",
    "BrokenCancelledOutputSpec",
    "BrokenMixedDAGSpec",
];

/// `ClaimScopedWorker` with a specification and a number of Claims.
pub(crate) fn claim_scope(specification: &str, count: i64) -> ClaimScopedWorker {
    model(&format!(
        "SPECIFICATION {specification} CONSTANT ClaimCount = {count}"
    ))
}

/// The values of `Broken` in `QueueLifecycle`.
pub(crate) const BROKEN: [&str; 12] = [
    "none",
    "unauthenticated-activation",
    "conflicting-binding",
    "conflict-release",
    "pause-preempts",
    "result-after-failure",
    "skip-prefix",
    "ambiguous-release",
    "unsafe-replacement",
    "rerun-effects",
    "second-sender",
    "early-delivery-failure",
];

/// `QueueLifecycle` with a defect, a budget of groups and a bound of epochs.
pub(crate) fn lifecycle(broken: &str, groups: i64, epochs: i64) -> QueueLifecycle {
    model(&format!(
        "SPECIFICATION Spec CONSTANTS GroupBudget = {groups} EpochBound = {epochs} \
         Broken = \"{broken}\""
    ))
}
