//! Expanding states of a model with local steps, from the memo of its pairs.
//!
//! See [`local`](super::local) for the idea. A state is expanded here only if all of it is
//! ordinary; otherwise nothing of it has been counted yet, and it goes to the plain expansion.

use super::codec::Values;
use super::expand::{Expander, Work};
use super::local::{Entry, FullMemo, NO_STEPS, Target};
use super::store::key_set::BATCH;
use super::store::pair_table::pair;
use super::store::tree::{Changed, only};
use super::store::{NoRoom, StateStore, Tables};
use crate::composition::Composition;
use crate::model::CheckedModel;
use crate::model_panic;

/// Successors that are gathered before they are looked up.
const GATHERED: usize = 1024;
/// Components of a state that is expanded here: of more, the plain expansion takes care.
const MOST_COMPONENTS: usize = 32;

impl From<FullMemo> for NoRoom {
    fn from(full: FullMemo) -> Self {
        Self::Memo(full)
    }
}

/// Expands states from the memo.
pub(crate) struct LocalExpansion<'a, M: CheckedModel> {
    expander: &'a Expander<'a, M>,
    store: &'a StateStore,
    composition: Composition<M>,
    /// Component numbers and inner nodes of the state at hand, and of its successor.
    numbers: Vec<u32>,
    successor: Vec<u32>,
    /// Successors that wait for being looked up: root and shared part.
    gathered: Vec<(u64, u32)>,
    /// How often each profile was met.
    profiles: Vec<u64>,
    /// States that the plain expansion has to see.
    plain: Vec<u64>,
}

/// The tables have to be given back for a moment.
struct Pause {
    /// States that are done.
    expanded: usize,
    /// What has no room; if nothing, another thread is about to make some.
    full: Option<NoRoom>,
}

/// Why a state is not expanded from the memo.
enum Unfinished {
    /// Not now: a table needs room first.
    NoRoom(NoRoom),
    /// Not at all: it is not ordinary.
    Plain,
}

impl<T: Into<NoRoom>> From<T> for Unfinished {
    fn from(full: T) -> Self {
        Self::NoRoom(full.into())
    }
}

impl<'a, M: CheckedModel> LocalExpansion<'a, M> {
    /// An expansion by local steps, if the model has them and everything that is asked of it is
    /// asked by component.
    pub(crate) fn new(expander: &'a Expander<'a, M>, store: &'a StateStore) -> Option<Self> {
        let composition = expander.codec.composition?;
        let local = composition.successors.is_some()
            && expander.selection.is_by_component()
            && expander.codec.components <= MOST_COMPONENTS;
        local.then(|| Self {
            expander,
            store,
            composition,
            numbers: Vec::new(),
            successor: Vec::new(),
            gathered: Vec::new(),
            profiles: Vec::new(),
            plain: Vec::new(),
        })
    }

    /// Expands the states with these roots, of level `depth`.
    pub(crate) fn expand(&mut self, roots: &[u64], depth: usize, work: &mut Work) {
        let mut done = 0;
        loop {
            let tables = self.store.tables();
            let ended = self.expand_until_full(&tables, &roots[done..], work);
            drop(tables);
            let Err(Pause { expanded, full }) = ended else {
                break;
            };
            done += expanded;
            if let Some(full) = full {
                self.store.grow(full);
            }
        }
        let profiles = std::mem::take(&mut self.profiles);
        let mut steps = vec![0; work.tally.actions.len()];
        let tables = self.store.tables();
        tables.memo.profiles.count(&profiles, &mut steps);
        drop(tables);
        for (sum, count) in work.tally.actions.iter_mut().zip(&steps) {
            *sum += count;
            work.tally.generated += count;
        }
        for root in std::mem::take(&mut self.plain) {
            self.expander.expand(root, depth, self.store, work);
        }
    }

