//! Counting what two graphs have in common, and finding the nearest of what they have not.

use std::cmp::Ordering;

use super::comparison::{Count, Side, Sides};
use super::pair::{GraphPair, Step};
use super::paths::Paths;
use super::states::StateId;

/// Everything in which two graphs differ.
pub(crate) struct Differences {
    pub(crate) states: Count,
    pub(crate) initial: Count,
    pub(crate) steps: Count,
    pub(crate) multiplicities: u64,
    /// By number of the action.
    pub(crate) actions: Vec<Sides<u64>>,
    pub(crate) outside: Sides<u64>,
    /// Steps that are not equally often on both sides, ascending.
    uneven: Vec<(Step, Sides<u64>)>,
}

/// One difference of each kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Example {
    Unreadable { state: StateId },
    InitialState { side: Side, state: StateId },
    Step { side: Side, step: Step },
    Multiplicity { step: Step, times: Sides<u64> },
    State { side: Side, state: StateId },
    Outside { successors: Sides<u64> },
}

impl Differences {
    /// Compares two graphs that are in order.
    pub(crate) fn between(pair: &GraphPair) -> Self {
        let mut found = Self {
            states: Count::default(),
            initial: Count::default(),
            steps: Count::default(),
            multiplicities: 0,
            actions: vec![Sides::default(); pair.actions.len()],
            outside: Sides {
                tlc: pair.tlc.outside,
                plumb: pair.plumb.outside,
            },
            uneven: Vec::new(),
        };
        for id in ids(pair) {
            count(&mut found.states, pair.tlc.has(id), pair.plumb.has(id));
            let (tlc, plumb) = (pair.tlc.is_initial(id), pair.plumb.is_initial(id));
            count(&mut found.initial, tlc, plumb);
        }
        found.count_steps(pair);
        found
    }

    /// Walks through the ordered steps of both graphs at once.
    fn count_steps(&mut self, pair: &GraphPair) {
        let (mut tlc, mut plumb) = (runs(&pair.tlc.steps), runs(&pair.plumb.steps));
        let (mut left, mut right) = (tlc.next(), plumb.next());
        loop {
            let order = match (left, right) {
                (None, None) => return,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some((left, _)), Some((right, _))) => left.cmp(&right),
            };
            let mut times = Sides::default();
            let mut step = None;
            if order != Ordering::Greater
                && let Some((run, length)) = left
            {
                (step, times.tlc) = (Some(run), length);
                left = tlc.next();
            }
            if order != Ordering::Less
                && let Some((run, length)) = right
            {
                (step, times.plumb) = (Some(run), length);
                right = plumb.next();
            }
            let Some(step) = step else { return };
            count(&mut self.steps, times.tlc > 0, times.plumb > 0);
            let action = &mut self.actions[step.action as usize];
            action.tlc += times.tlc;
            action.plumb += times.plumb;
            if times.tlc != times.plumb {
                self.multiplicities += u64::from(times.tlc > 0 && times.plumb > 0);
                self.uneven.push((step, times));
            }
        }
    }

    fn is_empty(&self, pair: &GraphPair) -> bool {
        let one_sided = |count: Count| count.tlc_only + count.plumb_only > 0;
        let strangers = pair.states.strangers().next().is_some();
        !strangers
            && !one_sided(self.states)
            && !one_sided(self.initial)
            && self.uneven.is_empty()
            && self.outside.tlc == self.outside.plumb
    }

    /// At most one example of each kind, the nearest to an initial state, and of those the least
    /// by the bytes of its states; the nearest kinds first.
    pub(crate) fn examples(&self, pair: &GraphPair) -> Vec<Example> {
        if self.is_empty(pair) {
            return Vec::new();
        }
        let search = Search::new(pair);
        let mut found: Vec<(u32, Example)> = Vec::new();
        let mut keep = |nearest: Option<(u32, Example)>| found.extend(nearest);

        keep(
            search.nearest_state(Side::Tlc, pair.states.strangers(), |state| {
                Example::Unreadable { state }
            }),
        );
        for side in [Side::Tlc, Side::Plumb] {
            let (here, there) = (pair.graph(side), pair.graph(side.other()));
            let known = |id: &StateId| pair.states.stranger(*id).is_none();
            let initial = here.initial.iter().copied().filter(known);
            keep(search.nearest_state(
                side,
                initial.filter(|id| !there.is_initial(*id)),
                |state| Example::InitialState { side, state },
            ));
            let states = ids(pair).filter(|id| here.has(*id) && !there.has(*id));
            keep(
                search.nearest_state(side, states.filter(known), |state| Example::State {
                    side,
                    state,
                }),
            );
            // A step out of a state that only one side has says no more than that state does.
            let common = self.uneven.iter().filter(|(step, times)| {
                let there_times = if side == Side::Tlc {
                    times.plumb
                } else {
                    times.tlc
                };
                there_times == 0 && there.has(step.source)
            });
            keep(search.nearest_step(side, common, |step, _| Example::Step { side, step }));
        }
        let both = self
            .uneven
            .iter()
            .filter(|(_, times)| times.tlc > 0 && times.plumb > 0);
        keep(
            search.nearest_step(Side::Plumb, both, |step, times| Example::Multiplicity {
                step,
                times,
            }),
        );
        found.sort_by_key(|(distance, example)| (*distance, rank(example)));
        let mut examples: Vec<_> = found.into_iter().map(|(_, example)| example).collect();
        if self.outside.tlc != self.outside.plumb {
            examples.push(Example::Outside {
                successors: self.outside,
            });
        }
        examples
    }
}

