//! The explorer: bounded checks of a model, with the meaning that TLC gives them.
//!
//! A model is a [`stateright::Model`] that also implements [`CheckedModel`]: the names of its
//! actions, tables of properties, an encoding of its states, and their form in TLA+. From a cfg
//! file a [`ModelEntry`] makes a [`ConfiguredModel`], which explores itself:
//!
//! ```
//! use plumb_checker::{Registry, SearchOptions, Progress, Verdict};
//! # mod counter {
//! #     use plumb_checker::*;
//! #     use plumb_tla::{State, Value};
//! #     #[derive(Clone)]
//! #     pub struct Counter { limit: i64 }
//! #     impl stateright::Model for Counter {
//! #         type State = i64;
//! #         type Action = ();
//! #         fn init_states(&self) -> Vec<i64> { vec![0] }
//! #         fn actions(&self, _: &i64, actions: &mut Vec<()>) { actions.push(()) }
//! #         fn next_state(&self, n: &i64, (): ()) -> Option<i64> {
//! #             (*n < self.limit).then_some(n + 1)
//! #         }
//! #     }
//! #     impl CheckedModel for Counter {
//! #         const NAME: &'static str = "counter";
//! #         const MODULE: &'static str = "Counter";
//! #         const VARIABLES: &'static [&'static str] = &["n"];
//! #         const ACTIONS: &'static [&'static str] = &["Increment"];
//! #         fn configure(cfg: &mut Reader<'_>) -> Result<Self, ConfigurationError> {
//! #             cfg.specification(&[("Spec", ())])?;
//! #             Ok(Self { limit: cfg.integer("Limit")? })
//! #         }
//! #         fn action_index(&self, (): &()) -> usize { 0 }
//! #         fn action_parameters(&self, (): &()) -> Vec<Value> { vec![] }
//! #         fn invariants() -> Vec<Invariant<Self>> {
//! #             vec![Invariant::state("BelowFive", "n is less than five", |_, n| *n < 5)]
//! #         }
//! #         fn encode(&self, n: &i64, bytes: &mut Vec<u8>) { bytes.extend(n.to_be_bytes()) }
//! #         fn decode(&self, bytes: &[u8]) -> Option<i64> {
//! #             Some(i64::from_be_bytes(bytes.try_into().ok()?))
//! #         }
//! #         fn to_tla(&self, n: &i64) -> State { State::new([("n", Value::int(*n))]) }
//! #         fn parse_tla(&self, state: &State) -> Result<i64, NotAState> {
//! #             let n = state.get("n");
//! #             n.and_then(Value::as_int).ok_or_else(|| NotAState::new("n", "an integer", n))
//! #         }
//! #     }
//! # }
//! # use counter::Counter;
//! let registry = Registry::new().with::<Counter>();
//! let cfg = plumb_tla::parse_cfg("SPECIFICATION Spec CONSTANT Limit = 9 INVARIANT BelowFive")?;
//! let counter = registry.find("counter").expect("it was added").configure(&cfg)?;
//!
//! let report = counter.check(&SearchOptions::default(), &Progress::default());
//! assert_eq!(report.verdict.property(), Some("BelowFive"));
//! assert_eq!(report.trace.len(), 6, "0, 1, 2, 3, 4 and 5");
//! # Ok::<(), plumb_checker::ConfigurationError>(())
//! ```
//!
//! # What a check means
//!
//! | notion | meaning |
//! |---|---|
//! | distinct | different states inside the constraint, initial ones included |
//! | generated | every initial state, and one for each way to a successor of an expanded state |
//! | depth | the number of breadth-first levels, the initial states being level 1 |
//! | constraint | a state outside is generated and checked, then dropped: not counted, not expanded |
//! | invariant | checked once for each new state and whenever a state outside is met |
//! | step property | checked on every transition that changes the state, also into known states |
//! | temporal property | decided on the complete graph, under the specification's fairness |
//! | assumption | checked once over the constants; then no state is explored |
//! | deadlock | a state without any successor, reported only when asked for |
//! | counterexample | the least of the shortest, see below |
//!
//! The visited set holds whole encoded states, so no verdict carries a collision probability.
//!
//! # Determinism
//!
//! The level in which the first violation occurs is completed. Among its violations the least by
//! (order of the properties in the cfg, bytes of the state) wins, and from there the trace takes
//! at each earlier level the least predecessor. Counts, levels, per-action counts and traces are
//! therefore the same for any number of threads; only budgets of time and memory, and
//! interruption, end a search at a point that timing decides.
//!
//! # Large searches
//!
//! A model that names the [components](Components) of its states is explored in 10 to 20 bytes a
//! state, all in all: each component's values are kept once, a state is the root of a tree of their
//! numbers, and levels that are done with go to disk. If it says that [steps are local](LocalSteps)
//! to components, steps and checks are computed once for each pair of shared part and component, and
//! a successor costs a few look-ups. Of the time of such a search (work-queue, 59 million states,
//! 350 million successors), about 35 % goes into the set of roots, mostly waiting for memory; 20 %
//! into the tables of inner nodes; 15 % into finding the steps of pairs; 15 % into taking trees apart
//! and copying numbers; 5 % into growing tables; the model's own code takes 1 %. A
//! [`Checkpoint`] lets another process go on.
//!
//! # Where things are
//!
//! * `model`, `property`, `guard`: what a model author writes;
//! * `composition`: states made of components, for large searches;
//! * `configuration`, `selection`: from a cfg to constants and chosen properties;
//! * `search`: the exploration, its visited set, and counterexamples;
//! * `temporal`: formulas as data, fairness, and the search for lassos;
//! * `stateright_engine`, `stateright_explorer`: the same model under stateright's own tools;
//! * `erased`, `registry`: models without their types, by name; `violated`: what a given state
//!   and the step to it violate; `follower`: a behaviour that goes on from state to state;
//! * [`simulation`]: random walks, the same ones for the same seed;
//! * `specs`, `expectation`: the `specs/` folder, its registry, and what is expected of a check.

mod composition;
mod configuration;
mod erased;
mod expectation;
mod follower;
mod guard;
mod model;
pub mod model_panic;
mod progress;
mod property;
mod registry;
mod report;
mod search;
mod selection;
pub mod simulation;
pub mod specs;
mod stateright_engine;
mod stateright_explorer;
mod temporal;
mod violated;

pub use composition::{Components, Composition, LocalSteps};
pub use configuration::{ConfigurationError, Reader};
pub use erased::{ConfiguredModel, Encoded, Successor};
pub use expectation::{Expectation, ExpectedVerdict, Figures, Outcome, Purpose};
pub use follower::{Asked, Followed, Follower};
pub use guard::{DroppedConjunct, Guard};
pub use model::{CheckedModel, NotAState};
pub use progress::{Passage, Progress};
pub use property::{
    Assumption, Constraint, ConstraintPredicate, Invariant, Predicate, StepPredicate, StepProperty,
};
pub use registry::{EmbeddedSources, ModelEntry, Registry};
pub use report::{ActionLabel, Lasso, PropertyKind, Report, StopReason, TraceStep, Verdict};
pub use search::SearchOptions;
pub use search::checkpoint::{Checkpoint, CheckpointError, CheckpointStage, SearchIdentity};
pub use selection::PropertyDescription;
pub use temporal::{Fairness, Formula, LassoStep, LassoSummary, Strength, TemporalProperty};
pub use violated::ViolatedProperty;
