//! The models that Plumb keeps in line with their TLA+ modules.

mod actor;
mod changes;
pub mod claim_scope;
pub mod fair_work_queue;
pub mod finite;
mod integers;
pub mod lifecycle;
pub mod numbered;
mod packing;
pub mod projection;
mod reading;
pub mod service;
pub mod work_queue;

use plumb_checker::specs::EmbeddedSpecs;
use plumb_checker::{EmbeddedSources, Registry};

pub use claim_scope::ClaimScopedWorker;
pub use fair_work_queue::FairWorkQueue;
pub use lifecycle::QueueLifecycle;
pub use projection::IssueProjection;
pub use service::QueueService;
pub use work_queue::WorkQueue;

include!(concat!(env!("OUT_DIR"), "/embedded_specs.rs"));
include!(concat!(env!("OUT_DIR"), "/embedded_sources.rs"));

/// All models of this crate, with the repository's `specs/` folder built in.
#[must_use]
pub fn registry() -> Registry {
    Registry::new()
        .with::<ClaimScopedWorker>()
        .with::<QueueLifecycle>()
        .with::<QueueService>()
        .with::<IssueProjection>()
        .with::<FairWorkQueue>()
        .with::<WorkQueue>()
        .with_specs(EmbeddedSpecs(SPECS))
        .with_sources(EmbeddedSources {
            files: SOURCE_FILES,
            models: SOURCE_MODELS,
            versions: SOURCE_VERSIONS,
        })
}
