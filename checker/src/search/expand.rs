//! Expanding one state: count, check, store. This is where TLC's meaning lives.

use super::codec::{Codec, Values};
use super::store::spill::StorageError;
use super::store::{Discovered, StateStore};
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
    /// Why states could not be kept: the search is over.
    pub(crate) storage: Option<StorageError>,
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
            storage: None,
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
        self.storage = self.storage.take().or(other.storage);
    }

    fn keep_least_fault(&mut self, fault: Fault) {
        match &self.fault {
            Some(known) if (&known.state, &known.message) <= (&fault.state, &fault.message) => {}
            _ => self.fault = Some(fault),
        }
    }
}

/// What one thread works with while it expands a level.
pub(crate) struct Work {
    pub(crate) tally: Tally,
    pub(crate) discovered: Discovered,
    /// The values of the state that is expanded, and of the successor at hand.
    source: Values,
    target: Values,
    numbers: Vec<u32>,
}

impl Work {
    /// Nothing done yet, in a model of so many actions; what is discovered is kept in so many
    /// groups.
    pub(crate) fn new(actions: usize, groups: usize) -> Self {
        Self {
            tally: Tally::new(actions),
            discovered: Discovered::in_groups(groups),
            source: Values::default(),
            target: Values::default(),
            numbers: Vec::new(),
        }
    }

    /// Keeps a new state for the next level.
    pub(crate) fn discover(&mut self, store: &StateStore, shared: u32, root: u64) {
        self.tally.discovered += 1;
        if let Err(error) = self.discovered.push(store, shared, root) {
            self.tally.storage = Some(error);
        }
    }
}

/// The model and what is asked of it.
pub(crate) struct Expander<'a, M: CheckedModel> {
    pub(crate) model: &'a M,
    pub(crate) codec: Codec<'a, M>,
    pub(crate) selection: &'a Selection<M>,
    /// Whether a state without successors is a violation.
    pub(crate) deadlock: bool,
}

impl<M: CheckedModel> Expander<'_, M> {
    /// Generates, checks and stores the initial states.
    pub(crate) fn initial(&self, store: &StateStore, work: &mut Work) {
        let outcome = model_panic::catch(|| {
            for state in self.model.init_states() {
                work.tally.generated += 1;
                let mut values = std::mem::take(&mut work.target);
                self.codec.values(&state, &mut values);
                self.visit(&state, &values, 1, store, work);
                work.target = values;
            }
        });
        if let Err(message) = outcome {
            work.tally.keep_least_fault(Fault {
                message,
                state: None,
            });
        }
    }

    /// Expands the state with this root, of level `depth`: every successor is counted, its step
    /// and the state are checked, and it is stored if it is inside the constraint.
    pub(crate) fn expand(&self, root: u64, depth: usize, store: &StateStore, work: &mut Work) {
        let mut numbers = std::mem::take(&mut work.numbers);
        store.numbers(root, &mut numbers);
        let mut source = std::mem::take(&mut work.source);
        self.codec.read(store, &numbers, &mut source);
        work.numbers = numbers;
        let mut decoded = None;
        let outcome = model_panic::catch(|| {
            let Some(state) = self.codec.state(&source) else {
                return Err("the model cannot decode a state that it encoded".to_owned());
            };
            let state = decoded.insert(state);
            // Otherwise some other state would be expanded in its place, and none would notice.
            self.codec.values(state, &mut work.target);
            if work.target != source {
                return Err("the model decodes a state as another one than it encoded".to_owned());
            }
            self.expand_state(state, &source, depth, store, work);
            Ok(())
        });
        if let Err(message) | Ok(Err(message)) = outcome {
            let whole = (self.codec.components == 1).then(|| source.get(0).to_vec());
            let state = whole.or_else(|| {
                let state = decoded.as_ref()?;
                model_panic::catch(|| self.codec.encoding(state)).ok()
            });
            work.tally.keep_least_fault(Fault { message, state });
        }
        work.source = source;
    }

    fn expand_state(
        &self,
        state: &M::State,
        source: &Values,
        depth: usize,
        store: &StateStore,
        work: &mut Work,
    ) {
        let mut enabled = false;
        self.model.successors(state, |action, target| {
            enabled = true;
            work.tally.generated += 1;
            work.tally.actions[self.model.action_index(&action)] += 1;
            let mut values = std::mem::take(&mut work.target);
            self.codec.values(&target, &mut values);
            if *source != values {
                self.check_step(state, &target, depth, &mut work.tally);
            }
            self.visit(&target, &values, depth + 1, store, work);
            work.target = values;
        });
        if self.deadlock && !enabled {
            let deadlock = Violation {
                what: What::Deadlock,
                length: depth,
                order: usize::MAX,
                state: self.codec.encoding(state),
                source: Vec::new(),
            };
            keep_least(&mut work.tally.violation, deadlock);
        }
    }

    /// Checks the step properties on a transition that changes something.
    fn check_step(&self, before: &M::State, after: &M::State, depth: usize, tally: &mut Tally) {
        if self.selection.steps.is_empty() {
            return;
        }
        let components = self.selection.components;
        let outcome = model_panic::catch(|| {
            for (index, (order, step)) in self.selection.steps.iter().enumerate() {
                if !step.predicate.holds(self.model, before, after, components) {
                    let violation = Violation {
                        what: What::Step { index },
                        length: depth + 1,
                        order: *order,
                        state: self.codec.encoding(after),
                        source: self.codec.encoding(before),
                    };
                    keep_least(&mut tally.violation, violation);
                }
            }
        });
        if let Err(message) = outcome {
            tally.keep_least_fault(Fault {
                message,
                state: Some(self.codec.encoding(before)),
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
        values: &Values,
        depth: usize,
        store: &StateStore,
        work: &mut Work,
    ) {
        let outcome =
            model_panic::catch(|| self.store_and_check(state, values, depth, store, work));
        if let Err(message) = outcome {
            work.tally.keep_least_fault(Fault {
                message,
                state: Some(self.codec.encoding(state)),
            });
        }
    }

    /// Stores a generated state if it is inside the constraint; checks the invariants if it is
    /// new or outside.
    fn store_and_check(
        &self,
        state: &M::State,
        values: &Values,
        depth: usize,
        store: &StateStore,
        work: &mut Work,
    ) {
        if self.selection.within_constraint(self.model, state) {
            let mut numbers = std::mem::take(&mut work.numbers);
            let (root, shared, new) = self.codec.insert(store, values, &mut numbers);
            work.numbers = numbers;
            if !new {
                return;
            }
            work.discover(store, shared, root);
        } else {
            work.tally.outside += 1;
        }
        if let Some((index, leaf)) = self.selection.first_violated(self.model, state) {
            let violation = Violation {
                what: What::Invariant { index, leaf },
                length: depth,
                order: self.selection.invariants[index].order,
                state: self.codec.encoding(state),
                source: Vec::new(),
            };
            keep_least(&mut work.tally.violation, violation);
        }
    }

    /// The TLA+ form of an encoded state, if the model can still make one.
    pub(crate) fn render(&self, bytes: &[u8]) -> Option<plumb_tla::State> {
        model_panic::catch(|| Some(self.model.to_tla(&self.model.decode(bytes)?)))
            .ok()
            .flatten()
    }
}
