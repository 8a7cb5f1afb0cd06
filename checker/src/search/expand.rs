//! Expanding one state: count, check, store. This is where TLC's meaning lives.

use super::store::StateStore;
use super::violation::{Violation, What, keep_least};
use crate::model::CheckedModel;
use crate::model_panic;
use crate::report::StopReason;
use crate::selection::Selection;

/// A panic of the model's code.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    pub(crate) message: String,
    /// The encoded state that was being expanded or checked.
    pub(crate) state: Option<Vec<u8>>,
}

/// What a worker found; merging two tallies is commutative and associative.
#[derive(Clone, Debug)]
pub(crate) struct Tally {
    pub(crate) generated: u64,
    pub(crate) outside: u64,
    /// New states, for the progress display.
    pub(crate) discovered: u64,
    /// Generated successors by action.
    pub(crate) actions: Vec<u64>,
    pub(crate) violation: Option<Violation>,
    pub(crate) fault: Option<Fault>,
    /// Why the level was not expanded to its end.
    pub(crate) stop: Option<StopReason>,
    /// The encoding of the successor at hand, kept to be allocated once.
    scratch: Vec<u8>,
}

impl Tally {
    pub(crate) fn new(actions: usize) -> Self {
        Self {
            generated: 0,
            outside: 0,
            discovered: 0,
            actions: vec![0; actions],
            violation: None,
            fault: None,
            stop: None,
            scratch: Vec::new(),
        }
    }

    pub(crate) fn absorb(&mut self, other: Self) {
        self.generated += other.generated;
        self.outside += other.outside;
        self.discovered += other.discovered;
        for (sum, count) in self.actions.iter_mut().zip(other.actions) {
            *sum += count;
        }
        if let Some(violation) = other.violation {
            keep_least(&mut self.violation, violation);
        }
        if let Some(fault) = other.fault {
            self.keep_least_fault(fault);
        }
        self.stop = self.stop.take().or(other.stop);
    }

    fn keep_least_fault(&mut self, fault: Fault) {
        match &self.fault {
            Some(known) if (&known.state, &known.message) <= (&fault.state, &fault.message) => {}
            _ => self.fault = Some(fault),
        }
    }
}

/// The model and what is asked of it.
pub(crate) struct Expander<'a, M: CheckedModel> {
    pub(crate) model: &'a M,
    pub(crate) selection: &'a Selection<M>,
    /// Whether a state without successors is a violation.
    pub(crate) deadlock: bool,
}

