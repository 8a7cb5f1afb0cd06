//! The models that Plumb keeps in line with their TLA+ modules.

pub mod claim_scope;
pub mod finite;
pub mod lifecycle;
mod packing;
mod reading;

use plumb_checker::Registry;
use plumb_checker::specs::EmbeddedSpecs;

pub use claim_scope::ClaimScopedWorker;
pub use lifecycle::QueueLifecycle;

include!(concat!(env!("OUT_DIR"), "/embedded_specs.rs"));

/// All models of this crate, with the repository's `specs/` folder built in.
#[must_use]
pub fn registry() -> Registry {
    Registry::new()
        .with::<ClaimScopedWorker>()
        .with::<QueueLifecycle>()
        .with_specs(EmbeddedSpecs(SPECS))
}
