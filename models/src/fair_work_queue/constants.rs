//! The constants of the model, what follows from them, and the specifications.
//!
//! Shared design, models/fair-work-queue.md, sections 1, 10, 11 and 12, and the table of registered
//! configurations.

use plumb_checker::{ConfigurationError, Reader};

use super::vocabulary::{Claim, Class, Group, Key, Resource, Work};
use crate::finite::Subset;
use crate::numbered::{MOST_NUMBERS, NumberSet, Numbered};

/// The specifications of the module: the sound one, one for each defect, one that leads to a join,
/// and one with checkpoints.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Specification {
    Spec,
    BrokenSelection,
    BrokenEffects,
    BrokenHandle,
    BrokenCas,
    BrokenRelease,
    BrokenDependency,
    BrokenResult,
    BrokenExternal,
    BrokenPr,
    BrokenProjection,
    JoinWitness,
    Checkpoint,
}

const SPECIFICATIONS: &[(&str, Specification)] = &[
    ("Spec", Specification::Spec),
    ("BrokenSelectionSpec", Specification::BrokenSelection),
    ("BrokenEffectsSpec", Specification::BrokenEffects),
    ("BrokenHandleSpec", Specification::BrokenHandle),
    ("BrokenCASSpec", Specification::BrokenCas),
    ("BrokenReleaseSpec", Specification::BrokenRelease),
    ("BrokenDependencySpec", Specification::BrokenDependency),
    ("BrokenResultSpec", Specification::BrokenResult),
    ("BrokenExternalSpec", Specification::BrokenExternal),
    ("BrokenPRSpec", Specification::BrokenPr),
    ("BrokenProjectionSpec", Specification::BrokenProjection),
    ("JoinWitnessSpec", Specification::JoinWitness),
    ("CheckpointSpec", Specification::Checkpoint),
];

/// How the next work is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// First in, first out: there is one class and one key.
    Default,
    /// Classes share by weight, and keys within them.
    Weighted,
    /// Class 1 comes first; keys share by weight.
    Strict,
}

/// The values of the constant `Mode`.
const MODES: &[(&str, Mode)] = &[
    ("default", Mode::Default),
    ("weighted", Mode::Weighted),
    ("strict", Mode::Strict),
];

/// Which works need the Results of which.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Dependencies {
    /// None of any.
    Independent,
    /// Each that of the work before it.
    Chain,
    /// Work 1 that of work 2.
    Forward,
    /// All others that of work 1.
    Fork,
    /// Work 4 those of 2 and 3, all others that of work 1.
    Diamond,
    /// Work 1 that of work 2, all others that of work 1.
    Cyclic,
}

/// The operators for the constant `Dependencies`.
const DEPENDENCIES: &[(&str, Dependencies)] = &[
    ("IndependentDependencies", Dependencies::Independent),
    ("ChainDependencies", Dependencies::Chain),
    ("ForwardDependencies", Dependencies::Forward),
    ("ForkDependencies", Dependencies::Fork),
    ("DiamondDependencies", Dependencies::Diamond),
    ("CyclicDependencies", Dependencies::Cyclic),
];

impl Dependencies {
    /// The works whose Results a work needs.
    ///
    /// They may lie beyond the works that there are; then the constants are no DAG.
    fn predecessors(self, work: Work) -> NumberSet<Work> {
        let numbers = match (self, work.number()) {
            (Self::Forward | Self::Cyclic, 1) => vec![2],
            (Self::Chain | Self::Fork | Self::Diamond, 1) => vec![],
            (Self::Chain, number) => vec![number - 1],
            (Self::Diamond, 4) => vec![2, 3],
            (Self::Fork | Self::Diamond | Self::Cyclic, _) => vec![1],
            (Self::Independent | Self::Forward, _) => vec![],
        };
        numbers.into_iter().filter_map(Work::numbered).collect()
    }
}

/// Which works wait for which resources.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum ExternalDependencies {
    /// None for any.
    None,
    /// Every work for both.
    Every,
    /// The last work for both.
    Last,
}

/// The operators for the constant `ExternalDependencies`.
const EXTERNAL_DEPENDENCIES: &[(&str, ExternalDependencies)] = &[
    ("NoExternalDependencies", ExternalDependencies::None),
    ("GitHubDependencies", ExternalDependencies::Every),
    ("GitHubChildDependencies", ExternalDependencies::Last),
];

/// The constants of the module and what follows from them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Constants {
    /// How many works there are.
    pub works: usize,
    /// How many groups there are.
    pub groups: usize,
    /// How many Claims a group may make at once.
    pub max_batch: i64,
    /// How many Claims may be open.
    pub claim_limit: i64,
    /// How many native slots there are.
    pub run_limit: i64,
    /// How many Claims of one key may be open.
    pub key_limit: i64,
    /// How often a group plans anew.
    pub retry_limit: i64,
    /// The longest log that is searched on from.
    pub max_log: i64,
    /// How the next work is chosen.
    pub mode: Mode,
    /// The works whose Results each work needs.
    predecessors: Vec<NumberSet<Work>>,
    /// The resources that each work waits for.
    external: Vec<Subset<Resource>>,
    /// The resources that any work waits for.
    resources: Subset<Resource>,
    /// Whether the works need only works, and none, in the end, itself.
    acyclic: bool,
}