impl<M: CheckedModel> Expander<'_, M> {
    /// Generates, checks and stores the initial states.
    pub(crate) fn initial(&self, store: &StateStore, tally: &mut Tally) {
        let outcome = model_panic::catch(|| {
            for state in self.model.init_states() {
                tally.generated += 1;
                let mut bytes = std::mem::take(&mut tally.scratch);
                bytes.clear();
                self.model.encode(&state, &mut bytes);
                self.visit(&state, &bytes, 1, store, tally);
                tally.scratch = bytes;
            }
        });
        if let Err(message) = outcome {
            tally.keep_least_fault(Fault {
                message,
                state: None,
            });
        }
    }

    /// Expands a state of level `depth`: every successor is counted, its step and the state are
    /// checked, and it is stored if it is inside the constraint.
    pub(crate) fn expand(
        &self,
        source: &[u8],
        depth: usize,
        store: &StateStore,
        tally: &mut Tally,
    ) {
        let outcome = model_panic::catch(|| {
            let Some(state) = self.model.decode(source) else {
                return Err("the model cannot decode a state that it encoded".to_owned());
            };
            // Otherwise some other state would be expanded in its place, and none would notice.
            if !self.is_encoding_of(&state, source, tally) {
                return Err("the model decodes a state as another one than it encoded".to_owned());
            }
            self.expand_state(&state, source, depth, store, tally);
            Ok(())
        });
        if let Err(message) | Ok(Err(message)) = outcome {
            tally.keep_least_fault(Fault {
                message,
                state: Some(source.to_vec()),
            });
        }
    }

    fn is_encoding_of(&self, state: &M::State, expected: &[u8], tally: &mut Tally) -> bool {
        tally.scratch.clear();
        self.model.encode(state, &mut tally.scratch);
        tally.scratch == expected
    }

    fn expand_state(
        &self,
        state: &M::State,
        source: &[u8],
        depth: usize,
        store: &StateStore,
        tally: &mut Tally,
    ) {
        let mut enabled = false;
        self.model.successors(state, |action, target| {
            enabled = true;
            tally.generated += 1;
            tally.actions[self.model.action_index(&action)] += 1;
            let mut bytes = std::mem::take(&mut tally.scratch);
            bytes.clear();
            self.model.encode(&target, &mut bytes);
            self.check_step((state, source), (&target, &bytes), depth, tally);
            self.visit(&target, &bytes, depth + 1, store, tally);
            tally.scratch = bytes;
        });
        if self.deadlock && !enabled {
            let deadlock = Violation {
                what: What::Deadlock,
                length: depth,
                order: usize::MAX,
                state: source.to_vec(),
                source: Vec::new(),
            };
            keep_least(&mut tally.violation, deadlock);
        }
    }

    /// Checks the step properties on a transition; a step that changes nothing is exempt.
    fn check_step(
        &self,
        (before, source): (&M::State, &[u8]),
        (after, target): (&M::State, &[u8]),
        depth: usize,
        tally: &mut Tally,
    ) {
        if self.selection.steps.is_empty() || source == target {
            return;
        }
        let outcome = model_panic::catch(|| {
            for (index, (order, step)) in self.selection.steps.iter().enumerate() {
                let components = self.selection.components;
                if !step.predicate.holds(self.model, before, after, components) {
                    let violation = Violation {
                        what: What::Step { index },
                        length: depth + 1,
                        order: *order,
                        state: target.to_vec(),
                        source: source.to_vec(),
                    };
                    keep_least(&mut tally.violation, violation);
                }
            }
        });
        if let Err(message) = outcome {
            tally.keep_least_fault(Fault {
                message,
                state: Some(source.to_vec()),
            });
        }
    }

    /// Stores and checks a generated state.
    ///
    /// A panic is told with this state and ends nothing else. Several states of a level may lead
    /// to it, and only the one that happens to come first checks it: were the panic told with that
    /// one, or its expansion cut short, the report would depend on timing.
    fn visit(
        &self,
        state: &M::State,
        bytes: &[u8],
        depth: usize,
        store: &StateStore,
        tally: &mut Tally,
    ) {
        let outcome =
            model_panic::catch(|| self.store_and_check(state, bytes, depth, store, tally));
        if let Err(message) = outcome {
            tally.keep_least_fault(Fault {
                message,
                state: Some(bytes.to_vec()),
            });
        }
    }

    /// Stores a generated state if it is inside the constraint; checks the invariants if it is
    /// new or outside.
    fn store_and_check(
        &self,
        state: &M::State,
        bytes: &[u8],
        depth: usize,
        store: &StateStore,
        tally: &mut Tally,
    ) {
        if self.selection.within_constraint(self.model, state) {
            if !store.insert(bytes) {
                return;
            }
            tally.discovered += 1;
        } else {
            tally.outside += 1;
        }
        if let Some((index, leaf)) = self.selection.first_violated(self.model, state) {
            let violation = Violation {
                what: What::Invariant { index, leaf },
                length: depth,
                order: self.selection.invariants[index].order,
                state: bytes.to_vec(),
                source: Vec::new(),
            };
            keep_least(&mut tally.violation, violation);
        }
    }

    /// The TLA+ form of an encoded state, if the model can still make one.
    pub(crate) fn render(&self, bytes: &[u8]) -> Option<plumb_tla::State> {
        model_panic::catch(|| Some(self.model.to_tla(&self.model.decode(bytes)?)))
            .ok()
            .flatten()
    }
}