    /// Expands states until the tables have to be given back.
    fn expand_until_full(
        &mut self,
        tables: &Tables,
        roots: &[u64],
        work: &mut Work,
    ) -> Result<(), Pause> {
        let pause = |expanded| {
            move |full| Pause {
                expanded,
                full: Some(full),
            }
        };
        self.look_up(tables, work).map_err(pause(0))?;
        for (index, root) in roots.iter().enumerate() {
            let before = self.gathered.len();
            match self.expand_one(tables, *root) {
                Ok(outside) => work.tally.outside += outside,
                Err(unfinished) => {
                    self.gathered.truncate(before);
                    match unfinished {
                        Unfinished::NoRoom(full) => return Err(pause(index)(full)),
                        Unfinished::Plain => self.plain.push(*root),
                    }
                }
            }
            let expanded = index + 1;
            if self.gathered.len() >= GATHERED {
                self.look_up(tables, work).map_err(pause(expanded))?;
            }
            if self.store.is_growing() {
                let full = None;
                return Err(Pause { expanded, full });
            }
        }
        self.look_up(tables, work).map_err(pause(roots.len()))
    }

    /// Adds the gathered successors to the visited set.
    fn look_up(&mut self, tables: &Tables, work: &mut Work) -> Result<(), NoRoom> {
        let mut done = 0;
        let mut ended = Ok(());
        'batches: for batch in self.gathered.chunks(BATCH) {
            tables.roots.touch(batch.iter().map(|(root, _)| *root));
            for (root, shared) in batch {
                match tables.roots.insert(*root) {
                    Ok((_, new)) => {
                        if new {
                            work.discover(self.store, *shared, *root);
                        }
                        done += 1;
                    }
                    Err(full) => {
                        ended = Err(NoRoom::Roots(full));
                        break 'batches;
                    }
                }
            }
        }
        self.gathered.drain(..done);
        ended
    }

    /// Gathers the successors of one state; how many more are outside the constraint.
    fn expand_one(&mut self, tables: &Tables, root: u64) -> Result<u64, Unfinished> {
        let components = self.expander.codec.components;
        self.numbers.resize(tables.trees.shape().values(), 0);
        tables.trees.values(root, &mut self.numbers);
        let mut entries = [&tables.memo.nothing; MOST_COMPONENTS];
        let entries = &mut entries[..components];
        self.entries(tables, entries)?;

        let shared = self.numbers[0];
        let mut outside = 0;
        // Steps of the shared part: everybody may react, and every reaction has been checked.
        for (step, target) in entries[0].targets.iter().enumerate() {
            if !target.within {
                outside += u64::from(target.ways);
                continue;
            }
            self.successor.clone_from(&self.numbers);
            self.successor[0] = target.shared;
            let mut changed = only(0);
            for (component, entry) in entries.iter().enumerate().skip(1) {
                if let Some(own) = entry.reactions.get(step) {
                    self.successor[component] = *own;
                    changed |= only(component);
                }
            }
            self.gather(tables, changed)?;
        }
        // Steps of the others: whatever they do to the shared part concerns everybody.
        for (component, entry) in entries.iter().enumerate().skip(1) {
            for target in &entry.targets {
                if target.shared != shared {
                    for (other, entry) in entries.iter().enumerate().skip(1) {
                        if other != component && !entry.behind.holds(target.edge) {
                            self.check_behind(tables, target, component, other, entry)?;
                        }
                    }
                }
                if !target.within {
                    outside += u64::from(target.ways);
                    continue;
                }
                self.successor.clone_from(&self.numbers);
                self.successor[component] = target.own;
                let mut changed = only(component);
                if target.shared != shared {
                    self.successor[0] = target.shared;
                    changed |= only(0);
                }
                self.gather(tables, changed)?;
            }
        }
        for entry in entries.iter() {
            let profile = entry.profile as usize;
            if self.profiles.len() <= profile {
                self.profiles.resize(profile + 1, 0);
            }
            self.profiles[profile] += 1;
        }
        Ok(outside)
    }

    fn gather(&mut self, tables: &Tables, changed: Changed) -> Result<(), NoRoom> {
        let root = tables.trees.root(&mut self.successor, changed)?;
        self.gathered.push((root, self.successor[0]));
        Ok(())
    }

    /// The entries of all components of the state at hand, computed where they were not yet.
    fn entries<'t>(
        &mut self,
        tables: &'t Tables,
        entries: &mut [&'t Entry],
    ) -> Result<(), Unfinished> {
        let mut origin = None;
        let mut steps = false;
        for component in 0..entries.len() {
            let key = pair(self.numbers[0], self.numbers[component]);
            let entry = match tables.memo.entry(component, key) {
                Some(entry) => entry,
                None => {
                    let origin = match &mut origin {
                        Some(origin) => origin,
                        none => none.insert(self.origin().ok_or(Unfinished::Plain)?),
                    };
                    let shared_targets = entries[0].targets.len();
                    let computed = model_panic::catch(|| {
                        self.compute(tables, origin, component, shared_targets)
                    });
                    // The plain expansion tells of panics.
                    let entry = computed.unwrap_or_else(|_| Ok(Entry::plain()))?;
                    tables.memo.add(component, key, entry)?
                }
            };
            if entry.plain {
                return Err(Unfinished::Plain);
            }
            steps |= entry.profile != NO_STEPS;
            entries[component] = entry;
        }
        if self.expander.deadlock && !steps {
            return Err(Unfinished::Plain);
        }
        Ok(())
    }

    /// The state at hand, as the model has it.
    fn origin(&self) -> Option<Origin<M>> {
        let codec = &self.expander.codec;
        let mut values = Values::default();
        codec.read(self.store, &self.numbers, &mut values);
        let made = model_panic::catch(|| {
            let state = codec.state(&values)?;
            let mut again = Values::default();
            codec.values(&state, &mut again);
            (again == values).then_some(())?;
            let mut shared_steps = Vec::new();
            let successors = self.composition.successors?;
            successors(self.expander.model, &state, 0, &mut |_, target| {
                shared_steps.push(target);
            });
            Some(Origin {
                state,
                values: again,
                shared_steps,
            })
        });
        made.ok().flatten()
    }

    /// Computes the entry of one component in the state at hand.
    fn compute(
        &self,
        tables: &Tables,
        origin: &Origin<M>,
        component: usize,
        shared_targets: usize,
    ) -> Result<Entry, NoRoom> {
        let model = self.expander.model;
        let Some(successors) = self.composition.successors else {
            return Ok(Entry::plain());
        };
        let mut counts = vec![0_u32; M::ACTIONS.len()];
        let mut steps = Vec::new();
        successors(model, &origin.state, component, &mut |action, target| {
            counts[model.action_index(&action)] += 1;
            steps.push(target);
        });
        let Some(targets) = self.targets(tables, origin, component, &steps)? else {
            return Ok(Entry::plain());
        };
        let mut entry = Entry {
            plain: false,
            targets,
            profile: tables.memo.profiles.number(&counts),
            reactions: Box::default(),
            behind: Default::default(),
        };
        if component > 0 {
            if origin.shared_steps.len() != shared_targets {
                return Ok(Entry::plain());
            }
            let Some(reactions) = self.reactions(tables, origin, component)? else {
                return Ok(Entry::plain());
            };
            if reactions.iter().any(|own| *own != self.numbers[component]) {
                entry.reactions = reactions;
            }
        }
        Ok(entry)
    }

    /// The steps of a component, or none if one of them is not ordinary.
    fn targets(
        &self,
        tables: &Tables,
        origin: &Origin<M>,
        component: usize,
        steps: &[M::State],
    ) -> Result<Option<Box<[Target]>>, NoRoom> {
        let Expander {
            model, selection, ..
        } = self.expander;
        let before = self.numbers[0];
        let mut targets: Vec<Target> = Vec::with_capacity(steps.len());
        let mut values = Values::default();
        for target in steps {
            self.expander.codec.values(target, &mut values);
            let shared = self.number(origin, &values, 0);
            let own = self.number(origin, &values, component);
            if component > 0 {
                let mut others = (1..self.expander.codec.components).filter(|o| *o != component);
                if others.any(|other| values.get(other) != origin.values.get(other)) {
                    return Ok(None);
                }
                if shared == before && own == self.numbers[component] {
                    continue;
                }
                let same = |known: &&mut Target| (known.shared, known.own) == (shared, own);
                if let Some(known) = targets.iter_mut().find(same) {
                    known.ways += 1;
                    continue;
                }
            }
            let allowed = |part| selection.component_step_holds(model, &origin.state, target, part);
            let checked = allowed(component)
                && (shared == before || allowed(0))
                && self.holds(tables, target, 0, shared, shared)?
                && self.holds(tables, target, component, shared, own)?;
            if !checked {
                return Ok(None);
            }
            let edge = if shared == before {
                0
            } else {
                tables.memo.edge(before, shared)
            };
            targets.push(Target {
                shared,
                own,
                edge,
                ways: 1,
                within: selection.within_constraint(model, target),
            });
        }
        Ok(Some(targets.into_boxed_slice()))
    }

    /// What becomes of a component in each step of component 0, or none if that is not ordinary.
    fn reactions(
        &self,
        tables: &Tables,
        origin: &Origin<M>,
        component: usize,
    ) -> Result<Option<Box<[u32]>>, NoRoom> {
        let Expander {
            model, selection, ..
        } = self.expander;
        let mut reactions = Vec::with_capacity(origin.shared_steps.len());
        let mut values = Values::default();
        for target in &origin.shared_steps {
            self.expander.codec.values(target, &mut values);
            let shared = self.number(origin, &values, 0);
            let own = self.number(origin, &values, component);
            let checked = (own == self.numbers[component]
                || selection.component_step_holds(model, &origin.state, target, component))
                && self.holds(tables, target, component, shared, own)?;
            if !checked {
                return Ok(None);
            }
            reactions.push(own);
        }
        Ok(Some(reactions.into_boxed_slice()))
    }

    /// The number of one component of a successor of the state at hand.
    fn number(&self, origin: &Origin<M>, values: &Values, component: usize) -> u32 {
        let value = values.get(component);
        if value == origin.values.get(component) {
            self.numbers[component]
        } else {
            self.store.values[component].number(value).0
        }
    }

    /// Whether the invariants over a component hold in a state in which it and the shared part
    /// have these numbers.
    fn holds(
        &self,
        tables: &Tables,
        state: &M::State,
        component: usize,
        shared: u32,
        own: u32,
    ) -> Result<bool, NoRoom> {
        let key = pair(shared, own);
        if tables.memo.holds(component, key) {
            return Ok(true);
        }
        let selection = self.expander.selection;
        if !selection.component_holds(self.expander.model, state, component) {
            return Ok(false);
        }
        tables.memo.set_holds(component, key)?;
        Ok(true)
    }

    /// Makes sure that the invariants over `other` hold after a step of `component` that changes
    /// the shared part.
    fn check_behind(
        &mut self,
        tables: &Tables,
        target: &Target,
        component: usize,
        other: usize,
        entry: &Entry,
    ) -> Result<(), Unfinished> {
        let key = pair(target.shared, self.numbers[other]);
        if !tables.memo.holds(other, key) {
            self.successor.clone_from(&self.numbers);
            self.successor[0] = target.shared;
            self.successor[component] = target.own;
            let codec = &self.expander.codec;
            let mut values = Values::default();
            codec.read(self.store, &self.successor, &mut values);
            let selection = self.expander.selection;
            let holds = model_panic::catch(|| {
                let state = codec.state(&values)?;
                let holds = selection.component_holds(self.expander.model, &state, other);
                holds.then_some(())
            });
            let Ok(Some(())) = holds else {
                return Err(Unfinished::Plain);
            };
            tables.memo.set_holds(other, key)?;
        }
        entry.behind.set_holds(target.edge);
        Ok(())
    }
}

/// The state in which an entry is computed.
struct Origin<M: CheckedModel> {
    state: M::State,
    values: Values,
    /// The states after the steps of component 0.
    shared_steps: Vec<M::State>,
}
