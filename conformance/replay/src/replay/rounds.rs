//! The ways of a lasso through states of which not everything was recorded.
//!
//! Ways are not looked at one by one: there may be as many as there are products. What counts are
//! pairs of the state at which the round begins and the one that it has come to; and, for a temporal
//! property, what the steps so far mean for it.

use std::collections::{BTreeMap, BTreeSet};

use plumb_checker::LassoSummary;

use super::behaviour::Replayer;
use super::history::Level;
use super::outcome::Outcome;
use super::refusal::Wanted;

/// The places in their levels of a state at which the round begins and of one that it comes to.
type Pair = (usize, usize);

/// The ways that come back to where the round begins.
pub(super) struct Rounds {
    /// Of each level from the one on at which the round begins: the pairs that are on such a way.
    pairs: Vec<BTreeSet<Pair>>,
    /// Of each level before: the places that are.
    stem: Vec<BTreeSet<usize>>,
    /// The index of the level at which the round begins.
    back_to: usize,
}

/// Why a property is not judged.
pub(super) enum NotJudged {
    /// It cannot be, and why, in a sentence.
    Reason(String),
    /// There are too many pairs.
    Undecided(Outcome),
}

impl Rounds {
    /// Whether there is no such way.
    pub(super) fn is_empty(&self) -> bool {
        self.pairs[0].is_empty()
    }
}

impl Replayer<'_> {
    /// The ways through the history that come back to the level at index `back_to` by a wanted step.
    pub(super) fn rounds(&self, back_to: usize, wanted: Wanted<'_>) -> Result<Rounds, Outcome> {
        let levels = self.history.levels();
        let begin = 0..levels[back_to].states.len();
        let mut pairs: Vec<BTreeSet<Pair>> = vec![begin.map(|place| (place, place)).collect()];
        self.check_pairs(pairs[0].len())?;
        for level in &levels[back_to + 1..] {
            let before = &pairs[pairs.len() - 1];
            let before = by_place(before.iter().map(|(start, place)| (*place, *start)));
            let mut reached = BTreeSet::new();
            for (place, from) in edges(level) {
                let starts = before.get(&from).into_iter().flatten();
                reached.extend(starts.map(|start| (*start, place)));
                self.check_pairs(reached.len())?;
            }
            pairs.push(reached);
        }
        let last = levels.len() - 1;
        pairs[last - back_to].retain(|(start, place)| {
            let (end, target) = (
                &levels[last].states[*place].state,
                &levels[back_to].states[*start].state,
            );
            let stays = matches!(wanted, Wanted::Any) && end == target;
            self.is_inside(end) && (stays || !self.steps_between(end, target, wanted).is_empty())
        });
        for index in (back_to + 1..=last).rev() {
            let (before, after) = pairs.split_at_mut(index - back_to);
            let after = by_place(after[0].iter().map(|(start, place)| (*place, *start)));
            let on_the_way: BTreeSet<Pair> = edges(&levels[index])
                .flat_map(|(place, from)| {
                    let starts = after.get(&place).into_iter().flatten();
                    starts.map(move |start| (*start, from))
                })
                .collect();
            before[index - back_to - 1].retain(|pair| on_the_way.contains(pair));
        }
        // A round begins and ends in the same state, also where the same pair is met by others.
        let mut after: BTreeSet<usize> = pairs[0].iter().map(|(start, _)| *start).collect();
        let mut stem = Vec::new();
        for level in levels[1..=back_to].iter().rev() {
            let before = edges(level).filter(|(place, _)| after.contains(place));
            after = before.map(|(_, from)| from).collect();
            stem.push(after.clone());
        }
        stem.reverse();
        Ok(Rounds {
            pairs,
            stem,
            back_to,
        })
    }

    /// What each of the ways means for a temporal property, each meaning once.
    pub(super) fn meanings(
        &self,
        rounds: &Rounds,
        property: &str,
    ) -> Result<BTreeSet<LassoSummary>, NotJudged> {
        let levels = self.history.levels();
        let step = |before: &[u8], after: &[u8]| {
            let step = self.model.lasso_step(property, before, after);
            step.map_err(NotJudged::Reason)
        };
        // Where the round began (before that, nowhere), and how it came here.
        type Way = (Option<usize>, LassoSummary);
        let mut ways: BTreeMap<usize, BTreeSet<Way>> = BTreeMap::new();
        let begin = if rounds.back_to == 0 {
            let starts = rounds.pairs[0].iter();
            starts.map(|(start, _)| (*start, Some(*start))).collect()
        } else {
            let stem = rounds.stem[0].iter();
            stem.map(|place| (*place, None)).collect::<Vec<_>>()
        };
        for (place, start) in begin {
            let new = (start, LassoSummary::default());
            ways.entry(place).or_default().insert(new);
        }
        for index in 1..levels.len() {
            let mut reached: BTreeMap<usize, BTreeSet<Way>> = BTreeMap::new();
            let mut count = 0;
            for (place, from) in edges(&levels[index]) {
                let Some(before) = ways.get(&from) else {
                    continue;
                };
                let states = (
                    &levels[index - 1].states[from],
                    &levels[index].states[place],
                );
                let step = step(&states.0.state, &states.1.state)?;
                for (start, summary) in before {
                    let start = (*start).or((index == rounds.back_to).then_some(place));
                    let goes_on = match start {
                        Some(start) => {
                            rounds.pairs[index - rounds.back_to].contains(&(start, place))
                        }
                        None => rounds.stem[index].contains(&place),
                    };
                    if !goes_on {
                        continue;
                    }
                    let mut summary = summary.clone();
                    summary.add(&step, index > rounds.back_to);
                    let is_new = reached.entry(place).or_default().insert((start, summary));
                    count += usize::from(is_new);
                    self.check_pairs(count).map_err(NotJudged::Undecided)?;
                }
            }
            ways = reached;
        }
        let mut meanings = BTreeSet::new();
        let (first, last) = (&levels[rounds.back_to], &levels[levels.len() - 1]);
        for (place, ways) in ways {
            for (start, mut summary) in ways {
                let Some(start) = start else {
                    continue;
                };
                let step = step(&last.states[place].state, &first.states[start].state)?;
                summary.add(&step, true);
                meanings.insert(summary);
            }
        }
        Ok(meanings)
    }

    fn check_pairs(&self, found: usize) -> Result<(), Outcome> {
        let limit = self.options.max_candidates;
        if found <= limit {
            return Ok(());
        }
        let reason = format!(
            "more than {limit} pairs of a state at which the round begins and one on its way agree \
             with what was recorded"
        );
        let step = self.last.0;
        Err(Outcome::Undecided { step, reason })
    }
}

/// Every state of a level by its place, with the place of each one before it.
fn edges(level: &Level) -> impl Iterator<Item = (usize, usize)> {
    let states = level.states.iter().enumerate();
    states.flat_map(|(place, reached)| reached.from.iter().map(move |from| (place, *from)))
}

fn by_place(pairs: impl Iterator<Item = (usize, usize)>) -> BTreeMap<usize, Vec<usize>> {
    let mut found: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
    for (place, start) in pairs {
        found.entry(place).or_default().push(start);
    }
    found
}