/// Which of several equally near examples says most.
fn rank(example: &Example) -> (u8, Option<Side>) {
    match example {
        Example::Unreadable { .. } => (0, None),
        Example::InitialState { side, .. } => (1, Some(*side)),
        Example::Step { side, .. } => (2, Some(*side)),
        Example::Multiplicity { .. } => (3, None),
        Example::State { side, .. } => (4, Some(*side)),
        Example::Outside { .. } => (5, None),
    }
}

/// Finds what is nearest to an initial state.
struct Search<'g> {
    pair: &'g GraphPair,
    tlc: Paths<'g>,
    plumb: Paths<'g>,
}

impl<'g> Search<'g> {
    fn new(pair: &'g GraphPair) -> Self {
        Self {
            pair,
            tlc: Paths::new(&pair.tlc, pair.states.len()),
            plumb: Paths::new(&pair.plumb, pair.states.len()),
        }
    }

    fn distance(&self, side: Side, id: StateId) -> u32 {
        match side {
            Side::Tlc => self.tlc.distance(id),
            Side::Plumb => self.plumb.distance(id),
        }
    }

    fn nearest_state(
        &self,
        side: Side,
        states: impl Iterator<Item = StateId>,
        example: impl Fn(StateId) -> Example,
    ) -> Option<(u32, Example)> {
        let key = |id: &StateId| (self.distance(side, *id), self.pair.states.bytes(*id));
        let nearest = states.min_by(|a, b| key(a).cmp(&key(b)))?;
        Some((self.distance(side, nearest), example(nearest)))
    }

    /// The distance of a step is that of the state to which it leads, so that the step that first
    /// leaves the common part stands before the state it leads to.
    fn nearest_step<'s>(
        &self,
        side: Side,
        steps: impl Iterator<Item = &'s (Step, Sides<u64>)>,
        example: impl Fn(Step, Sides<u64>) -> Example,
    ) -> Option<(u32, Example)> {
        let bytes = |id| self.pair.states.bytes(id);
        let key = |step: &Step| {
            let distance = self.distance(side, step.source);
            (
                distance,
                bytes(step.source),
                step.action,
                bytes(step.target),
            )
        };
        let (step, times) = steps.min_by(|(a, _), (b, _)| key(a).cmp(&key(b)))?;
        let distance = self.distance(side, step.source).saturating_add(1);
        Some((distance, example(*step, *times)))
    }
}

fn ids(pair: &GraphPair) -> impl Iterator<Item = StateId> + use<> {
    0..pair.states.len() as StateId
}

fn count(count: &mut Count, tlc: bool, plumb: bool) {
    match (tlc, plumb) {
        (true, true) => count.both += 1,
        (true, false) => count.tlc_only += 1,
        (false, true) => count.plumb_only += 1,
        (false, false) => {}
    }
}

/// Equal steps, which stand side by side, with their number.
fn runs(steps: &[Step]) -> impl Iterator<Item = (Step, u64)> {
    steps
        .chunk_by(|a, b| a == b)
        .filter_map(|run| Some((*run.first()?, run.len() as u64)))
}