impl Constants {
    /// Reads the constants from a cfg.
    pub(super) fn read(cfg: &mut Reader<'_>) -> Result<Self, ConfigurationError> {
        let works = positive(cfg, "WorkCount")?;
        let groups = positive(cfg, "DispatcherCount")?;
        // A bound of this implementation: Claims are the bits of a word.
        let most = MOST_NUMBERS as i64;
        if works > most {
            return Err(cfg.refuse("WorkCount", format!("a number from 1 to {most}")));
        }
        if groups > most / works {
            let expected = format!(
                "a number from 1 to {}, so that there are at most {most} Claims",
                most / works
            );
            return Err(cfg.refuse("DispatcherCount", expected));
        }
        let max_batch = positive(cfg, "MaxBatch")?;
        let claim_limit = positive(cfg, "ClaimLimit")?;
        let run_limit = positive(cfg, "RunLimit")?;
        let key_limit = positive(cfg, "KeyLimit")?;
        let retry_limit = cfg.integer("RetryLimit")?;
        if retry_limit < 0 {
            return Err(cfg.refuse("RetryLimit", "a number from 0"));
        }
        let max_log = positive(cfg, "MaxLog")?;
        let mode = cfg.choice("Mode", MODES)?;
        let dependencies = cfg.operator("Dependencies", DEPENDENCIES)?;
        let external = cfg.operator("ExternalDependencies", EXTERNAL_DEPENDENCIES)?;
        // Both counts are at most MOST_NUMBERS.
        let (works, groups) = (works as usize, groups as usize);
        let external: Vec<_> = (1..=works)
            .map(|number| match external {
                ExternalDependencies::Every => both(),
                ExternalDependencies::Last if number == works => both(),
                ExternalDependencies::Last | ExternalDependencies::None => Subset::EMPTY,
            })
            .collect();
        let predecessors: Vec<_> = Work::first(works)
            .map(|work| dependencies.predecessors(work))
            .collect();
        Ok(Self {
            works,
            groups,
            max_batch,
            claim_limit,
            run_limit,
            key_limit,
            retry_limit,
            max_log,
            mode,
            acyclic: is_acyclic(&predecessors),
            predecessors,
            resources: external
                .iter()
                .fold(Subset::EMPTY, |all, needed| all.union(*needed)),
            external,
        })
    }

    /// The works.
    pub fn all_works(&self) -> impl Iterator<Item = Work> + use<> {
        Work::first(self.works)
    }

    /// The groups.
    pub fn all_groups(&self) -> impl Iterator<Item = Group> + use<> {
        Group::first(self.groups)
    }

    /// How many Claims there can be.
    #[must_use]
    pub fn claims(&self) -> usize {
        self.works * self.groups
    }

    /// The Claims.
    pub fn all_claims(&self) -> impl Iterator<Item = Claim> + use<> {
        Claim::first(self.claims())
    }

    /// The Claim of a group on a work.
    #[must_use]
    pub fn claim_of(&self, group: Group, work: Work) -> Claim {
        Claim::at(group.index() * self.works + work.index())
    }

    /// The work that a Claim is on.
    #[must_use]
    pub fn work_of(&self, claim: Claim) -> Work {
        Work::at(claim.index() % self.works)
    }

    /// The group whose Claim it is.
    #[must_use]
    pub fn group_of(&self, claim: Claim) -> Group {
        Group::at(claim.index() / self.works)
    }

    /// The works whose Results a work needs.
    #[must_use]
    pub fn predecessors(&self, work: Work) -> NumberSet<Work> {
        self.predecessors[work.index()]
    }

    /// The resources that a work waits for.
    #[must_use]
    pub fn waits_for(&self, work: Work) -> Subset<Resource> {
        self.external[work.index()]
    }

    /// The resources that any work waits for.
    #[must_use]
    pub fn resources(&self) -> Subset<Resource> {
        self.resources
    }

    /// The class of a work.
    #[must_use]
    pub fn class(&self, work: Work) -> Class {
        if self.mode == Mode::Default || work.index() == 0 {
            Class::One
        } else {
            Class::Two
        }
    }

    /// The key of a work: that of its number, odd or even.
    #[must_use]
    pub fn key(&self, work: Work) -> Key {
        if self.mode == Mode::Default || work.number() % 2 == 1 {
            Key::One
        } else {
            Key::Two
        }
    }

    /// Whether the works need only works, and none, in the end, itself.
    #[must_use]
    pub fn is_acyclic(&self) -> bool {
        self.acyclic
    }
}

/// Whether the works need only works, and none, in the end, itself: the set of what each needs is
/// extended as many times as there are works.
fn is_acyclic(predecessors: &[NumberSet<Work>]) -> bool {
    let works = || Work::first(predecessors.len());
    let all: NumberSet<Work> = works().collect();
    if !predecessors.iter().all(|needed| needed.is_subset(all)) {
        return false;
    }
    let mut reached = predecessors.to_vec();
    for _ in works() {
        for needed in &mut reached {
            let further = needed.iter().map(|work| predecessors[work.index()]);
            *needed = further.fold(*needed, NumberSet::union);
        }
    }
    works().all(|work| !reached[work.index()].contains(work))
}

/// Reads the specification from a cfg.
pub(super) fn specification(cfg: &mut Reader<'_>) -> Result<Specification, ConfigurationError> {
    cfg.specification(SPECIFICATIONS)
}

fn both() -> Subset<Resource> {
    Subset::of([Resource::Issue, Resource::PullRequest])
}

fn positive(cfg: &mut Reader<'_>, name: &str) -> Result<i64, ConfigurationError> {
    match cfg.integer(name)? {
        number if number >= 1 => Ok(number),
        _ => Err(cfg.refuse(name, "a number from 1")),
    }
}
