//! The state spaces that laws and mutations are held against: every specification, with constants
//! that let everything happen that it can do.

use plumb_models::FairWorkQueue;
use plumb_models::fair_work_queue::State;

use crate::harness::walk::reachable;
use crate::registered::{BOUNDS, CONTROLS, LARGEST, WITNESSES};
use crate::setting::Setting;

/// The settings of the registered configurations, and some more: with three groups, without
/// retries, and with defects that have a second group to do harm to.
pub(crate) fn settings() -> Vec<Setting> {
    let lines = BOUNDS.iter().chain(CONTROLS).chain(WITNESSES);
    let mut settings: Vec<Setting> = lines.map(|line| line.setting).collect();
    settings.push(LARGEST.setting);
    settings.extend([
        Setting::of([2, 3, 1, 1, 3, 1, 0, 10]).mode("weighted"),
        Setting::of([3, 2, 2, 3, 2, 1, 2, 9]).mode("strict"),
        Setting::of([3, 2, 1, 3, 2, 3, 1, 9])
            .edges("Fork")
            .external("GitHubChild"),
        Setting::of([2, 2, 2, 2, 2, 2, 0, 9]).specified("CheckpointSpec"),
        Setting::of([1, 2, 1, 1, 1, 1, 1, 6]).specified("BrokenSelectionSpec"),
        Setting::of([2, 2, 1, 2, 2, 2, 1, 8]).specified("BrokenEffectsSpec"),
        Setting::of([2, 2, 1, 2, 2, 2, 1, 8]).specified("BrokenCASSpec"),
        Setting::of([2, 2, 1, 2, 2, 2, 1, 6])
            .edges("Chain")
            .specified("BrokenDependencySpec"),
        Setting::of([2, 2, 1, 2, 2, 2, 1, 8]).specified("BrokenResultSpec"),
        Setting::of([1, 2, 1, 1, 1, 1, 1, 5])
            .external("GitHub")
            .specified("BrokenExternalSpec"),
        Setting::of([1, 1, 1, 1, 1, 1, 1, 6]).specified("BrokenPRSpec"),
    ]);
    settings
}

/// The states of a setting inside the bound of its log, breadth first, up to about `limit`.
pub(crate) fn states(model: &FairWorkQueue, limit: usize) -> Vec<State> {
    reachable(model, &["Bound"], limit)
}
